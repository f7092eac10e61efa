// Ranks that are processes, started by mpirun or srun and connected by MPI.
#pragma once

#include "ranks/ranks.h"

/// To be called once at the beginning of main(). If a launcher started this process, joins those
/// that were started with it, until leaveRanks(). Throws Error(kUsage) if this program cannot,
/// because it was built without MPI.
void joinRanks(int* argc, char*** argv);

/// The processes that were started together; nullptr without a launcher.
Ranks* allRanks();

/// Ends what joinRanks() began. All processes must call it.
void leaveRanks();
