// The sweep up to a limit: of the distances from many sources at once, those that are small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "filtered/settle_cpu.h"
#include "solver/sparse_rows.h"
#include "sparse/position_set.h"
#include "sparse/prepared.h"
#include "sparse/sweep.h"

namespace engine::sparse {

/// What all sweeps of a graph up to a limit read.
template <class T>
struct Bounded {
  const Swept<T>* graph;
  std::vector<int> vertex;         ///< of each position
  std::vector<std::size_t> first;  ///< where the arcs down from each position begin; n + 1
  std::vector<int> lower;          ///< the lower ends of the arcs down, in ascending order

  explicit Bounded(const Swept<T>& graph);
};

/// Writes the distances from sources[i] that are at most `limit` into row i, by ascending column.
/// The source itself is left out. sources: vertices. columns: that of each vertex, −1 if it is not
/// wanted; empty: its number. They ascend with the vertices. The time depends on how many distances
/// are found. Throws Error(kMemory).
void sweepWithin(const Prepared& prepared, const std::vector<int>& sources,
                 const std::vector<int>& columns, const Number& limit, int threads,
                 SparseRows& rows);

}  // namespace engine::sparse
