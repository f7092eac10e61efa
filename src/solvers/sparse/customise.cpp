// Weights for the arcs of the hierarchy: customisation (Dibbelt, Strasser, Wagner 2014), which is
// Gaussian elimination with min and + in place of + and ×.
//
// Lowest first. When x is eliminated, every pair u, v of its neighbours above it gets the path
// u → x → v, if it is shorter than what they have. A triangle is x, u and v with x below both.
// We take u in ascending order, and for each u all triangles with some x below it: their arcs at x
// are final then, because x was taken before. Of each x we keep the place of its next arc. The
// vertices whose next arc leads to u are in the list of u.
//
// After that, w(u,v) is the length of the shortest path from u to v whose inner vertices are below
// both. Every shortest path of the graph has a counterpart with the same length that goes up and
// then down: replace its lowest inner vertex by the arc between its neighbours, as long as there is
// a vertex with higher ones on both sides.
//
// Perfect customisation. From the top down, the arcs of x become distances. A shortest path from x
// to u begins with an arc to some z above x; the rest is the distance from z to u, and both are
// neighbours of x above it. So an arc and its distance are known from the triangles above x alone.
//
// Pruning. A sweep takes d(s,x) = min over the arcs (u,x) from above of d(s,u) + w(u,x). It does
// not need the arc from u if d(u,z) + w(z,x) ≤ w(u,x) for the arc of another z, because then
// d(s,z) + w(z,x) ≤ d(s,u) + w(u,x) for every s. But the arc of z must be kept, or be replaced by
// one that is. It is: z has a smaller weight than u, except if d(u,z) = 0 and both weights are the
// same, when the higher of the two stays. So replacements never go round in a circle. The same
// holds for arcs up.
//
// Real weights. A sum is rounded, so that a tie may be a path that is longer by a little. These
// little errors could add up from arc to arc. Therefore an arc is left out only if it is longer
// than the other path by more than both can be wrong. Then it is on no shortest path, and the proof
// of the tolerance (verify/verify.h) holds: the result is at most the sum along a shortest path.
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "solvers/relaxation/settle_cpu.h"
#include "solvers/sparse/hierarchy.h"

namespace sparse {

namespace {

/// The vertices whose next arc leads to each vertex, in linked lists.
class NextArcs {
 public:
  NextArcs(int n, int core)
      : top_(static_cast<std::size_t>(n), -1),
        next_(static_cast<std::size_t>(core)),
        arc_(static_cast<std::size_t>(core)) {}

  void add(int vertex, std::size_t arc, int head) {
    const auto v = static_cast<std::size_t>(vertex), h = static_cast<std::size_t>(head);
    arc_[v] = arc;
    next_[v] = top_[h];
    top_[h] = vertex;
  }

  /// Calls visit(vertex, its arc to head) for all in the list of `head`. They may be added to the
  /// lists of others meanwhile.
  template <class Visit>
  void take(int head, const Visit& visit) {
    for (int v = top_[static_cast<std::size_t>(head)]; v != -1;) {
      const int next = next_[static_cast<std::size_t>(v)];
      visit(v, arc_[static_cast<std::size_t>(v)]);
      v = next;
    }
  }

 private:
  std::vector<int> top_, next_;
  std::vector<std::size_t> arc_;
};

/// The weights from one vertex to higher ones, and back, spread out by their ranks.
template <class T>
class Spread {
 public:
  explicit Spread(Hierarchy<T>& all) : up(static_cast<std::size_t>(all.n)), down(up), all_(all) {}

  void load(int u) {
    for (std::size_t a = all_.begin(u); a < all_.end(u); ++a) {
      up[static_cast<std::size_t>(all_.head[a])] = all_.up[a];
      down[static_cast<std::size_t>(all_.head[a])] = all_.down[a];
    }
  }
  void store(int u) const {
    for (std::size_t a = all_.begin(u); a < all_.end(u); ++a) {
      all_.up[a] = up[static_cast<std::size_t>(all_.head[a])];
      all_.down[a] = down[static_cast<std::size_t>(all_.head[a])];
    }
  }

  std::vector<T> up, down;

 private:
  Hierarchy<T>& all_;
};

/// Visits the triangles of u with all vertices below it: visit(v, length u → x → v, length back).
template <class T, class Visit>
[[gnu::always_inline]] inline void takeTriangles(const Hierarchy<T>& all, int u, NextArcs& next,
                                                 const Visit& visit) {
  next.take(
      u, [&](int x, std::size_t arc) __attribute__((always_inline)) {
        const T back = all.up[arc], there = all.down[arc];  // between u and x
        const std::size_t end = all.end(x);
        for (std::size_t a = arc + 1; a < end; ++a)
          visit(static_cast<std::size_t>(all.head[a]), there + all.up[a], all.down[a] + back);
        if (arc + 1 < end) next.add(x, arc + 1, all.head[arc + 1]);
      });
}

/// The arcs of one vertex while its triangles are looked at.
template <class T>
struct Fan {
  std::vector<T> before;    // the weights that the arcs came with
  std::vector<char> spare;  // other arcs make up for them

  void begin(const T* weights, std::size_t count) {
    before.assign(weights, weights + count);
    spare.assign(count, 0);
  }

  /// A path of length `through` takes the arc `other` and leads on to the head of `arc` at the
  /// distance `on`. margin: see Pruner.
  void lower(T* weights, std::size_t arc, std::size_t other, T on, T margin) {
    const T through = before[other] + on;
    weights[arc] = std::min(weights[arc], through);
    if constexpr (std::is_same_v<T, float>) {
      spare[arc] |= static_cast<char>(through * margin < before[arc]);
    } else {
      const bool tie = through == before[arc] && (on > 0 || other > arc);
      spare[arc] |= static_cast<char>(through < before[arc] || tie);
    }
  }
};

template <class T>
class Pruner {
 public:
  explicit Pruner(Hierarchy<T>& all)
      : all_(all), keepUp_(all.head.size()), keepDown_(all.head.size()) {
    // Twice the relative error of two sums of at most n roundings each, and of this product.
    if constexpr (std::is_same_v<T, float>)
      margin_ = static_cast<T>(1 + 4.0 * (all.n + 2) * 0x1p-24);
  }

  Pruned<T> run() {
    for (int x = all_.core - 1; x >= 0; --x) look(x);
    return {gather(all_.up, keepUp_), gather(all_.down, keepDown_)};
  }

 private:
  void look(int x) {
    const std::size_t begin = all_.begin(x), count = all_.end(x) - begin;
    T *const up = all_.up.data() + begin, *const down = all_.down.data() + begin;
    const int* const head = all_.head.data() + begin;
    ups_.begin(up, count);
    downs_.begin(down, count);
    const auto triangle = [&](std::size_t i, std::size_t j, T there, T back) {
      ups_.lower(up, j, i, there, margin_);
      ups_.lower(up, i, j, back, margin_);
      downs_.lower(down, j, i, back, margin_);
      downs_.lower(down, i, j, there, margin_);
    };
    std::size_t inner = 0;  // the arcs to vertices that are not in the core
    for (; inner < count && head[inner] < all_.core; ++inner) {
      std::size_t arc = all_.begin(head[inner]);  // x's other neighbours are neighbours of it, too
      for (std::size_t j = inner + 1; j < count; ++j, ++arc) {
        while (all_.head[arc] != head[j]) ++arc;
        triangle(inner, j, all_.up[arc], all_.down[arc]);
      }
    }
    for (std::size_t i = inner; i < count; ++i) {
      const Alias<T>* const row = all_.row(head[i]);
      for (std::size_t j = inner; j < count; ++j) {
        if (j == i) continue;
        const T there = row[head[j] - all_.core];
        ups_.lower(up, j, i, there, margin_);
        downs_.lower(down, i, j, there, margin_);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      keepUp_[begin + i] = ups_.before[i] < kFar<T> && ups_.spare[i] == 0;
      keepDown_[begin + i] = downs_.before[i] < kFar<T> && downs_.spare[i] == 0;
    }
  }

  SweepArcs<T> gather(const std::vector<T>& weights, const std::vector<char>& keep) const {
    SweepArcs<T> left;
    left.first.reserve(static_cast<std::size_t>(all_.core) + 1);
    left.arcs.reserve(static_cast<std::size_t>(std::count(keep.begin(), keep.end(), 1)));
    left.first.push_back(0);
    for (int x = 0; x < all_.core; ++x) {
      for (std::size_t a = all_.begin(x); a < all_.end(x); ++a)
        if (keep[a] != 0)
          left.arcs.push_back({static_cast<std::uint32_t>(all_.head[a]), weights[a]});
      left.first.push_back(static_cast<std::uint32_t>(left.arcs.size()));
    }
    return left;
  }

  Hierarchy<T>& all_;
  std::vector<char> keepUp_, keepDown_;
  Fan<T> ups_, downs_;
  T margin_ = 1;
};

}  // namespace

template <class T>
void customise(Hierarchy<T>& all) {
  NextArcs next(all.n, all.core);
  Spread<T> row(all);
  for (int u = 0; u < all.core; ++u) {
    row.load(u);
    takeTriangles(all, u, next, [&](std::size_t v, T there, T back) {
      row.up[v] = std::min(row.up[v], there);
      row.down[v] = std::min(row.down[v], back);
    });
    row.store(u);
    if (all.begin(u) < all.end(u)) next.add(u, all.begin(u), all.head[all.begin(u)]);
  }
  for (int u = all.core; u < all.n; ++u) {
    Alias<T>* const from = all.row(u) - all.core;
    takeTriangles(all, u, next, [&](std::size_t v, T there, T back) {
      Alias<T>& known = all.row(static_cast<int>(v))[u - all.core];
      from[v] = std::min<T>(from[v], there);
      known = std::min<T>(known, back);
    });
  }
}

template <class T>
Pruned<T> prune(Hierarchy<T>& all) {
  return Pruner<T>(all).run();
}

template void customise(Hierarchy<int>&);
template void customise(Hierarchy<float>&);
template Pruned<int> prune(Hierarchy<int>&);
template Pruned<float> prune(Hierarchy<float>&);

}  // namespace sparse
