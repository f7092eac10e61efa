// The filtered solver on the GPU: leaves out the edges of a dense graph that are on no shortest
// path, and relaxes along the others.
#pragma once

#include <cstddef>
#include <optional>

#include "base/dtype.h"
#include "base/elements.h"
#include "filtered/filter_team.h"
#include "filtered/prospect.h"
#include "solver/options.h"
#include "solver/outcome.h"

namespace engine {

/// From so many vertices on, looking whether filtering pays costs less than 3 % of the dense
/// solver's time.
inline constexpr Effort kGpuEffort = {2400, 0.7};
/// Of a graph with a good or doubtful outlook: it need not be sampled first.
inline constexpr Effort kGoodEffort = {1536, 1};

/// How hard solve() of apsp.h tries with these options; nothing if it does not try. Who asks for
/// tiles or for few bits wants the dense solver.
inline std::optional<Effort> effortOnGpu(const Options& options) {
  if (options.method == Method::kFiltered) return kWhateverItTakes;
  if (options.method == Method::kDense || options.precision == Precision::k16 ||
      options.precision == Precision::k32 || options.tile != 0 || options.outlook == Outlook::kPoor)
    return std::nullopt;
  return options.outlook == Outlook::kUnknown ? kGpuEffort : kGoodEffort;
}

/// Solves n×n weights in place in device memory, as apsp.h says. Nothing if that would take longer
/// than the effort allows, or if the GPU has too little memory for it.
/// The matrix then holds weights, or distances in their place, and its distances are the same as
/// before. Throws Error(kGpu).
std::optional<Outcome> solveFilteredOnGpu(int n, Elements matrix, const Effort& effort,
                                          CUstream_st* stream = nullptr);

/// Collective: the same on several GPUs, each with its band of team.rows(). matrix: these
/// rows, `stride` elements apart. All get the same answer, or nothing together.
std::optional<Outcome> solveFilteredOnGpus(int n, Elements matrix, std::size_t stride,
                                           const Effort& effort, FilterTeam& team);

/// Bytes of device memory that solveFilteredOnGpu() takes beside the matrix.
std::size_t filteredGpuBytes(int n, Dtype dtype);

}  // namespace engine
