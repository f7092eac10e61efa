#include "solver/narrowing.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/negative_cycle.h"
#include "base/size.h"
#include "base/structure.h"
#include "base/thread_team.h"

namespace engine {

namespace {

/// The e of a number that is an odd integer times 2^e.
int exponentOf(std::int64_t number) {
  return __builtin_ctzll(static_cast<std::uint64_t>(number));
}
int exponentOf(double number) {
  constexpr int kFraction = 52, kBias = 1075;  // of the last bit of the fraction
  const std::uint64_t bits = bitsOf(number);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFraction) - 1);
  const int biased = static_cast<int>(bits >> kFraction & 0x7ff);
  if (biased == 0) return 1 - kBias + __builtin_ctzll(fraction);
  return biased - kBias + (fraction == 0 ? kFraction : __builtin_ctzll(fraction));
}

/// Whether a number is below the infinity of int32.
template <class T>
bool isSmall(T largest, int exponent) {
  return std::ldexp(static_cast<double>(largest), -exponent) < kInfinity<int>;
}

/// What the weights have in common, as far as they were looked at.
template <class T>
struct Common {
  T largest = 0;                                   ///< absolute value
  int exponent = std::numeric_limits<int>::max();  ///< all weights are integers times 2^exponent

  /// Looks at another weight below infinity; false if not all of them are small integers.
  bool add(T weight) {
    if (weight == 0) return true;
    const T size = weight < 0 ? -weight : weight;
    const int own = exponentOf(size);
    if (size <= largest && own >= exponent) return true;
    largest = std::max(largest, size);
    exponent = std::min(exponent, own);
    return isSmall(largest, exponent);
  }
  bool add(const Common& other) {
    largest = std::max(largest, other.largest);
    exponent = std::min(exponent, other.exponent);
    return largest == 0 || isSmall(largest, exponent);
  }
};

/// Between the numbers of type T and the integers that they are 2^exponent times of. It is exact:
/// two factors, because 2^±1074 is no double.
template <class T>
class Scale {
 public:
  explicit Scale(int exponent) : exponent_(exponent), half_(exponent / 2) {
    if constexpr (std::is_floating_point_v<T>) {
      up_[0] = std::ldexp(T(1), half_), up_[1] = std::ldexp(T(1), exponent - half_);
      down_[0] = std::ldexp(T(1), -half_), down_[1] = std::ldexp(T(1), half_ - exponent);
    }
  }
  int narrow(T number) const {
    if (number == kInfinity<T>) return kInfinity<int>;
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<int>(number * down_[0] * down_[1]);
    else
      return static_cast<int>(number >> exponent_);
  }
  T widen(int number) const {
    if (number == kInfinity<int>) return kInfinity<T>;
    if constexpr (std::is_floating_point_v<T>)
      return number * up_[0] * up_[1];
    else
      return static_cast<T>(number) * (T{1} << exponent_);
  }

 private:
  int exponent_, half_;
  T up_[2] = {}, down_[2] = {};
};

/// Rows that are converted together: few, because then they are still in the cache when they are
/// read.
int rowsTogether(int columns, Dtype dtype, int count) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  const std::size_t row = asSize(std::max(columns, 1)) * sizeOf(dtype);
  return std::min(count, static_cast<int>(std::max<std::size_t>(1, kBytes / row)));
}

/// Calls visit(first, count, rows) for all rows of the matrix of a graph, some at a time. It ends
/// if that returns false, and returns whether it came to the end.
template <class T, class Visit>
bool forRows(const ProblemGraph& graph, Visit visit) {
  const int n = graph.n(), band = rowsTogether(n, kDtype<T>, n);
  ElementBuffer some(kDtype<T>, asSize(band) * asSize(n));
  for (int first = 0; first < n; first += band) {
    const int count = std::min(band, n - first);
    graph.rows(first, count, some.data());
    if (!visit(first, count, some.data().template as<T>())) return false;
  }
  return true;
}

/// What the weights have in common; nothing if they are no small integers times a power of two.
template <class T>
std::optional<Common<T>> commonOf(const ProblemGraph& graph) {
  Common<T> all;
  if (graph.heldAsEdges()) {
    for (const Edge<T>& e : graph.onHost().edges<T>())
      if (!all.add(e.weight)) return std::nullopt;
    return all;
  }
  const int n = graph.n();
  const bool good = forRows<T>(graph, [&](int, int count, const T* rows) {
    bool small = true;
    std::mutex mutex;
    inParts(count, rowsInPart(n), [&](int begin, int end) {
      Common<T> mine;
      bool fit = true;
      for (int i = begin; fit && i < end; ++i) {
        const T* const row = rows + asSize(i) * n;
        for (int j = 0; fit && j < n; ++j) fit = row[j] == kInfinity<T> || mine.add(row[j]);
      }
      const std::lock_guard lock(mutex);
      small = small && fit && all.add(mine);
    });
    return small;
  });
  if (!good) return std::nullopt;
  return all;
}

/// Writes a row in int32. Returns false if some weight is not whole, or is infinity or more there.
template <class T>
bool takeWhole(int n, const T* from, int* to) {
  int wrong = 0;
  for (int j = 0; j < n; ++j) {
    const T number = from[j];
    const bool small = number < kInfinity<int> && number > -kInfinity<int>;
    const int whole = small ? static_cast<int>(number) : kInfinity<int>;
    wrong |= small ? static_cast<T>(whole) != number : number != kInfinity<T>;
    to[j] = whole;
  }
  return wrong == 0;
}

/// A matrix in int32 if all its weights are whole and below infinity there. Most often they are, or
/// one of the first is not, and this is one pass instead of two.
template <class T>
std::optional<Graph> wholeMatrix(const ProblemGraph& graph) {
  if (graph.heldAsEdges()) return std::nullopt;
  const int n = graph.n();
  Matrix matrix(n, Dtype::kInt32);
  const bool good = forRows<T>(graph, [&](int first, int count, const T* rows) {
    std::atomic<bool> fit{true};
    inParts(count, rowsInPart(n), [&](int begin, int end) {
      for (int i = begin; i < end; ++i)
        if (!takeWhole(n, rows + asSize(i) * n, matrix.row<int>(first + i))) fit = false;
    });
    return fit.load();
  });
  if (!good) return std::nullopt;
  Graph result;
  result.n = n;
  result.body = std::move(matrix);
  return result;
}

template <class T>
Graph narrowGraph(const ProblemGraph& graph, int exponent) {
  const Scale<T> scale(exponent);
  const int n = graph.n();
  Graph result;
  result.n = n;
  if (graph.heldAsEdges()) {
    const Edges<T>& edges = graph.onHost().edges<T>();
    requireHostBytes(edges.size() * sizeof(Edge<std::int32_t>), "the edges in 32 bits");
    Edges<std::int32_t> all;
    all.reserve(edges.size());
    for (const Edge<T>& e : edges) all.push_back({e.from, e.to, scale.narrow(e.weight)});
    result.body = std::move(all);
    return result;
  }
  Matrix matrix(n, Dtype::kInt32);
  forRows<T>(graph, [&](int first, int count, const T* rows) {
    inParts(count, rowsInPart(n), [&](int begin, int end) {
      const std::size_t stop = asSize(end) * n;
      int* const to = matrix.row<int>(first);
      for (std::size_t at = asSize(begin) * n; at < stop; ++at) to[at] = scale.narrow(rows[at]);
    });
    return true;
  });
  result.body = std::move(matrix);
  return result;
}

// ---- The bound on the distances --------------------------------------------------------------

/// Of the weights that leave and enter each vertex, the largest in absolute value: (n) each.
/// Returns whether a weight is below 0.
bool largestOf(const Edges<std::int32_t>& edges, std::vector<int>& out, std::vector<int>& in) {
  bool negative = false;
  for (const auto& e : edges) {
    const int size = std::abs(e.weight);
    negative |= e.weight < 0;
    out[asSize(e.from)] = std::max(out[asSize(e.from)], size);
    in[asSize(e.to)] = std::max(in[asSize(e.to)], size);
  }
  return negative;
}
bool largestOf(const Matrix& matrix, std::vector<int>& out, std::vector<int>& in) {
  const int n = matrix.n();
  bool negative = false;
  std::mutex mutex;
  inParts(n, std::max(rowsInPart(n), n / 32), [&](int begin, int end) {
    std::vector<int> mine(asSize(n), 0);
    int* const entering = mine.data();
    int below = 0;
    for (int i = begin; i < end; ++i) {
      const int* const row = matrix.row<int>(i);
      int largest = 0;
      for (int j = 0; j < n; ++j) {
        const int size = row[j] == kInfinity<int> ? 0 : std::abs(row[j]);
        below |= row[j] < 0;
        largest = std::max(largest, size);
        entering[j] = std::max(entering[j], size);
      }
      out[asSize(i)] = largest;
    }
    const std::lock_guard lock(mutex);
    negative = negative || below != 0;
    for (std::size_t j = 0; j < mine.size(); ++j) in[j] = std::max(in[j], mine[j]);
  });
  return negative;
}

/// The bound by sums. negative: whether a weight is below 0.
std::int64_t boundBySums(const Graph& graph, bool& negative) {
  std::vector<int> out(asSize(graph.n), 0), in(asSize(graph.n), 0);
  negative = graph.dense() ? largestOf(graph.matrix(), out, in)
                           : largestOf(graph.edges<std::int32_t>(), out, in);
  std::int64_t leaving = 0, entering = 0;
  for (const int size : out) leaving += size;
  for (const int size : in) entering += size;
  return std::min(leaving, entering);
}

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

/// The largest distance from a vertex to those of its strong component, along edges or backwards.
/// component: of each vertex. No weight is below 0.
std::int64_t farthest(const Graph& graph, const std::vector<int>& component, int source,
                      bool backwards) {
  const Edges<std::int32_t>& edges = graph.edges<std::int32_t>();
  std::vector<std::size_t> first(asSize(graph.n) + 1, 0);
  for (const auto& e : edges) ++first[asSize(backwards ? e.to : e.from) + 1];
  for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
  std::vector<std::pair<int, int>> arcs(edges.size());  // the other end, the weight
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (const auto& e : edges)
    arcs[next[asSize(backwards ? e.to : e.from)]++] = {backwards ? e.from : e.to, e.weight};

  using Entry = std::pair<std::int64_t, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<std::int64_t> distances(asSize(graph.n), kUnbounded);
  distances[asSize(source)] = 0;
  queue.emplace(0, source);
  while (!queue.empty()) {
    const auto [distance, v] = queue.top();
    queue.pop();
    if (distance != distances[asSize(v)]) continue;
    for (std::size_t a = first[asSize(v)]; a < first[asSize(v) + 1]; ++a) {
      std::int64_t& known = distances[asSize(arcs[a].first)];
      if (distance + arcs[a].second >= known) continue;
      known = distance + arcs[a].second;
      queue.emplace(known, arcs[a].first);
    }
  }
  std::int64_t most = 0;
  for (std::size_t v = 0; v < distances.size(); ++v)
    if (component[v] == component[asSize(source)]) most = std::max(most, distances[v]);
  return most;
}

/// The bound by a hub in the largest strong component.
std::int64_t boundByComponent(const Graph& graph) {
  const Edges<std::int32_t>& edges = graph.edges<std::int32_t>();
  const std::vector<int> component = strongComponentsOf(graph.n, edges);
  std::vector<int> size(asSize(graph.n), 0), heaviest(asSize(graph.n), 0);
  int hub = 0;
  for (int v = 0; v < graph.n; ++v) {
    const int own = ++size[asSize(component[asSize(v)])];
    if (own > size[asSize(component[asSize(hub)])]) hub = v;
  }
  const int inside = component[asSize(hub)];
  std::int64_t leaving = 0, outside = 0;
  for (const auto& e : edges) {
    const bool begins = component[asSize(e.from)] == inside;
    const bool ends = component[asSize(e.to)] == inside;
    if (begins && !ends) leaving = std::max<std::int64_t>(leaving, e.weight);
    if (!begins) heaviest[asSize(e.from)] = std::max(heaviest[asSize(e.from)], e.weight);
  }
  for (const int weight : heaviest) outside += weight;
  return outside + leaving + farthest(graph, component, hub, true) +
         farthest(graph, component, hub, false);
}

/// A bound on all distances by walks of at most two edges to a hub and from it. Sums of two
/// infinities do not wrap, and neither does the sum of an int32 and kInfinity<int>.
std::int64_t boundByHub(const Matrix& matrix, int hub) {
  const int n = matrix.n();
  std::vector<int> to(asSize(n)), from(asSize(n), kInfinity<int>), column(asSize(n));
  const int* const hubs = matrix.row<int>(hub);
  for (int j = 0; j < n; ++j) column[asSize(j)] = matrix.row<int>(j)[hub];
#pragma omp parallel if (n >= kWorthThreads)
  {
    std::vector<int> mine(asSize(n), kInfinity<int>);
#pragma omp for
    for (int k = 0; k < n; ++k) {
      const int* const row = matrix.row<int>(k);
      int least = kInfinity<int>;
      for (int j = 0; j < n; ++j) {
        least = std::min(least, row[j] + column[asSize(j)]);
        mine[asSize(j)] = std::min(mine[asSize(j)], hubs[k] + row[j]);
      }
      to[asSize(k)] = least;
    }
#pragma omp critical
    for (std::size_t j = 0; j < mine.size(); ++j) from[j] = std::min(from[j], mine[j]);
  }
  const int in = *std::max_element(to.begin(), to.end());
  const int out = *std::max_element(from.begin(), from.end());
  return in >= kInfinity<int> || out >= kInfinity<int> ? kUnbounded : std::int64_t{in} + out;
}

/// A bound on all distances of a graph of int32 and on whatever the solver computes on the way.
/// negative: whether a weight is below 0.
std::int64_t boundOf(const Graph& graph, bool& negative) {
  if (graph.n == 0) return 0;
  const std::int64_t sum = boundBySums(graph, negative);
  if (negative) return 3 * sum;
  if (sum < kInfinity<int>) return sum;
  if (graph.dense()) {
    const std::int64_t first = boundByHub(graph.matrix(), 0);
    return first < kInfinity<int> ? first : boundByHub(graph.matrix(), graph.n / 2);
  }
  return boundByComponent(graph);
}

/// Whether the given type holds that many times 2^exponent.
template <class T>
bool holds(std::int64_t bound, int exponent) {
  const double most = std::ldexp(static_cast<double>(bound), exponent);
  return most < (std::is_floating_point_v<T> ? HUGE_VAL : 0x1p61);
}

template <class T>
std::optional<NarrowGraph> narrowedFrom(const ProblemGraph& graph) {
  std::optional<Graph> whole = wholeMatrix<T>(graph);
  const bool tried = whole.has_value();
  if (tried) {
    NarrowGraph narrow{0, false, 0, ProblemGraph(std::move(*whole))};
    const std::int64_t bound = boundOf(narrow.graph.onHost(), narrow.negative);
    if (bound < kInfinity<int>) return narrow;
  }
  const std::optional<Common<T>> common = commonOf<T>(graph);
  if (!common) return std::nullopt;
  const int most = common->largest == 0 ? 0 : common->exponent;
  // Whole numbers that fit as they are stay so: then their hashes are the same, too.
  for (const int exponent : {std::min(most, 0), most}) {
    if (!isSmall(common->largest, exponent) || (tried && exponent == 0)) continue;
    NarrowGraph narrow{exponent, false, 0, ProblemGraph(narrowGraph<T>(graph, exponent))};
    const std::int64_t bound = boundOf(narrow.graph.onHost(), narrow.negative);
    if (bound < kInfinity<int> && holds<T>(bound, exponent)) return narrow;
    if (exponent == most) break;
  }
  return std::nullopt;
}

// ---- The solver ------------------------------------------------------------------------------

/// Visits rows of an int32 result, (count, columns), as numbers of another type, a few at a time.
void visitWidened(int first, int count, int columns, const int* rows, Dtype dtype, int exponent,
                  const RowVisitor& visit) {
  const int most = rowsTogether(columns, dtype, count);
  const auto width = asSize(columns);
  ElementBuffer wide(dtype, asSize(most) * width);
  withElements(wide.data(), [&](auto* to) {
    using T = NumberAt<decltype(to)>;
    const Scale<T> scale(exponent);
    for (int done = 0; done < count; done += most) {
      const int some = std::min(most, count - done);
      const int* const from = rows + asSize(done) * width;
      inParts(some, rowsInPart(columns), [&](int begin, int end) {
        for (std::size_t at = asSize(begin) * width; at < asSize(end) * width; ++at)
          to[at] = scale.widen(from[at]);
      });
      visit(first + done, some, to);
    }
  });
}

/// Distances of a graph in int32 as those of the given one.
class WidenedDistances : public Distances {
 public:
  /// signedGraph: that of `narrow`, if it has weights below 0 and is to be told; null otherwise.
  WidenedDistances(const Distances& narrow, Dtype dtype, int exponent,
                   const ProblemGraph* signedGraph)
      : Distances(narrow.n(), dtype, narrow.asked()),
        narrow_(narrow),
        exponent_(exponent),
        signedGraph_(signedGraph) {}

  std::optional<GraphStats> counted() const override {
    if (!keepsHashes() || isTable()) return std::nullopt;
    GraphStats all = statistics(narrow_);
    all.maxWeight = widened(all.maxWeight);
    all.minWeight = widened(all.minWeight);
    return all;
  }

  std::optional<GraphStats> reach() const override {
    if (isTable()) return std::nullopt;
    GraphStats all = reachOf(narrow_);
    all.maxWeight = widened(all.maxWeight);
    all.minWeight = widened(all.minWeight);
    return all;
  }

  const Summaries* summaries() const override {
    if (narrow_.summaries() == nullptr) return nullptr;
    if (!summaries_) summaries_ = sums();
    return &*summaries_;
  }

  /// Whole numbers are summed up faster than they are widened.
  std::optional<Summaries> sums() const override {
    Summaries all = summariesOf(narrow_);
    for (RowSummary& row : all.rows) {
      row.largest = widened(row.largest);
      row.sum = std::ldexp(row.sum, exponent_);
      row.harmonic = std::ldexp(row.harmonic, -exponent_);
      if (!keepsHashes()) row.hash = 0;
    }
    for (ColumnSummary& column : all.columns) {
      column.sum = std::ldexp(column.sum, exponent_);
      column.harmonic = std::ldexp(column.harmonic, -exponent_);
    }
    if (isWhole(dtype()))
      all.total.whole *= __int128{1} << exponent_;
    else
      all.total = {0, std::ldexp(all.total.value(), exponent_)};
    return all;
  }

  /// Whole numbers tell exactly which edges are tight.
  BeforeShift beforeShift() const override {
    if (signedGraph_ == nullptr) return {};
    return {signedGraph_, &narrow_};
  }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    narrow_.rows(begin, end, [&](int first, int count, ConstElements elements) {
      visitWidened(first, count, columns(), elements.as<int>(), dtype(), exponent_, visit);
    });
  }

 private:
  /// Hashes of the same whole numbers do not depend on their width.
  bool keepsHashes() const { return exponent_ == 0 && dtype() == Dtype::kInt64; }
  Number widened(const Number& number) const {
    return withType(dtype(), [&](auto zero) -> Number {
      return Scale<decltype(zero)>(exponent_).widen(std::get<std::int32_t>(number));
    });
  }

  const Distances& narrow_;
  const int exponent_;
  const ProblemGraph* const signedGraph_;
  mutable std::optional<Summaries> summaries_;
};

/// How a graph is solved in int32.
struct NarrowPlan {
  Plan plan;
  std::shared_ptr<int> exponent;  // that of the rows that a sink gets; null if there is no sink
  std::shared_ptr<const NarrowGraph> graph;  // the plan may refer to it
};

/// One of them, or both: other weights may need the other plan.
struct Plans {
  std::optional<NarrowPlan> narrow;
  std::optional<Plan> wide;
};

/// Plans a solve in the type of the graph. Throws Error(kUsage) if fewer bits are asked for.
Plan planWide(const Solver& one, const Problem& problem, const Execution& where) {
  const Precision precision = where.options.precision;
  if ((one.can.options && precision == Precision::k16) ||
      (one.can.precision32 && precision == Precision::k32))
    throw Unsupported(
        fmt::format("{} bits are too few for these {} weights: ask for 64, or for none",
                    nameOf(precision), nameOf(problem.graph.dtype())));
  return one.plan(problem, where);
}

NarrowPlan planNarrow(const Solver& one, std::shared_ptr<const NarrowGraph> graph,
                      const Problem& wide, const Execution& where) {
  NarrowPlan narrow;
  Execution inside = where;
  if (graph->exponent != 0) inside.stored = RowWidth::kFull;  // it is of the distances as they are
  if (where.sink) {
    narrow.exponent = std::make_shared<int>(0);
    inside.sink = [sink = where.sink, exponent = narrow.exponent, dtype = wide.graph.dtype(),
                   columns = wide.columns()](int first, int count, ConstElements elements) {
      visitWidened(first, count, columns, elements.as<int>(), dtype, *exponent, sink);
    };
  }
  narrow.plan = one.plan({graph->graph, wide.asked}, inside);
  narrow.graph = std::move(graph);
  return narrow;
}

/// A run on a graph that may have other weights at each reset(): then it may have to be solved in
/// another type.
class NarrowedRun : public Run {
 public:
  NarrowedRun(const Solver& one, const Problem& problem, const Execution& where, Plans plans)
      : one_(one), problem_(problem), where_(where), plans_(std::move(plans)) {}

  void reset(int first) override {
    const std::shared_ptr<const NarrowGraph> graph = problem_.graph.narrow();
    isNarrow_ = graph != nullptr;
    if (!isNarrow_ && wide_ == nullptr) {
      if (!plans_.wide) plans_.wide = planWide(one_, problem_, where_);
      wide_ = plans_.wide->begin(problem_);
    }
    if (isNarrow_ && graph != graph_) {
      narrow_.reset();  // it refers to the graph before
      graph_ = graph;
      if (!plans_.narrow) plans_.narrow = planNarrow(one_, graph_, problem_, where_);
      narrow_ = plans_.narrow->plan.begin({graph_->graph, problem_.asked});
    }
    run().reset(first);
  }

  Call solve() override {
    if (!isNarrow_) return run().solve();
    // Here, and not before: other runs of the plan have the same sink.
    if (plans_.narrow->exponent) *plans_.narrow->exponent = graph_->exponent;
    Call call = solveAsGiven();
    call.outcome.narrowing = {true, graph_->exponent, graph_->milliseconds};
    double& least = call.outcome.reweighting.least;  // in the numbers of the given graph
    least = std::ldexp(least, graph_->exponent);
    return call;
  }

  const Distances& distances() override {
    const Distances& found = run().distances();
    if (!isNarrow_) return found;
    const Dtype dtype = problem_.graph.dtype();
    const bool tells = graph_->negative && !isWhole(dtype);
    return widened_.emplace(found, dtype, graph_->exponent, tells ? &graph_->graph : nullptr);
  }

 private:
  Run& run() { return isNarrow_ ? *narrow_ : *wide_; }

  /// A negative cycle that it throws has the weights of the given graph.
  Call solveAsGiven() {
    try {
      return run().solve();
    } catch (const NegativeCycle& found) {
      std::vector<AnyEdge> cycle = found.cycle;
      withType(problem_.graph.dtype(), [&](auto zero) {
        const Scale<decltype(zero)> scale(graph_->exponent);
        for (AnyEdge& e : cycle) e.weight = scale.widen(std::get<std::int32_t>(e.weight));
      });
      throw NegativeCycle(std::move(cycle));
    }
  }

  const Solver one_;
  const Problem problem_;
  const Execution where_;
  Plans plans_;
  bool isNarrow_ = false;
  std::shared_ptr<const NarrowGraph> graph_;  // of narrow_
  std::unique_ptr<Run> narrow_, wide_;
  std::optional<WidenedDistances> widened_;
};

}  // namespace

std::optional<NarrowGraph> narrowed(const ProblemGraph& graph) {
  if (!graph.hasWeights() || !isWide(graph.dtype())) return std::nullopt;
  std::optional<NarrowGraph> found;
  const double milliseconds = millisecondsOf([&] {
    found = graph.dtype() == Dtype::kInt64 ? narrowedFrom<std::int64_t>(graph)
                                           : narrowedFrom<double>(graph);
  });
  if (found) found->milliseconds = milliseconds;
  return found;
}

Solver orNarrowed(Solver one) {
  Solver row = one;
  row.can.narrows = true;
  row.plan = [one = std::move(one)](const Problem& problem, const Execution& where) {
    const Dtype dtype = problem.graph.dtype();
    if (!isWide(dtype)) {
      Execution inside = where;
      if (where.options.precision == Precision::k64) inside.options.precision = Precision::kAuto;
      return one.plan(problem, inside);
    }
    if (where.options.precision == Precision::k64) return one.plan(problem, where);
    if (!problem.graph.hasWeights()) {  // what it takes at the least: they may be narrow
      const ProblemGraph narrow =
          ProblemGraph::ofUnread(problem.graph.n(), Dtype::kInt32, problem.graph.heldAsEdges());
      return one.plan({narrow, problem.asked}, where);
    }
    Plans plans;
    Plan plan;
    if (auto narrow = problem.graph.narrow()) {
      plans.narrow = planNarrow(one, std::move(narrow), problem, where);
      plan = plans.narrow->plan;
    } else {
      plans.wide = plan = planWide(one, problem, where);
    }
    plan.begin = [one, where, plans](const Problem& given) {
      return std::make_unique<NarrowedRun>(one, given, where, plans);
    };
    return plan;
  };
  return row;
}

}  // namespace engine
