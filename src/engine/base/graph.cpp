#include "base/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/quantity.h"

namespace {

// ---- Sorting -------------------------------------------------------------------------------

constexpr int kDigitBits = 11;  // 2048 counters and as many write streams stay in the L1 cache

int bitsFor(int n) {
  int bits = 1;
  while (n > 1 && (n - 1) >> bits != 0) ++bits;
  return bits;
}

/// (from, to) as one number of 2 * bits bits, in the order that edges are kept in.
std::uint64_t key(const Edge& e, int bits) {
  return static_cast<std::uint64_t>(e.from) << bits | static_cast<std::uint64_t>(e.to);
}

/// One pass of an LSD radix sort: moves `in` to `out`, stably, by one digit of the key. False, and
/// nothing moved, where all edges share that digit.
bool scatter(const std::vector<Edge>& in, std::vector<Edge>& out, int bits, int shift) {
  constexpr std::uint64_t kMask = (1u << kDigitBits) - 1;
  std::vector<std::size_t> start(kMask + 1);
  for (const Edge& e : in) ++start[key(e, bits) >> shift & kMask];
  if (start[key(in[0], bits) >> shift & kMask] == in.size()) return false;

  std::size_t sum = 0;
  for (std::size_t& s : start) sum += std::exchange(s, sum);
  for (const Edge& e : in) out[start[key(e, bits) >> shift & kMask]++] = e;
  return true;
}

void sortEdges(int n, std::vector<Edge>& edges) {
  const int bits = bitsFor(n);
  const auto before = [bits](const Edge& a, const Edge& b) { return key(a, bits) < key(b, bits); };
  if (std::is_sorted(edges.begin(), edges.end(), before)) return;

  requireHostBytes(edges.size() * sizeof(Edge), "sorting the edges");
  std::vector<Edge> other(edges.size());
  const int passes = (2 * bits + kDigitBits - 1) / kDigitBits;
  Progress sorting("sorting edges", static_cast<std::uint64_t>(passes));
  for (int pass = 0; pass < passes; ++pass, sorting.advance())
    if (scatter(edges, other, bits, pass * kDigitBits)) edges.swap(other);
}

// ---- Parallel edges ------------------------------------------------------------------------

int lighter(int a, int b, Dtype dtype) {
  return isLess(b, a, dtype) ? b : a;
}

struct Dropped {
  std::size_t selfLoops = 0, duplicates = 0;
  std::size_t otherWeights = 0;  // duplicates that did not weigh the same as what they duplicate
  std::optional<Edge> negativeLoop = {};
};

/// Drops self-loops, and all but the lightest of parallel edges, from a sorted list.
Dropped keepLightest(std::vector<Edge>& edges, Dtype dtype) {
  Dropped dropped;
  std::size_t kept = 0;
  for (const Edge& e : edges) {
    if (e.from == e.to) {
      ++dropped.selfLoops;
      if (e.weight < 0 &&
          (!dropped.negativeLoop || isLess(e.weight, dropped.negativeLoop->weight, dtype)))
        dropped.negativeLoop = e;
    } else if (kept > 0 && edges[kept - 1].from == e.from && edges[kept - 1].to == e.to) {
      ++dropped.duplicates;
      dropped.otherWeights += edges[kept - 1].weight != e.weight;
      edges[kept - 1].weight = lighter(edges[kept - 1].weight, e.weight, dtype);
    } else {
      edges[kept++] = e;
    }
  }
  edges.resize(kept);
  return dropped;
}

// ---- Reverses ------------------------------------------------------------------------------

/// Finds edges in a sorted list.
class EdgeIndex {
 public:
  explicit EdgeIndex(const Graph& graph) : edges_(graph.edges()) {
    const std::size_t n = static_cast<std::size_t>(graph.n);
    if (n > edges_.size()) return;  // the index would take more memory than the edges
    starts_.resize(n + 1);
    for (const Edge& e : edges_) ++starts_[static_cast<std::size_t>(e.from) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  }
  bool contains(int from, int to) const {
    auto first = edges_.begin(), last = edges_.end();
    if (!starts_.empty()) {
      last = first + starts_[static_cast<std::size_t>(from) + 1];
      first += starts_[static_cast<std::size_t>(from)];
    }
    const auto before = [](const Edge& a, const Edge& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    };
    return std::binary_search(first, last, Edge{from, to, 0}, before);
  }

 private:
  const std::vector<Edge>& edges_;
  std::vector<std::ptrdiff_t> starts_;  // of the edges from each vertex; empty: no index
};

void addReverses(Matrix& matrix, Graph& counts) {
  constexpr int kTile = 32;  // a tile and its mirror image stay in the L1 cache
  const int n = matrix.n(), none = infinity(counts.dtype);
  std::size_t reverses = 0, twoWeights = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : reverses, twoWeights)
  for (int top = 0; top < n; top += kTile)
    for (int left = 0; left <= top; left += kTile)
      for (int i = top; i < std::min(top + kTile, n); ++i)
        for (int j = left; j < std::min(left + kTile, i); ++j) {
          int &one = matrix.row(i)[j], &other = matrix.row(j)[i];
          if (one == other) continue;
          ++(std::max(one, other) == none ? reverses : twoWeights);
          one = other = lighter(one, other, counts.dtype);
        }
  counts.reverses = reverses;
  counts.twoWeights = twoWeights;
}

void addReverses(int n, std::vector<Edge>& edges, Graph& counts) {
  const std::size_t given = edges.size();
  requireHostBytes(2 * given * sizeof(Edge), "the edges and their reverses");
  edges.reserve(2 * given);
  for (std::size_t k = 0; k < given; ++k)
    edges.push_back({edges[k].to, edges[k].from, edges[k].weight});
  sortEdges(n, edges);
  const Dropped dropped = keepLightest(edges, counts.dtype);
  counts.reverses = edges.size() - given;
  counts.twoWeights = dropped.otherWeights / 2;  // a pair was met in both directions
}

}  // namespace

std::string weightText(int element, Dtype dtype) {
  if (element == infinity(dtype)) return "inf";
  return withNumber(element, dtype, [](auto number) { return fmt::format("{}", number); });
}

Matrix::Matrix(int n) : n_(n) {
  if (n == 0) return;
  constexpr std::size_t kAlignment = 64;
  const std::size_t bytes = (size() * sizeof(int) + kAlignment - 1) / kAlignment * kAlignment;
  const std::string what = fmt::format("a {} x {} matrix", n, n);
  requireHostBytes(bytes, what.c_str());
  data_.reset(static_cast<int*>(std::aligned_alloc(kAlignment, bytes)));
  if (!data_)
    throw Error(Exit::kMemory, fmt::format("{}: no {} of host memory", what, bytesText(bytes)));
}

Graph fromEdges(int n, std::vector<Edge> edges, Dtype dtype) {
  sortEdges(n, edges);
  Graph graph;
  graph.n = n;
  graph.dtype = dtype;
  const Dropped dropped = keepLightest(edges, dtype);
  graph.duplicates = dropped.duplicates;
  graph.selfLoops = dropped.selfLoops;
  graph.negativeLoop = dropped.negativeLoop;
  graph.body = std::move(edges);
  return graph;
}

void addReverses(Graph& graph) {
  if (graph.dense())
    addReverses(std::get<Matrix>(graph.body), graph);
  else
    addReverses(graph.n, std::get<std::vector<Edge>>(graph.body), graph);
}

bool isOneWay(const Graph& graph) {
  if (graph.dense() || graph.edges().size() < 2) return false;
  const std::vector<Edge>& edges = graph.edges();
  const auto isUp = [](const Edge& e) { return e.from < e.to; };
  if (std::all_of(edges.begin(), edges.end(), isUp)) return true;
  const EdgeIndex index(graph);
  std::atomic<bool> found = false;  // then the other edges need no search
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (!isUp(edges[k]) || found.load(std::memory_order_relaxed)) continue;
    if (index.contains(edges[k].to, edges[k].from)) found = true;
  }
  return !found;
}

void toFloats(Graph& graph) {
  if (graph.dtype == Dtype::kFloat32) return;
  graph.dtype = Dtype::kFloat32;
  if (graph.dense()) {
    Matrix& matrix = std::get<Matrix>(graph.body);
    toFloats(matrix.size(), matrix.data());
  } else {
    toFloats(std::get<std::vector<Edge>>(graph.body));
  }
}

void toFloats(std::vector<Edge>& edges) {
  for (Edge& e : edges) e.weight = floatWord(e.weight);
}

void toFloats(std::size_t count, int* elements) {
#pragma omp parallel for
  for (std::size_t i = 0; i < count; ++i) elements[i] = floatWord(elements[i]);
}

Matrix toMatrix(Graph graph) {
  if (graph.dense()) return std::get<Matrix>(std::move(graph.body));
  Matrix matrix(graph.n);
  writeMatrix(graph.n, graph.edges(), matrix.data(), graph.dtype);
  return matrix;
}

void writeMatrix(int n, const std::vector<Edge>& edges, int* matrix, Dtype dtype) {
  const auto row = [=](int i) { return matrix + static_cast<std::size_t>(i) * n; };
  Progress rows("making a matrix of the edges", static_cast<std::uint64_t>(n));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::fill_n(row(i), n, infinity(dtype));
    row(i)[i] = 0;
    rows.advance();
  }
  for (const Edge& e : edges) {
    int& entry = row(e.from)[e.to];
    entry = lighter(entry, e.weight, dtype);
  }
}

void writeRows(const Graph& graph, int first, int count, int* rows) {
  const int n = graph.n;
  Progress written("making a matrix of the edges", static_cast<std::uint64_t>(count));
#pragma omp parallel for if (count >= kWorthThreads)
  for (int r = 0; r < count; ++r) {
    int* const row = rows + static_cast<std::size_t>(r) * n;
    std::fill_n(row, n, infinity(graph.dtype));
    row[first + r] = 0;
    const auto before = [](const Edge& edge, int from) { return edge.from < from; };
    const auto end = graph.edges().end();
    auto edge = std::lower_bound(graph.edges().begin(), end, first + r, before);
    for (; edge != end && edge->from == first + r; ++edge) row[edge->to] = edge->weight;
    written.advance();
  }
}

int rowsAtATime(int n) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::size_t rows = std::max(n, 1), row = rows * sizeof(int);
  return static_cast<int>(std::clamp<std::size_t>(kBytes / row, 1, rows));
}

std::vector<Edge> toEdges(const Graph& graph) {
  if (!graph.dense()) return graph.edges();
  const std::size_t count = graphStats(graph).edges;
  requireHostBytes(count * sizeof(Edge), "the edge list of a dense graph");
  std::vector<Edge> edges;
  edges.reserve(count);
  forEachEdge(graph, [&](const Edge& e) { edges.push_back(e); });
  return edges;
}

std::vector<std::size_t> edgeStarts(int n, const std::vector<Edge>& edges) {
  std::vector<std::size_t> first(static_cast<std::size_t>(n) + 1, 0);
  for (const Edge& e : edges) ++first[static_cast<std::size_t>(e.from) + 1];
  for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
  return first;
}

void zeroWeights(std::size_t count, int* elements, Dtype dtype) {
  std::replace_if(
      elements, elements + count, [=](int weight) { return weight < infinity(dtype); }, 0);
}

GraphStats& GraphStats::operator+=(const GraphStats& other) {
  edges += other.edges;
  hash += other.hash;
  maxWeight = std::max(maxWeight, other.maxWeight);
  minWeight = std::min(minWeight, other.minWeight);
  return *this;
}

GraphStats graphStats(const Graph& graph) {
  if (graph.dense()) return graphStats(graph.n, graph.matrix().data(), graph.dtype);
  GraphStats t;
  t.edges = graph.edges().size();
  for (const Edge& e : graph.edges()) {
    t.hash += edgeHash(e.from, e.to, e.weight);
    t.maxWeight = std::max(t.maxWeight, e.weight);
    t.minWeight = std::min(t.minWeight, e.weight);
  }
  return t;
}

GraphStats graphStats(int n, const int* matrix, Dtype dtype) {
  return graphStats(matrix, dtype, 0, n, 0, n);
}

GraphStats graphStats(const int* block, Dtype dtype, int row, int rows, int column, int columns) {
  const int none = infinity(dtype);
  std::uint64_t edges = 0, hash = 0;
  int maxWeight = 0, minWeight = 0;
#pragma omp parallel for reduction(+ : edges, hash) reduction(max : maxWeight) \
    reduction(min : minWeight)
  for (int r = 0; r < rows; ++r) {
    const int* const weights = block + static_cast<std::size_t>(r) * columns;
    const int i = row + r;
    for (int c = 0; c < columns; ++c) {
      const int j = column + c;
      if (i == j || weights[c] >= none) continue;
      ++edges;
      hash += edgeHash(i, j, weights[c]);
      maxWeight = std::max(maxWeight, weights[c]);
      minWeight = std::min(minWeight, weights[c]);
    }
  }
  return {edges, hash, maxWeight, minWeight};
}

void transpose(Matrix& matrix) {
  constexpr int kTile = 32;  // a tile and its mirror image stay in the L1 cache
  const int n = matrix.n();
#pragma omp parallel for schedule(dynamic)
  for (int top = 0; top < n; top += kTile)
    for (int left = 0; left <= top; left += kTile)
      for (int i = top; i < std::min(top + kTile, n); ++i)
        for (int j = left; j < std::min(left + kTile, i); ++j)
          std::swap(matrix.row(i)[j], matrix.row(j)[i]);
}

std::size_t countEdges(const Graph& graph) {
  if (!graph.dense()) return graph.edges().size();
  const int* matrix = graph.matrix().data();
  const std::size_t size = graph.matrix().size();
  const int none = infinity(graph.dtype);
  std::size_t count = 0;
#pragma omp parallel for simd reduction(+ : count)
  for (std::size_t i = 0; i < size; ++i) count += matrix[i] < none;
  return count - static_cast<std::size_t>(graph.n);  // the diagonal
}

Graph reversed(const Graph& graph) {
  if (!graph.dense()) {
    std::vector<Edge> edges = graph.edges();
    for (Edge& edge : edges) std::swap(edge.from, edge.to);
    return fromEdges(graph.n, std::move(edges), graph.dtype);
  }
  Graph result;
  result.n = graph.n;
  result.dtype = graph.dtype;
  Matrix matrix(graph.n);
  std::copy_n(graph.matrix().data(), matrix.size(), matrix.data());
  transpose(matrix);
  result.body = std::move(matrix);
  return result;
}
