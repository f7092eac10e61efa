// All distances of a sparse graph on the GPU: each is written once, and nothing else large.
//
// A lane has a target t of its own, and goes down the hierarchy for it: D[x][t], the distance from
// x to t, is the least w(x,u) + D[u][t] over the arcs from x to higher vertices u. A warp has 32
// targets that are next to each other, so it reads and writes whole lines of the rows of D. The
// rows are in their final place: nothing is transposed or copied.
//
//            targets t →
//          ┌───────────────────┐   1. climb: t and its ancestors in the elimination tree get their
//   u high │ . . 7 4 . . . . . │      distances to t over arcs down. Bits say which rows have them.
//          │ . . ↑ ↑ . . . . . │   2. cross: the rows of the core take the least of
//          │ . . 3 0 . . . . . │      between(u,g) + D[g][t] over the gates g that t climbs to.
//   x low  │ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ │   3. descend: all other rows, the highest first.
//          └───────────────────┘
//
// A row that some targets climb to holds distances only for the targets in the subtree of its
// vertex. The numbers of the positions say which these are (descent.h).
//
// The way down takes most of the time. It writes n² distances, which is the bound, and reads as
// many as there are arcs. A warp has up to 128 targets, four for each lane, and follows a list of
// records that the host has made (records.h). Nearly all rows that it reads are in its own part of
// shared memory, because next in order is a neighbour in the tree: its arcs lead to rows that were
// written a moment ago. A lane reads only what it has written there itself, so nobody waits.
//
// Groups write whole sectors. A sector of memory has 8 distances, or 4 of 64 bits. If n is no
// multiple of that, a row begins anywhere in a sector, and two groups would share a sector of each
// row. If these run on different multiprocessors, each writes its half of the sector to memory at a
// different time. Therefore a group also finds the distances to the first targets of the next
// group, as many as a sector has. Which distances it writes depends on the row. Its part of a row
// begins at the first boundary of a sector from its first target on, and ends where the part of the
// next group begins.
//
//       … 4 5 6 7 │ 8 9 … 15 │ 16 …     a row: │ begins a sector; the group's first target is 5
//                   ↑ its part begins here; the group before it writes 5, 6 and 7
//
// A multiprocessor has one block at a time, and all blocks but the last have equally many targets.
// If these are few for its warps, subtrees of the hierarchy are shared out among several warps
// (descent.h). Warps with neighbouring targets stay in step, because they write to the same sectors
// of memory.
//
// Numbers of 64 bits are twice as many bytes to write, which is the bound, so a lane has as many
// targets of them, and a warp keeps half as many rows: 11 at the least on an H100. Of 32-bit
// numbers, so few are enough: 32 warps on a multiprocessor, with 11 rows each, were 4 % slower than
// 16.
//
// Tables. The columns may be any vertices: their lanes climb, and nothing else is done for them. A
// rank of a distributed run has a band of columns. The rows may be any, too. The way down passes
// only these and those that they need: the ancestors of their vertices. Ancestors have memory
// beside the result, which is written only if it is read again. What targets climb to has a matrix
// of its own, with a row for each depth in the elimination tree, because most rows on the way are
// not there.
//
//      ┌──────────────┐    A band of rows can be made in two ways. Of half of a road network by
//      │ wanted       │    numbers, wanted rows and ancestors are 1.1 to 1.5 times the wanted ones.
//      │ wanted       │    Or the GPU finds the columns of the graph with its arcs reversed, and
//      └──────────────┘    transposes them: each distance is written twice and read once. That pays
//        ancestors         if there are many ancestors, and for few rows, because all targets
//        climb.
//
// Bands are few rows if D has no room, and rows are made when they are asked for.
#include <cuda_pipeline.h>
#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <future>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/size.h"
#include "dense/workspace.h"
#include "device/cuda_memory.h"
#include "device/infinity.cuh"
#include "device/parcel.h"
#include "sparse/descent.h"
#include "sparse/records.h"
#include "sparse/sweep_gpu.h"

namespace engine::sparse {

namespace {

/// Targets of a lane, at the most. Each record is read once for all of them.
constexpr int kMostPerLane = 4;
/// Warps of a block that goes down. One such block is at work on each multiprocessor.
constexpr int kMostWarps = 16;
/// Targets that fill whole lines or sectors of memory.
template <class T>
constexpr int kLine = 128 / sizeof(T);
template <class T>
constexpr int kSector = 32 / sizeof(T);
/// Bytes of shared memory for the records of a warp that goes down.
template <class T>
constexpr int kRingBytes = 2 * kReadAhead * sizeof(Record<T>);
/// Bytes of what the columns of a call need beside D: 2^28 distances.
template <class T>
constexpr std::size_t kScratch = (std::size_t{1} << 28) * sizeof(T);
/// Vertices of the core that a block of cross() looks at: four for each lane.
constexpr int kStrip = 4 * kWarp;

/// Numbers that one load takes.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Vector {
  T at[kCount];
};
/// Of so many numbers, those in a vector: it has 16 bytes at the most.
template <class T>
constexpr int inVector(int count) {
  return std::min<int>(count, 16 / sizeof(T));
}

template <class T>
using Arc = typename SweepArcs<T>::Arc;

/// Columns of distances: those to the targets from `first` on. Row u begins at words + u·stride if
/// it is one of the `rows` of the result, and the others are beside it.
template <class T>
struct Columns {
  T* words;
  std::size_t stride;
  int first, count;
  std::uint32_t rows;
  T* beside;

  __device__ T* row(std::uint32_t u) const {
    return u < rows ? words + u * stride : beside + (u - rows) * stride;
  }
};

/// Where a position that targets climb to has their distances.
struct Climbed {
  int lowest;         ///< as descent.h says
  std::uint32_t row;  ///< of the matrix of climbs
};

/// The way up. Rows at and after n are those of the core, in `gates`. The others are those of the
/// result, or of a matrix with a row for each depth in the elimination tree.
template <class T>
struct Ascent {
  int n, core;
  const int* position;         ///< of each column
  const std::uint32_t* row;    ///< (n) of each position, or n + its place in the core
  const int* parent;           ///< (core)
  const std::uint32_t* first;  ///< (core + 1) where the arcs of a position begin
  const Arc<T>* arcs;          ///< their heads are rows
};

/// The targets in groups of neighbours. A warp that climbs has a part, 32 targets or fewer; a warp
/// that goes down has a group.
struct Groups {
  int count, width;
  int spare;  ///< so many targets of the next group belong to this one, too
  int parts;

  __device__ int end(int group, int columns) const { return min((group + 1) * width, columns); }
  __device__ int endOfSpare(int group, int columns) const {
    return min((group + 1) * width + spare, columns);
  }
};

/// Bits that targets set while they climb. All are 0 at first.
struct Reached {
  std::uint32_t*
      bits;  ///< (groups, positions): each position below the core that some target climbs to
  std::uint32_t* gates;  ///< (parts of groups that climb together, places): each gate
  int positions, places;  ///< words

  __host__ __device__ std::uint32_t* positionsOf(int group) const {
    return bits + asSize(group) * positions;
  }
  __device__ std::uint32_t* placesOf(int part) const { return gates + asSize(part) * places; }
};

__device__ void setBit(std::uint32_t* bits, int i) {
  atomicOr(bits + i / kWarp, 1u << (i % kWarp));
}

/// Calls visit(some, count) for the set bits, kAtOnce at a time and in ascending order, with all
/// lanes of a warp. Beyond `count`, the last one is repeated. What visit() reads for them is on its
/// way together.
template <int kAtOnce, class Visit>
__device__ void forEachBit(const std::uint32_t* bits, int words, int lane, const Visit& visit) {
  int some[kAtOnce];
  int count = 0;
  const auto add = [&](int i) {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      if (k >= count) some[k] = i;
    if (++count < kAtOnce) return;
    visit(some, count);
    count = 0;
  };
  for (int base = 0; base < words; base += kWarp) {
    const std::uint32_t mine = base + lane < words ? __ldcg(bits + base + lane) : 0;
    for (unsigned nonzero = __ballot_sync(kAllLanes, mine != 0); nonzero != 0;
         nonzero &= nonzero - 1) {
      const int from = __ffs(nonzero) - 1;
      for (std::uint32_t word = __shfl_sync(kAllLanes, mine, from); word != 0; word &= word - 1)
        add((base + from) * kWarp + __ffs(word) - 1);
    }
  }
  if (count > 0) visit(some, count);
}

/// A vertex of the core from which a climb found a distance to its target.
template <class T>
struct Gate {
  int place;  ///< in the core
  T distance;
};

/// The gates of each column.
template <class T>
struct Gates {
  std::size_t stride;  ///< how many columns there are
  T* rows;             ///< (coreSize, columns): distances, infinity at first
  Gate<T>* list;       ///< (most, columns)
  int* found;          ///< (columns): how many there are
};

/// So many arcs are looked up together. With more, the registers of a multiprocessor would not be
/// enough for five blocks.
template <class T>
constexpr int kAtOnce = sizeof(T) == 4 ? 16 : 12;

template <class T>
__global__ void fill(T value, T* words, std::size_t count) {
  const std::size_t stride = std::size_t{blockDim.x} * gridDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    words[i] = value;
}

/// Every target climbs, and lists its gates. A lane looks at its own column only.
template <class T>
__global__ void __launch_bounds__(kMostPerLane* kWarp)
    climb(Ascent<T> up, Groups groups, Columns<T> climbs, Gates<T> gates, Reached reached) {
  const int lane = static_cast<int>(threadIdx.x), part = static_cast<int>(threadIdx.y);
  const int group = static_cast<int>(blockIdx.x);
  const int column = group * groups.width + part * kWarp + lane;
  const bool mine = column < groups.end(group, climbs.count);
  const bool spare = !mine && column < groups.endOfSpare(group, climbs.count);
  std::uint32_t* const positions = reached.positionsOf(group);
  std::uint32_t* const places = reached.placesOf(group * groups.parts + part);
  const auto n = static_cast<std::uint32_t>(up.n);
  T* const words = climbs.words + column;  // of this column
  T* const gateWords = gates.rows + column;
  const auto inGate = [&](std::uint32_t place) { return gateWords + place * gates.stride; };
  const auto in = [&](std::uint32_t row) {
    return row < n ? words + row * climbs.stride : inGate(row - n);
  };

  const int own = mine || spare ? up.position[climbs.first + column] : -1;
  for (int position = own; position >= 0 && position < up.core; position = up.parent[position]) {
    setBit(positions, position);
    if (mine) *in(up.row[position]) = infinityOnGpu<T>();
  }
  if (mine) *in(up.row[own]) = T(0);
  if (mine && own >= up.core) setBit(places, own - up.core);
  for (int position = mine ? own : -1; position >= 0 && position < up.core;
       position = up.parent[position]) {
    const T known = *in(up.row[position]);
    const std::uint32_t end = up.first[position + 1];
    for (std::uint32_t first = up.first[position]; first < end; first += kAtOnce<T>) {
      T* head[kAtOnce<T>];
      T through[kAtOnce<T>], before[kAtOnce<T>];
      for (int k = 0; k < kAtOnce<T>; ++k) {
        const Arc<T> arc = up.arcs[min(first + k, end - 1)];  // the last one again has no effect
        head[k] = in(arc.head);
        through[k] = known + arc.weight;
        before[k] = *head[k];
        if (arc.head >= n) setBit(places, static_cast<int>(arc.head - n));
      }
      for (int k = 0; k < kAtOnce<T>; ++k)
        if (through[k] < before[k]) *head[k] = through[k];
    }
  }

  __syncwarp();  // all lanes have set the bits of their gates
  int found = 0;
  forEachBit<kAtOnce<T>>(places, reached.places, lane, [&](const int* some, int count) {
    if (!mine) return;
    T distance[kAtOnce<T>];
    for (int k = 0; k < kAtOnce<T>; ++k) distance[k] = *inGate(static_cast<std::uint32_t>(some[k]));
    for (int k = 0; k < kAtOnce<T>; ++k)
      if (k < count && distance[k] < infinityOnGpu<T>())
        gates.list[asSize(found++) * gates.stride + column] = {some[k], distance[k]};
  });
  if (mine) gates.found[column] = found;
}

/// The rows of the core that are needed. A block has 32 targets and kStrip of these vertices; a
/// warp takes one target after the other, and its lanes have four vertices each. between: (core,
/// pitch), row g has the distances to g. row: (crossed) of each vertex.
template <class T>
__global__ void __launch_bounds__(8 * kWarp)
    cross(const T* __restrict__ between, int crossed, int pitch, Gates<T> gates,
          const std::uint32_t* __restrict__ row, Columns<T> out) {
  __shared__ T tile[kStrip][kWarp + 1];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int firstColumn = static_cast<int>(blockIdx.x) * kWarp;
  const int strip = static_cast<int>(blockIdx.y) * kStrip;
  constexpr int kInVector = inVector<T>(4);  // vertices of a lane that are next to each other
  using Some = Vector<T, kInVector>;
  for (int target = warp; target < kWarp; target += 8) {
    const int column = firstColumn + target;
    T least[4] = {infinityOnGpu<T>(), infinityOnGpu<T>(), infinityOnGpu<T>(), infinityOnGpu<T>()};
    const int most = column < out.count ? gates.found[column] : 0;
#pragma unroll 4
    for (int k = 0; k < most; ++k) {
      const Gate<T> gate = gates.list[k * gates.stride + column];
      const T* const from = between + asSize(gate.place) * pitch + strip + kInVector * lane;
      T four[4];
      for (int i = 0; i < 4; i += kInVector) {
        const Some some = *reinterpret_cast<const Some*>(from + i * kWarp);
        for (int j = 0; j < kInVector; ++j) four[i + j] = some.at[j];
      }
      least[0] = lesser(least[0], gate.distance + four[0]);
      least[1] = lesser(least[1], gate.distance + four[1]);
      least[2] = lesser(least[2], gate.distance + four[2]);
      least[3] = lesser(least[3], gate.distance + four[3]);
    }
    for (int i = 0; i < 4; ++i)
      tile[i / kInVector * kInVector * kWarp + kInVector * lane + i % kInVector][target] = least[i];
  }
  __syncthreads();  // the tile is full
  for (int i = warp; i < kStrip && strip + i < crossed; i += 8)
    if (firstColumn + lane < out.count) out.row(row[strip + i])[firstColumn + lane] = tile[i][lane];
}

/// The targets of a lane.
template <class T, int kPerLane>
struct Lane {
  T at[kPerLane];
};

/// A record in registers. A unit is what one load takes: four words of 32 bits.
template <class T>
struct Words {
  static constexpr int kUnits = sizeof(Record<T>) / sizeof(uint4);
  static constexpr int kFrom = 2 + 2 * sizeof(T) / sizeof(std::uint32_t);  // behind the weights
  uint4 units[kUnits];

  __device__ std::uint32_t word(int i) const {
    const uint4& unit = units[i / 4];
    return i % 4 == 0 ? unit.x : i % 4 == 1 ? unit.y : i % 4 == 2 ? unit.z : unit.w;
  }
  __device__ std::uint32_t row() const { return word(0); }
  __device__ int position() const { return static_cast<int>(word(1)); }
  __device__ T weight(int k) const {
    if constexpr (std::is_same_v<T, float>)
      return __uint_as_float(word(2 + k));
    else if constexpr (sizeof(T) == 4)
      return static_cast<T>(word(2 + k));
    else if constexpr (std::is_same_v<T, double>)
      return __hiloint2double(static_cast<int>(word(3 + 2 * k)), static_cast<int>(word(2 + 2 * k)));
    else
      return static_cast<T>(word(3 + 2 * k)) << 32 | word(2 + 2 * k);
  }
  __device__ std::uint32_t from(int k) const { return word(kFrom + k); }
  __device__ std::uint32_t keep() const { return word(kFrom + 2); }
  __device__ std::uint32_t flags() const { return word(kFrom + 3); }

  static_assert(offsetof(Record<T>, weight) == 2 * sizeof(std::uint32_t));
  static_assert(offsetof(Record<T>, from) == kFrom * sizeof(std::uint32_t));
};

/// The least of a distance and a way to it over another vertex. int32 takes one instruction.
template <class T>
__device__ T through(T weight, T above, T least) {
  return lesser(least, weight + above);
}
__device__ int through(int weight, int above, int least) {
  return __viaddmin_s32(weight, above, least);
}

/// Finds the positions that targets of a group climb to, the highest first. Each lane holds one of
/// 32 words of bits, so that most are found without reading.
class Descending {
 public:
  __device__ Descending(const std::uint32_t* bits, int lane) : bits_(bits), lane_(lane) {}

  /// The highest set bit from `from` downwards, or −1. Call it with all lanes.
  __device__ int next(int from) {
    const int highest = from >= 0 ? from / kWarp : -1;
    if (highest < top_ - kWarp + 1 || highest > top_) read(highest);
    while (top_ >= 0) {
      const int word = top_ - lane_;
      std::uint32_t mine = word > highest ? 0 : mine_;
      if (word == highest) mine &= kAllLanes >> (kWarp - 1 - from % kWarp);
      const unsigned nonzero = __ballot_sync(kAllLanes, mine != 0);
      if (nonzero != 0) {
        const int first = __ffs(nonzero) - 1;
        const auto found = static_cast<int>(__shfl_sync(kAllLanes, mine, first));
        return (top_ - first) * kWarp + kWarp - 1 - __clz(found);
      }
      read(top_ - kWarp);
    }
    return -1;
  }

 private:
  __device__ void read(int top) {
    top_ = top;
    mine_ = top >= lane_ ? bits_[top - lane_] : 0;
  }

  const std::uint32_t* bits_;
  int lane_;
  int top_ = -1;            // the word of lane 0
  std::uint32_t mine_ = 0;  // word top_ − lane_
};

/// What all warps go down along.
struct WayDown {
  const uint4* __restrict__ records;  ///< (records, Words::kUnits): see Record
  const int* __restrict__ shares;     ///< as descent.h says
  int phases, sharesOfPhase;
  int warpBytes;                        ///< of shared memory
  const Climbed* __restrict__ climbed;  ///< of each position below the core
  const int* __restrict__ position;     ///< of the vertex of each column
};

/// A warp on its way down. Each lane has up to kPerLane targets, kWarp apart.
template <class T, int kPerLane>
struct Falling {
  using Mine = Lane<T, kPerLane>;
  static constexpr int kPlace = kWarp * sizeof(Mine);
  static constexpr int kInVector = inVector<T>(kPerLane);
  using Some = Vector<T, kInVector>;

  char* column;        ///< of the first target, in row 0
  char* besideColumn;  ///< the same, as if rows beside the result began with row 0
  std::uint32_t rowBytes, rows;
  const T* climbColumn;  ///< in the matrix of climbs
  std::size_t climbStride;
  /// Where the lane's part of place 0 is; a lane reads only what it has written. A place has the
  /// first vector of each lane, one after the other, so that a load meets all banks equally often;
  /// then the second one of each lane, if there are two.
  char* places;
  int lane;
  int width, extent;  ///< targets of the group without and with the spare ones
  int lefts;          ///< mask: the group leaves up to so many targets to the group before it
  int shifts;         ///< mask: it writes up to so many targets of the next group
  int climbed;        ///< the next position that some target of the group climbs to
  const Climbed* __restrict__ subtrees;  ///< of each position below the core
  int own[kPerLane];                     ///< the positions of the targets
  Mine least;

  __device__ T* at(std::uint32_t row) const {
    return reinterpret_cast<T*>((row < rows ? column : besideColumn) +
                                static_cast<std::uint64_t>(row) * rowBytes);
  }
  __device__ Mine kept(std::uint32_t place) const {
    const auto* const from = reinterpret_cast<const Some*>(places + place);
    Mine mine;
    for (int i = 0; i < kPerLane; i += kInVector) {
      const Some some = from[i / kInVector * kWarp];
      for (int j = 0; j < kInVector; ++j) mine.at[i + j] = some.at[j];
    }
    return mine;
  }
  __device__ void keep(std::uint32_t place, const Mine& mine) const {
    auto* const to = reinterpret_cast<Some*>(places + place);
    for (int i = 0; i < kPerLane; i += kInVector) {
      Some some;
      for (int j = 0; j < kInVector; ++j) some.at[j] = mine.at[i + j];
      to[i / kInVector * kWarp] = some;
    }
  }

  __device__ bool has(int target) const { return lane + target * kWarp < extent; }

  __device__ __forceinline__ void begin() {
    for (int i = 0; i < kPerLane; ++i) least.at[i] = infinityOnGpu<T>();
  }

  __device__ __forceinline__ void take(const Words<T>& now, Descending& reached) {
    Mine above[2];
    if ((now.flags() & (kFromMemory | kFromMemory << 1)) == 0) {
      for (int k = 0; k < 2; ++k) above[k] = kept(now.from(k));
    } else {
      readFromMemory(now, above);
    }
#pragma unroll
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < kPerLane; ++i)
        least.at[i] = through(now.weight(k), above[k].at[i], least.at[i]);
    if ((now.flags() & kLast) == 0) return;
    if (now.position() <= climbed) joinClimb(now.position(), reached);
    const bool whole = (now.flags() & kReadBack) != 0;
    if (whole || now.row() < rows) write(at(now.row()), whole);
    keep(now.keep(), least);
    begin();
  }

  /// Writes the group's part of the row. If it is read again from memory, its neighbours write the
  /// same words at the ends.
  __device__ __forceinline__ void write(T* row, bool whole) const {
    const int inSector = static_cast<int>(reinterpret_cast<std::uintptr_t>(row) / sizeof(T));
    const int shift = (lane - inSector) & shifts;
    const int begin = whole ? 0 : shift & lefts;
    const int end = whole ? extent : min(width + shift, extent);
    const unsigned count = static_cast<unsigned>(max(end - begin, 0));
    for (int i = 0; i < kPerLane; ++i)
      if (static_cast<unsigned>(lane + i * kWarp - begin) < count) row[i * kWarp] = least.at[i];
  }

  /// Both rows are read before one is kept, because it may take the place of the other.
  __device__ __forceinline__ void readFromMemory(const Words<T>& now, Mine above[2]) const {
    for (int k = 0; k < 2; ++k) {
      if ((now.flags() & kFromMemory << k) == 0) {
        above[k] = kept(now.from(k));
        continue;
      }
      const T* const row = at(now.from(k));
      for (int i = 0; i < kPerLane; ++i)
        above[k].at[i] = has(i) ? row[i * kWarp] : infinityOnGpu<T>();
    }
    for (int k = 0; k < 2; ++k)
      if ((now.flags() & kFromMemory << k) != 0)
        keep((now.flags() >> (kPlaceShift + k * kPlaceBits) & kPlaceMask) * kPlace, above[k]);
  }

  /// Takes the distances of the targets that climbed to a position: those in its subtree.
  __device__ __forceinline__ void joinClimb(int position, Descending& reached) {
    if (position < climbed) climbed = reached.next(position);
    if (position != climbed) return;
    const Climbed here = subtrees[position];
    const T* const row = climbColumn + here.row * climbStride;
    T known[kPerLane];
    for (int i = 0; i < kPerLane; ++i)
      known[i] = own[i] >= here.lowest && own[i] <= position ? row[i * kWarp] : infinityOnGpu<T>();
    climbed = reached.next(position - 1);
    for (int i = 0; i < kPerLane; ++i) least.at[i] = lesser(least.at[i], known[i]);
  }
};

/// The records of a share, which come to shared memory before they are wanted. The compiler cannot
/// load them into registers so early: it waits for all of its loads together.
template <class T>
struct Incoming {
  uint4* ring;  ///< (2, kReadAhead, kUnits) of the warp
  int lane;

  static constexpr int kUnits = Words<T>::kUnits;
  static constexpr int kBlock = kReadAhead * kUnits;

  /// Copies block b of these records. A lane copies one unit, and some lanes a second one if the
  /// block has more units than the warp has lanes.
  __device__ void fetch(const uint4* records, int b) const {
    for (int i = 0; i < kBlock; i += kWarp)
      if (i + kWarp <= kBlock || i + lane < kBlock)
        __pipeline_memcpy_async(ring + b % 2 * kBlock + i + lane, records + b * kBlock + i + lane,
                                sizeof(uint4));
    __pipeline_commit();
  }
  __device__ Words<T> operator()(int b, int record) const {
    const uint4* const at = ring + b % 2 * kBlock + kUnits * record;
    Words<T> words;
    for (int i = 0; i < kUnits; ++i) words.units[i] = at[i];
    return words;
  }
};

/// Waits for the warps that have the same share of other groups. Neighbours write to the same
/// sectors of memory. If one is far behind, a sector has left the cache half written, and is read
/// and written once more: Luxembourg takes 20 ms instead of 13.
__device__ __forceinline__ void keepStep(int share, int warps) {
  if (warps > 1) asm volatile("bar.sync %0, %1;" ::"r"(1 + share), "r"(warps * kWarp) : "memory");
}

/// A block has `abreast` groups of targets next to each other, and for each group a warp for each
/// share of a phase. reached: as climb() left it.
template <class T, int kPerLane>
__global__ void __launch_bounds__(kMostWarps* kWarp)
    descend(WayDown down, Groups groups, Columns<T> out, Columns<T> climbs, Reached reached) {
  extern __shared__ char memoryOfBlock[];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int abreast = static_cast<int>(blockDim.y) / down.sharesOfPhase;
  const int group = static_cast<int>(blockIdx.x) * abreast + warp % abreast;
  if (group >= groups.count) return;
  const int groupsOfBlock = min(abreast, groups.count - static_cast<int>(blockIdx.x) * abreast);
  const int first = group * groups.width;
  char* const memory = memoryOfBlock + warp * down.warpBytes;
  const Incoming<T> incoming{reinterpret_cast<uint4*>(memory), lane};
  Falling<T, kPerLane> falling;
  falling.column = reinterpret_cast<char*>(out.words + first + lane);
  falling.rowBytes = static_cast<std::uint32_t>(out.stride * sizeof(T));
  falling.rows = out.rows;
  falling.besideColumn = reinterpret_cast<char*>(out.beside + first + lane) -
                         static_cast<std::uint64_t>(out.rows) * falling.rowBytes;
  falling.climbColumn = climbs.words + first + lane;
  falling.climbStride = climbs.stride;
  falling.places =
      memory + kRingBytes<T> + lane * static_cast<int>(sizeof(typename Falling<T, kPerLane>::Some));
  falling.lane = lane;
  falling.width = groups.width;
  falling.extent = groups.endOfSpare(group, out.count) - first;
  falling.shifts = groups.spare > 0 ? kSector<T> - 1 : 0;
  falling.lefts = first > 0 ? falling.shifts : 0;
  falling.subtrees = down.climbed;
  for (int i = 0; i < kPerLane; ++i)
    falling.own[i] = falling.has(i) ? down.position[out.first + first + lane + i * kWarp] : -1;
  falling.begin();
  // Missing arcs read place 0, and so do those of records that belong to no step.
  falling.keep(0, falling.least);
  for (int phase = 0; phase < down.phases; ++phase) {
    const int share = phase * down.sharesOfPhase + warp / abreast;
    const int blocks = (down.shares[share + 1] - down.shares[share]) / kReadAhead;
    const uint4* const records = down.records + Words<T>::kUnits * asSize(down.shares[share]);
    falling.climbed = 0x7fffffff;
    Descending positions(reached.positionsOf(group), lane);
    if (blocks > 0) incoming.fetch(records, 0);
    for (int b = 0; b < blocks; ++b) {
      incoming.fetch(records, b + 1);  // a block follows the last share
      __pipeline_wait_prior(1);
      __syncwarp();  // block b is there, for all lanes
      Words<T> next = incoming(b, 0);
#pragma unroll 4
      for (int k = 0; k < kReadAhead; ++k) {
        const Words<T> now = next;
        next = incoming(b, (k + 1) % kReadAhead);
        falling.take(now, positions);
      }
      __syncwarp();  // all lanes have read block b: the next but one takes its place
      keepStep(warp / abreast, groupsOfBlock);
    }
    __pipeline_wait_prior(0);
    __syncthreads();  // the rows of this phase are written: the next one reads them
  }
}

/// out[j][i] = in[i][j] for i < rows, j < columns, or in[which[i]][j]. A block turns a square.
template <class T>
__global__ void transpose(const T* __restrict__ in, std::size_t inStride, int rows, int columns,
                          T* __restrict__ out, std::size_t outStride,
                          const int* __restrict__ which = nullptr) {
  __shared__ T tile[kWarp][kWarp + 1];
  const int lane = static_cast<int>(threadIdx.x);
  const int top = static_cast<int>(blockIdx.x) * kWarp, left = static_cast<int>(blockIdx.y) * kWarp;
  for (int i = static_cast<int>(threadIdx.y); i < kWarp; i += 8)
    if (top + i < rows && left + lane < columns)
      tile[i][lane] =
          in[asSize(which != nullptr ? which[top + i] : top + i) * inStride + left + lane];
  __syncthreads();  // the square is read
  for (int j = static_cast<int>(threadIdx.y); j < kWarp; j += 8)
    if (left + j < columns && top + lane < rows)
      out[asSize(left + j) * outStride + top + lane] = tile[lane][j];
}

/// How the way down is divided among warps.
template <class T>
struct Shape {
  int perLane;  ///< targets of a lane: 1, 2 or 4
  int width;    ///< targets of a group
  int spare;    ///< and so many of the next one
  int abreast;  ///< groups of a block
  int shares;   ///< warps of each group, which share the steps of a phase
  int places;   ///< rows that a warp keeps in shared memory

  int warps() const { return shares * abreast; }
  int placeBytes() const { return perLane * kWarp * static_cast<int>(sizeof(T)); }
  /// One place more takes what is not kept.
  int warpBytes() const { return kRingBytes<T> + (places + 1) * placeBytes(); }
};

/// For so many targets. All blocks but the last have the same number, because one that has more
/// keeps the others waiting. Whole lines come first: some multiprocessors may have no block.
template <class T>
Shape<T> shapeFor(int targets) {
  const Gpu gpu;
  const int mine = std::max(1, ceilDiv(targets, gpu.processors));  // of a multiprocessor
  Shape<T> shape{kMostPerLane, 0, 0, 0, 0, 0};
  while (shape.perLane > 1 && shape.perLane / 2 * kWarp >= mine) shape.perLane /= 2;
  // If there are few targets, the cache holds all rows.
  if (shape.perLane == kMostPerLane && targets % kSector<T> != 0) shape.spare = kSector<T>;
  const int groups = ceilDiv(mine, shape.perLane * kWarp - shape.spare);
  // Rows begin with a line, or anywhere.
  const int unit = targets % kLine<T> == 0 ? kLine<T> : kSector<T>;
  shape.width = ceilDiv(ceilDiv(mine, groups), unit) * unit;
  shape.abreast = ceilDiv(groups, ceilDiv(groups, kMostWarps));
  shape.shares = kMostWarps / shape.abreast;
  const int bytes = gpu.shared / shape.warps() - kRingBytes<T>;
  shape.places = std::clamp(bytes / shape.placeBytes() - 1, 0, kMostPlaces);
  return shape;
}

/// The rows of a result, and those beside it.
struct Rows {
  std::vector<std::uint32_t> row;  ///< of each position; those at and after `count` are beside it
  std::vector<char> needed;        ///< whether each position has one; empty: all do
  std::uint32_t count = 0, beside = 0;

  /// The places in the core that have a row.
  std::vector<int> places(int core) const {
    std::vector<int> found;
    for (std::size_t x = asSize(core); x < row.size(); ++x)
      if (needed.empty() || needed[x] != 0) found.push_back(static_cast<int>(x - asSize(core)));
    return found;
  }
};

/// Those of all vertices, in the order of their numbers.
template <class T>
Rows allRows(const Swept<T>& graph) {
  return {verticesOf(graph), {}, static_cast<std::uint32_t>(graph.vertices()), 0};
}

/// Those of some sources, and what they need. Of two with the same source, it is the first one's.
template <class T>
Rows someRows(const Swept<T>& graph, int first, int count) {
  constexpr std::uint32_t kNone = 0xffffffffu;
  const auto begin = graph.source.begin() + first;
  const std::vector<int> positions(begin, begin + count);
  Rows rows{std::vector(asSize(graph.positions), kNone), {}, static_cast<std::uint32_t>(count), 0};
  for (std::size_t i = positions.size(); i-- > 0;)
    rows.row[asSize(positions[i])] = static_cast<std::uint32_t>(i);
  const bool each = std::find(rows.row.begin(), rows.row.end(), kNone) == rows.row.end();
  if (each && count == graph.positions) return rows;
  rows.needed = neededFor(graph, graph.arcs.up, positions);
  for (std::size_t x = 0; x < rows.row.size(); ++x)
    if (rows.row[x] == kNone && rows.needed[x] != 0) rows.row[x] = rows.count + rows.beside++;
  return rows;
}

/// The arrays of one direction.
template <class T>
class Direction {
 public:
  /// climbing, falling: the arcs for the way up and down. toGate: whether between(u,g) is wanted,
  /// from a vertex of the core to a gate, instead of from the gate. Keeps references.
  Direction(const Swept<T>& graph, const SweepArcs<T>& climbing, const SweepArcs<T>& falling,
            bool toGate, const Shape<T>& shape, Rows rows)
      : graph_(graph),
        falling_(falling),
        shape_(shape),
        rows_(std::move(rows)),
        descent_(std::async(
            std::launch::async,
            [this] { return descentOf(graph_, falling_, shape_.shares, rows_.needed); })),
        climbRow_(climbRows()),
        places_(rows_.places(graph.core)),
        at_(graph, climbing, places_.size()),
        tables_(at_.bytes),
        pitch_(ceilDiv(crossed(), kStrip) * kStrip),
        between_(size(pitch_) * size(coreSize()) * sizeof(T)) {
    fillTables(climbing);
    placeCore(graph, toGate);
  }

  /// Fills `count` columns, from `first` on. Row u begins at words + u·stride. The targets climb in
  /// slices, because the gates of all of them might take much memory. Throws Error(kMemory).
  void fillColumns(T* words, std::size_t stride, int first, int count) {
    const GpuMemory beside(rows_.beside * stride * sizeof(T));
    const Columns<T> out{words, stride, first, count, rows_.count, beside.at<T>(0)};
    Columns<T> climbs = out;
    std::optional<GpuMemory> ofClimbs;
    if (depths_ > 0) {
      climbs.words = ofClimbs.emplace(size(depths_) * size(count) * sizeof(T)).template at<T>(0);
      climbs.stride = size(count);
    }
    const Groups groups{ceilDiv(count, shape_.width), shape_.width, shape_.spare, shape_.perLane};
    Reached reached{nullptr, nullptr, ceilDiv(graph_.core, kWarp), ceilDiv(coreSize(), kWarp)};
    const std::size_t bytes = size(groups.count) * size(reached.positions) * sizeof(std::uint32_t);
    const GpuMemory memory(bytes);
    reached.bits = memory.at<std::uint32_t>(0);
    CHECK_CUDA(cudaMemsetAsync(reached.bits, 0, bytes));
    const int most = groupsAtOnce();
    for (int group = 0; group < groups.count; group += most)
      climbAndCross(out, climbs, groups, group, std::min(most, groups.count - group), reached);
    descendTo(out, climbs, groups, reached);
    CHECK_CUDA(cudaGetLastError());
  }

 private:
  /// Where the tables for the way up are.
  struct Tables {
    std::size_t position, row, parent, first, arcs, place, coreRow, bytes;

    Tables(const Swept<T>& graph, const SweepArcs<T>& climbing, std::size_t crossed) {
      dense::Layout layout;
      position = layout.place(graph.position.size(), sizeof(int));
      row = layout.place(size(graph.positions), sizeof(std::uint32_t));
      parent = layout.place(graph.parent.size(), sizeof(int));
      first = layout.place(climbing.first.size(), sizeof(std::uint32_t));
      arcs = layout.place(climbing.arcs.size(), sizeof(Arc<T>));
      place = layout.place(crossed, sizeof(int));
      coreRow = layout.place(crossed, sizeof(std::uint32_t));
      bytes = layout.bytes();
    }
  };

  /// The way down in GPU memory.
  struct Down {
    std::size_t records, shares, climbed;  // offsets
    int phases;
    std::optional<Parcel> parcel;
  };

  static std::size_t size(int count) { return asSize(count); }

  int coreSize() const { return graph_.coreSize(); }
  /// The rows of the core that are needed.
  int crossed() const { return static_cast<int>(places_.size()); }

  /// The rows in which positions below the core have what targets climb to: those of the result if
  /// it has them all, or else one for each depth.
  std::vector<std::uint32_t> climbRows() {
    const auto core = static_cast<std::ptrdiff_t>(graph_.core);
    if (rows_.needed.empty()) return {rows_.row.begin(), rows_.row.begin() + core};
    std::vector<std::uint32_t> depth(size(graph_.core), 0);
    for (std::size_t x = depth.size(); x-- > 0;) {
      const int up = graph_.parent[x];
      if (up >= 0 && up < graph_.core) depth[x] = depth[size(up)] + 1;
      depths_ = std::max(depths_, static_cast<int>(depth[x]) + 1);
    }
    return depth;
  }

  void fillTables(const SweepArcs<T>& climbing) {
    std::copy(graph_.position.begin(), graph_.position.end(),
              tables_.template host<int>(at_.position));
    std::copy(graph_.parent.begin(), graph_.parent.end(), tables_.template host<int>(at_.parent));
    std::copy(climbing.first.begin(), climbing.first.end(),
              tables_.template host<std::uint32_t>(at_.first));
    std::copy(places_.begin(), places_.end(), tables_.template host<int>(at_.place));
    std::transform(places_.begin(), places_.end(),
                   tables_.template host<std::uint32_t>(at_.coreRow),
                   [&](int place) { return rows_.row[size(graph_.core + place)]; });
    auto* const row = tables_.template host<std::uint32_t>(at_.row);
    std::copy(climbRow_.begin(), climbRow_.end(), row);
    std::iota(row + graph_.core, row + graph_.vertices(),
              static_cast<std::uint32_t>(graph_.vertices()));
    std::transform(climbing.arcs.begin(), climbing.arcs.end(),
                   tables_.template host<Arc<T>>(at_.arcs), [&](const Arc<T>& arc) {
                     return Arc<T>{row[arc.head], arc.weight};
                   });
    tables_.send();
  }

  /// Written when it is wanted first: the GPU climbs meanwhile.
  const Down& down() {
    if (down_) return *down_;
    const Descent descent = descent_.get();
    Down& way = down_.emplace();
    way.phases = descent.phases;
    const auto room = [&](std::size_t count) {
      dense::Layout layout;
      way.records = layout.place(count, sizeof(Record<T>));
      way.shares = layout.place(descent.shares.size(), sizeof(int));
      way.climbed = layout.place(climbRow_.size(), sizeof(Climbed));
      way.parcel.emplace(layout.bytes());
      return way.parcel->template host<Record<T>>(way.records);
    };
    const std::vector<int> shares =
        writeRecords<T>(falling_, rows_.row, descent, {shape_.places, shape_.placeBytes()}, room,
                        omp_get_max_threads());
    std::copy(shares.begin(), shares.end(), way.parcel->template host<int>(way.shares));
    auto* const climbed = way.parcel->template host<Climbed>(way.climbed);
    for (std::size_t x = 0; x < climbRow_.size(); ++x)
      climbed[x] = {descent.lowest[x], climbRow_[x]};
    way.parcel->send();
    return way;
  }

  /// Groups that climb together.
  int groupsAtOnce() const {
    const std::size_t bytes = size(coreSize()) * sizeof(T) + size(graph_.gates) * sizeof(Gate<T>) +
                              size(coreSize()) / 8 + 2 * sizeof(int);
    const std::size_t most = kScratch<T> / bytes / size(shape_.width);
    return static_cast<int>(std::clamp<std::size_t>(most, 1, 1u << 30));
  }

  void placeCore(const Swept<T>& graph, bool toGate) {
    if (crossed() == 0) return;
    const std::size_t count = size(coreSize()), row = count * sizeof(T);
    T* const between = between_.template at<T>(0);
    const T* from = graph.betweenOnGpu;
    std::optional<GpuMemory> uploaded;
    if (from == nullptr) {
      from = uploaded.emplace(count * row).template at<T>(0);
      CHECK_CUDA(cudaMemcpyAsync(uploaded->template at<T>(0), graph.between.data().data(),
                                 count * row, cudaMemcpyHostToDevice));
    }
    if (!toGate) {
      CHECK_CUDA(cudaMemcpy2DAsync(between, size(pitch_) * sizeof(T), from, row, row, count,
                                   cudaMemcpyDeviceToDevice));
      return;
    }
    transpose<T>
        <<<dim3(blocksFor(crossed(), kWarp), blocksFor(coreSize(), kWarp)), dim3(kWarp, 8)>>>(
            from, count, crossed(), coreSize(), between, size(pitch_),
            tables_.template device<int>(at_.place));
    CHECK_CUDA(cudaGetLastError());
  }

  /// The targets of `count` groups from `group` on climb, and cross the core.
  void climbAndCross(const Columns<T>& all, const Columns<T>& climbs, const Groups& groups,
                     int group, int count, Reached reached) {
    const int first = group * groups.width;
    const auto from = [&](Columns<T> columns) {
      columns.words += first;
      columns.beside += first;
      columns.first += first;
      columns.count -= first;
      return columns;
    };
    Columns<T> out = from(all);
    out.count = std::min(count * groups.width, out.count);
    const std::size_t columns = size(out.count), gateWords = size(coreSize()) * columns;
    const std::size_t parts = size(count * groups.parts);
    dense::Layout layout;
    const std::size_t bits = layout.place(parts * size(reached.places), sizeof(std::uint32_t));
    const std::size_t rows = layout.place(gateWords, sizeof(T));
    const std::size_t list = layout.place(size(graph_.gates) * columns, sizeof(Gate<T>));
    const std::size_t found = layout.place(columns, sizeof(int));
    const GpuMemory memory(layout.bytes());
    const Gates<T> gates{columns, memory.at<T>(rows), memory.at<Gate<T>>(list),
                         memory.at<int>(found)};
    reached.bits = reached.positionsOf(group);
    reached.gates = memory.at<std::uint32_t>(bits);
    CHECK_CUDA(
        cudaMemsetAsync(reached.gates, 0, parts * size(reached.places) * sizeof(std::uint32_t)));
    if (gateWords > 0) fill<T><<<1024, 256>>>(kInfinity<T>, gates.rows, gateWords);
    const Ascent<T> up{graph_.vertices(),
                       graph_.core,
                       tables_.template device<int>(at_.position),
                       tables_.template device<std::uint32_t>(at_.row),
                       tables_.template device<int>(at_.parent),
                       tables_.template device<std::uint32_t>(at_.first),
                       tables_.template device<Arc<T>>(at_.arcs)};
    // The spare targets of the last of these groups belong to the next one.
    climb<T><<<static_cast<unsigned>(count), dim3(kWarp, static_cast<unsigned>(groups.parts))>>>(
        up, groups, from(climbs), gates, reached);
    if (crossed() > 0)
      cross<T><<<dim3(blocksFor(out.count, kWarp), blocksFor(crossed(), kStrip)), dim3(kWarp, 8)>>>(
          between_.template at<T>(0), crossed(), pitch_, gates,
          tables_.template device<std::uint32_t>(at_.coreRow), out);
  }

  void descendTo(const Columns<T>& out, const Columns<T>& climbs, const Groups& groups,
                 const Reached& reached) {
    const Down& way = down();
    const WayDown records{way.parcel->template device<uint4>(way.records),
                          way.parcel->template device<int>(way.shares),
                          way.phases,
                          shape_.shares,
                          shape_.warpBytes(),
                          way.parcel->template device<Climbed>(way.climbed),
                          tables_.template device<int>(at_.position)};
    const auto launch = [&](auto kernel) {
      const int shared = shape_.warps() * shape_.warpBytes();
      CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
      kernel<<<blocksFor(groups.count, shape_.abreast),
               dim3(kWarp, static_cast<unsigned>(shape_.warps())), asSize(shared)>>>(
          records, groups, out, climbs, reached);
    };
    if (shape_.perLane == 1) return launch(descend<T, 1>);
    if (shape_.perLane == 2) return launch(descend<T, 2>);
    launch(descend<T, 4>);
  }

  const Swept<T>& graph_;
  const SweepArcs<T>& falling_;
  const Shape<T> shape_;
  const Rows rows_;
  std::future<Descent> descent_;               // laid out while the tables are filled
  int depths_ = 0;                             // of the tree, if climbs have rows of their own
  const std::vector<std::uint32_t> climbRow_;  // (core)
  const std::vector<int> places_;              // in the core, whose rows are needed
  const Tables at_;
  Parcel tables_;
  const int pitch_;
  const GpuMemory between_;  // (coreSize, pitch): to each gate from each of `places_`
  std::optional<Down> down_;
};

/// With so many rows beside each wanted one, to find them takes about as long as to transpose.
constexpr double kBeside = 1.5;
/// Of fewer rows, and of a smaller part of all, to transpose takes less time than all targets
/// climb.
constexpr int kWorthClimbing = 8192, kPartWorthClimbing = 8;

template <class T>
class Sweeps : public RowSource {
 public:
  explicit Sweeps(const Swept<T>& graph) : graph_(graph) {}

  void all(Elements out) override {
    if (graph_.table) return rows(0, static_cast<int>(graph_.source.size()), out);
    if (graph_.vertices() > 0) makeInPlace(allRows(graph_), out);
  }

  void rows(int first, int count, Elements out) override {
    if (graph_.position.empty() || count == 0) return;
    if (graph_.table) return makeTable(first, count, out);
    if (!makeBand(first, count, out)) transposeBand(first, count, out);
  }

  bool columns(int first, int count, std::size_t stride, Elements out) override {
    if (graph_.table) return false;
    if (graph_.vertices() == 0 || count == 0) return true;
    reversed(count).fillColumns(out.as<T>(), stride, first, count);
    return true;
  }

 private:
  void makeInPlace(Rows rows, Elements out) const {
    const int columns = static_cast<int>(graph_.position.size());
    Direction<T> direction(graph_, graph_.arcs.down, graph_.arcs.up, true, shapeFor<T>(columns),
                           std::move(rows));
    direction.fillColumns(out.as<T>(), asSize(columns), 0, columns);
  }

  /// Half of the rows at a time, if those beside them have no room.
  void makeTable(int first, int count, Elements out) const {
    try {
      return makeSome(someRows(graph_, first, count), first, count, out);
    } catch (const Error& error) {
      if (error.code != ErrorCode::kMemory || count == 1) throw;
    }
    const int half = count / 2;
    makeTable(first, half, out);
    makeTable(first + half, count - half, out + asSize(half) * graph_.position.size());
  }

  /// Rows with the same source are copied.
  void makeSome(const Rows& rows, int first, int count, Elements out) const {
    makeInPlace(rows, out);
    const std::size_t columns = graph_.position.size();
    T* const to = out.as<T>();
    for (int i = 0; i < count; ++i) {
      const std::size_t of = rows.row[asSize(graph_.source[asSize(first + i)])];
      if (of != asSize(i))
        CHECK_CUDA(cudaMemcpyAsync(to + asSize(i) * columns, to + of * columns, columns * sizeof(T),
                                   cudaMemcpyDeviceToDevice));
    }
  }

  /// Returns whether it did. It does not if many rows would be found beside these, or have no room.
  bool makeBand(int first, int count, Elements out) try {
    const int least = std::min(kWorthClimbing, graph_.vertices() / kPartWorthClimbing);
    if (count <= tooFew_ || count < least) return false;
    Rows rows = someRows(graph_, first, count);
    if (rows.beside > kBeside * count) {
      tooFew_ = count;
      return false;
    }
    makeInPlace(std::move(rows), out);
    return true;
  } catch (const Error& error) {
    if (error.code != ErrorCode::kMemory) throw;
    tooFew_ = count;
    return false;
  }

  /// Columns of the graph with its arcs reversed, laid out for so many at a time.
  Direction<T>& reversed(int most) {
    if (!reversed_)
      reversed_.emplace(graph_, graph_.arcs.up, graph_.arcs.down, false, shapeFor<T>(most),
                        allRows(graph_));
    return *reversed_;
  }

  /// A part of the rows at a time, because as much memory is taken beside them.
  void transposeBand(int first, int count, Elements out) {
    const auto n = asSize(graph_.vertices());
    const int most = static_cast<int>(
        std::clamp<std::size_t>(BandSizes{}.band / (n * sizeof(T)), 1, asSize(count)));
    const GpuMemory memory(n * asSize(most) * sizeof(T));
    T* const columns = memory.at<T>(0);
    for (int done = 0; done < count; done += most) {
      const int some = std::min(most, count - done);
      reversed(most).fillColumns(columns, asSize(some), first + done, some);
      transpose<T>
          <<<dim3(blocksFor(graph_.vertices(), kWarp), blocksFor(some, kWarp)), dim3(kWarp, 8)>>>(
              columns, asSize(some), graph_.vertices(), some, out.as<T>() + asSize(done) * n, n);
      CHECK_CUDA(cudaGetLastError());
    }
  }

  const Swept<T>& graph_;
  std::optional<Direction<T>> reversed_;
  int tooFew_ = 0;  // so many rows have too many beside them
};

}  // namespace

std::size_t gpuSweepBytes(int n, std::size_t arcs, int coreSize, Dtype dtype) {
  const auto size = asSize(ceilDiv(coreSize, kStrip) * kStrip);
  return withType(dtype, [&](auto zero) {
    using T = decltype(zero);
    // A record holds two arcs of a step. A step with fewer arcs has one record, too.
    const std::size_t rows = asSize(n) * (sizeof(Record<T>) + 5 * sizeof(int));
    return kScratch<T> + rows + arcs * (sizeof(Arc<T>) + sizeof(Record<T>) / 2) +
           2 * size * size * sizeof(T);
  });
}

template <class T>
std::unique_ptr<RowSource> sweepsOnGpu(const Swept<T>& graph) {
  return std::make_unique<Sweeps<T>>(graph);
}

template std::unique_ptr<RowSource> sweepsOnGpu(const Swept<std::int32_t>&);
template std::unique_ptr<RowSource> sweepsOnGpu(const Swept<float>&);
template std::unique_ptr<RowSource> sweepsOnGpu(const Swept<std::int64_t>&);
template std::unique_ptr<RowSource> sweepsOnGpu(const Swept<double>&);

}  // namespace engine::sparse
