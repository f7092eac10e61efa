// A subtree belongs to the phase that its cost says: the time that its steps take. The ranks are a
// postorder of the elimination tree, so whoever goes through them from the highest on meets every
// vertex after its ancestors, and the vertices of a subtree one after the other. No phase follows
// the last one. Therefore a subtree of the last phase is one range of ranks, which is taken as a
// whole.
#include "sparse/descent.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/size.h"

namespace engine::sparse {

namespace {

using Costs = std::vector<std::int64_t>;

constexpr int kStepCost = 2;  // of a step without arcs, in arcs
/// From phase to phase, subtrees become smaller by this factor.
constexpr int kShrink = 4;
/// In the last phase, the largest subtree has this part of a share.
constexpr int kSubtreesOfShare = 8;

template <class T>
Uninitialised<int> lowestOf(const Swept<T>& graph) {
  Uninitialised<int> lowest(asSize(graph.core));
  std::iota(lowest.begin(), lowest.end(), 0);
  for (std::size_t x = 0; x < lowest.size(); ++x) {  // its children are lower
    const int up = graph.parent[x];
    if (up < 0 || up >= graph.core) continue;
    int& above = lowest[asSize(up)];
    above = std::min(above, lowest[x]);
  }
  return lowest;
}

/// For each phase, the largest cost of a subtree whose root is not in it, but in a later one.
Costs limitsFor(std::int64_t total, int shares) {
  if (shares == 1) return {-1};
  Costs limits;
  for (std::int64_t limit = total / kShrink; limit > total / (kSubtreesOfShare * shares);
       limit /= kShrink)
    limits.push_back(limit);
  limits.push_back(total / (kSubtreesOfShare * shares));
  limits.push_back(-1);
  return limits;
}

/// Ranks from `high` down to `low`.
struct Range {
  int high, low;
  bool begins;  ///< a subtree, which ends before the next range that begins one
};

/// The vertices of a phase, subtree by subtree.
struct Phase {
  std::vector<Range> ranges;
  std::int64_t cost = 0;
};

template <class T>
std::int64_t costOf(const SweepArcs<T>& down, int high, int low) {
  const auto begin = asSize(low), end = asSize(high) + 1;
  return static_cast<std::int64_t>(kStepCost * (end - begin) +
                                   (down.first[end] - down.first[begin]));
}

template <class T>
std::vector<Phase> phasesOf(const Swept<T>& graph, const SweepArcs<T>& down, int shares,
                            const Uninitialised<int>& lowest) {
  const std::int64_t total = graph.core > 0 ? costOf(down, graph.core - 1, 0) : 0;
  const Costs limits = limitsFor(total, shares);
  std::vector<Phase> phases(limits.size());
  Uninitialised<char> phaseOf(lowest.size());
  for (int x = graph.core - 1; x >= 0;) {
    const auto rank = asSize(x);
    const int up = graph.parent[rank];
    const bool isRoot = up < 0 || up >= graph.core;
    const std::size_t above = isRoot ? 0 : asSize(phaseOf[asSize(up)]);
    const std::int64_t cost = costOf(down, x, lowest[rank]);
    std::size_t p = above;
    while (cost <= limits[p]) ++p;
    phaseOf[rank] = static_cast<char>(p);
    const int low = p + 1 == phases.size() ? lowest[rank] : x;
    phases[p].ranges.push_back({x, low, isRoot || p != above});
    phases[p].cost += costOf(down, x, low);
    x = low - 1;
  }
  return phases;
}

/// Lays out one phase after the other.
template <class T>
class Layout {
 public:
  Layout(const SweepArcs<T>& down, int core, int shares) : down_(down), shares_(shares) {
    result_.ranks.resize(asSize(core));
  }

  void add(const Phase& phase) {
    ++result_.phases;
    const int before = static_cast<int>(result_.shares.size());
    std::int64_t done = 0;
    for (std::size_t begin = 0, end = 0; begin < phase.ranges.size(); begin = end) {
      std::int64_t cost = 0;
      do {
        cost += costOf(down_, phase.ranges[end].high, phase.ranges[end].low);
      } while (++end < phase.ranges.size() && !phase.ranges[end].begins);
      // The share in which the middle of the subtree is.
      const std::int64_t share = (2 * done + cost) * shares_ / (2 * phase.cost);
      beginShares(before + 1 + static_cast<int>(share));
      for (std::size_t i = begin; i < end; ++i) take(phase.ranges[i]);
      done += cost;
    }
    beginShares(before + shares_);
  }

  Descent finish() {
    result_.shares.push_back(taken_);
    return std::move(result_);
  }

 private:
  /// The shares that have not begun yet, up to so many, begin here.
  void beginShares(int count) {
    while (static_cast<int>(result_.shares.size()) < count) result_.shares.push_back(taken_);
  }

  void take(const Range& range) {
    int* const ranks = result_.ranks.data();
    for (int x = range.high; x >= range.low; --x) ranks[taken_++] = x;
  }

  const SweepArcs<T>& down_;
  const int shares_;
  Descent result_;
  int taken_ = 0;
};

template <class T>
void numberRanks(const Swept<T>& graph, Descent& descent) {
  const auto core = asSize(graph.core);
  descent.numbers.resize(asSize(graph.vertices()));
  int* const numbers = descent.numbers.data();
  std::iota(numbers + core, numbers + graph.vertices(), 0);
  int most = graph.coreSize();
  for (std::size_t x = core; x-- > 0;) {
    const int up = graph.parent[x];
    const bool isRoot = up < 0 || up >= graph.core;
    numbers[x] = isRoot ? graph.coreSize() : numbers[up] + 1;
    most = std::max(most, numbers[x]);
  }
  descent.numberCount = most + 1;
}

}  // namespace

template <class T>
std::vector<std::uint32_t> verticesOf(const Swept<T>& graph) {
  std::vector<std::uint32_t> vertex(graph.rank.size());
  for (std::size_t v = 0; v < graph.rank.size(); ++v)
    vertex[asSize(graph.rank[v])] = static_cast<std::uint32_t>(v);
  return vertex;
}

template <class T>
Descent descentOf(const Swept<T>& graph, const SweepArcs<T>& down, int sharesOfPhase) {
  Layout<T> layout(down, graph.core, sharesOfPhase);
  Uninitialised<int> lowest = lowestOf(graph);
  for (const Phase& phase : phasesOf(graph, down, sharesOfPhase, lowest)) layout.add(phase);
  Descent result = layout.finish();
  result.lowest = std::move(lowest);
  numberRanks(graph, result);
  return result;
}

template std::vector<std::uint32_t> verticesOf(const Swept<std::int32_t>&);
template std::vector<std::uint32_t> verticesOf(const Swept<float>&);
template std::vector<std::uint32_t> verticesOf(const Swept<std::int64_t>&);
template std::vector<std::uint32_t> verticesOf(const Swept<double>&);
template Descent descentOf(const Swept<std::int32_t>&, const SweepArcs<std::int32_t>&, int);
template Descent descentOf(const Swept<float>&, const SweepArcs<float>&, int);
template Descent descentOf(const Swept<std::int64_t>&, const SweepArcs<std::int64_t>&, int);
template Descent descentOf(const Swept<double>&, const SweepArcs<double>&, int);

}  // namespace engine::sparse
