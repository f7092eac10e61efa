// Ranks that are processes, started by mpirun or srun and connected by MPI.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ranks/ranks.h"
#include "ranks/threads_of_processes.h"

namespace engine {

/// To be called once at the beginning of main(). If a launcher started this process, joins those
/// that were started with it, until leaveRanks(). Throws Error(kUsage) if this program cannot,
/// because it was built without MPI. say: not empty; gets one line before the job ends because of
/// an error.
void joinRanks(int* argc, char*** argv, std::function<void(const std::string& line)> say);

/// The processes that were started together; nullptr without a launcher.
Ranks* allRanks();

/// Collective over these processes: connects their threads, of which so many are ranks in each.
/// nullptr if the MPI library lets only one thread of a process send messages.
std::unique_ptr<Processes> connectThreads(int threads);

/// Ends what joinRanks() began. All processes must call it.
void leaveRanks();

}  // namespace engine
