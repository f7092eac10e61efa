// Symbolic elimination: what it would cost, in time proportional to the edges of the graph.
//
// Eliminating a vertex joins all its neighbours that are left. The lowest of them is its parent in
// the elimination tree, and every neighbour above a vertex is one of its ancestors (Schreiber 1982,
// Liu 1990). Therefore the tree says all: eliminating joins i with a lower vertex j exactly if the
// path from some neighbour k < i of i up to i passes j. These paths together are the row subtree of
// i. How many row subtrees a vertex is in is the number of its neighbours above it. That is counted
// without walking through the subtrees (Gilbert, Ng, Peyton 1994): in postorder, the subtree of i
// is the union of the paths from its leaves. We add 1 at each leaf, subtract 1 where the path of a
// leaf meets that of the leaf before it, and 1 at i. Then the sum over the vertices below j and j
// itself is 1 for each row subtree that j is in. A neighbour of i is a leaf if the neighbour before
// it is not below it.
//
// Where to stop. Who has few neighbours is eliminated first, but after all below it in the tree.
// The counts in that order are a curve. Those who stay are the core, with a matrix of its own. A
// smaller core takes less time, but its last vertices have many neighbours, and each of those costs
// time for every source. We take the least of the sums, and stop at kMostNeighbours in any case:
// then the arcs cannot grow without limit, and the core may be solved in less time than the sum
// says, if filtering helps there.
#include "sparse/elimination.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/size.h"

namespace engine::sparse {

namespace {

/// A vertex with more neighbours than these stays in the core.
constexpr int kMostNeighbours = 128;
/// A core of so many vertices is filtered in less time than the dense solver takes.
constexpr int kLargeCore = 4096;

using Ints = std::vector<int>;

int& at(Ints& list, int index) {
  return list[asSize(index)];
}
int at(const Ints& list, int index) {
  return list[asSize(index)];
}

Ints inverse(const Ints& order) {
  Ints position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) at(position, order[i]) = static_cast<int>(i);
  return position;
}

template <class Visit>
void forNeighbours(const Pattern& pattern, int vertex, const Visit& visit) {
  for (int a = at(pattern.first, vertex); a < at(pattern.first, vertex + 1); ++a)
    visit(at(pattern.neighbours, a));
}

/// The elimination tree, by places in the order; −1: a root.
Ints treeOf(const Pattern& pattern, const Ints& order, const Ints& place) {
  const int n = pattern.vertices();
  Ints parent(order.size(), -1), known = parent;  // known: some ancestor, to climb in large steps
  for (int i = 0; i < n; ++i) {
    forNeighbours(pattern, at(order, i), [&](int neighbour) {
      for (int j = at(place, neighbour); j != -1 && j < i;) {
        const int next = at(known, j);
        at(known, j) = i;
        if (next == -1) at(parent, j) = i;
        j = next;
      }
    });
  }
  return parent;
}

/// How many neighbours each vertex has above it. order: a postorder of the elimination tree;
/// parent: by places in it.
Ints countAbove(const Pattern& pattern, const Ints& order, const Ints& place, const Ints& parent) {
  const int n = pattern.vertices();
  Ints sum(order.size(), 0), low(order.size()), before(order.size(), -1), leaf = before;
  Ints joined(order.size());
  std::iota(joined.begin(), joined.end(), 0);
  std::iota(low.begin(), low.end(), 0);
  for (int v = 0; v < n; ++v)  // low: the first vertex below v
    if (at(parent, v) != -1) at(low, at(parent, v)) = std::min(at(low, at(parent, v)), at(low, v));
  const auto top = [&](int v) {  // the ancestor of v that is the lowest of those not yet passed
    int root = v;
    while (at(joined, root) != root) root = at(joined, root);
    while (at(joined, v) != root) v = std::exchange(at(joined, v), root);
    return root;
  };
  for (int j = 0; j < n; ++j) {
    forNeighbours(pattern, at(order, j), [&](int neighbour) {
      const int i = at(place, neighbour);
      if (i < j) return;
      if (at(before, i) < at(low, j)) {
        ++at(sum, j);
        --at(sum, at(leaf, i) == -1 ? i : top(at(leaf, i)));
        at(leaf, i) = j;
      }
      at(before, i) = j;
    });
    if (at(parent, j) != -1) at(joined, j) = at(parent, j);
  }
  for (int v = 0; v < n; ++v)
    if (at(parent, v) != -1) at(sum, at(parent, v)) += at(sum, v);
  return sum;
}

/// The tree and the counts, by places in a postorder of the tree. order: the vertex of each place;
/// turn: the places, in the order in which they are given up to be eliminated.
struct Counted {
  Ints order, parent, above, turn;
};

/// The places with the fewest neighbours first, but no vertex before those below it.
Ints turnsOf(const Ints& parent, const Ints& above) {
  Ints most = above, turn(above.size());  // most: of the neighbours of those below it, and its own
  for (std::size_t i = 0; i < above.size(); ++i)
    if (parent[i] != -1) at(most, parent[i]) = std::max(at(most, parent[i]), most[i]);
  std::iota(turn.begin(), turn.end(), 0);
  std::stable_sort(turn.begin(), turn.end(),
                   [&](int a, int b) { return at(most, a) < at(most, b); });
  return turn;
}

Counted countIn(const Pattern& pattern, const Ints& order) {
  const Ints parent = treeOf(pattern, order, inverse(order));
  const Ints moved = postorderPositions(parent), postorder = inverse(moved);
  Counted all;
  all.parent.assign(order.size(), -1);
  all.order.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    all.order[i] = at(order, postorder[i]);
    const int up = at(parent, postorder[i]);
    if (up != -1) all.parent[i] = at(moved, up);
  }
  all.above = countAbove(pattern, all.order, inverse(all.order), all.parent);
  all.turn = turnsOf(all.parent, all.above);
  return all;
}

/// Gives the vertices whose turn comes last to the core.
Elimination divide(const Counted& all, int coreSize) {
  const int n = static_cast<int>(all.order.size());
  Elimination result;
  result.core = n - coreSize;
  const Ints when = inverse(all.turn);
  Ints positions(all.order.size());
  int low = 0, high = result.core;
  for (int i = 0; i < n; ++i) at(positions, i) = at(when, i) < result.core ? low++ : high++;
  result.position.resize(all.order.size());
  result.vertex.resize(all.order.size());
  result.parent.assign(asSize(result.core), -1);
  result.above.resize(result.parent.size());
  for (int i = 0; i < n; ++i) {
    const int position = at(positions, i), up = at(all.parent, i);
    at(result.position, at(all.order, i)) = position;
    at(result.vertex, position) = at(all.order, i);
    if (position >= result.core) continue;
    if (up != -1) at(result.parent, position) = at(positions, up);
    at(result.above, position) = at(all.above, i);
    result.arcs += static_cast<std::uint64_t>(at(all.above, i));
  }
  return result;
}

/// The levels of the elimination tree below the core.
int levelsOf(const Elimination& elimination) {
  Ints height(elimination.parent.size(), 1);
  int levels = 0;
  for (int position = 0; position < elimination.core; ++position) {
    levels = std::max(levels, at(height, position));
    const int up = at(elimination.parent, position);
    if (up != -1 && up < elimination.core)
      at(height, up) = std::max(at(height, up), at(height, position) + 1);
  }
  return levels;
}

}  // namespace

std::vector<int> postorderPositions(const std::vector<int>& parent) {
  const auto isRoot = [&](int up) { return up < 0 || asSize(up) >= parent.size(); };
  Ints size(parent.size(), 1), last(parent.size()), position(parent.size());
  for (std::size_t v = 0; v < parent.size(); ++v)
    if (!isRoot(parent[v])) at(size, parent[v]) += size[v];
  // From the top down, each takes the last place of those that its parent has left.
  int left = static_cast<int>(parent.size());
  for (std::size_t v = parent.size(); v-- > 0;) {
    int& end = isRoot(parent[v]) ? left : at(last, parent[v]);
    position[v] = last[v] = end - 1;
    end -= size[v];
  }
  return position;
}

double denseMilliseconds(int n, const Rates& rates) {
  const double padded = std::ceil(static_cast<double>(n) / rates.tile) * rates.tile;
  return std::pow(padded, 3) * rates.product * rates.real / rates.threads * 1e3;
}

Elimination eliminate(const Pattern& pattern, const std::vector<int>& order, int coreSize) {
  return divide(countIn(pattern, order), coreSize);
}

Elimination eliminate(const Pattern& pattern, const std::vector<int>& order, const Rates& rates) {
  const Counted all = countIn(pattern, order);
  const int n = pattern.vertices();
  const double sources = rates.sources < 0 ? n : rates.sources;
  const double chosenFor = rates.coreThreads > 0 ? rates.coreThreads : rates.threads;
  double arcs = 0, triangles = 0, least = 0, taken = 0;  // seconds: for these threads, and for all
  int best = n;                                          // the size of the core
  for (int turn = 0; turn <= n; ++turn) {
    const double core = n - turn;
    const double degree = turn > 0 ? at(all.above, at(all.turn, turn - 1)) : 0;
    if (degree > kMostNeighbours) break;
    arcs += degree;
    triangles += degree * degree / 2;
    const double shared =
        sources * ((arcs / 2 + core * degree / 2) * rates.relax + n * rates.write) +
        core * core * core * rates.product;
    const double alone = triangles * rates.triangle + core * core * rates.coreWord;
    const double seconds = alone + shared / chosenFor;
    if (turn > 0 && seconds >= least) continue;
    least = seconds;
    taken = alone + shared / rates.threads;
    best = n - turn;
  }
  Elimination result = divide(all, best);
  // Only the estimate becomes smaller: the size of the core, and so the bits, stay as they are.
  if (const double size = best; best >= kLargeCore && rates.filtered > 0)
    taken -= size * size * std::max(0.0, size * rates.product - rates.filtered) / rates.threads;
  result.milliseconds =
      (taken * rates.rest + n * rates.prepare + static_cast<double>(result.arcs) * rates.climb +
       levelsOf(result) * rates.level) *
      1e3;
  return result;
}

}  // namespace engine::sparse
