// Breadth-first search from many vertices at once, a bit for each (Then et al., "The more the
// merrier: efficient multi-source graph traversal", VLDB 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bfs/shape.h"
#include "filtered/settle_cpu.h"

namespace engine::bfs {

/// The level of a vertex that a search does not reach. Level: an unsigned type.
template <class Level>
inline constexpr Level kUnseen = std::numeric_limits<Level>::max();
template <>
inline constexpr std::uint32_t kUnseen<std::uint32_t> = std::numeric_limits<std::int32_t>::max() -
                                                        1;

/// What one batch of searches did.
struct Explored {
  std::uint64_t arcs = 0;    ///< looks at an arc, for all searches of the batch together
  std::uint64_t visits = 0;  ///< looks at a vertex
  std::uint64_t passed = 0;  ///< arcs that leave reached vertices, for each search
  int levels = 0;            ///< the highest
  bool tooDeep = false;      ///< there are more than the type holds
  bool gaveUp = false;       ///< it took more looks than allowed

  /// A look at a vertex takes as long as three at arcs.
  std::uint64_t looks() const { return arcs + 3 * visits; }
};

/// The memory of one batch, for searches of kWords · 64 vertices.
template <int kWords>
class Frontier {
 public:
  static constexpr int kSearches = 64 * kWords;

  /// Throws Error(kMemory).
  explicit Frontier(int vertices);
  static std::size_t bytes(int vertices);

  /// A bit for each search, of each vertex: (vertices, kWords).
  DistanceRows<std::uint64_t> seen, now, next;
  std::vector<std::uint8_t> marks;             ///< of each vertex: a Mark
  std::vector<std::uint32_t> active, touched;  ///< vertices
};

/// Searches from `count` different vertices of the interior. levels: (vertices, kSearches), those
/// of searches from `count` on are kUnseen. most: looks() that are allowed.
template <class Level, int kWords>
using Explore = Explored (*)(const Shape& shape, const int* roots, int count,
                             Frontier<kWords>& frontier, Level* levels, std::uint64_t most);

/// That of the instruction set "avx512", "avx2", "portable", or "" for the widest of this machine.
/// Level: uint8_t, uint16_t or uint32_t; kWords: 1 or 8. Throws Error(kUsage).
template <class Level, int kWords>
Explore<Level, kWords> findExplore(const std::string& simd = "");

}  // namespace engine::bfs
