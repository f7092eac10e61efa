#include "measure/rank_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/size.h"

namespace {

/// Twice the mean rank of each value, those of A first. A rank counts from 1. Twice a mean rank is
/// a whole number.
std::vector<int> doubledRanks(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> values = a;
  values.insert(values.end(), b.begin(), b.end());
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> ranks;
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    ranks.push_back(static_cast<int>((first - sorted.begin()) + (last - sorted.begin()) + 1));
  }
  return ranks;
}

/// How probable it is that `some` of these doubled ranks, chosen at random, have a sum that is at
/// least so far from the expected one.
double exactP(const std::vector<int>& ranks, std::size_t some, double distance) {
  // parts[k][s]: which part of all choices of k among the ranks so far has the sum s.
  const std::size_t most = some * 2 * ranks.size();
  std::vector<std::vector<double>> parts(some + 1, std::vector<double>(most + 1, 0));
  parts[0][0] = 1;
  std::size_t seen = 0;
  for (const int rank : ranks) {
    const auto add = asSize(rank);
    ++seen;
    // A choice of k of the ranks so far has the new one with probability k / seen.
    for (std::size_t k = std::min(seen, some); k > 0; --k) {
      const double with = static_cast<double>(k) / static_cast<double>(seen);
      for (std::size_t sum = 0; sum <= most; ++sum)
        parts[k][sum] =
            (1 - with) * parts[k][sum] + (sum >= add ? with * parts[k - 1][sum - add] : 0);
    }
  }
  const double expected = static_cast<double>(some) * static_cast<double>(ranks.size() + 1);
  double p = 0;
  for (std::size_t sum = 0; sum <= most; ++sum)
    if (std::abs(static_cast<double>(sum) - expected) >= distance) p += parts[some][sum];
  return std::min(1.0, p);
}

/// The same by the normal distribution.
double normalP(const std::vector<int>& ranks, std::size_t some, double distance) {
  const auto all = static_cast<double>(ranks.size()), n = static_cast<double>(some);
  double squares = 0;  // of the distances of the doubled ranks from their mean, which is all + 1
  for (const int rank : ranks) squares += std::pow(rank - (all + 1), 2);
  const double deviation = std::sqrt(n * (all - n) / (all * (all - 1)) * squares);
  if (deviation <= 0) return 1;                              // all values are equal
  const double z = std::max(0.0, distance - 1) / deviation;  // sums are whole numbers: half a rank
  return std::erfc(z / std::sqrt(2.0));
}

/// The places among `count` ascending calls that a summary tells something about: from which place
/// on calls are at least `time`, and up to which place they are at most that.
struct Known {
  double time;
  std::size_t upTo, from;
};

std::vector<Known> knownOf(const Timing& t) {
  const auto last = static_cast<double>(t.reps - 1);
  std::vector<Known> known;
  const auto add = [&](double part, double time) {
    known.push_back({time, asSize(std::floor(part * last)), asSize(std::ceil(part * last))});
  };
  const bool quartiles = t.minimum <= t.q1 && t.q1 <= t.median && t.q1 > 0;
  add(0, t.minimum);
  if (quartiles) add(0.25, t.q1);
  add(0.5, t.median);
  if (quartiles) add(0.75, t.q3);
  add(1, t.maximum);
  return known;
}

}  // namespace

RankTest rankTest(const std::vector<double>& a, const std::vector<double>& b) {
  // The exact test takes so many steps for a pair of samples.
  constexpr double kMostSteps = 3500;
  const bool fewerInA = a.size() <= b.size();
  const std::vector<double>&fewer = fewerInA ? a : b, &more = fewerInA ? b : a;
  const std::vector<int> ranks = doubledRanks(fewer, more);
  const std::size_t some = fewer.size();
  const double expected = static_cast<double>(some) * static_cast<double>(ranks.size() + 1);
  const double sum =
      std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(some), 0.0);
  const double distance = std::abs(sum - expected);
  const bool exact = static_cast<double>(some) * static_cast<double>(ranks.size()) <= kMostSteps;
  return {exact ? exactP(ranks, some, distance) : normalP(ranks, some, distance),
          fewerInA ? expected - sum : sum - expected,
          distance >= static_cast<double>(fewer.size()) * static_cast<double>(more.size())};
}

/// By how much calls with the same time differ. Ties would make the test more certain than it is.
constexpr double kLittle = 1e-9;

std::vector<double> longestCalls(const Timing& timing) {
  std::vector<double> calls;
  const std::vector<Known> known = knownOf(timing);
  for (std::size_t i = 0; i < asSize(timing.reps); ++i) {
    const auto at =
        std::find_if(known.begin(), known.end(), [&](const Known& each) { return i <= each.upTo; });
    calls.push_back(at->time * (1 + kLittle * static_cast<double>(i + 1)));
  }
  return calls;
}

std::vector<double> shortestCalls(const Timing& timing) {
  std::vector<double> calls;
  const std::vector<Known> known = knownOf(timing);
  const auto count = asSize(timing.reps);
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = std::find_if(known.rbegin(), known.rend(),
                                 [&](const Known& each) { return i >= each.from; });
    calls.push_back(at->time * (1 - kLittle * static_cast<double>(count - i)));
  }
  return calls;
}
