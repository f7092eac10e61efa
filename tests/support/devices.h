// Tests that run on every device this machine has: parameterise by device, skip where there is
// none.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/elements.h"
#include "base/error.h"
#include "base/size.h"
#include "device/device.h"
#include "generate/generate.h"
#include "sample.h"
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

/// A test that needs a GPU, gpu_, and is skipped if there is none.
template <class Base = testing::Test>
class OnGpu : public Base {
 protected:
  void SetUp() override {
    std::string why;
    gpu_ = findGpu(why);
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU: " << why;
    Base::SetUp();
  }

  const Device* gpu_ = nullptr;
};

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

/// n×n elements, of type T, of a device's memory, on the host.
template <class T = std::int32_t>
std::vector<T> download(const Device& device, ConstElements memory, int n) {
  std::vector<T> host(asSize(n) * asSize(n));
  download(device, host.data(), memory, host.size());
  return host;
}

/// Copies elements from host memory to a device's.
template <class T>
void upload(const Device& device, Elements memory, const std::vector<T>& host) {
  upload(device, memory, host.data(), host.size());
}

/// One call of a solver on n×n elements of a device's memory. An in-place solver gets this very
/// memory; of another one, the distances are copied there.
inline Call callOn(const Device& device, const Solver& solver, int n, Elements matrix,
                   const Options& options = {}) {
  if (solver.inPlace) return solver.inPlace(device, n, matrix, options);
  Graph graph;
  graph.n = n;
  Matrix host(n, matrix.dtype());
  download(device, host.data(), matrix, host.size());
  graph.body = std::move(host);
  const ProblemGraph problem(std::move(graph));
  const auto run = solver.prepare({problem}, {device, options});
  run->reset();
  const Call call = run->solve();
  const Matrix distances = toMatrix(run->distances());
  upload(device, matrix, distances.data(), distances.size());
  return call;
}

/// Another device, as a class that tests derive devices from.
class Like : public Device {
 public:
  explicit Like(const Device& other) : other_(other) {}
  std::size_t freeBytes() const override { return other_.freeBytes(); }
  void* allocate(std::size_t bytes) const override { return other_.allocate(bytes); }
  DeviceKind kind() const override { return other_.kind(); }
  DeviceInfo info() const override { return other_.info(); }
  Clocks clocks() const override { return other_.clocks(); }
  void release(void* memory) const override { other_.release(memory); }
  void upload(void* to, const void* host, std::size_t bytes) const override {
    other_.upload(to, host, bytes);
  }
  void download(void* host, const void* from, std::size_t bytes) const override {
    other_.download(host, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) const override {
    other_.copy(to, from, bytes);
  }
  void copyRows(void* to, std::size_t stride, const void* from, std::size_t width, std::size_t rows,
                CUstream_st* stream) const override {
    other_.copyRows(to, stride, from, width, rows, stream);
  }
  std::unique_ptr<SharedWords> share(std::size_t count) const override {
    return other_.share(count);
  }
  std::unique_ptr<SharedWords> openShared(int descriptor, std::size_t count) const override {
    return other_.openShared(descriptor, count);
  }
  double time(const std::function<void()>& work) const override { return other_.time(work); }
  void finish(CUstream_st* stream) const override { other_.finish(stream); }
  void synchronise() const override { other_.synchronise(); }
  std::size_t heldBytes() const override { return other_.heldBytes(); }
  bool make(const GraphSource& source, Elements matrix) const override {
    return other_.make(source, matrix);
  }
  GraphStats statistics(int n, ConstElements matrix) const override {
    return other_.statistics(n, matrix);
  }
  Mismatch compare(int n, ConstElements got, ConstElements expected,
                   const Tolerance& allowed) const override {
    return other_.compare(n, got, expected, allowed);
  }
  void zeroWeights(int n, Elements matrix) const override { other_.zeroWeights(n, matrix); }
  void renumber(int n, Elements to, ConstElements from, int by) const override {
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
  void* allocate(std::size_t bytes) const override {
    if (bytes > bytes_) throw Error(ErrorCode::kMemory, "the small device is full");
    return cpuDevice.allocate(bytes);
  }

 private:
  std::size_t bytes_;
};

/// n×n elements in host memory, which belong to someone else, as a result.
class HostDistances : public Distances {
 public:
  HostDistances(int n, ConstElements elements)
      : Distances(n, elements.dtype()), elements_(elements) {}
  template <class T>
  HostDistances(int n, const std::vector<T>& elements)
      : HostDistances(n, ConstElements(elements.data())) {}
  void rows(int begin, int end, const RowVisitor& visit) const override {
    visit(begin, end - begin, elements_ + asSize(begin) * n());
  }

 private:
  ConstElements elements_;
};

/// verifyByDijkstra() of elements in host memory: ConstElements, or a vector of one of the types.
template <class All>
Verdict verified(const Graph& graph, const All& elements, int rows) {
  return verifyByDijkstra(graph, HostDistances(graph.n, elements), rows);
}
