// Squares of one vector's side are transposed in registers. What that gives is put into short
// pieces of rows, which stay in the L1 cache, and is written from there in whole lines.
#include "solver/transpose.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/size.h"
#include "device/simd.h"
#include "solver/stage.h"

namespace engine {

namespace {

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
  using Lane = std::conditional_t<sizeof(Vec) / kLanes == 4, std::int32_t, std::int64_t>;
  typedef Lane Mask __attribute__((vector_size(sizeof(Vec))));
  a = __builtin_shuffle(
      low, high, Mask{static_cast<Lane>((kLane & kBit) ? kLanes + (kLane - kBit) : kLane)...});
  b = __builtin_shuffle(low, high,
                        Mask{static_cast<Lane>((kLane & kBit) ? kLanes + kLane : kLane + kBit)...});
#endif
}

template <int kBit, int kLanes, class Vec>
[[gnu::always_inline]] inline void exchangeAll(Vec* square) {
  for (int i = 0; i < kLanes; ++i)
    if ((i & kBit) == 0)
      exchange<kBit>(square[i], square[i + kBit], std::make_index_sequence<kLanes>());
  if constexpr (2 * kBit < kLanes) exchangeAll<2 * kBit, kLanes>(square);
}

/// kBytes: of a vector.
template <int kBytes, class T>
[[gnu::always_inline]] inline void transposeBody(const int* place, int count, const T* rows,
                                                 int columns, T* const* out, BlockSums<T>* sums,
                                                 int first) {
  typedef T Vec __attribute__((vector_size(kBytes), may_alias));
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  constexpr int kAhead = 2 * kLanes;                       // vertices
  constexpr int kLine = 64 / static_cast<int>(sizeof(T));  // distances
  Stage<T> stage(columns, out);
  const auto from = [&](int i) { return rows + asSize(place[i]) * kTransposed; };
  for (int begin = 0; begin < count; begin += Stage<T>::kPiece) {
    const int end = std::min(count, begin + Stage<T>::kPiece);
    int i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (int k = i + kAhead; k < std::min(count, i + kAhead + kLanes); ++k)
        for (int c = 0; c < kTransposed; c += kLine) __builtin_prefetch(from(k) + c);
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
    if (sums != nullptr) stage.add(end - begin, first + begin, *sums);
    stage.write(end - begin);
  }
  stage.finish();
}

/// The instructions of one target. GCC inlines the body into them.
#define TRANSPOSE(name, target, bytes)                                                     \
  template <class T>                                                                       \
  target void name(const int* place, int count, const T* rows, int columns, T* const* out, \
                   BlockSums<T>* sums, int first) {                                        \
    transposeBody<bytes>(place, count, rows, columns, out, sums, first);                   \
  }

#if defined(__x86_64__)
TRANSPOSE(transposeAvx512, [[gnu::target("avx512f,avx512bw")]], 64)
TRANSPOSE(transposeAvx2, [[gnu::target("avx2")]], 32)
#endif
TRANSPOSE(transposePortable, , 16)
#undef TRANSPOSE

}  // namespace

template <class T>
Transpose<T> findTranspose(const std::string& simd) {
  const SimdLevel<Transpose<T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", transposeAvx512<T>},
    {"avx2", transposeAvx2<T>},
#endif
    {"portable", transposePortable<T>},
  };
  return chooseSimd(levels, simd);
}

template <class T>
void fillRow(T number, std::size_t count, T* row) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  alignas(64) T line[kLine];
  std::fill_n(line, kLine, number);
  const auto misplaced = reinterpret_cast<std::uintptr_t>(row) / sizeof(T) % kLine;
  const std::size_t before = std::min(count, (kLine - misplaced) % kLine);
  std::fill_n(row, before, number);
  for (row += before, count -= before; count >= kLine; row += kLine, count -= kLine)
    streamLine(row, line);
  std::fill_n(row, count, number);
  streamed();
}

template void fillRow(std::int32_t, std::size_t, std::int32_t*);
template void fillRow(float, std::size_t, float*);
template void fillRow(std::int64_t, std::size_t, std::int64_t*);
template void fillRow(double, std::size_t, double*);
template Transpose<std::int32_t> findTranspose(const std::string&);
template Transpose<float> findTranspose(const std::string&);
template Transpose<std::int64_t> findTranspose(const std::string&);
template Transpose<double> findTranspose(const std::string&);

}  // namespace engine
