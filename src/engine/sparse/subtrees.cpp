// A vertex whose subtree has more than its share of the triangles goes to the top, and so do all
// above it. What is left are subtrees. Positions are a postorder, so a subtree is a range of
// positions, and several subtrees next to each other are one, too.
#include "sparse/subtrees.h"

#include <cstddef>
#include <cstdint>

#include "base/size.h"

namespace engine::sparse {

namespace {

constexpr int kPartsOfAThread = 8;
/// Triangles from which on threads gain more than they take to start.
constexpr double kWorthParts = 30000;

}  // namespace

template <class T>
Parts partsOf(const Hierarchy<T>& all, int threads) {
  std::vector<double> work(asSize(all.core));  // of each subtree
  double total = 0;
  for (int v = 0; v < all.core; ++v) {
    const auto arcs = static_cast<double>(all.end(v) - all.begin(v));
    const double own = 1 + arcs + arcs * arcs / 2;
    total += own;
    double& sum = work[asSize(v)];
    sum += own;
    const int parent = arcs > 0 ? all.head[all.begin(v)] : all.core;
    if (parent < all.core) work[asSize(parent)] += sum;
  }
  if (threads < 2 || total < kWorthParts) return {{{0, all.core}}, {}};
  const double most = total / (kPartsOfAThread * threads);
  Parts result;
  int first = 0;
  double some = 0;
  const auto close = [&](int end) {
    if (first < end) result.parts.emplace_back(first, end);
    first = end;
    some = 0;
  };
  for (int v = 0; v < all.core; ++v) {
    const double sum = work[asSize(v)];
    const int parent = all.begin(v) < all.end(v) ? all.head[all.begin(v)] : all.core;
    const bool isRoot = parent >= all.core || work[asSize(parent)] > most;
    if (sum > most) {
      close(v);
      result.top.push_back(v);
      first = v + 1;
    } else if (isRoot && (some += sum) > most) {
      close(v + 1);
    }
  }
  close(all.core);
  return result;
}

template Parts partsOf(const Hierarchy<std::int32_t>&, int);
template Parts partsOf(const Hierarchy<float>&, int);
template Parts partsOf(const Hierarchy<std::int64_t>&, int);
template Parts partsOf(const Hierarchy<double>&, int);

}  // namespace engine::sparse
