// A graph on a device, solved there again and again: where kernels are measured and verified.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "measure/record.h"
#include "verify/verify.h"

class Workbench {
 public:
  /// `place` writes the graph into a matrix of the device; `onHost` gives it in host memory, where
  /// Dijkstra's algorithm wants it. keepsGraph: hold a copy on the device, from which calls start,
  /// rather than place it anew for each.
  Workbench(const Device& device, int n, Dtype dtype, Restore place,
            std::function<const Graph&()> onHost, bool keepsGraph);

  /// What is known of a run before any kernel runs: the graph, the device, the plan. seed: "" for a
  /// file.
  Record describe(const std::string& input, const std::string& seed, const MeasurePlan& plan) const;

  /// Measures one kernel and verifies it: every call's result against ref's, which is solved once,
  /// or the last one's rows by Dijkstra. ref itself is never its own oracle. `record` is
  /// describe()'s, and comes back whole; with a fault and without times where the kernel is a
  /// submission that failed to return. Throws Error(kInput) where a distance is out of range.
  Record run(const Kernel& kernel, const VerifyPlan& verify, Record record);

  /// The distances that the last call found; n×n words of the device's memory.
  const DeviceMatrix& result() const { return work_; }

 private:
  Record runToEnd(const Kernel& kernel, const VerifyPlan& verify, Record record);
  /// Fills in what comes of the calls: the times, and the first result that is not as expected.
  /// work_ holds the last one then. expected: nullptr is not known.
  void timeCalls(const Kernel& kernel, const DeviceMatrix* expected, Record& record);
  void restore(const DeviceMatrix& to) const;
  const DeviceMatrix& refDistances();
  Verdict verifyRows(int rows);

  const Device& device_;
  Restore place_;
  std::function<const Graph&()> onHost_;
  DeviceMatrix work_;
  std::unique_ptr<DeviceMatrix> graph_;       // where there is room to keep it as it was
  std::unique_ptr<DeviceMatrix> renumbered_;  // where calls solve that are to differ
  std::unique_ptr<DeviceMatrix> expected_;  // ref's distances, once something is compared with them
};

/// Throws Error(kMemory) unless `free` bytes of `kind` ("device" or "host") memory hold so many n×n
/// matrices.
void requireMatrices(const char* kind, std::size_t free, int n, std::size_t matrices);

/// Whether they do.
bool fits(std::size_t free, int n, std::size_t matrices);
