#include "ranks/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"

namespace engine {

namespace {

/// What all threads of all groups share.
struct Common {
  std::mutex mutex;  // of everything here and in the groups
  std::condition_variable changed;
  std::exception_ptr first;  // what the first rank that gave up threw

  /// Wakes all ranks, whose calls then throw.
  void giveUp(std::exception_ptr why) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (first == nullptr) first = std::move(why);
    changed.notify_all();
  }

  /// Waits until done(). The lock is this->mutex's.
  template <class Done>
  void await(std::unique_lock<std::mutex>& lock, Done done) {
    changed.wait(lock, [&] { return first != nullptr || done(); });
    if (first != nullptr) throw Abandoned(first);
  }
};

/// The ranks of one group, as their threads see it together.
struct Group {
  explicit Group(int ranks) : size(ranks) {}
  int size;
  int arrived = 0;           // at the present barrier
  std::uint64_t passed = 0;  // barriers
  const void* source = nullptr;
  std::map<std::pair<int, int>, const void*> letters;  // (from, to): not received yet
  std::map<int, std::vector<int>> colours;             // of a split: colour → ranks
  std::map<int, std::shared_ptr<Group>> children;      // of a split, by colour
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(std::shared_ptr<Common> common, std::shared_ptr<Group> group, int rank)
      : common_(std::move(common)), group_(std::move(group)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return group_->size; }
  int onThisHost() const override { return group_->size; }
  int rankOnHost() const override { return rank_; }
  int inThisProcess() const override { return group_->size; }

  std::unique_ptr<Transfer> startBroadcast(void* data, std::size_t bytes, int root) override {
    return std::make_unique<Broadcast>(*this, data, bytes, root);
  }

  void send(const void* data, std::size_t, int to) override {
    std::unique_lock<std::mutex> lock(common_->mutex);
    const std::pair<int, int> way = {rank_, to};
    group_->letters[way] = data;
    common_->changed.notify_all();
    common_->await(lock, [&] { return group_->letters.count(way) == 0; });
  }

  void receive(void* data, std::size_t bytes, int from) override {
    std::unique_lock<std::mutex> lock(common_->mutex);
    const std::pair<int, int> way = {from, rank_};
    common_->await(lock, [&] { return group_->letters.count(way) != 0; });
    std::memcpy(data, group_->letters[way], bytes);
    group_->letters.erase(way);
    common_->changed.notify_all();
  }

  void barrier() override {
    std::unique_lock<std::mutex> lock(common_->mutex);
    barrier(lock);
  }

  std::unique_ptr<Ranks> split(int colour) override {
    std::unique_lock<std::mutex> lock(common_->mutex);
    group_->colours[colour].push_back(rank_);
    barrier(lock);
    std::vector<int> members = group_->colours[colour];
    std::sort(members.begin(), members.end());
    std::shared_ptr<Group>& child = group_->children[colour];
    if (child == nullptr) child = std::make_shared<Group>(static_cast<int>(members.size()));
    const auto at = std::find(members.begin(), members.end(), rank_) - members.begin();
    auto ranks = std::make_unique<ThreadRanks>(common_, child, static_cast<int>(at));
    barrier(lock);
    group_->colours.clear();
    group_->children.clear();
    barrier(lock);
    return ranks;
  }

  [[noreturn]] void abandon(const std::string& why, ErrorCode code) override {
    const Error error(code, size() == 1 ? why : fmt::format("rank {}: {}", rank_, why));
    common_->giveUp(std::make_exception_ptr(error));
    throw error;
  }

 private:
  /// The copy is made when it is waited for.
  class Broadcast : public Transfer {
   public:
    Broadcast(ThreadRanks& ranks, void* data, std::size_t bytes, int root)
        : ranks_(ranks), data_(data), bytes_(bytes), root_(root) {}
    void wait() override {
      Group& group = *ranks_.group_;
      std::unique_lock<std::mutex> lock(ranks_.common_->mutex);
      if (ranks_.rank_ == root_) group.source = data_;
      ranks_.barrier(lock);
      if (ranks_.rank_ != root_) {
        const void* const source = group.source;
        lock.unlock();
        if (bytes_ > 0) std::memcpy(data_, source, bytes_);  // of nothing, both may be null
        lock.lock();
      }
      ranks_.barrier(lock);
    }

   private:
    ThreadRanks& ranks_;
    void* data_;
    std::size_t bytes_;
    int root_;
  };

  void barrier(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t now = group_->passed;
    if (++group_->arrived == group_->size) {
      group_->arrived = 0;
      ++group_->passed;
      common_->changed.notify_all();
    }
    common_->await(lock, [&] { return group_->passed != now; });
  }

  std::shared_ptr<Common> common_;
  std::shared_ptr<Group> group_;
  int rank_;
};

}  // namespace

void runOnThreads(int count, const std::function<void(Ranks&)>& body) {
  const auto common = std::make_shared<Common>();
  const auto group = std::make_shared<Group>(count);
  const auto run = [&](int rank) {
    try {
      ThreadRanks ranks(common, group, rank);
      body(ranks);
    } catch (...) {
      common->giveUp(std::current_exception());
    }
  };
  std::vector<std::thread> threads;
  for (int rank = 1; rank < count; ++rank) threads.emplace_back(run, rank);
  run(0);
  for (std::thread& thread : threads) thread.join();
  if (common->first != nullptr) std::rethrow_exception(common->first);
}

std::unique_ptr<Ranks> onlyRank() {
  return std::make_unique<ThreadRanks>(std::make_shared<Common>(), std::make_shared<Group>(1), 0);
}

}  // namespace engine
