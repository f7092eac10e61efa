// A process and all that it started, as /proc shows them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

/// What a file below /proc or /sys holds; "" if it cannot be read, as after the end of a process.
std::string kernelText(const std::string& path);

/// The children of all threads of a process.
std::vector<pid_t> childrenOf(pid_t pid);

/// What a process and its descendants use.
struct Usage {
  std::size_t bytes = 0;  ///< host memory: resident, swapped out, shared, and page tables
  int threads = 0;
};
Usage usageOf(pid_t pid);

/// The CPU time that a process and its descendants have used, in seconds.
double cpuSecondsOf(pid_t pid);

/// For how many seconds the thread of them that waited longest for a core has waited so far. 0
/// where the kernel does not count that.
double delayedSecondsOf(pid_t pid);

/// The state of each of their threads, a letter as /proc shows it.
std::string statesOf(pid_t pid);

/// Whether none of their threads can run before a signal continues it.
bool areStopped(pid_t pid);
