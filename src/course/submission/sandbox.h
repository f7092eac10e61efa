// The sandbox: what a submission, and the compiler that builds it, may reach. It needs no root.
//
// A submission may read the system's libraries and use its device, and nothing else: no other file,
// no network, no other process. Landlock restricts the files, a filter the system calls. Where the
// kernel has no Landlock, bubblewrap shows it only the files that it may read. The compiler runs in
// bubblewrap, or under Landlock where bubblewrap is missing or not allowed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "submission/landlock.h"

/// What this machine can enforce.
struct Defences {
  int landlock;     ///< version, 0: none
  bool bubblewrap;  ///< it is installed, and this user may make namespaces
  bool calls;       ///< system calls can be filtered
};
/// Finds it out once.
const Defences& defences();

/// What confines a submission, see Submitted::sandbox.
std::string sandboxName(bool sandboxed);

/// Throws Error(kUsage), which names --unsandboxed, if this machine cannot confine a submission.
void requireSandbox(const std::string& submission);

// ---- the parent -------------------------------------------------------------------------------

/// Forbids other processes of this user to read or change this process's memory. Processes that
/// children of this one leave behind become children of this one, and end with Process::stop().
void guardParent();

/// What a worker is.
struct WorkerOptions {
  bool gpu;
  std::string library;
};

/// The command of a worker, argv, in its sandbox: the same where Landlock confines it, otherwise
/// with bubblewrap before it.
std::vector<std::string> confinedWorker(std::vector<std::string> argv,
                                        const WorkerOptions& options);

/// The few variables of the environment that a worker needs.
std::vector<std::string> workerEnvironment();

/// The status of waitpid() of a worker. Bubblewrap reports a signal as an exit code.
int workerStatus(int status);

/// The host memory that a worker may take while it solves a graph of n vertices, in bytes: two
/// matrices, and 2 GB and six more matrices, but not more than half of the machine.
std::size_t workerMemory(int n);

/// A worker may start so many threads.
int workerThreads();

// ---- the worker -------------------------------------------------------------------------------

/// Drops all rights and limits files. Is called before CUDA starts threads: Landlock binds only the
/// calling thread and those that it starts, and a submission can make any thread of its process
/// open a file. Throws Error(kUsage) if the kernel refuses.
void confineFiles(const WorkerOptions& options);

/// Forbids all threads the system calls of system_calls.cpp. Is called after CUDA has started,
/// because that needs some of them. `tell` gets the listener of listenToCalls(), which is closed
/// when it returns, or −1 if there is none, as on a GPU; without `tell` nobody hears of denied
/// calls. Throws Error(kUsage) if the kernel refuses.
void confineCalls(const WorkerOptions& options, const std::function<void(int)>& tell = nullptr);

// ---- the compiler -----------------------------------------------------------------------------

/// What a compiler may reach beside /usr and the like.
struct CompilerOptions {
  std::string folder;           ///< it runs there, and may read it
  std::string output;           ///< the folder that it may write; `folder` may lie in it
  std::vector<PathRule> paths;  ///< toolchain
};

/// The path by which a compiler in its sandbox reaches its output folder. Bubblewrap shows it and
/// the folder in which it runs under names that do not tell where the user's files lie.
std::string compilersOutput(const std::string& output);

/// The command that starts a compiler in its sandbox. Throws Error(kUsage), which names
/// --unsandboxed, if this machine has none.
std::vector<std::string> compilerCommand(const std::vector<std::string>& argv,
                                         const CompilerOptions& options);

/// The few variables of the environment that a compiler needs. `output`: for temporary files, as
/// the compiler sees it.
std::vector<std::string> compilerEnvironment(const std::string& output);

/// The first argument of a compiler under Landlock. If main() finds it, it does nothing but call
/// runConfined().
inline constexpr char kConfinedArgument[] = "--confined";

/// Enters the sandbox and replaces this program by the compiler. argv is what compilerCommand()
/// made. Returns an exit code if that fails.
int runConfined(int argc, char** argv);
