// Weights for the arcs of the hierarchy: customisation (Dibbelt, Strasser, Wagner 2014), which is
// Gaussian elimination with min and + in place of + and ×.
//
// Lowest first. When x is eliminated, every pair u, v of its neighbours above it gets the path
// u → x → v, if it is shorter than what they have. A triangle is x, u and v with x below both.
// We take u in ascending order, and for each u all triangles with some x below it: their arcs at x
// are final then, because x was taken before. Of each x we keep the place of its next arc. The
// vertices whose next arc leads to u are in the list of u.
//
// Threads. A triangle joins a vertex with two that are above it in the elimination tree, so
// subtrees do not depend on each other (subtrees.cpp). Customising goes through all subtrees at the
// same time, then through the few vertices above them all, then through the rows of the core, which
// do not depend on each other either. Pruning goes the other way.
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
// of the tolerance (base/tolerance.h) holds: the result is at most the sum along a shortest path.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/object_pool.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "sparse/hierarchy.h"
#include "sparse/subtrees.h"

namespace engine::sparse {

namespace {

/// The vertices whose next arc leads to each vertex of a range of positions, in linked lists. next,
/// arc: of all positions; several ranges may share them.
class NextArcs {
 public:
  NextArcs(int first, int end, std::vector<int>& next, std::vector<std::size_t>& arc)
      : first_(first), end_(end), top_(asSize(end - first), -1), next_(next), arc_(arc) {
    waiting_.reserve(asSize(end - first));
  }

  /// Notes it as waiting if its head is not in the range.
  void add(int vertex, std::size_t arc, int head) {
    const auto v = asSize(vertex);
    arc_[v] = arc;
    if (head >= end_) return waiting_.push_back(vertex);
    int& top = top_[asSize(head - first_)];
    next_[v] = top;
    top = vertex;
  }

  /// Calls visit(vertex, its arc to head) for all in the list of `head`. They may be added to the
  /// lists of others meanwhile.
  template <class Visit>
  void take(int head, const Visit& visit) {
    for (int v = top_[asSize(head - first_)]; v != -1;) {
      const int next = next_[asSize(v)];
      visit(v, arc_[asSize(v)]);
      v = next;
    }
  }

  const std::vector<int>& waiting() const { return waiting_; }

 private:
  const int first_, end_;
  std::vector<int> top_, waiting_;
  std::vector<int>& next_;
  std::vector<std::size_t>& arc_;
};

constexpr char kOutOfMemory[] = "out of host memory for the triangles of the hierarchy";

/// The weights from one vertex to higher ones, and back, spread out by their positions.
template <class T>
class Spread {
 public:
  explicit Spread(Hierarchy<T>& all) : up(asSize(all.n)), down(up), all_(all) {}

  void load(int u) {
    for (std::size_t a = all_.begin(u); a < all_.end(u); ++a) {
      up[asSize(all_.head[a])] = all_.up[a];
      down[asSize(all_.head[a])] = all_.down[a];
    }
  }
  void store(int u) const {
    for (std::size_t a = all_.begin(u); a < all_.end(u); ++a) {
      all_.up[a] = up[asSize(all_.head[a])];
      all_.down[a] = down[asSize(all_.head[a])];
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
          visit(asSize(all.head[a]), there + all.up[a], all.down[a] + back);
        if (arc + 1 < end) next.add(x, arc + 1, all.head[arc + 1]);
      });
}

/// Customises all parts of the tree at the same time, then the top, then the core.
template <class T>
class Customiser {
 public:
  Customiser(Hierarchy<T>& all, int threads)
      : all_(all),
        threads_(threads),
        tree_(partsOf(all, threads)),
        next_(asSize(all.core)),
        arc_(asSize(all.core)) {}

  void run() {
    if (tree_.parts.size() < 2) return takeAll();
    std::vector<NextArcs> lists;
    lists.reserve(tree_.parts.size());
    for (const auto& [first, end] : tree_.parts) lists.emplace_back(first, end, next_, arc_);
    ObjectPool<Spread<T>> rows(threads_, [&] { return std::make_shared<Spread<T>>(all_); });
    const auto part = [&](int i) {
      const auto row = rows.take();
      for (int u = tree_.parts[size(i)].first; u < tree_.parts[size(i)].second; ++u)
        takeRow(u, *row, lists[size(i)]);
      rows.give(row);
    };
    runPhases({{static_cast<int>(lists.size()), part}}, threads_);
    if (!tree_.top.empty()) takeTop(lists);
    if (all_.core < all_.n) takeCore();
  }

 private:
  static std::size_t size(int i) { return asSize(i); }

  /// One vertex after the other: for one thread, this is faster.
  void takeAll() {
    NextArcs next(0, all_.n, next_, arc_);
    Spread<T> row(all_);
    for (int u = 0; u < all_.core; ++u) takeRow(u, row, next);
    for (int u = all_.core; u < all_.n; ++u) {
      T* const from = all_.row(u) - all_.core;
      takeTriangles(all_, u, next, [&](std::size_t v, T there, T back) {
        T& known = all_.row(static_cast<int>(v))[u - all_.core];
        from[v] = std::min(from[v], there);
        known = std::min(known, back);
      });
    }
  }

  void takeRow(int u, Spread<T>& row, NextArcs& next) {
    row.load(u);
    takeTriangles(all_, u, next, [&](std::size_t v, T there, T back) {
      row.up[v] = std::min(row.up[v], there);
      row.down[v] = std::min(row.down[v], back);
    });
    row.store(u);
    if (all_.begin(u) < all_.end(u)) next.add(u, all_.begin(u), all_.head[all_.begin(u)]);
  }

  void takeTop(const std::vector<NextArcs>& lists) {
    NextArcs next(0, all_.core, next_, arc_);
    for (const NextArcs& list : lists)
      for (const int v : list.waiting()) next.add(v, arc_[size(v)], all_.head[arc_[size(v)]]);
    Spread<T> row(all_);
    for (const int u : tree_.top) takeRow(u, row, next);
  }

  /// The rows and columns of the core's matrix. That of u takes all triangles in which u is the
  /// lower one of two vertices of the core; nobody else writes these elements.
  void takeCore() {
    const int count = all_.coreSize();
    std::vector<std::size_t> first(size(count) + 1, 0);  // of the arcs that lead to each vertex
    const auto each = [&](const auto& visit) {
      for (int x = 0; x < all_.core; ++x) {
        const auto begin = all_.head.begin() + static_cast<std::ptrdiff_t>(all_.begin(x));
        const auto end = all_.head.begin() + static_cast<std::ptrdiff_t>(all_.end(x));
        for (auto a = std::lower_bound(begin, end, all_.core); a != end; ++a)
          visit(x, asSize(a - all_.head.begin()), size(*a - all_.core));
      }
    };
    each([&](int, std::size_t, std::size_t u) { ++first[u + 1]; });
    for (std::size_t u = 1; u < first.size(); ++u) first[u] += first[u - 1];
    std::vector<std::pair<int, std::size_t>> ends(first.back());
    std::vector<std::size_t> at = first;
    each([&](int x, std::size_t arc, std::size_t u) { ends[at[u]++] = {x, arc}; });
    const int tasks = (count + kRowsOfATask - 1) / kRowsOfATask;
    const auto rows = [&](int task) {
      const int from = task * kRowsOfATask, to = std::min(count, from + kRowsOfATask);
      for (int u = from; u < to; ++u)
        for (std::size_t e = first[size(u)]; e < first[size(u) + 1]; ++e)
          takeCoreRow(u, ends[e].first, ends[e].second);
    };
    runPhases({{tasks, rows}}, threads_);
  }

  void takeCoreRow(int u, int x, std::size_t arc) {
    const T back = all_.up[arc], there = all_.down[arc];
    T* const from = all_.row(all_.core + u) - all_.core;
    for (std::size_t a = arc + 1; a < all_.end(x); ++a) {
      const int v = all_.head[a];
      T& known = all_.row(v)[u];
      from[v] = std::min(from[v], there + all_.up[a]);
      known = std::min(known, all_.down[a] + back);
    }
  }

  static constexpr int kRowsOfATask = 16;
  Hierarchy<T>& all_;
  const int threads_;
  const Parts tree_;
  std::vector<int> next_;
  std::vector<std::size_t> arc_;
};

/// The arcs of one vertex while its triangles are looked at.
template <class T>
struct Fan {
  std::vector<T> before;    // the weights that the arcs came with
  std::vector<char> spare;  // other arcs make up for them

  /// most: arcs of a vertex.
  explicit Fan(std::size_t most) {
    before.reserve(most);
    spare.reserve(most);
  }

  void begin(const T* weights, std::size_t count) {
    before.assign(weights, weights + count);
    spare.assign(count, 0);
  }

  /// A path of length `through` takes the arc `other` and leads on to the head of `arc` at the
  /// distance `on`. margin: see Pruner.
  void lower(T* weights, std::size_t arc, std::size_t other, T on, T margin) {
    const T through = before[other] + on;
    weights[arc] = std::min(weights[arc], through);
    if constexpr (std::is_floating_point_v<T>) {
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
  Pruner(Hierarchy<T>& all, int threads)
      : all_(all), threads_(threads), keepUp_(all.head.size()), keepDown_(all.head.size()) {
    // Twice the relative error of two sums of at most n roundings each, and of this product.
    if constexpr (std::is_floating_point_v<T>)
      margin_ = static_cast<T>(1 + 2.0 * (all.n + 2) * std::numeric_limits<T>::epsilon());
  }

  Pruned<T> run() {
    const Parts tree = partsOf(all_, threads_);
    const std::size_t most = mostArcs();
    ObjectPool<Fans> fans(std::max(1, threads_), [&] { return std::make_shared<Fans>(most); });
    const std::vector<std::vector<int>> levels = levelsOf(tree.top);
    std::vector<Phase> phases;
    for (const std::vector<int>& level : levels)
      phases.push_back({static_cast<int>(level.size()), [&](int i) {
                          const auto mine = fans.take();
                          look(level[asSize(i)], *mine);
                          fans.give(mine);
                        }});
    phases.push_back({static_cast<int>(tree.parts.size()), [&](int i) {
                        const auto [first, end] = tree.parts[asSize(i)];
                        const auto mine = fans.take();
                        for (int x = end - 1; x >= first; --x) look(x, *mine);
                        fans.give(mine);
                      }});
    runPhases(std::move(phases), threads_);
    Pruned<T> left;
    gather(left);
    return left;
  }

 private:
  struct Fans {
    explicit Fans(std::size_t most) : ups(most), downs(most) {}
    Fan<T> ups, downs;
  };

  std::size_t mostArcs() const {
    std::size_t most = 0;
    for (int x = 0; x < all_.core; ++x) most = std::max(most, all_.end(x) - all_.begin(x));
    return most;
  }

  void look(int x, Fans& fans) {
    Fan<T>& ups = fans.ups;
    Fan<T>& downs = fans.downs;
    const std::size_t begin = all_.begin(x), count = all_.end(x) - begin;
    T *const up = all_.up.data() + begin, *const down = all_.down.data() + begin;
    const int* const head = all_.head.data() + begin;
    ups.begin(up, count);
    downs.begin(down, count);
    const auto triangle = [&](std::size_t i, std::size_t j, T there, T back) {
      ups.lower(up, j, i, there, margin_);
      ups.lower(up, i, j, back, margin_);
      downs.lower(down, j, i, back, margin_);
      downs.lower(down, i, j, there, margin_);
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
      const T* const row = all_.row(head[i]);
      for (std::size_t j = inner; j < count; ++j) {
        if (j == i) continue;
        const T there = row[head[j] - all_.core];
        ups.lower(up, j, i, there, margin_);
        downs.lower(down, i, j, there, margin_);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      keepUp_[begin + i] = ups.before[i] < kInfinity<T> && ups.spare[i] == 0;
      keepDown_[begin + i] = downs.before[i] < kInfinity<T> && downs.spare[i] == 0;
    }
  }

  /// The vertices of the top by their depth. Those of a level do not depend on each other.
  std::vector<std::vector<int>> levelsOf(const std::vector<int>& top) const {
    std::vector<std::vector<int>> levels;
    std::vector<std::size_t> depth(top.empty() ? 0 : asSize(all_.core));
    for (auto x = top.rbegin(); x != top.rend(); ++x) {
      const std::size_t arc = all_.begin(*x);
      const bool isRoot = arc == all_.end(*x) || all_.head[arc] >= all_.core;
      const std::size_t level = isRoot ? 0 : depth[asSize(all_.head[arc])] + 1;
      depth[asSize(*x)] = level;
      if (level == levels.size()) levels.emplace_back();
      levels[level].push_back(*x);
    }
    return levels;
  }

  /// What is kept, in both directions.
  void gather(Pruned<T>& left) const {
    constexpr int kPositions = 2048;  // of a task
    const int tasks = (all_.core + kPositions - 1) / kPositions;
    const auto forPositions = [&](int task, const auto& visit) {
      for (int x = task * kPositions; x < std::min(all_.core, (task + 1) * kPositions); ++x)
        visit(x);
    };
    for (SweepArcs<T>* const arcs : {&left.up, &left.down})
      arcs->first.assign(asSize(all_.core) + 1, 0);
    const auto count = [&](int task) {
      forPositions(task, [&](int x) {
        for (std::size_t a = all_.begin(x); a < all_.end(x); ++a) {
          left.up.first[asSize(x) + 1] += keepUp_[a] != 0;
          left.down.first[asSize(x) + 1] += keepDown_[a] != 0;
        }
      });
    };
    runPhases({{tasks, count}}, threads_);
    for (SweepArcs<T>* const arcs : {&left.up, &left.down}) {
      for (std::size_t x = 0; x < asSize(all_.core); ++x) arcs->first[x + 1] += arcs->first[x];
      arcs->arcs.resize(arcs->first.back());
    }
    const auto write = [&](int task) {
      forPositions(task, [&](int x) {
        std::size_t up = left.up.first[asSize(x)], down = left.down.first[asSize(x)];
        for (std::size_t a = all_.begin(x); a < all_.end(x); ++a) {
          const auto head = static_cast<std::uint32_t>(all_.head[a]);
          if (keepUp_[a] != 0) left.up.arcs[up++] = {head, all_.up[a]};
          if (keepDown_[a] != 0) left.down.arcs[down++] = {head, all_.down[a]};
        }
      });
    };
    runPhases({{tasks, write}}, threads_);
  }

  Hierarchy<T>& all_;
  const int threads_;
  std::vector<char> keepUp_, keepDown_;
  T margin_ = 1;
};

}  // namespace

template <class T>
void customise(Hierarchy<T>& all, int threads) {
  try {
    Customiser<T>(all, threads).run();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kMemory, kOutOfMemory);
  }
}

template <class T>
Pruned<T> prune(Hierarchy<T>& all, int threads) {
  try {
    return Pruner<T>(all, threads).run();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kMemory, kOutOfMemory);
  }
}

template void customise(Hierarchy<std::int32_t>&, int);
template void customise(Hierarchy<float>&, int);
template void customise(Hierarchy<std::int64_t>&, int);
template void customise(Hierarchy<double>&, int);
template Pruned<std::int32_t> prune(Hierarchy<std::int32_t>&, int);
template Pruned<float> prune(Hierarchy<float>&, int);
template Pruned<std::int64_t> prune(Hierarchy<std::int64_t>&, int);
template Pruned<double> prune(Hierarchy<double>&, int);

}  // namespace engine::sparse
