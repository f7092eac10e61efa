// What a rank has of the matrix, whoever computes it: rows and columns that other ranks ask for,
// and that go into a file.
#pragma once

#include "base/elements.h"
#include "ranks/grid.h"

namespace engine {

class Piece {
 public:
  virtual ~Piece() = default;

  /// The rows and columns of the matrix that are here.
  virtual Band rows() const = 0;
  virtual Band columns() const = 0;
  /// Copies rows, of which there are `band`, all of them here. elements: (band.count,
  /// columns().count), of the type of the matrix.
  virtual void get(Band band, Elements elements) const = 0;
  /// The vertices of a block: bands are made of whole blocks.
  virtual int depth() const = 0;
};

}  // namespace engine
