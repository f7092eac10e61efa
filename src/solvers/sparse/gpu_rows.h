// Distances that have no room in GPU memory: bands of rows are swept there when they are asked for.
#pragma once

#include "solvers/distances.h"
#include "solvers/sparse/sweep_gpu.h"

namespace sparse {

class GpuRows : public Distances {
 public:
  GpuRows(const Device& gpu, int n, Dtype dtype) : Distances(n, dtype), gpu_(gpu) {}

  /// Sweeps all rows once and discards them. Keeps a reference to the hierarchy.
  void sweep(GpuSweeps& graph);

  void rows(int begin, int end, const RowVisitor& visit) const override;
  void rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const override;
  /// Sweep all rows once more, unless they are known.
  std::optional<GraphStats> counted() const override;
  const std::vector<RowSummary>* summaries() const override;

  /// Bytes of GPU memory that this takes.
  static std::size_t bytes(int n);

 private:
  const Device& gpu_;
  GpuSweeps* graph_ = nullptr;
  mutable std::vector<RowSummary> summaries_;  // empty if not known
};

}  // namespace sparse
