// A solver in a file of its own, as a student hands it in: built where it is source, run in a child
// process that cannot take this one down, and reported as what it does.
#pragma once

#include <string>
#include <utility>

#include "core/error.h"
#include "solvers/solver.h"

/// What a submission did other than to return: thrown by a call of its kernel. what() is one line:
/// the file, what happened and when.
struct SubmissionFault : Error {
  enum Kind { kCrash, kCudaError, kHang, kExit, kLeak, kOutOfBounds, kNoMemory, kSlow } kind;
  std::string printed;  ///< what it wrote to its output in that call
  SubmissionFault(Kind what, const std::string& message, std::string output = "")
      : Error(Exit::kMismatch, message), kind(what), printed(std::move(output)) {}
};

/// A word or two for a table: "crashed".
const char* nameOf(SubmissionFault::Kind kind);

struct SubmissionLimits {
  double compileSeconds = 120;
  double callSeconds = 60;                                  ///< of one call, copies not counted
  double checkSeconds() const { return 20 * callSeconds; }  ///< of all calls of one check
};

/// Whether a word after --kernel names a file rather than a row of the kernel table: it has a dot
/// or a slash.
bool isSubmission(const std::string& word);

/// A row like those of the kernel table for the file, `.cu` or `.so`, that defines
/// void apsp(int n, int* graph), of device memory on the GPU and of host memory on the CPU. Source
/// is built for the present GPU, once for the same content. The kernel's name is the path as it was
/// given. Throws Error(kInput) where it cannot be read, built (BuildError) or loaded, Error(kGpu)
/// where there is no nvcc, Error(kUsage) where the device takes no such file; a call throws
/// SubmissionFault.
///
/// A child serves all calls until it fails; the next call then starts another one. It is given the
/// graph alone, by shared memory, and gives back distances and milliseconds.
Kernel loadSubmission(const std::string& path, const Device& device,
                      const SubmissionLimits& limits = {});

/// The kernel that a word after --kernel names: findKernel()'s or loadSubmission()'s.
Kernel chooseKernel(const std::string& word, const Device& device,
                    const SubmissionLimits& limits = {});
