// A team of threads whose work does not stop when the system takes one of them off its core.
//
// An OpenMP loop ends in a barrier, and a barrier waits for every thread. If other processes use
// the cores, some thread of the team is usually waiting for its next time slice, which takes
// milliseconds. All others then wait for it, although it has nothing left to do, and they spin on
// the core that it needs. A solve of 0.4 ms with a dozen barriers took 90 ms.
//
// Here a phase waits for its tasks, not for the threads. The threads take tasks from a counter. A
// thread that finds no more tasks reports how many it completed. Whoever reports the last of them
// opens the next phase. Therefore a thread without a core delays the others only if it has taken a
// task of the current phase, and the calling thread alone would also complete all phases.
//
// Waiting. A thread that finds no task spins for kSpin and then sleeps until the next phase opens.
// Between two phases it waits for less than one task, some microseconds, and falling asleep and
// waking up would take longer than that. If it has waited for kSpin, the thread that it waits for
// has probably lost its core, and may need this one.
//
// Teams. Calls from several threads, such as ranks of one process, each lease a team. A call that
// is alone takes as many threads as it asks for. Beside others it takes no more than the cores
// have left, because more would only wait for each other.
//
// Memory. Job::next_ holds the number of the phase and its next task in one word, so that a thread
// takes a task and learns its phase in one addition. The chain from a write in one phase to a read
// in the next: the writer's addition to finished_ (release), the last addition to finished_
// (acquire), the store to next_ (release), the reader's addition to next_ (acquire).
#include "base/thread_team.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/cancel.h"

namespace engine {

namespace {

constexpr auto kSpin = std::chrono::microseconds(100);

/// Tells the core that this thread spins.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Threads wait here until a condition holds that another thread makes true.
class Signal {
 public:
  template <class Condition>
  void await(Condition holds) {
    constexpr int kPauses = 16;  // per look at the clock
    const auto end = std::chrono::steady_clock::now() + kSpin;
    do {
      for (int i = 0; i < kPauses; ++i, pause()) {
        if (holds()) return;
      }
    } while (std::chrono::steady_clock::now() < end);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, holds);
  }

  /// Makes a change that the conditions of others depend on, and wakes these threads.
  template <class Change>
  void change(Change make) {
    {
      const std::lock_guard lock(mutex_);
      make();
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// The number that threadOfPhase() tells in a body.
constexpr int kOutside = -1;  // of every body
thread_local int numberInBody = kOutside;

/// One call of runPhases(). A thread may come so late that the call has returned: it holds the job
/// in memory, finds no task, and does not touch a body.
class Job {
 public:
  /// stop: as cancelFlag().
  Job(std::vector<Phase> phases, int threads, const std::atomic<bool>* stop)
      : phases_(std::move(phases)), threads_(threads), stop_(stop) {}

  int threads() const { return threads_; }

  /// Takes tasks until all phases are complete, as thread `number` of the call.
  void work(int number) {
    const int before = std::exchange(numberInBody, number);
    takeAll();
    numberInBody = before;
  }

 private:
  static constexpr std::uint64_t kPhase = std::uint64_t{1} << 32;  // one phase, in next_

  static std::size_t phaseOf(std::uint64_t next) { return next / kPhase; }

  void takeAll() {
    for (int completed = 0;;) {  // tasks of this phase, by this thread
      const std::uint64_t taken = next_.fetch_add(1, std::memory_order_acquire);
      const std::size_t number = phaseOf(taken);
      if (number == phases_.size()) return;
      const Phase& phase = phases_[number];
      const std::uint64_t task = taken % kPhase;
      if (task < static_cast<std::uint64_t>(phase.tasks)) {
        if (!isSet(stop_)) phase.body(static_cast<int>(task));
        ++completed;
        continue;
      }
      if (completed > 0 &&
          finished_.fetch_add(completed, std::memory_order_acq_rel) + completed == phase.tasks) {
        open(number + 1);
      } else {
        opened_.await([&] { return phaseOf(next_.load(std::memory_order_acquire)) != number; });
      }
      completed = 0;
    }
  }

  void open(std::size_t number) {
    finished_.store(0, std::memory_order_relaxed);
    opened_.change([&] { next_.store(number * kPhase, std::memory_order_release); });
  }

  const std::vector<Phase> phases_;  // none of them empty
  const int threads_;
  const std::atomic<bool>* const stop_;             // where it is set, tasks are left out
  alignas(64) std::atomic<std::uint64_t> next_{0};  // kPhase · phase + the next task to take
  alignas(64) std::atomic<int> finished_{0};        // tasks of the current phase
  Signal opened_;
};

/// Threads that wait for the jobs of one call at a time. Never destroyed, because they live as long
/// as the process does.
class Team {
 public:
  /// Threads beside the caller's.
  int started() const { return started_; }

  /// Starts what is missing of `threads` - 1 threads.
  void start(int threads) {
    try {
      for (; started_ < threads - 1; ++started_) {
        std::thread(&Team::help, this, started_ + 1).detach();
      }
    } catch (const std::exception&) {
      // The threads that there are do the work.
    }
  }

  /// Offers the job to the threads.
  void offer(const std::shared_ptr<Job>& job) {
    {
      const std::lock_guard lock(mutex_);
      job_ = job;
    }
    offered_.change([&] { jobs_.fetch_add(1, std::memory_order_release); });
  }

 private:
  /// What thread `number`, from 1, does.
  [[noreturn]] void help(int number) {
    for (std::uint64_t seen = 0;;) {
      offered_.await([&] { return jobs_.load(std::memory_order_acquire) != seen; });
      seen = jobs_.load(std::memory_order_acquire);
      std::shared_ptr<Job> job;
      {
        const std::lock_guard lock(mutex_);
        job = job_;
      }
      if (number < job->threads()) job->work(number);
    }
  }

  int started_ = 0;  // threads
  std::mutex mutex_;
  std::shared_ptr<Job> job_;            // the latest; under the mutex
  std::atomic<std::uint64_t> jobs_{0};  // how many were offered
  Signal offered_;
};

/// The teams of this process, and which of them a call has.
class Teams {
 public:
  /// What a call has. threads: with the caller's; where that is the only one, there is no team.
  struct Share {
    int threads = 1;
    Team* team = nullptr;
  };

  /// Takes `wanted` threads or as many as the cores have left, of a team that no other call has:
  /// the smallest one that has so many, or else the largest.
  Share take(int wanted) {
    if (wanted <= 1) return {};
    const std::lock_guard lock(mutex_);
    const int threads = std::min(wanted, std::max(cores_, wanted) - working_);
    if (threads <= 1) return {};
    if (free_.empty()) {
      free_.reserve(++made_);  // giveBack() takes no memory
      free_.push_back(new Team);
    }
    const auto order = [&](const Team* one) {
      const bool enough = one->started() >= threads - 1;
      return std::pair(!enough, enough ? one->started() : -one->started());
    };
    const auto best =
        std::min_element(free_.begin(), free_.end(),
                         [&](const Team* a, const Team* b) { return order(a) < order(b); });
    Team* const team = *best;
    free_.erase(best);
    working_ += threads;
    return {threads, team};
  }

  void giveBack(const Share& share) {
    const std::lock_guard lock(mutex_);
    working_ -= share.threads;
    free_.push_back(share.team);
  }

 private:
  const int cores_ = omp_get_num_procs();
  std::mutex mutex_;
  int working_ = 0;       // threads of the calls that have a team
  std::size_t made_ = 0;  // teams
  std::vector<Team*> free_;
};

Teams& teams() {
  // A child of fork() has no threads of its parent's teams, so it begins with none.
  static Teams* all = nullptr;
  static const int watched =
      (all = new Teams, pthread_atfork(nullptr, nullptr, [] { all = new Teams; }));
  static_cast<void>(watched);
  return *all;
}

/// A team for a call.
class Lease {
 public:
  explicit Lease(int wanted) : from_(teams()), share_(from_.take(wanted)) {
    if (share_.team != nullptr) share_.team->start(share_.threads);
  }
  ~Lease() {
    if (share_.team != nullptr) from_.giveBack(share_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  int threads() const { return share_.threads; }
  void offer(const std::shared_ptr<Job>& job) const {
    if (share_.team != nullptr) share_.team->offer(job);
  }

 private:
  Teams& from_;
  const Teams::Share share_;
};

}  // namespace

void inParts(int count, int part, const std::function<void(int begin, int end)>& body) {
  const int tasks = (count + part - 1) / part;
  if (tasks <= 1) return body(0, count);
  runPhases({{tasks, [&](int task) { body(task * part, std::min(count, (task + 1) * part)); }}},
            omp_get_max_threads());
}

int rowsInPart(int columns) {
  constexpr int kElements = 1 << 16;
  return 1 + kElements / std::max(columns, 1);
}

int threadOfPhase() {
  return numberInBody;
}

void startTeam(int threads) {
  const Lease team(threads);
}

void runPhases(std::vector<Phase> phases, int threads) {
  // A call from inside a body is completed: whoever made it uses what it wrote.
  const bool inside = numberInBody != kOutside;
  const std::atomic<bool>* const stop = inside ? nullptr : cancelFlag();
  phases.erase(std::remove_if(phases.begin(), phases.end(),
                              [](const Phase& phase) { return phase.tasks <= 0; }),
               phases.end());
  {
    const Lease team(inside ? 1 : threads);
    const auto job = std::make_shared<Job>(std::move(phases), team.threads(), stop);
    team.offer(job);
    job->work(0);
  }
  if (stop != nullptr) throwIfCancelled();
}

}  // namespace engine
