#include "system/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "system/utf8.h"

namespace {

/// Of ASCII, capital letters count as small ones.
char32_t smallLetter(char32_t c) {
  return c < 128 ? static_cast<char32_t>(std::tolower(static_cast<int>(c))) : c;
}

bool sameLetter(char32_t a, char32_t b) {
  return smallLetter(a) == smallLetter(b);
}

std::size_t distanceOf(const std::u32string& a, const std::u32string& b) {
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

}  // namespace

std::size_t editDistance(const std::string& a, const std::string& b) {
  return distanceOf(codePoints(a), codePoints(b));
}

std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  const std::u32string letters = codePoints(word);
  const std::size_t most = letters.size() < 2 ? 0 : std::max<std::size_t>(1, letters.size() / 3);
  std::size_t least = most + 1;
  std::string found;
  bool several = false;
  for (const std::string& name : names) {
    const std::u32string others = codePoints(name);
    if (others.size() > letters.size() + most || letters.size() > others.size() + most) continue;
    const std::size_t distance = distanceOf(letters, others);
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
