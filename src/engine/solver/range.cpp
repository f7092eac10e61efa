#include "solver/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/progress.h"
#include "base/quantity.h"

void checkRange(const Solver& solver, const Problem& problem, const Execution& where,
                const GraphStats& input, const GraphStats& output, std::uint64_t unreachable,
                int leastPotential) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const bool floats = dtype == Dtype::kFloat32;
  const double depth = -static_cast<double>(leastPotential);
  const double heaviest = std::max(0.0, toDouble(input.maxWeight, dtype));
  const bool wholeRows = problem.asked == nullptr || problem.asked->targets.empty();
  const double found = wholeRows ? std::max(0.0, toDouble(output.maxWeight, dtype)) + heaviest
                                 : std::numeric_limits<double>::infinity();
  const double farthest = std::min((n - 1) * heaviest, found) + depth;
  const double limit = floats ? std::numeric_limits<float>::max() / 2.0 : double{kInf};
  const bool farEnough = farthest >= limit;
  if (!farEnough || unreachable == 0) return;
  const Progress solving("looking for distances that are too large");
  const ProblemGraph zero = problem.graph.withZeroWeights();
  const auto run = prepareAsked(solver, {zero, problem.asked}, where);
  run->reset();
  run->solve();
  const std::uint64_t reachable = statistics(run->distances()).edges;
  if (reachable <= output.edges) return;
  throw Error(Exit::kInput, fmt::format("{} reachable only over a distance of {} or more, which {} "
                                        "weights cannot hold: scale them down (the heaviest is {})",
                                        counted(reachable - output.edges, "pair is", "pairs are"),
                                        floats ? "3.4e+38" : std::to_string(kInf), nameOf(dtype),
                                        weightText(input.maxWeight, dtype)));
}
