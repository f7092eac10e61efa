#include "ranks/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

std::string firstTrouble(Ranks& ranks, const std::string& trouble) {
  std::string first;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    std::size_t length = trouble.size();
    ranks.broadcast(&length, sizeof length, rank);
    if (length == 0) continue;
    std::vector<char> text(length);
    if (rank == ranks.rank()) std::copy(trouble.begin(), trouble.end(), text.begin());
    ranks.broadcast(text.data(), length, rank);
    if (first.empty()) first = fmt::format("rank {}: {}", rank, std::string(text.data(), length));
  }
  return first;
}
