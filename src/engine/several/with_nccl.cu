// Messages between GPUs of ranks of several processes, by NCCL. no_nccl.cu stands in for this file
// in a build without it. The library is loaded when it is needed first: a program that was built
// with it runs where it is missing.
#include <dlfcn.h>
#include <nccl.h>

#include "base/error.h"
#include "several/channel.h"

namespace engine {

namespace {

/// The library: the one that was there when this was built, or else the one that the system finds.
void* library() {
  static void* const found = [] {
    void* const first = dlopen(APSP_NCCL_LIBRARY, RTLD_NOW);
    return first != nullptr ? first : dlopen("libnccl.so.2", RTLD_NOW);
  }();
  if (found == nullptr)
    throw Error(ErrorCode::kGpu,
                "GPUs of several processes are connected by NCCL, which is not here: install "
                "libnccl.so.2, or start one process for all GPUs");
  return found;
}

/// A function of the library. Function: its type, as nccl.h declares it.
template <class Function>
Function* find(const char* name) {
  void* const function = dlsym(library(), name);
  if (function == nullptr)
    throw Error(ErrorCode::kGpu, std::string("NCCL has no ") + name + ": install a newer one");
  return reinterpret_cast<Function*>(function);
}

#define NCCL(function, ...) find<decltype(function)>(#function)(__VA_ARGS__)

void check(ncclResult_t result, const char* what) {
  if (result != ncclSuccess)
    throw Error(ErrorCode::kGpu, std::string(what) + ": NCCL: " +
                                     NCCL(ncclGetErrorString, result) +
                                     ": NCCL_DEBUG=WARN says more");
}

class NcclChannel : public Channel {
 public:
  explicit NcclChannel(Ranks& group) {
    ncclUniqueId id{};
    if (group.rank() == 0) check(NCCL(ncclGetUniqueId, &id), "connecting the GPUs");
    group.broadcast(&id, sizeof id, 0);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.maxCTAs = kBlocks;
    check(NCCL(ncclCommInitRankConfig, &group_, group.size(), id, group.rank(), &config),
          "connecting the GPUs");
  }
  ~NcclChannel() override { destroy_(group_); }
  NcclChannel(const NcclChannel&) = delete;
  NcclChannel& operator=(const NcclChannel&) = delete;

  void broadcast(void* data, std::size_t bytes, int root, cudaStream_t stream) override {
    check(broadcast_(data, data, bytes, ncclInt8, root, group_, stream), "a broadcast");
  }

 private:
  /// Blocks of threads that NCCL may use. Each takes a multiprocessor from the solver, also while
  /// it waits for the root. More would send faster, but a round is long.
  static constexpr int kBlocks = 4;

  decltype(ncclBroadcast)* const broadcast_ = find<decltype(ncclBroadcast)>("ncclBroadcast");
  decltype(ncclCommDestroy)* const destroy_ = find<decltype(ncclCommDestroy)>("ncclCommDestroy");
  ncclComm_t group_ = nullptr;
};

}  // namespace

std::unique_ptr<Channel> openNcclChannel(Ranks& group) {
  return std::make_unique<NcclChannel>(group);
}

}  // namespace engine
