// A subtree belongs to the phase that its cost says: the time that its steps take. The ranks are a
// postorder of the elimination tree, so whoever goes through them from the highest on meets every
// vertex after its ancestors, and the vertices of a subtree one after the other.
#include "solvers/sparse/descent.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sparse {

namespace {

using Costs = std::vector<std::int64_t>;

constexpr int kStepCost = 2;  // of a step without arcs, in arcs
/// From phase to phase, subtrees become smaller by this factor.
constexpr int kShrink = 4;
/// In the last phase, the largest subtree has this part of a share.
constexpr int kSubtreesOfShare = 8;

template <class T>
std::int64_t costOf(const SweepArcs<T>& down, std::size_t rank) {
  return kStepCost + static_cast<std::int64_t>(down.first[rank + 1] - down.first[rank]);
}

/// The costs of the subtrees below each rank.
template <class T>
Costs costsOf(const Swept<T>& graph, const SweepArcs<T>& down) {
  Costs costs(static_cast<std::size_t>(graph.core), 0);
  for (std::size_t x = 0; x < costs.size(); ++x) {  // its children are lower
    costs[x] += costOf(down, x);
    const int up = graph.parent[x];
    if (up >= 0 && up < graph.core) costs[static_cast<std::size_t>(up)] += costs[x];
  }
  return costs;
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

/// The vertices of a phase, subtree by subtree.
struct Phase {
  std::vector<int> ranks;
  std::vector<std::size_t> begins;  // in `ranks`: where subtrees begin
  std::int64_t cost = 0;

  std::size_t endOf(std::size_t subtree) const {
    return subtree + 1 < begins.size() ? begins[subtree + 1] : ranks.size();
  }
};

template <class T>
std::vector<Phase> phasesOf(const Swept<T>& graph, const SweepArcs<T>& down, int shares) {
  const std::int64_t total =
      kStepCost * std::int64_t{graph.core} + static_cast<std::int64_t>(down.arcs.size());
  const Costs costs = costsOf(graph, down), limits = limitsFor(total, shares);
  std::vector<Phase> phases(limits.size());
  std::vector<char> phaseOf(costs.size());
  for (int x = graph.core - 1; x >= 0; --x) {
    const auto rank = static_cast<std::size_t>(x);
    const int up = graph.parent[rank];
    const bool isRoot = up < 0 || up >= graph.core;
    const std::size_t above =
        isRoot ? 0 : static_cast<std::size_t>(phaseOf[static_cast<std::size_t>(up)]);
    std::size_t p = above;
    while (costs[rank] <= limits[p]) ++p;
    phaseOf[rank] = static_cast<char>(p);
    Phase& phase = phases[p];
    if (isRoot || p != above) phase.begins.push_back(phase.ranks.size());
    phase.ranks.push_back(x);
    phase.cost += costOf(down, rank);
  }
  return phases;
}

/// Lays out one phase after the other.
template <class T>
class Layout {
 public:
  Layout(const SweepArcs<T>& down, const std::vector<std::uint32_t>& vertex, int shares)
      : down_(down), vertex_(vertex), shares_(shares) {
    result_.arcs.reserve(down.arcs.size());
  }

  void add(const Phase& phase) {
    ++result_.phases;
    const int before = static_cast<int>(result_.shares.size());
    std::int64_t done = 0;
    for (std::size_t subtree = 0; subtree < phase.begins.size(); ++subtree) {
      const std::size_t begin = phase.begins[subtree], end = phase.endOf(subtree);
      std::int64_t cost = 0;
      for (std::size_t k = begin; k < end; ++k)
        cost += costOf(down_, static_cast<std::size_t>(phase.ranks[k]));
      // The share in which the middle of the subtree is.
      const std::int64_t share = (2 * done + cost) * shares_ / (2 * phase.cost);
      beginShares(before + 1 + static_cast<int>(share));
      for (std::size_t k = begin; k < end; ++k) take(static_cast<std::size_t>(phase.ranks[k]));
      done += cost;
    }
    beginShares(before + shares_);
  }

  Descent<T> finish() {
    result_.shares.push_back(static_cast<int>(result_.steps.size()));
    return std::move(result_);
  }

 private:
  /// The shares that have not begun yet, up to so many, begin here.
  void beginShares(int count) {
    while (static_cast<int>(result_.shares.size()) < count)
      result_.shares.push_back(static_cast<int>(result_.steps.size()));
  }

  void take(std::size_t rank) {
    const auto begin = static_cast<std::uint32_t>(result_.arcs.size());
    for (std::uint32_t a = down_.first[rank]; a < down_.first[rank + 1]; ++a)
      result_.arcs.push_back({vertex_[down_.arcs[a].head], down_.arcs[a].weight});
    result_.steps.push_back({vertex_[rank], static_cast<std::uint32_t>(rank), begin,
                             static_cast<std::uint32_t>(result_.arcs.size())});
  }

  const SweepArcs<T>& down_;
  const std::vector<std::uint32_t>& vertex_;
  const int shares_;
  Descent<T> result_;
};

}  // namespace

template <class T>
std::vector<std::uint32_t> verticesOf(const Swept<T>& graph) {
  std::vector<std::uint32_t> vertex(graph.rank.size());
  for (std::size_t v = 0; v < graph.rank.size(); ++v)
    vertex[static_cast<std::size_t>(graph.rank[v])] = static_cast<std::uint32_t>(v);
  return vertex;
}

template <class T>
Descent<T> descentOf(const Swept<T>& graph, const SweepArcs<T>& down,
                     const std::vector<std::uint32_t>& vertex, int sharesOfPhase) {
  Layout<T> layout(down, vertex, sharesOfPhase);
  for (const Phase& phase : phasesOf(graph, down, sharesOfPhase)) layout.add(phase);
  return layout.finish();
}

template std::vector<std::uint32_t> verticesOf(const Swept<int>&);
template std::vector<std::uint32_t> verticesOf(const Swept<float>&);
template Descent<int> descentOf(const Swept<int>&, const SweepArcs<int>&,
                                const std::vector<std::uint32_t>&, int);
template Descent<float> descentOf(const Swept<float>&, const SweepArcs<float>&,
                                  const std::vector<std::uint32_t>&, int);

}  // namespace sparse
