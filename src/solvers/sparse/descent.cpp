// A subtree belongs to the phase that its cost says: the time that its steps take. The ranks are a
// postorder of the elimination tree, so whoever goes through them from the highest on meets every
// vertex after its ancestors, and the vertices of a subtree one after the other.
#include "solvers/sparse/descent.h"

#include <algorithm>
#include <cstddef>

namespace sparse {

namespace {

using Costs = std::vector<std::int64_t>;

constexpr int kStepCost = 2;  // of a step without arcs, in arcs
/// From phase to phase, subtrees become smaller by this factor.
constexpr int kShrink = 4;
/// In the last phase, the largest subtree has this part of a share.
constexpr int kSubtreesOfShare = 8;

std::int64_t costOf(std::uint32_t arcs) {
  return kStepCost + static_cast<std::int64_t>(arcs);
}

/// The costs of the subtrees below each rank.
template <class T>
Costs costsOf(const Swept<T>& graph, const SweepArcs<T>& down) {
  Costs costs(static_cast<std::size_t>(graph.core), 0);
  for (std::size_t x = 0; x < costs.size(); ++x) {  // its children are lower
    costs[x] += costOf(down.first[x + 1] - down.first[x]);
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
  std::vector<int> begins;  // in `ranks`: where subtrees begin
  std::int64_t cost = 0;
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
  const auto core = static_cast<std::size_t>(graph.core);
  const Costs costs = costsOf(graph, down);
  const std::int64_t total =
      kStepCost * std::int64_t{graph.core} + static_cast<std::int64_t>(down.arcs.size());
  const Costs limits = limitsFor(total, sharesOfPhase);

  std::vector<Phase> phases(limits.size());
  std::vector<char> phaseOf(core);
  for (int x = graph.core - 1; x >= 0; --x) {
    const auto rank = static_cast<std::size_t>(x);
    const int up = graph.parent[rank];
    const bool isRoot = up < 0 || up >= graph.core;
    std::size_t p = isRoot ? 0 : static_cast<std::size_t>(phaseOf[static_cast<std::size_t>(up)]);
    const std::size_t above = p;
    while (costs[rank] <= limits[p]) ++p;
    phaseOf[rank] = static_cast<char>(p);
    Phase& phase = phases[p];
    if (isRoot || p != above) phase.begins.push_back(static_cast<int>(phase.ranks.size()));
    phase.ranks.push_back(x);
    phase.cost += costOf(down.first[rank + 1] - down.first[rank]);
  }

  Descent<T> result;
  result.phases = static_cast<int>(phases.size());
  result.steps.reserve(core);
  result.arcs.reserve(down.arcs.size());
  const auto take = [&](std::size_t rank) {
    const auto begin = static_cast<std::uint32_t>(result.arcs.size());
    for (std::uint32_t a = down.first[rank]; a < down.first[rank + 1]; ++a)
      result.arcs.push_back({vertex[down.arcs[a].head], down.arcs[a].weight});
    result.steps.push_back({vertex[rank], static_cast<std::uint32_t>(rank), begin,
                            static_cast<std::uint32_t>(result.arcs.size())});
  };
  for (const Phase& phase : phases) {
    const auto beginsShares = [&](int upTo) {
      while (static_cast<int>(result.shares.size()) < upTo)
        result.shares.push_back(static_cast<int>(result.steps.size()));
    };
    const int before = static_cast<int>(result.shares.size());
    std::int64_t done = 0;
    for (std::size_t i = 0; i < phase.begins.size(); ++i) {
      const auto begin = static_cast<std::size_t>(phase.begins[i]);
      const std::size_t end = i + 1 < phase.begins.size()
                                  ? static_cast<std::size_t>(phase.begins[i + 1])
                                  : phase.ranks.size();
      std::int64_t cost = 0;
      for (std::size_t k = begin; k < end; ++k) {
        const auto rank = static_cast<std::size_t>(phase.ranks[k]);
        cost += costOf(down.first[rank + 1] - down.first[rank]);
      }
      // The share in which the middle of the subtree is.
      const std::int64_t share = (2 * done + cost) * sharesOfPhase / (2 * phase.cost);
      beginsShares(before + 1 + static_cast<int>(share));
      for (std::size_t k = begin; k < end; ++k) take(static_cast<std::size_t>(phase.ranks[k]));
      done += cost;
    }
    beginsShares(before + sharesOfPhase);
  }
  result.shares.push_back(static_cast<int>(result.steps.size()));
  return result;
}

template std::vector<std::uint32_t> verticesOf(const Swept<int>&);
template std::vector<std::uint32_t> verticesOf(const Swept<float>&);
template Descent<int> descentOf(const Swept<int>&, const SweepArcs<int>&,
                                const std::vector<std::uint32_t>&, int);
template Descent<float> descentOf(const Swept<float>&, const SweepArcs<float>&,
                                  const std::vector<std::uint32_t>&, int);

}  // namespace sparse
