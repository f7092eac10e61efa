#include "verify/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/quantity.h"
#include "base/size.h"
#include "base/tolerance.h"

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

TreeCheck::TreeCheck(const Graph& graph, const Selection* asked) : graph_(graph) {
  constexpr int kResults = 3;  // two, and the rounding of reweighted edges
  if (!isWhole(graph.dtype()) && toDouble(graphStats(graph).minWeight) < 0)
    signed_ = signedToleranceFor(asked, graph, kResults);
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
  if (fits(before, vertex, distances, weight)) return "";
  return fmt::format("predecessor {}, whose distance and edge are {} + {}, not {}", before,
                     textOf(distances[before]), textOf(weight), textOf(distances[vertex]));
}

template <class T>
bool TreeCheck::fits(int before, int vertex, const T* distances, T weight) const {
  const T tail = distances[before];
  if (tail >= kInfinity<T>) return false;
  return !std::is_integral_v<T> || SumOf<T>{tail} + SumOf<T>{weight} == distances[vertex];
}

template <class T, class Note>
void TreeCheck::addUp(int source, const T* distances, const int* predecessors,
                      const std::vector<char>& leads, const Note& note) const {
  using Sum = SumOf<T>;
  std::vector<Sum> length(leads.size(), 0), exact;
  std::vector<int> edges(leads.size(), 0), way;  // 0: of the source, and where it is not known yet
  for (int j = 0; j < graph_.n; ++j) {
    if (leads[asSize(j)] == 0) continue;
    for (int v = j; v != source && edges[asSize(v)] == 0; v = predecessors[v]) way.push_back(v);
    for (; !way.empty(); way.pop_back()) {
      const int v = way.back(), before = predecessors[v];
      const auto at = asSize(v), from = asSize(before);
      length[at] = length[from] + Sum{weight<T>(before, v)};
      edges[at] = edges[from] + 1;
      if (agrees(source, v, Sum{distances[v]}, length[at], edges[at])) continue;
      if (exact.empty()) exact = BellmanFord<Sum>(graph_).from(source);
      if (agrees(source, v, exact[at], length[at], edges[at]) &&
          agrees(source, v, Sum{distances[v]}, length[at], graph_.n - 1))
        continue;
      note(v, fmt::format("predecessor {}, whose path of {} has the length {}, not {}", before,
                          counted(edges[at], "edge"), textOf(static_cast<double>(length[at])),
                          textOf(distances[v])));
      length[at] = distances[v];  // the vertices behind it are right or wrong by themselves
    }
  }
}

template <class Sum>
bool TreeCheck::agrees(int source, int vertex, Sum distance, Sum sum, int edges) const {
  const double apart = static_cast<double>(std::abs(sum - distance));
  if (signed_) return apart <= signed_->along(edges, source, vertex, static_cast<double>(distance));
  return apart <= tolerance(edges + 1, graph_.dtype(), 2) * static_cast<double>(sum);
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
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<char> leads(state.size());
    for (std::size_t v = 0; v < state.size(); ++v) leads[v] = state[v] == kLeadsToSource ? 1 : 0;
    addUp(source, distances, predecessors, leads, note);
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
