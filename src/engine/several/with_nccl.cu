// Messages between GPUs of ranks of several processes, by NCCL. no_nccl.cu stands in for this file
// in a build without it.
#include <nccl.h>

#include "base/error.h"
#include "several/channel.h"

namespace engine {

namespace {

void check(ncclResult_t result, const char* what) {
  if (result != ncclSuccess)
    throw Error(ErrorCode::kGpu, std::string(what) + ": NCCL: " + ncclGetErrorString(result) +
                                ": NCCL_DEBUG=WARN says more");
}

class NcclChannel : public Channel {
 public:
  explicit NcclChannel(Ranks& group) {
    ncclUniqueId id{};
    if (group.rank() == 0) check(ncclGetUniqueId(&id), "connecting the GPUs");
    group.broadcast(&id, sizeof id, 0);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.maxCTAs = kBlocks;
    check(ncclCommInitRankConfig(&group_, group.size(), id, group.rank(), &config),
          "connecting the GPUs");
  }
  ~NcclChannel() override { ncclCommDestroy(group_); }
  NcclChannel(const NcclChannel&) = delete;
  NcclChannel& operator=(const NcclChannel&) = delete;

  void broadcast(void* data, std::size_t bytes, int root, cudaStream_t stream) override {
    check(ncclBroadcast(data, data, bytes, ncclInt8, root, group_, stream), "a broadcast");
  }

 private:
  /// Blocks of threads that NCCL may use. Each takes a multiprocessor from the solver, also while
  /// it waits for the root. More would send faster, but a round is long.
  static constexpr int kBlocks = 4;

  ncclComm_t group_ = nullptr;
};

}  // namespace

std::unique_ptr<Channel> openNcclChannel(Ranks& group) {
  return std::make_unique<NcclChannel>(group);
}

}  // namespace engine
