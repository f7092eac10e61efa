#include "solver/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "base/progress.h"
#include "base/quantity.h"

namespace {

/// What distances must be below, for messages.
std::string reachOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt32:
      return std::to_string(kInfinity<std::int32_t>);
    case Dtype::kInt64:
      return std::to_string(kInfinity<std::int64_t>);
    case Dtype::kFloat32:
      return "3.4e+38";
    case Dtype::kFloat64:
      break;
  }
  return "1.8e+308";
}

/// What all sums below are of no concern.
double limitOf(Dtype dtype) {
  return withType(dtype, [](auto zero) {
    using T = decltype(zero);
    // Less than the infinity of int64 by more than doubles round here.
    if constexpr (std::is_same_v<T, std::int64_t>) return 0x1p62 * (1 - 0x1p-40);
    if constexpr (std::is_integral_v<T>) return static_cast<double>(kInfinity<T>);
    return std::numeric_limits<T>::max() / 2.0;
  });
}

}  // namespace

bool mayReachInfinity(int n, Dtype dtype, double heaviest, double depth) {
  return (n - 1) * heaviest + depth >= limitOf(dtype);
}

const char* widerThan(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt32:
      return "take i64 weights, or ";
    case Dtype::kFloat32:
      return "take f64 weights, or ";
    case Dtype::kInt64:
      return "take f64 weights, whose sums are rounded, or ";
    case Dtype::kFloat64:
      break;
  }
  return "";
}

void checkRange(const Solver& solver, const Problem& problem, const Execution& where,
                const GraphStats& input, const GraphStats& output, std::uint64_t unreachable,
                double leastPotential) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const double depth = -leastPotential;
  const double heaviest = std::max(0.0, toDouble(input.maxWeight));
  const bool wholeRows = problem.asked == nullptr || problem.asked->targets.empty();
  const double found = wholeRows ? std::max(0.0, toDouble(output.maxWeight)) + heaviest
                                 : std::numeric_limits<double>::infinity();
  if (unreachable == 0 || !mayReachInfinity(n, dtype, heaviest, depth) ||
      found + depth < limitOf(dtype))
    return;
  const Progress solving("looking for distances that are too large");
  const ProblemGraph zero = problem.graph.withZeroWeights();
  const auto run = prepareAsked(solver, {zero, problem.asked}, where);
  run->reset();
  run->solve();
  const std::uint64_t reachable = statistics(run->distances()).edges;
  if (reachable <= output.edges) return;
  throw RangeError(
      fmt::format("{} reachable only over a distance of {} or more, which {} "
                  "weights cannot hold: {}scale them down (the heaviest is {})",
                  counted(reachable - output.edges, "pair is", "pairs are"), reachOf(dtype),
                  nameOf(dtype), widerThan(dtype), textOf(input.maxWeight)));
}
