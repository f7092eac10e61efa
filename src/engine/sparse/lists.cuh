// The lists of an elimination on the GPU (elimination_gpu.cu), in rounds (rounds.cuh) and
// afterwards (pruning.cuh).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "base/graph.h"
#include "base/size.h"
#include "device/cuda.h"
#include "device/infinity.cuh"

namespace engine::sparse::rounds {

using Index = std::uint32_t;

/// Arcs of a list that a lane holds while its warp works on the list, and arcs of a list, at most.
inline constexpr int kSlots = 4;
inline constexpr int kMost = kSlots * kWarp;
/// The degree of a frozen vertex, and no vertex.
inline constexpr int kFrozen = 1 << 24;
inline constexpr Index kNobody = 0xffffffffu;
/// Threads of a block, if all blocks run at the same time.
inline constexpr int kThreads = 512;

/// The edges of the graph, sorted by their ends. first: (n + 1) where those from each vertex begin.
template <class T>
struct Given {
  const Edge<T>* edges;
  int count;
  int* first;
};

/// The lists of all vertices.
template <class T>
struct Lists {
  Index* head;  ///< (arcs) the other end of each arc
  T *out, *in;  ///< (arcs) its weights, towards the head and back
  Index* at;    ///< (n) where the list of each vertex begins
  int* degree;  ///< (n) how many arcs it has, or kFrozen
  Index* room;  ///< (n) and how many it has room for
  int* gone;    ///< (n) the round in which it was eliminated, or kStays
  Index* top;   ///< how many arcs are in use
  Index arcs;   ///< how many there is room for
  int n;
};

/// The vertices by their places: those that were eliminated, round by round, then the core.
struct Placed {
  const Index* vertex;  ///< (n) of each place
  Index* of;            ///< (n) the place of each vertex
  int n, eliminated;    ///< the places from `eliminated` on are the core's
  Index* at;            ///< (eliminated) the list of each place: where it begins,
  int* degree;          ///< (eliminated) and how many arcs it has
  int* parent;          ///< (eliminated) the place of the parent; at or above `eliminated`: a root

  __device__ bool isCore(Index place) const { return place >= static_cast<Index>(eliminated); }
};

}  // namespace engine::sparse::rounds
