#include "solver/costs.h"

#include "device/simd.h"

namespace engine {

namespace {

/// The constants were measured on a CPU with AVX-512. These factors are for one that has only AVX2
/// and half the cache beside each core. With 1.5, half of the structures of scripts/structures.py
/// are searched by levels sooner there than expected, and half later (equal weights, n = 3000).
constexpr Costs kWithoutAvx512 = {1, 1, 1, 1, 1.8, 1.5};

}  // namespace

Costs& cpuCosts() {
  static Costs costs = widestSimd() == "avx512" ? Costs() : kWithoutAvx512;
  return costs;
}

}  // namespace engine
