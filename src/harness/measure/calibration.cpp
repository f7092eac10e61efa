#include "measure/calibration.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/text_hash.h"
#include "device/device.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "io/json.h"
#include "io/output.h"
#include "plan/choice.h"
#include "solver/solver.h"
#include "system/cache.h"

namespace {

/// The names of the factors in the file.
constexpr struct {
  const char* name;
  double Costs::*factor;
} kFactors[] = {{"dense", &Costs::dense},   {"real", &Costs::real},
                {"sparse", &Costs::sparse}, {"relaxing", &Costs::relaxing},
                {"search", &Costs::search}, {"levels", &Costs::levels}};
/// No factor is further from 1, whatever is measured or stands in a file.
constexpr double kFarthest = 100;
/// Counts the changes of the estimates with which factors that were kept before are wrong.
constexpr int kEstimates = 2;

/// A call and what was expected of it.
struct Timed {
  Call call;
  double expected;
};

/// The call of median time of a few.
Timed timed(const ProblemGraph& graph, Method method, const Selection* asked = nullptr) {
  constexpr int kCalls = 3;
  Execution where{cpuDevice};
  where.options.method = method;
  const Problem problem = {graph, asked};
  const Plan plan = findSolver("apsp", DeviceKind::kCpu).plan(problem, where);
  const auto run = beginAsked(plan, problem);
  std::vector<Call> calls;
  for (int i = 0; i < kCalls; ++i) {
    run->reset();
    calls.push_back(run->solve());
  }
  std::sort(calls.begin(), calls.end(),
            [](const Call& a, const Call& b) { return a.milliseconds < b.milliseconds; });
  return {calls[kCalls / 2], plan.expected};
}

ProblemGraph graphOf(const char* family, int n, Dtype dtype = Dtype::kInt32) {
  Spec spec;
  spec.dtype = dtype;
  spec.family = familyIndex(family);
  spec.n = n;
  return ProblemGraph(sourceOf(spec));
}

/// 1 if nothing is known.
double factorOf(double measured, double expected) {
  if (measured <= 0 || expected <= 0) return 1;
  return std::clamp(measured / expected, 1 / kFarthest, kFarthest);
}

/// The file in a folder; empty if there is no folder.
std::filesystem::path fileOfCosts(const std::filesystem::path& cache) {
  if (cache.empty()) return {};
  const DeviceInfo cpu = cpuDevice.info();
  return cache /
         ("costs-" +
          textHash(cpu.name + "|" + cpu.runtime + "|" + std::to_string(omp_get_max_threads()) +
                   "|" + std::to_string(kEstimates)) +
          ".json");
}

}  // namespace

Costs measureCosts() {
  // Of the time of searches by levels, at least so much is not writing.
  constexpr double kLeastSearching = 0.2;
  const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
  cpuCosts() = {};
  Costs costs;
  const ProblemGraph matrix = graphOf("uniform", 1500), grid = graphOf("grid", 10000);
  costs.dense = factorOf(timed(matrix, Method::kDense).call.milliseconds,
                         plan::forecastOf(matrix, solver, cpuDevice).denseMs);

  const ProblemGraph reals = graphOf("uniform", 1500, Dtype::kFloat32);
  costs.real = factorOf(timed(reals, Method::kDense).call.milliseconds,
                        costs.dense * plan::forecastOf(reals, solver, cpuDevice).denseMs);

  const Call swept = timed(grid, Method::kSparse).call;
  costs.sparse = factorOf(swept.milliseconds - swept.outcome.choosing,
                          plan::forecastOf(grid, solver, cpuDevice).sparseMs.value_or(0));

  const Call relaxed = timed(graphOf("sparse", 3000), Method::kAuto).call;
  if (relaxed.outcome.method == Method::kFiltered && relaxed.outcome.filtering.filter == 0)
    costs.relaxing = factorOf(relaxed.milliseconds - relaxed.outcome.choosing,
                              relaxed.outcome.expected - relaxed.outcome.choosing);

  const Selection few = {{0, 1, 2, 3, 4, 5, 6, 7}, {}};
  const Timed searched = timed(graphOf("sparse", 20000), Method::kAuto, &few);
  if (searched.call.outcome.method == Method::kSearch)
    costs.search = factorOf(searched.call.milliseconds, searched.expected);

  const ProblemGraph equal = graphOf("sparse", 3000).withZeroWeights();
  const plan::Wanted wanted = {cpuDevice, equal.onHost()};
  const std::shared_ptr<bfs::LevelSearch> levels = plan::levelsOf(wanted);
  const double all = levels->expect(std::numeric_limits<double>::infinity()).value_or(0);
  const double searching = levels->searchingMilliseconds(), writing = all - searching;
  const Call levelled = timed(equal, Method::kBfs).call;
  const double both = levelled.milliseconds - levelled.outcome.choosing;
  costs.levels =
      factorOf(std::max(both - costs.relaxing * writing, kLeastSearching * both), searching);
  return costs;
}

std::string keepCosts(const Costs& costs) {
  const std::filesystem::path path = fileOfCosts(cacheFolder());
  if (path.empty())
    throw Error(ErrorCode::kOutput,
                "there is no folder for caches: set XDG_CACHE_HOME to one that can be written");
  Json json = Json::object();
  for (const auto& each : kFactors) json[each.name] = costs.*each.factor;
  OutputFile(path.string()).finish(jsonText(json));
  return path.string();
}

void useKeptCosts() {
  const std::filesystem::path path = fileOfCosts(cachePath());
  std::ifstream file(path);
  if (path.empty() || !file) return;
  std::stringstream text;
  text << file.rdbuf();
  try {
    Json json = parseJson(text.str());
    if (!json.contains("real")) json["real"] = 1;                        // 0.4 did not measure that
    if (!json.contains("levels")) json["levels"] = json.at("relaxing");  // as it was in 0.4
    Costs costs;
    for (const auto& each : kFactors) {
      const double factor = json.at(each.name).get<double>();
      if (!(factor >= 1 / kFarthest && factor <= kFarthest)) return;
      costs.*each.factor = factor;
    }
    cpuCosts() = costs;
  } catch (const std::exception&) {  // another program's file, or a part of one
  }
}
