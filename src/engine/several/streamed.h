// Parts that lie in host memory and stream through a GPU: part_streamed.cu.
#pragma once

#include <cstddef>
#include <memory>

#include "several/channel.h"
#include "several/part.h"

namespace engine {

/// The arithmetic of such a part, which it must choose before it has seen the graph.
Tier storedTier(Dtype dtype, Precision precision);

/// A part in host memory, with so many bytes of room on the GPU, the same on all ranks. Throws
/// Error(kMemory).
std::unique_ptr<Part> streamedPart(int n, Tier tier, std::size_t room, Channels channels, Grid grid,
                                   int rank);

}  // namespace engine
