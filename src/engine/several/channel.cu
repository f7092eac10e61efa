#include "several/channel.h"

#include <vector>

#include "base/size.h"
#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "device/stream.h"

namespace engine {

namespace {

/// Between threads of one process: every rank copies from the root's memory.
class PeerChannel : public Channel {
 public:
  explicit PeerChannel(Ranks& group) : group_(group) {
    CHECK_CUDA(cudaGetDevice(&device_));
    for (int rank = 0; rank < group.size(); ++rank) {
      int peer = device_;
      group.broadcast(&peer, sizeof peer, rank);
      if (peer != device_) connect(peer);
    }
    group.barrier();  // all memory is open to all before the first copy
  }

  void broadcast(void* data, std::size_t bytes, int root, cudaStream_t stream) override {
    const bool mine = group_.rank() == root;
    if (mine) {
      ready_.record(stream);
      letter_ = {data, device_, ready_.event, {}};
      letter_.taken.resize(asSize(group_.size()));
    }
    Letter* letter = &letter_;
    group_.broadcast(&letter, sizeof letter, root);
    if (!mine) {
      CHECK_CUDA(cudaStreamWaitEvent(stream, letter->ready));
      CHECK_CUDA(cudaMemcpyPeerAsync(data, device_, letter->data, letter->device, bytes, stream));
      taken_.record(stream);
      letter->taken[asSize(group_.rank())] = taken_.event;
    }
    group_.barrier();  // every rank has written its event, and needs the letter no more
    if (!mine) return;
    for (cudaEvent_t taken : letter_.taken)
      if (taken != nullptr) CHECK_CUDA(cudaStreamWaitEvent(stream, taken));
  }

 private:
  /// What the root tells the others.
  struct Letter {
    void* data;
    int device;
    cudaEvent_t ready;
    std::vector<cudaEvent_t> taken;  // of each rank but the root: its copy is made
  };

  /// Lets this GPU reach another one's memory, and the other one this GPU's pool. Without it,
  /// copies go through host memory.
  void connect(int peer) const {
    int can = 0;
    CHECK_CUDA(cudaDeviceCanAccessPeer(&can, device_, peer));
    if (can == 0) return;
    cudaDeviceEnablePeerAccess(peer, 0);
    cudaGetLastError();  // that it is enabled already is no error of a later call
    cudaMemAccessDesc access{};
    access.location = {cudaMemLocationTypeDevice, peer};
    access.flags = cudaMemAccessFlagsProtReadWrite;
    CHECK_CUDA(cudaMemPoolSetAccess(poolOf(device_), &access, 1));
  }

  Ranks& group_;
  int device_ = 0;
  Letter letter_{};
  StreamEvent ready_, taken_;
};

}  // namespace

std::unique_ptr<Channel> openChannel(Ranks& group) {
  if (group.inThisProcess() == group.size()) return std::make_unique<PeerChannel>(group);
  return openNcclChannel(group);
}

}  // namespace engine
