// How many threads there are to solve with.
#pragma once

/// Starts `wanted` threads for OpenMP, 0: as many as it would take by itself. Where fewer may be
/// started (ulimit -u, ulimit -v, a cgroup) it would end the program later on: then half of what
/// can be is taken, as the graph wants memory, too. Throws Error(kMemory) where they were asked for
/// by number.
void startThreads(int wanted);
