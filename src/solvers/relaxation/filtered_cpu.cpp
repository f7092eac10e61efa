// Filters (filter_cpu.cpp), then relaxes block after block of targets (settle_cpu.cpp). A block's
// distances are columns of the result. They are written over the matrix at once, because the edges
// that matter have been copied out of it, and because a matrix of which some weights have been
// replaced by distances has the same closure: whoever gives up may leave it to the dense solver.
#include "solvers/relaxation/filtered_cpu.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "apsp.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/progress.h"
#include "core/thread_team.h"
#include "solvers/relaxation/filter_cpu.h"
#include "solvers/relaxation/settle_cpu.h"

namespace {

constexpr int kVectors = 4;

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

/// Relaxes along the kept edges; returns the looks at a vertex for each block, or nothing if that
/// takes too long.
template <class T>
std::optional<double> relax(int n, int* words, const Filtered& filtered, const Effort& effort,
                            const std::string& simd) {
  const Arcs& arcs = filtered.kept;
  constexpr int kTargets = kVectors * kVectorBytes / static_cast<int>(sizeof(T));
  const Settle<T, kVectors> settle = findSettle<T, kVectors>(simd);
  const Arcs back = arcs.reversed();
  // The hubs told how many steps a block will take. Most graphs need a tenth more.
  const double expected = filtered.looks * static_cast<double>(arcs.size() + arcs.vertices());
  const auto most = static_cast<std::uint64_t>(std::min(1e18, effort.steps * expected));
  const int blocks = (n + kTargets - 1) / kTargets;
  const int threads = omp_get_max_threads();
  Blocks<T> memory(std::min(threads, blocks), static_cast<std::size_t>(n) * kTargets);
  std::atomic<std::uint64_t> looks = 0;
  std::atomic<bool> gaveUp = false;
  Progress progress("", static_cast<std::uint64_t>(blocks));
  const auto solve = [&](int block) {
    if (gaveUp) return;
    typename Blocks<T>::Block distances = memory.take();
    const int first = block * kTargets, count = std::min(kTargets, n - first);
    std::fill_n(distances.get(), static_cast<std::size_t>(n) * kTargets, kFar<T>);
    Agenda agenda(n);
    for (int i = 0; i < count; ++i) {
      distances[static_cast<std::size_t>(first + i) * kTargets + i] = 0;
      for (const Arc* arc = back.begin(first + i); arc != back.end(first + i); ++arc)
        agenda.add(arc->head);
    }
    const Settled settled = settle(arcs, back, distances.get(), agenda, most);
    looks += settled.looks;
    if (settled.gaveUp) gaveUp = true;
    for (int u = 0; u < n; ++u) {
      int* const row = words + static_cast<std::size_t>(u) * n + first;
      const T* const from = distances.get() + static_cast<std::size_t>(u) * kTargets;
      if (!settled.gaveUp)
        for (int i = 0; i < count; ++i) row[i] = elementOf(from[i]);
    }
    memory.giveBack(std::move(distances));
    progress.advance();
  };
  runPhases({{blocks, solve}}, threads);
  if (gaveUp) return std::nullopt;
  return static_cast<double>(looks) / (static_cast<double>(n) * blocks);
}

}  // namespace

std::size_t filteredBytes(int n) {
  const auto rows = static_cast<std::size_t>(n);
  const int targets = kVectors * kVectorBytes / static_cast<int>(sizeof(int));
  const int blocks = std::min(omp_get_max_threads(), (n + targets - 1) / targets);
  // No more than one edge of 16 is light or kept. Each list exists twice, and once more reversed.
  const std::size_t arcs = 2 * 3 * rows * rows / 16;
  return static_cast<std::size_t>(blocks) * rows * kVectors * kVectorBytes + arcs * sizeof(Arc);
}

std::optional<Outcome> solveFiltered(int n, int* words, Dtype dtype, const Effort& effort,
                                     const std::string& simd) {
  if (n < effort.vertices) return std::nullopt;
  const std::optional<Filtered> filtered = filter(n, words, dtype, effort, simd);
  if (!filtered) return std::nullopt;
  Outcome outcome;
  outcome.method = Method::kFiltered;
  outcome.tier = dtype == Dtype::kFloat32 ? Tier::kFloat32
                 : filtered->narrow       ? Tier::kUint16
                                          : Tier::kInt32;
  Filtering& done = outcome.filtering;
  done.kept = static_cast<double>(filtered->kept.size()) / n;
  done.survey = filtered->surveyMs;
  done.filter = filtered->filterMs;
  std::optional<double> passes;
  done.relax = millisecondsOf([&] {
    passes = filtered->narrow           ? relax<std::uint16_t>(n, words, *filtered, effort, simd)
             : dtype == Dtype::kFloat32 ? relax<float>(n, words, *filtered, effort, simd)
                                        : relax<int>(n, words, *filtered, effort, simd);
  });
  if (!passes) return std::nullopt;
  done.passes = *passes;
  return outcome;
}
