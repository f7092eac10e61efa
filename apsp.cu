// The optimised solver: blocked Floyd–Warshall, every step of it one min-plus product of tiles.
//
// Floyd–Warshall allows paths through vertex k, for k = 0 … n−1, one k at a time. Blocked
// (Venkataraman, Sahni and Mukhopadhyaya 2003; Katz and Kider 2008 on GPUs), it allows a whole
// pivot block p of vertices at a time. With D(i,j) a tile and ⊗ the min-plus product, round p is
//
//     pivot      D(p,p) becomes its closure D*: Floyd–Warshall inside the tile
//     row panel  D(p,j) = D* ⊗ D(p,j)                                for all j ≠ p
//     rest       D(i,j) = min(D(i,j), D(i,p) ⊗ D(p,j))               for all i ≠ p and all j
//
// A path from i to j through block p is a path to its first vertex in p, one within what D* has
// closed, and one from its last: D(i,p) ⊗ D* ⊗ D(p,j). The row panel holds the last two of them, so
// that the column panel D(i,p) is used as it was; it is a tile of the rest itself, with D* as its
// D(p,j). Closing the pivot needs the sequential loop over k: a product D(p,p) ⊗ D(p,p) joins two
// edges, no more.
//
// Three tiers of one code (tile.cuh has the arithmetic):
//
//     int32    Any legal graph. What lies outside the matrix is kInf; kInf + kInf fits in an int
//              and is never below kInf, so that padding changes nothing.
//     float32  The same on the bits of non-negative floats.
//     uint16   Pairs of 16-bit weights: twice as fast. Every weight is clamped to S = 32767 first;
//              S + S fits in 16 bits.
//
// Why uint16 is exact, where it is used. Let d be the true distances and e the result. Each entry
// is at all times the length of a walk whose edges, and whose parts, may have been clamped to S.
// Clamping only takes away what is beyond S: e(i,j) is never less than min(d(i,j), S). Now let
// d(i,j) < S and take a shortest path from i to j. Weights are not negative, so that each of its
// parts is shorter than S as well and was never clamped: the solver finds the path as it does in
// int32, e(i,j) = d(i,j). So all of e is exact if every d is less than S. That is known before the
// run where max d(i,s) + max d(s,j) < S for some vertex s, as d(i,j) ≤ d(i,s) + d(s,j); paths of at
// most two edges bound both in O(n²) (survey.cuh). Where that fails, it can be seen after the run:
// no entry is S. `auto` takes uint16 only where it is known before, and int32 otherwise.
//
// The schedule: dataflow, one persistent kernel. Blocks of threads take tile updates from one list,
// in order. Each tile counts the rounds it has taken, and an update waits until its operands have
// taken enough. All that an update waits for stands before it in the list, or in the chain, so that
// the oldest one in progress can always go on: no deadlock, be there only one block for the chain
// and one for the list. There is no barrier between rounds, so no tail of idle multiprocessors and
// no launch.
//
//     The chain is what no parallelism shortens: a pivot is closed, the panel tile after it and
//     then the next pivot tile are updated, the next pivot is closed. One block does these, and
//     works on the list only where rounds are so long that the chain has time. The list looks
//     ahead for it: a round begins with the next pivot's row and column, and the next round's
//     panels come long before this round is over.
//
//     Panels lie in buffers of their own, as the products read them, kRing rounds by turns: a block
//     that updates a tile that will be read packs it on the way. What is packed for round q takes
//     the place of round q − kRing, all of whose updates must be done by then. Nothing else waits
//     for readers: a tile in the matrix is touched by nobody but those who update it, in turn.
//
// A symmetric matrix is solved in half: only tiles on and above the diagonal, a tile of column p
// being the transposed one of row p. The panel is then D* ⊗ D(p,j) on both sides, and serves as
// left operand too; one pass copies what is above the diagonal below it at the end. Products with
// a panel tile that holds no path at all change nothing and are left out.
#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "apsp.h"
#include "device/cuda.h"
#include "solvers/dense/analysis.cuh"
#include "solvers/dense/schedule.cuh"
#include "solvers/dense/tile.cuh"

namespace {

/// Stream-ordered device memory from the default pool; null where there is none left.
class Workspace {
 public:
  Workspace(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
    const cudaError_t status = cudaMallocAsync(&memory_, bytes, stream);
    if (status == cudaSuccess) return;
    memory_ = nullptr;
    if (status != cudaErrorMemoryAllocation)
      checkCuda(status, "cudaMallocAsync", __FILE__, __LINE__);
    cudaGetLastError();  // want of memory is no sticky error: clear it
  }
  ~Workspace() {
    if (memory_ != nullptr) cudaFreeAsync(memory_, stream_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  explicit operator bool() const { return memory_ != nullptr; }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  cudaStream_t stream_;
  void* memory_ = nullptr;
};

/// What the present GPU is.
struct Gpu {
  int device = 0, major = 0, processors = 0, shared = 0;
  Gpu() {
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  }
  /// The default pool keeps what it has between calls: mapping a workspace anew costs more than a
  /// small solve.
  void keepPool() const {
    std::uint64_t all = ~std::uint64_t{0};
    CHECK_CUDA(cudaMemPoolSetAttribute(pool(), cudaMemPoolAttrReleaseThreshold, &all));
  }
  void emptyPool() const {
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaMemPoolTrimTo(pool(), 0));
  }

 private:
  cudaMemPool_t pool() const {
    cudaMemPool_t pool;
    CHECK_CUDA(cudaDeviceGetDefaultMemPool(&pool, device));
    return pool;
  }
};

/// Hands out parts of one allocation, each aligned to 256 bytes; without an allocation it adds up
/// what one would need.
class Carver {
 public:
  explicit Carver(char* memory = nullptr) : memory_(memory) {}
  template <class T>
  T* take(std::size_t count) {
    T* const here = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + used_);
    used_ += ceilDiv(count * sizeof(T), std::size_t{256}) * 256;
    return here;
  }
  std::size_t used() const { return used_; }

 private:
  char* memory_;
  std::size_t used_ = 0;
};

/// How a graph is to be solved.
struct Plan {
  int tile;        ///< side of the tiles
  bool symmetric;  ///< above the diagonal only
  bool skip;
};

[[noreturn]] void noRoom(const Gpu& gpu, int n, const char* what, std::size_t bytes) {
  gpu.emptyPool();
  std::size_t free = 0, total = 0;
  CHECK_CUDA(cudaMemGetInfo(&free, &total));
  throw Error(Exit::kMemory, "n = " + std::to_string(n) + ": " + std::to_string(bytes) +
                                 " bytes of GPU memory needed for " + what + ", " +
                                 std::to_string(free) + " bytes free: solve a smaller graph");
}

/// Updates of a round for each block from which the chain is far from being the slowest part of it.
constexpr int kLongRound = 8;

/// Solves the words of a matrix in place. Returns 0 or, where there is no room for the panels and
/// nothing was done, the bytes that they need.
template <class Tier, int kTile>
std::size_t solveTiles(const Gpu& gpu, const Words& matrix, const Plan& plan, cudaStream_t stream) {
  using Work = Block<Tier, kTile>;
  const int m = ceilDiv(matrix.n, kTile);
  const std::size_t squares = static_cast<std::size_t>(m) * m, panels = std::size_t{kRing} * m;
  Job job{};
  std::size_t counters = 0;
  const auto carve = [&](Carver space) {
    job.progress.next = space.take<unsigned long long>(1);
    job.progress.chainOn = space.take<int>(1);
    job.progress.leavers = space.take<int>(1);
    job.progress.rounds = space.take<int>(squares);
    job.progress.finished = space.take<int>(m);
    for (int*& finite : job.progress.finite) finite = space.take<int>(panels);
    counters = space.used();
    job.left = space.take<int>(panels * Work::kLeftTile);
    job.right = space.take<int>(panels * Work::kRightTile);
    job.before = space.take<int>(panels * Work::kRightTile);
    return space.used();
  };
  const std::size_t bytes = carve(Carver());
  const Workspace space(bytes, stream);
  if (!space) return bytes;
  carve(Carver(space.as<char>()));
  CHECK_CUDA(cudaMemsetAsync(space.as<void>(), 0, counters, stream));
  job.matrix = matrix;
  job.schedule = {m, plan.symmetric, 600};
  job.skip = plan.skip;
  const int blocks = Work::Memory::kResident * gpu.processors;
  // With one multiprocessor there is nobody else for the list.
  job.chainHelps = gpu.processors == 1 || job.schedule.perRound() >= kLongRound * blocks;
  job.exclusive = Work::Memory::kResident > 1 && !job.chainHelps;
  job.one = 1;

  const int shared = static_cast<int>(gpu.major >= 8 ? sizeof(Room<Tier, kTile, true>)
                                                     : sizeof(Room<Tier, kTile, false>));
  if (gpu.major >= 7)
    CHECK_CUDA(cudaFuncSetAttribute(dataflow<Tier, kTile>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  if (m > 1) packFirst<Tier, kTile><<<m - 1, kThreads, 0, stream>>>(job);
  dataflow<Tier, kTile><<<blocks, kBlock, shared, stream>>>(job);
  CHECK_CUDA(cudaGetLastError());
  return 0;
}

/// The same by tiles of the planned side, where such fit this GPU.
template <class Tier>
std::size_t solveWords(const Gpu& gpu, const Words& matrix, const Plan& plan, cudaStream_t stream) {
  if constexpr (Tier::kPack == 1) {
    const bool fits = gpu.major < 8 || sizeof(Room<Tier, 128>) <= static_cast<unsigned>(gpu.shared);
    if (plan.tile == 64 || !fits) return solveTiles<Tier, 64>(gpu, matrix, plan, stream);
  }
  return solveTiles<Tier, 128>(gpu, matrix, plan, stream);
}

/// Looks at the graph; without room for it, as if nothing could be told.
Survey lookAt(int n, const int* graph, int infinity, bool bounds, cudaStream_t stream) {
  Survey result{1, 1, 2 * kInf};
  const std::size_t vectors = static_cast<std::size_t>(kSources) * n;
  const Workspace space(sizeof(Survey) + 2 * sizeof(int) * vectors, stream);
  if (!space) return result;
  SurveySpace there{space.as<Survey>(), reinterpret_cast<int*>(space.as<Survey>() + 1), nullptr};
  there.from = there.to + vectors;
  CHECK_CUDA(cudaMemsetAsync(there.result, 0, sizeof(Survey), stream));
  // 0x3f3f3f3f: not known; two of them fit in an int.
  CHECK_CUDA(cudaMemsetAsync(there.to, 0x3f, 2 * sizeof(int) * vectors, stream));
  const dim3 tiles(ceilDiv(n, survey::kTile), ceilDiv(n, survey::kTile));
  survey::surveyTiles<<<tiles, kThreads, 0, stream>>>(n, graph, infinity, bounds, there);
  if (bounds) survey::reduceBounds<<<1, kThreads, 0, stream>>>(n, there);
  CHECK_CUDA(cudaMemcpyAsync(&result, there.result, sizeof result, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  if (!bounds) result.bound = 2 * kInf;
  return result;
}

/// matrix(j,i) = matrix(i,j) for i < j. Weight: of the tier, `stride` of them a row.
template <class Weight>
void mirrorUpper(int n, int stride, Weight* matrix, cudaStream_t stream) {
  const dim3 tiles(ceilDiv(n, survey::kTile), ceilDiv(n, survey::kTile));
  survey::mirror<<<tiles, kThreads, 0, stream>>>(n, stride, matrix);
}

/// Whether some distance is too far for 16 bits.
bool anyTooFar(const Gpu& gpu, int n, const Words& matrix, cudaStream_t stream) {
  const Workspace space(sizeof(int), stream);
  if (!space) noRoom(gpu, n, "a flag", sizeof(int));
  int found = 0;
  CHECK_CUDA(cudaMemsetAsync(space.as<void>(), 0, sizeof found, stream));
  survey::findTooFar<<<n, kThreads, 0, stream>>>(n, matrix, space.as<int>());
  CHECK_CUDA(
      cudaMemcpyAsync(&found, space.as<void>(), sizeof found, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return found != 0;
}

enum class Copied { kSolved, kNoRoom, kTooFar };

/// Solves a copy of the graph in words of a tier, and puts the distances into its place unless some
/// are too far. certified: none can be.
template <class Tier>
Copied solveCopy(const Gpu& gpu, int n, int* graph, const Plan& plan, bool certified,
                 cudaStream_t stream) {
  const int words = ceilDiv(ceilDiv(n, Tier::kPack), kVector) * kVector;
  const Workspace copy(sizeof(int) * static_cast<std::size_t>(n) * words, stream);
  if (!copy) return Copied::kNoRoom;
  const Words matrix{n, words, copy.as<int>()};
  survey::copyIn<Tier><<<n, kThreads, 0, stream>>>(n, graph, matrix);
  if (solveWords<Tier>(gpu, matrix, plan, stream) != 0) return Copied::kNoRoom;
  if (plan.symmetric) {
    using Weight = std::conditional_t<Tier::kPack == 2, std::uint16_t, int>;
    mirrorUpper(n, words * Tier::kPack, copy.as<Weight>(), stream);
  }
  if (!certified && anyTooFar(gpu, n, matrix, stream)) return Copied::kTooFar;
  survey::copyOut<Tier><<<n, kThreads, 0, stream>>>(n, graph, matrix);
  return Copied::kSolved;
}

/// Solves words that are weights: in place where its rows start at 16 bytes, else as a copy.
template <class Tier>
void solve32(const Gpu& gpu, int n, int* graph, const Plan& plan, cudaStream_t stream) {
  if (n % kVector == 0 && reinterpret_cast<std::uintptr_t>(graph) % sizeof(int4) == 0) {
    const std::size_t lacking = solveWords<Tier>(gpu, Words{n, n, graph}, plan, stream);
    if (lacking != 0) noRoom(gpu, n, "panels", lacking);
    if (plan.symmetric) mirrorUpper(n, n, graph, stream);
  } else if (solveCopy<Tier>(gpu, n, graph, plan, true, stream) == Copied::kNoRoom) {
    noRoom(gpu, n,
           "a copy with aligned rows (none is needed where n is a multiple of 4 and the graph "
           "aligned to 16)",
           sizeof(int) * n * static_cast<std::size_t>(n));
  }
}

constexpr int kWideFrom = 2000;      // n from which tiles of 128 are faster
constexpr int kSymmetryFrom = 4000;  // n from which the chain leaves half of the work to be saved
constexpr int kSurveyFrom = 1700;    // n from which what a survey finds is worth its time

template <class Tier>
Outcome solveAny(int n, int* graph, const Options& options) {
  constexpr bool kIntegers = std::is_same_v<Tier, Int32>;
  Outcome outcome;
  outcome.tier = kIntegers ? ::Tier::kInt32 : ::Tier::kFloat32;
  if (options.tile != 0 && options.tile != 64 && options.tile != 128)
    throw Error(Exit::kUsage, "tiles have sides of 64 or 128");
  if (n <= 0) return outcome;
  const Gpu gpu;
  gpu.keepPool();
  const bool only16 = kIntegers && options.precision == Precision::k16;
  const bool try16 =
      only16 || (kIntegers && options.precision == Precision::kAuto && gpu.major >= 9);
  Survey survey{1, 0, 2 * kInf};
  const bool look = n >= kSurveyFrom || options.tile != 0 || only16;
  if (look) survey = lookAt(n, graph, Tier::kInfinity, try16, options.stream);

  Plan plan{};
  plan.tile = options.tile != 0 ? options.tile : n < kWideFrom ? 64 : 128;
  const bool halves = n >= kSymmetryFrom || options.tile != 0;
  plan.symmetric = options.symmetry && halves && !survey.asymmetric;
  plan.skip = options.skip && look && survey.missing;
  outcome.symmetric = plan.symmetric;
  outcome.skipped = plan.skip;
  const bool certified = survey.bound < Uint16::kTooFar;
  if (only16 || (try16 && certified)) {
    const Copied copied = solveCopy<Uint16>(gpu, n, graph, plan, certified, options.stream);
    if (copied == Copied::kNoRoom && only16)
      noRoom(gpu, n, "a 16-bit copy", 2 * static_cast<std::size_t>(n) * n);
    if (copied != Copied::kNoRoom) {
      outcome.tier = copied == Copied::kSolved ? ::Tier::kUint16 : ::Tier::kNone;
      return outcome;
    }
  }
  solve32<Tier>(gpu, n, graph, plan, options.stream);
  return outcome;
}

}  // namespace

Outcome solve(int n, int* graph, const Options& options) {
  return solveAny<Int32>(n, graph, options);
}

Outcome solve(int n, float* graph, const Options& options) {
  return solveAny<Float32>(n, reinterpret_cast<int*>(graph), options);
}

void apsp(int n, int* graph) {
  solve(n, graph, {});
}
