#include "filtered/arcs.h"

Arcs::Arcs(const std::vector<int>& degrees, const std::vector<std::vector<Arc>>& parts)
    : first_(degrees.size() + 1) {
  for (std::size_t u = 0; u < degrees.size(); ++u)
    first_[u + 1] = first_[u] + static_cast<std::size_t>(degrees[u]);
  arcs_.reserve(first_.back());
  for (const std::vector<Arc>& part : parts) arcs_.insert(arcs_.end(), part.begin(), part.end());
}

Arcs Arcs::reversed() const {
  const auto n = static_cast<std::size_t>(vertices());
  Arcs other;
  other.first_.assign(n + 1, 0);
  other.arcs_.resize(arcs_.size());
  for (const Arc& arc : arcs_) ++other.first_[arc.head + 1];
  for (std::size_t v = 0; v < n; ++v) other.first_[v + 1] += other.first_[v];
  std::vector<std::size_t> at(other.first_.begin(), other.first_.end() - 1);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t a = first_[u]; a < first_[u + 1]; ++a)
      other.arcs_[at[arcs_[a].head]++] = {static_cast<std::uint32_t>(u), arcs_[a].weight};
  return other;
}
