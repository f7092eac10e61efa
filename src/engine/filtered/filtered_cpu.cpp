// Filters (filter_cpu.cpp), then relaxes block after block of targets (settle_cpu.cpp). A block's
// distances are columns of the result. They are written over the matrix at once, because the edges
// that matter have been copied out of it, and because a matrix of which some weights have been
// replaced by distances has the same closure: whoever gives up may leave it to the dense solver.
//
// Each of several ranks has some rows of the result. It relaxes along the reversed edges, so that a
// block of targets becomes a block of sources, whose distances are these rows. No message is sent
// in the meantime. At the end, all ranks hear whether one of them gave up.
#include "filtered/filtered_cpu.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "filtered/filter_cpu.h"
#include "filtered/gather.h"
#include "filtered/settle_cpu.h"
#include "solver/options.h"
#include "solver/outcome.h"

namespace engine {

namespace {

constexpr int kVectors = 4;
/// Steps of a block, divided by those of the average one.
constexpr double kUneven = 4;
/// Of the dense solver's time, what relaxing may be expected to take by what the first blocks show.
constexpr double kPays = 0.8;
/// The time of a step, divided by that in costOf(), which counts it twice because most graphs take
/// more steps than the hubs tell.
constexpr double kOfCost = 0.5;

/// Memory for the distances of blocks, for as many as are solved at the same time.
template <class T>
class Blocks {
 public:
  using Block = DistanceRows<T>;

  /// Throws Error(kMemory), which the tasks of a phase must not.
  Blocks(int count, std::size_t size) {
    for (int i = 0; i < count; ++i) idle_.push_back(makeRows<T>(size));
  }

  Block take() {
    const std::lock_guard lock(mutex_);
    Block block = std::move(idle_.back());
    idle_.pop_back();
    return block;
  }
  void giveBack(Block block) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(block));
  }

 private:
  std::mutex mutex_;
  std::vector<Block> idle_;
};

template <class T>
constexpr int kTargets = kVectors* kVectorBytes / static_cast<int>(sizeof(T));  ///< of a block

/// What relaxation finds: the distances from all vertices to some targets along the arcs. Along
/// reversed arcs, these are the distances from some sources to all vertices. T: of the weights.
template <class T>
struct Task {
  const Arcs<T>& arcs;
  const Arcs<T>& reversed;
  Band targets;
  std::uint64_t most;  ///< steps of a block on the average: with many more it gives up
  bool tells;          ///< its progress
};

/// What it did.
struct Relaxed {
  double looks = 0;  ///< at vertices
  int blocks = 0;    ///< of targets
  bool gaveUp = false;
};

/// Calls store(first, count, distances) for the blocks of `count` targets from `first` on that are
/// solved. distances: (n, kTargets<T>). Throws Error(kMemory).
template <class T, class Store>
Relaxed relax(const Task<WeightOf<T>>& task, const std::string& simd, const Store& store) {
  const Settle<T, kVectors> settle = findSettle<T, kVectors>(simd);
  const int n = task.arcs.vertices();
  const int blocks = (task.targets.count + kTargets<T> - 1) / kTargets<T>;
  const int threads = omp_get_max_threads();
  const std::size_t size = asSize(n) * kTargets<T>;
  Blocks<T> memory(std::min(threads, blocks), size);
  std::atomic<std::uint64_t> looks = 0, steps = 0;
  std::atomic<bool> gaveUp = false;
  const double budget = static_cast<double>(task.most) * blocks;
  const auto most = static_cast<std::uint64_t>(
      std::min({1e18, budget, static_cast<double>(task.most) * kUneven}));
  std::optional<Progress> progress;
  if (task.tells) progress.emplace("", static_cast<std::uint64_t>(blocks));
  const auto solve = [&](int block) {
    if (gaveUp) return;
    typename Blocks<T>::Block distances = memory.take();
    const int first = task.targets.first + block * kTargets<T>;
    const int count = std::min(kTargets<T>, task.targets.end() - first);
    std::fill_n(distances.get(), size, kFar<T>);
    Agenda agenda(n);
    for (int i = 0; i < count; ++i) {
      distances[asSize(first + i) * kTargets<T> + i] = 0;
      const auto* const end = task.reversed.end(first + i);
      for (const auto* arc = task.reversed.begin(first + i); arc != end; ++arc)
        agenda.add(arc->head);
    }
    const Settled settled = settle(task.arcs, task.reversed, distances.get(), agenda, most);
    looks += settled.looks;
    steps += settled.arcs + settled.looks;
    if (settled.gaveUp || static_cast<double>(steps) > budget) gaveUp = true;
    if (!settled.gaveUp) store(first, count, distances.get());
    memory.giveBack(std::move(distances));
    if (progress) progress->advance();
  };
  runPhases({{blocks, solve}}, threads);
  return {static_cast<double>(looks), blocks, gaveUp};
}

/// Writes distances to the targets from `first` on as columns of the whole matrix. To: its type.
template <class To, class T>
void storeColumns(const MatrixRows& matrix, int first, int count, const T* distances) {
  for (int u = 0; u < matrix.n; ++u) {
    To* const row = matrix.at<To>(u, first);
    const T* const from = distances + asSize(u) * kTargets<T>;
    for (int i = 0; i < count; ++i) row[i] = widened<To>(from[i]);
  }
}

/// Writes distances from the sources from `first` on as rows.
template <class To, class T>
void storeRows(const MatrixRows& matrix, int first, int count, const T* distances) {
  for (int i = 0; i < count; ++i)
    matrix.forEachPiece<To>(first + i, [&](int begin, int size, To* piece) {
      const T* const from = distances + asSize(begin) * kTargets<T> + i;
      for (int k = 0; k < size; ++k) piece[k] = widened<To>(from[asSize(k) * kTargets<T>]);
    });
}

/// Relaxes along the kept edges: one rank finds all columns of the matrix, one of several its rows.
/// kept: the edges of `filtered`; T: of the distances while they are computed; To: of the matrix.
template <class T, class To>
Relaxed relaxHere(const MatrixRows& matrix, const Filtered<To>& filtered,
                  const Arcs<WeightOf<T>>& kept, const Effort& effort, FilterTeam& team,
                  const std::string& simd) {
  const Arcs<WeightOf<T>> back = kept.reversed();
  // The hubs told how many steps a block will take. Most graphs need a tenth more. The first block
  // that takes many more ends the attempt, so steps are allowed as long as it still pays.
  const double expected = filtered.passes * static_cast<double>(kept.size()) +
                          filtered.looks * static_cast<double>(kept.vertices());
  const double edges = static_cast<double>(kept.size()) / matrix.n;
  const Prospect prospect = {edges, filtered.looks, filtered.passes, filtered.fits16,
                             std::is_floating_point_v<T>};
  const double cost = costOf(prospect, matrix.n);
  const double factor = std::max(effort.steps, kPays / std::max(1e-9, kOfCost * cost));
  const auto most = static_cast<std::uint64_t>(std::min(1e18, factor * expected));
  if (team.rows().size() == 1)
    return relax<T>({kept, back, {0, matrix.n}, most, true}, simd,
                    [&](int first, int count, const T* distances) {
                      storeColumns<To>(matrix, first, count, distances);
                    });
  return relax<T>({back, kept, matrix.rows, most, team.rank() == 0}, simd,
                  [&](int first, int count, const T* distances) {
                    storeRows<To>(matrix, first, count, distances);
                  });
}

/// The same arcs with weights of 32 bits, which hold them.
Arcs<std::int32_t> inHalfTheBits(const Arcs<std::int64_t>& arcs) {
  std::vector<int> degrees;
  std::vector<Arc<std::int32_t>> all;
  degrees.reserve(asSize(arcs.vertices()));
  all.reserve(arcs.size());
  for (int v = 0; v < arcs.vertices(); ++v) {
    degrees.push_back(static_cast<int>(arcs.degree(v)));
    for (const auto* arc = arcs.begin(v); arc != arcs.end(v); ++arc)
      all.push_back({arc->head, static_cast<std::int32_t>(arc->weight)});
  }
  return {degrees, {std::move(all)}};
}

/// Collective: the looks at a vertex for each block, or nothing if that takes too long on some
/// rank. T: of the weights.
template <class T>
std::optional<double> relaxAll(const MatrixRows& matrix, const Filtered<T>& filtered,
                               const Effort& effort, FilterTeam& team, const std::string& simd) {
  const auto relaxAs = [&](auto zero, const auto& kept) {
    return relaxHere<decltype(zero)>(matrix, filtered, kept, effort, team, simd);
  };
  Relaxed done;
  if constexpr (std::is_same_v<T, std::int32_t>)
    done = filtered.fits16 ? relaxAs(std::uint16_t{}, filtered.kept) : relaxAs(T{}, filtered.kept);
  else if constexpr (std::is_same_v<T, std::int64_t>)
    done = filtered.fits32 ? relaxAs(std::int32_t{}, inHalfTheBits(filtered.kept))
                           : relaxAs(T{}, filtered.kept);
  else
    done = relaxAs(T{}, filtered.kept);
  if (sumOfAll(team, done.gaveUp ? 1 : 0) > 0) return std::nullopt;
  const double blocks = sumOfAll(team, done.blocks);
  return sumOfAll(team, done.looks) / (static_cast<double>(matrix.n) * blocks);
}

template <class T>
std::optional<Outcome> solve(const MatrixRows& matrix, const Effort& effort, FilterTeam& team,
                             const std::string& simd) {
  const std::optional<Filtered<T>> filtered = filter<T>(matrix, effort, team, simd);
  if (!filtered) return std::nullopt;
  Outcome outcome;
  outcome.method = Method::kFiltered;
  outcome.tier = filtered->fits16 ? Tier::kUint16 : tierOf(kDtype<T>);
  Filtering& done = outcome.filtering;
  done.kept = static_cast<double>(filtered->kept.size()) / matrix.n;
  done.survey = filtered->surveyMs;
  done.filter = filtered->filterMs;
  std::optional<double> passes;
  done.relax = millisecondsOf([&] { passes = relaxAll(matrix, *filtered, effort, team, simd); });
  if (!passes) return std::nullopt;
  done.passes = *passes;
  return outcome;
}

}  // namespace

std::size_t filteredBytes(int n, Dtype dtype, int ranks) {
  return withType(dtype, [&](auto zero) {
    using T = decltype(zero);
    const int blocks = std::min(omp_get_max_threads(), (n + kTargets<T> - 1) / kTargets<T>);
    // So many edges are light or kept at the most. Each list exists twice, and once more reversed.
    const std::size_t arcs = 2 * 3 * mostEdges(n, ranks);
    return asSize(blocks) * asSize(n) * kVectors * kVectorBytes + arcs * sizeof(Arc<T>);
  });
}

std::optional<Outcome> solveFilteredOnRanks(const MatrixRows& matrix, const Effort& effort,
                                            FilterTeam& team, const std::string& simd) {
  if (matrix.n < effort.vertices) return std::nullopt;
  return withType(matrix.dtype(),
                  [&](auto zero) { return solve<decltype(zero)>(matrix, effort, team, simd); });
}

std::optional<Outcome> solveFiltered(int n, Elements matrix, const Effort& effort,
                                     const std::string& simd) {
  Alone alone(n);
  return solveFilteredOnRanks(MatrixRows::whole(n, matrix), effort, alone, simd);
}

}  // namespace engine
