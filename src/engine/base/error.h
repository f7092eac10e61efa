// The one exception of the engine and of all above it.
// A leaf: it includes nothing of ours, and everything may include it.
#pragma once

#include <stdexcept>
#include <string>

namespace engine {

/// What kind of error it is. The program exits with these numbers (system/exit.h), and MPI ends
/// ranks with them.
enum class ErrorCode {
  kMismatch = 1,  ///< a result is wrong or not there
  kUsage = 2,     ///< wrong arguments
  kInput = 3,     ///< bad input, or a graph with a negative cycle or without exact distances
  kGpu = 4,       ///< GPU missing, unsupported or failed
  kMemory = 5,    ///< out of device or host memory
  kOutput = 6,    ///< output could not be written
  kRankLost = 7,  ///< a rank died, or no longer answers
};

/// what() is one line: what, where (file:line or byte), expected, found, what to do.
struct Error : std::runtime_error {
  ErrorCode code;
  Error(ErrorCode which, const std::string& message) : std::runtime_error(message), code(which) {}
};

/// Arguments that are right, but what they ask for is not available together, or not here.
struct Unsupported : Error {
  explicit Unsupported(const std::string& message) : Error(ErrorCode::kUsage, message) {}
};

/// A distance or another result that its type does not hold.
struct RangeError : Error {
  explicit RangeError(const std::string& message) : Error(ErrorCode::kInput, message) {}
};

}  // namespace engine
