// The filtered solver on the CPU: leaves out the edges of a dense graph that are on no shortest
// path, and relaxes along the others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/dtype.h"
#include "base/elements.h"
#include "filtered/filter_team.h"
#include "filtered/matrix_rows.h"
#include "filtered/prospect.h"
#include "solver/options.h"
#include "solver/outcome.h"

namespace engine {

/// How hard a CPU tries with these options; nothing if it does not try.
inline std::optional<Effort> effortOnCpu(const Options& options) {
  if (options.method != Method::kAuto && options.method != Method::kFiltered) return std::nullopt;
  Effort effort = options.method == Method::kFiltered ? kWhateverItTakes : Effort();
  effort.may16 = options.may16();
  if (options.method == Method::kAuto && options.outlook == Outlook::kGood) effort.vain = 0.12;
  return effort;
}

/// Solves n×n weights in place in host memory, as apsp.h says. Nothing if that would
/// take longer than the effort allows. The matrix then holds weights, or lengths of walks in their
/// place, and its distances are the same as before. simd: as findSettle() takes it. Throws
/// Error(kMemory).
std::optional<Outcome> solveFiltered(int n, Elements matrix, const Effort& effort = {},
                                     const std::string& simd = "");

/// Collective: the same on several ranks, each with its band of team.rows(). All get the same
/// answer, or nothing together.
std::optional<Outcome> solveFilteredOnRanks(const MatrixRows& matrix, const Effort& effort,
                                            FilterTeam& team, const std::string& simd = "");

/// About the bytes of host memory that this takes beside the matrix, on each of so many ranks: the
/// blocks of targets that are solved at the same time, and lists of arcs, unless a user asks for
/// the method.
std::size_t filteredBytes(int n, Dtype dtype, int ranks = 1);

}  // namespace engine
