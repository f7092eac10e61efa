// Order, elimination and customisation on the GPU, which are one thing if the weights are there.
//
// Eliminating x joins each pair u, v of its neighbours by an arc as long as the path u, x, v, or
// lowers the arc that exists. Vertices that are not adjacent can be eliminated at the same time. So
// a round takes all vertices whose degree is the least among their neighbours' and near the least
// of all. Ties are broken by a hash of the vertex, so that half of a path goes in a few rounds. No
// race decides anything: the same graph gives the same order.
//
//        round r                                    round r + 1
//            x       y        each has the least        u~~~~~~~v
//           / \     / \       degree of its              \     /
//          u   v   v   w      neighbours                  ~~w~~
//
// Every vertex has a list: its neighbours that are left, and the weights of the arcs to and from
// them. Both ends of an arc hold it, so a round needs no lock and no atomic minimum. A warp owns
// the list of u, and takes over the lists of all x beside u that go in this round: the arcs of x
// become those of u. The warp of v does the same, and finds the same sums. The list of x stays as
// it was: its arcs lead to higher vertices only, and are the hierarchy's. When x goes, all paths
// through lower vertices are in its weights. That is what customising means (customise.cpp).
//
// A vertex with more than kMost neighbours is *frozen*. It stays in the core, and has no list. The
// lists of its neighbours say all of its arcs, but for those to other frozen vertices. These come
// from the edges, and from the lists of eliminated vertices, when the core's matrix is made.
//
// Where to stop. A round takes some microseconds, however few vertices it eliminates. The dense
// solver takes 3c² relaxations less for each of them, c being the size of the core. When the rounds
// cost more than they save, what is left is the core.
//
// Then the vertices are numbered by rounds. Their *places* say all: lower places are eliminated
// earlier, places from `eliminated` on are the core. The neighbour with the lowest place is the
// parent in the elimination tree. While the GPU solves the core and prunes, the host makes a
// postorder of the tree: the ranks, by which the sweep goes (elimination.h).
//
// Pruning goes from the core down, as on the CPU (customise.cpp). A warp waits until the parent of
// its vertex is done, and therefore all ancestors are. Warps take the vertices in descending order
// of their places, and all of them run at the same time, so nobody waits for a warp that has not
// begun.
#include <cooperative_groups.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <functional>
#include <future>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/size.h"
#include "base/uninitialised.h"
#include "dense/workspace.h"
#include "device/cuda_memory.h"
#include "device/infinity.cuh"
#include "device/parcel.h"
#include "sparse/rounds_gpu.h"
#include "sparse/sweep.h"
#include "sparse/sweep_gpu.h"

namespace sparse {

namespace {

using Index = std::uint32_t;

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;
/// Arcs of a list that a lane holds while its warp works on the list, and arcs of a list, at most.
constexpr int kSlots = 4;
constexpr int kMost = kSlots * kWarp;
/// The degree of a frozen vertex.
constexpr int kFrozen = 1 << 24;
/// The round of a vertex that stays.
constexpr int kStays = 0x7fffffff;
constexpr int kMostRounds = 4096, kRoundBits = 13;  // kStays is the last of these numbers
constexpr Index kNobody = 0xffffffffu;
constexpr int kThreads = 512;  // of a block
/// A list has room for so many arcs at first: this many times as many as there are, and a few more.
constexpr int kRoomTimes = 2, kRoomMore = 4;
/// Arcs of all lists, for each vertex and each edge.
constexpr std::size_t kArcsOfVertex = 40, kArcsOfEdge = 8;

/// Seconds of a relaxation of the dense solver, and of a round with what it adds to pruning and to
/// the sweep. Rounds are stopped after so many that did not pay.
constexpr double kProduct = 6.4e-14, kRound = 14e-6;
constexpr int kPatience = 8;

/// The lists of all vertices.
template <class T>
struct Lists {
  Index* head;  ///< (arcs) the other end of each arc
  T *out, *in;  ///< (arcs) its weights, towards the head and back
  Index* at;    ///< (n) where the list of each vertex begins
  int* degree;  ///< (n) how many arcs it has, or kFrozen
  Index* room;  ///< (n) and how many it has room for
  int* gone;    ///< (n) the round in which it was eliminated, or kStays
  Index* top;   ///< arcs that are taken
  Index arcs;   ///< that there are
  int n;
};

/// What each round counts. All are 0 at first but `least`, which is very large.
struct Tally {
  int* least;   ///< (rounds) the least degree of the vertices that are left
  int* left;    ///< (rounds) vertices that are left, but for those that were frozen at first
  int* frozen;  ///< vertices that were frozen at first,
  int* froze;   ///< and later
  int* rounds;  ///< how many there were
};

/// The counters in GPU memory.
struct Counters {
  int left[kMostRounds + 1];
  int frozen, froze, rounds;
  Index top;
  unsigned long long arcs, gates;
};

/// Waits a moment for another warp.
__device__ void rest() {
#if __CUDA_ARCH__ >= 700
  __nanosleep(20);
#endif
}

__device__ std::uint32_t hashOf(std::uint32_t v) {
  v = (v ^ v >> 16) * 0x7feb352du;
  v = (v ^ v >> 15) * 0x846ca68bu;
  return v ^ v >> 16;
}

/// Who has the lower key goes first. No two vertices have the same one.
__device__ std::uint64_t keyOf(int degree, std::uint32_t v) {
  return static_cast<std::uint64_t>(degree) << 32 | hashOf(v);
}

template <class T>
__device__ T lesser(T a, T b) {
  return b < a ? b : a;
}

/// The edges of the graph, sorted by their ends. first: (n + 1) where those from each vertex begin.
template <class T>
struct Given {
  const Edge<T>* edges;
  int count;
  int* first;
};

/// Finds where the edges from each vertex begin.
template <class T>
__global__ void findFirst(Given<T> given, int n) {
  const int v = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (v > n) return;
  int low = 0, high = given.count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (given.edges[middle].from < v)
      low = middle + 1;
    else
      high = middle;
  }
  given.first[v] = low;
}

/// The edge back, or −1.
template <class T>
__device__ int backOf(const Given<T>& given, int from, int to) {
  int low = given.first[to], high = given.first[to + 1];
  while (low < high) {
    const int middle = (low + high) / 2;
    if (given.edges[middle].to < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low < given.first[to + 1] && given.edges[low].to == from ? low : -1;
}

/// Counts the neighbours of each vertex.
template <class T>
__global__ void countNeighbours(Given<T> given, int* degree) {
  const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (e >= given.count) return;
  const Edge<T> edge = given.edges[e];
  atomicAdd(degree + edge.from, 1);
  if (backOf(given, edge.from, edge.to) < 0) atomicAdd(degree + edge.to, 1);
}

/// Takes so many for each lane. Returns where those of the lane begin.
template <class Count>
__device__ Count takeFrom(Count* counter, Count mine, int lane) {
  Count upTo = mine;  // the sum of the lanes up to this one
  for (int offset = 1; offset < kWarp; offset *= 2) {
    const Count before = __shfl_up_sync(kAllLanes, upTo, offset);
    if (lane >= offset) upTo += before;
  }
  Count begin = 0;
  if (lane == kWarp - 1 && upTo > 0) begin = atomicAdd(counter, upTo);
  return __shfl_sync(kAllLanes, begin, kWarp - 1) + upTo - mine;
}

template <class T>
__device__ T leastOfWarp(T value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    value = lesser(value, __shfl_xor_sync(kAllLanes, value, offset));
  return value;
}

/// Takes room for the list of each vertex, and lists the vertices that are not frozen. filled: set
/// to 0.
template <class T>
__global__ void makeRoom(Lists<T> lists, Tally tally, Index* alive, int* filled) {
  const int v = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const bool isVertex = v < lists.n;
  const int degree = isVertex ? lists.degree[v] : kFrozen;
  const bool isFrozen = isVertex && degree > kMost, lives = isVertex && !isFrozen;
  if (isVertex) {
    lists.gone[v] = kStays;
    filled[v] = 0;
  }
  if (isFrozen) lists.degree[v] = kFrozen;
  const Index room = lives ? static_cast<Index>(kRoomTimes * degree + kRoomMore) : 0;
  const Index at = takeFrom(lists.top, room, lane);  // there is enough for all
  const int i = takeFrom(tally.left, lives ? 1 : 0, lane);
  takeFrom(tally.frozen, isFrozen ? 1 : 0, lane);
  const int least = leastOfWarp(lives ? degree : kFrozen);
  if (lane == 0) atomicMin(tally.least, least);
  if (!lives) return;
  lists.room[v] = room;
  lists.at[v] = at;
  alive[i] = static_cast<Index>(v);
}

template <class T>
__device__ void append(const Lists<T>& lists, int* filled, int v, int head, T out, T in) {
  if (lists.degree[v] > kMost) return;
  const Index slot = lists.at[v] + static_cast<Index>(atomicAdd(filled + v, 1));
  lists.head[slot] = static_cast<Index>(head);
  lists.out[slot] = out;
  lists.in[slot] = in;
}

template <class T>
__global__ void fillLists(Given<T> given, Lists<T> lists, int* filled) {
  const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (e >= given.count) return;
  const Edge<T> edge = given.edges[e];
  const int back = backOf(given, edge.from, edge.to);
  const T in = back < 0 ? infinityOnGpu<T>() : given.edges[back].weight;
  append(lists, filled, edge.from, edge.to, edge.weight, in);
  if (back < 0) append(lists, filled, edge.to, edge.from, infinityOnGpu<T>(), edge.weight);
}

/// The lanes of a warp in teams of kTeam.
template <int kTeam>
struct Team {
  static constexpr int kTeams = kWarp / kTeam;
  int lane, team, member;
  unsigned mask;  ///< of the team's lanes

  __device__ explicit Team(int lane_)
      : lane(lane_),
        team(lane_ / kTeam),
        member(lane_ % kTeam),
        mask(kTeam == kWarp ? kAllLanes : ((1u << kTeam % kWarp) - 1) << team * kTeam) {}

  /// Whether it holds for any lane of the team. Call it with all lanes.
  __device__ bool any(bool mine) const { return (__ballot_sync(kAllLanes, mine) & mask) != 0; }
};

/// Chooses the vertices that go in this round. A team looks at one vertex after the other. The
/// others are listed in `next`.
template <int kTeam, class T>
__device__ void choose(const Lists<T>& lists, const Index* alive, int count, int limit, int round,
                       int warp, int warps, Index* next, int* left) {
  const Team<kTeam> team(static_cast<int>(threadIdx.x) % kWarp);
  constexpr int kTeams = Team<kTeam>::kTeams;
  for (int base = warp * kTeams; base < count; base += warps * kTeams) {
    const int i = base + team.team;
    const Index v = i < count ? alive[i] : kNobody;
    const int degree = v != kNobody ? lists.degree[v] : 0;
    bool goes = v != kNobody && degree <= limit;
    if (goes) {
      const std::uint64_t key = keyOf(degree, v);
      const Index at = lists.at[v];
      for (int k = team.member; k < degree; k += kTeam) {
        const Index other = lists.head[at + k];
        if (keyOf(lists.degree[other], other) < key) goes = false;
      }
    }
    // A lane without arcs has nothing to say against it.
    const bool refused = team.any(v != kNobody && degree <= limit && !goes);
    const bool stays = v != kNobody && (degree > limit || refused);
    if (v != kNobody && !stays && team.member == 0) lists.gone[v] = round;
    const unsigned staying = __ballot_sync(kAllLanes, stays && team.member == 0);
    int begin = 0;
    if (team.lane == 0 && staying != 0) begin = atomicAdd(left, __popc(staying));
    begin = __shfl_sync(kAllLanes, begin, 0);
    if (stays && team.member == 0) next[begin + __popc(staying & ((1u << team.lane) - 1))] = v;
  }
}

/// The list of a vertex in the registers of a warp: arc s is in lane s % 32, slot s / 32.
template <class T>
struct Held {
  Index head[kSlots];
  T out[kSlots], in[kSlots];

  __device__ void load(const Lists<T>& lists, Index at, int count, int lane) {
    for (int k = 0; k < kSlots; ++k) {
      const int s = k * kWarp + lane;
      const bool has = s < count;
      head[k] = has ? lists.head[at + s] : kNobody;
      out[k] = has ? lists.out[at + s] : infinityOnGpu<T>();
      in[k] = has ? lists.in[at + s] : infinityOnGpu<T>();
    }
  }
};

/// Joins u with the neighbours of all its neighbours that go in this round, and forgets these.
/// Returns its new degree. Called by all lanes of a warp, which owns the list of u; nobody writes
/// the lists that it reads.
template <class T>
__device__ int join(const Lists<T>& lists, Index u, int round, int lane) {
  int count = lists.degree[u];
  const Index at = lists.at[u];
  Held<T> held;
  held.load(lists, at, count, lane);
  bool goes[kSlots];
  Index theirs[kSlots];  // their lists
  int degree[kSlots];
  for (int k = 0; k < kSlots; ++k) {
    const Index head = held.head[k];
    goes[k] = head != kNobody && lists.gone[head] == round;
    theirs[k] = goes[k] ? lists.at[head] : 0;
    degree[k] = goes[k] ? lists.degree[head] : 0;
  }
#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    for (unsigned left = __ballot_sync(kAllLanes, goes[k]); left != 0; left &= left - 1) {
      const int owner = __ffs(left) - 1;
      const T toX = __shfl_sync(kAllLanes, held.out[k], owner);
      const T fromX = __shfl_sync(kAllLanes, held.in[k], owner);
      const Index first = __shfl_sync(kAllLanes, theirs[k], owner);
      const int many = __shfl_sync(kAllLanes, degree[k], owner);
      for (int base = 0; base < many; base += kWarp) {
        const int some = min(kWarp, many - base);
        const bool has = lane < some;
        const Index other = has ? lists.head[first + base + lane] : u;
        const T there = has ? toX + lists.out[first + base + lane] : infinityOnGpu<T>();
        const T back = has ? lists.in[first + base + lane] + fromX : infinityOnGpu<T>();
        for (int j = 0; j < some; ++j) {
          const Index v = __shfl_sync(kAllLanes, other, j);
          if (v == u) continue;
          const T out = __shfl_sync(kAllLanes, there, j), in = __shfl_sync(kAllLanes, back, j);
          bool known = false;
          for (int s = 0; s < kSlots; ++s)
            if (held.head[s] == v) {
              known = true;
              held.out[s] = lesser(held.out[s], out);
              held.in[s] = lesser(held.in[s], in);
            }
          if (__any_sync(kAllLanes, known)) continue;
          if (count % kWarp == lane)
            for (int s = 0; s < kSlots; ++s)
              if (s == count / kWarp) {
                held.head[s] = v;
                held.out[s] = lesser(infinityOnGpu<T>(), out);
                held.in[s] = lesser(infinityOnGpu<T>(), in);
                goes[s] = false;
              }
          ++count;
        }
      }
    }
  }
  int kept = 0;
  int place[kSlots];
  for (int k = 0; k < kSlots; ++k) {
    const bool keeps = held.head[k] != kNobody && !goes[k];
    const unsigned keeping = __ballot_sync(kAllLanes, keeps);
    place[k] = keeps ? kept + __popc(keeping & ((1u << lane) - 1)) : -1;
    kept += __popc(keeping);
  }
  if (count > kMost) return kFrozen;  // with those that go, it does not fit into the registers
  Index to = at;
  if (static_cast<Index>(kept) > lists.room[u]) {
    const auto room = static_cast<Index>(kRoomTimes * kept);
    if (lane == 0) to = atomicAdd(lists.top, room);
    to = __shfl_sync(kAllLanes, to, 0);
    if (to > lists.arcs || room > lists.arcs - to) return kFrozen;  // there is no room
    if (lane == 0) {
      lists.at[u] = to;
      lists.room[u] = room;
    }
  }
  for (int k = 0; k < kSlots; ++k)
    if (place[k] >= 0) {
      lists.head[to + place[k]] = held.head[k];
      lists.out[to + place[k]] = held.out[k];
      lists.in[to + place[k]] = held.in[k];
    }
  return kept;
}

/// Takes over the arcs of those that go in this round, for all vertices that are left. A team finds
/// out whether one is concerned; then the warp works on it. Returns the least degree that the lane
/// has seen.
template <int kTeam, class T>
__device__ int joinAll(const Lists<T>& lists, const Index* left, int count, int round, int warp,
                       int warps, int* froze) {
  const Team<kTeam> team(static_cast<int>(threadIdx.x) % kWarp);
  constexpr int kTeams = Team<kTeam>::kTeams;
  int least = kFrozen;
  for (int base = warp * kTeams; base < count; base += warps * kTeams) {
    const int i = base + team.team;
    const Index u = i < count ? left[i] : kNobody;
    const int degree = u != kNobody ? lists.degree[u] : 0;
    bool mine = false;
    if (degree > 0 && degree <= kMost) {
      const Index at = lists.at[u];
      for (int k = team.member; k < degree; k += kTeam)
        if (lists.gone[lists.head[at + k]] == round) mine = true;
    }
    const bool concerned = team.any(mine);
    if (u != kNobody && !concerned) least = min(least, degree);
    for (unsigned waiting = __ballot_sync(kAllLanes, concerned && team.member == 0); waiting != 0;
         waiting &= waiting - 1) {
      const Index who = __shfl_sync(kAllLanes, u, __ffs(waiting) - 1);
      const int now = join(lists, who, round, team.lane);
      least = min(least, now);
      __syncwarp();  // all lanes have read the degree
      if (team.lane == 0) {
        lists.degree[who] = now;
        if (now == kFrozen) atomicAdd(froze, 1);
      }
    }
  }
  return least;
}

/// Rounds until they do not pay any more. alive, other: (n) the vertices that are left, and room
/// for those of the next round. All blocks run at the same time.
template <class T>
__global__ void __launch_bounds__(kThreads)
    eliminateInRounds(Lists<T> lists, Tally tally, Index* alive, Index* other) {
  const auto grid = cooperative_groups::this_grid();
  const int warp = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int warps = static_cast<int>(gridDim.x * blockDim.x / kWarp);
  constexpr int kFewArcs = 12;  // a few lanes look at so many
  int count = tally.left[0], useless = 0, round = 0;
  while (round + 1 < kMostRounds && count > 0 && useless < kPatience) {
    const int least = tally.least[round];
    const int limit = min(least + least / 4 + 2, kMost);
    const bool few = limit <= kFewArcs;
    if (few)
      choose<4>(lists, alive, count, limit, round, warp, warps, other, tally.left + round + 1);
    else
      choose<kWarp>(lists, alive, count, limit, round, warp, warps, other, tally.left + round + 1);
    grid.sync();  // it is known who goes
    const int left = tally.left[round + 1];
    const int seen = few ? joinAll<4>(lists, other, left, round, warp, warps, tally.froze)
                         : joinAll<kWarp>(lists, other, left, round, warp, warps, tally.froze);
    const int leastOfBlock = blockReduce(seen, kFrozen, [](int a, int b) { return min(a, b); });
    if (threadIdx.x == 0) atomicMin(tally.least + round + 1, leastOfBlock);
    grid.sync();  // the lists are those of the next round
    const double core = count + *tally.frozen;
    const double saved = (count - left) * 3.0 * core * core * kProduct;
    useless = saved < kRound ? useless + 1 : 0;
    count = left;
    Index* const swapped = alive;
    alive = other;
    other = swapped;
    ++round;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *tally.rounds = round;
}

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

__global__ void numberVertices(Index* vertex, int n) {
  const int v = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (v < n) vertex[v] = static_cast<Index>(v);
}

__global__ void placeVertices(Placed places) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p < places.n) places.of[places.vertex[p]] = static_cast<Index>(p);
}

/// Makes places of the heads of all arcs of eliminated vertices, and finds the parents.
template <class T>
__global__ void makeTree(Placed places, Lists<T> lists, unsigned long long* arcs,
                         unsigned long long* gates) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int degree = 0, ofRoot = 0;
  if (p < places.eliminated) {
    const Index v = places.vertex[p], at = lists.at[v];
    degree = lists.degree[v];
    Index parent = static_cast<Index>(places.n);
    for (int k = 0; k < degree; ++k) {
      const Index place = places.of[lists.head[at + k]];
      lists.head[at + k] = place;
      parent = min(parent, place);
    }
    places.at[p] = at;
    places.degree[p] = degree;
    places.parent[p] = static_cast<int>(parent);
    if (places.isCore(parent)) ofRoot = degree;
  }
  const int all = blockReduce(degree, 0, [](int a, int b) { return a + b; });
  const int most = blockReduce(ofRoot, 0, [](int a, int b) { return max(a, b); });
  if (threadIdx.x != 0) return;
  atomicAdd(arcs, static_cast<unsigned long long>(all));
  atomicMax(gates, static_cast<unsigned long long>(most));
}

/// The core's matrix, which is infinite but for its diagonal: the lists of its vertices that are
/// not frozen. A warp for each vertex. The lists hold vertices. between: (core, core).
template <class T>
__global__ void fillCore(Placed places, Lists<T> lists, T* between) {
  const int core = places.n - places.eliminated;
  const int i = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  if (i >= core) return;
  const Index v = places.vertex[places.eliminated + i];
  const int degree = lists.degree[v];
  if (degree > kMost) return;
  for (int k = static_cast<int>(threadIdx.x) % kWarp; k < degree; k += kWarp) {
    const Index slot = lists.at[v] + k;
    const auto j = asSize(places.of[lists.head[slot]] - places.eliminated);
    between[asSize(i) * core + j] = lists.out[slot];
    between[j * core + i] = lists.in[slot];
  }
}

template <class T>
__global__ void clearCore(T* between, int core) {
  const std::size_t stride = std::size_t{blockDim.x} * gridDim.x, all = asSize(core) * core;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += stride)
    between[i] = i / core == i % core ? T(0) : infinityOnGpu<T>();
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
  const int core = places.n - places.eliminated;
  lower(between + asSize(from - places.eliminated) * core + (to - places.eliminated), edge.weight);
}

/// And the paths between them through eliminated vertices. A warp for each of these.
template <class T>
__global__ void addFrozenPaths(Placed places, Lists<T> lists, T* between) {
  const int p = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  if (p >= places.eliminated) return;
  const int core = places.n - places.eliminated, degree = places.degree[p];
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
        lower(between + asSize(from - places.eliminated) * core + (to - places.eliminated), length);
    }
  }
}

/// Of an arc, whether sweeps need it.
constexpr unsigned char kKeepsUp = 1, kKeepsDown = 2;

/// What pruning writes.
template <class T>
struct Kept {
  unsigned char* flags;  ///< (arcs)
  int *ups, *downs;      ///< (eliminated) how many arcs are kept
  int* done;             ///< (eliminated) 0 at first
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
  const int core = places.n - places.eliminated;
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
          there[i] = between[asSize(over[i] - first) * core + (to - first)];
          back[i] = between[asSize(to - first) * core + (over[i] - first)];
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
/// the core. All blocks run at the same time.
template <class T>
__global__ void __launch_bounds__(kThreads)
    pruneArcs(Placed places, Lists<T> lists, const T* __restrict__ between, Kept<T> kept,
              T margin) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int warps = static_cast<int>(gridDim.x * blockDim.x / kWarp);
  for (int p = places.eliminated - 1 - warp; p >= 0; p -= warps) {
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

/// Where the kept arcs go: those of each rank, in ascending order of their heads.
template <class T>
struct Target {
  const int* rank;             ///< (eliminated) of each place
  Index *firstUp, *firstDown;  ///< (eliminated + 1) of each rank
  typename SweepArcs<T>::Arc *up, *down;
};

/// The numbers of kept arcs, by ranks. Behind the last one is a 0.
template <class T>
__global__ void countKept(Placed places, Kept<T> kept, Target<T> to) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p > places.eliminated) return;
  const int rank = p == places.eliminated ? p : to.rank[p];
  to.firstUp[rank] = p == places.eliminated ? 0 : static_cast<Index>(kept.ups[p]);
  to.firstDown[rank] = p == places.eliminated ? 0 : static_cast<Index>(kept.downs[p]);
}

/// Writes the arcs of each place. A warp for each.
template <class T>
__global__ void writeArcs(Placed places, Lists<T> lists, Kept<T> kept, Target<T> to) {
  const int p = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (p >= places.eliminated) return;
  const Index at = places.at[p];
  const int degree = places.degree[p], rank = to.rank[p];
  const Index firstUp = to.firstUp[rank], firstDown = to.firstDown[rank];
  const auto rankOf = [&](Index place) {
    return places.isCore(place) ? place : static_cast<Index>(to.rank[place]);
  };
  for (int begin = 0; begin < degree; begin += kWarp) {
    const bool has = begin + lane < degree;
    const unsigned flags = has ? kept.flags[at + begin + lane] : 0;
    const Index head = has ? rankOf(lists.head[at + begin + lane]) : kNobody;
    Index ups = 0, downs = 0;  // kept arcs with lower heads
    for (int base = 0; base < degree; base += kWarp) {
      const int some = min(kWarp, degree - base);
      const bool is = lane < some;
      const unsigned marks = base == begin ? flags : is ? kept.flags[at + base + lane] : 0;
      const Index other = base == begin ? head
                          : is          ? rankOf(lists.head[at + base + lane])
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

unsigned blocksOf(std::size_t threads, int block = 256) {
  return static_cast<unsigned>(
      std::max<std::size_t>(1, (threads + asSize(block) - 1) / asSize(block)));
}

/// As many blocks as run at the same time.
template <class Kernel>
unsigned blocksAtOnce(Kernel kernel, const Gpu& gpu) {
  int blocks = 0;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kThreads, 0));
  return static_cast<unsigned>(std::max(1, blocks) * gpu.processors);
}

/// Arrays that come to the host together, by way of page-locked memory.
class Downloads {
 public:
  template <class T>
  void add(std::vector<T>& to, const T* from, std::size_t count) {
    const std::size_t place = bytes_, size = count * sizeof(T);
    bytes_ += (size + 255) / 256 * 256;
    take_.push_back([from, place, size](char* there) {
      CHECK_CUDA(cudaMemcpyAsync(there + place, from, size, cudaMemcpyDeviceToHost));
    });
    give_.push_back([&to, place, count](const char* there) {
      const auto* const first = reinterpret_cast<const T*>(there + place);
      to.assign(first, first + count);
    });
  }
  void finish() {
    char* const there = Locked::ofThread(bytes_).data();
    for (const auto& take : take_) take(there);
    CHECK_CUDA(cudaStreamSynchronize(nullptr));
    for (const auto& give : give_) give(there);
  }

 private:
  std::size_t bytes_ = 0;
  std::vector<std::function<void(char*)>> take_;
  std::vector<std::function<void(const char*)>> give_;
};

/// Sweeps, and what they refer to.
template <class T>
class OwnSweeps : public RowSource {
 public:
  OwnSweeps(std::unique_ptr<GpuMemory> between, Swept<T> graph)
      : between_(std::move(between)), graph_(std::move(graph)), sweeps_(sweepsOnGpu(graph_)) {}

  void all(Elements out) override { sweeps_->all(out); }
  void rows(int first, int count, Elements out) override { sweeps_->rows(first, count, out); }

 private:
  const std::unique_ptr<GpuMemory> between_;
  const Swept<T> graph_;
  const std::unique_ptr<RowSource> sweeps_;
};

/// The ranks of the places: a postorder of the tree (elimination.cpp). parent: of each place.
std::vector<int> ranksOf(const std::vector<int>& parent) {
  const int count = static_cast<int>(parent.size());
  std::vector<int> size(parent.size(), 1), last(parent.size()), rank(parent.size());
  for (std::size_t p = 0; p < parent.size(); ++p)
    if (parent[p] < count) size[asSize(parent[p])] += size[p];
  int left = count;
  for (std::size_t p = parent.size(); p-- > 0;) {
    int& end = parent[p] < count ? last[asSize(parent[p])] : left;
    rank[p] = end - 1;
    last[p] = end - 1;
    end -= size[p];
  }
  return rank;
}

/// Seconds that the sweep takes for each distance, for each arc and each pair of a gate and a
/// vertex of the core, with 32 bits; for each level of the tree; and what the host does for each
/// vertex.
constexpr double kDistance = 1.3e-12, kArc = 0.4e-12, kLevel = 0.9e-6, kLayout = 20e-9,
                 kBegin = 250e-6;

/// What the host knows of the places.
struct Tree {
  std::vector<int> parent;    ///< (eliminated) as in Placed
  std::vector<Index> vertex;  ///< (n) of each place
  std::vector<int> rank;      ///< (eliminated) of each place
};

/// Where everything is in the memory of an elimination.
template <class T>
struct Layout {
  std::size_t edges, first, filled;                                      // the graph
  std::size_t head, out, in, flags, at, degree, room, gone, alive[2];    // lists
  std::size_t tally, least;                                              // counters
  std::size_t vertex, numbered, of, placeAt, placeDegree, parent, rank;  // places
  std::size_t ups, downs, done, firstUp, firstDown;                      // kept arcs
  std::size_t bytes;
  std::size_t arcs;

  Layout(int n, std::size_t edgeCount) : arcs(kArcsOfVertex * asSize(n) + kArcsOfEdge * edgeCount) {
    dense::Layout layout;
    const auto vertices = asSize(n);
    edges = layout.place(edgeCount, sizeof(Edge<T>));
    first = layout.place(vertices + 1, sizeof(int));
    filled = layout.place(vertices, sizeof(int));
    head = layout.place(arcs, sizeof(Index));
    out = layout.place(arcs, sizeof(T));
    in = layout.place(arcs, sizeof(T));
    flags = layout.place(arcs, 1);
    for (std::size_t* const each :
         {&at, &degree, &room, &gone, &alive[0], &alive[1], &vertex, &numbered, &of, &placeAt,
          &placeDegree, &parent, &rank, &ups, &downs, &done, &firstUp, &firstDown})
      *each = layout.place(vertices + 1, sizeof(int));
    tally = layout.place(sizeof(Counters), 1);
    least = layout.place(kMostRounds + 1, sizeof(int));
    bytes = layout.bytes();
  }
};

template <class T>
class Eliminating : public GpuElimination {
 public:
  explicit Eliminating(const Graph& graph)
      : n_(graph.n),
        edges_(static_cast<int>(graph.edgeCount())),
        layout_(n_, graph.edgeCount()),
        memory_(layout_.bytes) {
    milliseconds = millisecondsOf([&] { run(graph.edges<T>()); });
    expect();
  }

  std::unique_ptr<RowSource> sweeps(const GpuCoreSolver& solveCore, int by,
                                    Sweeping& done) override {
    done.core = core;
    done.eliminate = milliseconds;
    Tree tree;
    Downloads ofTree;
    ofTree.add(tree.parent, at<int>(layout_.parent), asSize(eliminated_));
    ofTree.add(tree.vertex, at<Index>(layout_.vertex), asSize(n_));
    ofTree.finish();
    Swept<T> graph;
    auto numbered = std::async(std::launch::async, [&] { number(tree, by, graph); });
    auto between = std::make_unique<GpuMemory>(asSize(core) * asSize(core) * sizeof(T));
    T* const matrix = between->at<T>(0);
    done.solveCore = millisecondsOf([&] {
      if (core == 0) return;
      fillMatrix(matrix);
      solveCore(core, Elements{kDtype<T>, matrix});
    });
    done.prune = millisecondsOf([&] {
      prune(matrix);
      numbered.get();
      layOut(tree.rank);
      downloadArcs(graph.arcs);
    });
    graph.betweenOnGpu = matrix;
    done.arcs = n_ > 0 ? static_cast<double>(graph.arcs.down.arcs.size()) / n_ : 0;
    return std::make_unique<OwnSweeps<T>>(std::move(between), std::move(graph));
  }

 private:
  using Arc = typename SweepArcs<T>::Arc;

  template <class Number>
  Number* at(std::size_t offset) const {
    return memory_.at<Number>(offset);
  }
  Given<T> given() const { return {at<Edge<T>>(layout_.edges), edges_, at<int>(layout_.first)}; }
  Counters* counters() const { return at<Counters>(layout_.tally); }
  Lists<T> lists() const {
    return {at<Index>(layout_.head),
            at<T>(layout_.out),
            at<T>(layout_.in),
            at<Index>(layout_.at),
            at<int>(layout_.degree),
            at<Index>(layout_.room),
            at<int>(layout_.gone),
            &counters()->top,
            static_cast<Index>(layout_.arcs),
            n_};
  }
  Tally tally() const {
    Counters* const all = counters();
    return {at<int>(layout_.least), all->left, &all->frozen, &all->froze, &all->rounds};
  }
  Placed placed() const {
    return {at<Index>(layout_.vertex),
            at<Index>(layout_.of),
            n_,
            eliminated_,
            at<Index>(layout_.placeAt),
            at<int>(layout_.placeDegree),
            at<int>(layout_.parent)};
  }
  Kept<T> kept() const {
    return {at<unsigned char>(layout_.flags), at<int>(layout_.ups), at<int>(layout_.downs),
            at<int>(layout_.done)};
  }

  void run(const Edges<T>& edges) {
    CHECK_CUDA(cudaMemcpyAsync(at<Edge<T>>(layout_.edges), edges.data(),
                               edges.size() * sizeof(Edge<T>), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemsetAsync(counters(), 0, sizeof(Counters)));
    CHECK_CUDA(cudaMemsetAsync(at<int>(layout_.least), 0x7f, (kMostRounds + 1) * sizeof(int)));
    CHECK_CUDA(cudaMemsetAsync(at<int>(layout_.degree), 0, asSize(n_) * sizeof(int)));
    const unsigned ofVertices = blocksOf(asSize(n_) + 1), ofEdges = blocksOf(asSize(edges_));
    Index* alive = at<Index>(layout_.alive[0]);
    Index* other = at<Index>(layout_.alive[1]);
    int* const filled = at<int>(layout_.filled);
    findFirst<T><<<ofVertices, 256>>>(given(), n_);
    countNeighbours<T><<<ofEdges, 256>>>(given(), at<int>(layout_.degree));
    makeRoom<T><<<ofVertices, 256>>>(lists(), tally(), alive, filled);
    fillLists<T><<<ofEdges, 256>>>(given(), lists(), filled);
    Lists<T> all = lists();
    Tally counted = tally();
    void* arguments[] = {&all, &counted, &alive, &other};
    launchAtOnce(eliminateInRounds<T>, arguments);
    sortByRounds();
    std::unique_ptr<Counters> seen = read();
    rounds = seen->rounds;
    core = seen->left[rounds] + seen->frozen;
    anyFrozen_ = seen->frozen + seen->froze > 0;
    eliminated_ = n_ - core;
    placeVertices<<<ofVertices, 256>>>(placed());
    makeTree<T><<<ofVertices, 256>>>(placed(), lists(), &counters()->arcs, &counters()->gates);
    CHECK_CUDA(cudaGetLastError());
    seen = read();
    arcs = seen->arcs;
    gates_ = static_cast<int>(std::max<std::uint64_t>(1, seen->gates));
  }

  std::unique_ptr<Counters> read() const {
    auto seen = std::make_unique<Counters>();
    CHECK_CUDA(cudaMemcpy(seen.get(), counters(), sizeof(Counters), cudaMemcpyDeviceToHost));
    return seen;
  }

  template <class Kernel>
  void launchAtOnce(Kernel kernel, void** arguments) const {
    CHECK_CUDA(cudaLaunchCooperativeKernel(kernel, dim3(blocksAtOnce(kernel, gpu_)), dim3(kThreads),
                                           arguments));
  }

  /// The sort is stable, so the vertices of a round ascend.
  void sortByRounds() {
    Index* const numbered = at<Index>(layout_.numbered);
    numberVertices<<<blocksOf(asSize(n_)), 256>>>(numbered, n_);
    const auto* const keys = at<unsigned>(layout_.gone);
    auto* const sorted = at<unsigned>(layout_.of);  // which is not needed yet
    std::size_t bytes = 0;
    const auto sort = [&](void* room) {
      CHECK_CUDA(cub::DeviceRadixSort::SortPairs(room, bytes, keys, sorted, numbered,
                                                 at<Index>(layout_.vertex), n_, 0, kRoundBits));
    };
    sort(nullptr);
    const GpuMemory room(bytes);
    sort(room.at<void>(0));
  }

  void expect() {
    const double n = n_, size = static_cast<double>(sizeof(T)) / 4, left = core;
    const double sweep =
        n * (n * kDistance + static_cast<double>(arcs) * kArc + left * gates_ * kArc / 2) * size;
    expected =
        (sweep + left * left * left * kProduct * size + rounds * kLevel + n * kLayout + kBegin) *
        1e3;
  }

  void fillMatrix(T* matrix) const {
    clearCore<T><<<1024, 256>>>(matrix, core);
    fillCore<T><<<blocksOf(asSize(core) * kWarp), 256>>>(placed(), lists(), matrix);
    if (anyFrozen_) {
      addFrozenEdges<T><<<blocksOf(asSize(edges_)), 256>>>(given(), placed(), matrix);
      addFrozenPaths<T><<<blocksOf(asSize(eliminated_) * kWarp), 256>>>(placed(), lists(), matrix);
    }
    CHECK_CUDA(cudaGetLastError());
  }

  void prune(const T* matrix) const {
    T margin = 1;
    if constexpr (std::is_floating_point_v<T>)
      margin = static_cast<T>(1 + 2.0 * (n_ + 2) * std::numeric_limits<T>::epsilon());
    CHECK_CUDA(cudaMemsetAsync(at<int>(layout_.done), 0, asSize(n_) * sizeof(int)));
    Placed places = placed();
    Lists<T> all = lists();
    Kept<T> marks = kept();
    void* arguments[] = {&places, &all, &matrix, &marks, &margin};
    launchAtOnce(pruneArcs<T>, arguments);
  }

  /// What is left of the arcs takes the place of the edges' memory, or memory of its own.
  Arc* targetUp() const { return target_->template at<Arc>(0); }
  Arc* targetDown() const { return target_->template at<Arc>(asSize(arcs) * sizeof(Arc)); }

  void layOut(const std::vector<int>& rank) {
    CHECK_CUDA(cudaMemcpyAsync(at<int>(layout_.rank), rank.data(), rank.size() * sizeof(int),
                               cudaMemcpyHostToDevice));
    target_.emplace(2 * asSize(arcs) * sizeof(Arc));
    const Target<T> to{at<int>(layout_.rank), at<Index>(layout_.firstUp),
                       at<Index>(layout_.firstDown), targetUp(), targetDown()};
    const unsigned blocks = blocksOf(asSize(eliminated_) + 1);
    countKept<T><<<blocks, 256>>>(placed(), kept(), to);
    sumUp(to.firstUp);
    sumUp(to.firstDown);
    writeArcs<T><<<blocksOf(asSize(eliminated_) * kWarp), 256>>>(placed(), lists(), kept(), to);
    CHECK_CUDA(cudaGetLastError());
  }

  /// Makes of the number of arcs of each rank where they begin.
  void sumUp(Index* first) const {
    std::size_t bytes = 0;
    CHECK_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, first, first, eliminated_ + 1));
    const GpuMemory room(bytes);
    CHECK_CUDA(
        cub::DeviceScan::ExclusiveSum(room.at<void>(0), bytes, first, first, eliminated_ + 1));
  }

  void downloadArcs(Pruned<T>& to) const {
    Downloads places, arcs;
    places.add(to.up.first, at<Index>(layout_.firstUp), asSize(eliminated_) + 1);
    places.add(to.down.first, at<Index>(layout_.firstDown), asSize(eliminated_) + 1);
    places.finish();
    arcs.add(to.up.arcs, targetUp(), to.up.first.back());
    arcs.add(to.down.arcs, targetDown(), to.down.first.back());
    arcs.finish();
  }

  /// Finds the ranks, and numbers vertices and parents by them.
  void number(Tree& tree, int by, Swept<T>& graph) const {
    tree.rank = ranksOf(tree.parent);
    graph.ranks = n_;
    graph.core = eliminated_;
    graph.gates = gates_;
    graph.rank.resize(asSize(n_));
    graph.parent.resize(asSize(eliminated_));
    const auto rankOf = [&](int place) {
      return place < eliminated_ ? tree.rank[asSize(place)] : place;
    };
    for (int p = 0; p < n_; ++p) {
      const int v = static_cast<int>(tree.vertex[asSize(p)]) + by;
      graph.rank[asSize(v < n_ ? v : v - n_)] = rankOf(p);
    }
    graph.source = graph.rank;
    for (std::size_t p = 0; p < tree.parent.size(); ++p)
      graph.parent[asSize(tree.rank[p])] = tree.parent[p] < n_ ? rankOf(tree.parent[p]) : -1;
  }

  const int n_, edges_;
  const Gpu gpu_;
  const Layout<T> layout_;
  const GpuMemory memory_;
  std::optional<GpuMemory> target_;
  int eliminated_ = 0, gates_ = 1;
  bool anyFrozen_ = false;
};

}  // namespace

std::shared_ptr<GpuElimination> eliminateOnGpu(const Graph& graph) try {
  return withEdges(graph, [&](const auto& edges) -> std::shared_ptr<GpuElimination> {
    using T = std::decay_t<decltype(edges[0].weight)>;
    return std::make_shared<Eliminating<T>>(graph);
  });
} catch (const Error& error) {
  if (error.code != ErrorCode::kMemory) throw;
  return nullptr;
}

double gpuEliminationMilliseconds(int n, std::size_t edges) {
  constexpr double kAtLeast = 0.5, kVertex = 20e-6, kEdge = 6e-6;
  return kAtLeast + n * kVertex + static_cast<double>(edges) * kEdge;
}

}  // namespace sparse
