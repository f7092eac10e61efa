#include "search/pairs.h"

#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/memory.h"
#include "search/bounded_search.h"
#include "search/climbing.h"
#include "solver/range.h"
#include "sparse/pair_paths.h"
#include "sparse/pair_query.h"
#include "sparse/prepared.h"
#include "sparse/rates.h"

namespace engine {

class Pairs::Way {
 public:
  virtual ~Way() = default;
  virtual Number distance(int from, int to) = 0;
  virtual std::vector<int> path(int from, int to, Number& length) = 0;
  virtual bool climbs() const = 0;
  virtual bool climbsPaths() const = 0;
};

namespace {

template <class T>
class WayOf : public Pairs::Way {
 public:
  /// graph: held as edges.
  WayOf(const Graph& graph, const EliminationOrder* order, bool paths)
      : lists_(graph.n, graph.edges<T>()),
        search_(lists_),
        wanted_(asSize(graph.n)),
        mayBeTooFar_(mayBeTooFar(graph.n, graph.edges<T>())) {
    const sparse::Rates rates = sparse::ratesOn(cpuDevice, kDtype<T>);
    const auto survey = order != nullptr
                            ? std::optional(sparse::surveyOf(graph.n, graph.ends(), rates, order))
                            : sparse::surveyIfSeparable(graph, rates, sparse::Eliminates::kInOrder);
    if (!survey || !hasSmallCore(*survey)) return;
    if (paths && !mayBeTooFar_) prepareForPaths(*survey, graph.edges<T>());
    if (paths_) return;
    Sweeping done;
    prepared_.emplace(*survey, graph, preparedOnCpu(), done);
    prepared_->read([&](const auto& swept) {
      if constexpr (std::is_same_v<std::decay_t<decltype(swept)>, sparse::Swept<T>>)
        query_.emplace(swept);
    });
  }

  Number distance(int from, int to) override {
    if (paths_) return paths_->distance(from, to);
    if (!query_) return searchTo(from, to);
    const T found = query_->distance(from, to);
    return found == kInfinity<T> && mayBeTooFar_ ? searchTo(from, to) : found;
  }

  std::vector<int> path(int from, int to, Number& length) override {
    if (paths_) {
      T sum = 0;
      std::vector<int> path = paths_->path(from, to, sum);
      length = sum;
      return path;
    }
    const T found = searchTo(from, to);
    length = found;
    if (found == kInfinity<T>) return {};
    return from == to ? std::vector<int>{from} : search_.pathTo(to);
  }

  bool climbs() const override { return query_ || paths_; }
  bool climbsPaths() const override { return paths_.has_value(); }

 private:
  void prepareForPaths(const sparse::Survey& survey, const Edges<T>& edges) {
    const auto full = sparse::withoutCore(survey.pattern, survey.elimination, edges.size());
    // Of each arc its weights and middles, and what customising and pruning take beside them.
    constexpr std::size_t kBytesOfArc = 6 * sizeof(T) + 48;
    if (full && full->arcs * kBytesOfArc < freeHostBytes() / 2)
      paths_.emplace(survey.pattern, *full, edges, preparedOnCpu().threads);
  }

  T searchTo(int from, int to) {
    if (from == to) return 0;
    wanted_[asSize(to)] = 1;
    const auto& found = search_.from(from, kFarthest<T>, wanted_, 1);
    wanted_[asSize(to)] = 0;
    if (found.empty() && search_.tooFar()) failTooFar<T>();
    return found.empty() ? kInfinity<T> : found.front().distance;
  }

  const EdgeLists<T> lists_;
  BoundedSearch<T> search_;
  std::vector<char> wanted_;
  const bool mayBeTooFar_;
  std::optional<sparse::Prepared> prepared_;
  std::optional<sparse::PairQuery<T>> query_;
  std::optional<sparse::PairPaths<T>> paths_;  // takes the place of query_
};

}  // namespace

Pairs::Pairs(const Graph& graph, const EliminationOrder* order, bool paths) {
  const Graph list = asEdges(graph);
  withEdges(list, [&](const auto& edges) {
    using T = std::decay_t<decltype(edges[0].weight)>;
    if constexpr (std::is_same_v<T, std::int32_t>)
      if (mayBeTooFar(list.n, edges)) {  // with 64 bits, no distance is
        Graph wide = emptyGraph(list.n, Dtype::kInt64);
        wide.body = converted<std::int64_t>(edges);
        way_ = std::make_unique<WayOf<std::int64_t>>(wide, order, paths);
        return;
      }
    way_ = std::make_unique<WayOf<T>>(list, order, paths);
  });
}

Pairs::~Pairs() = default;

Number Pairs::distance(int from, int to) {
  return way_->distance(from, to);
}

std::vector<int> Pairs::path(int from, int to, Number& length) {
  return way_->path(from, to, length);
}

bool Pairs::climbs() const {
  return way_->climbs();
}

bool Pairs::climbsPaths() const {
  return way_->climbsPaths();
}

}  // namespace engine
