// The filtered solver on the GPU: leaves out the edges of a dense graph that are on no shortest
// path, and relaxes along the others.
#pragma once

#include <cstddef>
#include <optional>

#include "base/dtype.h"
#include "filtered/filter_team.h"
#include "filtered/prospect.h"
#include "solver/options.h"
#include "solver/outcome.h"

/// From so many vertices on, looking whether filtering pays costs less than 3 % of the dense
/// solver's time. A source may take 6 steps for each vertex and each chunk of arcs.
inline constexpr Effort kGpuEffort = {2400, 0.7, 6};
/// Of a graph that is known to have few edges: it need not be sampled first.
inline constexpr Effort kFewEdgesEffort = {2400, 1, 6};

/// How hard solve() of apsp.h tries with these options; nothing if it does not try. Who asks for
/// tiles or for an arithmetic wants the dense solver.
inline std::optional<Effort> effortOnGpu(const Options& options) {
  if (options.method == Method::kFiltered) return kWhateverItTakes;
  if (options.method == Method::kDense || options.precision != Precision::kAuto ||
      options.tile != 0)
    return std::nullopt;
  return options.fewEdges ? kFewEdgesEffort : kGpuEffort;
}

/// Solves n×n weights of that type in place in device memory, as apsp.h says. Nothing if that would
/// take longer than the effort allows, or if the GPU has too little memory for it. The matrix then
/// holds weights, or distances in their place, and its distances are the same as before. Throws
/// Error(kGpu).
std::optional<Outcome> solveFilteredOnGpu(int n, int* words, Dtype dtype, const Effort& effort,
                                          CUstream_st* stream = nullptr);

/// Collective: the same on several GPUs, each with its band of team.rows(). words: these
/// rows, `stride` words apart. All get the same answer, or nothing together.
std::optional<Outcome> solveFilteredOnGpus(int n, int* words, std::size_t stride, Dtype dtype,
                                           const Effort& effort, FilterTeam& team);

/// Bytes of device memory that this takes beside the matrix.
std::size_t filteredGpuBytes(int n);
