// Launches the kernels of filter.cuh, and settle.cuh for each source.
//
// The host waits three times: for the detours, because most graphs with which filtering does not
// pay are known then; for the number of kept edges, from which it estimates the time; and for the
// end, because a relaxation that takes too long gives up. Rows that were solved by then hold
// distances, the others weights. Such a matrix has the same closure: the dense solver takes over.
#include "solvers/relaxation/filtered_gpu.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "solvers/dense/workspace.h"
#include "solvers/relaxation/filter.cuh"

namespace {

using namespace relaxation;

constexpr float kLightPerLog = 3;    // light edges of a vertex, divided by ln n
constexpr int kChunksPerVertex = 9;  // for which there is memory, on the average
constexpr int kBuckets = 8;

/// Picoseconds a distance, measured on an H100. The decision depends on their ratios alone.
constexpr double kRelaxBase = 38, kRelaxPerChunk = 13;
constexpr double kDenseLeast = 158, kDensePerVertex = 0.0323;

/// What the kernels work with; offsets in bytes.
struct Layout {
  std::size_t survey, counts[2], solved,
      zeros;  ///< zeros: the bytes of these, which are zero at the start
  std::size_t light[2], lightChunks[2], hubs[2], mended[2], kept, least, keptChunks, farthest,
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
bool isPromising(int n, const Word* words, const Messenger& messenger, cudaStream_t stream) {
  findDetours<T><<<1, kSampleThreads, 0, stream>>>(n, words, messenger.prepareDetours());
  CHECK_CUDA(cudaGetLastError());
  const Detours found = messenger.waitForDetours(stream);
  return 2 * found.edges >= kSampledEdges && 2 * found.longer > found.edges;
}

/// The expected time of relaxing along so many chunks a vertex, divided by the dense solver's.
double costOf(int n, double chunks) {
  return (kRelaxBase + kRelaxPerChunk * chunks) / std::max(kDenseLeast, kDensePerVertex * n);
}

template <class T>
class Filtered {
 public:
  Filtered(const Gpu& gpu, const Messenger& messenger, int n, Word* words, char* memory,
           cudaStream_t stream)
      : gpu_(gpu), messenger_(messenger), n_(n), words_(words), stream_(stream) {
    const Layout at = layoutFor(n);
    survey_ = reinterpret_cast<Survey*>(memory + at.survey);
    solved_ = reinterpret_cast<Word*>(memory + at.solved);
    for (int side = 0; side < 2; ++side) {
      light_.arcs[side] = reinterpret_cast<WideArc*>(memory + at.light[side]);
      light_.counts[side] = reinterpret_cast<int*>(memory + at.counts[side]);
      light_.chunks[side] = reinterpret_cast<Chunks*>(memory + at.lightChunks[side]);
      hubs_.sides[side] = reinterpret_cast<Word*>(memory + at.hubs[side]);
      mended_.sides[side] = reinterpret_cast<Word*>(memory + at.mended[side]);
    }
    kept_ = {reinterpret_cast<WideArc*>(memory + at.kept),
             reinterpret_cast<Word*>(memory + at.least), static_cast<Word>(n) * kChunksPerVertex,
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
    const double chunks = static_cast<double>(survey.chunks) / n_;
    if (survey.vain || costOf(n_, chunks) > effort.worthwhile) return std::nullopt;
    const double most = effort.steps * (survey.chunks + n_);
    using Narrow = std::conditional_t<std::is_same_v<T, float>, WideArc, NarrowArc>;
    if (survey.narrow)
      relaxAll<Narrow>(most);
    else
      relaxAll<WideArc>(most);
    messenger_.record(3, stream_);
    return outcome(messenger_.waitForSurvey(survey_, stream_));
  }

 private:
  int blocks(int threads) const { return ceilDiv(n_, threads); }

  void findBounds(const Effort& effort) {
    constexpr int kThreads = 256, kWarps = kThreads / 32;
    const float light = kLightPerLog * std::log(static_cast<float>(n_)) / static_cast<float>(n_);
    const int most =
        effort.worthwhile < 1 ? static_cast<int>(4 * light * kSampledWeights) + 4 : kSampledWeights;
    chooseThreshold<T><<<1, kSampleThreads, 0, stream_>>>(n_, words_, light, most, survey_);
    collectLight<T><<<blocks(kWarps), kThreads, 0, stream_>>>(n_, words_, survey_, light_);
    padLight<T><<<dim3(blocks(kThreads), 2), kThreads, 0, stream_>>>(n_, light_);
    settleHubs<T><<<dim3(kHubs, 2), 4 * kThreads, sharedBytes(settleHubs<T>), stream_>>>(
        n_, light_, mostHubSteps(effort), survey_, hubs_, mended_);
    mendHubs<T><<<dim3(blocks(kMendTile), kMendParts, 2), 32 * kMendWarps, 0, stream_>>>(
        n_, words_, survey_, hubs_, mended_);
    findReach<<<std::min(blocks(kWarps), 4 * gpu_.processors), kThreads, 0, stream_>>>(n_, mended_,
                                                                                       survey_);
    CHECK_CUDA(cudaGetLastError());
  }

  /// Random graphs take about as many steps as there are light chunks.
  Word mostHubSteps(const Effort& effort) const {
    const Word some = 32 * static_cast<Word>(n_);
    return effort.worthwhile < 1 ? some : ~Word{0};
  }

  void keepEdges() {
    const float slack = 1 + 2 * static_cast<float>(n_) * std::numeric_limits<float>::epsilon();
    filterRows<T>
        <<<blocks(kFilterWarps), 32 * kFilterWarps, kFilterWarps * sizeof(RowMemory), stream_>>>(
            n_, words_, mended_, slack, kept_, survey_);
    CHECK_CUDA(cudaGetLastError());
  }

  template <class Arc>
  void relaxAll(double most) {
    const Kept<Arc> kept{reinterpret_cast<Arc*>(kept_.arcs), kept_.least, kept_.places,
                         kept_.chunks, kept_.farthest};
    const int shared = sharedBytes(relaxSources<T, Arc>);
    const int resident = std::max(1, gpu_.shared / shared);
    const int threads =
        std::clamp((kResidentThreads / resident + 64) / 128 * 128, 128, kRelaxThreads);
    relaxSources<T, Arc><<<n_, threads, shared, stream_>>>(
        n_, words_, kept, kBuckets, static_cast<Word>(std::min(most, 4e9)), solved_, survey_);
    CHECK_CUDA(cudaGetLastError());
  }

  /// Bytes of shared memory of a block of a kernel that settles.
  template <class Kernel>
  int sharedBytes(Kernel* kernel) const {
    const int bytes = static_cast<int>(SettleMemory::bytes(n_));
    CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return bytes;
  }

  std::optional<Outcome> outcome(const Survey& survey) const {
    if (survey.vain) return std::nullopt;
    Outcome outcome;
    outcome.method = Method::kFiltered;
    outcome.tier = std::is_same_v<T, float> ? Tier::kFloat32 : Tier::kInt32;
    Filtering& done = outcome.filtering;
    done.kept = static_cast<double>(survey.kept) / n_;
    done.passes = static_cast<double>(survey.looks) / n_ / n_;
    done.survey = messenger_.milliseconds(0, 1);
    done.filter = messenger_.milliseconds(1, 2);
    done.relax = messenger_.milliseconds(2, 3);
    return outcome;
  }

  const Gpu& gpu_;
  const Messenger& messenger_;
  const int n_;
  Word* const words_;
  const cudaStream_t stream_;
  Survey* survey_;
  Word* solved_;
  LightEdges light_;
  HubDistances hubs_, mended_;
  Kept<WideArc> kept_;
};

}  // namespace

std::optional<Outcome> solveFilteredOnGpu(int n, int* words, Dtype dtype, const Effort& effort,
                                          CUstream_st* stream) {
  if (n < effort.vertices) return std::nullopt;
  const Gpu gpu;
  // Before Volta, the threads of a warp do not come together again as settle.cuh expects.
  if (gpu.major < 7 || SettleMemory::bytes(n) > static_cast<std::size_t>(gpu.shared))
    return std::nullopt;
  static thread_local const Messenger messenger;
  const auto solve = [&](auto weight) -> std::optional<Outcome> {
    using T = decltype(weight);
    Word* const matrix = reinterpret_cast<Word*>(words);
    if (effort.worthwhile < 1 && !isPromising<T>(n, matrix, messenger, stream)) return std::nullopt;
    const DeviceBuffer memory(filteredGpuBytes(n), stream);
    if (!memory) return std::nullopt;
    return Filtered<T>(gpu, messenger, n, matrix, memory.at<char>(0), stream).run(effort);
  };
  return dtype == Dtype::kInt32 ? solve(int{}) : solve(float{});
}

std::size_t filteredGpuBytes(int n) {
  return n < kWhateverItTakes.vertices ? 0 : layoutFor(n).bytes;
}
