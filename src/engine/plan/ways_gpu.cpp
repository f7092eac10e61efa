#include "plan/ways.h"

#include <algorithm>
#include <utility>

#include "solver/gpu_rows.h"
#include "sparse/sweep_gpu.h"

namespace engine::plan {

namespace {

/// Searches by levels on a GPU are tried if preparing takes no more than this part of the dense
/// solver's time, and searching no more than a survey or such a part.
constexpr double kWorthPreparing = 0.2, kOfDenseLevels = 0.02;
/// A batch of searches may then take such a part of the dense solver's time and of a survey's, or
/// so many times what all searches are expected to take, and so many milliseconds at the least.
constexpr double kTrialOnGpu = 0.1, kTrialOfExpected = 3, kLeastTrial = 0.25;
/// Below kCheapToFilter vertices, a graph that a GPU filters well is not searched by levels unless
/// it has few edges and levels, or some edges and very few levels and seems to have cycles.
/// Otherwise both take about as long, and to try costs time. A graph that is not filtered well is
/// searched if all is expected to take no more than the last part of the dense solver's time.
constexpr double kFewForLevels = 3.8, kFlatForLevels = 60, kSomeForLevels = 8.2,
                 kFlattestForLevels = 22, kWorthwhileLevels = 0.9;
/// A graph of more levels is deep for a GPU that filters. Then filtering takes so many milliseconds
/// for each distance at the least, if there are few edges a vertex or not; and so many if the graph
/// is like a tree. Eliminating may be expected to take this part of that.
constexpr double kDeepOnGpu = 30, kFewInDeep = 3, kFilterDeepFew = 100e-9, kFilterDeep = 69e-9,
                 kFilterTree = 20e-9, kWorthOnGpuDeep = 0.4;
/// If hubs join a graph, filtering it in 16 bits takes so many milliseconds for each distance. In
/// 16 or 32 bits, eliminating may be expected to take this part of filtering.
constexpr double kFilterHubs16 = 24e-9, kWorthOnGpuHubs = 0.6;
/// A graph of fewer vertices than kCheapToFilter and more than kFewInDeep edges a vertex is deep if
/// it has more levels than this, and at most so many edges a vertex.
constexpr double kDeepSmall = 120, kFewInSmall = 8;
/// Of the time that the dense solver is expected to take, what it takes at the most in 16 bits.
/// Such a graph is not searched by levels unless that is expected to take this part of it: a few
/// edges tell too few levels of a band.
constexpr double kDeepIn16 = 0.7, kSureInDeep = 0.5;
/// A GPU eliminates a graph of more levels before it searches that graph by levels, if eliminating
/// is expected to take no more than this part of the time of the searches.
constexpr double kDeepLevelsOnGpu = 120, kWorthBesideLevelsOnGpu = 0.5;

}  // namespace

std::shared_ptr<bfs::GpuLevels> gpuLevelsOf(const Wanted& wanted) {
  if (!weightOf(wanted)) return nullptr;
  return bfs::levelsOnGpu(wanted.graph, wanted.first);
}

std::shared_ptr<sparse::GpuElimination> eliminationOf(const Wanted& wanted) {
  return onGpu(wanted.device) ? sparse::eliminateOnGpu(wanted.graph) : nullptr;
}

double expectedOf(const Wanted& wanted, const sparse::GpuElimination& found) {
  const double n = std::max(1, wanted.n());
  return found.expectedOf(wanted.sources() / n * (wanted.targets() / n));
}

namespace {

/// What filtering takes on a GPU, as far as a look at a few vertices tells.
struct Filtering {
  double milliseconds;  ///< at the least
  double worth = 0;     ///< of them, what eliminating may be expected to take; 0: it cannot pay
};

/// A GPU takes little time to filter a graph that seems to have no cycles, and a graph that hubs
/// join in 16 bits. In more bits, such a graph takes as long as a deep one. For a small graph with
/// more than kFewInDeep edges a vertex, filtering often takes less time than eliminating. With
/// equal weights it always does.
Filtering filteringOf(const Wanted& wanted, const First& first) {
  const double n = wanted.n();
  const bool few = wanted.size() <= kFewInDeep * n, small = wanted.n() < kCheapToFilter && !few;
  const auto inAll = [&](double each) { return std::min(first.toBeat, each * n * n); };
  const Filtering fast = {inAll(kFilterTree)};
  if (filtersInVain(first.outlook) || Sampled(wanted.n(), wanted.edges()).oneWay()) return fast;
  const bool may16 = wanted.may16 && wanted.dtype() == Dtype::kInt32;
  const Filtering ofHubs = {inAll(may16 ? kFilterHubs16 : kFilterDeep), kWorthOnGpuHubs};
  if (wanted.n() >= kCheapToFilter &&
      eliminatingMilliseconds(wanted) <= ofHubs.worth * ofHubs.milliseconds &&
      isJoinedByHubs(wanted))  // asked last: the first degree that is asked for costs a pass
    return ofHubs;
  if (!small && hasCliques(wanted.leaving)) return {first.toBeat, kWorthOnGpuDeep};
  if (small && wanted.size() > kFewInSmall * n) return fast;
  if (depthOf(wanted) <= (small ? kDeepSmall : kDeepOnGpu)) return fast;
  if (small) return weightOf(wanted) ? fast : Filtering{first.toBeat, kWorthOnGpuDeep};
  return {inAll(few ? kFilterDeepFew : kFilterDeep), kWorthOnGpuDeep};
}

/// Milliseconds that solving may be expected to take after a GPU has eliminated.
double mostAfterElimination(const Wanted& wanted, const First& first, const Filtering& filtering) {
  if (first.levels) return first.toBeat;
  if (first.searches) return kSureBesideSearches * first.toBeat;
  if (first.outlook == Outlook::kPoor) return kWorthwhileElse * first.toBeat;
  if (filtering.worth > 0) return filtering.milliseconds;
  return std::max(kWorthwhileOnGpu * first.toBeat, isLikeTree(wanted) ? filtering.milliseconds : 0);
}

/// What a GPU has eliminated, if eliminating is expected to take little time, and the result tells
/// that sparse solving is expected to be faster. nullptr otherwise.
std::shared_ptr<sparse::GpuElimination> eliminationIfFast(const Wanted& wanted,
                                                          const First& first) {
  const Filtering filtering = filteringOf(wanted, first);
  const bool slow = filtering.worth > 0 && !first.levels && !first.searches;
  if (!slow && !isLikeTree(wanted) && !first.searches && !filtersInVain(first.outlook))
    return nullptr;
  const double worth = first.searches ? kWorthBesideSearches * first.toBeat
                       : slow         ? filtering.worth * filtering.milliseconds
                                      : partForSurvey(wanted, first) * first.toBeat;
  if (eliminatingMilliseconds(wanted) > worth || sparse::spreadsAtOnce(wanted.leaving))
    return nullptr;
  auto found = eliminationOf(wanted);
  const double most = mostAfterElimination(wanted, first, filtering);
  return found != nullptr && expectedOf(wanted, *found) <= most ? found : nullptr;
}

/// Searches by levels on a GPU, for all distances. They are tried before slower looks, because a
/// batch of them takes little time. Error(kMemory) if they have no room.
class LevelsOnGpu {
 public:
  LevelsOnGpu(const Wanted& wanted, First& first) : wanted_(wanted), first_(first) {}

  /// Tries them, unless what the numbers of vertices and edges tell is too long. deepToo: also if
  /// the graph is so deep that it should be eliminated first.
  void tryIn(Way& way, bool deepToo) {
    if (tried_ || wanted_.asked != nullptr) return;
    const bool small = wanted_.n() < kCheapToFilter;
    const double least = expectedOf(0);
    if (least > (small ? kWorthwhileLevels : kWorthPreparing) * first_.toBeat) return;
    const double depth = depthOf(wanted_), searching = expectedOf(depth) - least;
    if (small ? least + searching > kWorthwhileLevels * first_.toBeat
              : searching > std::max(first_.survey, kOfDenseLevels * first_.toBeat))
      return;
    if (small && first_.outlook == Outlook::kGood && !areFewLevels(depth)) return;
    if (!deepToo && !small && depth > kDeepLevelsOnGpu &&
        eliminatingMilliseconds(wanted_) <= kWorthBesideLevelsOnGpu * searching)
      return;
    if (weightOf(wanted_)) take(searching, way);
  }

  /// Whether they are expected to take at most so many milliseconds, as far as a few edges tell.
  bool areExpectedIn(double milliseconds) const {
    return expectedOf(depthOf(wanted_)) <= milliseconds;
  }

  /// Whether they were tried, and are known to take longer than the dense method.
  bool areSlow() const { return slow_; }

 private:
  /// Of a small graph, whether searching is expected to take less time than filtering well.
  bool areFewLevels(double depth) const {
    const double degree = wanted_.size() / std::max(1, wanted_.n());
    if (degree <= kFewForLevels) return depth <= kFlatForLevels;
    return degree <= kSomeForLevels && depth <= kFlattestForLevels &&
           !Sampled(wanted_.n(), wanted_.edges()).oneWay();
  }

  double expectedOf(double levels) const {
    return bfs::gpuLevelMilliseconds(wanted_.n(), wanted_.graph.edgeCount(), wanted_.dtype(),
                                     levels);
  }

  void take(double searching, Way& way) {
    tried_ = true;
    std::shared_ptr<bfs::GpuLevels> levels = bfs::levelsOnGpu(wanted_.graph, wanted_.first);
    const double trial =
        std::max({kLeastTrial, kTrialOnGpu * std::min(first_.toBeat, first_.survey),
                  kTrialOfExpected * searching});
    const auto expected = levels->expect(first_.toBeat, trial);
    slow_ = levels->slow;
    if (!expected) return;
    way = {};
    way.outlook = first_.outlook;
    way.expected = *expected;
    way.sampled = levels->sampled;
    way.gpuLevels = std::move(levels);
    first_.toBeat = *expected;
    first_.levels = true;
  }

  const Wanted& wanted_;
  First& first_;
  bool tried_ = false, slow_ = false;
};

}  // namespace

bool isFast(const Wanted& wanted, const sparse::GpuElimination& found) {
  const First first(wanted);
  return expectedOf(wanted, found) <=
         mostAfterElimination(wanted, first, filteringOf(wanted, first));
}

namespace {

/// The way of what a GPU has eliminated.
Way eliminating(const Wanted& wanted, std::shared_ptr<sparse::GpuElimination> found,
                Outlook outlook) {
  Way way;
  way.expected = expectedOf(wanted, *found);
  way.outlook = outlook;
  way.elimination = std::move(found);
  return way;
}

/// Whether a graph is like a wide band, and the dense solver computes it in 16 bits. Such a graph
/// has many levels and many edges, which make no cliques. All its weights are the same, and n times
/// that weight fits into 16 bits. Filtering the graph takes longer than the dense solver does.
bool isDeepIn16(const Wanted& wanted) {
  constexpr double kFits = 65534;
  if (wanted.n() < kCheapToFilter || wanted.size() <= kFewInSmall * wanted.n() || !wanted.may16 ||
      wanted.dtype() != Dtype::kInt32 || depthOf(wanted) <= kFlatForLevels)
    return false;
  const auto weight = weightOf(wanted);
  return weight && toDouble(*weight) * wanted.n() < kFits && !hasCliques(wanted.leaving);
}

}  // namespace

Way wayOnGpu(const Wanted& wanted, First& first) {
  Way way;
  LevelsOnGpu levels(wanted, first);
  const bool small = wanted.n() < kCheapToFilter, deepIn16 = isDeepIn16(wanted);
  if (small) first.outlook = outlookOf(wanted);
  if (deepIn16 && !first.searches) first.toBeat *= kDeepIn16;
  const bool mayLevels = !deepIn16 || levels.areExpectedIn(kSureInDeep * first.toBeat);
  if (mayLevels) levels.tryIn(way, false);
  if (way.byLevels() && eliminatingMilliseconds(wanted) > kWorthTree * first.toBeat) return way;
  // Searches by levels take longer than the dense method if a graph has many levels and many edges,
  // as a wide band has. Filtering and eliminating such a graph takes longer, too.
  if (levels.areSlow()) {
    way.outlook = Outlook::kPoor;
    return way;
  }
  if (!small) first.outlook = outlookOf(wanted);
  way.outlook = first.outlook;
  if (auto found = eliminationIfFast(wanted, first))
    return eliminating(wanted, std::move(found), way.outlook);
  if (mayLevels) levels.tryIn(way, true);
  // Eliminating did not pay, and searches are slow: nor does filtering, if there are many edges.
  const bool slow = levels.areSlow() && wanted.size() > kFewInDeep * wanted.n();
  if (!way.byLevels() && (slow || deepIn16)) way.outlook = Outlook::kPoor;
  return way;
}

namespace {

/// Milliseconds that ranks take to begin and to end together.
constexpr double kTogetherMs = 0.3;

/// How ranks with a GPU each sweep, if that is expected to be faster than what `first` says.
std::optional<BandWay> bandByElimination(const Wanted& wanted, const First& first) {
  const auto found = eliminationIfFast(wanted, first);
  if (found == nullptr) return std::nullopt;
  const Dtype dtype = wanted.dtype();
  const auto sweeps = sparse::gpuSweepBytes(wanted.n(), found->arcs, found->coreSize, dtype);
  return BandWay{Method::kSparse, GpuRows::bytes(wanted.n(), dtype, 1) + sweeps,
                 found->expected <= expectedOf(wanted, *found) + kTogetherMs};
}

}  // namespace

std::optional<BandWay> bandOnGpu(const Wanted& wanted, First& first) {
  const std::size_t levels = bfs::gpuLevelBytes(wanted.n(), wanted.graph.edgeCount());
  Way way;
  const Wanted all = {wanted.device, wanted.graph};
  if (wanted.device.hasRoom(levels)) LevelsOnGpu(all, first).tryIn(way, true);
  if (auto band = bandByElimination(wanted, first)) return band;
  if (!way.byLevels()) return std::nullopt;
  return BandWay{Method::kBfs, GpuRows::bytes(wanted.n(), wanted.dtype(), 1) + levels};
}

}  // namespace engine::plan
