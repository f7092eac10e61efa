// A thread that does the library's work, because Python's own must stay free to see Ctrl-C.
//
// Python runs its signal handlers in the main thread, and only while that thread executes Python.
// So the work is given to another thread. The caller waits for it without the GIL, and a few tens
// of times a second takes the GIL and looks for signals. The same thread does all the work of a
// process, because OpenMP keeps a team of threads for each thread that ever used it.
//
// A child of fork() has the memory of its parent, but none of its threads. There a new thread is
// started. It never meets the team of threads that OpenMP remembers of the parent's thread, and
// that no longer exists: waiting for that one would never end.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

/// Waits without the GIL until `work` is done on another thread. look: called again and again with
/// the GIL held. Neither may throw.
class Worker {
 public:
  static constexpr std::chrono::milliseconds kBetweenLooks{20};

  template <class Look>
  static void run(const std::function<void()>& work, const Look& look) {
    Worker& worker = ofThisProcess();
    if (!worker.taken_.exchange(true)) {
      worker.offer(work);
      worker.await(look);
      worker.taken_ = false;
    } else {  // another Python thread solves, too, or a progress function
      Worker another;
      std::thread thread(&Worker::doOne, &another);
      another.offer(work);
      another.await(look);
      thread.join();
    }
  }

 private:
  /// Never destroyed: its thread lives as long as the process does.
  static Worker& ofThisProcess() {
    static Worker* worker = nullptr;
    static pid_t process = 0;
    if (process != getpid()) {  // the GIL is held: nobody else is here
      worker = new Worker;
      std::thread([worker = worker] {
        for (;;) worker->doOne();
      }).detach();
      process = getpid();
    }
    return *worker;
  }

  void doOne() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return work_ != nullptr; });
    lock.unlock();
    (*work_)();
    lock.lock();
    work_ = nullptr;
    changed_.notify_all();
  }

  void offer(const std::function<void()>& work) {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    changed_.notify_all();
  }

  /// With the GIL held.
  template <class Look>
  void await(const Look& look) {
    for (bool done = false; !done;) {
      {
        const nanobind::gil_scoped_release others;
        std::unique_lock lock(mutex_);
        done = changed_.wait_for(lock, kBetweenLooks, [this] { return work_ == nullptr; });
      }
      if (!done) look();
    }
  }

  std::atomic<bool> taken_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;  // null: none, or done
};
