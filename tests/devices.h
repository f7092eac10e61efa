// Tests that run on every device this machine has: parameterise by device, skip where there is
// none.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/device.h"
#include "generate/generate.h"

/// A test that takes the device's kind, "cpu" or "gpu"; device() is it.
class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string why;
    device_ = GetParam() == std::string("cpu") ? &cpuDevice : findGpu(why);
    if (device_ == nullptr) GTEST_SKIP() << "no GPU: " << why;
  }
  const Device& device() const { return *device_; }

 private:
  const Device* device_ = nullptr;
};

inline std::string kindName(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}
#define ON_EVERY_DEVICE(suite) \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, testing::Values("cpu", "gpu"), kindName)

/// The spec of family number `index` of the table.
inline Spec specOf(int index, int n, std::uint64_t seed, bool undirected = false) {
  Spec spec;
  spec.family = index;
  spec.n = n;
  spec.seed = seed;
  spec.undirected = undirected;
  return spec;
}

/// n×n elements of a device's memory, on the host.
inline std::vector<int> download(const Device& device, const int* memory, int n) {
  std::vector<int> host(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  device.download(host.data(), memory, host.size());
  return host;
}

/// Restores the graph that is in a matrix.
inline Restore copyOf(const DeviceMatrix& graph) {
  return [&graph](const DeviceMatrix& to) {
    graph.device().copy(to.data(), graph.data(), graph.size());
  };
}
