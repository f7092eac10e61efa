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
// That is right because some shortest path goes up and then down (customise.cpp). Positions are an
// order in which every arc up leads to a later vertex, and every arc down to an earlier one.
//
// A row holds the distances of one vertex from all sources of the batch: two vectors of 64 bytes,
// or four of 64-bit numbers. An arc costs a load, an addition and a minimum for each. The next
// vertex is a neighbour in the tree, so its arcs lead to rows that were used a moment ago. In the
// end the rows are columns of the result: squares of one vector's side are transposed in registers
// and written row by row. If their sums are wanted, they are added up there, too (summing.cpp).
#include "sparse/sweep.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "device/simd.h"

namespace engine::sparse {

namespace {

/// Vectors that hold the distances of a vertex. kBytes: of a vector register.
template <int kBytes, class T>
constexpr int kVectors = kBatch* static_cast<int>(sizeof(T)) / kBytes;

template <int kBytes, class T>
[[gnu::always_inline]] inline void upBody(const SweepArcs<T>& arcs, int from, int to, T* rows,
                                          std::uint8_t* reached) {
  typedef T Vec __attribute__((vector_size(kBytes), may_alias));
  Vec* const all = reinterpret_cast<Vec*>(rows);
  for (int x = from; x < to; ++x) {
    if (reached[x] == 0) continue;
    const Vec* const row = all + asSize(x) * kVectors<kBytes, T>;
    for (std::uint32_t a = arcs.first[x]; a < arcs.first[x + 1]; ++a) {
      const auto [head, weight] = arcs.arcs[a];
      Vec* const other = all + asSize(head) * kVectors<kBytes, T>;
      const bool first = reached[head] == 0;
      reached[head] = 1;
      for (int i = 0; i < kVectors<kBytes, T>; ++i) {
        const Vec sum = row[i] + weight, known = first ? Vec{} + kInfinity<T> : other[i];
        other[i] = sum < known ? sum : known;
      }
    }
  }
}

template <int kBytes, class T>
[[gnu::always_inline]] inline void downBody(const SweepArcs<T>& arcs, int floor, int core, T* rows,
                                            const std::uint8_t* reached) {
  typedef T Vec __attribute__((vector_size(kBytes), may_alias));
  Vec* const all = reinterpret_cast<Vec*>(rows);
  const std::uint32_t* const first = arcs.first.data();
  const typename SweepArcs<T>::Arc* const list = arcs.arcs.data();
  for (int x = core - 1; x >= floor; --x) {
    Vec* const row = all + asSize(x) * kVectors<kBytes, T>;
    Vec least[kVectors<kBytes, T>];
    for (int i = 0; i < kVectors<kBytes, T>; ++i) least[i] = Vec{} + kInfinity<T>;
    if (reached[x] != 0)
      for (int i = 0; i < kVectors<kBytes, T>; ++i) least[i] = row[i];
    for (std::uint32_t a = first[x]; a < first[x + 1]; ++a) {
      const Vec* const other = all + asSize(list[a].head) * kVectors<kBytes, T>;
      const T weight = list[a].weight;
      for (int i = 0; i < kVectors<kBytes, T>; ++i) {
        const Vec sum = other[i] + weight;
        least[i] = sum < least[i] ? sum : least[i];
      }
    }
    for (int i = 0; i < kVectors<kBytes, T>; ++i) row[i] = least[i];
  }
}

template <class T>
[[gnu::always_inline]] inline void joinBody(int count, T by, const T* __restrict row,
                                            T* __restrict least) {
  for (int i = 0; i < count; ++i) {
    const T sum = row[i] + by;
    least[i] = sum < least[i] ? sum : least[i];
  }
}

/// The kernels with the instructions and vector registers of one target. GCC inlines the bodies
/// into them.
#define SPARSE_KERNELS(name, bytes, target)                                         \
  template <class T>                                                                \
  struct name {                                                                     \
    target static void up(const SweepArcs<T>& arcs, int from, int to, T* rows,      \
                          std::uint8_t* reached) {                                  \
      upBody<bytes>(arcs, from, to, rows, reached);                                 \
    }                                                                               \
    target static void down(const SweepArcs<T>& arcs, int floor, int core, T* rows, \
                            const std::uint8_t* reached) {                          \
      downBody<bytes>(arcs, floor, core, rows, reached);                            \
    }                                                                               \
    target static void join(int count, T by, const T* row, T* least) {              \
      joinBody(count, by, row, least);                                              \
    }                                                                               \
    static constexpr SweepKernels<T> all() { return {up, down, join, nullptr}; }    \
  };

#if defined(__x86_64__)
SPARSE_KERNELS(Avx512, 64, [[gnu::target("avx512f,avx512bw")]])
SPARSE_KERNELS(Avx2, 32, [[gnu::target("avx2")]])
#endif
SPARSE_KERNELS(Portable, 16, )
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
  SweepKernels<T> kernels = chooseSimd(levels, simd);
  kernels.transpose = findTranspose<T>(simd);
  return kernels;
}

/// Sources for which the core is crossed at a time.
template <class T>
constexpr int kAcross = kVectorBytes / static_cast<int>(sizeof(T));

template <class T>
Sweeper<T>::Sweeper(const Swept<T>& graph, const SweepKernels<T>& kernels)
    : graph_(graph),
      kernels_(kernels),
      rows_(makeRows<T>(asSize(graph.vertices()) * kBatch)),
      across_(makeRows<T>(asSize(graph.coreSize()) * kAcross<T>)),
      reached_(asSize(graph.vertices())) {
  preferLargePages(rows_.get(), asSize(graph.vertices()) * kBatch * sizeof(T));
}

template <class T>
std::size_t Sweeper<T>::bytes(int n, int coreSize) {
  const std::size_t distances = asSize(n) * kBatch + asSize(coreSize) * kAcross<T>;
  return distances * sizeof(T) + asSize(n);
}

/// From the positions of the core that are reached to all of it.
template <class T>
void Sweeper<T>::crossCore(int count) {
  const int size = graph_.coreSize(), core = graph_.core;
  std::vector<int> gates;
  for (int i = 0; i < size; ++i)
    if (reached_[asSize(core + i)] != 0) gates.push_back(i);
  const auto width = asSize(size);
  T* const rows = rows_.get() + asSize(core) * kBatch;
  // Columns are overwritten before the last ones are read: each reads only its own distances.
  for (int first = 0; first < kBatch; first += kAcross<T>) {
    const int some = std::min(kAcross<T>, count - first);
    std::fill_n(across_.get(), width * kAcross<T>, kInfinity<T>);
    for (int c = 0; c < some; ++c) {
      for (const int gate : gates) {
        const T known = rows[asSize(gate) * kBatch + first + c];
        if (known < kInfinity<T>)
          kernels_.join(size, known, graph_.between.template row<T>(gate),
                        across_.get() + asSize(c) * width);
      }
    }
    for (int i = 0; i < size; ++i)
      for (int c = 0; c < kAcross<T>; ++c)
        rows[asSize(i) * kBatch + first + c] = across_[asSize(c) * width + asSize(i)];
  }
}

template <class T>
void Sweeper<T>::sweep(const int* sources, int count, T* const* out, BlockSums<T>* sums) {
  std::fill(reached_.begin(), reached_.end(), std::uint8_t{0});
  int lowest = graph_.vertices();
  for (int c = 0; c < count; ++c) {
    const auto source = asSize(sources[c]);
    T* const row = rows_.get() + source * kBatch;
    if (std::exchange(reached_[source], 1) == 0) std::fill_n(row, kBatch, kInfinity<T>);
    row[c] = 0;
    lowest = std::min(lowest, sources[c]);
  }
  kernels_.up(graph_.arcs.up, lowest, graph_.core, rows_.get(), reached_.data());
  if (graph_.coreSize() > 0) crossCore(count);
  kernels_.down(graph_.arcs.down, graph_.floor, graph_.core, rows_.get(), reached_.data());
  const int columns = static_cast<int>(graph_.position.size());
  kernels_.transpose(graph_.position.data(), columns, rows_.get(), count, out, sums, 0);
}

template SweepKernels<std::int32_t> findSweep<std::int32_t>(const std::string&);
template SweepKernels<float> findSweep<float>(const std::string&);
template SweepKernels<std::int64_t> findSweep<std::int64_t>(const std::string&);
template SweepKernels<double> findSweep<double>(const std::string&);
template class Sweeper<std::int32_t>;
template class Sweeper<float>;
template class Sweeper<std::int64_t>;
template class Sweeper<double>;

}  // namespace engine::sparse
