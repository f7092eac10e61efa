// The phases of the sparse solver, one after the other. Sources do not depend on each other, so all
// threads sweep, each with a batch of its own. The sources of a call are put in the order of their
// positions before they are cut into batches: neighbours in the tree share most of their ancestors.
#include "sparse/prepared.h"

#include <omp.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "sparse/order.h"
#include "sparse/restrict.h"

namespace engine::sparse {

std::size_t Survey::bytes(int threads, Dtype dtype) const {
  const int n = elimination.vertices();
  const std::size_t pattern_ = (pattern.first.size() + pattern.neighbours.size()) * sizeof(int);
  const std::size_t sweeper = withType(
      dtype, [&](auto zero) { return Sweeper<decltype(zero)>::bytes(n, elimination.coreSize()); });
  const std::size_t lists = rounds != nullptr ? rounds->bytes : 0;
  return hierarchyBytes(elimination, dtype) + pattern_ + lists + asSize(threads) * sweeper;
}

namespace {

/// Orders and eliminates the vertices of the pattern that is in `survey` already. given: the order;
/// null: there is none yet.
void orderAndEliminate(const Rates& rates, const EliminationOrder* given, Survey& survey) {
  EliminationOrder found;
  if (given == nullptr)
    survey.orderMs += millisecondsOf([&] { found = eliminationOrder(survey.pattern); });
  const EliminationOrder& order = given != nullptr ? *given : found;
  survey.eliminateMs =
      millisecondsOf([&] { survey.elimination = eliminate(survey.pattern, order, rates); });
}

}  // namespace

Survey surveyOf(int n, const EndsOf& edges, const Rates& rates, const EliminationOrder* order) {
  Survey result;
  result.orderMs = millisecondsOf([&] { result.pattern = patternOf(n, edges); });
  orderAndEliminate(rates, order, result);
  return result;
}

namespace {

/// Whether rounds pay. With few threads, an order takes less time. So does it on grids and the
/// like, whose lists become long, and whose core stays large: rounds are for graphs like road maps.
/// Real weights are added up in another order then, so for these the number of threads must not
/// decide: they go in rounds if sweeping takes so long in any case that nobody notices the
/// difference.
bool roundsPay(const Graph& graph, const Rates& rates) {
  constexpr std::size_t kMostEdges = std::size_t{1} << 29;
  constexpr double kMostDegree = 2.6;
  const auto edges = static_cast<double>(graph.edgeCount());
  if (graph.edgeCount() > kMostEdges || edges > kMostDegree * graph.n) return false;
  constexpr int kFewThreads = 5, kFewVertices = 4000, kFewForReals = 60000;
  if (!isWhole(graph.dtype())) return graph.n > kFewForReals && rates.sources < 0;
  return graph.n > kFewVertices && omp_get_max_threads() > kFewThreads;
}

/// Whether such a graph is eliminated in rounds.
bool inRounds(const Graph& graph, const Rates& rates, Eliminates how) {
  return how == Eliminates::kInRounds || (how == Eliminates::kAsPays && roundsPay(graph, rates));
}

/// Adds what eliminating in rounds finds.
void surveyInRounds(const Graph& graph, const Rates& rates, Survey& survey) {
  survey.eliminateMs = millisecondsOf([&] {
    survey.rounds = eliminateInRounds(graph, rates, omp_get_max_threads());
    survey.elimination = survey.rounds->elimination;
  });
}

}  // namespace

double surveyMilliseconds(const Graph& graph, const Rates& rates, Eliminates how, double part) {
  const double n = graph.n, edges = static_cast<double>(graph.edgeCount());
  if (inRounds(graph, rates, how))
    return roundsMilliseconds(graph.n, edges, rates, omp_get_max_threads());
  return part * (edges * rates.arc + n * rates.vertex) * 1e3;
}

Survey surveyOf(const Graph& graph, const Rates& rates, Eliminates how) {
  if (!inRounds(graph, rates, how)) return surveyOf(graph.n, graph.ends(), rates);
  Survey result;
  surveyInRounds(graph, rates, result);
  return result;
}

std::optional<Survey> surveyIfSeparable(const Graph& graph, const Rates& rates, Eliminates how) {
  const EndsOf edges = graph.ends();
  if (spreadsAtOnce({graph.n, edges})) return std::nullopt;
  Pattern pattern;
  bool may = false;
  Survey result;
  result.orderMs = millisecondsOf([&] {
    pattern = patternOf(graph.n, edges);
    may = maySeparate(pattern);
  });
  if (!may) return std::nullopt;
  if (inRounds(graph, rates, how)) {
    surveyInRounds(graph, rates, result);
  } else {
    result.pattern = std::move(pattern);
    orderAndEliminate(rates, nullptr, result);
  }
  return result;
}

namespace {

/// The arcs of a survey with these weights.
template <class T>
Hierarchy<T> arcsOf(const Survey& survey, const Edges<T>& edges, int threads, Sweeping& done) {
  Hierarchy<T> all;
  const bool known = survey.rounds != nullptr && areOf(*survey.rounds, edges);
  done.eliminate = survey.eliminateMs + millisecondsOf([&] {
                     if (known)
                       all = hierarchyOf(*survey.rounds, edges, threads);
                     else if (survey.rounds != nullptr)
                       all = build(patternOf(survey.elimination.vertices(), edges),
                                   survey.elimination, edges);
                     else
                       all = build(survey.pattern, survey.elimination, edges);
                   });
  if (!known) done.customise = millisecondsOf([&] { customise(all, threads); });
  return all;
}

/// A root of the elimination tree has all gates of the vertices below it as neighbours.
int gatesOf(const Elimination& elimination) {
  int most = 1;
  for (std::size_t x = 0; x < elimination.parent.size(); ++x)
    if (elimination.parent[x] >= elimination.core) most = std::max(most, elimination.above[x]);
  return most;
}

}  // namespace

template <class T>
Prepared::State<T> Prepared::prepare(const Survey& survey, const Edges<T>& edges, const Ways& ways,
                                     Sweeping& done) const {
  const Elimination& elimination = survey.elimination;
  State<T> state;
  done.coreSize = elimination.coreSize();
  done.order = survey.orderMs;
  Hierarchy<T> hierarchy = arcsOf(survey, edges, ways.threads, done);
  done.solveCore = millisecondsOf([&] {
    if (done.coreSize > 0) ways.solveCore(done.coreSize, hierarchy.between.data());
  });
  done.prune = millisecondsOf([&] { state.graph.arcs = prune(hierarchy, ways.threads); });
  state.graph.between = std::move(hierarchy.between);
  done.arcs = elimination.vertices() > 0
                  ? static_cast<double>(state.graph.arcs.down.arcs.size()) / elimination.vertices()
                  : 0;
  state.graph.position = state.graph.source = elimination.position;
  state.graph.positions = elimination.vertices();
  state.graph.parent = elimination.parent;
  state.graph.core = elimination.core;
  state.graph.gates = gatesOf(elimination);
  state.kernels = findSweep<T>(ways.simd);
  return state;
}

Prepared::Prepared(const Survey& survey, const Graph& graph, const Ways& ways, Sweeping& done)
    : threads_(ways.threads) {
  withEdges(graph, [&](const auto& edges) { state_ = prepare(survey, edges, ways, done); });
}

template <class T>
void Prepared::sweepWith(State<T>& state, int first, int count, Elements rows, Summing* sums) {
  const std::size_t width = state.graph.position.size();
  T* const to = rows ? rows.as<T>() : nullptr;
  auto* const all = static_cast<SummingOf<T>*>(sums);
  std::vector<std::pair<int, int>> sources;  // positions and rows
  for (int i = 0; i < count; ++i) sources.emplace_back(state.graph.source[asSize(first + i)], i);
  std::sort(sources.begin(), sources.end());
  const int batches = (count + kBatch - 1) / kBatch;
  while (state.sweepers.size() < asSize(std::min(threads_, batches)))
    state.sweepers.push_back(std::make_unique<Sweeper<T>>(state.graph, state.kernels));
  Progress progress("sweeping", static_cast<std::uint64_t>(batches));
  const auto solve = [&](Sweeper<T>& sweeper, int batch, BlockSums<T>* block) {
    const int begin = batch * kBatch, some = std::min(kBatch, count - begin);
    int positions[kBatch], numbers[kBatch];
    T* out[kBatch];
    for (int c = 0; c < some; ++c) {
      const auto [position, row] = sources[asSize(begin + c)];
      positions[c] = position;
      numbers[c] = first + row;
      if (to != nullptr) out[c] = to + asSize(row) * width;
    }
    sweeper.sweep(positions, some, to != nullptr ? out : nullptr, block);
    if (block != nullptr) block->finish(numbers, some);
    progress.advance();
  };
  const int each = all != nullptr ? rowsInBlock(count, kBatch) / kBatch : 1;
  const int tasks = (batches + each - 1) / each;
  const int number = all != nullptr ? all->begin(tasks) : 0;
  const auto solveSome = [&](int task) {
    std::unique_ptr<Sweeper<T>> sweeper;
    {
      const std::lock_guard lock(mutex_);
      sweeper = std::move(state.sweepers.back());
      state.sweepers.pop_back();
    }
    auto block = all != nullptr ? std::make_unique<BlockSums<T>>(*all) : nullptr;
    for (int batch = task * each; batch < std::min(batches, (task + 1) * each); ++batch)
      solve(*sweeper, batch, block.get());
    if (all != nullptr) all->take(number + task, std::move(block));
    const std::lock_guard lock(mutex_);
    state.sweepers.push_back(std::move(sweeper));
  };
  runPhases({{tasks, solveSome}}, threads_);
}

void Prepared::renumberBack(int by) {
  std::visit(
      [&](auto& state) {
        std::vector<int>& position = state.graph.position;
        std::rotate(position.rbegin(), position.rbegin() + by, position.rend());
        state.graph.source = position;
      },
      state_);
}

void Prepared::restrictTo(const Selection& asked) {
  try {
    std::visit([&](auto& state) { sparse::restrictTo(asked, state.graph); }, state_);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kMemory, "out of host memory for the arcs of a table");
  }
}

std::unique_ptr<RowSource> Prepared::onGpu() const {
  return std::visit([](const auto& state) { return sweepsOnGpu(state.graph); }, state_);
}

void Prepared::sweep(int first, int count, Elements rows, Summing* sums) {
  std::visit([&](auto& state) { sweepWith(state, first, count, rows, sums); }, state_);
}

}  // namespace engine::sparse
