// What the handles of the C interface hold.
#pragma once

#include <apsp/apsp.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "api/given_edges.h"
#include "api/marked.h"
#include "api/options.h"
#include "base/graph.h"
#include "paths/trees.h"
#include "several/rank_team.h"
#include "solver/solver.h"

struct apsp_graph : engine::Marked<0xa959eb01> {
  int n;
  /// The graph, read of the caller's arrays as `said` has it. Throws InvalidArgument if they are
  /// wrong.
  std::function<std::shared_ptr<const engine::GraphSource>(bool negative, const apsp_graph& said)>
      view;
  apsp_memory where = APSP_HOST;
  int noEdge = 0;  // a sum of apsp_no_edge
};

namespace engine {

/// The graph, read of the caller's arrays: if they are in the GPU's memory, after the work on that
/// stream; null: on all streams. ranks: it is for several, which read a matrix in host memory
/// themselves.
ProblemGraph graphOf(const apsp_graph& graph, bool negative, bool ranks, void* stream = nullptr);

/// The vertices whose rows and columns are wanted. Throws InvalidArgument.
Selection selectionOf(const apsp_graph& graph, const apsp_options& o);

/// Milliseconds of a call beside the solve, as apsp_info has them.
struct Spent {
  double reading = 0, planning = 0, placing = 0, checking = 0;
};

}  // namespace engine

struct apsp_result : engine::Marked<0xa959eb02> {
  apsp_result(engine::ProblemGraph what, engine::Selection wanted)
      : graph(std::move(what)), asked(std::move(wanted)) {}
  ~apsp_result();
  apsp_result(const apsp_result&) = delete;
  apsp_result& operator=(const apsp_result&) = delete;

  engine::Problem problem() const { return {graph, asked.all() ? nullptr : &asked}; }
  int gpu = 0;  ///< where it is, as in apsp_info
  /// Calls work() on the thread that may use the run: that of rank 0 if ranks share the run.
  void withRun(const std::function<void(engine::Crew*)>& work) {
    if (team == nullptr) return work(nullptr);
    team->run([&](engine::Crew& crew) { work(&crew); });
  }

  std::mutex mutex;  // a run computes rows for one caller at a time
  engine::ProblemGraph graph;
  const engine::Selection asked;
  bool negative = false;
  const engine::Device* device = nullptr;
  CUstream_st* stream = nullptr;           // that of the caller; null: the default one
  std::unique_ptr<engine::RankTeam> team;  // null: one rank solved
  std::unique_ptr<engine::Run> run;
  const engine::Distances* distances = nullptr;
  engine::Call call;
  engine::Spent spent;
  std::optional<engine::Graph> backwards;  // made when the first path is asked for
  std::optional<engine::Trees> trees;      // likewise
  std::unique_ptr<apsp_result> rows;       // whole ones, of a result that has some columns only
};

namespace engine {

/// For as long as the returned object lives, this thread computes on the GPU of the result. Throws
/// InvalidArgument unless the handle is a result.
inline OnGpu placeOf(const apsp_result* result) {
  requireHandle(result, "result");
  return OnGpu(result->gpu);
}

/// Deletes a result or a plan, on the GPU where it was made. Does nothing with a null pointer or a
/// handle that was freed.
template <class Handle>
void releaseThere(Handle* handle) noexcept {
  if (handle == nullptr || !handle->marked()) return;
  try {
    const OnGpu there(handle->gpu);
    delete handle;
  } catch (const Error&) {  // its GPU is lost, and its memory with it
  }
}

/// All distances from some vertices of a solved graph, found again on the CPU. Throws what a solve
/// does.
std::unique_ptr<apsp_result> solvedFrom(const apsp_result& result, std::vector<int> sources);

}  // namespace engine

struct apsp_plan : engine::Marked<0xa959eb03> {
  apsp_options options;  // without sources and targets
  engine::Selection asked;
  std::shared_ptr<const engine::Solver> solver;
  engine::Execution where;
  int n;
  engine::Dtype dtype;
  engine::Plan plan;
  std::optional<engine::Structure> structure;  // of a graph that is held as edges
  std::optional<engine::GivenEdges> given;     // likewise
  int gpu;                                     // as of a result
};
