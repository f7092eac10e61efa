// Solving and planning, on the seam of solver/solver.h.
#include <apsp/apsp.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "api/handles.h"
#include "api/in_place.h"
#include "api/options.h"
#include "api/status.h"
#include "api/views.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "batch/tiny_run.h"
#include "negative/negative.h"
#include "several/crew.h"
#include "solver/narrowing.h"
#include "solver/range.h"
#include "sparse/prepared.h"
#include "sparse/rates.h"

namespace engine {

static_assert(APSP_INFINITY == kInfinity<int> && APSP_INFINITY64 == kInfinity<std::int64_t>,
              "the headers differ");

ProblemGraph graphOf(const apsp_graph& graph, bool negative, bool ranks, void* stream) {
  if (graph.where == APSP_DEVICE) {  // its arrays are to be complete
    const Device& gpu = deviceOf(APSP_DEVICE);
    stream != nullptr ? gpu.finish(static_cast<CUstream_st*>(stream)) : gpu.synchronise();
  }
  const auto view = graph.view(negative, graph);
  if (ranks && (view->asEdges() || graph.where == APSP_DEVICE)) return ProblemGraph(view->whole());
  ProblemGraph made(view);
  if (made.heldAsEdges()) made.onHost();
  return made;
}

Selection selectionOf(const apsp_graph& graph, const apsp_options& o) {
  const int n = graph.n;
  return {verticesOf("sources", o.sources, o.source_count, n),
          verticesOf("targets", o.targets, o.target_count, n)};
}

namespace {

/// Throws Error(kMemory) if it is clear that the solve has no room.
void requireMemory(const Memory& need, const Device& device) {
  const bool gpu = device.kind() == DeviceKind::kGpu;
  const auto check = [](const char* kind, std::size_t bytes, const Device& where) {
    if (!where.hasRoom(bytes))
      throw Error(ErrorCode::kMemory, fmt::format("{} memory: {} bytes are needed, {} are free",
                                                  kind, bytes, where.freeBytes()));
  };
  check(gpu ? "device" : "host", need.device + (gpu ? 0 : need.host), device);
  if (gpu) check("host", need.host, cpuDevice);
}

/// The largest weight, or 0. graph: held as edges.
double heaviestIn(const Graph& graph) {
  return withEdges(graph, [](const auto& edges) {
    auto most = edges.empty() ? 0 : edges.front().weight;
    for (const auto& edge : edges) most = std::max(most, edge.weight);
    return std::max(0.0, static_cast<double>(most));
  });
}

/// A solve whose distances could have been too large for their type is checked once more.
void requireRange(const Solver& solver, const apsp_result& result, const Execution& where) {
  const double least = result.call.outcome.reweighting.least;
  const ProblemGraph& graph = result.graph;
  // A look at the edges tells most often, and there are fewer of them than distances.
  if (graph.heldAsEdges() &&
      !mayReachInfinity(graph.n(), graph.dtype(), heaviestIn(graph.onHost()), -least))
    return;
  // The distances of a tiny graph are in host memory, and whole() would copy them to the GPU.
  if (const DeviceMatrix* const all =
          graph.n() > batch::kTiny ? result.distances->whole() : nullptr;
      all != nullptr && fitThroughFirst(all->device().kind(), all->n(), all->data(), -least))
    return;
  const GraphStats output = reachOf(*result.distances);
  const std::uint64_t unreachable = pairsOf(*result.distances) - output.edges;
  if (unreachable == 0) return;
  checkRange(solver, result.problem(), where, result.graph.statistics(*result.device),
             *result.distances, output, unreachable, least);
}

/// The graph as it will be solved, and what is asked for.
std::unique_ptr<apsp_result> unsolved(ProblemGraph graph, const apsp_options& o,
                                      const Device& device, Selection asked) {
  auto result = std::make_unique<apsp_result>(std::move(graph), std::move(asked));
  result->negative = o.negative != 0;
  result->device = &device;
  if (o.stream != nullptr) deviceAt(APSP_GPU);  // it is one of a GPU
  result->stream = static_cast<CUstream_st*>(o.stream);
  if (device.kind() == DeviceKind::kGpu) result->gpu = presentGpu() + 1;
  return result;
}

/// Throws Error(kMemory) if there is no room for what any method takes of edges between so many
/// vertices: where they leave, distances, marks, and a row of the answer, which is streamed if
/// there is no room for more. What else is looked at before a solve takes a second for some
/// millions of vertices.
void requireVertices(const Problem& problem) {
  if (!problem.graph.heldAsEdges()) return;
  const std::size_t number = sizeOf(problem.graph.dtype()), n = asSize(problem.graph.n());
  const std::size_t bytes = n * (sizeof(int) + number) + asSize(problem.columns()) * number;
  if (!cpuDevice.hasRoom(bytes))
    throw Error(ErrorCode::kMemory,
                fmt::format("host memory: {} bytes are needed at the least for {} vertices, {} are "
                            "free",
                            bytes, n, cpuDevice.freeBytes()));
}

/// A graph with what is asked of it, and who solves it where.
struct Asked {
  std::unique_ptr<apsp_result> result;  // without distances
  std::shared_ptr<const Solver> solver;
  Execution where;
};

/// A row of the table of solvers, which lives as long as the process: a copy of it would take as
/// long as solving ten vertices.
std::shared_ptr<const Solver> solverFor(const Device& device, bool negative) {
  const Solver& plain = findSolver("apsp", device.kind());
  if (negative) return std::make_shared<const Solver>(withNegativeWeights(plain));
  return {std::shared_ptr<void>(), &plain};
}

/// once: one solve follows the plan.
Asked askedOf(const apsp_graph& graph, const apsp_options& o, Selection selection, bool once) {
  const Device& device = deviceAt(o.place);
  Asked asked{nullptr, solverFor(device, o.negative != 0), {device, optionsOf(o)}};
  asked.where.options.stream = nullptr;  // the matrix that is solved is none of the caller's
  const double reading = millisecondsOf([&] {
    asked.result = unsolved(graphOf(graph, o.negative != 0, o.ranks > 1, o.stream), o, device,
                            std::move(selection));
  });
  asked.result->spent.reading = reading;
  requireVertices(asked.result->problem());
  asked.where.keepsPlan = true;  // nobody measures it, so the graph is looked at once
  asked.where.once = once;
  asked.where.summarises = Summarise::kUnkept;
  asked.where.stored = storedBy(o, asked.result->graph.dtype());
  if (o.order != nullptr) {
    requireSupport(o.ranks <= 1, "an order is for one rank: leave options.order or options.ranks");
    requireSupport(o.method == APSP_AUTO || o.method == APSP_SPARSE,
                   "an order is for the sparse method: leave options.order or options.method");
    asked.result->spent.reading +=
        millisecondsOf([&] { asked.where.order = orderOf(o.order, asked.result->graph.n()); });
    asked.where.options.method = Method::kSparse;
  }
  return asked;
}

void solve(apsp_result& result, const Solver& solver, const Execution& where, const Plan& plan) {
  requireMemory(plan.memory, *result.device);
  result.spent.placing = millisecondsOf([&] {
    result.run = beginAsked(plan, result.problem());
    result.run->reset();
  });
  throwIfCancelled();
  result.call = result.run->solve();
  const double chosen = result.call.outcome.chosen;  // by reset()
  result.spent.planning += chosen;
  if (!result.negative) result.spent.placing -= chosen;  // else solve() calls reset()
  throwIfCancelled();
  result.distances = &result.run->distances();
  const bool shared = plan.place == Destination::kParts;
  result.call.sharing.ranks = shared && isShared(where) ? where.crew->ranks().size() : 1;
  result.spent.checking = millisecondsOf([&] {
    if (result.graph.n() > 1) requireRange(solver, result, where);
  });
}

double heaviestIn(int n, ConstElements matrix) {
  return withElements(matrix, [&](const auto* elements) {
    using T = NumberAt<decltype(elements)>;
    T most = 0;
#pragma omp simd reduction(max : most)
    for (std::size_t at = 0; at < asSize(n) * asSize(n); ++at)
      most = elements[at] != kInfinity<T> && elements[at] > most ? elements[at] : most;
    return static_cast<double>(most);
  });
}

/// Distances that are a matrix in host memory.
class HostDistances : public Distances {
 public:
  HostDistances(int n, ConstElements matrix) : Distances(n, matrix.dtype()), matrix_(matrix) {}
  void rows(int begin, int end, const RowVisitor& visit) const override {
    visit(begin, end - begin, matrix_ + asSize(begin) * asSize(n()));
  }

 private:
  ConstElements matrix_;
};

/// solveHostMatrix(), and the matrix is as before if a distance is too large for its type:
/// Error(kInput).
void solveInRange(int n, Elements matrix, const Device& device, const Options& options) {
  std::optional<ProblemGraph> before;
  if (mayReachInfinity(n, matrix.dtype(), heaviestIn(n, matrix)))
    before.emplace(matrixOf(*viewOf(MatrixArray{n, matrix, n, 1}, false)));
  solveHostMatrix(n, matrix, device, options);
  if (!before || fitThroughFirst(DeviceKind::kCpu, n, matrix)) return;
  const GraphStats output = graphStats(n, matrix);
  const std::uint64_t pairs = std::uint64_t(n) * (n - 1);
  try {
    checkRange(findSolver("apsp", device.kind()), {*before}, {device, options},
               before->statistics(device), HostDistances(n, matrix), output, pairs - output.edges);
  } catch (const Error&) {
    before->rows(0, n, matrix);
    throw;
  }
}

/// Options of a planned solve, which decide nothing that the plan has decided.
apsp_options ofOneSolve(const apsp_options* given) {
  const apsp_options o = complete(given, true);
  requireSupport(o.place == APSP_ANYWHERE && o.method == APSP_AUTO && !o.negative && o.ranks == 0 &&
                     o.sources == nullptr && o.targets == nullptr && o.order == nullptr &&
                     o.gpu == 0,
                 "a planned solve takes threads, a stream and progress: the plan has the other "
                 "options");
  return o;
}

std::optional<Structure> structureOf(const ProblemGraph& graph) {
  if (!graph.heldAsEdges()) return std::nullopt;
  Structure structure;
  structure.reserve(graph.onHost().edgeCount());
  for (const Ends& edge : graph.onHost().ends()) structure.emplace_back(edge.from, edge.to);
  return structure;
}

/// Where the caller's edges are among those of a graph that is held as edges.
std::optional<GivenEdges> givenOf(const apsp_graph& graph, bool negative,
                                  const std::optional<Structure>& structure) {
  if (!structure) return std::nullopt;
  const auto view = graph.view(negative, graph);
  return GivenEdges(dynamic_cast<const EdgeSource&>(*view).ends(), *structure);
}

/// Solves as planned. The graph has the edges of the plan. options: null for those of the plan.
template <class MakeGraph>
apsp_status solvePlanned(const apsp_plan* plan, const apsp_options* options, apsp_result** result,
                         const MakeGraph& make) noexcept {
  return guarded([&] {
    requireHandle(plan, "plan");
    require(result != nullptr, "result is NULL");
    apsp_options o = options != nullptr ? ofOneSolve(options) : plan->options;
    o.negative = plan->options.negative;  // is none of those that a solve may change
    const OnGpu there(plan->gpu);
    const ThreadCount threads(o.threads);
    const Watcher watcher(o);
    std::unique_ptr<apsp_result> made;
    const double reading =
        millisecondsOf([&] { made = unsolved(make(o), o, plan->where.device, plan->asked); });
    made->spent.reading = reading;
    solve(*made, *plan->solver, plan->where, plan->plan);
    *result = made.release();
  });
}

}  // namespace

std::unique_ptr<apsp_result> solvedFrom(const apsp_result& result, std::vector<int> sources) {
  apsp_options options;
  apsp_options_init(&options, sizeof options);
  options.negative = result.negative ? 1 : 0;
  const bool edges = result.graph.heldAsEdges();
  auto made = unsolved(edges ? result.graph : ProblemGraph(asEdges(result.graph.onHost())), options,
                       cpuDevice, {std::move(sources), {}});
  Execution where{cpuDevice, {}};
  where.keepsPlan = where.once = true;
  const auto solver = solverFor(cpuDevice, result.negative);
  solve(*made, *solver, where, solver->plan(made->problem(), where));
  return made;
}

void solveHostMatrix(int n, Elements matrix, const Device& device, const Options& options) {
  const MatrixArray array{n, matrix, n, 1};
  requireWeights(array);
  viewOf(array, false)->block(0, n, 0, n, matrix);  // 0 on the diagonal, and no -0.0
  const InPlace& solve = findSolver("apsp", device.kind()).inPlace;
  if (device.kind() == DeviceKind::kCpu) {
    solve(device, n, matrix, options);
    return;
  }
  const DeviceMatrix there(device, n, matrix.dtype());
  upload(device, there.data(), matrix, there.size());
  solve(device, n, there.data(), options);
  download(device, matrix, there.data(), there.size());
}

}  // namespace engine

using namespace engine;

extern "C" {

apsp_status apsp_solve(const apsp_graph* graph, const apsp_options* options, apsp_result** result) {
  return guarded([&] {
    requireHandle(graph, "graph");
    require(result != nullptr, "result is NULL");
    const apsp_options o = complete(options, true, true);
    const OnGpu there(o.gpu);
    const Watcher watcher(o);
    Asked asked = askedOf(*graph, o, selectionOf(*graph, o), true);
    if (o.ranks > 1) asked.result->team = std::make_unique<RankTeam>(o.ranks, watcher.flag());
    if (o.ranks > 1 && asked.result->gpu > 0) asked.result->gpu = 1;  // they take the first ones
    asked.result->withRun([&](Crew* crew) {
      const ThreadCount threads(o.threads);
      asked.where.crew = crew;
      Plan plan;
      asked.result->spent.planning =
          millisecondsOf([&] { plan = asked.solver->plan(asked.result->problem(), asked.where); });
      solve(*asked.result, *asked.solver, asked.where, plan);
    });
    *result = asked.result.release();
  });
}

apsp_status apsp_plan_make(const apsp_graph* graph, const apsp_options* options, apsp_plan** plan) {
  return guarded([&] {
    requireHandle(graph, "graph");
    require(plan != nullptr, "plan is NULL");
    const apsp_options o = complete(options, true, true);
    requireSupport(o.ranks <= 1,
                   "a plan is for one rank: leave options.ranks, or call apsp_solve()");
    const OnGpu there(o.gpu);
    const ThreadCount threads(o.threads);
    const Watcher watcher(o);
    const Asked asked = askedOf(*graph, o, selectionOf(*graph, o), false);
    const apsp_result& made = *asked.result;
    apsp_options kept = o;
    kept.sources = kept.targets = nullptr;
    kept.source_count = kept.target_count = 0;
    kept.order = nullptr;
    auto structure = structureOf(made.graph);
    auto given = givenOf(*graph, o.negative != 0, structure);
    *plan = new apsp_plan{{},
                          kept,
                          made.asked,
                          asked.solver,
                          asked.where,
                          made.graph.n(),
                          made.graph.dtype(),
                          asked.solver->plan(made.problem(), asked.where),
                          std::move(structure),
                          std::move(given),
                          made.gpu};
    throwIfCancelled();
  });
}

apsp_status apsp_plan_solve(const apsp_plan* plan, const apsp_graph* graph, apsp_result** result) {
  return apsp_plan_solve_with(plan, graph, nullptr, result);
}

apsp_status apsp_plan_solve_with(const apsp_plan* plan, const apsp_graph* graph,
                                 const apsp_options* options, apsp_result** result) {
  return solvePlanned(plan, options, result, [&](const apsp_options& o) {
    requireHandle(graph, "graph");
    ProblemGraph made = graphOf(*graph, o.negative != 0, false, o.stream);
    require(made.n() == plan->n && made.dtype() == plan->dtype,
            "the graph has another number of vertices, or another type, than the plan");
    require(structureOf(made) == plan->structure, "the graph has other edges than the plan");
    return made;
  });
}

apsp_status apsp_plan_solve_weights(const apsp_plan* plan, size_t count, const void* weights,
                                    const apsp_options* options, apsp_result** result) {
  return solvePlanned(plan, options, result, [&](const apsp_options& o) {
    requireSupport(plan->given.has_value(), "the plan is of a matrix: solve a graph of it");
    require(count == plan->given->count(), "count is not the number of edges of the graph");
    require(count == 0 || weights != nullptr, "weights is NULL");
    return ProblemGraph(
        plan->given->weighed(plan->n, *plan->structure, {plan->dtype, weights}, o.negative != 0));
  });
}

apsp_status apsp_plan_get_info(const apsp_plan* plan, apsp_plan_info* info) {
  return guarded([&] {
    requireHandle(plan, "plan");
    require(info != nullptr, "info is NULL");
    require(info->size >= sizeof(size_t), "info->size is not set");
    const Memory& memory = plan->plan.memory;
    const bool gpu = plan->where.device.kind() == DeviceKind::kGpu;
    const apsp_plan_info all{
        info->size,
        plan->n,
        plan->asked.rows(plan->n),
        plan->asked.columns(plan->n),
        typeOf(plan->dtype),
        gpu ? APSP_GPU : APSP_CPU,
        methodOf(plan->plan.method),
        plan->plan.place == Destination::kStreamed ? 0 : 1,
        memory.host + (gpu ? 0 : memory.device),
        gpu ? memory.device : 0,
        plan->plan.expected > 0 ? plan->plan.expected : -1,
    };
    std::memcpy(info, &all, std::min(info->size, sizeof all));
  });
}

namespace {

/// The order in which the CPU would eliminate: a GPU that eliminates makes no order in advance.
EliminationOrder orderOf(const apsp_plan& plan) {
  Edges<std::int32_t> edges;
  for (const auto& [from, to] : *plan.structure) edges.push_back({from, to, 0});
  return sparse::surveyOf(plan.n, edges, sparse::ratesOn(plan.where.device, plan.dtype))
      .elimination.vertex;
}

}  // namespace

apsp_status apsp_plan_order(const apsp_plan* plan, int32_t* order) {
  return guarded([&] {
    requireHandle(plan, "plan");
    require(order != nullptr, "order is NULL");
    requireSupport(plan->plan.order != nullptr || plan->plan.method == Method::kSparse,
                   "the plan is for another method than the sparse one");
    const EliminationOrder found = plan->plan.order != nullptr ? *plan->plan.order : orderOf(*plan);
    std::copy(found.begin(), found.end(), order);
  });
}

void apsp_plan_free(apsp_plan* plan) {
  releaseThere(plan);
}

apsp_status apsp_solve_matrix(int32_t n, apsp_type type, void* matrix, apsp_memory where,
                              const apsp_options* options) {
  return guarded([&] {
    require(n >= 0, "n is negative");
    require(n == 0 || matrix != nullptr, "matrix is NULL");
    const apsp_options o = complete(options, where == APSP_DEVICE);
    requireSupport(
        !o.negative && o.sources == nullptr && o.targets == nullptr && o.ranks <= 1 &&
            o.order == nullptr,
        "apsp_solve_matrix() takes no negative weights, sources, targets, ranks or order: use "
        "apsp_solve()");
    const Dtype dtype = dtypeOf(type);
    const OnGpu there(o.gpu);
    const ThreadCount threads(o.threads);
    const Watcher watcher(o);
    if (n == 0) return;
    const Elements elements(dtype, matrix);
    if (where == APSP_DEVICE) {
      requireSupport(o.place != APSP_CPU, "a matrix in device memory is not solved on a CPU");
      const Device& gpu = deviceOf(where);
      requireHere(matrix, "matrix");
      const Options how = optionsOf(o);
      // 16 bits are taken only if it is known that every distance fits into them.
      if (solveOnGpu(gpu, n, elements, how).tier != Tier::kUint16)
        requireRangeOnGpu(n, elements, how.stream);
    } else {
      require(where == APSP_HOST, "where is no apsp_memory");
      solveInRange(n, elements, o.place == APSP_GPU ? deviceAt(APSP_GPU) : cpuDevice, optionsOf(o));
    }
    throwIfCancelled();
  });
}

}  // extern "C"
