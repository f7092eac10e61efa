#include "ranks/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace engine {

std::string firstText(Ranks& ranks, const std::string& mine, int* owner) {
  std::string first;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    std::size_t length = mine.size();
    ranks.broadcast(&length, sizeof length, rank);
    if (length == 0) continue;
    std::vector<char> text(length);
    if (rank == ranks.rank()) std::copy(mine.begin(), mine.end(), text.begin());
    ranks.broadcast(text.data(), length, rank);
    if (!first.empty()) continue;
    first.assign(text.data(), length);
    if (owner != nullptr) *owner = rank;
  }
  return first;
}

std::string firstTrouble(Ranks& ranks, const std::string& trouble) {
  int rank = 0;
  const std::string first = firstText(ranks, trouble, &rank);
  return first.empty() ? "" : fmt::format("rank {}: {}", rank, first);
}

}  // namespace engine
