#include "verify/entering.h"

#include <algorithm>

#include "base/size.h"

namespace {

/// The strongly connected components of the arcs of weight 0, numbered from 0 on (Tarjan 1972,
/// without recursion).
class ZeroComponents {
 public:
  std::vector<int> component;  ///< of each vertex
  int count = 0;

  template <class T>
  ZeroComponents(int n, const Edges<T>& edges)
      : component(size(n), -1), low_(component), order_(component) {
    Edges<T> zeros;
    for (const Edge<T>& e : edges)
      if (e.weight == 0) zeros.push_back(e);
    first_ = edgeStarts(n, zeros);
    for (const Edge<T>& e : zeros) heads_.push_back(e.to);
    at_.assign(first_.begin(), first_.end() - 1);
    for (int v = 0; v < n; ++v)
      if (order_[size(v)] == -1) visit(v);
  }

 private:
  static std::size_t size(int vertex) { return asSize(vertex); }

  void visit(int root) {
    std::vector<int> path = {root};
    enter(root);
    while (!path.empty()) {
      const int v = path.back();
      if (at_[size(v)] < first_[size(v) + 1]) {
        const int w = heads_[at_[size(v)]++];
        if (order_[size(w)] == -1) {
          enter(w);
          path.push_back(w);
        } else if (component[size(w)] == -1) {
          low_[size(v)] = std::min(low_[size(v)], order_[size(w)]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low_[size(path.back())] = std::min(low_[size(path.back())], low_[size(v)]);
      if (low_[size(v)] == order_[size(v)]) close(v);
    }
  }
  void enter(int v) {
    low_[size(v)] = order_[size(v)] = entered_++;
    open_.push_back(v);
  }
  void close(int v) {
    for (int w = -1; w != v;) {
      w = open_.back();
      open_.pop_back();
      component[size(w)] = count;
    }
    ++count;
  }

  std::vector<int> low_, order_, heads_, open_;
  std::vector<std::size_t> first_, at_;
  int entered_ = 0;
};

}  // namespace

template <class T>
Entering<T>::Entering(const Graph& graph) {
  const Edges<T>& edges = graph.edges<T>();
  const ZeroComponents zeros(graph.n, edges);
  component = zeros.component;
  const auto count = asSize(zeros.count);
  first.assign(count + 1, 0);
  members.assign(count + 1, 0);
  const auto of = [&](int vertex) { return asSize(component[asSize(vertex)]); };
  const auto enters = [&](const Edge<T>& e) { return of(e.from) != of(e.to); };
  for (const Edge<T>& e : edges)
    if (enters(e)) ++first[of(e.to) + 1];
  for (int v = 0; v < graph.n; ++v) ++members[of(v) + 1];
  for (std::size_t c = 0; c < count; ++c) {
    first[c + 1] += first[c];
    members[c + 1] += members[c];
  }
  arcs.resize(first.back());
  vertices.resize(members.back());
  std::vector<std::size_t> arc = first, member = members;
  for (const Edge<T>& e : edges)
    if (enters(e)) arcs[arc[of(e.to)]++] = {e.from, e.weight};
  for (int v = 0; v < graph.n; ++v) vertices[member[of(v)]++] = v;
}

template struct Entering<std::int32_t>;
template struct Entering<float>;
template struct Entering<std::int64_t>;
template struct Entering<double>;
