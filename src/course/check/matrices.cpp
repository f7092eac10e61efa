#include "check/matrices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/quantity.h"
#include "base/size.h"
#include "system/screen.h"

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kMostWhole = 8;     // vertices of a matrix that is shown whole
constexpr std::size_t kMostOfLarger = 5;  // rows or columns of a larger one
const char* const kIndent = "  ";
const char* const kGap = "    ";

using Lines = std::vector<std::string>;

/// The rows and columns of a matrix that are shown.
struct Window {
  std::vector<int> rows, columns;
};

/// All rows and columns if there are at most `most`; else the first `most` rows that have wrong
/// entries, and the first `most` columns in which these rows do.
Window windowOf(const Matrix& expected, const Matrix& got, std::size_t most) {
  const int n = expected.n();
  const auto wrong = [&](int i, int j) { return expected.row<int>(i)[j] != got.row<int>(i)[j]; };
  Window window;
  if (asSize(n) <= most) {
    window.rows.resize(asSize(n));
    std::iota(window.rows.begin(), window.rows.end(), 0);
    window.columns = window.rows;
    return window;
  }
  for (int i = 0; i < n && window.rows.size() < most; ++i) {
    for (int j = 0; j < n; ++j) {
      if (!wrong(i, j)) continue;
      window.rows.push_back(i);
      break;
    }
  }
  for (int j = 0; j < n && window.columns.size() < most; ++j) {
    if (std::any_of(window.rows.begin(), window.rows.end(), [&](int i) { return wrong(i, j); }))
      window.columns.push_back(j);
  }
  return window;
}

/// A matrix under its title. Where it differs from `expected`, an entry gets a *.
Lines linesOf(const std::string& title, const Matrix& matrix, const Matrix& expected,
              const Window& window) {
  std::vector<Lines> columns(1, Lines{"|"});
  for (const int i : window.rows) columns[0].push_back(fmt::format("{} |", i));
  for (const int j : window.columns) {
    Lines& column = columns.emplace_back(Lines{std::to_string(j) + " "});
    for (const int i : window.rows) {
      const bool wrong = matrix.row<int>(i)[j] != expected.row<int>(i)[j];
      column.push_back(textOf(matrix.row<int>(i)[j]) + (wrong ? "*" : " "));
    }
  }
  Lines lines(window.rows.size() + 1);
  for (const Lines& column : columns) {
    std::size_t width = 0;
    for (const std::string& entry : column) width = std::max(width, entry.size());
    for (std::size_t at = 0; at < lines.size(); ++at)
      lines[at] += (&column == columns.data() ? "" : " ") + paddedLeft(column[at], width);
  }
  const std::size_t width = std::max(title.size(), lines[0].size());
  lines.insert(lines.begin(), title);
  for (std::string& line : lines) line = padded(line, width);
  return lines;
}

std::string withoutBlanksAtEnd(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// The blocks side by side if they fit, else one below the other. "" if one of them is too wide.
std::string arranged(const std::vector<Lines>& blocks) {
  std::size_t most = 0, all = 0;
  for (const Lines& block : blocks) {
    most = std::max(most, block[0].size());
    all += block[0].size();
  }
  const std::size_t room = kWidth - std::string(kIndent).size();
  if (most > room) return "";
  std::string out;
  if (all + (blocks.size() - 1) * std::string(kGap).size() > room) {
    for (const Lines& block : blocks) {
      for (const std::string& line : block) out += kIndent + withoutBlanksAtEnd(line) + "\n";
    }
    return out;
  }
  for (std::size_t at = 0; at < blocks[0].size(); ++at) {
    Lines parts;
    for (const Lines& block : blocks) parts.push_back(block[at]);
    out += kIndent + withoutBlanksAtEnd(fmt::format("{}", fmt::join(parts, kGap))) + "\n";
  }
  return out;
}

}  // namespace

std::string matricesText(const Matrix& input, const Matrix& expected, const Matrix& got) {
  const auto n = asSize(input.n());
  std::string out;
  std::size_t shown = n <= kMostWhole ? n : kMostOfLarger;
  for (; out.empty(); --shown) {
    const Window window = windowOf(expected, got, shown);
    out = arranged({linesOf("input", input, input, window),
                    linesOf("expected", expected, expected, window),
                    linesOf("got", got, expected, window)});
  }
  const int *const right = expected.data().as<int>(), *const found = got.data().as<int>();
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < expected.size(); ++at) wrong += right[at] != found[at];
  return out + fmt::format("{}* wrong: {} of {}{}\n", kIndent, wrong,
                           counted(n * n, "entry", "entries"),
                           shown + 1 >= n ? "" : "; only some rows and columns are shown");
}
