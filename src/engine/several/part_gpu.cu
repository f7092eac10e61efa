// A rank's part in the memory of its GPU. product.cuh has the arithmetic.
//
// The steps of a round only start work. It runs in three streams, and events say what waits for
// what. Let k be the round:
//
//     ahead   next(k) ── close(k+1) ── row panel(k+1) ─┐                  next(k+1) ── …
//     (urgent)                                         │                    ↑ rest(k) is done
//     send                                             └─ broadcast(k+1) ───┤
//     (urgent)                                                              ↓
//     rest    rest(k) …………………………………………………………………………………………………………………… rest(k+1) ……
//
// `ahead` has what other ranks wait for. Its blocks of threads go first, and those of `rest` fill
// the GPU beside them. Both begin a round when the panels of this round have come. In addition,
// next(k+1) waits for rest(k), which updates the same tiles. That also keeps the panels of round k
// from being overwritten by those of round k + 2 while rest(k) reads them: there are two of each.
//
// The host is at most two rounds ahead of the GPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"
#include "base/word.h"
#include "dense/analysis.cuh"
#include "dense/workspace.h"
#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "device/matrix_block.h"
#include "filtered/filtered_gpu.h"
#include "several/channel.h"
#include "several/choice.h"
#include "several/column_team.h"
#include "several/kernels.h"
#include "several/part_gpu.h"
#include "several/spans.h"
#include "several/streamed.h"

namespace engine {

namespace {

/// The pivots of a round. More of them make the product more efficient, because a tile is read and
/// written once a round. Fewer leave less to do before the first round and after the last one, and
/// each rank should have a few blocks. Of the depths near `best`, the function takes the one whose
/// largest part is smallest.
int depthOnGpu(int n, Grid grid) {
  constexpr int kFewBlocks = 4;
  const int wanted = n < 4000 ? 256 : n < 8000 ? 512 : n < 30000 ? 1024 : 2048;
  const int fair = n / (kFewBlocks * std::max(grid.rows, grid.columns)) / kUnit * kUnit;
  const int best = std::clamp(fair, kUnit, wanted);
  const auto largest = [&](int depth) {
    const auto most = [&](int parts) {
      const int blocks = (blocksOf(n, depth) + parts - 1) / parts;
      return static_cast<double>(std::min(n, blocks * depth));
    };
    return most(grid.rows) * most(grid.columns);
  };
  int depth = best;
  for (int other = best; 2 * other >= best; other -= kUnit)
    if (other > 0 && largest(other) < largest(depth)) depth = other;
  return depth;
}

/// What a solve needs beside the part's matrix: offsets in bytes in one allocation.
struct Layout {
  std::size_t copy;               ///< (rows, rowWords) in 16 bits
  std::size_t closed;             ///< (depth, depth): the pivot while it is being closed
  std::size_t left[2], right[2];  ///< panels; the flags of a panel follow its tiles
  std::size_t pivot, before;      ///< a left panel, and a right one
  std::size_t bytes;
};

Layout layoutOf(Band rows, Band columns, int depth, const RoundKernels& kernels) {
  const std::size_t left = kernels.panelBytes(kernels.tilesIn(rows.count), kernels.leftWords());
  const std::size_t right =
      kernels.panelBytes(kernels.tilesIn(columns.count), kernels.rightWords());
  dense::Layout layout;
  Layout at{};
  const Tier tier = kernels.tier();
  at.copy = layout.place(
      tier == Tier::kUint16 ? size(rows.count, rowWordsOf(columns.count, tier)) : 0, sizeof(int));
  at.closed = layout.place(size(depth, wordsOf(depth, tier)), sizeof(int));
  for (int i = 0; i < 2; ++i) {
    at.left[i] = layout.place(left, 1);
    at.right[i] = layout.place(right, 1);
  }
  at.pivot = layout.place(kernels.panelBytes(kernels.steps(), kernels.leftWords()), 1);
  at.before = layout.place(right, 1);
  at.bytes = layout.bytes();
  return at;
}

/// Bytes that a part takes beside its matrix.
std::size_t workingBytes(const Layout& layout, const RoundKernels& kernels) {
  return dense::pooledBytes(layout.bytes) + kernels.closeBytes();
}

template <class Bits>
__global__ void fill(std::size_t count, Bits* words, Bits value) {
  for (std::size_t at = asSize(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += asSize(gridDim.x) * blockDim.x)
    words[at] = value;
}

constexpr int kFillBlocks = 4096;
constexpr int kStretch = 64;  // rows that a block of threads of survey() looks at

/// The least value of a warp.
__device__ int warpMin(int value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value = min(value, __shfl_xor_sync(~0u, value, offset));
  return value;
}

/// What survey() reads and finds of a part, (rows, columns), whose rows lie `stride` weights apart.
/// leave and arrive as for Surveyor::bound(); null if bounds are not wanted.
struct SurveyBuffers {
  const int* leave;
  const int* arrive;
  int* to;
  int* from;
  int* missing;
};

/// Block (x, y): columns from x · kThreads on, rows from y · kStretch on. Bits: the whole numbers
/// whose bits the weights have. There are bounds only of int32.
template <class Bits>
__global__ void __launch_bounds__(kThreads)
    survey(int rows, int columns, std::size_t stride, const Bits* words, Bits none,
           SurveyBuffers buffers) {
  const int j = blockIdx.x * kThreads + threadIdx.x, first = blockIdx.y * kStretch;
  const bool bounds = buffers.leave != nullptr;
  const int leave = bounds && j < columns ? buffers.leave[j] : kInfinity<int>;
  int from = kInfinity<int>;
  bool missing = false;
  for (int i = first; i < min(rows, first + kStretch); ++i) {
    const Bits number = j < columns ? words[i * stride + j] : none;
    missing |= j < columns && number >= none;
    if (!bounds) continue;
    const int weight = static_cast<int>(number);
    from = min(from, buffers.arrive[i] + weight);
    const int to = warpMin(weight + leave);
    if (threadIdx.x % 32 == 0) analysis::lower(buffers.to + i, to);
  }
  if (bounds && j < columns) analysis::lower(buffers.from + j, from);
  if (__syncthreads_or(missing) && threadIdx.x == 0) *buffers.missing = 1;
}

/// column[i] = words[i · stride + j].
__global__ void pickColumn(int rows, std::size_t stride, const int* words, int j, int* column) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) column[i] = words[i * stride + j];
}

std::vector<int> downloaded(int count, const int* from) {
  std::vector<int> elements(size(count, 1));
  CHECK_CUDA(
      cudaMemcpy(elements.data(), from, elements.size() * sizeof(int), cudaMemcpyDeviceToHost));
  return elements;
}

[[noreturn]] void failForMemory(std::size_t words) {
  throw Error(ErrorCode::kMemory,
              "no room for " + bytesText(words * sizeof(int)) +
                  " more on its GPU: solve a smaller graph, or start more ranks on "
                  "more GPUs");
}

/// Room for so many ints, on the default stream.
struct Room : DeviceBuffer {
  explicit Room(int count) : DeviceBuffer(size(count, sizeof(int)), nullptr) {
    if (!*this) failForMemory(size(count, 1));
  }
  int* ints() const { return at<int>(0); }
};

/// Ranks that filter together, with messages between GPUs.
class GpuTeam : public ColumnTeam {
 public:
  GpuTeam(Ranks& ranks, const Channels& channels, std::vector<Band> rows)
      : ColumnTeam(ranks, std::move(rows)), channels_(channels) {}
  void broadcast(void* data, std::size_t bytes, int root, CUstream_st* stream) override {
    channels_.along(Along::kColumn).broadcast(data, bytes, root, stream);
    count(bytes);
  }

 private:
  const Channels& channels_;
};

class GpuPart : public Part, public Surveyor {
 public:
  GpuPart(int n, Dtype dtype, Channels channels, Grid grid, int rank)
      : n_(n), dtype_(dtype), depth_(depthOnGpu(n, grid)), channels_(std::move(channels)) {
    const int blocks = blocksOf(n, depth_);
    rowBlocks_ = shareOf(blocks, grid.rows, grid.rowOf(rank));
    columnBlocks_ = shareOf(blocks, grid.columns, grid.columnOf(rank));
    const std::size_t words = size(rows().count, rowWords());
    if (words == 0) return;
    if (cudaMalloc(&words_, words * sizeof(int)) != cudaSuccess) {
      words_ = nullptr;
      cudaGetLastError();  // lack of memory is not a sticky error: clear it
      failForMemory(words);
    }
    withBits(dtype, [&](auto zero) {
      using Bits = decltype(zero);
      fill<<<kFillBlocks, kThreads>>>(size(rows().count, stride()), bits<Bits>(),
                                      static_cast<Bits>(infinityBits(dtype)));
    });
    CHECK_CUDA(cudaGetLastError());
  }
  ~GpuPart() override {
    cudaDeviceSynchronize();
    cudaFree(words_);
  }
  GpuPart(const GpuPart&) = delete;
  GpuPart& operator=(const GpuPart&) = delete;

  Band rows() const override { return verticesOf(rowBlocks_, n_, depth_); }
  Band columns() const override { return verticesOf(columnBlocks_, n_, depth_); }
  int depth() const override { return depth_; }

  void put(Band band, ConstElements from) override {
    copyRows(rowAt(band.first), rowWords(), wordsOf(from, dtype_), columnWords(), band.count);
  }
  void get(Band band, Elements to) const override {
    CHECK_CUDA(cudaDeviceSynchronize());
    if (working_ && kernels_->tier() == Tier::kUint16) copyOut(band);
    copyRows(wordsOf(to, dtype_), columnWords(), rowAt(band.first), rowWords(), band.count);
  }

  bool make(const GraphSource& source, bool toZero) override {
    const Band down = rows(), across = columns();
    if (!source.blockOnGpu(
            {down.first, down.count, across.first, across.count, size(stride(), 1), elements()}))
      return false;
    if (toZero) zeroOnGpu(size(down.count, stride()), elements());
    return true;
  }

  // ---- the graph, before it is solved

  const Surveyor* surveyor() const override { return this; }
  bool prefers16Bits() const override { return gpu_.major >= 9; }

  bool missesEdges() const override {
    const Room found(1);
    CHECK_CUDA(cudaMemsetAsync(found.ints(), 0, sizeof(int), nullptr));
    startSurvey({nullptr, nullptr, nullptr, nullptr, found.ints()});
    return downloaded(1, found.ints())[0] != 0;
  }

  std::vector<int> column(int s) const override {
    const Room elements(rows().count + 1);
    if (rows().count > 0)
      pickColumn<<<ceilDiv(rows().count, kThreads), kThreads>>>(
          rows().count, size(stride(), 1), words_, s - columns().first, elements.ints());
    CHECK_CUDA(cudaGetLastError());
    return downloaded(rows().count, elements.ints());
  }

  Bounds bound(const int* leave, const int* arrive) const override {
    const int m = rows().count, c = columns().count;
    const Room buffer(2 * m + 2 * c + 1);
    int* const to = buffer.ints();
    int* const from = to + m;
    int* const leaveThere = from + c;
    int* const arriveThere = leaveThere + c;
    fill<<<kFillBlocks, kThreads>>>(size(m + c, 1), to, kInfinity<int>);
    CHECK_CUDA(cudaMemcpy(leaveThere, leave, size(c, sizeof(int)), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(arriveThere, arrive, size(m, sizeof(int)), cudaMemcpyHostToDevice));
    startSurvey({leaveThere, arriveThere, to, from, arriveThere + m});
    return {downloaded(m, to), downloaded(c, from)};
  }

  // ---- a solve

  std::optional<Outcome> filter(const Options& options, GridRanks& ranks,
                                RankTimes& times) override {
    const auto effort = effortOnGpu(options);
    if (!effort || ranks.grid.columns > 1) return std::nullopt;
    GpuTeam team(*ranks.column, channels_, bandsOf(n_, depth_, ranks.grid.rows));
    const auto done = solveFilteredOnGpus(n_, elements(), size(stride(), 1), *effort, team);
    times.bytes += team.bytes();
    if (done)
      times.compute = done->filtering.survey + done->filtering.filter + done->filtering.relax;
    return done;
  }

  bool begin(Tier tier, bool skip) override {
    CHECK_CUDA(cudaDeviceSynchronize());  // the graph is here
    kernels_.emplace(tier, n_, depth_, skip);
    layout_ = layoutOf(rows(), columns(), depth_, *kernels_);
    working_.emplace(layout_.bytes, ahead_.stream);
    if (!*working_) {
      working_.reset();
      return false;
    }
    if (tier == Tier::kUint16 && rows().count > 0)
      analysis::copyIn<Uint16><<<rows().count, kThreads, 0, ahead_.stream>>>(
          columns().count, size(stride(), 1), words_, matrix());
    CHECK_CUDA(cudaGetLastError());
    spans_.begin(ahead_);
    return true;
  }

  void beginRound(int) override { spans_.beginRound(ahead_, rest_); }

  void close(int k) override {
    // Before the first round there is nothing else to do.
    const int share = spans_.first() ? 1 : kCloseShare;
    kernels_->close(k, matrix(), rowTiles(k).first, columnTiles(k).first,
                    working_->at<int>(layout_.closed), pivotPanel(), share, ahead_);
  }
  Message pivot(int) override {
    return message(pivotPanel(), kernels_->steps(), kernels_->leftWords());
  }

  void makeRowPanel(int k) override {
    const product::Panel before = panel(layout_.before, columnTiles(), kernels_->rightWords());
    kernels_->makeRowPanel(k, matrix(), rowTiles(k).first, pivotPanel(), before, rightPanel(k),
                           ahead_);
  }
  Message rowPanel(int k) override {
    return message(rightPanel(k), columnTiles(), kernels_->rightWords());
  }

  void makeColumnPanel(int k) override {
    kernels_->packLeft(matrix(), columnTiles(k).first, rowTiles(), leftPanel(k), ahead_);
  }
  Message columnPanel(int k) override {
    return message(leftPanel(k), rowTiles(), kernels_->leftWords());
  }

  void update(int k, Which which) override {
    using K = RoundKernels;
    const auto take = [&](product::Lines rows, product::Lines columns, const Stream& stream) {
      kernels_->update(k, matrix(), rows, columns, leftPanel(k), rightPanel(k), stream);
    };
    const product::Lines otherRows = K::without(rowTiles(), {rowTiles(k), rowTiles(k + 1)});
    if (which == Which::kNext) {
      take(K::only(rowTiles(k + 1)), K::without(columnTiles(), {}), ahead_);
      take(otherRows, K::only(columnTiles(k + 1)), ahead_);
    } else {
      take(otherRows, K::without(columnTiles(), {columnTiles(k + 1)}), rest_);
      spans_.endRound(rest_);
    }
  }

  std::unique_ptr<Transfer> startBroadcast(GridRanks&, Along direction, Message what,
                                           int root) override {
    return channels_.startBroadcast(direction, what, root, ahead_, send_);
  }

  bool finish(RankTimes& times) override {
    CHECK_CUDA(cudaDeviceSynchronize());
    spans_.addTo(times);
    if (kernels_->tier() != Tier::kUint16 || rows().count == 0) return true;
    const Room found(1);
    CHECK_CUDA(cudaMemsetAsync(found.ints(), 0, sizeof(int), nullptr));
    analysis::findTooFar<<<rows().count, kThreads>>>(columns().count, matrix(), found.ints());
    CHECK_CUDA(cudaGetLastError());
    return downloaded(1, found.ints())[0] == 0;
  }

  void end(bool take) override {
    if (take && kernels_->tier() == Tier::kUint16) copyOut(rows());
    CHECK_CUDA(cudaDeviceSynchronize());
    working_.reset();
  }

 private:
  // ---- where things are

  /// The words of a row with what pads it, and without.
  int rowWords() const { return rowWordsOf(columns().count, tierOf(dtype_)); }
  int columnWords() const { return wordsOf(columns().count, tierOf(dtype_)); }
  /// The weights of a row with what pads it.
  int stride() const { return weightsIn(rowWords(), tierOf(dtype_)); }
  template <class Bits>
  Bits* bits() const {
    return reinterpret_cast<Bits*>(words_);
  }
  /// The part in its type.
  Elements elements() const { return {dtype_, words_}; }
  int* rowAt(int i) const { return words_ + size(i - rows().first, rowWords()); }
  static void copyRows(int* to, int toStride, const int* from, int fromStride, int count) {
    const int width = std::min(toStride, fromStride);  // one of them has padding
    if (count == 0 || width == 0) return;
    CHECK_CUDA(cudaMemcpy2D(to, size(toStride, sizeof(int)), from, size(fromStride, sizeof(int)),
                            size(width, sizeof(int)), size(count, 1), cudaMemcpyDefault));
  }
  /// Widens rows of the 16-bit matrix.
  void copyOut(Band band) const {
    WordMatrix some = matrix();
    some.base += size(band.first - rows().first, some.words);
    if (band.count > 0)
      analysis::copyOut<Uint16>
          <<<band.count, kThreads>>>(columns().count, size(stride(), 1), rowAt(band.first), some);
    CHECK_CUDA(cudaGetLastError());
  }

  /// The matrix in the words of the tier.
  WordMatrix matrix() const {
    const Tier tier = kernels_->tier();
    return {rows().count, rowWordsOf(columns().count, tier),
            tier == Tier::kUint16 ? working_->at<int>(layout_.copy) : words_};
  }
  product::Panel panel(std::size_t at, int lines, std::size_t words) const {
    return kernels_->panel(working_->at<int>(at), lines, words);
  }
  product::Panel pivotPanel() const {
    return panel(layout_.pivot, kernels_->steps(), kernels_->leftWords());
  }
  product::Panel leftPanel(int k) const {
    return panel(layout_.left[k % 2], rowTiles(), kernels_->leftWords());
  }
  product::Panel rightPanel(int k) const {
    return panel(layout_.right[k % 2], columnTiles(), kernels_->rightWords());
  }
  Message message(product::Panel what, int lines, std::size_t words) const {
    return {what.tiles, kernels_->panelBytes(lines, words)};
  }

  // ---- which tiles

  int rowTiles() const { return kernels_->tilesIn(rows().count); }
  int columnTiles() const { return kernels_->tilesIn(columns().count); }
  Band rowTiles(int k) const { return kernels_->tilesOf(rowBlocks_, rowTiles(), k); }
  Band columnTiles(int k) const { return kernels_->tilesOf(columnBlocks_, columnTiles(), k); }

  void startSurvey(SurveyBuffers buffers) const {
    const dim3 blocks(ceilDiv(columns().count, kThreads), ceilDiv(rows().count, kStretch));
    if (blocks.x > 0 && blocks.y > 0)
      withBits(dtype_, [&](auto zero) {
        using Bits = decltype(zero);
        survey<<<blocks, kThreads>>>(rows().count, columns().count, size(stride(), 1),
                                     bits<const Bits>(), static_cast<Bits>(infinityBits(dtype_)),
                                     buffers);
      });
    CHECK_CUDA(cudaGetLastError());
  }

  const int n_;
  const Dtype dtype_;
  const int depth_;
  const Gpu gpu_;
  Band rowBlocks_, columnBlocks_;
  const Channels channels_;
  int* words_ = nullptr;  // (rows, rowWords): the part, whatever its type is
  Stream ahead_{true}, send_{true}, rest_{false};

  // Of a solve:
  std::optional<RoundKernels> kernels_;
  Layout layout_{};
  std::optional<DeviceBuffer> working_;
  Spans spans_;
};

}  // namespace

std::size_t roomOnGpu() {
  const std::size_t free = freeOnGpu();
  const char* const wish = std::getenv("APSP_GPU_MEMORY");
  return wish == nullptr ? free : std::min<std::size_t>(free, std::strtoull(wish, nullptr, 10));
}

std::unique_ptr<Part> partOnGpu(int n, Dtype dtype, Precision precision, GridRanks& ranks,
                                int rank) {
  // First all that ranks do together. What follows may fail on one of them.
  emptyPool();  // connections take memory, too, and the part is not from a pool
  Channels channels(ranks);
  const std::size_t room = roomOnGpu();
  const int lacks = bytesOnGpu(n, dtype, ranks.grid, rank) > room ? 1 : 0;
  const int anyLacks = greatest(*ranks.column, greatest(*ranks.row, lacks));
  const int megabytes = static_cast<int>(room >> 20);
  const int least = -greatest(*ranks.column, greatest(*ranks.row, -megabytes));
  if (anyLacks == 0)
    return std::make_unique<GpuPart>(n, dtype, std::move(channels), ranks.grid, rank);
  return streamedPart(n, storedTier(dtype, precision), size(least, 1) << 20, std::move(channels),
                      ranks.grid, rank);
}

std::size_t bytesOnGpu(int n, Dtype dtype, Grid grid, int rank) {
  const int depth = depthOnGpu(n, grid), blocks = blocksOf(n, depth);
  const auto verticesIn = [&](int parts, int i) {
    return verticesOf(shareOf(blocks, parts, i), n, depth);
  };
  const Band rows = verticesIn(grid.rows, grid.rowOf(rank));
  const Band columns = verticesIn(grid.columns, grid.columnOf(rank));
  std::size_t most = 0;
  for (const Tier tier : {tierOf(dtype), Tier::kUint16}) {
    if (isWide(dtype) && tier == Tier::kUint16) continue;
    const RoundKernels kernels(tier, n, depth, false);
    most = std::max(most, workingBytes(layoutOf(rows, columns, depth, kernels), kernels));
  }
  return most + size(rows.count, rowWordsOf(columns.count, tierOf(dtype))) * sizeof(int);
}

ChosenGpu chooseGpu(int rankOnHost) {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
    cudaGetLastError();
    throw Error(ErrorCode::kGpu, "there is no GPU on its machine: solve on the CPU");
  }
  const int device = rankOnHost % gpus;
  CHECK_CUDA(cudaSetDevice(device));
  char place[32] = "";
  CHECK_CUDA(cudaDeviceGetPCIBusId(place, sizeof place, device));
  cudaDeviceProp properties{};
  CHECK_CUDA(cudaGetDeviceProperties(&properties, device));
  return {place, properties.name};
}

}  // namespace engine
