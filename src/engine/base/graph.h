// A directed graph with weights 0 ≤ w < infinity, whole or real: an edge list or a matrix,
// whichever it came as. With --negative whole weights lie in −kInf < w < kInf, and real ones may be
// any finite float32. dtype.h says how weights are stored. Only toMatrix(), which checks the memory
// first, and writeMatrix() turn the first into the second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"

/// The edge from→to.
struct Edge {
  int from, to, weight;
};

/// A weight or distance to read: "12", "0.1" (as many digits as tell it from others), "inf".
std::string weightText(int element, Dtype dtype);

/// From so many rows of a matrix on, threads gain more than they take to start.
inline constexpr int kWorthThreads = 256;

/// Bytes of an n×n matrix.
inline std::size_t matrixBytes(int n) {
  return sizeof(int) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
}

/// An n×n row-major int matrix in host memory, 64-byte aligned, uninitialised when made. Move-only.
class Matrix {
 public:
  Matrix() = default;
  /// Throws Error(kMemory), naming the bytes needed and free, where the machine has not got them.
  explicit Matrix(int n);

  int n() const { return n_; }
  std::size_t size() const { return static_cast<std::size_t>(n_) * n_; }
  int* data() { return data_.get(); }
  const int* data() const { return data_.get(); }
  int* row(int i) { return data() + static_cast<std::size_t>(i) * n_; }
  const int* row(int i) const { return data() + static_cast<std::size_t>(i) * n_; }

 private:
  struct Free {
    void operator()(int* p) const { std::free(p); }
  };
  int n_ = 0;
  std::unique_ptr<int[], Free> data_;
};

/// What the entry 0 off the diagonal of a matrix means: an edge of weight 0, or no edge. kUnclear:
/// neither the file nor the user says it, and it is read as an edge.
enum class Zero { kUnclear, kEdge, kNoEdge };

/// Edges: sorted by (from, to), no self-loop, no pair twice. Matrix: 0 on the diagonal, infinity =
/// no edge.
struct Graph {
  int n = 0;
  Dtype dtype = Dtype::kInt32;
  std::variant<std::vector<Edge>, Matrix> body;
  std::size_t duplicates = 0;  ///< edges dropped because the same pair had a lighter one
  std::size_t selfLoops = 0;   ///< edges i→i (or nonzero diagonal entries) dropped
  std::size_t zeros = 0;       ///< entries 0 off the diagonal of the matrix in the file
  Zero zero = Zero::kEdge;     ///< what these were read as
  std::size_t minusOnes = 0;   ///< entries −1 off the diagonal of that matrix, read as "no edge"
  bool unweighted = false;     ///< the file has no weights, and each edge counts 1
  bool idsFromOne = false;     ///< the ids in the file begin at 1 and were read as beginning at 0
  std::size_t reverses = 0;    ///< edges that addReverses() added
  std::size_t twoWeights = 0;  ///< pairs whose directions had different weights before that
  bool namesUnshown = false;   ///< vertices have names beside ids, but not all, or some the same
  std::optional<Edge> negativeLoop = {};  ///< the lightest edge i→i of negative weight
  std::string names;  ///< a line for each vertex, its id or label in the file; empty: its number

  bool dense() const { return std::holds_alternative<Matrix>(body); }
  const std::vector<Edge>& edges() const { return std::get<std::vector<Edge>>(body); }
  const Matrix& matrix() const { return std::get<Matrix>(body); }
};

/// Sorts, keeps the lightest of parallel edges and drops self-loops, counting both. The caller has
/// checked 0 ≤ from, to < n and weight < infinity.
Graph fromEdges(int n, std::vector<Edge> edges, Dtype dtype = Dtype::kInt32);

/// Makes the graph undirected: every edge also exists backwards, and if both directions were there,
/// the lighter weight counts. A matrix changes in place. Edges take up to four times their memory
/// for a moment. Throws Error(kMemory).
void addReverses(Graph& graph);

/// Whether the graph is a list of two or more edges and none of them exists backwards. Then the
/// file of an undirected graph may have each edge once.
bool isOneWay(const Graph& graph);

/// Int32 weights become floats, as floatWord() says.
void toFloats(Graph& graph);
void toFloats(std::vector<Edge>& edges);
void toFloats(std::size_t count, int* elements);

/// Every weight below infinity becomes 0.
void zeroWeights(std::size_t count, int* elements, Dtype dtype);

/// The same graph as a matrix; a matrix is moved through. Throws Error(kMemory) before allocating.
Matrix toMatrix(Graph graph);

/// Writes edges without self-loops, in any order, into an n×n matrix in host memory: the lightest
/// of parallel ones, 0 on the diagonal, infinity elsewhere.
void writeMatrix(int n, const std::vector<Edge>& edges, int* matrix, Dtype dtype = Dtype::kInt32);

/// Writes `count` rows of the matrix of an edge list, (count, n) elements in host memory, from row
/// `first` on.
void writeRows(const Graph& graph, int first, int count, int* rows);

/// The rows of an n×n matrix that take about 64 MiB, at least one: what is moved at a time where
/// host memory need not hold the whole matrix.
int rowsAtATime(int n);

/// The same graph as sorted edges; an edge list is copied.
std::vector<Edge> toEdges(const Graph& graph);

/// Where the edges that leave each vertex begin: n + 1 entries. edges: sorted by `from`.
std::vector<std::size_t> edgeStarts(int n, const std::vector<Edge>& edges);

/// Calls visit(Edge) for every edge in order of (from, to).
template <class Visit>
void forEachEdge(const Graph& graph, Visit visit) {
  if (!graph.dense()) {
    for (const Edge& e : graph.edges()) visit(e);
    return;
  }
  const int none = infinity(graph.dtype);
  for (int i = 0; i < graph.n; ++i) {
    const int* row = graph.matrix().row(i);
    for (int j = 0; j < graph.n; ++j) {
      if (i != j && row[j] < none) visit(Edge{i, j, row[j]});
    }
  }
}

/// What one pass over a graph, or over a matrix of distances, counts.
struct GraphStats {
  std::uint64_t edges = 0;  ///< ordered pairs i ≠ j with an edge (or, of distances, reachable)
  std::uint64_t hash = 0;  ///< the sum of edgeHash() over them: the same for every format and order
  int maxWeight = 0;       ///< as it is stored; 0 if all are negative
  int minWeight = 0;       ///< 0 if none is negative; of floats, the negative one nearest to 0

  /// Adds what was counted in other rows.
  GraphStats& operator+=(const GraphStats& other);
};

/// The hash of one edge, a finaliser of the SplitMix64 kind over (from, to, weight).
/// constexpr, so that device code may call it too.
constexpr std::uint64_t edgeHash(std::uint64_t from, std::uint64_t to, std::uint64_t weight) {
  std::uint64_t x = (from << 32 | to) + 0x9e3779b97f4a7c15 * (weight + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Edge count, order-independent hash, heaviest and lightest weight of a graph; of an n×n matrix in
/// host memory; of `count` of its rows, (count, n), from row `first` on.
GraphStats graphStats(const Graph& graph);
GraphStats graphStats(int n, const int* matrix, Dtype dtype = Dtype::kInt32);
/// Of a block of a matrix: `rows` rows from `row` on, and `columns` columns from `column` on.
GraphStats graphStats(const int* block, Dtype dtype, int row, int rows, int column, int columns);

/// How many edges the graph has. Counts the entries if it is dense.
std::size_t countEdges(const Graph& graph);

/// Transposes in place.
void transpose(Matrix& matrix);

/// The same graph with all edges reversed. Throws Error(kMemory).
Graph reversed(const Graph& graph);
