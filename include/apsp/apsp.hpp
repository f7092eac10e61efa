/// The C++ interface of libapsp: owners and exceptions over the C interface (apsp.h), which explains arrays, types and
/// statuses. Header only, C++17.
///
///   apsp::Graph graph = apsp::Graph::csr(offsets, heads, weights);  // a view: the vectors stay yours
///   apsp::Result result = graph.solve();
///   std::vector<int> row = result.rows<int>(0, 1);
#ifndef APSP_APSP_HPP
#define APSP_APSP_HPP

#include <apsp/apsp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace apsp {

/// "No edge" and "no path" of int32.
inline constexpr std::int32_t kInfinity = APSP_INFINITY;

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

/// The apsp_type of a C++ type: int32_t or float.
template <class T>
constexpr apsp_type typeOf() {
  static_assert(std::is_same_v<T, std::int32_t> || std::is_same_v<T, float>, "weights are int32_t or float");
  return std::is_same_v<T, std::int32_t> ? APSP_INT32 : APSP_FLOAT32;
}

/// apsp_options with its defaults: `apsp::Options options; options.place = APSP_CPU;`
struct Options : apsp_options {
  Options() { apsp_options_init(this, sizeof(apsp_options)); }

  /// The vertices whose rows, or columns, are wanted. A view: the vector must stay until the graph is solved or planned.
  Options& setSources(const std::vector<std::int32_t>& vertices) {
    sources = vertices.data();
    source_count = vertices.size();
    return *this;
  }
  Options& setTargets(const std::vector<std::int32_t>& vertices) {
    targets = vertices.data();
    target_count = vertices.size();
    return *this;
  }
};

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
  /// there are sources. T: int32_t or float, the type of the weights.
  template <class T>
  std::vector<T> rows(std::int32_t first, std::int32_t count) const {
    requireType<T>();
    std::vector<T> distances(static_cast<std::size_t>(count < 0 ? 0 : count) * static_cast<std::size_t>(info().columns));
    check(apsp_result_rows(get(), first, count, distances.data()));
    return distances;
  }

  /// All distances: (rows, columns), row after row.
  template <class T>
  std::vector<T> matrix() const {
    return rows<T>(0, info().rows);
  }

  /// Writes all distances into host or device memory; `stride` elements lie from one row to the next.
  template <class T>
  void copyTo(T* distances, std::ptrdiff_t stride, apsp_memory where = APSP_HOST) const {
    requireType<T>();
    check(apsp_result_matrix(get(), distances, stride, where));
  }

  /// The vertices of a shortest path, both ends included; empty if there is none.
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

 private:
  template <class T>
  void requireType() const {
    if (info().type == typeOf<T>()) return;
    throw Error(APSP_INVALID, info().type == APSP_INT32 ? "the distances are int32_t" : "the distances are float");
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

  /// A matrix of weights, row after row if no strides are given.
  template <class T>
  static Graph matrix(std::int32_t n, const T* weights, std::ptrdiff_t rowStride = 0, std::ptrdiff_t columnStride = 1) {
    apsp_graph* graph = nullptr;
    check(apsp_graph_matrix(n, typeOf<T>(), weights, rowStride == 0 ? n : rowStride, columnStride, &graph));
    return Graph(graph);
  }

  /// The C interface's handle, which this object owns.
  apsp_graph* get() const { return graph_.get(); }

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

  /// Solves a graph that has the vertices, the type and the edges of the one that was planned.
  Result solve(const Graph& graph) const {
    apsp_result* result = nullptr;
    check(apsp_plan_solve(get(), graph.get(), &result));
    return Result(result);
  }

 private:
  std::unique_ptr<apsp_plan, void (*)(apsp_plan*)> plan_;
};

/// Replaces the weights of an n×n matrix by its distances, in place: apsp_solve_matrix().
template <class T>
void solveMatrix(std::int32_t n, T* matrix, apsp_memory where = APSP_HOST, const apsp_options& options = Options()) {
  check(apsp_solve_matrix(n, typeOf<T>(), matrix, where, &options));
}

}  // namespace apsp

#endif
