// The graph families that can be generated: each is a type, and `Families` lists them all.
//
// A dense family answers weight(spec, i, j) for any i ≠ j. A sparse family has arcs(spec) arcs for
// each vertex i and answers arc(spec, i, k), an edge (kInf = this one is absent). Every answer
// depends on its arguments alone, in integer arithmetic, so that the same seed gives the same bytes
// on any device, with any number of threads. All is constexpr, so that device code may call it
// (nvcc: --expt-relaxed-constexpr). A new family is one struct and one name in the list; help,
// generators, tests and benchmarks follow.
#pragma once

#include <cstdint>
#include <tuple>

#include "apsp.h"
#include "graph.h"

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
  static constexpr int weight(const Spec& s, int i, int j) {
    return draw(s.seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), s.range);
  }
};

struct Ring {
  static constexpr const char* name = "ring";
  static constexpr const char* what = "complete, 1 along the ring 0→1→…→0, R elsewhere";
  static constexpr bool dense = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    return j == (i + 1 < s.n ? i + 1 : 0) ? 1 : s.range;
  }
};

/// A ring through all vertices in an order drawn from the seed: a Feistel network over the bits of
/// n − 1 permutes them, walking on while it leaves [0, n).
struct PermutedRing {
  static constexpr const char* name = "permuted-ring";
  static constexpr const char* what = "complete, 1 along a ring in random order, R elsewhere";
  static constexpr bool dense = true;
  static constexpr int weight(const Spec& s, int i, int j) {
    int position = permute(s, i, false);
    return permute(s, position + 1 < s.n ? position + 1 : 0, true) == j ? 1 : s.range;
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
  static constexpr int weight(const Spec& s, int i, int j) { return j == i + 1 ? 1 : s.range; }
};

struct Sparse {
  static constexpr const char* name = "sparse";
  static constexpr const char* what = "D random arcs from each vertex in [1, R], no others";
  static constexpr bool dense = false;
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
  static constexpr int weight(const Spec&, int, int) { return 0; }
};

struct Star {
  static constexpr const char* name = "star";
  static constexpr const char* what = "edges to and from vertex 0 only, in [1, R]";
  static constexpr bool dense = false;
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
  static constexpr int weight(const Spec& s, int i, int j) {
    return i % 3 == j % 3 ? Uniform::weight(s, i, j) : kInf;
  }
};

}  // namespace families

using Families = std::tuple<families::Course, families::Uniform, families::Ring,
                            families::PermutedRing, families::Chain, families::Sparse,
                            families::Grid, families::Zero, families::Star, families::Disconnected>;

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
