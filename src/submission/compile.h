// The files of submissions: what they hold, and the shared library that nvcc makes of CUDA source.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/error.h"

/// CUDA source that does not compile; what() has the compiler's first error.
struct BuildError : Error {
  std::string log;  ///< all that the compiler said
  BuildError(const std::string& message, std::string output)
      : Error(Exit::kInput, message), log(std::move(output)) {}
};

/// A hash of a file and of those beside it that it includes ("…"), and that these include. Throws
/// Error(kInput) where it cannot be read.
std::string contentHash(const std::string& path);

/// A shared library; a folder that holds nothing else goes with it.
struct Library {
  std::string path;
  std::shared_ptr<void> folder = nullptr;
};

/// Compiles a .cu file for GPUs of this compute capability (90), or finds what came of it before:
/// in $XDG_CACHE_HOME/apsp, or ~/.cache/apsp, under a hash of its content, the compiler and all
/// that we add; where nothing can be kept there, in a folder of its own. The source may include
/// apsp.h and cuda_utils.h, which are ours unless such files lie beside it. Throws BuildError, also
/// where that takes longer than `seconds`, Error(kGpu) where there is no nvcc, and what
/// contentHash() does.
Library build(const std::string& path, int capability, double seconds);
