// Some shortest path goes up in position and then down (pair_query.cpp), along arcs that stand for
// ways through lower vertices. Each of these arcs is an edge of the graph, or as long as two arcs
// with a lower vertex in the middle: customising has taken the least of these lengths. So the
// middle is found once more after it, by comparing. Sums of reals are the same bits then, because
// the same two numbers are added. Arcs are taken apart until edges are left. This ends, because a
// middle has a lower position than both ends of its arc.
//
// No vertex of the core would have a middle. Therefore all vertices are eliminated here. That is
// too much for a graph with a large core, but climbs are of no use there either.
//
// Which of the arcs a climb needs, pruning says (customise.cpp). It lowers weights to distances, so
// that the arcs are told apart before it.
//
// Where weights are 0, or too small to change a sum of reals, the way up and the way down may pass
// the same lower vertex. What lies between is as long as nothing, and is left out.
#include "sparse/pair_paths.h"

#include <algorithm>
#include <new>

#include "base/error.h"
#include "base/size.h"

namespace engine::sparse {

std::optional<Elimination> withoutCore(const Pattern& pattern, const Elimination& elimination,
                                       std::size_t edges) {
  constexpr double kTriangles = 256;  // for each vertex and edge
  Elimination full = eliminate(pattern, elimination.vertex, 0);
  double triangles = 0;
  for (const int above : full.above) triangles += 0.5 * above * above;
  if (triangles > kTriangles * static_cast<double>(asSize(full.vertices()) + edges))
    return std::nullopt;
  return full;
}

template <class T>
PairPaths<T>::PairPaths(const Pattern& pattern, const Elimination& elimination,
                        const Edges<T>& edges, int threads)
    : position_(elimination.position), vertex_(elimination.vertex), parent_(elimination.parent) {
  try {
    Hierarchy<T> all = build(pattern, elimination, edges);
    const std::vector<T> up = all.up, down = all.down;
    customise(all, threads);
    findWays(all, up, down);
    const Pruned<T> kept = prune(all, threads);
    up_ = climbed(all, kept.up);
    down_ = climbed(all, kept.down);
    for (Climb* climb : {&from_, &to_}) climb->reached.resize(position_.size());
    isOnPath_.assign(position_.size(), 0);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kMemory, "out of host memory for the ways of the hierarchy's arcs");
  }
}

/// up, down: the weights of the edges, before customising. An arc that has got its middle is as
/// long as its way, like an edge, and keeps it.
template <class T>
void PairPaths<T>::findWays(const Hierarchy<T>& all, const std::vector<T>& up,
                            const std::vector<T>& down) {
  ups_.resize(up.size());
  downs_.resize(down.size());
  for (std::size_t a = 0; a < up.size(); ++a) {
    ups_[a].weight = up[a];
    downs_[a].weight = down[a];
  }
  const auto isEdge = [](const Way& way, T length) { return way.weight == length; };
  // Arcs a to u and b to v of a vertex x, and the arc `top` from u to v, which is above x.
  const auto look = [&](int x, std::size_t a, std::size_t b, std::size_t top) {
    const auto toU = static_cast<std::uint32_t>(a), toV = static_cast<std::uint32_t>(b);
    const T there = all.up[top], back = all.down[top];
    if (!isEdge(ups_[top], there) && all.down[a] + all.up[b] == there)
      ups_[top] = {x, toU, toV, there};
    if (!isEdge(downs_[top], back) && all.down[b] + all.up[a] == back)
      downs_[top] = {x, toV, toU, back};
  };
  for (int x = 0; x < all.n; ++x)
    for (std::size_t a = all.begin(x); a < all.end(x); ++a) {
      std::size_t top = all.begin(all.head[a]);
      for (std::size_t b = a + 1; b < all.end(x); ++b) {
        while (all.head[top] != all.head[b]) ++top;
        look(x, a, b, top);
      }
    }
}

/// The arcs that are kept, with their places in the hierarchy.
template <class T>
typename PairPaths<T>::Arcs PairPaths<T>::climbed(const Hierarchy<T>& all,
                                                  const SweepArcs<T>& kept) {
  Arcs arcs;
  arcs.first = kept.first;
  arcs.arcs.reserve(kept.arcs.size());
  for (int x = 0; x < all.n; ++x) {
    std::size_t place = all.begin(x);
    for (std::uint32_t a = kept.first[asSize(x)]; a < kept.first[asSize(x) + 1]; ++a) {
      const int head = static_cast<int>(kept.arcs[a].head);
      while (all.head[place] != head) ++place;
      arcs.arcs.push_back({head, static_cast<std::uint32_t>(place), kept.arcs[a].weight});
    }
  }
  return arcs;
}

/// arcs: up from each position, or those down to it.
template <class T>
void PairPaths<T>::climb(const Arcs& arcs, int position, Climb& climb) const {
  climb.reached[asSize(position)].distance = 0;
  for (int x = position; x >= 0; x = parent_[asSize(x)]) {
    climb.way.push_back(x);
    const T known = climb.reached[asSize(x)].distance;
    if (known == kInfinity<T>) continue;
    for (std::uint32_t a = arcs.first[asSize(x)]; a < arcs.first[asSize(x) + 1]; ++a) {
      const Arc& arc = arcs.arcs[a];
      Reached& other = climb.reached[asSize(arc.head)];
      if (known + arc.weight < other.distance) other = {known + arc.weight, x, arc.place};
    }
  }
}

/// Climbs from the positions of both. Returns the highest position of a shortest path, −1 if there
/// is none.
template <class T>
int PairPaths<T>::meet(int from, int to, T& distance) {
  climb(up_, position_[asSize(from)], from_);
  climb(down_, position_[asSize(to)], to_);
  distance = kInfinity<T>;
  int top = -1;
  for (const int x : from_.way) {
    const T length = from_.reached[asSize(x)].distance + to_.reached[asSize(x)].distance;
    if (length < distance) distance = length, top = x;
  }
  return top;
}

template <class T>
void PairPaths<T>::clear() {
  for (Climb* climb : {&from_, &to_}) {
    for (const int x : climb->way) climb->reached[asSize(x)] = {};
    climb->way.clear();
  }
}

template <class T>
T PairPaths<T>::distance(int from, int to) {
  T distance;
  meet(from, to, distance);
  clear();
  return distance;
}

/// Goes on to a vertex. Back at one of the path, what came after it is left out.
template <class T>
void PairPaths<T>::append(int vertex, T weight) {
  if (isOnPath_[asSize(vertex)] == 0) {
    isOnPath_[asSize(vertex)] = 1;
    lengths_.push_back(path_.empty() ? 0 : lengths_.back() + weight);
    path_.push_back(vertex);
    return;
  }
  for (; path_.back() != vertex; path_.pop_back(), lengths_.pop_back())
    isOnPath_[asSize(path_.back())] = 0;
}

/// Goes on along all edges that an arc stands for.
template <class T>
void PairPaths<T>::takeApart(Step step) {
  steps_.push_back(step);
  while (!steps_.empty()) {
    const Step next = steps_.back();
    steps_.pop_back();
    const Way& way = (next.down ? downs_ : ups_)[next.place];
    if (way.middle < 0) {
      append(vertex_[asSize(next.end)], way.weight);
    } else {
      steps_.push_back({way.up, false, next.end});
      steps_.push_back({way.down, true, way.middle});
    }
  }
}

template <class T>
std::vector<int> PairPaths<T>::path(int from, int to, T& length) {
  const int top = meet(from, to, length);
  path_.clear();
  lengths_.clear();
  if (top >= 0) {
    append(from, 0);
    std::vector<Step> ups;  // the last one first
    for (int x = top; x != position_[asSize(from)]; x = from_.reached[asSize(x)].before)
      ups.push_back({from_.reached[asSize(x)].place, false, x});
    for (auto step = ups.rbegin(); step != ups.rend(); ++step) takeApart(*step);
    for (int x = top; x != position_[asSize(to)]; x = to_.reached[asSize(x)].before)
      takeApart({to_.reached[asSize(x)].place, true, to_.reached[asSize(x)].before});
    length = lengths_.back();
    for (const int vertex : path_) isOnPath_[asSize(vertex)] = 0;
  }
  clear();
  return path_;
}

template class PairPaths<std::int32_t>;
template class PairPaths<float>;
template class PairPaths<std::int64_t>;
template class PairPaths<double>;

}  // namespace engine::sparse
