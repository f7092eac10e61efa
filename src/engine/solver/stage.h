// Rows of distances on their way to the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/size.h"
#include "solver/summing.h"
#include "solver/transpose.h"

namespace engine {

/// Writes a line past the caches, so that it need not be read before. `to` is aligned to a line.
[[gnu::always_inline]] inline void streamLine(void* to, const void* from) {
#if defined(__SSE2__)
  for (int part = 0; part < 4; ++part)
    _mm_stream_si128(static_cast<__m128i*>(to) + part,
                     _mm_loadu_si128(static_cast<const __m128i*>(from) + part));
#else
  std::memcpy(to, from, 64);
#endif
}

/// To be called after the last streamLine(): whoever sees what this thread writes later sees the
/// lines, too.
inline void streamed() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Rows of the result, a piece of each at a time. They are written in whole lines of the cache,
/// wherever they begin: what is left of a piece waits for the next one.
template <class T>
class Stage {
 public:
  // Elements; all pieces together stay in the L1 cache.
  static constexpr int kPiece = 512 / static_cast<int>(sizeof(T));

  /// out: null if nothing is to be written.
  Stage(int rows, T* const* out) : rows_(rows), writes_(out != nullptr) {
    if (writes_) std::copy_n(out, rows, to_);
  }

  /// Where the next elements of a row go.
  [[gnu::always_inline]] T* row(int r) { return pieces_[r] + held_[r]; }

  /// Adds the `count` elements that were put into each row to the columns from `first` on.
  void add(int count, int first, BlockSums<T>& sums) const {
    const T* rows[kTransposed];
    for (int r = 0; r < rows_; ++r) rows[r] = pieces_[r] + held_[r];
    sums.add(rows, rows_, first, count);
  }

  /// Writes what can be written after `count` elements were put into each row.
  [[gnu::always_inline]] void write(int count) {
    if (!writes_) return;
    for (int r = 0; r < rows_; ++r) {
      int have = held_[r] + count;
      const T* from = pieces_[r];
      const auto misplaced = reinterpret_cast<std::uintptr_t>(to_[r]) / sizeof(T) % kLine;
      if (misplaced != 0) {  // at the beginning only
        const int some = std::min(have, kLine - static_cast<int>(misplaced));
        std::copy_n(from, some, to_[r]);
        from += some;
        to_[r] += some;
        have -= some;
      }
      for (; have >= kLine; have -= kLine, from += kLine, to_[r] += kLine) streamLine(to_[r], from);
      std::memmove(pieces_[r], from, sizeof(T) * asSize(have));
      held_[r] = have;
    }
  }

  void finish() {
    for (int r = 0; r < rows_; ++r) std::copy_n(pieces_[r], held_[r], to_[r]);
    streamed();
  }

 private:
  static constexpr int kLine = 64 / static_cast<int>(sizeof(T));
  int rows_;
  bool writes_;
  T* to_[kTransposed];
  int held_[kTransposed] = {};
  alignas(64) T pieces_[kTransposed][kPiece + kLine];
};

}  // namespace engine
