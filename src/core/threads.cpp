#include "core/threads.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/thread_team.h"

namespace {

/// How many of `most` threads can run at once.
int startable(int most) {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  std::vector<std::thread> threads;
  try {
    while (static_cast<int>(threads.size()) < most) threads.emplace_back([ended] { ended.wait(); });
  } catch (const std::system_error&) {
  }
  end.set_value();
  for (std::thread& thread : threads) thread.join();
  return static_cast<int>(threads.size());
}

}  // namespace

void startThreads(int wanted) {
  const int most = wanted > 0 ? wanted : omp_get_max_threads();
  // OpenMP and the team (thread_team.h) each need as many beside this thread.
  const int can = 1 + startable(2 * (most - 1)) / 2;
  if (can < most && wanted > 0)
    throw Error(
        Exit::kMemory,
        fmt::format("--threads {}: only {} can be started here: ask for fewer", wanted, can));
  omp_set_num_threads(can < most ? std::max(1, can / 2) : most);
#pragma omp parallel  // starts the threads, which OpenMP keeps
  {
#pragma omp barrier
  } startTeam(omp_get_max_threads());
}
