// The one exception of this program. It carries the exit code; only main() turns it into one.
// A leaf: it includes nothing of ours, and everything may include it.
#pragma once

#include <stdexcept>
#include <string>

/// Exit codes, as docs/faults.md lists them.
enum class Exit {
  kOk = 0,
  kMismatch =
      1,  ///< a result is wrong or not there, a planned point missing, or one slower than allowed
  kUsage = 2,     ///< wrong command line
  kInput = 3,     ///< bad input file, or a graph with a negative cycle or without exact distances
  kGpu = 4,       ///< GPU missing, unsupported or failed
  kMemory = 5,    ///< out of device or host memory
  kOutput = 6,    ///< output could not be written
  kRankLost = 7,  ///< a rank died, or no longer answers
  kInterrupted = 75,  ///< by a signal: the same command goes on where it stopped
};

/// what() is one line: what, where (file:line or byte), expected, found, what to do.
struct Error : std::runtime_error {
  Exit code;
  Error(Exit exit, const std::string& message) : std::runtime_error(message), code(exit) {}
};
