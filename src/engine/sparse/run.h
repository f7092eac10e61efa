// The sparse solver on the seam.
#pragma once

#include <optional>
#include <vector>

#include "base/graph.h"
#include "solver/solver.h"
#include "sparse/prepared.h"

namespace sparse {

/// The same solver, which solves sparsely if it is asked to, or if that is expected to
/// be faster, or if there is no room for the matrix. `one` works in place; it also solves cores.
/// Where the matrix has no room, the distances are rows that are swept when they are asked for.
Solver orSparsely(Solver one);

/// Whether a graph has so few edges that a GPU filters it without looking at samples first. If a
/// vertex has more edges than a GPU can keep, filtering is probably in vain. A large graph is
/// filtered even then, because the attempt takes less than 3 % of the dense solver's time.
bool hasFewEdges(int n, const std::vector<Edge>& edges);

/// What is expected of solving a graph on a device, from its edges alone.
struct Forecast {
  /// What --method auto does. kNotSparsely: it filters, or solves densely.
  enum class Choice {
    kSparse,     ///< it is expected to be faster
    kStreamed,   ///< there is no room for the matrix
    kMatrix,     ///< the graph is held as a matrix, which is solved in place
    kManyEdges,  ///< to look for an order of elimination would take too long
    kNotWorth,   ///< it was surveyed, and dense solving is about as fast
    kNoRoom,     ///< the arcs of the elimination take too much memory
  } choice = Choice::kMatrix;
  double denseMs = 0;
  std::size_t denseBytes = 0;
  std::optional<double> sparseMs;  ///< none if it was not surveyed
  std::size_t sparseBytes = 0;
};

/// Surveys the graph if that takes less than about 10 s. one: the solver that works in place.
/// Throws Error(kMemory).
Forecast forecastOf(const ProblemGraph& graph, const Solver& one, const Device& device);

/// Of ranks on CPUs that sweep a band of sources each: bytes of host memory that one of them takes
/// beside its distances, if this is expected to be faster than to solve densely together; nothing
/// otherwise. band: the largest one, of a graph that is held as edges; all ranks have as many
/// threads. Throws Error(kMemory).
std::optional<std::size_t> bytesIfFaster(const Problem& band, int ranks);

/// The bytes that sparse solving may take beside the distances where dense solving takes fewer.
std::size_t allowedBytes(int n);

/// Calls work() with an n×n matrix that lies in host memory, or a copy of it in the device's, which
/// is copied back.
void onDevice(const Device& device, int n, int* matrix, Dtype dtype,
              const std::function<void(int*)>& work);

/// Solves n×n weights of that type in place in the device's memory, as apsp.h says. Throws
/// Error(kMemory), Error(kGpu).
Outcome solveMatrix(const Device& device, int n, int* matrix, Dtype dtype,
                    const CoreSolver& solveCore);

/// About the most bytes of host memory that this takes beside the matrix.
std::size_t solveMatrixBytes(int n);

}  // namespace sparse
