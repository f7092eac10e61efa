// Summaries of rows that are in GPU memory.
//
// One kernel adds up the rows, a block for each; another adds up the columns, a thread for each. If
// there are fewer columns than threads that the GPU runs at the same time, several threads share a
// column: each takes some of the rows, and has sums of its own until finish().
//
// Whole numbers are added up exactly, in two words: low + 2³² · high. A graph has fewer than 2³¹
// vertices, so neither word overflows.
#include "solver/summarise_gpu.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/size.h"
#include "device/infinity.cuh"
#include "device/parcel.h"

namespace engine {

namespace {

/// Enough threads for the memory of the largest GPU to be busy.
constexpr int kThreads = 1 << 19;
constexpr int kMostParts = 256;  // of the rows that are added at once

/// A sum of distances of type T.
template <class T>
struct SumThere {
  std::int64_t low, high;  // of whole numbers
  double real;             // of others

  __device__ void add(T distance) {
    if constexpr (!std::is_integral_v<T>) {
      real += static_cast<double>(distance);
    } else if constexpr (sizeof(T) == 4) {
      low += distance;
    } else {
      low += static_cast<std::uint32_t>(distance);
      high += distance >> 32;
    }
  }
  __device__ void add(const SumThere& other) {
    low += other.low;
    high += other.high;
    real += other.real;
  }
  Total total() const {
    return {low + static_cast<__int128>(high) * (std::int64_t{1} << 32), real};
  }
};

/// What some distances of a column come to.
template <class T>
struct ColumnThere {
  int reaching;
  double harmonic;
  SumThere<T> sum;

  __device__ void add(T distance) {
    ++reaching;
    sum.add(distance);
    if (distance != 0) harmonic += 1 / static_cast<double>(distance);
  }
  __device__ void add(const ColumnThere& other) {
    reaching += other.reaching;
    harmonic += other.harmonic;
    sum.add(other.sum);
  }
};

/// And of a row.
template <class T>
struct RowThere {
  ColumnThere<T> all;
  T largest;
  unsigned long long hash;
};

/// The bits of a distance: bitsOf().
template <class T>
__device__ std::int64_t bitsThere(T distance) {
  if constexpr (std::is_same_v<T, float>)
    return __float_as_int(distance);
  else if constexpr (std::is_same_v<T, double>)
    return __double_as_longlong(distance);
  else
    return distance;
}

/// A block for each row. rows: (count, n), from vertex `first` on, to those from `target` on.
/// Without kHashes, the hashes are 0.
template <class T, bool kHashes>
__global__ void summariseRows(const T* __restrict__ rows, int n, int target, int first,
                              RowThere<T>* summaries) {
  const int source = first + static_cast<int>(blockIdx.x);
  const T* const row = rows + asSize(blockIdx.x) * n;
  constexpr T kLowest = std::numeric_limits<T>::lowest();
  RowThere<T> mine{{}, kLowest, 0};
  for (int j = static_cast<int>(threadIdx.x); j < n; j += static_cast<int>(blockDim.x)) {
    const T distance = row[j];
    if (target + j == source || !(distance < infinityOnGpu<T>())) continue;
    mine.all.add(distance);
    mine.largest = max(mine.largest, distance);
    if constexpr (kHashes)
      mine.hash +=
          edgeHash(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(target + j),
                   static_cast<std::uint64_t>(bitsThere(distance)));
  }
  const auto add = [](auto a, auto b) { return a + b; };
  mine.all.reaching = blockReduce(mine.all.reaching, 0, add);
  mine.all.harmonic = blockReduce(mine.all.harmonic, 0.0, add);
  mine.all.sum.low = blockReduce(mine.all.sum.low, std::int64_t{0}, add);
  mine.all.sum.high = blockReduce(mine.all.sum.high, std::int64_t{0}, add);
  mine.all.sum.real = blockReduce(mine.all.sum.real, 0.0, add);
  mine.largest = blockReduce(mine.largest, kLowest, [](T a, T b) { return max(a, b); });
  if constexpr (kHashes) mine.hash = blockReduce(mine.hash, 0ull, add);
  if (threadIdx.x == 0) summaries[blockIdx.x] = mine;
}

/// Adds up the columns of such rows. A thread for each column, and for each part of the rows: part
/// p has those from p · inPart on. summaries: (parts, n).
template <class T>
__global__ void summariseColumns(const T* __restrict__ rows, int n, int target, int first,
                                 int count, int inPart, ColumnThere<T>* summaries) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j >= n) return;
  const int begin = static_cast<int>(blockIdx.y) * inPart;
  const int end = min(begin + inPart, count);
  ColumnThere<T>& to = summaries[asSize(blockIdx.y) * n + j];
  ColumnThere<T> mine = to;
#pragma unroll 4
  for (int i = begin; i < end; ++i) {
    const T distance = rows[asSize(i) * n + j];
    if (first + i == target + j || !(distance < infinityOnGpu<T>())) continue;
    mine.add(distance);
  }
  to = mine;
}

/// A thread for each column adds up its parts into the first one. summaries: (parts, n).
template <class T>
__global__ void addParts(int n, int parts, ColumnThere<T>* summaries) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j >= n) return;
  for (int part = 1; part < parts; ++part) summaries[j].add(summaries[asSize(part) * n + j]);
}

template <class Element>
std::vector<Element> fetch(const GpuMemory& from, std::size_t count) {
  std::vector<Element> to(count);
  CHECK_CUDA(
      cudaMemcpy(to.data(), from.at<Element>(0), count * sizeof(Element), cudaMemcpyDefault));
  return to;
}

template <class T>
class SummingThere : public Summing {
 public:
  SummingThere(const Distances& shape, bool hashes)
      : shape_(shape),
        hashes_(hashes),
        n_(shape.columns()),
        parts_(std::clamp(kThreads / std::max(1, n_), 1, kMostParts)),
        columns_(bytesOfColumns()) {
    CHECK_CUDA(cudaMemsetAsync(columns_.at<char>(0), 0, bytesOfColumns(), nullptr));
  }

  void add(int first, int count, ConstElements rows) override {
    if (count == 0 || n_ == 0) return;
    const int source = shape_.source(first), target = shape_.target(0);
    const GpuMemory ofRows(asSize(count) * sizeof(RowThere<T>));
    const auto summarise = hashes_ ? summariseRows<T, true> : summariseRows<T, false>;
    summarise<<<static_cast<unsigned>(count), 256>>>(rows.as<T>(), n_, target, source,
                                                     ofRows.at<RowThere<T>>(0));
    CHECK_CUDA(cudaGetLastError());
    const int inPart = ceilDiv(count, parts_);
    const dim3 blocks(blocksOfColumns(), static_cast<unsigned>(ceilDiv(count, inPart)));
    summariseColumns<T><<<blocks, 256>>>(rows.as<T>(), n_, target, source, count, inPart,
                                         columns_.at<ColumnThere<T>>(0));
    CHECK_CUDA(cudaGetLastError());
    for (const RowThere<T>& row : fetch<RowThere<T>>(ofRows, asSize(count))) {
      const Total sum = row.all.sum.total();
      const T largest = row.all.reaching > 0 ? row.largest : T(0);
      found_.rows.push_back({row.all.reaching, largest, sum.value(), row.all.harmonic, row.hash});
      found_.total += sum;
    }
  }

  Summaries finish() override {
    if (n_ > 0) addParts<T><<<blocksOfColumns(), 256>>>(n_, parts_, columns_.at<ColumnThere<T>>(0));
    CHECK_CUDA(cudaGetLastError());
    for (const ColumnThere<T>& column : fetch<ColumnThere<T>>(columns_, asSize(n_)))
      found_.columns.push_back({column.reaching, column.sum.total().value(), column.harmonic});
    return std::move(found_);
  }

 private:
  std::size_t bytesOfColumns() const {
    return asSize(parts_) * asSize(n_) * sizeof(ColumnThere<T>);
  }
  unsigned blocksOfColumns() const { return static_cast<unsigned>(ceilDiv(n_, 256)); }

  const Distances& shape_;
  const bool hashes_;
  const int n_, parts_;
  const GpuMemory columns_;  // (parts, n)
  Summaries found_;
};

}  // namespace

std::unique_ptr<Summing> summingOnGpu(const Distances& shape, bool hashes) {
  return withType(shape.dtype(), [&](auto zero) -> std::unique_ptr<Summing> {
    return std::make_unique<SummingThere<decltype(zero)>>(shape, hashes);
  });
}

}  // namespace engine
