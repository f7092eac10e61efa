// The arcs of a graph in lists, one for each vertex: the graph that is left when most edges of a
// matrix have been left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace engine {

/// An arc from the vertex in whose list it stands.
template <class T>
struct Arc {
  std::uint32_t head;
  T weight;
};

/// The lists of all vertices in one array. T: of the weights.
template <class T>
class Arcs {
 public:
  Arcs() = default;
  /// degrees: of every vertex; parts: put together, the lists of all vertices one after the other.
  Arcs(const std::vector<int>& degrees, const std::vector<std::vector<Arc<T>>>& parts);

  int vertices() const { return static_cast<int>(first_.size()) - 1; }
  std::size_t size() const { return arcs_.size(); }
  const Arc<T>* begin(int vertex) const { return arcs_.data() + first_[vertex]; }
  const Arc<T>* end(int vertex) const { return arcs_.data() + first_[vertex + 1]; }

  std::size_t degree(int vertex) const { return first_[vertex + 1] - first_[vertex]; }

  /// The same arcs in the lists of their heads: (u → v) becomes (v → u).
  Arcs reversed() const;

 private:
  std::vector<std::size_t> first_{0};
  std::vector<Arc<T>> arcs_;
};

extern template class Arcs<std::int32_t>;
extern template class Arcs<float>;
extern template class Arcs<std::int64_t>;
extern template class Arcs<double>;

}  // namespace engine
