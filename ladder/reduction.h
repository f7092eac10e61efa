// Report E as a table: the sum of unsigned ints modulo 2³², step by step (reduction.cu).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graph.h"

/// A sum to be made, all of it in device memory.
struct Reduction {
  unsigned n;              ///< 1 to 2³¹ − 1
  const unsigned* values;  ///< (n)
  unsigned* scratch;       ///< (scratchWords): a step keeps here what it likes
  std::size_t scratchWords;
  unsigned* result;  ///< (1)
};

/// One step of the report.
struct ReductionStep {
  const char* name;
  const char* what;
  void (*sum)(const Reduction&);  ///< returns when the work is launched, on the default stream
  double reportMs;                ///< milliseconds that the report measured; 0: none
};

/// All of them, and what they need to run.
struct ReductionReport {
  std::vector<ReductionStep> steps;            ///< in the report's order, its baseline first
  std::size_t (*scratchWords)(unsigned n);     ///< enough for any of the steps
  void (*fill)(unsigned n, unsigned* values);  ///< writes the input into device memory (n)
};

/// Value i of the input. constexpr, so that the device may make it and the host sum it up.
constexpr unsigned reductionValue(std::uint64_t i) {
  return static_cast<unsigned>(edgeHash(0, i, 0));
}

/// reduction.cu has it; in a build without CUDA it is empty.
ReductionReport reportE();
