#include "plan/ways.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/size.h"
#include "base/structure.h"
#include "sparse/rates.h"
#include "sparse/sweep_gpu.h"

namespace engine::plan {

namespace {

/// Of the time that it may take, what relaxing must take at the least if it is not tried: beside
/// the dense method, and beside the sparse one.
constexpr double kWorthTrying = 0.6, kWorthTryingMore = 0.25;
/// Of the time of a survey, what relaxing may be expected to take if no survey is to be made.
constexpr double kOfSurvey = 1.5;
/// Of the least time of searches by levels, what they may be expected to take if nothing else was
/// looked at; and what they take of it at about the least in a small graph.
constexpr double kOfLeast = 4, kOfLeastSmall = 1.7;
/// Of the dense solver's time, what searches by levels in a deep graph may be expected to take: it
/// may filter.
constexpr double kWorthDeepLevels = 0.15;
/// A graph of more levels is surveyed before it is searched by levels: with each level that a batch
/// of searches meets, it looks at the same vertices again. A graph that is like a tree has the
/// lower limit kDeepTree, because a survey of it takes little time.
constexpr double kDeepForLevels = 40, kDeepTree = 20;
/// To see that, so many of the edges are looked at from each of some vertices.
constexpr double kLookedAtForDepth = 1 / 16.0;
/// A graph whose searches saw no more levels, and which is not like a tree, is not surveyed: in a
/// few levels, each arc is looked at a few times for hundreds of sources.
constexpr int kShallowForLevels = 12;
/// If a search sees more than n levels, divided by this, the vertices of a strong component are
/// looked at too often.
constexpr double kDeep = 8;
/// For a table, a strong component of so many levels is too deep, unless no other way is left.
constexpr double kDeepForTables = 40;
/// Of the dense solver's time, the most that relaxing along all edges may be expected to take: of a
/// graph with more edges, a filter may leave few.
constexpr double kWorthRelaxingFew = 0.7, kWorthRelaxing = 0.06;
/// In so many levels, relaxing looks at each vertex about once more.
constexpr double kLevelsOfLook = 6;
/// The time that is expected from the levels may be so many times what relaxing takes.
constexpr double kUnsure = 3;
/// A strong part with more than this of all vertices is most of the graph.
constexpr double kMostly = 0.5;
/// Weights below that may add up to distances of 16 bits.
constexpr std::int32_t kLightFor16 = 1 << 12;

/// These vertices, or all, as the edges number them.
std::vector<int> numbered(const Wanted& wanted, std::vector<int> Selection::*which) {
  const int n = wanted.n(), first = wanted.first;
  std::vector<int> vertices;
  if (wanted.asked != nullptr) vertices = wanted.asked->*which;
  if (vertices.empty()) {
    vertices.resize(asSize(n));
    std::iota(vertices.begin(), vertices.end(), 0);
  }
  for (int& vertex : vertices) vertex = vertex >= first ? vertex - first : vertex + n - first;
  return vertices;
}

}  // namespace

std::size_t relaxedBytes(const Graph& graph, const Selection& asked) {
  const auto rows = asSize(asked.rows(graph.n)), columns = asSize(asked.columns(graph.n));
  return sizeOf(graph.dtype()) * rows * columns +
         EdgeRelaxation::bytes(graph.n, graph.edgeCount(), rows, graph.dtype());
}

std::shared_ptr<EdgeRelaxation> relaxationOf(const Wanted& wanted) {
  return std::make_shared<EdgeRelaxation>(wanted.graph, numbered(wanted, &Selection::sources),
                                          numbered(wanted, &Selection::targets), wanted.may16);
}

namespace {

/// As levelsOf(), of a graph whose edges are known to have the same weight.
std::shared_ptr<bfs::LevelSearch> levelSearchOf(const Wanted& wanted) {
  return std::make_shared<bfs::LevelSearch>(wanted.graph, numbered(wanted, &Selection::sources),
                                            numbered(wanted, &Selection::targets));
}

}  // namespace

std::shared_ptr<bfs::LevelSearch> levelsOf(const Wanted& wanted) {
  return weightOf(wanted) ? levelSearchOf(wanted) : nullptr;
}

namespace {

/// Whether a graph is like a tree and has at least as many edges as vertices.
bool isLikeOneTree(const Wanted& wanted) {
  return isLikeTree(wanted) && wanted.size() >= wanted.n();
}

/// The survey of a graph for a CPU, if it does not take long and says that solving so is expected
/// to be faster.
std::optional<Survey> surveyIfFast(const Wanted& wanted, const First& first) {
  if (!worthSurveying(wanted, first)) return std::nullopt;
  const sparse::Rates rates = sparse::ratesOn(wanted.device, wanted.dtype(), wanted.asked);
  std::optional<Survey> found = sparse::surveyIfSeparable(wanted.graph, rates);
  if (found && !isFasterThan(first, wanted, found->elimination.milliseconds)) found.reset();
  return found;
}

/// Whether distances may fit into 16 bits, as far as the weights tell.
bool mayBe16(const Wanted& wanted) {
  if (!wanted.may16 || wanted.dtype() != Dtype::kInt32) return false;
  const auto& edges = wanted.graph.edges<std::int32_t>();
  return std::all_of(edges.begin(), edges.end(),
                     [](const auto& edge) { return edge.weight < kLightFor16; });
}

/// About the levels of searches from three vertices, the fewest first. One vertex alone may be in a
/// part that is deeper than others, or less deep.
std::array<double, 3> depthsOf(const Wanted& wanted) {
  const int n = wanted.n();
  const auto more = static_cast<std::size_t>(kLookedAtForDepth * wanted.size());
  std::array<double, 3> depths = {};
  const int some[] = {n / 7, n / 2, n - 1 - n / 7};
  for (std::size_t i = 0; i < depths.size(); ++i)
    depths[i] = levelsFrom(wanted.leaving, some[i], more);
  std::sort(depths.begin(), depths.end());
  return depths;
}

/// Relaxing along all edges on a CPU. It may be tried twice; the lists of edges are made once.
class RelaxingOnCpu {
 public:
  explicit RelaxingOnCpu(const Wanted& wanted) : wanted_(wanted) {}

  /// Tries it, if it may take less than `most` milliseconds. deepest: levels that a strong graph
  /// may have. Where searches by levels were chosen, they take less time in any strong graph.
  void tryIn(double deepest, double most, Way& way) {
    const double part = way.survey == nullptr ? kWorthTrying : kWorthTryingMore;
    const auto sources = asSize(wanted_.sources());
    const std::size_t edges = wanted_.graph.edgeCount();
    const double least =
        EdgeRelaxation::leastMilliseconds(wanted_.n(), edges, sources, wanted_.dtype());
    if (least > part * most) return;
    if (mayTakeLonger(least, most)) return;
    if (!wanted_.device.hasRoom(
            EdgeRelaxation::bytes(wanted_.n(), edges, sources, wanted_.dtype())))
      return;
    const bool many = wanted_.size() > kFewToKeep * wanted_.n();
    const bool deep = depthOf(wanted_) > deepest;
    if ((many || deep || way.levels != nullptr) && strongPart() > kMostly) return;
    if (relaxation_ == nullptr) relaxation_ = relaxationOf(wanted_);
    const auto expected = relaxation_->expect(most);
    if (!expected) return;
    const double sampled = relaxation_->sampledMilliseconds();
    way = {nullptr, relaxation_, nullptr, nullptr, false, *expected, way.outlook, sampled};
  }

 private:
  /// The vertices of the largest strong component, divided by all vertices.
  double strongPart() {
    if (strongPart_) return *strongPart_;
    std::vector<int> size(asSize(wanted_.n()), 0);
    int largest = 0;
    for (const int component : strongComponentsOf(wanted_.n(), wanted_.edges()))
      largest = std::max(largest, ++size[asSize(component)]);
    strongPart_ = static_cast<double>(largest) / std::max(1, wanted_.n());
    return *strongPart_;
  }

  /// Whether relaxing is expected to take more than `most` milliseconds, because the largest strong
  /// component has many levels. In a small graph, samples take a large part of the time, and those
  /// in 16 bits may be taken again in 32. So there the expected time counts as it is; in a large
  /// graph, only kUnsure times as much ends the attempt.
  bool mayTakeLonger(double least, double most) {
    const bool surely = isSmall(wanted_) && !mayBe16(wanted_);
    const double depth = surely ? depthOf(wanted_) : depthsOf(wanted_).front();
    const auto isMore = [&](double part) {
      return least * (1 + part * depth / kLevelsOfLook) > (surely ? 1 : kUnsure) * most;
    };
    return isMore(1) && isMore(strongPart());
  }

  const Wanted& wanted_;
  std::optional<double> strongPart_;
  std::shared_ptr<EdgeRelaxation> relaxation_;
};

/// Milliseconds that searches by levels take at the least.
double leastOfLevels(const Wanted& wanted) {
  const std::size_t distances = asSize(wanted.sources()) * asSize(wanted.n());
  return bfs::LevelSearch::leastMilliseconds(wanted.n(), wanted.graph.edgeCount(), distances,
                                             wanted.dtype());
}

/// Whether searches from some vertices see many levels.
bool isDeep(const Wanted& wanted) {
  return depthsOf(wanted).back() > (isLikeTree(wanted) ? kDeepTree : kDeepForLevels);
}

/// Searches by levels on a CPU. What tells how long they take is looked at once, and only if the
/// weights of the edges are equal.
class LevelsOnCpu {
 public:
  LevelsOnCpu(const Wanted& wanted, First& first) : wanted_(wanted), first_(first) {}

  /// Whether the weights are equal, and the searches may take at most so many milliseconds. To try
  /// searches of a small graph takes as long as all of them, so a small graph must promise more.
  bool mayTake(double most) {
    const double least = (isSmall(wanted_) ? kOfLeastSmall : 1) * leastOfLevels(wanted_);
    return least <= most && weightOf(wanted_).has_value();
  }

  /// Whether they are known to meet few levels.
  bool areShallow() const {
    return search_ != nullptr && search_->sampledLevels() <= kShallowForLevels &&
           !isLikeTree(wanted_);
  }

  bool areDeep() {
    if (!deep_) deep_ = (isSmall(wanted_) && first_.banded) || isDeep(wanted_);
    return *deep_;
  }

  /// Milliseconds that they may be expected to take if nothing else was looked at, and no more than
  /// `most`.
  double soon(double most) {
    if (!mayTake(most)) return 0;
    const double least = leastOfLevels(wanted_), survey = first_.survey;
    if (isLikeOneTree(wanted_) && (isSmall(wanted_) || survey <= least)) return 0;
    return areDeep() ? 0 : std::min(most, kOfSurvey * survey + kOfLeast * least);
  }

  /// Tries them, if they are possible and may take less than `most` milliseconds. It is what others
  /// must beat then.
  void tryIn(double most, Way& way) {
    if (!mayTake(most)) return;
    if (search_ == nullptr) search_ = levelSearchOf(wanted_);
    const auto expected = search_->expect(most);
    if (!expected) return;
    way = {nullptr, nullptr,   search_,     nullptr,
           false,   *expected, way.outlook, search_->sampledMilliseconds()};
    first_.toBeat = *expected;
    first_.levels = true;
  }

 private:
  const Wanted& wanted_;
  First& first_;
  std::optional<bool> deep_;
  std::shared_ptr<bfs::LevelSearch> search_;
};

}  // namespace

bool hasRoom(const Wanted& wanted, const Survey& survey) {
  const int n = wanted.n();
  const Dtype dtype = wanted.dtype();
  if (onGpu(wanted.device))
    return sparse::gpuSweepBytes(n, survey.elimination.arcs, survey.elimination.coreSize(),
                                 dtype) <= wanted.device.freeBytes();
  const std::size_t bytes =
      survey.bytes(std::min(omp_get_max_threads(), n / sparse::kBatch + 1), dtype);
  const std::size_t promised = std::max(matrixBytes(n, dtype), allowedBytes(n, dtype));
  const std::size_t all = matrixBytes(n, dtype) + bytes;
  return bytes <= promised || all <= wanted.device.freeFor(all) / asSize(wanted.sharers) / 4 * 3;
}

Way wayOnCpu(const Wanted& wanted, First& first) {
  Way way;
  LevelsOnCpu levels(wanted, first);
  RelaxingOnCpu relaxing(wanted);
  levels.tryIn(levels.soon(first.toBeat), way);
  way.outlook = first.outlook = outlookOf(wanted);
  if (!way.byLevels() && wanted.asked == nullptr && hasSmallParts(wanted)) return way;
  const double degree = wanted.size() / std::max(1, wanted.n());
  const double most = (degree <= kFewToKeep ? kWorthRelaxingFew : kWorthRelaxing) * first.toBeat;
  const double soon = std::min(most, kOfSurvey * first.survey);
  const double deepest = wanted.n() / kDeep;
  const double soonDeepest = wanted.asked == nullptr ? deepest : std::min(deepest, kDeepForTables);
  relaxing.tryIn(soonDeepest, soon, way);
  if (way.relaxation != nullptr) return way;
  auto found =
      way.levels != nullptr && levels.areShallow() ? std::nullopt : surveyIfFast(wanted, first);
  if (found && hasRoom(wanted, *found)) {
    way.expected = found->elimination.milliseconds;
    way.survey = std::make_shared<const Survey>(std::move(*found));
    way.sampled = 0;
    way.levels = nullptr;
  }
  // An attempt that failed would fail again with the same limit or a lower one.
  const double limit = way.survey != nullptr ? way.expected : most;
  if (limit > soon) relaxing.tryIn(first.searches ? soonDeepest : deepest, limit, way);
  // Searches that are not expected soon may still take less than all else, but in a deep graph no
  // less than a sweep. In a small one, a sample of them takes about as long as the dense method.
  const double known = way.method() == Method::kAuto ? first.toBeat : way.expected;
  if (way.levels != nullptr || !levels.mayTake(known)) return way;
  const bool swept = way.survey != nullptr;
  if (isSmall(wanted) ? swept || levels.areDeep() : swept && levels.areDeep()) return way;
  const bool dense = way.method() == Method::kAuto && !first.searches;
  levels.tryIn(known * (dense && levels.areDeep() ? kWorthDeepLevels : 1), way);
  return way;
}

std::optional<BandWay> bandOnCpu(const Wanted& wanted, First& first, const Problem& band) {
  const double most = kWorthwhile * first.toBeat;
  Way way;
  LevelsOnCpu levels(wanted, first);
  levels.tryIn(levels.soon(most), way);
  if (const auto found = surveyIfFast(wanted, first)) {
    const int threads = std::min(omp_get_max_threads(), band.rows() / sparse::kBatch + 1);
    return BandWay{Method::kSparse, found->bytes(threads, wanted.dtype())};
  }
  if (!way.byLevels()) levels.tryIn(most, way);
  if (!way.byLevels()) return std::nullopt;
  return BandWay{Method::kBfs, bfs::LevelSearch::bytes(wanted.n(), wanted.graph.edgeCount())};
}

}  // namespace engine::plan
