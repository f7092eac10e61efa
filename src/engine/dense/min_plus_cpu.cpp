#include "dense/min_plus_cpu.h"

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "device/simd.h"

namespace engine::tiles {

namespace {

constexpr int kStep = 16;  // pivots at a time within the pivot tile
static_assert(kTile % kStep == 0);

/// The body of every Relax: kRows × kVectors accumulators of kBytes each stay in registers, B is
/// loaded, A is broadcast. The compiler chooses the instructions by the target of the function that
/// this is inlined into (GCC's vector extension).
template <int kBytes, int kRows, int kVectors, class T>
[[gnu::always_inline]] inline void relaxBody(int rows, int columns, int depth, T* c, const T* a,
                                             const T* b) {
  typedef T Vec __attribute__((vector_size(kBytes), may_alias));
  constexpr int kWidth = kVectors * kBytes / static_cast<int>(sizeof(T));
  constexpr int kCacheLine = 64 / static_cast<int>(sizeof(T));  // weights
  static_assert(kTile % kWidth == 0 && kTile % kRows == 0 && kStep % kRows == 0);

  for (int j = 0; j < columns; j += kWidth) {
    for (int i = 0; i < rows; i += kRows) {
      T* const cij = c + i * kTile + j;
      const T* const ai = a + i * kTile;
      Vec sums[kRows][kVectors];
      for (int r = 0; r < kRows; ++r) {
        Vec* const row = reinterpret_cast<Vec*>(cij + r * kTile);
        for (int v = 0; v < kVectors; ++v) sums[r][v] = row[v];
        // The next rows of C. After the last rows they lie in the next tile.
        for (int x = 0; x < kWidth; x += kCacheLine) {
          __builtin_prefetch(cij + (kRows + r) * kTile + x, 1);
        }
      }
      for (int k = 0; k < depth; ++k) {
        const Vec* const bk = reinterpret_cast<const Vec*>(b + k * kTile + j);
        for (int r = 0; r < kRows; ++r) {
          for (int v = 0; v < kVectors; ++v) {
            const Vec sum = bk[v] + ai[r * kTile + k];
            sums[r][v] = sum < sums[r][v] ? sum : sums[r][v];
          }
        }
      }
      for (int r = 0; r < kRows; ++r) {
        Vec* const row = reinterpret_cast<Vec*>(cij + r * kTile);
        for (int v = 0; v < kVectors; ++v) row[v] = sums[r][v];
      }
    }
  }
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f")]] void relaxAvx512(int rows, int columns, int depth, T* c, const T* a,
                                            const T* b) {
  relaxBody<64, 4, 4>(rows, columns, depth, c, a, b);
}
template <class T>
[[gnu::target("avx2")]] void relaxAvx2(int rows, int columns, int depth, T* c, const T* a,
                                       const T* b) {
  relaxBody<32, 4, 2>(rows, columns, depth, c, a, b);
}
#endif
template <class T>
void relaxPortable(int rows, int columns, int depth, T* c, const T* a, const T* b) {
  relaxBody<16, 4, 2>(rows, columns, depth, c, a, b);
}

/// ThreadSanitizer does not see accesses of more than 16 bytes, so it checks the portable kernel.
#if defined(__has_feature)
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kThreadSanitizer = false;
#endif

}  // namespace

template <class T>
Relax<T> findRelax(const std::string& simd) {
  const SimdLevel<Relax<T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", relaxAvx512},
    {"avx2", relaxAvx2},
#endif
    {"portable", relaxPortable},
  };
  return chooseSimd(levels, simd.empty() && kThreadSanitizer ? "portable" : simd);
}
template Relax<std::int32_t> findRelax(const std::string& simd);
template Relax<float> findRelax(const std::string& simd);
template Relax<std::int64_t> findRelax(const std::string& simd);
template Relax<double> findRelax(const std::string& simd);

// By the blocked algorithm itself, with kStep pivots at a time. Their rows are
// relaxed pivot by pivot, which closes the inner pivot tile and its row panel together. Then all
// other rows, those of the column panel included, take these rows in one product: A ⊗ (D* ⊗ B)
// does not need A ⊗ D* first.
template <class T>
void close(Relax<T> relax, int extent, T* d) {
  for (int q = 0; q < extent; q += kStep) {
    const int depth = std::min(kStep, extent - q);
    T* const pivotRows = d + q * kTile;
    for (int k = 0; k < depth; ++k) {
      relax(depth, extent, 1, pivotRows, pivotRows + q + k, pivotRows + k * kTile);
    }
    relax(extent, extent, depth, d, d + q, pivotRows);
  }
}
template void close(Relax<std::int32_t> relax, int extent, std::int32_t* d);
template void close(Relax<float> relax, int extent, float* d);
template void close(Relax<std::int64_t> relax, int extent, std::int64_t* d);
template void close(Relax<double> relax, int extent, double* d);

}  // namespace engine::tiles
