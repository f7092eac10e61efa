#include "base/structure.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/size.h"

namespace engine {

namespace {

std::size_t at(int vertex) {
  return asSize(vertex);
}

/// The edges by the vertex that they leave, as flat arrays.
struct Lists {
  std::vector<std::size_t> first;
  std::vector<int> head;
  std::vector<double> weight;

  explicit Lists(const Graph& graph) : first(at(graph.n) + 1, 0) {
    forEachEdge(graph, [&](const auto& e) {
      ++first[at(e.from) + 1];
      head.push_back(e.to);
      weight.push_back(static_cast<double>(e.weight));
    });
    for (std::size_t v = 0; v + 1 < first.size(); ++v) first[v + 1] += first[v];
  }
  Lists(int n, const EndsOf& edges) : first(edgeStarts(n, edges)) {
    head.reserve(edges.size());
    for (const Ends e : edges) head.push_back(e.to);
  }
  double degree(int vertex) const {
    return static_cast<double>(first[at(vertex) + 1] - first[at(vertex)]);
  }
};

/// Tarjan's algorithm without recursion.
class Strong {
 public:
  explicit Strong(const Lists& lists)
      : component(lists.first.size() - 1, -1),
        lists_(lists),
        next_(lists_.first.begin(), lists_.first.end() - 1),
        order_(component.size(), -1),
        low_(component.size(), -1) {
    for (int v = 0; at(v) < component.size(); ++v)
      if (order_[at(v)] < 0) visit(v);
  }
  Components found;
  std::vector<int> component;  // of each vertex; edges lead to the same or a lower number

 private:
  void enter(int v) {
    order_[at(v)] = low_[at(v)] = entered_++;
    path_.push_back(v);
    open_.push_back(v);
  }

  void visit(int root) {
    enter(root);
    while (!path_.empty()) {
      const int v = path_.back();
      if (next_[at(v)] < lists_.first[at(v) + 1]) {
        const int w = lists_.head[next_[at(v)]++];
        if (order_[at(w)] < 0)
          enter(w);
        else if (component[at(w)] < 0)
          low_[at(v)] = std::min(low_[at(v)], order_[at(w)]);
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) low_[at(path_.back())] = std::min(low_[at(path_.back())], low_[at(v)]);
      if (low_[at(v)] == order_[at(v)]) close(v);
    }
  }

  void close(int v) {
    int size = 0;
    for (int w = -1; w != v; ++size) {
      w = open_.back();
      open_.pop_back();
      component[at(w)] = found.count;
    }
    ++found.count;
    found.largest = std::max(found.largest, size);
  }

  const Lists& lists_;
  std::vector<std::size_t> next_;
  std::vector<int> order_, low_, path_, open_;
  int entered_ = 0;
};

DegreeHistogram histogramOf(const std::vector<int>& degrees) {
  DegreeHistogram histogram;
  for (const int degree : degrees) {
    std::size_t bin = 0;
    for (int rest = degree; rest > 0; rest /= 2) ++bin;
    if (histogram.size() <= bin) histogram.resize(bin + 1, 0);
    ++histogram[bin];
  }
  return histogram;
}

/// Compares edges with ways of two edges.
class Triangles {
 public:
  explicit Triangles(const Graph& graph)
      : lists_(graph), dtype_(graph.dtype()), best_(at(graph.n), kNone), over_(at(graph.n), -1) {}

  void look(Metric& metric, double most) {
    const int n = static_cast<int>(best_.size());
    double all = 0;
    for (int v = 0; v < n; ++v) all += steps(v);
    const int stride = static_cast<int>(std::min<double>(std::max(1, n), 1 + all / most));
    for (int v = 0; v < n; v += stride) lookFrom(v, metric);
    metric.all = stride == 1;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  double steps(int v) const {
    double sum = 0;
    for (std::size_t a = lists_.first[at(v)]; a < lists_.first[at(v) + 1]; ++a)
      sum += lists_.degree(lists_.head[a]);
    return sum;
  }

  void lookFrom(int v, Metric& metric) {
    const auto each = [&](int from, const auto& visit) {
      for (std::size_t a = lists_.first[at(from)]; a < lists_.first[at(from) + 1]; ++a)
        visit(lists_.head[a], lists_.weight[a]);
    };
    each(v, [&](int k, double first) {
      each(k, [&](int j, double second) {
        if (first + second >= best_[at(j)]) return;
        best_[at(j)] = first + second;
        over_[at(j)] = k;
      });
    });
    each(v, [&](int j, double edge) {
      ++metric.looked;
      const double slack = isWhole(dtype_) ? 0 : 4 * roundingOf(dtype_) * edge;
      if (edge <= best_[at(j)] + slack) return;
      if (metric.longer++ == 0) metric.first = {v, over_[at(j)], j, edge, best_[at(j)]};
    });
    each(v, [&](int k, double) { each(k, [&](int j, double) { best_[at(j)] = kNone; }); });
  }

  const Lists lists_;
  const Dtype dtype_;
  std::vector<double> best_;  // the shortest way of two edges from the present vertex
  std::vector<int> over_;     // the vertex in its middle
};

}  // namespace

Components weakComponents(const Graph& graph) {
  std::vector<int> parent(at(graph.n)), size(at(graph.n), 0);
  std::iota(parent.begin(), parent.end(), 0);
  const auto rootOf = [&](int v) {
    while (parent[at(v)] != v) v = parent[at(v)] = parent[at(parent[at(v)])];
    return v;
  };
  forEachEdge(graph, [&](const auto& e) {
    const int a = rootOf(e.from), b = rootOf(e.to);
    parent[at(std::max(a, b))] = std::min(a, b);
  });
  Components found;
  for (int v = 0; v < graph.n; ++v) {
    const int root = rootOf(v);
    found.count += root == v ? 1 : 0;
    found.largest = std::max(found.largest, ++size[at(root)]);
  }
  return found;
}

Components strongComponents(const Graph& graph) {
  const Lists lists(graph);
  return Strong(lists).found;
}

std::vector<int> strongComponentsOf(int n, const EndsOf& edges) {
  const Lists lists(n, edges);
  return Strong(lists).component;
}

Degrees degreesOf(const Graph& graph) {
  std::vector<int> out(at(graph.n), 0), in(at(graph.n), 0);
  forEachEdge(graph, [&](const auto& e) {
    ++out[at(e.from)];
    ++in[at(e.to)];
  });
  const auto most = [](const std::vector<int>& degrees) {
    return degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end());
  };
  return {histogramOf(out), histogramOf(in), most(out), most(in)};
}

Metric metricOf(const Graph& graph, double steps) {
  Metric metric;
  const Lists lists(graph);
  const auto n = static_cast<std::uint64_t>(graph.n);
  metric.missing = n * n - n - lists.head.size();
  forEachEdge(graph, [&](const auto& e) {
    metric.zeros += e.weight == 0 ? 1 : 0;
    const auto begin = lists.head.begin() + static_cast<std::ptrdiff_t>(lists.first[at(e.to)]);
    const auto end = lists.head.begin() + static_cast<std::ptrdiff_t>(lists.first[at(e.to) + 1]);
    const auto back = std::lower_bound(begin, end, e.from);  // lists are sorted
    const bool same =
        back != end && *back == e.from &&
        lists.weight[asSize(back - lists.head.begin())] == static_cast<double>(e.weight);
    metric.asymmetric += same ? 0 : 1;
  });
  Triangles(graph).look(metric, steps);
  return metric;
}

}  // namespace engine
