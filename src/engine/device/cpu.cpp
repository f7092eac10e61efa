// The CPU as a Device.
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <omp.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"
#include "device/shared_host.h"
#include "device/simd.h"

namespace {

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  utsname system{};
  uname(&system);
  return system.machine;
}

class CpuDevice : public Device {
 public:
  constexpr CpuDevice() = default;

  DeviceKind kind() const override { return DeviceKind::kCpu; }

  DeviceInfo info() const override {
    return {processorName(), "", "", widestSimd(), omp_get_max_threads()};
  }

  Clocks clocks() const override {
    Clocks now;
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; now.coreMHz == 0 && std::getline(file, line);) {
      if (line.rfind("cpu MHz", 0) == 0) now.coreMHz = std::atoi(line.c_str() + line.find(':') + 1);
    }
    return now;
  }

  std::size_t freeBytes() const override { return freeHostBytes(); }

  int* allocate(std::size_t count) const override {
    const std::size_t bytes = count * sizeof(int);
    requireHostBytes(bytes, "a matrix");
    int* const memory = static_cast<int*>(std::malloc(bytes));
    if (memory == nullptr) throw Error(Exit::kMemory, "out of host memory for a matrix");
    return memory;
  }
  void release(int* memory) const override { std::free(memory); }

  void upload(int* to, const int* host, std::size_t count) const override {
    std::copy_n(host, count, to);
  }
  void download(int* host, const int* from, std::size_t count) const override {
    std::copy_n(from, count, host);
  }
  void copy(int* to, const int* from, std::size_t count) const override {
    std::copy_n(from, count, to);
  }

  std::unique_ptr<SharedWords> share(std::size_t count) const override {
    return shareOnHost(count);
  }
  std::unique_ptr<SharedWords> openShared(int descriptor, std::size_t count) const override {
    return openSharedOnHost(descriptor, count);
  }

  double time(const std::function<void()>& work) const override { return millisecondsOf(work); }
  void synchronise() const override {}
  std::size_t heldBytes() const override { return 0; }

  bool make(const GraphSource& source, int* matrix) const override {
    source.block(0, source.n(), 0, source.n(), matrix);
    return true;
  }

  GraphStats statistics(int n, const int* matrix, Dtype dtype) const override {
    return graphStats(n, matrix, dtype);
  }

  Mismatch compare(int n, const int* got, const int* expected, Dtype dtype,
                   double tolerance) const override {
    Mismatch mismatch;
    for (int i = 0; i < n; ++i) {
      const std::size_t row = static_cast<std::size_t>(i) * n;
      for (int j = 0; j < n; ++j) {
        if (agreeWords(got[row + j], expected[row + j], dtype, tolerance)) continue;
        if (mismatch.count++ == 0) mismatch = {1, i, j, expected[row + j], got[row + j]};
      }
    }
    return mismatch;
  }

  void zeroWeights(int n, int* matrix, Dtype dtype) const override {
    ::zeroWeights(static_cast<std::size_t>(n) * n, matrix, dtype);
  }

  void renumber(int n, int* to, const int* from, int by) const override {
    for (int i = 0; i < n; ++i) {
      const int* const row = from + static_cast<std::size_t>((i + by) % n) * n;
      std::rotate_copy(row, row + by, row + n, to + static_cast<std::size_t>(i) * n);
    }
  }
};

const CpuDevice theCpu;

}  // namespace

const Device& cpuDevice = theCpu;

const Device* findDevice(DeviceKind kind, std::string& why) {
  return kind == DeviceKind::kCpu ? &cpuDevice : findGpu(why);
}
