// Some shortest path goes up in position from one end, perhaps across the core, and down to the
// other (customise.cpp). Both parts lead through ancestors in the elimination tree only, as in the
// query of customisable contraction hierarchies (Dibbelt, Strasser, Wagner 2014). So no queue is
// needed: the parents are the order in which the ancestors are relaxed.
#include "sparse/pair_query.h"

#include <algorithm>

#include "base/size.h"

namespace engine::sparse {

template <class T>
PairQuery<T>::PairQuery(const Swept<T>& graph)
    : graph_(graph), from_(graph.vertices()), to_(graph.vertices()) {}

/// arcs: up from each position, or those down to it.
template <class T>
void PairQuery<T>::climb(const SweepArcs<T>& arcs, int position, Climb& climb) const {
  climb.distance[asSize(position)] = 0;
  if (position >= graph_.core) climb.gates.push_back(position);
  for (int x = position; x >= 0 && x < graph_.core; x = graph_.parent[asSize(x)]) {
    climb.way.push_back(x);
    const T known = climb.distance[asSize(x)];
    if (known == kInfinity<T>) continue;
    for (std::uint32_t a = arcs.first[asSize(x)]; a < arcs.first[asSize(x) + 1]; ++a) {
      T& other = climb.distance[arcs.arcs[a].head];
      if (other == kInfinity<T> && static_cast<int>(arcs.arcs[a].head) >= graph_.core)
        climb.gates.push_back(static_cast<int>(arcs.arcs[a].head));
      other = std::min(other, known + arcs.arcs[a].weight);
    }
  }
}

template <class T>
void PairQuery<T>::clear(Climb& climb) const {
  for (const int x : climb.way) climb.distance[asSize(x)] = kInfinity<T>;
  for (const int x : climb.gates) climb.distance[asSize(x)] = kInfinity<T>;
  climb.way.clear();
  climb.gates.clear();
}

template <class T>
T PairQuery<T>::distance(int from, int to) {
  if (from == to) return 0;
  climb(graph_.arcs.up, graph_.position[asSize(from)], from_);
  climb(graph_.arcs.down, graph_.position[asSize(to)], to_);
  T least = kInfinity<T>;
  for (const int x : from_.way)
    least = std::min(least, from_.distance[asSize(x)] + to_.distance[asSize(x)]);
  for (const int g : from_.gates) {
    const T known = from_.distance[asSize(g)];
    if (known >= least) continue;
    const T* const between = graph_.between.template row<T>(g - graph_.core);
    for (const int h : to_.gates)
      if (const T across = known + between[h - graph_.core]; across < least)
        least = std::min(least, across + to_.distance[asSize(h)]);
  }
  clear(from_);
  clear(to_);
  return least;
}

template class PairQuery<std::int32_t>;
template class PairQuery<float>;
template class PairQuery<std::int64_t>;
template class PairQuery<double>;

}  // namespace engine::sparse
