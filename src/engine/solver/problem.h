// What is to be solved: a graph, wherever it is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "base/graph_source.h"
#include "device/device.h"
#include "solver/selection.h"

namespace engine {

struct NarrowGraph;  // solver/narrowing.h

/// Whether `free` bytes hold that many n×n matrices.
bool fits(std::size_t free, int n, Dtype dtype, std::size_t matrices);

/// Milliseconds, on the host's clock, that it took to get a graph into a device's memory.
struct UploadTimes {
  double make = 0;  ///< generating it, or making a matrix of its edges
  double copy = 0;  ///< from host memory into the device's
};

/// A graph that is in host memory, or a source that makes it where it is needed. Solvers take it as
/// they like: as edges or a matrix in host memory, or as a matrix on a device.
class ProblemGraph {
 public:
  explicit ProblemGraph(Graph graph);
  explicit ProblemGraph(std::shared_ptr<const GraphSource> source);
  /// The graph of sourceOf(made), for each type that has a sourceOf().
  template <class T, class = decltype(sourceOf(std::declval<const T&>()))>
  explicit ProblemGraph(const T& made) : ProblemGraph(sourceOf(made)) {}
  /// A graph that is still to be read, as edges or as a matrix, to ask what it will take at the
  /// least.
  static ProblemGraph ofUnread(int n, Dtype dtype, bool asEdges = true);

  int n() const;
  Dtype dtype() const;

  /// Whether its edges are still to be read.
  bool unread() const { return unread_; }
  /// Whether it has weights: ofUnread() has none.
  bool hasWeights() const;
  /// Whether onHost() has edges and no matrix, as far as that is known.
  bool heldAsEdges() const;

  /// Whether there is another such graph for each seed.
  bool seeded() const;
  /// From now on this is the graph of that seed. seeded() must hold, and keepOn() must
  /// not have been called. A run sees the new graph at its next reset().
  void reseed(std::uint64_t seed);

  /// The graph in host memory. It is made at the first call, if it is not there, and kept. Throws
  /// Error(kMemory), and what its source throws.
  const Graph& onHost() const;
  /// The graph in int32, if its weights have 64 bits and that is exact; else null. It is made at
  /// the first call, and kept. Throws as narrowed() (solver/narrowing.h).
  std::shared_ptr<const NarrowGraph> narrow() const;
  /// Writes the n×n matrix into a device's memory. Throws Error(kMemory).
  void upload(const Device& device, Elements matrix) const;
  /// Writes `count` rows of the matrix, from `first` on, into host memory, (count, n) elements. A
  /// source makes only these. Throws what it throws.
  void rows(int first, int count, Elements elements) const;
  /// Gives the graph to whoever makes a matrix of it in parts: made(source, zero) if it has a
  /// source, else rows(first, count, elements) a few whole rows at a time. zero: every weight below
  /// infinity is to become 0; rows have that done already.
  void share(const std::function<void(const GraphSource& source, bool zero)>& made,
             const std::function<void(int first, int count, ConstElements elements)>& rows) const;
  /// The same for whoever wants edges of the graph's type T, sorted: made(source, zero) if it is
  /// computed, else edges(list).
  template <class T>
  void shareEdges(const std::function<void(const GraphSource& source, bool zero)>& made,
                  const std::function<void(const Edges<T>& list)>& edges) const {
    if (isComputed()) return made(*source_, zero_);
    if (onHost().dense()) return edges(toEdges<T>(onHost()));
    edges(onHost().edges<T>());
  }
  /// What the first upload took.
  const UploadTimes& uploadTimes() const { return times_; }
  /// Its edges, hash and heaviest weight, counted where that is cheapest: on the device if the
  /// graph is made there and a matrix fits, else in host memory.
  GraphStats statistics(const Device& device) const;

  /// A graph of the same kind with n vertices, to ask what it would take.
  ProblemGraph ofSize(int n) const;

  /// Bytes of host memory that onHost() will take beside what is there already.
  std::size_t hostBytes() const;

  /// Keeps a copy on the device from now on, from which upload() copies. Throws Error(kMemory).
  void keepOn(const Device& device);

  /// The same graph with every weight 0: what is reachable in it is reachable in this one.
  ProblemGraph withZeroWeights() const;

 private:
  /// Whether every rank makes it.
  bool isComputed() const { return source_ != nullptr && source_->computed(); }
  bool makeOn(const Device& device, Elements matrix, UploadTimes& times) const;
  UploadTimes write(const Device& device, Elements matrix) const;
  /// Of a graph with a source, a few rows at a time.
  GraphStats statisticsOfRows() const;

  std::shared_ptr<const GraphSource> source_;   // null: it is in host memory from the beginning
  mutable std::shared_ptr<const Graph> graph_;  // in host memory; null until it is made
  std::shared_ptr<const DeviceMatrix> kept_;    // on a device; null if it is not kept
  bool unread_ = false;
  bool zero_ = false;  // this is withZeroWeights() of those
  mutable std::shared_ptr<const Graph> zeroed_;
  mutable std::optional<std::shared_ptr<const NarrowGraph>> narrow_;  // nothing: not looked yet
  mutable UploadTimes times_;
  mutable bool uploaded_ = false;
};

/// One problem.
struct Problem {
  const ProblemGraph& graph;
  const Selection* asked = nullptr;  ///< the distances that are wanted; null: all

  /// Of the distances that are wanted.
  int rows() const { return asked == nullptr ? graph.n() : asked->rows(graph.n()); }
  int columns() const { return asked == nullptr ? graph.n() : asked->columns(graph.n()); }
};

}  // namespace engine
