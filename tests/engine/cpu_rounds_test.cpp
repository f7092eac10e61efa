// What threads of a CPU eliminate in rounds: distances against the plain triple loop, bit for bit
// (real weights: within the tolerance); arcs and weights against an elimination in a matrix; and
// the same elimination, arcs and weights with any number of threads.
#include "sparse/cpu_rounds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/graph.h"
#include "base/size.h"
#include "base/tolerance.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "seed.h"
#include "small_graphs.h"
#include "sparse/hierarchy.h"
#include "sparse/prepared.h"
#include "threads.h"
#include "verify/verify.h"

namespace {

const std::uint32_t kFresh = testSeed();

const sparse::CoreSolver kPlain = [](int n, Elements matrix) { apspScalar(n, matrix); };

/// With these, a core of some size pays; as few vertices as possible are in it; all are.
std::vector<sparse::Rates> someRates() {
  std::vector<sparse::Rates> rates(3);
  rates[0].product = 1e-8;
  rates[1].product = 1;
  rates[2].relax = 1;
  rates[2].product = 1e-3;
  return rates;
}

template <class T>
std::vector<T> solvedWith(const sparse::Survey& survey, const Graph& graph, int threads) {
  Sweeping done;
  sparse::Prepared ready(survey, graph, {kPlain, threads}, done);
  std::vector<T> rows(asSize(graph.n) * asSize(graph.n), T(-1));
  ready.sweep(0, graph.n, rows.data());
  return rows;
}

template <class T>
std::size_t differences(const std::vector<T>& got, const std::vector<T>& expected, int n) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    wrong += !agree(got[i], expected[i], tolerance(n, kDtype<T>, 2));
  return wrong;
}

/// The weights of the elimination's arcs by an elimination in a matrix, one vertex after the other.
template <class T>
void expectArcs(const sparse::Rounds& rounds, const Graph& graph, const std::string& what) {
  const sparse::Elimination& elimination = rounds.elimination;
  const auto n = asSize(graph.n);
  std::vector<T> matrix(n * n, kInfinity<T>);
  const auto position = [&](int v) { return asSize(elimination.position[asSize(v)]); };
  std::vector<char> joined(n * n, 0);
  for (const Edge<T>& edge : graph.edges<T>()) {
    matrix[position(edge.from) * n + position(edge.to)] = edge.weight;
    joined[position(edge.from) * n + position(edge.to)] =
        joined[position(edge.to) * n + position(edge.from)] = 1;
  }
  for (std::size_t k = 0; k < asSize(elimination.core); ++k)
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = k + 1; j < n; ++j) {
        if (i == j || joined[k * n + i] == 0 || joined[k * n + j] == 0) continue;
        joined[i * n + j] = 1;
        matrix[i * n + j] = std::min<T>(matrix[i * n + j], matrix[i * n + k] + matrix[k * n + j]);
      }
  const auto all = sparse::hierarchyOf(rounds, graph.edges<T>(), 3);
  std::size_t wrong = 0, arcs = 0;
  for (int x = 0; x < elimination.core; ++x)
    for (std::size_t a = all.begin(x); a < all.end(x); ++a, ++arcs) {
      const std::size_t from = asSize(x), to = asSize(all.head[a]);
      wrong += to <= from || (a > all.begin(x) && all.head[a - 1] >= all.head[a]);
      wrong += joined[from * n + to] == 0;
      wrong += all.up[a] != matrix[from * n + to] || all.down[a] != matrix[to * n + from];
    }
  std::size_t expected = 0;
  for (std::size_t x = 0; x < asSize(elimination.core); ++x)
    for (std::size_t to = x + 1; to < n; ++to) expected += joined[x * n + to] != 0;
  EXPECT_EQ(wrong, 0U) << what;
  EXPECT_EQ(arcs, expected) << what;
}

/// That the positions are a postorder, and the lowest neighbour above each position is its parent.
void expectTree(const sparse::Elimination& elimination, const std::string& what) {
  std::vector<char> seen(elimination.position.size(), 0);
  for (std::size_t v = 0; v < elimination.position.size(); ++v) {
    seen[asSize(elimination.position[v])] = 1;
    EXPECT_EQ(asSize(elimination.vertex[asSize(elimination.position[v])]), v) << what;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), elimination.vertices()) << what;
  std::vector<int> size(asSize(elimination.core), 1);
  for (int x = 0; x < elimination.core; ++x) {
    const int parent = elimination.parent[asSize(x)];
    EXPECT_EQ(parent == -1, elimination.above[asSize(x)] == 0) << what;
    if (parent == -1 || parent >= elimination.core) continue;
    EXPECT_GT(parent, x) << what;
    size[asSize(parent)] += size[asSize(x)];
  }
  for (int x = 0; x < elimination.core; ++x) {  // x and all below it are next to each other
    const int parent = elimination.parent[asSize(x)];
    if (parent == -1 || parent >= elimination.core) continue;
    EXPECT_LE(parent - size[asSize(parent)] + 1, x - size[asSize(x)] + 1) << what;
  }
}

void expectRight(int n, const IntEdges& edges, const std::string& name) {
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) {
      using T = decltype(zero);
      const Graph graph = as<T>(n, edges);
      const std::vector<T> expected = byPlainLoopOf<T>(graph);
      for (const sparse::Rates& rates : someRates())
        for (const int threads : {1, 4}) {
          const Threads some(threads);
          const std::string what =
              fmt::format("{} n={} {} {} threads seed {}", name, n, nameOf(dtype), threads, kFresh);
          const auto survey = sparse::surveyOf(graph, rates, sparse::Eliminates::kInRounds);
          ASSERT_NE(survey.rounds, nullptr);
          expectTree(survey.elimination, what);
          if (n <= 130) expectArcs<T>(*survey.rounds, graph, what);
          EXPECT_EQ(differences(solvedWith<T>(survey, graph, threads), expected, n), 0U)
              << what << ", core " << survey.elimination.coreSize();
        }
    });
}

TEST(CpuRounds, SolveRandomGraphsOfAllSizes) {
  const struct {
    const char* name;
    int most;  // edges a vertex
    int least, largest;
    bool undirected;
  } kinds[] = {{"few", 1, 1, 100, false},
               {"like a tree", 2, 1, 100, true},
               {"some", 3, 0, 9, false},
               {"zeros", 3, 0, 1, false},
               {"all zero", 2, 0, 0, true},
               {"ties", 4, 5, 5, true},
               {"many", 12, 1, 1000, false},
               {"large", 3, kInf - 3, kInf - 1, false},
               {"large sums", 3, kInf / 4 - 2, kInf / 4, true}};
  Rng rng(kFresh);
  for (const auto& kind : kinds)
    for (const int n : {0, 1, 2, 3, 5, 16, 31, 33, 64, 100, 130, 300}) {
      IntEdges edges;
      const bool local = uniform(rng, 0, 1) == 1;
      for (int i = uniform(rng, 0, kind.most * n); i > 0 && n > 1; --i) {
        const int from = uniform(rng, 0, n - 1);
        const int to = local ? std::min(n - 1, from + uniform(rng, 0, 4)) : uniform(rng, 0, n - 1);
        const int weight = uniform(rng, kind.least, kind.largest);
        edges.push_back({from, to, weight});
        if (kind.undirected) edges.push_back({to, from, weight});
      }
      expectRight(n, edges, kind.name);
    }
}

/// A list that grows beyond 128 arcs is given up. Paths between two such vertices are in no list.
TEST(CpuRounds, GrowingListsAreFrozen) {
  Rng rng(kFresh);
  for (const int leaves : {127, 128, 129, 257})
    for (const int hubs : {1, 2, 3}) {
      IntEdges edges;
      for (int leaf = 0; leaf < leaves; ++leaf)
        for (int hub = 0; hub < hubs; ++hub) join(edges, hub, hubs + leaf, uniform(rng, 1, 1000));
      if (hubs > 1) edges.push_back({0, 1, uniform(rng, 1, 1000)});
      expectRight(hubs + leaves, edges, fmt::format("{} hubs", hubs));
    }
  for (const int clique : {65, 127, 128, 129, 130, 140}) {
    IntEdges edges;
    for (int i = 0; i < clique; ++i)
      for (int j = 0; j < clique; ++j)
        if (i != j) edges.push_back({i, j, uniform(rng, 1, 1000)});
    join(edges, clique - 1, clique, 1);  // and a tail
    join(edges, clique, clique + 1, 1);
    expectRight(clique + 2, edges, "clique");
  }
  IntEdges hubs;  // several that grow together, and are adjacent to each other
  for (int hub = 0; hub < 4; ++hub)
    for (int i = 0; i < 90; ++i) {
      const int spoke = 4 + 90 * hub + i;
      join(hubs, hub, spoke, uniform(rng, 1, 1000));
      join(hubs, (hub + 1) % 4, spoke, uniform(rng, 1, 1000));
      join(hubs, spoke, 4 + uniform(rng, 0, 359), uniform(rng, 1, 1000));
    }
  expectRight(364, hubs, "four hubs");
  for (const int degree : {3, 8, 20}) {
    IntEdges edges;
    constexpr int kVertices = 400;
    for (int i = 0; i < degree * kVertices / 2; ++i)
      join(edges, uniform(rng, 0, kVertices - 1), uniform(rng, 0, kVertices - 1),
           uniform(rng, 0, 1000));
    expectRight(kVertices, edges, fmt::format("degree {}", degree));
  }
}

/// Small graphs beside each other are one graph whose components are solved together.
TEST(CpuRounds, SolveManySmallGraphs) {
  constexpr int kGraphs = 60;
  Rng rng(kFresh);
  for (int time = 0; time < 8; ++time) {
    IntEdges edges;
    int n = 0;
    for (int graph = 0; graph < kGraphs; ++graph) {
      const int size = uniform(rng, 1, 12), first = n;
      const int most = uniform(rng, 0, 3) == 0 ? 0 : uniform(rng, 1, 1 << uniform(rng, 0, 16));
      for (int i = uniform(rng, 0, 5 * size); i > 0; --i) {
        const int from = first + uniform(rng, 0, size - 1), to = first + uniform(rng, 0, size - 1);
        edges.push_back({from, to, uniform(rng, 0, most)});
        if (uniform(rng, 0, 1) == 0) edges.push_back({to, from, uniform(rng, 0, most)});
      }
      n += size;
    }
    expectRight(n, edges, fmt::format("small graphs, time {}", time));
  }
}

/// A grid, a random graph, and a cube, with weights that are rounded when they are added.
std::vector<Graph> graphsOfReals() {
  Spec grid = specOf(familyIndex("grid"), 6400, kFresh), random = grid;
  random.family = familyIndex("sparse");
  random.n = 1500;
  random.degree = 3;
  grid.dtype = random.dtype = Dtype::kFloat32;
  Rng rng(kFresh);
  IntEdges cube;
  constexpr int kSide = 12, kCube = kSide * kSide * kSide;
  for (int i = 0; i < kCube; ++i)
    for (const int step : {1, kSide, kSide * kSide})
      if (i / step % kSide + 1 < kSide) cube.push_back({i, i + step, uniform(rng, 1, 1'000'000)});
  std::vector<Graph> all;
  all.push_back(generate(grid));
  all.push_back(generate(random));
  all.push_back(as<float>(kCube, cube));
  return all;
}

/// Nothing depends on how the vertices are divided, and sums of reals depend on nothing else.
TEST(CpuRounds, AreTheSameWithAnyNumberOfThreads) {
  for (const Graph& graph : graphsOfReals()) {
    const auto& edges = graph.edges<float>();
    const auto one = sparse::eliminateInRounds(graph, {}, 1);
    auto expected = sparse::hierarchyOf(*one, edges, 1);
    EXPECT_GT(one->rounds, 5);
    EXPECT_LT(one->elimination.coreSize(), graph.n);
    const std::vector<float> core(expected.between.data().as<float>(),
                                  expected.between.data().as<float>() + expected.between.size());
    apspScalar(expected.coreSize(), expected.between.data());
    const auto left = sparse::prune(expected, 1);
    for (int threads = 1; threads <= 16; ++threads) {
      sparse::Rates rates;
      rates.threads = threads;
      const auto other = sparse::eliminateInRounds(graph, rates, threads);
      EXPECT_EQ(one->rounds, other->rounds);
      EXPECT_EQ(one->elimination.position, other->elimination.position)
          << threads << " threads seed " << kFresh;
      EXPECT_EQ(one->elimination.parent, other->elimination.parent);
      EXPECT_EQ(one->elimination.above, other->elimination.above);
      auto all = sparse::hierarchyOf(*other, edges, threads);
      EXPECT_EQ(expected.head, all.head);
      EXPECT_TRUE(std::equal(core.begin(), core.end(), all.between.data().as<float>()));
      apspScalar(all.coreSize(), all.between.data());
      const auto also = sparse::prune(all, threads);
      EXPECT_EQ(expected.up, all.up) << threads << " threads seed " << kFresh;
      EXPECT_EQ(expected.down, all.down);
      EXPECT_EQ(left.up.first, also.up.first);
      EXPECT_EQ(left.down.first, also.down.first);
    }
  }
}

/// The threads of the team work for one caller, and then for another.
TEST(CpuRounds, MayBeMadeForSeveralCallersAtOnce) {
  const Graph graph = generate(specOf(familyIndex("grid"), 2500, kFresh));
  const auto expected = sparse::eliminateInRounds(graph, {}, 1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int time = 0; time < 10; ++time)
        wrong += sparse::eliminateInRounds(graph, {}, 4)->elimination.position !=
                 expected->elimination.position;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

/// A elimination is kept, and followed with other weights of the same edges.
TEST(CpuRounds, MayBeFollowedWithOtherWeights) {
  Rng rng(kFresh);
  Graph graph = generate(specOf(familyIndex("grid"), 900, kFresh));
  const auto survey = sparse::surveyOf(graph, someRates()[0], sparse::Eliminates::kInRounds);
  EXPECT_TRUE(sparse::areOf(*survey.rounds, graph.edges<std::int32_t>()));
  EXPECT_FALSE(sparse::areOf(*survey.rounds, Edges<float>()));
  graph.edges<std::int32_t>().back().weight += 1;
  EXPECT_FALSE(sparse::areOf(*survey.rounds, graph.edges<std::int32_t>()));
  for (auto& edge : graph.edges<std::int32_t>()) edge.weight = uniform(rng, 0, 1000);
  EXPECT_EQ(solvedWith<std::int32_t>(survey, graph, 2), byPlainLoopOf<std::int32_t>(graph));
}

/// A path is eliminated in few rounds, and to the end. The hub of a star goes last.
TEST(CpuRounds, PathsAndStarsTakeFewRounds) {
  IntEdges path, star;
  for (int i = 1; i < 4000; ++i) {
    join(path, i - 1, i, i);
    join(star, 0, i, i);
  }
  const auto eliminated = [](const IntEdges& edges) {
    return sparse::eliminateInRounds(as<std::int32_t>(4000, edges), {}, 2);
  };
  EXPECT_LE(eliminated(path)->rounds, 60);
  EXPECT_LE(eliminated(path)->elimination.coreSize(), 200);
  EXPECT_LE(eliminated(star)->rounds, 2);
  EXPECT_LE(eliminated(star)->elimination.coreSize(), 1);
}

/// Hubs whose long lists get shorter in several rounds are not frozen.
TEST(CpuRounds, HubsOfTreesAreEliminated) {
  constexpr int kHubs = 12, kLeaves = 200;
  IntEdges edges;
  int n = kHubs;
  for (int hub = 0; hub < kHubs; ++hub) {
    if (hub > 0) join(edges, hub - 1, hub, 1);
    for (int leaf = 0; leaf < kLeaves; ++leaf) {
      join(edges, hub, n++, 2);  // one alone, and one with another leaf
      join(edges, hub, n, 3);
      join(edges, n, n + 1, 4);
      n += 2;
    }
  }
  const auto rounds = sparse::eliminateInRounds(as<std::int32_t>(n, edges), someRates()[1], 2);
  EXPECT_LE(rounds->elimination.coreSize(), 1);
}

/// With whole weights, the number of threads decides, and whether there are few edges; with real
/// ones, threads do not.
TEST(CpuRounds, ThreadsDoNotChooseTheWayOfReals) {
  const auto inRounds = [](const Graph& graph, int threads) {
    const Threads some(threads);
    return sparse::surveyOf(graph, {}).rounds != nullptr;
  };
  Edges<std::int32_t> edges;
  for (int v = 1; v < 4900; ++v) {
    edges.push_back({v - 1, v, v});
    edges.push_back({v, v - 1, v});
  }
  Graph path = fromEdges(4900, std::move(edges));
  EXPECT_FALSE(inRounds(path, 1));
  EXPECT_FALSE(inRounds(path, 2));
  EXPECT_TRUE(inRounds(path, 8));
  convert(path, Dtype::kFloat32);
  EXPECT_EQ(inRounds(path, 1), inRounds(path, 8));
  EXPECT_FALSE(inRounds(generate(specOf(familyIndex("grid"), 4900, kFresh)), 8));
}

}  // namespace
