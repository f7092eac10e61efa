/// The C++ interface of libapsp: owners and exceptions over the C interface (apsp.h), which explains arrays, types and
/// statuses. Header only, C++17.
///
///   libapsp::Graph graph = libapsp::Graph::csr(offsets, heads, weights);  // a view: the vectors stay yours
///   libapsp::Result result = graph.solve();
///   std::vector<int> row = result.rows<int>(0, 1);
#ifndef APSP_APSP_HPP
#define APSP_APSP_HPP

#include <apsp/apsp.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace libapsp {

/// "No edge" and "no path" of int32, and of int64.
inline constexpr std::int32_t kInfinity = APSP_INFINITY;
inline constexpr std::int64_t kInfinity64 = APSP_INFINITY64;

/// What went wrong. what() is one line. Functions that return vectors may also throw std::bad_alloc.
struct Error : std::runtime_error {
  apsp_status status;
  Error(apsp_status of, const std::string& message) : std::runtime_error(message), status(of) {}
};

/// There are no shortest paths. Each vertex of the cycle has an edge to the next one, the last to the first.
struct NegativeCycle : Error {
  std::vector<std::int32_t> cycle;
  explicit NegativeCycle(const std::string& message) : Error(APSP_NEGATIVE_CYCLE, message) {
    cycle.resize(apsp_last_cycle(nullptr, 0));
    apsp_last_cycle(cycle.data(), cycle.size());
  }
};

/// Throws Error, or NegativeCycle, unless the status is APSP_OK.
inline void check(apsp_status status) {
  if (status == APSP_NEGATIVE_CYCLE) throw NegativeCycle(apsp_last_error());
  if (status != APSP_OK) throw Error(status, apsp_last_error());
}

/// The apsp_type of a C++ type: int32_t, float, int64_t or double.
template <class T>
constexpr apsp_type typeOf() {
  constexpr bool real = std::is_same_v<T, float> || std::is_same_v<T, double>;
  static_assert(real || std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>,
                "weights are int32_t, float, int64_t or double");
  if (real) return sizeof(T) == 4 ? APSP_FLOAT32 : APSP_FLOAT64;
  return sizeof(T) == 4 ? APSP_INT32 : APSP_INT64;
}

/// What T is called in messages: "int32_t".
inline const char* nameOf(apsp_type type) {
  switch (type) {
    case APSP_INT32: return "int32_t";
    case APSP_FLOAT32: return "float";
    case APSP_INT64: return "int64_t";
    default: return "double";
  }
}

/// apsp_options with its defaults: `libapsp::Options options; options.place = APSP_CPU;`
struct Options : apsp_options {
  Options() { apsp_options_init(this, sizeof(apsp_options)); }

  /// The vertices whose rows, or columns, are wanted. A view: the vector must stay until the graph is solved or planned.
  /// Without a call, all are wanted. Throws Error(APSP_INVALID) if there are none.
  Options& setSources(const std::vector<std::int32_t>& vertices) {
    sources = viewOf(vertices, "sources");
    source_count = vertices.size();
    return *this;
  }
  Options& setTargets(const std::vector<std::int32_t>& vertices) {
    targets = viewOf(vertices, "targets");
    target_count = vertices.size();
    return *this;
  }
  Options& setSources(std::vector<std::int32_t>&&) = delete;  // it would not stay
  Options& setTargets(std::vector<std::int32_t>&&) = delete;

 private:
  static const std::int32_t* viewOf(const std::vector<std::int32_t>& vertices, const char* what) {
    if (vertices.empty()) throw Error(APSP_INVALID, std::string(what) + " are none: leave them out if all are wanted");
    return vertices.data();
  }
};

template <class Array>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// Enabled if one of these types of forwarded arguments is that of a temporary vector: a view of it would dangle.
template <class... Arrays>
using IfTemporary = std::enable_if_t<(IsVector<std::remove_const_t<Arrays>>::value || ...)>;

/// The distances of a solve.
class Result {
 public:
  explicit Result(apsp_result* owned) : result_(owned, apsp_result_free) {}

  /// The C interface's handle, which this object owns.
  apsp_result* get() const { return result_.get(); }

  /// What the solve did.
  apsp_info info() const {
    apsp_info info{};
    info.size = sizeof info;
    check(apsp_result_info(get(), &info));
    return info;
  }

  /// `count` rows from row `first` on: (count, columns), row after row. Row i is that of vertex i, or of sources[i] if
  /// there are sources. T: int32_t, float, int64_t or double, the type of the weights.
  template <class T>
  std::vector<T> rows(std::int32_t first, std::int32_t count) const {
    requireType<T>();
    std::vector<T> distances(static_cast<std::size_t>(count < 0 ? 0 : count) * static_cast<std::size_t>(info().columns));
    check(apsp_result_rows(get(), first, count, distances.data()));
    return distances;
  }

  /// The same of whole distances below 255 or 65535, which stands for no path. T: uint8_t or uint16_t. Since 0.5.
  template <class T>
  std::vector<T> narrowRows(std::int32_t first, std::int32_t count) const {
    static_assert(std::is_same<T, std::uint8_t>::value || std::is_same<T, std::uint16_t>::value, "narrow types");
    std::vector<T> distances(static_cast<std::size_t>(count < 0 ? 0 : count) * static_cast<std::size_t>(info().columns));
    check(apsp_result_narrow(get(), first, count, sizeof(T), distances.data()));
    return distances;
  }

  /// All distances: (rows, columns), row after row.
  template <class T>
  std::vector<T> matrix() const {
    return rows<T>(0, info().rows);
  }

  /// Writes all distances into host or device memory; `stride` elements lie from one row to the next. Into device memory
  /// they are written on the stream of the solve: apsp_result_matrix() says when.
  template <class T>
  void copyTo(T* distances, std::ptrdiff_t stride, apsp_memory where = APSP_HOST) const {
    requireType<T>();
    check(apsp_result_matrix(get(), distances, stride, where));
  }

  /// The distance between two vertices, of a result with all distances: kInfinity, kInfinity64 or +inf if there is no path.
  template <class T>
  T distance(std::int32_t from, std::int32_t to) const {
    const apsp_info all = info();
    if (all.rows != all.n || all.columns != all.n) throw Error(APSP_INVALID, "some distances were solved only: take rows()");
    if (to < 0 || to >= all.n) throw Error(APSP_INVALID, "to is " + std::to_string(to) + ": there is no such vertex");
    const std::vector<T> row = rows<T>(from, 1);
    return row[static_cast<std::size_t>(to)];
  }

  /// The vertices of a shortest path between two vertices, both included; empty if there is none.
  std::vector<std::int32_t> path(std::int32_t from, std::int32_t to) const {
    std::vector<std::int32_t> vertices(static_cast<std::size_t>(info().n));
    std::size_t count = 0;
    check(apsp_result_path(get(), from, to, vertices.data(), vertices.size(), &count));
    vertices.resize(count);
    return vertices;
  }

  /// The vertex before each one on a shortest path from `count` sources from row `first` on: (count, n); -9999 where
  /// there is none.
  std::vector<std::int32_t> predecessors(std::int32_t first, std::int32_t count) const {
    std::vector<std::int32_t> found(static_cast<std::size_t>(count < 0 ? 0 : count) * static_cast<std::size_t>(info().n));
    check(apsp_result_predecessors(get(), first, count, found.data()));
    return found;
  }

  /// What each row comes to: (rows).
  std::vector<apsp_summary> summaries() const {
    std::vector<apsp_summary> found(static_cast<std::size_t>(info().rows));
    check(apsp_result_summaries(get(), found.data()));
    return found;
  }

  /// Since 0.5. The nearest target of each source, and the farthest: (rows) vertices; -1 if it reaches none.
  std::vector<std::int32_t> nearestEnds() const {
    std::vector<std::int32_t> found(static_cast<std::size_t>(info().rows));
    check(apsp_result_ends(get(), found.data(), nullptr));
    return found;
  }
  std::vector<std::int32_t> farthestEnds() const {
    std::vector<std::int32_t> found(static_cast<std::size_t>(info().rows));
    check(apsp_result_ends(get(), nullptr, found.data()));
    return found;
  }

  /// Sums of 1/d over distances d other than 0: of each row, and of each column.
  std::vector<double> outHarmonic() const {
    std::vector<double> found(static_cast<std::size_t>(info().rows));
    check(apsp_result_harmonic(get(), found.data(), nullptr));
    return found;
  }
  std::vector<double> inHarmonic() const {
    std::vector<double> found(static_cast<std::size_t>(info().columns));
    check(apsp_result_harmonic(get(), nullptr, found.data()));
    return found;
  }

  /// What all distances come to.
  apsp_measures measures() const {
    apsp_measures found = {};
    found.size = sizeof found;
    check(apsp_result_measures(get(), &found));
    return found;
  }

  /// How many pairs have which distance.
  std::vector<apsp_bin> histogram() const {
    std::vector<apsp_bin> bins(APSP_MOST_BINS);
    std::size_t count = 0;
    check(apsp_result_histogram(get(), bins.data(), &count));
    bins.resize(count);
    return bins;
  }

  /// What each column comes to, of a result with all distances: (n).
  std::vector<apsp_incoming> incoming() const {
    std::vector<apsp_incoming> found(static_cast<std::size_t>(info().n));
    check(apsp_result_incoming(get(), found.data()));
    return found;
  }

 private:
  template <class T>
  void requireType() const {
    if (info().type == typeOf<T>()) return;
    throw Error(APSP_INVALID, std::string("the distances are ") + nameOf(info().type));
  }

  std::unique_ptr<apsp_result, void (*)(apsp_result*)> result_;
};

/// A graph, as a view of the caller's arrays: they must stay as they are as long as it lives.
class Graph {
 public:
  explicit Graph(apsp_graph* owned) : graph_(owned, apsp_graph_free) {}

  /// Directed edges by the vertex that they leave. offsets: (n + 1) of int32_t or int64_t; heads, weights: a number for
  /// each edge.
  template <class Offset, class T>
  static Graph csr(std::int32_t n, const Offset* offsets, const std::int32_t* heads, const T* weights) {
    static_assert(std::is_integral_v<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8), "offsets are int32_t or int64_t");
    apsp_graph* graph = nullptr;
    if constexpr (sizeof(Offset) == 4)
      check(apsp_graph_csr32(n, reinterpret_cast<const std::int32_t*>(offsets), heads, typeOf<T>(), weights, &graph));
    else
      check(apsp_graph_csr64(n, reinterpret_cast<const std::int64_t*>(offsets), heads, typeOf<T>(), weights, &graph));
    return Graph(graph);
  }

  /// The same of vectors. offsets: (n + 1).
  template <class Offset, class T>
  static Graph csr(const std::vector<Offset>& offsets, const std::vector<std::int32_t>& heads,
                   const std::vector<T>& weights) {
    if (offsets.empty()) throw Error(APSP_INVALID, "offsets is empty: it has one entry more than there are vertices");
    const auto edges = static_cast<std::size_t>(offsets.back());
    if (heads.size() != edges || weights.size() != edges)
      throw Error(APSP_INVALID, "offsets ends with " + std::to_string(edges) + ", but there are " + std::to_string(heads.size()) +
                                    " heads and " + std::to_string(weights.size()) + " weights");
    return csr(static_cast<std::int32_t>(offsets.size() - 1), offsets.data(), heads.data(), weights.data());
  }

  /// The same, where every edge counts 1.
  template <class Offset>
  static Graph csr(const std::vector<Offset>& offsets, const std::vector<std::int32_t>& heads) {
    if (offsets.empty()) throw Error(APSP_INVALID, "offsets is empty: it has one entry more than there are vertices");
    if (heads.size() != static_cast<std::size_t>(offsets.back()))
      throw Error(APSP_INVALID, "offsets ends with " + std::to_string(offsets.back()) + ", but there are " +
                                    std::to_string(heads.size()) + " heads");
    return csr<Offset, std::int32_t>(static_cast<std::int32_t>(offsets.size() - 1), offsets.data(), heads.data(), nullptr);
  }

  template <class Offsets, class Heads, class... Weights, class = IfTemporary<Offsets, Heads, Weights...>>
  static Graph csr(Offsets&&, Heads&&, Weights&&...) = delete;  // the vectors must stay

  /// Directed edges in any order, from tails[e] to heads[e].
  template <class T>
  static Graph edges(std::int32_t n, const std::vector<std::int32_t>& tails, const std::vector<std::int32_t>& heads,
                     const std::vector<T>& weights) {
    if (tails.size() != heads.size() || tails.size() != weights.size())
      throw Error(APSP_INVALID, "tails, heads and weights differ in length");
    apsp_graph* graph = nullptr;
    check(apsp_graph_edges(n, tails.size(), tails.data(), heads.data(), typeOf<T>(), weights.data(), &graph));
    return Graph(graph);
  }

  template <class Tails, class Heads, class Weights, class = IfTemporary<Tails, Heads, Weights>>
  static Graph edges(std::int32_t, Tails&&, Heads&&, Weights&&) = delete;  // the vectors must stay

  /// A matrix of weights, row after row if no strides are given.
  template <class T>
  static Graph matrix(std::int32_t n, const T* weights, std::ptrdiff_t rowStride = 0, std::ptrdiff_t columnStride = 1) {
    apsp_graph* graph = nullptr;
    check(apsp_graph_matrix(n, typeOf<T>(), weights, rowStride == 0 ? n : rowStride, columnStride, &graph));
    return Graph(graph);
  }

  /// Says that all arrays of the graph are in host or device memory: apsp_graph_set_memory().
  Graph& setMemory(apsp_memory where) {
    check(apsp_graph_set_memory(get(), where));
    return *this;
  }

  /// Says which numbers stand for "no edge" in a matrix besides infinity: apsp_graph_set_no_edge().
  Graph& setNoEdge(int numbers) {
    check(apsp_graph_set_no_edge(get(), numbers));
    return *this;
  }

  /// The C interface's handle, which this object owns.
  apsp_graph* get() const { return graph_.get(); }

  /// Since 0.5. The number of vertices.
  std::int32_t n() const {
    std::int32_t n = 0;
    check(apsp_graph_size(get(), &n));
    return n;
  }

  Result solve(const apsp_options& options = Options()) const {
    apsp_result* result = nullptr;
    check(apsp_solve(get(), &options, &result));
    return Result(result);
  }

 private:
  std::unique_ptr<apsp_graph, void (*)(apsp_graph*)> graph_;
};

/// How graphs with the same edges are solved, whatever their weights are: apsp_plan_make().
class Plan {
 public:
  explicit Plan(const Graph& graph, const apsp_options& options = Options()) : plan_(nullptr, apsp_plan_free) {
    apsp_plan* plan = nullptr;
    check(apsp_plan_make(graph.get(), &options, &plan));
    plan_.reset(plan);
  }

  /// The C interface's handle, which this object owns.
  apsp_plan* get() const { return plan_.get(); }

  /// What was decided.
  apsp_plan_info info() const {
    apsp_plan_info info{};
    info.size = sizeof info;
    check(apsp_plan_get_info(get(), &info));
    return info;
  }

  /// The order in which the sparse method eliminates the vertices: apsp_plan_order(). For apsp_options.order.
  std::vector<std::int32_t> order() const {
    std::vector<std::int32_t> order(static_cast<std::size_t>(info().n));
    check(apsp_plan_order(get(), order.data()));
    return order;
  }

  /// Solves a graph that has the vertices, the type and the edges of the one that was planned.
  Result solve(const Graph& graph) const {
    apsp_result* result = nullptr;
    check(apsp_plan_solve(get(), graph.get(), &result));
    return Result(result);
  }

  /// Since 0.5. The same with the threads, the stream and the progress of these options: apsp_plan_solve_with().
  Result solve(const Graph& graph, const apsp_options& options) const {
    apsp_result* result = nullptr;
    check(apsp_plan_solve_with(get(), graph.get(), &options, &result));
    return Result(result);
  }

  /// Since 0.5. Solves the graph that was planned with new weights, in the order of its heads: apsp_plan_solve_weights().
  /// T: the type of the weights that were planned.
  template <class T>
  Result solveWeights(const std::vector<T>& weights) const {
    return solveWeights(weights, nullptr);
  }
  template <class T>
  Result solveWeights(const std::vector<T>& weights, const apsp_options& options) const {
    return solveWeights(weights, &options);
  }

 private:
  template <class T>
  Result solveWeights(const std::vector<T>& weights, const apsp_options* options) const {
    if (info().type != typeOf<T>()) throw Error(APSP_INVALID, std::string("the weights that were planned are ") + nameOf(info().type));
    apsp_result* result = nullptr;
    check(apsp_plan_solve_weights(get(), weights.size(), weights.data(), options, &result));
    return Result(result);
  }

  std::unique_ptr<apsp_plan, void (*)(apsp_plan*)> plan_;
};

/// Replaces the weights of an n×n matrix by its distances, in place: apsp_solve_matrix().
template <class T>
void solveMatrix(std::int32_t n, T* matrix, apsp_memory where = APSP_HOST, const apsp_options& options = Options()) {
  check(apsp_solve_matrix(n, typeOf<T>(), matrix, where, &options));
}

/// Since 0.5. Replaces the weights of `count` n×n matrices, one after the other, by their distances, in place:
/// apsp_solve_batch().
template <class T>
void solveBatch(std::size_t count, std::int32_t n, T* matrices, apsp_memory where = APSP_HOST,
                const apsp_options& options = Options()) {
  check(apsp_solve_batch(count, n, typeOf<T>(), matrices, where, &options));
}

/// Since 0.5. Distances of some pairs, as a sparse matrix: those of row i are from offsets[i] to before offsets[i + 1].
template <class T>
struct Near {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> columns;
  std::vector<T> distances;

  /// Copies the answer, and frees it.
  explicit Near(apsp_near* owned) {
    const std::unique_ptr<apsp_near, void (*)(apsp_near*)> near(owned, apsp_near_free);
    std::int32_t rows = 0;
    std::size_t entries = 0;
    check(apsp_near_size(owned, &rows, &entries));
    offsets.resize(static_cast<std::size_t>(rows) + 1);
    columns.resize(entries);
    distances.resize(entries);
    check(apsp_near_copy(owned, offsets.data(), columns.data(), distances.data()));
  }
};

/// Since 0.5. The distances up to a limit: apsp_find_within(). T: the type of the weights.
template <class T>
Near<T> within(const Graph& graph, double limit, const apsp_options& options = Options()) {
  apsp_near* near = nullptr;
  check(apsp_find_within(graph.get(), limit, &options, &near));
  return Near<T>(near);
}

/// Since 0.5. The k nearest targets of each source, up to a limit: apsp_find_nearest(). T: the type of the weights.
template <class T>
Near<T> nearest(const Graph& graph, std::int32_t k, double limit, const apsp_options& options = Options()) {
  apsp_near* near = nullptr;
  check(apsp_find_nearest(graph.get(), k, limit, &options, &near));
  return Near<T>(near);
}

/// Since 0.5. The same without a limit.
template <class T>
Near<T> nearest(const Graph& graph, std::int32_t k, const apsp_options& options = Options()) {
  return nearest<T>(graph, k, std::numeric_limits<double>::infinity(), options);
}

/// Since 0.5. Diameter and radius, and the vertices that have them, in ascending order.
struct Extremes : apsp_extremes {
  std::vector<std::int32_t> periphery, center;
};

/// Since 0.5. apsp_find_extremes().
inline Extremes extremes(const Graph& graph, const apsp_options& options = Options()) {
  Extremes found{};
  found.size = sizeof(apsp_extremes);
  const auto n = static_cast<std::size_t>(graph.n());
  found.periphery.resize(n);
  found.center.resize(n);
  check(apsp_find_extremes(graph.get(), &options, &found, found.periphery.data(), found.center.data()));
  found.periphery.resize(static_cast<std::size_t>(found.periphery_count));
  found.center.resize(static_cast<std::size_t>(found.center_count));
  return found;
}

/// Since 0.5. The betweenness of each vertex: apsp_betweenness(). samples: so many sources, drawn by `seed`; 0: all.
/// directed: each direction of an undirected graph counts.
inline std::vector<double> betweenness(const Graph& graph, bool directed = false, std::int32_t samples = 0,
                                       std::uint64_t seed = 0, const apsp_options& options = Options()) {
  std::vector<double> vertices(static_cast<std::size_t>(graph.n()));
  check(apsp_betweenness(graph.get(), samples, seed, directed ? 1 : 0, &options, vertices.data()));
  return vertices;
}

/// Since 0.5. How many samples keep each normalized value within `error` with probability 0.9:
/// apsp_betweenness_samples(). edges: of edgeBetweenness().
inline std::int32_t betweennessSamples(const Graph& graph, double error, bool edges = false) {
  std::int32_t samples = 0;
  check(apsp_betweenness_samples(graph.get(), error, edges ? 1 : 0, &samples));
  return samples;
}

/// Since 0.5. The betweenness of each edge.
struct EdgeBetweenness {
  Near<double> edges;  ///< row u and column v have that of the edge from u to v, in `distances`
  bool undirected;     ///< each pair counted once, and both directions of an edge have the same value
};

/// Since 0.5. The betweenness of each edge: apsp_edge_betweenness(). samples: so many sources, drawn by `seed`; 0: all.
/// directed: each direction of an undirected graph counts.
inline EdgeBetweenness edgeBetweenness(const Graph& graph, bool directed = false, std::int32_t samples = 0,
                                       std::uint64_t seed = 0, const apsp_options& options = Options()) {
  apsp_near* edges = nullptr;
  int undirected = 0;
  check(apsp_edge_betweenness(graph.get(), samples, seed, directed ? 1 : 0, &options, &edges, &undirected));
  return {Near<double>(edges), undirected != 0};
}

/// Since 0.5. A graph that is prepared for single pairs: apsp_pairs_make().
class Pairs {
 public:
  explicit Pairs(const Graph& graph, const apsp_options& options = Options())
      : Pairs(apsp_pairs_make, graph, options) {}

  /// The same for paths, too: apsp_pairs_make_for_paths().
  static Pairs forPaths(const Graph& graph, const apsp_options& options = Options()) {
    return {apsp_pairs_make_for_paths, graph, options};
  }

  /// The C interface's handle, which this object owns.
  apsp_pairs* get() const { return pairs_.get(); }

  /// T: the type of the weights.
  template <class T>
  T distance(std::int32_t from, std::int32_t to) const {
    T distance{};
    check(apsp_pairs_distances(get(), 1, &from, &to, &distance));
    return distance;
  }

  /// The vertices of a shortest path between two vertices, both included; empty if there is none: apsp_pairs_path().
  std::vector<std::int32_t> path(std::int32_t from, std::int32_t to) const {
    std::vector<std::int32_t> vertices(256);
    for (bool whole = false; !whole;) {
      std::size_t count = 0;
      check(apsp_pairs_path(get(), from, to, vertices.data(), vertices.size(), &count));
      whole = count <= vertices.size();
      vertices.resize(count);
    }
    return vertices;
  }

 private:
  Pairs(decltype(apsp_pairs_make)* make, const Graph& graph, const apsp_options& options)
      : pairs_(nullptr, apsp_pairs_free) {
    apsp_pairs* pairs = nullptr;
    check(make(graph.get(), &options, &pairs));
    pairs_.reset(pairs);
  }

  std::unique_ptr<apsp_pairs, void (*)(apsp_pairs*)> pairs_;
};

}  // namespace libapsp

#endif
