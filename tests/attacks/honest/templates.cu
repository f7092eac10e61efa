// Tiles whose side is a template parameter, three kernels, dynamic shared memory, static device memory for a copy that
// is padded to whole tiles.
#include <type_traits>
#include <utility>

namespace {

constexpr int kInf = 1073741823;

template <int kSide, class Index>
__global__ __launch_bounds__(kSide* kSide) void pad(int n, int side, const int* from, int* to) {
  static_assert(std::is_integral<Index>::value, "");
  const Index i = blockIdx.y * kSide + threadIdx.y, j = blockIdx.x * kSide + threadIdx.x;
  to[i * side + j] = i < n && j < n ? from[i * n + j] : i == j ? 0 : kInf;
}

template <int kSide>
__device__ void relax(int* c, const int* a, const int* b) {
#pragma unroll
  for (int k = 0; k < kSide; ++k) {
    __syncthreads();
    const int through = a[threadIdx.y * kSide + k] + b[k * kSide + threadIdx.x];
    __syncthreads();
    if (through < c[threadIdx.y * kSide + threadIdx.x]) c[threadIdx.y * kSide + threadIdx.x] = through;
  }
}

/// Phase 0: the pivot's tile; 1: its row and column; 2: the others.
template <int kSide, int kPhase>
__global__ void tile(int side, int pivot, int* d) {
  extern __shared__ int shared[];
  int *c = shared, *a = c + kSide * kSide, *b = a + kSide * kSide;
  const int x = blockIdx.x, y = blockIdx.y;
  const int row = kPhase == 2 ? y : kPhase == 1 && y == 1 ? x : pivot;
  const int column = kPhase == 2 || (kPhase == 1 && y == 0) ? x : pivot;
  if (kPhase == 1 && x == pivot) return;
  if (kPhase == 2 && (row == pivot || column == pivot)) return;
  const int at = threadIdx.y * kSide + threadIdx.x;
  const auto entry = [&](int i, int j) -> int& {
    return d[(i * kSide + threadIdx.y) * side + j * kSide + threadIdx.x];
  };
  c[at] = entry(row, column);
  a[at] = entry(row, pivot);
  b[at] = entry(pivot, column);
  relax<kSide>(c, column == pivot ? c : a, row == pivot ? c : b);
  __syncthreads();
  entry(row, column) = c[at];
}

template <int kSide>
__global__ void cut(int n, int side, const int* from, int* to) {
  const int i = blockIdx.y * kSide + threadIdx.y, j = blockIdx.x * kSide + threadIdx.x;
  if (i < n && j < n) to[i * n + j] = from[i * side + j];
}

template <int kSide>
void solve(int n, int* graph) {
  static int* padded = nullptr;
  static int capacity = 0;
  const int tiles = (n + kSide - 1) / kSide, side = tiles * kSide;
  if (side > capacity) {
    cudaFree(std::exchange(padded, nullptr));
    cudaMalloc(&padded, sizeof(int) * side * side);
    capacity = side;
  }
  const dim3 block(kSide, kSide), grid(tiles, tiles);
  const size_t shared = 3 * kSide * kSide * sizeof(int);
  pad<kSide, int><<<grid, block>>>(n, side, graph, padded);
  for (int pivot = 0; pivot < tiles; ++pivot) {
    tile<kSide, 0><<<1, block, shared>>>(side, pivot, padded);
    tile<kSide, 1><<<dim3(tiles, 2), block, shared>>>(side, pivot, padded);
    tile<kSide, 2><<<grid, block, shared>>>(side, pivot, padded);
  }
  cut<kSide><<<grid, block>>>(n, side, padded, graph);
}

}  // namespace

void apsp(int n, int* graph) {
  n <= 16 ? solve<16>(n, graph) : solve<32>(n, graph);
}
