// Ranks by MPI. no_mpi.cpp stands in for this file in a build without MPI.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "ranks/launcher.h"
#include "ranks/mpi.h"

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

class MpiRanks : public Ranks {
 public:
  explicit MpiRanks(MPI_Comm group) : group_(group) {
    MPI_Comm_rank(group_, &rank_);
    MPI_Comm_size(group_, &size_);
    MPI_Comm host;
    MPI_Comm_split_type(group_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &onThisHost_);
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

  std::unique_ptr<Transfer> startBroadcast(void* data, std::size_t bytes, int root) override {
    return std::make_unique<MpiTransfer>(inPieces(
        static_cast<char*>(data), bytes, [&](char* piece, int count, MPI_Request* request) {
          MPI_Ibcast(piece, count, MPI_BYTE, root, group_, request);
        }));
  }

  void send(const void* data, std::size_t bytes, int to) override {
    auto requests = inPieces(static_cast<const char*>(data), bytes,
                             [&](const char* piece, int count, MPI_Request* request) {
                               MPI_Isend(piece, count, MPI_BYTE, to, 0, group_, request);
                             });
    await(requests);
  }

  void receive(void* data, std::size_t bytes, int from) override {
    auto requests = inPieces(static_cast<char*>(data), bytes,
                             [&](char* piece, int count, MPI_Request* request) {
                               MPI_Irecv(piece, count, MPI_BYTE, from, 0, group_, request);
                             });
    await(requests);
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

  [[noreturn]] void abandon(const std::string& why) override {
    std::fprintf(stderr, "apsp: rank %d: %s\n", rank_, why.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }

 private:
  MPI_Comm group_;
  int rank_ = 0, size_ = 1, onThisHost_ = 1;
};

std::unique_ptr<MpiRanks> all;

}  // namespace

void joinRanks(int* argc, char*** argv) {
  if (launchedProcesses() == 1) return;  // MPI_Init() takes a while
  MPI_Init(argc, argv);
  all = std::make_unique<MpiRanks>(MPI_COMM_WORLD);
}

Ranks* allRanks() {
  return all.get();
}

void leaveRanks() {
  if (all == nullptr) return;
  all = nullptr;
  MPI_Finalize();
}
