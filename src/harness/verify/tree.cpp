#include "verify/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/quantity.h"
#include "verify/verify.h"

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
    : graph_(graph), allowed_(tolerance(graph.n, graph.dtype, 2)) {
  constexpr int kResults = 3;  // two, and the rounding of reweighted edges
  if (graph.dtype == Dtype::kFloat32 && graphStats(graph).minWeight < 0)
    signed_.emplace(graph, kResults);
  if (graph.dense()) return;
  first_.assign(static_cast<std::size_t>(graph.n) + 1, 0);
  for (const Edge& e : graph.edges()) ++first_[static_cast<std::size_t>(e.from) + 1];
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
}

int TreeCheck::weight(int from, int to) const {
  if (graph_.dense()) return graph_.matrix().row(from)[to];
  const Edge* const edges = graph_.edges().data();
  const Edge* const end = edges + first_[static_cast<std::size_t>(from) + 1];
  const Edge* const found =
      std::lower_bound(edges + first_[static_cast<std::size_t>(from)], end, to,
                       [](const Edge& e, int vertex) { return e.to < vertex; });
  return found != end && found->to == to ? found->weight : infinity(graph_.dtype);
}

std::string TreeCheck::wrongEntry(int source, int vertex, const int* distances,
                                  const int* predecessors) const {
  const int none = infinity(graph_.dtype), before = predecessors[vertex];
  const bool hasOne = vertex != source && distances[vertex] < none;
  if (!hasOne) {
    if (before == kNone) return "";
    return fmt::format("predecessor {}, expected {} because {}", before, kNone,
                       vertex == source ? "this is the source" : "no path leads there");
  }
  if (before < 0 || before >= graph_.n || before == vertex)
    return fmt::format("predecessor {}, expected another vertex", before);
  const int weight = this->weight(before, vertex);
  if (weight >= none) return fmt::format("predecessor {}, but there is no such edge", before);
  const auto sum = toDouble(distances[before], graph_.dtype) + toDouble(weight, graph_.dtype);
  if (fits(source, before, vertex, distances, sum) && distances[before] < none) return "";
  return fmt::format("predecessor {}, whose distance and edge are {} + {}, not {}", before,
                     weightText(distances[before], graph_.dtype), weightText(weight, graph_.dtype),
                     weightText(distances[vertex], graph_.dtype));
}

bool TreeCheck::fits(int source, int before, int vertex, const int* distances, double sum) const {
  const double got = toDouble(distances[vertex], graph_.dtype);
  if (graph_.dtype == Dtype::kInt32) return sum == got;
  if (!signed_) return agree(static_cast<float>(got), static_cast<float>(sum), allowed_);
  const double tail = toDouble(distances[before], graph_.dtype);
  return std::abs(sum - got) <= (*signed_)(source, before, tail) + (*signed_)(source, vertex, got);
}

TreeFault TreeCheck::row(int source, const int* distances, const int* predecessors) const {
  enum : char { kUnknown, kOnTheWay, kLeadsToSource, kDoesNot };
  std::vector<char> state(static_cast<std::size_t>(graph_.n), kUnknown);
  const auto of = [&](int vertex) -> char& { return state[static_cast<std::size_t>(vertex)]; };
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
    else if (j != source && distances[j] >= infinity(graph_.dtype))
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

TreeFault TreeCheck::rows(int first, int count, const int* distances,
                          const int* predecessors) const {
  TreeFault all;
#pragma omp parallel for schedule(dynamic) if (graph_.n >= kWorthThreads)
  for (int i = 0; i < count; ++i) {
    const std::size_t begin = static_cast<std::size_t>(i) * static_cast<std::size_t>(graph_.n);
    const TreeFault one = row(first + i, distances + begin, predecessors + begin);
#pragma omp critical
    add(all, one);
  }
  return all;
}
