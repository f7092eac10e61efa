// Bellman's equation on the GPU.
//
// The GPU looks at rows of distances, and the CPU judges only those that the GPU does not show to
// be right. A row passes here only if the CPU would find no fault in it, either: the conditions are
// those of bellman.h and bellman_arcs.h, in the same arithmetic. So the verdict is the CPU's,
// whatever the GPU leaves to it.
//
// Along arcs. D(v) is compared with the least D(u) + w(u,v) over the arcs that enter the component
// of v (entering.h). Rows are transposed first, a strip of them at a time:
//
//          vertices →                     sources →
//        +------------+                 +-----+
//   s    | row of s   |               u | • • |   A warp has a vertex v and 128 sources, four for
//   ↓    +------------+   →             |     |   each lane. Whatever the arc (u,v), it reads a
//        | row of s+1 |               v | • • |   contiguous part of row u, and the arc itself is
//        +------------+                 +-----+   the same for all lanes.
//
// Blocks that run at the same time have the same sources. The lines that they read of a strip are
// therefore in the L2 cache, unless the graph is large and its arcs lead far. The vertices of a
// component have the same distance: the first one is compared with the arcs, the others with the
// first one.
//
// Along a matrix. `best` = D ⊗ W is a min-plus product of some rows of distances with the weights,
// which are put into GPU memory a slab of rows at a time: generated there, or copied from the host.
// An edge of weight 0 from a vertex to itself is none. Other edges of weight 0 are taken out of the
// slab and listed, so `best` is over the edges of positive weight. Then a block judges each row. It
// is right if
//
//   - no edge leads to less: D(v) ≤ best(v), and D(v) ≤ D(u) for each edge (u,v) in the list, and
//   - each vertex that is reached is grounded: it is the source, or D(v) = best(v), or an edge in
//     the list leads to it from a grounded vertex at the same distance.
//
// The first says that no distance is too large, the second that none is too small. Of reals, two
// sides are equal if agree() says so. Then D(v) agrees with the least over all edges: no edge leads
// to less than agrees with D(v), and some edge leads to a sum that agrees.
#include "verify/bellman_gpu.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"
#include "device/cuda.h"
#include "device/matrix_block.h"
#include "verify/entering.h"
#include "verify/verify.h"

namespace {

constexpr int kThreads = 256;

// ---- numbers ----------------------------------------------------------------------------------

/// Whether a number is neither negative nor above infinity, nor −0.0, nor NaN.
template <class T>
__device__ bool isDistance(T number) {
  if constexpr (std::is_floating_point_v<T>)
    return !signbit(number) && number <= kInfinity<T>;
  else
    return number >= 0 && number <= kInfinity<T>;
}

template <class T>
struct alignas(16) Four {
  T of[4];
};

// ---- along arcs -------------------------------------------------------------------------------

constexpr int kTileRows = 8;              // rows of threads that transpose a tile of kWarp²
constexpr int kSources = 4 * kWarp;       // of a warp
constexpr int kWarps = kThreads / kWarp;  // of a block
constexpr int kVertices = 8;              // of a warp, one after the other
constexpr int kMostSources = 1 << 15;     // of a strip
/// Bytes of a strip, at the most.
template <class T>
constexpr std::size_t kStripBytes = sizeof(T) << 26;

template <class T>
using Arc = typename Entering<T>::Arc;

/// What the equation asks of a vertex.
struct alignas(16) Vertex {
  int component;
  int first;                 ///< vertex of the component
  std::uint32_t begin, end;  ///< of the arcs that enter the component
};

/// to[v][s] = from[s][v]. Numbers that are no distances become infinity, and make their row
/// doubtful. from: (count, n). to: (n, ld), infinite from column `count` on. doubtful: (count).
template <class T>
__global__ void transposeRows(int n, int count, const T* from, T* to, int ld, int* doubtful) {
  __shared__ T tile[kWarp][kWarp + 1];  // one column more, so that a column is in all banks
  const int v0 = blockIdx.x * kWarp, s0 = blockIdx.y * kWarp;
  for (int r = threadIdx.y; r < kWarp; r += kTileRows) {
    const int s = s0 + r, v = v0 + threadIdx.x;
    const bool inside = s < count && v < n;
    const T number = inside ? from[asSize(s) * n + v] : kInfinity<T>;
    if (!isDistance(number)) doubtful[s] = 1;
    tile[r][threadIdx.x] = isDistance(number) ? number : kInfinity<T>;
  }
  __syncthreads();  // the tile is complete
  for (int r = threadIdx.y; r < kWarp; r += kTileRows) {
    const int v = v0 + r, s = s0 + threadIdx.x;
    if (v < n && s < ld) to[asSize(v) * ld + s] = tile[threadIdx.x][r];
  }
}

/// Marks the sources whose distances differ from what arcs lead to. vertices: (n). columns: (n,
/// ld), a row for each vertex. homes: (count), the components of the sources. doubtful: (count).
template <class T>
__global__ void checkArcs(int n, const Vertex* vertices, const Arc<T>* arcs, const T* columns,
                          int ld, int count, const int* homes, Tolerance allowed, int* doubtful) {
  const int source = blockIdx.y * kSources + 4 * threadIdx.x;
  const auto distances = [&](int v) {
    return *reinterpret_cast<const Four<T>*>(columns + asSize(v) * ld + source);
  };
  int home[4];
  bool differs[4] = {};
  for (int i = 0; i < 4; ++i) home[i] = source + i < count ? homes[source + i] : -1;
  const int begin = (blockIdx.x * kWarps + threadIdx.y) * kVertices;
  for (int v = begin; v < min(n, begin + kVertices); ++v) {
    const Vertex vertex = vertices[v];
    const Four<T> got = distances(v);
    if (vertex.first != v) {
      const Four<T> first = distances(vertex.first);
      for (int i = 0; i < 4; ++i) differs[i] |= got.of[i] != first.of[i];
      continue;
    }
    Four<T> best;
    for (int i = 0; i < 4; ++i) best.of[i] = kInfinity<T>;
    for (std::uint32_t a = vertex.begin; a < vertex.end; ++a) {
      const Arc<T> arc = arcs[a];
      const Four<T> from = distances(arc.from);
      for (int i = 0; i < 4; ++i) best.of[i] = min(best.of[i], from.of[i] + arc.weight);
    }
    for (int i = 0; i < 4; ++i) {
      const T expected = home[i] == vertex.component ? T(0) : best.of[i];
      differs[i] |= !agree(got.of[i], expected, allowed);
    }
  }
  for (int i = 0; i < 4; ++i)
    if (differs[i] && source + i < count) doubtful[source + i] = 1;
}

// ---- along a matrix ---------------------------------------------------------------------------

constexpr int kTile = 128;        // rows and columns of a block's part of a product
constexpr int kDepth = 16;        // rows of the weights that it takes at a time
constexpr int kSide = 16;         // threads along a side; each has 8×8 elements
constexpr int kOfThread = 8;      // rows and columns of a thread
constexpr int kHalf = kTile / 2;  // a thread has four columns in each half
constexpr int kJudges = 512;      // threads that judge a row
static_assert(kSide * kSide == kThreads && kSide * kOfThread == kTile && kOfThread == 8, "");

/// An edge of weight 0.
struct Zero {
  int from, to;
};

/// The bits of a number that is not negative. Those of larger numbers are larger.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == sizeof(unsigned), unsigned, unsigned long long>;

/// Takes edges of weight 0, and those from a vertex to itself, out of rows of the graph. The first
/// are listed. weights: (size / n, n), the rows from `first` on. zeros: (most). found: how many
/// there are; more than `most` are not listed. least: lowered to the least weight above 0.
template <class T>
__global__ void takeZeros(int n, int first, std::size_t size, T* weights, Zero* zeros,
                          unsigned* found, unsigned most, T* least) {
  const std::size_t stride = asSize(gridDim.x) * blockDim.x;
  T mine = kInfinity<T>;
  for (std::size_t at = asSize(blockIdx.x) * blockDim.x + threadIdx.x; at < size; at += stride) {
    const int k = first + static_cast<int>(at / n), j = static_cast<int>(at % n);
    if (k != j && weights[at] != 0) {
      mine = min(mine, weights[at]);
      continue;
    }
    weights[at] = kInfinity<T>;
    if (k == j) continue;
    const unsigned place = atomicAdd(found, 1u);
    if (place < most) zeros[place] = {k, j};
  }
  union {
    T number;
    BitsOf<T> bits;
  } cell;
  cell.number = mine;
  if (mine < *least) atomicMin(reinterpret_cast<BitsOf<T>*>(least), cell.bits);
}

/// best = min(best, D ⊗ W) over the vertices from `first` on, `count` of them. The first slab finds
/// nothing in `best`. distances: (rows, n). weights: (count, n). best: (rows, n). A thread's
/// numbers of 64 bits take more registers than two blocks would leave it.
template <class T>
__global__ void __launch_bounds__(kThreads, sizeof(T) == 8 ? 1 : 2)
    multiply(int rows, int n, int first, int count, const T* distances, const T* weights, T* best) {
  __shared__ __align__(16) T left[kDepth][kTile + 4];  // transposed
  __shared__ __align__(16) T right[kDepth][kTile];
  const int thread = threadIdx.x, across = thread % kSide, down = thread / kSide;
  const int r0 = blockIdx.y * kTile, j0 = blockIdx.x * kTile;
  const auto numbers = [](const T* from) { return *reinterpret_cast<const Four<T>*>(from); };
  T least[kOfThread][kOfThread];
#pragma unroll
  for (int i = 0; i < kOfThread; ++i)
#pragma unroll
    for (int j = 0; j < kOfThread; ++j) least[i][j] = kInfinity<T>;
  for (int k0 = 0; k0 < count; k0 += kDepth) {
    for (int at = thread; at < kTile * kDepth; at += kThreads) {
      const int k = k0 + at % kDepth, r = r0 + at / kDepth;
      const bool inside = k < count && r < rows;
      const T number = inside ? distances[asSize(r) * n + first + k] : kInfinity<T>;
      left[at % kDepth][at / kDepth] = isDistance(number) ? number : kInfinity<T>;
    }
    for (int at = thread; at < kTile * kDepth; at += kThreads) {
      const int k = k0 + at / kTile, j = j0 + at % kTile;
      const bool inside = k < count && j < n;
      right[at / kTile][at % kTile] = inside ? weights[asSize(k) * n + j] : kInfinity<T>;
    }
    __syncthreads();  // both parts are there
#pragma unroll 4
    for (int k = 0; k < kDepth; ++k) {
      const T* const rowsAt = &left[k][kOfThread * down];
      const Four<T> a[2] = {numbers(rowsAt), numbers(rowsAt + 4)};
      const T* const columnsAt = &right[k][4 * across];
      const Four<T> b[2] = {numbers(columnsAt), numbers(columnsAt + kHalf)};
#pragma unroll
      for (int i = 0; i < kOfThread; ++i)
#pragma unroll
        for (int j = 0; j < kOfThread; ++j)
          least[i][j] = min(least[i][j], a[i / 4].of[i % 4] + b[j / 4].of[j % 4]);
    }
    __syncthreads();  // they may be written again
  }
#pragma unroll
  for (int i = 0; i < kOfThread; ++i) {
    const int r = r0 + kOfThread * down + i;
#pragma unroll
    for (int j = 0; j < kOfThread; ++j) {
      const int column = j0 + 4 * across + j / 4 * kHalf + j % 4;
      if (r >= rows || column >= n) continue;
      T& to = best[asSize(r) * n + column];
      to = first == 0 ? least[i][j] : min(least[i][j], to);
    }
  }
}

/// A block judges a row. Its part of `best` then says which vertices are grounded: 1 if they are.
/// distances, best: (rows, n). sources, doubtful: (rows). zeros: (count). tight: 1 + the largest
/// tolerance.
template <class T>
__global__ void judge(int n, const T* distances, T* best, const int* sources, const Zero* zeros,
                      unsigned count, Tolerance allowed, T tight, int* doubtful) {
  const int source = sources[blockIdx.x];
  const T* const row = distances + asSize(blockIdx.x) * n;
  T* const grounded = best + asSize(blockIdx.x) * n;
  bool wrong = false;
  for (int v = threadIdx.x; v < n; v += kJudges) {
    const T got = row[v], least = grounded[v];
    const bool same = agree(got, least, allowed);
    wrong |= !isDistance(got);
    wrong |= v == source ? got != 0 : least < got && !same;
    grounded[v] = v == source || (got < kInfinity<T> && same && least <= got * tight);
  }
  __syncthreads();  // `grounded` is written
  for (unsigned z = threadIdx.x; z < count; z += kJudges) {
    const T from = row[zeros[z].from], got = row[zeros[z].to];
    wrong |= zeros[z].to != source && from < got && !agree(got, from, allowed);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned z = threadIdx.x; z < count; z += kJudges) {
      const Zero zero = zeros[z];
      if (grounded[zero.from] == 0 || grounded[zero.to] != 0) continue;
      if (!agree(row[zero.to], row[zero.from], allowed)) continue;
      grounded[zero.to] = 1;
      changed = true;
    }
    changed = __syncthreads_or(changed) != 0;  // all threads see what is grounded now
  }
  for (int v = threadIdx.x; v < n; v += kJudges) wrong |= row[v] < kInfinity<T> && grounded[v] == 0;
  wrong = __syncthreads_or(wrong) != 0;
  if (wrong && threadIdx.x == 0) doubtful[blockIdx.x] = 1;
}

// ---- the host's part --------------------------------------------------------------------------

std::size_t words(std::size_t rows, std::size_t columns) {
  return rows * columns;
}

/// An array of the host's in GPU memory. X: of whole words.
template <class X>
class There {
 public:
  There(const Device& gpu, const std::vector<X>& host)
      : words_(gpu, Dtype::kInt32, host.size() * (sizeof(X) / sizeof(int))) {
    if (!host.empty()) gpu.upload(data(), host.data(), words_.bytes());
  }
  X* data() const { return static_cast<X*>(words_.data().data()); }

  static std::vector<X> download(const There& from, std::size_t count) {
    std::vector<X> host(count);
    from.words_.device().download(host.data(), from.data(), count * sizeof(X));
    return host;
  }

 private:
  DeviceElements words_;
};

/// The rows whose marks are not 0. marks: of each row.
std::vector<int> marked(const std::vector<int>& rows, const std::vector<int>& marks) {
  std::vector<int> some;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (marks[i] != 0) some.push_back(rows[i]);
  return some;
}

/// Calls visit(count, numbers in GPU memory, how many of `rows` came before) for all of them.
template <class T, class Visit>
void forEachRow(const Distances& distances, const std::vector<int>& rows, const Device& gpu,
                const Visit& visit) {
  for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && rows[end] == rows[end - 1] + 1;) ++end;
    distances.rowsOn(gpu, rows[begin], rows[end - 1] + 1,
                     [&](int first, int count, ConstElements from) {
                       visit(count, from.as<T>(), begin + asSize(first - rows[begin]));
                     });
  }
}

/// The sources of rows.
std::vector<int> sourcesOf(const Distances& distances, const std::vector<int>& rows) {
  std::vector<int> sources;
  sources.reserve(rows.size());
  for (const int row : rows) sources.push_back(distances.source(row));
  return sources;
}

template <class T>
std::vector<Vertex> verticesOf(const Entering<T>& graph) {
  std::vector<Vertex> vertices;
  vertices.reserve(graph.component.size());
  for (const int component : graph.component) {
    const auto c = asSize(component);
    vertices.push_back({component, graph.vertices[graph.members[c]],
                        static_cast<std::uint32_t>(graph.first[c]),
                        static_cast<std::uint32_t>(graph.first[c + 1])});
  }
  return vertices;
}

/// Sources of a strip that has so many bytes: whole warps of them. 0 if there is no room.
template <class T>
int stripSources(std::size_t bytes, std::size_t n, std::size_t rows) {
  const std::size_t most = std::min({bytes / (n * sizeof(T)), std::size_t{kMostSources},
                                     (rows + kSources - 1) / kSources * kSources});
  return static_cast<int>(most / kSources * kSources);
}

template <class T>
std::vector<int> doubtfulAlong(const Graph& graph, const Distances& distances,
                               const std::vector<int>& rows, const Device& gpu) {
  const int n = graph.n;
  const auto size = asSize(n);
  const std::size_t fixed =
      size * sizeof(Vertex) + graph.edgeCount() * sizeof(Arc<T>) + 2 * rows.size() * sizeof(int);
  const std::size_t room = gpu.freeBytes() / 4;  // bands of rows take most of it
  const int ld =
      room > fixed ? stripSources<T>(std::min(room - fixed, kStripBytes<T>), size, rows.size()) : 0;
  if (ld == 0 || graph.edgeCount() > UINT32_MAX) return rows;
  const Entering<T> entering(graph);
  std::vector<int> homes = sourcesOf(distances, rows);
  for (int& home : homes) home = entering.component[asSize(home)];
  const There<Vertex> vertices(gpu, verticesOf(entering));
  const There<Arc<T>> arcs(gpu, entering.arcs);
  const There<int> home(gpu, homes), doubtful(gpu, std::vector<int>(rows.size(), 0));
  const DeviceElements strip(gpu, kDtype<T>, words(size, asSize(ld)));
  const Tolerance allowed(n, kDtype<T>, 2,
                          isWhole(kDtype<T>) ? 0 : graphStats(graph).leastPositive);
  Progress checked("Bellman's equation", rows.size());
  forEachRow<T>(distances, rows, gpu, [&](int count, const T* from, std::size_t before) {
    for (int done = 0; done < count; done += ld) {
      const int some = std::min(ld, count - done);
      const int groups = ceilDiv(some, kSources);
      const std::size_t at = before + asSize(done);
      transposeRows<T>
          <<<dim3(ceilDiv(n, kWarp), groups * (kSources / kWarp)), dim3(kWarp, kTileRows)>>>(
              n, some, from + words(asSize(done), size), strip.data().as<T>(), ld,
              doubtful.data() + at);
      checkArcs<T><<<dim3(ceilDiv(n, kWarps * kVertices), groups), dim3(kWarp, kWarps)>>>(
          n, vertices.data(), arcs.data(), strip.data().as<T>(), ld, some, home.data() + at,
          allowed, doubtful.data() + at);
      CHECK_CUDA(cudaGetLastError());
    }
    checked.advance(static_cast<std::uint64_t>(count));
  });
  return marked(rows, There<int>::download(doubtful, rows.size()));
}

/// Rows of the graph in GPU memory, a slab at a time.
class Slab {
 public:
  Slab(const ProblemGraph& graph, const Device& gpu)
      : graph_(graph),
        gpu_(gpu),
        band_(band(graph.n(), graph.dtype())),
        weights_(gpu, graph.dtype(), words(asSize(band_), asSize(graph.n()))) {}

  static std::size_t bytes(int n, Dtype dtype) {
    return words(asSize(band(n, dtype)), asSize(n)) * sizeOf(dtype);
  }

  /// Calls visit(first, count, weights) for all rows of the graph, until it returns false.
  template <class Visit>
  void forEach(const Visit& visit) const {
    bool wanted = true;
    const auto take = [&](int first, int count, const auto& fill) {
      if (!wanted) return;
      fill();
      wanted = visit(first, count, weights_.data());
    };
    const int n = graph_.n();
    const auto size = asSize(n);
    const auto upload = [&](int count, ConstElements from) {
      engine::upload(gpu_, weights_.data(), from, words(asSize(count), size));
    };
    const auto bands = [&](const auto& fill) {
      for (int first = 0; first < n; first += band_) {
        const int count = std::min(band_, n - first);
        take(first, count, [&] { fill(first, count); });
      }
    };
    graph_.share(
        [&](const GraphSource& source, bool zero) {
          ElementBuffer host;
          bands([&](int first, int count) {
            if (source.blockOnGpu({first, count, 0, n, size, weights_.data()})) {
              if (zero) zeroOnGpu(words(asSize(count), size), weights_.data());
              return;
            }
            host.resize(weights_.dtype(), words(asSize(band_), size));
            graph_.rows(first, count, host.data());
            upload(count, host.data());
          });
        },
        [&](int first, int count, ConstElements from) {
          take(first, count, [&] { upload(count, from); });
        });
  }

 private:
  /// How many rows there are at a time.
  static int band(int n, Dtype dtype) { return std::min(n, rowsAtATime(n, dtype)); }

  const ProblemGraph& graph_;
  const Device& gpu_;
  const int band_;
  const DeviceElements weights_;
};

/// Checks bands of rows along the matrix of a graph.
template <class T>
class MatrixCheck {
 public:
  MatrixCheck(const ProblemGraph& graph, const Device& gpu)
      : n_(graph.n()),
        size_(asSize(n_)),
        gpu_(gpu),
        slab_(graph, gpu),
        zeros_(gpu, Dtype::kInt32, kMostZeros * size_ * (sizeof(Zero) / sizeof(int))),
        found_(gpu, std::vector<unsigned>(1)),
        least_(gpu, {kInfinity<T>}) {}

  /// Bytes of GPU memory that it takes, and those for each row of a band.
  static std::size_t bytes(int n) {
    return Slab::bytes(n, kDtype<T>) + kMostZeros * asSize(n) * sizeof(Zero) + sizeof(int) +
           sizeof(T);
  }
  static std::size_t rowBytes(int n) { return sizeof(T) * 2 * asSize(n) + sizeof(int) * 2; }

  std::vector<int> doubtful(const Distances& distances, const std::vector<int>& rows) {
    const DeviceElements band(gpu_, kDtype<T>, words(rows.size(), size_));
    const DeviceElements product(gpu_, kDtype<T>, band.size());
    T* const got = band.data().as<T>();
    T* const best = product.data().as<T>();
    forEachRow<T>(distances, rows, gpu_, [&](int count, const T* from, std::size_t before) {
      gpu_.copy(got + words(before, size_), from, words(asSize(count), size_) * sizeof(T));
    });
    const There<int> sources(gpu_, sourcesOf(distances, rows));
    const There<int> doubtful(gpu_, std::vector<int>(rows.size(), 0));
    const unsigned zeros = multiplyAll(static_cast<int>(rows.size()), got, best);
    if (zeros > mostZeros()) return rows;
    const T least = There<T>::download(least_, 1).front();
    const Tolerance allowed(n_, kDtype<T>, 2, convertedTo<double>(least));
    judge<T><<<static_cast<unsigned>(rows.size()), kJudges>>>(
        n_, got, best, sources.data(), zerosThere(), zeros, allowed,
        T(1) + static_cast<T>(allowed.most()), doubtful.data());
    CHECK_CUDA(cudaGetLastError());
    return marked(rows, There<int>::download(doubtful, rows.size()));
  }

 private:
  unsigned mostZeros() const { return static_cast<unsigned>(kMostZeros * size_); }
  Zero* zerosThere() const { return static_cast<Zero*>(zeros_.data().data()); }

  /// best = D ⊗ W, without edges of weight 0. Returns how many of these are listed; if there are
  /// more than mostZeros(), it stops. got, best: (rows, n).
  unsigned multiplyAll(int rows, const T* got, T* best) {
    CHECK_CUDA(cudaMemset(found_.data(), 0, sizeof(unsigned)));
    unsigned found = 0;
    Progress done("Bellman's equation", size_);
    slab_.forEach([&](int first, int count, Elements slab) {
      T* const weights = slab.as<T>();
      const std::size_t size = words(asSize(count), size_);
      takeZeros<<<static_cast<unsigned>(
                      std::clamp<std::size_t>(ceilDiv<std::size_t>(size, kThreads), 1, 8192)),
                  kThreads>>>(n_, first, size, weights, zerosThere(), found_.data(), mostZeros(),
                              least_.data());
      multiply<T><<<dim3(ceilDiv(n_, kTile), ceilDiv(rows, kTile)), kThreads>>>(
          rows, n_, first, count, got, weights, best);
      CHECK_CUDA(cudaGetLastError());
      found = There<unsigned>::download(found_, 1).front();
      done.advance(static_cast<std::uint64_t>(count));
      return found <= mostZeros();
    });
    return found;
  }

  const int n_;
  const std::size_t size_;
  const Device& gpu_;
  const Slab slab_;
  const DeviceElements zeros_;
  const There<unsigned> found_;
  const There<T> least_;
};

template <class T>
std::vector<int> doubtfulInBands(const ProblemGraph& graph, const Distances& distances,
                                 const std::vector<int>& rows, const Device& gpu) {
  const std::size_t fixed = MatrixCheck<T>::bytes(graph.n());
  const std::size_t each = MatrixCheck<T>::rowBytes(graph.n());
  const std::size_t room = gpu.freeBytes() / 2;  // the rest is for rows on their way
  if (room < fixed + each) return rows;
  const std::size_t band = (room - fixed) / each;
  MatrixCheck<T> check(graph, gpu);
  std::vector<int> all;
  for (std::size_t begin = 0; begin < rows.size(); begin += band) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::size_t count = std::min(band, rows.size() - begin);
    const std::vector<int> some =
        check.doubtful(distances, {from, from + static_cast<std::ptrdiff_t>(count)});
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// Returns look(a 0 of the type), or all rows if this is no GPU, or if it has no room for them
/// after all.
template <class Look>
std::vector<int> ifPossible(Dtype dtype, const std::vector<int>& rows, const Device& device,
                            const Look& look) {
  if (device.kind() != DeviceKind::kGpu || rows.empty()) return rows;
  try {
    return withType(dtype, look);
  } catch (const Error& error) {
    if (error.code != ErrorCode::kMemory) throw;
    return rows;
  }
}

}  // namespace

std::vector<int> doubtfulByArcs(const Graph& graph, const Distances& distances,
                                const std::vector<int>& rows, const Device& device) {
  return ifPossible(graph.dtype(), rows, device, [&](auto zero) {
    return doubtfulAlong<decltype(zero)>(graph, distances, rows, device);
  });
}

std::vector<int> doubtfulByMatrix(const ProblemGraph& graph, const Distances& distances,
                                  const std::vector<int>& rows, const Device& device) {
  return ifPossible(graph.dtype(), rows, device, [&](auto zero) {
    return doubtfulInBands<decltype(zero)>(graph, distances, rows, device);
  });
}
