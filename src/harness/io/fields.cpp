#include "io/fields.h"

#include <strings.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>

namespace {

bool isBlank(char c) {
  return c == ' ' || c == '\t';
}

/// The end of a quoted field that begins at line[at]: the place of its closing quote.
std::size_t closingQuote(std::string_view line, std::size_t at) {
  std::size_t end = line.find('"', at + 1);
  while (end != std::string_view::npos && line.substr(end + 1, 1) == "\"")
    end = line.find('"', end + 2);
  return end;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) {
    return w.size() == word.size() && ::strncasecmp(w.data(), word.data(), w.size()) == 0;
  });
}

/// The words of a name: `from_node`, `FromNode` and `from node` have two.
std::vector<std::string_view> wordsIn(std::string_view name) {
  const auto is = [&](int (*kind)(int), std::size_t at) {
    return kind(static_cast<unsigned char>(name[at])) != 0;
  };
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= name.size(); ++at) {
    const bool ends = at == name.size() || !is(std::isalpha, at);
    const bool camel = !ends && at > begin && is(std::isupper, at) && is(std::islower, at - 1);
    if (!ends && !camel) continue;
    if (at > begin) words.push_back(name.substr(begin, at - begin));
    begin = at + (ends ? 1 : 0);
  }
  return words;
}

}  // namespace

bool splitLine(std::string_view line, char separator, std::vector<Field>& fields) {
  const bool byBlanks = separator == ' ';
  const auto separates = [=](char c) { return byBlanks ? isBlank(c) : c == separator; };
  const auto pads = [=](char c) { return isBlank(c) && (byBlanks || c != separator); };
  fields.clear();
  for (std::size_t at = 0;; ++at) {
    while (at < line.size() && pads(line[at])) ++at;
    if (byBlanks && at == line.size()) return true;
    const std::size_t begin = at;
    Field field;
    if (at < line.size() && line[at] == '"') {
      const std::size_t end = closingQuote(line, at);
      if (end == std::string_view::npos) return false;
      field = {line.substr(begin + 1, end - begin - 1), true};
      at = end + 1;
      while (!byBlanks && at < line.size() && pads(line[at])) ++at;
      if (at < line.size() && !separates(line[at])) return false;
    } else {
      const bool attributes = fields.size() == 2 && line.substr(at, 1) == "{";
      while (at < line.size() && (attributes || !separates(line[at]))) ++at;
      std::size_t end = at;
      while (end > begin && pads(line[end - 1])) --end;
      field.text = line.substr(begin, end - begin);
    }
    fields.push_back(field);
    if (at == line.size()) return true;
  }
}

std::optional<char> separatorOf(std::string_view line, Separators allowed) {
  char found = ' ';
  bool several = false;
  for (std::size_t at = 0; at < line.size() && line[at] != '{'; ++at) {
    const char c = line[at];
    if (c == '"') at = std::min(closingQuote(line, at), line.size());
    if (!((c == ',' && allowed.commas) || c == ';' || (c == '\t' && allowed.tabs))) continue;
    if (c == '\t' && allowed.preferTabs) return c;
    several = several || (found != ' ' && found != c);
    found = c;
  }
  return several ? std::nullopt : std::optional(found);
}

void unquote(const Field& field, std::string& text) {
  text = field.text;
  for (std::size_t at = 0; field.quoted && (at = text.find("\"\"", at)) != text.npos; ++at)
    text.erase(at, 1);
}

std::optional<std::vector<std::string>> splitByCommas(std::string_view line) {
  std::vector<Field> fields;
  if (!splitLine(line, ',', fields)) return std::nullopt;
  std::vector<std::string> texts(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) unquote(fields[i], texts[i]);
  return texts;
}

bool isWord(std::string_view text) {
  if (text.empty()) return false;
  const unsigned char c = static_cast<unsigned char>(text[0]);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

bool namesVertex(std::string_view column) {
  std::string letters;  // `node_1`, `Node 1` and `node1` name the same
  for (const char c : column)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters += c;
  return endNamed(column) != End::kUnclear ||
         isOneOf(letters, {"node", "nodeid", "nodea", "nodeb", "vertex", "vertexid", "id", "ida",
                           "idb", "u", "v", "user", "userid"});
}

End endNamed(std::string_view column) {
  const auto isFrom = [](std::string_view word) {
    return isOneOf(
        word, {"source",  "sourceid",  "sourcenode", "src",    "srcid",    "origin",     "originid",
               "orig",    "origid",    "from",       "fromid", "fromnode", "fromnodeid", "start",
               "startid", "startnode", "begin",      "tail",   "follower", "sender",     "parent"});
  };
  const auto isTo = [](std::string_view word) {
    return isOneOf(word, {"target",   "targetid",    "targetnode",    "dst",     "dstid", "dest",
                          "destid",   "destination", "destinationid", "to",      "toid",  "tonode",
                          "tonodeid", "end",         "endid",         "endnode", "stop",  "head",
                          "followee", "receiver",    "child"});
  };
  for (const std::string_view word : wordsIn(column)) {
    if (isFrom(word)) return End::kFrom;
    if (isTo(word)) return End::kTo;
  }
  return End::kUnclear;
}

bool namesReversed(std::string_view first, std::string_view second) {
  const End begin = endNamed(first), end = endNamed(second);
  if (begin != end) return begin == End::kTo || end == End::kFrom;
  const auto stem = [](std::string_view name) { return name.substr(0, name.size() - 1); };
  return first.size() == second.size() && !first.empty() && stem(first) == stem(second) &&
         first.back() > second.back();
}

bool namesWeight(std::string_view column) {
  return isOneOf(column, {"weight", "weights", "cost", "distance", "length"});
}

bool namesOther(std::string_view column) {
  const std::vector<std::string_view> words = wordsIn(column);
  return isOneOf(column, {"time", "datetime", "day", "month", "epoch", "count", "counts", "edgeid",
                          "linkid", "type", "kind", "rank", "order"}) ||
         (!words.empty() && isOneOf(words.back(), {"id", "key", "index", "idx", "no", "nr", "num",
                                                   "number", "date", "year", "timestamp"}));
}

bool namesNothing(std::string_view field) {
  return isOneOf(field, {"na", "n/a", "nan", "null", "none", "nil", "missing", "unknown"});
}
