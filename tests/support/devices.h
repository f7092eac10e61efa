// Tests that run on every device this machine has: parameterise by device, skip where there is
// none.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "device/device.h"
#include "generate/generate.h"
#include "solver/solver.h"
#include "verify/verify.h"

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

/// All distances of a graph by the plain loop.
inline Matrix byPlainLoop(const ProblemGraph& graph) {
  const auto run = findSolver("ref", DeviceKind::kCpu).prepare({graph}, {cpuDevice});
  run->reset();
  run->solve();
  return toMatrix(run->distances());
}

/// The spec of family number `index` of the table.
inline Spec specOf(int index, int n, std::uint64_t seed, bool undirected = false) {
  Spec spec;
  spec.family = index;
  spec.n = n;
  spec.seed = seed;
  spec.undirected = undirected;
  return spec;
}

/// Whether everything is to be tested that can be: APSP_FULL=1.
inline bool wantsAll() {
  const char* const wish = std::getenv("APSP_FULL");
  return wish != nullptr && wish == std::string("1");
}

/// n×n elements of a device's memory, on the host.
inline std::vector<int> download(const Device& device, const int* memory, int n) {
  std::vector<int> host(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  device.download(host.data(), memory, host.size());
  return host;
}

/// One call of a solver on n×n words of a device's memory. An in-place solver gets this very
/// memory; of another one, the distances are copied there.
inline Call callOn(const Device& device, const Solver& solver, int n, int* matrix,
                   Dtype dtype = Dtype::kInt32, const Options& options = {}) {
  if (solver.inPlace) return solver.inPlace(device, n, matrix, dtype, options);
  Graph graph;
  graph.n = n;
  graph.dtype = dtype;
  Matrix host(n);
  device.download(host.data(), matrix, host.size());
  graph.body = std::move(host);
  const ProblemGraph problem(std::move(graph));
  const auto run = solver.prepare({problem}, {device, options});
  run->reset();
  const Call call = run->solve();
  const Matrix distances = toMatrix(run->distances());
  device.upload(matrix, distances.data(), distances.size());
  return call;
}

/// Another device, as a class that tests derive devices from.
class Like : public Device {
 public:
  explicit Like(const Device& other) : other_(other) {}
  std::size_t freeBytes() const override { return other_.freeBytes(); }
  int* allocate(std::size_t count) const override { return other_.allocate(count); }
  DeviceKind kind() const override { return other_.kind(); }
  DeviceInfo info() const override { return other_.info(); }
  Clocks clocks() const override { return other_.clocks(); }
  void release(int* memory) const override { other_.release(memory); }
  void upload(int* to, const int* host, std::size_t count) const override {
    other_.upload(to, host, count);
  }
  void download(int* host, const int* from, std::size_t count) const override {
    other_.download(host, from, count);
  }
  void copy(int* to, const int* from, std::size_t count) const override {
    other_.copy(to, from, count);
  }
  std::unique_ptr<SharedWords> share(std::size_t count) const override {
    return other_.share(count);
  }
  std::unique_ptr<SharedWords> openShared(int descriptor, std::size_t count) const override {
    return other_.openShared(descriptor, count);
  }
  double time(const std::function<void()>& work) const override { return other_.time(work); }
  void synchronise() const override { other_.synchronise(); }
  std::size_t heldBytes() const override { return other_.heldBytes(); }
  bool make(const GraphSource& source, int* matrix) const override {
    return other_.make(source, matrix);
  }
  GraphStats statistics(int n, const int* matrix, Dtype dtype) const override {
    return other_.statistics(n, matrix, dtype);
  }
  Mismatch compare(int n, const int* got, const int* expected, Dtype dtype,
                   double tolerance) const override {
    return other_.compare(n, got, expected, dtype, tolerance);
  }
  void zeroWeights(int n, int* matrix, Dtype dtype) const override {
    other_.zeroWeights(n, matrix, dtype);
  }
  void renumber(int n, int* to, const int* from, int by) const override {
    other_.renumber(n, to, from, by);
  }

 private:
  const Device& other_;
};

class LikeTheCpu : public Like {
 public:
  LikeTheCpu() : Like(cpuDevice) {}
};

/// The CPU with less memory. Everything else is the CPU's.
class SmallDevice : public LikeTheCpu {
 public:
  explicit SmallDevice(std::size_t bytes) : bytes_(bytes) {}
  std::size_t freeBytes() const override { return bytes_; }
  int* allocate(std::size_t count) const override {
    if (count * sizeof(int) > bytes_) throw Error(Exit::kMemory, "the small device is full");
    return cpuDevice.allocate(count);
  }

 private:
  std::size_t bytes_;
};

/// n×n words in host memory as a result.
class HostDistances : public Distances {
 public:
  HostDistances(int n, Dtype dtype, const std::vector<int>& words)
      : Distances(n, dtype), words_(words) {}
  void rows(int begin, int end, const RowVisitor& visit) const override {
    visit(begin, end - begin, words_.data() + static_cast<std::size_t>(begin) * n());
  }

 private:
  const std::vector<int>& words_;
};

/// verifyByDijkstra() of words in host memory.
inline Verdict verified(const Graph& graph, const std::vector<int>& words, int rows) {
  return verifyByDijkstra(graph, HostDistances(graph.n, graph.dtype, words), rows);
}
