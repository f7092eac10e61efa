#include "base/quantity.h"

#include <fmt/format.h>

namespace engine {

std::string withPrefix(double value) {
  static const char* const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t step = 0;
  for (; value >= 999.5 && step + 1 < std::size(prefixes); ++step) value /= 1000;
  return fmt::format("{:.{}f}{}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, prefixes[step]);
}

std::string bytesText(std::uint64_t bytes) {
  return bytes < 1000 ? counted(bytes, "byte") : withPrefix(static_cast<double>(bytes)) + "B";
}

std::string withCommas(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t count, const std::string& noun, const std::string& plural) {
  return withCommas(count) + " " + (count == 1 ? noun : plural.empty() ? noun + "s" : plural);
}

std::string milliseconds(double ms) {
  return fmt::format("{:.{}f}", ms, ms < 10 ? 4 : ms < 1000 ? 3 : ms < 1e5 ? 1 : 0);
}

std::string sizesText(const std::vector<int>& sizes) {
  constexpr std::size_t kMost = 8;
  if (sizes.size() <= kMost) return fmt::format("{}", fmt::join(sizes, ", "));
  return fmt::format("{}, {}, ..., {} ({} sizes)", sizes[0], sizes[1], sizes.back(), sizes.size());
}

}  // namespace engine
