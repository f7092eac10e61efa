// How messages move between the GPUs of ranks.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "ranks/ranks.h"
#include "solvers/distributed/part.h"

class Channel {
 public:
  virtual ~Channel() = default;
  /// Collective: copies GPU memory of the rank `root` to all others. It happens in the order of a
  /// stream of each rank. All ranks call it in the same order.
  virtual void broadcast(void* data, std::size_t bytes, int root, cudaStream_t stream) = 0;
};

/// Collective: connects the present GPUs of a group of ranks. Threads of one process copy from GPU
/// to GPU, by the engines that GPUs have for this. Processes use NCCL. Throws Error(kUsage) if this
/// program was built without NCCL and needs it, Error(kGpu) if GPUs cannot be connected.
std::unique_ptr<Channel> openChannel(Ranks& group);

/// The channels along both directions of a grid; null where there are no other ranks.
class Channels {
 public:
  /// Collective.
  explicit Channels(GridRanks& ranks) {
    if (ranks.row->size() > 1) row_ = openChannel(*ranks.row);
    if (ranks.column->size() > 1) column_ = openChannel(*ranks.column);
  }
  Channel& along(Along direction) const { return direction == Along::kRow ? *row_ : *column_; }

 private:
  std::unique_ptr<Channel> row_, column_;
};

/// The same by NCCL.
std::unique_ptr<Channel> openNcclChannel(Ranks& group);
