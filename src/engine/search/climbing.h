// When the sparse method's hierarchy is worth climbing, and how the CPU prepares it.
#pragma once

#include <omp.h>

#include <algorithm>

#include "dense/blocked_cpu.h"
#include "filtered/filtered_cpu.h"
#include "sparse/prepared.h"

namespace engine {

/// Whether the core is small, or most vertices are below it. Otherwise each question goes through
/// much of the core.
inline bool hasSmallCore(const sparse::Survey& survey) {
  constexpr int kSmall = 512, kVertices = 10;  // for each vertex of the core
  return survey.elimination.coreSize() <=
         std::max(kSmall, survey.elimination.vertices() / kVertices);
}

/// The core is solved on the CPU, as all else is.
inline sparse::Ways preparedOnCpu() {
  const auto core = [](int n, Elements matrix) {
    if (!solveFiltered(n, matrix)) apspCpu(n, matrix);
  };
  return {core, std::max(1, omp_get_max_threads())};
}

}  // namespace engine
