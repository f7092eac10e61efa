#include "several/rank_team.h"

#include <utility>

#include "base/cancel.h"
#include "ranks/threads.h"
#include "several/crew.h"

namespace engine {

namespace {

/// Makes the source of another rank of this process: the image is where it is.
std::shared_ptr<const GraphSource> sourceAt(const SourceImage& image) {
  return {addressIn(image), [](const GraphSource*) {}};
}

}  // namespace

RankTeam::RankTeam(int ranks, std::shared_ptr<const std::atomic<bool>> cancel)
    : cancel_(std::move(cancel)) {
  thread_ = std::thread([this, ranks] {
    try {
      runOnThreads(ranks, [this](Ranks& all) {
        const CancelScope scope(*cancel_);
        runCrew(
            all, [this](Crew& crew) { lead(crew); }, sourceAt);
      });
    } catch (...) {
      end(std::current_exception());
    }
  });
}

RankTeam::~RankTeam() {
  {
    const std::lock_guard lock(mutex_);
    leaves_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RankTeam::run(const std::function<void(Crew&)>& work) {
  std::unique_lock lock(mutex_);
  if (ended_ == nullptr) work_ = &work;
  changed_.notify_all();
  changed_.wait(lock, [&] { return work_ == nullptr; });
  if (ended_ != nullptr) std::rethrow_exception(ended_);
}

/// What ends the team is what was thrown first.
void RankTeam::end(const std::exception_ptr& why) {
  const std::lock_guard lock(mutex_);
  if (ended_ == nullptr) ended_ = why;
  work_ = nullptr;
  changed_.notify_all();
}

/// Does the owner's work. If the work throws, other ranks may wait for this one, so all give up.
/// The crew stays, because a run of the owner may still use it.
void RankTeam::work(Crew& crew) {
  std::exception_ptr thrown;
  try {
    return (*work_)(crew);
  } catch (const Abandoned& other) {
    thrown = other.why;
  } catch (...) {
    thrown = std::current_exception();
  }
  try {
    crew.ranks().abandon("the work was given up", ErrorCode::kMismatch);
  } catch (const std::exception&) {  // it says so to this rank, too
  }
  end(thrown);
}

/// On the thread of rank 0: does what is to be done until the owner is gone.
void RankTeam::lead(Crew& crew) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return leaves_ || work_ != nullptr; });
    if (work_ == nullptr) return;
    lock.unlock();
    work(crew);
    lock.lock();
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace engine
