// A subtree belongs to the phase that its cost says: the time that its steps take. The positions
// are a postorder of the elimination tree, so whoever goes through them from the highest on meets
// every vertex after its ancestors, and the vertices of a subtree one after the other. No phase
// follows the last one. Therefore a subtree of the last phase is one range of positions, which is
// taken as a whole.
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

/// Positions from `high` down to `low`.
struct Range {
  int high, low;
  bool begins;  ///< a subtree, which ends before the next range that begins one
};

/// The vertices of a phase, subtree by subtree.
struct Phase {
  std::vector<Range> ranges;
  std::int64_t cost = 0;
};

/// The positions that are passed, and what their steps cost.
template <class T>
class Steps {
 public:
  Steps(const SweepArcs<T>& down, const std::vector<char>& needed) : down_(down), needed_(needed) {
    if (needed.empty()) return;
    before_.push_back(0);
    for (std::size_t x = 0; x + 1 < down.first.size(); ++x)
      before_.push_back(before_.back() + (needed[x] != 0 ? costOfAll(x, x + 1) : 0));
  }

  bool has(int position) const { return needed_.empty() || needed_[asSize(position)] != 0; }
  /// Of the positions from `high` down to `low`; 0 if none of them is passed.
  std::int64_t cost(int high, int low) const {
    const auto begin = asSize(low), end = asSize(high) + 1;
    return before_.empty() ? costOfAll(begin, end) : before_[end] - before_[begin];
  }

 private:
  std::int64_t costOfAll(std::size_t begin, std::size_t end) const {
    return static_cast<std::int64_t>(kStepCost * (end - begin) +
                                     (down_.first[end] - down_.first[begin]));
  }

  const SweepArcs<T>& down_;
  const std::vector<char>& needed_;
  Costs before_;  // of all positions below each; empty if all are passed
};

template <class T>
std::vector<Phase> phasesOf(const Swept<T>& graph, const Steps<T>& steps, int shares,
                            const Uninitialised<int>& lowest) {
  const std::int64_t total = graph.core > 0 ? steps.cost(graph.core - 1, 0) : 0;
  const Costs limits = limitsFor(total, shares);
  std::vector<Phase> phases(limits.size());
  Uninitialised<char> phaseOf(lowest.size());
  for (int x = graph.core - 1; x >= 0;) {
    const auto position = asSize(x);
    const int up = graph.parent[position];
    const bool isRoot = up < 0 || up >= graph.core;
    const std::size_t above = isRoot ? 0 : asSize(phaseOf[asSize(up)]);
    const std::int64_t cost = steps.cost(x, lowest[position]);
    if (cost == 0) {
      x = lowest[position] - 1;
      continue;
    }
    std::size_t p = above;
    while (cost <= limits[p]) ++p;
    phaseOf[position] = static_cast<char>(p);
    const int low = p + 1 == phases.size() ? lowest[position] : x;
    phases[p].ranges.push_back({x, low, isRoot || p != above});
    phases[p].cost += steps.cost(x, low);
    x = low - 1;
  }
  return phases;
}

/// Lays out one phase after the other.
template <class T>
class Layout {
 public:
  Layout(const Steps<T>& steps, int core, int shares) : steps_(steps), shares_(shares) {
    result_.positions.resize(asSize(core));
  }

  void add(const Phase& phase) {
    ++result_.phases;
    const int before = static_cast<int>(result_.shares.size());
    std::int64_t done = 0;
    for (std::size_t begin = 0, end = 0; begin < phase.ranges.size(); begin = end) {
      std::int64_t cost = 0;
      do {
        cost += steps_.cost(phase.ranges[end].high, phase.ranges[end].low);
      } while (++end < phase.ranges.size() && !phase.ranges[end].begins);
      // The share in which the middle of the subtree is. What is left of one may have no step.
      const std::int64_t all = std::max<std::int64_t>(1, phase.cost);
      const auto share =
          std::min<std::int64_t>((2 * done + cost) * shares_ / (2 * all), shares_ - 1);
      beginShares(before + 1 + static_cast<int>(share));
      for (std::size_t i = begin; i < end; ++i) take(phase.ranges[i]);
      done += cost;
    }
    beginShares(before + shares_);
  }

  Descent finish() {
    result_.shares.push_back(taken_);
    result_.positions.resize(asSize(taken_));
    return std::move(result_);
  }

 private:
  /// The shares that have not begun yet, up to so many, begin here.
  void beginShares(int count) {
    while (static_cast<int>(result_.shares.size()) < count) result_.shares.push_back(taken_);
  }

  void take(const Range& range) {
    int* const positions = result_.positions.data();
    for (int x = range.high; x >= range.low; --x)
      if (steps_.has(x)) positions[taken_++] = x;
  }

  const Steps<T>& steps_;
  const int shares_;
  Descent result_;
  int taken_ = 0;
};

template <class T>
void numberPositions(const Swept<T>& graph, Descent& descent) {
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
  std::vector<std::uint32_t> vertex(graph.position.size());
  for (std::size_t v = 0; v < graph.position.size(); ++v)
    vertex[asSize(graph.position[v])] = static_cast<std::uint32_t>(v);
  return vertex;
}

template <class T>
std::vector<char> neededFor(const Swept<T>& graph, const SweepArcs<T>& down,
                            const std::vector<int>& positions) {
  std::vector<char> needed(asSize(graph.positions), 0);
  for (const int position : positions) needed[asSize(position)] = 1;
  for (std::size_t x = 0; x < asSize(graph.core); ++x)  // arcs lead to higher positions
    for (std::uint32_t a = down.first[x]; needed[x] != 0 && a < down.first[x + 1]; ++a)
      needed[down.arcs[a].head] = 1;
  return needed;
}

template <class T>
Descent descentOf(const Swept<T>& graph, const SweepArcs<T>& down, int sharesOfPhase,
                  const std::vector<char>& needed) {
  const Steps<T> steps(down, needed);
  Layout<T> layout(steps, graph.core, sharesOfPhase);
  Uninitialised<int> lowest = lowestOf(graph);
  for (const Phase& phase : phasesOf(graph, steps, sharesOfPhase, lowest)) layout.add(phase);
  Descent result = layout.finish();
  result.lowest = std::move(lowest);
  numberPositions(graph, result);
  return result;
}

template std::vector<std::uint32_t> verticesOf(const Swept<std::int32_t>&);
template std::vector<std::uint32_t> verticesOf(const Swept<float>&);
template std::vector<std::uint32_t> verticesOf(const Swept<std::int64_t>&);
template std::vector<std::uint32_t> verticesOf(const Swept<double>&);
template std::vector<char> neededFor(const Swept<std::int32_t>&, const SweepArcs<std::int32_t>&,
                                     const std::vector<int>&);
template std::vector<char> neededFor(const Swept<float>&, const SweepArcs<float>&,
                                     const std::vector<int>&);
template std::vector<char> neededFor(const Swept<std::int64_t>&, const SweepArcs<std::int64_t>&,
                                     const std::vector<int>&);
template std::vector<char> neededFor(const Swept<double>&, const SweepArcs<double>&,
                                     const std::vector<int>&);
template Descent descentOf(const Swept<std::int32_t>&, const SweepArcs<std::int32_t>&, int,
                           const std::vector<char>&);
template Descent descentOf(const Swept<float>&, const SweepArcs<float>&, int,
                           const std::vector<char>&);
template Descent descentOf(const Swept<std::int64_t>&, const SweepArcs<std::int64_t>&, int,
                           const std::vector<char>&);
template Descent descentOf(const Swept<double>&, const SweepArcs<double>&, int,
                           const std::vector<char>&);

}  // namespace engine::sparse
