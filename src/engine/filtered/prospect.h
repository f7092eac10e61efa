// Whether filtering a graph is expected to pay.
#pragma once

#include <optional>

namespace engine {

/// Edges of a vertex that a GPU can keep: with more, filtering is in vain.
inline constexpr int kKeptMost = 512;

/// Where a GPU keeps the distances of a source while it settles them.
enum class SettlePlace {
  kShared,    ///< in shared memory, as numbers of the type of the weights
  kShared16,  ///< in shared memory, in 16 bits, if no distance takes more
  kGlobal,    ///< in global memory
};

/// When the filtered solver tries.
struct Effort {
  int vertices = 400;       ///< at the least; below that the dense solver is faster
  double worthwhile = 0.7;  ///< of the dense solver's time, at the most
  /// On a CPU: so many times the steps that the hubs predict may be taken by a block of targets.
  /// A block that takes more ends the attempt, unless filtering still pays.
  double steps = 2;
  std::optional<SettlePlace> place = {};  ///< for tests: as if there were no room in one before it
  /// The part of the dense solver's time that an attempt in vain may take if little is known of the
  /// graph. A CPU with many threads may take up to twice that part.
  double vain = 0.03;
  bool may16 = true;  ///< on a CPU: distances of int32 may be computed in 16 bits
};
/// Of a user who asks for the method. 16: a vertex for each hub.
inline constexpr Effort kWhateverItTakes = {16, 1e9, 1e9, {}, 1e9};

/// What is known of a graph before it is solved.
struct Prospect {
  double kept;        ///< edges a vertex
  double looks;       ///< at a vertex, for each block of targets
  double passes;      ///< the same of an edge: less if vertices with few edges are looked at often
  bool fits16;        ///< 16 bits hold all distances
  bool real = false;  ///< the weights are real
};

}  // namespace engine
