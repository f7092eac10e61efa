// The worker: the process in which a submission runs, so that its mistakes cannot end the
// benchmark.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.h"

using namespace engine;

/// What a worker runs for each graph that it gets.
struct WorkerTask {
  enum Kind {
    kLibrary,  ///< a submission; name: the path of its library
    kSolver,   ///< a solver of this program; name: as in the table of solvers
  } kind;
  std::string name;
  bool sandboxed = false;  ///< with kLibrary only, see sandbox.h
  /// The byte, but 255, that fills what a library has not set: new memory of the heap if it is
  /// sandboxed, the stacks (fill_stacks.h), and memory of the GPU if build() made it fill that.
  /// nullopt: it is left as it is.
  std::optional<unsigned char> fill = std::nullopt;
};

/// The first argument of a worker. If main() finds it, it does nothing but call runWorker().
inline constexpr char kWorkerArgument[] = "--submission-worker";

/// The command that starts a worker. socket: its end, which must stay open.
std::vector<std::string> workerCommand(const WorkerTask& task, DeviceKind device, int socket);

/// Does the task for each graph of the parent until the socket is closed (protocol.h). argv is
/// workerCommand(). Returns an exit code if the arguments are too few or too many; otherwise it
/// ends the process.
int runWorker(int argc, char** argv);
