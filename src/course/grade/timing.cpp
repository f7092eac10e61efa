#include "grade/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "generate/generate.h"
#include "generate/source.h"
#include "measure/disturbance.h"
#include "measure/session.h"
#include "measure/tables.h"
#include "submission/submission.h"

namespace {

constexpr int kCallsIfLong = 2;  // a slow solver's calls differ little

/// `apsp` computes the expected distances of all others. Its own cannot be compared with those of
/// `ref` after each call, because that takes minutes.
VerifyOptions verifyOptionsOf(const Solver& solver) {
  using Oracle = VerifyOptions::Oracle;
  const bool isOracle = submitted(solver).version.empty() && solver.name == kVerified;
  return {isOracle ? Oracle::kDijkstra : Oracle::kApsp};
}

SizeTimes timesOf(const Record& record, std::uint64_t seed) {
  SizeTimes times;
  times.n = record.n;
  times.timing = record.timing;
  times.seeds = {seed};
  times.cost = record.worker.cost;
  times.events = record.worker.own;
  times.causes = disturbanceOf(record);
  times.disturbed = !times.causes.empty();
  times.doubt = record.doubt;
  times.verified = record.verdict.how;
  times.hash = fmt::format("{:016x}", record.graph.hash);
  return times;
}

/// A size that nobody can know before, from the upper half of those below the largest.
int randomSize(const std::vector<int>& sizes, std::uint64_t seed) {
  const int largest = sizes.back(), least = largest / 2;
  return least + static_cast<int>(seedOfCall(seed, 0, 0) % (largest - least + std::uint64_t{1}));
}

/// Notes what is wrong with a result, if anything is, and on which graphs.
bool failed(const Record& record, std::uint64_t seed, SolverTimes& found) {
  found.warnings.add(record.n, record.warning);
  if (!record.failed()) return false;
  found.verdict = record.fault.empty() ? "wrong" : record.fault;
  found.reason = fmt::format("{} (--family {} --n {} --seed {} --vary)",
                             record.fault.empty() ? mismatchText(record) : record.faultText,
                             kTimedFamily, record.n, seed);
  return true;
}

}  // namespace

double longCallAt(int n, int largest, bool ours) {
  return ours || n == largest ? 1000 : 250;
}

std::vector<SizeTimes> countingTimes(const std::vector<SolverTimes>& timings) {
  const auto order = [](const SizeTimes& each) {
    return std::tuple(!each.doubt.empty(), each.disturbed, each.timing.median);
  };
  std::vector<SizeTimes> counting;
  for (const SolverTimes& timing : timings) {
    for (const SizeTimes& each : timing.sizes) {
      const auto same = std::find_if(counting.begin(), counting.end(),
                                     [&](const SizeTimes& other) { return other.n == each.n; });
      if (same == counting.end())
        counting.push_back(each);
      else if (order(each) < order(*same))
        *same = each;
    }
  }
  return counting;
}

bool anyDisturbed(const std::vector<SizeTimes>& sizes) {
  return std::any_of(sizes.begin(), sizes.end(),
                     [](const SizeTimes& each) { return each.disturbed; });
}

SolverTimer::SolverTimer(const Device& device, std::vector<int> sizes,
                         const MeasureOptions& options, std::uint64_t seed)
    : device_(device),
      sizes_(std::move(sizes)),
      options_(options),
      seed_(seed),
      calibration_(calibrationOf(device)) {
  options_.vary = true;
  options_.atMost = kMostVaried;
  options_.ifLong = kCallsIfLong;
}

Record SolverTimer::run(const Solver& solver, int n, const MeasureOptions& options,
                        std::uint64_t seed) const {
  Spec spec;
  spec.family = familyIndex(kTimedFamily);
  spec.n = n;
  spec.seed = seed;
  ProblemGraph graph(spec);
  const VerifyOptions verify = verifyOptionsOf(solver);
  const SessionMemory memory = requireMemory({graph}, device_, {solver}, verify, options);
  Session session(graph, device_, options, memory);
  return session.run(solver, verify, session.describe(describe(spec), seed));
}

SolverTimes SolverTimer::time(const Solver& solver) {
  const bool ours = submitted(solver).version.empty();
  const Solver timed = ours ? inWorker(solver, device_) : solver;
  const std::uint64_t seed = seed_ != 0 ? seed_ : drawSeed();
  SolverTimes found;
  for (const int n : sizes_) {
    MeasureOptions options = options_;
    if (!options.asked) options.countsFirstFrom = longCallAt(n, sizes_.back(), ours);
    const Record record = run(timed, n, options, seed);
    if (failed(record, seed, found)) return found;
    found.sizes.push_back(timesOf(record, seed));
  }
  MeasureOptions once = options_;
  once.warmup = 0;
  once.reps = 1;
  const int n = randomSize(sizes_, seed);
  calibration_->leaveOut(n);  // this would take longer than the call
  const Record record = run(timed, n, once, seed);
  if (failed(record, seed, found)) found.reason += fmt::format(" (n = {} is a random size)", n);
  return found;
}
