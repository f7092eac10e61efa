#include "check/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/size.h"

using namespace engine;

namespace {

constexpr char kBetween[] = "; ";  // two warnings

/// "n = 32", "n = 1..32 (7 sizes)"; "3 sizes from n = 1 to 96" if one of those tried between did
/// not warn.
std::string sizesText(const std::set<int>& sizes, const std::set<int>& tried) {
  const int first = *sizes.begin(), last = *sizes.rbegin();
  if (first == last) return fmt::format("n = {}", first);
  const auto between = std::distance(tried.find(first), tried.upper_bound(last));
  if (asSize(between) == sizes.size())
    return fmt::format("n = {}..{} ({} sizes)", first, last, sizes.size());
  return fmt::format("{} sizes from n = {} to {}", sizes.size(), first, last);
}

/// The warning with its sizes before the first colon.
std::string withSizes(const std::string& warning, const std::string& sizes) {
  const std::size_t colon = std::min(warning.find(": "), warning.size());
  return warning.substr(0, colon) + " at " + sizes + warning.substr(colon);
}

}  // namespace

void Warnings::add(int n, const std::string& warning) {
  tried_.insert(n);
  for (std::size_t at = 0; at < warning.size();) {
    const std::size_t end = std::min(warning.find(kBetween, at), warning.size());
    sizes_[warning.substr(at, end - at)].insert(n);
    at = end + std::size(kBetween) - 1;
  }
}

void Warnings::add(const Warnings& others) {
  tried_.insert(others.tried_.begin(), others.tried_.end());
  for (const auto& [warning, sizes] : others.sizes_)
    sizes_[warning].insert(sizes.begin(), sizes.end());
}

std::string Warnings::line() const {
  constexpr std::size_t kMost = 10;  // a submission may give another one in each call
  std::string line;
  std::size_t shown = 0;
  for (const auto& [warning, sizes] : sizes_) {
    if (shown++ == kMost) return line + fmt::format("; and {} more", sizes_.size() - kMost);
    line += (line.empty() ? "" : kBetween) + withSizes(warning, sizesText(sizes, tried_));
  }
  return line;
}
