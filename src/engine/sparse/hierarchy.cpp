// The arcs of the hierarchy, row by row: the row subtree of i (elimination.cpp) holds the lower
// vertices that get an arc to i. As i ascends, the arcs of each vertex come out in order, and the
// counts say where each goes.
#include "sparse/hierarchy.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "filtered/settle_cpu.h"

namespace sparse {

namespace {

/// The heads of all arcs. first: of the hierarchy, filled in already.
std::vector<int> headsOf(const Pattern& pattern, const Elimination& plan,
                         const std::vector<std::size_t>& first) {
  std::vector<int> head(first.back()), seen(static_cast<std::size_t>(plan.core), -1);
  std::vector<std::size_t> at(first.begin(), first.end() - 1);
  for (int i = 0; i < plan.vertices(); ++i) {
    const auto vertex = static_cast<std::size_t>(plan.vertex[static_cast<std::size_t>(i)]);
    for (int a = pattern.first[vertex]; a < pattern.first[vertex + 1]; ++a) {
      const int neighbour = pattern.neighbours[static_cast<std::size_t>(a)];
      int j = plan.rank[static_cast<std::size_t>(neighbour)];
      while (j != -1 && j < i && j < plan.core && seen[static_cast<std::size_t>(j)] != i) {
        seen[static_cast<std::size_t>(j)] = i;
        head[at[static_cast<std::size_t>(j)]++] = i;
        j = plan.parent[static_cast<std::size_t>(j)];
      }
    }
  }
  return head;
}

/// The core's matrix without edges.
Matrix emptyCore(int size, int none) {
  Matrix between(size);
  preferLargePages(between.data(), matrixBytes(size));
#pragma omp parallel for if (size >= kWorthThreads)
  for (int i = 0; i < size; ++i) {
    std::fill_n(between.row(i), size, none);
    between.row(i)[i] = 0;
  }
  return between;
}

template <class T>
void addEdge(Hierarchy<T>& all, int from, int to, int weight) {
  const int low = std::min(from, to), high = std::max(from, to);
  if (low >= all.core) {
    Alias<T>& known = all.row(from)[to - all.core];
    known = std::min<T>(known, numberOf<T>(weight));
    return;
  }
  const auto begin = all.head.begin() + static_cast<std::ptrdiff_t>(all.begin(low));
  const auto end = all.head.begin() + static_cast<std::ptrdiff_t>(all.end(low));
  const auto arc = static_cast<std::size_t>(std::lower_bound(begin, end, high) - all.head.begin());
  T& known = from == low ? all.up[arc] : all.down[arc];
  known = std::min(known, numberOf<T>(weight));
}

}  // namespace

std::size_t hierarchyBytes(const Elimination& plan) {
  const auto arcs = static_cast<std::size_t>(plan.arcs);
  const auto n = static_cast<std::size_t>(plan.vertices());
  // An arc, its two weights, two marks, and what is left of it in both directions.
  constexpr std::size_t kArc = 3 * sizeof(int) + 2 + 2 * sizeof(SweepArcs<int>::Arc);
  // The core's matrix, and the dense solver's tiles of it.
  return arcs * kArc + n * 64 + 2 * matrixBytes(plan.coreSize());
}

template <class T>
Hierarchy<T> build(const Pattern& pattern, const Elimination& plan,
                   const std::vector<Edge>& edges) {
  try {
    Hierarchy<T> all;
    all.n = plan.vertices();
    all.core = plan.core;
    all.first.assign(static_cast<std::size_t>(plan.core) + 1, 0);
    for (std::size_t v = 0; v < plan.above.size(); ++v)
      all.first[v + 1] = all.first[v] + static_cast<std::size_t>(plan.above[v]);
    all.head = headsOf(pattern, plan, all.first);
    all.up.assign(all.head.size(), kFar<T>);
    all.down.assign(all.head.size(), kFar<T>);
    all.between = emptyCore(all.coreSize(),
                            infinity(std::is_same_v<T, float> ? Dtype::kFloat32 : Dtype::kInt32));
    for (const Edge& edge : edges) {
      addEdge(all, plan.rank[static_cast<std::size_t>(edge.from)],
              plan.rank[static_cast<std::size_t>(edge.to)], edge.weight);
    }
    return all;
  } catch (const std::bad_alloc&) {
    throw Error(Exit::kMemory, "out of host memory for the arcs of the hierarchy");
  }
}

template Hierarchy<int> build(const Pattern&, const Elimination&, const std::vector<Edge>&);
template Hierarchy<float> build(const Pattern&, const Elimination&, const std::vector<Edge>&);

}  // namespace sparse
