// sweep.cpp's phases, for those vertices only that some source of the batch has within the limit.
//
// Up: a vertex that no source reaches within the limit passes nothing on, because the way through
// it is longer.
// Down: all that is at most `limit` from a source, and is not reached by going up, has an arc from
// a higher vertex that is at most `limit` away, too. Therefore, once a vertex is known to be within
// the limit, the lower ends of its arcs are looked at, and no other vertex is. They come in
// descending order: each has all its higher vertices behind it, and those that have no row are
// beyond the limit.
//
// The sources of a batch are neighbours in the elimination tree, so that what they have within the
// limit is mostly the same. The time for a batch is proportional to the vertices within the limit
// of any source, their arcs, and in the core, to its size for each vertex that is reached there.
#include "sparse/bounded_sweep.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/object_pool.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "device/simd.h"

namespace engine::sparse {

template <class T>
Bounded<T>::Bounded(const Swept<T>& swept)
    : graph(&swept), vertex(asSize(swept.vertices())), first(asSize(swept.vertices()) + 1) {
  for (std::size_t v = 0; v < swept.position.size(); ++v)
    vertex[asSize(swept.position[v])] = static_cast<int>(v);
  const SweepArcs<T>& down = swept.arcs.down;
  for (const auto& arc : down.arcs) ++first[arc.head + 1];
  for (std::size_t x = 1; x < first.size(); ++x) first[x] += first[x - 1];
  lower.resize(down.arcs.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (int x = 0; x < swept.core; ++x)
    for (std::uint32_t a = down.first[asSize(x)]; a < down.first[asSize(x) + 1]; ++a)
      lower[next[down.arcs[a].head]++] = x;
}

namespace {

/// The work of one batch, and its memory.
template <class T>
struct Batch {
  explicit Batch(const Bounded<T>& graph)
      : bounded(graph),
        rows(makeRows<T>(graph.vertex.size() * kBatch)),
        hasRow(graph.vertex.size()),
        waiting(graph.graph->vertices()),
        found(graph.graph->vertices()) {}

  const Bounded<T>& bounded;
  DistanceRows<T> rows;              // (n, kBatch) as in sweep.h, where hasRow says so
  std::vector<std::uint8_t> hasRow;  // of each position
  std::vector<int> touched;          // the positions that have a row
  PositionSet waiting;               // positions that are to be looked at, or were
  PositionSet found;                 // vertices within the limit of some source
  std::vector<int> within;           // those that are found, ascending
  std::vector<int> columns[kBatch];  // of each source, with one place more than it needs
  std::vector<T> distances[kBatch];
  std::size_t counts[kBatch] = {};
};

template <class T>
[[gnu::always_inline]] inline T* rowOf(Batch<T>& b, int position) {
  return b.rows.get() + asSize(position) * kBatch;
}

template <class T>
[[gnu::always_inline]] inline T* openRow(Batch<T>& b, int position) {
  T* const row = rowOf(b, position);
  if (b.hasRow[asSize(position)] != 0) return row;
  b.hasRow[asSize(position)] = 1;
  b.touched.push_back(position);
  b.waiting.add(position);
  for (int c = 0; c < kBatch; ++c) row[c] = kInfinity<T>;
  return row;
}

/// least[c] = min(least[c], row[c] + weight).
template <class T>
[[gnu::always_inline]] inline void relaxRow(const T* row, T weight, T* __restrict least) {
  for (int c = 0; c < kBatch; ++c) {
    const T sum = row[c] + weight;
    least[c] = sum < least[c] ? sum : least[c];
  }
}

template <class T>
[[gnu::always_inline]] inline T leastOf(const T* row) {
  T least = row[0];
  for (int c = 1; c < kBatch; ++c) least = row[c] < least ? row[c] : least;
  return least;
}

template <class T>
[[gnu::always_inline]] inline void climbBody(Batch<T>& b, int lowest, T limit) {
  const Swept<T>& graph = *b.bounded.graph;
  const SweepArcs<T>& up = graph.arcs.up;
  for (int x = b.waiting.next(lowest); x < graph.core; x = b.waiting.next(x + 1)) {
    const T* const row = rowOf(b, x);
    if (leastOf(row) > limit) continue;
    for (std::uint32_t a = up.first[asSize(x)]; a < up.first[asSize(x) + 1]; ++a)
      relaxRow(row, up.arcs[a].weight, openRow(b, static_cast<int>(up.arcs[a].head)));
  }
}

template <class T>
[[gnu::always_inline]] inline void crossBody(Batch<T>& b, T limit) {
  const Swept<T>& graph = *b.bounded.graph;
  std::vector<int> gates;
  for (int x = b.waiting.next(graph.core); x < graph.vertices(); x = b.waiting.next(x + 1))
    if (leastOf(rowOf(b, x)) <= limit) gates.push_back(x);
  for (const int gate : gates) {
    const T* const row = rowOf(b, gate);
    const T* const between = graph.between.template row<T>(gate - graph.core);
    const T least = leastOf(row);
    for (int j = 0; j < graph.coreSize(); ++j)
      if (least + between[j] <= limit && graph.core + j != gate)
        relaxRow(row, between[j], openRow(b, graph.core + j));
  }
}

/// A vertex within the limit is found, and so are the lower ends of its arcs, later.
template <class T>
[[gnu::always_inline]] inline void passOn(Batch<T>& b, int x) {
  b.found.add(b.bounded.vertex[asSize(x)]);
  for (std::size_t a = b.bounded.first[asSize(x)]; a < b.bounded.first[asSize(x) + 1]; ++a)
    b.waiting.add(b.bounded.lower[a]);
}

template <class T>
[[gnu::always_inline]] inline void descendBody(Batch<T>& b, T limit) {
  const Swept<T>& graph = *b.bounded.graph;
  const SweepArcs<T>& down = graph.arcs.down;
  for (int x = b.waiting.last(graph.vertices()); x >= 0; x = b.waiting.last(x)) {
    T* const row = openRow(b, x);
    if (x < graph.core)
      for (std::uint32_t a = down.first[asSize(x)]; a < down.first[asSize(x) + 1]; ++a)
        if (const auto head = static_cast<int>(down.arcs[a].head); b.hasRow[asSize(head)] != 0)
          relaxRow(rowOf(b, head), down.arcs[a].weight, row);
    if (leastOf(row) <= limit) passOn(b, x);
  }
}

/// Of each vertex that was found, every source takes the distance, and keeps it if it is small. A
/// source takes those of some vertices one after the other: their rows stay in the L1 cache until
/// the last source has read them, and each source writes to its own two places only.
template <class T>
[[gnu::always_inline]] inline void collectBody(Batch<T>& b, int count, T limit,
                                               const int* columns) {
  constexpr std::size_t kVertices = 64;
  for (int c = 0; c < count; ++c) {
    if (b.columns[c].size() <= b.within.size()) {
      b.columns[c].resize(b.within.size() * 3 / 2 + 1);
      b.distances[c].resize(b.columns[c].size());
    }
    b.counts[c] = 0;
  }
  const T* rows[kVertices];
  int ids[kVertices];
  for (std::size_t begin = 0; begin < b.within.size(); begin += kVertices) {
    const std::size_t some = std::min(kVertices, b.within.size() - begin);
    for (std::size_t k = 0; k < some; ++k) {
      const int v = b.within[begin + k];
      rows[k] = rowOf(b, b.bounded.graph->position[asSize(v)]);
      ids[k] = columns == nullptr ? v : columns[v];
    }
    for (int c = 0; c < count; ++c) {
      int* const toColumns = b.columns[c].data();
      T* const toDistances = b.distances[c].data();
      std::size_t at = b.counts[c];
      for (std::size_t k = 0; k < some; ++k) {
        const T distance = rows[k][c];
        toColumns[at] = ids[k];
        toDistances[at] = distance;
        at += distance <= limit ? 1 : 0;
      }
      b.counts[c] = at;
    }
  }
}

template <class T>
struct BoundedKernels {
  void (*climb)(Batch<T>& b, int lowest, T limit);
  void (*cross)(Batch<T>& b, T limit);
  void (*descend)(Batch<T>& b, T limit);
  void (*collect)(Batch<T>& b, int count, T limit, const int* columns);
};

/// The kernels with the instructions of one target. GCC inlines the bodies into them.
#define BOUNDED_KERNELS(name, target)                                                           \
  template <class T>                                                                            \
  struct name {                                                                                 \
    target static void climb(Batch<T>& b, int lowest, T limit) { climbBody(b, lowest, limit); } \
    target static void cross(Batch<T>& b, T limit) { crossBody(b, limit); }                     \
    target static void descend(Batch<T>& b, T limit) { descendBody(b, limit); }                 \
    target static void collect(Batch<T>& b, int count, T limit, const int* columns) {           \
      collectBody(b, count, limit, columns);                                                    \
    }                                                                                           \
    static constexpr BoundedKernels<T> all() { return {climb, cross, descend, collect}; }       \
  };

#if defined(__x86_64__)
BOUNDED_KERNELS(BoundedAvx512, [[gnu::target("avx512f,avx512bw")]])
BOUNDED_KERNELS(BoundedAvx2, [[gnu::target("avx2")]])
#endif
BOUNDED_KERNELS(BoundedPortable, )
#undef BOUNDED_KERNELS

template <class T>
BoundedKernels<T> findBounded() {
  const SimdLevel<BoundedKernels<T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", BoundedAvx512<T>::all()},
    {"avx2", BoundedAvx2<T>::all()},
#endif
    {"portable", BoundedPortable<T>::all()},
  };
  return chooseSimd(levels);
}

/// sources: positions and rows, kBatch at the most.
template <class T>
void sweepBatch(Batch<T>& b, const BoundedKernels<T>& kernels, const std::pair<int, int>* sources,
                int count, T limit, const std::vector<int>& columns, SparseRows& rows) {
  for (int c = 0; c < count; ++c) openRow(b, sources[c].first)[c] = 0;
  kernels.climb(b, sources[0].first, limit);
  kernels.cross(b, limit);
  kernels.descend(b, limit);
  // A source is not among its own.
  for (int c = 0; c < count; ++c) rowOf(b, sources[c].first)[c] = kInfinity<T>;
  const int n = b.bounded.graph->vertices();
  b.within.clear();
  for (int v = b.found.next(0); v < n; v = b.found.next(v + 1)) {
    b.found.remove(v);
    if (columns.empty() || columns[asSize(v)] >= 0) b.within.push_back(v);
  }
  kernels.collect(b, count, limit, columns.empty() ? nullptr : columns.data());
  for (int c = 0; c < count; ++c) {
    const auto places = rows.place(sources[c].second, b.counts[c]);
    if (places.columns == nullptr) continue;
    std::copy_n(b.columns[c].data(), b.counts[c], places.columns);
    std::copy_n(b.distances[c].data(), b.counts[c], static_cast<T*>(places.distances));
  }
  for (const int x : b.touched) {
    b.hasRow[asSize(x)] = 0;
    b.waiting.remove(x);
  }
  b.touched.clear();
}

template <class T>
void sweepAll(const Swept<T>& graph, const std::vector<int>& sources,
              const std::vector<int>& columns, T limit, int threads, SparseRows& rows) {
  const Bounded<T> bounded(graph);
  const BoundedKernels<T> kernels = findBounded<T>();
  std::vector<std::pair<int, int>> positions;  // and rows
  for (std::size_t i = 0; i < sources.size(); ++i)
    positions.emplace_back(graph.position[asSize(sources[i])], static_cast<int>(i));
  std::sort(positions.begin(), positions.end());
  const int count = static_cast<int>(positions.size()), batches = (count + kBatch - 1) / kBatch;
  threads = std::max(1, std::min(threads, batches));
  ObjectPool<Batch<T>> pool(threads, [&] { return std::make_shared<Batch<T>>(bounded); });
  Progress progress("searching", static_cast<std::uint64_t>(batches));
  const auto sweep = [&](int batch) {
    if (rows.hasRoom()) {
      auto one = pool.take();
      const int begin = batch * kBatch;
      sweepBatch(*one, kernels, &positions[asSize(begin)], std::min(kBatch, count - begin), limit,
                 columns, rows);
      pool.give(std::move(one));
    }
    progress.advance();
  };
  runPhases({{batches, sweep}}, threads);
  rows.requireRoom();
}

}  // namespace

void sweepWithin(const Prepared& prepared, const std::vector<int>& sources,
                 const std::vector<int>& columns, const Number& limit, int threads,
                 SparseRows& rows) {
  prepared.read([&](const auto& graph) {
    using T = std::decay_t<decltype(graph.arcs.up.arcs[0].weight)>;
    sweepAll<T>(graph, sources, columns, std::get<T>(limit), threads, rows);
  });
}

}  // namespace engine::sparse
