// Which edges of a dense graph can be on a shortest path, on the CPU.
#pragma once

#include <optional>
#include <string>

#include "core/dtype.h"
#include "solvers/relaxation/arcs.h"

/// The edges that are left of a graph, and what finding them told.
struct Filtered {
  Arcs kept;
  double looks = 0;   ///< at a vertex, on the average, until the hubs' distances were found
  bool narrow = false;  ///< all distances are finite and below 2¹⁵: 16 bits hold them
  double surveyMs = 0, filterMs = 0;
};

/// Keeps all edges that are on a shortest path. Nothing if that would take too long, or would keep
/// more than `mostArcs` a vertex. words: (n, n) in host memory; dtype: of the weights; simd: as
/// findSettle() takes it.
std::optional<Filtered> filter(int n, const int* words, Dtype dtype, double mostArcs,
                               const std::string& simd = "");
