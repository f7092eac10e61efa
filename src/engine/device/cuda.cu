// The GPU as a Device: memory, clock, and the passes over a matrix that happen where the matrix is.
// src/engine/device/no_cuda.cpp stands in for this file in a build without CUDA.
#include "device/cuda.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/quantity.h"
#include "base/size.h"
#include "device/cuda_memory.h"
#include "device/matrix_block.h"
#include "device/nvml.h"
#include "device/shared_gpu.h"
#include "device/stream.h"

namespace engine {

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
    for (const Half& half : halves_) half.done.wait();
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

/// The first element of a thread, and how far apart its elements are.
__device__ std::size_t firstIndex() {
  return asSize(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ std::size_t stride() {
  return asSize(gridDim.x) * kThreads;
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

/// *to = op(*to, value). Other threads do the same.
template <class T, class Op>
__device__ void combine(T* to, T value, Op op) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(unsigned), unsigned, Count>;
  union Cell {
    T number;
    Bits bits;
  };
  Bits* const place = reinterpret_cast<Bits*>(to);
  Cell present, wanted;
  for (present.bits = atomicCAS(place, Bits{0}, Bits{0});;) {
    wanted.number = op(present.number, value);
    if (wanted.bits == present.bits) return;
    const Bits found = atomicCAS(place, present.bits, wanted.bits);
    if (found == present.bits) return;
    present.bits = found;
  }
}

/// The same as bitsOf().
__device__ std::uint64_t bitsThere(std::int32_t number) {
  return static_cast<std::uint64_t>(number);
}
__device__ std::uint64_t bitsThere(std::int64_t number) {
  return static_cast<std::uint64_t>(number);
}
__device__ std::uint64_t bitsThere(float number) {
  return static_cast<std::uint64_t>(__float_as_int(number));
}
__device__ std::uint64_t bitsThere(double number) {
  return static_cast<std::uint64_t>(__double_as_longlong(number));
}

template <class T>
struct StatsThere {
  Count edges, hash;
  T maxWeight, minWeight, leastPositive;
};

template <class T>
__global__ void countAll(std::size_t n, const T* matrix, StatsThere<T>* result) {  // matrix: (n, n)
  StatsThere<T> mine{0, 0, 0, 0, kInfinity<T>};
  for (std::size_t at = firstIndex(); at < n * n; at += stride()) {
    const std::size_t i = at / n, j = at % n;
    const T weight = matrix[at];
    if (i == j || !(weight < kInfinity<T>)) continue;
    ++mine.edges;
    mine.hash += edgeHash(i, j, bitsThere(weight));
    mine.maxWeight = Max()(mine.maxWeight, weight);
    mine.minWeight = Min()(mine.minWeight, weight);
    if (weight > 0) mine.leastPositive = Min()(mine.leastPositive, weight);
  }
  mine = {blockReduce(mine.edges, Count{0}, Sum()), blockReduce(mine.hash, Count{0}, Sum()),
          blockReduce(mine.maxWeight, T(0), Max()), blockReduce(mine.minWeight, T(0), Min()),
          blockReduce(mine.leastPositive, kInfinity<T>, Min())};
  if (threadIdx.x != 0) return;
  atomicAdd(&result->edges, mine.edges);
  atomicAdd(&result->hash, mine.hash);
  combine(&result->maxWeight, mine.maxWeight, Max());
  combine(&result->minWeight, mine.minWeight, Min());
  combine(&result->leastPositive, mine.leastPositive, Min());
}

struct MismatchThere {
  Count count, first;  // first: the smallest index that differs
};

template <class T>
__global__ void compareAll(std::size_t count, const T* got, const T* expected, Tolerance allowed,
                           MismatchThere* result) {
  MismatchThere mine{0, ULLONG_MAX};
  for (std::size_t at = firstIndex(); at < count; at += stride()) {
    if (agree(got[at], expected[at], allowed)) continue;
    ++mine.count;
    mine.first = Min()(mine.first, Count{at});
  }
  mine = {blockReduce(mine.count, Count{0}, Sum()),
          blockReduce(mine.first, Count{ULLONG_MAX}, Min())};
  if (threadIdx.x != 0 || mine.count == 0) return;
  atomicAdd(&result->count, mine.count);
  atomicMin(&result->first, mine.first);
}

template <class T>
__global__ void zeroAll(std::size_t count, T* graph) {
  for (std::size_t at = firstIndex(); at < count; at += stride()) {
    if (graph[at] < kInfinity<T>) graph[at] = 0;
  }
}

// to, from: (n, n)
template <class T>
__global__ void renumberAll(std::size_t n, T* to, const T* from, std::size_t by) {
  for (std::size_t at = firstIndex(); at < n * n; at += stride())
    to[at] = from[(at / n + by) % n * n + (at % n + by) % n];
}

std::size_t square(int n) {
  return asSize(n) * asSize(n);
}

// ---- the Device -----------------------------------------------------------------------------

/// Of the present GPU.
const cudaDeviceProp& properties() {
  static std::mutex mutex;
  static auto* const all = new std::map<int, cudaDeviceProp>;
  int gpu = 0;
  CHECK_CUDA(cudaGetDevice(&gpu));
  const std::lock_guard alone(mutex);
  const auto known = all->find(gpu);
  if (known != all->end()) return known->second;
  cudaDeviceProp found{};
  CHECK_CUDA(cudaGetDeviceProperties(&found, gpu));
  return all->emplace(gpu, found).first->second;
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

/// The pools of the present GPU: that of solvers, and the default one, which is the process'. None
/// of a GPU without pools.
std::vector<cudaMemPool_t> pools() {
  int gpu = 0;
  CHECK_CUDA(cudaGetDevice(&gpu));
  cudaMemPool_t common;
  if (cudaDeviceGetDefaultMemPool(&common, gpu) == cudaSuccess) return {poolOf(gpu), common};
  cudaGetLastError();
  return {};
}

/// Bytes that a pool keeps for solvers to come (apsp.cu).
std::size_t unusedOf(cudaMemPool_t pool) {
  std::uint64_t reserved = 0, used = 0;
  CHECK_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  CHECK_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return reserved > used ? reserved - used : 0;  // others may take memory between the two questions
}

/// From so many bytes on a transfer gains by it.
constexpr std::size_t kWorthStaging = std::size_t{1} << 18;

/// Those of the present GPU, to which their events belong. Pinning memory takes longer than most
/// transfers: it is done once, and remains.
Staging& staging() {
  static std::mutex mutex;
  static auto* const all = new std::map<int, Staging>;
  int gpu = 0;
  CHECK_CUDA(cudaGetDevice(&gpu));
  const std::lock_guard alone(mutex);
  return (*all)[gpu];
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

  std::size_t freeBytes() const override { return freeOnGpu(); }

  void giveBack() const override { emptyPool(); }

  void* allocate(std::size_t bytes) const override {
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) {
      cudaGetLastError();  // an allocation that fails is not sticky: clear it
      emptyPool();
      if (const auto all = pools(); !all.empty()) cudaMemPoolTrimTo(all.back(), 0);
      cudaGetLastError();
      if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
      cudaGetLastError();
      throw Error(ErrorCode::kMemory, "device memory: " + bytesText(bytes) + " needed, " +
                                          bytesText(freeBytes()) + " free: solve a smaller graph");
    }
    return memory;
  }

  void* allocateFew(std::size_t bytes) const override {
    if (pools().empty()) return allocate(bytes);
    int gpu = 0;
    CHECK_CUDA(cudaGetDevice(&gpu));
    void* memory = nullptr;
    if (cudaMallocFromPoolAsync(&memory, bytes, poolOf(gpu), nullptr) == cudaSuccess) return memory;
    cudaGetLastError();  // as in allocate()
    return allocate(bytes);
  }

  void release(void* memory) const override {
    cudaDeviceSynchronize();  // cudaFree() does not wait if the memory is from a pool
    cudaFree(memory);
  }

  void upload(void* to, const void* host, std::size_t bytes) const override {
    if (bytes < kWorthStaging) {
      CHECK_CUDA(cudaMemcpy(to, host, bytes, cudaMemcpyHostToDevice));
      return;
    }
    staging().upload(static_cast<char*>(to), static_cast<const char*>(host), bytes);
  }

  void download(void* host, const void* from, std::size_t bytes) const override {
    if (bytes < kWorthStaging) {
      CHECK_CUDA(cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost));
      return;
    }
    staging().download(static_cast<char*>(host), static_cast<const char*>(from), bytes);
  }

  void copy(void* to, const void* from, std::size_t bytes) const override {
    CHECK_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
  }

  void copyRows(void* to, std::size_t stride, const void* from, std::size_t width, std::size_t rows,
                CUstream_st* stream) const override {
    if (rows == 0 || width == 0) return;
    if (stream != nullptr) {
      const StreamEvent written;
      written.record();
      CHECK_CUDA(cudaStreamWaitEvent(stream, written.event));
    }
    constexpr std::size_t kMostStride = INT_MAX;  // of CUDA
    const std::size_t together = stride <= kMostStride ? rows : 1;
    for (std::size_t row = 0; row < rows; row += together)
      CHECK_CUDA(cudaMemcpy2DAsync(static_cast<char*>(to) + row * stride,
                                   together == 1 ? width : stride,
                                   static_cast<const char*>(from) + row * width, width, width,
                                   together, cudaMemcpyDeviceToDevice, stream));
  }

  std::unique_ptr<SharedWords> share(std::size_t count) const override { return shareOnGpu(count); }
  std::unique_ptr<SharedWords> openShared(int descriptor, std::size_t count) const override {
    return openSharedOnGpu(descriptor, count);
  }

  double time(const std::function<void()>& solve) const override {
    const StreamEvent begin(true), end(true);
    finish(nullptr);  // nothing of the reset runs into the measured time
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

  void finish(CUstream_st* stream) const override { CHECK_CUDA(cudaStreamSynchronize(stream)); }
  void synchronise() const override { CHECK_CUDA(cudaDeviceSynchronize()); }

  std::size_t heldBytes() const override {
    std::size_t free = 0, total = 0;
    CHECK_CUDA(cudaMemGetInfo(&free, &total));
    std::size_t held = total - free;
    for (const cudaMemPool_t pool : pools()) held -= unusedOf(pool);
    return held;
  }

  bool make(const GraphSource& source, Elements matrix) const override {
    const int n = source.n();
    if (!source.blockOnGpu({0, n, 0, n, asSize(n), matrix})) return false;
    finish(nullptr);
    return true;
  }

  GraphStats statistics(int n, ConstElements matrix) const override {
    return withElements(matrix, [&](const auto* elements) -> GraphStats {
      using T = NumberAt<decltype(elements)>;
      DeviceValue<StatsThere<T>> result({0, 0, 0, 0, kInfinity<T>});
      countAll<<<stridingBlocks(square(n)), kThreads>>>(asSize(n), elements, result.there());
      CHECK_CUDA(cudaGetLastError());
      const StatsThere<T> total = result.get();
      return {total.edges, total.hash, total.maxWeight, total.minWeight,
              convertedTo<double>(total.leastPositive)};
    });
  }

  Mismatch compare(int n, ConstElements got, ConstElements expected,
                   const Tolerance& allowed) const override {
    return withElements(got, [&](const auto* found) -> Mismatch {
      using T = NumberAt<decltype(found)>;
      const T* const right = expected.as<T>();
      DeviceValue<MismatchThere> result({0, ULLONG_MAX});
      compareAll<<<stridingBlocks(square(n)), kThreads>>>(square(n), found, right, allowed,
                                                     result.there());
      CHECK_CUDA(cudaGetLastError());
      const MismatchThere total = result.get();
      if (total.count == 0) return {};
      T wanted, present;
      CHECK_CUDA(cudaMemcpy(&wanted, right + total.first, sizeof(T), cudaMemcpyDeviceToHost));
      CHECK_CUDA(cudaMemcpy(&present, found + total.first, sizeof(T), cudaMemcpyDeviceToHost));
      return {total.count, static_cast<int>(total.first / n), static_cast<int>(total.first % n),
              wanted, present};
    });
  }

  void zeroWeights(int n, Elements matrix) const override { zeroOnGpu(square(n), matrix); }

  void renumber(int n, Elements to, ConstElements from, int by) const override {
    withElements(to, [&](auto* out) {
      const auto* const in = from.as<NumberAt<decltype(out)>>();
      renumberAll<<<stridingBlocks(square(n)), kThreads>>>(asSize(n), out, in, asSize(by));
      CHECK_CUDA(cudaGetLastError());
    });
  }
};

}  // namespace

void zeroOnGpu(std::size_t count, Elements elements) {
  withElements(elements, [&](auto* weights) {
    zeroAll<<<stridingBlocks(count), kThreads>>>(count, weights);
    CHECK_CUDA(cudaGetLastError());
  });
}

namespace {

/// asked: CUDA was asked for GPUs, and has answered or may still.
std::atomic<bool> hasStarted{false}, asked{false}, forked{false}, askedBeforeFork{false};

/// In the child of fork(): CUDA does not serve a process whose parent has used it, in any thread.
void noteFork() {
  forked = true;
  hasStarted = false;
  if (asked.exchange(false)) askedBeforeFork = true;
}
[[maybe_unused]] const bool isNoted = pthread_atfork(nullptr, nullptr, noteFork) == 0;

/// The answer to cudaGetDeviceCount. If the parent has used CUDA, the child knows the answer, and
/// does not ask.
CudaStatus countGpus(int& count) {
  if (askedBeforeFork) return {kNotInitialised, ""};
  asked = true;
  const cudaError_t answer = cudaGetDeviceCount(&count);
  if (answer != cudaSuccess) asked = false;
  return cudaStatus(answer);
}

}  // namespace

const Device* findGpu(std::string& why) {
  CudaMachine machine;
  machine.forked = forked;
  cudaDriverGetVersion(&machine.driver);
  cudaRuntimeGetVersion(&machine.runtime);
  const CudaStatus counted = countGpus(machine.gpus);
  cudaGetLastError();  // that there is none is no error of a later call
  why = whyNoGpu(machine, counted);
  if (!why.empty()) return nullptr;
  cudaFuncAttributes attributes;
  const CudaStatus loaded = cudaStatus(cudaFuncGetAttributes(&attributes, zeroAll<std::int32_t>));
  requireKernels(machine, properties().name, capability(), loaded);
  static const CudaDevice gpu;
  hasStarted = true;
  return &gpu;
}

bool gpuHasStarted() {
  return hasStarted;
}

int gpuCount() {
  int count = 0;
  const bool known = countGpus(count).name == "cudaSuccess";
  if (!known) cudaGetLastError();  // that there is none is no error of a later call
  return known ? count : 0;
}

int presentGpu() {
  int gpu = 0;
  const bool there = gpuCount() > 0 && cudaGetDevice(&gpu) == cudaSuccess;
  if (!there) cudaGetLastError();  // that there is none is no error of a later call
  return there ? gpu : -1;
}

bool makePresent(int gpu) {
  const bool there = gpu >= 0 && gpu < gpuCount() && cudaSetDevice(gpu) == cudaSuccess;
  if (!there) cudaGetLastError();  // that there is none is no error of a later call
  return there;
}

int gpuOfMemory(const void* memory) {
  cudaPointerAttributes found{};
  const bool known = cudaPointerGetAttributes(&found, memory) == cudaSuccess;
  cudaGetLastError();
  return known && found.type == cudaMemoryTypeDevice ? found.device : -1;
}

std::size_t freeOnGpu() {
  std::size_t free = 0, total = 0;
  CHECK_CUDA(cudaMemGetInfo(&free, &total));
  const auto all = pools();
  return free + (all.empty() ? 0 : unusedOf(all.front()));
}

void emptyPool() {
  CHECK_CUDA(cudaDeviceSynchronize());  // what work still uses stays in the pool
  if (const auto all = pools(); !all.empty()) CHECK_CUDA(cudaMemPoolTrimTo(all.front(), 0));
}

cudaMemPool_t poolOf(int gpu) {
  static std::mutex mutex;
  static auto* const all = new std::map<int, cudaMemPool_t>;
  const std::lock_guard alone(mutex);
  cudaMemPool_t& pool = (*all)[gpu];
  if (pool != nullptr) return pool;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, gpu};
  CHECK_CUDA(cudaMemPoolCreate(&pool, &properties));
  std::uint64_t everything = ~std::uint64_t{0};
  CHECK_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
  return pool;
}

}  // namespace engine
