// Three looks at a few vertices each.
//
// Depth. The GPU settles a source in phases, and a walk of k edges takes k phases or more. From a
// vertex, a breadth-first search goes on until it has seen some hundreds of edges. The levels that
// are left are about as large as the largest one so far. A path or a band has too many, and a grid
// has not.
//
// Cliques. If nearly all neighbours of a vertex are neighbours of each other, each source relaxes
// along all edges of each clique. In a small graph, that takes longer than the dense method unless
// the weights are equal. A clique without edges to other vertices is filtered like a small graph.
//
// Edges that matter. Of a graph with many edges, the filter should leave few. An edge that is
// longer than a walk of two edges can be left out.
#include "filtered/outlook.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/size.h"
#include "filtered/prospect.h"

namespace engine {

namespace {

/// From so many vertices on, a GPU may filter.
constexpr int kLeast = 1536;
/// Edges a vertex with which a matrix is so full that the GPU looks at samples of it.
constexpr std::size_t kMany = kKeptMost;
/// Walks of two edges begin with so many of the lightest edges of a vertex.
constexpr std::size_t kLight = 32;

/// A vertex with so many edges may be in a clique. It is in one if its neighbours send at least
/// this part of their edges to the vertex and to each other. At most so many of them are looked at.
constexpr std::size_t kLeastClique = 8, kMostClique = 128, kNeighbours = 16;
constexpr double kOfClique = 0.85;

/// Edges a vertex along which a GPU relaxes faster than it solves densely.
int fewFor(int n) {
  return std::clamp(n / 45, 96, kKeptMost);
}

/// Phases of a source with which filtering takes as long as the dense solver, measured on an H100.
/// A phase takes about 2 µs, and many sources are settled at a time.
double phasesOfDense(int n) {
  return std::min(0.13, 0.05 + 8e-6 * n) * n;
}

/// The edges of a vertex that are no longer than walks of two edges, the first of which is light.
template <class T>
std::size_t mattering(const OutEdges& leaving, const Edges<T>& edges, int source) {
  const auto edgesOf = [&](int vertex) {
    const OutEdges::Range out = leaving.of(vertex);
    return std::pair(edges.data() + out.first, edges.data() + out.last);
  };
  const auto [begin, end] = edgesOf(source);
  std::vector<Edge<T>> light(begin, end);
  if (light.size() > kLight) {
    std::nth_element(light.begin(), light.begin() + kLight, light.end(),
                     [](const Edge<T>& a, const Edge<T>& b) { return a.weight < b.weight; });
    light.resize(kLight);
  }
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  std::vector<Sum> shortest(asSize(leaving.vertices()), kInfinity<Sum>);
  for (const Edge<T>& first : light) {
    const auto [from, to] = edgesOf(first.to);
    for (const Edge<T>* second = from; second != to; ++second) {
      Sum& known = shortest[asSize(second->to)];
      known = std::min<Sum>(known, Sum{first.weight} + second->weight);
    }
  }
  return asSize(std::count_if(
      begin, end, [&](const Edge<T>& edge) { return edge.weight <= shortest[asSize(edge.to)]; }));
}

/// Whether the edges of a vertex have different weights.
template <class T>
bool haveDifferentWeights(const OutEdges::Range& out, const Edges<T>& edges) {
  return std::any_of(edges.data() + out.first, edges.data() + out.last,
                     [&](const Edge<T>& edge) { return edge.weight != edges[out.first].weight; });
}

/// Whether some vertex has more edges than a GPU can keep.
bool hasHub(const OutEdges& leaving) {
  const EndsOf& edges = leaving.all();
  constexpr std::size_t kStep = kKeptMost / 2;
  for (std::size_t i = kStep; i < edges.size(); i += kStep)
    if (edges[i].from == edges[i - kStep].from && leaving.of(edges[i].from).size() > kKeptMost)
      return true;
  return false;
}

/// Whether a vertex is in a clique that has edges to other vertices. near: room for n marks.
bool isInClique(const OutEdges& leaving, int vertex, std::vector<char>& near) {
  const EndsOf& edges = leaving.all();
  const OutEdges::Range out = leaving.of(vertex);
  if (out.size() < kLeastClique || out.size() > kMostClique) return false;
  std::fill(near.begin(), near.end(), 0);
  near[asSize(vertex)] = 1;
  bool sameDegrees = true;
  for (std::size_t e = out.first; e < out.last; ++e) {
    near[asSize(edges[e].to)] = 1;
    sameDegrees &= leaving.of(edges[e].to).size() == out.size();
  }
  std::size_t all = 0, within = 0;
  const std::size_t step = (out.size() + kNeighbours - 1) / kNeighbours;
  for (std::size_t e = out.first + step / 2; e < out.last; e += step)
    for (auto [at, last] = leaving.of(edges[e].to); at < last; ++at, ++all)
      within += near[asSize(edges[at].to)] != 0 ? 1 : 0;
  const bool apart = sameDegrees && within == all;
  return !apart && static_cast<double>(within) >= kOfClique * static_cast<double>(all);
}

}  // namespace

bool hasCliques(const OutEdges& leaving) {
  const int n = leaving.vertices();
  std::vector<char> near(asSize(n), 0);
  return isInClique(leaving, n / 7, near) && isInClique(leaving, n / 7 * 4, near);
}

double levelsFrom(const OutEdges& leaving, int first, std::size_t more) {
  const int n = leaving.vertices();
  const EndsOf& edges = leaving.all();
  if (n == 0) return 0;
  const std::size_t most = asSize(n) / 8 + 64 + more;  // edges
  std::vector<char> seen(asSize(n), 0);
  std::vector<int> queue = {first};
  seen[asSize(first)] = 1;
  double levels = 0;
  std::size_t looked = 0, widest = 1, begin = 0, end = 1;  // begin, end: of the last level
  while (begin < end && looked <= most) {
    for (std::size_t i = begin; i < end && looked <= most; ++i)
      for (auto [at, last] = leaving.of(queue[i]); at < last; ++at) {
        ++looked;
        const int to = edges[at].to;
        if (std::exchange(seen[asSize(to)], 1) == 0) queue.push_back(to);
      }
    ++levels;
    begin = std::exchange(end, queue.size());
    widest = std::max(widest, end - begin);
  }
  if (begin == end) return levels;
  return levels + static_cast<double>(asSize(n) - end) / static_cast<double>(widest);
}

template <class T>
Outlook outlookOnGpu(const OutEdges& leaving, const Edges<T>& edges) {
  const int n = leaving.vertices();
  const std::size_t m = edges.size(), vertices = asSize(n);
  if (n < kLeast) return Outlook::kUnknown;
  for (const int first : {n / 7, n / 7 * 4})
    if (levelsFrom(leaving, first) > phasesOfDense(n)) return Outlook::kPoor;
  if (n < kCheapToFilter && haveDifferentWeights(leaving.of(n / 7), edges) && hasCliques(leaving))
    return Outlook::kPoor;
  const std::size_t few = asSize(fewFor(n));
  if (m <= few * vertices) {
    if (!hasHub(leaving)) return Outlook::kGood;
    return n >= kCheapToFilter ? Outlook::kDoubtful : Outlook::kPoor;
  }
  const bool leavesFew = m <= kMany * vertices && mattering(leaving, edges, n / 7) <= few;
  return leavesFew ? Outlook::kGood : Outlook::kUnknown;
}

template Outlook outlookOnGpu(const OutEdges&, const Edges<std::int32_t>&);
template Outlook outlookOnGpu(const OutEdges&, const Edges<float>&);
template Outlook outlookOnGpu(const OutEdges&, const Edges<std::int64_t>&);
template Outlook outlookOnGpu(const OutEdges&, const Edges<double>&);

}  // namespace engine
