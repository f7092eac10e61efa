#include "negative/potentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/negative_cycle.h"
#include "base/progress.h"
#include "negative/shift.h"

namespace {

/// Whole weights as they are.
struct AsTheyAre {
  explicit AsTheyAre(const Graph&) {}
  int operator()(int weight) const { return weight; }
  /// No shortest path of n − 1 edges is below this.
  std::int64_t floor(int n) const { return -std::int64_t{n} * kInf; }
};

/// Floats in units, rounded up.
class InUnits {
 public:
  explicit InUnits(const Graph& graph) {
    float least = 0;
    forEachEdge(graph, [&](const Edge& e) { least = std::min(least, toFloat(e.weight)); });
    int weightBits = 0, countBits = 0;  // −least ≤ 2^weightBits, n ≤ 2^countBits
    std::frexp(least, &weightBits);
    std::frexp(static_cast<double>(graph.n), &countBits);
    exponent_ = weightBits + countBits - kBits;
    scale_ = std::ldexp(1.0, -exponent_);
  }
  std::int64_t operator()(int weight) const {
    // Twice the floor is so much that it lowers nothing.
    const double units = std::min(std::ceil(toFloat(weight) * scale_), std::ldexp(1.0, kBits + 1));
    return static_cast<std::int64_t>(units);
  }
  std::int64_t floor(int) const { return -(std::int64_t{1} << kBits); }
  /// A number of units: exact.
  long double number(std::int64_t units) const {
    return std::ldexp(static_cast<long double>(units), exponent_);
  }

 private:
  static constexpr int kBits = 61;  // so a pass from the floor on, and a weight more, fit in 64
  int exponent_ = 0;
  double scale_ = 1;
};
static_assert(std::numeric_limits<long double>::digits >= 63, "holds a difference of potentials");

/// Bellman and Ford's passes over a graph in host memory. Weight: what makes whole numbers of the
/// weights.
template <class Weight>
class Passes {
 public:
  explicit Passes(const Graph& graph)
      : graph_(graph),
        weigh_(graph),
        floor_(weigh_.floor(graph.n)),
        potentials_(static_cast<std::size_t>(graph.n), 0),
        parents_(static_cast<std::size_t>(graph.n), -1),
        stamps_(static_cast<std::size_t>(graph.n), 0) {}

  /// Returns how many passes lowered a potential.
  int run() {
    const Progress looking("potentials for negative weights");
    int passes = 0;
    // A cycle of parents is looked for after passes 1, 2, 4 …: seldom, because it takes n steps.
    // Below the floor there is one for certain, and sums would soon overflow.
    for (int look = 1; pass(); ++passes) {
      if (passes + 1 < look && *std::min_element(potentials_.begin(), potentials_.end()) >= floor_)
        continue;
      if (passes + 1 >= look) look *= 2;
      const std::vector<int> cycle = parentCycle(parents_);
      if (!cycle.empty()) fail(cycle);
    }
    return passes;
  }

  const Weight& weigh() const { return weigh_; }
  const std::vector<std::int64_t>& potentials() const { return potentials_; }

 private:
  /// Takes all edges of the vertices that were lowered in the last pass, or already in this one.
  /// Returns whether it lowered a potential.
  bool pass() {
    ++pass_;
    bool lowered = false;
    const auto relax = [&](int u, int v, int weight) {
      const std::int64_t through = at(u) + weigh_(weight);
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
    const int none = infinity(graph_.dtype);
    for (int u = 0; u < graph_.n; ++u) {
      if (!active(u)) continue;
      const int* const row = graph_.matrix().row(u);
      for (int v = 0; v < graph_.n; ++v)
        if (row[v] < none) relax(u, v, row[v]);
    }
    return lowered;
  }

  [[noreturn]] void fail(const std::vector<int>& cycle) const {
    std::vector<Edge> edges;
    for (std::size_t k = 0; k < cycle.size(); ++k) {
      const int from = cycle[k], to = cycle[(k + 1) % cycle.size()];
      edges.push_back({from, to, weight(from, to)});
    }
    throw NegativeCycle(std::move(edges), graph_.dtype);
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

  const Graph& graph_;
  const Weight weigh_;
  const std::int64_t floor_;
  std::vector<std::int64_t> potentials_;
  std::vector<int> parents_, stamps_;
  int pass_ = 0;
};

/// Throws if the least potential, where a shortest path ends that is too long, is out of range.
template <class Potential>
void requireRange(const std::vector<Potential>& potentials, Potential lowest, const char* format,
                  const std::string& range) {
  const auto least = std::min_element(potentials.begin(), potentials.end());
  if (least == potentials.end() || *least >= lowest) return;
  throw Error(
      Exit::kInput,
      fmt::format("a shortest path to vertex {} has the length {}, and distances lie in "
                  "{}: scale the weights down",
                  least - potentials.begin(), fmt::format(fmt::runtime(format), *least), range));
}

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
  Passes<AsTheyAre> search(graph);
  const int passes = search.run();
  const std::vector<std::int64_t>& found = search.potentials();
  requireRange(found, std::int64_t{1 - kInf}, "{}", fmt::format("{}..{}", 1 - kInf, kInf - 1));
  return {{found.begin(), found.end()}, passes};
}

RealPotentials realPotentialsOf(const Graph& graph) {
  Passes<InUnits> search(graph);
  RealPotentials result;
  result.passes = search.run();
  for (const std::int64_t units : search.potentials())
    result.of.push_back(search.weigh().number(units));
  constexpr long double kMost = std::numeric_limits<float>::max();
  requireRange(result.of, -kMost, "{:.6g}", "-3.4e+38..3.4e+38");
  return result;
}

std::size_t potentialBytes(int n) {
  return static_cast<std::size_t>(n) * (sizeof(std::int64_t) + 3 * sizeof(int));
}

namespace {

template <class Potential>
Graph reweightedBy(const Graph& graph, const std::vector<Potential>& potentials) {
  const auto of = [&](int vertex) { return potentials[static_cast<std::size_t>(vertex)]; };
  Graph result;
  result.n = graph.n;
  result.dtype = graph.dtype;
  if (!graph.dense()) {
    std::vector<Edge> edges = graph.edges();
    for (Edge& e : edges) e.weight = reweighted(e.weight, of(e.from), of(e.to));
    const auto isNone = [none = infinity(graph.dtype)](const Edge& e) { return e.weight == none; };
    edges.erase(std::remove_if(edges.begin(), edges.end(), isNone), edges.end());
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

}  // namespace

Graph reweighted(const Graph& graph, const std::vector<int>& potentials) {
  return reweightedBy(graph, potentials);
}

Graph reweighted(const Graph& graph, const std::vector<long double>& potentials) {
  return reweightedBy(graph, potentials);
}

template <class Potential>
void ShiftedDistances<Potential>::rows(int begin, int end, const RowVisitor& visit) const {
  const auto width = static_cast<std::size_t>(columns());
  const auto potential = [this](int vertex) {
    return potentials_[static_cast<std::size_t>(vertex)];
  };
  std::vector<Potential> to(width);
  std::vector<int> shifted;
  for (std::size_t c = 0; c < width; ++c) to[c] = potential(target(static_cast<int>(c)));
  const auto shift = [&](int first, int count, const int* words) {
    shifted.resize(static_cast<std::size_t>(count) * width);
#pragma omp parallel for if (columns() >= kWorthThreads)
    for (int r = 0; r < count; ++r) {
      const std::size_t row = static_cast<std::size_t>(r) * width;
      const Potential from = potential(source(first + r));
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

template class ShiftedDistances<int>;
template class ShiftedDistances<long double>;
