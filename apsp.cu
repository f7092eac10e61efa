// The optimised solver: blocked Floyd–Warshall, in which every step is a min-plus product of tiles.
// solve() first asks whether most edges can be left out, and then relaxes along the others instead
// (src/engine/filtered/filtered_gpu.cu).
//
// Algorithm. Floyd–Warshall allows paths through vertex k for k = 0 … n−1, one k after the other.
// The blocked form allows a whole pivot block p of vertices at a time. Let D(i,j) be a tile and ⊗
// the min-plus product. Round p has three parts:
//
//     pivot      D(p,p) becomes its closure D*: Floyd–Warshall inside the tile
//     row panel  D(p,j) = D* ⊗ D(p,j)                                for all j ≠ p
//     rest       D(i,j) = min(D(i,j), D(i,p) ⊗ D(p,j))               for all i ≠ p and all j
//
// Why this is right. A path from i to j through block p has three parts: it goes to its first
// vertex in p, from there to its last vertex in p, and from there to j. D(i,p) ⊗ D* ⊗ D(p,j) takes
// the minimum over all these paths. The row panel holds the product of the last two factors, so the
// rest needs the column panel D(i,p) only as it was before the round. The column panel is itself a
// part of the rest: D* takes the place of D(p,j) in its update. The pivot needs the sequential loop
// over k, because a product D(p,p) ⊗ D(p,p) only joins two edges.
//
// Source: Venkataraman, Sahni and Mukhopadhyaya 2003 (blocks); Katz and Kider 2008 (on GPUs).
//
// Five tiers of arithmetic share one code (tile.cuh):
//
//     int32    Any legal graph. Everything outside the matrix is kInf. kInf + kInf fits in an int
//              and is not less than kInf, so this padding changes nothing.
//     int64    The same, with an infinity of 64 bits.
//     float32  The same on the bits of non-negative floats.
//     float64  The same on doubles.
//     uint16   Pairs of 16-bit weights, which is twice as fast. Every weight is first clamped to
//              S = 32767. S + S fits in 16 bits.
//
// Why uint16 is exact. Let d(i,j) be the true distances and e(i,j) the results. At all times, each
// element is the length of a walk, but edges and parts of the walk may have been clamped to S.
//   1. Clamping only cuts off what is beyond S. Therefore e(i,j) ≥ min(d(i,j), S).
//   2. Suppose d(i,j) < S, and take a shortest path from i to j. Weights are not negative, so each
//      part of the path is shorter than S too, and was never clamped. The solver finds this path
//      just as it does in int32. Therefore e(i,j) = d(i,j).
//   3. Hence all results are exact if every distance is less than S.
// This can be known before the run: it holds if max d(i,s) + max d(s,j) < S for some vertex s,
// because d(i,j) ≤ d(i,s) + d(s,j). Paths of at most two edges bound both terms in O(n²)
// (analysis.cuh). It can also be seen after the run: it holds if no result is S. Automatic
// precision takes uint16 only if it is known before, else int32.
//
// The schedule is a dataflow in one persistent kernel: a tile update runs as soon as its operands
// are there, without barriers between rounds. schedule.cuh has the drawing, the memory ordering and
// the proof that it always advances.
//
// Shortcuts. Only half of a symmetric matrix is solved: the tiles on and above the diagonal. A tile
// of column p is the transposed tile of row p. The panel is then D* ⊗ D(p,j) on both sides and is
// the left operand too. At the end, one pass copies what is above the diagonal below it. Products
// with a panel tile that holds no path at all change nothing and are left out.
//
// Small matrices in int32 are solved in another way, in the registers of all multiprocessors:
// registers.cuh.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "apsp.h"
#include "base/dtype.h"
#include "base/elements.h"
#include "base/size.h"
#include "dense/analysis.cuh"
#include "dense/closure.h"
#include "dense/registers.cuh"
#include "dense/schedule.cuh"
#include "dense/solve.h"
#include "dense/tile.cuh"
#include "dense/workspace.h"
#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "filtered/filtered_gpu.h"
#include "solver/options.h"
#include "solver/outcome.h"

namespace engine {

namespace {

/// How a graph is to be solved.
struct Plan {
  int tile;        ///< side of the tiles, if words are weights
  bool symmetric;  ///< solve only the tiles on and above the diagonal
  bool skip;       ///< leave out products with panel tiles that hold no path
  int share = 1;   ///< use one in so many multiprocessors
};

/// Which tier a type of words (dense/tile.cuh) is.
template <class Words>
constexpr Tier kTierOf = std::is_same_v<Words, Uint16>    ? Tier::kUint16
                         : std::is_same_v<Words, Int32>   ? Tier::kInt32
                         : std::is_same_v<Words, Float32> ? Tier::kFloat32
                         : std::is_same_v<Words, Int64>   ? Tier::kInt64
                                                          : Tier::kFloat64;

/// The words of weights of a type.
template <class Weight>
using WordsOf = std::conditional_t<
    std::is_same_v<Weight, std::int32_t>, Int32,
    std::conditional_t<std::is_same_v<Weight, float>, Float32, Wide<Weight>>>;

/// Throws Error(kMemory). needed: bytes besides the graph; why: what most of them are for, or "".
[[noreturn]] void failForMemory(int n, std::size_t needed, const std::string& why) {
  throw Error(ErrorCode::kMemory, "n = " + std::to_string(n) + ": solving needs " +
                                 std::to_string(needed) + " bytes of GPU memory besides the graph" +
                                 why + ", " + std::to_string(freeOnGpu()) +
                                 " bytes are free: solve a smaller graph");
}

/// The critical path's block also works on the list if a round has at least so many updates for
/// each block: the critical path is then far from being the slowest part.
constexpr int kLongRound = 8;

/// Solves a matrix in place. Returns false, and has done nothing, if there is no memory for the
/// panels.
template <class Tier, int kTile>
bool solveTiles(const Gpu& gpu, const MatrixOf<typename Tier::Word>& matrix, const Plan& plan,
                cudaStream_t stream) {
  using Storage = TileStorage<Tier, kTile>;
  using Word = typename Tier::Word;
  const int m = ceilDiv(matrix.n, kTile);
  const dense::SolverLayout layout = dense::solverLayout(matrix.n, kTile, kTierOf<Tier>);
  const DeviceBuffer buffer(layout.bytes, stream);
  if (!buffer) return false;
  KernelParams<Word> params{};
  params.progress.next = buffer.at<unsigned long long>(layout.next);
  params.progress.criticalOn = buffer.at<int>(layout.criticalOn);
  params.progress.exited = buffer.at<int>(layout.exited);
  params.progress.rounds = buffer.at<int>(layout.rounds);
  params.progress.finished = buffer.at<int>(layout.finished);
  for (int side = 0; side < 2; ++side)
    params.progress.finite[side] = buffer.at<int>(layout.finite[side]);
  params.left = buffer.at<Word>(layout.left);
  params.right = buffer.at<Word>(layout.right);
  params.before = buffer.at<Word>(layout.before);
  CHECK_CUDA(cudaMemsetAsync(buffer.at<void>(0), 0, layout.counters, stream));
  params.matrix = matrix;
  params.schedule = {m, plan.symmetric, kLookAhead};
  params.skip = plan.skip;
  const int processors = std::max(1, gpu.processors / plan.share);
  const int blocks = Storage::kResident * processors;
  // With one multiprocessor there may be no other block for the list.
  params.criticalHelps = processors == 1 || params.schedule.perRound() >= kLongRound * blocks;
  params.exclusive = Storage::kResident > 1 && !params.criticalHelps;
  params.one = 1;

  const int shared = static_cast<int>(gpu.major >= 8 ? sizeof(SharedStorage<Tier, kTile, true>)
                                                     : sizeof(SharedStorage<Tier, kTile, false>));
  if (gpu.major >= 7)
    CHECK_CUDA(cudaFuncSetAttribute(dataflow<Tier, kTile>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  if (m > 1) packFirst<Tier, kTile><<<m - 1, kThreads, 0, stream>>>(params);
  dataflow<Tier, kTile><<<blocks, kBlock, shared, stream>>>(params);
  CHECK_CUDA(cudaGetLastError());
  return true;
}

/// The same with tiles of the planned side, or of 64 if the GPU has too little shared memory.
template <class Tier>
bool solveMatrix(const Gpu& gpu, const MatrixOf<typename Tier::Word>& matrix, const Plan& plan,
                 cudaStream_t stream) {
  constexpr int kWide = dense::wideSide(sizeof(typename Tier::Word));
  if constexpr (Tier::kPack == 1) {
    const bool fits =
        gpu.major < 8 || sizeof(SharedStorage<Tier, kWide>) <= static_cast<unsigned>(gpu.shared);
    if (plan.tile == 64 || !fits) return solveTiles<Tier, 64>(gpu, matrix, plan, stream);
  }
  return solveTiles<Tier, kWide>(gpu, matrix, plan, stream);
}

/// Analyses a graph, (n, n). Without memory for it, the result claims nothing: asymmetric, edges
/// missing, no bound. bounds: whether the bound is wanted.
template <class Word>
GraphAnalysis analyse(int n, const Word* graph, Word infinity, bool bounds, cudaStream_t stream) {
  GraphAnalysis result{1, 1, 2 * kInf};
  const dense::AnalysisLayout layout = dense::analysisLayout(n);
  const DeviceBuffer buffer(layout.bytes, stream);
  if (!buffer) return result;
  const std::size_t vectors = asSize(kSources) * n;
  AnalysisBuffers buffers{buffer.at<GraphAnalysis>(layout.findings), buffer.at<int>(layout.bounds),
                          nullptr};
  buffers.from = buffers.to + vectors;
  CHECK_CUDA(cudaMemsetAsync(buffers.result, 0, sizeof(GraphAnalysis), stream));
  // 0x3f3f3f3f means "not known". The sum of two of them fits in an int.
  CHECK_CUDA(cudaMemsetAsync(buffers.to, 0x3f, 2 * sizeof(int) * vectors, stream));
  constexpr int kTile = analysis::kPairTile<Word>;
  const dim3 tiles(ceilDiv(n, kTile), ceilDiv(n, kTile));
  analysis::analyseTiles<<<tiles, kThreads, 0, stream>>>(n, graph, infinity, bounds, buffers);
  if (bounds) analysis::reduceBounds<<<1, kThreads, 0, stream>>>(n, buffers);
  CHECK_CUDA(
      cudaMemcpyAsync(&result, buffers.result, sizeof result, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  if (!bounds) result.bound = 2 * kInf;
  return result;
}

/// Sets matrix(j,i) = matrix(i,j) for i < j. matrix: (n, stride) weights of the tier.
template <class Weight>
void mirrorUpper(int n, int stride, Weight* matrix, cudaStream_t stream) {
  const dim3 tiles(ceilDiv(n, analysis::kTile), ceilDiv(n, analysis::kTile));
  analysis::mirror<<<tiles, kThreads, 0, stream>>>(n, stride, matrix);
}

/// Whether some distance is too far for 16 bits. found: one int of device memory to work with.
bool anyTooFar(int n, const WordMatrix& matrix, int* found, cudaStream_t stream) {
  int result = 0;
  CHECK_CUDA(cudaMemsetAsync(found, 0, sizeof result, stream));
  analysis::findTooFar<<<n, kThreads, 0, stream>>>(n, matrix, found);
  CHECK_CUDA(cudaMemcpyAsync(&result, found, sizeof result, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return result != 0;
}

enum class Copied { kSolved, kNoMemory, kTooFar };

/// Solves a copy of the graph, (n, n), in words of a tier. It replaces the graph by the distances
/// unless some are too far. certified: it is known that none is.
template <class Tier>
Copied solveCopy(const Gpu& gpu, int n, typename Tier::Word* graph, const Plan& plan,
                 bool certified, cudaStream_t stream) {
  using Word = typename Tier::Word;
  const dense::CopyLayout layout = dense::copyLayout(n, kTierOf<Tier>);
  const DeviceBuffer copy(layout.bytes, stream);
  if (!copy) return Copied::kNoMemory;
  const std::size_t rowBytes = asSize(layout.rowWords) * dense::kWordBytes;
  const MatrixOf<Word> matrix{n, static_cast<int>(rowBytes / sizeof(Word)),
                              copy.at<Word>(layout.words)};
  analysis::copyIn<Tier><<<n, kThreads, 0, stream>>>(n, n, graph, matrix);
  if (!solveMatrix<Tier>(gpu, matrix, plan, stream)) return Copied::kNoMemory;
  if (plan.symmetric) {
    using Weight = std::conditional_t<Tier::kPack == 2, std::uint16_t, Word>;
    mirrorUpper(n, matrix.words * Tier::kPack, copy.at<Weight>(layout.words), stream);
  }
  if constexpr (Tier::kPack == 2) {
    if (!certified && anyTooFar(n, matrix, copy.at<int>(layout.tooFar), stream))
      return Copied::kTooFar;
  }
  analysis::copyOut<Tier><<<n, kThreads, 0, stream>>>(n, n, graph, matrix);
  return Copied::kSolved;
}

/// Solves a graph, (n, n), in its own type: in place if every row is aligned to 16 bytes, else a
/// copy.
template <class Tier>
void solveAsItIs(const Gpu& gpu, int n, typename Tier::Word* graph, Dtype dtype, const Plan& plan,
                 const Options& options) {
  using Word = typename Tier::Word;
  const bool aligned = reinterpret_cast<std::uintptr_t>(graph) % sizeof(int4) == 0;
  const bool inPlace = aligned && n % kVector<Word> == 0;
  bool solved = false;
  if (inPlace) {
    solved = solveMatrix<Tier>(gpu, MatrixOf<Word>{n, n, graph}, plan, options.stream);
    if (solved && plan.symmetric) mirrorUpper(n, n, graph, options.stream);
  } else {
    solved = solveCopy<Tier>(gpu, n, graph, plan, true, options.stream) == Copied::kSolved;
  }
  if (solved) return;
  Options asItIs = options;
  asItIs.precision = Precision::k32;
  const std::string why =
      aligned ? "n is not a multiple of " + std::to_string(kVector<Word>)
              : std::string("the graph does not start at a multiple of 16 bytes");
  failForMemory(n, dense::workspaceOf(n, dtype, asItIs, aligned).best,
                inPlace ? "" : " (most of them for a copy with aligned rows, because " + why + ")");
}

// docs/tuning.md, "Where the constants come from", has the measurements.
constexpr int kSymmetryFrom = 4000;  // from this n on, half of the work takes less time than all
constexpr int kAnalysisFrom = 1700;  // from this n on, the analysis is worth its time

/// weights: (n, n).
template <class Weight>
Outcome solveAny(int n, Weight* weights, const Options& options) {
  using Tier = WordsOf<Weight>;
  constexpr bool kIntegers = std::is_same_v<Tier, Int32>;
  const auto graph = reinterpret_cast<typename Tier::Word*>(weights);  // floats as their bits
  Outcome outcome;
  outcome.tier = kTierOf<Tier>;
  constexpr int kWide = dense::wideSide(sizeof(Weight));
  if (options.tile != 0 && options.tile != 64 && options.tile != kWide)
    throw Error(ErrorCode::kUsage, "the side of the tiles must be 64 or " + std::to_string(kWide));
  if (options.method == Method::kFiltered && options.precision == Precision::k16)
    throw Error(ErrorCode::kUsage, "16 bits need the dense method: do not ask for the filtered one");
  if (options.method == Method::kSparse)
    throw Error(ErrorCode::kUsage, "a matrix is not solved by the sparse method here: give the edges of the graph");
  if (n <= 0) return outcome;
  const Gpu gpu;
  if (const auto effort = effortOnGpu(options))
    if (const auto filtered = solveFilteredOnGpu(n, weights, *effort, options.stream))
      return *filtered;
  const bool only16 = kIntegers && options.precision == Precision::k16;
  const bool try16 =
      only16 || (kIntegers && options.precision == Precision::kAuto && gpu.major >= 9);
  GraphAnalysis found{1, 0, 2 * kInf};
  const bool look = n >= kAnalysisFrom || options.tile != 0 || only16;
  if (look) found = analyse(n, graph, Tier::kInfinity, try16, options.stream);

  Plan plan{};
  plan.tile = dense::tileSide(n, options, kTierOf<Tier>);
  const bool halves = n >= kSymmetryFrom || options.tile != 0;
  plan.symmetric = options.symmetry && halves && !found.asymmetric;
  plan.skip = options.skip && look && found.missing;
  outcome.symmetric = plan.symmetric;
  outcome.skipped = plan.skip;
  if constexpr (kIntegers) {
    const bool certified = found.bound < Uint16::kTooFar;
    if (only16 || (try16 && certified)) {
      const Copied copied = solveCopy<Uint16>(gpu, n, graph, plan, certified, options.stream);
      if (copied == Copied::kNoMemory && only16)
        failForMemory(n, dense::workspaceOf(n, Dtype::kInt32, options).best,
                      " (most of them for a copy in 16 bits)");
      if (copied != Copied::kNoMemory) {
        outcome.tier = copied == Copied::kSolved ? engine::Tier::kUint16 : engine::Tier::kNone;
        return outcome;
      }
    }
    const bool small =
        options.tile == 0 && n >= dense::kRegistersFrom && n <= dense::kRegistersTo;
    if (small && registers::solve(gpu, n, graph, options.stream)) return outcome;
  }
  solveAsItIs<Tier>(gpu, n, graph, kDtype<Weight>, plan, options);
  return outcome;
}

}  // namespace

Outcome solve(int n, Elements graph, const Options& options) {
  return withElements(graph, [&](auto weights) { return solveAny(n, weights, options); });
}

void closeOnGpu(const PackedMatrix& packed, int share, bool skip, CUstream_st* stream) {
  const Gpu gpu;
  const WordMatrix matrix{packed.n, packed.rowWords, static_cast<int*>(packed.words)};
  const Plan plan{dense::tileSide(packed.n, {}, packed.tier), false, skip, share};
  const bool solved =
      packed.tier == Tier::kUint16  ? solveMatrix<Uint16>(gpu, matrix, plan, stream)
      : packed.tier == Tier::kInt32 ? solveMatrix<Int32>(gpu, matrix, plan, stream)
      : packed.tier == Tier::kFloat32
          ? solveMatrix<Float32>(gpu, matrix, plan, stream)
      : packed.tier == Tier::kInt64
          ? solveMatrix<Int64>(gpu, inWordsOf<std::int64_t>(matrix), plan, stream)
          : solveMatrix<Float64>(gpu, inWordsOf<double>(matrix), plan, stream);
  if (!solved)
    failForMemory(packed.n, dense::solverLayout(packed.n, plan.tile, packed.tier).bytes, "");
}

}  // namespace engine

void apsp(int n, int* graph) {
  engine::solve(n, graph, {});
}
