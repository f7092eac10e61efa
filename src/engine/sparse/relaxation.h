// Relaxation along all edges of a graph, on the CPU: of a graph that has few of them, none need be
// left out, and no matrix is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/elements.h"
#include "base/graph.h"
#include "filtered/arcs.h"
#include "filtered/settle_cpu.h"
#include "solver/outcome.h"
#include "solver/summing.h"

namespace engine::sparse {

/// The distances from some sources to some targets.
class EdgeRelaxation {
 public:
  /// graph: held as edges. sources, targets: vertices, in the order of the rows and columns. may16:
  /// distances of int32 may be computed in 16 bits. Throws Error(kMemory).
  EdgeRelaxation(const Graph& graph, std::vector<int> sources, std::vector<int> targets,
                 bool may16 = true);

  /// Bytes that a relaxation from so many sources takes beside the edges and the distances.
  static std::size_t bytes(int n, std::size_t edges, std::size_t sources, Dtype dtype);
  /// The milliseconds that solve() takes at the least: if each vertex is looked at once for a
  /// block.
  static double leastMilliseconds(int n, std::size_t edges, std::size_t sources, Dtype dtype);
  /// Of what expect() returned, the part of the blocks that it solved, and that are kept.
  double sampledMilliseconds() const { return sampledMs_; }
  /// The milliseconds that solve() is expected to take, told from some blocks, which are kept.
  /// Nothing if it is more than `most`.
  std::optional<double> expect(double most);
  /// From now on solve() does not give up.
  void takeAnyTime() { most_ = ~std::uint64_t{0}; }
  /// Writes the distances: (sources, targets). Returns false if that takes much longer than was
  /// expected; some are not written then. Adds them to `sums`, unless it is null.
  bool solve(Elements distances, Summing* sums = nullptr);

  /// The arithmetic.
  Tier tier() const;
  /// Looks at a vertex for a block of sources, on the average of those that are solved.
  double passes() const;
  double edgesOfVertex() const;

 private:
  /// Sources, as places in starts_.
  struct Range {
    int first, end;
  };
  /// Blocks of sources with distances of type T, by their numbers: (n, sources of a block).
  template <class T>
  using Blocks = std::map<int, DistanceRows<T>>;
  /// The arcs that enter, and that leave each vertex, by places, with weights of type W.
  template <class W>
  struct Lists {
    Arcs<W> in, out;
  };

  template <class W>
  void takeEdges(const Edges<W>& edges, std::vector<int> sources, bool may16);
  template <class T>
  const Lists<WeightOf<T>>& lists() const {
    return std::get<Lists<WeightOf<T>>>(lists_);
  }

  template <class T>
  Range blockOf(int number) const;
  template <class T>
  int blocks() const;
  template <class T>
  DistanceRows<T> rows() const;
  template <class T>
  bool sampleBlocks(Blocks<T>& blocks, double most);
  void sample(double most);
  std::optional<double> sampled(double most);
  template <class T>
  bool solveBlocks(const Blocks<T>& solved, WeightOf<T>* to, SummingOf<WeightOf<T>>* sums) const;
  template <class T>
  Settled settle(Range sources, T* distances, std::uint64_t most) const;
  template <class T>
  bool holds(const T* distances) const;
  template <class T>
  bool solveRange(Range sources, T* distances, WeightOf<T>* to, BlockSums<WeightOf<T>>* sums) const;
  template <class T>
  void store(Range sources, const T* distances, WeightOf<T>* to,
             BlockSums<WeightOf<T>>* sums) const;

  int n_;
  std::vector<int> rows_;    // of the sources, in the order in which they are solved: their rows,
  std::vector<int> starts_;  // and their places
  std::vector<int> ends_;    // of each target, its place,
  std::vector<int> at_;      // and how many rows of kBatch distances are before it
  std::variant<Lists<std::int32_t>, Lists<float>, Lists<std::int64_t>, Lists<double>> lists_;
  std::int32_t heaviest_ = 0;  // of int32 weights
  std::variant<Blocks<std::int32_t>, Blocks<std::uint16_t>, Blocks<float>, Blocks<std::int64_t>,
               Blocks<double>>
      solved_;       // the samples
  Settled sampled_;  // what they took, together
  std::optional<double> expected_;  // milliseconds of all, as the samples tell
  int samples_ = 0;
  double sampledMs_ = 0;
  std::uint64_t most_ = ~std::uint64_t{0};  // steps that a block may take
};

}  // namespace engine::sparse
