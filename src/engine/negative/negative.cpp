#include "negative/negative.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/negative_cycle.h"
#include "base/size.h"
#include "negative/potentials.h"
#include "negative/reached.h"
#include "negative/shift.h"
#include "solver/narrowing.h"

namespace engine {

namespace {

/// The matrix in a device's memory as a graph.
Graph graphOn(const Device& device, int n, ConstElements matrix) {
  Graph graph;
  graph.n = n;
  Matrix host(n, matrix.dtype());
  download(device, host.data(), matrix, host.size());
  graph.body = std::move(host);
  return graph;
}

/// Makes the potentials right. Returns how many passes lowered one, and the least of them. Throws
/// as potentialsOf() does.
Reweighting settle(const Device& device, int n, ConstElements matrix, Shift& shift) {
  const std::int64_t infinity =
      matrix.dtype() == Dtype::kInt32 ? kInfinity<std::int32_t> : kInfinity<std::int64_t>;
  int passes = 0;
  for (int batch = 4;; batch = std::min(2 * batch, 256)) {
    const int lowered = shift.relax(batch);
    passes += lowered;
    const bool done = lowered < batch;
    if (passes == 0) return {};
    const std::vector<std::int64_t> potentials = shift.potentials();
    const std::int64_t least = *std::min_element(potentials.begin(), potentials.end());
    // What follows is an error, so its time does not matter: wider sums tell a cycle from a long
    // path.
    if (least == -infinity || (!done && !parentCycle(shift.parents()).empty()))
      potentialsOf(graphOn(device, n, matrix));
    if (done) return {passes, static_cast<double>(least)};
  }
}

Call solveShifted(const InPlace& solve, const Device& device, int n, Elements matrix,
                  const Options& options) {
  const std::unique_ptr<Shift> shift = shiftOn(device, n, matrix);
  Reweighting done;
  const double before = device.time([&] {
    done = settle(device, n, matrix, *shift);
    if (done.passes > 0) shift->reweight();
  });
  Call call = solve(device, n, matrix, options);
  done.milliseconds = before;
  if (done.passes > 0) done.milliseconds += device.time([&] { shift->shiftBack(); });
  call.milliseconds += done.milliseconds;
  call.outcome.reweighting = done;
  return call;
}

template <class Potential>
PotentialsAs<Potential> potentialsAs(const Graph& graph) {
  if constexpr (std::is_integral_v<Potential>)
    return potentialsOf(graph);
  else
    return realPotentialsOf(graph);
}

/// A run whose graph is reweighted in host memory. Potential: int64, or long double for reals.
template <class Potential>
class ReweightedRun : public Run {
 public:
  /// plan: of the graph's vertices and edges, whatever their weights are.
  ReweightedRun(const Plan& plan, const Problem& problem, const Device& device)
      : graph_(problem.graph),
        asked_(problem.asked),
        device_(device),
        reweighted_(problem.graph),
        run_(beginAsked(plan, {reweighted_, asked_})) {}

  void reset(int first) override { first_ = first; }

  Call solve() override {
    PotentialsAs<Potential> potentials;
    const double own = device_.time([&] {
      const Graph& graph = graph_.onHost();
      potentials = potentialsAs<Potential>(graph);
      reweighted_ = potentials.passes > 0 ? ProblemGraph(reweighted(graph, potentials.of)) : graph_;
    });
    potentials_ = std::move(potentials.of);
    run_->reset(first_);  // places the reweighted graph
    Call call = run_->solve();
    call.milliseconds += own;
    call.outcome.reweighting = {potentials.passes, least(), own};
    return call;
  }

  const Distances& distances() override {
    const bool real = !isWhole(reweighted_.dtype());
    shifted_.emplace(run_->distances(), potentials_, asked_, real ? &reweighted_ : nullptr);
    return *shifted_;
  }

 private:
  double least() const {
    if (potentials_.empty()) return 0;
    return static_cast<double>(*std::min_element(potentials_.begin(), potentials_.end()));
  }

  const ProblemGraph& graph_;
  const Selection* const asked_;
  const Device& device_;
  ProblemGraph reweighted_;
  const std::unique_ptr<Run> run_;
  std::vector<Potential> potentials_;
  std::optional<ShiftedDistances<Potential>> shifted_;
  int first_ = 0;
};

/// Whether the solver works on a matrix in the memory of one device, as far as that is known
/// before.
bool worksInPlace(const Solver& one, const Problem& problem, const Execution& where) {
  const Dtype dtype = problem.graph.dtype();
  if (one.inPlace == nullptr || !shiftsOn(where.device.kind(), dtype)) return false;
  if (isShared(where)) return false;
  const bool picks = mayTakeEdges(where.options.method);
  if (where.device.kind() == DeviceKind::kCpu)
    return !(one.can.methods && picks && problem.graph.heldAsEdges());
  if (!one.can.ranks) return true;
  const std::size_t matrices = matrixBytes(problem.graph.n(), dtype) * (where.renumbers ? 2 : 1);
  return where.device.hasRoom(matrices + matrices / 16);  // else it streams
}

/// Bytes of host memory that the graph and the reweighted one beside it will take.
std::size_t bytesOfTwo(const ProblemGraph& graph) {
  if (graph.unread()) return 0;
  if (graph.hostBytes() > 0) return 2 * graph.hostBytes();
  const Graph& given = graph.onHost();
  if (given.dense()) return matrixBytes(given.n, given.dtype());
  return withEdges(given, [](const auto& edges) { return edges.size() * sizeof edges[0]; });
}

/// Bytes of the rows that are shifted at a time.
std::size_t bytesOfRows(const Problem& problem) {
  const Dtype dtype = problem.graph.dtype();
  const int rows = std::min(problem.rows(), rowsAtATime(problem.columns(), dtype));
  return sizeOf(dtype) * asSize(rows) * asSize(problem.columns());
}

/// A run of a table from some vertices. If there is a negative cycle, it tries once more without
/// what they do not reach: then there is none, or they reach one.
class RunOfReached : public Run {
 public:
  RunOfReached(const Solver& row, const Problem& problem, const Execution& where,
               std::unique_ptr<Run> run)
      : row_(row), problem_(problem), where_(where), run_(std::move(run)) {}

  void reset(int first) override {
    first_ = first;
    if (run_ == nullptr || (part_ && problem_.graph.seeded())) {  // it may be another graph
      run_ = row_.prepare(problem_, where_);
      part_.reset();
      trying_ = 0;
    }
    run_->reset(first);
  }

  Call solve() override {
    Call call = part_ ? run_->solve() : solveAll();
    call.milliseconds += trying_;
    return call;
  }

  const Distances& distances() override { return run_->distances(); }

 private:
  Call solveAll() {
    std::optional<Call> done;
    const double tried = millisecondsOf([&] {
      try {
        done = run_->solve();
      } catch (const NegativeCycle&) {
        part_.emplace(edgesOfReached(problem_.graph.onHost(), problem_.asked->sources));
      }
    });
    if (done) return *done;
    trying_ = tried;
    run_.reset();
    run_ = row_.prepare({*part_, problem_.asked}, where_);
    run_->reset(first_);
    return run_->solve();
  }

  const Solver row_;
  const Problem problem_;
  const Execution where_;
  std::optional<ProblemGraph> part_;  // what is solved instead of the graph
  std::unique_ptr<Run> run_;
  double trying_ = 0;  // milliseconds, until the cycle was found and the part was made
  int first_ = 0;
};

/// The same solver, which is stopped by no negative cycle that is out of reach.
Solver ofReached(const Solver& one) {
  Solver row = one;
  row.plan = [one](const Problem& problem, const Execution& where) {
    Plan plan = one.plan(problem, where);
    if (problem.asked == nullptr || problem.asked->sources.empty()) return plan;
    plan.begin = [one, where, begin = plan.begin](const Problem& given) -> std::unique_ptr<Run> {
      return std::make_unique<RunOfReached>(one, given, where, begin(given));
    };
    return plan;
  };
  return row;
}

}  // namespace

Solver withNegativeWeights(const Solver& one) {
  Solver row = one;
  const InPlace solve =
      one.inPlace == nullptr
          ? InPlace()
          : [one](const Device& device, int n, Elements matrix, const Options& options) {
              return solveShifted(one.inPlace, device, n, matrix, options);
            };
  row.inPlace = solve;
  row.plan = [one, solve](const Problem& problem, const Execution& where) {
    Execution inside = where;
    inside.summarises = Summarise::kNothing;  // the distances still have to be shifted
    inside.sink = nullptr;
    // What can be narrowed has been, before it was reweighted: see below.
    const bool wide = isWide(problem.graph.dtype());
    if (wide && one.can.narrows) inside.options.precision = Precision::k64;
    const Plan of = one.plan(problem, inside);
    Plan plan = of;
    if (worksInPlace(one, problem, where)) {
      const std::size_t more = shiftBytes(problem.graph.n(), problem.graph.dtype());
      plan.memory.device += more;
      plan.memory.best += plan.memory.best > 0 ? more : 0;
      plan.place = Destination::kMatrix;
      plan.begin = inPlace(one, solve, nullptr).plan(problem, where).begin;
      return plan;
    }
    plan.memory.host += bytesOfTwo(problem.graph) + bytesOfRows(problem);
    plan.begin = [of, &device = where.device](const Problem& given) -> std::unique_ptr<Run> {
      if (isWhole(given.graph.dtype()))
        return std::make_unique<ReweightedRun<std::int64_t>>(of, given, device);
      return std::make_unique<ReweightedRun<long double>>(of, given, device);
    };
    return plan;
  };
  return ofReached(one.can.narrows ? orNarrowed(row) : row);
}

}  // namespace engine
