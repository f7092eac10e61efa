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
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/memory.h"
#include "base/size.h"
#include "base/structure.h"
#include "filtered/outlook.h"
#include "filtered/prospect.h"
#include "search/search.h"
#include "solver/costs.h"
#include "solver/gpu_rows.h"
#include "sparse/rates.h"
#include "sparse/sweep_gpu.h"

namespace engine::plan {

namespace {

/// Of the dense solver's time, the most that a survey may be expected to take. Of a graph with many
/// edges, and on a GPU, other methods may take less of it.
constexpr double kWorthSurveying = 0.33, kWorthSurveyingMany = 0.06, kWorthOnGpu = 0.02,
                 kFewEdges = 4, kWorthOnGpuFew = 0.1;
/// Of the known time of one search from each source, the most that a survey may be expected to
/// take, and the most that sweeping may.
constexpr double kWorthBesideSearches = 0.35, kSureBesideSearches = 0.8;
/// The same on a GPU that is expected to filter in vain; and of a graph that is like a tree.
constexpr double kWorthOnGpuVain = 0.4, kWorthTree = 0.5, kLikeTree = 2.2;
/// Of the time that a survey is expected to take, what it takes if the graph is like a tree. For a
/// GPU, such a tree has fewer levels than kFlat.
constexpr double kOfTree = 0.33, kFlat = 100;
/// The same if the graph is a band: each edge joins vertices whose numbers differ by less than n,
/// divided by kNarrow.
constexpr double kOfBand = 0.5;
constexpr int kNarrow = 32;
/// Of the dense solver's time, the most that sparse solving may be expected to take. The filtered
/// solver may take less, too, above all on a GPU, but not if it filters in vain.
constexpr double kWorthwhile = 0.4, kWorthwhileOnGpu = 0.05, kWorthwhileElse = 0.7;
/// The same of a graph that is too small to be filtered.
constexpr double kWorthwhileSmall = 0.8;
/// Of the time of searches by levels on a CPU, the most that a survey may be expected to take.
constexpr double kWorthBesideLevels = 0.25;
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
/// of searches meets, it looks at the same vertices again. The second is for graphs that are like a
/// tree, of which a survey takes little time.
constexpr double kDeepForLevels = 40, kDeepTree = 20;
/// To see that, so many of the edges are looked at from each of some vertices.
constexpr double kLookedAtForDepth = 1 / 16.0;
/// A graph whose searches saw no more levels, and which is not like a tree, is not surveyed: in a
/// few levels, each arc is looked at a few times for hundreds of sources.
constexpr int kShallowForLevels = 12;
/// Searches by levels on a GPU are tried if preparing takes no more than this part of the dense
/// solver's time, and searching no more than a survey or such a part.
constexpr double kWorthPreparing = 0.2, kOfDenseLevels = 0.02;
/// A batch of searches may then take such a part of the dense solver's time and of a survey's, or
/// so many times what all searches are expected to take, and so many milliseconds at the least.
constexpr double kTrialOnGpu = 0.1, kTrialOfExpected = 3, kLeastTrial = 0.25;
/// Below so many vertices, a graph that a GPU filters well is not searched by levels unless it has
/// few edges and levels, because both take about as long, and to try costs time. Others are, if all
/// is expected to take no more than this part of the dense solver's time.
constexpr double kFewForLevels = 3.8, kFlatForLevels = 60, kWorthwhileLevels = 0.9;
/// If a search sees more than n levels, divided by this, the vertices of a strong component are
/// looked at too often.
constexpr double kDeep = 8;
/// For a table, a strong component of so many levels is too deep, unless no other way is left.
constexpr double kDeepForTables = 40;
/// Of the dense solver's time, the most that relaxing along all edges may be expected to take: of a
/// graph with more edges, a filter may leave few.
constexpr double kWorthRelaxingFew = 0.7, kWorthRelaxing = 0.06;
/// Numbers for each vertex for which the hierarchy may take room where the dense solver fits, too.
constexpr std::size_t kAllowance = 512;
/// In so many levels, relaxing looks at each vertex about once more.
constexpr double kLevelsOfLook = 6;
/// Weights below that may add up to distances of 16 bits.
constexpr std::int32_t kLightFor16 = 1 << 12;
/// Seconds of the dense solver on a GPU for each distance at the least. The solver leaves out
/// products of tiles that hold no path. There are many of them if each edge leads to a vertex with
/// a higher number (or each to one with a lower number), or with a near number.
constexpr double kGpuLeast = 158e-12, kOfForwards = 0.29, kOfNear = 0.44, kOfBoth = 0.16;
/// A graph of more levels is deep for a GPU that filters. Then filtering takes so many milliseconds
/// for each distance at the least, if there are few edges a vertex or not; and so many if the graph
/// is like a tree. Eliminating may be expected to take this part of that.
constexpr double kDeepOnGpu = 30, kFewInDeep = 3, kFilterDeepFew = 100e-9, kFilterDeep = 69e-9,
                 kFilterTree = 20e-9, kWorthOnGpuDeep = 0.4;
/// A graph of fewer vertices than kCheapToFilter and more than kFewInDeep edges a vertex is deep if
/// it has more levels than this, and at most so many edges a vertex.
constexpr double kDeepSmall = 120, kFewInSmall = 8;
/// A GPU eliminates a graph of more levels before it searches that graph by levels, if eliminating
/// is expected to take no more than this part of the time of the searches.
constexpr double kDeepLevelsOnGpu = 120, kWorthBesideLevelsOnGpu = 0.5;

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

/// What some edges tell of all: how many of them lead to near numbers, how many to higher ones, and
/// the longest step.
struct Sampled {
  std::size_t samples = 0, near = 0, forwards = 0;
  int longest = 0;

  /// Each sample lies 0.618 of the list (the golden section) behind the one before, and the end of
  /// the list leads on to its beginning. Equal parts of the list could all begin with the first
  /// edge of a vertex.
  Sampled(int n, const EndsOf& edges) {
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
  bool oneWay() const { return forwards == 0 || forwards == samples; }
};

/// The part of its products that the dense solver computes on a GPU, told from some edges.
double partOnGpu(int n, const EndsOf& edges) {
  const Sampled some(n, edges);
  if (some.near == some.samples) return some.oneWay() ? kOfBoth : kOfNear;
  return some.oneWay() ? kOfForwards : 1;
}

/// Whether filtering on a GPU is not expected to pay.
bool filtersInVain(Outlook outlook) {
  return outlook == Outlook::kPoor || outlook == Outlook::kDoubtful;
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

namespace {

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
  return bfs::commonWeight(wanted.graph) ? levelSearchOf(wanted) : nullptr;
}

std::shared_ptr<bfs::GpuLevels> gpuLevelsOf(const Wanted& wanted) {
  if (!bfs::commonWeight(wanted.graph)) return nullptr;
  return bfs::levelsOnGpu(wanted.graph, wanted.first);
}

void refuseWeights() {
  throw Unsupported(
      "breadth-first searches (method bfs) need edges of equal weight: take another method, "
      "or ignore the weights");
}

void requireLevels(const ProblemGraph& graph) {
  if (!graph.unread() && graph.heldAsEdges() && !bfs::commonWeight(graph.onHost())) refuseWeights();
}

namespace {

/// Of a CPU it is good, because it tells the solver that edges are missing.
Outlook outlookOf(const Wanted& wanted) {
  if (!onGpu(wanted.device)) return Outlook::kGood;
  return withEdges(wanted.graph,
                   [&](const auto& edges) { return outlookOnGpu(wanted.leaving, edges); });
}

/// Whether a graph is too small to be filtered. A sample of its rows is a large part of all.
bool isSmall(const Wanted& wanted) {
  return wanted.n() < Effort().vertices;
}

bool isLikeTree(const Wanted& wanted) {
  return wanted.size() <= kLikeTree * wanted.n();
}

/// Whether a graph is like a tree and has at least as many edges as vertices.
bool isLikeOneTree(const Wanted& wanted) {
  return isLikeTree(wanted) && wanted.size() >= wanted.n();
}

/// Whether all edges join vertices with near numbers, in both directions. Of a graph that is not
/// small, some edges are looked at.
bool isNarrow(const Wanted& wanted) {
  const int longest = wanted.n() / kNarrow;
  const Sampled some(wanted.n(), wanted.edges());
  if (some.longest >= longest || some.oneWay()) return false;
  const EndsOf edges = wanted.edges();
  return !isSmall(wanted) || std::all_of(edges.begin(), edges.end(), [&](const Ends& ends) {
    return std::abs(ends.to - ends.from) < longest;
  });
}

/// About the levels of a breadth-first search, told from a few edges.
double depthOf(const Wanted& wanted) {
  if (!wanted.depth) wanted.depth = levelsFrom(wanted.leaving, wanted.n() / 7);
  return *wanted.depth;
}

/// What is known before anything is surveyed.
struct First {
  double dense;  ///< milliseconds of the dense solver
  Outlook outlook = Outlook::kUnknown;
  bool narrow;            ///< whether all edges join near numbers; not looked at for GPUs
  double survey;          ///< milliseconds that a survey is expected to take
  bool levels = false;    ///< `dense` is the time of searches by levels, which take less
  bool searches = false;  ///< `dense` is the time of a search from each source, which takes less
  explicit First(const Wanted& wanted, bool looks = true);
};

/// A factor for graphs that a CPU eliminates sooner than the numbers of vertices and edges tell.
double partOfSurvey(const Wanted& wanted, const First& first) {
  if (onGpu(wanted.device))
    return filtersInVain(first.outlook) && isLikeTree(wanted) && depthOf(wanted) < kFlat ? kOfTree
                                                                                         : 1;
  if (wanted.asked != nullptr) return 1;
  if (isLikeTree(wanted)) return kOfTree;
  return first.narrow ? kOfBand : 1;
}

First::First(const Wanted& wanted, bool looks)
    : dense(denseMilliseconds(wanted)), narrow(!onGpu(wanted.device) && isNarrow(wanted)) {
  if (looks) outlook = outlookOf(wanted);
  const sparse::Rates rates = sparse::ratesOn(wanted.device, wanted.dtype(), wanted.asked);
  survey = sparse::surveyMilliseconds(wanted.graph, rates, eliminatesFor(wanted.device),
                                      partOfSurvey(wanted, *this));
}

/// Whether solving sparsely is, in so many milliseconds.
bool isFasterThan(const First& first, const Wanted& wanted, double milliseconds) {
  if (first.levels) return milliseconds <= first.dense;
  if (first.searches) return milliseconds <= kSureBesideSearches * first.dense;
  const double onGpus = filtersInVain(first.outlook) ? kWorthwhileElse : kWorthwhileOnGpu;
  const double onCpu = isSmall(wanted) ? kWorthwhileSmall : kWorthwhile;
  return milliseconds <= (onGpu(wanted.device) ? onGpus : onCpu) * first.dense;
}

/// Milliseconds that a GPU is expected to take to eliminate a graph.
double eliminatingMilliseconds(const Wanted& wanted) {
  return sparse::gpuEliminationMilliseconds(wanted.n(), wanted.graph.edgeCount());
}

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

/// Of the dense solver's time, or of what is known to take less, the most that a survey may be
/// expected to take.
double partForSurvey(const Wanted& wanted, const First& first) {
  const double degree = wanted.size() / std::max(1, wanted.n());
  const bool likeTree = isLikeTree(wanted);
  if (!onGpu(wanted.device)) {
    if (first.levels) return kWorthBesideLevels;
    if (likeTree) return kWorthTree;
    return degree <= kFewToKeep ? kWorthSurveying : kWorthSurveyingMany;
  }
  if (filtersInVain(first.outlook)) {
    const bool soon = likeTree || (eliminatingMilliseconds(wanted) <= kWorthTree * first.dense &&
                                   hasFewBesideHubs(wanted));
    return soon ? kWorthTree : first.outlook == Outlook::kPoor ? kWorthOnGpuVain : 0;
  }
  return degree <= kFewEdges ? kWorthOnGpuFew : kWorthOnGpu;
}

bool worthSurveying(const Wanted& wanted, const First& first) {
  const double part = first.searches ? kWorthBesideSearches : partForSurvey(wanted, first);
  return first.survey <= part * first.dense;
}

/// The survey of a graph for a CPU, if it does not take long and says that solving so is expected
/// to be faster.
std::optional<Survey> surveyIfFast(const Wanted& wanted, const First& first) {
  if (!worthSurveying(wanted, first)) return std::nullopt;
  const sparse::Rates rates = sparse::ratesOn(wanted.device, wanted.dtype(), wanted.asked);
  std::optional<Survey> found = sparse::surveyIfSeparable(wanted.graph, rates);
  if (found && !isFasterThan(first, wanted, found->plan.milliseconds)) found.reset();
  return found;
}

/// What filtering takes on a GPU, as far as a look at a few vertices tells.
struct Filtering {
  double milliseconds;  ///< at the least
  bool slow;            ///< there may be small separators, and filtering takes long
};

/// A GPU takes little time to filter a graph that seems to have no cycles. For a small graph with
/// more than kFewInDeep edges a vertex, filtering often takes less time than eliminating. With
/// equal weights it always does.
Filtering filteringOf(const Wanted& wanted, const First& first) {
  const double n = wanted.n();
  const bool few = wanted.size() <= kFewInDeep * n, small = wanted.n() < kCheapToFilter && !few;
  const auto inAll = [&](double each) { return std::min(first.dense, each * n * n); };
  const Filtering fast = {inAll(kFilterTree), false};
  if (filtersInVain(first.outlook) || Sampled(wanted.n(), wanted.edges()).oneWay()) return fast;
  if (!small && hasCliques(wanted.leaving)) return {first.dense, true};
  if (small && wanted.size() > kFewInSmall * n) return fast;
  if (depthOf(wanted) <= (small ? kDeepSmall : kDeepOnGpu)) return fast;
  if (small) return bfs::commonWeight(wanted.graph) ? fast : Filtering{first.dense, true};
  return {inAll(few ? kFilterDeepFew : kFilterDeep), true};
}

/// Milliseconds that solving may be expected to take after a GPU has eliminated.
double mostAfterElimination(const Wanted& wanted, const First& first, const Filtering& filtering) {
  if (first.levels) return first.dense;
  if (first.searches) return kSureBesideSearches * first.dense;
  if (first.outlook == Outlook::kPoor) return kWorthwhileElse * first.dense;
  if (filtering.slow) return filtering.milliseconds;
  return std::max(kWorthwhileOnGpu * first.dense, isLikeTree(wanted) ? filtering.milliseconds : 0);
}

/// What a GPU has eliminated, if that does not take long and says that solving so is expected to be
/// faster.
std::shared_ptr<sparse::GpuElimination> eliminationIfFast(const Wanted& wanted,
                                                          const First& first) {
  const Filtering filtering = filteringOf(wanted, first);
  const bool slow = filtering.slow && !first.levels && !first.searches;
  if (!slow && !isLikeTree(wanted) && !first.searches && !filtersInVain(first.outlook))
    return nullptr;
  const double worth = first.searches ? kWorthBesideSearches * first.dense
                       : slow         ? kWorthOnGpuDeep * filtering.milliseconds
                                      : partForSurvey(wanted, first) * first.dense;
  if (eliminatingMilliseconds(wanted) > worth || sparse::spreadsAtOnce(wanted.leaving))
    return nullptr;
  auto found = eliminationOf(wanted);
  const double most = mostAfterElimination(wanted, first, filtering);
  return found != nullptr && expectedOf(wanted, *found) <= most ? found : nullptr;
}

/// Whether the hierarchy fits where the dense solver does, too.
bool hasRoom(const Device& device, Dtype dtype, const Survey& survey) {
  const int n = survey.plan.vertices();
  if (onGpu(device))
    return sparse::gpuSweepBytes(n, survey.plan.arcs, survey.plan.coreSize(), dtype) <=
           device.freeBytes();
  return survey.bytes(std::min(omp_get_max_threads(), n / sparse::kBatch + 1), dtype) <=
         std::max(matrixBytes(n, dtype), allowedBytes(n, dtype));
}

/// Whether most vertices can be reached from each other.
bool isMostlyStrong(const Wanted& wanted) {
  std::vector<int> size(asSize(wanted.n()), 0);
  int largest = 0;
  for (const int component : strongComponentsOf(wanted.n(), wanted.edges()))
    largest = std::max(largest, ++size[asSize(component)]);
  return largest > wanted.n() / 2;
}

/// Whether distances may fit into 16 bits, as far as the weights tell.
bool mayBe16(const Wanted& wanted) {
  if (!wanted.may16 || wanted.dtype() != Dtype::kInt32) return false;
  const auto& edges = wanted.graph.edges<std::int32_t>();
  return std::all_of(edges.begin(), edges.end(),
                     [](const auto& edge) { return edge.weight < kLightFor16; });
}

/// Tries to relax, if that may take less than `most` milliseconds. deepest: levels that a strong
/// graph may have. Where searches by levels were chosen, they take less time in any strong graph.
void tryRelaxing(const Wanted& wanted, double deepest, double most, Way& way) {
  const double part = way.survey == nullptr ? kWorthTrying : kWorthTryingMore;
  const double least = EdgeRelaxation::leastMilliseconds(wanted.n(), wanted.graph.edgeCount(),
                                                         asSize(wanted.sources()), wanted.dtype());
  if (least > part * most) return;
  const double depth = depthOf(wanted);
  if (isSmall(wanted) && !mayBe16(wanted) && least * (1 + depth / kLevelsOfLook) > most &&
      isMostlyStrong(wanted))
    return;
  if (!wanted.device.hasRoom(EdgeRelaxation::bytes(wanted.n(), wanted.graph.edgeCount(),
                                                   asSize(wanted.sources()), wanted.dtype())))
    return;
  const bool many = wanted.size() > kFewToKeep * wanted.n();
  const bool deep = depth > deepest;
  if ((many || deep || way.levels != nullptr) && isMostlyStrong(wanted)) return;
  auto relaxation = relaxationOf(wanted);
  const auto expected = relaxation->expect(most);
  if (!expected) return;
  const double sampled = relaxation->sampledMilliseconds();
  way = {nullptr, std::move(relaxation), nullptr, nullptr, false, *expected, way.outlook, sampled};
}

/// Milliseconds that searches by levels take at the least.
double leastOfLevels(const Wanted& wanted) {
  const std::size_t distances = asSize(wanted.sources()) * asSize(wanted.n());
  return bfs::LevelSearch::leastMilliseconds(wanted.n(), wanted.graph.edgeCount(), distances,
                                             wanted.dtype());
}

/// Whether searches from some vertices see many levels. One vertex alone may be in a part that is
/// not deep.
bool isDeep(const Wanted& wanted) {
  const int n = wanted.n();
  const auto more = static_cast<std::size_t>(kLookedAtForDepth * wanted.size());
  for (const int first : {n / 7, n / 2, n - 1 - n / 7})
    if (levelsFrom(wanted.leaving, first, more) > (isLikeTree(wanted) ? kDeepTree : kDeepForLevels))
      return true;
  return false;
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
    return least <= most && arePossible();
  }

  /// Whether they are known to meet few levels.
  bool areShallow() const {
    return search_ != nullptr && search_->sampledLevels() <= kShallowForLevels &&
           !isLikeTree(wanted_);
  }

  bool areDeep() {
    if (!deep_) deep_ = (isSmall(wanted_) && first_.narrow) || isDeep(wanted_);
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
    first_.dense = *expected;
    first_.levels = true;
  }

 private:
  bool arePossible() {
    if (!possible_) possible_ = bfs::commonWeight(wanted_.graph).has_value();
    return *possible_;
  }

  const Wanted& wanted_;
  First& first_;
  std::optional<bool> possible_, deep_;
  std::shared_ptr<bfs::LevelSearch> search_;
};

/// Searches by levels on a GPU, for all distances. They may be tried soon, because a batch of them
/// takes little time. There is room for them, or the GPU says that there is none.
class LevelsOnGpu {
 public:
  LevelsOnGpu(const Wanted& wanted, First& first) : wanted_(wanted), first_(first) {}

  /// Tries them, unless what the numbers of vertices and edges tell is too long. deepToo: also if
  /// the graph is so deep that it should be eliminated first.
  void tryIn(Way& way, bool deepToo) {
    if (tried_ || wanted_.asked != nullptr) return;
    const bool small = wanted_.n() < kCheapToFilter;
    const double least = expectedOf(0);
    if (least > (small ? kWorthwhileLevels : kWorthPreparing) * first_.dense) return;
    const double depth = depthOf(wanted_), searching = expectedOf(depth) - least;
    if (small ? least + searching > kWorthwhileLevels * first_.dense
              : searching > std::max(first_.survey, kOfDenseLevels * first_.dense))
      return;
    const bool few = wanted_.size() <= kFewForLevels * wanted_.n() && depth <= kFlatForLevels;
    if (small && first_.outlook == Outlook::kGood && !few) return;
    if (!deepToo && !small && depth > kDeepLevelsOnGpu &&
        eliminatingMilliseconds(wanted_) <= kWorthBesideLevelsOnGpu * searching)
      return;
    if (bfs::commonWeight(wanted_.graph)) take(searching, way);
  }

  /// Whether they were tried, and are known to take longer than the dense method.
  bool areSlow() const { return slow_; }

 private:
  double expectedOf(double levels) const {
    return bfs::gpuLevelMilliseconds(wanted_.n(), wanted_.graph.edgeCount(), wanted_.dtype(),
                                     levels);
  }

  void take(double searching, Way& way) {
    tried_ = true;
    std::shared_ptr<bfs::GpuLevels> levels = bfs::levelsOnGpu(wanted_.graph, wanted_.first);
    const double trial = std::max({kLeastTrial, kTrialOnGpu * std::min(first_.dense, first_.survey),
                                   kTrialOfExpected * searching});
    const auto expected = levels->expect(first_.dense, trial);
    slow_ = levels->atLeast > first_.dense;
    if (!expected) return;
    way = {};
    way.outlook = first_.outlook;
    way.expected = *expected;
    way.sampled = levels->sampled;
    way.gpuLevels = std::move(levels);
    first_.dense = *expected;
    first_.levels = true;
  }

  const Wanted& wanted_;
  First& first_;
  bool tried_ = false, slow_ = false;
};

}  // namespace

bool isFast(const Wanted& wanted, const Survey& survey) {
  return isFasterThan(First(wanted), wanted, survey.plan.milliseconds);
}

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

Way wayOnGpu(const Wanted& wanted, First& first) {
  Way way;
  LevelsOnGpu levels(wanted, first);
  const bool small = wanted.n() < kCheapToFilter;
  if (small) first.outlook = outlookOf(wanted);
  levels.tryIn(way, false);
  if (way.byLevels() && eliminatingMilliseconds(wanted) > kWorthTree * first.dense) return way;
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
  levels.tryIn(way, true);
  return way;
}

Way wayOnCpu(const Wanted& wanted, First& first) {
  Way way;
  LevelsOnCpu levels(wanted, first);
  levels.tryIn(levels.soon(first.dense), way);
  way.outlook = first.outlook = outlookOf(wanted);
  const double degree = wanted.size() / std::max(1, wanted.n());
  const double most = (degree <= kFewToKeep ? kWorthRelaxingFew : kWorthRelaxing) * first.dense;
  const double soon = std::min(most, kOfSurvey * first.survey);
  const double deepest = wanted.n() / kDeep;
  const double soonDeepest = wanted.asked == nullptr ? deepest : std::min(deepest, kDeepForTables);
  tryRelaxing(wanted, soonDeepest, soon, way);
  if (way.relaxation != nullptr) return way;
  auto found =
      way.levels != nullptr && levels.areShallow() ? std::nullopt : surveyIfFast(wanted, first);
  if (found && hasRoom(wanted.device, wanted.dtype(), *found)) {
    way.expected = found->plan.milliseconds;
    way.survey = std::make_shared<const Survey>(std::move(*found));
    way.sampled = 0;
    way.levels = nullptr;
  }
  // An attempt that failed would fail again with the same limit or a lower one.
  const double limit = way.survey != nullptr ? way.expected : most;
  if (limit > soon) tryRelaxing(wanted, first.searches ? soonDeepest : deepest, limit, way);
  // Searches that are not expected soon may still take less than all else, but in a deep graph no
  // less than a sweep. In a small one, a sample of them takes about as long as the dense method.
  const double known = way.method() == Method::kAuto ? first.dense : way.expected;
  if (way.levels != nullptr || !levels.mayTake(known)) return way;
  const bool swept = way.survey != nullptr;
  if (isSmall(wanted) ? swept || levels.areDeep() : swept && levels.areDeep()) return way;
  const bool dense = way.method() == Method::kAuto && !first.searches;
  levels.tryIn(known * (dense && levels.areDeep() ? kWorthDeepLevels : 1), way);
  return way;
}

/// The way that is expected to be the fastest. searching: the milliseconds that one search from
/// each source takes. If they are given, only faster ways are tried.
Way wayBeside(const Wanted& wanted, std::optional<double> searching) {
  First first(wanted, false);
  if (searching && *searching < first.dense) {
    first.dense = *searching;
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
  const double threads = omp_get_max_threads();
  const double all =
      std::min(searchMilliseconds(wanted.graph) * n / kTogether / threads,
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

std::shared_ptr<sparse::GpuElimination> eliminationOf(const Wanted& wanted) {
  return onGpu(wanted.device) ? sparse::eliminateOnGpu(wanted.graph) : nullptr;
}

double expectedOf(const Wanted& wanted, const sparse::GpuElimination& found) {
  const double n = std::max(1, wanted.n());
  return found.expectedOf(wanted.sources() / n * (wanted.targets() / n));
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
  forecast.denseMs = first.dense;
  const bool fits = device.hasRoom(forecast.denseBytes);
  if (bfs::commonWeight(wanted.graph))
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
  forecast.sparseMs = survey.plan.milliseconds;
  forecast.sparseBytes = survey.bytes(omp_get_max_threads(), graph.dtype());
  if (!fits || !worth) return forecast;
  forecast.choice = !isFasterThan(first, wanted, survey.plan.milliseconds) ? Choice::kNotWorth
                    : hasRoom(device, graph.dtype(), survey)               ? Choice::kSparse
                                                                           : Choice::kNoRoom;
  return forecast;
}

namespace {

/// Milliseconds that ranks take to begin and to end together.
constexpr double kTogetherMs = 0.3;

/// How ranks with a GPU each sweep, if that is expected to be faster than what `first` says.
std::optional<BandWay> bandByElimination(const Wanted& wanted, const First& first) {
  const auto found = eliminationIfFast(wanted, first);
  if (found == nullptr) return std::nullopt;
  const Dtype dtype = wanted.dtype();
  const auto sweeps = sparse::gpuSweepBytes(wanted.n(), found->arcs, found->core, dtype);
  return BandWay{Method::kSparse, GpuRows::bytes(wanted.n(), dtype, 1) + sweeps,
                 found->expected <= expectedOf(wanted, *found) + kTogetherMs};
}

/// The same on GPUs. Searches compete with what one GPU alone would take: that is more than ranks
/// take together.
std::optional<BandWay> bandOnGpu(const Wanted& wanted, First& first) {
  const std::size_t levels = bfs::gpuLevelBytes(wanted.n(), wanted.graph.edgeCount());
  Way way;
  const Wanted all = {wanted.device, wanted.graph};
  if (wanted.device.hasRoom(levels)) LevelsOnGpu(all, first).tryIn(way, true);
  if (auto band = bandByElimination(wanted, first)) return band;
  if (!way.byLevels()) return std::nullopt;
  return BandWay{Method::kBfs, GpuRows::bytes(wanted.n(), wanted.dtype(), 1) + levels};
}

}  // namespace

std::optional<BandWay> bandWayIfFaster(const Device& device, const Problem& band, int ranks) {
  const int n = band.graph.n();
  const Dtype dtype = band.graph.dtype();
  const Wanted wanted = {device, band.graph.onHost(), band.asked};
  First first(wanted);
  // GPUs gain little by filtering together.
  if (!onGpu(device) || filtersInVain(first.outlook)) first.dense /= ranks;
  if (onGpu(device)) return bandOnGpu(wanted, first);
  const double most = kWorthwhile * first.dense;
  Way way;
  LevelsOnCpu levels(wanted, first);
  levels.tryIn(levels.soon(most), way);
  if (const auto found = surveyIfFast(wanted, first)) {
    const int threads = std::min(omp_get_max_threads(), band.rows() / sparse::kBatch + 1);
    return BandWay{Method::kSparse, found->bytes(threads, dtype)};
  }
  if (!way.byLevels()) levels.tryIn(most, way);
  if (!way.byLevels()) return std::nullopt;
  return BandWay{Method::kBfs, bfs::LevelSearch::bytes(n, wanted.graph.edgeCount())};
}

}  // namespace engine::plan
