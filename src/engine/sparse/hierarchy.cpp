// The arcs of the hierarchy, row by row: the row subtree of i (elimination.cpp) holds the lower
// vertices that get an arc to i. As i ascends, the arcs of each vertex come out in order, and the
// counts say where each goes.
#include "sparse/hierarchy.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/thread_team.h"

namespace engine::sparse {

namespace {

/// The heads of all arcs. first: of the hierarchy, filled in already.
std::vector<int> headsOf(const Pattern& pattern, const Elimination& elimination,
                         const std::vector<std::size_t>& first) {
  std::vector<int> head(first.back()), seen(asSize(elimination.core), -1);
  std::vector<std::size_t> at(first.begin(), first.end() - 1);
  for (int i = 0; i < elimination.vertices(); ++i) {
    const auto vertex = asSize(elimination.vertex[asSize(i)]);
    for (int a = pattern.first[vertex]; a < pattern.first[vertex + 1]; ++a) {
      const int neighbour = pattern.neighbours[asSize(a)];
      int j = elimination.position[asSize(neighbour)];
      while (j != -1 && j < i && j < elimination.core && seen[asSize(j)] != i) {
        seen[asSize(j)] = i;
        head[at[asSize(j)]++] = i;
        j = elimination.parent[asSize(j)];
      }
    }
  }
  return head;
}

template <class T>
void addEdge(Hierarchy<T>& all, int from, int to, T weight) {
  const int low = std::min(from, to), high = std::max(from, to);
  if (low >= all.core) {
    T& known = all.row(from)[to - all.core];
    known = std::min(known, weight);
    return;
  }
  const auto begin = all.head.begin() + static_cast<std::ptrdiff_t>(all.begin(low));
  const auto end = all.head.begin() + static_cast<std::ptrdiff_t>(all.end(low));
  const auto arc = asSize(std::lower_bound(begin, end, high) - all.head.begin());
  T& known = from == low ? all.up[arc] : all.down[arc];
  known = std::min(known, weight);
}

}  // namespace

template <class T>
Matrix emptyCore(int size) {
  Matrix between(size, kDtype<T>);
  preferLargePages(between.data().data(), matrixBytes(size, kDtype<T>));
  inParts(size, rowsInPart(size), [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      T* const row = between.row<T>(i);
      std::fill_n(row, size, kInfinity<T>);
      row[i] = 0;
    }
  });
  return between;
}

std::size_t hierarchyBytes(const Elimination& elimination, Dtype dtype) {
  const auto arcs = asSize(elimination.arcs);
  const auto n = asSize(elimination.vertices());
  // An arc, its two weights, two marks, and what is left of it in both directions.
  const std::size_t arc = sizeof(int) + 2 * sizeOf(dtype) + 2 +
                          2 * withType(dtype, [](auto zero) {
                            return sizeof(typename SweepArcs<decltype(zero)>::Arc);
                          });
  // The core's matrix, and the dense solver's tiles of it.
  return arcs * arc + n * 64 + 2 * matrixBytes(elimination.coreSize(), dtype);
}

template <class T>
Hierarchy<T> build(const Pattern& pattern, const Elimination& elimination, const Edges<T>& edges) {
  try {
    Hierarchy<T> all;
    all.n = elimination.vertices();
    all.core = elimination.core;
    all.first.assign(asSize(elimination.core) + 1, 0);
    for (std::size_t v = 0; v < elimination.above.size(); ++v)
      all.first[v + 1] = all.first[v] + asSize(elimination.above[v]);
    all.head = headsOf(pattern, elimination, all.first);
    all.up.assign(all.head.size(), kInfinity<T>);
    all.down.assign(all.head.size(), kInfinity<T>);
    all.between = emptyCore<T>(all.coreSize());
    for (const Edge<T>& edge : edges)
      addEdge(all, elimination.position[asSize(edge.from)], elimination.position[asSize(edge.to)],
              edge.weight);
    return all;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kMemory, "out of host memory for the arcs of the hierarchy");
  }
}

template Matrix emptyCore<std::int32_t>(int);
template Matrix emptyCore<float>(int);
template Matrix emptyCore<std::int64_t>(int);
template Matrix emptyCore<double>(int);
template Hierarchy<std::int32_t> build(const Pattern&, const Elimination&,
                                       const Edges<std::int32_t>&);
template Hierarchy<float> build(const Pattern&, const Elimination&, const Edges<float>&);
template Hierarchy<std::int64_t> build(const Pattern&, const Elimination&,
                                       const Edges<std::int64_t>&);
template Hierarchy<double> build(const Pattern&, const Elimination&, const Edges<double>&);

}  // namespace engine::sparse
