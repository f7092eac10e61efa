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

std::optional<int> Names::named(const std::string& word) const {
  if (const auto found = numbers_.find(word); found != numbers_.end()) return found->second;
  const auto bare = wordsOf(word, ',');
  if (bare && bare->size() == 1 && bare->front() != word) return named(bare->front());
  return std::nullopt;
}

std::string Names::absent(const std::vector<std::string>& words) const {
  constexpr std::size_t kShown = 5, kSoon = 200000;  // names that are looked through in an instant
  std::vector<std::string> shown, near;
  for (std::size_t i = 0; i < std::min(words.size(), kShown); ++i) {
    shown.push_back(fmt::format("'{}'", words[i]));
    const std::string meant = names_.size() <= kSoon ? nearest(words[i], names_) : "";
    const std::string quoted = fmt::format("'{}'", meant);
    if (!meant.empty() && std::count(near.begin(), near.end(), quoted) == 0) near.push_back(quoted);
  }
  const std::size_t more = words.size() - shown.size();
  return fmt::format("{} {}{} not in the graph{}", words.size() == 1 ? "vertex" : "vertices",
                     fmt::join(shown, ", "),
                     words.size() == 1 ? " is"
                     : more == 0       ? " are"
                                       : fmt::format(" and {} more are", more),
                     near.empty() ? "" : fmt::format(": did you mean {}?", fmt::join(near, ", ")));
}

int Names::find(const std::string& word, const std::string& where) const {
  if (any()) {
    if (const auto found = named(word)) return *found;
    throw Error(ErrorCode::kUsage, where + absent({word}));
  }
  int vertex = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), vertex);
  if (error != std::errc() || end != word.data() + word.size() || vertex < 0 || vertex >= n_)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}vertex '{}', expected 0..{}: rows of the distances "
                            "have these numbers",
                            where, word, n_ - 1));
  return vertex;
}

void Names::findAll(const std::string& word, const std::string& where, std::vector<int>& to) const {
  const std::size_t dash = word.find('-');
  if (!names_.empty() || dash == 0 || dash == std::string::npos) {
    to.push_back(find(word, where));
    return;
  }
  const int first = find(word.substr(0, dash), where), last = find(word.substr(dash + 1), where);
  if (last < first)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}'{}': the first vertex of a range must not be larger "
                            "than the last",
                            where, word));
  for (int vertex = first; vertex <= last; ++vertex) to.push_back(vertex);
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

/// Takes the words of a list one by one.
class ListOfVertices {
 public:
  explicit ListOfVertices(const Names& names) : names_(names) {}

  void take(const std::string& word, const std::string& where) {
    if (!names_.any()) return names_.findAll(word, where, vertices_);
    if (const auto vertex = names_.named(word)) return vertices_.push_back(*vertex);
    if (absent_.empty()) where_ = where;
    absent_.push_back(word);
  }

  /// All of them. Throws Error(kUsage) if some words mean none.
  std::vector<int> vertices() {
    if (!absent_.empty()) throw Error(ErrorCode::kUsage, where_ + names_.absent(absent_));
    return std::move(vertices_);
  }

 private:
  const Names& names_;
  std::vector<int> vertices_;
  std::vector<std::string> absent_;
  std::string where_;  // of the first one
};

}  // namespace

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
void takeColumn(const ListSource& from, ListOfVertices& list) {
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
    list.take(word, fmt::format("{}:{}: ", in.name(), lines.line()));
  }
}

/// Takes the vertices in a file, of which a line may have several.
void takeLines(const std::string& path, const Names& names, ListOfVertices& list) {
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
    for (const std::string& word : *words) list.take(word, where);
  }
}

/// Takes the vertices in a file or a column of it. An error names FILE:COLUMN if the file is a
/// table, and no column was chosen.
std::vector<int> readFrom(const ListSource& from, const Names& names) {
  ListOfVertices list(names);
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
    ListOfVertices list(names);
    for (const std::string& word : wordsOfList(text, flag, names)) list.take(word, flag + ": ");
    vertices = list.vertices();
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

std::pair<int, int> readPair(std::string_view line, const Names& names, const std::string& where) {
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
  return {names.find(words->at(0), where), names.find(words->at(1), where)};
}

std::vector<std::pair<int, int>> readPairs(const std::string& path, const Names& names) {
  std::vector<std::pair<int, int>> pairs;
  Input in(path);
  Text lines(in);
  while (lines.next()) {
    const std::string where = fmt::format("{}:{}: ", in.name(), lines.line());
    if (!isComment(lines.rest(), names, where))
      pairs.push_back(readPair(lines.rest(), names, where));
  }
  return pairs;
}
