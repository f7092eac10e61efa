// Report E as a table: a sum of unsigned ints modulo 2³² in several steps (e1_to_e8_reduction.cu).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/graph.h"

using namespace engine;

/// A sum to be computed. All pointers are to device memory.
struct Reduction {
  unsigned n;                ///< 1 to 2³¹ − 1
  const unsigned* values;    ///< (n)
  unsigned* scratch;         ///< (scratchWords): free for the step to use
  std::size_t scratchWords;  ///< unsigned ints
  unsigned* result;          ///< (1)
};

/// One step of the report.
struct ReductionStep {
  const char* name;
  const char* what;
  void (*sum)(const Reduction&);  ///< on the default stream; may return before the work is done
  double reportMs;                ///< milliseconds that the report measured; 0: it gives none
};

/// All steps, and what they need to run.
struct ReductionReport {
  std::vector<ReductionStep> steps;  ///< in the order of the report; the baseline is the first
  std::size_t (*scratchWords)(unsigned n);     ///< unsigned ints, enough for every step
  void (*fill)(unsigned n, unsigned* values);  ///< writes the input into device memory (n)
};

/// Value i of the input. It is constexpr, because the device writes it and the host adds it up.
constexpr unsigned reductionValue(std::uint64_t i) {
  return static_cast<unsigned>(edgeHash(0, i, 0));
}

/// Report E. In a build without CUDA, it has no steps.
ReductionReport reportE();
