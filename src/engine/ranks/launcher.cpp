#include "ranks/launcher.h"

#include <algorithm>
#include <cstdlib>

namespace engine {

int launchedProcesses() {
  // Open MPI's mpirun; MPICH's, and srun --mpi=pmi2.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* size = std::getenv(name)) return std::max(1, std::atoi(size));
  }
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  const bool several = std::getenv("PMIX_RANK") != nullptr && tasks != nullptr;
  return several && std::atoi(tasks) > 1 ? std::atoi(tasks) : 0;
}

}  // namespace engine
