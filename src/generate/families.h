// The graph families that can be generated: each is a type, and `Families` lists them all.
//
// A dense family answers weight(spec, i, j) for any i ≠ j. A sparse family has arcs(spec) arcs for
// each vertex i and answers arc(spec, i, k), an edge (kInf = this one is absent). Every answer
// depends on its arguments alone, in integer arithmetic, so that the same seed gives the same bytes
// on any device, with any number of threads. All is constexpr, so that device code may call it
// (nvcc: --expt-relaxed-constexpr). A new family is one struct and one name in the list; help,
// generators, tests and benchmarks follow.
//
// complete: a graph as the course's contract has it, every edge there, with weights of 0…R. Where
// the distances of the directed graph have a closed form, distance(spec, i, j) for i ≠ j is it.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "apsp.h"
#include "core/graph.h"

/// What to generate.
struct Spec {
  int family = 0;  ///< index into Families
  int n = 0;
  std::uint64_t seed = 1;
  int range = 100000;  ///< R: the largest weight, or the bound of the random ones; 0 < R < kInf
  int degree = 8;      ///< arcs that each vertex of a `sparse` graph draws
  bool undirected =
      false;  ///< every edge also backwards; where both directions exist, the lighter weight
  Dtype dtype = Dtype::kInt32;  ///< float32: the float nearest to each weight
};

namespace families {

constexpr int lesser(int a, int b) {
  return a < b ? a : b;
}

/// A uniform draw from [0, bound) that belongs to (seed, a, b) alone.
constexpr int draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b, int bound) {
  return static_cast<int>(((edgeHash(a, b, seed) >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
}

/// The course's own data: four rounds of a linear congruence over the tile and offset of j, then of
/// i.
struct Course {
  static constexpr const char* name = "course";
  static constexpr const char* what = "complete, the course's near-regular data in [0, R)";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    std::uint64_t r = static_cast<std::uint64_t>(s.range), x = s.seed % r;
    x = (x * 179424673 + static_cast<std::uint64_t>(j / 32) + 275604541) % r;
    x = (x * 373587883 + static_cast<std::uint64_t>(j % 32) + 472882027) % r;
    x = (x * 179424673 + static_cast<std::uint64_t>(i / 32) + 275604541) % r;
    x = (x * 373587883 + static_cast<std::uint64_t>(i % 32) + 472882027) % r;
    return static_cast<int>(x);
  }
};

struct Uniform {
  static constexpr const char* name = "uniform";
  static constexpr const char* what = "complete, uniform in [0, R)";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    return draw(s.seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), s.range);
  }
};

struct Ring {
  static constexpr const char* name = "ring";
  static constexpr const char* what = "complete, 1 along the ring 0→1→…→0, R elsewhere";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    return j == (i + 1 < s.n ? i + 1 : 0) ? 1 : s.range;
  }
  static constexpr int distance(const Spec& s, int i, int j) {
    return lesser(s.range, j > i ? j - i : j - i + s.n);
  }
};

struct RingBack {
  static constexpr const char* name = "ring-back";
  static constexpr const char* what = "complete, 1 along the ring n−1→n−2→…→n−1, R elsewhere";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) { return Ring::weight(s, j, i); }
  static constexpr int distance(const Spec& s, int i, int j) { return Ring::distance(s, j, i); }
};

/// A ring through all vertices in an order drawn from the seed: a Feistel network over the bits of
/// n − 1 permutes them, walking on while it leaves [0, n).
struct PermutedRing {
  static constexpr const char* name = "permuted-ring";
  static constexpr const char* what = "complete, 1 along a ring in random order, R elsewhere";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    int position = permute(s, i, false);
    return permute(s, position + 1 < s.n ? position + 1 : 0, true) == j ? 1 : s.range;
  }
  static constexpr int distance(const Spec& s, int i, int j) {
    return Ring::distance(s, permute(s, i, false), permute(s, j, false));
  }

 private:
  static constexpr int kRounds = 4;
  static constexpr int permute(const Spec& s, int vertex, bool inverse) {
    int bits = 1;
    while ((static_cast<std::uint64_t>(s.n - 1) >> (2 * bits)) != 0) ++bits;
    const std::uint64_t mask = (1ULL << bits) - 1;
    std::uint64_t v = static_cast<std::uint64_t>(vertex);
    do {
      std::uint64_t left = v >> bits, right = v & mask;
      for (int step = 0; step < kRounds; ++step) {
        int round = inverse ? kRounds - 1 - step : step;
        std::uint64_t& changed = (round % 2 == 0) ? left : right;
        std::uint64_t other = (round % 2 == 0) ? right : left;
        changed ^= edgeHash(other, static_cast<std::uint64_t>(round), s.seed) & mask;
      }
      v = left << bits | right;
    } while (v >= static_cast<std::uint64_t>(s.n));
    return static_cast<int>(v);
  }
};

struct Chain {
  static constexpr const char* name = "chain";
  static constexpr const char* what = "complete, 1 along the chain 0→1→…→n−1, R elsewhere";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) { return j == i + 1 ? 1 : s.range; }
  static constexpr int distance(const Spec& s, int i, int j) {
    return j > i ? lesser(s.range, j - i) : s.range;
  }
};

/// The longest path's sum comes as close to R as equal weights can bring it.
struct LongPath {
  static constexpr const char* name = "long-path";
  static constexpr const char* what = "complete, the chain 0→1→…→n−1 weighs R, R elsewhere";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    return j == i + 1 ? step(s) : s.range;
  }
  static constexpr int distance(const Spec& s, int i, int j) {
    return j > i ? lesser(s.range, (j - i) * step(s)) : s.range;
  }

  /// The weight of each of n − 1 edges that make R together.
  static constexpr int step(const Spec& s) { return s.range < s.n ? 1 : s.range / (s.n - 1); }
};

struct Metric {
  static constexpr const char* name = "metric";
  static constexpr const char* what = "complete, |i − j| to scale: no path is shorter";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    return lesser(s.range, (i < j ? j - i : i - j) * LongPath::step(s));
  }
  static constexpr int distance(const Spec& s, int i, int j) { return weight(s, i, j); }
};

struct Triangular {
  static constexpr const char* name = "triangular";
  static constexpr const char* what = "complete, uniform in [0, R) where i < j, R below";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    return i < j ? Uniform::weight(s, i, j) : s.range;
  }
};

/// Two edges of weight 0 a vertex, so that paths of many of them matter.
struct Binary {
  static constexpr const char* name = "binary";
  static constexpr const char* what = "complete, 0 with a chance of 2 in n, else 1";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    return draw(s.seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), s.n) < 2 ? 0
                                                                                               : 1;
  }
};

/// A hub of eight neighbouring vertices (fewer where n is), which begins at `base`. An edge of
/// weight 1 leads from every vertex to the hub's first and from its last to every vertex; between
/// these lies the hub's own chain, 1 a step, over its even vertices upwards and back over its odd
/// ones. So every short path runs through the hub, and no order of its vertices shortens it.
struct Hub {
  int base, length, range;

  static constexpr int lengthOf(const Spec& s) { return lesser(s.n, 8); }
  constexpr int weight(int i, int j) const {
    const int from = place(i), to = place(j);
    return to == 0 || from == length - 1 || (from >= 0 && to == from + 1) ? 1 : range;
  }
  constexpr int distance(int i, int j) const {
    const int through = toPlace(i, length - 1) + 1;
    return lesser(range, place(j) < 0 ? through : lesser(through, toPlace(i, place(j))));
  }

 private:
  /// Where a vertex stands in the hub's chain; −1 outside.
  constexpr int place(int vertex) const {
    const int offset = vertex - base;
    if (offset < 0 || offset >= length) return -1;
    return offset % 2 == 0 ? offset / 2 : length - 1 - offset / 2;
  }
  /// From a vertex to a place of the chain, without the edges from its end.
  constexpr int toPlace(int vertex, int to) const {
    const int from = place(vertex);
    return from >= 0 && from <= to ? to - from : 1 + to;
  }
};

/// The hub lies in the middle of sixteen vertices, so within one tile of most sides; the seed
/// says which sixteen.
struct Interior {
  static constexpr const char* name = "interior";
  static constexpr const char* what = "complete, short paths through 8 vertices of a tile";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) { return hub(s).weight(i, j); }
  static constexpr int distance(const Spec& s, int i, int j) { return hub(s).distance(i, j); }

 private:
  static constexpr Hub hub(const Spec& s) {
    return {s.n < 12 ? 0 : 4 + 16 * draw(s.seed, 0, 0, (s.n + 4) / 16), Hub::lengthOf(s), s.range};
  }
};

/// The hub is the last vertices, so that its end is in the last tile, however few are left there.
struct Tail {
  static constexpr const char* name = "tail";
  static constexpr const char* what = "complete, short paths through the last 8 vertices";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) { return hub(s).weight(i, j); }
  static constexpr int distance(const Spec& s, int i, int j) { return hub(s).distance(i, j); }

 private:
  static constexpr Hub hub(const Spec& s) {
    return {s.n - Hub::lengthOf(s), Hub::lengthOf(s), s.range};
  }
};

/// Blocks of eight vertices, which divide most tiles: within one, edges of weight 1 to and from its
/// first and its last vertex; between two, from the last of one to the first of the next and back.
/// So every vertex on a short path is the first or the last one of its block, at the border of
/// whatever tiles there are.
struct Borders {
  static constexpr const char* name = "borders";
  static constexpr const char* what = "complete, short paths along borders of 8 vertices";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    if (i / kBlock != j / kBlock) return i - j == 1 || j - i == 1 ? 1 : s.range;
    return first(i) || last(s, i) || first(j) || last(s, j) ? 1 : s.range;
  }
  static constexpr int distance(const Spec& s, int i, int j) {
    const int from = i / kBlock, to = j / kBlock;
    if (from == to) return lesser(s.range, weight(s, i, j) == 1 ? 1 : 2);
    const int ends = from < to ? !last(s, i) + !first(j) : !first(i) + !last(s, j);
    return lesser(s.range, ends + 2 * (from < to ? to - from : from - to) - 1);
  }

 private:
  static constexpr int kBlock = 8;
  static constexpr bool first(int v) { return v % kBlock == 0; }
  static constexpr bool last(const Spec& s, int v) {
    return v % kBlock == kBlock - 1 || v == s.n - 1;
  }
};

struct Sparse {
  static constexpr const char* name = "sparse";
  static constexpr const char* what = "D random arcs from each vertex in [1, R], no others";
  static constexpr bool dense = false;
  static constexpr bool complete = false;
  static constexpr int arcs(const Spec& s) { return s.degree < s.n - 1 ? s.degree : s.n - 1; }
  /// Arc k ends in the k-th of D equal shares of the other vertices, so that no two ends are the
  /// same.
  static constexpr Edge arc(const Spec& s, int i, int k) {
    const std::int64_t others = s.n - 1, d = arcs(s), low = k * others / d,
                       high = (k + 1) * others / d;
    const auto from = static_cast<std::uint64_t>(i), index = static_cast<std::uint64_t>(k);
    const int to =
        static_cast<int>(low) + draw(s.seed, from, 2 * index, static_cast<int>(high - low));
    return {i, to < i ? to : to + 1, 1 + draw(s.seed, from, 2 * index + 1, s.range)};
  }
};

/// Rows of ⌈√n⌉ vertices. All vertical streets and the top row exist, so that it is connected; of
/// the other horizontal streets, half: a mean degree of 3, as road networks have.
struct Grid {
  static constexpr const char* name = "grid";
  static constexpr const char* what = "road-like, undirected, mean degree 3, in [1, R]";
  static constexpr bool dense = false;
  static constexpr bool complete = false;
  static constexpr int arcs(const Spec&) { return 4; }
  static constexpr Edge arc(const Spec& s, int i, int k) {
    const int width = rowLength(s.n);
    const bool across = k < 2, back = k % 2 != 0;
    const int other = across ? i + 1 : i + width;
    const auto id = static_cast<std::uint64_t>(i);
    const bool exists =
        other < s.n && other > i &&
        (!across || ((i + 1) % width != 0 && (i < width || draw(s.seed, id, 2, 2) == 0)));
    const int weight = 1 + draw(s.seed, id, across, s.range);
    return {back ? other : i, back ? i : other, exists ? weight : kInf};
  }

 private:
  /// ⌈√n⌉, by Newton's iteration from above.
  static constexpr int rowLength(int n) {
    std::int64_t root = 1;
    while (root * root < n) root *= 2;
    while (root > 1 && (root - 1) * (root - 1) >= n) {
      const std::int64_t next = (root + n / root) / 2;
      root = next < root ? next : root - 1;
    }
    return static_cast<int>(root);
  }
};

struct Zero {
  static constexpr const char* name = "zero";
  static constexpr const char* what = "complete, every weight 0";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec&, int, int) { return 0; }
  static constexpr int distance(const Spec&, int, int) { return 0; }
};

struct Equal {
  static constexpr const char* name = "equal";
  static constexpr const char* what = "complete, every weight R";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr int weight(const Spec& s, int, int) { return s.range; }
  static constexpr int distance(const Spec& s, int, int) { return s.range; }
};

struct Star {
  static constexpr const char* name = "star";
  static constexpr const char* what = "edges to and from vertex 0 only, in [1, R]";
  static constexpr bool dense = false;
  static constexpr bool complete = false;
  static constexpr int arcs(const Spec&) { return 2; }
  static constexpr Edge arc(const Spec& s, int i, int k) {
    const int weight =
        1 + draw(s.seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k), s.range);
    return {k == 0 ? 0 : i, k == 0 ? i : 0, i == 0 ? kInf : weight};
  }
};

/// Vertices i and j are joined where i ≡ j mod 3, so that every tile holds edges and gaps.
struct Disconnected {
  static constexpr const char* name = "disconnected";
  static constexpr const char* what = "three complete parts (i mod 3), uniform in [0, R)";
  static constexpr bool dense = true;
  static constexpr bool complete = false;
  static constexpr int weight(const Spec& s, int i, int j) {
    return i % 3 == j % 3 ? Uniform::weight(s, i, j) : kInf;
  }
};

/// Powers of two, so that floats hold the sums.
struct LimitPath {
  static constexpr const char* name = "limit-path";
  static constexpr const char* what = "only the chain 0→1→…→n−1, of all but the largest sum";
  static constexpr bool dense = true;
  static constexpr bool complete = false;
  static constexpr int weight(const Spec& s, int i, int j) { return j == i + 1 ? step(s) : kInf; }
  static constexpr int distance(const Spec& s, int i, int j) {
    return j > i ? (j - i) * step(s) : kInf;
  }

 private:
  /// The largest power of two of which n − 1 stay below kInf.
  static constexpr int step(const Spec& s) {
    int step = 1 << 29;
    while (static_cast<std::int64_t>(s.n - 1) * step >= kInf) step /= 2;
    return step;
  }
};

/// The three largest weights that floats hold, too: two of them still fit in an int, three do not.
struct NearLimit {
  static constexpr const char* name = "near-limit";
  static constexpr const char* what = "three complete parts, weights just below 2³⁰";
  static constexpr bool dense = true;
  static constexpr bool complete = false;
  static constexpr int weight(const Spec& s, int i, int j) {
    if (i % 3 != j % 3) return kInf;
    const auto from = static_cast<std::uint64_t>(i), to = static_cast<std::uint64_t>(j);
    return kInf + 1 - 64 * (1 + draw(s.seed, from, to, 3));
  }
  static constexpr int distance(const Spec& s, int i, int j) { return weight(s, i, j); }
};

}  // namespace families

using Families =
    std::tuple<families::Course, families::Uniform, families::Ring, families::RingBack,
               families::PermutedRing, families::Chain, families::LongPath, families::Metric,
               families::Triangular, families::Binary, families::Interior, families::Tail,
               families::Borders, families::Zero, families::Equal, families::Sparse, families::Grid,
               families::Star, families::Disconnected, families::LimitPath, families::NearLimit>;

/// Calls f with a value of the family type that spec.family names.
template <class F>
void withFamily(const Spec& spec, F f) {
  std::apply(
      [&](auto... family) {
        int index = 0;
        ((index++ == spec.family ? f(family) : void()), ...);
      },
      Families{});
}

/// Element (i, j) of a dense family's matrix, diagonal and undirectedness included.
template <class Family>
constexpr int element(const Spec& spec, int i, int j) {
  if (i == j) return 0;
  const int forward = Family::weight(spec, i, j);
  if (!spec.undirected) return forward;
  const int back = Family::weight(spec, j, i);
  return back < forward ? back : forward;
}

template <class Family, class = void>
constexpr bool hasDistance = false;
template <class Family>
constexpr bool hasDistance<Family, std::void_t<decltype(&Family::distance)>> = true;
