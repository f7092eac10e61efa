// The core's matrix, and which arcs of an elimination on the GPU the sweep needs.
//
// Pruning goes from the core down, as on the CPU (customise.cpp): a vertex x needs the distances
// between its neighbours above it. Those in the core come first, because they wait for nobody. The
// others are ancestors of x. They are done from the highest to the lowest, and a mark says for each
// that its arcs are distances. So x takes the paths over its highest ancestor while the lower ones
// are still at work, and little is left to do when its parent is done.
//
//       core ──── done before    places descend →   p    p − 1    p − 2  …  are taken by warps
//         u  ──── x has taken the paths over u      each waits for marks of higher places only
//         v  ──── x waits for the mark of v
//         x
//
// A warp takes the highest vertex that no other warp has taken. So the highest vertex that is not
// done is at work in a warp that waits for nobody, and it gets done.
#pragma once

#include <cstddef>
#include <type_traits>

#include "sparse/lists.cuh"
#include "sparse/sweep.h"

namespace engine::sparse::rounds {

/// Waits a moment for another warp.
inline __device__ void rest() {
#if __CUDA_ARCH__ >= 700
  __nanosleep(20);
#endif
}

/// The core's matrix, which is infinite but for its diagonal: the lists of its vertices that are
/// not frozen. A warp for each vertex. The lists hold vertices. between: (core, core).
template <class T>
__global__ void fillCore(Placed places, Lists<T> lists, T* between) {
  const int coreSize = places.n - places.eliminated;
  const int i = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  if (i >= coreSize) return;
  const Index v = places.vertex[places.eliminated + i];
  const int degree = lists.degree[v];
  if (degree > kMost) return;
  for (int k = static_cast<int>(threadIdx.x) % kWarp; k < degree; k += kWarp) {
    const Index slot = lists.at[v] + k;
    const auto j = asSize(places.of[lists.head[slot]] - places.eliminated);
    between[asSize(i) * coreSize + j] = lists.out[slot];
    between[j * coreSize + i] = lists.in[slot];
  }
}

template <class T>
__global__ void clearCore(T* between, int coreSize) {
  const std::size_t stride = std::size_t{blockDim.x} * gridDim.x, all = asSize(coreSize) * coreSize;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += stride)
    between[i] = i / coreSize == i % coreSize ? T(0) : infinityOnGpu<T>();
}

/// Lowers a weight that others may lower, too. No weight is negative, so reals compare as the whole
/// numbers with the same bits.
template <class T>
__device__ void lower(T* known, T weight) {
  if constexpr (std::is_same_v<T, float>)
    atomicMin(reinterpret_cast<int*>(known), __float_as_int(weight));
  else if constexpr (std::is_same_v<T, double>)
    atomicMin(reinterpret_cast<long long*>(known), __double_as_longlong(weight));
  else if constexpr (sizeof(T) == 8)
    atomicMin(reinterpret_cast<long long*>(known), static_cast<long long>(weight));
  else
    atomicMin(known, weight);
}

/// What no list says: the edges between vertices of the core that are both frozen.
template <class T>
__global__ void addFrozenEdges(Given<T> given, Placed places, T* between) {
  const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (e >= given.count) return;
  const Edge<T> edge = given.edges[e];
  const Index from = places.of[edge.from], to = places.of[edge.to];
  if (!places.isCore(from) || !places.isCore(to)) return;
  const int coreSize = places.n - places.eliminated;
  lower(between + asSize(from - places.eliminated) * coreSize + (to - places.eliminated),
        edge.weight);
}

/// And the paths between them through eliminated vertices. A warp for each of these.
template <class T>
__global__ void addFrozenPaths(Placed places, Lists<T> lists, T* between) {
  const int p = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  if (p >= places.eliminated) return;
  const int coreSize = places.n - places.eliminated, degree = places.degree[p];
  const Index at = places.at[p];
  const auto isFrozen = [&](Index place) {
    return places.isCore(place) && lists.degree[places.vertex[place]] > kMost;
  };
  for (int i = 0; i < degree; ++i) {
    const Index from = lists.head[at + i];
    if (!isFrozen(from)) continue;
    for (int j = static_cast<int>(threadIdx.x) % kWarp; j < degree; j += kWarp) {
      const Index to = lists.head[at + j];
      if (j == i || !isFrozen(to)) continue;
      const T length = lists.in[at + i] + lists.out[at + j];
      if (length < infinityOnGpu<T>())
        lower(between + asSize(from - places.eliminated) * coreSize + (to - places.eliminated),
              length);
    }
  }
}

/// Of an arc, whether sweeps need it.
constexpr unsigned char kKeepsUp = 1, kKeepsDown = 2;

/// What pruning writes.
struct Kept {
  unsigned char* flags;  ///< (arcs)
  int *ups, *downs;      ///< (eliminated) how many arcs are kept
  int* done;             ///< (eliminated) 0 at first, as is:
  int* taken;            ///< vertices that warps have taken
};

/// A weight that is lowered, and whether other arcs make up for the arc.
template <class T>
struct Way {
  T before, now;
  bool spare;

  /// A path of length `through` leads over another arc. onward: its length behind that arc.
  __device__ void lower(T through, T onward, bool otherIsHigher, T margin) {
    now = lesser(now, through);
    if constexpr (std::is_floating_point_v<T>) {
      if (through * margin < before) spare = true;
    } else {
      if (through < before || (through == before && (onward > 0 || otherIsHigher))) spare = true;
    }
  }
};

/// The ways that a lane holds while its warp prunes a vertex.
template <class T>
struct Fan {
  T before[kSlots], now[kSlots];
  bool spare[kSlots];

  __device__ void lower(int s, T through, T onward, bool otherIsHigher, T margin) {
    Way<T> way{before[s], now[s], spare[s]};
    way.lower(through, onward, otherIsHigher, margin);
    now[s] = way.now;
    spare[s] = way.spare;
  }
};

/// Element k of an array in registers.
template <class T>
__device__ T pick(const T (&all)[kSlots], int k) {
  T picked = all[0];
#pragma unroll
  for (int s = 1; s < kSlots; ++s)
    if (s == k) picked = all[s];
  return picked;
}

/// A list while it is pruned.
template <class T>
struct Pruning {
  Index head[kSlots];
  Fan<T> up, down;

  /// The path from the vertex over the arc with these weights, `on` its head, to slot s, and back.
  __device__ void through(int s, Index over, T upThere, T downThere, T there, T back, T margin) {
    const bool higher = over > head[s];
    up.lower(s, upThere + there, there, higher, margin);
    down.lower(s, downThere + back, back, higher, margin);
  }
};

/// Paths over neighbours in the core to others there. A few rows are read together. between: the
/// distances of the core.
template <class T>
__device__ void overCore(Pruning<T>& mine, int slots, const Placed& places,
                         const T* __restrict__ between, T margin) {
  constexpr int kAtOnce = 4;
  const int coreSize = places.n - places.eliminated;
  const auto first = static_cast<Index>(places.eliminated);
  for (int k = 0; k < slots; ++k) {
    const Index heads = pick(mine.head, k);
    const T ups = pick(mine.up.before, k), downs = pick(mine.down.before, k);
    unsigned left = __ballot_sync(kAllLanes, heads != kNobody && places.isCore(heads));
    while (left != 0) {
      Index over[kAtOnce];
      T upThere[kAtOnce], downThere[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {  // the last one again has no effect
        const int owner = __ffs(left) - 1;
        over[i] = __shfl_sync(kAllLanes, heads, owner);
        upThere[i] = __shfl_sync(kAllLanes, ups, owner);
        downThere[i] = __shfl_sync(kAllLanes, downs, owner);
        if ((left & (left - 1)) != 0 || i + 1 == kAtOnce) left &= left - 1;
      }
#pragma unroll
      for (int s = 0; s < kSlots; ++s) {
        const Index to = mine.head[s];
        if (s >= slots || to == kNobody || !places.isCore(to)) continue;
        T there[kAtOnce], back[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          there[i] = between[asSize(over[i] - first) * coreSize + (to - first)];
          back[i] = between[asSize(to - first) * coreSize + (over[i] - first)];
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          if (over[i] != to)
            mine.through(s, over[i], upThere[i], downThere[i], there[i], back[i], margin);
      }
    }
  }
}

/// Paths over the ancestors to neighbours above these. The highest ancestor comes first, because it
/// is done first: when the parent is done, little is left to do.
template <class T>
__device__ void overAncestors(Pruning<T>& mine, int degree, const Placed& places,
                              const Lists<T>& lists, const int* done, int lane, T margin) {
  const int slots = ceilDiv(degree, kWarp);
  Index at[kSlots];  // of the list of each neighbour
  int many[kSlots];
  bool left[kSlots];
#pragma unroll
  for (int s = 0; s < kSlots; ++s) {
    left[s] = mine.head[s] != kNobody && !places.isCore(mine.head[s]);
    at[s] = left[s] ? places.at[mine.head[s]] : 0;
    many[s] = left[s] ? places.degree[mine.head[s]] : 0;
  }
  while (true) {
    int highest = -1;
#pragma unroll
    for (int s = 0; s < kSlots; ++s)
      if (left[s]) highest = max(highest, static_cast<int>(mine.head[s]));
    for (int offset = kWarp / 2; offset > 0; offset /= 2)
      highest = max(highest, __shfl_xor_sync(kAllLanes, highest, offset));
    if (highest < 0) return;
    const auto over = static_cast<Index>(highest);
    T ups = T(0), downs = T(0);
    Index mineAt = 0;
    int mineMany = 0;
    bool owns = false;
#pragma unroll
    for (int s = 0; s < kSlots; ++s)
      if (left[s] && mine.head[s] == over) {
        owns = true;
        left[s] = false;
        ups = mine.up.before[s];
        downs = mine.down.before[s];
        mineAt = at[s];
        mineMany = many[s];
      }
    const int owner = __ffs(__ballot_sync(kAllLanes, owns)) - 1;
    const T upThere = __shfl_sync(kAllLanes, ups, owner);
    const T downThere = __shfl_sync(kAllLanes, downs, owner);
    const Index from = __shfl_sync(kAllLanes, mineAt, owner);
    const int count = __shfl_sync(kAllLanes, mineMany, owner);
    while (*static_cast<const volatile int*>(done + over) == 0) rest();
    __threadfence();  // what the ancestor wrote before its mark is read after
    __syncwarp();
    // Of two neighbours, the lower one has the arc between them in its list.
    Way<T> up{upThere, infinityOnGpu<T>(), false}, down{downThere, infinityOnGpu<T>(), false};
    for (int base = 0; base < count; base += kWarp) {
      const int some = min(kWarp, count - base);
      const Index other = lane < some ? __ldcg(lists.head + from + base + lane) : kNobody;
      const T out = lane < some ? __ldcg(lists.out + from + base + lane) : T(0);
      const T in = lane < some ? __ldcg(lists.in + from + base + lane) : T(0);
      for (int j = 0; j < some; ++j) {
        const Index to = __shfl_sync(kAllLanes, other, j);
        const T there = __shfl_sync(kAllLanes, out, j), back = __shfl_sync(kAllLanes, in, j);
#pragma unroll
        for (int s = 0; s < kSlots; ++s) {
          if (s >= slots || mine.head[s] != to) continue;
          mine.through(s, over, upThere, downThere, there, back, margin);
          up.lower(mine.up.before[s] + back, back, true, margin);
          down.lower(mine.down.before[s] + there, there, true, margin);
        }
      }
    }
    const T upNow = leastOfWarp(up.now), downNow = leastOfWarp(down.now);
    const bool spareUp = __any_sync(kAllLanes, up.spare);
    const bool spareDown = __any_sync(kAllLanes, down.spare);
#pragma unroll
    for (int s = 0; s < kSlots; ++s) {
      if (mine.head[s] != over) continue;
      mine.up.now[s] = lesser(mine.up.now[s], upNow);
      mine.down.now[s] = lesser(mine.down.now[s], downNow);
      mine.up.spare[s] |= spareUp;
      mine.down.spare[s] |= spareDown;
    }
  }
}

/// Lowers each weight to the distance, and says which arcs sweeps need. between: the distances of
/// the core.
template <class T>
__global__ void __launch_bounds__(kThreads)
    pruneArcs(Placed places, Lists<T> lists, const T* __restrict__ between, Kept kept, T margin) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  while (true) {
    int taken = 0;
    if (lane == 0) taken = atomicAdd(kept.taken, 1);
    const int p = places.eliminated - 1 - __shfl_sync(kAllLanes, taken, 0);
    if (p < 0) return;
    const Index at = places.at[p];
    const int degree = places.degree[p];
    Pruning<T> mine;
    for (int k = 0; k < kSlots; ++k) {
      const int s = k * kWarp + lane;
      mine.head[k] = s < degree ? lists.head[at + s] : kNobody;
      mine.up.before[k] = mine.up.now[k] = s < degree ? lists.out[at + s] : infinityOnGpu<T>();
      mine.down.before[k] = mine.down.now[k] = s < degree ? lists.in[at + s] : infinityOnGpu<T>();
      mine.up.spare[k] = mine.down.spare[k] = false;
    }
    overCore(mine, ceilDiv(degree, kWarp), places, between, margin);
    overAncestors(mine, degree, places, lists, kept.done, lane, margin);
    int ups = 0, downs = 0;
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      const int s = k * kWarp + lane;
      const bool has = s < degree;
      const bool up = has && mine.up.before[k] < infinityOnGpu<T>() && !mine.up.spare[k];
      const bool down = has && mine.down.before[k] < infinityOnGpu<T>() && !mine.down.spare[k];
      ups += __popc(__ballot_sync(kAllLanes, up));
      downs += __popc(__ballot_sync(kAllLanes, down));
      if (!has) continue;
      lists.out[at + s] = mine.up.now[k];
      lists.in[at + s] = mine.down.now[k];
      kept.flags[at + s] =
          static_cast<unsigned char>((up ? kKeepsUp : 0) | (down ? kKeepsDown : 0));
    }
    __threadfence();  // the weights are there before the mark
    __syncwarp();
    if (lane == 0) {
      kept.ups[p] = ups;
      kept.downs[p] = downs;
      atomicExch(kept.done + p, 1);
    }
  }
}

/// Where the kept arcs go: those of each position, in ascending order of their heads.
template <class T>
struct Target {
  const int* position;         ///< (eliminated) of each place
  Index *firstUp, *firstDown;  ///< (eliminated + 1) of each position
  typename SweepArcs<T>::Arc *up, *down;
};

/// The numbers of kept arcs, by positions. Behind the last one is a 0.
template <class T>
__global__ void countKept(Placed places, Kept kept, Target<T> to) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p > places.eliminated) return;
  const int position = p == places.eliminated ? p : to.position[p];
  to.firstUp[position] = p == places.eliminated ? 0 : static_cast<Index>(kept.ups[p]);
  to.firstDown[position] = p == places.eliminated ? 0 : static_cast<Index>(kept.downs[p]);
}

/// Writes the arcs of each place. A warp for each.
template <class T>
__global__ void writeArcs(Placed places, Lists<T> lists, Kept kept, Target<T> to) {
  const int p = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (p >= places.eliminated) return;
  const Index at = places.at[p];
  const int degree = places.degree[p], position = to.position[p];
  const Index firstUp = to.firstUp[position], firstDown = to.firstDown[position];
  const auto positionOf = [&](Index place) {
    return places.isCore(place) ? place : static_cast<Index>(to.position[place]);
  };
  for (int begin = 0; begin < degree; begin += kWarp) {
    const bool has = begin + lane < degree;
    const unsigned flags = has ? kept.flags[at + begin + lane] : 0;
    const Index head = has ? positionOf(lists.head[at + begin + lane]) : kNobody;
    Index ups = 0, downs = 0;  // kept arcs with lower heads
    for (int base = 0; base < degree; base += kWarp) {
      const int some = min(kWarp, degree - base);
      const bool is = lane < some;
      const unsigned marks = base == begin ? flags : is ? kept.flags[at + base + lane] : 0;
      const Index other = base == begin ? head
                          : is          ? positionOf(lists.head[at + base + lane])
                                        : kNobody;
      for (int j = 0; j < some; ++j) {
        const unsigned theirs = __shfl_sync(kAllLanes, marks, j);
        const bool isLower = __shfl_sync(kAllLanes, other, j) < head;
        ups += isLower && (theirs & kKeepsUp) != 0;
        downs += isLower && (theirs & kKeepsDown) != 0;
      }
    }
    if ((flags & kKeepsUp) != 0) to.up[firstUp + ups] = {head, lists.out[at + begin + lane]};
    if ((flags & kKeepsDown) != 0) to.down[firstDown + downs] = {head, lists.in[at + begin + lane]};
  }
}

}  // namespace engine::sparse::rounds
