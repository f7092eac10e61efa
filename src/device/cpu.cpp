// The CPU as a Device (device.h).
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include <omp.h>

#include "apsp.h"
#include "core/error.h"
#include "core/memory.h"
#include "device/device.h"
#include "device/simd.h"
#include "generate/generate.h"

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

DeviceInfo info() {
  return {processorName(), "", "", widestSimd(), omp_get_max_threads()};
}

Clocks clocks() {
  Clocks now;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; now.coreMHz == 0 && std::getline(file, line);) {
    if (line.rfind("cpu MHz", 0) == 0) now.coreMHz = std::atoi(line.c_str() + line.find(':') + 1);
  }
  return now;
}

int* allocate(std::size_t count) {
  const std::size_t bytes = count * sizeof(int);
  requireHostBytes(bytes, "a matrix");
  int* const memory = static_cast<int*>(std::malloc(bytes));
  if (memory == nullptr) throw Error(Exit::kMemory, "out of host memory for a matrix");
  return memory;
}

void release(int* memory) {
  std::free(memory);
}

void copy(int* to, const int* from, std::size_t count) {
  std::copy_n(from, count, to);
}

double time(const std::function<void()>& solve) {
  const auto begin = std::chrono::steady_clock::now();
  solve();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

void finish() {}

std::size_t heldBytes() {
  return 0;
}

template <class T>
Mismatch compareAs(int n, const T* got, const T* expected, double tolerance) {
  Mismatch mismatch;
  for (int i = 0; i < n; ++i) {
    const std::size_t row = static_cast<std::size_t>(i) * n;
    for (int j = 0; j < n; ++j) {
      if (agree(got[row + j], expected[row + j], tolerance)) continue;
      if (mismatch.count++ == 0) mismatch = {1, i, j, 0, 0};
    }
  }
  return mismatch;
}

Mismatch compare(int n, const int* got, const int* expected, Dtype dtype, double tolerance) {
  Mismatch mismatch = dtype == Dtype::kInt32
                          ? compareAs(n, got, expected, tolerance)
                          : compareAs(n, asFloats(got), asFloats(expected), tolerance);
  if (mismatch.count == 0) return mismatch;
  const std::size_t at = static_cast<std::size_t>(mismatch.i) * n + mismatch.j;
  mismatch.expected = expected[at];
  mismatch.got = got[at];
  return mismatch;
}

void zeroWeights(int n, int* graph, Dtype dtype) {
  const std::size_t count = static_cast<std::size_t>(n) * n;
  std::replace_if(
      graph, graph + count, [=](int weight) { return weight < infinity(dtype); }, 0);
}

void renumber(int n, int* to, const int* from, int by) {
  for (int i = 0; i < n; ++i) {
    const int* const row = from + static_cast<std::size_t>((i + by) % n) * n;
    std::rotate_copy(row, row + by, row + n, to + static_cast<std::size_t>(i) * n);
  }
}

}  // namespace

const Device cpuDevice = {"cpu",        info,  clocks,  freeHostBytes, allocate, release,
                          copy,         copy,  copy,    time,          finish,   heldBytes,
                          generateInto, tally, compare, zeroWeights,   renumber};
