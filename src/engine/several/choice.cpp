#include "several/choice.h"

#include <algorithm>

#include "base/size.h"
#include "dense/workspace.h"

namespace engine {

namespace {

/// A vector of all vertices, of which this rank knows a band, as all ranks know it.
std::vector<int> whole(Ranks& all, int n, Band band, const std::vector<int>& mine) {
  std::vector<int> elements(asSize(n), kInfinity<int>);
  std::copy(mine.begin(), mine.end(), elements.begin() + band.first);
  takeLeast(all, elements);
  return elements;
}

/// An upper bound on all distances, through vertex s: max d(i,s) + max d(s,j).
int boundThrough(const Part& part, int n, int s, Ranks& all) {
  const Band rows = part.rows(), columns = part.columns();
  std::vector<int> to, from;  // w(k,s), w(s,k), as far as they are here
  if (columns.has(s)) to = part.surveyor()->column(s);
  if (rows.has(s)) {
    from.resize(asSize(columns.count));
    part.get({s, 1}, from.data());
  }
  const std::vector<int> leave = whole(all, n, rows, to), arrive = whole(all, n, columns, from);
  const Bounds bounds =
      part.surveyor()->bound(leave.data() + columns.first, arrive.data() + rows.first);
  to = whole(all, n, rows, bounds.to);
  from = whole(all, n, columns, bounds.from);
  return *std::max_element(to.begin(), to.end()) + *std::max_element(from.begin(), from.end());
}

}  // namespace

void takeLeast(Ranks& all, std::vector<int>& elements) {
  const std::vector<int> mine = elements;
  for (int rank = 0; rank < all.size(); ++rank) {
    std::vector<int> theirs = mine;
    all.broadcast(theirs.data(), theirs.size() * sizeof(int), rank);
    std::transform(theirs.begin(), theirs.end(), elements.begin(), elements.begin(),
                   [](int a, int b) { return std::min(a, b); });
  }
}

int greatest(Ranks& all, int mine) {
  std::vector<int> negative = {-mine};
  takeLeast(all, negative);
  return -negative[0];
}

Choice choose(const Part& part, int n, Dtype dtype, const Options& options, Ranks& all) {
  Choice choice;
  const Surveyor* const surveyor = part.surveyor();
  if (surveyor == nullptr) {
    choice.tier = part.onlyTier();
    return choice;
  }
  choice.tier = tierOf(dtype);
  choice.skip = options.skip && greatest(all, surveyor->missesEdges() ? 1 : 0) == 1;
  if (dtype != Dtype::kInt32 || !options.may16()) return choice;
  const bool only16 = options.precision == Precision::k16;
  if (!only16 && !surveyor->prefers16Bits()) return choice;  // the same on all: one model
  const bool fits =
      std::min(boundThrough(part, n, 0, all), boundThrough(part, n, n / 2, all)) < dense::kTooFar;
  if (!fits && !only16) return choice;
  choice.tier = Tier::kUint16;
  return choice;
}

}  // namespace engine
