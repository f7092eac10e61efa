#include "solvers/negative/potentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/error.h"
#include "core/negative_cycle.h"
#include "core/progress.h"
#include "solvers/negative/shift.h"

namespace {

/// Bellman and Ford's passes over a graph in host memory.
class Passes {
 public:
  explicit Passes(const Graph& graph)
      : graph_(graph),
        potentials_(static_cast<std::size_t>(graph.n), 0),
        parents_(static_cast<std::size_t>(graph.n), -1),
        stamps_(static_cast<std::size_t>(graph.n), 0) {}

  Potentials run() {
    const Progress looking("potentials for negative weights");
    Potentials found;
    // A cycle of parents is looked for after passes 1, 2, 4 …: seldom, because it takes n steps.
    for (int look = 1; pass(); ++found.passes) {
      if (found.passes + 1 < look) continue;
      look *= 2;
      const std::vector<int> cycle = parentCycle(parents_);
      if (!cycle.empty()) fail(cycle);
    }
    requireRange();
    found.of.assign(potentials_.begin(), potentials_.end());
    return found;
  }

 private:
  /// Takes all edges of the vertices that were lowered in the last pass, or already in this one.
  /// Returns whether it lowered a potential.
  bool pass() {
    ++pass_;
    bool lowered = false;
    const auto relax = [&](int u, int v, int weight) {
      const std::int64_t through = at(u) + weight;
      if (through >= at(v)) return;
      at(v) = through;
      parents_[static_cast<std::size_t>(v)] = u;
      stamps_[static_cast<std::size_t>(v)] = pass_;
      lowered = true;
    };
    const auto active = [&](int u) { return stamps_[static_cast<std::size_t>(u)] >= pass_ - 1; };
    if (!graph_.dense()) {
      for (const Edge& e : graph_.edges())
        if (active(e.from)) relax(e.from, e.to, e.weight);
      return lowered;
    }
    for (int u = 0; u < graph_.n; ++u) {
      if (!active(u)) continue;
      const int* const row = graph_.matrix().row(u);
      for (int v = 0; v < graph_.n; ++v)
        if (row[v] < kInf) relax(u, v, row[v]);
    }
    return lowered;
  }

  [[noreturn]] void fail(const std::vector<int>& cycle) const {
    std::vector<Edge> edges;
    for (std::size_t k = 0; k < cycle.size(); ++k) {
      const int from = cycle[k], to = cycle[(k + 1) % cycle.size()];
      edges.push_back({from, to, weight(from, to)});
    }
    throw NegativeCycle("", std::move(edges), graph_.names);
  }

  std::int64_t& at(int vertex) { return potentials_[static_cast<std::size_t>(vertex)]; }

  int weight(int from, int to) const {
    if (graph_.dense()) return graph_.matrix().row(from)[to];
    const auto before = [](const Edge& a, const Edge& b) {
      return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    };
    const std::vector<Edge>& edges = graph_.edges();
    return std::lower_bound(edges.begin(), edges.end(), Edge{from, to, 0}, before)->weight;
  }

  void requireRange() const {
    const auto least = std::min_element(potentials_.begin(), potentials_.end());
    if (least == potentials_.end() || *least > -kInf) return;
    throw Error(Exit::kInput,
                fmt::format("a shortest path to vertex {} has the length {}, and distances lie in "
                            "{}..{}: scale the weights down",
                            least - potentials_.begin(), *least, 1 - kInf, kInf - 1));
  }

  const Graph& graph_;
  std::vector<std::int64_t> potentials_;
  std::vector<int> parents_, stamps_;
  int pass_ = 0;
};

}  // namespace

std::vector<int> parentCycle(const std::vector<int>& parents) {
  std::vector<int> seen(parents.size(), -1);  // the vertex with which the walk began that was here
  std::vector<int> cycle;
  for (int start = 0; start < static_cast<int>(parents.size()); ++start) {
    int v = start;
    while (v >= 0 && seen[static_cast<std::size_t>(v)] < 0) {
      seen[static_cast<std::size_t>(v)] = start;
      v = parents[static_cast<std::size_t>(v)];
    }
    if (v < 0 || seen[static_cast<std::size_t>(v)] != start) continue;
    const int last = v;
    do {
      cycle.push_back(v);
      v = parents[static_cast<std::size_t>(v)];
    } while (v != last);
    break;
  }
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

Potentials potentialsOf(const Graph& graph) {
  return Passes(graph).run();
}

std::size_t potentialBytes(int n) {
  return static_cast<std::size_t>(n) * (sizeof(std::int64_t) + 3 * sizeof(int));
}

Graph reweighted(const Graph& graph, const std::vector<int>& potentials) {
  const auto of = [&](int vertex) { return potentials[static_cast<std::size_t>(vertex)]; };
  Graph result;
  result.n = graph.n;
  if (!graph.dense()) {
    std::vector<Edge> edges = graph.edges();
    for (Edge& e : edges) e.weight = reweighted(e.weight, of(e.from), of(e.to));
    edges.erase(
        std::remove_if(edges.begin(), edges.end(), [](const Edge& e) { return e.weight == kInf; }),
        edges.end());
    result.body = std::move(edges);
    return result;
  }
  Matrix matrix(graph.n);
  std::copy_n(graph.matrix().data(), matrix.size(), matrix.data());
#pragma omp parallel for if (graph.n >= kWorthThreads)
  for (int u = 0; u < graph.n; ++u) {
    int* const row = matrix.row(u);
    for (int v = 0; v < graph.n; ++v) row[v] = reweighted(row[v], of(u), of(v));
  }
  result.body = std::move(matrix);
  return result;
}

void ShiftedDistances::rows(int begin, int end, const RowVisitor& visit) const {
  const auto width = static_cast<std::size_t>(columns());
  const auto potential = [this](int vertex) {
    return potentials_[static_cast<std::size_t>(vertex)];
  };
  std::vector<int> to(width), shifted;
  for (std::size_t c = 0; c < width; ++c) to[c] = potential(target(static_cast<int>(c)));
  const auto shift = [&](int first, int count, const int* words) {
    shifted.resize(static_cast<std::size_t>(count) * width);
#pragma omp parallel for if (columns() >= kWorthThreads)
    for (int r = 0; r < count; ++r) {
      const std::size_t row = static_cast<std::size_t>(r) * width;
      const int from = potential(source(first + r));
      for (std::size_t c = 0; c < width; ++c)
        shifted[row + c] = shiftedBack(words[row + c], from, to[c]);
    }
    visit(first, count, shifted.data());
  };
  // All rows of a matrix come at once, and there is no memory for another one.
  const int most = rowsAtATime(columns());
  reweighted_.rows(begin, end, [&](int first, int count, const int* words) {
    for (int done = 0; done < count; done += most)
      shift(first + done, std::min(most, count - done),
            words + static_cast<std::size_t>(done) * width);
  });
}
