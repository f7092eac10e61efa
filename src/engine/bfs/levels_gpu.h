// Breadth-first searches on the GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "base/graph.h"
#include "solver/gpu_rows.h"
#include "solver/outcome.h"

namespace engine::bfs {

/// A graph in GPU memory whose edges all have the same weight, ready for searches.
class GpuLevels : public RowSource {
 public:
  double sampled = 0;  ///< milliseconds of the batch that expect() kept
  bool slow = false;   ///< whether expect() saw that all searches take more than `most`

  /// The milliseconds that all distances are expected to take, told from one batch of searches,
  /// which is kept. Nothing if it is more than `most`, or if the batch takes more than `trial`.
  /// Throws Error(kMemory), Error(kGpu).
  virtual std::optional<double> expect(double most, double trial) = 0;
  /// What all() and rows() did since the last call of this.
  virtual Levelling done() = 0;
};

/// graph: held as edges, with a commonWeight(). Vertex v of the distances is vertex (v − by) mod n
/// of the graph; 0 ≤ by < n, or 0. Returns nullptr in a build without CUDA. Throws Error(kMemory),
/// Error(kGpu).
std::unique_ptr<GpuLevels> levelsOnGpu(const Graph& graph, int by = 0);

/// Bytes of GPU memory that levelsOnGpu() takes beside the distances.
std::size_t gpuLevelBytes(int n, std::size_t edges);

/// About the milliseconds that all distances take, if searches have so many levels.
double gpuLevelMilliseconds(int n, std::size_t edges, Dtype dtype, double levels);

}  // namespace engine::bfs
