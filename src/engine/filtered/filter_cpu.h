// Which edges of a dense graph can be on a shortest path, on the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "filtered/arcs.h"
#include "filtered/filter_team.h"
#include "filtered/matrix_rows.h"
#include "filtered/prospect.h"

namespace engine {

/// The edges that are left of a graph, and what finding them told. T: of the weights.
template <class T>
struct Filtered {
  Arcs<T> kept;
  double looks = 0;     ///< at a vertex, on the average, until the hubs' distances were found
  double passes = 0;    ///< the same of a light edge
  bool fits16 = false;  ///< all distances are finite and below 2¹⁵ − 1: 16 bits may hold them
  /// The distances of int64 weights are all below infinity of int32, and so are the edges that are
  /// left: 32 bits hold them.
  bool fits32 = false;
  double surveyMs = 0, filterMs = 0;
};

/// Collective: keeps all edges that are on a shortest path. Nothing if that, or relaxing along
/// them, is expected to take longer than the effort allows. All ranks get the same edges, of the
/// whole graph. matrix: the rows of this rank, of type T; simd: as findSettle() takes it.
template <class T>
std::optional<Filtered<T>> filter(const MatrixRows& matrix, const Effort& effort, FilterTeam& team,
                                  const std::string& simd = "");

/// The time of relaxing on this CPU, divided by that of the dense solver.
double costOf(const Prospect& prospect, int n);

/// How many edges may be light, unless a user asks for the method, on so many ranks.
std::uint64_t mostEdges(int n, int ranks);

}  // namespace engine
