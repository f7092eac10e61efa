// A build without MPI: every process is alone.
#include <fmt/format.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "ranks/launcher.h"
#include "ranks/mpi.h"

namespace engine {

void joinRanks(int*, char***, std::function<void(const std::string&)>) {
  if (launchedProcesses() > 1)
    throw Error(ErrorCode::kUsage,
                fmt::format("{} processes were started together, but this program was built "
                            "without MPI: install it and run make, or start one",
                            launchedProcesses()));
}

Ranks* allRanks() {
  return nullptr;
}

std::unique_ptr<Processes> connectThreads(int) {
  return nullptr;
}

void leaveRanks() {}

}  // namespace engine
