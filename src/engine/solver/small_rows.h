// Rows of whole distances that are kept in 8 or 16 bits each. Whoever reads them gets them in their
// own type again, a few rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "base/error.h"
#include "device/device.h"
#include "solver/distances.h"
#include "solver/options.h"

namespace engine {

/// Bytes of a distance that is stored so. dtype: its own type.
constexpr std::size_t sizeOf(RowWidth stored, Dtype dtype) {
  if (stored == RowWidth::kUint8) return 1;
  return stored == RowWidth::kUint16 ? 2 : sizeOf(dtype);
}

/// What stands for no path in small elements. Distances are below it.
template <class Small>
inline constexpr Small kNoDistance = std::numeric_limits<Small>::max();

/// Some distances that small elements do not hold. what() names the first such pair by its numbers.
struct DoesNotFit : Error {
  int most;            ///< the largest distance that fits
  int source, target;  ///< of the pair: vertices

  DoesNotFit(int largest, int from, int to);
};

/// what() of the error, with vertices as nameOf() calls them.
std::string doesNotFitText(const DoesNotFit& error,
                           const std::function<std::string(int vertex)>& nameOf);

/// Writes `count` whole distances in small elements. Returns the index of the first distance that
/// does not fit; `count` if all do. stored: not kFull. All memory is the GPU's. Throws
/// Error(kMemory), Error(kGpu).
std::size_t shrinkOnGpu(ConstElements from, std::size_t count, RowWidth stored, void* to);
/// Writes such elements as distances of to's type. All memory is the GPU's. Throws Error(kGpu).
void widenOnGpu(const void* from, std::size_t count, RowWidth stored, Elements to);

/// Such rows in a device's memory.
class SmallRows {
 public:
  /// stored: not kFull. Throws Error(kMemory).
  SmallRows(const Device& device, int rows, int columns, RowWidth stored);

  /// Keeps `count` rows from row `first` on: (count, columns) whole distances in the device's
  /// memory. shape: says which vertices they belong to. Throws DoesNotFit.
  void keep(const Distances& shape, int first, int count, ConstElements rows);
  /// Writes `count` rows from row `first` on as they were: (count, columns) in the device's memory.
  void widen(int first, int count, Elements rows) const;

  static std::size_t bytes(int rows, int columns, RowWidth stored);

 private:
  void* at(int row) const;

  const Device& device_;
  const int columns_;
  const RowWidth stored_;
  const DeviceElements words_;  // which hold (rows, columns) small elements
};

}  // namespace engine
