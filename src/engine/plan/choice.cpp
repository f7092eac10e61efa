// Estimates the time of each method for a graph of edges, and chooses one.
//
// Estimates are compared: the dense solver's time, n³ relaxations; what the elimination says
// (sparse/elimination.cpp); what some blocks of sources tell of relaxing along all edges
// (sparse/relaxation.cpp); and of a table, what the numbers of edges and vertices tell of a search
// from each source. Looking costs time itself. Therefore what takes little time is looked at first,
// and limits what may be spent on the next look.
#include "plan/choice.h"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "base/size.h"
#include "plan/looks.h"
#include "plan/ways.h"
#include "search/search.h"
#include "solver/costs.h"
#include "sparse/rates.h"

namespace engine::plan {

namespace {

/// Seconds of the dense solver on a GPU for each distance at the least. The solver leaves out
/// products of tiles that hold no path. There are many of them if each edge leads to a vertex with
/// a higher number (or each to one with a lower number), or with a near number.
constexpr double kGpuLeast = 158e-12, kOfForwards = 0.29, kOfNear = 0.44, kOfBoth = 0.16;
/// Numbers for each vertex for which the hierarchy may take room where the dense solver fits, too.
constexpr std::size_t kAllowance = 512;

/// Sources that the filtered solver takes forward together, at no more than the cost of one search.
constexpr double kTogether = 16;
/// Milliseconds for each edge to order and eliminate the vertices, and to make arcs of them. The
/// same for each vertex counts only if a graph has fewer edges than vertices.
constexpr double kOrderMs = 180e-6, kOrderVertexMs = 240e-6;
/// Milliseconds for each of all distances that a GPU takes, at about the least.
constexpr double kGpuMs = 4e-8;

/// Bytes that sweepers take without a core.
std::size_t sweeperBytes(int n, Dtype dtype) {
  const int batches = (n + sparse::kBatch - 1) / sparse::kBatch;
  const std::size_t each =
      withType(dtype, [&](auto zero) { return sparse::Sweeper<decltype(zero)>::bytes(n, 0); });
  return asSize(std::min(omp_get_max_threads(), batches)) * each;
}

/// The part of its products that the dense solver computes on a GPU, told from some edges.
double partOnGpu(int n, const EndsOf& edges) {
  const Sampled some(n, edges);
  if (some.near == some.samples) return some.oneWay() ? kOfBoth : kOfNear;
  return some.oneWay() ? kOfForwards : 1;
}

}  // namespace

sparse::Eliminates eliminatesFor(const Device& device) {
  return onGpu(device) ? sparse::Eliminates::kInOrder : sparse::Eliminates::kAsPays;
}

double denseMilliseconds(const Wanted& wanted) {
  const int n = wanted.n();
  const double all = sparse::denseMilliseconds(n, sparse::ratesOn(wanted.device, wanted.dtype()));
  if (!onGpu(wanted.device)) return all;
  const double least = kGpuLeast * static_cast<double>(sizeOf(wanted.dtype())) / 4;
  return std::max(all * partOnGpu(n, wanted.edges()), least * n * n * 1e3);
}

std::size_t hierarchyBytes(int n, Dtype dtype) {
  return kAllowance * sizeOf(dtype) * asSize(n);
}

std::size_t allowedBytes(int n, Dtype dtype) {
  return sweeperBytes(n, dtype) + hierarchyBytes(n, dtype);
}

void refuseWeights() {
  throw Unsupported(
      "breadth-first searches (method bfs) need edges of equal weight: take another method, "
      "or ignore the weights");
}

void requireLevels(const ProblemGraph& graph) {
  if (!graph.unread() && graph.heldAsEdges() && !bfs::commonWeight(graph.onHost())) refuseWeights();
}

bool isFast(const Wanted& wanted, const Survey& survey) {
  return isFasterThan(First(wanted), wanted, survey.elimination.milliseconds);
}

namespace {

/// The way that is expected to be the fastest. searching: the milliseconds that one search from
/// each source takes. If they are given, only faster ways are tried.
Way wayBeside(const Wanted& wanted, std::optional<double> searching) {
  First first(wanted, false);
  if (searching && *searching < first.toBeat) {
    first.toBeat = *searching;
    first.searches = true;
  }
  return onGpu(wanted.device) ? wayOnGpu(wanted, first) : wayOnCpu(wanted, first);
}

Way searchingIn(double milliseconds) {
  Way way;
  way.searches = true;
  way.expected = milliseconds;
  return way;
}

}  // namespace

Method Way::method() const {
  if (searches) return Method::kSearch;
  if (byLevels()) return Method::kBfs;
  if (survey != nullptr || elimination != nullptr) return Method::kSparse;
  return relaxation != nullptr ? Method::kFiltered : Method::kAuto;
}

/// To look at other ways is worth its time only if searches take longer than to order the vertices,
/// and shorter than to find all distances. On a GPU, these take about kGpuMs each, and elimination
/// is the only way that is looked at beside searches.
Searching searchingOf(const Wanted& wanted) {
  if (!wanted.maySearch || wanted.asked == nullptr) return Searching::kNever;
  const int n = wanted.n();
  const double together = searchMilliseconds(wanted.graph, wanted.sources());
  if (onGpu(wanted.device)) {
    if (together > kGpuMs * n * n) return Searching::kNever;
    const bool soon = eliminatingMilliseconds(wanted) > kWorthBesideSearches * together;
    return soon || sparse::spreadsAtOnce(wanted.leaving) ? Searching::kSurely
                                                         : Searching::kIfNothingElse;
  }
  const double order = kOrderMs * wanted.size() + (wanted.size() < n ? kOrderVertexMs * n : 0);
  if (together <= cpuCosts().sparse * order) return Searching::kSurely;
  const double all =
      std::min(searchMilliseconds(wanted.graph) * n / kTogether / speedOfAll(),
               sparse::denseMilliseconds(n, sparse::ratesOn(wanted.device, wanted.dtype())));
  if (together > all) return Searching::kNever;
  const std::size_t looking = relaxedBytes(wanted.graph, *wanted.asked);
  return looking > wanted.device.freeFor(looking) / 4 * 3 ? Searching::kWithoutLook
                                                          : Searching::kIfNothingElse;
}

Way bestWay(const Wanted& wanted) {
  const Searching searching = searchingOf(wanted);
  if (searching == Searching::kNever) return wayBeside(wanted, {});
  const double together = searchMilliseconds(wanted.graph, wanted.sources());
  if (searching != Searching::kIfNothingElse) return searchingIn(together);
  Way way = wayBeside(wanted, together);
  return way.method() == Method::kAuto ? searchingIn(together) : way;
}

std::shared_ptr<const Survey> surveyed(const Wanted& wanted, const EliminationOrder* order) {
  const sparse::Rates rates = sparse::ratesOn(wanted.device, wanted.dtype(), wanted.asked);
  Survey survey = order == nullptr
                      ? sparse::surveyOf(wanted.graph, rates, eliminatesFor(wanted.device))
                      : sparse::surveyOf(wanted.n(), wanted.edges(), rates, order);
  if (order != nullptr) survey.orderMs = survey.eliminateMs = 0;
  return std::make_shared<const Survey>(std::move(survey));
}

Forecast forecastOf(const ProblemGraph& graph, const Solver& one, const Device& device) {
  using Choice = Forecast::Choice;
  constexpr double kLongest = 10;  // seconds that a survey may take
  const int n = graph.n();
  const sparse::Rates rates = sparse::ratesOn(device, graph.dtype());
  Execution densely{device};
  densely.options.method = Method::kDense;
  Forecast forecast;
  forecast.denseMs = sparse::denseMilliseconds(n, rates);  // if nothing is known of its edges
  forecast.denseBytes = one.memory({graph}, densely).device;
  if (!graph.heldAsEdges()) return forecast;
  const Wanted wanted = {device, graph.onHost()};
  const First first(wanted);
  forecast.denseMs = first.toBeat;
  const bool fits = device.hasRoom(forecast.denseBytes);
  if (weightOf(wanted))
    if (const Way way = bestWay(wanted); way.byLevels()) {
      const auto bytes = onGpu(device) ? bfs::gpuLevelBytes : bfs::LevelSearch::bytes;
      forecast.choice = Choice::kLevels;
      forecast.levelsMs = way.expected;
      forecast.levelsBytes = matrixBytes(n, graph.dtype()) + bytes(n, wanted.graph.edgeCount());
      return forecast;
    }
  const bool worth = worthSurveying(wanted, first) && sparse::maySeparate(n, wanted.edges());
  forecast.choice = fits ? Choice::kManyEdges : Choice::kStreamed;
  if (!worth && wanted.size() * rates.arc > kLongest) return forecast;
  const Survey survey = sparse::surveyOf(wanted.graph, rates, eliminatesFor(device));
  forecast.sparseMs = survey.elimination.milliseconds;
  forecast.sparseBytes = survey.bytes(omp_get_max_threads(), graph.dtype());
  if (!fits || !worth) return forecast;
  forecast.choice = !isFasterThan(first, wanted, survey.elimination.milliseconds)
                        ? Choice::kNotWorth
                    : hasRoom(wanted, survey) ? Choice::kSparse
                                              : Choice::kNoRoom;
  return forecast;
}

std::optional<BandWay> bandWayIfFaster(const Device& device, const Problem& band, int ranks) {
  const Wanted wanted = {device, band.graph.onHost(), band.asked};
  First first(wanted);
  // GPUs gain little by filtering together.
  if (!onGpu(device) || filtersInVain(first.outlook)) first.toBeat /= ranks;
  return onGpu(device) ? bandOnGpu(wanted, first) : bandOnCpu(wanted, first, band);
}

}  // namespace engine::plan
