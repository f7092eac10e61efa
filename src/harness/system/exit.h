// Exit codes of the program, as docs/faults.md lists them.
#pragma once

#include "base/error.h"

using namespace engine;

enum class Exit {
  kOk = 0,
  kMismatch = 1,  ///< of an error, as the next ones; also if a planned point is missing, or one is
                  ///< slower than allowed
  kUsage = 2,
  kInput = 3,
  kGpu = 4,
  kMemory = 5,
  kOutput = 6,
  kRankLost = 7,
  kInterrupted = 75,  ///< by a signal: the same command goes on where it stopped
};

/// Of an error, its number.
inline Exit exitOf(ErrorCode code) {
  return static_cast<Exit>(code);
}
