// A directed graph with weights of one type: an edge list or a matrix, whichever it came as. Only
// toMatrix(), which checks the memory first, and writeMatrix() turn the first into the second.
//
// Weights w are 0 ≤ w < infinity. With --negative whole weights lie in −infinity < w < infinity,
// and real ones may be any finite number. No weight is −0.0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/elements.h"
#include "base/size.h"

namespace engine {

/// The ends of an edge.
struct Ends {
  int from, to;
};

/// The edge from→to.
template <class T>
struct Edge {
  int from, to;
  T weight;
};

template <class T>
using Edges = std::vector<Edge<T>>;

/// An edge with a weight of any of the types.
using AnyEdge = Edge<Number>;

/// The ends of all edges of a list, whose type of weights does not matter. Refers to the list.
class EndsOf {
 public:
  template <class T>
  EndsOf(const Edges<T>& edges)
      : first_(reinterpret_cast<const char*>(edges.data())),
        size_(edges.size()),
        stride_(sizeof(Edge<T>)) {
    static_assert(offsetof(Edge<T>, from) == 0 && offsetof(Edge<T>, to) == sizeof(int));
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Ends operator[](std::size_t i) const {
    Ends ends;
    std::memcpy(&ends, first_ + i * stride_, sizeof ends);
    return ends;
  }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Ends;
    using difference_type = std::ptrdiff_t;
    using pointer = const Ends*;
    using reference = Ends;
    Iterator(const EndsOf& list, std::size_t at) : list_(&list), at_(at) {}
    Ends operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const EndsOf* list_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

 private:
  const char* first_;
  std::size_t size_, stride_;
};

/// A weight or distance to read: "12", "0.1" (as many digits as tell it from others), "inf".
std::string textOf(const Number& number);

/// From so many rows of a matrix on, threads gain more than they take to start.
inline constexpr int kWorthThreads = 256;

/// Bytes of an n×n matrix; 2^60, which no memory has, if there are more: so sums of a few of these
/// numbers do not wrap.
inline std::size_t matrixBytes(int n, Dtype dtype) {
  constexpr std::size_t kMost = std::size_t{1} << 60;
  return std::min(kMost / sizeOf(dtype), asSize(n) * asSize(n)) * sizeOf(dtype);
}

/// An n×n row-major matrix in host memory, 64-byte aligned, uninitialised when made. Move-only.
class Matrix {
 public:
  Matrix() = default;
  /// Throws Error(kMemory), naming the bytes needed and free, where the machine has not got them.
  Matrix(int n, Dtype dtype);

  int n() const { return n_; }
  Dtype dtype() const { return dtype_; }
  std::size_t size() const { return asSize(n_) * n_; }  ///< in elements
  /// Makes the type another one of the same size. The bits of the elements stay.
  void reinterpret(Dtype dtype) { dtype_ = dtype; }
  Elements data() { return {dtype_, data_.get()}; }
  ConstElements data() const { return {dtype_, data_.get()}; }
  Elements row(int i) { return data() + asSize(i) * n_; }
  ConstElements row(int i) const { return data() + asSize(i) * n_; }
  /// Row i as a T*. The type must be T.
  template <class T>
  T* row(int i) {
    return data().as<T>() + asSize(i) * n_;
  }
  template <class T>
  const T* row(int i) const {
    return data().as<T>() + asSize(i) * n_;
  }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  int n_ = 0;
  Dtype dtype_ = Dtype::kInt32;
  std::unique_ptr<void, Free> data_;
};

/// Edges: sorted by (from, to), no self-loop, no pair twice. Matrix: 0 on the diagonal, infinity =
/// no edge.
struct Graph {
  int n = 0;
  /// Edges of one of the types, in the order of Dtype, or a matrix.
  std::variant<Edges<std::int32_t>, Edges<float>, Edges<std::int64_t>, Edges<double>, Matrix> body;

  bool dense() const { return std::holds_alternative<Matrix>(body); }
  /// The type of the weights.
  Dtype dtype() const { return dense() ? matrix().dtype() : static_cast<Dtype>(body.index()); }
  /// The edges of a graph whose weights are of type T, if it is a list.
  template <class T>
  const Edges<T>& edges() const {
    return std::get<Edges<T>>(body);
  }
  template <class T>
  Edges<T>& edges() {
    return std::get<Edges<T>>(body);
  }
  /// How many edges a list has, and their ends.
  std::size_t edgeCount() const { return ends().size(); }
  EndsOf ends() const;
  const Matrix& matrix() const { return std::get<Matrix>(body); }
  Matrix& matrix() { return std::get<Matrix>(body); }
};

/// Calls f with the edges of a list, whatever their type is. A graph, const or not.
template <class AGraph, class F>
decltype(auto) withEdges(AGraph& graph, F&& f) {
  return withType(graph.dtype(), [&](auto zero) -> decltype(auto) {
    return f(graph.template edges<decltype(zero)>());
  });
}

inline EndsOf Graph::ends() const {
  return withEdges(*this, [](const auto& edges) { return EndsOf(edges); });
}

/// No edges of that type, or an empty matrix.
Graph emptyGraph(int n, Dtype dtype, bool dense = false);

/// Edges that are not in a graph.
struct Dropped {
  std::size_t duplicates = 0;    ///< the same pair had another edge of this weight or a lower one
  std::size_t otherWeights = 0;  ///< those of them whose weight differed from the other's
  std::size_t selfLoops = 0;     ///< edges i→i
  std::optional<AnyEdge> negativeLoop = {};  ///< the lightest self-loop of negative weight
};

/// Sorts, keeps the lightest of parallel edges and drops self-loops. The caller has checked
/// 0 ≤ from, to < n and weight < infinity. dropped: gets what was dropped, unless it is null.
template <class T>
Graph fromEdges(int n, Edges<T> edges, Dropped* dropped = nullptr);

/// What addReverses() did.
struct Reversed {
  std::size_t added = 0;       ///< edges
  std::size_t twoWeights = 0;  ///< pairs whose directions had different weights
};

/// Makes the graph undirected: every edge also exists backwards, and if both directions were there,
/// the lighter weight counts. A matrix changes in place. Edges take up to four times their memory
/// for a moment. Throws Error(kMemory).
Reversed addReverses(Graph& graph);

/// Makes every weight 1, and forgets those that were there.
void ignoreWeights(Graph& graph);

/// Whether the graph is a list of two or more edges and none of them exists backwards. Then the
/// file of an undirected graph may have each edge once.
bool isOneWay(const Graph& graph);

/// Weights become the nearest numbers of another type, as convertedTo() says. Throws
/// Error(kMemory).
void convert(Graph& graph, Dtype dtype);
template <class To, class From>
Edges<To> converted(const Edges<From>& edges) {
  Edges<To> all;
  all.reserve(edges.size());
  for (const Edge<From>& e : edges) all.push_back({e.from, e.to, convertedTo<To>(e.weight)});
  return all;
}

/// Every weight below infinity becomes 0.
void zeroWeights(std::size_t count, Elements elements);

/// The same graph as a matrix; a matrix is moved through. Throws Error(kMemory) before allocating.
Matrix toMatrix(Graph graph);

/// Writes edges without self-loops, in any order, into an n×n matrix in host memory: the
/// lightest of parallel ones, 0 on the diagonal, infinity elsewhere.
template <class T>
void writeMatrix(int n, const Edges<T>& edges, T* matrix);

/// Writes `count` rows of the matrix of an edge list, (count, n) elements in host memory, from row
/// `first` on.
void writeRows(const Graph& graph, int first, int count, Elements rows);

/// The rows of an n×n matrix that take about 64 MiB, at least one: what is moved at a time where
/// host memory need not hold the whole matrix.
int rowsAtATime(int n, Dtype dtype);

/// The same graph as sorted edges of its type, which is T; an edge list is copied.
template <class T>
Edges<T> toEdges(const Graph& graph);

/// The same graph held as a list of edges. Throws Error(kMemory).
Graph asEdges(const Graph& graph);

/// Where the edges that leave each vertex begin: n + 1 entries. edges: sorted by `from`.
std::vector<std::size_t> edgeStarts(int n, const EndsOf& edges);

/// Finds the edges that leave a vertex, for looks at some vertices of a graph. It counts the edges
/// of all vertices when it is asked first, or searches anew each time if they are many. For one
/// thread. Refers to the edges, which are sorted by `from`.
class OutEdges {
 public:
  OutEdges(int n, const EndsOf& edges) : n_(n), edges_(edges) {}

  int vertices() const { return n_; }
  const EndsOf& all() const { return edges_; }

  /// Those from number `first` on, before number `last`.
  struct Range {
    std::size_t first, last;
    std::size_t size() const { return last - first; }
  };
  Range of(int vertex) const;

  /// As of edgeStarts().
  const std::vector<std::size_t>& starts() const;

 private:
  const int n_;
  const EndsOf edges_;
  mutable std::vector<std::size_t> starts_;  // empty: not counted
};

/// Calls visit(Edge<T>) for every edge in order of (from, to). T: the type of the weights.
template <class Visit>
void forEachEdge(const Graph& graph, Visit visit) {
  withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (!graph.dense()) {
      for (const Edge<T>& e : graph.edges<T>()) visit(e);
      return;
    }
    for (int i = 0; i < graph.n; ++i) {
      const T* const row = graph.matrix().row<T>(i);
      for (int j = 0; j < graph.n; ++j)
        if (i != j && row[j] < kInfinity<T>) visit(Edge<T>{i, j, row[j]});
    }
  });
}

/// What one pass over a graph, or over a matrix of distances, counts.
struct GraphStats {
  std::uint64_t edges = 0;  ///< ordered pairs i ≠ j with an edge (or, of distances, reachable)
  std::uint64_t hash = 0;  ///< the sum of edgeHash() over them: the same for every format and order
  Number maxWeight = 0;    ///< 0 if all are negative
  Number minWeight = 0;    ///< 0 if none is negative
  double leastPositive = 0;  ///< the least above 0; infinity if none is; 0: nobody looked

  /// Adds what was counted in other rows, of numbers of the same type.
  GraphStats& operator+=(const GraphStats& other);
};

/// The same of numbers of one type.
template <class T>
struct Counts {
  std::uint64_t edges = 0, hash = 0;
  T maxWeight = 0, minWeight = 0;
  T leastPositive = kInfinity<T>;

  void add(T number) {
    if (maxWeight < number) maxWeight = number;
    if (number < minWeight) minWeight = number;
    if (0 < number && number < leastPositive) leastPositive = number;
  }
  void add(const Counts& other) {
    edges += other.edges;
    hash += other.hash;
    add(other.maxWeight);
    add(other.minWeight);
    add(other.leastPositive);
  }
  operator GraphStats() const {
    return {edges, hash, maxWeight, minWeight, convertedTo<double>(leastPositive)};
  }
};

/// The hash of one edge, a finaliser of the SplitMix64 kind over (from, to, weight). weight:
/// bitsOf() it. constexpr, so that device code may call it too.
constexpr std::uint64_t edgeHash(std::uint64_t from, std::uint64_t to, std::uint64_t weight) {
  std::uint64_t x = (from << 32 | to) + 0x9e3779b97f4a7c15 * (weight + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Edge count, order-independent hash, the extreme weights and the least positive one of a graph;
/// of an n×n matrix in host memory.
GraphStats graphStats(const Graph& graph);
GraphStats graphStats(int n, ConstElements matrix);
/// Of a block of a matrix: `rows` rows from `row` on, and `columns` columns from `column` on.
GraphStats graphStats(ConstElements block, int row, int rows, int column, int columns);

/// How many edges the graph has. Counts the entries if it is dense.
std::size_t countEdges(const Graph& graph);

/// Transposes in place.
void transpose(Matrix& matrix);

/// The same graph with all edges reversed. Throws Error(kMemory).
Graph reversed(const Graph& graph);

}  // namespace engine
