#include "paths/names.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "core/number.h"
#include "io/input.h"
#include "io/text.h"

Names::Names(int n, const std::string& names) : n_(n) {
  std::istringstream lines(names);
  for (std::string line; std::getline(lines, line);) {
    numbers_.emplace(line, static_cast<int>(names_.size()));
    names_.push_back(line);
  }
}

int Names::find(const std::string& word, const std::string& where) const {
  if (!names_.empty()) {
    if (const auto found = numbers_.find(word); found != numbers_.end()) return found->second;
    throw Error(Exit::kUsage, fmt::format("{}vertex '{}' is not in the graph", where, word));
  }
  int vertex = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), vertex);
  if (error != std::errc() || end != word.data() + word.size() || vertex < 0 || vertex >= n_)
    throw Error(Exit::kUsage, fmt::format("{}vertex '{}', expected 0..{}: rows of the distances "
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
    throw Error(Exit::kUsage, fmt::format("{}'{}': the first vertex of a range must not be larger "
                                          "than the last",
                                          where, word));
  for (int vertex = first; vertex <= last; ++vertex) to.push_back(vertex);
}

std::string listFile(const std::string& text) {
  if (text == "-") return text;
  struct stat status {};
  const bool numbers = text.find_first_not_of("0123456789,-") == std::string::npos;
  return !numbers && stat(text.c_str(), &status) == 0 ? text : "";
}

std::vector<int> readVertices(const std::string& text, const std::string& flag,
                              const Names& names) {
  std::vector<int> vertices;
  if (listFile(text).empty()) {
    if (text.find_first_of("/.") != std::string::npos && text.find(',') == std::string::npos &&
        !names.has(text))
      throw Error(Exit::kUsage,
                  fmt::format("{} {}: there is no such file, and no such vertex: give "
                              "a file, or a list such as 0,5,10-19",
                              flag, text));
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');)
      names.findAll(word, flag + ": ", vertices);
  } else {
    Input in(text);
    Text lines(in);
    while (lines.next()) {
      const std::string where = fmt::format("{}:{}: ", in.name(), lines.line());
      for (std::string word(lines.field()); !word.empty() && word[0] != '#';
           word = std::string(lines.field()))
        names.findAll(word, where, vertices);
    }
  }
  if (vertices.empty())
    throw Error(Exit::kUsage, fmt::format("{} {}: no vertices: give a list such as 0,5,10-19, or a "
                                          "file with a vertex in each line",
                                          flag, text));
  return vertices;
}
