// The clock of the host.
#pragma once

#include <chrono>

namespace engine {

/// The seconds since a moment.
inline double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Calls work() and returns the milliseconds that it took.
template <class Work>
double millisecondsOf(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace engine
