// Breadth-first searches from many sources: against a queue for each source, and when they are
// chosen.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/dtype.h"
#include "base/elements.h"
#include "base/graph.h"
#include "base/size.h"
#include "bfs/level_search.h"
#include "bfs/levels_gpu.h"
#include "bfs/shape.h"
#include "device/simd.h"
#include "devices.h"
#include "generate/source.h"
#include "plan/edges_in_place.h"
#include "seed.h"
#include "several/source_rows.h"
#include "solver/gpu_rows.h"
#include "solver/small_rows.h"
#include "solver/solver.h"
#include "threads.h"
#include "verify/bellman.h"
#include "verify/verify.h"

namespace {

using bfs::LevelSearch;

using Arcs = std::set<std::pair<int, int>>;

/// Structures, as arcs of n vertices.
struct Structure {
  const char* name;
  void (*add)(int n, std::mt19937& random, Arcs& arcs);
};

int below(int limit, std::mt19937& random) {
  return static_cast<int>(random() % static_cast<std::uint32_t>(std::max(1, limit)));
}

void bothWays(int a, int b, Arcs& arcs) {
  arcs.insert({a, b});
  arcs.insert({b, a});
}

const Structure kStructures[] = {
    {"none", [](int, std::mt19937&, Arcs&) {}},
    {"path",
     [](int n, std::mt19937&, Arcs& arcs) {
       for (int v = 1; v < n; ++v) bothWays(v - 1, v, arcs);
     }},
    {"path one way",
     [](int n, std::mt19937&, Arcs& arcs) {
       for (int v = 1; v < n; ++v) arcs.insert({v - 1, v});
     }},
    {"star",
     [](int n, std::mt19937&, Arcs& arcs) {
       for (int v = 1; v < n; ++v) bothWays(0, v, arcs);
     }},
    {"star out",
     [](int n, std::mt19937&, Arcs& arcs) {
       for (int v = 1; v < n; ++v) arcs.insert({0, v});
     }},
    {"star in",
     [](int n, std::mt19937&, Arcs& arcs) {
       for (int v = 1; v < n; ++v) arcs.insert({v, 0});
     }},
    {"pairs",
     [](int n, std::mt19937&, Arcs& arcs) {
       for (int v = 1; v < n; v += 2) bothWays(v - 1, v, arcs);
     }},
    {"tree",
     [](int n, std::mt19937& random, Arcs& arcs) {
       for (int v = 1; v < n; ++v) bothWays(below(v, random), v, arcs);
     }},
    {"grid",
     [](int n, std::mt19937&, Arcs& arcs) {
       int side = 1;
       while ((side + 1) * (side + 1) <= n) ++side;
       for (int v = 0; v < n; ++v) {
         if (v % side != 0) bothWays(v - 1, v, arcs);
         if (v >= side) bothWays(v - side, v, arcs);
       }
     }},
    {"complete",
     [](int n, std::mt19937&, Arcs& arcs) {
       for (int v = 0; v < std::min(n, 150); ++v)
         for (int u = 0; u < v; ++u) bothWays(u, v, arcs);
     }},
    {"bipartite",
     [](int n, std::mt19937&, Arcs& arcs) {
       for (int v = 0; v < n / 2; ++v)
         for (int k = 0; k < 9; ++k)
           bothWays(v, n / 2 + (v * 7 + k) % std::max(1, n - n / 2), arcs);
     }},
    {"few arcs",
     [](int n, std::mt19937& random, Arcs& arcs) {
       for (int e = 0; e < n; ++e) arcs.insert({below(n, random), below(n, random)});
     }},
    {"many arcs",
     [](int n, std::mt19937& random, Arcs& arcs) {
       for (int e = 0; e < 6 * n; ++e) arcs.insert({below(n, random), below(n, random)});
     }},
    {"power law",
     [](int n, std::mt19937& random, Arcs& arcs) {
       for (int e = 0; e < 3 * n; ++e)
         arcs.insert({below(below(n, random) + 1, random), below(n, random)});
     }},
    {"leaves of leaves",
     [](int n, std::mt19937& random, Arcs& arcs) {
       for (int v = 1; v < n; ++v) {
         const int u = below(std::min(v, 5), random);
         switch (below(4, random)) {
           case 0:
             arcs.insert({v, u});
             break;
           case 1:
             arcs.insert({u, v});
             break;
           default:
             bothWays(u, v, arcs);
         }
       }
     }},
};

/// The arcs that are no loops as edges of one weight.
template <class T>
Graph graphOf(int n, const Arcs& arcs, T weight) {
  Edges<T> edges;
  for (const auto& [from, to] : arcs)
    if (from != to) edges.push_back({from, to, weight});
  return fromEdges(n, std::move(edges));
}

/// The same graph from edges in any order. Some of them are there twice, some have a heavier one
/// beside them, and some vertices have an edge to themselves.
Graph graphWithCopies(int n, const Arcs& arcs, std::int32_t weight, std::mt19937& random) {
  Edges<std::int32_t> edges;
  for (const auto& [from, to] : arcs) {
    edges.push_back({from, to, weight});
    if (below(3, random) == 0) edges.push_back({from, to, weight});
    if (below(3, random) == 0) edges.push_back({from, to, weight + 1 + below(5, random)});
  }
  for (int v = 0; v < n; ++v)
    if (below(2, random) == 0) edges.push_back({v, v, below(2, random) == 0 ? weight : weight + 1});
  std::shuffle(edges.begin(), edges.end(), random);
  return fromEdges(n, std::move(edges));
}

constexpr int kNever = -1;

/// Of each vertex, those that arcs lead to.
using Heads = std::vector<std::vector<int>>;

Heads headsOf(int n, const Arcs& arcs) {
  Heads heads(asSize(n));
  for (const auto& [from, to] : arcs) heads[asSize(from)].push_back(to);
  return heads;
}

/// The steps from a vertex to all others, or kNever. In the simplest way, which shares nothing with
/// what is tested.
std::vector<int> stepsFrom(const Heads& heads, int source) {
  std::vector<int> steps(heads.size(), kNever), queue = {source};
  steps[asSize(source)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const int head : heads[asSize(queue[i])]) {
      if (steps[asSize(head)] != kNever) continue;
      steps[asSize(head)] = steps[asSize(queue[i])] + 1;
      queue.push_back(head);
    }
  return steps;
}

std::vector<int> allOf(int n) {
  std::vector<int> vertices(asSize(n));
  std::iota(vertices.begin(), vertices.end(), 0);
  return vertices;
}

/// Entries of rows from `sources` to `targets` that are not weight · steps.
template <class T>
int wrongIn(int n, const Arcs& arcs, T weight, const std::vector<int>& sources,
            const std::vector<int>& targets, const T* rows) {
  int wrong = 0;
  const Heads heads = headsOf(n, arcs);
  for (const int source : sources) {
    const std::vector<int> steps = stepsFrom(heads, source);
    for (const int target : targets) {
      const int count = steps[asSize(target)];
      const bool far = count == kNever || static_cast<long double>(count) * weight >= kInfinity<T>;
      wrong += *rows++ != (far ? kInfinity<T> : static_cast<T>(count) * weight);
    }
  }
  return wrong;
}

/// From how many searches on batches are wide: never, and always.
constexpr int kNarrow = std::numeric_limits<int>::max(), kWide = 0;
constexpr int kWidths[] = {kNarrow, kWide};

/// Solves a graph of one weight, and returns how many entries are wrong.
template <class T>
int wrongOf(int n, const Arcs& arcs, T weight, const std::vector<int>& sources,
            const std::vector<int>& targets, int many, const std::string& simd = "",
            bool expects = false) {
  LevelSearch search(graphOf(n, arcs, weight), sources, targets, simd, many);
  if (expects) {
    EXPECT_TRUE(search.expect(1e9));
  }
  std::vector<T> rows(sources.size() * targets.size() + 1, 77);
  search.solve(0, static_cast<int>(sources.size()), rows.data());
  EXPECT_EQ(rows.back(), 77);
  return wrongIn(n, arcs, weight, sources, targets, rows.data());
}

Arcs arcsOf(const Structure& structure, int n, std::mt19937& random) {
  Arcs arcs;
  structure.add(n, random, arcs);
  return arcs;
}

/// A ring, so that no vertex hangs, and so many random arcs from each vertex.
Arcs ringWith(int more, int n, std::mt19937& random) {
  Arcs arcs;
  for (int v = 0; v < n; ++v) {
    arcs.insert({v, (v + 1) % n});
    for (int k = 0; k < more; ++k) arcs.insert({v, below(n, random)});
  }
  return arcs;
}

std::string structureName(const testing::TestParamInfo<Structure>& each) {
  std::string name = each.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

class OfStructure : public testing::TestWithParam<Structure> {
 protected:
  std::mt19937 random_{testSeed()};
};

TEST_P(OfStructure, AllSizesAreRight) {
  for (int n = 1; n <= 130; ++n) {
    if (!takesSize(n)) continue;
    const Arcs arcs = arcsOf(GetParam(), n, random_);
    for (const int many : kWidths)
      EXPECT_EQ(wrongOf<std::int32_t>(n, arcs, 1, allOf(n), allOf(n), many), 0) << n;
  }
}

TEST_P(OfStructure, SizesAroundBatchesAreRight) {
  int turn = static_cast<int>(random_() % 7);
  for (const int n : {511, 512, 513, 600, 2047, 2048, 2049}) {
    if (!takes(++turn, 3)) continue;
    const Arcs arcs = arcsOf(GetParam(), n, random_);
    for (const int many : kWidths) {
      const bool expects = (many == kWide) == (n % 2 == 1);
      EXPECT_EQ(wrongOf<std::int32_t>(n, arcs, 3, allOf(n), allOf(n), many, "", expects), 0) << n;
    }
  }
}

TEST_P(OfStructure, NumbersOfSourcesAroundBatchesAreRight) {
  const int n = 1300;
  const Arcs arcs = arcsOf(GetParam(), n, random_);
  std::vector<int> sources = allOf(n), targets;
  std::shuffle(sources.begin(), sources.end(), random_);
  for (int i = 0; i < 140; ++i) targets.push_back(below(n, random_));
  for (const int count : {63, 64, 65, 127, 128, 129, 511, 512, 513, 1023, 1024, 1025}) {
    const std::vector<int> some(sources.begin(), sources.begin() + count);
    for (const int many : kWidths)
      EXPECT_EQ(wrongOf<std::int32_t>(n, arcs, 3, some, targets, many), 0) << count;
  }
}

TEST_P(OfStructure, AllInstructionSetsAndTypesAreRight) {
  for (const int n : {70, 700}) {
    const Arcs arcs = arcsOf(GetParam(), n, random_);
    for (const char* simd : {"avx512", "avx2", "portable"}) {
      if (!hasSimd(simd)) continue;
      for (const int many : kWidths) {
        SCOPED_TRACE(simd + std::string(many == kWide ? ", wide" : ""));
        const auto wrong = [&](auto weight) {
          return wrongOf(n, arcs, weight, allOf(n), allOf(n), many, simd);
        };
        EXPECT_EQ(wrong(std::int32_t{7}), 0);
        EXPECT_EQ(wrong(0.5F), 0);
        EXPECT_EQ(wrong(std::int64_t{1} << 40), 0);
        EXPECT_EQ(wrong(0.25), 0);
      }
    }
  }
}

TEST_P(OfStructure, WeightsAtTheEndsOfTheRangeAreRight) {
  const int n = 200;
  const Arcs arcs = arcsOf(GetParam(), n, random_);
  for (const int many : kWidths) {
    for (const std::int32_t weight : {0, 1, kInf / 3, kInf / 2, kInf - 1})
      EXPECT_EQ(wrongOf(n, arcs, weight, allOf(n), allOf(n), many), 0) << weight;
    EXPECT_EQ(wrongOf(n, arcs, kInfinity<std::int64_t> - 1, allOf(n), allOf(n), many), 0);
    EXPECT_EQ(wrongOf(n, arcs, 1e308, allOf(n), allOf(n), many), 0);
  }
}

TEST_P(OfStructure, LoopsAndParallelEdgesChangeNothing) {
  for (const int n : {2, 3, 70, 300}) {
    const Arcs arcs = arcsOf(GetParam(), n, random_);
    for (const int many : kWidths) {
      LevelSearch search(graphWithCopies(n, arcs, 4, random_), allOf(n), allOf(n), "", many);
      std::vector<std::int32_t> rows(asSize(n) * asSize(n));
      search.solve(0, n, rows.data());
      EXPECT_EQ(wrongIn(n, arcs, 4, allOf(n), allOf(n), rows.data()), 0) << n;
    }
  }
}

TEST_P(OfStructure, TablesAndBandsAreRight) {
  const int n = 300;
  const Arcs arcs = arcsOf(GetParam(), n, random_);
  std::vector<int> sources, targets;
  for (int i = 0; i < 90; ++i) sources.push_back(below(n, random_));
  for (int i = 0; i < 41; ++i) targets.push_back(below(n, random_));
  sources.push_back(sources.front());
  targets.push_back(sources.front());
  targets.push_back(targets.front());
  for (const int many : kWidths) {
    EXPECT_EQ(wrongOf<std::int32_t>(n, arcs, 5, sources, targets, many), 0);
    LevelSearch search(graphOf(n, arcs, 1.0), sources, targets, "", many);
    for (const int first : {0, 1, 64, 90}) {
      const int count = std::min(30, static_cast<int>(sources.size()) - first);
      std::vector<double> rows(asSize(count) * targets.size());
      search.solve(first, count, rows.data());
      const std::vector<int> some(sources.begin() + first, sources.begin() + first + count);
      EXPECT_EQ(wrongIn(n, arcs, 1.0, some, targets, rows.data()), 0) << first;
    }
  }
}

TEST_P(OfStructure, ArcsPassedAreCounted) {
  const int n = 600;  // a vertex with so many leaves is searched from several times
  const Arcs arcs = arcsOf(GetParam(), n, random_);
  double passed = 0;
  const Heads heads = headsOf(n, arcs);
  for (int source = 0; source < n; ++source) {
    const std::vector<int> steps = stepsFrom(heads, source);
    for (const auto& [from, to] : arcs) passed += from != to && steps[asSize(from)] != kNever;
  }
  for (const int many : kWidths) {
    LevelSearch search(graphOf(n, arcs, 1), allOf(n), allOf(n), "", many);
    std::vector<std::int32_t> rows(asSize(n) * asSize(n));
    search.solve(0, n, rows.data());
    EXPECT_EQ(search.done().passed, passed);
  }
}

INSTANTIATE_TEST_SUITE_P(Bfs, OfStructure, testing::ValuesIn(kStructures), structureName);

TEST(LevelSearch, LongPathsNeedWiderLevels) {
  for (const int n : {253, 254, 255, 256, 257, 300, 65533, 65536, 65540, 70000}) {
    Arcs arcs;
    for (int v = 1; v < n; ++v) bothWays(v - 1, v, arcs);
    const std::vector<int> sources = {0, 1, n / 2, n - 2, n - 1};
    for (const int many : kWidths)
      EXPECT_EQ(wrongOf<std::int32_t>(n, arcs, 1, sources, allOf(n), many), 0) << n;
  }
}

/// Rows side by side, whose levels take 32 bits.
TEST(LevelSearch, ManyRowsOfALongPathAreRight) {
  const int n = 65600;
  Arcs arcs;
  for (int v = 1; v < n; ++v) bothWays(v - 1, v, arcs);
  std::vector<int> sources(40), targets;
  std::iota(sources.begin(), sources.end(), 1000);
  for (int target = 0; target < n; target += 1777) targets.push_back(target);
  for (const int many : kWidths)
    for (const char* simd : {"avx512", "avx2", "portable"}) {
      if (!hasSimd(simd)) continue;
      EXPECT_EQ(wrongOf<std::int32_t>(n, arcs, 3, sources, targets, many, simd), 0) << simd;
      EXPECT_EQ(wrongOf<double>(n, arcs, 0.5, sources, targets, many, simd), 0) << simd;
    }
}

TEST(LevelSearch, ManySourcesOfALongPathAreRight) {
  const int n = 3000;
  Arcs arcs;
  for (int v = 1; v < n; ++v) bothWays(v - 1, v, arcs);
  for (const int many : kWidths)
    EXPECT_EQ(wrongOf<std::int32_t>(n, arcs, 1, allOf(n), {0, 7, n / 2, n - 1}, many), 0);
}

/// Some rows of as many searches as are wide by themselves, and of one fewer.
TEST(LevelSearch, ManySourcesAreWide) {
  std::mt19937 random(testSeed());
  for (const int n : {LevelSearch::kManySearches - 1, LevelSearch::kManySearches}) {
    const Arcs arcs = ringWith(3, n, random);
    const std::vector<int> targets = {0, 1, n / 2, n - 1};
    LevelSearch search(graphOf(n, arcs, 1), allOf(n), targets);
    std::vector<std::int32_t> rows(asSize(n) * targets.size());
    search.solve(0, n, rows.data());
    for (int source = below(100, random); source < n; source += 401)
      EXPECT_EQ(
          wrongIn(n, arcs, 1, {source}, targets, rows.data() + asSize(source) * targets.size()), 0)
          << source;
  }
}

TEST(LevelSearch, GivesUpIfItMayTakeNoTime) {
  const int n = 3000;
  std::mt19937 random(1);
  Arcs arcs;
  for (int e = 0; e < 8 * n; ++e) arcs.insert({below(n, random), below(n, random)});
  LevelSearch search(graphOf(n, arcs, 1), allOf(n), allOf(n));
  EXPECT_FALSE(search.expect(1e-3));
  EXPECT_TRUE(search.expect(1e6));
}

/// Two cliques whose vertices have the first and the last numbers, and between them a path, from
/// whose vertices searches meet the cliques at many levels.
TEST(LevelSearch, ExpectsWhatThePartInTheMiddleTakes) {
  constexpr int kThird = 320;
  const auto expected = [](bool joined) {
    Arcs arcs;
    for (const int first : {0, 2 * kThird})
      for (int v = 0; v < kThird; ++v)
        for (int u = 0; u < v; ++u) bothWays(first + u, first + v, arcs);
    for (int v = kThird; joined && v <= 2 * kThird; ++v) bothWays(v - 1, v, arcs);
    LevelSearch search(graphOf(3 * kThird, arcs, 1), allOf(3 * kThird), allOf(3 * kThird));
    return search.expect(1e9).value();
  };
  EXPECT_GT(expected(true), 5 * expected(false));
}

// ---- on the GPU ---------------------------------------------------------------------------------

class GpuLevels : public OnGpu<OfStructure> {
 protected:
  /// How many entries are wrong in rows from `first` on: (count, n). by: see levelsOnGpu().
  template <class T>
  int wrong(int n, const Arcs& arcs, T weight, int first, int count, int by = 0,
            bool expects = false, int every = 1) {
    Graph graph = graphOf(n, arcs, weight);
    for (auto& edge : graph.template edges<T>())
      edge = {(edge.from + n - by) % n, (edge.to + n - by) % n, weight};
    const auto levels = bfs::levelsOnGpu(graph, by);
    if (expects) levels->expect(1e9, n % 2 == 0 ? 1e9 : 1e-6);
    const DeviceElements rows(*gpu_, kDtype<T>, asSize(count) * asSize(n) + 1);
    std::vector<T> all(rows.size(), T(77));
    upload(*gpu_, rows.data(), all.data(), rows.size());
    count == n ? levels->all(rows.data()) : levels->rows(first, count, rows.data());
    download(*gpu_, all.data(), rows.data(), rows.size());
    EXPECT_EQ(all.back(), T(77));
    done_ = levels->done();
    int wrong = 0;
    for (int i = 0; i < count; i += every)
      wrong += wrongIn(n, arcs, weight, {first + i}, allOf(n), all.data() + asSize(i) * asSize(n));
    return wrong;
  }
  template <class T>
  int wrong(int n, const Arcs& arcs, T weight) {
    return wrong(n, arcs, weight, 0, n);
  }

  Levelling done_;
};

TEST_P(GpuLevels, AllSizesAreRight) {
  for (int n = 1; n <= 130; ++n) EXPECT_EQ(wrong(n, arcsOf(GetParam(), n, random_), 1), 0) << n;
}

/// Small, because `make gpu-sanitize` runs it under racecheck. Of 300 vertices, a path needs levels
/// of more than a byte, and the middle of a star is shared out among several warps.
TEST_P(GpuLevels, SmallGraphsAreRight) {
  for (const int n : {1, 40, 300}) {
    const Arcs arcs = arcsOf(GetParam(), n, random_);
    EXPECT_EQ(wrong(n, arcs, 1), 0) << n;
    if (n == 40) {
      EXPECT_EQ(wrong(n, arcs, 0.25), 0);
    }
  }
}

TEST_P(GpuLevels, SizesAroundLinesAreRight) {
  for (const int n : {1023, 1024, 1025, 2047, 2048, 2049}) {
    const Arcs arcs = arcsOf(GetParam(), n, random_);
    for (const bool expects : {false, true})
      EXPECT_EQ(wrong(n, arcs, 3, 0, n, n / 3, expects, 41), 0) << n;
  }
}

/// A line has 4096 searches at the most.
TEST_P(GpuLevels, SizesAroundTheWidestLineAreRight) {
  for (const int n : {4095, 4096, 4097})
    EXPECT_EQ(wrong(n, arcsOf(GetParam(), n, random_), 3, 0, n, n / 3, n % 2 == 0, 409), 0) << n;
  const int n = 4200;
  const Arcs arcs = arcsOf(GetParam(), n, random_);
  for (const int sources : {4095, 4096, 4097})
    EXPECT_EQ(wrong(n, arcs, 2, 7, sources, 0, false, 411), 0) << sources;
}

TEST_P(GpuLevels, AllTypesAndWeightsAreRight) {
  const int n = 333;
  const Arcs arcs = arcsOf(GetParam(), n, random_);
  for (const std::int32_t weight : {0, 1, kInf / 3, kInf / 2, kInf - 1})
    EXPECT_EQ(wrong(n, arcs, weight), 0) << weight;
  EXPECT_EQ(wrong(n, arcs, 0.5F), 0);
  EXPECT_EQ(wrong(n, arcs, std::int64_t{1} << 40), 0);
  EXPECT_EQ(wrong(n, arcs, kInfinity<std::int64_t> - 1), 0);
  EXPECT_EQ(wrong(n, arcs, 0.25), 0);
  EXPECT_EQ(wrong(n, arcs, 1e308), 0);
}

TEST_P(GpuLevels, BandsAreRight) {
  const int n = 1500;
  const Arcs arcs = arcsOf(GetParam(), n, random_);
  for (const auto& [first, count] : {std::pair{0, 1}, {1, 31}, {1499, 1}, {700, 33}, {3, 1030}})
    EXPECT_EQ(wrong(n, arcs, 2, first, count, 0, false, 7), 0) << first;
}

TEST_P(GpuLevels, LoopsAndParallelEdgesChangeNothing) {
  for (const int n : {2, 3, 70, 300}) {
    const Arcs arcs = arcsOf(GetParam(), n, random_);
    const auto levels = bfs::levelsOnGpu(graphWithCopies(n, arcs, 4, random_));
    const DeviceElements rows(*gpu_, Dtype::kInt32, asSize(n) * asSize(n));
    levels->all(rows.data());
    const std::vector<std::int32_t> all = download(*gpu_, rows.data(), n);
    EXPECT_EQ(wrongIn(n, arcs, 4, allOf(n), allOf(n), all.data()), 0) << n;
  }
}

/// Bands and pieces of rows that a matrix without room is made of.
TEST_P(GpuLevels, StreamedRowsAreRight) {
  constexpr int n = 700;
  constexpr std::size_t kRow = n * sizeof(std::int32_t);
  const Arcs arcs = arcsOf(GetParam(), n, random_);
  const auto levels = bfs::levelsOnGpu(graphOf(n, arcs, 2));
  GpuRows rows(*gpu_, n, Dtype::kInt32, {130 * kRow, 33 * kRow});
  rows.make(*levels, true);
  ASSERT_NE(rows.summaries(), nullptr);
  EXPECT_EQ(rows.summaries()->rows.size(), asSize(n));
  int next = 3, wrong = 0;
  rows.rows(3, 690, [&](int first, int count, ConstElements some) {
    EXPECT_EQ(first, next);
    next = first + count;
    for (int i = 0; i < count; i += 11)
      wrong += wrongIn(n, arcs, 2, {first + i}, allOf(n),
                       some.as<std::int32_t>() + asSize(i) * asSize(n));
  });
  EXPECT_EQ(next, 690);
  EXPECT_EQ(wrong, 0);
}

TEST_P(GpuLevels, ArcsPassedAreCounted) {
  const int n = 250;
  const Arcs arcs = arcsOf(GetParam(), n, random_);
  EXPECT_EQ(wrong(n, arcs, 1), 0);
  LevelSearch search(graphOf(n, arcs, 1), allOf(n), allOf(n));
  std::vector<std::int32_t> rows(asSize(n) * asSize(n));
  search.solve(0, n, rows.data());
  EXPECT_EQ(search.done().passed, done_.passed);
  EXPECT_EQ(search.done().levels, done_.levels);
}

INSTANTIATE_TEST_SUITE_P(Bfs, GpuLevels, testing::ValuesIn(kStructures), structureName);

/// A ring, and hubs that are joined with all.
const Structure kHubs = {"hubs", [](int n, std::mt19937& random, Arcs& arcs) {
                           for (int v = 1; v < n; ++v) arcs.insert({v - 1, v});
                           for (const int hub : {0, 5, n / 2, n - 1})
                             for (int v = 0; v < n; ++v) {
                               if (below(9, random) != 0) arcs.insert({v, hub});
                               if (below(9, random) == 0) arcs.insert({hub, v});
                             }
                         }};
const Structure kMany = {"random", [](int n, std::mt19937& random, Arcs& arcs) {
                           for (int e = 0; e < 4 * n; ++e)
                             arcs.insert({below(n, random), below(n, random)});
                         }};

class LargeGpuLevels : public GpuLevels {};
TEST_P(LargeGpuLevels, SeveralBatchesAndChunksAreRight) {
  for (const int n : {250, 601, 3000, 14000})
    for (const bool expects : {false, true})
      EXPECT_EQ(wrong(n, arcsOf(GetParam(), n, random_), 1, 0, n, 1, expects, 1 + n / 40), 0) << n;
}
INSTANTIATE_TEST_SUITE_P(Bfs, LargeGpuLevels, testing::Values(kHubs, kMany), structureName);

class DeepGpuLevels : public GpuLevels {};
TEST_P(DeepGpuLevels, LongPathsNeedWiderLevels) {
  for (const int n : {127, 128, 250, 251, 252, 253, 254, 255, 256, 257, 300, 1100, 4000})
    for (const bool expects : {false, true})
      EXPECT_EQ(wrong(n, arcsOf(GetParam(), n, random_), 1, 0, n, 0, expects, 1 + n / 20), 0) << n;
}
INSTANTIATE_TEST_SUITE_P(Bfs, DeepGpuLevels, testing::Values(kStructures[1], kStructures[2]),
                         structureName);

TEST(CommonWeight, IsThatOfAllEdges) {
  EXPECT_EQ(bfs::commonWeight(fromEdges<std::int32_t>(3, {{0, 1, 4}, {1, 2, 4}})), Number(4));
  EXPECT_EQ(bfs::commonWeight(fromEdges<std::int32_t>(3, {})), Number(1));
  EXPECT_FALSE(bfs::commonWeight(fromEdges<std::int32_t>(3, {{0, 1, 4}, {1, 2, 5}})));
  EXPECT_FALSE(bfs::commonWeight(fromEdges<double>(3, {{0, 1, -1}, {1, 2, -1}})));
}

TEST(Shape, HangingVerticesAreNotPassed) {
  // 0 ⇄ 1 ⇄ 2, a leaf 3 of 1 there and back, 4 → 1 only, and 1 → 5 only
  const Graph graph = fromEdges<std::int32_t>(6, {{0, 1, 1},
                                                  {1, 0, 1},
                                                  {1, 2, 1},
                                                  {2, 1, 1},
                                                  {2, 0, 1},
                                                  {1, 3, 1},
                                                  {3, 1, 1},
                                                  {4, 1, 1},
                                                  {1, 5, 1}});
  const bfs::Shape shape = bfs::shapeOf(6, graph.ends());
  EXPECT_EQ(shape.interior(), 3);
  for (const int hanging : {3, 4, 5}) EXPECT_LT(shape.place[asSize(hanging)], 0);
  EXPECT_EQ(shape.root[3], shape.place[1]);
  EXPECT_EQ(shape.root[4], shape.place[1]);
  EXPECT_EQ(shape.root[5], -1);
  EXPECT_EQ(shape.entering.arcs(), 2U);
}

/// A CPU with little memory.
class SmallCpu : public LikeTheCpu {
 public:
  explicit SmallCpu(std::size_t bytes) : bytes_(bytes) {}
  std::size_t freeBytes() const override { return bytes_; }

 private:
  std::size_t bytes_;
};

class BfsRun : public OnDevice {
 protected:
  static constexpr int kVertices = 3000;
  BfsRun() {
    std::mt19937 random(7);
    for (int e = 0; e < 8 * kVertices; ++e)
      arcs_.insert({below(kVertices, random), below(kVertices, random)});
  }
  ProblemGraph graph(std::int32_t weight = 1) const {
    return ProblemGraph(graphOf(kVertices, arcs_, weight));
  }
  const Solver& solver() const { return findSolver("apsp", device().kind()); }
  Execution byLevels() const {
    Execution where{device()};
    where.options.method = Method::kBfs;
    return where;
  }

  int wrongRows(const Distances& distances, std::int32_t weight, int first, int count) const {
    int wrong = 0;
    distances.rows(first, first + count, [&](int begin, int some, ConstElements rows) {
      std::vector<int> sources(asSize(some));
      std::iota(sources.begin(), sources.end(), begin);
      wrong +=
          wrongIn(kVertices, arcs_, weight, sources, allOf(kVertices), rows.as<std::int32_t>());
    });
    return wrong;
  }

  Arcs arcs_;
};

TEST_P(BfsRun, IsChosenForEqualWeights) {
  for (const bool keeps : {false, true}) {
    const ProblemGraph problem = graph(3);
    // On a GPU, another method may be as fast for so few vertices.
    Execution where = device().kind() == DeviceKind::kGpu ? byLevels() : Execution{device()};
    where.keepsPlan = keeps;
    const auto run = solver().prepare({problem}, where);
    run->reset();
    const Call call = run->solve();
    EXPECT_EQ(call.outcome.method, Method::kBfs);
    EXPECT_GT(call.outcome.levelling.levels, 2);
    if (where.options.method == Method::kAuto) {
      EXPECT_GT(call.outcome.expected, 0);
    }
    EXPECT_EQ(wrongRows(run->distances(), 3, 1000, 40), 0);
  }
}

/// The graph of a spec, with edges that all have this weight.
Graph withWeight(const Spec& spec, std::int32_t weight) {
  Graph graph = edgesOf(*sourceOf(spec), false);
  for (auto& edge : graph.edges<std::int32_t>()) edge.weight = weight;
  return graph;
}

/// By default one of five graphs is solved. The largest weight leaves only edges below infinity.
TEST_P(BfsRun, IsRightOnEveryFamilyOfEqualWeights) {
  const std::uint64_t seed = testSeed();
  const int families = static_cast<int>(familyTable().size());
  int turn = 0;
  for (int family = 0; family < families; ++family)
    for (const bool undirected : {false, true})
      for (const int n : {1, 65, 130, 300})
        for (const std::int32_t weight : {1, 0, kInf - 1}) {
          if (!takes(++turn, 5)) continue;
          const Spec spec = specOf(family, n, seed, undirected);
          SCOPED_TRACE(describe(spec) + " weight " + std::to_string(weight));
          const ProblemGraph problem(withWeight(spec, weight));
          const auto run = solver().prepare({problem}, byLevels());
          run->reset();
          EXPECT_EQ(run->solve().outcome.method, Method::kBfs);
          EXPECT_TRUE(verifyByDijkstra(problem.onHost(), run->distances(), 40).passed());
          if (weight < kInf - 1) {
            EXPECT_TRUE(verifyByBellman(problem, run->distances(), n).passed());
          }
        }
}

/// Leaves share a search, but each of their distances is looked up.
TEST(BfsRun, LeavesAStarToTheSparseMethod) {
  const Threads two(2);
  Arcs arcs;
  for (int v = 1; v < 3000; ++v) bothWays(0, v, arcs);
  const ProblemGraph problem(graphOf(3000, arcs, 1));
  const auto run = findSolver("apsp", DeviceKind::kCpu).prepare({problem}, {cpuDevice});
  run->reset();
  EXPECT_EQ(run->solve().outcome.method, Method::kSparse);
}

TEST_P(BfsRun, IsRefusedForOtherWeights) {
  const ProblemGraph problem(fromEdges<std::int32_t>(3, {{0, 1, 4}, {1, 2, 5}}));
  Execution where = byLevels();
  EXPECT_THROW(solver().prepare({problem}, where), Error);
}

TEST_P(BfsRun, SolvesAMatrix) {
  const int n = 50;
  Arcs arcs;
  for (int v = 1; v < n; ++v) bothWays(v / 2, v, arcs);
  Matrix matrix = toMatrix(graphOf(n, arcs, 2));
  Call call;
  plan::onDevice(device(), n, matrix.data(), [&](Elements there) {
    call = solver().inPlace(device(), n, there, byLevels().options);
  });
  EXPECT_EQ(call.outcome.method, Method::kBfs);
  EXPECT_EQ(wrongIn(n, arcs, 2, allOf(n), allOf(n), matrix.row<std::int32_t>(0)), 0);
}

/// BfsOnGpu has the same for a GPU, which needs a larger graph.
TEST_P(BfsRun, StreamsIfTheMatrixHasNoRoom) {
  if (device().kind() == DeviceKind::kGpu) GTEST_SKIP() << "the matrix is smaller than two bands";
  const ProblemGraph problem = graph();
  const SmallCpu small(std::size_t{20} << 20);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(2);  // each takes memory
  for (const Method method : {Method::kAuto, Method::kBfs}) {
    Execution where{small};
    where.options.method = method;
    where.summarises = Summarise::kUnkept;
    int sunk = 0;
    where.sink = [&](int, int count, ConstElements) { sunk += count; };
    const Plan plan = solver().plan({problem}, where);
    EXPECT_EQ(plan.place, Destination::kStreamed);
    const auto run = plan.begin({problem});
    run->reset();
    const Call call = run->solve();
    EXPECT_EQ(call.outcome.method, Method::kBfs);
    EXPECT_TRUE(call.outcome.streamed);
    EXPECT_EQ(sunk, kVertices);
    EXPECT_NE(run->distances().summaries(), nullptr);
    EXPECT_EQ(wrongRows(run->distances(), 1, 2990, 10), 0);
  }
  omp_set_num_threads(threads);
}

TEST_P(BfsRun, FindsTables) {
  const ProblemGraph problem = graph();
  Selection asked;
  for (int i = 0; i < 700; ++i) asked.sources.push_back(i * 3);
  Execution where = byLevels();
  const Problem table{problem, &asked};
  const auto run = beginAsked(solver().plan(table, where), table);
  run->reset();
  EXPECT_EQ(run->solve().outcome.method, Method::kBfs);
  int wrong = 0;
  run->distances().rows(0, 700, [&](int first, int count, ConstElements rows) {
    const std::vector<int> some(asked.sources.begin() + first,
                                asked.sources.begin() + first + count);
    wrong += wrongIn(kVertices, arcs_, 1, some, allOf(kVertices), rows.as<std::int32_t>());
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(BfsRun, FindsABandOfRows) {
  const ProblemGraph problem = graph(4);
  Selection asked;
  for (int i = 500; i < 2700; ++i) asked.sources.push_back(i);
  const Problem table{problem, &asked};
  const auto run = beginAsked(solver().plan(table, byLevels()), table);
  run->reset();
  EXPECT_EQ(run->solve().outcome.method, Method::kBfs);
  int wrong = 0;
  run->distances().rows(1000, 1040, [&](int first, int count, ConstElements rows) {
    const std::vector<int> some(asked.sources.begin() + first,
                                asked.sources.begin() + first + count);
    wrong += wrongIn(kVertices, arcs_, 4, some, allOf(kVertices), rows.as<std::int32_t>());
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(BfsRun, RenumberedGraphsAreTurnedBack) {
  const ProblemGraph problem = graph();
  Execution where = byLevels();
  where.renumbers = true;
  const auto run = solver().prepare({problem}, where);
  for (const int first : {0, 1, 1777}) {
    run->reset(first);
    EXPECT_EQ(run->solve().outcome.method, Method::kBfs);
    EXPECT_EQ(wrongRows(run->distances(), 1, 500, 20), 0) << first;
  }
}

TEST_P(BfsRun, APlanServesOtherWeights) {
  if (device().kind() == DeviceKind::kGpu) GTEST_SKIP() << "another method may be chosen";
  const ProblemGraph problem = graph();
  Execution where{device()};
  where.keepsPlan = true;
  const Plan plan = solver().plan({problem}, where);
  EXPECT_EQ(plan.method, Method::kBfs);
  Graph other = graphOf(kVertices, arcs_, 1);
  other.edges<std::int32_t>()[5].weight = 9;
  const ProblemGraph changed(std::move(other));
  const auto run = plan.begin({changed});
  run->reset();
  EXPECT_NE(run->solve().outcome.method, Method::kBfs);
  EXPECT_TRUE(verifyByDijkstra(changed.onHost(), run->distances(), 200).passed());
}

/// Without room for a matrix, nobody can fall back to the dense solver.
TEST(BfsRun, APlanOfATableServesOtherWeightsWithoutAMatrix) {
  const Threads two(2);  // each takes memory
  constexpr int n = 1000;
  Selection asked;
  for (int i = 0; i < 400; ++i) asked.sources.push_back(i * 7 % n);
  std::mt19937 random(testSeed());
  Edges<std::int32_t> edges;
  for (int e = 0; e < 8 * n; ++e) edges.push_back({below(n, random), below(n, random), 1});
  const ProblemGraph graph(fromEdges(n, Edges<std::int32_t>(edges)));
  for (std::size_t e = 0; e < edges.size(); ++e) edges[e].weight = 1 + static_cast<int>(e % 9);
  const ProblemGraph other(fromEdges(n, std::move(edges)));
  const Matrix all = byPlainLoop(other);
  for (const bool keeps : {true, false}) {
    const SmallCpu small(asSize(keeps ? 6 : 3) << 20);
    Execution where{small};
    where.keepsPlan = true;
    const Plan plan = findSolver("apsp", DeviceKind::kCpu).plan({graph, &asked}, where);
    EXPECT_EQ(plan.method, Method::kBfs);
    EXPECT_EQ(plan.place, keeps ? Destination::kRows : Destination::kStreamed);
    const auto run = plan.begin({other, &asked});
    run->reset();
    EXPECT_EQ(run->solve().outcome.method, Method::kSearch);
    int wrong = 0;
    run->distances().rows(0, 400, [&](int first, int count, ConstElements rows) {
      for (int i = 0; i < count; ++i)
        wrong += std::memcmp(rows.as<int>() + asSize(i) * n, all.row<int>(asked.source(first + i)),
                             n * sizeof(int)) != 0;
    });
    EXPECT_EQ(0, wrong);
  }
}

constexpr RowWidth kSmall[] = {RowWidth::kUint8, RowWidth::kUint16};

TEST_P(BfsRun, KeepsSmallElements) {
  const ProblemGraph problem = graph(5);
  const auto full = solver().prepare({problem}, byLevels());
  full->reset();
  full->solve();
  const GraphStats expected = statistics(full->distances());
  for (const RowWidth stored : kSmall)
    for (const Summarise summarises : {Summarise::kNothing, Summarise::kAll}) {
      Execution where = byLevels();
      where.renumbers = true;
      where.stored = stored;
      where.summarises = summarises;
      const Plan plan = solver().plan({problem}, where);
      EXPECT_EQ(plan.place, Destination::kRows);
      const auto run = plan.begin({problem});
      for (const int first : {0, 1777}) {
        run->reset(first);
        const Call call = run->solve();
        EXPECT_EQ(call.outcome.method, Method::kBfs);
        EXPECT_FALSE(call.outcome.streamed);
        const Distances& found = run->distances();
        EXPECT_EQ(found.dtype(), Dtype::kInt32);
        EXPECT_FALSE(found.isTable());
        EXPECT_EQ(wrongRows(found, 5, 900, 40), 0) << first;
        EXPECT_EQ(wrongRows(found, 5, kVertices - 1, 1), 0) << first;
        const GraphStats stats = statistics(found);
        EXPECT_EQ(stats.hash, expected.hash);
        EXPECT_EQ(stats.edges, expected.edges);
        EXPECT_EQ(stats.maxWeight, expected.maxWeight);
        EXPECT_EQ(summariesOf(found).rows.size(), asSize(kVertices));
        EXPECT_EQ(summariesOf(found).total.value(), summariesOf(full->distances()).total.value());
      }
    }
}

TEST_P(BfsRun, KeepsSmallElementsOfTables) {
  const ProblemGraph problem = graph(5);
  Selection some, band;
  for (int i = 0; i < 700; ++i) some.sources.push_back(i * 3);
  some.targets = {7, 5, 7, 2999};
  for (int i = 500; i < 2700; ++i) band.sources.push_back(i);
  for (const Selection* const asked : {&some, &band}) {
    Execution where = byLevels();
    where.stored = RowWidth::kUint8;
    const Problem table{problem, asked};
    const auto run = beginAsked(solver().plan(table, where), table);
    run->reset();
    EXPECT_EQ(run->solve().outcome.method, Method::kBfs);
    const std::vector<int> targets = asked->targets.empty() ? allOf(kVertices) : asked->targets;
    int wrong = 0, rows = 0;
    run->distances().rows(600, 640, [&](int first, int count, ConstElements found) {
      const auto begin = asked->sources.begin() + first;
      wrong +=
          wrongIn(kVertices, arcs_, 5, {begin, begin + count}, targets, found.as<std::int32_t>());
      rows += count;
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(rows, 40);
  }
}

/// 254 and 65534 are the largest distances that fit.
TEST_P(BfsRun, NamesThePairWhoseDistanceDoesNotFit) {
  const auto solvesPath = [&](int n, std::int32_t weight, RowWidth stored) {
    Arcs arcs;
    for (int v = 1; v < n; ++v) arcs.insert({v - 1, v});
    const ProblemGraph problem(graphOf(n, arcs, weight));
    Execution where = byLevels();
    where.stored = stored;
    const auto run = solver().prepare({problem}, where);
    run->reset();
    run->solve();
    const int first[] = {0};
    int wrong = 0;
    run->distances().rows(0, 1, [&](int, int, ConstElements found) {
      wrong = wrongIn(n, arcs, weight, {first, first + 1}, allOf(n), found.as<std::int32_t>());
    });
    return wrong == 0;
  };
  EXPECT_TRUE(solvesPath(255, 1, RowWidth::kUint8));
  EXPECT_TRUE(solvesPath(300, 219, RowWidth::kUint16));
  const struct {
    int n;
    std::int32_t weight;
    RowWidth stored;
    int most, target;
  } cases[] = {{300, 1, RowWidth::kUint8, 254, 255},
               {300, 85, RowWidth::kUint8, 254, 3},
               {300, 300, RowWidth::kUint16, 65534, 219}};
  for (const auto& each : cases) {
    try {
      solvesPath(each.n, each.weight, each.stored);
      ADD_FAILURE() << "no error for weights of " << each.weight;
    } catch (const DoesNotFit& error) {
      EXPECT_EQ(error.most, each.most);
      EXPECT_EQ(error.source, 0);
      EXPECT_EQ(error.target, each.target);
    }
  }
}

/// BfsOnGpu has the same for a GPU, which needs a larger graph.
TEST(BfsRun, SmallElementsMayHaveRoomWhereTheMatrixHasNone) {
  const Threads two(2);  // each takes memory
  constexpr int n = 3000;
  std::mt19937 random(testSeed());
  Arcs arcs;
  for (int e = 0; e < 8 * n; ++e) arcs.insert({below(n, random), below(n, random)});
  const ProblemGraph problem(graphOf(n, arcs, 1));
  const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
  const auto placeIn = [&](std::size_t mebibytes, Method method, RowWidth stored) {
    const SmallCpu small(mebibytes << 20);
    Execution where{small};
    where.options.method = method;
    where.stored = stored;
    const Plan plan = solver.plan({problem}, where);
    EXPECT_LE(plan.memory.device, small.freeBytes());
    const auto run = plan.begin({problem});
    run->reset();
    const Call call = run->solve();
    EXPECT_EQ(call.outcome.method, Method::kBfs);
    EXPECT_EQ(call.outcome.streamed, plan.place == Destination::kStreamed);
    run->distances().rows(2990, n, [&](int first, int count, ConstElements rows) {
      std::vector<int> sources(asSize(count));
      std::iota(sources.begin(), sources.end(), first);
      EXPECT_EQ(wrongIn(n, arcs, 1, sources, allOf(n), rows.as<std::int32_t>()), 0);
    });
    return plan.place;
  };
  for (const Method method : {Method::kAuto, Method::kBfs}) {
    EXPECT_EQ(placeIn(24, method, RowWidth::kFull), Destination::kStreamed);
    EXPECT_EQ(placeIn(24, method, RowWidth::kUint8), Destination::kRows);
    EXPECT_EQ(placeIn(24, method, RowWidth::kUint16), Destination::kStreamed);
  }
  EXPECT_NE(placeIn(400, Method::kAuto, RowWidth::kUint8), Destination::kRows);
  EXPECT_EQ(placeIn(400, Method::kBfs, RowWidth::kUint8), Destination::kRows);
}

ON_EVERY_DEVICE(BfsRun);

/// A GPU with less memory.
class SmallGpu : public Like {
 public:
  SmallGpu(const Device& gpu, std::size_t bytes) : Like(gpu), bytes_(bytes) {}
  std::size_t freeBytes() const override { return bytes_; }

 private:
  std::size_t bytes_;
};

using BfsOnGpu = OnGpu<>;

/// A GPU that streams holds two bands of up to 4 GiB, so only a larger matrix than these streams.
TEST_F(BfsOnGpu, StreamsIfTheMatrixHasNoRoom) {
  constexpr int n = 47'000;
  std::mt19937 random(testSeed());
  const Arcs arcs = ringWith(2, n, random);
  const ProblemGraph problem(graphOf(n, arcs, 3));
  const std::size_t room =
      bfs::gpuLevelBytes(n, problem.onHost().edgeCount()) + GpuRows::bytes(n, Dtype::kInt32);
  if (gpu_->freeBytes() < room) GTEST_SKIP() << "the GPU has too little memory";
  const SmallGpu small(*gpu_, room);
  Execution where{small};
  where.options.method = Method::kBfs;
  where.summarises = Summarise::kUnkept;
  const Plan plan = findSolver("apsp", DeviceKind::kGpu).plan({problem}, where);
  EXPECT_EQ(plan.place, Destination::kStreamed);
  const auto run = plan.begin({problem});
  run->reset();
  const Call call = run->solve();
  EXPECT_EQ(call.outcome.method, Method::kBfs);
  EXPECT_TRUE(call.outcome.streamed);
  ASSERT_NE(run->distances().summaries(), nullptr);
  EXPECT_EQ(run->distances().summaries()->rows.size(), asSize(n));
  for (const int source : {0, 22'844, 22'845, n - 1})  // a band has 22,845 rows
    run->distances().rows(source, source + 1, [&](int first, int count, ConstElements rows) {
      EXPECT_EQ(count, 1);
      EXPECT_EQ(wrongIn(n, arcs, 3, {first}, allOf(n), rows.as<std::int32_t>()), 0) << first;
    });
}

/// The matrix takes 14.4 GB, and its small elements 3.6 GB beside two bands of 4 GiB.
TEST_F(BfsOnGpu, SmallElementsMayHaveRoomWhereTheMatrixHasNone) {
  constexpr int n = 60'000;
  std::mt19937 random(testSeed());
  const Arcs arcs = ringWith(2, n, random);
  const ProblemGraph problem(graphOf(n, arcs, 3));
  const std::size_t room = bfs::gpuLevelBytes(n, problem.onHost().edgeCount()) +
                           GpuRows::bytes(n, Dtype::kInt32, n, RowWidth::kUint8);
  if (gpu_->freeBytes() < room) GTEST_SKIP() << "the GPU has too little memory";
  const SmallGpu small(*gpu_, room);
  Execution where{small};
  where.options.method = Method::kBfs;
  where.summarises = Summarise::kUnkept;
  EXPECT_EQ(findSolver("apsp", DeviceKind::kGpu).plan({problem}, where).place,
            Destination::kStreamed);
  where.stored = RowWidth::kUint8;
  const Plan plan = findSolver("apsp", DeviceKind::kGpu).plan({problem}, where);
  EXPECT_EQ(plan.place, Destination::kRows);
  EXPECT_EQ(plan.memory.device, room);
  const auto run = plan.begin({problem});
  run->reset();
  const Call call = run->solve();
  EXPECT_EQ(call.outcome.method, Method::kBfs);
  EXPECT_FALSE(call.outcome.streamed);
  for (const int source : {0, 17'895, 17'896, n - 1})  // a band has 17,895 rows
    run->distances().rows(source, source + 1, [&](int first, int count, ConstElements rows) {
      EXPECT_EQ(count, 1);
      EXPECT_EQ(wrongIn(n, arcs, 3, {first}, allOf(n), rows.as<std::int32_t>()), 0) << first;
    });
}

}  // namespace
