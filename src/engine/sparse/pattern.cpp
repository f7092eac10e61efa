#include "sparse/pattern.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/size.h"

namespace engine::sparse {

namespace {

/// Neighbours a vertex in a graph that is nearly a tree.
constexpr double kOfTrees = 3;
/// Random graphs with so many neighbours have fewer steps between vertices, in logarithms of n to
/// the base 2.
constexpr double kRandomSteps = 3;
/// Random graphs with more neighbours have fewer steps: the limit is divided by
/// log₂(neighbours a vertex / kManyNeighbours). In a smaller graph than kLarge, eliminating is
/// seldom worth its time then, so the limit stays.
constexpr double kManyNeighbours = 16;
constexpr int kLarge = 4096;
/// Vertices that may be hubs, divided by the root of n.
constexpr double kHubsOfRoot = 4;

/// A component.
struct Spread {
  int steps = 0;  ///< to the vertex that is farthest from the first one
  int vertices = 0;
};

/// How far the largest component spreads. seen: marks of the vertices that are left out.
Spread spreadOf(const Pattern& pattern, std::vector<char> seen) {
  const int n = pattern.vertices();
  std::vector<int> queue;
  queue.reserve(asSize(n));
  Spread largest;
  for (int first = 0; first < n; ++first) {
    if (seen[asSize(first)] != 0) continue;
    const std::size_t begin = queue.size();
    int levels = -1;
    queue.push_back(first);
    seen[asSize(first)] = 1;
    for (std::size_t level = begin; level < queue.size(); ++levels) {
      for (const std::size_t end = queue.size(); level < end; ++level) {
        const auto v = asSize(queue[level]);
        for (int a = pattern.first[v]; a < pattern.first[v + 1]; ++a) {
          const int neighbour = pattern.neighbours[asSize(a)];
          if (seen[asSize(neighbour)] != 0) continue;
          seen[asSize(neighbour)] = 1;
          queue.push_back(neighbour);
        }
      }
    }
    const int vertices = static_cast<int>(queue.size() - begin);
    if (vertices > largest.vertices) largest = {levels, vertices};
  }
  return largest;
}

/// Marks the vertices with the largest degrees.
std::vector<char> hubsOf(const Pattern& pattern, int count) {
  std::vector<int> order(asSize(pattern.vertices()));
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(order.begin(), order.begin() + count, order.end(),
                   [&](int a, int b) { return pattern.degree(a) > pattern.degree(b); });
  std::vector<char> marks(order.size(), 0);
  for (int i = 0; i < count; ++i) marks[asSize(order[asSize(i)])] = 1;
  return marks;
}

}  // namespace

bool spreadsAtOnce(const OutEdges& leaving) {
  const int n = leaving.vertices();
  const EndsOf& edges = leaving.all();
  constexpr std::size_t kHub = 4;  // times the average degree
  if (n == 0) return false;
  const std::vector<std::size_t>& first = leaving.starts();
  for (std::size_t v = 0; v < asSize(n); ++v)
    if ((first[v + 1] - first[v]) * asSize(n) > kHub * edges.size()) return false;
  std::vector<char> seen(asSize(n), 0);
  std::vector<int> queue{0};
  seen[0] = 1;
  std::size_t level = 0;
  for (int step = 0; step < 3; ++step)
    for (const std::size_t end = queue.size(); level < end; ++level) {
      const auto v = asSize(queue[level]);
      for (std::size_t e = first[v]; e < first[v + 1]; ++e)
        if (std::exchange(seen[asSize(edges[e].to)], 1) == 0) queue.push_back(edges[e].to);
    }
  return queue.size() > asSize(n) / 2;
}

bool maySeparate(const Pattern& pattern) {
  const double n = pattern.vertices();
  const double neighbours = static_cast<double>(pattern.neighbours.size()) / std::max(1.0, n);
  if (neighbours <= kOfTrees) return true;
  const double many = pattern.vertices() < kLarge ? 1 : std::log2(neighbours / kManyNeighbours);
  const double far = kRandomSteps * std::log2(n) / std::max(1.0, many);
  if (spreadOf(pattern, std::vector<char>(asSize(pattern.vertices()), 0)).steps > far) return true;
  const int hubs = static_cast<int>(std::min(kHubsOfRoot * std::sqrt(n), n / 4));
  const Spread rest = spreadOf(pattern, hubsOf(pattern, hubs));
  return rest.steps > far || rest.vertices < n / 4;
}

bool maySeparate(int n, const EndsOf& edges) {
  return !spreadsAtOnce({n, edges}) && maySeparate(patternOf(n, edges));
}

// The edges are sorted, so those that leave a vertex and those that enter it are two ascending
// lists.
Pattern patternOf(int n, const EndsOf& edges) {
  const auto vertices = asSize(n);
  std::vector<int> out(vertices + 1, 0), in(vertices + 1, 0);
  for (const Ends edge : edges) {
    ++out[asSize(edge.from) + 1];
    ++in[asSize(edge.to) + 1];
  }
  for (std::size_t v = 0; v < vertices; ++v) {
    out[v + 1] += out[v];
    in[v + 1] += in[v];
  }
  std::vector<int> heads, tails(edges.size()), at(in.begin(), in.end() - 1);
  heads.reserve(edges.size());
  for (const Ends edge : edges) {
    heads.push_back(edge.to);
    tails[asSize(at[asSize(edge.to)]++)] = edge.from;
  }
  Pattern all;
  all.first.reserve(vertices + 1);
  all.neighbours.resize(2 * edges.size());
  auto end = all.neighbours.begin();
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto head = heads.begin() + out[v], lastHead = heads.begin() + out[v + 1];
    const auto tail = tails.begin() + in[v], lastTail = tails.begin() + in[v + 1];
    end = std::equal(head, lastHead, tail, lastTail)  // of most graphs: that takes less time
              ? std::copy(head, lastHead, end)
              : std::set_union(head, lastHead, tail, lastTail, end);
    all.first.push_back(static_cast<int>(end - all.neighbours.begin()));
  }
  all.neighbours.erase(end, all.neighbours.end());
  return all;
}

}  // namespace engine::sparse
