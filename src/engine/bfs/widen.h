// How levels become rows of distances.
#pragma once

#include <cstdint>
#include <string>

#include "bfs/shape.h"
#include "solver/stage.h"

namespace engine::bfs {

/// The levels of kTransposed rows of the result.
template <class Level>
struct Levels {
  const Level* of;   ///< (vertices of the interior, width)
  int width;         ///< searches side by side
  const int* place;  ///< of each column of the result (Shape::place)
  const ArcLists* entering;
  int search[kTransposed];  ///< of each row of the result
  bool adjacent;            ///< these follow each other
  int extra[kTransposed];   ///< steps before the search begins: 0 or 1
};

/// Columns that are widened together, at the most.
inline constexpr int kWidened = 128;
static_assert(Stage<std::int32_t>::kPiece <= kWidened);

/// Writes distances: to[r][i] = weight · steps from row r to column begin + i, over i < count and
/// r < rows. count: from 1 to kWidened.
template <class Level, class T>
using Widen = void (*)(const Levels<Level>& levels, T weight, int begin, int count, int rows,
                       T* const* to);

/// That of the instruction set "avx512", "avx2", "portable", or "" for the widest of this machine.
/// Level: uint8_t, uint16_t or uint32_t. T: one of the types of weights. Throws Error(kUsage).
template <class Level, class T>
Widen<Level, T> findWiden(const std::string& simd = "");

}  // namespace engine::bfs
