// Ranks by MPI. no_mpi.cpp stands in for this file in a build without MPI.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/size.h"
#include "ranks/launcher.h"
#include "ranks/mpi.h"
#include "ranks/threads_of_processes.h"

namespace engine {

namespace {

/// MPI counts in ints.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// Waits for requests without taking the core from others: MPI's own wait spins, and there may be
/// more ranks than cores.
void await(std::vector<MPI_Request>& requests) {
  using namespace std::chrono;
  const auto begin = steady_clock::now();
  for (int done = 0;;) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    const auto waited = steady_clock::now() - begin;
    if (waited > milliseconds(1))
      std::this_thread::sleep_for(microseconds(100));
    else if (waited > microseconds(20))
      std::this_thread::yield();
  }
}

/// Calls start(address, count, request) for pieces of the data.
template <class Byte, class Start>
std::vector<MPI_Request> inPieces(Byte* data, std::size_t bytes, Start start) {
  std::vector<MPI_Request> requests;
  for (std::size_t at = 0; at < bytes; at += kMostBytes) {
    MPI_Request& request = requests.emplace_back();
    start(data + at, static_cast<int>(std::min(kMostBytes, bytes - at)), &request);
  }
  return requests;
}

class MpiTransfer : public Transfer {
 public:
  explicit MpiTransfer(std::vector<MPI_Request> requests) : requests_(std::move(requests)) {}
  void wait() override { await(requests_); }

 private:
  std::vector<MPI_Request> requests_;
};

std::unique_ptr<MpiTransfer> startSendTo(MPI_Comm group, const void* data, std::size_t bytes,
                                         int to, int tag) {
  return std::make_unique<MpiTransfer>(
      inPieces(static_cast<const char*>(data), bytes,
               [&](const char* piece, int count, MPI_Request* request) {
                 MPI_Isend(piece, count, MPI_BYTE, to, tag, group, request);
               }));
}

std::unique_ptr<MpiTransfer> startReceiveFrom(MPI_Comm group, void* data, std::size_t bytes,
                                              int from, int tag) {
  return std::make_unique<MpiTransfer>(
      inPieces(static_cast<char*>(data), bytes, [&](char* piece, int count, MPI_Request* request) {
        MPI_Irecv(piece, count, MPI_BYTE, from, tag, group, request);
      }));
}

/// Says a line before the job ends. joinRanks() was given it.
std::function<void(const std::string&)> say;

[[noreturn]] void abandonJob(int rank, const std::string& why, ErrorCode code) {
  say(fmt::format("rank {}: {}", rank, why));
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::abort();
}

class MpiRanks : public Ranks {
 public:
  explicit MpiRanks(MPI_Comm group) : group_(group) {
    MPI_Comm_rank(group_, &rank_);
    MPI_Comm_size(group_, &size_);
    MPI_Comm host;
    MPI_Comm_split_type(group_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &onThisHost_);
    MPI_Comm_rank(host, &rankOnHost_);
    MPI_Comm_free(&host);
  }
  ~MpiRanks() override {
    if (group_ != MPI_COMM_WORLD) MPI_Comm_free(&group_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int onThisHost() const override { return onThisHost_; }
  int rankOnHost() const override { return rankOnHost_; }
  int inThisProcess() const override { return 1; }

  std::unique_ptr<Transfer> startBroadcast(void* data, std::size_t bytes, int root) override {
    return std::make_unique<MpiTransfer>(inPieces(
        static_cast<char*>(data), bytes, [&](char* piece, int count, MPI_Request* request) {
          MPI_Ibcast(piece, count, MPI_BYTE, root, group_, request);
        }));
  }

  void send(const void* data, std::size_t bytes, int to) override {
    startSendTo(group_, data, bytes, to, 0)->wait();
  }

  void receive(void* data, std::size_t bytes, int from) override {
    startReceiveFrom(group_, data, bytes, from, 0)->wait();
  }

  void barrier() override {
    std::vector<MPI_Request> requests(1);
    MPI_Ibarrier(group_, requests.data());
    await(requests);
  }

  std::unique_ptr<Ranks> split(int colour) override {
    MPI_Comm part;
    MPI_Comm_split(group_, colour, rank_, &part);
    return std::make_unique<MpiRanks>(part);
  }

  [[noreturn]] void abandon(const std::string& why, ErrorCode code) override {
    abandonJob(rank_, why, code);
  }

 private:
  MPI_Comm group_;
  int rank_ = 0, size_ = 1, onThisHost_ = 1, rankOnHost_ = 0;
};

class MpiProcesses : public Processes {
 public:
  /// Collective.
  MpiProcesses() {
    MPI_Comm_dup(MPI_COMM_WORLD, &group_);
    int size = 1, found = 0;
    MPI_Comm_rank(group_, &process_);
    MPI_Comm_size(group_, &size);
    MPI_Comm host;
    MPI_Comm_split_type(group_, MPI_COMM_TYPE_SHARED, process_, MPI_INFO_NULL, &host);
    int first = process_;
    MPI_Bcast(&first, 1, MPI_INT, 0, host);
    MPI_Comm_free(&host);
    hosts_.resize(asSize(size));
    MPI_Allgather(&first, 1, MPI_INT, hosts_.data(), 1, MPI_INT, group_);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &greatestTag_, &found);
  }
  ~MpiProcesses() override { MPI_Comm_free(&group_); }
  MpiProcesses(const MpiProcesses&) = delete;
  MpiProcesses& operator=(const MpiProcesses&) = delete;

  int process() const override { return process_; }
  const std::vector<int>& hosts() const override { return hosts_; }
  int tags() const override { return *greatestTag_; }

  std::unique_ptr<Transfer> startSend(const void* data, std::size_t bytes, int to,
                                      int tag) override {
    return startSendTo(group_, data, bytes, to, tag);
  }
  std::unique_ptr<Transfer> startReceive(void* data, std::size_t bytes, int from,
                                         int tag) override {
    return startReceiveFrom(group_, data, bytes, from, tag);
  }
  [[noreturn]] void abandon(int rank, const std::string& why, ErrorCode code) override {
    abandonJob(rank, why, code);
  }

 private:
  MPI_Comm group_ = MPI_COMM_NULL;
  int process_ = 0;
  std::vector<int> hosts_;
  int* greatestTag_ = nullptr;
};

/// Notices that a process of the job died or stopped, which MPI itself may not: the others would
/// wait for ever. A thread of every process sends a beat to rank 0 twice a second, and rank 0
/// answers each. Who misses kMostMissed beats ends the job and names the one that is silent. Time
/// is counted in own beats, so nobody is missed after all were stopped together (Ctrl-Z).
class Heart {
 public:
  Heart() {
    MPI_Comm_dup(MPI_COMM_WORLD, &group_);
    MPI_Comm_rank(group_, &rank_);
    MPI_Comm_size(group_, &size_);
    // Rank 0 hears all others, and these hear rank 0.
    for (int other = rank_ == 0 ? 1 : 0; other < (rank_ == 0 ? size_ : 1); ++other)
      others_.push_back({other});
    hosts_.resize(asSize(size_) * kNameBytes);
    std::vector<char> host(kNameBytes);
    gethostname(host.data(), kNameBytes - 1);
    MPI_Allgather(host.data(), kNameBytes, MPI_CHAR, hosts_.data(), kNameBytes, MPI_CHAR, group_);
    thread_ = std::thread([this] { run(); });
  }

  /// Collective.
  ~Heart() {
    stopped_ = true;
    thread_.join();
    MPI_Barrier(group_);
    for (Other& other : others_) {
      listen(other);
      MPI_Wait(&other.sent, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&group_);
  }
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

  /// Every process has so many ranks from now on.
  void countThreads(int threads) { threads_ = threads; }

 private:
  static constexpr int kNameBytes = 256;
  static constexpr int kMostMissed = 12;
  static constexpr auto kBeat = std::chrono::milliseconds(500);

  struct Other {
    int rank;
    int missed = 0;
    MPI_Request sent = MPI_REQUEST_NULL;
  };

  void run() {
    while (!stopped_) {
      for (Other& other : others_) {
        beat(other);
        if (!listen(other) && ++other.missed > kMostMissed) end(other);
      }
      for (auto slept = 0 * kBeat; slept < kBeat && !stopped_; slept += kBeat / 50)
        std::this_thread::sleep_for(kBeat / 50);  // the end of the job need not wait for a beat
    }
  }

  /// Sends a beat, unless the last one has not left yet.
  void beat(Other& other) {
    int left = 0;
    MPI_Test(&other.sent, &left, MPI_STATUS_IGNORE);
    if (left != 0) MPI_Isend(&mark_, 1, MPI_CHAR, other.rank, 0, group_, &other.sent);
  }

  /// Takes all beats that have come. Returns whether there was one.
  bool listen(Other& other) {
    int there = 0;
    for (bool heard = false;; heard = true) {
      MPI_Iprobe(other.rank, 0, group_, &there, MPI_STATUS_IGNORE);
      if (there == 0) return heard;
      char mark = 0;
      MPI_Recv(&mark, 1, MPI_CHAR, other.rank, 0, group_, MPI_STATUS_IGNORE);
      other.missed = 0;
    }
  }

  [[noreturn]] void end(const Other& other) {
    const char* const host = hosts_.data() + asSize(other.rank) * kNameBytes;
    const int threads = threads_, first = other.rank * threads;
    const std::string who =
        threads == 1
            ? fmt::format("rank {} on {} does not answer: the job ends. Was it", first, host)
            : fmt::format(
                  "ranks {} to {} on {} do not answer: the job ends. Was their "
                  "process",
                  first, first + threads - 1, host);
    say(who + " killed or stopped?");
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ErrorCode::kRankLost));
    std::_Exit(static_cast<int>(ErrorCode::kRankLost));
  }

  MPI_Comm group_;
  int rank_ = 0, size_ = 1;
  const char mark_ = 1;
  std::vector<Other> others_;
  std::vector<char> hosts_;      // (size_, kNameBytes)
  std::atomic<int> threads_{1};  // of each process, which are ranks
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

std::unique_ptr<MpiRanks> all;
std::unique_ptr<Heart> heart;

}  // namespace

void joinRanks(int* argc, char*** argv, std::function<void(const std::string&)> sayLine) {
  if (launchedProcesses() == 0) return;  // MPI_Init() takes a while
  say = std::move(sayLine);
  int threads = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &threads);
  all = std::make_unique<MpiRanks>(MPI_COMM_WORLD);
  if (threads == MPI_THREAD_MULTIPLE) heart = std::make_unique<Heart>();
}

Ranks* allRanks() {
  return all.get();
}

std::unique_ptr<Processes> connectThreads(int threads) {
  if (heart == nullptr) return nullptr;  // only one thread may call MPI
  heart->countThreads(threads);
  return std::make_unique<MpiProcesses>();
}

void leaveRanks() {
  if (all == nullptr) return;
  heart = nullptr;
  all = nullptr;
  MPI_Finalize();
}

}  // namespace engine
