#include "filtered/arcs.h"

#include "base/size.h"

namespace engine {

template <class T>
Arcs<T>::Arcs(const std::vector<int>& degrees, const std::vector<std::vector<Arc<T>>>& parts)
    : first_(degrees.size() + 1) {
  for (std::size_t u = 0; u < degrees.size(); ++u) first_[u + 1] = first_[u] + asSize(degrees[u]);
  arcs_.reserve(first_.back());
  for (const std::vector<Arc<T>>& part : parts) arcs_.insert(arcs_.end(), part.begin(), part.end());
}

template <class T>
Arcs<T> Arcs<T>::reversed() const {
  const auto n = asSize(vertices());
  Arcs other;
  other.first_.assign(n + 1, 0);
  other.arcs_.resize(arcs_.size());
  for (const Arc<T>& arc : arcs_) ++other.first_[arc.head + 1];
  for (std::size_t v = 0; v < n; ++v) other.first_[v + 1] += other.first_[v];
  std::vector<std::size_t> at(other.first_.begin(), other.first_.end() - 1);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t a = first_[u]; a < first_[u + 1]; ++a)
      other.arcs_[at[arcs_[a].head]++] = {static_cast<std::uint32_t>(u), arcs_[a].weight};
  return other;
}

template class Arcs<std::int32_t>;
template class Arcs<float>;
template class Arcs<std::int64_t>;
template class Arcs<double>;

}  // namespace engine
