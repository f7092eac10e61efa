#include "sparse/rates.h"

#include <omp.h>

#include "device/simd.h"
#include "solver/costs.h"

namespace engine::sparse {

namespace {

/// With other cores, reals are added up in another order. So that threads do not change bits, their
/// core is that for so many.
constexpr int kCoreThreads = 4;
/// The dense solver's time for real weights on a CPU, divided by that for whole ones: 1 on one kind
/// of CPUs and 1.9 on another, which has twice as many units for whole numbers. The size of a core
/// does not depend on this factor, so calibrating changes no bits.
constexpr double kRealOnCpu = 1.4;
/// Seconds that a CPU takes at the most to filter a large core, for each element: of whole and of
/// real weights. They were measured without AVX-512.
constexpr double kFiltered = 60e-9, kFilteredReal = 100e-9;

}  // namespace

double gpuProduct(Dtype dtype) {
  constexpr double kProduct = 6.4e-14;
  if (!isWide(dtype)) return kProduct;
  // No instruction of a GPU takes a minimum of 64 bits (results/h200/types.csv).
  return kProduct * (isWhole(dtype) ? 4.2 : 3.4);
}

Rates ratesOn(const Device& device, Dtype dtype, const Selection* asked) {
  const struct {
    const char* simd;
    double product;
  } levels[] = {{"avx512", 2e-11}, {"avx2", 4e-11}, {"portable", 1e-10}};
  Rates rates;
  for (const auto& level : levels)
    if (widestSimd() == level.simd) rates.product = level.product;
  rates.threads = speedOfAll();
  if (!isWhole(dtype)) rates.coreThreads = kCoreThreads;
  rates.product *= cpuCosts().dense;
  for (double Rates::*rate : {&Rates::triangle, &Rates::relax, &Rates::write, &Rates::arc,
                              &Rates::vertex, &Rates::prepare, &Rates::climb})
    rates.*rate *= cpuCosts().sparse;
  const bool gpu = device.kind() == DeviceKind::kGpu;
  if (!gpu && !isWhole(dtype)) rates.real = kRealOnCpu * cpuCosts().real;
  if (!gpu) rates.filtered = (isWhole(dtype) ? kFiltered : kFilteredReal) * cpuCosts().dense;
  if (gpu) {
    rates.tile = 1;
    rates.relax = rates.write = 0.4e-12;
    rates.threads = 1;
    rates.coreThreads = 0;
    rates.arc = 100e-9;  // one thread of the CPU
    rates.vertex = 400e-9;
    rates.prepare = 300e-9;
    rates.climb = 0;
    rates.level = 1.8e-6;
    rates.triangle = 3e-9;
    rates.rest = 1;
    rates.coreWord = 3e-9;  // the core's matrix goes to the GPU and back
  }
  // Numbers of 64 bits are twice as many bytes to write, and a vector holds half as many of them.
  const double size = static_cast<double>(sizeOf(dtype)) / 4;
  for (double Rates::*rate :
       {&Rates::product, &Rates::filtered, &Rates::relax, &Rates::write, &Rates::coreWord})
    rates.*rate *= size;
  if (gpu) rates.product = gpuProduct(dtype);
  if (asked != nullptr && !asked->sources.empty())
    rates.sources = static_cast<double>(asked->sources.size());
  return rates;
}

}  // namespace engine::sparse
