#include "results/names.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "base/quantity.h"
#include "io/csv.h"
#include "io/fields.h"
#include "io/input.h"
#include "io/text.h"
#include "system/nearest.h"
#include "system/number.h"
#include "system/utf8.h"

Names::Names(int n, const std::string& names) : n_(n) {
  std::istringstream lines(names);
  for (std::string line; std::getline(lines, line);) {
    numbers_.emplace(line, static_cast<int>(names_.size()));
    names_.push_back(line);
  }
}

void Names::appendTo(std::string& text, int vertex) const {
  if (any()) {
    text += names_[asSize(vertex)];
  } else {
    const fmt::format_int number(vertex);
    text.append(number.data(), number.size());
  }
}

namespace {

/// The words of a line, without quotes; none if a quote is not closed. comment: whether a word that
/// begins with # begins a comment.
std::optional<std::vector<std::string>> wordsOf(
    std::string_view line, char separator,
    const std::function<bool(std::string_view word)>& comment = nullptr) {
  std::vector<Field> fields;
  if (!splitLine(line, separator, fields)) return std::nullopt;
  std::vector<std::string> words;
  for (const Field& field : fields) {
    const bool sign = !field.quoted && field.text.substr(0, 1) == "#";
    if (sign && comment && comment(field.text)) break;
    unquote(field, words.emplace_back());
  }
  return words;
}

}  // namespace

std::optional<int> Names::find(const std::string& word) const {
  if (!any()) {
    int vertex = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), vertex);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    return whole && vertex >= 0 && vertex < n_ ? std::optional(vertex) : std::nullopt;
  }
  if (const auto found = numbers_.find(word); found != numbers_.end()) return found->second;
  const auto bare = wordsOf(word, ',');
  if (bare && bare->size() == 1 && bare->front() != word) return find(bare->front());
  return std::nullopt;
}

std::string Names::absent(const std::vector<std::string>& words, std::size_t more,
                          const std::string& advice) const {
  constexpr std::size_t kSoon = 200000;  // names that are looked through in an instant
  std::vector<std::string> shown, near;
  for (const std::string& word : words) {
    shown.push_back(fmt::format("'{}'", word));
    const std::string meant = names_.size() <= kSoon ? nearest(word, names_) : "";
    const std::string quoted = fmt::format("'{}'", meant);
    if (!meant.empty() && std::count(near.begin(), near.end(), quoted) == 0) near.push_back(quoted);
  }
  const bool one = words.size() + more == 1;
  const std::string who =
      fmt::format("{} {}{}", one ? "vertex" : "vertices", fmt::join(shown, ", "),
                  more == 0 ? "" : fmt::format(" and {} more", withCommas(more)));
  if (!any())
    return fmt::format("{}, expected 0..{}: rows of the distances have these numbers", who, n_ - 1);
  const std::string why = !advice.empty() || near.empty()
                              ? advice
                              : fmt::format("did you mean {}?", fmt::join(near, ", "));
  return fmt::format("{} {} not in the graph{}{}", who, one ? "is" : "are", why.empty() ? "" : ": ",
                     why);
}

bool Names::beginsComment(std::string_view word, const std::string& where) const {
  if (word.substr(0, 1) != "#" || has(std::string(word))) return false;
  if (names_.empty() || word.size() == 1 || word[1] == ' ') return true;
  throw Error(ErrorCode::kInput,
              fmt::format("{}{} is no vertex, and may be a comment: then put a blank after the #",
                          where, inQuotes(word)));
}

namespace {

/// The words of a list on the command line.
std::vector<std::string> wordsOfList(const std::string& text, const std::string& flag,
                                     const Names& names) {
  auto words = wordsOf(text, ',');
  if (names.has(text)) {
    const auto isVertex = [&](const std::string& word) { return word.empty() || names.has(word); };
    if (words && words->size() > 1 && std::all_of(words->begin(), words->end(), isVertex))
      throw Error(ErrorCode::kUsage,
                  fmt::format("{0} {1}: a vertex has this name, and vertices have its parts: give "
                              "'\"{1}\"' for the one, a file for the others",
                              flag, text));
    return {text};
  }
  if (!words)
    throw Error(ErrorCode::kUsage,
                fmt::format("{} {}: a quote is not closed before a comma or the end", flag, text));
  if (words->size() > 1 && words->back().empty()) words->pop_back();
  return *words;
}

/// How to write a name with a comma, if some words of a list, one of which is no vertex, are its
/// parts; else "".
std::string adviceOnCommas(const std::vector<std::string>& words, const Names& names) {
  constexpr std::size_t kLongName = 200;
  for (std::size_t first = 0; first < words.size(); ++first) {
    for (const char* const comma : {",", ", "}) {
      std::string name = words[first];
      bool absent = !names.find(name);
      for (std::size_t last = first + 1; last < words.size() && name.size() < kLongName; ++last) {
        name += comma + words[last];
        absent = absent || !names.find(words[last]);
        if (absent && names.has(name))
          return fmt::format("a name with a comma is in quotes: '{}'", inCsvQuotes(name));
      }
    }
  }
  return "";
}

}  // namespace

void VertexWords::take(const std::string& word, const std::string& where) {
  constexpr std::size_t kShown = 5, kMost = 100000;
  if (const auto vertex = names_.find(word)) return vertices_.push_back(*vertex);
  if (absent_.empty()) where_ = where;
  if (absent_.size() < kShown)
    absent_.push_back(word);
  else if (++more_ == kMost)
    fail("");
}

void VertexWords::takeRange(const std::string& word, const std::string& where) {
  const std::size_t dash = word.find('-');
  if (names_.any() || dash == 0 || dash == std::string::npos) return take(word, where);
  const std::string ends[] = {word.substr(0, dash), word.substr(dash + 1)};
  const auto first = names_.find(ends[0]), last = names_.find(ends[1]);
  if (!first || !last) {
    for (const std::string& end : ends)
      if (!names_.find(end)) take(end, where);
    return;
  }
  if (*last < *first)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}'{}': the first vertex of a range must not be larger "
                            "than the last",
                            where, word));
  for (int vertex = *first; vertex <= *last; ++vertex) vertices_.push_back(vertex);
}

std::vector<int> VertexWords::vertices(const std::function<std::string()>& advice) {
  if (!absent_.empty()) fail(advice ? advice() : "");
  return std::move(vertices_);
}

void VertexWords::fail(const std::string& advice) const {
  throw Error(ErrorCode::kUsage, where_ + names_.absent(absent_, more_, advice));
}

namespace {

/// What a list of vertices is read from: a file, or a column of a table in a file. No path: no
/// file.
struct ListSource {
  std::string path, column;
};

ListSource sourceOf(const std::string& text) {
  if (text == "-") return {text, ""};
  struct stat status {};
  const auto exists = [&](const std::string& path) { return stat(path.c_str(), &status) == 0; };
  const bool numbers = text.find_first_not_of("0123456789,-") == std::string::npos;
  if (!numbers && exists(text)) return {text, ""};
  for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1))
    if (colon + 1 < text.size() && exists(text.substr(0, colon)))
      return {text.substr(0, colon), text.substr(colon + 1)};
  return {};
}

/// The place of a column in the header, which is the current line: of its name, or its number.
std::size_t placeOf(const std::string& column, const Text& lines,
                    const std::vector<Field>& header) {
  std::vector<std::string> names(header.size());
  for (std::size_t i = 0; i < names.size(); ++i) unquote(header[i], names[i]);
  const auto found = std::find(names.begin(), names.end(), column);
  if (found != names.end()) return asSize(found - names.begin());
  const auto number = wholeNumber(column, 1, static_cast<int>(names.size()));
  if (!number)
    lines.fail(
        fmt::format("no column {} in the header: {}", inQuotes(column), suggestion(column, names)));
  return asSize(*number) - 1;
}

/// Takes the vertices in a column of a table with a header, which commas, semicolons or tabs
/// separate.
void takeColumn(const ListSource& from, VertexWords& list) {
  Input in(from.path);
  Text lines(in);
  if (!lines.next()) lines.fail("no header");
  const auto separator = separatorOf(lines.rest(), {});
  if (!separator)
    lines.fail("several of comma, semicolon and tab separate the columns: use one of them");
  std::vector<Field> fields;
  const auto split = [&] {
    if (!splitLine(lines.wholeLine(), *separator == ' ' ? ',' : *separator, fields))
      lines.fail("a quote is not closed at the end of a field");
  };
  split();
  const std::size_t place = placeOf(from.column, lines, fields);
  for (std::string word; lines.next();) {
    split();
    if (place >= fields.size() || fields[place].text.empty())
      lines.fail(
          fmt::format("no {} here: remove the line, or write a vertex", inQuotes(from.column)));
    unquote(fields[place], word);
    list.takeRange(word, fmt::format("{}:{}: ", in.name(), lines.line()));
  }
}

/// Takes the vertices in a file, of which a line may have several.
void takeLines(const std::string& path, const Names& names, VertexWords& list) {
  Input in(path);
  Text lines(in);
  while (lines.next()) {
    const std::string where = fmt::format("{}:{}: ", in.name(), lines.line());
    const auto comment = [&](std::string_view word) { return names.beginsComment(word, where); };
    std::optional<std::vector<std::string>> words;
    if (const std::string whole(lines.rest()); names.has(whole))
      words = {whole};
    else
      words = wordsOf(whole, ' ', comment);
    if (!words) lines.fail("a quote is not closed before a blank or the end of the line");
    for (const std::string& word : *words) list.takeRange(word, where);
  }
}

/// Takes the vertices in a file or a column of it. An error names FILE:COLUMN if the file is a
/// table, and no column was chosen.
std::vector<int> readFrom(const ListSource& from, const Names& names) {
  VertexWords list(names);
  try {
    from.column.empty() ? takeLines(from.path, names, list) : takeColumn(from, list);
    return list.vertices();
  } catch (const Error& error) {
    const bool table = endsWith(from.path, ".csv") || endsWith(from.path, ".tsv");
    if (!table || !from.column.empty()) throw;
    throw Error(error.code,
                fmt::format("{}: {}:COLUMN takes a column of a table", error.what(), from.path));
  }
}

}  // namespace

std::string listFile(const std::string& text) {
  return sourceOf(text).path;
}

std::vector<int> readVertices(const std::string& text, const std::string& flag,
                              const Names& names) {
  const ListSource from = sourceOf(text);
  const bool fromFile = !from.path.empty();
  std::vector<int> vertices;
  if (fromFile && names.has(text))
    throw Error(ErrorCode::kUsage,
                fmt::format("{0} {1}: there is a file and a vertex of this name: give {2} for the "
                            "file, '\"{1}\"' for the vertex",
                            flag, text, text == "-" ? "/dev/stdin" : "./" + text));
  if (!fromFile) {
    if (text.find_first_of("/.") != std::string::npos && text.find(',') == std::string::npos &&
        text[0] != '"' && !names.has(text))
      throw Error(ErrorCode::kUsage,
                  fmt::format("{} {}: there is no such file, and no such vertex: give "
                              "a file, or a list such as 0,5,10-19",
                              flag, text));
    VertexWords list(names);
    const auto words = wordsOfList(text, flag, names);
    for (const std::string& word : words) list.takeRange(word, flag + ": ");
    vertices = list.vertices([&] { return adviceOnCommas(words, names); });
  } else {
    vertices = readFrom(from, names);
  }
  if (vertices.empty())
    throw Error(ErrorCode::kUsage,
                fmt::format("{} {}: no vertices: give a list such as 0,5,10-19, or a "
                            "file with a vertex in each line",
                            flag, text));
  return vertices;
}

bool isComment(std::string_view line, const Names& names, const std::string& where) {
  if (line.substr(0, 1) != "#") return false;
  const auto words = wordsOf(line, separatorOf(line, {}).value_or(' '));
  const auto byBlanks = wordsOf(line, ' ');
  if (byBlanks && byBlanks->size() == 2 && names.has(byBlanks->front())) return false;
  if (!words || words->size() != 2) return true;
  return names.beginsComment(words->front(), where);
}

void takePair(std::string_view line, const std::string& where, VertexWords& to) {
  const Names& names = to.names();
  const char separator = separatorOf(line, {}).value_or(' ');
  const auto byBlanks = wordsOf(line, ' ');
  auto words = wordsOf(line, separator);
  // Words without quotes may have commas, and tabs may end a line.
  if (byBlanks && byBlanks->size() == 2 &&
      (separator == '\t' || (names.has(byBlanks->at(0)) && names.has(byBlanks->at(1)))))
    words = byBlanks;
  if (!words || words->size() != 2)
    throw Error(ErrorCode::kInput,
                fmt::format("{}expected FROM TO, found {}: a name with a blank is in quotes, or a "
                            "comma separates the two",
                            where, inQuotes(line)));
  for (const std::string& word : *words) to.take(word, where);
}

std::vector<std::pair<int, int>> readPairs(const std::string& path, const Names& names) {
  VertexWords ends(names);
  Input in(path);
  Text lines(in);
  while (lines.next()) {
    const std::string where = fmt::format("{}:{}: ", in.name(), lines.line());
    if (!isComment(lines.rest(), names, where)) takePair(lines.rest(), where, ends);
  }
  const std::vector<int> vertices = ends.vertices();
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i + 1 < vertices.size(); i += 2)
    pairs.emplace_back(vertices[i], vertices[i + 1]);
  return pairs;
}
