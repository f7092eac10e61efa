// The number of CPU threads.
#pragma once

namespace engine {

/// Sets OpenMP's number of threads to `wanted`, or leaves OpenMP's choice if it is 0, and starts
/// the threads of OpenMP and of thread_team.h. They are started now because OpenMP ends the program
/// if it cannot start a thread (ulimit -u, ulimit -v, a cgroup). If not all of OpenMP's choice can
/// be started, half of those that can be are used, because the graph needs memory, too. Throws
/// Error(kMemory) if fewer than `wanted` can be started.
void startThreads(int wanted);

/// Divides this machine's cores among so many processes that compute at the same time, unless
/// OMP_NUM_THREADS says how many threads this one is to have.
void shareCores(int processes);

}  // namespace engine
