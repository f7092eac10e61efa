// All distances of a sparse graph on the GPU: every one is written once, and nothing else large.
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
// The way down takes most of the time. It writes n² distances, which is the bound, and reads as
// many as there are arcs. These come from the caches: next in order is a neighbour in the tree, so
// its arcs lead to rows that were written a moment ago. Each step waits for the loads of the one
// before, so many warps must be at work. If n is small there are few targets for so many warps.
// Then subtrees of the hierarchy are shared out among the warps of a block (descent.h). What a warp
// has written lately is still in the L1 cache of its multiprocessor.
//
// Rows instead of columns. If D has no room, bands of rows are wanted. For the graph with its arcs
// reversed, the same kernels give columns of the transposed matrix, which are transposed back.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "device/cuda_memory.h"
#include "solvers/sparse/descent.h"
#include "solvers/sparse/sweep_gpu.h"

namespace sparse {

namespace {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;
/// Targets of a lane, at the most. Each arc is read once for all of them.
constexpr int kMostPerLane = 4;
/// Warps on a multiprocessor that hide the time of a load.
constexpr int kWarpsAtWork = 32;
/// Warps of a block that share the steps, at the most.
constexpr int kMostShares = 16;
/// Lanes have several targets only if fewer warps than these share the steps.
constexpr int kFewShares = 8;
/// Warps of a block that goes down, about.
constexpr int kWarpsOfDescent = 16;
/// Warps of a block where each has targets of its own.
constexpr int kWarpsOfBlock = 4;
/// Bytes of what the columns of a call need beside D.
constexpr std::size_t kScratch = std::size_t{1} << 30;
/// Vertices of the core that a block of cross() looks at: four for each lane.
constexpr int kStrip = 4 * kWarp;

/// Infinity.
template <class T>
__device__ T far() {
  if constexpr (std::is_same_v<T, float>)
    return __int_as_float(0x7f800000);
  else
    return kFar<int>;
}

template <class T>
using Arc = typename SweepArcs<T>::Arc;

/// Columns of distances: those to the targets from `first` on. Row u begins at words + u·stride.
template <class T>
struct Columns {
  T* words;
  std::size_t stride;
  int first, count;

  __device__ T* row(std::uint32_t u) const { return words + u * stride; }
};

/// The way up. Rows at and after n are those of the core, in `gates`.
template <class T>
struct Ascent {
  int n, core;
  const int* rank;             ///< (n) of each vertex
  const std::uint32_t* row;    ///< (n) of each rank: its vertex, or n + its place in the core
  const int* parent;           ///< (core)
  const std::uint32_t* first;  ///< (core + 1) where the arcs of a rank begin
  const Arc<T>* arcs;          ///< their heads are rows
};

/// The column of each of a lane's targets. Lanes beyond the last target repeat it: they write the
/// same values to the same places.
template <int kPerLane>
__device__ int columnOf(int group, int i, int lane, int count) {
  return min((group * kPerLane + i) * kWarp + lane, count - 1);
}

/// Of each group of targets, a bit for every rank below the core that some of them climb to, then
/// one for every gate.
struct Reached {
  std::uint32_t* bits;  ///< (groups, ranks + places), 0 before the climb
  int ranks, places;    ///< words

  __host__ __device__ std::size_t words() const { return static_cast<std::size_t>(ranks + places); }
  __device__ std::uint32_t* of(int group) const { return bits + group * words(); }
};

/// Returns whether it was set before.
__device__ bool setBit(std::uint32_t* bits, int i) {
  const std::uint32_t bit = 1u << (i % kWarp);
  return (atomicOr(bits + i / kWarp, bit) & bit) != 0;
}

/// Calls visit(i) for every set bit i, in ascending order, with all lanes of a warp.
template <class Visit>
__device__ void forEachBit(const std::uint32_t* bits, int words, int lane, const Visit& visit) {
  for (int base = 0; base < words; base += kWarp) {
    const std::uint32_t mine = base + lane < words ? __ldcg(bits + base + lane) : 0;
    for (unsigned nonzero = __ballot_sync(kAllLanes, mine != 0); nonzero != 0;
         nonzero &= nonzero - 1) {
      const int from = __ffs(nonzero) - 1;
      for (std::uint32_t word = __shfl_sync(kAllLanes, mine, from); word != 0; word &= word - 1)
        visit((base + from) * kWarp + __ffs(word) - 1);
    }
  }
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
  T* rows;        ///< (coreSize, count): the distances of those that are reached
  Gate<T>* list;  ///< (most, count)
  int* found;     ///< (count): how many there are
};

/// What a lane reads ahead for one of the ranks that a warp climbs from.
struct Climbed {
  std::uint32_t row, first, end;
};

/// A warp for each group of targets.
template <class T, int kPerLane>
__global__ void __launch_bounds__(kWarpsOfBlock* kWarp)
    climb(Ascent<T> up, Columns<T> out, Gates<T> gates, Reached reached, int groups) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int group = static_cast<int>(blockIdx.x * kWarpsOfBlock + threadIdx.x / kWarp);
  if (group >= groups) return;
  std::uint32_t* const bits = reached.of(group);
  std::uint32_t* const gateBits = bits + reached.ranks;
  const auto n = static_cast<std::uint32_t>(up.n);
  int column[kPerLane];
  for (int i = 0; i < kPerLane; ++i) column[i] = columnOf<kPerLane>(group, i, lane, out.count);
  const auto gateRow = [&](int place) {
    return gates.rows + static_cast<std::size_t>(place) * out.count;
  };
  const auto rowOf = [&](std::uint32_t row) {
    return row < n ? out.row(row) : gateRow(static_cast<int>(row - n));
  };
  const auto begin = [&](T* row) {
    for (int i = 0; i < kPerLane; ++i) row[column[i]] = far<T>();
  };

  for (int i = 0; i < kPerLane; ++i) {
    int rank = up.rank[out.first + column[i]];
    if (rank >= up.core) setBit(gateBits, rank - up.core);
    while (rank >= 0 && rank < up.core && !setBit(bits, rank)) rank = up.parent[rank];
  }
  __threadfence();
  __syncwarp();  // the bits of all ranks are set
  forEachBit(bits, reached.ranks, lane, [&](int rank) {
    begin(out.row(up.row[rank]));
    for (std::uint32_t a = up.first[rank] + lane; a < up.first[rank + 1]; a += kWarp)
      if (up.arcs[a].head >= n) setBit(gateBits, static_cast<int>(up.arcs[a].head - n));
  });
  __threadfence();
  __syncwarp();  // the bits of all gates are set
  forEachBit(gateBits, reached.places, lane, [&](int place) { begin(gateRow(place)); });
  __syncwarp();  // all rows are infinite; from here on a lane looks at its own columns only
  for (int i = 0; i < kPerLane; ++i)
    rowOf(up.row[up.rank[out.first + column[i]]])[column[i]] = T(0);

  // The ranks of a word, one after the other; what leads to their arcs is read for all at once.
  for (int word = 0; word < reached.ranks; ++word) {
    const std::uint32_t ranks = __ldcg(bits + word);
    if (ranks == 0) continue;
    Climbed mine{};
    if ((ranks >> lane & 1) != 0) {
      const int rank = word * kWarp + lane;
      mine = {up.row[rank], up.first[rank], up.first[rank + 1]};
    }
    for (std::uint32_t left = ranks; left != 0; left &= left - 1) {
      const int from = __ffs(left) - 1;
      const std::uint32_t end = __shfl_sync(kAllLanes, mine.end, from);
      std::uint32_t first = __shfl_sync(kAllLanes, mine.first, from);
      const T* const row = out.row(__shfl_sync(kAllLanes, mine.row, from));
      T known[kPerLane];
      bool any = false;
      for (int i = 0; i < kPerLane; ++i) {
        known[i] = row[column[i]];
        any = any || known[i] < far<T>();
      }
      if (!__any_sync(kAllLanes, any)) continue;
      for (constexpr std::uint32_t kAtOnce = 4; first < end; first += kAtOnce) {
        Arc<T> arc[kAtOnce];
        T* head[kAtOnce];
        T before[kAtOnce][kPerLane];
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
          arc[k] = up.arcs[min(first + k, end - 1)];  // the last one again has no effect
          head[k] = rowOf(arc[k].head);
          for (int i = 0; i < kPerLane; ++i) before[k][i] = head[k][column[i]];
        }
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k)
          for (int i = 0; i < kPerLane; ++i) {
            const T through = known[i] + arc[k].weight;
            if (through < before[k][i]) head[k][column[i]] = through;
          }
      }
    }
  }

  int found[kPerLane] = {};
  forEachBit(gateBits, reached.places, lane, [&](int place) {
    for (int i = 0; i < kPerLane; ++i) {
      const T distance = gateRow(place)[column[i]];
      if (distance < far<T>())
        gates.list[static_cast<std::size_t>(found[i]++) * out.count + column[i]] = {place,
                                                                                    distance};
    }
  });
  for (int i = 0; i < kPerLane; ++i) gates.found[column[i]] = found[i];
}

/// The rows of the core. A block has 32 targets and kStrip vertices of the core; a warp takes one
/// target after the other, and its lanes have four vertices each. between: (coreSize, pitch), row g
/// has the distances to g. vertex: (coreSize) of each place.
template <class T>
__global__ void __launch_bounds__(8 * kWarp)
    cross(const T* __restrict__ between, int coreSize, int pitch, Gates<T> gates,
          const std::uint32_t* __restrict__ vertex, Columns<T> out) {
  __shared__ T tile[kStrip][kWarp + 1];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int firstColumn = static_cast<int>(blockIdx.x) * kWarp;
  const int strip = static_cast<int>(blockIdx.y) * kStrip;
  using Four = std::conditional_t<std::is_same_v<T, float>, float4, int4>;
  for (int target = warp; target < kWarp; target += 8) {
    const int column = firstColumn + target;
    T least[4] = {far<T>(), far<T>(), far<T>(), far<T>()};
    const int most = column < out.count ? gates.found[column] : 0;
#pragma unroll 4
    for (int k = 0; k < most; ++k) {
      const Gate<T> gate = gates.list[static_cast<std::size_t>(k) * out.count + column];
      const Four four = *reinterpret_cast<const Four*>(
          between + static_cast<std::size_t>(gate.place) * pitch + strip + 4 * lane);
      least[0] = min(least[0], gate.distance + four.x);
      least[1] = min(least[1], gate.distance + four.y);
      least[2] = min(least[2], gate.distance + four.z);
      least[3] = min(least[3], gate.distance + four.w);
    }
    for (int i = 0; i < 4; ++i) tile[4 * lane + i][target] = least[i];
  }
  __syncthreads();  // the tile is full
  for (int i = warp; i < kStrip && strip + i < coreSize; i += 8)
    if (firstColumn + lane < out.count)
      out.row(vertex[strip + i])[firstColumn + lane] = tile[i][lane];
}

/// A step that a warp is about to take, and what it has read ahead for it.
template <class T, int kAtOnce>
struct Ahead {
  uint4 step;            ///< vertex, rank, begin, end
  Arc<T> arcs[kAtOnce];  ///< the first ones
  std::uint32_t bits;    ///< of its rank and those near it
};

/// A block has `abreast` groups of targets next to each other, and for each group a warp for each
/// share of a phase. shares: as descent.h says. reached: as climb() left it.
template <class T, int kPerLane, int kAtOnce>
__global__ void __launch_bounds__(kMostShares* kWarp, 2)
    descend(const Step* __restrict__ steps, const Arc<T>* __restrict__ arcs,
            const int* __restrict__ shares, int phases, int sharesOfPhase, int groups,
            Columns<T> out, Reached reached) {
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int abreast = static_cast<int>(blockDim.y) / sharesOfPhase;
  // Groups beyond the last repeat it.
  const int group = min(static_cast<int>(blockIdx.x) * abreast + warp % abreast, groups - 1);
  const std::uint32_t* const bits = reached.of(group);
  int column[kPerLane];
  for (int i = 0; i < kPerLane; ++i) column[i] = columnOf<kPerLane>(group, i, lane, out.count);
  const auto readArcs = [&](std::uint32_t begin, std::uint32_t end, Arc<T>* some) {
    // Beyond the end, the first one again: no effect.
    for (std::uint32_t k = 0; k < kAtOnce; ++k)
      if (begin < end) some[k] = arcs[begin + k < end ? begin + k : begin];
  };
  const auto lookAt = [&](const uint4& step) {
    Ahead<T, kAtOnce> ahead;
    ahead.step = step;
    ahead.bits = bits[step.y / kWarp];
    readArcs(step.z, step.w, ahead.arcs);
    return ahead;
  };
  const auto take = [&](Ahead<T, kAtOnce>& ahead) {
    const uint4& step = ahead.step;
    T* const row = out.row(step.x);
    T least[kPerLane];
    for (int i = 0; i < kPerLane; ++i) least[i] = far<T>();
    if ((ahead.bits >> (step.y % kWarp) & 1) != 0)
      for (int i = 0; i < kPerLane; ++i) least[i] = row[column[i]];
    for (std::uint32_t begin = step.z; begin < step.w; begin += kAtOnce) {
      if (begin != step.z) readArcs(begin, step.w, ahead.arcs);
      T above[kAtOnce][kPerLane];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        for (int i = 0; i < kPerLane; ++i) above[k][i] = out.row(ahead.arcs[k].head)[column[i]];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        for (int i = 0; i < kPerLane; ++i)
          least[i] = min(least[i], ahead.arcs[k].weight + above[k][i]);
    }
    for (int i = 0; i < kPerLane; ++i) row[column[i]] = least[i];
  };
  const uint4* const all = reinterpret_cast<const uint4*>(steps);
  for (int phase = 0; phase < phases; ++phase) {
    const int share = phase * sharesOfPhase + warp / abreast;
    const int begin = shares[share], end = shares[share + 1];
    if (begin < end) {
      Ahead<T, kAtOnce> next = lookAt(all[begin]);
      uint4 later = all[min(begin + 1, end - 1)];
      for (int s = begin; s < end; ++s) {
        Ahead<T, kAtOnce> now = next;
        next = lookAt(later);
        later = all[min(s + 2, end - 1)];
        take(now);
      }
    }
    __syncthreads();  // the rows of this phase are written: the next one reads them
  }
}

/// out[j][i] = in[i][j] for i < rows, j < columns. A block turns a square.
template <class T>
__global__ void transpose(const T* __restrict__ in, std::size_t inStride, int rows, int columns,
                          T* __restrict__ out, std::size_t outStride) {
  __shared__ T tile[kWarp][kWarp + 1];
  const int lane = static_cast<int>(threadIdx.x);
  const int top = static_cast<int>(blockIdx.x) * kWarp, left = static_cast<int>(blockIdx.y) * kWarp;
  for (int i = static_cast<int>(threadIdx.y); i < kWarp; i += 8)
    if (top + i < rows && left + lane < columns)
      tile[i][lane] = in[static_cast<std::size_t>(top + i) * inStride + left + lane];
  __syncthreads();  // the square is read
  for (int j = static_cast<int>(threadIdx.y); j < kWarp; j += 8)
    if (left + j < columns && top + lane < rows)
      out[static_cast<std::size_t>(left + j) * outStride + top + lane] = tile[lane][j];
}

/// A block for each row. rows: (count, n), from row `first` on.
template <class T>
__global__ void summarise(const T* __restrict__ rows, int n, int first, RowSummary* summaries) {
  const int source = first + static_cast<int>(blockIdx.x);
  const T* const row = rows + static_cast<std::size_t>(blockIdx.x) * n;
  RowSummary mine{0, 0, 0, 0};
  for (int j = static_cast<int>(threadIdx.x); j < n; j += static_cast<int>(blockDim.x)) {
    const T distance = row[j];
    if (j == source || !(distance < far<T>())) continue;
    int word;
    if constexpr (std::is_same_v<T, float>)
      word = __float_as_int(distance);
    else
      word = distance;
    ++mine.reachable;
    mine.largest = max(mine.largest, word);  // floats have the same order
    mine.sum += static_cast<double>(distance);
    mine.hash += edgeHash(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(j),
                          static_cast<std::uint64_t>(word));
  }
  const auto add = [](auto a, auto b) { return a + b; };
  mine.reachable = blockReduce(mine.reachable, 0, add);
  mine.largest = blockReduce(mine.largest, 0, [](int a, int b) { return max(a, b); });
  mine.sum = blockReduce(mine.sum, 0.0, add);
  mine.hash = blockReduce(static_cast<unsigned long long>(mine.hash), 0ull, add);
  if (threadIdx.x == 0) summaries[blockIdx.x] = mine;
}

/// Memory that takes part in the order of the default stream.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count)
      : buffer_(std::max<std::size_t>(1, count) * sizeof(T), nullptr) {
    if (!buffer_)
      throw Error(Exit::kMemory, "out of GPU memory for sweeping: solve a smaller graph");
  }
  explicit Array(const std::vector<T>& host) : Array(host.size()) {
    CHECK_CUDA(cudaMemcpyAsync(data(), host.data(), host.size() * sizeof(T), cudaMemcpyDefault));
  }
  T* data() const { return buffer_.template at<T>(0); }

 private:
  DeviceBuffer buffer_;
};

unsigned blocksOf(int count, int size) {
  return static_cast<unsigned>(ceilDiv(count, size));
}

/// How the work is divided among warps.
struct Shape {
  int perLane;  ///< targets of a lane: 1, 2 or 4
  int shares;   ///< warps that share the steps of a phase
  int abreast;  ///< groups of targets next to each other in a block

  int group() const { return kWarp * perLane; }
};

/// For so many targets.
Shape shapeFor(int targets) {
  const int room = kWarpsAtWork * Gpu().processors;  // warps
  Shape shape{kMostPerLane, 1, 1};
  while (shape.perLane > 1 && ceilDiv(targets, shape.group()) * kFewShares < room)
    shape.perLane /= 2;
  const int groups = ceilDiv(std::max(1, targets), shape.group());
  shape.shares = std::clamp(ceilDiv(room, groups), 1, kMostShares);
  shape.abreast = std::clamp(kWarpsOfDescent / shape.shares, 1, 4);
  return shape;
}

/// The arrays of one direction.
template <class T>
class Direction {
 public:
  /// climbing, falling: the arcs for the way up and down. toGate: whether between(u,g) is wanted,
  /// from a vertex of the core to a gate, instead of from the gate.
  Direction(const Swept<T>& graph, const SweepArcs<T>& climbing, const SweepArcs<T>& falling,
            bool toGate, const Shape& shape)
      : Direction(graph, climbing, falling, toGate, shape, verticesOf(graph)) {}

  /// Fills the columns.
  void fillColumns(const Columns<T>& out) const {
    const int most = columnsAtOnce();
    for (int first = 0; first < out.count; first += most)
      fillSome(
          {out.words + first, out.stride, out.first + first, std::min(most, out.count - first)});
  }

 private:
  using Vertices = std::vector<std::uint32_t>;  // of the ranks

  Direction(const Swept<T>& graph, const SweepArcs<T>& climbing, const SweepArcs<T>& falling,
            bool toGate, const Shape& shape, const Vertices& vertex)
      : Direction(graph, climbing, descentOf(graph, falling, vertex, shape.shares), toGate, shape,
                  vertex) {}

  Direction(const Swept<T>& graph, const SweepArcs<T>& climbing, const Descent<T>& descent,
            bool toGate, const Shape& shape, const Vertices& vertex)
      : n_(graph.vertices()),
        core_(graph.core),
        gates_(graph.gates),
        phases_(descent.phases),
        shape_(shape),
        busy_(static_cast<double>(descent.arcs.size()) > 3.0 * graph.core),
        rank_(graph.rank),
        parent_(graph.parent),
        upFirst_(climbing.first),
        row_(rowsOf(graph, vertex)),
        upArcs_(headsAsRows(climbing, rowsOf(graph, vertex))),
        steps_(descent.steps),
        arcs_(descent.arcs),
        shareBegins_(descent.shares),
        coreVertex_(Vertices(vertex.begin() + graph.core, vertex.end())),
        pitch_(ceilDiv(coreSize(), kStrip) * kStrip),
        between_(static_cast<std::size_t>(pitch_) * static_cast<std::size_t>(coreSize())) {
    placeCore(graph, toGate);
  }

  struct Kernels {
    decltype(&climb<T, 1>) climb;
    decltype(&descend<T, 1, 2>) descend;
  };

  Kernels kernelsFor() const {
    const auto some = [this](auto perLane) -> Kernels {
      constexpr int kPerLane = decltype(perLane)::value;
      return {climb<T, kPerLane>, busy_ ? descend<T, kPerLane, 4> : descend<T, kPerLane, 2>};
    };
    if (shape_.perLane == 1) return some(std::integral_constant<int, 1>());
    if (shape_.perLane == 2) return some(std::integral_constant<int, 2>());
    return some(std::integral_constant<int, 4>());
  }

  int coreSize() const { return n_ - core_; }
  int columnsAtOnce() const {
    const auto bytes = static_cast<std::size_t>(n_) / (8 * kWarp) + 2 +  // bits, at the most
                       static_cast<std::size_t>(coreSize()) * sizeof(T) +
                       static_cast<std::size_t>(gates_) * sizeof(Gate<T>) + sizeof(int);
    const std::size_t most = kScratch / bytes;
    const auto group = static_cast<std::size_t>(shape_.group());
    return static_cast<int>(std::clamp<std::size_t>(most, group, 1u << 30) / group * group);
  }

  /// Of each rank: its vertex, or n + its place in the core.
  static Vertices rowsOf(const Swept<T>& graph, Vertices rows) {
    for (int x = graph.core; x < graph.vertices(); ++x)
      rows[static_cast<std::size_t>(x)] =
          static_cast<std::uint32_t>(graph.vertices() + x - graph.core);
    return rows;
  }

  static std::vector<Arc<T>> headsAsRows(const SweepArcs<T>& arcs, const Vertices& rows) {
    std::vector<Arc<T>> result = arcs.arcs;
    for (Arc<T>& arc : result) arc.head = rows[arc.head];
    return result;
  }

  void placeCore(const Swept<T>& graph, bool toGate) {
    const int size = coreSize();
    if (size == 0) return;
    const std::size_t row = static_cast<std::size_t>(size) * sizeof(T);
    const auto copy = [&](T* to, std::size_t pitch) {
      CHECK_CUDA(cudaMemcpy2DAsync(to, pitch * sizeof(T), graph.between.data(), row, row,
                                   static_cast<std::size_t>(size), cudaMemcpyDefault));
    };
    if (!toGate) return copy(between_.data(), static_cast<std::size_t>(pitch_));
    const Array<T> plain(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
    copy(plain.data(), static_cast<std::size_t>(size));
    transpose<T><<<dim3(blocksOf(size, kWarp), blocksOf(size, kWarp)), dim3(kWarp, 8)>>>(
        plain.data(), static_cast<std::size_t>(size), size, size, between_.data(),
        static_cast<std::size_t>(pitch_));
    CHECK_CUDA(cudaGetLastError());
  }

  void fillSome(const Columns<T>& out) const {
    const auto count = static_cast<std::size_t>(out.count);
    const int groups = ceilDiv(out.count, shape_.group());
    Reached reached{nullptr, ceilDiv(core_, kWarp), ceilDiv(coreSize(), kWarp)};
    const std::size_t words = static_cast<std::size_t>(groups) * reached.words();
    const Array<std::uint32_t> bits(words);
    const Array<T> rows(static_cast<std::size_t>(coreSize()) * count);
    const Array<Gate<T>> list(static_cast<std::size_t>(gates_) * count);
    const Array<int> found(count);
    const Gates<T> gates{rows.data(), list.data(), found.data()};
    reached.bits = bits.data();
    CHECK_CUDA(cudaMemsetAsync(bits.data(), 0, words * sizeof(std::uint32_t)));
    const Ascent<T> up{
        n_, core_, rank_.data(), row_.data(), parent_.data(), upFirst_.data(), upArcs_.data()};
    const auto kernels = kernelsFor();
    kernels.climb<<<blocksOf(groups, kWarpsOfBlock), kWarpsOfBlock * kWarp>>>(up, out, gates,
                                                                              reached, groups);
    if (coreSize() > 0)
      cross<T><<<dim3(blocksOf(out.count, kWarp), blocksOf(coreSize(), kStrip)), dim3(kWarp, 8)>>>(
          between_.data(), coreSize(), pitch_, gates, coreVertex_.data(), out);
    kernels.descend<<<blocksOf(groups, shape_.abreast),
                      dim3(kWarp, static_cast<unsigned>(shape_.shares * shape_.abreast))>>>(
        steps_.data(), arcs_.data(), shareBegins_.data(), phases_, shape_.shares, groups, out,
        reached);
    CHECK_CUDA(cudaGetLastError());
  }

  const int n_, core_, gates_, phases_;
  const Shape shape_;
  const bool busy_;  // many arcs a vertex
  const Array<int> rank_, parent_;
  const Array<std::uint32_t> upFirst_, row_;
  const Array<Arc<T>> upArcs_;
  const Array<Step> steps_;
  const Array<Arc<T>> arcs_;
  const Array<int> shareBegins_;
  const Array<std::uint32_t> coreVertex_;
  const int pitch_;
  const Array<T> between_;  // (coreSize, pitch)
};

template <class T>
class Sweeps : public GpuSweeps {
 public:
  explicit Sweeps(const Swept<T>& graph) : graph_(graph) { Gpu().keepPool(); }

  void all(int* out) override {
    const int n = graph_.vertices();
    if (n == 0) return;
    const Direction<T> direction(graph_, graph_.arcs.down, graph_.arcs.up, true, shapeFor(n));
    direction.fillColumns({reinterpret_cast<T*>(out), static_cast<std::size_t>(n), 0, n});
  }

  void rows(int first, int count, int* out) override {
    const auto n = static_cast<std::size_t>(graph_.vertices());
    if (n == 0 || count == 0) return;
    if (!transposed_)
      transposed_.emplace(graph_, graph_.arcs.up, graph_.arcs.down, false, shapeFor(count));
    const Array<T> columns(n * static_cast<std::size_t>(count));
    transposed_->fillColumns({columns.data(), static_cast<std::size_t>(count), first, count});
    transpose<T>
        <<<dim3(blocksOf(graph_.vertices(), kWarp), blocksOf(count, kWarp)), dim3(kWarp, 8)>>>(
            columns.data(), static_cast<std::size_t>(count), graph_.vertices(), count,
            reinterpret_cast<T*>(out), n);
    CHECK_CUDA(cudaGetLastError());
  }

  std::vector<RowSummary> summaries(int first, int count, const int* rows) override {
    std::vector<RowSummary> host(static_cast<std::size_t>(count));
    if (count == 0) return host;
    const Array<RowSummary> there(host.size());
    summarise<T><<<static_cast<unsigned>(count), 256>>>(reinterpret_cast<const T*>(rows),
                                                        graph_.vertices(), first, there.data());
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(
        cudaMemcpy(host.data(), there.data(), host.size() * sizeof(RowSummary), cudaMemcpyDefault));
    return host;
  }

 private:
  const Swept<T>& graph_;
  std::optional<Direction<T>> transposed_;
};

}  // namespace

std::size_t gpuSweepBytes(int n, std::size_t arcs, int coreSize) {
  const auto size = static_cast<std::size_t>(ceilDiv(coreSize, kStrip) * kStrip);
  const std::size_t rows = static_cast<std::size_t>(n) * (sizeof(Step) + 5 * sizeof(int));
  return kScratch + rows + 2 * arcs * sizeof(Arc<int>) + 2 * size * size * sizeof(int);
}

template <class T>
std::unique_ptr<GpuSweeps> sweepsOnGpu(const Swept<T>& graph) {
  return std::make_unique<Sweeps<T>>(graph);
}

template std::unique_ptr<GpuSweeps> sweepsOnGpu(const Swept<int>&);
template std::unique_ptr<GpuSweeps> sweepsOnGpu(const Swept<float>&);

}  // namespace sparse
