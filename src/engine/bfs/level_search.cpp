// Rows are searches, and a batch of searches is explored at once (frontier.cpp). Their levels are
// kept as (vertex, search), in a byte each if they fit. Then they become distances (widen.cpp), and
// are written: 32 rows at a time.
//
// Rows of vertices without arcs out have no search. Leaves that hang on the same vertex share its
// search, one step later (shape.h).
#include "bfs/level_search.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "bfs/frontier.h"
#include "bfs/widen.h"
#include "solver/costs.h"
#include "solver/stage.h"

namespace engine::bfs {

namespace {

/// Milliseconds of one core to look at an arc and at a vertex, for 64 searches and for 512.
struct LookMs {
  double arc, visit;
};
constexpr LookMs kFewMs = {1e-6, 3e-6}, kManyMs = {3e-6, 10e-6};
/// To write a distance of 32 bits; the same in a row without a search; to look up a level for a row
/// beside another one that has the same search.
constexpr double kWriteMs = 0.75e-6, kFillMs = 0.5e-6, kGatherMs = 0.6e-6;
/// To find the shape of an edge, for each doubling of the number of vertices beyond kSmall, because
/// more of it comes from farther memory; and at the least.
constexpr double kShapeMs = 4.5e-6, kLeastShapeMs = 10e-6, kSmall = 40;
/// Three batches tell more than two of a graph that has another kind of part in its middle.
constexpr int kFewSamples = 3;
/// Bytes of distances that a cache holds.
constexpr std::size_t kStaysInCache = std::size_t{1} << 22;
/// Rows without searches that are a task.
constexpr int kRowsOfTask = 256;
/// A batch has no more rows than four for each search, or this part of all, whichever is more.
/// Otherwise one thread might write all leaves of a star.
constexpr int kRowsOfSearch = 4, kPartOfRows = 64;

}  // namespace

/// A row of the result.
struct LevelSearch::Row {
  int root, index;
  int extra;   ///< steps from the source to its root: 0 or 1
  int passed;  ///< arcs of the source that its search does not pass
};

/// Searches [firstSearch, endSearch) and their rows, or some of them: the batches before and after
/// it may have the others.
struct LevelSearch::Batch {
  int firstSearch, endSearch, firstRow, endRow;
};

/// Which searches are done together.
struct LevelSearch::Schedule {
  bool wide = true;         // batches of 512 searches, else of 64
  std::vector<Row> rows;    // in the order of their roots
  std::vector<int> roots;   // of each search, in ascending order
  std::vector<int> search;  // of each of `rows`, counted in its batch
  std::vector<Batch> batches;
  std::vector<int> without;  // rows that have no search
};

/// The memory of a batch, and what it found.
struct LevelSearch::Work {
  using Frontiers = std::variant<Frontier<8>, Frontier<1>>;

  Work(int count, bool wide)
      : vertices(count),
        frontier(wide ? Frontiers(std::in_place_index<0>, count)
                      : Frontiers(std::in_place_index<1>, count)) {}
  bool hasSeen(std::size_t vertex, std::size_t search) const {
    const auto in = [&](const DistanceRows<std::uint64_t>& seen, std::size_t words) {
      return (seen[vertex * words + search / 64] >> (search % 64) & 1) != 0;
    };
    if (const auto* const wide = std::get_if<Frontier<8>>(&frontier)) return in(wide->seen, 8);
    return in(std::get<Frontier<1>>(frontier).seen, 1);
  }
  int width() const { return std::holds_alternative<Frontier<8>>(frontier) ? 512 : 64; }
  /// (vertices, width()) levels of that type. Throws Error(kMemory).
  template <class Level>
  Level* place() {
    const std::size_t bytes = sizeof(Level) * asSize(vertices) * asSize(width());
    if (bytes > room) levels = makeRows<char>(room = bytes);
    return reinterpret_cast<Level*>(levels.get());
  }

  const int vertices;
  Frontiers frontier;
  DistanceRows<char> levels;
  std::size_t room = 0;
  std::variant<std::uint8_t, std::uint16_t, std::uint32_t> type;  // of the levels
  Explored explored;
};

std::optional<Number> commonWeight(const Graph& graph) {
  return withEdges(graph, [](const auto& edges) -> std::optional<Number> {
    using T = decltype(edges.front().weight);
    if (edges.empty()) return T{1};
    const T weight = edges.front().weight;
    if (weight < 0) return std::nullopt;
    for (const auto& edge : edges)
      if (edge.weight != weight) return std::nullopt;
    return weight;
  });
}

LevelSearch::LevelSearch(const Graph& graph, const std::vector<int>& sources,
                         std::vector<int> targets, std::string simd, int manySearches)
    : dtype_(graph.dtype()),
      weight_(commonWeight(graph).value()),
      simd_(std::move(simd)),
      manySearches_(manySearches),
      shape_(shapeOf(graph.n, graph.ends())),
      sources_(sources),
      targets_(std::move(targets)),
      columns_(listsOf(graph.n, [&](const auto& add) {
        for (std::size_t j = 0; j < targets_.size(); ++j) add(targets_[j], static_cast<int>(j));
      })) {
  for (const int target : targets_) places_.push_back(shape_.place[asSize(target)]);
  all_ = std::make_unique<Schedule>(scheduleOf(0, static_cast<int>(sources_.size())));
}

LevelSearch::~LevelSearch() = default;

std::size_t LevelSearch::bytes(int n, std::size_t edges) {
  const std::size_t each = Frontier<8>::bytes(n) + asSize(n) * 512;
  return 3 * sizeof(std::uint32_t) * (edges + asSize(n)) + asSize(omp_get_max_threads()) * each;
}

double LevelSearch::leastMilliseconds(int n, std::size_t edges, std::size_t distances,
                                      Dtype dtype) {
  const double shape = std::max(kLeastShapeMs, kShapeMs * std::log2(std::max(1.0, n / kSmall)));
  const double size = static_cast<double>(sizeOf(dtype)) / 4;
  return cpuCosts().relaxing * (shape * static_cast<double>(edges) +
                                kWriteMs * size * static_cast<double>(distances) / speedOfAll());
}

LevelSearch::Row LevelSearch::rowOf(std::size_t source, int index) const {
  const int place = shape_.place[source];
  const bool isLeaf = place < 0;
  const bool isReached = isLeaf && shape_.entering.degree(asSize(-1 - place)) > 0;
  return {shape_.root[source], index, isLeaf ? 1 : 0, isLeaf && !isReached ? 1 : 0};
}

LevelSearch::Schedule LevelSearch::scheduleOf(int first, int count) const {
  Schedule schedule;
  for (int i = 0; i < count; ++i) {
    const auto source = asSize(sources_[asSize(first + i)]);
    const int root = shape_.root[source];
    if (root < 0)
      schedule.without.push_back(i);
    else
      schedule.rows.push_back(rowOf(source, i));
  }
  std::stable_sort(schedule.rows.begin(), schedule.rows.end(),
                   [](const Row& a, const Row& b) { return a.root < b.root; });
  for (const Row& row : schedule.rows)
    if (schedule.roots.empty() || schedule.roots.back() != row.root)
      schedule.roots.push_back(row.root);
  const int searches = static_cast<int>(schedule.roots.size());
  schedule.wide = searches >= manySearches_;
  const int width = schedule.wide ? 512 : 64;
  const int rows = static_cast<int>(schedule.rows.size());
  const int mostRows = std::max(kRowsOfSearch * width, rows / kPartOfRows);
  int search = 0;
  for (int row = 0; row < rows; ++row) {
    while (schedule.roots[asSize(search)] != schedule.rows[asSize(row)].root) ++search;
    std::vector<Batch>& batches = schedule.batches;
    if (batches.empty() || search == batches.back().firstSearch + width ||
        row == batches.back().firstRow + mostRows)
      batches.push_back({search, search, row, row});
    batches.back().endSearch = search + 1;
    batches.back().endRow = row + 1;
    schedule.search.push_back(search - batches.back().firstSearch);
  }
  return schedule;
}

/// Memory for a batch of the schedule, with room for levels of a byte.
std::shared_ptr<LevelSearch::Work> LevelSearch::makeWork(const Schedule& schedule) const {
  auto work = std::make_shared<Work>(shape_.interior(), schedule.wide);
  work->place<std::uint8_t>();
  return work;
}

/// As many works as threads need, which are kept for the next solve().
ObjectPool<LevelSearch::Work>& LevelSearch::poolFor(const Schedule& schedule, int works) {
  if (works_ == nullptr || worksAreWide_ != schedule.wide || works > workCount_) {
    works_ = std::make_unique<ObjectPool<Work>>(works, [&] { return makeWork(schedule); });
    worksAreWide_ = schedule.wide;
    workCount_ = works;
  }
  return *works_;
}

/// Returns false if there is no memory for levels of more than a byte.
bool LevelSearch::explore(const Schedule& schedule, const Batch& batch, Work& work,
                          std::uint64_t most) const try {
  const int* const roots = schedule.roots.data() + batch.firstSearch;
  const int count = batch.endSearch - batch.firstSearch;
  Explored tried;  // with types that were too narrow
  const auto as = [&](auto type, auto& frontier) {
    using Level = decltype(type);
    constexpr int kWords = std::decay_t<decltype(frontier)>::kSearches / 64;
    work.type = type;
    work.explored = findExplore<Level, kWords>(simd_)(shape_, roots, count, frontier,
                                                      work.template place<Level>(),
                                                      most - std::min(most, tried.looks()));
    tried.arcs += work.explored.arcs;
    tried.visits += work.explored.visits;
    return !work.explored.tooDeep;
  };
  std::visit(
      [&](auto& frontier) {
        as(std::uint8_t{}, frontier) || as(std::uint16_t{}, frontier) ||
            as(std::uint32_t{}, frontier);
      },
      work.frontier);
  work.explored.arcs = tried.arcs;
  work.explored.visits = tried.visits;
  return true;
} catch (const Error&) {
  return false;
}

/// Of the time that one thread would take for so many batches, the part that all threads take.
static double partOfTime(int batches) {
  if (batches == 0) return 1 / speedOfAll();
  const int threads = omp_get_max_threads(), together = std::min(threads, batches);
  return static_cast<double>((batches + threads - 1) / threads) / batches * together /
         speedOf(together);
}

/// To write all rows once their levels are known. part: see partOfTime().
double LevelSearch::writingMilliseconds(double part) const {
  const Schedule& all = *all_;
  double lookUps = 0;  // of levels, for a row
  for (const int place : places_)
    lookUps += place >= 0 ? 1 : shape_.entering.degree(asSize(-1 - place));
  double apart = 0;  // rows whose levels do not lie beside each other
  for (const Batch& batch : all.batches)
    for (int first = batch.firstRow; first < batch.endRow; first += kTransposed) {
      const int last = std::min(first + kTransposed, batch.endRow) - 1;
      if (all.search[asSize(last)] - all.search[asSize(first)] != last - first)
        apart += last + 1 - first;
    }
  const double size = static_cast<double>(sizeOf(dtype_)) / 4;
  const double row = size * static_cast<double>(targets_.size());
  const double searched = kWriteMs * row * static_cast<double>(all.rows.size());
  const double filled = kFillMs * row * static_cast<double>(all.without.size());
  return part * (searched + kGatherMs * lookUps * apart) + filled / speedOfAll();
}

std::optional<double> LevelSearch::expect(double most) {
  const int batches = static_cast<int>(all_->batches.size()), threads = omp_get_max_threads();
  const double part = partOfTime(batches);
  // As many as all threads take at a time, or several times: otherwise some threads would have
  // nothing to do during the last samples.
  const int samples = std::min(batches, (kFewSamples + threads - 1) / threads * threads);
  const LookMs rates = all_->wide ? kManyMs : kFewMs;
  const double scale = cpuCosts().levels;
  const double least = cpuCosts().relaxing * writingMilliseconds(part);
  if (least > most) return std::nullopt;
  const double each = (most - least) / part / std::max(1, batches) / scale;
  const auto looks = static_cast<std::uint64_t>(std::min(1e18, each / rates.arc));
  std::vector<std::shared_ptr<Work>> works;
  std::vector<int> numbers;  // of samples that are not known from an earlier call
  for (int i = 0; i < samples; ++i) {
    const auto number = static_cast<int>((2 * std::int64_t{i} + 1) * batches / (2 * samples));
    if (samples_.count(number) != 0) continue;
    numbers.push_back(number);
    works.push_back(makeWork(*all_));
  }
  std::atomic<bool> hadRoom = true;
  const auto sample = [&](int i) {
    const Batch& batch = all_->batches[asSize(numbers[asSize(i)])];
    if (!explore(*all_, batch, *works[asSize(i)], looks)) hadRoom = false;
  };
  runPhases({{static_cast<int>(numbers.size()), sample}}, omp_get_max_threads());
  if (!hadRoom) return std::nullopt;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!works[i]->explored.gaveUp) samples_[numbers[i]] = works[i];
  if (static_cast<int>(samples_.size()) < samples) return std::nullopt;
  double milliseconds = 0;
  for (const auto& [number, work] : samples_)
    milliseconds += rates.arc * static_cast<double>(work->explored.arcs) +
                    rates.visit * static_cast<double>(work->explored.visits);
  searchingMs_ = samples == 0 ? 0 : scale * milliseconds / samples * batches * part;
  sampledMs_ = scale * milliseconds * part;
  const double all = least + searchingMs_;
  return all <= most ? std::optional(all) : std::nullopt;
}

int LevelSearch::sampledLevels() const {
  int levels = 0;
  for (const auto& [number, work] : samples_) levels = std::max(levels, work->explored.levels);
  return levels;
}

/// Adds what a batch did to what all did.
void LevelSearch::count(const Schedule& schedule, const Batch& batch, const Work& work) {
  std::vector<int> more(asSize(batch.endSearch - batch.firstSearch), -1);  // rows of a search
  double passed = static_cast<double>(work.explored.passed);
  for (int i = batch.firstRow; i < batch.endRow; ++i) {
    ++more[asSize(schedule.search[asSize(i)])];
    passed += schedule.rows[asSize(i)].passed;
  }
  for (std::size_t search = 0; search < more.size(); ++search)
    if (more[search] > 0)
      for (std::size_t v = 0; v < shape_.passed.size(); ++v)
        if (work.hasSeen(v, search)) passed += static_cast<double>(shape_.passed[v]) * more[search];
  const std::lock_guard lock(mutex_);
  done_.passed += passed;
  done_.levels = std::max(done_.levels, work.explored.levels);
}

/// Calls visit(j) for the columns begin + j of a vertex, 0 <= j < count.
template <class Visit>
void LevelSearch::visitOwn(int vertex, int begin, int count, const Visit& visit) const {
  for (auto own = columns_.begin(asSize(vertex)); own != columns_.end(asSize(vertex)); ++own)
    if (const int j = static_cast<int>(*own) - begin; 0 <= j && j < count) visit(j);
}

/// The row `number` of a source that reaches itself only. to: (targets)
template <class T>
void LevelSearch::writeNone(int source, int number, T* to, BlockSums<T>* sums) const {
  const int width = static_cast<int>(targets_.size());
  if (to != nullptr) {
    // To stream a row would only take it out of the cache, where visitOwn() writes to it.
    if (targets_.size() * sources_.size() * sizeof(T) < kStaysInCache)
      std::fill_n(to, targets_.size(), kInfinity<T>);
    else
      fillRow(kInfinity<T>, targets_.size(), to);
    visitOwn(source, 0, width, [&](int j) { to[j] = 0; });
  }
  if (sums == nullptr) return;
  for (int column = 0; column < width; column += kMostColumns) {
    const int some = std::min(kMostColumns, width - column);
    T row[kMostColumns];
    std::fill_n(row, some, kInfinity<T>);
    visitOwn(source, column, some, [&](int j) { row[j] = 0; });
    const T* const rows[] = {row};
    sums->add(rows, 1, column, some);
  }
  sums->finish(&number, 1);
}

/// rows: those of solve(), which begin with row `begin`.
template <class T>
void LevelSearch::write(const Schedule& schedule, const Batch& batch, const Work& work, int begin,
                        T* rows, BlockSums<T>* sums) const {
  const T weight = std::get<T>(weight_);
  const int width = static_cast<int>(targets_.size());
  std::visit(
      [&](auto type) {
        using Level = decltype(type);
        const auto widen = findWiden<Level, T>(simd_);
        Levels<Level> levels = {};
        levels.of = reinterpret_cast<const Level*>(work.levels.get());
        levels.width = work.width();
        levels.place = places_.data();
        levels.entering = &shape_.entering;
        for (int first = batch.firstRow; first < batch.endRow; first += kTransposed) {
          const int count = std::min(kTransposed, batch.endRow - first);
          T* out[kTransposed];
          int numbers[kTransposed];
          levels.adjacent = schedule.search[asSize(first)] + kTransposed <= levels.width;
          for (int c = 0; c < kTransposed; ++c) {
            const auto at = asSize(first + std::min(c, count - 1));
            const Row& row = schedule.rows[at];
            if (rows != nullptr) out[c] = rows + asSize(row.index) * asSize(width);
            numbers[c] = begin + row.index;
            levels.search[c] = schedule.search[at];
            levels.extra[c] = row.extra;
            if (0 < c && c < count) levels.adjacent &= levels.search[c] == levels.search[c - 1] + 1;
          }
          Stage<T> stage(count, rows != nullptr ? out : nullptr);
          for (int column = 0; column < width; column += Stage<T>::kPiece) {
            const int some = std::min(Stage<T>::kPiece, width - column);
            T* to[kTransposed];
            for (int c = 0; c < count; ++c) to[c] = stage.row(c);
            widen(levels, weight, column, some, count, to);
            for (int c = 0; c < count; ++c) {
              if (levels.extra[c] == 0) continue;  // else this is the way there and back
              visitOwn(sources_[asSize(numbers[c])], column, some, [&](int j) { to[c][j] = 0; });
            }
            if (sums != nullptr) stage.add(some, column, *sums);
            stage.write(some);
          }
          stage.finish();
          if (sums != nullptr) sums->finish(numbers, count);
        }
      },
      work.type);
}

template <class T>
void LevelSearch::solveAs(const Schedule& schedule, int first, T* rows, SummingOf<T>* sums) {
  const bool whole = &schedule == all_.get();
  const int batches = static_cast<int>(schedule.batches.size());
  const int fills = static_cast<int>((schedule.without.size() + kRowsOfTask - 1) / kRowsOfTask);
  const int tasks = batches + fills;
  const int threads = std::min(omp_get_max_threads(), std::max(1, tasks));
  ObjectPool<Work>& works = poolFor(schedule, std::min(threads, batches));
  std::atomic<bool> hadRoom = true;
  const auto fill = [&](std::size_t begin, BlockSums<T>* block) {
    const std::size_t end = std::min(schedule.without.size(), begin + kRowsOfTask);
    for (std::size_t i = begin; i < end; ++i) {
      const int row = schedule.without[i];
      writeNone(sources_[asSize(first + row)], first + row,
                rows != nullptr ? rows + asSize(row) * targets_.size() : nullptr, block);
    }
  };
  const auto search = [&](int number, BlockSums<T>* block) {
    const Batch& batch = schedule.batches[asSize(number)];
    const auto sample = whole ? samples_.find(number) : samples_.end();
    const bool explored = sample != samples_.end();
    const auto work = explored ? sample->second : works.take();
    if (!explored && !explore(schedule, batch, *work, ~std::uint64_t{0})) hadRoom = false;
    if (hadRoom) {
      count(schedule, batch, *work);
      write(schedule, batch, *work, first, rows, block);
    }
    if (!explored) works.give(work);
  };
  const int begun = sums != nullptr ? sums->begin(tasks) : 0;
  Progress progress("searching", static_cast<std::uint64_t>(tasks));
  const auto task = [&](int number) {
    auto block = sums != nullptr ? std::make_unique<BlockSums<T>>(*sums) : nullptr;
    if (number < batches)
      search(number, block.get());
    else
      fill(asSize(number - batches) * kRowsOfTask, block.get());
    if (sums != nullptr) sums->take(begun + number, std::move(block));
    progress.advance();
  };
  runPhases({{tasks, task}}, threads);
  if (!hadRoom) throw Error(ErrorCode::kMemory, "out of host memory for levels of searches");
}

void LevelSearch::solve(int first, int count, Elements rows, Summing* sums) {
  const bool whole = first == 0 && asSize(count) == sources_.size();
  const Schedule some = whole ? Schedule{} : scheduleOf(first, count);
  withType(dtype_, [&](auto zero) {
    using T = decltype(zero);
    solveAs(whole ? *all_ : some, first, rows ? rows.as<T>() : nullptr,
            static_cast<SummingOf<T>*>(sums));
  });
}

}  // namespace engine::bfs
