#include "solver/costs.h"

#include <omp.h>

#include <cmath>

#include "device/simd.h"

namespace engine {

namespace {

/// The constants were measured on a CPU with AVX-512. These factors are for one that has only AVX2
/// and half the cache beside each core. With 1.5, half of the structures of scripts/structures.py
/// are searched by levels sooner there than expected, and half later (equal weights, n = 3000).
constexpr Costs kWithoutAvx512 = {1, 1, 1, 1, 1.8, 1.5};

/// The constants were measured with two threads. 16 threads took 1.6 times as long as an eighth of
/// the time of two, with every method alike (docs/tuning.md). So the speed grows by 8^kOfMore if
/// the number of threads grows by 8.
constexpr double kMeasuredWith = 2, kOfMore = 0.77;

}  // namespace

Costs& cpuCosts() {
  static Costs costs = widestSimd() == "avx512" ? Costs() : kWithoutAvx512;
  return costs;
}

double speedOf(int threads) {
  if (threads <= kMeasuredWith) return threads;
  return kMeasuredWith * std::pow(threads / kMeasuredWith, kOfMore);
}

double speedOfAll() {
  return speedOf(omp_get_max_threads());
}

}  // namespace engine
