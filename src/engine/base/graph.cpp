#include "base/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/size.h"
#include "base/thread_team.h"

namespace engine {

namespace {

// ---- Sorting -------------------------------------------------------------------------------

constexpr int kDigitBits = 11;  // 2048 counters and as many write streams stay in the L1 cache

int bitsFor(int n) {
  int bits = 1;
  while (n > 1 && (n - 1) >> bits != 0) ++bits;
  return bits;
}

/// (from, to) as one number of 2 * bits bits, in the order that edges are kept in.
template <class T>
std::uint64_t key(const Edge<T>& e, int bits) {
  return static_cast<std::uint64_t>(e.from) << bits | static_cast<std::uint64_t>(e.to);
}

/// One pass of an LSD radix sort: moves `in` to `out`, stably, by one digit of the key. False, and
/// nothing moved, where all edges share that digit.
template <class T>
bool scatter(const Edges<T>& in, Edges<T>& out, int bits, int shift) {
  constexpr std::uint64_t kMask = (1u << kDigitBits) - 1;
  std::vector<std::size_t> start(kMask + 1);
  for (const Edge<T>& e : in) ++start[key(e, bits) >> shift & kMask];
  if (start[key(in[0], bits) >> shift & kMask] == in.size()) return false;

  std::size_t sum = 0;
  for (std::size_t& s : start) sum += std::exchange(s, sum);
  for (const Edge<T>& e : in) out[start[key(e, bits) >> shift & kMask]++] = e;
  return true;
}

/// Sorts a few edges, stably.
template <class Iterator, class Before>
void insertEach(Iterator begin, Iterator end, const Before& before) {
  for (Iterator next = begin; next != end; ++next) {
    const auto edge = *next;
    Iterator to = next;
    for (; to != begin && before(edge, *(to - 1)); --to) *to = *(to - 1);
    *to = edge;
  }
}

/// Sorts edges that lie by the vertex that they leave, as a rule in a list by tails, if no vertex
/// has many. Sorts few edges of any order. Returns false, with all edges in some order, if it is
/// for the radix sort, whose counters alone take longer than this.
template <class T, class Before>
bool sortInserting(Edges<T>& edges, const Before& before) {
  constexpr std::ptrdiff_t kFew = 32;
  if (static_cast<std::ptrdiff_t>(edges.size()) <= kFew) {
    insertEach(edges.begin(), edges.end(), before);
    return true;
  }
  for (auto begin = edges.begin(), end = begin; begin != edges.end(); begin = end) {
    while (end != edges.end() && end->from == begin->from) ++end;
    if (end - begin > kFew || (end != edges.end() && end->from < begin->from)) return false;
    insertEach(begin, end, [](const Edge<T>& a, const Edge<T>& b) { return a.to < b.to; });
  }
  return true;
}

template <class T>
void sortEdges(int n, Edges<T>& edges) {
  const int bits = bitsFor(n);
  const auto before = [bits](const Edge<T>& a, const Edge<T>& b) {
    return key(a, bits) < key(b, bits);
  };
  if (std::is_sorted(edges.begin(), edges.end(), before)) return;
  if (sortInserting(edges, before)) return;

  requireHostBytes(edges.size() * sizeof(Edge<T>), "sorting the edges");
  Edges<T> other(edges.size());
  const int passes = (2 * bits + kDigitBits - 1) / kDigitBits;
  Progress sorting("sorting edges", static_cast<std::uint64_t>(passes));
  for (int pass = 0; pass < passes; ++pass, sorting.advance())
    if (scatter(edges, other, bits, pass * kDigitBits)) edges.swap(other);
}

// ---- Parallel edges ------------------------------------------------------------------------

/// Drops self-loops, and all but the lightest of parallel edges, from a sorted list.
template <class T>
Dropped keepLightest(Edges<T>& edges) {
  Dropped dropped;
  T lightestLoop = 0;
  Edge<T>* const first = edges.data();
  Edge<T>* kept = first;  // the end of those that are kept
  for (const Edge<T>& e : edges) {
    if (e.from == e.to) {
      ++dropped.selfLoops;
      if (e.weight < lightestLoop) dropped.negativeLoop = {e.from, e.to, lightestLoop = e.weight};
    } else if (kept != first && kept[-1].to == e.to && kept[-1].from == e.from) {
      ++dropped.duplicates;
      dropped.otherWeights += kept[-1].weight != e.weight;
      kept[-1].weight = std::min(kept[-1].weight, e.weight);
    } else {
      *kept++ = e;
    }
  }
  edges.resize(static_cast<std::size_t>(kept - first));
  return dropped;
}

// ---- Reverses ------------------------------------------------------------------------------

/// Finds edges in a sorted list.
template <class T>
class EdgeIndex {
 public:
  EdgeIndex(int vertices, const Edges<T>& edges) : edges_(edges) {
    const std::size_t n = asSize(vertices);
    if (n > edges_.size()) return;  // the index would take more memory than the edges
    starts_.resize(n + 1);
    for (const Edge<T>& e : edges_) ++starts_[asSize(e.from) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  }
  bool contains(int from, int to) const {
    auto first = edges_.begin(), last = edges_.end();
    if (!starts_.empty()) {
      last = first + starts_[asSize(from) + 1];
      first += starts_[asSize(from)];
    }
    const auto before = [](const Edge<T>& a, const Edge<T>& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    };
    return std::binary_search(first, last, Edge<T>{from, to, 0}, before);
  }

 private:
  const Edges<T>& edges_;
  std::vector<std::ptrdiff_t> starts_;  // of the edges from each vertex; empty: no index
};

/// matrix: (n, n)
template <class T>
Reversed addReverses(int n, T* matrix) {
  constexpr int kTile = 32;  // a tile and its mirror image stay in the L1 cache
  std::size_t reverses = 0, twoWeights = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : reverses, twoWeights)
  for (int top = 0; top < n; top += kTile)
    for (int left = 0; left <= top; left += kTile)
      for (int i = top; i < std::min(top + kTile, n); ++i)
        for (int j = left; j < std::min(left + kTile, i); ++j) {
          T &one = matrix[asSize(i) * n + j], &other = matrix[asSize(j) * n + i];
          if (one == other) continue;
          ++(std::max(one, other) == kInfinity<T> ? reverses : twoWeights);
          one = other = std::min(one, other);
        }
  return {reverses, twoWeights};
}

template <class T>
Reversed addReverses(int n, Edges<T>& edges) {
  const std::size_t given = edges.size();
  requireHostBytes(2 * given * sizeof(Edge<T>), "the edges and their reverses");
  edges.reserve(2 * given);
  for (std::size_t k = 0; k < given; ++k)
    edges.push_back({edges[k].to, edges[k].from, edges[k].weight});
  sortEdges(n, edges);
  const Dropped dropped = keepLightest(edges);
  return {edges.size() - given, dropped.otherWeights / 2};  // a pair was met in both directions
}

}  // namespace

std::string textOf(const Number& number) {
  return std::visit(
      [](auto value) {
        return value == kInfinity<decltype(value)> ? std::string("inf") : fmt::format("{}", value);
      },
      number);
}

Matrix::Matrix(int n, Dtype dtype) : n_(n), dtype_(dtype) {
  if (n == 0) return;
  constexpr std::size_t kAlignment = 64;
  const std::size_t bytes = (matrixBytes(n, dtype) + kAlignment - 1) / kAlignment * kAlignment;
  const std::string what = fmt::format("a {} x {} matrix", n, n);
  requireHostBytes(bytes, what.c_str());
  data_.reset(std::aligned_alloc(kAlignment, bytes));
  if (!data_)
    throw Error(ErrorCode::kMemory,
                fmt::format("{}: no {} of host memory", what, bytesText(bytes)));
}

Graph emptyGraph(int n, Dtype dtype, bool dense) {
  Graph graph;
  graph.n = n;
  if (dense)
    graph.body = Matrix(0, dtype);
  else
    withType(dtype, [&](auto zero) { graph.body = Edges<decltype(zero)>(); });
  return graph;
}

template <class T>
Graph fromEdges(int n, Edges<T> edges, Dropped* dropped) {
  sortEdges(n, edges);
  Graph graph;
  graph.n = n;
  const Dropped all = keepLightest(edges);
  if (dropped != nullptr) *dropped = all;
  graph.body = std::move(edges);
  return graph;
}
template Graph fromEdges(int, Edges<std::int32_t>, Dropped*);
template Graph fromEdges(int, Edges<float>, Dropped*);
template Graph fromEdges(int, Edges<std::int64_t>, Dropped*);
template Graph fromEdges(int, Edges<double>, Dropped*);

Reversed addReverses(Graph& graph) {
  if (graph.dense())
    return withElements(graph.matrix().data(),
                        [&](auto* matrix) { return addReverses(graph.n, matrix); });
  return withEdges(graph, [&](auto& edges) { return addReverses(graph.n, edges); });
}

void ignoreWeights(Graph& graph) {
  if (graph.dense())
    withElements(graph.matrix().data(), [&](auto* matrix) {
      using T = NumberAt<decltype(matrix)>;
      for (int i = 0; i < graph.n; ++i)
        for (int j = 0; j < graph.n; ++j, ++matrix)
          if (i != j && *matrix != kInfinity<T>) *matrix = 1;
    });
  else
    withEdges(graph, [](auto& edges) {
      for (auto& edge : edges) edge.weight = 1;
    });
}

namespace {

template <class T>
bool isOneWay(int n, const Edges<T>& edges) {
  if (edges.size() < 2) return false;
  const auto isUp = [](const Edge<T>& e) { return e.from < e.to; };
  if (std::all_of(edges.begin(), edges.end(), isUp)) return true;
  const EdgeIndex<T> index(n, edges);
  std::atomic<bool> found = false;  // then the other edges need no search
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (!isUp(edges[k]) || found.load(std::memory_order_relaxed)) continue;
    if (index.contains(edges[k].to, edges[k].from)) found = true;
  }
  return !found;
}

/// A matrix of another type.
template <class To, class From>
Matrix converted(const Matrix& matrix) {
  Matrix other(matrix.n(), kDtype<To>);
  const From* const from = matrix.data().as<From>();
  To* const to = other.data().template as<To>();
#pragma omp parallel for
  for (std::size_t i = 0; i < matrix.size(); ++i) to[i] = convertedTo<To>(from[i]);
  return other;
}

template <class T>
void writeRows(int n, const Edges<T>& edges, int first, int count, T* rows) {
  Progress written("making a matrix of the edges", static_cast<std::uint64_t>(count));
  inParts(count, rowsInPart(n), [&](int begin, int end) {
    for (int r = begin; r < end; ++r, written.advance()) {
      T* const row = rows + asSize(r) * n;
      std::fill_n(row, n, kInfinity<T>);
      row[first + r] = 0;
      const auto before = [](const Edge<T>& edge, int from) { return edge.from < from; };
      auto edge = std::lower_bound(edges.begin(), edges.end(), first + r, before);
      for (; edge != edges.end() && edge->from == first + r; ++edge) row[edge->to] = edge->weight;
    }
  });
}

}  // namespace

bool isOneWay(const Graph& graph) {
  if (graph.dense()) return false;
  return withEdges(graph, [&](const auto& edges) { return isOneWay(graph.n, edges); });
}

void convert(Graph& graph, Dtype dtype) {
  if (graph.dtype() == dtype) return;
  withType(graph.dtype(), [&](auto from) {
    withType(dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      if (graph.dense()) {
        graph.body = converted<To, From>(graph.matrix());
        return;
      }
      requireHostBytes(graph.edgeCount() * sizeof(Edge<To>), "the edges with other weights");
      graph.body = converted<To>(graph.edges<From>());
    });
  });
}

Matrix toMatrix(Graph graph) {
  if (graph.dense()) return std::move(graph.matrix());
  Matrix matrix(graph.n, graph.dtype());
  withEdges(graph, [&](const auto& edges) {
    using T = decltype(edges.front().weight);
    writeMatrix(graph.n, edges, matrix.data().as<T>());
  });
  return matrix;
}

template <class T>
void writeMatrix(int n, const Edges<T>& edges, T* matrix) {
  const auto row = [=](int i) { return matrix + asSize(i) * n; };
  Progress rows("making a matrix of the edges", static_cast<std::uint64_t>(n));
  inParts(n, rowsInPart(n), [&](int begin, int end) {
    for (int i = begin; i < end; ++i, rows.advance()) {
      std::fill_n(row(i), n, kInfinity<T>);
      row(i)[i] = 0;
    }
  });
  for (const Edge<T>& e : edges) {
    T& entry = row(e.from)[e.to];
    entry = std::min(entry, e.weight);
  }
}
template void writeMatrix(int, const Edges<std::int32_t>&, std::int32_t*);
template void writeMatrix(int, const Edges<float>&, float*);
template void writeMatrix(int, const Edges<std::int64_t>&, std::int64_t*);
template void writeMatrix(int, const Edges<double>&, double*);

void writeRows(const Graph& graph, int first, int count, Elements rows) {
  withElements(rows, [&](auto* to) {
    using T = std::remove_pointer_t<decltype(to)>;
    writeRows(graph.n, graph.edges<T>(), first, count, to);
  });
}

int rowsAtATime(int n, Dtype dtype) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::size_t rows = std::max(n, 1), row = rows * sizeOf(dtype);
  return static_cast<int>(std::clamp<std::size_t>(kBytes / row, 1, rows));
}

template <class T>
Edges<T> toEdges(const Graph& graph) {
  if (!graph.dense()) return graph.edges<T>();
  const std::size_t count = graphStats(graph).edges;
  requireHostBytes(count * sizeof(Edge<T>), "the edge list of a dense graph");
  Edges<T> edges;
  edges.reserve(count);
  for (int i = 0; i < graph.n; ++i) {
    const T* const row = graph.matrix().row<T>(i);
    for (int j = 0; j < graph.n; ++j)
      if (i != j && row[j] < kInfinity<T>) edges.push_back({i, j, row[j]});
  }
  return edges;
}
template Edges<std::int32_t> toEdges(const Graph&);
template Edges<float> toEdges(const Graph&);
template Edges<std::int64_t> toEdges(const Graph&);
template Edges<double> toEdges(const Graph&);

Graph asEdges(const Graph& graph) {
  Graph list = emptyGraph(graph.n, graph.dtype());
  withEdges(list, [&](auto& edges) { edges = toEdges<decltype(edges[0].weight)>(graph); });
  return list;
}

std::vector<std::size_t> edgeStarts(int n, const EndsOf& edges) {
  std::vector<std::size_t> first(asSize(n) + 1, 0);
  for (const Ends e : edges) ++first[asSize(e.from) + 1];
  for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
  return first;
}

const std::vector<std::size_t>& OutEdges::starts() const {
  if (starts_.empty()) starts_ = edgeStarts(n_, edges_);
  return starts_;
}

OutEdges::Range OutEdges::of(int vertex) const {
  constexpr std::size_t kFew = 4;  // edges a vertex: to count them takes as long as some looks
  if (!starts_.empty() || edges_.size() <= kFew * asSize(n_))
    return {starts()[asSize(vertex)], starts()[asSize(vertex) + 1]};
  std::size_t first = 0, end = edges_.size();
  while (first < end) {  // those before `first` leave earlier vertices, those from `end` on do not
    const std::size_t middle = first + (end - first) / 2;
    if (edges_[middle].from < vertex)
      first = middle + 1;
    else
      end = middle;
  }
  std::size_t last = first;
  while (last < edges_.size() && edges_[last].from == vertex) ++last;
  return {first, last};
}

void zeroWeights(std::size_t count, Elements elements) {
  withElements(elements, [&](auto* begin) {
    using T = std::remove_pointer_t<decltype(begin)>;
    std::replace_if(
        begin, begin + count, [](T weight) { return weight < kInfinity<T>; }, T(0));
  });
}

GraphStats& GraphStats::operator+=(const GraphStats& other) {
  if (edges == 0)
    leastPositive = other.leastPositive;
  else if (other.edges != 0)
    leastPositive = std::min(leastPositive, other.leastPositive);
  edges += other.edges;
  hash += other.hash;
  // A count of nothing may have another type.
  if (maxWeight.index() != other.maxWeight.index()) {
    if (edges == other.edges) maxWeight = other.maxWeight, minWeight = other.minWeight;
    return *this;
  }
  maxWeight = std::max(maxWeight, other.maxWeight);
  minWeight = std::min(minWeight, other.minWeight);
  return *this;
}

GraphStats graphStats(const Graph& graph) {
  if (graph.dense()) return graphStats(graph.n, graph.matrix().data());
  return withEdges(graph, [](const auto& edges) -> GraphStats {
    Counts<decltype(edges.front().weight)> all;
    all.edges = edges.size();
    for (const auto& e : edges) {
      all.hash += edgeHash(e.from, e.to, bitsOf(e.weight));
      all.add(e.weight);
    }
    return all;
  });
}

GraphStats graphStats(int n, ConstElements matrix) {
  return graphStats(matrix, 0, n, 0, n);
}

namespace {

template <class T>
Counts<T> countsOf(const T* block, int row, int rows, int column, int columns) {
  std::uint64_t edges = 0, hash = 0;
  T maxWeight = 0, minWeight = 0, leastPositive = kInfinity<T>;
#pragma omp parallel for reduction(+ : edges, hash) reduction(max : maxWeight) \
    reduction(min : minWeight, leastPositive)
  for (int r = 0; r < rows; ++r) {
    const T* const weights = block + asSize(r) * columns;
    const int i = row + r;
    for (int c = 0; c < columns; ++c) {
      const int j = column + c;
      if (i == j || weights[c] >= kInfinity<T>) continue;
      ++edges;
      hash += edgeHash(i, j, bitsOf(weights[c]));
      maxWeight = std::max(maxWeight, weights[c]);
      minWeight = std::min(minWeight, weights[c]);
      if (weights[c] > 0) leastPositive = std::min(leastPositive, weights[c]);
    }
  }
  return {edges, hash, maxWeight, minWeight, leastPositive};
}

}  // namespace

GraphStats graphStats(ConstElements block, int row, int rows, int column, int columns) {
  return withElements(block, [&](const auto* weights) -> GraphStats {
    return countsOf(weights, row, rows, column, columns);
  });
}

void transpose(Matrix& matrix) {
  constexpr int kTile = 32;  // a tile and its mirror image stay in the L1 cache
  const int n = matrix.n();
  withElements(matrix.data(), [&](auto* elements) {
#pragma omp parallel for schedule(dynamic)
    for (int top = 0; top < n; top += kTile)
      for (int left = 0; left <= top; left += kTile)
        for (int i = top; i < std::min(top + kTile, n); ++i)
          for (int j = left; j < std::min(left + kTile, i); ++j)
            std::swap(elements[asSize(i) * n + j], elements[asSize(j) * n + i]);
  });
}

std::size_t countEdges(const Graph& graph) {
  if (!graph.dense()) return graph.edgeCount();
  const std::size_t size = graph.matrix().size();
  return withElements(graph.matrix().data(), [&](const auto* matrix) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(matrix)>>;
    std::size_t count = 0;
#pragma omp parallel for simd reduction(+ : count)
    for (std::size_t i = 0; i < size; ++i) count += matrix[i] < kInfinity<T>;
    return count - asSize(graph.n);  // the diagonal
  });
}

Graph reversed(const Graph& graph) {
  if (!graph.dense()) {
    return withEdges(graph, [&](auto edges) {  // a copy
      for (auto& edge : edges) std::swap(edge.from, edge.to);
      return fromEdges(graph.n, std::move(edges));
    });
  }
  Graph result;
  result.n = graph.n;
  Matrix matrix(graph.n, graph.dtype());
  copyElements(graph.matrix().data(), matrix.size(), matrix.data());
  transpose(matrix);
  result.body = std::move(matrix);
  return result;
}

}  // namespace engine
