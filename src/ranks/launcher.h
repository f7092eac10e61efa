// What a launcher of parallel programs tells the processes that it starts.
#pragma once

#include <string>

/// How many processes were started together by mpirun or srun, as far as their environment tells.
/// srun counts only with a plugin for MPI (--mpi=pmix or pmi2): without one, a step with several
/// tasks is as many programs that know nothing of each other.
int launchedProcesses();
