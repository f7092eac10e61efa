// A submission: a solver in a file of its own, as a student hands it in. It is compiled if it is
// source, and runs in a worker, a process of its own, so that its mistakes cannot end this program.
#pragma once

#include <string>
#include <utility>

#include "core/error.h"
#include "solvers/solver.h"

/// A call of a submission did not return, or did what no solver may do. what() is one line: the
/// file, the call and what happened.
struct SubmissionFault : Error {
  enum Kind { kCrash, kCudaError, kHang, kExit, kLeak, kOutOfBounds, kNoMemory, kSlow } kind;
  std::string printed;  ///< output of the submission in that call
  SubmissionFault(Kind what, const std::string& message, std::string output = "")
      : Error(Exit::kMismatch, message), kind(what), printed(std::move(output)) {}
};

/// One or two words for a table: "crashed".
const char* nameOf(SubmissionFault::Kind kind);

struct SubmissionLimits {
  double compileSeconds = 120;
  double callSeconds = 60;                                  ///< of one call, copies not counted
  double checkSeconds() const { return 20 * callSeconds; }  ///< of all calls of one check
};

/// Whether a word after --kernel names a file and not a row of the kernel table: files have a dot
/// or a slash in their names.
bool isSubmission(const std::string& word);

/// A kernel that calls the function void apsp(int n, int* graph) of a `.cu` or `.so` file. graph is
/// device memory on the GPU and host memory on the CPU. Source is compiled for the present GPU,
/// once for the same content. The kernel's name is the path as it was given.
///
/// One worker solves all graphs until a call fails; the next call then starts another worker. A
/// worker gets the graph in shared memory and nothing else.
///
/// Throws Error(kInput) if the file cannot be read, compiled (BuildError) or loaded, Error(kGpu) if
/// there is no nvcc, Error(kUsage) if the device takes no such file. A call throws SubmissionFault.
/// If it leaves a launch error behind, that is its Call::warning: the distances may be right, for
/// example if an empty grid was launched.
Kernel loadSubmission(const std::string& path, const Device& device,
                      const SubmissionLimits& limits = {});

/// The kernel that a word after --kernel names: loadSubmission() if isSubmission(), otherwise
/// findKernel().
Kernel chooseKernel(const std::string& word, const Device& device,
                    const SubmissionLimits& limits = {});
