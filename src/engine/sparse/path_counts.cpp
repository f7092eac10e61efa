// Counting. A path from s to t is cut where its position is higher than all before, and again, from
// t backwards, where it is higher than all after. It then leads up along arcs of the hierarchy to
// its highest vertex, and down along others, in one way only. So the number of shortest paths is a
// sum over tight arcs of products of the arcs' numbers of paths, and sweeps up and down add it up
// as they add up distances. Arcs that are longer than the distance of their ends are on no shortest
// path, and are left out.
//
// Parts. Let p(s, t) be the number of paths, and c(e) a factor 1 of each edge e. The part of paths
// along e is the derivative of log p(s, t) by c(e). All derivatives come from going through the
// same sums once more, backwards: each vertex begins with 1 / p(s, t), each tight arc passes on
// what its end has, and keeps for itself the sum over sources. What the arcs have then goes down
// the triangles of the elimination, to the edges. That is Brandes' accumulation (2001), by
// positions instead of distances: no queue is needed, and all sources of a batch do the same.
#include "sparse/path_counts.h"

#include <algorithm>
#include <memory>

#include "base/cancel.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "device/simd.h"
#include "filtered/settle_cpu.h"
#include "sparse/hierarchy.h"
#include "sparse/order.h"

namespace engine::sparse {

FullElimination::FullElimination(int n, const EndsOf& edges) : pattern(patternOf(n, edges)) {
  elimination = eliminate(pattern, eliminationOrder(pattern), 0);
  for (const int above : elimination.above) triangles += 0.5 * above * above;
}

namespace {

using Weight = std::int64_t;
constexpr Weight kFar = kInfinity<Weight>;

/// Sources that are swept together: a vector of each number.
constexpr int kTogether = 8;

/// The hierarchy with the number of shortest paths of each arc, and what counting passes to it.
struct Counted {
  Hierarchy<Weight> arcs;
  std::vector<double> ups, downs;  // of each arc, how many paths it stands for
  std::vector<double> upParts, downParts;

  /// Calls visit(a, b, top) for each pair of arcs of a vertex x, to u and to a higher v, and the
  /// arc from u to v.
  template <class Visit>
  void triangles(int x, Visit visit) const {
    for (std::size_t a = arcs.begin(x); a < arcs.end(x); ++a) {
      std::size_t top = arcs.begin(arcs.head[a]);
      for (std::size_t b = a + 1; b < arcs.end(x); ++b) {
        while (arcs.head[top] != arcs.head[b]) ++top;
        visit(a, b, top);
      }
    }
  }
};

void join(Weight length, double count, Weight& known, double& counts) {
  if (length > known || length >= kFar) return;
  counts = length == known ? counts + count : count;
  known = length;
}

/// The weights and numbers of paths through lower vertices.
void countArcs(Counted& all) {
  Hierarchy<Weight>& h = all.arcs;
  all.ups.resize(h.head.size());
  all.downs.resize(h.head.size());
  for (std::size_t a = 0; a < h.head.size(); ++a) {
    all.ups[a] = h.up[a] < kFar ? 1 : 0;
    all.downs[a] = h.down[a] < kFar ? 1 : 0;
  }
  for (int x = 0; x < h.n; ++x)
    all.triangles(x, [&](std::size_t a, std::size_t b, std::size_t top) {
      join(h.down[a] + h.up[b], all.downs[a] * all.ups[b], h.up[top], all.ups[top]);
      join(h.down[b] + h.up[a], all.downs[b] * all.ups[a], h.down[top], all.downs[top]);
    });
}

/// The arcs that are as short as the distance of their ends, with their place in the hierarchy.
struct Tight {
  struct Arc {
    int head;
    std::size_t place;
    Weight weight;
    double count;
  };
  std::vector<std::size_t> first;
  std::vector<Arc> arcs;
};

void tightArcs(const Counted& all, Tight& up, Tight& down) {
  const Hierarchy<Weight>& h = all.arcs;
  std::vector<Weight> upward = h.up, downward = h.down;  // distances, the highest positions first
  for (int x = h.n - 1; x >= 0; --x)
    all.triangles(x, [&](std::size_t a, std::size_t b, std::size_t top) {
      upward[b] = std::min(upward[b], upward[a] + upward[top]);
      upward[a] = std::min(upward[a], h.up[b] + downward[top]);
      downward[b] = std::min(downward[b], downward[a] + downward[top]);
      downward[a] = std::min(downward[a], h.down[b] + upward[top]);
    });
  const auto keep = [&](const std::vector<Weight>& weights, const std::vector<Weight>& distances,
                        const std::vector<double>& counts, Tight& kept) {
    kept.first.push_back(0);
    for (int x = 0; x < h.n; ++x) {
      for (std::size_t a = h.begin(x); a < h.end(x); ++a)
        if (weights[a] < kFar && weights[a] == distances[a])
          kept.arcs.push_back({h.head[a], a, weights[a], counts[a]});
      kept.first.push_back(kept.arcs.size());
    }
  };
  keep(h.up, upward, all.ups, up);
  keep(h.down, downward, all.downs, down);
}

/// One batch at a time, and the sums of all batches.
struct Sums {
  Sums(int n, const Tight& up, const Tight& down)
      : upParts(up.arcs.size()),
        downParts(down.arcs.size()),
        reaching(asSize(n)),
        far(makeRows<Weight>(asSize(n) * kTogether)),
        paths(makeRows<double>(asSize(n) * kTogether)),
        parts(makeRows<double>(asSize(n) * kTogether)),
        upFar(makeRows<Weight>(asSize(n) * kTogether)),
        upPaths(makeRows<double>(asSize(n) * kTogether)),
        upGets(makeRows<double>(asSize(n) * kTogether)),
        reached(asSize(n)) {}
  std::vector<double> upParts, downParts;
  std::vector<int> reaching;
  DistanceRows<Weight> far;
  DistanceRows<double> paths, parts;
  DistanceRows<Weight> upFar;  // of the positions that going up reaches
  DistanceRows<double> upPaths, upGets;
  std::vector<std::uint8_t> reached;
};

[[gnu::always_inline]] inline void add(const Weight* far, const double* paths, Weight weight,
                                       double count, Weight* __restrict toFar,
                                       double* __restrict toPaths) {
  for (int c = 0; c < kTogether; ++c) {
    const Weight length = far[c] + weight;
    const double more = count * paths[c];
    const double kept = length < toFar[c] ? 0.0 : toPaths[c];
    toPaths[c] = kept + (length <= toFar[c] && length < kFar ? more : 0.0);
    toFar[c] = length < toFar[c] ? length : toFar[c];
  }
}

/// What an arc passes back from its end to its beginning. Returns what it keeps, but for its count.
[[gnu::always_inline]] inline double passBack(const Weight* far, const double* paths, Weight weight,
                                              double count, const Weight* toFar,
                                              const double* toParts, double* __restrict parts) {
  double kept[kTogether];
  for (int c = 0; c < kTogether; ++c) {
    const double part = far[c] + weight == toFar[c] ? toParts[c] : 0.0;
    parts[c] += count * part;
    kept[c] = paths[c] * part;
  }
  double sum = 0;
  for (int c = 0; c < kTogether; ++c) sum += kept[c];
  return sum;
}

[[gnu::always_inline]] inline void sweepBody(Sums& s, const Tight& up, const Tight& down,
                                             const int* sources, int count, int n) {
  const auto at = [](int position) { return asSize(position) * kTogether; };
  std::fill(s.reached.begin(), s.reached.end(), std::uint8_t{0});
  const auto open = [&](int position) {
    if (s.reached[asSize(position)] != 0) return;
    s.reached[asSize(position)] = 1;
    for (int c = 0; c < kTogether; ++c) {
      s.upFar[at(position) + asSize(c)] = kFar;
      s.upPaths[at(position) + asSize(c)] = 0;
    }
  };
  int lowest = n;
  for (int c = 0; c < count; ++c) {
    open(sources[c]);
    s.upFar[at(sources[c]) + asSize(c)] = 0;
    s.upPaths[at(sources[c]) + asSize(c)] = 1;
    lowest = std::min(lowest, sources[c]);
  }
  for (int x = lowest; x < n; ++x) {
    if (s.reached[asSize(x)] == 0) continue;
    for (std::size_t a = up.first[asSize(x)]; a < up.first[asSize(x) + 1]; ++a) {
      const Tight::Arc& arc = up.arcs[a];
      open(arc.head);
      add(&s.upFar[at(x)], &s.upPaths[at(x)], arc.weight, arc.count, &s.upFar[at(arc.head)],
          &s.upPaths[at(arc.head)]);
    }
  }
  for (int x = n - 1; x >= 0; --x) {
    Weight* const far = &s.far[at(x)];
    double* const paths = &s.paths[at(x)];
    const bool reached = s.reached[asSize(x)] != 0;
    for (int c = 0; c < kTogether; ++c) {
      far[c] = reached ? s.upFar[at(x) + asSize(c)] : kFar;
      paths[c] = reached ? s.upPaths[at(x) + asSize(c)] : 0;
    }
    for (std::size_t a = down.first[asSize(x)]; a < down.first[asSize(x) + 1]; ++a) {
      const Tight::Arc& arc = down.arcs[a];
      add(&s.far[at(arc.head)], &s.paths[at(arc.head)], arc.weight, arc.count, far, paths);
    }
    int reaching = 0;
    for (int c = 0; c < kTogether; ++c) {
      const bool counts = far[c] < kFar && far[c] > 0;  // not the source itself
      reaching += counts ? 1 : 0;
      s.parts[at(x) + asSize(c)] = counts ? 1 / paths[c] : 0.0;
    }
    s.reaching[asSize(x)] += reaching;
  }
  for (int x = 0; x < n; ++x) {
    const double* const parts = &s.parts[at(x)];
    for (std::size_t a = down.first[asSize(x)]; a < down.first[asSize(x) + 1]; ++a) {
      const Tight::Arc& arc = down.arcs[a];
      s.downParts[a] += passBack(&s.far[at(arc.head)], &s.paths[at(arc.head)], arc.weight,
                                 arc.count, &s.far[at(x)], parts, &s.parts[at(arc.head)]);
    }
    if (s.reached[asSize(x)] == 0) continue;
    for (int c = 0; c < kTogether; ++c)
      s.upGets[at(x) + asSize(c)] =
          s.upFar[at(x) + asSize(c)] == s.far[at(x) + asSize(c)] ? parts[c] : 0.0;
  }
  for (int x = n - 1; x >= lowest; --x) {
    if (s.reached[asSize(x)] == 0) continue;
    for (std::size_t a = up.first[asSize(x)]; a < up.first[asSize(x) + 1]; ++a) {
      const Tight::Arc& arc = up.arcs[a];
      s.upParts[a] += passBack(&s.upFar[at(x)], &s.upPaths[at(x)], arc.weight, arc.count,
                               &s.upFar[at(arc.head)], &s.upGets[at(arc.head)], &s.upGets[at(x)]);
    }
  }
}

using Sweep = void (*)(Sums& s, const Tight& up, const Tight& down, const int* sources, int count,
                       int n);
#if defined(__x86_64__)
[[gnu::target("avx512f,avx512bw")]] void sweepAvx512(Sums& s, const Tight& up, const Tight& down,
                                                     const int* sources, int count, int n) {
  sweepBody(s, up, down, sources, count, n);
}
[[gnu::target("avx2")]] void sweepAvx2(Sums& s, const Tight& up, const Tight& down,
                                       const int* sources, int count, int n) {
  sweepBody(s, up, down, sources, count, n);
}
#endif
void sweepPortable(Sums& s, const Tight& up, const Tight& down, const int* sources, int count,
                   int n) {
  sweepBody(s, up, down, sources, count, n);
}

Sweep findCountingSweep() {
  const SimdLevel<Sweep> levels[] = {
#if defined(__x86_64__)
    {"avx512", sweepAvx512},
    {"avx2", sweepAvx2},
#endif
    {"portable", sweepPortable},
  };
  return chooseSimd(levels);
}

/// From the arcs to the triangles below them.
void passDown(Counted& all) {
  const Hierarchy<Weight>& h = all.arcs;
  for (int x = h.n - 1; x >= 0; --x)
    all.triangles(x, [&](std::size_t a, std::size_t b, std::size_t top) {
      if (h.up[top] < kFar && h.down[a] + h.up[b] == h.up[top]) {
        all.downParts[a] += all.ups[b] * all.upParts[top];
        all.upParts[b] += all.downs[a] * all.upParts[top];
      }
      if (h.down[top] < kFar && h.down[b] + h.up[a] == h.down[top]) {
        all.downParts[b] += all.ups[a] * all.downParts[top];
        all.upParts[a] += all.downs[b] * all.downParts[top];
      }
    });
}

}  // namespace

PathCounts countPaths(const FullElimination& full, const Edges<Weight>& edges,
                      const std::vector<int>& sources, int threads) {
  Counted all;
  all.arcs = build(full.pattern, full.elimination, edges);
  countArcs(all);
  Tight up, down;
  tightArcs(all, up, down);
  const int n = full.elimination.vertices(), count = static_cast<int>(sources.size());
  std::vector<int> positions;
  for (const int source : sources) positions.push_back(full.elimination.position[asSize(source)]);
  std::sort(positions.begin(), positions.end());
  const int batches = (count + kTogether - 1) / kTogether;
  threads = std::max(1, std::min(threads, batches));
  std::vector<std::unique_ptr<Sums>> sums;
  for (int i = 0; i < threads; ++i) sums.push_back(std::make_unique<Sums>(n, up, down));
  const Sweep sweep = findCountingSweep();
  Progress progress("counting paths", asSize(batches));
  const auto* const cancelled = cancelFlag();
  // Each has the same batches at each call, so that its sums are rounded in the same way.
  runPhases({{threads,
              [&](int i) {
                for (int batch = i; batch < batches && !isSet(cancelled); batch += threads) {
                  const int begin = batch * kTogether;
                  sweep(*sums[asSize(i)], up, down, &positions[asSize(begin)],
                        std::min(kTogether, count - begin), n);
                  progress.advance();
                }
              }}},
            threads);
  throwIfCancelled();
  all.upParts.assign(all.ups.size(), 0);
  all.downParts.assign(all.downs.size(), 0);
  PathCounts found;
  found.reaching.assign(asSize(n), 0);
  for (const auto& one : sums) {
    for (std::size_t a = 0; a < up.arcs.size(); ++a)
      all.upParts[up.arcs[a].place] += one->upParts[a];
    for (std::size_t a = 0; a < down.arcs.size(); ++a)
      all.downParts[down.arcs[a].place] += one->downParts[a];
    for (int v = 0; v < n; ++v)
      found.reaching[asSize(v)] += one->reaching[asSize(full.elimination.position[asSize(v)])];
  }
  passDown(all);
  for (const auto& edge : edges) {
    const int from = full.elimination.position[asSize(edge.from)],
              to = full.elimination.position[asSize(edge.to)];
    const Hierarchy<Weight>& h = all.arcs;
    const int low = std::min(from, to), high = std::max(from, to);
    const auto first = h.head.begin() + static_cast<std::ptrdiff_t>(h.begin(low));
    const auto last = h.head.begin() + static_cast<std::ptrdiff_t>(h.end(low));
    const auto arc = asSize(std::lower_bound(first, last, high) - h.head.begin());
    const bool isUp = from == low;
    const bool tight = edge.weight == (isUp ? h.up[arc] : h.down[arc]);
    found.edges.push_back(tight ? (isUp ? all.upParts[arc] : all.downParts[arc]) : 0);
  }
  return found;
}

}  // namespace engine::sparse
