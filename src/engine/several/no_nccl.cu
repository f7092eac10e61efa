// A build without NCCL: the GPUs of different processes cannot be connected.
#include "base/error.h"
#include "several/channel.h"

namespace engine {

std::unique_ptr<Channel> openNcclChannel(Ranks&) {
  throw Unsupported(
      "it was built without NCCL: install it and run make, start one process for all GPUs, "
      "or solve on the CPU");
}

}  // namespace engine
