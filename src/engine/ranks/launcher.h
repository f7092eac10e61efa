// What a launcher of parallel programs tells the processes that it starts.
#pragma once

#include <string>

namespace engine {

/// How many processes were started together by mpirun or srun, as far as their environment tells; 0
/// without either. One task of srun counts as none, because a series of measurements has many.
/// srun counts only with a plugin for MPI (--mpi=pmix or pmi2): without one, a step with several
/// tasks is as many programs that know nothing of each other.
int launchedProcesses();

}  // namespace engine
