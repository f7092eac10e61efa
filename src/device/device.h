// A place where solvers run, as a table of functions: its memory, its clock, and the passes over an
// n×n matrix that must happen where the matrix is. There are two, the CPU and one GPU. `int*` is
// memory of that place, row-major n×n words (dtype.h), unless it says host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/graph.h"
#include "generate/families.h"

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
  std::string throttle;  ///< why the clock is held down, "" when it is not
  int otherUsers = 0;    ///< other processes computing on this device
};

/// The elements in which two matrices differ: how many, and the first in row-major order, as words.
struct Mismatch {
  std::uint64_t count = 0;
  int i = 0, j = 0, expected = 0, got = 0;
};

struct Device {
  const char* kind;  ///< "gpu" or "cpu", as --device names it
  DeviceInfo (*info)();
  Clocks (*clocks)();
  std::size_t (*freeBytes)();  ///< that can still be allocated here

  int* (*allocate)(std::size_t count);  ///< throws Error(kMemory)
  void (*release)(int* memory);
  void (*upload)(int* to, const int* host, std::size_t count);
  void (*download)(int* host, const int* from, std::size_t count);
  void (*copy)(int* to, const int* from, std::size_t count);

  /// Calls `solve` and returns the milliseconds of that call alone, to the end of its work on the
  /// device. Launch errors are checked right after the call. Throws Error(kGpu).
  double (*time)(const std::function<void()>& solve);
  /// Waits until all work on the device is done, on any stream and of any library of this process.
  /// Throws Error(kGpu).
  void (*finish)();
  /// Bytes of the device in use, by anyone, less what its default pool keeps for calls to come:
  /// what a call leaves more of outlives it. 0 on the CPU, where that cannot be told from noise.
  std::size_t (*heldBytes)();

  void (*generate)(const Spec& spec, int* graph);
  Tally (*tally)(int n, const int* matrix, Dtype dtype);
  /// tolerance: as agree() takes it.
  Mismatch (*compare)(int n, const int* got, const int* expected, Dtype dtype, double tolerance);
  void (*zeroWeights)(int n, int* graph, Dtype dtype);  ///< every weight below infinity becomes 0
  /// to = from with its vertices counted from another one: entry (i, j) is (i + by, j + by), modulo
  /// n. 0 ≤ by < n; the two do not overlap.
  void (*renumber)(int n, int* to, const int* from, int by);
};

extern const Device cpuDevice;
extern const Device gpuDevice;  ///< in a build with CUDA

/// The GPU to use, or nullptr with the reason (`why`) where this machine has none or this program
/// was built without CUDA. Throws Error(kGpu) where there is one that this program cannot run on.
const Device* findGpu(std::string& why);

/// So many words of a device's memory.
class DeviceWords {
 public:
  DeviceWords(const Device& device, std::size_t size)
      : device_(&device), size_(size), memory_(size ? device.allocate(size) : nullptr) {}
  ~DeviceWords() {
    if (memory_ != nullptr) device_->release(memory_);
  }
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;

  const Device& device() const { return *device_; }
  std::size_t size() const { return size_; }
  int* data() const { return memory_; }

 private:
  const Device* device_;
  std::size_t size_;
  int* memory_;
};

/// A matrix in a device's memory.
class DeviceMatrix : public DeviceWords {
 public:
  DeviceMatrix(const Device& device, int n, Dtype dtype = Dtype::kInt32)
      : DeviceWords(device, static_cast<std::size_t>(n) * static_cast<std::size_t>(n)),
        n_(n),
        dtype_(dtype) {}
  int n() const { return n_; }
  Dtype dtype() const { return dtype_; }

 private:
  int n_;
  Dtype dtype_;
};

/// Writes the graph to be solved into a matrix.
using Restore = std::function<void(const DeviceMatrix& to)>;
