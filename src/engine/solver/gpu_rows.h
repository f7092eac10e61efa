// Rows of distances that a GPU makes. If they have no room in its memory, bands of them are made
// there when they are asked for.
#pragma once

#include <cstddef>
#include <optional>

#include "base/size.h"
#include "solver/distances.h"
#include "solver/small_rows.h"

namespace engine {

/// Makes rows of distances in GPU memory.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Writes all distances: (n, n) in device memory, or a table if it was made for one. Throws
  /// Error(kMemory), Error(kGpu).
  virtual void all(Elements out) = 0;
  /// Writes the distances from `count` vertices, from `first` on: (count, n) elements in device
  /// memory; or so many rows of a table, from row `first` on. Throws Error(kMemory), Error(kGpu).
  virtual void rows(int first, int count, Elements out) = 0;
  /// Writes the same as columns, if that takes less time: the distance from vertex first + i to
  /// vertex v is element v * stride + i of (n, stride) in device memory. Returns whether it did.
  /// stride: `count` or more. Throws Error(kMemory), Error(kGpu).
  virtual bool columns(int /*first*/, int /*count*/, std::size_t /*stride*/, Elements /*out*/) {
    return false;
  }
};

/// Bytes of a band, which is in GPU memory, and of a piece of it, which goes to host memory. Bands
/// are large, because a lane or a bit of the GPU is enough for a source.
struct BandSizes {
  std::size_t band = std::size_t{4} << 30, piece = std::size_t{128} << 20;
};

class GpuRows : public Distances {
 public:
  /// asked: null: all rows. keeps: they have room, stored so. Of a table that is no band
  /// (Selection::isBand()), the source of the rows makes rows of the table.
  GpuRows(const Device& gpu, int n, Dtype dtype, BandSizes sizes = {},
          const Selection* asked = nullptr, bool keeps = false, RowWidth stored = RowWidth::kFull)
      : Distances(n, dtype, asked),
        gpu_(gpu),
        sizes_(sizes),
        isBand_(asked == nullptr || asked->isBand()),
        sumsUp_(isBand_ || asked->isColumns()),
        keeps_(keeps),
        stored_(stored) {}

  /// Takes the memory for rows that are kept. Throws Error(kMemory).
  void place();
  /// Makes all rows once. If they are not kept, it discards them, or finds their summaries. Keeps a
  /// reference to `from`. Throws DoesNotFit.
  void make(RowSource& from, bool summarises = false);

  /// While a piece is visited, the next one comes to host memory.
  void rows(int begin, int end, const RowVisitor& visit) const override;
  void rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const override;
  /// Makes all rows once more, unless they are kept or this is known.
  std::optional<GraphStats> counted() const override;
  const Summaries* summaries() const override;

  /// Bytes of GPU memory and of host memory that this takes. kept: rows.
  static std::size_t bytes(int columns, Dtype dtype, int kept = 0,
                           RowWidth stored = RowWidth::kFull);
  static std::size_t hostBytes(int columns, Dtype dtype);

 private:
  Elements kept(int row) const { return kept_->data() + asSize(row) * asSize(columns()); }
  int numberOf(int row) const { return isBand_ ? source(row) : row; }

  const Device& gpu_;
  const BandSizes sizes_;
  const bool isBand_;  // or all rows
  const bool sumsUp_;  // summaries are found on the GPU
  const bool keeps_;
  const RowWidth stored_;
  std::optional<DeviceElements> kept_;  // (rows, columns)
  std::optional<SmallRows> small_;      // or these
  RowSource* source_ = nullptr;
  mutable Summaries summaries_;  // empty if not known
};

}  // namespace engine
