// Moves messages between the GPUs of ranks.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "device/stream.h"
#include "ranks/ranks.h"
#include "several/part.h"

namespace engine {

class Channel {
 public:
  virtual ~Channel() = default;
  /// Collective: copies GPU memory of the rank `root` to all others. It happens in the order of a
  /// stream of each rank. All ranks call it in the same order.
  virtual void broadcast(void* data, std::size_t bytes, int root, cudaStream_t stream) = 0;
};

/// Collective: connects the present GPUs of a group of ranks. Threads of one process copy from GPU
/// to GPU, by the engines that GPUs have for this. Ranks of several processes use NCCL. Throws
/// Error(kUsage) if this program was built without NCCL and needs it, Error(kGpu) if GPUs cannot be
/// connected.
std::unique_ptr<Channel> openChannel(Ranks& group);

/// A message has come when all is done that the stream `send` has begun. Then `ahead` may go on.
class Arrival : public Transfer {
 public:
  Arrival(const Stream& ahead, const Stream& send) : ahead_(ahead) { come_.record(send.stream); }
  void wait() override { ahead_.wait(come_); }

 private:
  const Stream& ahead_;
  StreamEvent come_;
};

/// The channels along both directions of a grid; null where there are no other ranks.
class Channels {
 public:
  /// Collective.
  explicit Channels(GridRanks& ranks) {
    if (ranks.row->size() > 1) row_ = openChannel(*ranks.row);
    if (ranks.column->size() > 1) column_ = openChannel(*ranks.column);
  }
  /// Collective: starts to send a message of `root` in a direction, on the stream `send`, when all
  /// is done that the stream `ahead` has begun. Both streams must outlive the result.
  std::unique_ptr<Transfer> startBroadcast(Along direction, Message message, int root,
                                           const Stream& ahead, const Stream& send) const {
    send.wait(ahead);
    along(direction).broadcast(message.data, message.bytes, root, send.stream);
    return std::make_unique<Arrival>(ahead, send);
  }
  /// Of a direction with several ranks.
  Channel& along(Along direction) const { return direction == Along::kRow ? *row_ : *column_; }

 private:
  std::unique_ptr<Channel> row_, column_;
};

/// The same by NCCL.
std::unique_ptr<Channel> openNcclChannel(Ranks& group);

}  // namespace engine
