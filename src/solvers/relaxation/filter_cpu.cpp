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
// Floats: a sum of n weights is off by at most n ε of itself, whatever the order. The bounds are
// raised by twice that, and no edge of a shortest path is left out.
#include "solvers/relaxation/filter_cpu.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "core/clock.h"
#include "core/graph.h"
#include "core/thread_team.h"
#include "solvers/relaxation/settle_cpu.h"

namespace {

constexpr int kHubs = kLanes;
constexpr int kRows = 32;           // of the matrix, for a task
constexpr double kLightPerLog = 3;  // light edges of a vertex, divided by ln n
constexpr int kSamples = 4096;
/// The time of a relaxation with 16 and with 32 bits, divided by that of the dense solver's.
constexpr double kNarrow = 2, kWide = 4;
/// The time of a look at a vertex without edges, in relaxations.
constexpr double kLook = 6;
/// The time of a step for the hubs, in relaxations of the dense solver on one core.
constexpr double kStep = 300;
/// Of the dense solver's time: what may be lost on a graph of which too little is known.
constexpr double kVain = 0.03;
constexpr std::uint64_t kSeed = 0x68756273;  // any: a graph made to fool this one costs only time

template <class T>
class Filter {
 public:
  Filter(int n, const int* words, Dtype dtype, const Effort& effort, const std::string& simd)
      : n_(n),
        words_(words),
        infinity_(infinity(dtype)),
        effort_(effort),
        mostLight_(effort.worthwhile > 1 ? static_cast<std::uint64_t>(n) * n
                                         : static_cast<std::uint64_t>(n) * n / 16),
        settle_(findSettle<T, 1>(simd)),
        kernels_(findKernels<T>(simd)),
        threads_(omp_get_max_threads()) {}

  std::optional<Filtered> run() {
    Filtered found;
    bool few = false;
    found.surveyMs = millisecondsOf(
        [&] { few = hasDetours() && chooseThreshold() && collectLight() && bound(found); });
    if (!few) return std::nullopt;
    found.filterMs =
        millisecondsOf([&] { few = pays(std::log(n_) / 2, found) && collectKept(found); });
    if (!few) return std::nullopt;
    return found;
  }

 private:
  using Rows = DistanceRows<T>;  // (n, kHubs)

  const int* row(int u) const { return words_ + static_cast<std::size_t>(u) * n_; }
  static std::size_t at(int vertex) { return static_cast<std::size_t>(vertex) * kHubs; }
  int tasks() const { return (n_ + kRows - 1) / kRows; }
  Rows copyOf(const Rows& rows) const {
    Rows copy = makeRows<T>(at(n_));
    std::copy_n(rows.get(), at(n_), copy.get());
    return copy;
  }

  /// The i-th vertex of a fixed random list.
  int random(int i, std::uint64_t list) const {
    return static_cast<int>((edgeHash(static_cast<std::uint64_t>(i), list, kSeed) >> 32) % n_);
  }

  bool pays(double kept, const Filtered& found) const {
    return costOf({kept, found.looks, found.narrow}, n_) <= effort_.worthwhile;
  }
  bool chooseThreshold();
  bool hasDetours();
  bool collectLight();
  bool bound(Filtered& found);
  bool collectKept(Filtered& found);
  template <class Keep>
  void scan(int u, int most, std::vector<Arc>& to, const Keep& keep) const;
  std::uint64_t mostHubSteps() const;
  bool settleHubs(Filtered& found);
  void mend();
  bool isLongerThanAWalk(int u, const Arc& arc) const;

  const int n_;
  const int* const words_;
  const int infinity_;
  const Effort effort_;
  const std::uint64_t mostLight_;  // edges
  const Settle<T, 1> settle_;
  const Kernels<T> kernels_;
  const int threads_;

  bool promising_ = true;  // there are edges enough, and detours are shorter than many of them
  int threshold_ = 0;      // an element: edges up to it are light
  Arcs light_;
  Rows toHubs_, fromHubs_;     // a and b
  std::vector<int> farthest_;  // of each vertex: no walk's bound from it is above this element
};

/// Finds the threshold; false if too many edges are as light as that.
template <class T>
bool Filter<T>::chooseThreshold() {
  std::vector<int> sample(kSamples);
  for (int i = 0; i < kSamples; ++i) sample[i] = row(random(i, 0))[random(i, 1)];
  const double share = kLightPerLog * std::log(n_) / n_;
  const auto at = std::min<std::size_t>(static_cast<std::size_t>(share * kSamples), kSamples - 1);
  std::nth_element(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(at), sample.end());
  threshold_ = std::min(sample[at], infinity_ - 1);
  const auto light = static_cast<std::uint64_t>(
      std::count_if(sample.begin(), sample.end(), [&](int word) { return word <= threshold_; }));
  return light * static_cast<std::uint64_t>(n_) * n_ / kSamples < mostLight_;
}

/// Whether detours by one vertex are shorter than many edges: in a random graph than 8 of 10. Where
/// edges are missing, 32-bit distances are likely, which pay later.
template <class T>
bool Filter<T>::hasDetours() {
  constexpr int kEdges = 64, kStops = 64, kLeastWide = 1800;
  constexpr int kLarge = 7000;  // from here on a survey in vain costs less than 3 %
  if (effort_.worthwhile > 1) return true;
  int edges = 0, longer = 0;
  for (int i = 0; i < kEdges; ++i) {
    const int u = random(i, 2), v = random(i, 3);
    if (u == v || row(u)[v] == infinity_) continue;
    T detour = kFar<T>;
    for (int k = 0; k < kStops; ++k) {
      const int stop = random(k, 4);
      if (stop != u && stop != v)
        detour = std::min<T>(detour, numberOf<T>(row(u)[stop]) + numberOf<T>(row(stop)[v]));
    }
    ++edges;
    longer += detour < numberOf<T>(row(u)[v]);
    if (edges == kEdges / 4 && longer <= edges / 8) return false;  // few looks tell of most graphs
  }
  if (edges < kEdges && n_ < kLeastWide) return false;
  promising_ = edges >= kEdges / 8;
  return edges < kEdges / 8 || longer > edges / (n_ < kLarge ? 2 : 8);
}

/// Appends the arcs of u up to an element for which keep(arc) is true.
template <class T>
template <class Keep>
void Filter<T>::scan(int u, int most, std::vector<Arc>& to, const Keep& keep) const {
  constexpr int kAtOnce = 1024;
  std::uint32_t indices[kAtOnce + 1];
  for (int first = 0; first < n_; first += kAtOnce) {
    const int* const words = row(u) + first;
    const int found = kernels_.select(words, std::min(kAtOnce, n_ - first), most, indices);
    for (int i = 0; i < found; ++i) {
      const Arc arc = {static_cast<std::uint32_t>(first) + indices[i], words[indices[i]]};
      if (arc.head != static_cast<std::uint32_t>(u) && keep(arc)) to.push_back(arc);
    }
  }
}

template <class T>
bool Filter<T>::collectLight() {
  std::vector<std::vector<Arc>> parts(static_cast<std::size_t>(tasks()));
  std::vector<int> degrees(n_);
  std::atomic<std::uint64_t> total = 0;
  const auto collect = [&](int part) {
    for (int u = part * kRows; u < std::min(n_, (part + 1) * kRows); ++u) {
      if (total > mostLight_) return;
      std::vector<Arc>& to = parts[part];
      const std::size_t before = to.size();
      scan(u, threshold_, to, [](const Arc&) { return true; });
      degrees[u] = static_cast<int>(to.size() - before);
      total += to.size() - before;
    }
  };
  runPhases({{tasks(), collect}}, threads_);
  if (total > mostLight_) return false;
  light_ = Arcs(degrees, parts);
  return true;
}

/// The steps that the hubs' distances may take. With more it cannot pay, even if only the fewest
/// edges matter.
template <class T>
std::uint64_t Filter<T>::mostHubSteps() const {
  const double looks =
      std::min(64.0, effort_.worthwhile * n_ / (kNarrow * (std::log(n_) / 2 + kLook)));
  const double steps = looks * static_cast<double>(light_.size());
  const double vain = kVain * std::pow(n_, 3) / (kStep * threads_);
  return static_cast<std::uint64_t>(promising_ ? steps : std::min(steps, vain));
}

/// The distances to and from hubs over the light edges. Returns whether that took few steps.
template <class T>
bool Filter<T>::settleHubs(Filtered& found) {
  const std::uint64_t most = mostHubSteps();
  const Arcs back = light_.reversed();
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
    const Arcs& arcs = side == 0 ? light_ : back;
    const Arcs& reversed = side == 0 ? back : light_;
    T* const rows = (side == 0 ? toHubs_ : fromHubs_).get();
    Agenda agenda(n_);
    for (int h = 0; h < kHubs; ++h) {
      rows[static_cast<std::size_t>(hubs[h]) * kHubs + h] = 0;
      for (const Arc* arc = reversed.begin(hubs[h]); arc != reversed.end(hubs[h]); ++arc)
        agenda.add(arc->head);
    }
    settled[side] = settle_(arcs, reversed, rows, agenda, most);
  };
  runPhases({{2, settleSide}}, threads_);
  found.looks = static_cast<double>(settled[0].looks + settled[1].looks) / (2.0 * n_);
  return !settled[0].gaveUp && !settled[1].gaveUp;
}

/// Gives vertices that light edges do not reach, or do not leave, walks with one heavier edge.
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
  const auto isFar = [&](const T* distances) {
    for (int h = 0; h < kHubs; ++h)
      if (live[h] && distances[h] == kFar<T>) return true;
    return false;
  };
  const int blocks = (n_ + kJoined - 1) / kJoined;
  const auto mendSide = [&](const Rows& rows, std::size_t step, std::size_t stride) {
    const Rows old = copyOf(rows);
    const auto mendBlock = [&](int block) {
      const int first = std::min(block * kJoined, n_ - kJoined);
      bool any = false;
      for (int i = 0; i < kJoined; ++i) any |= isFar(old.get() + at(first + i));
      if (!any) return;
      alignas(kVectorBytes) T least[kJoined * kHubs];
      std::copy_n(old.get() + at(first), kJoined * kHubs, least);
      kernels_.join(words_ + static_cast<std::size_t>(first) * stride, step, stride, n_, old.get(),
                    least);
      const int done = block * kJoined - first;  // the block before has these
      std::copy_n(least + at(done), (kJoined - done) * kHubs, rows.get() + at(first + done));
    };
    runPhases({{blocks, mendBlock}}, threads_);
  };
  const auto n = static_cast<std::size_t>(n_);
  mendSide(toHubs_, 1, n);
  mendSide(fromHubs_, n, 1);
}

/// Finds the hubs' distances, and from them the farthest that each vertex needs to look.
template <class T>
bool Filter<T>::bound(Filtered& found) {
  if (!settleHubs(found)) return false;
  mend();
  T reach[kHubs] = {};  // the largest distance from each hub
  for (int v = 0; v < n_; ++v)
    for (int h = 0; h < kHubs; ++h) reach[h] = std::max(reach[h], fromHubs_[at(v) + h]);
  // Above all sums of two distances that were rounded.
  const T slack =
      std::is_same_v<T, float> ? T(1 + 2 * n_ * std::numeric_limits<T>::epsilon()) : T(1);
  farthest_.resize(static_cast<std::size_t>(n_));
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
    farthest_[u] = std::min(elementOf(least), infinity_ - 1);
  }
  found.narrow = std::is_same_v<T, int> && largest < kFar<std::uint16_t>;
  return true;
}

/// Whether a walk by a hub is shorter than the arc from u.
template <class T>
bool Filter<T>::isLongerThanAWalk(int u, const Arc& arc) const {
  const T weight = numberOf<T>(arc.weight);
  const T* const a = toHubs_.get() + at(u);
  const T* const b = fromHubs_.get() + at(static_cast<int>(arc.head));
  int any = 0;
  for (int h = 0; h < kHubs; ++h) any |= a[h] + b[h] < weight;
  return any != 0;
}

template <class T>
bool Filter<T>::collectKept(Filtered& found) {
  constexpr int kTried = 16;  // one of so many parts is tried first
  std::vector<std::vector<Arc>> parts(static_cast<std::size_t>(tasks()));
  std::vector<int> degrees(n_);
  const auto collect = [&](int part) {
    for (int u = part * kRows; u < std::min(n_, (part + 1) * kRows); ++u) {
      std::vector<Arc>& to = parts[part];
      const std::size_t before = to.size();
      const auto matters = [&](const Arc& arc) { return !isLongerThanAWalk(u, arc); };
      if (farthest_[u] <= threshold_) {
        std::copy_if(light_.begin(u), light_.end(u), std::back_inserter(to), matters);
      } else {
        scan(u, farthest_[u], to, matters);
      }
      degrees[u] = static_cast<int>(to.size() - before);
    }
  };
  const int tried = (tasks() + kTried - 1) / kTried;
  runPhases({{tried, [&](int i) { collect(i * kTried); }}}, threads_);
  double kept = 0, rows = 0;
  for (int i = 0; i < tried; ++i) {
    kept += static_cast<double>(parts[i * kTried].size());
    rows += std::min(kRows, n_ - i * kTried * kRows);
  }
  if (!pays(kept / rows, found)) return false;
  const auto collectOther = [&](int part) {
    if (part % kTried != 0) collect(part);
  };
  runPhases({{tasks(), collectOther}}, threads_);
  found.kept = Arcs(degrees, parts);
  return pays(static_cast<double>(found.kept.size()) / n_, found);
}

}  // namespace

double costOf(const Prospect& prospect, int n) {
  return (prospect.kept + kLook) * prospect.looks * (prospect.narrow ? kNarrow : kWide) / n;
}

std::optional<Filtered> filter(int n, const int* words, Dtype dtype, const Effort& effort,
                               const std::string& simd) {
  if (dtype == Dtype::kInt32) return Filter<int>(n, words, dtype, effort, simd).run();
  return Filter<float>(n, words, dtype, effort, simd).run();
}
