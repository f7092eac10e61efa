// Ranks that are threads of this process.
#pragma once

#include <exception>
#include <functional>
#include <stdexcept>
#include <utility>

#include "ranks/ranks.h"

namespace engine {

/// What a rank's calls throw after another one has given up.
struct Abandoned : std::runtime_error {
  std::exception_ptr why;  ///< what the first one that gave up threw
  explicit Abandoned(std::exception_ptr first)
      : std::runtime_error("another rank gave up"), why(std::move(first)) {}
};

/// Calls body() on `count` threads at once, each with its own rank, and returns when all have
/// returned. If one throws or abandons the others, their next call of their ranks throws, too; this
/// then throws what came first.
void runOnThreads(int count, const std::function<void(Ranks&)>& body);

/// This thread as the only rank.
std::unique_ptr<Ranks> onlyRank();

}  // namespace engine
