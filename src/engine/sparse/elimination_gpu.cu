// What a GPU eliminates, from the edges to what the sweep needs.
//
// After the rounds (rounds.cuh), the vertices are numbered by rounds. These *places* say all: a
// lower place is eliminated earlier, and the places from `eliminated` on are the core's. The
// neighbour with the lowest place is the parent in the elimination tree. While the GPU solves the
// core and prunes (pruning.cuh), the host makes a postorder of the tree: the positions, by which
// the sweep goes (elimination.h). The arcs that are left go to the host, too, which lays out the
// way down (descent.h, records.h).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/size.h"
#include "dense/workspace.h"
#include "device/cuda_memory.h"
#include "device/parcel.h"
#include "device/scan.cuh"
#include "sparse/elimination.h"
#include "sparse/elimination_gpu.h"
#include "sparse/pruning.cuh"
#include "sparse/rates.h"
#include "sparse/rounds.cuh"
#include "sparse/sweep.h"
#include "sparse/sweep_gpu.h"

namespace engine::sparse {

namespace {

using namespace rounds;

/// Arcs of all lists, for each vertex and each edge. Lists grow, and leave their old room behind.
/// On random graphs, which fill the lists most, up to twice 40 and 8 were taken.
constexpr std::size_t kArcsOfVertex = 100, kArcsOfEdge = 20;

/// All blocks of a kernel cannot run at the same time, because others share the GPU.
struct NotAtOnce {};

/// An array that comes to the host.
template <class T>
struct Download {
  std::vector<T>& to;
  const T* from;
  std::size_t count;

  std::size_t bytes() const { return (count * sizeof(T) + 255) / 256 * 256; }
  void begin(char* there) const {
    CHECK_CUDA(cudaMemcpyAsync(there, from, count * sizeof(T), cudaMemcpyDeviceToHost));
  }
  void finish(const char* there) const {
    const auto* const first = reinterpret_cast<const T*>(there);
    to.assign(first, first + count);
  }
};

/// Two arrays come to the host together, by way of page-locked memory.
template <class T, class U>
void download(const Download<T>& one, const Download<U>& other) {
  char* const there = Locked::ofThread(one.bytes() + other.bytes()).data();
  one.begin(there);
  other.begin(there + one.bytes());
  CHECK_CUDA(cudaStreamSynchronize(nullptr));
  one.finish(there);
  other.finish(there + one.bytes());
}

/// Sweeps, and what they refer to.
template <class T>
class OwnSweeps : public RowSource {
 public:
  OwnSweeps(std::unique_ptr<GpuMemory> between, Swept<T> graph)
      : between_(std::move(between)), graph_(std::move(graph)), sweeps_(sweepsOnGpu(graph_)) {}

  void all(Elements out) override { sweeps_->all(out); }
  void rows(int first, int count, Elements out) override { sweeps_->rows(first, count, out); }
  bool columns(int first, int count, std::size_t stride, Elements out) override {
    return sweeps_->columns(first, count, stride, out);
  }

 private:
  const std::unique_ptr<GpuMemory> between_;
  const Swept<T> graph_;
  const std::unique_ptr<RowSource> sweeps_;
};

/// Seconds that the sweep takes for each distance, for each arc and each pair of a gate and a
/// vertex of the core, with 32 bits; for each level of the tree; and what the host does for each
/// vertex.
constexpr double kDistance = 1.3e-12, kArc = 0.4e-12, kLevel = 0.9e-6, kLayout = 20e-9,
                 kBegin = 250e-6;

/// What the host knows of the places.
struct Tree {
  std::vector<int> parent;    ///< (eliminated) as in Placed
  std::vector<Index> vertex;  ///< (n) of each place
  std::vector<int> position;  ///< (eliminated) of each place
};

std::size_t arcsOfLists(int n, std::size_t edges) {
  return kArcsOfVertex * asSize(n) + kArcsOfEdge * edges;
}

/// Where everything is in the memory of an elimination.
template <class T>
struct Layout {
  std::size_t edges, first, filled;                                    // the graph
  std::size_t head, out, in, flags, at, degree, room, gone, alive[2];  // lists
  std::size_t counters;
  std::size_t vertex, numbered, of, placeAt, placeDegree, parent, position;  // places
  std::size_t ups, downs, done, firstUp, firstDown;                      // kept arcs
  std::size_t bytes;
  std::size_t arcs;

  Layout(int n, std::size_t edgeCount) : arcs(arcsOfLists(n, edgeCount)) {
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
          &placeDegree, &parent, &position, &ups, &downs, &done, &firstUp, &firstDown})
      *each = layout.place(vertices + 1, sizeof(int));
    counters = layout.place(sizeof(Counters), 1);
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

  std::unique_ptr<RowSource> sweeps(const GpuCoreSolver& solveCore, int by, Sweeping& done,
                                    const Selection* table) override {
    const struct Freed {
      Eliminating& all;
      ~Freed() {
        all.memory_.reset();
        all.target_.reset();
      }
    } freed{*this};
    done.coreSize = coreSize;
    done.eliminate = milliseconds;
    Tree tree;
    download(Download<int>{tree.parent, at<int>(layout_.parent), asSize(eliminated_)},
             Download<Index>{tree.vertex, at<Index>(layout_.vertex), asSize(n_)});
    Swept<T> graph;
    auto numbered = std::async(std::launch::async, [&] {
      number(tree, by, graph);
      if (table != nullptr) restrictTo(*table, graph);
    });
    auto between = std::make_unique<GpuMemory>(asSize(coreSize) * asSize(coreSize) * sizeof(T));
    T* const matrix = between->at<T>(0);
    done.solveCore = millisecondsOf([&] {
      if (coreSize == 0) return;
      fillMatrix(matrix);
      solveCore(coreSize, Elements{kDtype<T>, matrix});
    });
    done.prune = millisecondsOf([&] {
      prune(matrix);
      numbered.get();
      layOut(tree.position);
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
    return memory_->at<Number>(offset);
  }
  Given<T> given() const { return {at<Edge<T>>(layout_.edges), edges_, at<int>(layout_.first)}; }
  Counters* counters() const { return at<Counters>(layout_.counters); }
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
  Placed placed() const {
    return {at<Index>(layout_.vertex),
            at<Index>(layout_.of),
            n_,
            eliminated_,
            at<Index>(layout_.placeAt),
            at<int>(layout_.placeDegree),
            at<int>(layout_.parent)};
  }
  Kept kept() const {
    return {at<unsigned char>(layout_.flags), at<int>(layout_.ups), at<int>(layout_.downs),
            at<int>(layout_.done), &counters()->taken};
  }

  void run(const Edges<T>& edges) {
    CHECK_CUDA(cudaMemcpyAsync(at<Edge<T>>(layout_.edges), edges.data(),
                               edges.size() * sizeof(Edge<T>), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemsetAsync(counters(), 0, sizeof(Counters)));
    CHECK_CUDA(cudaMemsetAsync(counters()->least, 0x7f, sizeof counters()->least));
    CHECK_CUDA(cudaMemsetAsync(at<int>(layout_.degree), 0, asSize(n_) * sizeof(int)));
    const unsigned ofVertices = blocksFor(n_ + 1), ofEdges = blocksFor(edges_);
    Index* alive = at<Index>(layout_.alive[0]);
    Index* other = at<Index>(layout_.alive[1]);
    int* const filled = at<int>(layout_.filled);
    findFirst<T><<<ofVertices, 256>>>(given(), n_);
    countNeighbours<T><<<ofEdges, 256>>>(given(), at<int>(layout_.degree));
    makeRoom<T><<<ofVertices, 256>>>(lists(), counters(), alive, filled);
    fillLists<T><<<ofEdges, 256>>>(given(), lists(), filled);
    Lists<T> all = lists();
    Counters* counted = counters();
    double product = gpuProduct(kDtype<T>);
    void* arguments[] = {&all, &counted, &alive, &other, &product};
    eliminateAtOnce(arguments);
    sortByRounds();
    Counts seen = read();
    rounds = seen.rounds;
    coreSize = seen.stayed + seen.frozen;
    anyFrozen_ = seen.frozen + seen.froze > 0;
    eliminated_ = n_ - coreSize;
    placeVertices<<<ofVertices, 256>>>(placed());
    makeTree<T><<<ofVertices, 256>>>(placed(), lists(), counters());
    CHECK_CUDA(cudaGetLastError());
    seen = read();
    arcs = seen.arcs;
    gates_ = static_cast<int>(std::max<std::uint64_t>(1, seen.gates));
  }

  Counts read() const {
    Counts seen;
    CHECK_CUDA(cudaMemcpy(&seen, counters(), sizeof seen, cudaMemcpyDeviceToHost));
    return seen;
  }

  /// The fewer blocks there are, the sooner all have come to a barrier. Throws NotAtOnce.
  void eliminateAtOnce(void** arguments) const {
    constexpr int kLanesOfVertex = 8;
    const auto kernel = eliminateInRounds<T>;
    const unsigned useful = blocksFor(kLanesOfVertex * asSize(n_), kThreads);
    const cudaError_t status = cudaLaunchCooperativeKernel(
        reinterpret_cast<const void*>(kernel),
        dim3(std::min(blocksAtOnce(kernel, kThreads), useful)), dim3(kThreads), arguments);
    if (status == cudaErrorCooperativeLaunchTooLarge || status == cudaErrorNotSupported) {
      cudaGetLastError();  // this is not a sticky error: clear it
      throw NotAtOnce();
    }
    checkCuda(status, "cudaLaunchCooperativeKernel", __FILE__, __LINE__);
  }

  /// The sort is stable, so the vertices of a round ascend.
  void sortByRounds() {
    Index* const numbered = at<Index>(layout_.numbered);
    numberVertices<<<blocksFor(n_), 256>>>(numbered, n_);
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
    const double n = n_, size = static_cast<double>(sizeof(T)) / 4, left = coreSize;
    const double seconds =
        n * (n * kDistance + static_cast<double>(arcs) * kArc + left * gates_ * kArc / 2) * size;
    sweep = seconds * 1e3;
    expected =
        sweep +
        (left * left * left * gpuProduct(kDtype<T>) + rounds * kLevel + n * kLayout + kBegin) * 1e3;
  }

  void fillMatrix(T* matrix) const {
    clearCore<T><<<1024, 256>>>(matrix, coreSize);
    fillCore<T><<<blocksFor(coreSize * kWarp), 256>>>(placed(), lists(), matrix);
    if (anyFrozen_) {
      addFrozenEdges<T><<<blocksFor(edges_), 256>>>(given(), placed(), matrix);
      addFrozenPaths<T><<<blocksFor(asSize(eliminated_) * kWarp), 256>>>(placed(), lists(), matrix);
    }
    CHECK_CUDA(cudaGetLastError());
  }

  void prune(const T* matrix) const {
    T margin = 1;
    if constexpr (std::is_floating_point_v<T>)
      margin = static_cast<T>(1 + 2.0 * (n_ + 2) * std::numeric_limits<T>::epsilon());
    CHECK_CUDA(cudaMemsetAsync(at<int>(layout_.done), 0, asSize(n_) * sizeof(int)));
    const unsigned blocks = blocksAtOnce(pruneArcs<T>, kThreads);
    pruneArcs<T><<<blocks, kThreads>>>(placed(), lists(), matrix, kept(), margin);
    CHECK_CUDA(cudaGetLastError());
  }

  Arc* targetUp() const { return target_->template at<Arc>(0); }
  Arc* targetDown() const { return target_->template at<Arc>(asSize(arcs) * sizeof(Arc)); }

  void layOut(const std::vector<int>& position) {
    CHECK_CUDA(cudaMemcpyAsync(at<int>(layout_.position), position.data(),
                               position.size() * sizeof(int), cudaMemcpyHostToDevice));
    target_.emplace(2 * asSize(arcs) * sizeof(Arc));
    const Target<T> to{at<int>(layout_.position), at<Index>(layout_.firstUp),
                       at<Index>(layout_.firstDown), targetUp(), targetDown()};
    const unsigned blocks = blocksFor(eliminated_ + 1);
    countKept<T><<<blocks, 256>>>(placed(), kept(), to);
    sumBefore(to.firstUp, eliminated_ + 1);
    sumBefore(to.firstDown, eliminated_ + 1);
    writeArcs<T><<<blocksFor(asSize(eliminated_) * kWarp), 256>>>(placed(), lists(), kept(), to);
    CHECK_CUDA(cudaGetLastError());
  }

  void downloadArcs(Pruned<T>& to) const {
    const std::size_t positions = asSize(eliminated_) + 1;
    download(Download<Index>{to.up.first, at<Index>(layout_.firstUp), positions},
             Download<Index>{to.down.first, at<Index>(layout_.firstDown), positions});
    download(Download<Arc>{to.up.arcs, targetUp(), to.up.first.back()},
             Download<Arc>{to.down.arcs, targetDown(), to.down.first.back()});
  }

  /// From now on the rows and columns are those of a table. The hierarchy stays whole:
  /// sweep_gpu.cu leaves out the vertices that the way down need not pass.
  static void restrictTo(const Selection& table, Swept<T>& graph) {
    const std::vector<int> position = std::move(graph.position);
    const auto positions = [&](int count, const auto& vertexOf) {
      std::vector<int> found(asSize(count));
      for (int i = 0; i < count; ++i) found[asSize(i)] = position[asSize(vertexOf(i))];
      return found;
    };
    const int n = graph.positions;
    graph.source = positions(table.rows(n), [&](int row) { return table.source(row); });
    graph.position = positions(table.columns(n), [&](int column) { return table.target(column); });
    graph.table = true;
  }

  /// Finds the positions, and numbers vertices and parents by them.
  void number(Tree& tree, int by, Swept<T>& graph) const {
    tree.position = postorderPositions(tree.parent);
    graph.positions = n_;
    graph.core = eliminated_;
    graph.gates = gates_;
    graph.position.resize(asSize(n_));
    graph.parent.resize(asSize(eliminated_));
    const auto positionOf = [&](int place) {
      return place < eliminated_ ? tree.position[asSize(place)] : place;
    };
    for (int p = 0; p < n_; ++p) {
      const int v = static_cast<int>(tree.vertex[asSize(p)]) + by;
      graph.position[asSize(v < n_ ? v : v - n_)] = positionOf(p);
    }
    graph.source = graph.position;
    for (std::size_t p = 0; p < tree.parent.size(); ++p)
      graph.parent[asSize(tree.position[p])] =
          tree.parent[p] < n_ ? positionOf(tree.parent[p]) : -1;
  }

  const int n_, edges_;
  const Layout<T> layout_;
  std::optional<GpuMemory> memory_;  // of everything until the arcs are on the host
  std::optional<GpuMemory> target_;  // of the arcs that are kept, likewise
  int eliminated_ = 0, gates_ = 1;
  bool anyFrozen_ = false;
};

}  // namespace

std::shared_ptr<GpuElimination> eliminateOnGpu(const Graph& graph) try {
  constexpr std::size_t kMostEdges = std::numeric_limits<int>::max() / 2;  // half: of those back
  constexpr std::size_t kMostArcs = std::numeric_limits<Index>::max() / 2;
  const std::size_t edges = graph.edgeCount();
  if (edges > kMostEdges || arcsOfLists(graph.n, edges) > kMostArcs) return nullptr;
  return withEdges(graph, [&](const auto& edges) -> std::shared_ptr<GpuElimination> {
    using T = std::decay_t<decltype(edges[0].weight)>;
    return std::make_shared<Eliminating<T>>(graph);
  });
} catch (const Error& error) {
  if (error.code != ErrorCode::kMemory) throw;
  return nullptr;
} catch (const NotAtOnce&) {
  return nullptr;
}

double gpuEliminationMilliseconds(int n, std::size_t edges) {
  constexpr double kAtLeast = 0.35, kVertex = 10e-6, kEdge = 4e-6;
  return kAtLeast + n * kVertex + static_cast<double>(edges) * kEdge;
}

}  // namespace engine::sparse
