// A graph that is made where it is needed: in host or device memory, whole or a block at a time,
// and on each of several ranks, which makes the block that it solves. Nobody sends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "base/graph.h"

namespace engine {

struct MatrixBlock;  // device/matrix_block.h
class GraphSource;

/// The bytes from which another rank makes the same source. Only code of that kind reads them.
struct SourceImage {
  int kind = 0;
  char bytes[1276] = {};
};

/// An image for ranks that are threads of this process: where the source is.
inline SourceImage imageInProcess(const GraphSource& source) {
  const GraphSource* const address = &source;
  SourceImage image;
  std::memcpy(image.bytes, &address, sizeof address);
  return image;
}
inline const GraphSource* addressIn(const SourceImage& image) {
  const GraphSource* address = nullptr;
  std::memcpy(&address, image.bytes, sizeof address);
  return address;
}

/// Makes a source of an image.
using SourceReader = std::shared_ptr<const GraphSource> (*)(const SourceImage& image);

class GraphSource {
 public:
  virtual ~GraphSource() = default;

  virtual int n() const = 0;
  virtual Dtype dtype() const = 0;
  /// What a reader makes the same source of.
  virtual SourceImage image() const = 0;

  /// Whether this rank can make the graph.
  virtual bool here() const { return true; }
  /// Whether whole() has edges and no matrix.
  virtual bool asEdges() const = 0;
  /// Whether each rank makes all of it sooner than it would receive it.
  virtual bool computed() const = 0;
  /// Bytes of host memory that whole() takes.
  virtual std::size_t wholeBytes() const = 0;
  /// Throws Error(kMemory), and Error(kInput) if what it is made of has changed.
  virtual Graph whole() const = 0;
  /// Writes the elements of the matrix in `rows` rows from `row` on and `columns` columns from
  /// `column` on into host memory: (rows, columns), of dtype(). Throws Error(kInput).
  virtual void block(int row, int rows, int column, int columns, Elements to) const = 0;
  /// Writes a block into GPU memory, on the default stream. Returns false if it can be made in host
  /// memory only. Throws Error(kGpu).
  virtual bool blockOnGpu(const MatrixBlock& /*block*/) const { return false; }

  /// The statistics, if they are known already.
  virtual std::optional<GraphStats> statistics() const { return std::nullopt; }
  /// A source of the same kind with n vertices, to ask what it would take; null: there is none.
  virtual std::shared_ptr<const GraphSource> ofSize(int /*n*/) const { return nullptr; }
  /// Another graph of the same kind for each seed; null: there is only this one.
  virtual std::shared_ptr<const GraphSource> ofSeed(std::uint64_t /*seed*/) const {
    return nullptr;
  }
  /// Bytes that say what was found in some rows, for whoever knows this kind of source. Throws
  /// Error(kInput).
  virtual std::string report(int /*first*/, int /*rows*/) const { return ""; }
};

}  // namespace engine
