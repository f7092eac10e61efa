// An edge that is longer than some walk between its ends is on no shortest path. Leaving out such
// edges changes no distance, whatever the graph is and however the walk was found: an edge of a
// shortest path is as long as the distance between its ends, and no walk is shorter.
//
// In a dense graph whose weights vary, nearly all edges are longer than that. Of a complete graph
// with random weights about ½ n ln n edges matter (McGeoch, "All-pairs shortest paths and the
// essential subgraph", Algorithmica 13, 1995; Karger, Koller and Phillips, "Finding the hidden
// path", SIAM J. Computing 22, 1993).
//
//   1. Survey.  One pass over the matrix keeps the light edges: those up to a threshold, which a
//               sample of the weights tells, and the lightest edge of a vertex that has none, out
//               or in. A few vertices are hubs. Relaxation over the light edges finds a(u), from u
//               to each hub, and b(v), from each hub to v. They are lengths of walks of the graph.
//   2. Filter.  An edge (u → v) is left out if w(u,v) > a_h(u) + b_h(v) for some hub h. If
//               a_h(u) + max b_h is below the threshold for some hub, then the light edges of u are
//               all that need a look. Otherwise the row of u is read again.
//
// Cost. The dense solver takes n relaxations for each distance. The filtered one takes as many as
// kept edges a vertex times looks at a vertex, but each takes longer (kNarrow, kWide), because its
// operands come from the L2 cache, and a look takes some time by itself (kLook). The looks are
// about as many as for the hubs. Whatever tells that it does not pay is found out as early as
// possible: from a few edges and their detours, from the hubs, from some rows of the matrix.
//
// Reals: a sum of n weights is off by at most n ε of itself, whatever the order. The bounds are
// raised by twice that, and no edge of a shortest path is left out.
//
// Several ranks have a band of the rows each. A rank looks at its own rows only, and all ranks then
// get what the others found:
//
//     samples ─► light edges ─► hubs ─► mend ─► some rows ─► kept edges
//        ⇅ all       ⇅ all      ⇅ all   ⇅ all     ⇅ all        ⇅ all
//
// Samples are of the whole matrix, so all ranks together keep the edges that one rank would keep.
// Rank 0 settles the distances to the hubs, and rank 1 those from them. More ranks do not shorten
// this time, so it is a part of the cost (undivided_): several ranks filter only larger graphs.
#include "filtered/filter_cpu.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/graph.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "filtered/filtered_cpu.h"
#include "filtered/gather.h"
#include "filtered/settle_cpu.h"
#include "solver/costs.h"

namespace engine {

namespace {

constexpr int kHubs = kLanes;
constexpr int kRows = 32;           // of the matrix, for a task; counted from row 0
constexpr double kLightPerLog = 3;  // light edges of a vertex, divided by ln n
/// Several ranks hold the lists of edges each for itself: they may be so long, divided by n ln n.
constexpr double kMostPerLog = 16;
constexpr int kSamples = 4096;
/// The time of a relaxation with 16 bits, with all bits of whole weights, and of reals, divided by
/// that of the dense solver's, which takes longer for reals. Of 64 bits both take about twice as
/// long as of 32.
constexpr double kNarrow = 2, kWide = 4, kReal = 2.2;
/// The time of a look at a vertex without edges, in relaxations.
constexpr double kLook = 6;
/// Of a random graph: kept edges of a vertex, divided by ln n, and looks at a vertex.
constexpr double kUsualKept = 1.5, kUsualLooks = 10;
/// The time of a step for the hubs, in relaxations of the dense solver on one core.
constexpr double kStep = 300;
constexpr std::uint64_t kSeed = 0x68756273;  // any: a graph made to fool this one costs only time

/// The largest weight of an edge.
template <class T>
constexpr T kMost = std::is_floating_point_v<T> ? std::numeric_limits<T>::max() : kInfinity<T> - 1;

template <class T>
class Filter {
 public:
  Filter(const MatrixRows& matrix, const Effort& effort, FilterTeam& team, const std::string& simd)
      : n_(matrix.n),
        matrix_(matrix),
        team_(team),
        effort_(effort),
        most_(effort.worthwhile > 1 ? static_cast<std::uint64_t>(n_) * n_
                                    : mostEdges(n_, static_cast<int>(team.rows().size()))),
        settle_(findSettle<T, kRowVectors<T>>(simd)),
        kernels_(findKernels<T>(simd)),
        threads_(omp_get_max_threads()) {}

  std::optional<Filtered<T>> run() {
    Filtered<T> found;
    bool few = false;
    found.surveyMs = millisecondsOf([&] {
      few = isLarge() && hasRoom() && hasDetours() && chooseThreshold() && collectLight() &&
            bound(found);
    });
    if (!few) return std::nullopt;
    found.filterMs =
        millisecondsOf([&] { few = pays(std::log(n_) / 2, found) && collectKept(found); });
    if (!few) return std::nullopt;
    return found;
  }

 private:
  using Rows = DistanceRows<T>;  // (n, kHubs)
  static constexpr bool kIsReal = std::is_floating_point_v<T>;
  /// An element of the matrix.
  struct Place {
    int row, column;
  };

  static std::size_t at(int vertex) { return asSize(vertex) * kHubs; }
  bool together() const { return team_.rows().size() > 1; }
  /// The speed of the threads of all ranks together, as speedOf() counts it.
  double speed() const { return static_cast<double>(team_.rows().size()) * speedOf(threads_); }

  /// The tasks that have rows of this rank.
  Band tasks() const {
    const int first = matrix_.rows.first / kRows;
    return {first, (matrix_.rows.end() + kRows - 1) / kRows - first};
  }
  /// The rows of this rank that a task has.
  Band rowsOf(int task) const {
    const int first = std::max(task * kRows, matrix_.rows.first);
    return {first, std::min((task + 1) * kRows, matrix_.rows.end()) - first};
  }
  /// Runs body(task) for the tasks of this rank.
  template <class Body>
  void forEachTask(const Body& body) const {
    const Band all = tasks();
    runPhases({{all.count, [&](int i) { body(all.first + i); }}}, threads_);
  }

  /// The i-th vertex of a fixed random list.
  int random(int i, std::uint64_t list) const {
    return static_cast<int>((edgeHash(static_cast<std::uint64_t>(i), list, kSeed) >> 32) % n_);
  }

  /// The time of so many steps for the hubs, divided by the dense solver's, if more ranks do not
  /// shorten it.
  double undivided(double steps) const {
    return together() ? steps * kStep * speed() / std::pow(n_, 3) : 0;
  }
  /// Whether that is short enough on several ranks, before anything is known of the graph.
  bool isLarge() const {
    if (!together()) return true;
    const double logarithm = std::log(n_), steps = kUsualLooks * kLightPerLog * logarithm * n_;
    const Prospect usual{kUsualKept * logarithm, kUsualLooks, kUsualLooks, true};
    return undivided(steps) + costOf(usual, n_) <= effort_.worthwhile;
  }
  bool areTooMany(double edges) const { return together() && edges > static_cast<double>(most_); }
  /// Collective: whether all machines have room for the lists of their ranks. Who asks for the
  /// method is told instead, as soon as their length is known.
  bool hasRoom() const {
    if (!together() || effort_.worthwhile > 1) return true;
    const std::size_t bytes = filteredBytes(n_, kDtype<T>, static_cast<int>(team_.rows().size()));
    const bool fits = bytes * asSize(team_.onThisHost()) <= freeHostBytes();
    return sumOfAll(team_, fits ? 0 : 1) == 0;
  }
  /// Throws Error(kMemory) unless each rank of this machine can hold so many edges.
  void requireRoom(double edges) const {
    if (!together() || effort_.worthwhile <= 1) return;
    constexpr double kLists = 3;  // of a rank, of all ranks, and reversed
    requireHostBytes(asSize(kLists * edges * sizeof(Arc<T>)) * asSize(team_.onThisHost()),
                     "the list of edges of each rank");
  }
  bool pays(double kept, const Filtered<T>& found) const {
    return costOf({kept, found.looks, found.passes, found.fits16, kIsReal}, n_) + undivided_ <=
           effort_.worthwhile;
  }
  std::vector<T> sample(const std::vector<Place>& places) const;
  bool chooseThreshold();
  int countEdges(int first, int count, int& longer) const;
  bool hasDetours();
  bool collectLight();
  bool bound(Filtered<T>& found);
  bool collectKept(Filtered<T>& found);
  template <class Keep>
  void scan(int u, T most, std::vector<Arc<T>>& to, const Keep& keep) const;
  std::uint64_t mostHubSteps() const;
  bool settleHubs(Filtered<T>& found);
  void mendSide(T* rows, bool to, const bool* live) const;
  void mend();
  void joinRows(Band block, const T* old, T* least) const;
  void joinColumns(Band block, const T* old, T* least) const;
  bool isLongerThanAWalk(int u, const Arc<T>& arc) const;

  const int n_;
  const MatrixRows matrix_;
  FilterTeam& team_;
  const Effort effort_;
  const std::uint64_t most_;  // light edges, and kept ones of several ranks
  const Settle<T, kRowVectors<T>> settle_;
  const Kernels<T> kernels_;
  const int threads_;

  bool promising_ = true;  // there are edges enough, and detours are shorter than many of them
  double undivided_ = 0;   // time that more ranks do not shorten, divided by the dense solver's
  T threshold_ = 0;        // edges up to it are light
  Arcs<T> light_;
  Rows toHubs_, fromHubs_;   // a and b
  std::vector<T> farthest_;  // of each vertex: no walk's bound from it is above this weight
};

/// Collective: the elements at so many places.
template <class T>
std::vector<T> Filter<T>::sample(const std::vector<Place>& places) const {
  std::vector<T> weights(places.size(), kInfinity<T>);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (const auto [u, v] = places[i]; matrix_.rows.has(u)) weights[i] = *matrix_.at<T>(u, v);
  takeLeastOfAll(team_, weights);  // a rank without the row has infinity
  return weights;
}

/// Finds the threshold; false if too many edges are as light as that.
template <class T>
bool Filter<T>::chooseThreshold() {
  std::vector<Place> places;
  places.reserve(kSamples);
  for (int i = 0; i < kSamples; ++i) places.push_back({random(i, 0), random(i, 1)});
  std::vector<T> found = sample(places);
  const double share = kLightPerLog * std::log(n_) / n_;
  const auto at = std::min<std::size_t>(asSize(share * kSamples), kSamples - 1);
  std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(at), found.end());
  threshold_ = std::min(found[at], kMost<T>);
  const auto light = static_cast<std::uint64_t>(
      std::count_if(found.begin(), found.end(), [&](T weight) { return weight <= threshold_; }));
  return light * static_cast<std::uint64_t>(n_) * n_ / kSamples < most_;
}

/// Collective: of `count` pairs of vertices from `first` on in the random list, how many have an
/// edge; longer: adds how many of these edges are longer than a detour by one vertex, or by two: in
/// a bipartite graph there is none by one.
template <class T>
int Filter<T>::countEdges(int first, int count, int& longer) const {
  constexpr int kStops = 64;
  std::vector<Place> places;
  places.reserve(asSize(count) * (1 + 2 * kStops));
  int stops[kStops];
  for (int k = 0; k < kStops; ++k) stops[k] = random(k, 4);
  for (int j = 0; j < kStops; ++j)  // what is between the stops
    for (int k = 0; k < kStops; ++k) places.push_back({stops[j], stops[k]});
  const std::size_t between = places.size();
  for (int i = first; i < first + count; ++i) {
    const Place pair{random(i, 2), random(i, 3)};
    places.push_back(pair);
    for (const int stop : stops) {
      places.push_back({pair.row, stop});
      places.push_back({stop, pair.column});
    }
  }
  const std::vector<T> weights = sample(places);
  int edges = 0;
  constexpr T kNone = kInfinity<T>;
  for (std::size_t at = between; at < places.size(); at += 1 + 2 * kStops) {
    const auto [u, v] = places[at];
    if (u == v || weights[at] == kNone) continue;
    T detour = kNone, out = kNone, in = kNone;  // out, in: the lightest edges of the pair
    int afterOut = 0, beforeIn = 0;             // where they lead to, and come from
    for (int k = 0; k < kStops; ++k) {
      if (stops[k] == u || stops[k] == v) continue;
      const T* const edge = &weights[at + 1 + 2 * asSize(k)];
      const T away = edge[0], back = edge[1];
      detour = std::min<T>(detour, away + back);
      if (away < out) out = away, afterOut = k;
      if (back < in) in = back, beforeIn = k;
    }
    if (out < kNone && in < kNone) {
      const T middle = weights[asSize(afterOut) * kStops + asSize(beforeIn)];
      detour = std::min<T>(detour, std::min<T>(out + middle, kNone) + in);
    }
    ++edges;
    longer += detour < weights[at];
  }
  return edges;
}

/// Whether detours by one vertex are shorter than many edges: in a random graph than 8 of 10. Where
/// edges are missing, 32-bit distances are likely, which pay later.
template <class T>
bool Filter<T>::hasDetours() {
  constexpr int kEdges = 64, kFirst = kEdges / 4, kLeastWide = 1800;
  constexpr int kLarge = 7000;  // from here on a survey in vain costs less than 3 %
  if (effort_.worthwhile > 1) return true;
  int longer = 0;
  int edges = countEdges(0, kFirst, longer);
  // A few edges tell of most graphs.
  if (edges == kFirst && longer <= edges / 8) return false;
  if (edges < kFirst && n_ < kLeastWide) return false;
  edges += countEdges(kFirst, kEdges - kFirst, longer);
  if (edges < kEdges && n_ < kLeastWide) return false;
  promising_ = edges >= kEdges / 8;
  return edges < kEdges / 8 || longer > edges / (n_ < kLarge ? 3 : 8);
}

/// Appends the arcs of u up to a weight for which keep(arc) is true.
template <class T>
template <class Keep>
void Filter<T>::scan(int u, T most, std::vector<Arc<T>>& to, const Keep& keep) const {
  constexpr int kAtOnce = 1024;
  std::uint32_t indices[kAtOnce + 1];
  matrix_.forEachPiece<T>(u, [&](int begin, int count, const T* piece) {
    for (int first = 0; first < count; first += kAtOnce) {
      const T* const weights = piece + first;
      const int found = kernels_.select(weights, std::min(kAtOnce, count - first), most, indices);
      for (int i = 0; i < found; ++i) {
        const Arc<T> arc = {static_cast<std::uint32_t>(begin + first) + indices[i],
                            weights[indices[i]]};
        if (arc.head != static_cast<std::uint32_t>(u) && keep(arc)) to.push_back(arc);
      }
    }
  });
}

/// Collective.
template <class T>
bool Filter<T>::collectLight() {
  const Band all = tasks();
  std::vector<std::vector<Arc<T>>> parts(asSize(all.count));
  std::vector<int> degrees(n_);
  std::atomic<std::uint64_t> total = 0;
  forEachTask([&](int task) {
    const Band rows = rowsOf(task);
    for (int u = rows.first; u < rows.end(); ++u) {
      if (total > most_) return;
      std::vector<Arc<T>>& to = parts[task - all.first];
      const std::size_t before = to.size();
      scan(u, threshold_, to, [](const Arc<T>&) { return true; });
      degrees[u] = static_cast<int>(to.size() - before);
      total += to.size() - before;
    }
  });
  const double edges = sumOfAll(team_, static_cast<double>(total));
  if (edges > static_cast<double>(most_)) return false;
  requireRoom(edges);
  light_ = gatherArcs(team_, std::move(degrees), parts);
  return true;
}

/// The steps that the hubs' distances may take. With more it cannot pay, even if only the fewest
/// edges matter.
template <class T>
std::uint64_t Filter<T>::mostHubSteps() const {
  if (effort_.worthwhile > 1) return ~std::uint64_t{0};
  const double looks =
      std::min(64.0, effort_.worthwhile * n_ / (kNarrow * (std::log(n_) / 2 + kLook)));
  const double one = std::pow(n_, 3) / kStep;  // the dense solver's time on one thread, in steps
  const double dense = one / speed();
  double most = looks * static_cast<double>(light_.size());
  // At most two threads settle the hubs. If many solve densely, the hubs take a larger part of that
  // solver's time, so up to twice that part is allowed. The number of threads must not decide
  // whether reals are filtered, because that would change bits.
  constexpr double kThreads = 4, kTwice = 2;
  const double vain =
      effort_.vain * (std::is_integral_v<T> ? dense * std::clamp(speed() / kThreads, 1.0, kTwice)
                                            : one / kThreads);
  if (!promising_) most = std::min(most, vain);
  if (together()) most = std::min(most, effort_.worthwhile * dense);  // see undivided()
  return static_cast<std::uint64_t>(most);
}

/// Collective: the distances to and from hubs over the light edges. Returns whether that took few
/// steps.
template <class T>
bool Filter<T>::settleHubs(Filtered<T>& found) {
  const std::uint64_t most = mostHubSteps();
  const Arcs<T> back = light_.reversed();
  const std::size_t size = at(n_);
  for (Rows* rows : {&toHubs_, &fromHubs_}) {
    *rows = makeRows<T>(size);
    std::fill_n(rows->get(), size, kFar<T>);
  }
  int hubs[kHubs];
  for (int h = 0; h < kHubs; ++h) {
    // The first vertex from n h / kHubs on that light edges leave and enter.
    int hub = static_cast<int>(static_cast<std::int64_t>(h) * n_ / kHubs);
    for (int tries = n_; tries > 1 && (light_.degree(hub) == 0 || back.degree(hub) == 0); --tries)
      hub = (hub + 1) % n_;
    hubs[h] = hub;
  }
  Settled settled[2];
  const auto settleSide = [&](int side) {
    const Arcs<T>& arcs = side == 0 ? light_ : back;
    const Arcs<T>& reversed = side == 0 ? back : light_;
    T* const rows = (side == 0 ? toHubs_ : fromHubs_).get();
    Agenda agenda(n_);
    for (int h = 0; h < kHubs; ++h) {
      rows[asSize(hubs[h]) * kHubs + h] = 0;
      for (const Arc<T>* arc = reversed.begin(hubs[h]); arc != reversed.end(hubs[h]); ++arc)
        agenda.add(arc->head);
    }
    settled[side] = settle_(arcs, reversed, rows, agenda, most);
  };
  if (together()) {
    if (team_.rank() < 2) settleSide(team_.rank());
    for (int side = 0; side < 2; ++side) {
      T* const rows = (side == 0 ? toHubs_ : fromHubs_).get();
      team_.broadcast(rows, size * sizeof(T), side, nullptr);
      team_.broadcast(&settled[side], sizeof settled[side], side, nullptr);
    }
  } else {
    runPhases({{2, settleSide}}, threads_);
  }
  found.looks = static_cast<double>(settled[0].looks + settled[1].looks) / (2.0 * n_);
  found.passes = static_cast<double>(settled[0].arcs + settled[1].arcs) /
                 (2.0 * std::max<double>(1, static_cast<double>(light_.size())));
  undivided_ = undivided(static_cast<double>(std::max(settled[0].arcs, settled[1].arcs)));
  return !settled[0].gaveUp && !settled[1].gaveUp;
}

/// Finds shorter walks to the hubs from the rows of a block, of which there are kJoined at most. A
/// walk is one edge of a row that this rank has, and a distance that is known already.
/// old: (n, kHubs), these distances; least: (kJoined, kHubs), those of the block, which it lowers.
template <class T>
void Filter<T>::joinRows(Band block, const T* old, T* least) const {
  constexpr int kAtOnce = 64;
  const Band here = matrix_.rows;
  const bool whole = block.count == kJoined && here.has(block.first) && here.has(block.end() - 1);
  T weights[kJoined * kAtOnce];
  std::fill_n(weights, kJoined * kAtOnce, kInfinity<T>);  // stays in rows that are not here
  for (int first = 0, count; first < n_; first += count) {
    count = matrix_.pieceAt(first);
    if (whole) {
      kernels_.join(matrix_.at<T>(block.first, first), 1, asSize(matrix_.width), count,
                    old + at(first), least);
      continue;
    }
    count = std::min(kAtOnce, count);
    for (int i = 0; i < block.count; ++i)
      if (const int u = block.first + i; here.has(u))
        std::copy_n(matrix_.at<T>(u, first), count, weights + i * kAtOnce);
    kernels_.join(weights, 1, kAtOnce, count, old + at(first), least);
  }
}

/// The same for walks from the hubs to the columns of a block.
template <class T>
void Filter<T>::joinColumns(Band block, const T* old, T* least) const {
  constexpr int kAtOnce = 64;
  const Band rows = matrix_.rows;
  if (block.count == kJoined && matrix_.pieceAt(block.first) >= kJoined)
    return kernels_.join(matrix_.at<T>(rows.first, block.first), asSize(matrix_.width), 1,
                         rows.count, old + at(rows.first), least);
  T weights[kAtOnce * kJoined];
  std::fill_n(weights, kAtOnce * kJoined, kInfinity<T>);  // stays in columns that the block lacks
  for (int first = rows.first; first < rows.end(); first += kAtOnce) {
    const int count = std::min(kAtOnce, rows.end() - first);
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < block.count; ++i)
        weights[k * kJoined + i] = *matrix_.at<T>(first + k, block.first + i);
    kernels_.join(weights, kJoined, 1, count, old + at(first), least);
  }
}

/// Collective: mends the distances to the hubs, or from them. rows: (n, kHubs).
template <class T>
void Filter<T>::mendSide(T* rows, bool to, const bool* live) const {
  const auto isFar = [&](int v) {
    for (int h = 0; h < kHubs; ++h)
      if (live[h] && rows[at(v) + h] == kFar<T>) return true;
    return false;
  };
  std::vector<Band> blocks;  // in which some vertex is far
  for (int first = 0; first < n_; first += kJoined) {
    const Band block{first, std::min(kJoined, n_ - first)};
    bool any = false;
    for (int v = block.first; v < block.end(); ++v) any |= isFar(v);
    if (any) blocks.push_back(block);
  }
  std::vector<T> mended(blocks.size() * at(kJoined), kFar<T>);
  runPhases({{static_cast<int>(blocks.size()),
              [&](int i) {
                const Band block = blocks[asSize(i)];
                alignas(kVectorBytes) T least[kJoined * kHubs] = {};
                std::copy_n(rows + at(block.first), at(block.count), least);
                if (to)
                  joinRows(block, rows, least);
                else
                  joinColumns(block, rows, least);
                std::copy_n(least, at(block.count), mended.data() + at(i * kJoined));
              }}},
            threads_);
  takeLeastOfAll(team_, mended);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    std::copy_n(mended.data() + i * at(kJoined), at(blocks[i].count), rows + at(blocks[i].first));
}

/// Collective: gives vertices that light edges do not reach, or do not leave, walks with one
/// heavier edge.
template <class T>
void Filter<T>::mend() {
  bool live[kHubs];  // hubs with which light edges connect some
  for (int h = 0; h < kHubs; ++h) {
    int to = 0, from = 0;
    for (int v = 0; v < n_; ++v) {
      to += toHubs_[at(v) + h] != kFar<T>;
      from += fromHubs_[at(v) + h] != kFar<T>;
    }
    live[h] = std::min(to, from) > n_ / 16;
  }
  mendSide(toHubs_.get(), true, live);
  mendSide(fromHubs_.get(), false, live);
}

/// Finds the hubs' distances, and from them the farthest that each vertex needs to look.
template <class T>
bool Filter<T>::bound(Filtered<T>& found) {
  if (!settleHubs(found)) return false;
  mend();
  T reach[kHubs] = {};  // the largest distance from each hub
  for (int v = 0; v < n_; ++v)
    for (int h = 0; h < kHubs; ++h) reach[h] = std::max(reach[h], fromHubs_[at(v) + h]);
  // Above all sums of two distances that were rounded.
  const T slack = kIsReal ? T(1 + 2 * n_ * std::numeric_limits<T>::epsilon()) : T(1);
  farthest_.resize(asSize(n_));
  T largest = 0;
  for (int u = 0; u < n_; ++u) {
    T least = kFar<T>;
    for (int h = 0; h < kHubs; ++h) {
      T& a = toHubs_[at(u) + h];
      T& b = fromHubs_[at(u) + h];
      least = std::min<T>(least, (a + reach[h]) * slack);
      a *= slack;
      b *= slack;
    }
    largest = std::max(largest, least);
    farthest_[u] = std::min(least, kMost<T>);
  }
  found.fits16 = std::is_same_v<T, std::int32_t> && effort_.may16 && largest < kFar<std::uint16_t>;
  found.fits32 = std::is_same_v<T, std::int64_t> && largest < static_cast<T>(kInfinity<int>);
  return true;
}

/// Whether a walk by a hub is shorter than the arc from u.
template <class T>
bool Filter<T>::isLongerThanAWalk(int u, const Arc<T>& arc) const {
  const T* const a = toHubs_.get() + at(u);
  const T* const b = fromHubs_.get() + at(static_cast<int>(arc.head));
  int any = 0;
  for (int h = 0; h < kHubs; ++h) any |= a[h] + b[h] < arc.weight;
  return any != 0;
}

/// Collective.
template <class T>
bool Filter<T>::collectKept(Filtered<T>& found) {
  constexpr int kTried = 16;  // one of so many tasks is tried first
  const Band all = tasks();
  std::vector<std::vector<Arc<T>>> parts(asSize(all.count));
  std::vector<int> degrees(n_);
  std::atomic<std::uint64_t> total = 0, rows = 0;  // arcs, and rows in which they were looked for
  const auto collect = [&](int task) {
    const Band some = rowsOf(task);
    std::vector<Arc<T>>& to = parts[task - all.first];
    for (int u = some.first; u < some.end(); ++u) {
      const std::size_t before = to.size();
      const auto matters = [&](const Arc<T>& arc) { return !isLongerThanAWalk(u, arc); };
      if (farthest_[u] <= threshold_) {
        std::copy_if(light_.begin(u), light_.end(u), std::back_inserter(to), matters);
      } else {
        scan(u, farthest_[u], to, matters);
      }
      degrees[u] = static_cast<int>(to.size() - before);
    }
    total += to.size();
    rows += static_cast<std::uint64_t>(some.count);
  };
  // A rank whose first task is not among those that are tried begins with another one.
  const int skipped = (kTried - all.first % kTried) % kTried;
  const int tried = std::max(0, (all.count - skipped + kTried - 1) / kTried);
  runPhases({{tried, [&](int i) { collect(all.first + skipped + i * kTried); }}}, threads_);
  const auto kept = [&] { return sumOfAll(team_, static_cast<double>(total)); };
  const double usual = kept() / sumOfAll(team_, static_cast<double>(rows));  // of a vertex
  if (!pays(usual, found) || areTooMany(usual * n_)) return false;
  forEachTask([&](int task) {
    if (task % kTried != 0) collect(task);
  });
  const double edges = kept();
  if (!pays(edges / n_, found) || areTooMany(edges)) return false;
  requireRoom(edges);
  found.kept = gatherArcs(team_, std::move(degrees), parts);
  return true;
}

}  // namespace

double costOf(const Prospect& prospect, int n) {
  const double each = prospect.fits16 ? kNarrow : prospect.real ? kReal : kWide;
  return (prospect.kept * prospect.passes + kLook * prospect.looks) * each / n;
}

std::uint64_t mostEdges(int n, int ranks) {
  const auto some = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) / 16;
  if (ranks == 1) return some;
  const double few = kMostPerLog * n * std::log(n);
  return std::min(some, static_cast<std::uint64_t>(few));
}

template <class T>
std::optional<Filtered<T>> filter(const MatrixRows& matrix, const Effort& effort, FilterTeam& team,
                                  const std::string& simd) {
  return Filter<T>(matrix, effort, team, simd).run();
}

template std::optional<Filtered<std::int32_t>> filter(const MatrixRows&, const Effort&, FilterTeam&,
                                                      const std::string&);
template std::optional<Filtered<float>> filter(const MatrixRows&, const Effort&, FilterTeam&,
                                               const std::string&);
template std::optional<Filtered<std::int64_t>> filter(const MatrixRows&, const Effort&, FilterTeam&,
                                                      const std::string&);
template std::optional<Filtered<double>> filter(const MatrixRows&, const Effort&, FilterTeam&,
                                                const std::string&);

}  // namespace engine
