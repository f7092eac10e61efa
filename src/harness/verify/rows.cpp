#include "verify/rows.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>

#include "base/size.h"

std::vector<int> drawRows(int n, int count) {
  // The first of a shuffled range.
  std::vector<int> sources(asSize(n));
  std::iota(sources.begin(), sources.end(), 0);
  if (count >= n) return sources;
  std::mt19937_64 random(std::random_device{}());
  for (int i = 0; i < count; ++i) {
    std::swap(
        sources[asSize(i)],
        sources[std::uniform_int_distribution<std::size_t>(asSize(i), sources.size() - 1)(random)]);
  }
  sources.resize(asSize(count));
  std::sort(sources.begin(), sources.end());
  return sources;
}

void add(Mismatch& all, const Mismatch& row) {
  if (row.count == 0) return;
  const std::uint64_t total = all.count + row.count;
  if (all.count == 0 || row.i < all.i) all = row;
  all.count = total;
}
