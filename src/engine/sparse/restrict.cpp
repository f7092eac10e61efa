// The sweep of a table goes up from its sources, and down to its targets. What is above a vertex
// are the ends of its arcs, the ends of theirs, and so on: its ancestors in the elimination tree,
// of which a graph with small separators has few. Positions that are above no source and no target
// are left out, and the others are numbered anew: first those above sources only, then those above
// targets, then the core. An arc leads from a position to ones above it, so whatever is above a
// target comes after it, and the sweep down ends where the positions above sources only begin.
#include "sparse/restrict.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "base/size.h"

namespace engine::sparse {

namespace {

using Marks = std::vector<char>;

/// Of each position, whether it is one of these, or above one of them.
template <class T>
Marks above(const std::vector<int>& positions, const Swept<T>& graph) {
  Marks marks(asSize(graph.vertices()), 0);
  for (const int position : positions) marks[asSize(position)] = 1;
  for (std::size_t x = 0; x < asSize(graph.core); ++x) {
    if (marks[x] == 0) continue;
    for (const SweepArcs<T>* list : {&graph.arcs.up, &graph.arcs.down})
      for (std::uint32_t a = list->first[x]; a < list->first[x + 1]; ++a)
        marks[list->arcs[a].head] = 1;
  }
  return marks;
}

/// The arcs of the positions in `kept`, in their order. number: the new one of each position.
template <class T>
SweepArcs<T> arcsOf(const std::vector<int>& kept, const std::vector<int>& number,
                    const SweepArcs<T>& all) {
  SweepArcs<T> left;
  left.first.reserve(kept.size() + 1);
  left.first.push_back(0);
  for (const int position : kept) {
    const auto x = asSize(position);
    for (std::uint32_t a = all.first[x]; a < all.first[x + 1]; ++a)
      left.arcs.push_back(
          {static_cast<std::uint32_t>(number[all.arcs[a].head]), all.arcs[a].weight});
    left.first.push_back(static_cast<std::uint32_t>(left.arcs.size()));
  }
  return left;
}

/// The positions of these vertices, of all if there are none.
std::vector<int> positionsOf(const std::vector<int>& vertices, const std::vector<int>& position) {
  if (vertices.empty()) return position;
  std::vector<int> positions;
  positions.reserve(vertices.size());
  for (const int vertex : vertices) positions.push_back(position[asSize(vertex)]);
  return positions;
}

}  // namespace

template <class T>
void restrictTo(const Selection& asked, Swept<T>& graph) {
  const std::vector<int> all = std::move(graph.position);
  graph.source = positionsOf(asked.sources, all);
  graph.position = positionsOf(asked.targets, all);
  if (asked.targets.empty()) return;  // every position is above some target
  const Marks up = above(graph.source, graph), down = above(graph.position, graph);
  std::vector<int> kept, number(all.size(), -1);
  for (const bool isDown : {false, true}) {
    if (isDown) graph.floor = static_cast<int>(kept.size());
    for (int x = 0; x < graph.core; ++x) {
      const auto i = asSize(x);
      if ((down[i] != 0) != isDown || (up[i] == 0 && !isDown)) continue;
      number[i] = static_cast<int>(kept.size());
      kept.push_back(x);
    }
  }
  const int core = static_cast<int>(kept.size());
  for (int x = graph.core; x < graph.positions; ++x) number[asSize(x)] = core + x - graph.core;
  graph.arcs = {arcsOf(kept, number, graph.arcs.up), arcsOf(kept, number, graph.arcs.down)};
  graph.positions -= graph.core - core;
  graph.core = core;
  for (std::vector<int>* positions : {&graph.source, &graph.position})
    for (int& position : *positions) position = number[asSize(position)];
}

template void restrictTo(const Selection&, Swept<std::int32_t>&);
template void restrictTo(const Selection&, Swept<float>&);
template void restrictTo(const Selection&, Swept<std::int64_t>&);
template void restrictTo(const Selection&, Swept<double>&);

}  // namespace engine::sparse
