// The ranks are a postorder of the elimination tree, so a subtree is a range of ranks.
#include "solvers/sparse/descent.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>

namespace sparse {

namespace {

constexpr int kStepCost = 2;  // of a step without arcs, in arcs
/// The top ends where a subtree takes less than this part of a share: then shares are equal.
constexpr int kSubtreesOfShare = 4;

/// A subtree of the elimination tree.
struct Subtree {
  int root, size;
  std::int64_t cost;
};

struct Division {
  std::vector<int> top;  // ranks
  std::vector<Subtree> subtrees;
};

Division divide(const std::vector<int>& parent, const std::vector<std::int64_t>& costs,
                std::int64_t limit) {
  std::vector<Subtree> below(parent.size());
  const auto at = [&](int rank) -> Subtree& { return below[static_cast<std::size_t>(rank)]; };
  const int core = static_cast<int>(parent.size());
  const auto isTop = [&](int rank) { return rank >= 0 && rank < core && at(rank).cost > limit; };
  for (int x = 0; x < core; ++x) {  // below[x] is complete: all its children are lower
    at(x).root = x;
    at(x).size += 1;
    at(x).cost += costs[static_cast<std::size_t>(x)];
    const int up = parent[static_cast<std::size_t>(x)];
    if (up < 0 || up >= core) continue;
    at(up).size += at(x).size;
    at(up).cost += at(x).cost;
  }
  Division result;
  for (int x = core - 1; x >= 0; --x) {
    const int up = parent[static_cast<std::size_t>(x)];
    if (isTop(x))
      result.top.push_back(x);
    else if (up < 0 || up >= core || isTop(up))
      result.subtrees.push_back(at(x));
  }
  return result;
}

/// Gives each subtree, the dearest first, to the share that has the least.
std::vector<std::vector<Subtree>> shareOut(std::vector<Subtree> subtrees, int shares) {
  std::stable_sort(subtrees.begin(), subtrees.end(),
                   [](const Subtree& a, const Subtree& b) { return a.cost > b.cost; });
  using Load = std::pair<std::int64_t, int>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int share = 0; share < shares; ++share) loads.push({0, share});
  std::vector<std::vector<Subtree>> result(static_cast<std::size_t>(shares));
  for (const Subtree& each : subtrees) {
    const auto [load, share] = loads.top();
    loads.pop();
    result[static_cast<std::size_t>(share)].push_back(each);
    loads.push({load + each.cost, share});
  }
  for (auto& share : result)  // neighbours in the tree share their ancestors
    std::sort(share.begin(), share.end(),
              [](const Subtree& a, const Subtree& b) { return a.root > b.root; });
  return result;
}

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
                     const std::vector<std::uint32_t>& vertex, int shares) {
  const auto core = static_cast<std::size_t>(graph.core);
  std::vector<std::int64_t> costs(core);
  for (std::size_t x = 0; x < core; ++x)
    costs[x] = kStepCost + static_cast<std::int64_t>(down.first[x + 1] - down.first[x]);
  const std::int64_t total = kStepCost * graph.core + static_cast<std::int64_t>(down.arcs.size());
  const Division division =
      divide(graph.parent, costs, shares > 1 ? total / (kSubtreesOfShare * shares) : total);

  Descent<T> result;
  result.steps.reserve(core);
  result.arcs.reserve(down.arcs.size());
  const auto take = [&](int x) {
    const auto rank = static_cast<std::size_t>(x);
    const auto begin = static_cast<std::uint32_t>(result.arcs.size());
    for (std::uint32_t a = down.first[rank]; a < down.first[rank + 1]; ++a) {
      result.arcs.push_back({vertex[down.arcs[a].head], down.arcs[a].weight});
    }
    result.steps.push_back({vertex[rank], static_cast<std::uint32_t>(x), begin,
                            static_cast<std::uint32_t>(result.arcs.size())});
  };
  const auto beginShare = [&] { result.shares.push_back(static_cast<int>(result.steps.size())); };
  beginShare();
  for (const int x : division.top) take(x);
  for (const auto& share : shareOut(division.subtrees, shares)) {
    beginShare();
    for (const Subtree& subtree : share)
      for (int x = subtree.root; x > subtree.root - subtree.size; --x) take(x);
  }
  beginShare();
  return result;
}

template std::vector<std::uint32_t> verticesOf(const Swept<int>&);
template std::vector<std::uint32_t> verticesOf(const Swept<float>&);
template Descent<int> descentOf(const Swept<int>&, const SweepArcs<int>&,
                                const std::vector<std::uint32_t>&, int);
template Descent<float> descentOf(const Swept<float>&, const SweepArcs<float>&,
                                  const std::vector<std::uint32_t>&, int);

}  // namespace sparse
