// The CPU as a Device.
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <type_traits>

#include <omp.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "device/device.h"
#include "device/shared_host.h"
#include "device/simd.h"

namespace engine {

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

  void* allocate(std::size_t bytes) const override {
    requireHostBytes(bytes, "a matrix");
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) throw Error(ErrorCode::kMemory, "out of host memory for a matrix");
    preferLargePages(memory, bytes);
    return memory;
  }
  void release(void* memory) const override { std::free(memory); }

  void upload(void* to, const void* host, std::size_t bytes) const override {
    copy(to, host, bytes);
  }
  void download(void* host, const void* from, std::size_t bytes) const override {
    copy(host, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) const override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void copyRows(void* to, std::size_t stride, const void* from, std::size_t width, std::size_t rows,
                CUstream_st*) const override {
    if (stride == width) return copy(to, from, rows * width);
    for (std::size_t row = 0; row < rows; ++row)
      copy(static_cast<char*>(to) + row * stride, static_cast<const char*>(from) + row * width,
           width);
  }

  std::unique_ptr<SharedWords> share(std::size_t count) const override {
    return shareOnHost(count);
  }
  std::unique_ptr<SharedWords> openShared(int descriptor, std::size_t count) const override {
    return openSharedOnHost(descriptor, count);
  }

  double time(const std::function<void()>& work) const override { return millisecondsOf(work); }
  void finish(CUstream_st*) const override {}
  void synchronise() const override {}
  std::size_t heldBytes() const override { return 0; }

  bool make(const GraphSource& source, Elements matrix) const override {
    source.block(0, source.n(), 0, source.n(), matrix);
    return true;
  }

  GraphStats statistics(int n, ConstElements matrix) const override {
    return graphStats(n, matrix);
  }

  Mismatch compare(int n, ConstElements got, ConstElements expected,
                   const Tolerance& allowed) const override {
    return withElements(got, [&](const auto* found) {
      const auto* const right =
          expected.as<std::remove_const_t<std::remove_pointer_t<decltype(found)>>>();
      Mismatch mismatch;
      for (int i = 0; i < n; ++i) {
        const std::size_t row = asSize(i) * n;
        for (int j = 0; j < n; ++j) {
          if (agree(found[row + j], right[row + j], allowed)) continue;
          if (mismatch.count++ == 0) mismatch = {1, i, j, right[row + j], found[row + j]};
        }
      }
      return mismatch;
    });
  }

  void zeroWeights(int n, Elements matrix) const override {
    engine::zeroWeights(asSize(n) * n, matrix);
  }

  void renumber(int n, Elements to, ConstElements from, int by) const override {
    withElements(to, [&](auto* out) {
      const auto* const in = from.as<std::remove_pointer_t<decltype(out)>>();
      for (int i = 0; i < n; ++i) {
        const auto* const row = in + asSize((i + by) % n) * n;
        std::rotate_copy(row, row + by, row + n, out + asSize(i) * n);
      }
    });
  }
};

const CpuDevice theCpu;

}  // namespace

const Device& cpuDevice = theCpu;

const Device* findDevice(DeviceKind kind, std::string& why) {
  return kind == DeviceKind::kCpu ? &cpuDevice : findGpu(why);
}

}  // namespace engine
