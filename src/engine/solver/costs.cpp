#include "solver/costs.h"

#include "device/simd.h"

namespace engine {

namespace {

/// The constants were measured on a CPU with AVX-512. These factors are for one that has only AVX2
/// and half the cache beside each core: what `apsp calibrate` measures there.
constexpr Costs kWithoutAvx512 = {1, 1, 1, 1, 1.8, 1.5};

}  // namespace

Costs& cpuCosts() {
  static Costs costs = widestSimd() == "avx512" ? Costs() : kWithoutAvx512;
  return costs;
}

}  // namespace engine
