// The GPU as a Device: memory, clock, and the passes over a matrix that happen where the matrix is.
// src/engine/device/no_cuda.cpp stands in for this file in a build without CUDA.
#include "device/cuda.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/quantity.h"
#include "device/matrix_block.h"
#include "device/nvml.h"
#include "device/shared_gpu.h"
#include "device/stream.h"

namespace {

// ---- small owners of CUDA resources ---------------------------------------------------------

/// One T in device memory, set from and read back to the host.
template <class T>
class DeviceValue {
 public:
  explicit DeviceValue(const T& value) {
    CHECK_CUDA(cudaMalloc(&there_, sizeof(T)));
    CHECK_CUDA(cudaMemcpy(there_, &value, sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceValue() { cudaFree(there_); }
  DeviceValue(const DeviceValue&) = delete;
  DeviceValue& operator=(const DeviceValue&) = delete;
  T* there() { return there_; }
  T get() const {
    T value;
    CHECK_CUDA(cudaMemcpy(&value, there_, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
  }

 private:
  T* there_ = nullptr;
};

/// Two pinned buffers through which pageable host memory flows to and from the device: while one is
/// on the bus, the CPU fills or empties the other.
class Staging {
 public:
  Staging() {
    for (Half& half : halves_) CHECK_CUDA(cudaMallocHost(&half.pinned, kBytes));
  }
  ~Staging() {
    for (Half& half : halves_) cudaFreeHost(half.pinned);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void upload(char* to, const char* host, std::size_t bytes) {
    const std::lock_guard alone(mutex_);
    for (std::size_t at = 0, turn = 0; at < bytes; at += kBytes, ++turn) {
      Half& half = halves_[turn % 2];
      const std::size_t piece = std::min(kBytes, bytes - at);
      half.done.wait();  // its last transfer has left the buffer
      std::memcpy(half.pinned, host + at, piece);
      CHECK_CUDA(cudaMemcpyAsync(to + at, half.pinned, piece, cudaMemcpyHostToDevice));
      half.done.record();
    }
    CHECK_CUDA(cudaDeviceSynchronize());
  }

  void download(char* host, const char* from, std::size_t bytes) {
    const std::lock_guard alone(mutex_);
    const std::size_t pieces = (bytes + kBytes - 1) / kBytes;
    for (std::size_t turn = 0; turn <= pieces;
         ++turn) {  // ask for piece `turn`, then empty the one before
      if (turn < pieces) {
        const std::size_t at = turn * kBytes;
        CHECK_CUDA(cudaMemcpyAsync(halves_[turn % 2].pinned, from + at,
                                   std::min(kBytes, bytes - at), cudaMemcpyDeviceToHost));
        halves_[turn % 2].done.record();
      }
      if (turn > 0) {
        const std::size_t at = (turn - 1) * kBytes;
        halves_[(turn - 1) % 2].done.wait();
        std::memcpy(host + at, halves_[(turn - 1) % 2].pinned, std::min(kBytes, bytes - at));
      }
    }
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{8} << 20;
  struct Half {
    void* pinned = nullptr;
    StreamEvent done;
  };
  Half halves_[2];
  std::mutex mutex_;  // a thread has both buffers for all of its transfer
};

// ---- passes over a matrix -------------------------------------------------------------------

constexpr int kThreads = 256;

/// Enough blocks of kThreads to cover `count` elements, or to fill any GPU; kernels stride over the
/// rest.
unsigned blocksFor(std::size_t count) {
  return static_cast<unsigned>(
      std::clamp<std::size_t>(ceilDiv<std::size_t>(count, kThreads), 1, 8192));
}

__device__ std::size_t firstIndex() {
  return static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ std::size_t stride() {
  return static_cast<std::size_t>(gridDim.x) * kThreads;
}

struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};

using Count = unsigned long long;  // what 64-bit atomics take

struct StatsThere {
  Count edges, hash;
  int maxWeight, minWeight;
};

__global__ void countAll(std::size_t n, const int* matrix, int none,  // matrix: (n, n)
                         StatsThere* result) {
  StatsThere mine{0, 0, 0, 0};
  for (std::size_t at = firstIndex(); at < n * n; at += stride()) {
    const std::size_t i = at / n, j = at % n;
    const int weight = matrix[at];
    if (i == j || weight >= none) continue;
    ++mine.edges;
    mine.hash += edgeHash(i, j, static_cast<std::uint64_t>(weight));
    mine.maxWeight = Max()(mine.maxWeight, weight);
    mine.minWeight = Min()(mine.minWeight, weight);
  }
  mine = {blockReduce(mine.edges, Count{0}, Sum()), blockReduce(mine.hash, Count{0}, Sum()),
          blockReduce(mine.maxWeight, 0, Max()), blockReduce(mine.minWeight, 0, Min())};
  if (threadIdx.x != 0) return;
  atomicAdd(&result->edges, mine.edges);
  atomicAdd(&result->hash, mine.hash);
  atomicMax(&result->maxWeight, mine.maxWeight);
  atomicMin(&result->minWeight, mine.minWeight);
}

struct MismatchThere {
  Count count, first;  // first: the smallest index that differs
};

// got, expected: words
template <Dtype dtype>
__global__ void compareAll(std::size_t count, const int* got, const int* expected, double tolerance,
                           MismatchThere* result) {
  MismatchThere mine{0, ULLONG_MAX};
  for (std::size_t at = firstIndex(); at < count; at += stride()) {
    const bool same = dtype == Dtype::kInt32
                          ? got[at] == expected[at]
                          : agree(__int_as_float(got[at]), __int_as_float(expected[at]), tolerance);
    if (same) continue;
    ++mine.count;
    mine.first = Min()(mine.first, Count{at});
  }
  mine = {blockReduce(mine.count, Count{0}, Sum()),
          blockReduce(mine.first, Count{ULLONG_MAX}, Min())};
  if (threadIdx.x != 0 || mine.count == 0) return;
  atomicAdd(&result->count, mine.count);
  atomicMin(&result->first, mine.first);
}

__global__ void zeroAll(std::size_t count, int* graph, int none) {
  for (std::size_t at = firstIndex(); at < count; at += stride()) {
    if (graph[at] < none) graph[at] = 0;
  }
}

// to, from: (n, n)
__global__ void renumberAll(std::size_t n, int* to, const int* from, std::size_t by) {
  for (std::size_t at = firstIndex(); at < n * n; at += stride())
    to[at] = from[(at / n + by) % n * n + (at % n + by) % n];
}

std::size_t square(int n) {
  return static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
}

// ---- the Device -----------------------------------------------------------------------------

const cudaDeviceProp& properties() {
  static const cudaDeviceProp prop = [] {
    cudaDeviceProp p{};
    CHECK_CUDA(cudaGetDeviceProperties(&p, 0));
    return p;
  }();
  return prop;
}

int capability() {
  return 10 * properties().major + properties().minor;
}

std::string uuid() {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char hex[4];
    std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(properties().uuid.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex;
  }
  return text;
}

/// Gives back what the default pool keeps for solvers to come (apsp.cu): cudaMalloc cannot use it.
void trimPool() {
  cudaMemPool_t pool;
  if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess) cudaMemPoolTrimTo(pool, 0);
  cudaGetLastError();  // a GPU without pools has none to trim
}

/// From so many words on a transfer gains by it.
constexpr std::size_t kWorthStaging = std::size_t{1} << 16;

/// Pinning memory takes longer than most transfers: it is done once, and remains.
Staging& staging() {
  static Staging* const buffers = new Staging;
  return *buffers;
}

class CudaDevice : public Device {
 public:
  DeviceKind kind() const override { return DeviceKind::kGpu; }

  DeviceInfo info() const override {
    int driver = 0, runtime = 0;
    CHECK_CUDA(cudaDriverGetVersion(&driver));
    CHECK_CUDA(cudaRuntimeGetVersion(&runtime));
    const std::string release = nvmlDriverRelease();
    return {properties().name,
            uuid(),
            release.empty() ? cudaVersion(driver) : release + " (CUDA " + cudaVersion(driver) + ")",
            cudaVersion(runtime),
            properties().multiProcessorCount,
            capability()};
  }

  Clocks clocks() const override { return nvmlClocks(uuid()); }

  std::size_t freeBytes() const override {
    trimPool();
    std::size_t free = 0, total = 0;
    CHECK_CUDA(cudaMemGetInfo(&free, &total));
    return free;
  }

  int* allocate(std::size_t count) const override {
    int* memory = nullptr;
    if (cudaMalloc(&memory, count * sizeof(int)) != cudaSuccess) {
      trimPool();
      cudaGetLastError();  // an allocation that fails is not sticky: clear it
      if (cudaMalloc(&memory, count * sizeof(int)) == cudaSuccess) return memory;
      cudaGetLastError();
      throw Error(Exit::kMemory, "device memory: " + bytesText(count * sizeof(int)) + " needed, " +
                                     bytesText(freeBytes()) + " free: solve a smaller graph");
    }
    return memory;
  }

  void release(int* memory) const override { cudaFree(memory); }

  void upload(int* to, const int* host, std::size_t count) const override {
    if (count < kWorthStaging) {
      CHECK_CUDA(cudaMemcpy(to, host, count * sizeof(int), cudaMemcpyHostToDevice));
      return;
    }
    staging().upload(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(host),
                     count * sizeof(int));
  }

  void download(int* host, const int* from, std::size_t count) const override {
    if (count < kWorthStaging) {
      CHECK_CUDA(cudaMemcpy(host, from, count * sizeof(int), cudaMemcpyDeviceToHost));
      return;
    }
    staging().download(reinterpret_cast<char*>(host), reinterpret_cast<const char*>(from),
                       count * sizeof(int));
  }

  void copy(int* to, const int* from, std::size_t count) const override {
    CHECK_CUDA(cudaMemcpy(to, from, count * sizeof(int), cudaMemcpyDeviceToDevice));
  }

  std::unique_ptr<SharedWords> share(std::size_t count) const override { return shareOnGpu(count); }
  std::unique_ptr<SharedWords> openShared(int descriptor, std::size_t count) const override {
    return openSharedOnGpu(descriptor, count);
  }

  double time(const std::function<void()>& solve) const override {
    const StreamEvent begin(true), end(true);
    CHECK_CUDA(cudaDeviceSynchronize());  // nothing of the reset runs into the measured time
    begin.record();
    solve();
    CHECK_CUDA(cudaGetLastError());
    end.record();
    end.wait();
    CHECK_CUDA(cudaGetLastError());
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin.event, end.event));
    return milliseconds;
  }

  void synchronise() const override { CHECK_CUDA(cudaDeviceSynchronize()); }

  std::size_t heldBytes() const override {
    std::size_t free = 0, total = 0;
    std::uint64_t reserved = 0, used = 0;
    CHECK_CUDA(cudaMemGetInfo(&free, &total));
    cudaMemPool_t pool;
    if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess) {
      cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
      cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    }
    cudaGetLastError();  // a GPU without pools keeps nothing in one
    return total - free - (reserved - used);
  }

  bool make(const GraphSource& source, int* matrix) const override {
    const int n = source.n();
    if (!source.blockOnGpu({0, n, 0, n, static_cast<std::size_t>(n), matrix})) return false;
    CHECK_CUDA(cudaDeviceSynchronize());
    return true;
  }

  GraphStats statistics(int n, const int* matrix, Dtype dtype) const override {
    DeviceValue<StatsThere> result({0, 0, 0, 0});
    countAll<<<blocksFor(square(n)), kThreads>>>(n, matrix, infinity(dtype), result.there());
    CHECK_CUDA(cudaGetLastError());
    const StatsThere total = result.get();
    return {total.edges, total.hash, total.maxWeight, total.minWeight};
  }

  Mismatch compare(int n, const int* got, const int* expected, Dtype dtype,
                   double tolerance) const override {
    DeviceValue<MismatchThere> result({0, ULLONG_MAX});
    const unsigned blocks = blocksFor(square(n));
    const auto kernel =
        dtype == Dtype::kInt32 ? compareAll<Dtype::kInt32> : compareAll<Dtype::kFloat32>;
    kernel<<<blocks, kThreads>>>(square(n), got, expected, tolerance, result.there());
    CHECK_CUDA(cudaGetLastError());
    const MismatchThere total = result.get();
    if (total.count == 0) return {};
    Mismatch mismatch{total.count, static_cast<int>(total.first / n),
                      static_cast<int>(total.first % n), 0, 0};
    CHECK_CUDA(cudaMemcpy(&mismatch.expected, expected + total.first, sizeof(int),
                          cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(&mismatch.got, got + total.first, sizeof(int), cudaMemcpyDeviceToHost));
    return mismatch;
  }

  void zeroWeights(int n, int* matrix, Dtype dtype) const override {
    zeroOnGpu(square(n), matrix, dtype);
  }

  void renumber(int n, int* to, const int* from, int by) const override {
    renumberAll<<<blocksFor(square(n)), kThreads>>>(n, to, from, by);
    CHECK_CUDA(cudaGetLastError());
  }
};

}  // namespace

void zeroOnGpu(std::size_t count, int* words, Dtype dtype) {
  zeroAll<<<blocksFor(count), kThreads>>>(count, words, infinity(dtype));
  CHECK_CUDA(cudaGetLastError());
}

const Device* findGpu(std::string& why) {
  CudaMachine machine;
  cudaDriverGetVersion(&machine.driver);
  cudaRuntimeGetVersion(&machine.runtime);
  const CudaStatus counted = cudaStatus(cudaGetDeviceCount(&machine.gpus));
  cudaGetLastError();  // that there is none is no error of a later call
  why = whyNoGpu(machine, counted);
  if (!why.empty()) return nullptr;
  cudaFuncAttributes attributes;
  const CudaStatus loaded = cudaStatus(cudaFuncGetAttributes(&attributes, zeroAll));
  requireKernels(machine, properties().name, capability(), loaded);
  static const CudaDevice gpu;
  return &gpu;
}
