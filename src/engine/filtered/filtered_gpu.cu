// Launches the kernels of filter.cuh, and settle.cuh for each source.
//
// The host waits three times: for the detours, because most graphs with which filtering does not
// pay are known then; for the number of kept edges, from which it estimates the time; and for the
// end, because a relaxation that takes too long gives up. Rows that were solved by then hold
// distances, the others weights. Such a matrix has the same closure: the dense solver takes over.
//
// Several GPUs divide the rows. Each collects the light edges of its rows, keeps the edges of its
// rows, and relaxes for its rows as sources. In between, all get what the others found:
//
//     rank 0   threshold ─► light edges ─► hubs ─► mend ─► least ─► filter ─► kept edges ─► relax
//                      └──┐     ⇅ all               │       ⇅ all              ⇅ all
//     rank 1              └► light edges ─► hubs ─► mend ─► least ─► filter ─► kept edges ─► relax
//
// All ranks settle all hubs: sending them would not be faster.
#include "filtered/filtered_gpu.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/size.h"
#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "dense/workspace.h"
#include "filtered/filter.cuh"
#include "filtered/gather.h"

namespace engine {

namespace {

using namespace relaxation;

constexpr float kLightPerLog = 3;    // light edges of a vertex, divided by ln n
constexpr int kChunksPerVertex = 9;  // for which there is memory, on the average
/// Buckets that the distances of a source are divided into. An exchange of 64 bits costs more than
/// a phase with little to do, so there are more then.
template <class Arc>
constexpr int kBuckets = std::is_same_v<Arc, LongArc> ? 20 : 8;
constexpr int kTakeBlocks = 256;
constexpr double kHubSteps = 84;  // of a hub, divided by n

/// Picoseconds a distance, measured on an H100. The decision depends on their ratios alone.
constexpr double kRelaxBase = 38, kRelaxPerChunk = 13;
constexpr double kDenseLeast = 158, kDensePerVertex = 0.0323;
/// By how much 64 bits slow down the dense solver more than relaxing, measured at n = 10 000: 6.7
/// and 3.8 times for float64. int64 relaxes faster, often in 32 bits.
template <class T>
constexpr double kDenseLong = std::is_same_v<T, double> ? 1.7 : 3;
/// Of a step of a source, divided by n (Settled::steps).
constexpr double kRelaxPerStep = 12.5;

/// Where arcs are. Of LongArcs, `arcs` are the weights; the others have no heads apart.
struct ArcsLayout {
  std::size_t arcs, heads;
};

/// What the kernels work with; offsets in bytes.
struct Layout {
  std::size_t survey, counts[2], solved,
      zeros;  ///< zeros: the bytes of these, which are zero at the start
  ArcsLayout light[2], kept;
  std::size_t lightChunks[2], hubs[2], mended[2], far, least, keptChunks, farthest, bytes;
};

template <class T>
Layout layoutFor(int n) {
  constexpr std::size_t kHeadBytes = isWide(kDtype<T>) ? sizeof(Word) : 0;
  const auto rows = asSize(n);
  dense::Layout layout;
  const auto placeArcs = [&](std::size_t count) -> ArcsLayout {
    const std::size_t arcs = layout.place(count, sizeof(WideArc));  // or weights of 64 bits
    return {arcs, layout.place(count, kHeadBytes)};
  };
  Layout at{};
  at.survey = layout.place(1, sizeof(Survey<T>));
  for (std::size_t& counts : at.counts) counts = layout.place(rows, sizeof(int));
  at.solved = layout.place(rows, sizeof(Word));
  at.zeros = layout.bytes();
  for (ArcsLayout& arcs : at.light) arcs = placeArcs(rows * kLightMost);
  for (std::size_t& chunks : at.lightChunks) chunks = layout.place(rows, sizeof(Chunks));
  for (std::size_t& side : at.hubs) side = layout.place(rows * kHubs, sizeof(T));
  for (std::size_t& side : at.mended) side = layout.place(rows * kHubs, sizeof(T));
  at.far = layout.place(2 * rows * kHubs, sizeof(T));
  at.kept = placeArcs(rows * kChunksPerVertex * kChunk);
  at.least = layout.place(rows * kChunksPerVertex, sizeof(T));
  at.keptChunks = layout.place(rows, sizeof(Chunks));
  at.farthest = layout.place(rows, sizeof(T));
  at.bytes = layout.bytes();
  return at;
}

/// The arcs there that hold every weight of type T.
template <class T>
ArcsAt<WholeArc<T>> arcsAt(const ArcsLayout& at, char* memory) {
  if constexpr (isWide(kDtype<T>))
    return {reinterpret_cast<Word*>(memory + at.heads),
            reinterpret_cast<LongWord*>(memory + at.arcs)};
  else
    return reinterpret_cast<WideArc*>(memory + at.arcs);
}

/// The memory of arcs that hold every weight, for arcs that filterRows() has written there.
template <class Arc>
Arc* arcsIn(WideArc* arcs) {
  return reinterpret_cast<Arc*>(arcs);
}
template <class Arc>
ArcsAt<Arc> arcsIn(const LongArcs& arcs) {
  if constexpr (std::is_same_v<Arc, LongArc>)
    return arcs;
  else if constexpr (std::is_same_v<Arc, WideArc>)
    return arcs.weights;
  else
    return arcs.heads;
}

/// Memory of the host that kernels write to, and events of the present GPU. A thread makes them at
/// its first call and keeps them, because that takes longer than a small solve.
class Messenger {
 public:
  Messenger() {
    CHECK_CUDA(cudaHostAlloc(&detours_, sizeof(Detours), cudaHostAllocDefault));
    CHECK_CUDA(cudaHostAlloc(&survey_, sizeof(Survey<std::int64_t>), cudaHostAllocDefault));
    for (cudaEvent_t& event : events_) CHECK_CUDA(cudaEventCreate(&event));
  }
  /// Where findDetours() may write.
  Detours* prepareDetours() const {
    detours_->ready = 0;
    return detours_;
  }
  /// What it wrote, as soon as it has. This does not wait for the end of the kernel.
  Detours waitForDetours(cudaStream_t stream) const {
    while (__atomic_load_n(&detours_->ready, __ATOMIC_ACQUIRE) == 0) {
      const cudaError_t status = cudaStreamQuery(stream);
      if (status != cudaErrorNotReady) CHECK_CUDA(status);
    }
    return *detours_;
  }
  /// The survey, when all work before this call is done.
  template <class T>
  Survey<T> waitForSurvey(const Survey<T>* device, cudaStream_t stream) const {
    CHECK_CUDA(cudaMemcpyAsync(survey_, device, sizeof *device, cudaMemcpyDefault, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    return *static_cast<const Survey<T>*>(survey_);
  }

  void record(int event, cudaStream_t stream) const {
    CHECK_CUDA(cudaEventRecord(events_[event], stream));
  }
  double milliseconds(int from, int to) const {
    float ms = 0;
    CHECK_CUDA(cudaEventElapsedTime(&ms, events_[from], events_[to]));
    return ms;
  }

 private:
  Detours* detours_ = nullptr;
  void* survey_ = nullptr;  // room for that of any type
  cudaEvent_t events_[4] = {};
};

/// That of the present GPU.
const Messenger& messengerOfThread() {
  static thread_local std::map<int, Messenger> all;
  int gpu = 0;
  CHECK_CUDA(cudaGetDevice(&gpu));
  return all[gpu];
}

/// Whether a survey may pay: in a random graph, detours are shorter than most edges. If edges lead
/// one way only, few walks lead by the hubs, so their bounds are weak.
template <class T>
bool isPromising(int n, const Rows<T>& rows, const Messenger& messenger, cudaStream_t stream) {
  findDetours<T><<<1, kSampleThreads, 0, stream>>>(n, rows, messenger.prepareDetours());
  CHECK_CUDA(cudaGetLastError());
  const Detours found = messenger.waitForDetours(stream);
  return 2 * found.edges >= kSampledEdges && 3 * found.longer > found.edges &&
         8 * found.bothWays > found.edges;
}

/// Of the dense solver.
template <class T>
double denseCost(int n) {
  return std::max(kDenseLeast, kDensePerVertex * n) * (isWide(kDtype<T>) ? kDenseLong<T> : 1);
}

/// The expected time of relaxing along so many chunks a vertex, divided by the dense solver's.
template <class T>
double costOf(int n, double chunks) {
  return (kRelaxBase + kRelaxPerChunk * chunks) / denseCost<T>(n);
}

/// The steps of a source, on the average, with which relaxing takes as long as the dense solver.
template <class T>
double stepsOfDense(int n) {
  return denseCost<T>(n) / kRelaxPerStep * n;
}

/// Whether a block's shared memory is enough for distances of type T in a place. nearest: as
/// Effort::place.
template <class T, SettlePlace kPlace>
bool fits(const Gpu& gpu, int n, std::optional<SettlePlace> nearest) {
  return SettleMemory<T, kPlace>::bytes(n) <= asSize(gpu.shared) &&
         kPlace >= nearest.value_or(SettlePlace::kShared);
}

template <class T>
class Filtered {
 public:
  Filtered(const Gpu& gpu, const Messenger& messenger, FilterTeam& team, int n, const Rows<T>& rows,
           std::optional<SettlePlace> place, char* memory, cudaStream_t stream)
      : gpu_(gpu),
        messenger_(messenger),
        team_(team),
        n_(n),
        rows_(rows),
        near_(fits<T, SettlePlace::kShared>(gpu, n, place)),
        nearWords_(fits<int, SettlePlace::kShared>(gpu, n, place)),
        short_(fits<int, SettlePlace::kShared16>(gpu, n, place)),
        stream_(stream) {
    const Layout at = layoutFor<T>(n);
    survey_ = reinterpret_cast<Survey<T>*>(memory + at.survey);
    solved_ = reinterpret_cast<Word*>(memory + at.solved);
    far_ = reinterpret_cast<Bits<T>*>(memory + at.far);
    for (int side = 0; side < 2; ++side) {
      light_.arcs[side] = arcsAt<T>(at.light[side], memory);
      light_.counts[side] = reinterpret_cast<int*>(memory + at.counts[side]);
      light_.chunks[side] = reinterpret_cast<Chunks*>(memory + at.lightChunks[side]);
      hubs_.sides[side] = reinterpret_cast<Bits<T>*>(memory + at.hubs[side]);
      mended_.sides[side] = reinterpret_cast<Bits<T>*>(memory + at.mended[side]);
    }
    kept_ = {arcsAt<T>(at.kept, memory), reinterpret_cast<Bits<T>*>(memory + at.least),
             firstChunk(team.rank() + 1), reinterpret_cast<Chunks*>(memory + at.keptChunks),
             reinterpret_cast<Bits<T>*>(memory + at.farthest)};
    CHECK_CUDA(cudaMemsetAsync(memory, 0, at.zeros, stream));
  }

  std::optional<Outcome> run(const Effort& effort) {
    messenger_.record(0, stream_);
    findBounds(effort);
    messenger_.record(1, stream_);
    keepEdges();
    messenger_.record(2, stream_);
    const Survey<T> survey = messenger_.waitForSurvey(survey_, stream_);
    // Each rank's chunks begin at a place of its own.
    const std::vector<double> chunks =
        team_.all(static_cast<double>(survey.chunks) - firstChunk(team_.rank()));
    const double all = std::accumulate(chunks.begin(), chunks.end(), 0.0);
    if (inVain(survey) || costOf<T>(n_, all / n_) > effort.worthwhile) return std::nullopt;
    relax(survey, mostMeanSteps(effort), chunks);
    messenger_.record(3, stream_);
    return outcome(messenger_.waitForSurvey(survey_, stream_));
  }

 private:
  int blocks(int threads) const { return ceilDiv(n_, threads); }
  int rowBlocks(int threads) const { return ceilDiv(rows_.count, threads); }
  bool together() const { return team_.rows().size() > 1; }
  bool inVain(const Survey<T>& survey) { return sumOfAll(team_, survey.vain != 0 ? 1 : 0) > 0; }
  /// The first chunk for the rows of a rank.
  Word firstChunk(int rank) const {
    const std::vector<Band>& rows = team_.rows();
    const int first = rank < static_cast<int>(rows.size()) ? rows[rank].first : n_;
    return static_cast<Word>(first) * kChunksPerVertex;
  }

  /// All ranks get what a rank has of an array.
  template <class Element>
  void broadcast(Element* array, std::size_t count, int rank) {
    team_.broadcast(array, count * sizeof *array, rank, stream_);
  }
  void broadcast(const LongArcs& arcs, std::size_t count, int rank) {
    broadcast(arcs.heads, count, rank);
    broadcast(arcs.weights, count, rank);
  }

  /// All ranks get the rows that each of them has of an array (n, columns).
  template <class Array>
  void gather(const Array& array, std::size_t columns) {
    const std::vector<Band>& rows = team_.rows();
    for (int rank = 0; rank < static_cast<int>(rows.size()) && together(); ++rank)
      broadcast(array + rows[rank].first * columns, rows[rank].count * columns, rank);
  }

  void findBounds(const Effort& effort) {
    constexpr int kThreads = 256, kWarps = kThreads / 32;
    const float light = kLightPerLog * std::log(static_cast<float>(n_)) / static_cast<float>(n_);
    const int most =
        effort.worthwhile < 1 ? static_cast<int>(4 * light * kSampledWeights) + 4 : kSampledWeights;
    if (team_.rank() == 0)
      chooseThreshold<T><<<1, kSampleThreads, 0, stream_>>>(n_, rows_, light, most, survey_);
    if (together()) broadcast(survey_, 1, 0);
    collectLight<T><<<rowBlocks(kWarps), kThreads, 0, stream_>>>(n_, rows_, survey_, light_);
    gather(light_.counts[0], 1);
    gather(light_.arcs[0], kLightMost);
    if (together())
      enterOthers<T>
          <<<blocks(kThreads / kLightMost), kThreads, 0, stream_>>>(n_, rows_, survey_, light_);
    padLight<T><<<dim3(blocks(kThreads), 2), kThreads, 0, stream_>>>(n_, light_);
    if (near_)
      settle<SettlePlace::kShared>(effort);
    else
      settle<SettlePlace::kGlobal>(effort);
    mendHubs<T><<<dim3(blocks(kMendTile), kMendParts, 2), 32 * kMendWarps<T>, 0, stream_>>>(
        n_, rows_, survey_, hubs_, mended_);
    if (together()) takeLeastOfAll();
    findReach<T><<<std::min(blocks(kWarps), 4 * gpu_.processors), kThreads, 0, stream_>>>(
        n_, mended_, survey_);
    CHECK_CUDA(cudaGetLastError());
  }

  template <SettlePlace kPlace>
  void settle(const Effort& effort) {
    const auto kernel = settleHubs<T, kPlace>;
    kernel<<<dim3(kHubs, 2), kSettleThreads, sharedBytes<T, kPlace>(kernel), stream_>>>(
        n_, light_, mostHubSteps(effort), survey_, hubs_, mended_, far_);
  }

  /// Every rank looked at its own rows: the least walks to and from the hubs.
  void takeLeastOfAll() {
    const std::size_t words = asSize(n_) * kHubs;
    for (int rank = 0; rank < static_cast<int>(team_.rows().size()); ++rank)
      for (int side = 0; side < 2; ++side) {
        // What was found before mending is needed no longer.
        const bool mine = rank == team_.rank();
        Bits<T>* const found = mine ? mended_.sides[side] : hubs_.sides[side];
        broadcast(found, words, rank);
        if (!mine)
          takeLeast<Bits<T>>
              <<<kTakeBlocks, kSettleThreads, 0, stream_>>>(words, mended_.sides[side], found);
      }
  }

  /// Of sources, on the average.
  double mostMeanSteps(const Effort& effort) const {
    return effort.worthwhile <= 1 ? stepsOfDense<T>(n_) : 1e300;
  }

  /// Few graphs take more with which filtering pays. A hub has a larger block than a source, so a
  /// phase counts more steps.
  Word mostHubSteps(const Effort& effort) const {
    if (effort.worthwhile > 1) return ~Word{0};
    return static_cast<Word>(std::min({kHubSteps * n_, 6 * stepsOfDense<T>(n_), 4e9}));
  }

  void keepEdges() {
    using Real = Slack<T>;
    const Real slack = 1 + 2 * static_cast<Real>(n_) * std::numeric_limits<Real>::epsilon();
    const Word first = firstChunk(team_.rank());
    if (first != 0)
      CHECK_CUDA(
          cudaMemcpyAsync(&survey_->chunks, &first, sizeof first, cudaMemcpyDefault, stream_));
    constexpr int kWarps = kFilterWarps<T>;
    filterRows<T><<<rowBlocks(kWarps), 32 * kWarps, kWarps * sizeof(RowMemory<T>), stream_>>>(
        n_, rows_, mended_, slack, nearWords_, short_, kept_, survey_);
    CHECK_CUDA(cudaGetLastError());
  }

  /// Along arcs of the kind that filterRows() has written.
  void relax(const Survey<T>& survey, double mean, const std::vector<double>& chunks) {
    if constexpr (!kIsReal<T>) {
      if (nearWords_ && survey.fits16)
        return relaxAll<NarrowArc, SettlePlace::kShared>(mean, chunks);
      if (nearWords_ && survey.fits32) return relaxAll<WideArc, SettlePlace::kShared>(mean, chunks);
      if (short_ && survey.fits16) return relaxAll<WideArc, SettlePlace::kShared16>(mean, chunks);
    }
    if (near_)
      relaxAll<WholeArc<T>, SettlePlace::kShared>(mean, chunks);
    else
      relaxAll<WholeArc<T>, SettlePlace::kGlobal>(mean, chunks);
  }

  /// mean: steps of a source, at the most; chunks: of each rank.
  template <class Arc, SettlePlace kPlace>
  void relaxAll(double mean, const std::vector<double>& chunks) {
    const Kept<T, Arc> kept{arcsIn<Arc>(kept_.arcs), reinterpret_cast<WeightIn<Arc>*>(kept_.least),
                            kept_.end, kept_.chunks, kept_.farthest};
    gather(kept.chunks, 1);
    for (int rank = 0; rank < static_cast<int>(chunks.size()) && together(); ++rank) {
      const std::size_t first = firstChunk(rank), count = asSize(chunks[rank]);
      broadcast(kept.arcs + first * kChunk, count * kChunk, rank);
      broadcast(kept.least + first, count, rank);
    }
    const auto kernel = relaxSources<T, Arc, kPlace>;
    const int shared = sharedBytes<SettledAs<T, Arc>, kPlace>(kernel);
    const int resident = std::max(1, gpu_.shared / shared);
    const int threads =
        std::clamp((kResidentThreads<Arc> / resident + 64) / 128 * 128, 128, kRelaxThreads<Arc>);
    const double most = 2 * mean;
    kernel<<<rows_.count, threads, shared, stream_>>>(
        n_, rows_, kept, kBuckets<Arc>, static_cast<Word>(std::min(most, 4e9)), mean, solved_,
        survey_);
    CHECK_CUDA(cudaGetLastError());
  }

  /// Bytes of shared memory of a block of a kernel that settles distances of that type.
  template <class Distance, SettlePlace kPlace, class Kernel>
  int sharedBytes(Kernel* kernel) const {
    const std::size_t bytes = SettleMemory<Distance, kPlace>::bytes(n_);
    CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
    return static_cast<int>(bytes);
  }

  std::optional<Outcome> outcome(const Survey<T>& survey) {
    if (inVain(survey)) return std::nullopt;
    Outcome outcome;
    outcome.method = Method::kFiltered;
    outcome.tier = tierOf(kDtype<T>);
    Filtering& done = outcome.filtering;
    done.kept = sumOfAll(team_, survey.kept) / n_;
    done.passes = sumOfAll(team_, static_cast<double>(survey.looks)) / n_ / n_;
    done.survey = messenger_.milliseconds(0, 1);
    done.filter = messenger_.milliseconds(1, 2);
    done.relax = messenger_.milliseconds(2, 3);
    return outcome;
  }

  const Gpu& gpu_;
  const Messenger& messenger_;
  FilterTeam& team_;
  const int n_;
  const Rows<T> rows_;
  const bool near_, nearWords_, short_;  // whether T, words of 32 bits and of 16 have room
  const cudaStream_t stream_;
  Survey<T>* survey_;
  Word* solved_;
  Bits<T>* far_;
  LightEdges<T> light_;
  HubDistances<T> hubs_, mended_;
  Kept<T> kept_;
};

/// Filters and relaxes. matrix: the band of this rank, rows `stride` elements apart, or all rows if
/// there is one GPU.
template <class T>
std::optional<Outcome> solve(int n, T* matrix, std::size_t stride, const Effort& effort,
                             FilterTeam& team, cudaStream_t stream) {
  if (n < effort.vertices) return std::nullopt;
  for (const Band& band : team.rows())
    if (band.count == 0) return std::nullopt;
  const Gpu gpu;
  // Before Volta, the threads of a warp do not come together again as settle.cuh expects.
  if (gpu.major < 7) return std::nullopt;
  if (!fits<T, SettlePlace::kGlobal>(gpu, n, {})) return std::nullopt;
  const Messenger& messenger = messengerOfThread();
  const Band band = team.rows()[asSize(team.rank())];
  const Rows<T> rows{reinterpret_cast<Bits<T>*>(matrix), stride, band.first, band.count};
  if (effort.worthwhile < 1) {
    // Rank 0 decides.
    const bool promising = team.rank() != 0 || isPromising<T>(n, rows, messenger, stream);
    if (team.all(promising ? 1 : 0)[0] == 0) return std::nullopt;
  }
  const DeviceBuffer memory(layoutFor<T>(n).bytes, stream);
  if (sumOfAll(team, memory ? 0 : 1) > 0) return std::nullopt;
  return Filtered<T>(gpu, messenger, team, n, rows, effort.place, memory.at<char>(0), stream)
      .run(effort);
}

}  // namespace

std::optional<Outcome> solveFilteredOnGpu(int n, Elements matrix, const Effort& effort,
                                          CUstream_st* stream) {
  Alone alone(n);
  return withElements(
      matrix, [&](auto* weights) { return solve(n, weights, asSize(n), effort, alone, stream); });
}

std::optional<Outcome> solveFilteredOnGpus(int n, Elements matrix, std::size_t stride,
                                           const Effort& effort, FilterTeam& team) {
  return withElements(
      matrix, [&](auto* weights) { return solve(n, weights, stride, effort, team, nullptr); });
}

std::size_t filteredGpuBytes(int n, Dtype dtype) {
  if (n < kWhateverItTakes.vertices) return 0;
  return withType(dtype, [&](auto zero) { return layoutFor<decltype(zero)>(n).bytes; });
}

}  // namespace engine
