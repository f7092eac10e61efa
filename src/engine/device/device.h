// A device is a place where solvers run: its memory, its clock, and the passes over an n×n matrix
// that must happen in that memory. There are two, the CPU and one GPU. `Elements` are in the
// device's memory unless a comment says host: a row-major n×n matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/graph.h"
#include "base/graph_source.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/tolerance.h"
#include "device/shared.h"

struct CUstream_st;  // a cudaStream_t is a pointer to it

namespace engine {

enum class DeviceKind { kCpu, kGpu };

/// "cpu" or "gpu", as --device and the records name it.
inline const char* nameOf(DeviceKind kind) {
  return kind == DeviceKind::kCpu ? "cpu" : "gpu";
}

struct DeviceInfo {
  std::string name;     ///< "NVIDIA H100 80GB HBM3", "Intel(R) Xeon(R) …"
  std::string uuid;     ///< GPU only
  std::string driver;   ///< driver release and the CUDA it speaks; CPU: empty
  std::string runtime;  ///< CUDA runtime; CPU: the SIMD in use
  int units = 0;        ///< multiprocessors; CPU: threads
  int capability = 0;   ///< GPU only: the compute capability times ten, 90 on Hopper
};

/// The state of the clocks at one moment; zero or empty where the device does not tell.
struct Clocks {
  int coreMHz = 0, memoryMHz = 0;
  std::string throttle;    ///< why the clock is held down, "" when it is not
  int otherUsers = 0;      ///< other processes that compute on this device
  bool seesUsers = false;  ///< whether the driver tells which processes do
  bool mps = false;        ///< CUDA's Multi-Process Service runs, which hides other processes
};

/// The elements in which two matrices differ: how many, and the first in row-major order.
struct Mismatch {
  std::uint64_t count = 0;
  int i = 0, j = 0;
  Number expected = 0, got = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual DeviceKind kind() const = 0;
  virtual DeviceInfo info() const = 0;
  virtual Clocks clocks() const = 0;

  /// Bytes that can still be allocated here.
  virtual std::size_t freeBytes() const = 0;
  /// freeBytes() for a caller that needs about `bytes`; if these are few, the device is not asked.
  std::size_t freeFor(std::size_t bytes) const {
    return bytes <= kUncheckedBytes ? std::numeric_limits<std::size_t>::max() : freeBytes();
  }
  bool hasRoom(std::size_t bytes) const { return bytes <= freeFor(bytes); }
  /// Gives back what solvers keep for their next calls, to other processes and to whoever allocates
  /// elsewhere. freeBytes() counts this memory as free, given back or not.
  virtual void giveBack() const {}
  /// Memory of so many bytes, uninitialised. Throws Error(kMemory).
  virtual void* allocate(std::size_t bytes) const = 0;
  /// The same of a few bytes for work on the default stream, sooner.
  virtual void* allocateFew(std::size_t bytes) const { return allocate(bytes); }
  /// Waits for all work of this process on the device, which may use the memory.
  virtual void release(void* memory) const = 0;
  virtual void upload(void* to, const void* host, std::size_t bytes) const = 0;
  virtual void download(void* host, const void* from, std::size_t bytes) const = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes) const = 0;
  /// Copies `rows` rows of `width` bytes each, which lie one after the other, to rows that begin
  /// `stride` bytes after one another. On a GPU it does so on that stream, after what is on the
  /// default one, and may return before; null: on the default stream.
  virtual void copyRows(void* to, std::size_t stride, const void* from, std::size_t width,
                        std::size_t rows, CUstream_st* stream) const = 0;

  /// Memory of `count` words that another process can map, too. Throws Error(kMemory), Error(kGpu).
  virtual std::unique_ptr<SharedWords> share(std::size_t count) const = 0;
  /// Maps memory that another process shares, and takes over its descriptor. Throws Error(kMemory),
  /// Error(kGpu).
  virtual std::unique_ptr<SharedWords> openShared(int descriptor, std::size_t count) const = 0;

  /// Calls `work` and returns the milliseconds until all is done that it started on the default
  /// stream, after what was started there before. Other streams may delay it: who measures calls
  /// synchronise() first. Throws Error(kGpu) if a launch or the work fails.
  virtual double time(const std::function<void()>& work) const = 0;
  /// Waits for the work on the default stream, where all copies and solvers of one GPU are; or for
  /// that on a stream of the caller. Throws Error(kGpu).
  void finish() const { finish(nullptr); }
  virtual void finish(CUstream_st* stream) const = 0;
  /// Waits for all work of this process on the device, whoever started it. Throws Error(kGpu).
  virtual void synchronise() const = 0;
  /// Bytes of the device's memory in use by anyone, without those that the default pool keeps for
  /// later calls. If a call raises this number, its memory outlives it. 0 on the CPU, which cannot
  /// tell a leak from noise.
  virtual std::size_t heldBytes() const = 0;

  /// Writes a graph into an n×n matrix. Returns false if it cannot be made here, but in host
  /// memory.
  virtual bool make(const GraphSource& source, Elements matrix) const = 0;
  virtual GraphStats statistics(int n, ConstElements matrix) const = 0;
  /// The elements in which two matrices differ by more than is allowed.
  virtual Mismatch compare(int n, ConstElements got, ConstElements expected,
                           const Tolerance& allowed) const = 0;
  /// Every weight below infinity becomes 0.
  virtual void zeroWeights(int n, Elements matrix) const = 0;
  /// Copies a matrix with its vertices renumbered: to[i][j] = from[(i + by) % n][(j + by) % n].
  /// 0 ≤ by < n; the two matrices do not overlap.
  virtual void renumber(int n, Elements to, ConstElements from, int by) const = 0;
};

/// Whether memory of one device is memory of the other, so that one can compare or copy it there.
/// There is one device of each kind.
inline bool shareMemory(const Device& a, const Device& b) {
  return a.kind() == b.kind();
}

extern const Device& cpuDevice;

/// The GPU to use. nullptr, and the reason in `why`, if this machine has none or this program was
/// built without CUDA. Throws Error(kGpu) if there is a GPU that this program cannot run on.
const Device* findGpu(std::string& why);
/// Whether findGpu() has found one before: to look again takes no time.
bool gpuHasStarted();

/// How many GPUs there are.
int gpuCount();

/// The number of the GPU on which this thread computes, as CUDA counts them; −1 if there is none.
int presentGpu();

/// From now on this thread computes on the GPU with that number. Returns false if there is none.
bool makePresent(int gpu);

/// The number of the GPU whose memory this is; −1 of other memory, and of what all GPUs share.
int gpuOfMemory(const void* memory);

/// The device of that kind; nullptr, and the reason in `why`, if there is none.
const Device* findDevice(DeviceKind kind, std::string& why);

/// Elements in a device's memory, released with this object.
class DeviceElements {
 public:
  /// few: see Device::allocateFew().
  DeviceElements(const Device& device, Dtype dtype, std::size_t size, bool few = false)
      : device_(&device), dtype_(dtype), size_(size) {
    if (size > 0) memory_ = few ? device.allocateFew(bytes()) : device.allocate(bytes());
  }
  ~DeviceElements() {
    if (memory_ != nullptr) device_->release(memory_);
  }
  DeviceElements(const DeviceElements&) = delete;
  DeviceElements& operator=(const DeviceElements&) = delete;

  const Device& device() const { return *device_; }
  Dtype dtype() const { return dtype_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeOf(dtype_); }
  Elements data() const { return {dtype_, memory_}; }

 private:
  const Device* device_;
  Dtype dtype_;
  std::size_t size_;
  void* memory_ = nullptr;
};

/// A matrix in a device's memory.
class DeviceMatrix : public DeviceElements {
 public:
  DeviceMatrix(const Device& device, int n, Dtype dtype = Dtype::kInt32, bool few = false)
      : DeviceElements(device, dtype, asSize(n) * asSize(n), few), n_(n) {}
  int n() const { return n_; }

 private:
  int n_;
};

/// Copies `count` elements, of the same type on both sides, from host memory or into it.
inline void upload(const Device& device, Elements to, ConstElements host, std::size_t count) {
  if (to.dtype() != host.dtype()) refuseType(host.dtype(), to.dtype());
  device.upload(to.data(), host.data(), count * sizeOf(to.dtype()));
}
inline void download(const Device& device, Elements host, ConstElements from, std::size_t count) {
  if (host.dtype() != from.dtype()) refuseType(from.dtype(), host.dtype());
  device.download(host.data(), from.data(), count * sizeOf(host.dtype()));
}

}  // namespace engine
