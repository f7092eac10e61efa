// Distances from a batch of sources, every one written once (PHAST: Delling, Goldberg, Nowatzyk,
// Werneck 2011).
//
// Up: a source is at distance 0 from itself, and relaxes its arcs to higher vertices; they relax
// theirs, in ascending order. Only the sources' ancestors in the elimination tree are reached. Most
// ancestors are shared by all sources of a batch.
// Across: the core's distances lead from the vertices that are reached in it to all others there.
// Down: in descending order, each vertex takes the minimum over its arcs from above. All vertices
// above it are final. Nothing is written twice, and no vertex is looked at twice.
//
// That is right because some shortest path goes up and then down (customise.cpp). Ranks are an
// order in which every arc up leads to a later vertex, and every arc down to an earlier one.
//
// A row holds the distances of one vertex from all sources of the batch: two vectors of 64 bytes.
// An arc costs a load, an addition and a minimum for each. The next vertex is a neighbour in the
// tree, so its arcs lead to rows that were used a moment ago. In the end the rows are columns of
// the result: squares of one vector's side are transposed in registers and written row by row.
#include "sparse/sweep.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/error.h"
#include "base/memory.h"
#include "device/simd.h"

namespace sparse {

namespace {

constexpr int kVectors = kBatch * 4 / kVectorBytes;

template <class T>
[[gnu::always_inline]] inline void upBody(const SweepArcs<T>& arcs, int from, int to, T* rows,
                                          std::uint8_t* reached) {
  typedef T Vec __attribute__((vector_size(kVectorBytes), may_alias));
  Vec* const all = reinterpret_cast<Vec*>(rows);
  for (int x = from; x < to; ++x) {
    if (reached[x] == 0) continue;
    const Vec* const row = all + static_cast<std::size_t>(x) * kVectors;
    for (std::uint32_t a = arcs.first[x]; a < arcs.first[x + 1]; ++a) {
      const auto [head, weight] = arcs.arcs[a];
      Vec* const other = all + static_cast<std::size_t>(head) * kVectors;
      const bool first = reached[head] == 0;
      reached[head] = 1;
      for (int i = 0; i < kVectors; ++i) {
        const Vec sum = row[i] + weight, known = first ? Vec{} + kFar<T> : other[i];
        other[i] = sum < known ? sum : known;
      }
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void downBody(const SweepArcs<T>& arcs, int floor, int core, T* rows,
                                            const std::uint8_t* reached) {
  typedef T Vec __attribute__((vector_size(kVectorBytes), may_alias));
  Vec* const all = reinterpret_cast<Vec*>(rows);
  const std::uint32_t* const first = arcs.first.data();
  const typename SweepArcs<T>::Arc* const list = arcs.arcs.data();
  for (int x = core - 1; x >= floor; --x) {
    Vec* const row = all + static_cast<std::size_t>(x) * kVectors;
    Vec least[kVectors];
    for (int i = 0; i < kVectors; ++i) least[i] = Vec{} + kFar<T>;
    if (reached[x] != 0)
      for (int i = 0; i < kVectors; ++i) least[i] = row[i];
    for (std::uint32_t a = first[x]; a < first[x + 1]; ++a) {
      const Vec* const other = all + static_cast<std::size_t>(list[a].head) * kVectors;
      const T weight = list[a].weight;
      for (int i = 0; i < kVectors; ++i) {
        const Vec sum = other[i] + weight;
        least[i] = sum < least[i] ? sum : least[i];
      }
    }
    for (int i = 0; i < kVectors; ++i) row[i] = least[i];
  }
}

template <class T>
[[gnu::always_inline]] inline void joinBody(int count, T by, const Alias<T>* __restrict row,
                                            T* __restrict least) {
  for (int i = 0; i < count; ++i) {
    const T sum = row[i] + by;
    least[i] = sum < least[i] ? sum : least[i];
  }
}

/// A step of transposing a square, for two rows. Only the bit kBit of their numbers differs. The
/// lanes of the first row with this bit are exchanged with the lanes of the second row without it.
template <int kBit, class Vec, std::size_t... kLane>
[[gnu::always_inline]] inline void exchange(Vec& a, Vec& b, std::index_sequence<kLane...>) {
  constexpr int kLanes = sizeof...(kLane);
  const Vec low = a, high = b;
#if defined(__clang__)
  a = __builtin_shufflevector(low, high, ((kLane & kBit) ? kLanes + (kLane - kBit) : kLane)...);
  b = __builtin_shufflevector(low, high, ((kLane & kBit) ? kLanes + kLane : (kLane + kBit))...);
#else
  typedef int Mask __attribute__((vector_size(sizeof(Vec))));
  a = __builtin_shuffle(
      low, high, Mask{static_cast<int>((kLane & kBit) ? kLanes + (kLane - kBit) : kLane)...});
  b = __builtin_shuffle(low, high,
                        Mask{static_cast<int>((kLane & kBit) ? kLanes + kLane : kLane + kBit)...});
#endif
}

template <int kBit, int kLanes, class Vec>
[[gnu::always_inline]] inline void exchangeAll(Vec* square) {
  for (int i = 0; i < kLanes; ++i)
    if ((i & kBit) == 0)
      exchange<kBit>(square[i], square[i + kBit], std::make_index_sequence<kLanes>());
  if constexpr (2 * kBit < kLanes) exchangeAll<2 * kBit, kLanes>(square);
}

/// Writes a line past the caches, so that it need not be read before. `to` is aligned to a line.
[[gnu::always_inline]] inline void streamLine(int* to, const int* from) {
#if defined(__SSE2__)
  for (int part = 0; part < 4; ++part)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to) + part,
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + part));
#else
  std::memcpy(to, from, 64);
#endif
}

/// Rows of the result, a piece of each at a time. They are written in whole lines of the cache,
/// wherever they begin: what is left of a piece waits for the next one.
class Stage {
 public:
  static constexpr int kPiece = 128;  // elements; all pieces together stay in the L1 cache

  Stage(int columns, int* const* out) : columns_(columns) { std::copy_n(out, columns, to_); }

  /// Where the next elements of a row go.
  [[gnu::always_inline]] int* row(int column) { return words_[column] + held_[column]; }

  /// Writes what can be written after `count` elements were put into each row.
  [[gnu::always_inline]] void write(int count) {
    for (int c = 0; c < columns_; ++c) {
      int have = held_[c] + count;
      const int* from = words_[c];
      const auto misplaced = reinterpret_cast<std::uintptr_t>(to_[c]) / sizeof(int) % kLine;
      if (misplaced != 0) {  // at the beginning only
        const int some = std::min(have, kLine - static_cast<int>(misplaced));
        std::copy_n(from, some, to_[c]);
        from += some;
        to_[c] += some;
        have -= some;
      }
      for (; have >= kLine; have -= kLine, from += kLine, to_[c] += kLine) streamLine(to_[c], from);
      std::memmove(words_[c], from, sizeof(int) * static_cast<std::size_t>(have));
      held_[c] = have;
    }
  }

  void finish() {
    for (int c = 0; c < columns_; ++c) std::copy_n(words_[c], held_[c], to_[c]);
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }

 private:
  static constexpr int kLine = 16;
  int columns_;
  int* to_[kBatch];
  int held_[kBatch] = {};
  alignas(64) int words_[kBatch][kPiece + kLine];
};

template <int kLanes, class T>
[[gnu::always_inline]] inline void transposeBody(const int* rank, int count, const T* rows,
                                                 int columns, int* const* out) {
  typedef T Vec __attribute__((vector_size(kLanes * 4), may_alias));
  constexpr int kAhead = 2 * kLanes, kLine = 16;  // vertices, distances
  Stage stage(columns, out);
  const auto from = [&](int i) { return rows + static_cast<std::size_t>(rank[i]) * kBatch; };
  for (int begin = 0; begin < count; begin += Stage::kPiece) {
    const int end = std::min(count, begin + Stage::kPiece);
    int i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (int k = i + kAhead; k < std::min(count, i + kAhead + kLanes); ++k)
        for (int c = 0; c < kBatch; c += kLine) __builtin_prefetch(from(k) + c);
      for (int c = 0; c < columns; c += kLanes) {
        Vec square[kLanes];
        for (int k = 0; k < kLanes; ++k) square[k] = *reinterpret_cast<const Vec*>(from(i + k) + c);
        exchangeAll<1, kLanes>(square);
        const int wanted = std::min(kLanes, columns - c);
        for (int k = 0; k < wanted; ++k)
          std::memcpy(stage.row(c + k) + (i - begin), &square[k], sizeof(Vec));
      }
    }
    for (; i < end; ++i)
      for (int c = 0; c < columns; ++c)
        std::memcpy(stage.row(c) + (i - begin), from(i) + c, sizeof(T));
    stage.write(end - begin);
  }
  stage.finish();
}

/// The kernels with the instructions of one target. GCC inlines the bodies into them.
#define SPARSE_KERNELS(name, target, lanes)                                              \
  template <class T>                                                                     \
  struct name {                                                                          \
    target static void up(const SweepArcs<T>& arcs, int from, int to, T* rows,           \
                          std::uint8_t* reached) {                                       \
      upBody(arcs, from, to, rows, reached);                                             \
    }                                                                                    \
    target static void down(const SweepArcs<T>& arcs, int floor, int core, T* rows,      \
                            const std::uint8_t* reached) {                               \
      downBody(arcs, floor, core, rows, reached);                                        \
    }                                                                                    \
    target static void join(int count, T by, const Alias<T>* row, T* least) {            \
      joinBody(count, by, row, least);                                                   \
    }                                                                                    \
    target static void transpose(const int* rank, int count, const T* rows, int columns, \
                                 int* const* out) {                                      \
      transposeBody<lanes>(rank, count, rows, columns, out);                             \
    }                                                                                    \
    static constexpr SweepKernels<T> all() { return {up, down, join, transpose}; }       \
  };

#if defined(__x86_64__)
SPARSE_KERNELS(Avx512, [[gnu::target("avx512f,avx512bw")]], 16)
SPARSE_KERNELS(Avx2, [[gnu::target("avx2")]], 8)
#endif
SPARSE_KERNELS(Portable, , 4)
#undef SPARSE_KERNELS

}  // namespace

template <class T>
SweepKernels<T> findSweep(const std::string& simd) {
  const SimdLevel<SweepKernels<T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", Avx512<T>::all()},
    {"avx2", Avx2<T>::all()},
#endif
    {"portable", Portable<T>::all()},
  };
  return chooseSimd(levels, simd);
}

template <class T>
Sweeper<T>::Sweeper(const Swept<T>& graph, const SweepKernels<T>& kernels)
    : graph_(graph),
      kernels_(kernels),
      rows_(makeRows<T>(static_cast<std::size_t>(graph.vertices()) * kBatch)),
      across_(makeRows<T>(static_cast<std::size_t>(graph.coreSize()) * kLanes)),
      reached_(static_cast<std::size_t>(graph.vertices())) {
  preferLargePages(rows_.get(), static_cast<std::size_t>(graph.vertices()) * kBatch * sizeof(T));
}

template <class T>
std::size_t Sweeper<T>::bytes(int n, int coreSize) {
  return sizeof(T) *
             (static_cast<std::size_t>(n) * kBatch + static_cast<std::size_t>(coreSize) * kLanes) +
         static_cast<std::size_t>(n);
}

/// From the ranks of the core that are reached to all of it.
template <class T>
void Sweeper<T>::crossCore(int count) {
  const int size = graph_.coreSize(), core = graph_.core;
  std::vector<int> gates;
  for (int i = 0; i < size; ++i)
    if (reached_[static_cast<std::size_t>(core + i)] != 0) gates.push_back(i);
  const auto width = static_cast<std::size_t>(size);
  T* const rows = rows_.get() + static_cast<std::size_t>(core) * kBatch;
  // Columns are overwritten before the last ones are read: each reads only its own distances.
  for (int first = 0; first < kBatch; first += kLanes) {
    const int some = std::min(kLanes, count - first);
    std::fill_n(across_.get(), width * kLanes, kFar<T>);
    for (int c = 0; c < some; ++c) {
      for (const int gate : gates) {
        const T known = rows[static_cast<std::size_t>(gate) * kBatch + first + c];
        if (known < kFar<T>)
          kernels_.join(size, known, reinterpret_cast<const Alias<T>*>(graph_.between.row(gate)),
                        across_.get() + static_cast<std::size_t>(c) * width);
      }
    }
    for (int i = 0; i < size; ++i)
      for (int c = 0; c < kLanes; ++c)
        rows[static_cast<std::size_t>(i) * kBatch + first + c] =
            across_[static_cast<std::size_t>(c) * width + static_cast<std::size_t>(i)];
  }
}

template <class T>
void Sweeper<T>::sweep(const int* sources, int count, int* const* out) {
  std::fill(reached_.begin(), reached_.end(), std::uint8_t{0});
  int lowest = graph_.vertices();
  for (int c = 0; c < count; ++c) {
    const auto source = static_cast<std::size_t>(sources[c]);
    T* const row = rows_.get() + source * kBatch;
    if (std::exchange(reached_[source], 1) == 0) std::fill_n(row, kBatch, kFar<T>);
    row[c] = 0;
    lowest = std::min(lowest, sources[c]);
  }
  kernels_.up(graph_.arcs.up, lowest, graph_.core, rows_.get(), reached_.data());
  if (graph_.coreSize() > 0) crossCore(count);
  kernels_.down(graph_.arcs.down, graph_.floor, graph_.core, rows_.get(), reached_.data());
  const int columns = static_cast<int>(graph_.rank.size());
  kernels_.transpose(graph_.rank.data(), columns, rows_.get(), count, out);
}

template SweepKernels<int> findSweep<int>(const std::string&);
template SweepKernels<float> findSweep<float>(const std::string&);
template class Sweeper<int>;
template class Sweeper<float>;

}  // namespace sparse
