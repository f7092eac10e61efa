// All distances of a sparse graph on the GPU: every one is written once, and nothing else large.
//
// A lane has a target t of its own, and goes down the hierarchy for it: D[x][t], the distance from
// x to t, is the least w(x,u) + D[u][t] over the arcs from x to higher vertices u. A warp has 32
// targets that are next to each other, so it reads and writes whole lines of the rows of D. The
// rows are in their final place: no matrix is turned, and none is copied.
//
//            targets t →
//          ┌────────────────────┐   1. climb: t and its ancestors in the elimination tree get their
//   u high │  . . 7 4 . . . . . │      distances to t over arcs down. A bit says which rows have
//   one.
//          │  . . ↑ ↑ . . . . . │   2. cross: the rows of the core take min over its gates g of
//          │  . . 3 0 . . . . . │      between(u,g) + D[g][t].
//   x low  │  ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ │   3. descend: all other rows, the highest first.
//          └────────────────────┘
//
// The way down takes most of the time. It writes n² distances, which is the bound, and reads as
// many as there are arcs. These come from the caches: next in order is a neighbour in the tree, so
// its arcs lead to rows that were written a moment ago. Each step waits for the loads of the one
// before, so many warps must be at work. If n is small there are few targets for so many warps.
// Then subtrees of the hierarchy are shared out among the warps of a block (descent.h). What a warp
// has written lately is still in the L1 cache of its multiprocessor.
//
// Rows instead of columns. If D has no room, bands of rows are wanted. For the graph with its arcs
// turned round the same kernels give columns of the transposed matrix, which are turned once more.
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
/// Targets of a lane. Each arc is read once for all of them.
constexpr int kPerLane = 2;
/// Warps on a multiprocessor that hide the time of a load.
constexpr int kWarpsAtWork = 48;
/// Warps of a block that share the steps, at the most.
constexpr int kMostShares = 16;
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

/// A warp for each group of targets.
template <class T>
__global__ void __launch_bounds__(kWarpsOfBlock* kWarp)
    climb(Ascent<T> up, Columns<T> out, Gates<T> gates, Reached reached, int groups) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int group = static_cast<int>(blockIdx.x * kWarpsOfBlock + threadIdx.x / kWarp);
  if (group >= groups) return;
  std::uint32_t* const bits = reached.of(group);
  std::uint32_t* const gateBits = bits + reached.ranks;
  const auto n = static_cast<std::uint32_t>(up.n);
  int column[kPerLane];
  for (int i = 0; i < kPerLane; ++i) column[i] = columnOf(group, i, lane, out.count);
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

  forEachBit(bits, reached.ranks, lane, [&](int rank) {
    const T* const row = out.row(up.row[rank]);
    T known[kPerLane];
    bool any = false;
    for (int i = 0; i < kPerLane; ++i) {
      known[i] = row[column[i]];
      any = any || known[i] < far<T>();
    }
    if (!__any_sync(kAllLanes, any)) return;
    constexpr int kAtOnce = 4;
    const std::uint32_t end = up.first[rank + 1];
    for (std::uint32_t first = up.first[rank]; first < end; first += kAtOnce) {
      Arc<T> arc[kAtOnce];
      T* head[kAtOnce];
      T before[kAtOnce][kPerLane];
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        arc[k] = up.arcs[min(first + k, end - 1)];  // the last one again has no effect
        head[k] = rowOf(arc[k].head);
        for (int i = 0; i < kPerLane; ++i) before[k][i] = head[k][column[i]];
      }
      for (int k = 0; k < kAtOnce; ++k)
        for (int i = 0; i < kPerLane; ++i) {
          const T through = known[i] + arc[k].weight;
          if (through < before[k][i]) head[k][column[i]] = through;
        }
    }
  });

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

/// A block for each group of targets, with a warp for each share of a phase. shares: as descent.h
/// says. reached: as climb() left it.
template <class T, int kAtOnce>
__global__ void __launch_bounds__(kMostShares* kWarp, 2)
    descend(const Step* __restrict__ steps, const Arc<T>* __restrict__ arcs,
            const int* __restrict__ shares, int phases, Columns<T> out, Reached reached) {
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const std::uint32_t* const bits = reached.of(static_cast<int>(blockIdx.x));
  T* column[kPerLane];
  for (int i = 0; i < kPerLane; ++i)
    column[i] = out.words + columnOf(static_cast<int>(blockIdx.x), i, lane, out.count);
  const auto take = [&](const uint4& step) {  // vertex, rank, begin, end
    const std::size_t row = step.x * out.stride;
    T least[kPerLane];
    for (int i = 0; i < kPerLane; ++i) least[i] = far<T>();
    if ((bits[step.y / kWarp] >> (step.y % kWarp) & 1) != 0)
      for (int i = 0; i < kPerLane; ++i) least[i] = column[i][row];
    for (std::uint32_t begin = step.z; begin < step.w; begin += kAtOnce) {
      T above[kAtOnce][kPerLane], weight[kAtOnce];
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        const Arc<T> arc = arcs[min(begin + k, step.w - 1)];  // the last one again has no effect
        weight[k] = arc.weight;
        for (int i = 0; i < kPerLane; ++i) above[k][i] = column[i][arc.head * out.stride];
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        for (int i = 0; i < kPerLane; ++i) least[i] = min(least[i], weight[k] + above[k][i]);
    }
    for (int i = 0; i < kPerLane; ++i) column[i][row] = least[i];
  };
  for (int phase = 0; phase < phases; ++phase) {
    const int share = phase * static_cast<int>(blockDim.y) + warp;
    const int end = shares[share + 1];
    int s = shares[share];
    uint4 next = s < end ? reinterpret_cast<const uint4*>(steps)[s] : uint4{};
    while (s < end) {
      const uint4 step = next;
      if (++s < end) next = reinterpret_cast<const uint4*>(steps)[s];
      take(step);
    }
    __syncthreads();  // the rows of this phase are written: the next one reads them
  }
}

/// out[j][i] = in[i][j] for i < rows, j < columns. A block turns a square.
template <class T>
__global__ void turn(const T* __restrict__ in, std::size_t inStride, int rows, int columns,
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

/// The arrays of one direction.
template <class T>
class Direction {
 public:
  /// climbing, falling: the arcs for the way up and down. toGate: whether between(u,g) is wanted,
  /// from a vertex of the core to a gate, instead of from the gate.
  Direction(const Swept<T>& graph, const SweepArcs<T>& climbing, const SweepArcs<T>& falling,
            bool toGate, int shares)
      : Direction(graph, climbing, falling, toGate, shares, verticesOf(graph)) {}

  /// Fills the columns.
  void fillColumns(const Columns<T>& out) const {
    const int most = columnsAtOnce();
    for (int first = 0; first < out.count; first += most)
      fillSome(
          {out.words + first, out.stride, out.first + first, std::min(most, out.count - first)});
  }

  static std::size_t bytesOfColumn(int core, int coreSize, int gates) {
    return static_cast<std::size_t>(core + coreSize) / (8 * kWarp * kPerLane) + 2 +
           static_cast<std::size_t>(coreSize) * sizeof(T) +
           static_cast<std::size_t>(gates) * sizeof(Gate<T>) + sizeof(int);
  }

 private:
  using Vertices = std::vector<std::uint32_t>;  // of the ranks

  Direction(const Swept<T>& graph, const SweepArcs<T>& climbing, const SweepArcs<T>& falling,
            bool toGate, int shares, const Vertices& vertex)
      : Direction(graph, climbing, descentOf(graph, falling, vertex, shares), toGate, vertex) {}

  Direction(const Swept<T>& graph, const SweepArcs<T>& climbing, const Descent<T>& descent,
            bool toGate, const Vertices& vertex)
      : n_(graph.vertices()),
        core_(graph.core),
        gates_(graph.gates),
        shares_(static_cast<int>(descent.shares.size() - 1) / descent.phases),
        phases_(descent.phases),
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

  int coreSize() const { return n_ - core_; }
  int columnsAtOnce() const {
    const std::size_t most = kScratch / bytesOfColumn(core_, coreSize(), gates_);
    constexpr int kGroup = kWarp * kPerLane;
    return static_cast<int>(std::clamp<std::size_t>(most, kGroup, 1u << 30) / kGroup * kGroup);
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
    turn<T><<<dim3(blocksOf(size, kWarp), blocksOf(size, kWarp)), dim3(kWarp, 8)>>>(
        plain.data(), static_cast<std::size_t>(size), size, size, between_.data(),
        static_cast<std::size_t>(pitch_));
    CHECK_CUDA(cudaGetLastError());
  }

  void fillSome(const Columns<T>& out) const {
    const auto count = static_cast<std::size_t>(out.count);
    const int groups = ceilDiv(out.count, kWarp * kPerLane);
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
    climb<T><<<blocksOf(groups, kWarpsOfBlock), kWarpsOfBlock * kWarp>>>(up, out, gates, reached,
                                                                         groups);
    if (coreSize() > 0)
      cross<T><<<dim3(blocksOf(out.count, kWarp), blocksOf(coreSize(), kStrip)), dim3(kWarp, 8)>>>(
          between_.data(), coreSize(), pitch_, gates, coreVertex_.data(), out);
    const auto kernel = busy_ ? descend<T, 4> : descend<T, 2>;
    kernel<<<static_cast<unsigned>(groups), dim3(kWarp, static_cast<unsigned>(shares_))>>>(
        steps_.data(), arcs_.data(), shareBegins_.data(), phases_, out, reached);
    CHECK_CUDA(cudaGetLastError());
  }

  const int n_, core_, gates_, shares_, phases_;
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

/// Warps that share the steps of so many targets.
int sharesFor(int targets) {
  const int groups = ceilDiv(std::max(1, targets), kWarp * kPerLane);
  return std::clamp(ceilDiv(kWarpsAtWork * Gpu().processors, groups), 1, kMostShares);
}

template <class T>
class Sweeps : public GpuSweeps {
 public:
  explicit Sweeps(const Swept<T>& graph) : graph_(graph) { Gpu().keepPool(); }

  void all(int* out) override {
    const int n = graph_.vertices();
    if (n == 0) return;
    const Direction<T> direction(graph_, graph_.arcs.down, graph_.arcs.up, true, sharesFor(n));
    direction.fillColumns({reinterpret_cast<T*>(out), static_cast<std::size_t>(n), 0, n});
  }

  void rows(int first, int count, int* out) override {
    const auto n = static_cast<std::size_t>(graph_.vertices());
    if (n == 0 || count == 0) return;
    if (!turned_)
      turned_.emplace(graph_, graph_.arcs.up, graph_.arcs.down, false, sharesFor(count));
    const Array<T> columns(n * static_cast<std::size_t>(count));
    turned_->fillColumns({columns.data(), static_cast<std::size_t>(count), first, count});
    turn<T><<<dim3(blocksOf(graph_.vertices(), kWarp), blocksOf(count, kWarp)), dim3(kWarp, 8)>>>(
        columns.data(), static_cast<std::size_t>(count), graph_.vertices(), count,
        reinterpret_cast<T*>(out), n);
    CHECK_CUDA(cudaGetLastError());
  }

 private:
  const Swept<T>& graph_;
  std::optional<Direction<T>> turned_;
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
