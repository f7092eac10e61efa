#include "ranks/threads_of_processes.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/size.h"
#include "ranks/threads.h"

namespace engine {

namespace {

/// Where a rank is.
struct Place {
  int process, thread, host;
};

/// A group of ranks. A broadcast goes from its root to one rank in each other process that has
/// some, the speaker, and from there to the others of the process. There are few processes, one a
/// machine as a rule, so the root sends to each of them.
class MixedRanks : public Ranks {
 public:
  /// All ranks. `within`: those of this process.
  MixedRanks(Processes& processes, std::unique_ptr<Ranks> within)
      : MixedRanks(processes, within->size(), std::make_shared<int>(0)) {
    within_ = std::move(within);
    const std::vector<int>& hosts = processes.hosts();
    for (int process = 0; process < static_cast<int>(hosts.size()); ++process)
      for (int thread = 0; thread < threads_; ++thread)
        places_.push_back({process, thread, hosts[asSize(process)]});
    rank_ = processes.process() * threads_ + within_->rank();
    findSpeakers();
  }

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(places_.size()); }
  int onThisHost() const override { return onHost(size()); }
  int rankOnHost() const override { return onHost(rank_); }
  int inThisProcess() const override { return within_->size(); }

  std::unique_ptr<Transfer> startBroadcast(void* data, std::size_t bytes, int root) override {
    const int speaker = rank_ - within_->rank();
    const bool fromHere = at(root).process == at(rank_).process;
    std::vector<std::unique_ptr<Transfer>> messages;
    for (const int other : speakers_) {
      if (rank_ == root && other != speaker) messages.push_back(startSend(data, bytes, other));
      if (rank_ == other && !fromHere) messages.push_back(startReceive(data, bytes, root));
    }
    return std::make_unique<Broadcast>(std::move(messages), *within_, data, bytes,
                                       fromHere ? root - speaker : 0);
  }

  void send(const void* data, std::size_t bytes, int to) override {
    if (isHere(to)) return within_->send(data, bytes, placeWithin(to));
    startSend(data, bytes, to)->wait();
  }

  void receive(void* data, std::size_t bytes, int from) override {
    if (isHere(from)) return within_->receive(data, bytes, placeWithin(from));
    startReceive(data, bytes, from)->wait();
  }

  void barrier() override {
    within_->barrier();
    char mark = 0;
    for (const int other : speakers_) {
      if (rank_ == 0 && other != 0) receive(&mark, 1, other);
      if (rank_ == other && other != 0) send(&mark, 1, 0);
    }
    broadcast(&mark, 1, 0);
  }

  std::unique_ptr<Ranks> split(int colour) override {
    std::unique_ptr<MixedRanks> part(new MixedRanks(processes_, threads_, groups_));
    part->within_ = within_->split(colour);
    for (int rank = 0; rank < size(); ++rank) {
      Member theirs{colour, *groups_};
      broadcast(&theirs, sizeof theirs, rank);
      part->number_ = std::max(part->number_, theirs.groups);
      if (theirs.colour != colour) continue;
      if (rank == rank_) part->rank_ = part->size();
      part->places_.push_back(at(rank));
    }
    *groups_ = ++part->number_;
    part->findSpeakers();
    return part;
  }

  [[noreturn]] void abandon(const std::string& why, ErrorCode code) override {
    processes_.abandon(rank_, why, code);
    std::abort();  // for compilers that take a virtual function for one that returns
  }

 private:
  /// What a rank tells the others of a group that is split.
  struct Member {
    int colour, groups;
  };

  /// First between processes, then within each.
  class Broadcast : public Transfer {
   public:
    Broadcast(std::vector<std::unique_ptr<Transfer>> messages, Ranks& within, void* data,
              std::size_t bytes, int root)
        : messages_(std::move(messages)),
          within_(within),
          data_(data),
          bytes_(bytes),
          root_(root) {}
    void wait() override {
      for (const auto& message : messages_) message->wait();
      within_.broadcast(data_, bytes_, root_);
    }

   private:
    std::vector<std::unique_ptr<Transfer>> messages_;
    Ranks& within_;
    void* data_;
    std::size_t bytes_;
    int root_;
  };

  /// A group of nobody yet.
  MixedRanks(Processes& processes, int threads, std::shared_ptr<int> groups)
      : processes_(processes), threads_(threads), groups_(std::move(groups)) {}

  void findSpeakers() {
    for (int rank = 0; rank < size(); ++rank)
      if (rank == 0 || at(rank).process != at(rank - 1).process) speakers_.push_back(rank);
  }

  const Place& at(int rank) const { return places_[asSize(rank)]; }
  bool isHere(int rank) const { return at(rank).process == at(rank_).process; }
  int placeWithin(int rank) const { return rank - rank_ + within_->rank(); }
  /// How many of the first ranks are on this one's machine.
  int onHost(int ranks) const {
    return static_cast<int>(
        std::count_if(places_.begin(), places_.begin() + ranks,
                      [&](const Place& place) { return place.host == at(rank_).host; }));
  }

  std::unique_ptr<Transfer> startSend(const void* data, std::size_t bytes, int to) {
    return processes_.startSend(data, bytes, at(to).process, tag(rank_, to));
  }
  std::unique_ptr<Transfer> startReceive(void* data, std::size_t bytes, int from) {
    return processes_.startReceive(data, bytes, at(from).process, tag(from, rank_));
  }
  /// Of the messages from one thread to another in this group. There are at least 32767 tags, and
  /// at most 64 threads. Group 0, of all ranks, lives as long as they do and keeps its tags. Those
  /// of another group may be those of an earlier one, which is gone by then.
  int tag(int from, int to) const {
    const int others = processes_.tags() / (threads_ * threads_) - 1;
    const int group = number_ == 0 ? 0 : 1 + (number_ - 1) % others;
    return (group * threads_ + at(from).thread) * threads_ + at(to).thread;
  }

  Processes& processes_;
  const int threads_;  // of each process, also if they are not all in this group
  std::unique_ptr<Ranks> within_;
  std::vector<Place> places_;  // of each rank, in the order of the processes
  std::vector<int> speakers_;  // the first rank in each process
  int rank_ = 0;
  int number_ = 0;                     // of this group: no other group of one of these ranks has it
  const std::shared_ptr<int> groups_;  // the greatest number of a group of this thread
};

}  // namespace

void runOnThreadsOf(Processes& processes, int threads, const std::function<void(Ranks&)>& body) {
  runOnThreads(threads, [&](Ranks& within) noexcept {
    MixedRanks ranks(processes, within.split(0));
    body(ranks);
  });
}

}  // namespace engine
