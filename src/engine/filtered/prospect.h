// Whether filtering a graph is expected to pay.
#pragma once

#include <optional>

/// Edges of a vertex that a GPU can keep: with more, filtering is in vain.
inline constexpr int kKeptMost = 512;

/// Where a GPU keeps the distances of a source while it settles them.
enum class SettlePlace {
  kNear,   ///< in shared memory, as words
  kShort,  ///< in shared memory, in 16 bits, if no distance takes more
  kFar,    ///< in global memory
};

/// When the filtered solver tries.
struct Effort {
  int vertices = 400;       ///< at the least; below that the dense solver is faster
  double worthwhile = 0.7;  ///< of the dense solver's time, at the most
  double steps = 2;         ///< of a block of targets, times what the hubs took: then it gives up
  std::optional<SettlePlace> place = {};  ///< for tests: as if there were no room in a nearer one
};
/// Of a user who asks for the method. 16: a vertex for each hub.
inline constexpr Effort kWhateverItTakes = {16, 1e9, 1e9};

/// What is known of a graph before it is solved.
struct Prospect {
  double kept;   ///< edges a vertex
  double looks;  ///< at the edges of a vertex, for each block of targets
  bool narrow;   ///< 16 bits hold all distances
};
