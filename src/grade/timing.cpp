#include "grade/timing.h"

#include <utility>

#include "generate/generate.h"
#include "measure/disturbance.h"
#include "measure/session.h"
#include "measure/tables.h"

namespace {

constexpr VerifyPlan kVerify = {VerifyPlan::Oracle::kRef};

Spec specOf(int n) {
  Spec spec;
  spec.n = n;
  return spec;
}

}  // namespace

/// The graph of one size, on which all solvers are timed.
class SolverTimer::Graph {
 public:
  Graph(const Device& device, int n, const MeasurePlan& plan, const Solver& solver)
      : spec_(specOf(n)),
        graph_(spec_),
        memory_(requireMemory({graph_}, device, {findSolver("ref", device.kind()), solver}, kVerify,
                              plan)),
        session_(graph_, device, plan, memory_.keepsGraph),
        base_(session_.describe(describe(spec_), std::to_string(spec_.seed))) {}

  Record run(const Solver& solver) {
    Record record = session_.run(solver, kVerify, base_);
    session_.release();  // the next submission must not share the device with this one's worker
    return record;
  }

  SizeTimes times(const Record& record) const {
    SizeTimes times;
    times.n = spec_.n;
    times.timing = record.timing;
    times.seeds = {spec_.seed};
    times.causes = disturbanceOf(record);
    times.disturbed = !times.causes.empty();
    return times;
  }

 private:
  const Spec spec_;
  ProblemGraph graph_;
  const SessionMemory memory_;
  Session session_;
  const Record base_;
};

SolverTimer::SolverTimer(const Device& device, std::vector<int> sizes, const MeasurePlan& plan)
    : device_(device), sizes_(std::move(sizes)), plan_(plan) {}

SolverTimer::~SolverTimer() = default;

SolverTimes SolverTimer::time(const Solver& solver) {
  SolverTimes found;
  for (std::size_t at = 0; at < sizes_.size(); ++at) {
    if (at == graphs_.size())
      graphs_.push_back(std::make_unique<Graph>(device_, sizes_[at], plan_, solver));
    const Record record = graphs_[at]->run(solver);
    found.warnings.add(record.n, record.warning);
    if (record.failed()) {
      found.verdict = record.fault.empty() ? "wrong" : record.fault;
      found.reason = record.fault.empty() ? mismatchText(record) : record.faultText;
      return found;
    }
    found.sizes.push_back(graphs_[at]->times(record));
  }
  return found;
}
