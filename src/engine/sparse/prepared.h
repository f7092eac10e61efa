// A sparse graph, from its edges to distances: survey, then prepare, then sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/graph.h"
#include "solver/outcome.h"
#include "solver/plan.h"
#include "solver/selection.h"
#include "sparse/cpu_rounds.h"
#include "sparse/elimination.h"
#include "sparse/sweep.h"
#include "sparse/sweep_gpu.h"

namespace engine::sparse {

/// What is known of a graph before memory is taken for its hierarchy.
struct Survey {
  Pattern pattern;  ///< empty if the graph was eliminated in rounds
  Elimination elimination;
  std::shared_ptr<const Rounds> rounds;  ///< by which it was made; null: an order was followed
  double orderMs = 0, eliminateMs = 0;

  /// Bytes of host memory that preparing takes, and sweeping with so many threads, with weights of
  /// that type.
  std::size_t bytes(int threads, Dtype dtype) const;
};

/// Orders the vertices, unless an order of all of them is given, and eliminates them symbolically.
/// edges: sorted, without self-loops. Throws Error(kMemory).
Survey surveyOf(int n, const EndsOf& edges, const Rates& rates,
                const EliminationOrder* order = nullptr);

/// How a graph is surveyed whose weights are known.
enum class Eliminates {
  kAsPays,   ///< in rounds, if that is expected to be faster
  kInOrder,  ///< as surveyOf() does
  kInRounds  ///< by all threads of the CPU together (cpu_rounds.h)
};

/// The same of a graph that is held as edges. If it is eliminated in rounds, the survey may still
/// be followed with other weights of the same edges. Throws Error(kMemory).
Survey surveyOf(const Graph& graph, const Rates& rates, Eliminates how = Eliminates::kAsPays);

/// Milliseconds that surveyOf() is expected to take of that graph. part: if it eliminates in order,
/// the share of what that takes in most graphs.
double surveyMilliseconds(const Graph& graph, const Rates& rates,
                          Eliminates how = Eliminates::kAsPays, double part = 1);

/// A survey, if the graph may have small separators (pattern.h): nothing otherwise.
std::optional<Survey> surveyIfSeparable(const Graph& graph, const Rates& rates,
                                        Eliminates how = Eliminates::kAsPays);

/// Solves an n×n matrix in host memory in place: the core's.
using CoreSolver = std::function<void(int n, Elements matrix)>;

/// How Prepared goes about it.
struct Ways {
  CoreSolver solveCore;
  int threads = 1;
  std::string simd = "";  ///< as findSweep() takes it
};

/// The hierarchy of a graph with all its weights, ready for sweeps.
class Prepared {
 public:
  /// graph: held as edges. Throws Error(kMemory). done: takes what was done, and the milliseconds
  /// of each phase.
  Prepared(const Survey& survey, const Graph& graph, const Ways& ways, Sweeping& done);

  /// Writes `count` rows of distances, from row `first` on: (count, n) elements, or (count,
  /// columns) of a table, with all threads. Adds them to `sums`, unless it is null; writes nothing
  /// if `rows` is null. Throws Error(kMemory). Not to be called by several threads at the same
  /// time.
  void sweep(int first, int count, Elements rows, Summing* sums = nullptr);

  /// The same hierarchy in GPU memory. It must not outlive this object. nullptr if a GPU does not
  /// sweep such numbers, and in a build without CUDA. Throws Error(kMemory), Error(kGpu).
  std::unique_ptr<RowSource> onGpu() const;

  /// From now on vertex i is (i + by) mod n. 0 ≤ by < n, or 0.
  void renumberBack(int by);

  /// From now on the rows and columns are those of a table. The time of its sweeps then depends on
  /// its size, and on how many vertices are above its sources and targets. Throws Error(kMemory).
  void restrictTo(const Selection& asked);

  /// Calls use() with the Swept<T> of its type.
  template <class Use>
  decltype(auto) read(Use&& use) const {
    return std::visit([&](const auto& state) -> decltype(auto) { return use(state.graph); },
                      state_);
  }

 private:
  template <class T>
  struct State {
    Swept<T> graph;
    SweepKernels<T> kernels;
    std::vector<std::unique_ptr<Sweeper<T>>> sweepers;  // those that are not at work
  };

  template <class T>
  State<T> prepare(const Survey& survey, const Edges<T>& edges, const Ways& ways,
                   Sweeping& done) const;
  template <class T>
  void sweepWith(State<T>& state, int first, int count, Elements rows, Summing* sums);

  int threads_;
  std::variant<State<std::int32_t>, State<float>, State<std::int64_t>, State<double>> state_;
  std::mutex mutex_;  // of the sweepers
};

}  // namespace engine::sparse
