// The tile update: what one block of threads does with one tile of the matrix.
//
// Algorithm. The solver does two things with square tiles: the min-plus product C = min(C, A ⊗ B),
// and the closure of a tile, which is Floyd–Warshall inside it. A block of 256 threads keeps C in
// its registers and reads the panels A and B through shared memory.
//
// Why it is fast. Every value that is read must serve many relaxations.
//
//     device memory → shared memory   A panel value serves a whole row or column of the tile.
//     shared memory → registers       A thread holds up to 8 × 8 words of the tile. Therefore 16
//                                     words that it reads serve 64 relaxations of a word.
//
//     The panels are stored with the pivot vertex k as their first index, in device memory and in
//     shared memory. The rows or columns of a thread are then neighbours for every k, and it reads
//     them as vectors of 16 bytes. The left panel A(i,k) is transposed for this purpose when it is
//     packed. A warp is 8 threads wide and 4 high: each of its vector reads covers at most 128
//     different bytes, and there are no bank conflicts.
//
// Arithmetic. There are five tiers (apsp.cu says when each is exact). A word has 32 or 64 bits. It
// holds one weight or, in 16 bits, two neighbours of a row. A left word holds one weight in both
// halves, so one instruction relaxes a pair.
//
//     On Hopper, VIADDMNMX adds and takes the minimum in one instruction, 64 per clock cycle and
//     multiprocessor. The throughput of this pipe is the peak that results are compared with.
//     VIMNMX3, the least of three, takes twice as long but finishes two relaxations. Their two
//     additions run on the multiply-add pipe, which would be idle otherwise. A mix of both ways is
//     a little faster than the first way alone: every second row of sums takes VIADDMNMX
//     (`direct`). docs/tuning.md has the measurements (v4, "which sums take the direct way").
//
//     No instruction takes the minimum of 64-bit numbers. A relaxation is an addition, a comparison
//     and two selections of 32 bits. These are four instructions for float64: two on the pipe of
//     doubles, and two on that of integers, 32 relaxations per clock cycle and multiprocessor. They
//     are five for int64, whose additions take two.
//
// Source: register tiles as in dense matrix multiplication (Volkov and Demmel 2008), with min and +
// in place of + and ×.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "apsp.h"
#include "base/dtype.h"
#include "base/size.h"
#include "dense/workspace.h"
#include "solver/options.h"
#include "solver/outcome.h"

namespace engine {

// ---- tiers ----------------------------------------------------------------------------------

/// Words in 16 bytes.
template <class Word>
inline constexpr int kVector = sizeof(int4) / sizeof(Word);

/// The vector of kVector words that begins with this one.
template <class Word>
__device__ int4& vector(Word& first) {
  return *reinterpret_cast<int4*>(&first);
}
template <class Word>
__device__ const int4& vector(const Word& first) {
  return *reinterpret_cast<const int4*>(&first);
}

/// A word that is one weight.
template <class Number>
struct OneWeight {
  using Word = Number;
  static constexpr int kPack = 1;  ///< weights in a word
  using Column = int4;             ///< a vector of weights, one below the other

  /// The left word of one weight of a word; `half` is always 0 here.
  static __device__ Word left(Word word, int) { return word; }
  /// words: a vector of words, one below the other.
  static __device__ Column column(const Word* words, int) { return vector(*words); }
};

/// a + b on the multiply-add pipe. `one` is 1. The compiler must not know this, because it would
/// use the adder.
inline __device__ int multiplyAdd(int a, int one, int b) {
  int sum;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(one), "r"(b));
  return sum;
}

/// 32-bit integers.
struct Int32 : OneWeight<int> {
  static constexpr int kInfinity = kInf;  ///< a word of "no path", as are all words above it
  static __device__ bool finite(int word) { return word < kInfinity; }
  static __device__ int relax(int c, int a, int b) { return min(c, a + b); }

  /// Two relaxations of c, in one of the two ways (see the top of this file).
  static __device__ int relax(int c, int a0, int b0, int a1, int b1, int one, bool direct) {
#if __CUDA_ARCH__ >= 900
    if (!direct) return __vimin3_s32(c, multiplyAdd(a0, one, b0), multiplyAdd(a1, one, b1));
#endif
    return relax(relax(c, a0, b0), a1, b1);
  }
};

/// Non-negative floats, compared by their bits: these have the same order as the floats.
struct Float32 : OneWeight<int> {
  static constexpr int kInfinity = 0x7f800000;
  static __device__ bool finite(int word) { return word < kInfinity; }
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

/// Non-negative numbers of 64 bits. The sum of two int64 up to infinity fits in an int64.
template <class Number>
struct Wide : OneWeight<Number> {
  static constexpr Number kInfinity = engine::kInfinity<Number>;
  static __device__ bool finite(Number word) { return word < kInfinity; }

  static __device__ Number relax(Number c, Number a, Number b) {
    const Number sum = a + b;
    return isLess(sum, c) ? sum : c;
  }

 private:
  /// Whether sum < c, for c ≤ kInfinity. A GPU compares two int64 in two instructions, and two
  /// doubles in one. So GPUs with fast doubles compare the bits of int64 as doubles: non-negative
  /// doubles have the order of their bits. A sum whose bits are infinity or NaN is above kInfinity,
  /// and the comparison is false, as it should be.
  static __device__ bool isLess(Number sum, Number c) {
#if __CUDA_ARCH__ == 600 || __CUDA_ARCH__ == 700 || __CUDA_ARCH__ == 800 || \
    __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
    if constexpr (std::is_same_v<Number, std::int64_t>)
      return __longlong_as_double(sum) < __longlong_as_double(c);
#endif
    return sum < c;
  }
};
using Int64 = Wide<std::int64_t>;
using Float64 = Wide<double>;

/// Pairs of unsigned 16-bit weights. kTooFar stands for itself and for everything above it.
struct Uint16 {
  using Word = int;
  static constexpr int kPack = 2;
  static constexpr int kTooFar = dense::kTooFar;
  static constexpr int kInfinity = kTooFar << 16 | kTooFar;
  using Column = int2;
  static_assert(2 * kTooFar <= 65535, "the sum of two weights must fit in 16 bits");

  static __device__ bool finite(int word) { return word != kInfinity; }
  static __device__ int left(int word, int half) {
    return static_cast<int>(__byte_perm(word, 0, half == 0 ? 0x1010 : 0x3232));
  }
  static __device__ Column column(const int* words, int half) {
    const unsigned halves = half == 0 ? 0x5410 : 0x7632;
    return make_int2(static_cast<int>(__byte_perm(words[0], words[1], halves)),
                     static_cast<int>(__byte_perm(words[2], words[3], halves)));
  }

  static __device__ int relax(int c, int a, int b) {
    return static_cast<int>(__viaddmin_u16x2(a, b, c));
  }
  static __device__ int relax(int c, int a0, int b0, int a1, int b1, int one, bool direct) {
#if __CUDA_ARCH__ >= 900
    if (!direct) {  // a 32-bit sum is right, because no carry leaves the lower half
      return static_cast<int>(
          __vimin3_u16x2(c, multiplyAdd(a0, one, b0), multiplyAdd(a1, one, b1)));
    }
#endif
    return relax(relax(c, a0, b0), a1, b1);
  }
};

static_assert(2LL * kInf <= 0x7fffffff, "the sum of two weights must fit in an int");

// ---- shapes ---------------------------------------------------------------------------------

constexpr int kSide = 16;                // the consumer threads of a block form a square
constexpr int kThreads = kSide * kSide;  // consumer threads of a block
constexpr int kBlock = kThreads + 32;    // these, and the producer warp after them

/// Rows, or words, of a tile that the consumers cover at once.
template <class Word>
inline constexpr int kGroup = kSide * kVector<Word>;

static_assert(kVector<int> == dense::kVector, "as workspace.h lays out rows");
static_assert(kThreads % 32 == 0, "consumers are whole warps");

/// Whether copies into shared memory are asynchronous (cp.async from sm_80 on, bulk from sm_90 on).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr bool kAsync = false;
#else
constexpr bool kAsync = true;
#endif

/// The sizes for tiles of kTile × kTile weights, and what the consumers read in shared memory.
template <class Tier, int kTile, bool kAsyncCopies = kAsync>
struct TileStorage {
  using Word = typename Tier::Word;
  static constexpr int kWords = kTile / Tier::kPack;  ///< words in a row of a tile
  static constexpr int kWordsPerThread = kTile * kWords / kThreads;
  static constexpr int kRegisters = sizeof(Word) / sizeof(int);  ///< that a word takes
  /// Blocks on a multiprocessor. 64 registers a thread and their operands need more than half of
  /// all registers, and two warps a scheduler are enough if each has so much to do (docs/tuning.md,
  /// v4, "one block a multiprocessor").
  static constexpr int kResident = kWordsPerThread * kRegisters > 32 ? 1 : 2;
  /// A slice holds both panels for kSlice pivot vertices. One of kStages slices is read while the
  /// next ones arrive. More would not help if copies are not asynchronous.
  static constexpr int kSlice = (kAsyncCopies ? kTile / 4 : 16) / kRegisters;
  static constexpr int kStages = !kAsyncCopies ? 2 : kResident == 1 ? 4 : 3;
  struct Slice {
    Word left[kSlice][kTile];    ///< A(·,k) for each k of the slice
    Word right[kSlice][kWords];  ///< B(k,·)
  } slices[kStages];
  /// While a tile is closed: row k, and column k as left words. There are two buffers, which are
  /// used alternately.
  struct Pivots {
    Word row[2][kWords], column[2][kTile];
  } pivots;

  static_assert(kTile == 64 || kTile == dense::wideSide(sizeof(Word)), "as workspace.h says");
  static_assert(kTile % kGroup<Word> == 0 && kWords % kGroup<Word> == 0,
                "the threads cover a tile in whole groups: tiles of 16 bits need a side of 128");
  static_assert(kWordsPerThread <= 64, "a register tile has at most 8 × 8 words");
  static_assert(kTile % kSlice == 0, "a panel tile is cut into whole slices");
  static_assert(kSlice % 2 == 0, "relax() takes two pivot vertices at a time");
  static_assert(kStages >= 2, "one slice is read while another one arrives");
  static_assert(sizeof(Slice::left) % 16 == 0 && sizeof(Slice::right) % 16 == 0 &&
                    sizeof(Slice) == sizeof(Slice::left) + sizeof(Slice::right),
                "bulk copies need multiples of 16 bytes, at multiples of 16 bytes");
  static_assert(sizeof(Pivots::row) % 16 == 0 && sizeof(Pivots::column) % 16 == 0,
                "rows and columns are read as vectors");
};

/// A matrix of n rows of `words` words each in device memory: (n, words). `words` is a multiple of
/// kVector, and `base` is aligned to 16 bytes. Everything outside the matrix is infinite. It is
/// read through L2 only: L1 does not see what other blocks write.
template <class Word>
struct MatrixOf {
  int n, words;
  Word* base;

  __device__ Word* at(int i, int w) const { return base + asSize(i) * words + w; }
  __device__ bool holds(int i, int w) const { return i < n && w < words; }

  /// Prefetches kRows × kWordsAcross words from (i0, w0) on into L2. Called by one whole warp.
  template <int kRows, int kWordsAcross>
  __device__ void prefetch(int i0, int w0) const {
    constexpr int kLine = 128 / sizeof(Word);  // words in a cache line
    static_assert(kWordsAcross % kLine == 0, "rows of a tile are whole cache lines");
#pragma unroll
    for (int at = threadIdx.x % 32; at < kRows * kWordsAcross / kLine; at += 32) {
      const int i = i0 + at * kLine / kWordsAcross, w = w0 + at * kLine % kWordsAcross;
      if (holds(i, w)) asm volatile("prefetch.global.L2 [%0];" ::"l"(this->at(i, w)));
    }
  }
};
using WordMatrix = MatrixOf<int>;

/// A matrix in words of 32 bits as one in words of a tier.
template <class Word>
__host__ __device__ MatrixOf<Word> inWordsOf(const WordMatrix& matrix) {
  constexpr int kRegisters = sizeof(Word) / sizeof(int);
  return {matrix.n, matrix.words / kRegisters, reinterpret_cast<Word*>(matrix.base)};
}

// ---- mbarriers and copies into shared memory ----------------------------------------------------

inline __device__ unsigned sharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// An mbarrier: a barrier in shared memory at which some threads arrive and for which others wait.
/// Its phases are counted from 0. A phase is over when as many arrivals as init() said, and all
/// bytes that were announced, have come. What a thread wrote before it arrived is visible to those
/// who have waited. Before sm_80 there is no such instruction, and a counter stands in for it.
class Mbarrier {
 public:
  __device__ void init(int arrivals) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(sharedAddress(&state_)), "r"(arrivals)
                 : "memory");
#else
    // The upper half holds the arrivals of a phase, the lower half counts all arrivals so far.
    state_ = static_cast<unsigned long long>(arrivals) << 32;
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

  /// Whether a phase is over. It must be the present phase or the one before: the hardware knows
  /// only its parity.
  __device__ bool isOver(int phase) const {
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

  __device__ void wait(int phase) const {
    while (!isOver(phase)) continue;
  }

  /// Copies kLeft words and kRight words from device memory into shared memory. Called by one whole
  /// warp. The copy makes the kCopyArrivals arrivals of the phase, and nobody else arrives.
  template <int kLeft, int kRight, class Word>
  __device__ void copy(Word* toLeft, const Word* left, Word* toRight, const Word* right) {
    constexpr int kStep = kVector<Word>;
    static_assert(kLeft % kStep == 0 && kRight % kStep == 0, "copies are whole vectors");
    static_assert((kLeft + kRight) * sizeof(Word) < 1u << 20, "an mbarrier counts so many bytes");
    const int lane = threadIdx.x % 32;
#if __CUDA_ARCH__ >= 900
    if (lane != 0) return;
    const unsigned mbarrier = sharedAddress(&state_);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(mbarrier),
                 "n"((kLeft + kRight) * sizeof(Word))
                 : "memory");
    const auto bulk = [&](Word* to, const Word* from, int words) {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(sharedAddress(to)),
          "l"(from), "r"(words * static_cast<int>(sizeof(Word))), "r"(mbarrier)
          : "memory");
    };
    bulk(toLeft, left, kLeft);
    bulk(toRight, right, kRight);
#else
    for (int at = lane * kStep; at < kLeft; at += 32 * kStep) copy16(toLeft + at, left + at);
    for (int at = lane * kStep; at < kRight; at += 32 * kStep) copy16(toRight + at, right + at);
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
  /// Copies 16 bytes, through L2 only.
  static __device__ void copy16(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(shared)),
                 "l"(global)
                 : "memory");
#else
    *static_cast<int4*>(shared) = __ldcg(static_cast<const int4*>(global));
#endif
  }

  unsigned long long state_;
};

static_assert(sizeof(Mbarrier) == 8 && alignof(Mbarrier) == 8, "as mbarrier instructions want it");

/// Called by one thread when it has initialised the mbarriers and before anyone uses them: the unit
/// that makes bulk copies must see them initialised.
inline __device__ void fenceMbarrierInit() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// Called after a block has learned that others wrote device memory, and before Mbarrier::copy()
/// reads it: bulk copies read through another proxy than loads and stores.
inline __device__ void fenceBeforeBulkCopies() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

/// A barrier of the consumer threads. The producer warp does not take part.
inline __device__ void syncConsumers() {
  asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory");
}

/// The next one of kCount things that are used in turn, and how often it was used before.
template <int kCount>
struct PipelineState {
  int index = 0, phase = 0;
  __device__ void next() {
    if (++index < kCount) return;
    index = 0;
    ++phase;
  }
};

// ---- a tile in registers ------------------------------------------------------------------------

/// The part of a tile of kTile × kTile weights that one thread holds: groups of kVector rows by
/// groups of kVector words. The first group begins at `row` and `word`, and each next one kGroup
/// further on.
template <class Tier, int kTile>
struct RegisterTile {
  using Storage = TileStorage<Tier, kTile>;
  using Word = typename Tier::Word;
  using Matrix = MatrixOf<Word>;
  static constexpr int kVector = engine::kVector<Word>, kGroup = engine::kGroup<Word>;
  static constexpr int kWords = Storage::kWords;
  static constexpr int kRows = kTile / kSide, kColumns = kWords / kSide;
  static_assert(kRows % kVector == 0 && kColumns % kVector == 0, "groups are whole vectors");
  static_assert(kThreads == 8 * 32 && kSide == 2 * 8 && kSide == 4 * 4,
                "8 warps, 2 across and 4 down, of 8 × 4 threads make the square");
  Word value[kRows][kColumns];
  int row, word;

  __device__ RegisterTile() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = (warp / 2 * 4 + lane / 8) * kVector;
    word = (warp % 2 * 8 + lane % 8) * kVector;
  }

  /// The row, or word, of the tile that index r, or c, of `value` stands for.
  __device__ int rowOf(int r) const { return row + r / kVector * kGroup + r % kVector; }
  __device__ int wordOf(int c) const { return word + c / kVector * kGroup + c % kVector; }

  /// A vector of the words of column c from row r on.
  struct alignas(int4) Words {
    Word at[kVector];
    __device__ Words(const RegisterTile& tile, int r, int c) {
#pragma unroll
      for (int v = 0; v < kVector; ++v) at[v] = tile.value[r + v][c];
    }
  };

  /// The left words of a column's weights from row r on.
  __device__ int4 leftWords(int r, int c, int half) const {
    Words words(*this, r, c);
#pragma unroll
    for (Word& word : words.at) word = Tier::left(word, half);
    return vector(words.at[0]);
  }

  __device__ void clear() {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) value[r][c] = Tier::kInfinity;
    }
  }

  /// Loads the tile whose first word is at (i0, w0) of the matrix.
  __device__ void load(const Matrix& matrix, int i0, int w0) {
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

  __device__ void store(const Matrix& matrix, int i0, int w0) const {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; c += kVector) {
        const int i = i0 + rowOf(r), w = w0 + wordOf(c);
        if (matrix.holds(i, w)) vector(*matrix.at(i, w)) = vector(value[r][c]);
      }
    }
  }

  /// Stores the tile transposed: its first column becomes row i0 of the matrix from word w0 on.
  __device__ void storeTransposed(const Matrix& matrix, int i0, int w0) const {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
#pragma unroll
      for (int half = 0; half < Tier::kPack; ++half) {
#pragma unroll
        for (int r = 0; r < kRows; r += kVector) {
          const int i = i0 + wordOf(c) * Tier::kPack + half, w = w0 + rowOf(r) / Tier::kPack;
          if (!matrix.holds(i, w)) continue;
          *reinterpret_cast<typename Tier::Column*>(matrix.at(i, w)) =
              Tier::column(Words(*this, r, c).at, half);
        }
      }
    }
  }

  /// Stores this tile D as a left panel tile, (kTile, kTile) left words: element (k, i) is D(i,k).
  __device__ void packLeft(Word* to) const {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
#pragma unroll
      for (int half = 0; half < Tier::kPack; ++half) {
#pragma unroll
        for (int r = 0; r < kRows; r += kVector) {
          vector(to[(wordOf(c) * Tier::kPack + half) * kTile + rowOf(r)]) = leftWords(r, c, half);
        }
      }
    }
  }

  /// The same for a tile that is transposed already: element (k, i) is D(k,i).
  __device__ void packLeftAsItIs(Word* to) const {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
#pragma unroll
        for (int half = 0; half < Tier::kPack; ++half)
          to[rowOf(r) * kTile + wordOf(c) * Tier::kPack + half] = Tier::left(value[r][c], half);
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

  /// value = min(value, left ⊗ right) for the pivot vertices of one slice. `one` is 1
  /// (multiplyAdd).
  __device__ void relax(const typename Storage::Slice& slice, int one) {
    if constexpr (Storage::kRegisters == 1)
      relaxPairs(slice, one);
    else
      relaxSingly(slice);
  }

  /// Makes the tile its closure, by Floyd–Warshall. In step k, the threads that hold row k and
  /// column k publish them in shared memory. Called by all consumers.
  ///
  /// Registers cannot be indexed, so every index into `value` must be known to the compiler. An
  /// owner holds kVector rows (and kVector words) of each group. The loop over these, `step`, is
  /// unrolled, and the loop over the owners, `k0`, is not.
  __device__ void close(typename Storage::Pivots& pivots) {
    constexpr int kSteps = kVector * Tier::kPack;  // vertices in a vector of words
    static_assert(kGroup % kSteps == 0 && kSteps % 2 == 0, "steps alternate between two buffers");
#pragma unroll
    for (int group = 0; group < kTile / kGroup; ++group) {
#pragma unroll 1
      for (int k0 = 0; k0 < kGroup; k0 += kSteps) {
        // The word of vertex group · kGroup + k0. It begins a vector.
        const int first = (group * kGroup + k0) / Tier::kPack;
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          Word(&rowK)[kWords] = pivots.row[step % 2];
          Word(&columnK)[kTile] = pivots.column[step % 2];
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
          // After it, row k and column k are published, and everyone has read those of step k − 1.
          // Step k + 1 overwrites the latter: two buffers make one barrier a step enough.
          syncConsumers();
          relaxOne(columnK, rowK);
        }
      }
    }
  }

 private:
  /// Two pivot vertices at a time.
  __device__ void relaxPairs(const typename Storage::Slice& slice, int one) {
#pragma unroll 8
    for (int k = 0; k < Storage::kSlice; k += 2) {
      Word left[2][kRows], right[2][kColumns];
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

  /// One pivot vertex at a time, because words of 64 bits take twice as many registers.
  __device__ void relaxSingly(const typename Storage::Slice& slice) {
#pragma unroll
    for (int k = 0; k < Storage::kSlice; ++k) relaxOne(slice.left[k], slice.right[k]);
  }

  /// One pivot vertex: its column, (kTile) left words, and its row, (kWords). One vector of the row
  /// is in registers at a time.
  __device__ void relaxOne(const Word (&column)[kTile], const Word (&row)[kWords]) {
    Word left[kRows];
#pragma unroll
    for (int r = 0; r < kRows; r += kVector) vector(left[r]) = vector(column[rowOf(r)]);
#pragma unroll
    for (int c = 0; c < kColumns; c += kVector) {
      alignas(int4) Word right[kVector];
      vector(right[0]) = vector(row[wordOf(c)]);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
#pragma unroll
        for (int v = 0; v < kVector; ++v)
          value[r][c + v] = Tier::relax(value[r][c + v], left[r], right[v]);
      }
    }
  }
};

}  // namespace engine
