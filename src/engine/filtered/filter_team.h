// Ranks that filter a graph together. Each has a band of the rows of the matrix.
#pragma once

#include <cstddef>
#include <vector>

#include "ranks/grid.h"

struct CUstream_st;

namespace engine {

/// What they tell each other. All functions but the first two are collective: all ranks call them
/// in the same order.
class FilterTeam {
 public:
  virtual ~FilterTeam() = default;
  virtual int rank() const = 0;
  virtual const std::vector<Band>& rows() const = 0;  ///< of each rank
  virtual int onThisHost() const = 0;                 ///< ranks that share this machine's memory
  /// Copies memory of a rank to all others. Between GPUs it is device memory, and the copy is made
  /// in the order of the stream. Between CPUs it is host memory, and the stream is null.
  virtual void broadcast(void* data, std::size_t bytes, int root, CUstream_st* stream) = 0;
  /// The values of all ranks, by rank.
  virtual std::vector<double> all(double mine) = 0;
};

/// One rank that has all rows.
class Alone : public FilterTeam {
 public:
  explicit Alone(int n) : rows_{{0, n}} {}
  int rank() const override { return 0; }
  const std::vector<Band>& rows() const override { return rows_; }
  int onThisHost() const override { return 1; }
  void broadcast(void*, std::size_t, int, CUstream_st*) override {}
  std::vector<double> all(double mine) override { return {mine}; }

 private:
  std::vector<Band> rows_;
};

}  // namespace engine
