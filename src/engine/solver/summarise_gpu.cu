// Summaries of rows that are in GPU memory.
#include "solver/summarise_gpu.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/size.h"
#include "device/infinity.cuh"
#include "device/parcel.h"

namespace engine {

namespace {

/// A RowSummary in GPU memory.
template <class T>
struct RowThere {
  int reachable;
  T largest;
  double sum;
  double harmonic;
  unsigned long long hash;
};

/// A block for each row. rows: (count, n), from vertex `first` on, to those from `target` on.
template <class T>
__global__ void summariseRows(const T* __restrict__ rows, int n, int target, int first,
                              RowThere<T>* summaries) {
  const int source = first + static_cast<int>(blockIdx.x);
  const T* const row = rows + asSize(blockIdx.x) * n;
  RowThere<T> mine{0, 0, 0, 0, 0};
  for (int j = static_cast<int>(threadIdx.x); j < n; j += static_cast<int>(blockDim.x)) {
    const T distance = row[j];
    if (target + j == source || !(distance < infinityOnGpu<T>())) continue;
    std::int64_t word;  // bitsOf() the distance
    if constexpr (std::is_same_v<T, float>)
      word = __float_as_int(distance);
    else if constexpr (std::is_same_v<T, double>)
      word = __double_as_longlong(distance);
    else
      word = distance;
    ++mine.reachable;
    mine.largest = max(mine.largest, distance);
    mine.sum += static_cast<double>(distance);
    if (distance != 0) mine.harmonic += 1 / static_cast<double>(distance);
    mine.hash += edgeHash(static_cast<std::uint64_t>(source),
                          static_cast<std::uint64_t>(target + j), static_cast<std::uint64_t>(word));
  }
  const auto add = [](auto a, auto b) { return a + b; };
  mine.reachable = blockReduce(mine.reachable, 0, add);
  mine.largest = blockReduce(mine.largest, T(0), [](T a, T b) { return max(a, b); });
  mine.sum = blockReduce(mine.sum, 0.0, add);
  mine.harmonic = blockReduce(mine.harmonic, 0.0, add);
  mine.hash = blockReduce(mine.hash, 0ull, add);
  if (threadIdx.x == 0) summaries[blockIdx.x] = mine;
}

/// A thread for each column of such rows.
template <class T>
__global__ void summariseColumns(const T* __restrict__ rows, int n, int target, int first,
                                 int count, ColumnSummary* summaries) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j >= n) return;
  ColumnSummary mine;
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    const T distance = rows[asSize(i) * n + j];
    if (first + i == target + j || !(distance < infinityOnGpu<T>())) continue;
    ++mine.reaching;
    mine.sum += static_cast<double>(distance);
    if (distance != 0) mine.harmonic += 1 / static_cast<double>(distance);
  }
  summaries[j] = mine;
}

template <class Element>
void fetch(std::vector<Element>& to, const GpuMemory& from) {
  CHECK_CUDA(
      cudaMemcpy(to.data(), from.at<Element>(0), to.size() * sizeof(Element), cudaMemcpyDefault));
}

template <class T>
void summarise(int target, int first, int count, const T* rows, Summaries& to) {
  std::vector<RowThere<T>> byRow(asSize(count));
  std::vector<ColumnSummary> byColumn(to.columns.size());
  const int n = static_cast<int>(byColumn.size());
  const GpuMemory ofRows(byRow.size() * sizeof(RowThere<T>));
  const GpuMemory ofColumns(byColumn.size() * sizeof(ColumnSummary));
  summariseRows<T>
      <<<static_cast<unsigned>(count), 256>>>(rows, n, target, first, ofRows.at<RowThere<T>>(0));
  CHECK_CUDA(cudaGetLastError());
  summariseColumns<T><<<static_cast<unsigned>(ceilDiv(n, 256)), 256>>>(
      rows, n, target, first, count, ofColumns.at<ColumnSummary>(0));
  CHECK_CUDA(cudaGetLastError());
  fetch(byRow, ofRows);
  fetch(byColumn, ofColumns);
  for (const RowThere<T>& row : byRow) {
    to.rows.push_back({row.reachable, row.largest, row.sum, row.harmonic, row.hash});
    to.total +=
        std::is_integral_v<T> ? Total{static_cast<__int128>(row.sum), 0} : Total{0, row.sum};
  }
  for (std::size_t j = 0; j < byColumn.size(); ++j) {
    to.columns[j].reaching += byColumn[j].reaching;
    to.columns[j].sum += byColumn[j].sum;
    to.columns[j].harmonic += byColumn[j].harmonic;
  }
}

}  // namespace

void summariseOnGpu(int target, int first, int count, ConstElements rows, Summaries& to) {
  if (count == 0) return;
  withElements(rows, [&](const auto* all) { summarise(target, first, count, all, to); });
}

}  // namespace engine
