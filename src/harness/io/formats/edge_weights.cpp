#include "io/formats/edge_weights.h"

#include <fmt/format.h>

#include "io/weights.h"
#include "system/utf8.h"

void EdgeWeights::takeOther(std::string_view name, std::string_view value) {
  constexpr std::size_t kMost = 100;  // of names that are remembered
  if (has_ && options_.weight.empty()) return;
  const auto found = others_.find(name);
  if (found != others_.end())
    found->second = found->second && isNumber(value);
  else if (others_.size() < kMost)
    others_.emplace(name, isNumber(value));
}

std::string EdgeWeights::take(bool has, std::size_t place) {
  if (count_++ == 0) has_ = has, other_ = place;
  if (!has && !options_.weight.empty() && !options_.unweighted) {
    const std::string names = numbers();
    return fmt::format("the edge has no {}{}", inQuotes(options_.weight),
                       names.empty() ? "" : "; numbers are " + names);
  }
  if (has == has_) return "";
  return has ? "the edge has a weight, and the first one has none"
             : "the edge has no weight, and the first one has one";
}

/// The names of attributes whose values are numbers, or the first ones of many.
std::string EdgeWeights::numbers() const {
  constexpr std::size_t kLong = 60;
  std::string names;
  for (const auto& [name, number] : others_) {
    if (!number) continue;
    if (names.size() > kLong) return names + ", ...";
    names += (names.empty() ? "" : ", ") + inQuotes(name);
  }
  return names;
}

std::string EdgeWeights::advice() const {
  const std::string names = numbers();
  if (options_.unweighted || names.empty()) return "";
  return fmt::format(
      "the edges have no 'weight', but {}: give --weight NAME, or --unweighted if "
      "every edge counts 1",
      names);
}
