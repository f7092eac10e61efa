#include "measure/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"

Timing summarise(std::vector<double> milliseconds) {
  std::vector<double> sorted = milliseconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t count = sorted.size();
  const auto quantile = [&](double part) {
    const double at = part * static_cast<double>(count - 1);
    const auto below = asSize(at);
    const double next = sorted[std::min(below + 1, count - 1)];
    return sorted[below] + (at - static_cast<double>(below)) * (next - sorted[below]);
  };
  Timing timing = {quantile(0.5),           sorted.front(), sorted.back(),
                   static_cast<int>(count), quantile(0.25), quantile(0.75)};
  const double reach = 1.5 * (timing.q3 - timing.q1);
  timing.outliers = static_cast<int>(std::count_if(sorted.begin(), sorted.end(), [&](double ms) {
    return ms < timing.q1 - reach || ms > timing.q3 + reach;
  }));
  timing.calls = std::move(milliseconds);
  return timing;
}

bool needNoWarmup(double first, double second, double least) {
  constexpr double kClose = 0.01;
  const double shorter = std::min(first, second);
  return shorter >= least && std::max(first, second) - shorter <= kClose * shorter;
}

namespace {

constexpr int kAtLeast = 5;

/// Whether so many calls, which took so long together, are enough where nobody says how many.
bool areEnough(int calls, double milliseconds, int atLeast, int atMost, int ifLong) {
  constexpr double kSpend = 200, kLong = 2000;
  const int needed = milliseconds >= kLong ? std::min(ifLong, atLeast) : atLeast;
  return calls >= atMost || (calls >= needed && milliseconds >= kSpend);
}

/// measure() with so many calls that count where nobody says how many.
Timing measureWithin(int atLeast, int atMost, const MeasureOptions& measuring,
                     const std::function<double(int)>& call) {
  std::vector<double> times;
  double spent = 0;
  const auto enough = [&] {
    const int count = static_cast<int>(times.size());
    return measuring.reps > 0 ? count >= measuring.reps
                              : areEnough(count, spent, atLeast, atMost, measuring.ifLong);
  };
  // Where the time decides, the mean of the calls so far tells how many it will let through.
  const auto expected = [&] {
    if (measuring.reps > 0) return measuring.reps;
    if (times.empty()) return atLeast;
    const double mean = spent / static_cast<double>(times.size());
    int count = static_cast<int>(times.size());
    while (!areEnough(count, count * mean, atLeast, atMost, measuring.ifLong)) ++count;
    return count;
  };
  const auto total = [&] { return static_cast<std::uint64_t>(measuring.warmup + expected()); };
  const bool mayCountFirst = measuring.warmup == 1 && measuring.reps == 0;
  double first = 0;
  Progress calls("", total(), Units::kCalls);
  for (int number = 1; !enough(); ++number, calls.advance()) {
    const double milliseconds = call(number);
    if (number == 1) first = milliseconds;
    if (number <= measuring.warmup) continue;
    if (mayCountFirst && number == 2 &&
        needNoWarmup(first, milliseconds, measuring.countsFirstFrom)) {
      Timing both = summarise({first, milliseconds});
      both.warmup = 0;
      return both;
    }
    times.push_back(milliseconds);
    spent += milliseconds;
    calls.setTotal(total());
  }
  Timing timing = summarise(std::move(times));
  timing.warmup = measuring.warmup;
  return timing;
}

}  // namespace

Timing measure(const MeasureOptions& measuring, const std::function<double(int)>& call) {
  return measureWithin(kAtLeast, measuring.atMost, measuring, call);
}

Timing measure(Run& run, const std::string& name, const MeasureOptions& measuring,
               const AroundCall& around) {
  using Seconds = std::chrono::duration<double>;
  Seconds expected{0};  // for the progress line: the next call will take as long as the last one
  const auto solve = [&](int number) {
    around.reset(number);
    const Call call = [&] {
      const Progress solving{expected};
      const auto begin = std::chrono::steady_clock::now();
      Call made = run.solve();
      expected = std::chrono::steady_clock::now() - begin;
      return made;
    }();
    if (call.outcome.tier == Tier::kNone) {
      throw Error(ErrorCode::kInput,
                  "kernel " + name +
                      ": 16 bits cannot be certified to hold this graph's distances: "
                      "use --precision auto or 32");
    }
    around.done(call);
    return call.milliseconds;
  };
  return measureWithin(std::min(kAtLeast, around.atMost), std::min(measuring.atMost, around.atMost),
                       measuring, solve);
}
