#include "solver/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/size.h"
#include "solver/reach_gpu.h"

namespace engine {

namespace {

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

/// The row and the column of the first pair that has a distance in `reached` and none in `found`,
/// which has the same rows and columns; −1 and −1 if there is none.
std::pair<int, int> firstMissing(const Distances& found, const Distances& reached) {
  constexpr std::size_t kTogether = std::size_t{1} << 22;  // distances that are looked at
  const auto width = asSize(found.columns());
  const int rows = static_cast<int>(std::clamp<std::size_t>(kTogether / width, 1, 64));
  std::vector<char> missing(asSize(rows) * width);
  std::pair<int, int> pair(-1, -1);
  for (int begin = 0; begin < found.rowCount() && pair.first < 0; begin += rows) {
    const int end = std::min(begin + rows, found.rowCount());
    found.rows(begin, end, [&](int first, int count, ConstElements elements) {
      withElements(elements, [&](const auto* row) {
        using T = NumberAt<decltype(row)>;
        std::transform(row, row + asSize(count) * width,
                       missing.begin() + (first - begin) * std::ptrdiff_t(width),
                       [](T distance) { return distance >= kInfinity<T>; });
      });
    });
    reached.rows(begin, end, [&](int first, int count, ConstElements elements) {
      if (pair.first >= 0) return;
      withElements(elements, [&](const auto* row) {
        const char* const lacks = missing.data() + asSize(first - begin) * width;
        for (std::size_t at = 0; at < asSize(count) * width && pair.first < 0; ++at)
          if (lacks[at] != 0 && row[at] < kInfinity<NumberAt<decltype(row)>>)
            pair = {first + static_cast<int>(at / width), static_cast<int>(at % width)};
      });
    });
  }
  return pair;
}

}  // namespace

std::string limitText(Dtype dtype) {
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

TooFar::TooFar(const std::string& told, int from, int to)
    : RangeError(fmt::format("{}, the first pair {} -> {})", told, from, to)),
      facts(told),
      source(from),
      target(to) {}

std::string tooFarText(const TooFar& error, const std::function<std::string(int vertex)>& nameOf) {
  return fmt::format("{}, the first pair {} -> {})", error.facts, nameOf(error.source),
                     nameOf(error.target));
}

bool mayReachInfinity(int n, Dtype dtype, double heaviest, double depth) {
  return (n - 1) * heaviest + depth >= limitOf(dtype);
}

namespace {

/// The largest of n distances that lie `step` elements apart, or 0. Nothing if one is missing.
std::optional<double> farthestOf(DeviceKind where, int n, std::size_t step, ConstElements distances,
                                 CUstream_st* stream) {
  if (where == DeviceKind::kGpu) {
    const GraphStats line = reachOnGpu(asSize(n), step, distances, stream);
    return line.edges == asSize(n) ? std::optional(toDouble(line.maxWeight)) : std::nullopt;
  }
  return withElements(distances, [&](const auto* first) {
    using T = NumberAt<decltype(first)>;
    T most = 0;
    for (std::size_t at = 0; at < asSize(n) && most < kInfinity<T>; ++at)
      most = std::max(most, first[at * step]);
    return most < kInfinity<T> ? std::optional(static_cast<double>(most)) : std::nullopt;
  });
}

}  // namespace

bool fitThroughFirst(DeviceKind where, int n, ConstElements distances, double depth,
                     CUstream_st* stream) {
  const auto from = farthestOf(where, n, 1, distances, stream);
  if (!from) return false;
  const auto to = farthestOf(where, n, asSize(n), distances, stream);
  return to && *from + *to + depth < limitOf(distances.dtype());
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
                const GraphStats& input, const Distances& found, const GraphStats& output,
                std::uint64_t unreachable, double leastPotential) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const double depth = -leastPotential;
  const double heaviest = std::max(0.0, toDouble(input.maxWeight));
  const bool wholeRows = problem.asked == nullptr || problem.asked->targets.empty();
  const double farthest = wholeRows ? std::max(0.0, toDouble(output.maxWeight)) + heaviest
                                    : std::numeric_limits<double>::infinity();
  if (unreachable == 0 || !mayReachInfinity(n, dtype, heaviest, depth) ||
      farthest + depth < limitOf(dtype))
    return;
  const Progress solving("looking for distances that are too large");
  const ProblemGraph zero = problem.graph.withZeroWeights();
  const auto run = prepareAsked(solver, {zero, problem.asked}, where);
  run->reset();
  run->solve();
  const std::uint64_t reachable = statistics(run->distances()).edges;
  if (reachable <= output.edges) return;
  const std::string facts = fmt::format(
      "{} reachable only over a distance of {} or more, which {} "
      "weights cannot hold: {}scale them down (the heaviest is {}",
      counted(reachable - output.edges, "pair is", "pairs are"), limitText(dtype), nameOf(dtype),
      widerThan(dtype), textOf(input.maxWeight));
  const auto [row, column] = firstMissing(found, run->distances());
  // A solver that is wrong may count other pairs than its rows have.
  if (row < 0) throw RangeError(facts + ")");
  throw TooFar(facts, found.source(row), found.target(column));
}

void requireRangeOnGpu(int n, ConstElements distances, CUstream_st* stream) {
  constexpr int kOnThreeVertices = 3;  // a path of two edges
  const Dtype dtype = distances.dtype();
  if (fitThroughFirst(DeviceKind::kGpu, n, distances, 0, stream)) return;
  const std::size_t all = asSize(n) * asSize(n);
  const GraphStats found = reachOnGpu(all, 1, distances, stream);
  if (found.edges == all || !mayReachInfinity(kOnThreeVertices, dtype, toDouble(found.maxWeight)))
    return;
  const auto pair = firstOpenPair(n, distances, stream);
  if (!pair) return;
  throw RangeError(fmt::format(
      "{} -> {} is reachable only over a distance of {} or more, which {} weights cannot hold: "
      "{}scale them down (the largest distance below it is {})",
      pair->first, pair->second, limitText(dtype), nameOf(dtype), widerThan(dtype),
      textOf(found.maxWeight)));
}

}  // namespace engine
