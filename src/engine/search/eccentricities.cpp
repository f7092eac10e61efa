#include "search/eccentricities.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/thread_team.h"
#include "bfs/level_search.h"
#include "bfs/shape.h"
#include "filtered/settle_cpu.h"
#include "search/bounded_search.h"

namespace engine {

namespace {

/// Bytes of rows that are held at a time, and how many rows these are.
constexpr std::size_t kHeldBytes = std::size_t{256} << 20;
constexpr int kLeastHeld = 64, kMostHeld = 8192;

/// Who is the farthest from a vertex, by its row; −1 if it reaches no other.
template <class T>
int farthestIn(const T* row, int n, int vertex) {
  T most = 0;  // the distance to itself
#pragma omp simd reduction(max : most)
  for (int j = 0; j < n; ++j) most = std::max(most, row[j] < kInfinity<T> ? row[j] : T(0));
  if (most > 0) return static_cast<int>(std::find(row, row + n, most) - row);
  for (int j = 0; j < n; ++j)
    if (j != vertex && row[j] == 0) return j;
  return -1;
}

/// Tells what the rows of these vertices say.
template <class T>
void tell(const int* vertices, int count, const T* rows, int n, const EccentricityAsker& asker) {
  std::vector<int> far(asSize(count));
  const auto row = [&](int i) { return rows + asSize(i) * asSize(n); };
  inParts(count, rowsInPart(n), [&](int begin, int end) {
    for (int i = begin; i < end; ++i) far[asSize(i)] = farthestIn(row(i), n, vertices[i]);
  });
  for (int i = 0; i < count; ++i)
    asker.take(vertices[i], far[asSize(i)] < 0 ? T(0) : row(i)[far[asSize(i)]], far[asSize(i)]);
}

/// By breadth-first searches, in the order of their roots: those that begin near each other meet
/// the same vertices at nearly the same time.
template <class T>
int searchLevels(const Graph& graph, std::vector<int> vertices, int together,
                 const EccentricityAsker& asker) {
  const std::vector<int> roots = bfs::shapeOf(graph.n, graph.ends()).root;
  std::stable_sort(vertices.begin(), vertices.end(),
                   [&](int a, int b) { return roots[asSize(a)] < roots[asSize(b)]; });
  std::vector<int> all(asSize(graph.n));
  std::iota(all.begin(), all.end(), 0);
  bfs::LevelSearch levels(graph, vertices, all);
  const int most = std::min(together, static_cast<int>(vertices.size()));
  const std::size_t bytes = sizeof(T) * asSize(most) * all.size();
  const auto rows = makeRows<char>((bytes / kVectorBytes + 1) * kVectorBytes);
  int solved = 0;
  for (int first = 0; first < static_cast<int>(vertices.size()); first += most) {
    const int count = std::min(most, static_cast<int>(vertices.size()) - first);
    const int* const some = vertices.data() + first;
    if (std::none_of(some, some + count, asker.isOpen)) continue;
    levels.solve(first, count, Elements(kDtype<T>, rows.get()));
    tell(some, count, reinterpret_cast<const T*>(rows.get()), graph.n, asker);
    solved += count;
  }
  return solved;
}

/// Whether breadth-first searches find the same as sums of weights do, and no distance is too far.
template <class T>
bool areExact(const Graph& graph) {
  return isWhole(kDtype<T>) && !mayBeTooFar(graph.n, graph.edges<T>());
}

/// By `whole`.
template <class T>
class InTables {
 public:
  InTables(const ProblemGraph& graph, int together, const Execution& where, const Solver& whole,
           const EccentricityAsker& asker)
      : graph_(graph), together_(asSize(together)), where_(where), whole_(whole), asker_(asker) {
    where_.keepsPlan = where_.streams = true;
    where_.sink = [this](int first, int count, ConstElements elements) {
      take(first, count, elements);
    };
  }

  /// Returns how many rows were solved.
  int solve(std::vector<int> vertices) {
    const bool onCpu = where_.device.kind() == DeviceKind::kCpu;
    std::size_t most = vertices.size();
    int solved = 0;
    while (true) {
      vertices.erase(std::remove_if(vertices.begin(), vertices.end(),
                                    [this](int v) { return !asker_.isOpen(v); }),
                     vertices.end());
      if (vertices.empty()) return solved;
      const auto count = static_cast<std::ptrdiff_t>(std::min(most, vertices.size()));
      asked_.sources.assign(vertices.begin(), vertices.begin() + count);
      const Plan plan = whole_.plan({graph_, &asked_}, where_);
      if (plan.method == Method::kBfs && onCpu && areExact<T>(graph_.onHost()))
        return solved + searchLevels<T>(graph_.onHost(), std::move(vertices),
                                        static_cast<int>(together_), asker_);
      if (plan.method == Method::kFiltered && asSize(count) > together_) {
        most = together_;  // rows that are relaxed are kept
        continue;
      }
      solveAsked(plan);
      solved += static_cast<int>(count);
      vertices.erase(vertices.begin(), vertices.begin() + count);
    }
  }

 private:
  void take(int first, int count, ConstElements elements) {
    tell(asked_.sources.data() + first, count, elements.as<T>(), graph_.n(), asker_);
    taken_ = true;
  }

  void solveAsked(const Plan& plan) {
    taken_ = false;
    const auto run = beginAsked(plan, {graph_, &asked_});
    run->reset();
    run->solve();
    if (taken_) return;
    const Distances& found = run->distances();
    found.rows(0, found.rowCount(), where_.sink);
  }

  const ProblemGraph& graph_;
  const std::size_t together_;
  Execution where_;
  const Solver& whole_;
  const EccentricityAsker& asker_;
  Selection asked_;
  bool taken_ = false;  // whether the sink got the rows
};

}  // namespace

int rowsTogether(int n, Dtype dtype) {
  const std::size_t row = sizeOf(dtype) * asSize(std::max(1, n));
  return static_cast<int>(
      std::clamp<std::size_t>(kHeldBytes / row, asSize(kLeastHeld), asSize(kMostHeld)));
}

int eccentricitiesOf(const ProblemGraph& graph, std::vector<int> vertices, int together,
                     const Execution& where, const Solver& whole, const EccentricityAsker& asker) {
  return withType(graph.dtype(), [&](auto zero) {
    return InTables<decltype(zero)>(graph, together, where, whole, asker)
        .solve(std::move(vertices));
  });
}

}  // namespace engine
