#include "verify/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/quantity.h"
#include "base/size.h"
#include "base/tolerance.h"
#include "verify/sums.h"

namespace {

constexpr int kNone = -9999;  // SciPy's mark

}  // namespace

std::string TreeFault::text() const {
  return fmt::format("from vertex {} to vertex {}: {} ({} wrong)", source, vertex, why,
                     counted(count, "entry is", "entries are"));
}

void add(TreeFault& all, const TreeFault& some) {
  if (some.count == 0) return;
  const std::uint64_t total = all.count + some.count;
  if (all.count == 0 || some.source < all.source) all = some;
  all.count = total;
}

TreeCheck::TreeCheck(const Graph& graph)
    : graph_(graph), allowed_(tolerance(graph.n, graph.dtype(), 2)) {
  constexpr int kResults = 3;  // two, and the rounding of reweighted edges
  if (!isWhole(graph.dtype()) && toDouble(graphStats(graph).minWeight) < 0)
    signed_.emplace(graph, kResults);
  if (!graph.dense()) first_ = edgeStarts(graph.n, graph.ends());
}

template <class T>
T TreeCheck::weight(int from, int to) const {
  if (graph_.dense()) return graph_.matrix().row<T>(from)[to];
  const Edge<T>* const edges = graph_.edges<T>().data();
  const Edge<T>* const end = edges + first_[asSize(from) + 1];
  const Edge<T>* const found =
      std::lower_bound(edges + first_[asSize(from)], end, to,
                       [](const Edge<T>& e, int other) { return e.to < other; });
  return found != end && found->to == to ? found->weight : kInfinity<T>;
}

template <class T>
std::string TreeCheck::wrongEntry(int source, int vertex, const T* distances,
                                  const int* predecessors) const {
  const int before = predecessors[vertex];
  const bool hasOne = vertex != source && distances[vertex] < kInfinity<T>;
  if (!hasOne) {
    if (before == kNone) return "";
    return fmt::format("predecessor {}, expected {} because {}", before, kNone,
                       vertex == source ? "this is the source" : "no path leads there");
  }
  if (before < 0 || before >= graph_.n || before == vertex)
    return fmt::format("predecessor {}, expected another vertex", before);
  const T weight = this->weight<T>(before, vertex);
  if (weight >= kInfinity<T>)
    return fmt::format("predecessor {}, but there is no such edge", before);
  if (fits(source, before, vertex, distances, weight) && distances[before] < kInfinity<T>)
    return "";
  return fmt::format("predecessor {}, whose distance and edge are {} + {}, not {}", before,
                     textOf(distances[before]), textOf(weight), textOf(distances[vertex]));
}

template <class T>
bool TreeCheck::fits(int source, int before, int vertex, const T* distances, T weight) const {
  const T tail = distances[before], got = distances[vertex];
  const auto sum = SumOf<T>{tail} + SumOf<T>{weight};
  if constexpr (std::is_integral_v<T>) return sum == got;
  if (!signed_) return agree(got, static_cast<T>(sum), allowed_);
  return std::abs(static_cast<double>(sum - SumOf<T>{got})) <=
         (*signed_)(source, before, tail) + (*signed_)(source, vertex, got);
}

template <class T>
TreeFault TreeCheck::row(int source, const T* distances, const int* predecessors) const {
  enum : char { kUnknown, kOnTheWay, kLeadsToSource, kDoesNot };
  std::vector<char> state(asSize(graph_.n), kUnknown);
  const auto of = [&](int vertex) -> char& { return state[asSize(vertex)]; };
  TreeFault fault;
  const auto note = [&](int vertex, const std::string& why) {
    of(vertex) = kDoesNot;
    if (fault.count++ == 0) fault = {1, source, vertex, why};
  };
  of(source) = kLeadsToSource;
  for (int j = 0; j < graph_.n; ++j) {
    const std::string why = wrongEntry(source, j, distances, predecessors);
    if (!why.empty())
      note(j, why);
    else if (j != source && distances[j] >= kInfinity<T>)
      of(j) = kDoesNot;
  }
  for (int j = 0; j < graph_.n; ++j) {
    int end = j;
    for (; of(end) == kUnknown; end = predecessors[end]) of(end) = kOnTheWay;
    const bool circle = of(end) == kOnTheWay;
    const char result = of(end) == kLeadsToSource ? kLeadsToSource : kDoesNot;
    for (int v = j; of(v) == kOnTheWay; v = predecessors[v]) of(v) = result;
    if (circle)
      note(j, fmt::format("predecessor {}, from where predecessors lead in a circle",
                          predecessors[j]));
  }
  return fault;
}

TreeFault TreeCheck::rows(int first, int count, ConstElements distances,
                          const int* predecessors) const {
  return withElements(distances, [&](const auto* elements) {
    TreeFault all;
#pragma omp parallel for schedule(dynamic) if (graph_.n >= kWorthThreads)
    for (int i = 0; i < count; ++i) {
      const std::size_t begin = asSize(i) * asSize(graph_.n);
      const TreeFault one = row(first + i, elements + begin, predecessors + begin);
#pragma omp critical
      add(all, one);
    }
    return all;
  });
}
