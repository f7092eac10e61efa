// A submission: a solver in a file of its own, as a student hands it in. It is compiled if it is
// source, and runs in a worker, a process of its own, so that its mistakes cannot end this program.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ladder/kernels.h"
#include "measure/submitted.h"
#include "solver/solver.h"
#include "submission/compile.h"

struct SubmissionLimits {
  double compileSeconds = 120;
  double callSeconds = 60;                                  ///< of one call
  double checkSeconds() const { return 20 * callSeconds; }  ///< of all calls of one check
  /// Times are without the cost of the exchange with the worker (calibration.h). Without it a check
  /// takes less time.
  bool subtractsCost = true;
  bool sandboxed = true;     ///< false: it runs with all rights of the user (sandbox.h)
  bool alone = true;         ///< no other submission is called on the device meanwhile
  int threadsOnOneCore = 1;  ///< of its OpenMP, if this program has one thread
  /// The byte that fills what it has not set: see WorkerTask. A library of a GPU fills memory there
  /// if it was built with this.
  std::optional<unsigned char> fill = std::nullopt;
  std::string cxxFlags = kCxxFlags;  ///< options of the compilers of C++ and C, separated by blanks
  /// The options for a source, see build(), but for the GPU.
  std::vector<std::string> optionsFor(const std::string& source) const;
};

/// Whether nobody else uses the device, as far as is known: memory that is missing there after a
/// call may be the submission's. The driver decides if it tells who uses the device (under MPS it
/// does not), otherwise what the caller knows.
bool isAlone(const Clocks& clocks, const SubmissionLimits& limits);

/// Whether a word after --kernel names a file and not a row of the table of solvers: files have a
/// dot or a slash in their names.
bool isSubmission(const std::string& word);

/// Whether this program runs files as kernels: not if it was built without the course.
bool runsFiles();

/// A solver that calls the function void apsp(int n, int* graph) of a file: source (languages()) or
/// a library, .so. graph is device memory on the GPU and host memory on the CPU. Source is compiled
/// for the present GPU or CPU, once for the same content. The solver's name is the path as it was
/// given.
///
/// One worker solves all graphs until a call fails, another file is loaded or called, or memory is
/// missing that may be another process'. The next call then starts another worker. A worker gets
/// the graph in shared memory and nothing else. The time of a call is taken here, from before the
/// worker can see the graph until it cannot change the distances any more.
///
/// Throws Error(kInput) if the file cannot be read, compiled (BuildError) or loaded,
/// SolveFault(kNotLoaded) if its code fails while it is loaded, Error(kGpu) or Error(kMemory) if no
/// worker can be started, Error(kGpu) if there is no nvcc, Error(kUsage) if there is no other
/// compiler, if the device takes no such file, or if this machine has no sandbox and
/// limits.sandboxed is set. A call throws SolveFault. If it leaves a launch error behind, that is
/// its SubmittedCall::warning: the distances may be right, for example if an empty grid was
/// launched.
Solver loadSubmission(const std::string& path, const Device& device,
                      const SubmissionLimits& limits = {});

/// If the file is CUDA source, and there is an nvcc but no GPU: compiles it, and throws Error(kGpu)
/// if it compiles, BuildError if it does not. Else it does nothing.
void compileWithoutGpu(const std::string& path, const SubmissionLimits& limits);

/// The library of a submission: the file itself, or what its source is compiled to. Throws like
/// loadSubmission().
Library libraryOf(const std::string& path, const Device& device,
                  const SubmissionLimits& limits = {});

/// loadSubmission() of a file whose library is there already.
Solver loadSubmission(const std::string& path, Library library, const Device& device,
                      const SubmissionLimits& limits);

/// A solver of this program, whose calls a worker does: it is timed as a submission is.
Solver inWorker(const Solver& solver, const Device& device, const SubmissionLimits& limits = {});

/// A row for a file that cannot be loaded, because of `why`: what it prepares throws SolveFault.
Solver notLoaded(const std::string& path, DeviceKind device, const Error& why);

/// The solver that a word after --kernel names: loadSubmission() if isSubmission(), otherwise
/// findKernel().
Solver chooseSolver(const std::string& word, const Device& device,
                    const SubmissionLimits& limits = {});
