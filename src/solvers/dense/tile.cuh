// The tile update: what one block of threads does with one tile in registers.
//
// Everything apsp.cu does to the matrix is C = min(C, A ⊗ B) on square tiles, ⊗ the min-plus
// product, and the closure of a tile. What counts is how often a value is used once it has been
// read: a block of 256 threads holds a tile, so that a panel value read from device memory serves a
// whole row or column of it; a thread holds up to 8×8 words of it in registers, so that 16 words
// read from shared memory serve 64 relaxations.
//
//     Both panels lie in memory, and in shared memory, with the pivot vertex k as their first
//     index: a thread's rows and columns are then next to each other for any k and are read as
//     int4. The left one, A(i,k), is stored transposed to get there. A warp is 8 threads across and
//     4 down: either read covers at most 128 bytes, without bank conflicts.
//
// The arithmetic is a tier: a word of 32 bits holds one weight or, of 16 bits, two neighbours of a
// row. Left words hold their weight in both halves, so that one instruction relaxes a pair.
//
//     On Hopper an addition and a minimum are one instruction, VIADDMNMX, 64 a cycle and
//     multiprocessor: that pipe is the wall. VIMNMX3, the least of three, takes twice as long but
//     finishes two relaxations whose additions run on the otherwise idle multiply-add pipe. Mixed,
//     they overlap a little and pass that wall: every second row of sums goes the first way.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "apsp.h"

// ---- tiers ----------------------------------------------------------------------------------

/// A word that is one weight; all from kNoPath on is no path.
template <int kNoPath>
struct OneWeight {
  static constexpr int kPack = 1;            ///< weights in a word
  static constexpr int kInfinity = kNoPath;  ///< a word of "no path"
  using Column = int4;                       ///< four weights, one below the other

  static __device__ bool finite(int word) { return word < kInfinity; }
  /// The left word of a word's weight number `part`.
  static __device__ int left(int word, int) { return word; }
  static __device__ Column column(int a, int b, int c, int d, int) { return make_int4(a, b, c, d); }
};

/// a + b on the multipliers. `one` is 1, which the compiler must not know.
inline __device__ int multiplyAdd(int a, int one, int b) {
  int sum;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(one), "r"(b));
  return sum;
}

/// Weights as they are.
struct Int32 : OneWeight<kInf> {
  static __device__ int relax(int c, int a, int b) { return min(c, a + b); }

  /// Two relaxations of c, in one of the two ways.
  static __device__ int relax(int c, int a0, int b0, int a1, int b1, int one, bool direct) {
#if __CUDA_ARCH__ >= 900
    if (!direct) return __vimin3_s32(c, multiplyAdd(a0, one, b0), multiplyAdd(a1, one, b1));
#endif
    return relax(relax(c, a0, b0), a1, b1);
  }
};

/// Non-negative floats, as their bits: these sort as the floats do.
struct Float32 : OneWeight<0x7f800000> {
  static __device__ int sum(int a, int b) {
    return __float_as_int(__fadd_rn(__int_as_float(a), __int_as_float(b)));
  }
  static __device__ int relax(int c, int a, int b) { return min(c, sum(a, b)); }
  static __device__ int relax(int c, int a0, int b0, int a1, int b1, int, bool) {
#if __CUDA_ARCH__ >= 900
    return __vimin3_s32(c, sum(a0, b0), sum(a1, b1));
#else
    return relax(relax(c, a0, b0), a1, b1);
#endif
  }
};

/// Pairs of unsigned 16-bit weights; kTooFar stands for itself and all that is more. The sum of two
/// such weights fits.
struct Uint16 {
  static constexpr int kPack = 2;
  static constexpr int kTooFar = 32767;
  static constexpr int kInfinity = kTooFar << 16 | kTooFar;
  using Column = int2;

  static __device__ bool finite(int word) { return word != kInfinity; }
  static __device__ int left(int word, int part) {
    return static_cast<int>(__byte_perm(word, 0, part == 0 ? 0x1010 : 0x3232));
  }
  static __device__ Column column(int a, int b, int c, int d, int part) {
    const unsigned halves = part == 0 ? 0x5410 : 0x7632;
    return make_int2(static_cast<int>(__byte_perm(a, b, halves)),
                     static_cast<int>(__byte_perm(c, d, halves)));
  }

  static __device__ int relax(int c, int a, int b) {
    return static_cast<int>(__viaddmin_u16x2(a, b, c));
  }
  static __device__ int relax(int c, int a0, int b0, int a1, int b1, int one, bool direct) {
#if __CUDA_ARCH__ >= 900
    if (!direct) {  // no sum carries from one half into the other
      return static_cast<int>(
          __vimin3_u16x2(c, multiplyAdd(a0, one, b0), multiplyAdd(a1, one, b1)));
    }
#endif
    return relax(relax(c, a0, b0), a1, b1);
  }
};

// ---- shapes ---------------------------------------------------------------------------------

constexpr int kVector = 4;               // words in an int4
constexpr int kSide = 16;                // the threads of a block form a square
constexpr int kThreads = kSide * kSide;  // that compute
constexpr int kGroup = kSide * kVector;  // rows, or words, of a tile that the threads cover at once

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr bool kAsync = false;  // copies into shared memory
#else
constexpr bool kAsync = true;
#endif

template <class Tier, int kTile, bool kAsyncCopies = kAsync>
struct Shared {
  static constexpr int kWords = kTile / Tier::kPack;  // words in a row of a tile
  /// Blocks of threads on a multiprocessor. 64 words a thread and their operands want more than
  /// half of its registers, and 2 warps a scheduler with so much to do each are enough.
  static constexpr int kResident = kTile * kWords / kThreads > 32 ? 1 : 2;
  /// Pivot vertices of the panels in shared memory at a time, and how many such slices: one is
  /// being read while the next ones arrive. Where copies are not asynchronous, more would not help.
  static constexpr int kSlice = kAsyncCopies ? kTile / 4 : 16;
  static constexpr int kStages = !kAsyncCopies ? 2 : kResident == 1 ? 4 : 3;
  struct Slice {
    int left[kSlice][kTile];    // A(·,k) for k of the slice
    int right[kSlice][kWords];  // B(k,·)
  } slices[kStages];
  /// Row k and, as left words, column k of a tile being closed, in two buffers by turns.
  struct Pivots {
    int row[2][kWords], column[2][kTile];
  } pivots;
};

/// n rows of `words` words, a multiple of 4, in device memory, aligned to 16 bytes. Read past the
/// L1 cache, which other blocks' writes miss. What lies outside is infinite.
struct Words {
  int n, words;
  int* base;

  __device__ int* at(int i, int w) const { return base + static_cast<std::size_t>(i) * words + w; }
  __device__ bool holds(int i, int w) const { return i < n && w < words; }

  /// One warp: asks the L2 cache for kRows × kWordsAcross words from (i0, w0).
  template <int kRows, int kWordsAcross>
  __device__ void prefetch(int i0, int w0) const {
    constexpr int kLine = 32;  // words
#pragma unroll
    for (int at = threadIdx.x % 32; at < kRows * kWordsAcross / kLine; at += 32) {
      const int i = i0 + at * kLine / kWordsAcross, w = w0 + at * kLine % kWordsAcross;
      if (holds(i, w)) asm volatile("prefetch.global.L2 [%0];" ::"l"(this->at(i, w)));
    }
  }
};

inline __device__ int4& vector(int& first) {
  return *reinterpret_cast<int4*>(&first);
}
inline __device__ const int4& vector(const int& first) {
  return *reinterpret_cast<const int4*>(&first);
}

// ---- gates and copies into shared memory --------------------------------------------------------

inline __device__ unsigned sharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// A barrier in shared memory that some threads arrive at and others wait for. Its phases are
/// counted from 0; one is over when as many arrivals as init() said, and all bytes that were
/// promised, have come. What was written before an arrival is visible after the wait.
class Gate {
 public:
  __device__ void init(int arrivals) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(sharedAddress(&state_)), "r"(arrivals)
                 : "memory");
#else
    state_ = static_cast<unsigned long long>(arrivals) << 32;  // below: arrivals so far
#endif
  }

  __device__ void arrive() {
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(sharedAddress(&state_)) : "memory");
#else
    __threadfence_block();
    atomicAdd(reinterpret_cast<unsigned*>(&state_), 1u);
#endif
  }

  /// Whether that phase is over. It is the present one or the one before.
  __device__ bool passed(int phase) const {
#if __CUDA_ARCH__ >= 800
    int over;
    asm volatile(
        "{ .reg .pred over;"
#if __CUDA_ARCH__ >= 900
        " mbarrier.try_wait.parity.shared.b64 over, [%1], %2;"  // may sleep for a while
#else
        " mbarrier.test_wait.parity.shared.b64 over, [%1], %2;"
#endif
        " selp.s32 %0, 1, 0, over; }"
        : "=r"(over)
        : "r"(sharedAddress(&state_)), "r"(phase & 1)
        : "memory");
    return over != 0;
#else
    const auto words = reinterpret_cast<const volatile unsigned*>(&state_);
    const bool over = static_cast<int>(words[0] - (phase + 1) * words[1]) >= 0;
    __threadfence_block();
    return over;
#endif
  }

  __device__ void await(int phase) const {
    while (!passed(phase)) continue;
  }

  /// Copies kLeft and kRight words that lie together into shared memory. One warp, together; it is
  /// all that arrives, kCopyArrivals times.
  template <int kLeft, int kRight>
  __device__ void copy(int* toLeft, const int* left, int* toRight, const int* right) {
    const int lane = threadIdx.x % 32;
#if __CUDA_ARCH__ >= 900
    if (lane != 0) return;
    const unsigned gate = sharedAddress(&state_);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(gate),
                 "n"((kLeft + kRight) * sizeof(int))
                 : "memory");
    const auto bulk = [&](int* to, const int* from, int words) {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(sharedAddress(to)),
          "l"(from), "r"(words * static_cast<int>(sizeof(int))), "r"(gate)
          : "memory");
    };
    bulk(toLeft, left, kLeft);
    bulk(toRight, right, kRight);
#else
    for (int at = lane * kVector; at < kLeft; at += 32 * kVector) copy16(toLeft + at, left + at);
    for (int at = lane * kVector; at < kRight; at += 32 * kVector) copy16(toRight + at, right + at);
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(sharedAddress(&state_))
                 : "memory");
#else
    arrive();
#endif
#endif
  }
#if __CUDA_ARCH__ >= 900
  static constexpr int kCopyArrivals = 1;
#else
  static constexpr int kCopyArrivals = 32;
#endif

 private:
  static __device__ void copy16(int* shared, const int* global) {  // through L2 only
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(shared)),
                 "l"(global)
                 : "memory");
#else
    vector(*shared) = __ldcg(reinterpret_cast<const int4*>(global));
#endif
  }

  unsigned long long state_;
};

/// After gates were initialised, before any is used; one thread.
inline __device__ void gatesAreReady() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// Between learning that others have written device memory and copying it by Gate::copy().
inline __device__ void fenceBeforeCopies() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

/// A barrier of the threads that compute.
inline __device__ void syncWorkers() {
  asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory");
}

// ---- a tile in registers ------------------------------------------------------------------------

/// What one thread holds of a tile of kTile × kTile weights: groups of four rows and of four words,
/// the first ones from `row` and `word`, the next ones kGroup further on.
template <class Tier, int kTile>
struct Part {
  using Memory = Shared<Tier, kTile>;
  static constexpr int kWords = Memory::kWords;
  static constexpr int kRows = kTile / kSide, kColumns = kWords / kSide;
  static_assert(kRows % kVector == 0 && kColumns % kVector == 0, "whole vectors");
  int value[kRows][kColumns];
  int row, word;

  __device__ Part() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;  // 2 × 4 warps of 8 × 4 threads
    row = (warp / 2 * 4 + lane / 8) * kVector;
    word = (warp % 2 * 8 + lane % 8) * kVector;
  }

  /// The row, or word, of the tile that index r, or c, of `value` stands for.
  __device__ int rowOf(int r) const { return row + r / kVector * kGroup + r % kVector; }
  __device__ int wordOf(int c) const { return word + c / kVector * kGroup + c % kVector; }

  /// The left words of a column's four weights from row r on.
  __device__ int4 leftWords(int r, int c, int part) const {
    return make_int4(Tier::left(value[r][c], part), Tier::left(value[r + 1][c], part),
                     Tier::left(value[r + 2][c], part), Tier::left(value[r + 3][c], part));
  }

  __device__ void clear() {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) value[r][c] = Tier::kInfinity;
    }
  }

  /// The tile whose first weight is at (i0, w0).
  __device__ void load(const Words& matrix, int i0, int w0) {
    clear();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; c += kVector) {
        const int i = i0 + rowOf(r), w = w0 + wordOf(c);
        if (matrix.holds(i, w))
          vector(value[r][c]) = __ldcg(reinterpret_cast<const int4*>(matrix.at(i, w)));
      }
    }
  }

  __device__ void store(const Words& matrix, int i0, int w0) const {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; c += kVector) {
        const int i = i0 + rowOf(r), w = w0 + wordOf(c);
        if (matrix.holds(i, w)) vector(*matrix.at(i, w)) = vector(value[r][c]);
      }
    }
  }

  /// Stores the tile transposed: its first column becomes the row i0 of the matrix from word w0 on.
  __device__ void storeTransposed(const Words& matrix, int i0, int w0) const {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
#pragma unroll
      for (int part = 0; part < Tier::kPack; ++part) {
#pragma unroll
        for (int r = 0; r < kRows; r += kVector) {
          const int i = i0 + wordOf(c) * Tier::kPack + part, w = w0 + rowOf(r) / Tier::kPack;
          if (!matrix.holds(i, w)) continue;
          *reinterpret_cast<typename Tier::Column*>(matrix.at(i, w)) =
              Tier::column(value[r][c], value[r + 1][c], value[r + 2][c], value[r + 3][c], part);
        }
      }
    }
  }

  /// Stores the tile as a left panel tile, (kTile, kTile) left words: element (k, i) is D(i,k) of
  /// this tile …
  __device__ void packLeft(int* to) const {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
#pragma unroll
      for (int part = 0; part < Tier::kPack; ++part) {
#pragma unroll
        for (int r = 0; r < kRows; r += kVector) {
          vector(to[(wordOf(c) * Tier::kPack + part) * kTile + rowOf(r)]) = leftWords(r, c, part);
        }
      }
    }
  }

  /// … or, of a tile that is one transposed already, D(k,i).
  __device__ void packLeftAsItIs(int* to) const {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
#pragma unroll
        for (int part = 0; part < Tier::kPack; ++part)
          to[rowOf(r) * kTile + wordOf(c) * Tier::kPack + part] = Tier::left(value[r][c], part);
      }
    }
  }

  __device__ bool anyFinite() const {
    bool any = false;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) any |= Tier::finite(value[r][c]);
    }
    return any;
  }

  /// value = min(value, left ⊗ right).
  __device__ void relax(const typename Memory::Slice& slice, int one) {
#pragma unroll 8
    for (int k = 0; k < Memory::kSlice; k += 2) {
      int left[2][kRows], right[2][kColumns];
#pragma unroll
      for (int step = 0; step < 2; ++step) {
#pragma unroll
        for (int r = 0; r < kRows; r += kVector)
          vector(left[step][r]) = vector(slice.left[k + step][rowOf(r)]);
#pragma unroll
        for (int c = 0; c < kColumns; c += kVector)
          vector(right[step][c]) = vector(slice.right[k + step][wordOf(c)]);
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
#pragma unroll
        for (int c = 0; c < kColumns; ++c) {
          value[r][c] = Tier::relax(value[r][c], left[0][r], right[0][c], left[1][r], right[1][c],
                                    one, r % 2 == 0);
        }
      }
    }
  }

  /// The closure of the tile. For step k its owners publish row k and column k, in one of two
  /// buffers by turns, so that a step has one barrier. Every index into `value` is known when this
  /// is compiled: of each four rows, or words, an owner holds, one after the other comes up.
  __device__ void close(typename Memory::Pivots& pivots) {
    constexpr int kSteps = kVector * Tier::kPack;  // vertices in four words
#pragma unroll
    for (int group = 0; group < kTile / kGroup; ++group) {
#pragma unroll 1
      for (int k0 = 0; k0 < kGroup; k0 += kSteps) {
        // Word of vertex `group · kGroup + k0`, which starts a vector:
        const int first = (group * kGroup + k0) / Tier::kPack;
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          int(&rowK)[kWords] = pivots.row[step % 2];
          int(&columnK)[kTile] = pivots.column[step % 2];
          if (row == k0 + step / kVector * kVector) {
            const int r = group * kVector + step % kVector;
#pragma unroll
            for (int c = 0; c < kColumns; c += kVector)
              vector(rowK[wordOf(c)]) = vector(value[r][c]);
          }
          if (word == first % kGroup) {
            const int c = group * kGroup / Tier::kPack / kGroup * kVector + step / Tier::kPack;
#pragma unroll
            for (int r = 0; r < kRows; r += kVector) {
              vector(columnK[rowOf(r)]) = leftWords(r, c, step % Tier::kPack);
            }
          }
          syncWorkers();  // row and column k are published; all have read those of step k−1
          int left[kRows], right[kColumns];
#pragma unroll
          for (int c = 0; c < kColumns; c += kVector) vector(right[c]) = vector(rowK[wordOf(c)]);
#pragma unroll
          for (int r = 0; r < kRows; r += kVector) vector(left[r]) = vector(columnK[rowOf(r)]);
#pragma unroll
          for (int r = 0; r < kRows; ++r) {
#pragma unroll
            for (int c = 0; c < kColumns; ++c)
              value[r][c] = Tier::relax(value[r][c], left[r], right[c]);
          }
        }
      }
    }
  }
};
