// How many pairs of vertices have which distance.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/distances.h"

namespace engine {

struct HistogramBin {
  Number from, to;          ///< both are in it; of reals, `to` is in the last bin only
  std::uint64_t pairs = 0;  ///< i ≠ j
};

struct Histogram {
  std::vector<HistogramBin> bins;  ///< ascending
  std::uint64_t unreachable = 0;   ///< pairs without a path
};

/// Whole distances below this get a bin for each value that occurs. Otherwise there are
/// kHistogramBins of the same width, from the least distance, or from 0 if none is below 0, to the
/// largest.
inline constexpr std::int64_t kHistogramValues = 10000;
inline constexpr int kHistogramBins = 1000;

/// Looks at all distances, on all cores.
Histogram histogramOf(const Distances& distances);

}  // namespace engine
