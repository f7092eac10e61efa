// Order, elimination and customisation on the GPU, in rounds of vertices that are not adjacent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/graph.h"
#include "solver/gpu_rows.h"
#include "solver/outcome.h"
#include "solver/selection.h"

namespace engine::sparse {

/// Solves an n×n matrix in GPU memory in place: the core's.
using GpuCoreSolver = std::function<void(int n, Elements matrix)>;

/// A graph after a GPU has eliminated vertices, as long as that paid. Its lists are in GPU memory.
class GpuElimination {
 public:
  virtual ~GpuElimination() = default;

  int coreSize = 0;         ///< vertices that are left
  int rounds = 0;           ///< that eliminated the others
  std::uint64_t arcs = 0;   ///< from each eliminated vertex to those that were left beside it
  double milliseconds = 0;  ///< that eliminating took
  double expected = 0;      ///< milliseconds that solving is expected to take from here on
  double sweep = 0;         ///< those of them that are in proportion to the number of distances

  /// The same if only such a part of the distances is wanted.
  double expectedOf(double part) const { return expected - (1 - part) * sweep; }

  /// Finds the distances within the core, prunes the arcs, and returns what makes rows. It is to be
  /// called once: the lists are given up. Vertex i of the rows is vertex (i − by) mod n of the
  /// graph. table: whose rows are wanted; null: those of all vertices. Throws Error(kMemory),
  /// Error(kGpu).
  virtual std::unique_ptr<RowSource> sweeps(const GpuCoreSolver& solveCore, int by, Sweeping& done,
                                            const Selection* table = nullptr) = 0;
};

/// Eliminates on the present GPU. graph: held as edges. nullptr if its lists have no room there, if
/// others take a part of the GPU's multiprocessors, and in a build without CUDA. Throws
/// Error(kGpu).
std::shared_ptr<GpuElimination> eliminateOnGpu(const Graph& graph);

/// Milliseconds that eliminating is expected to take.
double gpuEliminationMilliseconds(int n, std::size_t edges);

}  // namespace engine::sparse
