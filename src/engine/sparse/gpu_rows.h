// Distances that have no room in GPU memory: bands of rows are swept there when they are asked for.
#pragma once

#include <cstddef>

#include "solver/distances.h"
#include "sparse/sweep_gpu.h"

namespace sparse {

/// Bytes of a band, which is in GPU memory, and of a piece of it, which goes to host memory. Bands
/// are large, because a source is swept by one lane of the GPU.
struct BandSizes {
  std::size_t band = std::size_t{4} << 30, piece = std::size_t{128} << 20;
};

class GpuRows : public Distances {
 public:
  GpuRows(const Device& gpu, int n, Dtype dtype, BandSizes sizes = {})
      : Distances(n, dtype), gpu_(gpu), sizes_(sizes) {}

  /// Sweeps all rows once and discards them. Keeps a reference to the hierarchy.
  void sweep(GpuSweeps& graph);

  /// While a piece is visited, the next one comes to host memory.
  void rows(int begin, int end, const RowVisitor& visit) const override;
  void rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const override;
  /// Sweep all rows once more, unless they are known.
  std::optional<GraphStats> counted() const override;
  const Summaries* summaries() const override;

  /// Bytes of GPU memory and of host memory that this takes.
  static std::size_t bytes(int n);
  static std::size_t hostBytes(int n);

 private:
  const Device& gpu_;
  const BandSizes sizes_;
  GpuSweeps* graph_ = nullptr;
  mutable Summaries summaries_;  // empty if not known
};

}  // namespace sparse
