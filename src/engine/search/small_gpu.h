// Of distances in GPU memory, the small ones, which come to host memory as sparse rows.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/dtype.h"
#include "base/elements.h"
#include "solver/sparse_rows.h"

namespace engine::search {

/// Which distances are small, and which of these are wanted.
struct SmallAsked {
  int n = 0;                 ///< vertices of the graph
  Number limit = 0;          ///< the largest one, of their type and below its infinity
  std::vector<int> sources;  ///< vertices, by row; one may come up several times
  std::vector<int> columns =
      {};  ///< of each vertex, −1: not wanted; empty: its number. They ascend
};

/// The distances from `count` vertices, from `first` on, in GPU memory. The one from vertex
/// first + i to vertex v is element i * fromStep + v * toStep. toStep is 1, or fromStep is.
struct DistanceBand {
  int first, count;
  std::size_t fromStep, toStep;
  ConstElements elements;
};

/// How much is in memory at a time.
struct SmallSizes {
  std::size_t bits = std::size_t{1} << 31;     ///< of rows whose small distances are marked
  std::size_t waiting = std::size_t{1} << 25;  ///< small distances that wait in GPU memory
  std::size_t chunk = std::size_t{1} << 19;    ///< of them, what comes to the host by one copy
};

class SmallOnGpu {
 public:
  virtual ~SmallOnGpu() = default;
  /// Finds the small distances of a band, after what is on the default stream, where the band may
  /// be written again. Those of the band before come to the host meanwhile. Throws Error(kMemory),
  /// Error(kGpu), Cancelled.
  virtual void add(const DistanceBand& band) = 0;
  /// The rows have all that was found. The same errors.
  virtual void finish() = 0;
};

/// Keeps references to both. Rows of other sources than those of the bands remain empty, and so do
/// some if the rows have no room: see SparseRows::requireRoom(). nullptr in a build without CUDA.
/// Throws Error(kMemory), Error(kGpu).
std::unique_ptr<SmallOnGpu> smallOnGpu(const SmallAsked& asked, SparseRows& rows,
                                       const SmallSizes& sizes = {});

/// Of the present GPU: so many sources, each a lane's, keep all multiprocessors busy; and the bytes
/// of its memory that are free, without those that its pool keeps.
struct GpuSize {
  int sources = 1;
  std::size_t bytes = 0;
};
GpuSize presentGpuSize();

}  // namespace engine::search
