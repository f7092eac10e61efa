#include "plan/looks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "base/size.h"
#include "filtered/prospect.h"
#include "sparse/rates.h"

namespace engine::plan {

namespace {

/// Of the dense solver's time, the most that a survey may be expected to take. Of a small graph
/// with many edges, and on a GPU, other methods may take less of it. A larger graph with many edges
/// seldom has small separators, and most of those that have none are seen before the survey.
constexpr double kWorthSurveying = 0.33, kWorthSurveyingMany = 0.25, kWorthSurveyingSmall = 0.06,
                 kWorthOnGpu = 0.02, kFewEdges = 4, kWorthOnGpuFew = 0.1;
/// The same on a GPU that is expected to filter in vain. A graph that is like a tree has at most
/// kLikeTree edges a vertex.
constexpr double kWorthOnGpuVain = 0.4, kLikeTree = 2.2;
/// Of the time that a survey is expected to take, what it takes if the graph is like a tree. For a
/// GPU, such a tree has fewer levels than kFlat.
constexpr double kOfTree = 0.33, kFlat = 100;
/// The same if the graph is a band: each edge joins vertices whose numbers differ by less than n,
/// divided by kNarrow.
constexpr double kOfBand = 0.5;
constexpr int kNarrow = 32;
/// Of the dense solver's time, the most that sparse solving may be expected to take on a CPU if the
/// graph is too small to be filtered.
constexpr double kWorthwhileSmall = 0.8;
/// A graph with more edges a vertex has small parts if each of three vertices reaches no more than
/// such a part of all.
constexpr double kManyInPart = 50;
constexpr int kPart = 8;
/// A hub has more edges than this, times the mean degree.
constexpr double kHub = 8;
/// Hubs join a graph if at most n edges, times this, have no hub at an end.
constexpr double kBesideHubs = 0.1;
/// Of the time of searches by levels on a CPU, the most that a survey may be expected to take.
constexpr double kWorthBesideLevels = 0.25;

}  // namespace

// Each sample lies 0.618 of the list (the golden section) further on than the one before it, and
// the end of the list leads on to its beginning. A step that divides the list into equal parts
// could always meet the first edge of a vertex.
Sampled::Sampled(int n, const EndsOf& edges) {
  constexpr std::size_t kSamples = 16;
  constexpr double kGolden = 0.6180339887498949;
  for (const std::size_t all = std::min(kSamples, edges.size()); samples < all; ++samples) {
    const double place = kGolden * static_cast<double>(samples + 1);
    const auto [from, to] = edges[static_cast<std::size_t>((place - std::floor(place)) *
                                                           static_cast<double>(edges.size()))];
    const int step = to - from;
    near += std::abs(step) <= n / 16;
    longest = std::max(longest, std::abs(step));
    forwards += step > 0;
  }
}

bool filtersInVain(Outlook outlook) {
  return outlook == Outlook::kPoor || outlook == Outlook::kDoubtful;
}

Outlook outlookOf(const Wanted& wanted) {
  if (!onGpu(wanted.device)) return Outlook::kGood;
  return withEdges(wanted.graph,
                   [&](const auto& edges) { return outlookOnGpu(wanted.leaving, edges); });
}

bool isSmall(const Wanted& wanted) {
  return wanted.n() < Effort().vertices;
}

bool isLikeTree(const Wanted& wanted) {
  return wanted.size() <= kLikeTree * wanted.n();
}

namespace {

/// Whether all edges join vertices with near numbers, in both directions. Of a graph that is not
/// small, some edges are looked at.
bool isBanded(const Wanted& wanted) {
  const int longest = wanted.n() / kNarrow;
  const Sampled some(wanted.n(), wanted.edges());
  if (some.longest >= longest || some.oneWay()) return false;
  const EndsOf edges = wanted.edges();
  return !isSmall(wanted) || std::all_of(edges.begin(), edges.end(), [&](const Ends& ends) {
    return std::abs(ends.to - ends.from) < longest;
  });
}

}  // namespace

std::optional<Number> weightOf(const Wanted& wanted) {
  if (!wanted.weight) wanted.weight = bfs::commonWeight(wanted.graph);
  return *wanted.weight;
}

namespace {

/// Whether a vertex reaches more than so many, itself included.
bool reachesMore(const OutEdges& leaving, int first, std::size_t many) {
  std::vector<char> seen(asSize(leaving.vertices()), 0);
  std::vector<int> reached = {first};
  seen[asSize(first)] = 1;
  for (std::size_t i = 0; i < reached.size() && reached.size() <= many; ++i)
    for (auto [at, last] = leaving.of(reached[i]); at < last; ++at) {
      const int to = leaving.all()[at].to;
      if (std::exchange(seen[asSize(to)], 1) == 0) reached.push_back(to);
    }
  return reached.size() > many;
}

}  // namespace

bool hasSmallParts(const Wanted& wanted) {
  const int n = wanted.n();
  if (n == 0 || wanted.size() < kManyInPart * n) return false;
  const int some[] = {n / 7, n / 2, n - 1 - n / 7};
  return std::none_of(std::begin(some), std::end(some), [&](int first) {
    const bool isSink = wanted.leaving.of(first).size() == 0;
    return isSink || reachesMore(wanted.leaving, first, asSize(n / kPart));
  });
}

double depthOf(const Wanted& wanted) {
  if (!wanted.depth) wanted.depth = levelsFrom(wanted.leaving, wanted.n() / 7);
  return *wanted.depth;
}

namespace {

/// A factor for graphs that a CPU eliminates sooner than the numbers of vertices and edges tell.
double partOfSurvey(const Wanted& wanted, const First& first) {
  if (onGpu(wanted.device))
    return filtersInVain(first.outlook) && isLikeTree(wanted) && depthOf(wanted) < kFlat ? kOfTree
                                                                                         : 1;
  if (wanted.asked != nullptr) return 1;
  if (isLikeTree(wanted)) return kOfTree;
  return first.banded ? kOfBand : 1;
}

}  // namespace

First::First(const Wanted& wanted, bool looks)
    : toBeat(denseMilliseconds(wanted)), banded(!onGpu(wanted.device) && isBanded(wanted)) {
  if (looks) outlook = outlookOf(wanted);
  const sparse::Rates rates = sparse::ratesOn(wanted.device, wanted.dtype(), wanted.asked);
  survey = sparse::surveyMilliseconds(wanted.graph, rates, eliminatesFor(wanted.device),
                                      partOfSurvey(wanted, *this));
}

bool isFasterThan(const First& first, const Wanted& wanted, double milliseconds) {
  if (first.levels) return milliseconds <= first.toBeat;
  if (first.searches) return milliseconds <= kSureBesideSearches * first.toBeat;
  const double onGpus = filtersInVain(first.outlook) ? kWorthwhileElse : kWorthwhileOnGpu;
  const double onCpu = isSmall(wanted) ? kWorthwhileSmall : kWorthwhile;
  return milliseconds <= (onGpu(wanted.device) ? onGpus : onCpu) * first.toBeat;
}

double eliminatingMilliseconds(const Wanted& wanted) {
  return sparse::gpuEliminationMilliseconds(wanted.n(), wanted.graph.edgeCount());
}

namespace {

/// Whether few edges are left without the hubs, which have more edges than a GPU can keep: then the
/// other vertices are eliminated soon, and the hubs are the core. All edges are looked at.
bool hasFewBesideHubs(const Wanted& wanted) {
  const std::vector<std::size_t>& first = wanted.leaving.starts();
  const auto isHub = [&](int vertex) {
    return first[asSize(vertex) + 1] - first[asSize(vertex)] > kKeptMost;
  };
  double count = 0;
  for (const Ends ends : wanted.edges()) count += isHub(ends.from) || isHub(ends.to) ? 0 : 1;
  return count <= kFewEdges * wanted.n();
}

}  // namespace

bool isJoinedByHubs(const Wanted& wanted) {
  const std::vector<std::size_t>& first = wanted.leaving.starts();
  const double many = kHub * wanted.size() / std::max(1, wanted.n());
  double others = wanted.size();
  for (std::size_t v = 0; v < asSize(wanted.n()); ++v)
    if (const auto degree = static_cast<double>(first[v + 1] - first[v]); degree > many)
      others -= 2 * degree;
  return others <= kBesideHubs * wanted.n();
}

double partForSurvey(const Wanted& wanted, const First& first) {
  const double degree = wanted.size() / std::max(1, wanted.n());
  const bool likeTree = isLikeTree(wanted);
  if (!onGpu(wanted.device)) {
    if (first.levels) return kWorthBesideLevels;
    if (likeTree) return kWorthTree;
    if (degree <= kFewToKeep) return kWorthSurveying;
    return isSmall(wanted) ? kWorthSurveyingSmall : kWorthSurveyingMany;
  }
  if (filtersInVain(first.outlook)) {
    const bool soon = likeTree || (eliminatingMilliseconds(wanted) <= kWorthTree * first.toBeat &&
                                   hasFewBesideHubs(wanted));
    return soon ? kWorthTree : first.outlook == Outlook::kPoor ? kWorthOnGpuVain : 0;
  }
  return degree <= kFewEdges ? kWorthOnGpuFew : kWorthOnGpu;
}

bool worthSurveying(const Wanted& wanted, const First& first) {
  const double part = first.searches ? kWorthBesideSearches : partForSurvey(wanted, first);
  return first.survey <= part * first.toBeat;
}

}  // namespace engine::plan
