// Which vertices a round of elimination takes, on a GPU (rounds.cuh) and on a CPU (cpu_rounds.cpp):
// those with the lowest key beside them, and no more neighbours than a limit.
#pragma once

#include <cstdint>

namespace engine::sparse {

/// No two vertices have the same one.
constexpr std::uint32_t hashOf(std::uint32_t v) {
  v = (v ^ v >> 16) * 0x7feb352du;
  v = (v ^ v >> 15) * 0x846ca68bu;
  return v ^ v >> 16;
}

/// Of two neighbours, the one with the lower key goes. No two vertices have the same one.
constexpr std::uint64_t keyOf(int degree, std::uint32_t v) {
  return static_cast<std::uint64_t>(degree) << 32 | hashOf(v);
}

/// The limit that a least degree allows. more: neighbours.
constexpr int limitFor(int least, int more) {
  return least + least / 4 + more;
}

/// The limit after a round of `count` vertices in which `gone` went. If all had few enough
/// neighbours, about one of (limit + 1) would have gone. The limit grows if there were far fewer.
constexpr int limitAfter(int limit, int gone, int count) {
  constexpr double kFewOfMany = 32;  // times fewer
  return gone * kFewOfMany * limit < count ? limit + limit / 4 + 1 : limit;
}

}  // namespace engine::sparse
