#include "solvers/relaxation/arcs.h"

#include <algorithm>

Arcs::Arcs(const std::vector<int>& degrees, const std::vector<std::vector<Arc>>& parts,
           const std::vector<std::pair<std::uint32_t, Arc>>& more)
    : first_(degrees.size() + 1) {
  const std::size_t n = degrees.size();
  for (std::size_t u = 0; u < n; ++u) first_[u + 1] = static_cast<std::size_t>(degrees[u]);
  for (const auto& [tail, arc] : more) ++first_[tail + 1];
  for (std::size_t u = 0; u < n; ++u) first_[u + 1] += first_[u];
  arcs_.resize(first_[n]);
  std::vector<std::size_t> at(first_.begin(), first_.end() - 1);
  std::size_t u = 0;
  for (const std::vector<Arc>& part : parts) {
    const Arc* from = part.data();
    for (const Arc* const end = from + part.size(); u < n && from != end; ++u) {
      std::copy_n(from, degrees[u], arcs_.begin() + static_cast<std::ptrdiff_t>(at[u]));
      at[u] += static_cast<std::size_t>(degrees[u]);
      from += degrees[u];
    }
  }
  for (const auto& [tail, arc] : more) arcs_[at[tail]++] = arc;
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
