#include "bfs/shape.h"

#include <cstddef>

namespace engine::bfs {

namespace {

/// Degrees, and the other end of a vertex's last arc.
struct Ending {
  int out = 0, in = 0;
  int head = -1, tail = -1;
};

std::vector<Ending> endingsOf(int n, const EndsOf& edges) {
  std::vector<Ending> all(asSize(n));
  for (const auto [from, to] : edges) {
    ++all[asSize(from)].out;
    all[asSize(from)].head = to;
    ++all[asSize(to)].in;
    all[asSize(to)].tail = from;
  }
  return all;
}

enum Kind : char { kInterior, kSink, kLeaf };

std::vector<Kind> kindsOf(const std::vector<Ending>& endings) {
  std::vector<Kind> kinds(endings.size(), kInterior);
  for (std::size_t v = 0; v < endings.size(); ++v)
    if (endings[v].out == 0) kinds[v] = kSink;
  for (std::size_t v = 0; v < endings.size(); ++v) {
    const Ending& each = endings[v];
    const bool one = each.out == 1 && (each.in == 0 || (each.in == 1 && each.tail == each.head));
    if (one && kinds[asSize(each.head)] == kInterior) kinds[v] = kLeaf;
  }
  return kinds;
}

/// The vertices of the interior in clusters: from a vertex that is in none, a search along arcs of
/// both directions takes the next kCluster. What it saw and left begins the next cluster.
std::vector<int> clustered(int n, const EndsOf& edges, const std::vector<Kind>& kinds) {
  const ArcLists around = listsOf(n, [&](const auto& add) {
    for (const auto [from, to] : edges) {
      if (kinds[asSize(from)] != kInterior || kinds[asSize(to)] != kInterior) continue;
      add(from, to);
      add(to, from);
    }
  });
  std::vector<int> order, left;  // left: seen by a cluster that was full
  std::vector<char> taken(asSize(n), 0);
  const auto grow = [&](int seed) {
    if (taken[asSize(seed)] != 0 || kinds[asSize(seed)] != kInterior) return;
    const std::size_t begin = order.size();
    const auto take = [&](int v) {
      taken[asSize(v)] = 1;
      order.push_back(v);
    };
    take(seed);
    for (std::size_t at = begin; at < order.size(); ++at) {
      const auto v = asSize(order[at]);
      for (auto end = around.begin(v); end != around.end(v); ++end) {
        if (taken[*end] != 0) continue;
        if (order.size() - begin < asSize(kCluster))
          take(static_cast<int>(*end));
        else
          left.push_back(static_cast<int>(*end));
      }
    }
  };
  std::size_t next = 0;
  for (int v = 0; v < n; ++v) {
    grow(v);
    for (; next < left.size(); ++next) grow(left[next]);
  }
  return order;
}

}  // namespace

Shape shapeOf(int n, const EndsOf& edges) {
  const std::vector<Ending> endings = endingsOf(n, edges);
  const std::vector<Kind> kinds = kindsOf(endings);
  const std::vector<int> order = clustered(n, edges, kinds);
  const int interior = static_cast<int>(order.size());
  Shape shape;
  shape.place.assign(asSize(n), 0);
  shape.root.assign(asSize(n), -1);
  for (int i = 0; i < interior; ++i) shape.place[asSize(order[asSize(i)])] = i;
  int hanging = 0;
  for (std::size_t v = 0; v < asSize(n); ++v) {
    if (kinds[v] != kInterior) shape.place[v] = -1 - hanging++;
    if (kinds[v] == kInterior) shape.root[v] = shape.place[v];
    if (kinds[v] == kLeaf) shape.root[v] = shape.place[asSize(endings[v].head)];
  }
  shape.passed.assign(asSize(interior), 0);
  const auto inside = [&](const auto& add) {
    for (const auto [from, to] : edges)
      if (kinds[asSize(from)] == kInterior && kinds[asSize(to)] == kInterior)
        add(shape.place[asSize(from)], shape.place[asSize(to)]);
  };
  shape.out = listsOf(interior, inside);
  shape.in = listsOf(interior, [&](const auto& add) { inside([&](int v, int u) { add(u, v); }); });
  shape.entering = listsOf(hanging, [&](const auto& add) {
    for (const auto [from, to] : edges)
      if (kinds[asSize(from)] == kInterior && kinds[asSize(to)] != kInterior)
        add(-1 - shape.place[asSize(to)], shape.place[asSize(from)]);
  });
  for (const auto [from, to] : edges) {
    if (kinds[asSize(from)] != kInterior) continue;
    std::uint32_t& arcs = shape.passed[asSize(shape.place[asSize(from)])];
    arcs += kinds[asSize(to)] == kLeaf ? 2 : 1;  // there, and from the leaf back
  }
  return shape;
}

}  // namespace engine::bfs
