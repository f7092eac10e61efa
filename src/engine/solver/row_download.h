// Rows that come from a device's memory to host memory, a piece at a time.
#pragma once

#include "device/device.h"
#include "solver/distances.h"

namespace engine {

/// Visits rows in host memory. While a piece of them is visited, the next one comes.
class RowDownload {
 public:
  /// piece: of so many rows. Keeps the references. Takes host memory for two pieces.
  RowDownload(const Device& device, Dtype dtype, int columns, int piece, const RowVisitor& visit);

  /// Brings (count, columns) elements from the device's memory: the rows from `first` on. The
  /// memory may be written again afterwards, but the last piece has not been visited yet.
  void add(int first, int count, ConstElements elements);
  /// Visits the last piece.
  void finish();

 private:
  struct Piece {
    ElementBuffer elements;
    int first = 0, count = 0;
  };
  std::size_t sizeOf(int rows) const;

  const Device& device_;
  const Dtype dtype_;
  const int columns_, most_;
  const RowVisitor& visit_;
  Piece here_, coming_;
};

}  // namespace engine
