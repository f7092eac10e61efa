#include "grade/near_copies.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>

#include "base/size.h"
#include "grade/hand_ins.h"
#include "submission/compile.h"
#include "system/utf8.h"

namespace {

// ---- tokens ---------------------------------------------------------------------------------

constexpr const char* kKeywords[] = {"if",     "else",   "for",      "while",  "do",     "return",
                                     "break",  "switch", "case",     "struct", "class",  "template",
                                     "const",  "static", "unsigned", "int",    "float",  "double",
                                     "char",   "bool",   "void",     "auto",   "sizeof", "new",
                                     "delete", "define", "include",  "pragma", "omp"};

bool isWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Where a comment, or a text in quotes, ends that begins at `at`; `at` if none does.
std::size_t endOfComment(const std::string& text, std::size_t at) {
  const auto after = [&](const char* end, std::size_t length) {
    const std::size_t found = text.find(end, at + 2);
    return found == std::string::npos ? text.size() : found + length;
  };
  if (text.compare(at, 2, "//") == 0) return after("\n", 1);
  if (text.compare(at, 2, "/*") == 0) return after("*/", 2);
  return at;
}

std::size_t endOfQuotes(const std::string& text, std::size_t at) {
  const char quote = text[at];
  if (quote != '"' && quote != '\'') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != quote && text[end] != '\n')
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// A number for each token: names of variables are all the same, numbers and texts, too.
std::vector<std::uint64_t> tokensOf(const std::string& text) {
  constexpr std::uint64_t kName = 1000, kNumber = 1001, kText = 1002, kFirstKeyword = 2000;
  std::vector<std::uint64_t> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = endOfComment(text, at); end != at) {
      at = end;
    } else if (const std::size_t quoted = endOfQuotes(text, at); quoted != at) {
      tokens.push_back(kText);
      at = quoted;
    } else if (isWordPart(text[at])) {
      std::size_t last = at;
      while (last < text.size() && isWordPart(text[last])) ++last;
      const std::string word = text.substr(at, last - at);
      const auto* const keyword = std::find(std::begin(kKeywords), std::end(kKeywords), word);
      const bool number = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
      tokens.push_back(keyword != std::end(kKeywords)
                           ? kFirstKeyword + asSize(keyword - std::begin(kKeywords))
                       : number ? kNumber
                                : kName);
      at = last;
    } else {
      if (std::isspace(static_cast<unsigned char>(text[at])) == 0)
        tokens.push_back(static_cast<unsigned char>(text[at]));
      ++at;
    }
  }
  return tokens;
}

// ---- winnowing --------------------------------------------------------------------------------

/// Adds the least hash of each window of hashes of so many tokens.
void addFingerprints(const std::vector<std::uint64_t>& tokens, Fingerprints& found) {
  constexpr std::size_t kTokens = 16, kWindow = 8;
  std::deque<std::uint64_t> window;
  for (std::size_t at = 0; at + kTokens <= tokens.size(); ++at) {
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (std::size_t i = 0; i < kTokens; ++i) hash = (hash ^ tokens[at + i]) * 1099511628211u;
    window.push_back(hash);
    if (window.size() > kWindow) window.pop_front();
    if (window.size() == kWindow) found.insert(*std::min_element(window.begin(), window.end()));
  }
}

bool isText(const std::string& name) {
  return languageOf(name) != nullptr || isHeaderName(name);
}

}  // namespace

Fingerprints fingerprintsOf(const Files& files) {
  constexpr std::size_t kMost = std::size_t{1} << 20;  // of a file: students write less
  Fingerprints found;
  for (const auto& [name, content] : files)
    if (isText(name)) addFingerprints(tokensOf(content.substr(0, kMost)), found);
  return found;
}

std::vector<NearCopies> nearCopies(const std::vector<Fingerprints>& all) {
  constexpr std::size_t kFewest = 8, kCommon = 4;
  constexpr double kLeastPercent = 60;
  std::map<std::uint64_t, std::vector<std::size_t>> owners;
  for (std::size_t at = 0; at < all.size(); ++at)
    for (const std::uint64_t each : all[at]) owners[each].push_back(at);
  std::vector<std::size_t> own(all.size());
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> shared;
  for (const auto& [hash, who] : owners) {
    if (who.size() >= kCommon && 2 * who.size() > all.size()) continue;
    for (const std::size_t a : who) {
      ++own[a];
      for (const std::size_t b : who)
        if (a < b) ++shared[{a, b}];
    }
  }
  std::vector<NearCopies> found;
  for (const auto& [pair, count] : shared) {
    const std::size_t fewer = std::min(own[pair.first], own[pair.second]);
    const double percent = 100 * static_cast<double>(count) / static_cast<double>(fewer);
    if (count >= kFewest && percent >= kLeastPercent)
      found.push_back({pair.first, pair.second, count, percent});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const NearCopies& a, const NearCopies& b) { return a.percent > b.percent; });
  return found;
}
