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
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/quantity.h"
#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "device/generate_gpu.h"
#include "solvers/dense/analysis.cuh"
#include "solvers/dense/closure.h"
#include "solvers/dense/workspace.h"
#include "solvers/distributed/channel.h"
#include "solvers/distributed/part.h"
#include "solvers/distributed/product.cuh"
#include "solvers/distributed/stream.h"

namespace {

constexpr int kUnit = 128;  // depths are multiples of the largest tile

/// The pivots of a round. More of them make the product more efficient, because a tile is read and
/// written once a round. Fewer leave less to do before the first round and after the last one. Of
/// the depths near the best one, it takes the one with the smallest parts.
int depthOnGpu(int n, Grid grid) {
  const int best = n < 4000 ? 256 : n < 8000 ? 512 : n < 30000 ? 1024 : 2048;
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

int packOf(Tier tier) {
  return tier == Tier::kUint16 ? 2 : 1;
}

/// The words of a row of so many weights, as CopyLayout has it.
int rowWordsOf(int columns, int pack) {
  return (ceilDiv(columns, pack) + dense::kVector - 1) / dense::kVector * dense::kVector;
}

/// What a solve needs beside the part's matrix: offsets in bytes in one allocation.
struct Layout {
  std::size_t copy;               ///< (rows, rowWords) in 16 bits
  std::size_t closed;             ///< (depth, depth): the pivot while it is being closed
  std::size_t left[2], right[2];  ///< panels; the flags of a panel follow its tiles
  std::size_t pivot, before;      ///< a left panel, and a right one
  std::size_t bytes;
};

/// The bytes of a panel of so many tiles with `words` words each, with its flags.
std::size_t panelBytes(std::size_t tiles, std::size_t words) {
  return tiles * (words + 1) * sizeof(int);
}

Layout layoutOf(Band rows, Band columns, int depth, int tile, Tier tier) {
  const auto place = [](int count) { return static_cast<std::size_t>(count); };
  const int pack = packOf(tier);
  const std::size_t steps = place(depth / tile), square = place(tile) * place(tile);
  const std::size_t left = panelBytes(place(ceilDiv(rows.count, tile)) * steps, square);
  const std::size_t right =
      panelBytes(place(ceilDiv(columns.count, tile)) * steps, square / place(pack));
  dense::Layout layout;
  Layout at{};
  at.copy = layout.place(
      pack == 1 ? 0 : place(rows.count) * place(rowWordsOf(columns.count, pack)), sizeof(int));
  at.closed = layout.place(place(depth) * place(depth / pack), sizeof(int));
  for (int i = 0; i < 2; ++i) {
    at.left[i] = layout.place(left, 1);
    at.right[i] = layout.place(right, 1);
  }
  at.pivot = layout.place(panelBytes(steps * steps, square), 1);
  at.before = layout.place(right, 1);
  at.bytes = layout.bytes();
  return at;
}

__global__ void fill(std::size_t count, int* words, int value) {
  for (std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += static_cast<std::size_t>(gridDim.x) * blockDim.x)
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

/// What survey() reads and finds of a part, (rows, columns), whose rows lie `stride` words apart.
/// leave and arrive as for Surveyor::bound(); null if bounds are not wanted.
struct SurveyBuffers {
  const int* leave;
  const int* arrive;
  int* to;
  int* from;
  int* missing;
};

/// Block (x, y): columns from x · kThreads on, rows from y · kStretch on.
__global__ void __launch_bounds__(kThreads)
    survey(int rows, int columns, std::size_t stride, const int* words, int none,
           SurveyBuffers buffers) {
  const int j = blockIdx.x * kThreads + threadIdx.x, first = blockIdx.y * kStretch;
  const bool bounds = buffers.leave != nullptr;
  const int leave = bounds && j < columns ? buffers.leave[j] : kInf;
  int from = kInf;
  bool missing = false;
  for (int i = first; i < min(rows, first + kStretch); ++i) {
    const int weight = j < columns ? words[i * stride + j] : none;
    missing |= j < columns && weight >= none;
    if (!bounds) continue;
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

/// Every weight below infinity becomes 0.
__global__ void zero(std::size_t count, int* words, int none) {
  for (std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    if (words[at] < none) words[at] = 0;
}

/// Bytes of shared memory of a block of threads of product::multiply().
template <class T, int kTile>
int sharedBytes(const Gpu& gpu) {
  return static_cast<int>(gpu.major >= 8 ? sizeof(product::Storage<T, kTile, true>)
                                         : sizeof(product::Storage<T, kTile, false>));
}

/// Which template instance does the work.
template <class T, int kSide>
struct Shape {
  using Words = T;
  static constexpr int kTile = kSide;
};

std::size_t size(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

std::vector<int> downloaded(int count, const int* from) {
  std::vector<int> elements(size(count, 1));
  CHECK_CUDA(
      cudaMemcpy(elements.data(), from, elements.size() * sizeof(int), cudaMemcpyDeviceToHost));
  return elements;
}

[[noreturn]] void failForMemory(std::size_t words) {
  throw Error(Exit::kMemory, "no room for " + bytesText(words * sizeof(int)) +
                                 " of the matrix on its GPU: solve a smaller graph, or start more "
                                 "ranks on more GPUs");
}

/// Room for so many ints, on the default stream.
struct Room : DeviceBuffer {
  explicit Room(int count) : DeviceBuffer(size(count, sizeof(int)), nullptr) {
    if (!*this) failForMemory(size(count, 1));
  }
  int* ints() const { return at<int>(0); }
};

constexpr int kCloseShare = 4;    // closing a pivot takes one in so many multiprocessors
constexpr int kMostPerBlock = 4;  // tiles that a block of threads takes one after the other
constexpr int kWaves = 8;         // but so many blocks at least for each that can run at a time

class GpuPart : public Part, public Surveyor {
 public:
  GpuPart(int n, Dtype dtype, GridRanks& ranks, int rank)
      : n_(n), dtype_(dtype), depth_(depthOnGpu(n, ranks.grid)) {
    const int blocks = blocksOf(n, depth_);
    rowBlocks_ = shareOf(blocks, ranks.grid.rows, ranks.grid.rowOf(rank));
    columnBlocks_ = shareOf(blocks, ranks.grid.columns, ranks.grid.columnOf(rank));
    for (const Along direction : {Along::kRow, Along::kColumn})
      if (ranks.along(direction).size() > 1)
        channels_[static_cast<int>(direction)] = openChannel(ranks.along(direction));
    const std::size_t words = size(rows().count, stride());
    if (words == 0) return;
    if (cudaMalloc(&words_, words * sizeof(int)) != cudaSuccess) {
      words_ = nullptr;
      cudaGetLastError();  // lack of memory is not a sticky error: clear it
      failForMemory(words);
    }
    fill<<<kFillBlocks, kThreads>>>(words, words_, infinity(dtype));
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

  void put(Band band, const int* words) override {
    copyRows(rowAt(band.first), stride(), words, columns().count, band.count);
  }
  void get(Band band, int* words) const override {
    CHECK_CUDA(cudaDeviceSynchronize());
    if (working_ && tier_ == Tier::kUint16) copyOut(band);
    copyRows(words, columns().count, rowAt(band.first), stride(), band.count);
  }

  bool generate(const Spec& spec, bool toZero) override {
    const Band down = rows(), across = columns();
    generateOnGpu(spec, {down.first, down.count, across.first, across.count, size(stride(), 1),
                         words_});
    if (toZero)
      zero<<<kFillBlocks, kThreads>>>(size(down.count, stride()), words_, infinity(dtype_));
    CHECK_CUDA(cudaGetLastError());
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
    fill<<<kFillBlocks, kThreads>>>(size(m + c, 1), to, kInf);
    CHECK_CUDA(cudaMemcpy(leaveThere, leave, size(c, sizeof(int)), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(arriveThere, arrive, size(m, sizeof(int)), cudaMemcpyHostToDevice));
    startSurvey({leaveThere, arriveThere, to, from, arriveThere + m});
    return {downloaded(m, to), downloaded(c, from)};
  }

  // ---- a solve

  bool begin(Tier tier, bool skip) override {
    CHECK_CUDA(cudaDeviceSynchronize());  // the graph is here
    tier_ = tier;
    skip_ = skip;
    tile_ = sideFor(tier);
    steps_ = depth_ / tile_;
    layout_ = layoutOf(rows(), columns(), depth_, tile_, tier);
    gpu_.keepPool();
    working_.emplace(layout_.bytes, ahead_.stream);
    if (!*working_) {
      working_.reset();
      return false;
    }
    if (tier == Tier::kUint16 && rows().count > 0)
      analysis::copyIn<Uint16><<<rows().count, kThreads, 0, ahead_.stream>>>(
          columns().count, size(stride(), 1), words_, matrix());
    CHECK_CUDA(cudaGetLastError());
    spans_.clear();
    begun_.record(ahead_.stream);
    return true;
  }

  void beginRound(int) override {
    if (spans_.size() >= 2) CHECK_CUDA(cudaEventSynchronize((spans_.end() - 2)->end.event));
    if (!spans_.empty()) ahead_.wait(spans_.back().end);
    rest_.wait(ahead_);
    spans_.emplace_back();
    spans_.back().begin.record(rest_.stream);
  }

  void close(int k) override {
    const int vertices = std::min(depth_, n_ - k * depth_), pack = packOf(tier_);
    const WordMatrix from = matrix();
    const WordMatrix closed{vertices, rowWordsOf(vertices, pack),
                            working_->at<int>(layout_.closed)};
    const int* const pivot = from.base + size(rowTiles(k).first * tile_, from.words) +
                             columnTiles(k).first * tile_ / pack;
    const std::size_t row = size(closed.words, sizeof(int));
    CHECK_CUDA(cudaMemcpy2DAsync(closed.base, row, pivot, size(from.words, sizeof(int)), row,
                                 vertices, cudaMemcpyDeviceToDevice, ahead_.stream));
    // Before the first round there is nothing else to do.
    closeOnGpu({tier_, vertices, closed.words, closed.base}, spans_.empty() ? 1 : kCloseShare,
               skip_, ahead_.stream);
    packLeft(closed, 0, steps_, pivotPanel());
  }
  Message pivot(int) override { return message(pivotPanel(), steps_, leftWords()); }

  void makeRowPanel(int k) override {
    const product::Panel before = panel(layout_.before, columnTiles(), rightWords());
    packRight(matrix(), rowTiles(k).first, before);
    product::Params p = parameters(k);
    p.rows = only(rowTiles(k));
    p.columns = without(columnTiles(), {});
    p.left = pivotPanel();
    p.leftFirst = p.rows.first;
    p.right = before;
    p.packed = rightPanel(k);
    clearFlags(p.packed, columnTiles());
    multiply(p, ahead_);
  }
  Message rowPanel(int k) override { return message(rightPanel(k), columnTiles(), rightWords()); }

  void makeColumnPanel(int k) override {
    packLeft(matrix(), columnTiles(k).first, rowTiles(), leftPanel(k));
  }
  Message columnPanel(int k) override { return message(leftPanel(k), rowTiles(), leftWords()); }

  void update(int k, Which which) override {
    product::Params p = parameters(k);
    p.left = leftPanel(k);
    p.right = rightPanel(k);
    const product::Lines otherRows = without(rowTiles(), {rowTiles(k), rowTiles(k + 1)});
    if (which == Which::kNext) {
      p.rows = only(rowTiles(k + 1));
      p.columns = without(columnTiles(), {});
      multiply(p, ahead_);
      p.rows = otherRows;
      p.columns = only(columnTiles(k + 1));
      multiply(p, ahead_);
    } else {
      p.rows = otherRows;
      p.columns = without(columnTiles(), {columnTiles(k + 1)});
      multiply(p, rest_);
      spans_.back().end.record(rest_.stream);
    }
  }

  std::unique_ptr<Transfer> startBroadcast(GridRanks&, Along direction, Message what,
                                           int root) override {
    send_.wait(ahead_);
    channels_[static_cast<int>(direction)]->broadcast(what.data, what.bytes, root, send_.stream);
    return std::make_unique<Arrival>(*this);
  }

  bool finish(RankTimes& times) override {
    CHECK_CUDA(cudaDeviceSynchronize());
    const StreamEvent* last = &begun_;
    times.compute = times.wait = 0;
    for (const Span& span : spans_) {
      times.wait += between(*last, span.begin);
      times.compute += between(span.begin, span.end);
      last = &span.end;
    }
    if (tier_ != Tier::kUint16 || rows().count == 0) return true;
    const Room found(1);
    CHECK_CUDA(cudaMemsetAsync(found.ints(), 0, sizeof(int), nullptr));
    analysis::findTooFar<<<rows().count, kThreads>>>(columns().count, matrix(), found.ints());
    CHECK_CUDA(cudaGetLastError());
    return downloaded(1, found.ints())[0] == 0;
  }

  void end(bool take) override {
    if (take && tier_ == Tier::kUint16) copyOut(rows());
    CHECK_CUDA(cudaDeviceSynchronize());
    working_.reset();
  }

 private:
  /// A message has come when all is done that `send` has begun.
  class Arrival : public Transfer {
   public:
    explicit Arrival(GpuPart& part) : part_(part) { come_.record(part.send_.stream); }
    void wait() override { part_.ahead_.wait(come_); }

   private:
    GpuPart& part_;
    StreamEvent come_;
  };

  /// When `rest` worked.
  struct Span {
    StreamEvent begin{true}, end{true};
  };

  static double between(const StreamEvent& from, const StreamEvent& to) {
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, from.event, to.event));
    return milliseconds;
  }

  // ---- where things are

  int stride() const { return rowWordsOf(columns().count, 1); }
  int* rowAt(int i) const { return words_ + size(i - rows().first, stride()); }
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
      analysis::copyOut<Uint16><<<band.count, kThreads>>>(columns().count, size(stride(), 1),
                                                          rowAt(band.first), some);
    CHECK_CUDA(cudaGetLastError());
  }

  /// The matrix in the words of the tier.
  WordMatrix matrix() const {
    const int pack = packOf(tier_);
    return {rows().count, rowWordsOf(columns().count, pack),
            pack == 1 ? words_ : working_->at<int>(layout_.copy)};
  }
  std::size_t leftWords() const { return size(tile_, tile_); }
  std::size_t rightWords() const { return size(tile_, tile_ / packOf(tier_)); }
  product::Panel panel(std::size_t at, int lines, std::size_t words) const {
    int* const tiles = working_->at<int>(at);
    return {tiles, tiles + size(lines, steps_) * words};
  }
  product::Panel pivotPanel() const { return panel(layout_.pivot, steps_, leftWords()); }
  product::Panel leftPanel(int k) const {
    return panel(layout_.left[k % 2], rowTiles(), leftWords());
  }
  product::Panel rightPanel(int k) const {
    return panel(layout_.right[k % 2], columnTiles(), rightWords());
  }
  Message message(product::Panel what, int lines, std::size_t words) const {
    return {what.tiles, panelBytes(size(lines, steps_), words)};
  }

  // ---- which tiles

  int rowTiles() const { return ceilDiv(rows().count, tile_); }
  int columnTiles() const { return ceilDiv(columns().count, tile_); }
  /// Those of block k; none, behind all others, if it is not here.
  Band rowTiles(int k) const { return tilesOf(rowBlocks_, rowTiles(), k); }
  Band columnTiles(int k) const { return tilesOf(columnBlocks_, columnTiles(), k); }
  Band tilesOf(Band blocks, int tiles, int k) const {
    if (!blocks.has(k)) return {INT_MAX, 0};
    const int first = (k - blocks.first) * steps_;
    return {first, std::min(steps_, tiles - first)};
  }

  static product::Lines only(Band tiles) {
    return {tiles.first, tiles.count, {{INT_MAX, 0}, {INT_MAX, 0}}};
  }
  /// So many lines without those of bands, which are in ascending order.
  static product::Lines without(int lines, const std::vector<Band>& bands) {
    product::Lines all = only({0, lines});
    int gaps = 0;
    for (const Band& band : bands) {
      if (band.count == 0) continue;
      all.count -= band.count;
      all.gaps[gaps++] = band;
    }
    return all;
  }

  // ---- starting kernels

  /// Calls f with the Shape of the tier and the tiles.
  template <class F>
  void withShape(F f) const {
    const bool wide = tile_ == kUnit;
    if (tier_ == Tier::kUint16) return f(Shape<Uint16, kUnit>());
    if (tier_ == Tier::kInt32)
      return wide ? f(Shape<Int32, kUnit>()) : f(Shape<Int32, kUnit / 2>());
    return wide ? f(Shape<Float32, kUnit>()) : f(Shape<Float32, kUnit / 2>());
  }

  /// The side of the tiles: the larger one if a multiprocessor has room for it.
  int sideFor(Tier tier) const {
    const bool fits = tier == Tier::kUint16 || gpu_.major < 8 ||
                      sharedBytes<Int32, kUnit>(gpu_) <= gpu_.shared;
    return fits ? kUnit : kUnit / 2;
  }

  void startSurvey(SurveyBuffers buffers) const {
    const dim3 blocks(ceilDiv(columns().count, kThreads), ceilDiv(rows().count, kStretch));
    if (blocks.x > 0 && blocks.y > 0)
      survey<<<blocks, kThreads>>>(rows().count, columns().count, size(stride(), 1), words_,
                                   infinity(dtype_), buffers);
    CHECK_CUDA(cudaGetLastError());
  }

  void clearFlags(product::Panel panel, int lines) {
    CHECK_CUDA(
        cudaMemsetAsync(panel.finite, 0, size(lines, steps_) * sizeof(int), ahead_.stream));
  }
  /// Packs columns of a matrix, from a column of tiles on.
  void packLeft(WordMatrix from, int column, int lines, product::Panel panel) {
    if (lines == 0) return;
    clearFlags(panel, lines);
    withShape([&](auto shape) {
      using S = decltype(shape);
      constexpr int kWords = TileStorage<typename S::Words, S::kTile>::kWords;
      product::packLeft<typename S::Words, S::kTile>
          <<<dim3(steps_, lines), kThreads, 0, ahead_.stream>>>(from, 0, column * kWords, panel);
    });
    CHECK_CUDA(cudaGetLastError());
  }
  /// Packs rows of a matrix, from a row of tiles on.
  void packRight(WordMatrix from, int row, product::Panel panel) {
    const int lines = columnTiles();
    if (lines == 0) return;
    clearFlags(panel, lines);
    withShape([&](auto shape) {
      using S = decltype(shape);
      product::packRight<typename S::Words, S::kTile>
          <<<dim3(steps_, lines), kThreads, 0, ahead_.stream>>>(from, row * S::kTile, 0, panel);
    });
    CHECK_CUDA(cudaGetLastError());
  }

  /// What the products of round k have in common.
  product::Params parameters(int k) const {
    product::Params p{};
    p.matrix = matrix();
    p.steps = steps_;
    p.pivots = std::min(depth_, n_ - k * depth_);
    p.skip = skip_;
    p.one = 1;
    return p;
  }

  void multiply(product::Params p, const Stream& stream) {
    const int tiles = p.rows.count * p.columns.count;
    if (tiles == 0) return;
    withShape([&](auto shape) {
      using S = decltype(shape);
      using Words = typename S::Words;
      const int running = gpu_.processors * TileStorage<Words, S::kTile>::kResident;
      p.perBlock = std::clamp(tiles / (running * kWaves), 1, kMostPerBlock);
      const auto kernel = product::multiply<Words, S::kTile>;
      const int shared = sharedBytes<Words, S::kTile>(gpu_);
      if (gpu_.major >= 7)
        CHECK_CUDA(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
      kernel<<<ceilDiv(tiles, p.perBlock), kBlock, shared, stream.stream>>>(p);
    });
    CHECK_CUDA(cudaGetLastError());
  }

  const int n_;
  const Dtype dtype_;
  const int depth_;
  const Gpu gpu_;
  Band rowBlocks_, columnBlocks_;
  std::unique_ptr<Channel> channels_[2];  // by Along
  int* words_ = nullptr;                  // (rows, stride): the part in 32 bits
  Stream ahead_{true}, send_{true}, rest_{false};

  // Of a solve:
  Tier tier_ = Tier::kNone;
  bool skip_ = false;
  int tile_ = kUnit;
  int steps_ = 1;  // tiles in a block
  Layout layout_{};
  std::optional<DeviceBuffer> working_;
  StreamEvent begun_{true};
  std::vector<Span> spans_;  // of each round
};

}  // namespace

std::unique_ptr<Part> partOnGpu(int n, Dtype dtype, GridRanks& ranks, int rank) {
  return std::make_unique<GpuPart>(n, dtype, ranks, rank);
}

std::size_t bytesOnGpu(int n, Grid grid, int rank) {
  const int depth = depthOnGpu(n, grid), blocks = blocksOf(n, depth);
  const auto verticesIn = [&](int parts, int i) {
    return verticesOf(shareOf(blocks, parts, i), n, depth);
  };
  const Band rows = verticesIn(grid.rows, grid.rowOf(rank));
  const Band columns = verticesIn(grid.columns, grid.columnOf(rank));
  std::size_t most = 0;
  for (const Tier tier : {Tier::kInt32, Tier::kUint16})
    most = std::max(most, layoutOf(rows, columns, depth, kUnit, tier).bytes);
  return most + size(rows.count, rowWordsOf(columns.count, 1)) * sizeof(int);
}

std::string chooseGpu(int rankOnHost) {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
    cudaGetLastError();
    throw Error(Exit::kGpu, "there is no GPU on its machine: take --device cpu");
  }
  const int device = rankOnHost % gpus;
  CHECK_CUDA(cudaSetDevice(device));
  char place[32] = "";
  CHECK_CUDA(cudaDeviceGetPCIBusId(place, sizeof place, device));
  return place;
}
