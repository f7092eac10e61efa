// Floyd and Warshall's algorithm on many small graphs. A thread solves a graph alone, so threads do
// not wait for each other, and a graph never leaves the caches of its core. Threads take chunks of
// the batch from base/thread_team.h. While a graph is solved, the next one is loaded.
//
// A graph is copied to a place of its thread, where a row begins at a multiple of a vector, and
// back. Its rows are padded with infinity to whole vectors, and their number to whole steps. No
// loop has a remainder then. Padding stays infinite: a sum with it is at least infinity. Therefore
// it is written once for many graphs. 128 vertices of int32 take 64 KiB, which is more than L1, but
// a step walks down no more than 256 bytes of each row at a time.
//
// A step takes kStep pivots:
//
//   1. their own rows are relaxed pivot by pivot, which makes them the shortest walks whose inner
//      vertices are pivots of this step or of those before;
//   2. each other row takes all of them at once, d[i][j] = min over k of d[i][k] + d[k][j], while
//      its vectors stay in registers, as do those of the pivot rows.
//
// Relaxing pivot by pivot would load and store a vector for each relaxation of it; now it is one
// load and one store for kStep. That is enough, because a CPU stores one vector in the time of two
// relaxations at the worst. More pivots a step would make the first part longer, in which each
// pivot waits for the one before: it is kStep / n of the work. The rows of the next step come first
// in the second part. Therefore its first part begins while the rest of the rows is under way: the
// CPU looks a few hundred instructions ahead.
//
// In place. In the second part, columns are relaxed group by group, and a later group may read
// d[i][k] when an earlier one has lowered it already. This is safe: an element only falls, and
// always to the length of some walk. A sum of two elements that are infinite fits the type, and
// the minimum throws it away, so elements never exceed infinity.
//
// The minimum of reals is that of their bits as whole numbers, which is the same number: weights
// are not negative, and not -0.0. On a Zen 4, additions and minima of reals share two of the four
// pipes, and whole minima do not. Where there is no such instruction, the minimum of reals is
// taken.
//
// Peak. As in dense/blocked_cpu.cpp, a vector of relaxations takes an addition and a minimum. A
// Zen 4 has four pipes of 256 bits for them, so it does 16 relaxations of 32 bits per cycle.
#include "batch/batch_cpu.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/object_pool.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "device/simd.h"

namespace engine::batch {

namespace {

constexpr int kStep = 4;                         // pivots
constexpr int kCacheLine = 64;                   // bytes
constexpr int kPrefetchFrom = 32;                // vertices; the CPU foresees fewer lines by itself
constexpr std::size_t kChunkWork = 1 << 22;      // relaxations that a thread takes at a time
constexpr std::size_t kChunkElements = 1 << 16;  // that it looks at

template <class T>
constexpr T roundUp(T number, T multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// Elements of a place for a graph.
template <class T>
std::size_t placeSize(int n) {
  return asSize(roundUp(n, kStep)) * asSize(roundUp<int>(n, kCacheLine / sizeof(T)));
}

/// Memory for a place, at a cache line. Throws Error(kMemory).
template <class T>
std::shared_ptr<T> roomFor(int n) {
  void* const memory = std::aligned_alloc(kCacheLine, placeSize<T>(n) * sizeof(T));
  if (memory == nullptr)
    throw Error(ErrorCode::kMemory, "out of host memory for the graphs of a batch");
  return {static_cast<T*>(memory), std::free};
}

/// A vector of kBytes, as GCC's vector extension has it. The compiler chooses the instructions by
/// the target of the function that all of this is inlined into.
template <class T, int kBytes>
struct Lanes {
  using Bit = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Vec __attribute__((vector_size(kBytes), may_alias));
  typedef Bit Bits __attribute__((vector_size(kBytes), may_alias));
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
  static constexpr bool kWholeMinimum = kBytes == 64 || (kBytes == 32 && sizeof(T) == 4);

  /// to = min(to, sum)
  [[gnu::always_inline]] static inline void lower(Vec& to, const Vec& sum) {
    if constexpr (kWholeMinimum) {
      const Bits a = (Bits)sum, b = (Bits)to;
      to = (Vec)(a < b ? a : b);
    } else {
      to = sum < to ? sum : to;
    }
  }
};

/// A graph in its place.
template <class L, class T>
struct Place {
  using Vec = typename L::Vec;
  int n, width;  // width: of a row, with its padding
  T* d;          // (roundUp(n, kStep), width)

  Vec* vectors(int i, int j) const { return reinterpret_cast<Vec*>(d + i * width + j); }

  /// The rows of the pivots q to q + kStep - 1 take pivot q + k, in kVectors vectors from column j.
  template <int kVectors>
  [[gnu::always_inline]] void relaxPivots(int q, int k, int j) const {
    Vec through[kVectors];
    for (int v = 0; v < kVectors; ++v) through[v] = vectors(q + k, j)[v];
    for (int r = 0; r < kStep; ++r) {
      if (r == k) continue;
      const T first = d[(q + r) * width + q + k];
      for (int v = 0; v < kVectors; ++v) L::lower(vectors(q + r, j)[v], through[v] + first);
    }
  }

  /// All other rows take all of these pivots.
  template <int kVectors>
  [[gnu::always_inline]] void relaxOthers(int q, int j) const {
    Vec through[kStep][kVectors];
    for (int k = 0; k < kStep; ++k)
      for (int v = 0; v < kVectors; ++v) through[k][v] = vectors(q + k, j)[v];
    for (int turn = 0; turn < 2; ++turn) {  // those below the pivots, then those above
      for (int i = turn == 0 ? q + kStep : 0; i < (turn == 0 ? n : q); ++i) {
        Vec sums[kVectors];
        for (int v = 0; v < kVectors; ++v) sums[v] = vectors(i, j)[v];
        for (int k = 0; k < kStep; ++k) {
          const T first = d[i * width + q + k];
          for (int v = 0; v < kVectors; ++v) L::lower(sums[v], through[k][v] + first);
        }
        for (int v = 0; v < kVectors; ++v) vectors(i, j)[v] = sums[v];
      }
    }
  }
};

/// Calls f(j, number) for groups of vectors, kMost of them at a time where a row has as many left.
template <class L, int kMost, class F>
[[gnu::always_inline]] inline int inGroups(int j, int width, F f) {
  for (; j + kMost * L::kCount <= width; j += kMost * L::kCount)
    f(j, std::integral_constant<int, kMost>());
  if constexpr (kMost > 1) j = inGroups<L, kMost / 2>(j, width, f);
  return j;
}

/// Begins to load, from memory, what the next kStep rows are in the matrix after this one.
template <class T>
[[gnu::always_inline]] inline void prefetchRows(int n, const T* row) {
  constexpr int kLine = kCacheLine / static_cast<int>(sizeof(T));
  for (int at = 0; at < kStep * n; at += kLine) __builtin_prefetch(row + at);
}

/// The body of Loops::solve. kMost: vectors of a group.
template <class L, int kMost, class T>
[[gnu::always_inline]] inline void solveBody(std::size_t count, int n, T* matrices, T* room) {
  const Place<L, T> place{n, roundUp(n, L::kCount), room};
  const int width = place.width;
  std::fill_n(room, placeSize<T>(n), kInfinity<T>);
  // Rows without padding are copied as one.
  const int rows = n == width ? 1 : n, length = n == width ? n * n : n;
  for (T* matrix = matrices; count > 0; --count, matrix += asSize(n) * n) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < length; ++j)
        room[i * width + j] = matrix[i * n + j] + T{0};  // -0.0 becomes 0.0
    for (int i = 0; i < n; ++i) room[i * width + i] = 0;
    for (int q = 0; q < n; q += kStep) {
      // A few rows more than the last matrix has may be prefetched: that reads nothing.
      if (count > 1 && n >= kPrefetchFrom) prefetchRows(n, matrix + asSize(n + q) * n);
      for (int k = 0; k < kStep; ++k)
        inGroups<L, kMost>(
            0, width, [&](int j, auto vectors) __attribute__((always_inline)) {
              place.template relaxPivots<vectors()>(q, k, j);
            });
      inGroups<L, kMost>(
          0, width, [&](int j, auto vectors) __attribute__((always_inline)) {
            place.template relaxOthers<vectors()>(q, j);
          });
    }
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < length; ++j) matrix[i * n + j] = room[i * width + j];
  }
}

/// Whether all of `count` elements are 0 or more, and at most infinity.
template <class T>
[[gnu::always_inline]] inline bool goodBody(std::size_t count, const T* elements) {
  typename Lanes<T, 16>::Bit wrong = 0;  // as wide as an element, or GCC does not vectorise
  for (std::size_t at = 0; at < count; ++at) {
    const T element = elements[at];
    wrong |= (element >= 0 ? 0 : 1) | (element <= kInfinity<T> ? 0 : 1);
  }
  return wrong == 0;
}

/// The loops, for one instruction set.
template <class T>
struct Loops {
  /// Solves `count` matrices one after the other. room: (placeSize(n)), at a cache line.
  void (*solve)(std::size_t count, int n, T* matrices, T* room);
  bool (*good)(std::size_t count, const T* elements);
};

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f,avx512bw")]] void solveAvx512(std::size_t count, int n, T* matrices,
                                                     T* room) {
  if (asSize(n) * sizeof(T) <= 32) return solveBody<Lanes<T, 32>, 1>(count, n, matrices, room);
  solveBody<Lanes<T, 64>, 4>(count, n, matrices, room);
}
template <class T>
[[gnu::target("avx512f,avx512bw")]] bool goodAvx512(std::size_t count, const T* elements) {
  return goodBody(count, elements);
}
template <class T>
[[gnu::target("avx2")]] void solveAvx2(std::size_t count, int n, T* matrices, T* room) {
  solveBody<Lanes<T, 32>, 2>(count, n, matrices, room);
}
template <class T>
[[gnu::target("avx2")]] bool goodAvx2(std::size_t count, const T* elements) {
  return goodBody(count, elements);
}
#endif
template <class T>
void solvePortable(std::size_t count, int n, T* matrices, T* room) {
  solveBody<Lanes<T, 16>, 2>(count, n, matrices, room);
}
template <class T>
bool goodPortable(std::size_t count, const T* elements) {
  return goodBody(count, elements);
}

template <class T>
Loops<T> loopsFor(const std::string& simd) {
  const SimdLevel<Loops<T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", {solveAvx512<T>, goodAvx512<T>}},
    {"avx2", {solveAvx2<T>, goodAvx2<T>}},
#endif
    {"portable", {solvePortable<T>, goodPortable<T>}},
  };
  return chooseSimd(levels, simd);
}

/// How many graphs a thread takes at a time. `each`: what a graph is, of the `most` that this is
/// not to exceed by much.
std::size_t chunkOf(std::size_t count, std::size_t each, std::size_t most) {
  constexpr std::size_t kChunksPerThread = 8, kMostChunks = 1 << 30;
  const std::size_t chunks = kChunksPerThread * asSize(omp_get_max_threads());
  const std::size_t fair = (count + chunks - 1) / chunks;
  return std::max(std::min(fair, most / each), count / kMostChunks + 1);
}

/// Calls work(first, number) for the chunks of a batch, on several threads. Throws Cancelled.
template <class Work>
void inChunks(std::size_t count, std::size_t chunk, const Work& work) {
  const std::size_t tasks = (count + chunk - 1) / chunk;
  runPhases({{static_cast<int>(tasks),
              [&](int task) {
                const std::size_t first = asSize(task) * chunk;
                work(first, std::min(chunk, count - first));
              }}},
            tasks > 1 ? omp_get_max_threads() : 1);
}

template <class T>
std::size_t firstWrongOf(std::size_t count, int n, const T* matrices) {
  const Loops<T> loops = loopsFor<T>("");
  const std::size_t elements = asSize(n) * n;
  std::atomic<std::size_t> least{count * elements};
  const auto look = [&](std::size_t first, std::size_t number) {
    const std::size_t begin = first * elements;
    if (loops.good(number * elements, matrices + begin)) return;
    for (std::size_t at = begin; at < begin + number * elements; ++at) {
      const bool diagonal = at % elements % asSize(n + 1) == 0;
      if (diagonal || loops.good(1, matrices + at)) continue;
      for (std::size_t now = least; at < now && !least.compare_exchange_weak(now, at);) {
      }
      return;
    }
  };
  inChunks(count, chunkOf(count, elements, kChunkElements), look);
  return least;
}

template <class T>
void solveAll(std::size_t count, int n, T* matrices, const std::string& simd) {
  const Loops<T> loops = loopsFor<T>(simd);
  const std::size_t elements = asSize(n) * n;
  ObjectPool<T> rooms(omp_get_max_threads(), [n] { return roomFor<T>(n); });
  Progress solved("", count);
  const auto solve = [&](std::size_t first, std::size_t number) {
    auto room = rooms.take();
    loops.solve(number, n, matrices + first * elements, room.get());
    rooms.give(std::move(room));
    solved.advance(number);
  };
  inChunks(count, chunkOf(count, elements * asSize(n), kChunkWork), solve);
}

}  // namespace

std::size_t firstWrong(std::size_t count, int n, ConstElements matrices) {
  return withElements(matrices, [&](auto* all) { return firstWrongOf(count, n, all); });
}

void solveOnCpu(std::size_t count, int n, Elements matrices, const std::string& simd) {
  withElements(matrices, [&](auto* all) { solveAll(count, n, all, simd); });
}

}  // namespace engine::batch
