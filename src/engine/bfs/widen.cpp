// Levels lie as (vertex, search), and rows of the result are searches. So squares of levels are
// transposed, while these are small: usually a byte each. Then each row is widened to distances by
// itself.
//
// A square has 2ᵇ vectors of 16 bytes, and each vector has 2ᵇ levels. The number of a vector and
// the place of a level in it are b bits each: 2b bits together. A step interleaves the first half
// of the vectors with the second half, which rotates these 2b bits by one. After b steps the number
// and the place are exchanged, and the square is transposed. A vector of 32 bytes holds the vectors
// of two squares.
#include "bfs/widen.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/size.h"
#include "bfs/frontier.h"
#include "device/simd.h"

namespace engine::bfs {

namespace {

constexpr int kSquareBytes = 16;  // of a side
/// Vertices whose levels are asked for ahead.
constexpr int kSoon = 16;

/// Interleaves the first halves (kHalf = 0) of a and b, or the second ones, in each 16 bytes.
template <int kHalf, class Vec, std::size_t... kLane>
[[gnu::always_inline]] inline void interleave(const Vec& a, const Vec& b, Vec& to,
                                              std::index_sequence<kLane...>) {
  constexpr std::size_t kLanes = sizeof...(kLane), kSide = kSquareBytes * kLanes / sizeof(Vec);
#define INTERLEAVED \
  kLane / kSide* kSide + kLane % kSide / 2 + kHalf*(kSide / 2) + kLane % 2 * kLanes
#if defined(__clang__)
  to = __builtin_shufflevector(a, b, (INTERLEAVED)...);
#else
  using Lane = std::conditional_t<
      sizeof(Vec) == kLanes, std::uint8_t,
      std::conditional_t<sizeof(Vec) == 2 * kLanes, std::uint16_t, std::uint32_t>>;
  typedef Lane Mask __attribute__((vector_size(sizeof(Vec))));
  to = __builtin_shuffle(a, b, Mask{static_cast<Lane>(INTERLEAVED)...});
#endif
#undef INTERLEAVED
}

/// The last kTimes of the b steps that transpose a square.
template <int kTimes, int kSide, class Vec, class Lanes>
[[gnu::always_inline]] inline void interleaveAll(Vec* square, Lanes lanes) {
  Vec next[kSide];
  for (int k = 0; k < kSide / 2; ++k) {
    interleave<0>(square[k], square[k + kSide / 2], next[2 * k], lanes);
    interleave<1>(square[k], square[k + kSide / 2], next[2 * k + 1], lanes);
  }
  std::copy_n(next, kSide, square);
  if constexpr (kTimes > 1) interleaveAll<kTimes - 1, kSide>(square, lanes);
}

/// to[r][k] = columns[k][r] over k < 16 / sizeof(Level) and r < kTransposed. kBytes: of a vector.
template <int kBytes, class Level>
[[gnu::always_inline]] inline void turn(const Level* const* columns, Level (*to)[kWidened]) {
  typedef Level Vec __attribute__((vector_size(kBytes), may_alias));
  constexpr int kSide = kSquareBytes / static_cast<int>(sizeof(Level));
  constexpr int kTimes = sizeof(Level) == 1 ? 4 : sizeof(Level) == 2 ? 3 : 2;
  constexpr int kSquares = kBytes / kSquareBytes;
  for (int first = 0; first < kTransposed; first += kSquares * kSide) {
    Vec square[kSide];
    for (int k = 0; k < kSide; ++k) std::memcpy(&square[k], columns[k] + first, kBytes);
    interleaveAll<kTimes, kSide>(square, std::make_index_sequence<asSize(kSquares * kSide)>());
    for (int k = 0; k < kSide; ++k)
      for (int s = 0; s < kSquares; ++s)
        std::memcpy(to[first + s * kSide + k],
                    reinterpret_cast<const char*>(&square[k]) + s * kSquareBytes, kSquareBytes);
  }
}

/// The levels of a column of the result, one step more for a vertex that hangs.
template <class Level>
[[gnu::always_inline]] inline void levelsAt(const Levels<Level>& from, int column, Level* to) {
  const auto copy = [&](std::size_t vertex, auto take) __attribute__((always_inline)) {
    const Level* const row = from.of + vertex * asSize(from.width);
    if (from.adjacent) {
      for (int c = 0; c < kTransposed; ++c) take(to[c], row[from.search[0] + c]);
    } else {
      for (int c = 0; c < kTransposed; ++c) take(to[c], row[from.search[c]]);
    }
  };
  const int place = from.place[column];
  if (place >= 0)
    return copy(
        asSize(place), [](Level & a, Level b) __attribute__((always_inline)) { a = b; });
  std::fill_n(to, kTransposed, kUnseen<Level>);
  const auto hanging = asSize(-1 - place);
  for (auto tail = from.entering->begin(hanging); tail != from.entering->end(hanging); ++tail)
    copy(
        *tail, [](Level & a, Level b) __attribute__((always_inline)) { a = b < a ? b : a; });
  for (int c = 0; c < kTransposed; ++c)
    to[c] = static_cast<Level>(to[c] + (to[c] != kUnseen<Level>));
}

/// A row of distances. most: the most steps of a path whose length is below infinity. The compiler
/// makes vectors of each loop; it would not of one that multiplies reals and selects.
template <class Level, class T>
[[gnu::always_inline]] inline void widenRow(const Level* levels, int extra, T weight,
                                            std::int32_t most, int count, T* to) {
  const auto steps = [&](int i) __attribute__((always_inline)) {
    return static_cast<std::int32_t>(levels[i]) + extra;
  };
  if constexpr (std::is_integral_v<T>) {
    using Wrapping = std::make_unsigned_t<T>;  // where it is too far
    for (int i = 0; i < count; ++i) {
      const auto number = static_cast<Wrapping>(steps(i)) * static_cast<Wrapping>(weight);
      to[i] = steps(i) > most ? kInfinity<T> : static_cast<T>(number);
    }
  } else {
    for (int i = 0; i < count; ++i) to[i] = static_cast<T>(steps(i)) * weight;
    for (int i = 0; i < count; ++i) to[i] = steps(i) > most ? kInfinity<T> : to[i];
  }
}

template <int kBytes, class Level, class T>
[[gnu::always_inline]] inline void widenBody(const Levels<Level>& from, T weight, int begin,
                                             int count, int rows, T* const* to) {
  constexpr int kSide = kSquareBytes / static_cast<int>(sizeof(Level));
  alignas(64) Level turned[kTransposed][kWidened];
  for (int i = 0; i < count; i += kSide) {
    alignas(64) Level found[kSide][kTransposed];
    const Level* columns[kSide];
    for (int k = 0; k < kSide; ++k) {
      const int column = begin + std::min(i + k, count - 1);  // beyond `count`, any will do
      if (i + k + kSoon < count)
        if (const int place = from.place[begin + i + k + kSoon]; place >= 0)
          __builtin_prefetch(from.of + asSize(place) * asSize(from.width) + from.search[0]);
      if (const int place = from.place[column]; from.adjacent && place >= 0) {
        columns[k] = from.of + asSize(place) * asSize(from.width) + from.search[0];
      } else {
        levelsAt(from, column, found[k]);
        columns[k] = found[k];
      }
    }
    turn<kBytes>(columns, reinterpret_cast<Level(*)[kWidened]>(turned[0] + i));
  }
  // The most steps that some path has, and whose length is below infinity.
  auto most = static_cast<std::int32_t>(kUnseen<Level> - 1);
  if constexpr (std::is_integral_v<T>)
    if (weight > 0)
      most = static_cast<std::int32_t>(std::min<T>(most, (kInfinity<T> - 1) / weight));
  for (int r = 0; r < rows; ++r) widenRow(turned[r], from.extra[r], weight, most, count, to[r]);
}

/// The loops with the instructions of one target. GCC inlines the body into them.
#define WIDEN(name, target, bytes)                                                        \
  template <class Level, class T>                                                         \
  target void name(const Levels<Level>& levels, T weight, int begin, int count, int rows, \
                   T* const* to) {                                                        \
    widenBody<bytes>(levels, weight, begin, count, rows, to);                             \
  }

#if defined(__x86_64__)
WIDEN(widenAvx512, [[gnu::target("avx512f,avx512bw")]], 32)
WIDEN(widenAvx2, [[gnu::target("avx2")]], 32)
#endif
WIDEN(widenPortable, , 16)
#undef WIDEN

}  // namespace

template <class Level, class T>
Widen<Level, T> findWiden(const std::string& simd) {
  const SimdLevel<Widen<Level, T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", widenAvx512<Level, T>},
    {"avx2", widenAvx2<Level, T>},
#endif
    {"portable", widenPortable<Level, T>},
  };
  return chooseSimd(levels, simd);
}

#define FOR_LEVEL(Level)                                                                  \
  template Widen<Level, std::int32_t> findWiden<Level, std::int32_t>(const std::string&); \
  template Widen<Level, float> findWiden<Level, float>(const std::string&);               \
  template Widen<Level, std::int64_t> findWiden<Level, std::int64_t>(const std::string&); \
  template Widen<Level, double> findWiden<Level, double>(const std::string&);
FOR_LEVEL(std::uint8_t)
FOR_LEVEL(std::uint16_t)
FOR_LEVEL(std::uint32_t)
#undef FOR_LEVEL

}  // namespace engine::bfs
