// The caller's options as those of the solvers, and what goes on beside a solve: threads, progress.
#pragma once

#include <apsp/apsp.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "device/device.h"
#include "solver/options.h"
#include "solver/outcome.h"
#include "solver/plan.h"

namespace engine {

Dtype dtypeOf(apsp_type type);
apsp_type typeOf(Dtype dtype);
/// The type of the numbers that computed: 16 bits count as int32.
apsp_type typeOf(Tier tier);

/// The caller's options, of whatever version, as those of this one. Throws InvalidArgument, also if
/// they have a stream, or distance_bytes, where it has no meaning.
apsp_options complete(const apsp_options* given, bool takesStream = false,
                      bool keepsDistances = false);
Options optionsOf(const apsp_options& given);
/// How distances of that type are to be kept. Throws Unsupported if the options allow no small
/// elements, or the type does not.
RowWidth storedBy(const apsp_options& given, Dtype dtype);
/// Throws NoDevice.
const Device& deviceAt(apsp_place place);
/// The device that has such memory. Throws NoDevice.
const Device& deviceOf(apsp_memory where);

/// For as long as it lives, this thread computes on a GPU. gpu: as in apsp_options. Throws
/// NoDevice.
class OnGpu {
 public:
  explicit OnGpu(int gpu);
  ~OnGpu();
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_ = -1;  // the GPU to return to; −1: it is the present one
};
/// What the enum of the interface calls a method.
apsp_method methodOf(Method method);

/// "sources" or "targets", checked. Throws InvalidArgument.
std::vector<int> verticesOf(const char* name, const std::int32_t* given, std::size_t count, int n);

/// Throws InvalidArgument unless both are among n vertices.
void requireVertices(int n, std::int32_t from, std::int32_t to);

/// The order of elimination of n vertices, checked. Throws InvalidArgument.
std::shared_ptr<const EliminationOrder> orderOf(const std::int32_t* given, int n);

/// As many threads as the caller wants in this thread's parallel regions, for as long as it lives.
/// More than a few threads a core only wait for each other, and thousands cannot be made. In a
/// process that was forked it is one: GNU's OpenMP would wait for threads that only the parent has.
class ThreadCount {
 public:
  explicit ThreadCount(int wanted);
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  const int before_;
};

/// Throws InvalidArgument if an array is in the memory of another GPU than the present one.
void requireHere(const void* array, const char* name);

/// Throws InvalidArgument if the address of some of so many rows cannot be computed. stride: in
/// elements.
void requireStride(const char* name, std::ptrdiff_t stride, int rows, Dtype dtype);

/// Calls the caller's function at once, and then some tens of times a second while the work of this
/// thread goes on, and of those who got flag(). The constructor throws Cancelled.
class Watcher {
 public:
  explicit Watcher(const apsp_options& options);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// Whether the caller wants the work to end.
  const std::shared_ptr<std::atomic<bool>>& flag() const { return flag_; }

 private:
  void watch();

  const apsp_progress progress_;
  void* const user_;
  const std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
  const CancelScope scope_{*flag_};
  std::mutex mutex_;
  std::condition_variable end_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace engine
