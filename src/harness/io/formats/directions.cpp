#include "io/formats/directions.h"

#include <strings.h>

namespace {

constexpr struct {
  std::string_view word;
  Directions ways;
} kWords[] = {
    {"yes", {true, false}},  {"true", {true, false}},    {"1", {true, false}},
    {"-1", {false, true}},   {"reverse", {false, true}}, {"no", {true, true}},
    {"false", {true, true}}, {"0", {true, true}},        {"", {true, true}},
};

}  // namespace

std::optional<Directions> directionsIn(std::string_view field) {
  for (const auto& [word, ways] : kWords)
    if (word.size() == field.size() && ::strncasecmp(word.data(), field.data(), word.size()) == 0)
      return ways;
  return std::nullopt;
}
