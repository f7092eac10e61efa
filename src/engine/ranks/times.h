// What each of several ranks did in a solve.
#pragma once

#include <cstddef>

namespace engine {

/// Of one rank. Milliseconds.
struct RankTimes {
  double compute = 0;     ///< its own arithmetic
  double wait = 0;        ///< for messages: what look-ahead did not hide
  std::size_t bytes = 0;  ///< of messages that it sent or received

  RankTimes& operator+=(const RankTimes& more) {
    compute += more.compute;
    wait += more.wait;
    bytes += more.bytes;
    return *this;
  }
};

}  // namespace engine
