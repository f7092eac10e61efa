#include "several/kernels.h"

#include <algorithm>
#include <climits>

#include "dense/closure.h"
#include "dense/workspace.h"
#include "device/cuda.h"

namespace engine {

namespace {

constexpr int kMostPerBlock = 4;  // tiles that a block of threads takes one after the other
constexpr int kWaves = 8;         // but so many blocks at least for each that can run at a time

/// Which template instance does the work.
template <class T, int kSide>
struct Shape {
  using Words = T;
  static constexpr int kTile = kSide;
};

}  // namespace

int rowWordsOf(int columns, Tier tier) {
  const std::size_t bytes = asSize(columns) * dense::weightBytes(tier);
  return static_cast<int>((bytes + sizeof(int4) - 1) / sizeof(int4)) * dense::kVector;
}

RoundKernels::RoundKernels(Tier tier, int n, int depth, bool skip)
    : tier_(tier), n_(n), depth_(depth), skip_(skip), tile_(sideFor(tier)) {}

/// The larger tiles if a multiprocessor has room for them. The registers of a block have no room
/// for them in 64 bits, and the side that would fit divides no block.
int RoundKernels::sideFor(Tier tier) const {
  if (dense::weightBytes(tier) == 8) return kUnit / 2;
  const bool fits =
      tier == Tier::kUint16 || gpu_.major < 8 || sharedBytes<Int32, kUnit>() <= gpu_.shared;
  return fits ? kUnit : kUnit / 2;
}

/// Shared memory of a block of threads of product::multiply().
template <class T, int kTile>
int RoundKernels::sharedBytes() const {
  return static_cast<int>(gpu_.major >= 8 ? sizeof(product::Storage<T, kTile, true>)
                                          : sizeof(product::Storage<T, kTile, false>));
}

/// Calls f with the Shape of the tier and the tiles.
template <class F>
void RoundKernels::withShape(F f) const {
  const bool wide = tile_ == kUnit;
  if (tier_ == Tier::kUint16) return f(Shape<Uint16, kUnit>());
  if (tier_ == Tier::kInt32) return wide ? f(Shape<Int32, kUnit>()) : f(Shape<Int32, kUnit / 2>());
  if (tier_ == Tier::kInt64) return f(Shape<Int64, kUnit / 2>());
  if (tier_ == Tier::kFloat64) return f(Shape<Float64, kUnit / 2>());
  return wide ? f(Shape<Float32, kUnit>()) : f(Shape<Float32, kUnit / 2>());
}

int RoundKernels::pivots(int k) const {
  return std::min(depth_, n_ - k * depth_);
}

Band RoundKernels::tilesOf(Band blocks, int tiles, int k) const {
  if (!blocks.has(k)) return {INT_MAX, 0};
  const int first = (k - blocks.first) * steps();
  return {first, std::min(steps(), tiles - first)};
}

std::size_t RoundKernels::panelBytes(int lines, std::size_t words) const {
  return size(lines, steps()) * (words + 1) * sizeof(int);
}

void RoundKernels::clearFlags(product::Panel panel, int lines, const Stream& stream) const {
  CHECK_CUDA(cudaMemsetAsync(panel.finite, 0, size(lines, steps()) * sizeof(int), stream.stream));
}

void RoundKernels::packLeft(WordMatrix from, int column, int lines, product::Panel panel,
                            const Stream& stream) const {
  if (lines == 0) return;
  clearFlags(panel, lines, stream);
  withShape([&](auto shape) {
    using S = decltype(shape);
    constexpr int kWords = TileStorage<typename S::Words, S::kTile>::kWords;
    product::packLeft<typename S::Words, S::kTile>
        <<<dim3(steps(), lines), kThreads, 0, stream.stream>>>(from, 0, column * kWords, panel);
  });
  CHECK_CUDA(cudaGetLastError());
}

void RoundKernels::packRight(WordMatrix from, int row, int lines, product::Panel panel,
                             const Stream& stream) const {
  if (lines == 0) return;
  clearFlags(panel, lines, stream);
  withShape([&](auto shape) {
    using S = decltype(shape);
    product::packRight<typename S::Words, S::kTile>
        <<<dim3(steps(), lines), kThreads, 0, stream.stream>>>(from, row * S::kTile, 0, panel);
  });
  CHECK_CUDA(cudaGetLastError());
}

std::size_t RoundKernels::closeBytes() const {
  const int tile = dense::tileSide(depth_, {}, tier_);
  return dense::pooledBytes(dense::solverLayout(depth_, tile, tier_).bytes);
}

void RoundKernels::close(int k, WordMatrix from, int row, int column, int* closed,
                         product::Panel pivot, int share, const Stream& stream) const {
  const int vertices = pivots(k);
  const WordMatrix to{vertices, rowWordsOf(vertices, tier_), closed};
  const std::size_t bytes = size(to.words, sizeof(int));
  const int* const block =
      from.base + size(row * tile_, from.words) + column * wordsOf(tile_, tier_);
  CHECK_CUDA(cudaMemcpy2DAsync(closed, bytes, block, size(from.words, sizeof(int)), bytes,
                               size(vertices, 1), cudaMemcpyDeviceToDevice, stream.stream));
  closeOnGpu({tier_, vertices, to.words, closed}, share, skip_, stream.stream);
  packLeft(to, 0, steps(), pivot, stream);
}

/// The parameters that all products of round k share.
product::Params RoundKernels::parameters(int k, WordMatrix matrix) const {
  product::Params p{};
  p.matrix = matrix;
  p.steps = steps();
  p.pivots = pivots(k);
  p.skip = skip_;
  p.one = 1;
  return p;
}

void RoundKernels::makeRowPanel(int k, WordMatrix matrix, int row, product::Panel pivot,
                                product::Panel before, product::Panel panel,
                                const Stream& stream) const {
  const int columns = tilesIn(weightsIn(matrix.words, tier_));
  packRight(matrix, row, columns, before, stream);
  product::Params p = parameters(k, matrix);
  p.rows = only({row, tilesIn(pivots(k))});
  p.columns = only({0, columns});
  p.left = pivot;
  p.leftFirst = row;
  p.right = before;
  p.packed = panel;
  clearFlags(panel, columns, stream);
  multiply(p, stream);
}

void RoundKernels::update(int k, WordMatrix matrix, product::Lines rows, product::Lines columns,
                          product::Panel left, product::Panel right, const Stream& stream) const {
  product::Params p = parameters(k, matrix);
  p.rows = rows;
  p.columns = columns;
  p.left = left;
  p.right = right;
  multiply(p, stream);
}

void RoundKernels::multiply(product::Params p, const Stream& stream) const {
  const int tiles = p.rows.count * p.columns.count;
  if (tiles == 0) return;
  withShape([&](auto shape) {
    using S = decltype(shape);
    using Words = typename S::Words;
    const int running = gpu_.processors * TileStorage<Words, S::kTile>::kResident;
    p.perBlock = std::clamp(tiles / (running * kWaves), 1, kMostPerBlock);
    const auto kernel = product::multiply<Words, S::kTile>;
    const int shared = sharedBytes<Words, S::kTile>();
    if (gpu_.major >= 7)
      CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    kernel<<<ceilDiv(tiles, p.perBlock), kBlock, shared, stream.stream>>>(p);
  });
  CHECK_CUDA(cudaGetLastError());
}

product::Lines RoundKernels::only(Band tiles) {
  return {tiles.first, tiles.count, {{INT_MAX, 0}, {INT_MAX, 0}}};
}

product::Lines RoundKernels::without(int lines, const std::vector<Band>& bands) {
  product::Lines all = only({0, lines});
  int gaps = 0;
  for (const Band& band : bands) {
    if (band.count == 0) continue;
    all.count -= band.count;
    all.gaps[gaps++] = band;
  }
  return all;
}

}  // namespace engine
