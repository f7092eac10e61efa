// Order, elimination and customisation on the GPU, which are one thing if the weights are there.
//
// Eliminating x joins each pair u, v of its neighbours by an arc as long as the path u, x, v, or
// lowers the arc that exists. Vertices that are not adjacent can be eliminated at the same time. So
// a round takes all vertices whose degree is the least among their neighbours' and within a limit.
// The limit is near the least degree of all, and grows if few vertices are within it: on a band,
// the two ends have the least degree, and rounds would take a vertex or two at each of them. Ties
// are broken by a hash of the vertex, so that half of a path goes in a few rounds. While the lists
// have room, no race decides anything: the same graph gives the same order.
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
// A vertex with more than kMost neighbours, or whose list has no room, is *frozen*. It stays in the
// core, and has no list. The lists of its neighbours say all of its arcs, but for those to other
// frozen vertices. These come from the edges, and from the lists of eliminated vertices, when the
// core's matrix is made.
//
// Where to stop. A round takes some microseconds, however few vertices it eliminates. The dense
// solver takes 3c² relaxations less for each of them, c being the size of the core. When the rounds
// cost more than they save, what is left is the core.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "sparse/lists.cuh"
#include "sparse/round_rules.h"

namespace engine::sparse::rounds {

/// The round of a vertex that stays.
inline constexpr int kStays = 0x7fffffff;
inline constexpr int kMostRounds = 4096, kRoundBits = 13;  // kStays is the last of these numbers
/// A list has room for so many arcs at first: this many times as many as there are, and a few more.
inline constexpr int kRoomTimes = 2, kRoomMore = 4;

/// Seconds of the dense solver that a round must save, because a round takes time, and adds to
/// pruning and to the sweep. Rounds are stopped after so many that did not pay.
inline constexpr double kRound = 60e-6;
inline constexpr int kPatience = 8;

/// What rounds and pruning count. All numbers are 0 at first.
struct Counts {
  int frozen, froze;         ///< vertices that were frozen at first, and later
  int rounds;                ///< how many there were
  int stayed;                ///< vertices that the last one left, but for those frozen at first
  int taken;                 ///< vertices that warps prune, or have pruned
  Index top;                 ///< arcs of all lists that are taken
  unsigned long long arcs;   ///< of all eliminated vertices
  unsigned long long gates;  ///< arcs of a root, at the most
};

/// The same in GPU memory, and numbers of each round.
struct Counters : Counts {
  int left[kMostRounds + 1];   ///< vertices before it, but for those frozen at first; 0 at first
  int least[kMostRounds + 1];  ///< their least degree; very large at first
};

/// The first number from `low` on, before `high`, that is not before what is looked for; or `high`.
template <class IsBefore>
__device__ int firstNotBefore(int low, int high, const IsBefore& isBefore) {
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (isBefore(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Finds where the edges from each vertex begin.
template <class T>
__global__ void findFirst(Given<T> given, int n) {
  const int v = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (v > n) return;
  given.first[v] = firstNotBefore(0, given.count, [&](int e) { return given.edges[e].from < v; });
}

/// The edge back, or −1.
template <class T>
__device__ int backOf(const Given<T>& given, int from, int to) {
  const int end = given.first[to + 1];
  const int e =
      firstNotBefore(given.first[to], end, [&](int i) { return given.edges[i].to < from; });
  return e < end && given.edges[e].to == from ? e : -1;
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

/// Takes room for the list of each vertex, and lists the vertices that are not frozen. filled: set
/// to 0.
template <class T>
__global__ void makeRoom(Lists<T> lists, Counters* counters, Index* alive, int* filled) {
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
  const Index at = takeFrom(&counters->top, room, lane);  // there is enough for all
  const int i = takeFrom(counters->left, lives ? 1 : 0, lane);
  takeFrom(&counters->frozen, isFrozen ? 1 : 0, lane);
  const int least = leastOfWarp(lives ? degree : kFrozen);
  if (lane == 0) atomicMin(counters->least, least);
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

  /// Makes the arcs to v and back no longer than these. All lanes call it with the same arguments.
  /// count: the arcs so far. Returns whether there was none to v, and this one is the last now.
  __device__ bool take(Index v, T there, T back, int count, int lane, bool (&goes)[kSlots]) {
    bool known = false;
    for (int s = 0; s < kSlots; ++s)
      if (head[s] == v) {
        known = true;
        out[s] = lesser(out[s], there);
        in[s] = lesser(in[s], back);
      }
    if (__any_sync(kAllLanes, known)) return false;
    if (count % kWarp == lane)
      for (int s = 0; s < kSlots; ++s)
        if (s == count / kWarp) {
          head[s] = v;
          out[s] = lesser(infinityOnGpu<T>(), there);
          in[s] = lesser(infinityOnGpu<T>(), back);
          goes[s] = false;
        }
    return true;
  }

  /// Writes the arcs that have a place to the list that begins there.
  __device__ void store(const Lists<T>& lists, Index to, const int (&place)[kSlots]) const {
    for (int k = 0; k < kSlots; ++k)
      if (place[k] >= 0) {
        lists.head[to + place[k]] = head[k];
        lists.out[to + place[k]] = out[k];
        lists.in[to + place[k]] = in[k];
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
          if (held.take(v, out, in, count, lane, goes)) ++count;
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
  held.store(lists, to, place);
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
    eliminateInRounds(Lists<T> lists, Counters* counters, Index* alive, Index* other,
                      double product) {
  const auto grid = cooperative_groups::this_grid();
  const int warp = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int warps = static_cast<int>(gridDim.x * blockDim.x / kWarp);
  constexpr int kFewArcs = 12;  // a few lanes look at so many
  int count = counters->left[0], useless = 0, round = 0, limit = 0;
  while (round + 1 < kMostRounds && count > 0 && useless < kPatience) {
    const int least = counters->least[round];
    limit = min(max(limit, limitFor(least, 2)), kMost);
    const bool few = limit <= kFewArcs;
    int* const staying = counters->left + round + 1;
    if (few)
      choose<4>(lists, alive, count, limit, round, warp, warps, other, staying);
    else
      choose<kWarp>(lists, alive, count, limit, round, warp, warps, other, staying);
    grid.sync();  // it is known who goes
    const int left = *staying;
    const int seen = few ? joinAll<4>(lists, other, left, round, warp, warps, &counters->froze)
                         : joinAll<kWarp>(lists, other, left, round, warp, warps, &counters->froze);
    const int leastOfBlock = blockReduce(seen, kFrozen, [](int a, int b) { return min(a, b); });
    if (threadIdx.x == 0) atomicMin(counters->least + round + 1, leastOfBlock);
    grid.sync();  // the lists are those of the next round
    const double coreSize = count + counters->frozen;
    const double saved = (count - left) * 3.0 * coreSize * coreSize * product;
    useless = saved < kRound ? useless + 1 : 0;
    limit = limitAfter(limit, count - left, count);
    count = left;
    Index* const swapped = alive;
    alive = other;
    other = swapped;
    ++round;
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  counters->rounds = round;
  counters->stayed = count;
}

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
__global__ void makeTree(Placed places, Lists<T> lists, Counters* counters) {
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
  atomicAdd(&counters->arcs, static_cast<unsigned long long>(all));
  atomicMax(&counters->gates, static_cast<unsigned long long>(most));
}

}  // namespace engine::sparse::rounds
