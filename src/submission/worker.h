// The worker: the process in which a submission runs, so that its mistakes cannot end the
// benchmark.
#pragma once

/// The first argument of a worker. If main() finds it, it does nothing but call runWorker().
inline constexpr char kWorkerArgument[] = "--submission-worker";

/// Loads a library and solves what the parent requests until the socket is closed (protocol.h).
/// argv: program, kWorkerArgument, library, "gpu" or "cpu", the descriptors of the socket and of
/// the shared memory, "sandboxed" or kUnsandboxed. Returns an exit code if the arguments are too
/// few or too many; otherwise it ends the process.
int runWorker(int argc, char** argv);
