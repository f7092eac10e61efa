#include "base/threads.h"

#include <fmt/format.h>
#include <malloc.h>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/size.h"
#include "base/thread_team.h"

namespace engine {

namespace {

void* waitFor(void* end) {
  const std::lock_guard<std::mutex> ended(*static_cast<std::mutex*>(end));
  return nullptr;
}

/// How many of `most` threads can run at once. They allocate nothing, as threads of std::thread do:
/// malloc() would reserve 64 MiB of addresses for each, and keep them.
int startable(int most) {
  std::mutex end;
  std::vector<pthread_t> threads(asSize(most));
  std::size_t started = 0;
  end.lock();
  while (started < threads.size() && pthread_create(&threads[started], nullptr, waitFor, &end) == 0)
    ++started;
  end.unlock();
  for (std::size_t i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
  return static_cast<int>(started);
}

}  // namespace

void startThreads(int wanted) {
  const int most = wanted > 0 ? wanted : omp_get_max_threads();
  // OpenMP and the team (thread_team.h) each need as many beside this thread.
  const int can = 1 + startable(2 * (most - 1)) / 2;
  if (can < most && wanted > 0)
    throw Error(ErrorCode::kMemory,
                fmt::format("{} threads: only {} can be started here: ask for fewer", wanted, can));
  if (can < most) mallopt(M_ARENA_MAX, 1);  // addresses may be what is short: see startable()
  omp_set_num_threads(can < most ? std::max(1, can / 2) : most);
  startTeam(omp_get_max_threads());
#pragma omp parallel  // starts the threads, which OpenMP keeps
  {
#pragma omp barrier
  }
}

void shareCores(int processes) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return;
  const int all = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  omp_set_num_threads(std::max(1, std::min(omp_get_num_procs(), all / processes)));
}

}  // namespace engine
