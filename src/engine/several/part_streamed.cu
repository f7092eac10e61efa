// A rank's part in host memory that streams through its GPU, because it does not fit there.
//
// In a round, every slab of rows goes to the GPU, takes the round, and comes back. A slab has whole
// rows, so its piece of the column panel is in it, and only the row panel must be there before:
//
//     slab 0    load | pack D(i,k), product | store | load slab 3 …
//     slab 1           load | pack D(i,k), product | store | load …
//     slab 2                  load | pack D(i,k), product | store | …
//     ahead     row k+1: load, product(k), close, row panel(k+1), store
//
// Each place for a slab on the GPU has a stream of its own. While one slab computes, others are
// loaded and stored, and the first blocks of the next product fill the multiprocessors that the
// last blocks of this one leave.
//
// The row block of the next pivot has room of its own. It takes the round first, and its panel is
// made and sent while the slabs stream: the same look-ahead as in part_gpu.cu, but of rows only.
//
// Why it is fast. Between its load and its store, a word takes `depth` relaxations. The link of an
// H100 moves 44 GB/s each way at once, and the GPU relaxes 16 · 10¹² times a second in 32 bits.
// With 2048 pivots, the load of a word takes 91 ps, and its relaxations 128 ps. In 16 bits, both
// are half as long. Enough pivots therefore hide the link. docs/tuning.md has what was seen.
//
// The host's matrix is page-locked, because only then can the GPU copy while the host goes on. It
// is kept in the words of the tier: 16 bits if the options demand them.
#include <cuda_runtime.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/word.h"
#include "dense/analysis.cuh"
#include "dense/workspace.h"
#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "several/channel.h"
#include "several/kernels.h"
#include "several/part_gpu.h"
#include "several/spans.h"
#include "several/streamed.h"

namespace engine {

namespace {

constexpr int kSlabs = 4;          // one is loaded, two are computed, one is stored
constexpr int kSlabsInABlock = 8;  // slabs are so much lower than a block of pivots
constexpr int kEvenDepths = 1024;  // from here on, depths are multiples of it, as slabs like it

/// What is in GPU memory: offsets in bytes.
struct Layout {
  std::size_t right[2], before;  ///< row panels
  std::size_t pivot, closed;     ///< the pivot as a left panel, and while it is being closed
  std::size_t next, nextLeft;    ///< the row block of the next pivot, and its column panel
  std::size_t slabs[kSlabs], lefts[kSlabs];
  std::size_t bytes;
};

/// Rows of a slab. They divide a block, so a slab lies in one block.
int slabRows(int depth) {
  int rows = std::max(kUnit, depth / kSlabsInABlock / kUnit * kUnit);
  while (depth % rows != 0) rows -= kUnit;
  return rows;
}

Layout layoutOf(int columns, int depth, const RoundKernels& kernels) {
  const int words = rowWordsOf(columns, kernels.tier());
  const std::size_t right = kernels.panelBytes(kernels.tilesIn(columns), kernels.rightWords());
  const auto left = [&](int rows) {
    return kernels.panelBytes(kernels.tilesIn(rows), kernels.leftWords());
  };
  dense::Layout layout;
  Layout at{};
  for (std::size_t& panel : at.right) panel = layout.place(right, 1);
  at.before = layout.place(right, 1);
  at.pivot = layout.place(left(depth), 1);
  at.closed = layout.place(size(depth, wordsOf(depth, kernels.tier())), sizeof(int));
  at.next = layout.place(size(depth, words), sizeof(int));
  at.nextLeft = layout.place(left(depth), 1);
  for (int slab = 0; slab < kSlabs; ++slab) {
    at.slabs[slab] = layout.place(size(slabRows(depth), words), sizeof(int));
    at.lefts[slab] = layout.place(left(slabRows(depth)), 1);
  }
  at.bytes = layout.bytes();
  return at;
}

/// Bytes of GPU memory that rounds of such a depth take.
std::size_t workingBytes(int n, Tier tier, int depth) {
  const RoundKernels kernels(tier, n, depth, true);
  return dense::pooledBytes(layoutOf(n, depth, kernels).bytes + sizeof(int)) + kernels.closeBytes();
}

/// The most pivots a round for which there is room, 0 if there is none.
int depthFor(int n, Tier tier, std::size_t room) {
  const int unit = n > kEvenDepths ? kEvenDepths : kUnit;
  const int all = ceilDiv(n, unit) * unit, most = RoundKernels(tier, n, kUnit, true).mostPivots();
  for (int depth = std::min(all, most); depth > 0;
       depth -= depth > kEvenDepths ? kEvenDepths : kUnit)
    if (workingBytes(n, tier, depth) <= room) return depth;
  return 0;
}

/// Page-locked host memory, filled with two words in turn by all threads. It has large pages,
/// because they are locked much faster than the small ones of cudaMallocHost().
class LockedWords {
 public:
  /// count: of words of 32 bits, even. pair: the bits of two.
  LockedWords(std::size_t count, std::int64_t pair) {
    if (count == 0) return;
    constexpr std::size_t kPage = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(int) + kPage - 1) / kPage * kPage;
    requireHostBytes(bytes, "a rank's part of the matrix");
    words_ = static_cast<int*>(std::aligned_alloc(kPage, bytes));
    if (words_ != nullptr) madvise(words_, bytes, MADV_HUGEPAGE);
    if (words_ != nullptr) {
#pragma omp parallel for schedule(static)
      for (std::size_t at = 0; at < count / 2; ++at)
        std::memcpy(words_ + 2 * at, &pair, sizeof pair);
    }
    if (words_ == nullptr ||
        cudaHostRegister(words_, bytes, cudaHostRegisterPortable) != cudaSuccess) {
      cudaGetLastError();  // lack of memory is not a sticky error: clear it
      std::free(words_);
      throw Error(ErrorCode::kMemory, "no room for " + bytesText(bytes) +
                                          " of page-locked host memory: solve a smaller graph");
    }
  }
  ~LockedWords() {
    if (words_ == nullptr) return;
    cudaHostUnregister(words_);
    std::free(words_);
  }
  LockedWords(const LockedWords&) = delete;
  LockedWords& operator=(const LockedWords&) = delete;
  int* get() const {
    return words_;
  }

 private:
  int* words_ = nullptr;
};

class StreamedPart : public Part {
 public:
  StreamedPart(int n, Tier tier, int depth, Channels channels, Grid grid, int rank)
      : n_(n),
        depth_(depth),
        kernels_(tier, n, depth, true),
        rowBlocks_(shareOf(blocksOf(n, depth), grid.rows, grid.rowOf(rank))),
        layout_(layoutOf(n, depth, kernels_)),
        words_(size(rows().count, rowWords()), infiniteWords()),
        channels_(std::move(channels)) {}
  ~StreamedPart() override { cudaDeviceSynchronize(); }

  Band rows() const override { return verticesOf(rowBlocks_, n_, depth_); }
  Band columns() const override { return {0, n_}; }
  int depth() const override { return depth_; }
  Tier onlyTier() const override { return kernels_.tier(); }

  void put(Band band, ConstElements elements) override {
    const int* const words = wordsOf(elements, hostType());
    std::vector<std::uint16_t> narrow(size(n_, 1));
    for (int i = 0; i < band.count; ++i) {
      const int* const from = words + size(i, hostWords());
      int* const to = rowAt(band.first + i);
      if (kernels_.tier() != Tier::kUint16) {
        std::copy_n(from, hostWords(), to);
      } else {
        std::transform(from, from + n_, narrow.begin(), [](int weight) {
          return static_cast<std::uint16_t>(std::min(weight, Uint16::kTooFar));
        });
        std::memcpy(to, narrow.data(), narrow.size() * sizeof narrow[0]);
      }
    }
  }
  void get(Band band, Elements elements) const override {
    int* const words = wordsOf(elements, hostType());
    CHECK_CUDA(cudaDeviceSynchronize());
    std::vector<std::uint16_t> narrow(size(n_, 1));
    for (int i = 0; i < band.count; ++i) {
      const int* const from = rowAt(band.first + i);
      int* const to = words + size(i, hostWords());
      if (kernels_.tier() != Tier::kUint16) {
        std::copy_n(from, hostWords(), to);
      } else {
        std::memcpy(narrow.data(), from, narrow.size() * sizeof narrow[0]);
        std::copy(narrow.begin(), narrow.end(), to);
      }
    }
  }

  // ---- a solve

  bool begin(Tier, bool) override {
    working_.emplace(layout_.bytes + sizeof(int), ahead_.stream);
    if (!*working_) {
      working_.reset();
      return false;
    }
    CHECK_CUDA(cudaMemsetAsync(tooFar(), 0, sizeof(int), ahead_.stream));
    CHECK_CUDA(cudaStreamSynchronize(ahead_.stream));  // the memory is there for all streams
    loaded_ = -1;
    slab_ = 0;
    stored_ = std::vector<StreamEvent>(size(blocksOf(rows().count, slabRows(depth_)), 1));
    spans_.begin(ahead_);
    return true;
  }

  void beginRound(int) override { spans_.beginRound(ahead_, rest_); }

  void close(int k) override {
    load(k);
    kernels_.close(k, next(k), 0, kernels_.steps() * k, working_->at<int>(layout_.closed),
                   panel(layout_.pivot, kernels_.steps(), kernels_.leftWords()),
                   spans_.first() ? 1 : kCloseShare, ahead_);
  }
  Message pivot(int) override { return {nullptr, 0}; }

  void makeRowPanel(int k) override {
    load(k);
    kernels_.makeRowPanel(k, next(k), 0,
                          panel(layout_.pivot, kernels_.steps(), kernels_.leftWords()),
                          rightPanel(layout_.before), rightPanel(layout_.right[k % 2]), ahead_);
    checkRange(k, next(k), ahead_);
    store_.wait(ahead_);
    const Band here = vertices(k);
    copy(rowAt(here.first), next(k).base, here.count, store_);
    for (int slab = slabOf(here.first); slab < slabOf(here.end() - 1) + 1; ++slab)
      stored_[size(slab, 1)].record(store_.stream);
    nextStored_.record(store_.stream);
  }
  Message rowPanel(int k) override {
    const product::Panel panel = rightPanel(layout_.right[k % 2]);
    return {panel.tiles, kernels_.panelBytes(kernels_.tilesIn(n_), kernels_.rightWords())};
  }

  void makeColumnPanel(int) override {}  // every slab has its own piece
  Message columnPanel(int) override { return {nullptr, 0}; }

  void update(int k, Which which) override {
    if (which == Which::kRest) return stream(k);
    if (!rowBlocks_.has(k + 1)) return;
    load(k + 1);
    updateRows(k, next(k + 1), panelOf(layout_.nextLeft, next(k + 1)), ahead_);
  }

  std::unique_ptr<Transfer> startBroadcast(GridRanks&, Along direction, Message what,
                                           int root) override {
    return channels_.startBroadcast(direction, what, root, ahead_, send_);
  }

  bool finish(RankTimes& times) override {
    CHECK_CUDA(cudaDeviceSynchronize());
    spans_.addTo(times);
    int found = 0;
    CHECK_CUDA(cudaMemcpy(&found, tooFar(), sizeof found, cudaMemcpyDeviceToHost));
    return found == 0;
  }
  void end(bool) override {
    CHECK_CUDA(cudaDeviceSynchronize());
    working_.reset();
  }

 private:
  // ---- where things are

  int rowWords() const { return rowWordsOf(n_, kernels_.tier()); }
  /// Numbers of as many bits as those of put() and get(): 16 bits are widened there.
  Dtype hostType() const {
    return dense::weightBytes(kernels_.tier()) == 8 ? Dtype::kInt64 : Dtype::kInt32;
  }
  /// The words of a row there.
  int hostWords() const { return wordsOf(n_, tierOf(hostType())); }
  /// The bits of infinity in two words.
  std::int64_t infiniteWords() const {
    const auto twice = [](std::int64_t word) { return word << 32 | word; };
    switch (kernels_.tier()) {
      case Tier::kUint16:
        return twice(Uint16::kInfinity);
      case Tier::kFloat32:
        return twice(infinityBits(Dtype::kFloat32));
      case Tier::kInt64:
        return infinityBits(Dtype::kInt64);
      case Tier::kFloat64:
        return infinityBits(Dtype::kFloat64);
      default:
        return twice(infinityBits(Dtype::kInt32));
    }
  }
  int* rowAt(int i) const { return words_.get() + size(i - rows().first, rowWords()); }
  /// The rows of block k, which is here.
  Band vertices(int k) const { return verticesOf({k, 1}, n_, depth_); }
  int slabOf(int i) const { return (i - rows().first) / slabRows(depth_); }
  int* tooFar() const { return working_->at<int>(layout_.bytes); }

  product::Panel panel(std::size_t at, int lines, std::size_t words) const {
    return kernels_.panel(working_->at<int>(at), lines, words);
  }
  product::Panel rightPanel(std::size_t at) const {
    return panel(at, kernels_.tilesIn(n_), kernels_.rightWords());
  }
  /// The column panel of some rows: D(i,k) for these rows i.
  product::Panel panelOf(std::size_t at, WordMatrix some) const {
    return panel(at, kernels_.tilesIn(some.n), kernels_.leftWords());
  }
  /// The row block of a pivot on the GPU.
  WordMatrix next(int k) const {
    return {vertices(k).count, rowWords(), working_->at<int>(layout_.next)};
  }

  // ---- what happens

  void copy(int* to, const int* from, int count, const Stream& on) const {
    CHECK_CUDA(cudaMemcpyAsync(to, from, size(count, rowWords()) * sizeof(int), cudaMemcpyDefault,
                               on.stream));
  }

  /// Loads the row block of pivot k, unless it is on the GPU. The load waits until the row block
  /// that was there has been stored, and until this one has taken the round before.
  void load(int k) {
    if (loaded_ == k) return;
    loaded_ = k;
    const Band here = vertices(k);
    ahead_.wait(nextStored_);
    for (int slab = slabOf(here.first); slab < slabOf(here.end() - 1) + 1; ++slab)
      ahead_.wait(stored_[size(slab, 1)]);
    copy(next(k).base, rowAt(here.first), here.count, ahead_);
  }

  /// Does round k for some rows: packs their D(i,k), and multiplies.
  void updateRows(int k, WordMatrix some, product::Panel left, const Stream& on) const {
    const int tiles = kernels_.tilesIn(some.n);
    kernels_.packLeft(some, kernels_.steps() * k, tiles, left, on);
    kernels_.update(k, some, RoundKernels::only({0, tiles}),
                    RoundKernels::only({0, kernels_.tilesIn(n_)}), left,
                    rightPanel(layout_.right[k % 2]), on);
    checkRange(k, some, on);
  }

  /// After the last round: whether some distance is too far.
  void checkRange(int k, WordMatrix some, const Stream& on) const {
    if (k + 1 < blocksOf(n_, depth_) || kernels_.tier() != Tier::kUint16) return;
    analysis::findTooFar<<<some.n, kThreads, 0, on.stream>>>(n_, some, tooFar());
    CHECK_CUDA(cudaGetLastError());
  }

  /// Round k for all slabs but those of the row blocks k, which is done, and k + 1.
  void stream(int k) {
    const int height = slabRows(depth_);
    const StreamEvent panelsCame;
    panelsCame.record(rest_.stream);
    for (int first = rows().first; first < rows().end(); first += height) {
      const int block = first / depth_;
      if (block == k || block == k + 1) continue;
      const int place = slab_++ % kSlabs;
      const Stream& on = streams_[place];
      const WordMatrix slab{std::min(height, rows().end() - first), rowWords(),
                            working_->at<int>(layout_.slabs[place])};
      StreamEvent& stored = stored_[size(slabOf(first), 1)];
      on.wait(stored);  // after the round before
      copy(slab.base, rowAt(first), slab.n, on);
      on.wait(panelsCame);
      updateRows(k, slab, panelOf(layout_.lefts[place], slab), on);
      copy(rowAt(first), slab.base, slab.n, on);
      stored.record(on.stream);
    }
    for (const Stream& on : streams_) rest_.wait(on);
    spans_.endRound(rest_);
  }

  const int n_, depth_;
  const RoundKernels kernels_;
  const Band rowBlocks_;
  const Layout layout_;
  const LockedWords words_;  // (rows, rowWords) in the words of the tier
  const Channels channels_;
  Stream ahead_{true}, send_{true}, store_{true};
  Stream rest_{false};  // waits for the panels, and for all slabs of a round
  Stream streams_[kSlabs] = {Stream(false), Stream(false), Stream(false), Stream(false)};

  // Of a solve:
  std::optional<DeviceBuffer> working_;
  Spans spans_;
  int loaded_ = -1;  // the pivot whose row block is on the GPU
  int slab_ = 0;     // slabs so far
  StreamEvent nextStored_;
  std::vector<StreamEvent> stored_;  // of each slab: it is in host memory
};

}  // namespace

Tier storedTier(Dtype dtype, Precision precision) {
  const bool narrow = dtype == Dtype::kInt32 && precision == Precision::k16;
  return narrow ? Tier::kUint16 : tierOf(dtype);
}

std::unique_ptr<Part> streamedPart(int n, Tier tier, std::size_t room, Channels channels, Grid grid,
                                   int rank) {
  if (grid.columns > 1)
    throw Error(ErrorCode::kMemory,
                "the matrix does not fit on the GPUs of this grid: take a grid of one column, " +
                    gridText({grid.ranks(), 1}));
  const int depth = depthFor(n, tier, room);
  if (depth == 0)
    throw Error(ErrorCode::kMemory, bytesText(room) +
                                        " of GPU memory are too little for a graph of " +
                                        std::to_string(n) + " vertices: solve a smaller one");
  return std::make_unique<StreamedPart>(n, tier, depth, std::move(channels), grid, rank);
}

Memory streamedMemory(int n, Dtype dtype, Precision precision, Grid grid, int rank) {
  const Tier tier = storedTier(dtype, precision);
  const Band blocks = shareOf(blocksOf(n, kUnit), grid.rows, grid.rowOf(rank));
  const int rows = verticesOf(blocks, n, kUnit).count;
  const std::size_t least = workingBytes(n, tier, kUnit);
  return {least, 0, size(rows, rowWordsOf(n, tier)) * sizeof(int)};
}

}  // namespace engine
