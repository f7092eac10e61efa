#include "negative/potentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/negative_cycle.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/sum.h"
#include "negative/shift.h"
#include "solver/range.h"

namespace engine {

namespace {

/// Whole weights as they are.
template <class T>
struct AsTheyAre {
  using Sum = SumOfMany<T>;

  explicit AsTheyAre(const Graph&) {}
  Sum operator()(T weight) const { return weight; }
  /// No shortest path of n − 1 edges is below this.
  Sum floor(int n) const { return -Sum{n} * kInfinity<T>; }
};

/// Real weights in units, rounded up.
template <class T>
class InUnits {
 public:
  using Sum = std::int64_t;

  explicit InUnits(const Graph& graph) {
    T least = 0;
    forEachEdge(graph, [&](const auto& e) { least = std::min(least, static_cast<T>(e.weight)); });
    int weightBits = 0, countBits = 0;  // −least ≤ 2^weightBits, n ≤ 2^countBits
    std::frexp(least, &weightBits);
    std::frexp(static_cast<double>(graph.n), &countBits);
    exponent_ = weightBits + countBits - kBits;
    const int half = -exponent_ / 2;
    scale_[0] = std::ldexp(1.0, half);
    scale_[1] = std::ldexp(1.0, -exponent_ - half);
  }
  /// The products are exact. Or they are infinite, or so far below a unit that it does not matter
  /// whether they count as 0 or as 1: a sum of n − 1 such errors is less than a unit.
  Sum operator()(T weight) const {
    // Twice the floor is so much that it lowers nothing.
    const double units = weight * scale_[0] * scale_[1];
    return static_cast<Sum>(std::min(std::ceil(units), std::ldexp(1.0, kBits + 1)));
  }
  Sum floor(int) const { return -(Sum{1} << kBits); }
  /// A number of units: exact.
  long double number(Sum units) const {
    return std::ldexp(static_cast<long double>(units), exponent_);
  }

 private:
  static constexpr int kBits = 61;  // so a pass from the floor on, and a weight more, fit in 64
  int exponent_ = 0;
  double scale_[2] = {1, 1};  // two factors, because their product may be above all doubles
};
static_assert(std::numeric_limits<long double>::digits >= 63, "holds a difference of potentials");

/// Bellman and Ford's passes over a graph in host memory. T: of the weights; Weight: what makes
/// whole numbers of them.
template <class T, class Weight>
class Passes {
 public:
  using Sum = typename Weight::Sum;

  explicit Passes(const Graph& graph)
      : graph_(graph),
        weigh_(graph),
        floor_(weigh_.floor(graph.n)),
        potentials_(asSize(graph.n), 0),
        parents_(asSize(graph.n), -1),
        stamps_(asSize(graph.n), 0) {}

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
  const std::vector<Sum>& potentials() const { return potentials_; }

 private:
  /// Takes all edges of the vertices that were lowered in the last pass, or already in this one.
  /// Returns whether it lowered a potential.
  bool pass() {
    ++pass_;
    bool lowered = false;
    const auto relax = [&](int u, int v, T weight) {
      const Sum through = at(u) + weigh_(weight);
      if (through >= at(v)) return;
      at(v) = through;
      parents_[asSize(v)] = u;
      stamps_[asSize(v)] = pass_;
      lowered = true;
    };
    const auto active = [&](int u) { return stamps_[asSize(u)] >= pass_ - 1; };
    if (!graph_.dense()) {
      for (const Edge<T>& e : graph_.edges<T>())
        if (active(e.from)) relax(e.from, e.to, e.weight);
      return lowered;
    }
    for (int u = 0; u < graph_.n; ++u) {
      if (!active(u)) continue;
      const T* const row = graph_.matrix().row<T>(u);
      for (int v = 0; v < graph_.n; ++v)
        if (row[v] < kInfinity<T>) relax(u, v, row[v]);
    }
    return lowered;
  }

  [[noreturn]] void fail(const std::vector<int>& cycle) const {
    std::vector<AnyEdge> edges;
    for (std::size_t k = 0; k < cycle.size(); ++k) {
      const int from = cycle[k], to = cycle[(k + 1) % cycle.size()];
      edges.push_back({from, to, weight(from, to)});
    }
    throw NegativeCycle(std::move(edges));
  }

  Sum& at(int vertex) { return potentials_[asSize(vertex)]; }

  T weight(int from, int to) const {
    if (graph_.dense()) return graph_.matrix().row<T>(from)[to];
    const auto before = [](const Edge<T>& a, const Edge<T>& b) {
      return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    };
    const Edges<T>& edges = graph_.edges<T>();
    return std::lower_bound(edges.begin(), edges.end(), Edge<T>{from, to, 0}, before)->weight;
  }

  const Graph& graph_;
  const Weight weigh_;
  const Sum floor_;
  std::vector<Sum> potentials_;
  std::vector<int> parents_, stamps_;
  int pass_ = 0;
};

/// Throws if the least potential, where a shortest path ends that is too long, is out of range.
template <class Potential>
void requireRange(const std::vector<Potential>& potentials, Potential lowest, Dtype dtype,
                  const char* format, const std::string& range) {
  const auto least = std::min_element(potentials.begin(), potentials.end());
  if (least == potentials.end() || *least >= lowest) return;
  throw RangeError(
      fmt::format("a shortest path to vertex {} has the length {}, and distances lie in "
                  "{}: {}scale the weights down",
                  least - potentials.begin(), fmt::format(fmt::runtime(format), *least), range,
                  widerThan(dtype)));
}

/// Calls f with a 0 of the type of the weights: a whole one if the potentials are whole.
template <class Potential, class F>
decltype(auto) withWeights(Dtype dtype, F&& f) {
  if constexpr (std::is_integral_v<Potential>)
    return dtype == Dtype::kInt32 ? f(std::int32_t{}) : f(std::int64_t{});
  else
    return dtype == Dtype::kFloat32 ? f(float{}) : f(double{});
}

}  // namespace

std::vector<int> parentCycle(const std::vector<int>& parents) {
  std::vector<int> seen(parents.size(), -1);  // the vertex with which the walk began that was here
  std::vector<int> cycle;
  for (int start = 0; start < static_cast<int>(parents.size()); ++start) {
    int v = start;
    while (v >= 0 && seen[asSize(v)] < 0) {
      seen[asSize(v)] = start;
      v = parents[asSize(v)];
    }
    if (v < 0 || seen[asSize(v)] != start) continue;
    const int last = v;
    do {
      cycle.push_back(v);
      v = parents[asSize(v)];
    } while (v != last);
    break;
  }
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

Potentials potentialsOf(const Graph& graph) {
  return withWeights<std::int64_t>(graph.dtype(), [&](auto zero) -> Potentials {
    using T = decltype(zero);
    Passes<T, AsTheyAre<T>> search(graph);
    const int passes = search.run();
    const auto& found = search.potentials();
    constexpr T kLeast = 1 - kInfinity<T>;
    requireRange<typename AsTheyAre<T>::Sum>(found, kLeast, graph.dtype(), "{}",
                                             fmt::format("{}..{}", kLeast, -kLeast));
    return {{found.begin(), found.end()}, passes};
  });
}

RealPotentials realPotentialsOf(const Graph& graph) {
  return withWeights<long double>(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Passes<T, InUnits<T>> search(graph);
    RealPotentials result;
    result.passes = search.run();
    for (const std::int64_t units : search.potentials())
      result.of.push_back(search.weigh().number(units));
    constexpr long double kMost = std::numeric_limits<T>::max();
    requireRange(result.of, -kMost, graph.dtype(), "{:.6g}",
                 fmt::format("{:.2g}..{:.2g}", -kMost, kMost));
    return result;
  });
}

std::size_t potentialBytes(int n, Dtype dtype) {
  return withType(dtype, [n](auto zero) {
    using T = decltype(zero);
    constexpr bool kWhole = std::is_integral_v<T>;
    using Sum = typename std::conditional_t<kWhole, AsTheyAre<T>, InUnits<T>>::Sum;
    using Potential = std::conditional_t<kWhole, std::int64_t, long double>;
    return asSize(n) * (sizeof(Sum) + 2 * sizeof(int) + sizeof(Potential));
  });
}

template <class Potential>
Graph reweighted(const Graph& graph, const std::vector<Potential>& potentials) {
  return withWeights<Potential>(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Exact = std::conditional_t<std::is_integral_v<T>, T, Potential>;  // holds any potential
    const std::vector<Exact> exact(potentials.begin(), potentials.end());
    const auto of = [&](int vertex) { return exact[asSize(vertex)]; };
    Graph result;
    result.n = graph.n;
    if (!graph.dense()) {
      Edges<T> edges = graph.edges<T>();
      for (Edge<T>& e : edges) e.weight = reweighted(e.weight, of(e.from), of(e.to));
      const auto isNone = [](const Edge<T>& e) { return e.weight == kInfinity<T>; };
      edges.erase(std::remove_if(edges.begin(), edges.end(), isNone), edges.end());
      result.body = std::move(edges);
      return result;
    }
    Matrix matrix(graph.n, graph.dtype());
    copyElements(graph.matrix().data(), matrix.size(), matrix.data());
#pragma omp parallel for if (graph.n >= kWorthThreads)
    for (int u = 0; u < graph.n; ++u) {
      T* const row = matrix.row<T>(u);
      for (int v = 0; v < graph.n; ++v) row[v] = reweighted(row[v], of(u), of(v));
    }
    result.body = std::move(matrix);
    return result;
  });
}
template Graph reweighted(const Graph&, const std::vector<std::int64_t>&);
template Graph reweighted(const Graph&, const std::vector<long double>&);

template <class Potential>
void ShiftedDistances<Potential>::rows(int begin, int end, const RowVisitor& visit) const {
  withWeights<Potential>(dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Exact = std::conditional_t<std::is_integral_v<T>, T, Potential>;  // holds any potential
    const auto width = asSize(columns());
    const auto potential = [this](int vertex) {
      return static_cast<Exact>(potentials_[asSize(vertex)]);
    };
    std::vector<Exact> to(width);
    std::vector<T> shifted;
    for (std::size_t c = 0; c < width; ++c) to[c] = potential(target(static_cast<int>(c)));
    const auto shift = [&](int first, int count, const T* distances) {
      shifted.resize(asSize(count) * width);
#pragma omp parallel for if (columns() >= kWorthThreads)
      for (int r = 0; r < count; ++r) {
        const std::size_t row = asSize(r) * width;
        const Exact from = potential(source(first + r));
        for (std::size_t c = 0; c < width; ++c)
          shifted[row + c] = shiftedBack(distances[row + c], from, to[c]);
      }
      visit(first, count, shifted.data());
    };
    // All rows of a matrix come at once, and there is no memory for another one.
    const int most = rowsAtATime(columns(), dtype());
    reweighted_.rows(begin, end, [&](int first, int count, ConstElements elements) {
      const T* const distances = elements.as<T>();
      for (int done = 0; done < count; done += most)
        shift(first + done, std::min(most, count - done), distances + asSize(done) * width);
    });
  });
}

template class ShiftedDistances<std::int64_t>;
template class ShiftedDistances<long double>;

}  // namespace engine
