#include "system/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace {

bool sameLetter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

std::size_t editDistance(const std::string& a, const std::string& b) {
  // row[j]: the distance of the first i characters of a from the first j of b; the rows of i − 1
  // and i − 2 are kept, too.
  std::vector<std::size_t> row(b.size() + 1), before, beforeThat;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    beforeThat = before;
    before = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1,
                         before[j - 1] + (sameLetter(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && sameLetter(a[i - 1], b[j - 2]) && sameLetter(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], beforeThat[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  const std::size_t most = word.size() < 2 ? 0 : std::max<std::size_t>(1, word.size() / 3);
  std::size_t least = most + 1;
  std::string found;
  bool several = false;
  for (const std::string& name : names) {
    const std::size_t distance = editDistance(word, name);
    if (distance < least) {
      least = distance;
      found = name;
      several = false;
    } else if (distance == least && name != found) {
      several = true;
    }
  }
  return least > most || several ? "" : found;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::string meant = nearest(word, names);
  if (!meant.empty()) return fmt::format("did you mean '{}'?", meant);
  return fmt::format("choose one of {}", fmt::join(names, ", "));
}
