// ./apsp reduce: the steps of src/course/ladder/e1_to_e8_reduction.cu, timed and checked.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"
#include "ladder/reduction.h"
#include "measure/timing.h"

/// Values of one size in a device's memory, what sums them up there, and the host's sum.
struct ReductionInput {
  DeviceElements values, scratch, result;  // as unsigned ints
  Reduction reduction;
  unsigned expected;

  ReductionInput(const Device& device, const ReductionReport& report, int n);

  struct Sum {
    double milliseconds;
    unsigned sum;
  };
  /// One sum by that step, timed by the device's clock.
  Sum sum(const ReductionStep& step) const;
};

struct ReduceOptions {
  std::vector<int> sizes;  ///< n ≥ 1, a table each
  MeasureOptions measuring;
  std::string csv, json;  ///< files to append to and to write; "": none
  bool quiet = false;
};

/// Times every step on the same values of each size, compares the sum of every call with the
/// host's, prints and writes what came of it. Throws Error: kMemory unless the largest size fits,
/// and kMismatch, after all is written, where a sum is wrong.
void reduce(const ReduceOptions& options, const Device& device, const ReductionReport& report);

/// The same of reportE() on the GPU. Without one, it prints what was recorded on an H100, unless a
/// file is asked for, and throws Error(kGpu).
void reduce(const ReduceOptions& options);
