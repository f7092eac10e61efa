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
#include <numeric>
#include <vector>

#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "dense/workspace.h"
#include "filtered/filter.cuh"
#include "filtered/gather.h"

namespace {

using namespace relaxation;

constexpr float kLightPerLog = 3;    // light edges of a vertex, divided by ln n
constexpr int kChunksPerVertex = 9;  // for which there is memory, on the average
constexpr int kBuckets = 8;
constexpr int kSettleThreads = 1024, kTakeBlocks = 256;

/// Picoseconds a distance, measured on an H100. The decision depends on their ratios alone.
constexpr double kRelaxBase = 38, kRelaxPerChunk = 13;
constexpr double kDenseLeast = 158, kDensePerVertex = 0.0323;

/// What the kernels work with; offsets in bytes.
struct Layout {
  std::size_t survey, counts[2], solved,
      zeros;  ///< zeros: the bytes of these, which are zero at the start
  std::size_t light[2], lightChunks[2], hubs[2], mended[2], far, kept, least, keptChunks, farthest,
      bytes;
};

Layout layoutFor(int n) {
  const auto rows = static_cast<std::size_t>(n);
  dense::Layout layout;
  Layout at{};
  at.survey = layout.place(1, sizeof(Survey));
  for (std::size_t& counts : at.counts) counts = layout.place(rows, sizeof(int));
  at.solved = layout.place(rows, sizeof(Word));
  at.zeros = layout.bytes();
  for (std::size_t& arcs : at.light) arcs = layout.place(rows * kLightMost, sizeof(WideArc));
  for (std::size_t& chunks : at.lightChunks) chunks = layout.place(rows, sizeof(Chunks));
  for (std::size_t& side : at.hubs) side = layout.place(rows * kHubs, sizeof(Word));
  for (std::size_t& side : at.mended) side = layout.place(rows * kHubs, sizeof(Word));
  at.far = layout.place(2 * rows * kHubs, sizeof(Word));
  at.kept = layout.place(rows * kChunksPerVertex * kChunk, sizeof(WideArc));
  at.least = layout.place(rows * kChunksPerVertex, sizeof(Word));
  at.keptChunks = layout.place(rows, sizeof(Chunks));
  at.farthest = layout.place(rows, sizeof(Word));
  at.bytes = layout.bytes();
  return at;
}

/// Memory of the host that kernels write to, and events of the present device. A thread makes them
/// at its first call and keeps them, because that takes longer than a small solve.
class Messenger {
 public:
  Messenger() {
    CHECK_CUDA(cudaHostAlloc(&detours_, sizeof(Detours), cudaHostAllocDefault));
    CHECK_CUDA(cudaHostAlloc(&survey_, sizeof(Survey), cudaHostAllocDefault));
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
  Survey waitForSurvey(const Survey* device, cudaStream_t stream) const {
    CHECK_CUDA(cudaMemcpyAsync(survey_, device, sizeof *survey_, cudaMemcpyDefault, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    return *survey_;
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
  Survey* survey_ = nullptr;
  cudaEvent_t events_[4] = {};
};

/// Whether a survey may pay: in a random graph, detours are shorter than most edges.
template <class T>
bool isPromising(int n, const Rows& rows, const Messenger& messenger, cudaStream_t stream) {
  findDetours<T><<<1, kSampleThreads, 0, stream>>>(n, rows, messenger.prepareDetours());
  CHECK_CUDA(cudaGetLastError());
  const Detours found = messenger.waitForDetours(stream);
  return 2 * found.edges >= kSampledEdges && 2 * found.longer > found.edges;
}

/// The expected time of relaxing along so many chunks a vertex, divided by the dense solver's.
double costOf(int n, double chunks) {
  return (kRelaxBase + kRelaxPerChunk * chunks) / std::max(kDenseLeast, kDensePerVertex * n);
}

/// Whether a block's shared memory is enough for a place. nearest: as Effort::place.
template <SettlePlace kPlace>
bool fits(const Gpu& gpu, int n, std::optional<SettlePlace> nearest) {
  return SettleMemory<kPlace>::bytes(n) <= static_cast<std::size_t>(gpu.shared) &&
         kPlace >= nearest.value_or(SettlePlace::kNear);
}

template <class T>
class Filtered {
 public:
  Filtered(const Gpu& gpu, const Messenger& messenger, FilterTeam& team, int n, const Rows& rows,
           std::optional<SettlePlace> place, char* memory, cudaStream_t stream)
      : gpu_(gpu),
        messenger_(messenger),
        team_(team),
        n_(n),
        rows_(rows),
        near_(fits<SettlePlace::kNear>(gpu, n, place)),
        short_(fits<SettlePlace::kShort>(gpu, n, place)),
        stream_(stream) {
    const Layout at = layoutFor(n);
    survey_ = reinterpret_cast<Survey*>(memory + at.survey);
    solved_ = reinterpret_cast<Word*>(memory + at.solved);
    far_ = reinterpret_cast<Word*>(memory + at.far);
    for (int side = 0; side < 2; ++side) {
      light_.arcs[side] = reinterpret_cast<WideArc*>(memory + at.light[side]);
      light_.counts[side] = reinterpret_cast<int*>(memory + at.counts[side]);
      light_.chunks[side] = reinterpret_cast<Chunks*>(memory + at.lightChunks[side]);
      hubs_.sides[side] = reinterpret_cast<Word*>(memory + at.hubs[side]);
      mended_.sides[side] = reinterpret_cast<Word*>(memory + at.mended[side]);
    }
    kept_ = {reinterpret_cast<WideArc*>(memory + at.kept),
             reinterpret_cast<Word*>(memory + at.least), firstChunk(team.rank() + 1),
             reinterpret_cast<Chunks*>(memory + at.keptChunks),
             reinterpret_cast<Word*>(memory + at.farthest)};
    CHECK_CUDA(cudaMemsetAsync(memory, 0, at.zeros, stream));
  }

  std::optional<Outcome> run(const Effort& effort) {
    messenger_.record(0, stream_);
    findBounds(effort);
    messenger_.record(1, stream_);
    keepEdges();
    messenger_.record(2, stream_);
    const Survey survey = messenger_.waitForSurvey(survey_, stream_);
    // Each rank's chunks begin at a place of its own.
    const std::vector<double> chunks =
        team_.all(static_cast<double>(survey.chunks) - firstChunk(team_.rank()));
    const double all = std::accumulate(chunks.begin(), chunks.end(), 0.0);
    if (inVain(survey) || costOf(n_, all / n_) > effort.worthwhile) return std::nullopt;
    const double most = effort.steps * (all + n_);
    using Narrow = std::conditional_t<std::is_same_v<T, float>, WideArc, NarrowArc>;
    if (near_ && survey.narrow)
      relaxAll<Narrow, SettlePlace::kNear>(most, chunks);
    else if (near_)
      relaxAll<WideArc, SettlePlace::kNear>(most, chunks);
    else if (short_ && survey.narrow)
      relaxAll<WideArc, SettlePlace::kShort>(most, chunks);
    else
      relaxAll<WideArc, SettlePlace::kFar>(most, chunks);
    messenger_.record(3, stream_);
    return outcome(messenger_.waitForSurvey(survey_, stream_));
  }

 private:
  int blocks(int threads) const { return ceilDiv(n_, threads); }
  int rowBlocks(int threads) const { return ceilDiv(rows_.count, threads); }
  bool together() const { return team_.rows().size() > 1; }
  bool inVain(const Survey& survey) { return sumOfAll(team_, survey.vain != 0 ? 1 : 0) > 0; }
  /// The first chunk for the rows of a rank.
  Word firstChunk(int rank) const {
    const std::vector<Band>& rows = team_.rows();
    const int first = rank < static_cast<int>(rows.size()) ? rows[rank].first : n_;
    return static_cast<Word>(first) * kChunksPerVertex;
  }

  /// All ranks get the rows that each of them has of an array (n, bytes).
  void gather(void* array, std::size_t bytes) {
    const std::vector<Band>& rows = team_.rows();
    for (int rank = 0; rank < static_cast<int>(rows.size()) && together(); ++rank)
      team_.broadcast(static_cast<char*>(array) + rows[rank].first * bytes,
                      rows[rank].count * bytes, rank, stream_);
  }

  void findBounds(const Effort& effort) {
    constexpr int kThreads = 256, kWarps = kThreads / 32;
    const float light = kLightPerLog * std::log(static_cast<float>(n_)) / static_cast<float>(n_);
    const int most =
        effort.worthwhile < 1 ? static_cast<int>(4 * light * kSampledWeights) + 4 : kSampledWeights;
    if (team_.rank() == 0)
      chooseThreshold<T><<<1, kSampleThreads, 0, stream_>>>(n_, rows_, light, most, survey_);
    if (together()) team_.broadcast(survey_, sizeof *survey_, 0, stream_);
    collectLight<T><<<rowBlocks(kWarps), kThreads, 0, stream_>>>(n_, rows_, survey_, light_);
    gather(light_.counts[0], sizeof(int));
    gather(light_.arcs[0], kLightMost * sizeof(WideArc));
    if (together())
      enterOthers<<<blocks(kThreads / kLightMost), kThreads, 0, stream_>>>(n_, rows_, survey_,
                                                                           light_);
    padLight<T><<<dim3(blocks(kThreads), 2), kThreads, 0, stream_>>>(n_, light_);
    if (near_)
      settle<SettlePlace::kNear>(effort);
    else
      settle<SettlePlace::kFar>(effort);
    mendHubs<T><<<dim3(blocks(kMendTile), kMendParts, 2), 32 * kMendWarps, 0, stream_>>>(
        n_, rows_, survey_, hubs_, mended_);
    if (together()) takeLeastOfAll();
    findReach<<<std::min(blocks(kWarps), 4 * gpu_.processors), kThreads, 0, stream_>>>(n_, mended_,
                                                                                       survey_);
    CHECK_CUDA(cudaGetLastError());
  }

  template <SettlePlace kPlace>
  void settle(const Effort& effort) {
    const auto kernel = settleHubs<T, kPlace>;
    kernel<<<dim3(kHubs, 2), kSettleThreads, sharedBytes<kPlace>(kernel), stream_>>>(
        n_, light_, mostHubSteps(effort), survey_, hubs_, mended_, far_);
  }

  /// Every rank looked at its own rows: the least walks to and from the hubs.
  void takeLeastOfAll() {
    const std::size_t words = static_cast<std::size_t>(n_) * kHubs;
    for (int rank = 0; rank < static_cast<int>(team_.rows().size()); ++rank)
      for (int side = 0; side < 2; ++side) {
        // What was found before mending is needed no longer.
        const bool mine = rank == team_.rank();
        Word* const found = mine ? mended_.sides[side] : hubs_.sides[side];
        team_.broadcast(found, words * sizeof(Word), rank, stream_);
        if (!mine)
          takeLeast<<<kTakeBlocks, kSettleThreads, 0, stream_>>>(words, mended_.sides[side], found);
      }
  }

  /// Random graphs take about as many steps as there are light chunks.
  Word mostHubSteps(const Effort& effort) const {
    const Word some = 32 * static_cast<Word>(n_);
    return effort.worthwhile <= 1 ? some : ~Word{0};
  }

  void keepEdges() {
    const float slack = 1 + 2 * static_cast<float>(n_) * std::numeric_limits<float>::epsilon();
    const Word first = firstChunk(team_.rank());
    if (first != 0)
      CHECK_CUDA(
          cudaMemcpyAsync(&survey_->chunks, &first, sizeof first, cudaMemcpyDefault, stream_));
    filterRows<T>
        <<<rowBlocks(kFilterWarps), 32 * kFilterWarps, kFilterWarps * sizeof(RowMemory), stream_>>>(
            n_, rows_, mended_, slack, near_, kept_, survey_);
    CHECK_CUDA(cudaGetLastError());
  }

  /// chunks: of each rank.
  template <class Arc, SettlePlace kPlace>
  void relaxAll(double most, const std::vector<double>& chunks) {
    const Kept<Arc> kept{reinterpret_cast<Arc*>(kept_.arcs), kept_.least, kept_.end, kept_.chunks,
                         kept_.farthest};
    gather(kept.chunks, sizeof *kept.chunks);
    for (int rank = 0; rank < static_cast<int>(chunks.size()) && together(); ++rank) {
      const std::size_t first = firstChunk(rank), count = static_cast<std::size_t>(chunks[rank]);
      team_.broadcast(kept.arcs + first * kChunk, count * kChunk * sizeof(Arc), rank, stream_);
      team_.broadcast(kept.least + first, count * sizeof(Word), rank, stream_);
    }
    const auto kernel = relaxSources<T, Arc, kPlace>;
    const int shared = sharedBytes<kPlace>(kernel);
    const int resident = std::max(1, gpu_.shared / shared);
    const int threads =
        std::clamp((kResidentThreads / resident + 64) / 128 * 128, 128, kRelaxThreads);
    kernel<<<rows_.count, threads, shared, stream_>>>(
        n_, rows_, kept, kBuckets, static_cast<Word>(std::min(most, 4e9)), solved_, survey_);
    CHECK_CUDA(cudaGetLastError());
  }

  /// Bytes of shared memory of a block of a kernel that settles.
  template <SettlePlace kPlace, class Kernel>
  int sharedBytes(Kernel* kernel) const {
    const std::size_t bytes = SettleMemory<kPlace>::bytes(n_);
    CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
    return static_cast<int>(bytes);
  }

  std::optional<Outcome> outcome(const Survey& survey) {
    if (inVain(survey)) return std::nullopt;
    Outcome outcome;
    outcome.method = Method::kFiltered;
    outcome.tier = std::is_same_v<T, float> ? Tier::kFloat32 : Tier::kInt32;
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
  const Rows rows_;
  const bool near_, short_;
  const cudaStream_t stream_;
  Survey* survey_;
  Word* solved_;
  Word* far_;
  LightEdges light_;
  HubDistances hubs_, mended_;
  Kept<WideArc> kept_;
};

/// Filters and relaxes. rows: the band of this rank, or all rows if there is one GPU.
std::optional<Outcome> solve(int n, const Rows& rows, Dtype dtype, const Effort& effort,
                             FilterTeam& team, cudaStream_t stream) {
  if (n < effort.vertices) return std::nullopt;
  for (const Band& band : team.rows())
    if (band.count == 0) return std::nullopt;
  const Gpu gpu;
  // Before Volta, the threads of a warp do not come together again as settle.cuh expects.
  if (gpu.major < 7) return std::nullopt;
  if (!fits<SettlePlace::kFar>(gpu, n, {})) return std::nullopt;
  static thread_local const Messenger messenger;
  const auto solveAs = [&](auto weight) -> std::optional<Outcome> {
    using T = decltype(weight);
    if (effort.worthwhile < 1) {
      // Rank 0 decides.
      const bool promising = team.rank() != 0 || isPromising<T>(n, rows, messenger, stream);
      if (team.all(promising ? 1 : 0)[0] == 0) return std::nullopt;
    }
    const DeviceBuffer memory(layoutFor(n).bytes, stream);
    if (sumOfAll(team, memory ? 0 : 1) > 0) return std::nullopt;
    return Filtered<T>(gpu, messenger, team, n, rows, effort.place, memory.at<char>(0), stream)
        .run(effort);
  };
  return dtype == Dtype::kInt32 ? solveAs(int{}) : solveAs(float{});
}

}  // namespace

std::optional<Outcome> solveFilteredOnGpu(int n, int* words, Dtype dtype, const Effort& effort,
                                          CUstream_st* stream) {
  Alone alone(n);
  const Rows rows{reinterpret_cast<Word*>(words), static_cast<std::size_t>(n), 0, n};
  return solve(n, rows, dtype, effort, alone, stream);
}

std::optional<Outcome> solveFilteredOnGpus(int n, int* words, std::size_t stride, Dtype dtype,
                                           const Effort& effort, FilterTeam& team) {
  const Band band = team.rows()[static_cast<std::size_t>(team.rank())];
  const Rows rows{reinterpret_cast<Word*>(words), stride, band.first, band.count};
  return solve(n, rows, dtype, effort, team, nullptr);
}

std::size_t filteredGpuBytes(int n) {
  return n < kWhateverItTakes.vertices ? 0 : layoutFor(n).bytes;
}
