#include "plan/by_edges.h"

#include <optional>

#include "base/error.h"
#include "plan/decision.h"
#include "plan/edge_run.h"

namespace engine {

namespace {

/// Whether a run of edges is wanted and possible. A graph that is held as a matrix is solved in
/// place.
bool mayTakeEdges(const Problem& problem, const Execution& where) {
  return problem.graph.heldAsEdges() && mayTakeEdges(where.options.method);
}

/// An order of elimination is for the sparse method, and for a graph of edges whose vertices keep
/// their numbers. Throws Error(kUsage) if it is given for anything else.
void requireOrderFits(const Problem& problem, const Execution& where) {
  if (where.order == nullptr) return;
  if (!problem.graph.heldAsEdges() || !plan::asksForSparse(where) || where.renumbers)
    throw Unsupported(
        "an order of elimination is for the sparse method and a graph of edges, whose "
        "vertices keep their numbers: leave the order out");
}

}  // namespace

Solver orByEdges(Solver one) {
  Solver row = one;
  row.plan = [one](const Problem& problem, const Execution& where) {
    if (plan::asksForLevels(where)) plan::requireLevels(problem.graph);
    requireOrderFits(problem, where);
    std::optional<plan::Decision> decision;
    if (mayTakeEdges(problem, where)) decision = plan::placed(problem, where, one);
    if (!decision) return one.plan(problem, where);
    Plan made;
    made.memory = decision->memory;
    made.place = decision->place;
    made.method = decision->method == Method::kAuto ? where.options.method : decision->method;
    made.expected = decision->expected;
    if (decision->survey != nullptr)
      made.order = {decision->survey, &decision->survey->elimination.vertex};
    made.begin = [where, one, decided = *decision](const Problem& given) {
      return plan::runOfEdges(given, where, one, decided);
    };
    return made;
  };
  return row;
}

}  // namespace engine
