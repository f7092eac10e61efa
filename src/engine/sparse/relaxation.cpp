// Bellman and Ford's relaxation (settle_cpu.cpp) from blocks of sources. The vertices get places,
// in which each sweep over them goes. If no cycle joins two vertices, the one from which the other
// is reached comes first; then a graph without cycles takes one look at each vertex. Sources are
// solved in the order of their places: those of a block reach nearly the same vertices.
//
// Distances of int32 are tried in 16 bits first, because a vector holds twice as many of them. A
// sum that 16 bits cannot hold counts as "no path". If the largest distance found plus the heaviest
// edge fits into 16 bits, no sum along a shortest path was too large, and all distances are right.
// (By induction along the path: if a vertex has its distance, the sum for the next one fits.)
// Otherwise the block is solved again in 32 bits.
//
// How often a vertex is looked at depends on the lengths of paths and on the weights. Only a trial
// shows it. So some blocks are solved first, and the time of all is estimated from theirs.
#include "sparse/relaxation.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/object_pool.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/structure.h"
#include "base/thread_team.h"
#include "solver/costs.h"
#include "solver/transpose.h"
#include "sparse/sweep.h"

namespace engine::sparse {

namespace {

constexpr int kVectors = 4;
template <class T>
inline constexpr int kLanesOf = kVectors* kVectorBytes / static_cast<int>(sizeof(T));

/// Milliseconds of one core for an arc and for a look, of four vectors, and to write a distance of
/// 32 bits.
constexpr double kArcMs = 4e-6, kLookMs = 10e-6, kWriteMs = 0.4e-6;
/// And to make lists of an edge, which one thread does.
constexpr double kListMs = 40e-6;
/// Steps that a block may take, divided by the most that a sample took.
constexpr std::uint64_t kSlack = 8;
constexpr int kMostSamples = 4;

/// To write a distance of that type.
double writeMilliseconds(Dtype dtype) {
  return kWriteMs * static_cast<double>(sizeOf(dtype)) / 4;
}

double milliseconds(const Settled& done) {
  return cpuCosts().relaxing *
         (kArcMs * static_cast<double>(done.arcs) + kLookMs * static_cast<double>(done.looks));
}

/// The place of each vertex.
std::vector<int> placesOf(int n, const EndsOf& edges) {
  const std::vector<int> component = strongComponentsOf(n, edges);
  std::vector<int> order(asSize(n)), places(asSize(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int u, int v) { return component[asSize(u)] > component[asSize(v)]; });
  for (int place = 0; place < n; ++place) places[asSize(order[asSize(place)])] = place;
  return places;
}

/// The edges as arcs between places.
template <class W>
Arcs<W> arcsOf(int n, const Edges<W>& edges, const std::vector<int>& places) {
  std::vector<int> degrees(asSize(n), 0);
  for (const Edge<W>& edge : edges) ++degrees[asSize(places[asSize(edge.from)])];
  std::vector<std::size_t> at(asSize(n) + 1, 0);
  for (std::size_t u = 0; u < asSize(n); ++u) at[u + 1] = at[u] + asSize(degrees[u]);
  std::vector<std::vector<Arc<W>>> all(1, std::vector<Arc<W>>(edges.size()));
  for (const Edge<W>& edge : edges)
    all[0][at[asSize(places[asSize(edge.from)])]++] = {
        static_cast<std::uint32_t>(places[asSize(edge.to)]), edge.weight};
  return Arcs<W>(degrees, all);
}

}  // namespace

EdgeRelaxation::EdgeRelaxation(const Graph& graph, std::vector<int> sources,
                               std::vector<int> targets, bool may16)
    : n_(graph.n), rows_(sources.size()), ends_(std::move(targets)) {
  withEdges(graph, [&](const auto& edges) { takeEdges(edges, std::move(sources), may16); });
}

template <class W>
void EdgeRelaxation::takeEdges(const Edges<W>& edges, std::vector<int> sources, bool may16) {
  const std::vector<int> places = placesOf(n_, edges);
  Lists<W> lists;
  lists.out = arcsOf(n_, edges, places);
  lists.in = lists.out.reversed();
  lists_ = std::move(lists);
  solved_ = Blocks<W>();
  if constexpr (std::is_same_v<W, std::int32_t>) {
    for (const Edge<W>& edge : edges) heaviest_ = std::max(heaviest_, edge.weight);
    if (may16 && heaviest_ < kFar<std::uint16_t>) solved_ = Blocks<std::uint16_t>();
  }
  for (int& vertex : ends_) vertex = places[asSize(vertex)];
  for (const int place : ends_) at_.push_back(place * (kLanesOf<W> / kBatch));
  for (int& vertex : sources) vertex = places[asSize(vertex)];
  std::iota(rows_.begin(), rows_.end(), 0);
  std::stable_sort(rows_.begin(), rows_.end(),
                   [&](int a, int b) { return sources[asSize(a)] < sources[asSize(b)]; });
  for (const int row : rows_) starts_.push_back(sources[asSize(row)]);
}

template <class T>
int EdgeRelaxation::blocks() const {
  return static_cast<int>((rows_.size() + kLanesOf<T> - 1) / kLanesOf<T>);
}

template <class T>
EdgeRelaxation::Range EdgeRelaxation::blockOf(int number) const {
  return {number * kLanesOf<T>,
          std::min((number + 1) * kLanesOf<T>, static_cast<int>(rows_.size()))};
}

template <class T>
DistanceRows<T> EdgeRelaxation::rows() const {
  return makeRows<T>(asSize(n_) * kLanesOf<T>);
}

namespace {

std::size_t lanesOf(Dtype dtype) {
  return asSize(kVectors * kVectorBytes) / sizeOf(dtype);
}

/// Blocks of so many sources, a lane for each.
std::size_t blocksOf(std::size_t sources, Dtype dtype) {
  return (sources + lanesOf(dtype) - 1) / lanesOf(dtype);
}

/// The speed of all threads, as speedOf() counts it. A block is solved by one thread, so with few
/// blocks some threads have nothing to do.
double speedFor(double blocks) {
  return speedOf(static_cast<int>(std::clamp<double>(blocks, 1, omp_get_max_threads())));
}

}  // namespace

std::size_t EdgeRelaxation::bytes(int n, std::size_t edges, std::size_t sources, Dtype dtype) {
  // A block that does not fit into 16 bits is kept until it is solved in 32.
  const std::size_t blocks =
      std::min(asSize(omp_get_max_threads() + kMostSamples), 2 * blocksOf(sources, dtype));
  const std::size_t arc = withType(dtype, [](auto zero) { return sizeof(Arc<decltype(zero)>); });
  return 3 * edges * arc + blocks * asSize(n) * kVectors * kVectorBytes;
}

double EdgeRelaxation::leastMilliseconds(int n, std::size_t edges, std::size_t sources,
                                         Dtype dtype) {
  const auto lanes = static_cast<double>(lanesOf(dtype));
  const auto blocks = static_cast<double>(blocksOf(sources, dtype));
  const double each = kArcMs * static_cast<double>(edges) + kLookMs * n;
  return cpuCosts().relaxing *
         (kListMs * static_cast<double>(edges) +
          blocks * (each / 2 + writeMilliseconds(dtype) * n * lanes) / speedFor(blocks));
}

std::optional<double> EdgeRelaxation::expect(double most) {
  if (!expected_) expected_ = sampled(most);
  return expected_ && *expected_ <= most ? expected_ : std::nullopt;
}

/// What some blocks tell. Nothing if one of them takes too long.
std::optional<double> EdgeRelaxation::sampled(double most) {
  sample(most);
  if (sampled_.gaveUp) return std::nullopt;
  const double blocks = std::visit(
      [&](const auto& solved) {
        return this->blocks<NumberAt<decltype(solved.begin()->second.get())>>();
      },
      solved_);
  const double speed = speedFor(blocks);
  const double settling = samples_ == 0 ? 0 : milliseconds(sampled_) * blocks / samples_;
  const double writing = cpuCosts().relaxing *
                         writeMilliseconds(static_cast<Dtype>(lists_.index())) *
                         static_cast<double>(rows_.size() * ends_.size());
  sampledMs_ = milliseconds(sampled_) / speed;
  return (settling + writing) / speed;
}

/// Solves some blocks, in 16 bits if these hold them.
void EdgeRelaxation::sample(double most) {
  if (std::visit([&](auto& solved) { return sampleBlocks(solved, most); }, solved_)) return;
  solved_ = Blocks<std::int32_t>();
  sampleBlocks(std::get<Blocks<std::int32_t>>(solved_), most);
}

bool EdgeRelaxation::solve(Elements distances, Summing* sums) {
  return std::visit(
      [&](const auto& solved) {
        using T = NumberAt<decltype(solved.begin()->second.get())>;
        using Wide = WeightOf<T>;
        return solveBlocks(solved, distances.as<Wide>(), static_cast<SummingOf<Wide>*>(sums));
      },
      solved_);
}

Tier EdgeRelaxation::tier() const {
  return std::holds_alternative<Blocks<std::uint16_t>>(solved_)
             ? Tier::kUint16
             : tierOf(static_cast<Dtype>(lists_.index()));
}

double EdgeRelaxation::passes() const {
  return samples_ == 0 || n_ == 0 ? 0 : static_cast<double>(sampled_.looks) / samples_ / n_;
}

double EdgeRelaxation::edgesOfVertex() const {
  const std::size_t edges = std::visit([](const auto& lists) { return lists.out.size(); }, lists_);
  return n_ == 0 ? 0 : static_cast<double>(edges) / n_;
}

/// distances: (n, lanes)
template <class T>
Settled EdgeRelaxation::settle(Range sources, T* distances, std::uint64_t most) const {
  std::fill_n(distances, asSize(n_) * kLanesOf<T>, kFar<T>);
  Agenda agenda(n_);
  const auto& [in, out] = lists<T>();
  for (int i = sources.first; i < sources.end; ++i) {
    const int source = starts_[asSize(i)];
    distances[asSize(source) * kLanesOf<T> + asSize(i - sources.first)] = 0;
    for (auto arc = out.begin(source); arc != out.end(source); ++arc) agenda.add(arc->head);
  }
  return findSettle<T, kVectors>("")(in, out, distances, agenda, most);
}

/// Whether the type holds all distances of a block. distances: (n, lanes)
template <class T>
bool EdgeRelaxation::holds(const T* distances) const {
  if constexpr (std::is_same_v<T, std::uint16_t>) {
    const auto* const numbers =
        reinterpret_cast<const std::int16_t*>(distances);  // none is negative
    std::int16_t largest = 0;
    for (std::size_t i = 0; i < asSize(n_) * kLanesOf<T>; ++i) {
      const std::int16_t distance = numbers[i] == kFar<T> ? std::int16_t{0} : numbers[i];
      largest = distance > largest ? distance : largest;
    }
    return largest + heaviest_ < kFar<T>;
  } else {
    return true;
  }
}

/// Solves some blocks, evenly chosen. Together they may take as many milliseconds as would make all
/// take `most`. Returns false if the type does not hold their distances.
template <class T>
bool EdgeRelaxation::sampleBlocks(Blocks<T>& solved, double most) {
  const int all = blocks<T>();
  samples_ = std::min({all, kMostSamples, std::max(2, omp_get_max_threads())});
  sampled_ = {};
  if (samples_ == 0) return true;
  const double each = most * speedFor(all) / all;
  const auto steps =
      static_cast<std::uint64_t>(std::min(1e18, each / kArcMs / cpuCosts().relaxing));
  std::vector<int> numbers(asSize(samples_));
  std::vector<Settled> done(numbers.size());
  std::vector<DistanceRows<T>> found(numbers.size());
  for (int i = 0; i < samples_; ++i) {
    numbers[asSize(i)] = static_cast<int>((2 * std::int64_t{i} + 1) * all / (2 * samples_));
    found[asSize(i)] = rows<T>();
  }
  std::atomic<bool> fits = true;
  runPhases({{samples_,
              [&](int i) {
                T* const distances = found[asSize(i)].get();
                done[asSize(i)] = settle(blockOf<T>(numbers[asSize(i)]), distances, steps);
                if (!holds(distances)) fits = false;
              }}},
            omp_get_max_threads());
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sampled_.looks += done[i].looks;
    sampled_.arcs += done[i].arcs;
    sampled_.gaveUp |= done[i].gaveUp;
    longest = std::max(longest, done[i].arcs + done[i].looks);
    solved[numbers[i]] = std::move(found[i]);
  }
  most_ = kSlack * (longest + asSize(n_));
  return fits || sampled_.gaveUp;
}

/// Returns false if it gave up. distances: (n, lanes)
template <class T>
bool EdgeRelaxation::solveRange(Range sources, T* distances, WeightOf<T>* to,
                                BlockSums<WeightOf<T>>* sums) const {
  if (settle(sources, distances, most_).gaveUp) return false;
  if (holds(distances)) {
    store(sources, distances, to, sums);
    return true;
  }
  if constexpr (std::is_same_v<T, std::uint16_t>) {
    using Wide = WeightOf<T>;
    const DistanceRows<Wide> wide = rows<Wide>();
    for (int first = sources.first; first < sources.end; first += kLanesOf<Wide>)
      if (!solveRange<Wide>({first, std::min(first + kLanesOf<Wide>, sources.end)}, wide.get(), to,
                            sums))
        return false;
  }
  return true;
}

template <class T>
bool EdgeRelaxation::solveBlocks(const Blocks<T>& solved, WeightOf<T>* to,
                                 SummingOf<WeightOf<T>>* sums) const {
  const int all = blocks<T>(), threads = std::min(omp_get_max_threads(), std::max(1, all));
  ObjectPool<DistanceRows<T>> idle(threads,
                                   [this] { return std::make_shared<DistanceRows<T>>(rows<T>()); });
  std::atomic<bool> gaveUp = false;
  const int first = sums != nullptr ? sums->begin(all) : 0;
  Progress progress("relaxing", asSize(all));
  const auto solve = [&](int number) {
    if (gaveUp) return;
    auto block = sums != nullptr ? std::make_unique<BlockSums<WeightOf<T>>>(*sums) : nullptr;
    if (const auto known = solved.find(number); known != solved.end()) {
      store(blockOf<T>(number), known->second.get(), to, block.get());
    } else {
      auto distances = idle.take();
      if (!solveRange(blockOf<T>(number), distances->get(), to, block.get())) gaveUp = true;
      idle.give(std::move(distances));
    }
    if (sums != nullptr) sums->take(first + number, std::move(block));
    progress.advance();
  };
  runPhases({{all, solve}}, threads);
  return !gaveUp;
}

/// Copies the distances of some vertices from kBatch sources, as numbers of the type of the
/// weights. distances: (n, lanes), from the first of these sources on; to: (count, kBatch)
template <class T>
void widen(const int* places, int count, const T* distances, WeightOf<T>* to) {
  for (int k = 0; k < count; ++k) {
    const T* const from = distances + asSize(places[k]) * kLanesOf<T>;
    for (int c = 0; c < kBatch; ++c) to[k * kBatch + c] = widened<WeightOf<T>>(from[c]);
  }
}

/// Writes the rows of some sources, and adds them up. distances: (n, lanes); to: (sources,
/// targets).
template <class T>
void EdgeRelaxation::store(Range sources, const T* distances, WeightOf<T>* to,
                           BlockSums<WeightOf<T>>* sums) const {
  constexpr int kColumns = 512;  // that are widened together: they stay in the L2 cache
  using Wide = WeightOf<T>;
  const auto transpose = findTranspose<Wide>();
  const int width = static_cast<int>(ends_.size());
  for (int first = sources.first; first < sources.end; first += kBatch) {
    const T* const from = distances + (first - sources.first);
    const int count = std::min(kBatch, sources.end - first);
    Wide* out[kBatch];
    for (int i = 0; i < count; ++i) out[i] = to + asSize(rows_[asSize(first + i)]) * asSize(width);
    if constexpr (std::is_same_v<T, Wide>) {
      transpose(at_.data(), width, from, count, out, sums, 0);
    } else {
      alignas(kVectorBytes) Wide wide[kColumns * kBatch];
      int numbers[kColumns];
      std::iota(numbers, numbers + kColumns, 0);
      for (int column = 0; column < width; column += kColumns) {
        const int some = std::min(kColumns, width - column);
        widen(ends_.data() + column, some, from, wide);
        transpose(numbers, some, wide, count, out, sums, column);
        for (int i = 0; i < count; ++i) out[i] += some;
      }
    }
    if (sums != nullptr) sums->finish(rows_.data() + first, count);
  }
}

}  // namespace engine::sparse
