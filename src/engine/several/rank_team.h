// Ranks that are threads of this process. They live as long as their owner. The thread of rank 0
// alone may give orders to the others, so the owner lets that thread do its work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace engine {

class Crew;  // several/crew.h

class RankTeam {
 public:
  /// cancel: says whether the work of all ranks is cancelled.
  RankTeam(int ranks, std::shared_ptr<const std::atomic<bool>> cancel);
  ~RankTeam();
  RankTeam(const RankTeam&) = delete;
  RankTeam& operator=(const RankTeam&) = delete;

  /// Does the work on the thread of rank 0, with all ranks as its crew, and throws what it throws.
  /// An exception ends the team, because other ranks may wait for this one; the next call throws it
  /// again. One caller at a time.
  void run(const std::function<void(Crew&)>& work);

 private:
  void lead(Crew& crew);
  void work(Crew& crew);
  void end(const std::exception_ptr& why);

  const std::shared_ptr<const std::atomic<bool>> cancel_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  const std::function<void(Crew&)>* work_ = nullptr;  // null: nothing is to be done
  bool leaves_ = false;
  std::exception_ptr ended_;  // what ended the team
  std::thread thread_;        // starts the others, and is rank 0
};

}  // namespace engine
