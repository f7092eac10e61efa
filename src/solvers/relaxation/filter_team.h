// GPUs that filter a graph together. Each has a band of the rows of the matrix.
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/distributed/grid.h"

struct CUstream_st;

/// What they tell each other. All functions but the first two are collective: all ranks call them
/// in the same order.
class FilterTeam {
 public:
  virtual ~FilterTeam() = default;
  virtual int rank() const = 0;
  virtual const std::vector<Band>& rows() const = 0;  ///< of each rank
  /// Copies device memory of a rank to all others, in the order of a stream.
  virtual void broadcast(void* data, std::size_t bytes, int root, CUstream_st* stream) = 0;
  /// The values of all ranks, by rank.
  virtual std::vector<double> all(double mine) = 0;
};
