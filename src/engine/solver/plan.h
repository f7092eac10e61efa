// What is decided about a problem before anything is done.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "solver/options.h"

namespace engine {

class Run;       // solver/solver.h
struct Problem;  // solver/problem.h

/// The vertices of a graph, in the order in which the sparse solver eliminates them: a permutation.
/// It depends on the edges alone, and not on their weights. Any order gives the same distances; a
/// good one adds few arcs.
using EliminationOrder = std::vector<int>;

/// Bytes that a run takes beside the graph in host memory.
struct Memory {
  std::size_t device = 0;  ///< at the least; on the CPU, too, where these are host memory
  std::size_t best = 0;    ///< device memory with which it is fastest, if that is more
  std::size_t host = 0;
};

/// Where the distances of a run go.
enum class Destination {
  kMatrix,    ///< the matrix of weights, in the memory of one device
  kEither,    ///< a matrix, filled from the edges, or the matrix of weights if solve() decides so
  kRows,      ///< a table of what is asked for, or all rows in smaller elements
  kStreamed,  ///< nowhere: rows are computed again when they are asked for
  kParts,     ///< parts on several ranks, or in host memory beside a GPU
};

/// How a problem is solved: the method, the place and the memory. It is made once (Solver::plan),
/// and a run follows it.
struct Plan {
  Memory memory = {};
  /// kAuto: solve() finds out which method is fastest, because the weights decide.
  Method method = Method::kAuto;
  Destination place = Destination::kMatrix;
  double expected = 0;  ///< milliseconds of the solve; 0: not known
  /// That of the sparse method, if the plan has found one.
  std::shared_ptr<const EliminationOrder> order = nullptr;
  /// Prepares a run on the problem, or on another one whose graph has the same vertices, type and
  /// edges, and other weights. The problem must outlive the run. Throws Error(kMemory),
  /// Error(kGpu).
  std::function<std::unique_ptr<Run>(const Problem&)> begin = nullptr;
};

}  // namespace engine
