// The choice. A few searches tell how much one of them looks at, and so how long all will take.
// That is compared with what it takes to eliminate the vertices, which the sweeps need, and with
// what it takes to solve the whole graph.
//
// On a GPU. It makes all rows, by sweeps or as the whole graph is solved, and keeps what is small
// (near_gpu.cpp). The few searches on the CPU also tell how many distances there will be, and so
// what it takes to bring them. Sums of real weights depend on the order of the additions, which is
// another one on a GPU. It therefore answers for real weights only if it is asked to.
//
// The nearest few of few targets. From each source, a search would look at nearly everything. So
// one search runs from all targets against the edges, with a heap of (distance, target, vertex). A
// vertex takes the first k different targets that reach it, and passes these on only. That is
// enough: if target t is among the nearest k of vertex u, and v is the next vertex of a shortest
// path to it, then t is among the nearest k of v. Each t' that is nearer to v, or as near with a
// smaller column, would be so for u, too.
#include "search/near.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/object_pool.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/thread_team.h"
#include "search/bounded_search.h"
#include "search/climbing.h"
#include "search/near_gpu.h"
#include "solver/costs.h"
#include "solver/range.h"
#include "sparse/bounded_sweep.h"
#include "sparse/elimination_gpu.h"
#include "sparse/pattern.h"
#include "sparse/rates.h"

namespace engine {

namespace {

/// Milliseconds that a search takes for each vertex or edge that it looks at.
constexpr double kLookMs = 2e-5;
/// Milliseconds for each edge to order and eliminate the vertices, and to make arcs of them.
constexpr double kPrepareMs = 5e-4;
/// Milliseconds for each vertex that the search from the targets gives a target, and its edges.
constexpr double kLabelMs = 1e-4;
/// Milliseconds for each distance that a sweep on the CPU finds, by one thread.
constexpr double kFoundMs = 9e-6;
/// Searches that are made to tell what the others take.
constexpr int kProbes = 8;
/// A GPU makes all rows, so it is not asked for fewer than this part of them.
constexpr int kSmallPart = 16;
/// Milliseconds that a GPU must save, if it is to be looked for: to start it takes long, but once
/// in a process.
constexpr double kWorthLooking = 20, kWorthStarting = 300;
/// On a GPU, eliminating may be expected to take this part of the time that sweeping may take; and
/// that is this part of the dense solver's, or what filtering takes for each distance.
constexpr double kWorthEliminating = 0.4, kWorthSweeping = 0.05, kFilterMs = 69e-9;

void keepSmall(const Distances& distances, const Nearness& asked, SparseRows& rows);

/// What the rows of a question have in common. T: the type of the weights.
template <class T>
struct Asked {
  T limit;
  std::optional<int> nearest;
  std::vector<int> sources;  // vertices, by row
  std::vector<int> columns;  // of each vertex, −1: not wanted; empty: its number
  std::vector<char> wanted;  // of each vertex; empty: all
  std::vector<int> targets;  // vertices, by column; empty: all
  bool ascending = true;     // the columns ascend with the vertices
  int column(int vertex) const { return columns.empty() ? vertex : columns[asSize(vertex)]; }
  std::size_t most() const {
    return nearest ? asSize(*nearest) : std::numeric_limits<std::size_t>::max();
  }
};

/// The largest distance of the type that is not above the limit.
template <class T>
T largestUpTo(double limit) {
  if (limit >= static_cast<double>(kFarthest<T>)) return kFarthest<T>;
  const T near = static_cast<T>(limit);  // whole numbers are rounded towards 0
  if constexpr (std::is_floating_point_v<T>)
    if (static_cast<double>(near) > limit) return std::nextafter(near, T(0));
  return near;
}

void require(const Nearness& asked, int targets) {
  if (std::isnan(asked.limit) || asked.limit < 0)
    throw Error(ErrorCode::kUsage,
                fmt::format("the limit of distances is {}: it is a number from 0 on", asked.limit));
  if (asked.nearest && (*asked.nearest < 0 || *asked.nearest > targets))
    throw Error(ErrorCode::kUsage,
                fmt::format("the nearest {} of {} are asked for: the number is from 0 to {}",
                            *asked.nearest, counted(asSize(targets), "target"), targets));
}

template <class T>
Asked<T> askedOf(const Problem& problem, const Nearness& asked) {
  const int n = problem.graph.n();
  Asked<T> all{largestUpTo<T>(asked.limit), asked.nearest, {}, {}, {}, {}, true};
  for (int i = 0; i < problem.rows(); ++i)
    all.sources.push_back(problem.asked == nullptr ? i : problem.asked->source(i));
  if (problem.asked == nullptr || problem.asked->targets.empty()) return all;
  all.targets = problem.asked->targets;
  all.columns.assign(asSize(n), -1);
  all.wanted.assign(asSize(n), 0);
  for (std::size_t j = 0; j < all.targets.size(); ++j) {
    int& column = all.columns[asSize(all.targets[j])];
    if (column >= 0)
      throw Error(ErrorCode::kUsage,
                  fmt::format("targets {} and {} are the same vertex, {}: give each target once",
                              column, j, all.targets[j]));
    column = static_cast<int>(j);
    all.wanted[asSize(all.targets[j])] = 1;
  }
  all.ascending = std::is_sorted(all.targets.begin(), all.targets.end());
  return all;
}

/// Puts what was found into row i: the nearest first if these are asked for, else by column. found:
/// its vertices are columns.
template <class T>
void put(std::optional<int> nearest, std::vector<Found<T>>& found, int i, SparseRows& rows) {
  if (nearest) {
    std::sort(found.begin(), found.end());
    found.resize(std::min(found.size(), asSize(*nearest)));
  } else {
    std::sort(found.begin(), found.end(),
              [](const Found<T>& a, const Found<T>& b) { return a.vertex < b.vertex; });
  }
  const auto places = rows.place(i, found.size());
  if (places.columns == nullptr) return;
  for (std::size_t k = 0; k < found.size(); ++k) {
    places.columns[k] = found[k].vertex;
    static_cast<T*>(places.distances)[k] = found[k].distance;
  }
}

/// The same of vertices.
template <class T>
void putVertices(const Asked<T>& asked, std::vector<Found<T>>& found, int i, SparseRows& rows) {
  for (Found<T>& one : found) one.vertex = asked.column(one.vertex);
  put(asked.nearest, found, i, rows);
}

template <class T>
void search(const EdgeLists<T>& lists, const Asked<T>& asked, int threads, SparseRows& rows) {
  struct Searcher {
    explicit Searcher(const EdgeLists<T>& all) : search(all) {}
    BoundedSearch<T> search;
    std::vector<Found<T>> found;
  };
  ObjectPool<Searcher> pool(threads, [&] { return std::make_shared<Searcher>(lists); });
  constexpr int kTogether = 16;  // sources that are one task
  const int count = rows.rowCount(), tasks = (count + kTogether - 1) / kTogether;
  Progress progress("searching", static_cast<std::uint64_t>(count));
  const bool all = asked.limit == kFarthest<T>;
  std::atomic<bool> overflow{false};
  const auto some = [&](int task) {
    auto one = pool.take();
    for (int i = task * kTogether; i < std::min(count, (task + 1) * kTogether); ++i) {
      if (!rows.hasRoom()) break;
      one->found =
          one->search.from(asked.sources[asSize(i)], asked.limit, asked.wanted, asked.most());
      if (all && one->found.size() < asked.most() && one->search.tooFar()) overflow = true;
      putVertices(asked, one->found, i, rows);
      progress.advance();
    }
    pool.give(std::move(one));
  };
  runPhases({{tasks, some}}, threads);
  rows.requireRoom();
  if (overflow) failTooFar<T>();
}

/// The nearest targets of all vertices, by one search from the targets. ways: takes the ways there;
/// null: they are not wanted.
template <class T>
void searchBackwards(const EdgeLists<T>& lists, const Asked<T>& asked, SparseRows& rows,
                     NextVertices* ways) {
  const EdgeLists<T> back = lists.reversed();
  const int n = lists.vertices();
  std::vector<int> targets = asked.targets;
  if (targets.empty())
    for (int v = 0; v < n; ++v) targets.push_back(v);
  struct Label {
    T distance;
    int target, vertex, next;                   // the target by its column
    bool operator<(const Label& other) const {  // for a heap whose front is the least
      return distance != other.distance ? distance > other.distance : target > other.target;
    }
  };
  // One more than is asked for, because a target is the nearest one to itself.
  const std::size_t most = asked.most() + 1;
  std::vector<std::vector<Found<T>>> nearest(asSize(n));
  std::vector<Label> heap;
  const auto has = [&](const Label& label) {
    const auto& known = nearest[asSize(label.vertex)];
    return known.size() == most ||
           std::any_of(known.begin(), known.end(),
                       [&](const Found<T>& one) { return one.vertex == label.target; });
  };
  std::vector<Label> beyond;  // whose distances reach infinity
  for (std::size_t j = 0; j < targets.size(); ++j)
    heap.push_back({0, static_cast<int>(j), targets[j], targets[j]});
  std::make_heap(heap.begin(), heap.end());
  Progress progress("searching");
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Label label = heap.back();
    heap.pop_back();
    if (has(label)) continue;
    nearest[asSize(label.vertex)].push_back({label.distance, label.target});
    if (ways != nullptr) ways->add(label.vertex, label.target, label.next);
    const auto v = asSize(label.vertex);
    for (std::size_t e = back.starts[v]; e < back.starts[v + 1]; ++e) {
      const Label next{label.distance + back.weights[e], label.target, back.heads[e], label.vertex};
      if (next.distance >= kInfinity<T>) beyond.push_back(next);
      if (next.distance > asked.limit || has(next)) continue;
      heap.push_back(next);
      std::push_heap(heap.begin(), heap.end());
    }
  }
  if (asked.limit == kFarthest<T> && !std::all_of(beyond.begin(), beyond.end(), has))
    failTooFar<T>();
  std::vector<Found<T>> found;
  for (int i = 0; i < rows.rowCount(); ++i) {
    const int source = asked.sources[asSize(i)];
    found.clear();
    for (const Found<T>& one : nearest[asSize(source)])
      if (targets[asSize(one.vertex)] != source) found.push_back(one);
    put(asked.nearest, found, i, rows);
  }
  rows.requireRoom();
}

template <class T>
class Answer {
 public:
  Answer(const Problem& problem, const Execution& where, const Solver& whole, const Nearness& asked,
         NearPlace place)
      : problem_(problem),
        where_(where),
        whole_(whole),
        place_(place),
        gpu_(where.device.kind() == DeviceKind::kGpu ? &where.device : nullptr),
        wanted_(asked),
        asked_(askedOf<T>(problem, asked)),
        list_(problem.graph.onHost().dense() ? std::optional(asEdges(problem.graph.onHost()))
                                             : std::nullopt),
        graph_(list_ ? *list_ : problem.graph.onHost()),
        lists_(graph_.n, graph_.edges<T>()),
        threads_(std::max(1, omp_get_max_threads())) {}

  /// Fills the rows, and says how, and how to find the paths if these are wanted.
  void into(NearRows& found, std::optional<NearBy> wanted) {
    const bool there = place_ == NearPlace::kThere && !isUnsafe();
    const auto onGpu = mayKeepOnGpu(wanted) ? byGpu(*found.rows, wanted) : std::nullopt;
    if (onGpu) {
      found.by = *onGpu;
      found.device = DeviceKind::kGpu;
    } else {
      fill(found, !wanted && there ? std::optional(NearBy::kWhole) : wanted);
    }
    if (wanted_.paths && !found.paths) found.paths = pathsBySearch(problem_, *found.rows);
  }

  /// Milliseconds that it took to look for a GPU and to start it.
  double lookingMs() const { return looking_; }

 private:
  /// By the CPU, or if all rows are wanted, by where's device.
  void fill(NearRows& found, std::optional<NearBy> wanted) {
    SparseRows& rows = *found.rows;
    const NearBy by = found.by = wanted ? *wanted : choose();
    if (by == NearBy::kBackwards) {
      const auto ways = wanted_.paths ? std::make_shared<NextVertices>(graph_.n) : nullptr;
      searchBackwards(lists_, asked_, rows, ways.get());
      if (ways != nullptr) found.paths = pathsAlong(ways, problem_, rows);
    }
    if (by == NearBy::kSearch) search(lists_, asked_, threads_, rows);
    if (by == NearBy::kSweep) sweep(rows);
    if (by == NearBy::kWhole) {
      const Execution cpu{cpuDevice, {}, false, nullptr, where_.sharers};
      const Execution& where = wanted ? where_ : cpu;
      const auto run =
          prepareAsked(wanted ? whole_ : findSolver("apsp", DeviceKind::kCpu), problem_, where);
      run->reset();
      run->solve();
      keepSmall(run->distances(), wanted_, rows);
      found.device = where.device.kind();
    }
  }

  NearBy choose() {
    const int n = lists_.vertices();
    const double m = static_cast<double>(lists_.heads.size());
    const double searches = guess().searches;
    if (asked_.nearest) {
      const double backwards = kLabelMs * (*asked_.nearest + 1) * (n + m);
      const int times = wanted_.paths ? 2 : 1;  // paths take each search once more
      return searches * times <= backwards ? NearBy::kSearch : NearBy::kBackwards;
    }
    if (isUnsafe() || searches <= kPrepareMs * m * cpuCosts().sparse) return NearBy::kSearch;
    const sparse::Rates rates = sparse::ratesOn(cpuDevice, kDtype<T>, problem_.asked);
    const double dense = sparse::denseMilliseconds(n, rates);
    if (dense >= kPrepareMs * m) survey_ = sparse::surveyIfSeparable(graph_, rates);
    if (survey_ && hasSmallCore(*survey_) && asked_.ascending) return NearBy::kSweep;
    return dense < searches && fits() ? NearBy::kWhole : NearBy::kSearch;
  }

  /// Whether the whole matrix may be solved, by all that share the memory.
  bool fits() const {
    return matrixBytes(lists_.vertices(), kDtype<T>) * 3 * asSize(where_.sharers) < freeHostBytes();
  }

  /// Whether a distance may be too far for its type, and is to be noticed. Only a search does.
  bool isUnsafe() const {
    return asked_.limit == kFarthest<T> && mayBeTooFar(lists_.vertices(), graph_.edges<T>());
  }

  /// What a few searches tell.
  struct Guess {
    double searches = 0;  ///< milliseconds of all
    double answers = 0;   ///< distances that they find
  };
  const Guess& guess() {
    if (guess_) return *guess_;
    guess_.emplace();
    const int count = static_cast<int>(asked_.sources.size()), probes = std::min(kProbes, count);
    if (probes == 0) return *guess_;
    BoundedSearch<T> search(lists_);
    double looked = 0, found = 0;
    for (int i = 0; i < probes; ++i) {
      const auto row = static_cast<std::size_t>(std::int64_t{i} * count / probes);
      found += static_cast<double>(
          search.from(asked_.sources[row], asked_.limit, asked_.wanted, asked_.most()).size());
      looked += static_cast<double>(search.looked());
    }
    guess_->searches =
        cpuCosts().search * kLookMs * looked / probes * count / speedOf(std::min(threads_, count));
    guess_->answers = found / probes * count;
    return *guess_;
  }

  /// Whether what is asked for can be kept of rows in GPU memory, and these are worth making.
  bool mayKeepOnGpu(std::optional<NearBy> wanted) const {
    const int n = lists_.vertices(), count = static_cast<int>(asked_.sources.size());
    if (count == 0 || asked_.nearest || !asked_.ascending || isUnsafe()) return false;
    if (wanted) return gpu_ != nullptr && (*wanted == NearBy::kSweep || *wanted == NearBy::kWhole);
    if (count < n / kSmallPart || place_ == NearPlace::kCpu) return false;
    return place_ == NearPlace::kThere ? gpu_ != nullptr : isWhole(kDtype<T>);
  }

  /// Fills the rows on the GPU, and returns how. Nothing if it cannot, or if the CPU is expected to
  /// take less time and there is a choice.
  std::optional<NearBy> byGpu(SparseRows& rows, std::optional<NearBy> wanted) {
    const search::SmallAsked small{lists_.vertices(), Number(asked_.limit), asked_.sources,
                                   asked_.columns};
    const auto sweeps = [&](double most) {
      return search::sweepNearOnGpu(*gpu_, graph_, small, rows, most);
    };
    bool whole = wanted == NearBy::kWhole;
    if (wanted == NearBy::kSweep) {
      if (sweeps(std::numeric_limits<double>::infinity())) return NearBy::kSweep;
    } else if (!wanted && place_ == NearPlace::kThere) {
      const double most = solvingOnGpuMs();
      if (maySweepOnGpu(most) && sweeps(most)) return NearBy::kSweep;
      whole = true;
    } else if (!wanted && findsGpu()) {
      const double most = cpuMs() - bringingMs();
      if (maySweepOnGpu(most) && sweeps(most)) return NearBy::kSweep;
      whole = denseOnGpuMs() < most && fitsGpu();
    }
    return whole && wholeOnGpu(small, rows) ? std::optional(NearBy::kWhole) : std::nullopt;
  }

  /// Looks for a GPU if the CPU takes so long that it may pay. Returns whether there is one.
  bool findsGpu() {
    const double worth = gpuHasStarted() ? kWorthLooking : kWorthStarting;
    if (gpu_ == nullptr && cpuMs() - bringingMs() >= worth) {
      std::string why;
      looking_ += millisecondsOf([&] {
        try {
          gpu_ = findGpu(why);
        } catch (const Error&) {  // it cannot be used: the CPU can
        }
      });
    }
    return gpu_ != nullptr;
  }

  /// Returns false if there is no room for it.
  bool wholeOnGpu(const search::SmallAsked& small, SparseRows& rows) try {
    const Problem whole{problem_.graph};
    const Execution there{*gpu_, {}, false, nullptr, where_.sharers};
    const auto run = findSolver("apsp", DeviceKind::kGpu).prepare(whole, there);
    run->reset();
    run->solve();
    rows.clear();  // of what sweeps may have found
    search::keepNearOnGpu(*gpu_, run->distances(), small, rows);
    return true;
  } catch (const Error& error) {
    if (error.code != ErrorCode::kMemory) throw;
    rows.requireRoom();  // in host memory
    return false;
  }

  /// Milliseconds that the CPU is expected to take.
  double cpuMs() {
    const int n = lists_.vertices();
    const double m = static_cast<double>(lists_.heads.size());
    double least = guess().searches;
    if (!sparse::spreadsAtOnce({n, graph_.ends()}))
      least = std::min(least, cpuCosts().sparse * (kPrepareMs * m +
                                                   kFoundMs * guess().answers / speedOf(threads_)));
    return std::min(least, sparse::denseMilliseconds(n, sparse::ratesOn(cpuDevice, kDtype<T>)));
  }

  double bringingMs() {
    return search::bringingMilliseconds(lists_.vertices(), kDtype<T>, guess().answers);
  }

  double denseOnGpuMs() const {
    return sparse::denseMilliseconds(lists_.vertices(), sparse::ratesOn(*gpu_, kDtype<T>));
  }

  /// Whether the GPU has room for the matrix, and for as much again.
  bool fitsGpu() const { return matrixBytes(lists_.vertices(), kDtype<T>) * 2 < gpu_->freeBytes(); }

  /// Milliseconds that the GPU is expected to take to solve the whole graph, if it is no road map.
  double solvingOnGpuMs() const {
    if (!fitsGpu()) return std::numeric_limits<double>::infinity();
    const double n = lists_.vertices(), dense = denseOnGpuMs();
    return std::max(kWorthSweeping * dense, std::min(dense, kFilterMs * n * n));
  }

  /// Whether it is worth eliminating if no more than so many milliseconds are to be taken.
  bool maySweepOnGpu(double most) const {
    const int n = lists_.vertices();
    return sparse::gpuEliminationMilliseconds(n, graph_.edgeCount()) <= kWorthEliminating * most &&
           !sparse::spreadsAtOnce({n, graph_.ends()});
  }

  void sweep(SparseRows& rows) {
    if (!survey_)
      survey_ = sparse::surveyOf(graph_, sparse::ratesOn(cpuDevice, kDtype<T>, problem_.asked));
    Sweeping done;
    const sparse::Prepared prepared(*survey_, graph_, preparedOnCpu(), done);
    sparse::sweepWithin(prepared, asked_.sources, asked_.columns, Number(asked_.limit), threads_,
                        rows);
  }

  const Problem& problem_;
  const Execution& where_;
  const Solver& whole_;
  const NearPlace place_;
  const Device* gpu_;  // null: there is none, or nobody has looked yet
  const Nearness wanted_;
  const Asked<T> asked_;
  const std::optional<Graph> list_;  // the edges of a matrix
  const Graph& graph_;               // held as edges
  const EdgeLists<T> lists_;
  const int threads_;
  std::optional<sparse::Survey> survey_;
  std::optional<Guess> guess_;
  double looking_ = 0;
};

/// The small distances of all rows of a solve.
void keepSmall(const Distances& distances, const Nearness& asked, SparseRows& rows) {
  distances.rows(0, distances.rowCount(), [&](int first, int count, ConstElements elements) {
    withElements(elements, [&](const auto* row) {
      using T = NumberAt<decltype(row)>;
      const T most = largestUpTo<T>(asked.limit);
      std::vector<Found<T>> found;
      for (int i = first; i < first + count; ++i, row += distances.columns()) {
        found.clear();
        for (int j = 0; j < distances.columns(); ++j)
          if (row[j] <= most && asked.limit >= 0 && distances.target(j) != distances.source(i))
            found.push_back({row[j], j});
        put(asked.nearest, found, i, rows);
      }
    });
  });
  rows.requireRoom();
}

}  // namespace

const char* nameOf(NearBy by) {
  constexpr const char* kNames[] = {"search", "backwards", "sweep", "whole"};
  return kNames[static_cast<int>(by)];
}

std::unique_ptr<SparseRows> smallOf(const Distances& distances, const Nearness& asked) {
  auto rows =
      std::make_unique<SparseRows>(distances.rowCount(), distances.columns(), distances.dtype());
  keepSmall(distances, asked, *rows);
  return rows;
}

NearRows findNear(const Problem& problem, const Execution& where, const Solver& whole,
                  const Nearness& asked, std::optional<NearBy> by, NearPlace place) {
  require(asked, problem.columns());
  const Dtype dtype = problem.graph.dtype();
  NearRows found{std::make_unique<SparseRows>(problem.rows(), problem.columns(), dtype)};
  problem.graph.onHost();
  double looking = 0;
  const double all = millisecondsOf([&] {
    withType(dtype, [&](auto zero) {
      Answer<decltype(zero)> answer(problem, where, whole, asked, place);
      answer.into(found, by);
      looking = answer.lookingMs();
    });
  });
  found.milliseconds = all - looking;
  return found;
}

}  // namespace engine
