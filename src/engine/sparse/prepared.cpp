// The phases of the sparse solver, one after the other. Sources do not depend on each other, so all
// threads sweep, each with a batch of its own. The sources of a call are put in the order of their
// ranks before they are cut into batches: neighbours in the tree share most of their ancestors.
#include "sparse/prepared.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/thread_team.h"
#include "sparse/order.h"
#include "sparse/table.h"

namespace sparse {

std::size_t Survey::bytes(int threads) const {
  const int n = plan.vertices();
  const std::size_t pattern_ = (pattern.first.size() + pattern.neighbours.size()) * sizeof(int);
  return hierarchyBytes(plan) + pattern_ +
         static_cast<std::size_t>(threads) * Sweeper<int>::bytes(n, plan.coreSize());
}

namespace {

/// Orders and eliminates the vertices of the pattern that is in `survey` already.
void orderAndEliminate(const Rates& rates, Survey& survey) {
  std::vector<int> order;
  survey.orderMs += millisecondsOf([&] { order = eliminationOrder(survey.pattern); });
  survey.eliminateMs =
      millisecondsOf([&] { survey.plan = eliminate(survey.pattern, order, rates); });
}

}  // namespace

Survey surveyOf(int n, const std::vector<Edge>& edges, const Rates& rates) {
  Survey result;
  result.orderMs = millisecondsOf([&] { result.pattern = patternOf(n, edges); });
  orderAndEliminate(rates, result);
  return result;
}

std::optional<Survey> surveyIfSeparable(int n, const std::vector<Edge>& edges, const Rates& rates) {
  Survey result;
  bool may = false;
  result.orderMs = millisecondsOf([&] {
    result.pattern = patternOf(n, edges);
    may = maySeparate(result.pattern);
  });
  if (!may) return std::nullopt;
  orderAndEliminate(rates, result);
  return result;
}

namespace {

/// A root of the elimination tree has all gates of the vertices below it as neighbours.
int gatesOf(const Elimination& plan) {
  int most = 1;
  for (std::size_t x = 0; x < plan.parent.size(); ++x)
    if (plan.parent[x] >= plan.core) most = std::max(most, plan.above[x]);
  return most;
}

}  // namespace

template <class T>
Prepared::State<T> Prepared::prepare(const Survey& survey, const std::vector<Edge>& edges,
                                     const Ways& ways, Sweeping& done) const {
  const Elimination& plan = survey.plan;
  constexpr Dtype kDtype = std::is_same_v<T, float> ? Dtype::kFloat32 : Dtype::kInt32;
  State<T> state;
  Hierarchy<T> hierarchy;
  done.core = plan.coreSize();
  done.order = survey.orderMs;
  done.eliminate = survey.eliminateMs +
                   millisecondsOf([&] { hierarchy = build<T>(survey.pattern, plan, edges); });
  done.customise = millisecondsOf([&] { customise(hierarchy, ways.threads); });
  done.solveCore = millisecondsOf([&] {
    if (done.core > 0) ways.solveCore(done.core, hierarchy.between.data(), kDtype);
  });
  done.prune = millisecondsOf([&] { state.graph.arcs = prune(hierarchy, ways.threads); });
  state.graph.between = std::move(hierarchy.between);
  done.arcs = plan.vertices() > 0
                  ? static_cast<double>(state.graph.arcs.down.arcs.size()) / plan.vertices()
                  : 0;
  state.graph.rank = state.graph.source = plan.rank;
  state.graph.ranks = plan.vertices();
  state.graph.parent = plan.parent;
  state.graph.core = plan.core;
  state.graph.gates = gatesOf(plan);
  state.kernels = findSweep<T>(ways.simd);
  return state;
}

Prepared::Prepared(const Survey& survey, const std::vector<Edge>& edges, Dtype dtype,
                   const Ways& ways, Sweeping& done)
    : threads_(ways.threads) {
  if (dtype == Dtype::kFloat32)
    state_ = prepare<float>(survey, edges, ways, done);
  else
    state_ = prepare<int>(survey, edges, ways, done);
}

template <class T>
void Prepared::sweepWith(State<T>& state, int first, int count, int* rows) {
  const std::size_t width = state.graph.rank.size();
  std::vector<std::pair<int, int>> sources;  // ranks and rows
  for (int i = 0; i < count; ++i)
    sources.emplace_back(state.graph.source[static_cast<std::size_t>(first + i)], i);
  std::sort(sources.begin(), sources.end());
  const int batches = (count + kBatch - 1) / kBatch;
  while (state.sweepers.size() < static_cast<std::size_t>(std::min(threads_, batches)))
    state.sweepers.push_back(std::make_unique<Sweeper<T>>(state.graph, state.kernels));
  Progress progress("sweeping", static_cast<std::uint64_t>(batches));
  const auto solve = [&](int batch) {
    std::unique_ptr<Sweeper<T>> sweeper;
    {
      const std::lock_guard lock(mutex_);
      sweeper = std::move(state.sweepers.back());
      state.sweepers.pop_back();
    }
    const int begin = batch * kBatch, some = std::min(kBatch, count - begin);
    int ranks[kBatch];
    int* out[kBatch];
    for (int c = 0; c < some; ++c) {
      const auto [rank, row] = sources[static_cast<std::size_t>(begin + c)];
      ranks[c] = rank;
      out[c] = rows + static_cast<std::size_t>(row) * width;
    }
    sweeper->sweep(ranks, some, out);
    progress.advance();
    const std::lock_guard lock(mutex_);
    state.sweepers.push_back(std::move(sweeper));
  };
  runPhases({{batches, solve}}, threads_);
}

void Prepared::renumberBack(int by) {
  std::visit(
      [&](auto& state) {
        std::vector<int>& rank = state.graph.rank;
        std::rotate(rank.rbegin(), rank.rbegin() + by, rank.rend());
        state.graph.source = rank;
      },
      state_);
}

void Prepared::restrictTo(const Selection& asked) {
  try {
    std::visit([&](auto& state) { sparse::restrictTo(asked, state.graph); }, state_);
  } catch (const std::bad_alloc&) {
    throw Error(Exit::kMemory, "out of host memory for the arcs of a table");
  }
}

std::unique_ptr<GpuSweeps> Prepared::onGpu() const {
  return std::visit([](const auto& state) { return sweepsOnGpu(state.graph); }, state_);
}

void Prepared::sweep(int first, int count, int* rows) {
  std::visit([&](auto& state) { sweepWith(state, first, count, rows); }, state_);
}

}  // namespace sparse
