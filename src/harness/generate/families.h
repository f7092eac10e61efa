// The graph families that can be generated. Each is a type, and `Families` at the end lists them
// all: a new family is one struct and one name in that list. The help, the generators, the tests,
// the benchmarks and `apsp check` follow.
//
// A dense family has weight(spec, i, j) for all i ≠ j; infinity means no edge. A sparse family has
// arcs(spec) arcs for each vertex i, and arc(spec, i, k) is the k-th of them; its weight is
// infinity if it does not exist. Both depend on their arguments alone and use integer arithmetic.
// Therefore the same seed gives the same bytes on every device and with any number of threads. All
// functions are constexpr because device code calls them, too (nvcc: --expt-relaxed-constexpr).
//
// Families count in whole numbers of 32 or 64 bits: a Spec is of int, a WideSpec of std::int64_t.
// numberOf() makes the weights of them:
//
//   int32    the number
//   float32  the float nearest to the number of int32
//   int64    the number; R may be larger than for int32
//   float64  The number counts small parts of 1, and its double is the weight. So weights that are
//            drawn from 0…R are real, of 53 random bits. 1 and R are still themselves.
//
// Each family also says:
//   what      its description in the help
//   catches   the mistakes of solvers that a check finds with it
//   complete  whether every edge exists, with a weight of 0…R, as the course demands
//   seeded    whether the graph depends on the seed
//   ranged    whether the weights depend on R
//   distance(spec, i, j)  for i ≠ j, if there is a closed form for the directed graph
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "apsp.h"
#include "base/graph.h"

using namespace engine;

/// A graph to generate.
struct Spec {
  int family = 0;  ///< index into Families
  int n = 0;       ///< vertices
  std::uint64_t seed = 1;
  /// R: the largest weight, or the bound of the random ones; 0 < R < infinity, and below that of
  /// int32 unless weights take 64 bits.
  std::int64_t range = 100000;
  int degree = 8;  ///< arcs that start at each vertex of a `sparse` graph
  /// Every edge also exists backwards. If both directions were there, the lighter weight counts.
  bool undirected = false;
  Dtype dtype = Dtype::kInt32;  ///< of the weights
};

/// A spec of numbers of 64 bits, which count parts of 1: 2^bits are 1. specFor() makes it.
struct WideSpec : Spec {
  int bits = 0;  ///< `range` counts such parts, too
};

namespace families {

/// What the families count in.
template <class S>
using WeightOf = std::conditional_t<std::is_same_v<S, WideSpec>, std::int64_t, int>;

template <class S>
constexpr WeightOf<S> rangeOf(const S& s) {
  return static_cast<WeightOf<S>>(s.range);
}
constexpr int oneOf(const Spec&) {
  return 1;
}
constexpr std::int64_t oneOf(const WideSpec& s) {
  return std::int64_t{1} << s.bits;
}
template <class S>
inline constexpr WeightOf<S> kNoEdge = kInfinity<WeightOf<S>>;

template <class W>
constexpr W lesser(W a, W b) {
  return a < b ? a : b;
}

/// A uniform random number from [0, bound) that depends on (seed, a, b) alone.
constexpr int draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b, int bound) {
  return static_cast<int>(((edgeHash(a, b, seed) >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
}
/// The same number if the bound has 32 bits at most.
constexpr std::int64_t draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b,
                            std::int64_t bound) {
  const std::uint64_t random = edgeHash(a, b, seed), most = static_cast<std::uint64_t>(bound);
  const std::uint64_t high = random >> 32, low = random & 0xffffffff;
  if (most >> 32 == 0) return static_cast<std::int64_t>((high * most) >> 32);
  // The upper half of random · most.
  const std::uint64_t mostHigh = most >> 32, mostLow = most & 0xffffffff;
  const std::uint64_t middle = high * mostLow + ((low * mostLow) >> 32);
  const std::uint64_t other = low * mostHigh + (middle & 0xffffffff);
  return static_cast<std::int64_t>(high * mostHigh + (middle >> 32) + (other >> 32));
}

/// A uniform random weight from 1…R.
template <class S>
constexpr WeightOf<S> drawFromOne(const S& s, std::uint64_t a, std::uint64_t b) {
  return oneOf(s) + draw(s.seed, a, b, rangeOf(s) - oneOf(s) + 1);
}

/// The length of so many edges of weight 1, or R if that is less.
template <class S>
constexpr WeightOf<S> lengthOf(const S& s, int edges) {
  return edges < rangeOf(s) / oneOf(s) ? edges * oneOf(s) : rangeOf(s);
}

/// The course's own data: four steps of a linear congruential generator, with the tile and the
/// offset of j and then of i.
struct Course {
  static constexpr const char* name = "course";
  static constexpr const char* what = "complete, the course's near-regular data in [0, R)";
  static constexpr const char* catches = "what the course's own test catches, at every size";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    std::uint64_t r = static_cast<std::uint64_t>(rangeOf(s) / oneOf(s)), x = s.seed % r;
    x = (x * 179424673 + static_cast<std::uint64_t>(j / 32) + 275604541) % r;
    x = (x * 373587883 + static_cast<std::uint64_t>(j % 32) + 472882027) % r;
    x = (x * 179424673 + static_cast<std::uint64_t>(i / 32) + 275604541) % r;
    x = (x * 373587883 + static_cast<std::uint64_t>(i % 32) + 472882027) % r;
    return static_cast<WeightOf<S>>(x) * oneOf(s) + part(s, i, j);
  }

 private:
  static constexpr int part(const Spec&, int, int) { return 0; }
  /// The data are whole numbers. Of reals they are the whole parts.
  static constexpr std::int64_t part(const WideSpec& s, int i, int j) {
    return draw(s.seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), oneOf(s));
  }
};

struct Uniform {
  static constexpr const char* name = "uniform";
  static constexpr const char* what = "complete, uniform in [0, R)";
  static constexpr const char* catches = "a race, because every element falls many times";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return draw(s.seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), rangeOf(s));
  }
};

struct Ring {
  static constexpr const char* name = "ring";
  static constexpr const char* what = "complete, 1 along the ring 0→1→…→0, R elsewhere";
  static constexpr const char* catches = "a pivot tile that is not closed, a pivot left out";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = false;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return j == (i + 1 < s.n ? i + 1 : 0) ? oneOf(s) : rangeOf(s);
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return lengthOf(s, j > i ? j - i : j - i + s.n);
  }
};

struct RingBack {
  static constexpr const char* name = "ring-back";
  static constexpr const char* what = "complete, 1 along the ring n−1→n−2→…→n−1, R elsewhere";
  static constexpr const char* catches = "the same, if the order of pivots hides it in `ring`";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = false;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return Ring::weight(s, j, i);
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return Ring::distance(s, j, i);
  }
};

/// A ring through all vertices in a random order. A Feistel network over the bits of n − 1 permutes
/// the vertices; it is applied again while its result is not in [0, n).
struct PermutedRing {
  static constexpr const char* name = "permuted-ring";
  static constexpr const char* what = "complete, 1 along a ring in random order, R elsewhere";
  static constexpr const char* catches = "a tile left out of a round, rounds in a wrong order";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return follows(s, i, j) ? oneOf(s) : rangeOf(s);
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return Ring::distance(s, permute(s, i, false), permute(s, j, false));
  }
  /// Whether j comes after i in the ring.
  static constexpr bool follows(const Spec& s, int i, int j) {
    const int position = permute(s, i, false);
    return permute(s, position + 1 < s.n ? position + 1 : 0, true) == j;
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

/// Of random weights a few light edges of each vertex are nearly always enough. Here some edges are
/// heavy and yet necessary, because their ends are far from everything. The vertices are in blocks.
/// In each of them, the seed chooses a source, a target and four vertices of a path. All edges from
/// sources, to targets, and to and from the path weigh at least L, with two exceptions:
///
///   source → target   weighs less than 2 L. Every other way has an edge from the source and one to
///                     the target, and is longer. About 100 edges of each may be lighter.
///   the path          Its edges weigh less than L together, and every other way between two of its
///                     vertices has an edge of L or more. It visits the blocks in a random order.
///
/// About 100 edges of each other vertex weigh less than L, which is at most R/4. A larger L would
/// take the time of honest solvers: whoever leaves out edges by proof looks at all that weigh less
/// than L; and with the course's R, distances up to 2 L fit in 15 bits. There are few blocks,
/// because many edges of the chosen vertices have to be kept.
struct Necessary {
  static constexpr const char* name = "necessary";
  static constexpr const char* what = "complete, in [0, R]; heavy edges and a path are necessary";
  static constexpr const char* catches = "edges left out without a proof that they are too long";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    const int bits = blockBits(s.n);
    const int from = role(s, bits, i), to = role(s, bits, j);
    const bool leaves = from != kTarget && from != kOther, enters = to != kSource && to != kOther;
    const auto a = static_cast<std::uint64_t>(i), b = static_cast<std::uint64_t>(j);
    if (!leaves && !enters) return draw(s.seed, a, b, rangeOf(s));
    const WeightOf<S> least = leastOf(s);
    if (follows(s, bits, i, from, j, to))
      return draw(s.seed, a, b, least / ((s.n >> bits) * kPath) + 1);
    return least + draw(s.seed, a, b, leaves && enters ? least : rangeOf(s) - least + 1);
  }
  /// L, the least weight of the heavy edges.
  template <class S>
  static constexpr WeightOf<S> leastOf(const S& s) {
    // So many random edges are lighter: kLighter · R/n, without an overflow.
    const std::int64_t light = kLighter * (s.range / s.n) + kLighter * (s.range % s.n) / s.n;
    const auto part =
        static_cast<WeightOf<S>>(s.n < kLighter ? s.range / 4 : lesser(s.range / 4, light));
    return part + 1 + draw(s.seed, kPlace, 0, part / 8 + 1);
  }
  static constexpr bool isSource(const Spec& s, int v) {
    return role(s, blockBits(s.n), v) == kSource;
  }
  static constexpr bool isTarget(const Spec& s, int v) {
    return role(s, blockBits(s.n), v) == kTarget;
  }
  /// Whether the edge from i to j is on the path.
  static constexpr bool isOnPath(const Spec& s, int i, int j) {
    const int bits = blockBits(s.n);
    return follows(s, bits, i, role(s, bits, i), j, role(s, bits, j));
  }

 private:
  static constexpr std::uint64_t kPlace = 0x6661722061776179;  // no vertex has this number
  static constexpr int kSource = 0, kTarget = 1, kFirst = 2;   // roles
  static constexpr int kPath = 4, kOther = kFirst + kPath;
  static constexpr std::int64_t kLighter = 100;

  /// A block has 2^bits vertices: 2 to 8 √n, but not more than n. Small graphs have more blocks,
  /// because solvers leave out edges of large ones only. Without a loop, because this is computed
  /// for each edge.
  static constexpr int blockBits(int n) {
    return n >= 1 << 16   ? 11
           : n >= 1 << 14 ? 10
           : n >= 1 << 12 ? 9
           : n >= 1 << 10 ? 8
           : n >= 1 << 9  ? 7
           : n >= 1 << 8  ? 6
           : n >= 1 << 6  ? 5
           : n >= 1 << 4  ? 4
           : n >= 1 << 3  ? 3
                          : (n >= 2);
  }
  /// Multiplication by an odd number permutes the vertices of a block; the first ones have roles.
  static constexpr int role(const Spec& s, int bits, int v) {
    const int block = v >> bits;
    if (block == s.n >> bits) return kOther;  // the rest of n
    const std::uint64_t random = edgeHash(kPlace, static_cast<std::uint64_t>(block), s.seed);
    const std::uint64_t place = static_cast<std::uint64_t>(v) * (random >> 32 | 1) + random;
    return lesser(static_cast<int>(place & ((1U << bits) - 1)), kOther);
  }
  static constexpr bool follows(const Spec& s, int bits, int i, int from, int j, int to) {
    if (from < kFirst || from == kOther) return false;
    if (from + 1 < kOther) return to == from + 1 && i >> bits == j >> bits;
    if (to != kFirst) return false;
    Spec blocks = s;
    blocks.n = s.n >> bits;
    return PermutedRing::follows(blocks, i >> bits, j >> bits);
  }
};

struct Chain {
  static constexpr const char* name = "chain";
  static constexpr const char* what = "complete, 1 along the chain 0→1→…→n−1, R elsewhere";
  static constexpr const char* catches =
      "rows and columns exchanged, a last row or column left out";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = false;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return j == i + 1 ? oneOf(s) : rangeOf(s);
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return j > i ? lengthOf(s, j - i) : rangeOf(s);
  }
};

/// The longest path's sum is as close to R as equal weights allow.
struct LongPath {
  static constexpr const char* name = "long-path";
  static constexpr const char* what = "complete, the chain 0→1→…→n−1 weighs R, R elsewhere";
  static constexpr const char* catches = "sums cut off: the constant for infinity is too small";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = false;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return j == i + 1 ? step(s) : rangeOf(s);
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return j > i ? lesser(rangeOf(s), (j - i) * step(s)) : rangeOf(s);
  }

  /// The largest weight with which n − 1 edges weigh at most R, or 1.
  template <class S>
  static constexpr WeightOf<S> step(const S& s) {
    return s.range < s.n ? 1 : rangeOf(s) / (s.n - 1);
  }
};

struct Metric {
  static constexpr const char* name = "metric";
  static constexpr const char* what = "complete, |i − j| to scale: no path is shorter";
  static constexpr const char* catches =
      "any value too small: from padding, another row or an old call";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = false;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return lesser(rangeOf(s), (i < j ? j - i : i - j) * LongPath::step(s));
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return weight(s, i, j);
  }
};

struct Triangular {
  static constexpr const char* name = "triangular";
  static constexpr const char* what = "complete, uniform in [0, R) where i < j, R below";
  static constexpr const char* catches = "a matrix taken for symmetric, one half left out";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return i < j ? Uniform::weight(s, i, j) : rangeOf(s);
  }
};

/// About two edges of weight 0 start at each vertex, so shortest paths have many edges.
struct Binary {
  static constexpr const char* name = "binary";
  static constexpr const char* what = "complete, 0 with a chance of 2 in n, else 1";
  static constexpr const char* catches = "weight 0 taken for no edge, paths of equal length";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = true;
  static constexpr bool ranged = false;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    const bool zero =
        draw(s.seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), s.n) < 2;
    return zero ? 0 : oneOf(s);
  }
};

/// A hub of eight consecutive vertices (n if that is less), of which `base` is the first. A chain
/// of edges of weight 1 visits the hub's even vertices upwards and then its odd ones downwards.
/// Edges of weight 1 lead from every vertex to the chain's start, and from its end to every vertex.
/// Therefore every short path runs along the chain, which does not follow the order of pivots.
struct Hub {
  int base, length;

  /// How many vertices a hub has.
  static constexpr int sizeOf(const Spec& s) { return lesser(s.n, 8); }
  template <class S>
  constexpr WeightOf<S> weight(const S& s, int i, int j) const {
    const int from = place(i), to = place(j);
    const bool light = to == 0 || from == length - 1 || (from >= 0 && to == from + 1);
    return light ? oneOf(s) : rangeOf(s);
  }
  template <class S>
  constexpr WeightOf<S> distance(const S& s, int i, int j) const {
    const int through = toPlace(i, length - 1) + 1;
    return lengthOf(s, place(j) < 0 ? through : lesser(through, toPlace(i, place(j))));
  }

 private:
  /// The vertex's place in the chain, −1 if it is not in the hub.
  constexpr int place(int vertex) const {
    const int offset = vertex - base;
    if (offset < 0 || offset >= length) return -1;
    return offset % 2 == 0 ? offset / 2 : length - 1 - offset / 2;
  }
  /// The distance from a vertex to a place in the chain, without the edges from the chain's end.
  constexpr int toPlace(int vertex, int to) const {
    const int from = place(vertex);
    return from >= 0 && from <= to ? to - from : 1 + to;
  }
};

/// The hub lies in the middle of sixteen vertices, and therefore within one tile of most sizes. The
/// seed chooses which sixteen.
struct Interior {
  static constexpr const char* name = "interior";
  static constexpr const char* what = "complete, short paths through 8 vertices of a tile";
  static constexpr const char* catches = "panels relaxed before the pivot tile is closed";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return hub(s).weight(s, i, j);
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return hub(s).distance(s, i, j);
  }

 private:
  static constexpr Hub hub(const Spec& s) {
    return {s.n < 12 ? 0 : 4 + 16 * draw(s.seed, 0, 0, (s.n + 4) / 16), Hub::sizeOf(s)};
  }
};

/// The hub is the last vertices. Therefore its end is in the last tile, however small that is.
struct Tail {
  static constexpr const char* name = "tail";
  static constexpr const char* what = "complete, short paths through the last 8 vertices";
  static constexpr const char* catches =
      "the last, partial tile left out as a pivot, or closed in part";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = false;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return hub(s).weight(s, i, j);
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return hub(s).distance(s, i, j);
  }

 private:
  static constexpr Hub hub(const Spec& s) { return {s.n - Hub::sizeOf(s), Hub::sizeOf(s)}; }
};

/// Blocks of eight vertices; most tile sizes are multiples of eight. Within a block, the edges to
/// and from its first and its last vertex have weight 1. So have the edges between the last vertex
/// of a block and the first one of the next, in both directions. Therefore the inner vertices of
/// every short path lie at the borders of blocks, and of tiles.
struct Borders {
  static constexpr const char* name = "borders";
  static constexpr const char* what = "complete, short paths along borders of 8 vertices";
  static constexpr const char* catches = "a first or last row or column of a tile left out";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = false;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    if (i / kBlock != j / kBlock) return i - j == 1 || j - i == 1 ? oneOf(s) : rangeOf(s);
    return first(i) || last(s, i) || first(j) || last(s, j) ? oneOf(s) : rangeOf(s);
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    const int from = i / kBlock, to = j / kBlock;
    if (from == to) return lengthOf(s, weight(s, i, j) == oneOf(s) ? 1 : 2);
    const int ends = from < to ? !last(s, i) + !first(j) : !first(i) + !last(s, j);
    return lengthOf(s, ends + 2 * (from < to ? to - from : from - to) - 1);
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
  static constexpr const char* catches = "a missing edge added up as a weight";
  static constexpr bool dense = false;
  static constexpr bool complete = false;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  static constexpr int arcs(const Spec& s) { return s.degree < s.n - 1 ? s.degree : s.n - 1; }
  /// Arc k ends in the k-th of D equal shares of the other vertices. Therefore no two arcs of a
  /// vertex have the same end.
  template <class S>
  static constexpr Edge<WeightOf<S>> arc(const S& s, int i, int k) {
    const std::int64_t others = s.n - 1, d = arcs(s), low = k * others / d,
                       high = (k + 1) * others / d;
    const auto from = static_cast<std::uint64_t>(i), index = static_cast<std::uint64_t>(k);
    const int to =
        static_cast<int>(low) + draw(s.seed, from, 2 * index, static_cast<int>(high - low));
    return {i, to < i ? to : to + 1, drawFromOne(s, from, 2 * index + 1)};
  }
};

/// Rows of ⌈√n⌉ vertices. All vertical edges and those of the first row exist, so the graph is
/// connected. Half of the other horizontal edges exist: the mean degree is 3, as in road networks.
struct Grid {
  static constexpr const char* name = "grid";
  static constexpr const char* what = "road-like, undirected, mean degree 3, in [1, R]";
  static constexpr const char* catches = "the same over long paths";
  static constexpr bool dense = false;
  static constexpr bool complete = false;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  static constexpr int arcs(const Spec&) { return 4; }
  template <class S>
  static constexpr Edge<WeightOf<S>> arc(const S& s, int i, int k) {
    const int width = rowLength(s.n);
    const bool across = k < 2, back = k % 2 != 0;
    const int other = across ? i + 1 : i + width;
    const auto id = static_cast<std::uint64_t>(i);
    const bool exists =
        other < s.n && other > i &&
        (!across || ((i + 1) % width != 0 && (i < width || draw(s.seed, id, 2, 2) == 0)));
    return {back ? other : i, back ? i : other, exists ? drawFromOne(s, id, across) : kNoEdge<S>};
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
  static constexpr const char* catches = "values made up although all are equal";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = false;
  static constexpr bool ranged = false;
  template <class S>
  static constexpr WeightOf<S> weight(const S&, int, int) {
    return 0;
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S&, int, int) {
    return 0;
  }
};

struct Equal {
  static constexpr const char* name = "equal";
  static constexpr const char* what = "complete, every weight R";
  static constexpr const char* catches = "padding that leaks, arithmetic of 16 bits";
  static constexpr bool dense = true;
  static constexpr bool complete = true;
  static constexpr bool seeded = false;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int, int) {
    return rangeOf(s);
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int, int) {
    return rangeOf(s);
  }
};

struct Star {
  static constexpr const char* name = "star";
  static constexpr const char* what = "edges to and from vertex 0 only, in [1, R]";
  static constexpr const char* catches = "errors at the one vertex that all paths need";
  static constexpr bool dense = false;
  static constexpr bool complete = false;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  static constexpr int arcs(const Spec&) { return 2; }
  template <class S>
  static constexpr Edge<WeightOf<S>> arc(const S& s, int i, int k) {
    const WeightOf<S> weight =
        drawFromOne(s, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
    return {k == 0 ? 0 : i, k == 0 ? i : 0, i == 0 ? kNoEdge<S> : weight};
  }
};

/// An edge from i to j exists if i ≡ j mod 3. Therefore every tile has edges and missing edges.
struct Disconnected {
  static constexpr const char* name = "disconnected";
  static constexpr const char* what = "three complete parts (i mod 3), uniform in [0, R)";
  static constexpr const char* catches =
      "missing edges in every tile, parts joined through padding";
  static constexpr bool dense = true;
  static constexpr bool complete = false;
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return i % 3 == j % 3 ? Uniform::weight(s, i, j) : kNoEdge<S>;
  }
};

/// The weights are powers of two, because floats hold their sums exactly. The limit is that of
/// int32, whatever type the weights have. That of int64 is reached by `long-path` and `equal`, if R
/// is so large.
struct LimitPath {
  static constexpr const char* name = "limit-path";
  static constexpr const char* what = "only the chain 0→1→…→n−1, of all but the largest sum";
  static constexpr const char* catches = "overflow of sums near the largest distance";
  static constexpr bool dense = true;
  static constexpr bool complete = false;
  static constexpr bool seeded = false;
  static constexpr bool ranged = false;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return j == i + 1 ? step(s) : kNoEdge<S>;
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return j > i ? (j - i) * step(s) : kNoEdge<S>;
  }

 private:
  /// The largest power of two whose (n − 1)-fold is below kInf.
  static constexpr int step(const Spec& s) {
    int step = 1 << 29;
    while (static_cast<std::int64_t>(s.n - 1) * step >= kInf) step /= 2;
    return step;
  }
};

/// The three largest weights that floats hold, too: the sum of two fits in an int, of three not.
struct NearLimit {
  static constexpr const char* name = "near-limit";
  static constexpr const char* what = "three complete parts, weights just below 2^30";
  static constexpr const char* catches =
      "overflow: two weights near the limit fit in an int, three do not";
  static constexpr bool dense = true;
  static constexpr bool complete = false;
  static constexpr bool seeded = true;
  static constexpr bool ranged = false;
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    if (i % 3 != j % 3) return kNoEdge<S>;
    const auto from = static_cast<std::uint64_t>(i), to = static_cast<std::uint64_t>(j);
    return kInf + 1 - 64 * (1 + draw(s.seed, from, to, 3));
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return weight(s, i, j);
  }
};

/// A family of weights that are not negative, with a potential p(v) planted in each vertex: the
/// edge from i to j weighs w(i,j) + p(j) − p(i). Of a path the potentials of the inner vertices
/// cancel, so d(i,j) is the distance in the family below plus p(j) − p(i), and no cycle is
/// negative.
///
/// The potentials are drawn from 0…R/3, and the family below has a bound of R − R/3, so weights lie
/// in −R/3…R. Doubles hold all of them exactly, and so the sums of cycles are no less than 0.
template <class Base>
struct Planted {
  using Below = Base;
  static constexpr bool dense = Base::dense;
  static constexpr bool complete = false;  // the course has no negative weights
  static constexpr bool seeded = true;
  static constexpr bool ranged = true;
  template <class S>
  static constexpr WeightOf<S> potential(const S& s, int v) {
    return draw(s.seed, static_cast<std::uint64_t>(v), kPlace, third(s) + 1);
  }
  template <class S>
  static constexpr S below(S s) {
    s.range -= third(s);
    return s;
  }
  template <class S>
  static constexpr WeightOf<S> shifted(const S& s, int i, int j, WeightOf<S> weight) {
    return weight == kNoEdge<S> ? weight : weight + potential(s, j) - potential(s, i);
  }

 private:
  static constexpr std::uint64_t kPlace = 0x706c616e74;  // no vertex has this number
  /// R/3 without a fraction, so that R − R/3 is not below 1.
  template <class S>
  static constexpr WeightOf<S> third(const S& s) {
    return rangeOf(s) / oneOf(s) / 3 * oneOf(s);
  }
};

template <class Base>
struct PlantedMatrix : Planted<Base> {
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return PlantedMatrix::shifted(s, i, j, Base::weight(PlantedMatrix::below(s), i, j));
  }
};

struct PlantedUniform : PlantedMatrix<Uniform> {
  static constexpr const char* name = "planted";
  static constexpr const char* what = "complete, uniform plus potentials, in [-R/3, R]";
  static constexpr const char* catches = "a shift that is left out, or has the wrong sign";
};

struct PlantedZero : PlantedMatrix<Binary> {
  static constexpr const char* name = "planted-zero";
  static constexpr const char* what = "complete, 0 and 1 plus potentials: cycles of length 0";
  static constexpr const char* catches = "cycles of length 0 taken for negative ones";
};

struct PlantedArcs : Planted<Sparse> {
  static constexpr const char* name = "planted-arcs";
  static constexpr const char* what = "`sparse` plus potentials: some pairs are unreachable";
  static constexpr const char* catches = "a missing edge that is shifted, and becomes one";
  static constexpr int arcs(const Spec& s) { return Sparse::arcs(s); }
  template <class S>
  static constexpr Edge<WeightOf<S>> arc(const S& s, int i, int k) {
    const auto e = Sparse::arc(below(s), i, k);
    return {e.from, e.to, shifted(s, e.from, e.to, e.weight)};
  }
};

/// Rows of a matrix are read upwards and the chain leads downwards, so each pass of Bellman and
/// Ford settles one vertex more.
struct Descent {
  static constexpr const char* name = "descent";
  static constexpr const char* what = "only the chain n-1→…→1→0, of all but the least sum";
  static constexpr const char* catches = "too few passes, overflow of sums near the least distance";
  static constexpr bool dense = true;
  static constexpr bool complete = false;
  static constexpr bool seeded = false;
  static constexpr bool ranged = false;
  static constexpr int step(const Spec& s) { return s.n > 1 ? (kInf - 1) / (s.n - 1) : 0; }
  template <class S>
  static constexpr WeightOf<S> weight(const S& s, int i, int j) {
    return j == i - 1 ? -step(s) : kNoEdge<S>;
  }
  template <class S>
  static constexpr WeightOf<S> distance(const S& s, int i, int j) {
    return j < i ? (j - i) * step(s) : kNoEdge<S>;
  }
};

}  // namespace families

/// The families whose weights are as apsp.h says.
using Families =
    std::tuple<families::Course, families::Uniform, families::Ring, families::RingBack,
               families::PermutedRing, families::Chain, families::LongPath, families::Metric,
               families::Triangular, families::Binary, families::Interior, families::Tail,
               families::Borders, families::Necessary, families::Zero, families::Equal,
               families::Sparse, families::Grid, families::Star, families::Disconnected,
               families::LimitPath, families::NearLimit>;

/// Those with negative weights. Their indices follow those of Families.
using NegativeFamilies = std::tuple<families::PlantedUniform, families::PlantedZero,
                                    families::PlantedArcs, families::Descent>;

/// Calls f with a value of the family type that spec.family names.
template <class F>
void withFamily(const Spec& spec, F f) {
  std::apply(
      [&](auto... family) {
        int index = 0;
        ((index++ == spec.family ? f(family) : void()), ...);
      },
      std::tuple_cat(Families{}, NegativeFamilies{}));
}

/// Element (i, j) of a dense family's matrix, with the diagonal and for undirected graphs, too.
template <class Family, class S>
constexpr families::WeightOf<S> element(const S& spec, int i, int j) {
  if (i == j) return 0;
  const auto forward = Family::weight(spec, i, j);
  if (!spec.undirected) return forward;
  const auto back = Family::weight(spec, j, i);
  return back < forward ? back : forward;
}

/// Whether a family has a closed form of its distances.
template <class Family, class = void>
constexpr bool hasDistance = false;
template <class Family>
constexpr bool hasDistance<Family, std::void_t<decltype(Family::distance(Spec(), 0, 0))>> = true;

/// Whether a family has potentials planted in another one, Family::Below.
template <class Family, class = void>
constexpr bool hasPotentials = false;
template <class Family>
constexpr bool hasPotentials<Family, std::void_t<decltype(Family::potential(Spec(), 0))>> = true;

/// What a family counts weights of type T in.
template <class T>
using SpecFor = std::conditional_t<sizeof(T) == sizeof(int), Spec, WideSpec>;

/// The spec of a family for weights of type T. Of float64, only weights that are drawn up to R have
/// parts; and where potentials are planted, doubles hold the numbers exactly.
template <class Family, class T>
constexpr SpecFor<T> specFor(const Spec& spec) {
  SpecFor<T> own;
  static_cast<Spec&>(own) = spec;
  if constexpr (std::is_same_v<T, double> && Family::seeded && Family::ranged) {
    constexpr int kMostBits = hasPotentials<Family> ? 52 : 61;
    own.bits = kMostBits;
    for (std::int64_t rest = spec.range; rest > 0 && own.bits > 0; rest /= 2) --own.bits;
    own.range <<= own.bits;
  }
  return own;
}

/// A number of a family as a weight of type T.
template <class T, class S>
constexpr T numberOf(const S& spec, families::WeightOf<S> number) {
  if (number == families::kNoEdge<S>) return kInfinity<T>;
  if constexpr (std::is_same_v<S, WideSpec> && std::is_floating_point_v<T>)
    return static_cast<T>(number) * (T(1) / static_cast<T>(families::oneOf(spec)));  // exact
  else
    return static_cast<T>(number);
}
