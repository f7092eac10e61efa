#include "negative/negative.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/negative_cycle.h"
#include "negative/potentials.h"
#include "negative/shift.h"

namespace {

/// The matrix in a device's memory as a graph.
Graph graphOn(const Device& device, int n, const int* matrix) {
  Graph graph;
  graph.n = n;
  Matrix host(n);
  device.download(host.data(), matrix, host.size());
  graph.body = std::move(host);
  return graph;
}

/// Makes the potentials right. Returns how many passes lowered one, and the least of them. Throws
/// as potentialsOf() does.
Reweighting settle(const Device& device, int n, const int* matrix, Shift& shift) {
  int passes = 0;
  for (int batch = 4;; batch = std::min(2 * batch, 256)) {
    const int lowered = shift.relax(batch);
    passes += lowered;
    const bool done = lowered < batch;
    if (passes == 0) return {};
    const std::vector<int> potentials = shift.potentials();
    const int least = *std::min_element(potentials.begin(), potentials.end());
    // What follows is an error, so its time does not matter: 64 bits tell a cycle from a long path.
    if (least == -kInf || (!done && !parentCycle(shift.parents()).empty()))
      potentialsOf(graphOn(device, n, matrix));
    if (done) return {passes, static_cast<double>(least)};
  }
}

Call solveShifted(const InPlace& solve, const Device& device, int n, int* matrix, Dtype dtype,
                  const Options& options) {
  const std::unique_ptr<Shift> shift = shiftOn(device, n, matrix);
  Reweighting done;
  const double before = device.time([&] {
    done = settle(device, n, matrix, *shift);
    if (done.passes > 0) shift->reweight();
  });
  Call call = solve(device, n, matrix, dtype, options);
  done.milliseconds = before;
  if (done.passes > 0) done.milliseconds += device.time([&] { shift->shiftBack(); });
  call.milliseconds += done.milliseconds;
  call.outcome.reweighting = done;
  return call;
}

template <class Potential>
PotentialsAs<Potential> potentialsAs(const Graph& graph) {
  if constexpr (std::is_same_v<Potential, int>)
    return potentialsOf(graph);
  else
    return realPotentialsOf(graph);
}

/// A run whose graph is reweighted in host memory. Potential: int, or long double for floats.
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
    const bool real = reweighted_.dtype() == Dtype::kFloat32;
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
  if (one.inPlace == nullptr || problem.graph.dtype() == Dtype::kFloat32) return false;
  if (isShared(where)) return false;
  const bool picks =
      where.options.method == Method::kAuto || where.options.method == Method::kSparse;
  if (where.device.kind() == DeviceKind::kCpu)
    return !(one.can.methods && picks && problem.graph.heldAsEdges());
  if (!one.can.ranks) return true;
  const std::size_t matrices = matrixBytes(problem.graph.n()) * (where.renumbers ? 2 : 1);
  return matrices + matrices / 16 <= where.device.freeBytes();  // else it streams
}

/// Bytes of host memory that the graph and the reweighted one beside it will take.
std::size_t bytesOfTwo(const ProblemGraph& graph) {
  if (graph.unread()) return 0;
  if (graph.hostBytes() > 0) return 2 * graph.hostBytes();
  const Graph& given = graph.onHost();
  return given.dense() ? matrixBytes(given.n) : given.edges().size() * sizeof(Edge);
}

/// Bytes of the rows that are shifted at a time.
std::size_t bytesOfRows(const Problem& problem) {
  const int rows = std::min(problem.rows(), rowsAtATime(problem.columns()));
  return sizeof(int) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(problem.columns());
}

}  // namespace

Solver withNegativeWeights(const Solver& one) {
  Solver row = one;
  const InPlace solve =
      one.inPlace == nullptr
          ? InPlace()
          : [one](const Device& device, int n, int* matrix, Dtype dtype, const Options& options) {
              return solveShifted(one.inPlace, device, n, matrix, dtype, options);
            };
  row.inPlace = solve;
  row.plan = [one, solve](const Problem& problem, const Execution& where) {
    const Plan of = one.plan(problem, where);
    Plan plan = of;
    if (worksInPlace(one, problem, where)) {
      const std::size_t more = shiftBytes(problem.graph.n());
      plan.memory.device += more;
      plan.memory.best += plan.memory.best > 0 ? more : 0;
      plan.place = Destination::kMatrix;
      plan.begin = inPlace(one, solve, nullptr).plan(problem, where).begin;
      return plan;
    }
    plan.memory.host += bytesOfTwo(problem.graph) + bytesOfRows(problem);
    plan.begin = [of, &device = where.device](const Problem& given) -> std::unique_ptr<Run> {
      if (given.graph.dtype() == Dtype::kFloat32)
        return std::make_unique<ReweightedRun<long double>>(of, given, device);
      return std::make_unique<ReweightedRun<int>>(of, given, device);
    };
    return plan;
  };
  return row;
}
