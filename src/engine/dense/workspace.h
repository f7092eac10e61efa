// How much device memory solve() (apsp.cu) needs besides the graph, and how it is laid out.
//
// This header is plain C++: host code includes it to check the memory before a run. apsp.cu
// allocates by the same layouts, so the numbers cannot go stale. One call allocates up to three
// times, from the pool of solvers (device/cuda_memory.h):
//
//     analysis   bounds for the graph analysis; freed again before the other two
//     copy       the graph with padded rows, in 16 bits or in its own type, where one is needed
//     solver     counters, and the ring of packed panels
//
// A small int32 matrix is solved in registers (registers.cuh). That takes one allocation, a ring of
// another kind, and no copy. Without memory for it, the matrix is solved like a large one.
//
// The solvers of 32 and of 64 bits work in place if the rows are aligned: every row must start at a
// multiple of 16 bytes, because the kernels read four words of 32 bits at once. Otherwise, because
// n is not a multiple of 4 or of 2, they solve a copy with padded rows. The 16-bit solver always
// has a copy of its own and needs no other.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/dtype.h"
#include "base/size.h"
#include "solver/options.h"
#include "solver/outcome.h"

namespace engine::dense {

/// Bytes of a word, and of a weight of a tier: two of 16 bits lie in one word, and one of 64 bits
/// takes two.
inline constexpr std::size_t kWordBytes = 4;
constexpr std::size_t weightBytes(Tier tier) {
  if (tier == Tier::kUint16) return 2;
  return tier == Tier::kInt64 || tier == Tier::kFloat64 ? 8 : 4;
}

/// Words in an int4: the unit in which rows are read.
inline constexpr int kVector = 4;

/// Rounds whose packed panels are kept at a time (schedule.cuh).
inline constexpr int kRing = 4;

/// Vertices through which the graph analysis bounds all distances (analysis.cuh).
inline constexpr int kSources = 2;

/// Stands for itself and for everything above it in 16 bits (apsp.cu).
inline constexpr int kTooFar = 32767;

/// What the graph analysis finds out, as so many ints.
inline constexpr int kFindings = 3;

/// From this n on, the wide tiles are faster than tiles of 64 × 64 (docs/tuning.md, "Where the
/// constants come from").
inline constexpr int kWideFrom = 2000;

/// The side of the wide tiles. 256 threads with 168 registers each hold 128 × 128 weights of up to
/// 32 bits, or 96 × 96 of 64.
constexpr int wideSide(std::size_t weightBytes) {
  return weightBytes == 8 ? 96 : 128;
}

/// The side of the tiles that solve() chooses. A GPU whose shared memory is too small for wide
/// tiles of more than 16 bits takes 64 instead.
constexpr int tileSide(int n, const Options& options, Tier tier) {
  const std::size_t bytes = weightBytes(tier);
  if (bytes == 2) return wideSide(bytes);
  if (options.tile != 0) return options.tile;
  return n < kWideFrom ? 64 : wideSide(bytes);
}

/// From this n on, and up to what the registers of 128 blocks hold, int32 matrices are solved there
/// (registers.cuh). At n = 64 that takes longer, at 128 less.
inline constexpr int kRegistersFrom = 100;
inline constexpr int kRegistersTo = 1024;

/// How registers.cuh spreads a matrix: the blocks in a column and in a row of blocks, the rows and
/// columns that a block owns, the pivot vertices of a round, and the panels of its ring.
inline constexpr int kBlockRows = 4, kBlockColumns = 32;
inline constexpr int kOwnRows = 256, kOwnColumns = 32;
inline constexpr int kPivots = 32, kPlaces = 5;
static_assert(kBlockRows * kOwnRows == kRegistersTo && kBlockColumns * kOwnColumns == kRegistersTo);
static_assert(kPlaces > 4 * kBlockColumns / kPivots, "a panel may still be read: registers.cuh");

/// What registers.cuh publishes of a round's pivot vertices.
struct Panel {
  int pivot[kPivots][kPivots];
  int rows[kBlockColumns][kPivots][kOwnColumns];  ///< the row panel, by its readers
  int columns[kBlockRows][kPivots][kOwnRows];     ///< the column panel, transposed
};

/// Places arrays one after the other in one allocation, each aligned to 256 bytes.
class Layout {
 public:
  /// Returns the offset, in bytes, of an array of `count` elements of `size` bytes.
  constexpr std::size_t place(std::size_t count, std::size_t size) {
    const std::size_t offset = bytes_;
    bytes_ += (count * size + 255) / 256 * 256;
    return offset;
  }
  constexpr std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

/// What the graph analysis works with; offsets in bytes.
struct AnalysisLayout {
  std::size_t findings;  ///< (kFindings) ints
  std::size_t bounds;    ///< (2, kSources, n) ints
  std::size_t bytes;
};

constexpr AnalysisLayout analysisLayout(int n) {
  Layout layout;
  AnalysisLayout at{};
  at.findings = layout.place(kFindings, sizeof(int));
  at.bounds = layout.place(std::size_t{2} * kSources * asSize(n), sizeof(int));
  at.bytes = layout.bytes();
  return at;
}

/// A copy of the graph whose rows are a multiple of 16 bytes long; offsets in bytes.
struct CopyLayout {
  int rowWords;        ///< words of 32 bits in a row
  std::size_t words;   ///< (n, rowWords)
  std::size_t tooFar;  ///< one int: some distance does not fit in 16 bits
  std::size_t bytes;
};

constexpr CopyLayout copyLayout(int n, Tier tier) {
  Layout layout;
  CopyLayout at{};
  constexpr std::size_t kVectorBytes = kVector * kWordBytes;
  const std::size_t vectors = (asSize(n) * weightBytes(tier) + kVectorBytes - 1) / kVectorBytes;
  at.rowWords = static_cast<int>(vectors) * kVector;
  at.words = layout.place(asSize(n) * asSize(at.rowWords), kWordBytes);
  at.tooFar = layout.place(1, sizeof(int));
  at.bytes = layout.bytes();
  return at;
}

/// What the solver's kernel works with besides the matrix, which is cut into m × m tiles; offsets
/// in bytes. schedule.cuh says what each array is for.
struct SolverLayout {
  std::size_t next;        ///< one unsigned long long
  std::size_t criticalOn;  ///< one int
  std::size_t exited;      ///< one int
  std::size_t rounds;      ///< (m, m) ints
  std::size_t finished;    ///< (m) ints
  std::size_t finite[2];   ///< (kRing, m) ints each
  std::size_t counters;    ///< the bytes of all arrays above, which are zero at the start
  std::size_t left;        ///< (kRing, m) tiles of (tile, tile) weights, in a word at the least
  std::size_t right;       ///< (kRing, m) tiles of (tile, tile) weights
  std::size_t before;      ///< (kRing, m) tiles of (tile, tile) weights
  std::size_t bytes;
};

constexpr SolverLayout solverLayout(int n, int tile, Tier tier) {
  const auto m = asSize((n + tile - 1) / tile);
  const std::size_t size = weightBytes(tier), panels = kRing * m,
                    weights = panels * asSize(tile * tile);
  Layout layout;
  SolverLayout at{};
  at.next = layout.place(1, sizeof(unsigned long long));
  at.criticalOn = layout.place(1, sizeof(int));
  at.exited = layout.place(1, sizeof(int));
  at.rounds = layout.place(m * m, sizeof(int));
  at.finished = layout.place(m, sizeof(int));
  for (std::size_t& finite : at.finite) finite = layout.place(panels, sizeof(int));
  at.counters = layout.bytes();
  at.left = layout.place(weights, std::max(size, kWordBytes));
  at.right = layout.place(weights, size);
  at.before = layout.place(weights, size);
  at.bytes = layout.bytes();
  return at;
}

/// Bytes of device memory that solve() needs besides the graph.
struct Workspace {
  std::size_t least;  ///< with less, it cannot solve any graph of this size: Error(kMemory)
  std::size_t best;   ///< with this much, it solves every graph of this size in the fastest way
};

/// What CUDA's memory pool takes from the device for an allocation, at most: pieces of 32 MiB. CUDA
/// documents no size, so this is a careful guess.
constexpr std::size_t pooledBytes(std::size_t bytes) {
  constexpr std::size_t kPiece = std::size_t{32} << 20;
  return (bytes + kPiece - 1) / kPiece * kPiece;
}

/// The workspace of solve() for a graph of n vertices; n ≤ 0 needs nothing. alignedGraph: the graph
/// starts at a multiple of 16 bytes, as every allocation does. Between `least` and `best`,
/// automatic precision may have to give up 16 bits, or may find out only when it has looked at the
/// graph that the memory does not suffice. For one precision, `best` is enough and `least` is the
/// same without the analysis and the pool's rounding.
constexpr Workspace workspaceOf(int n, Dtype dtype, const Options& options,
                                bool alignedGraph = true) {
  if (n <= 0) return {0, 0};
  const Tier own = tierOf(dtype);
  const bool inPlace = alignedGraph && asSize(n) * sizeOf(dtype) % (kVector * kWordBytes) == 0;
  const auto need = [&](Tier tier) {
    const std::size_t solver = solverLayout(n, tileSide(n, options, tier), tier).bytes;
    const std::size_t copy = tier == own && inPlace ? 0 : copyLayout(n, tier).bytes;
    // The analysis can be left out. The pool may keep its memory, so `best` adds it to the rest.
    return Workspace{copy + solver, pooledBytes(analysisLayout(n).bytes) + pooledBytes(copy) +
                                        pooledBytes(solver)};
  };
  if (dtype != Dtype::kInt32 || !options.may16()) return need(own);
  if (options.precision == Precision::k16) return need(Tier::kUint16);
  const Workspace wide = need(own), narrow = need(Tier::kUint16);
  return {std::min(wide.least, narrow.least), std::max(wide.best, narrow.best)};
}

}  // namespace engine::dense
