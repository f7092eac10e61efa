// Estimates the time of each method for a graph of edges, and chooses one.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/graph.h"
#include "bfs/level_search.h"
#include "bfs/levels_gpu.h"
#include "solver/options.h"
#include "solver/solver.h"
#include "sparse/elimination.h"
#include "sparse/elimination_gpu.h"
#include "sparse/prepared.h"
#include "sparse/relaxation.h"

namespace engine::plan {

using sparse::EdgeRelaxation;
using sparse::Survey;

/// Edges a vertex of which a filter leaves most, so that it does not pay.
inline constexpr int kFewToKeep = 16;

/// Whether that is a GPU.
inline bool onGpu(const Device& device) {
  return device.kind() == DeviceKind::kGpu;
}

/// A graph that is held as edges, and what is wanted of it.
struct Wanted {
  const Device& device;
  const Graph& graph;
  const Selection* asked = nullptr;  ///< null: all distances
  int first = 0;           ///< the vertex that the edges call 0; the next one is 1, and so on
  bool maySearch = false;  ///< a search from each source may be chosen
  bool may16 = true;       ///< distances of int32 may be computed in 16 bits
  int sharers = 1;         ///< of the memory that is free (Execution)
  OutEdges leaving = {graph.n, graph.ends()};  ///< every look at the graph uses them
  mutable std::optional<double> depth = {};    ///< what depthOf() has found; none: nobody asked
  mutable std::optional<std::optional<Number>> weight = {};  ///< what weightOf() has found
  int n() const { return graph.n; }
  Dtype dtype() const { return graph.dtype(); }
  EndsOf edges() const { return graph.ends(); }
  double size() const { return static_cast<double>(graph.edgeCount()); }
  int sources() const { return asked == nullptr ? n() : asked->rows(n()); }
  int targets() const { return asked == nullptr ? n() : asked->columns(n()); }
};

/// How such a graph is solved. None of these: as a matrix.
struct Way {
  std::shared_ptr<const Survey> survey = nullptr;
  std::shared_ptr<EdgeRelaxation> relaxation = nullptr;
  std::shared_ptr<bfs::LevelSearch> levels = nullptr;
  std::shared_ptr<bfs::GpuLevels> gpuLevels = nullptr;
  bool searches = false;  ///< from each source that is asked for, on the CPU
  double expected = 0;    ///< milliseconds
  Outlook outlook = Outlook::kUnknown;
  double sampled = 0;  ///< of `expected`, what samples took already, which are kept
  std::shared_ptr<sparse::GpuElimination> elimination = nullptr;  ///< a GPU's, in place of a survey

  bool byLevels() const { return levels != nullptr || gpuLevels != nullptr; }
  /// kAuto: as a matrix.
  Method method() const;
};

/// Whether a search from each source finds a table, as far as the numbers of its edges and vertices
/// and the free memory tell.
enum class Searching {
  kNever,          ///< it may not be, or to find all distances takes less time
  kSurely,         ///< it takes less time than to look at other ways, or than all distances
  kWithoutLook,    ///< others might take less, but to look at them has no room
  kIfNothingElse,  ///< other ways are to be compared
};
Searching searchingOf(const Wanted& wanted);

/// The way that is expected to be the fastest. It tries some ways on a part of the sources.
Way bestWay(const Wanted& wanted);

/// Bytes that a table takes, and the relaxation that finds its rows.
std::size_t relaxedBytes(const Graph& graph, const Selection& asked);

/// The relaxation of that way, of a graph with the same edges and other weights.
std::shared_ptr<EdgeRelaxation> relaxationOf(const Wanted& wanted);

/// Breadth-first searches in such a graph, on the CPU. Nothing if the weights of its edges differ.
std::shared_ptr<bfs::LevelSearch> levelsOf(const Wanted& wanted);

/// The same on the GPU, from all vertices or some to all. Nothing in a build without CUDA, too.
std::shared_ptr<bfs::GpuLevels> gpuLevelsOf(const Wanted& wanted);

/// Throws Error(kUsage): the weights of the edges differ, so breadth-first searches cannot solve
/// the graph.
[[noreturn]] void refuseWeights();
/// Throws Error(kUsage) if the graph is known to have edges of different weights.
void requireLevels(const ProblemGraph& graph);

/// How the CPU surveys a graph for a device. For a GPU, its threads do not take part.
sparse::Eliminates eliminatesFor(const Device& device);

/// Milliseconds that the dense solver is expected to take.
double denseMilliseconds(const Wanted& wanted);

/// Whether solving sparsely is expected to be faster than the dense and the filtered solver.
bool isFast(const Wanted& wanted, const Survey& survey);
bool isFast(const Wanted& wanted, const sparse::GpuElimination& found);

/// Surveys the graph. With an order, it eliminates in that order, and the times of ordering and
/// eliminating are 0, because they are no part of solve(). Throws Error(kMemory).
std::shared_ptr<const Survey> surveyed(const Wanted& wanted, const EliminationOrder* order);

/// What the GPU has eliminated. Nothing if its lists have no room, and on a CPU. Throws
/// Error(kMemory), Error(kGpu).
std::shared_ptr<sparse::GpuElimination> eliminationOf(const Wanted& wanted);
/// Milliseconds that finding what is wanted is expected to take from there on.
double expectedOf(const Wanted& wanted, const sparse::GpuElimination& found);

/// Estimates of solving a graph on a device, made from its edges alone.
struct Forecast {
  /// Whether --method auto solves sparsely, and why. If not, it filters or solves densely.
  enum class Choice {
    kSparse,     ///< it is expected to be faster
    kStreamed,   ///< there is no room for the matrix
    kMatrix,     ///< the graph is held as a matrix, which is solved in place
    kManyEdges,  ///< to look for an order of elimination would take too long
    kNotWorth,   ///< it was surveyed, and dense solving is about as fast
    kLevels,     ///< it searches breadth first, because all edges have the same weight
    kNoRoom,     ///< the arcs of the elimination take too much memory
  } choice = Choice::kMatrix;
  double denseMs = 0;
  std::size_t denseBytes = 0;
  std::optional<double> sparseMs;  ///< none if it was not surveyed
  std::size_t sparseBytes = 0;
  std::optional<double> levelsMs;  ///< of breadth-first searches, if they are chosen
  std::size_t levelsBytes = 0;
};

/// Surveys the graph if that takes less than about 10 s. one: the solver that works in place.
/// Throws Error(kMemory).
Forecast forecastOf(const ProblemGraph& graph, const Solver& one, const Device& device);

/// How ranks find the rows, or the columns, of a band each: kSparse or kBfs, and the bytes of the
/// device's memory that one of them takes for it beside its distances.
struct BandWay {
  Method method;
  std::size_t bytes;
  bool alone = false;  ///< one GPU alone is expected to be as fast as all
};

/// The way that is expected to be the fastest, if it is expected to be faster than a method of all
/// ranks together; nothing otherwise. On GPUs, kBfs competes with what one of them alone would
/// take. band: the largest one, of a graph that is held as edges; all ranks have as many threads.
/// Throws Error(kMemory), Error(kGpu).
std::optional<BandWay> bandWayIfFaster(const Device& device, const Problem& band, int ranks);

/// The bytes that sparse solving may take beside the distances where dense solving takes fewer: of
/// the hierarchy, and of the sweepers of a CPU beside it.
std::size_t hierarchyBytes(int n, Dtype dtype);
std::size_t allowedBytes(int n, Dtype dtype);

}  // namespace engine::plan
