// The filtered solver on the CPU, on several ranks there, and on the GPU against the plain triple
// loop, bit for bit (real weights: within the tolerance), with every type of weights, on graphs
// made to break it or to fool its estimates.
#include "filtered/filtered_cpu.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/dtype.h"
#include "base/elements.h"
#include "base/graph.h"
#include "base/size.h"
#include "base/tolerance.h"
#include "dense/plain_cpu.h"
#include "device/device.h"
#include "device/simd.h"
#include "filtered/filter_cpu.h"
#include "filtered/filtered_gpu.h"
#include "generate/families.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "ranks/threads.h"
#include "sample.h"
#include "seed.h"
#include "several/column_team.h"
#include "small_graphs.h"
#include "solver/options.h"
#include "solver/outcome.h"
#include "threads.h"
#include "ways.h"

namespace {

/// 16 is the number of hubs, 32, 64 and 128 are blocks of targets.
const std::vector<int> kSizes = {16, 17, 32, 63, 64, 65, 128, 129, 257};

const std::uint32_t kFresh = testSeed();

struct Shape {
  const char* name;
  std::function<int(int n, int from, int to, Rng&)> weight;  // from ≠ to
};

const std::vector<Shape> kShapes = {
    {"cheapRing", [](int n, int i, int j, Rng&) { return j == (i + 1) % n ? 1 : 100000; }},
    {"cheapRingBackwards", [](int n, int i, int j, Rng&) { return i == (j + 1) % n ? 1 : 100000; }},
    {"ringAmongRandom", [](int n, int i, int j,
                           Rng& rng) { return j == (i + 7) % n ? 1 : uniform(rng, 500, 100000); }},
    {"stars", [](int, int i, int j,
                 Rng& rng) { return i % 40 == 0 || j % 40 == 0 ? uniform(rng, 1, 9) : 100000; }},
    {"metric", [](int, int i, int j, Rng&) { return 1000 + (i * 37 + j * 37) % 900; }},
    {"twoScales",
     [](int, int, int, Rng& rng) {
       return uniform(rng, 0, 1) ? uniform(rng, 1, 9) : uniform(rng, 1e6, 1e7);
     }},
    {"allEqual", [](int, int, int, Rng&) { return 5; }},
    {"allZero", [](int, int, int, Rng&) { return 0; }},
    {"noEdges", [](int, int, int, Rng&) { return kInf; }},
    {"mostInfinite",
     [](int, int, int, Rng& rng) { return uniform(rng, 0, 9) ? kInf : uniform(rng, 0, 100000); }},
    {"outlyingRow",
     [](int, int i, int, Rng& rng) { return uniform(rng, 0, 1000) + (i == 5) * 1000000; }},
    {"outlyingColumns",
     [](int, int, int j, Rng& rng) { return uniform(rng, 0, 1000) + (j % 9 == 5) * 50000; }},
    {"columnsApart", [](int, int i, int j, Rng&) { return (j * 797) % 3000 + (i * 61 + j) % 997; }},
    {"twoParts",
     [](int n, int i, int j, Rng& rng) {
       return (i < n / 2) == (j < n / 2) ? uniform(rng, 1, 1000) : kInf;
     }},
    {"oneWay", [](int, int i, int j, Rng& rng) { return i < j ? uniform(rng, 0, 1000) : kInf; }},
    {"nearInfinity", [](int, int, int, Rng& rng) { return kInf - uniform(rng, 0, 3); }},
    {"halfInfinity", [](int, int, int, Rng& rng) { return kInf / 2 + uniform(rng, 0, 1); }},
    // The largest distance is 2¹⁵ − 1, give or take one: the last that 16 bits hold here.
    {"sixteenBits",
     [](int n, int i, int j, Rng& rng) {
       return j == (i + 1) % n ? (0x7fff + i % 2) / (n - 1) : uniform(rng, 0x7ffe, 0x8000);
     }},
};

std::vector<int> graphOf(const Shape& shape, int n, Rng& rng) {
  std::vector<int> graph(static_cast<std::size_t>(n) * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      graph[static_cast<std::size_t>(i) * n + j] = i == j ? 0 : shape.weight(n, i, j, rng);
  return graph;
}

/// Solves in place, or gives up and leaves a matrix with the same distances: whether it solved.
using Solve = std::function<bool(int n, Elements graph)>;

/// The distances by a loop that has nothing to do with the solvers. It runs once for the same
/// graph: the tests of all instruction sets solve the same graphs.
template <class T>
const std::vector<T>& distancesOf(int n, const std::vector<T>& graph) {
  static std::map<std::vector<T>, std::vector<T>> all;
  const auto [known, isNew] = all.try_emplace(graph, graph);
  std::vector<T>& d = known->second;
  for (int k = 0; k < n && isNew; ++k)
    for (int i = 0; i < n; ++i) {
      T* const from = d.data() + asSize(i) * n;
      const T* const through = d.data() + asSize(k) * n;
      const T first = from[k];
      for (int j = 0; j < n && first < kInfinity<T>; ++j)
        if (through[j] < kInfinity<T> && first + through[j] < from[j]) from[j] = first + through[j];
    }
  return d;
}

template <class T>
void expectSolved(int n, const std::vector<T>& graph, const Solve& solve, const std::string& what) {
  const std::vector<T>& expected = distancesOf(n, graph);
  std::vector<T> got = graph;
  const bool solved = solve(n, got.data());
  if (!solved) apspScalar(n, got.data());
  const double allowed = tolerance(n, kDtype<T>, 2);
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < got.size(); ++at) wrong += !agree(got[at], expected[at], allowed);
  EXPECT_EQ(wrong, 0u) << what << " n=" << n << " " << nameOf(kDtype<T>)
                       << (solved ? "" : ", gave up");
}

/// The graph with each weight times `factor` as a T.
template <class T>
std::vector<T> scaled(const std::vector<int>& graph, T factor) {
  std::vector<T> weights;
  for (const int weight : graph)
    weights.push_back(weight == kInf ? kInfinity<T> : static_cast<T>(weight) * factor);
  return weights;
}

/// The largest scale of int32 weights whose products are below infinity. Of the products as of the
/// weights, two that are near infinity add up to more than it, and two near half of it do or not.
constexpr std::int64_t kLargestScale = std::int64_t{1} << 32;

/// Weights of 64 bits, as they are, large, and small.
void expectLongSolved(int n, const std::vector<int>& graph, std::size_t turn, const Solve& solve,
                      const std::string& what) {
  switch (turn % 5) {
    case 0:
      return expectSolved(n, scaled<std::int64_t>(graph, 1), solve, what);
    case 1:
      return expectSolved(n, scaled(graph, kLargestScale), solve, what + " times 2^32");
    case 2:
      return expectSolved(n, scaled(graph, 1.0 / 3), solve, what + " divided by 3");
    case 3:
      return expectSolved(n, scaled(graph, 1e290), solve, what + " times 1e290");
    default:  // subnormal
      return expectSolved(n, scaled(graph, 1e-315), solve, what + " times 1e-315");
  }
}

/// Every shape with weights of 32 bits, and with those of 64 bits in turn.
void expectShapesSolved(std::uint32_t seed, const std::vector<int>& sizes, const Solve& solve) {
  Rng rng(seed);
  std::size_t turn = seed;
  for (const Shape& shape : kShapes) {
    for (const int n : sizes) {
      const std::vector<int> graph = graphOf(shape, n, rng);
      const std::string what = std::string(shape.name) + " seed " + std::to_string(seed);
      expectSolved(n, graph, solve, what);
      expectSolved(n, scaled<float>(graph, 1), solve, what);
      expectLongSolved(n, graph, ++turn, solve, what);
    }
  }
}

/// Weights of 64 bits that vary over the whole range.
void expectEverySizeSolved(int n, const Solve& solve) {
  std::mt19937_64 rng(kFresh);
  const std::string what = "seed " + std::to_string(kFresh);
  std::vector<std::int64_t> longs(asSize(n) * asSize(n));
  std::vector<double> reals(longs.size());
  for (std::size_t at = 0; at < longs.size(); ++at) {
    const bool diagonal = at % asSize(n + 1) == 0;
    longs[at] = diagonal ? 0 : static_cast<std::int64_t>(rng() >> (2 + rng() % 62));
    reals[at] = diagonal
                    ? 0
                    : std::ldexp(static_cast<double>(rng()), static_cast<int>(rng() % 2000) - 1060);
  }
  expectSolved(n, longs, solve, what);
  expectSolved(n, reals, solve, what);
}

Solve onCpu(const Effort& effort, const std::string& simd) {
  return [=](int n, Elements graph) { return solveFiltered(n, graph, effort, simd).has_value(); };
}

class Relaxation : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!hasSimd(GetParam())) GTEST_SKIP() << "this CPU has no " << GetParam();
  }
};

TEST_P(Relaxation, SolvesShapesMadeToFoolIt) {
  for (const std::uint32_t seed : {1u, kFresh})
    if (seed == kFresh || wantsAll())
      expectShapesSolved(seed, kSizes, onCpu(kWhateverItTakes, GetParam()));
}

/// What it leaves when it gives up in the middle has the same distances.
TEST_P(Relaxation, GivesUpWithoutDamage) {
  const int n = 200;  // blocks of 128 targets: the first may be done when the second gives up
  for (const double steps : {0.0, 1.0}) {
    Rng rng(kFresh);
    for (const Shape& shape : kShapes) {
      const std::vector<int> graph = graphOf(shape, n, rng);
      const std::string what = std::string(shape.name) + " seed " + std::to_string(kFresh);
      const Solve solve = onCpu({16, 1e9, steps}, GetParam());
      expectSolved(n, graph, solve, what);
      expectSolved(n, scaled<std::int64_t>(graph, kLargestScale), solve, what);
    }
  }
}

/// Of weights that vary over the whole range, sums of three are above what the type holds.
TEST_P(Relaxation, SolvesWeightsOfEverySize) {
  for (const int n : {16, 33, 64, 65, 128, 130, 300})
    for (const Effort& effort : {kWhateverItTakes, Effort{}})
      expectEverySizeSolved(n, onCpu(effort, GetParam()));
}

/// Random reals, of which most edges are left out: those of a double's whole length, and subnormal
/// ones.
TEST_P(Relaxation, SolvesRandomReals) {
  Rng rng(kFresh);
  for (const int n : {100, 400, 500})
    for (const double scale : {1.0, 1e300, 1e-310}) {
      std::vector<double> graph(asSize(n) * asSize(n));
      for (double& weight : graph) weight = scale * std::uniform_real_distribution<>(0, 1)(rng);
      for (int i = 0; i < n; ++i) graph[asSize(i) * asSize(n + 1)] = 0;
      expectSolved(n, graph, onCpu({}, GetParam()), "scale " + textOf(scale));
      Outcome done;
      const Solve solve = [&](int size, Elements matrix) {
        done = solveFiltered(size, matrix, kWhateverItTakes, GetParam()).value();
        return true;
      };
      expectSolved(n, graph, solve, "scale " + textOf(scale));
      EXPECT_EQ(Tier::kFloat64, done.tier);
      EXPECT_GT(40, done.filtering.kept) << n << " " << scale << " seed " << kFresh;
    }
}

TEST_P(Relaxation, SolvesEveryFamily) {
  for (const FamilyInfo& family : familyTable()) {
    for (const int n : {16, 100, 257, 300}) {
      Spec spec;
      spec.family = familyIndex(family.name);
      spec.n = n;
      spec.seed = kFresh;
      std::vector<int> graph(static_cast<std::size_t>(n) * n);
      generateOn(cpuDevice, spec, graph.data());
      expectSolved(n, graph, onCpu(kWhateverItTakes, GetParam()), describe(spec));
      expectSolved(n, graph, onCpu({}, GetParam()), describe(spec));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Simd, Relaxation, testing::Values("avx512", "avx2", "portable"),
                         [](const auto& simd) { return simd.param; });

// ---- several ranks on CPUs ----------------------------------------------------------------------

/// Rows of a matrix, divided into bands, and each band into panels of `width` columns.
struct Division {
  std::vector<Band> bands;
  int width;
};

/// Bands of different sizes, some of them empty or not made of whole blocks, and panels that divide
/// blocks of columns.
std::vector<Division> divisionsOf(int n) {
  const int third = n / 3, begin = std::min(n, 64);
  return {{{{0, begin}, {begin, n - begin}}, 64},
          {{{0, 0}, {0, third}, {third, 0}, {third, n - third}}, 20},
          {{{0, 5}, {5, 1}, {6, n - 6}}, n},
          {{{0, n}, {n, 0}}, 7}};
}

/// Calls use(matrix, team) on each rank, with its rows of the graph, and takes them back.
template <class T>
void onBands(int n, const Division& division, T* graph,
             const std::function<void(const MatrixRows&, FilterTeam&)>& use) {
  runOnThreads(static_cast<int>(division.bands.size()), [&](Ranks& ranks) {
    omp_set_num_threads(1);
    const Band band = division.bands[static_cast<std::size_t>(ranks.rank())];
    const auto panel = static_cast<std::size_t>(band.count) * division.width;
    const auto panels = static_cast<std::size_t>((n + division.width - 1) / division.width);
    std::vector<T> own(panel * panels, -1);  // no weight: nobody may look at padding
    const MatrixRows matrix{n, band, own.data(), division.width, panel};
    const auto forEachWeight = [&](const auto& move) {
      for (int u = band.first; u < band.end(); ++u)
        for (int v = 0; v < n; ++v)
          move(*matrix.at<T>(u, v), graph[static_cast<std::size_t>(u) * n + v]);
    };
    forEachWeight([](T& here, T there) { here = there; });
    ColumnTeam team(ranks, division.bands);
    use(matrix, team);
    ranks.barrier();
    forEachWeight([](T here, T& there) { there = here; });
  });
}

/// Solves on ranks, which must all give the same answer.
Solve onRanks(std::size_t division, const Effort& effort) {
  return [=](int n, Elements graph) {
    const Division divided = divisionsOf(n)[division];
    std::atomic<int> solved = 0;
    withElements(graph, [&](auto* weights) {
      onBands(n, divided, weights, [&](const MatrixRows& matrix, FilterTeam& team) {
        if (solveFilteredOnRanks(matrix, effort, team)) ++solved;
      });
    });
    EXPECT_TRUE(solved == 0 || solved == static_cast<int>(divided.bands.size())) << solved;
    return solved > 0;
  };
}

/// They solve what one rank solves.
TEST(RelaxationOnRanks, SolvesShapesMadeToFoolIt) {
  int solvedAny = 0;
  for (std::size_t division = 0; division < divisionsOf(16).size(); ++division) {
    const Solve alike = [&](int n, Elements graph) {
      ElementBuffer copy(graph.dtype(), asSize(n) * asSize(n));
      copyElements(graph, asSize(n) * asSize(n), copy.data());
      const bool expected = onCpu(kWhateverItTakes, "")(n, copy.data());
      const bool solved = onRanks(division, kWhateverItTakes)(n, graph);
      EXPECT_EQ(expected, solved) << "n = " << n;
      solvedAny += solved;
      return solved;
    };
    std::vector<int> sizes;
    for (const int n : {16, 17, 65, 129, 257})
      if (takes(n + static_cast<int>(division), 2)) sizes.push_back(n);
    expectShapesSolved(kFresh, sizes, alike);
  }
  EXPECT_GT(solvedAny, 0);
}

/// Some ranks may be done when another one gives up. Together, their rows have the same distances
/// as before.
TEST(RelaxationOnRanks, GiveUpTogetherAndWithoutDamage) {
  for (const double steps : {0.0, 0.5, 1.0})
    expectShapesSolved(kFresh, {200}, onRanks(1, {16, 1e9, steps}));
}

/// The lists of arcs, to compare.
template <class T>
std::vector<std::vector<std::pair<std::uint32_t, T>>> listsOf(const Arcs<T>& arcs) {
  std::vector<std::vector<std::pair<std::uint32_t, T>>> lists;
  for (int u = 0; u < arcs.vertices(); ++u) {
    lists.emplace_back();
    for (const Arc<T>* arc = arcs.begin(u); arc != arcs.end(u); ++arc)
      lists.back().emplace_back(arc->head, arc->weight);
  }
  return lists;
}

template <class T>
void expectTheSameKept(int n, std::vector<T> graph) {
  Alone alone(n);
  const auto expected = filter<T>(MatrixRows::whole(n, graph.data()), kWhateverItTakes, alone);
  for (const Division& division : divisionsOf(n))
    onBands(n, division, graph.data(), [&](const MatrixRows& matrix, FilterTeam& team) {
      const auto found = filter<T>(matrix, kWhateverItTakes, team);
      ASSERT_EQ(expected.has_value(), found.has_value());
      if (!found) return;
      EXPECT_EQ(listsOf(expected->kept), listsOf(found->kept));
      EXPECT_EQ(expected->fits16, found->fits16);
      EXPECT_EQ(expected->fits32, found->fits32);
      EXPECT_EQ(expected->looks, found->looks);
    });
}

/// However the rows are divided, all ranks keep the edges that one rank keeps.
TEST(RelaxationOnRanks, KeepTheEdgesThatOneRankKeeps) {
  Rng rng(kFresh);
  for (const Shape& shape : kShapes)
    for (const int n : {65, 300}) {
      SCOPED_TRACE(std::string(shape.name) + " seed " + std::to_string(kFresh));
      const std::vector<int> graph = graphOf(shape, n, rng);
      expectTheSameKept(n, graph);
      expectTheSameKept(n, scaled<float>(graph, 1));
      expectTheSameKept(n, scaled<std::int64_t>(graph, kLargestScale));
      expectTheSameKept(n, scaled<double>(graph, 1.0 / 3));
    }
}

std::vector<int> generated(const char* family, int n, std::uint64_t seed) {
  Spec spec;
  spec.family = familyIndex(family);
  spec.n = n;
  spec.seed = seed;
  std::vector<int> graph(static_cast<std::size_t>(n) * n);
  generateOn(cpuDevice, spec, graph.data());
  return graph;
}

constexpr SettlePlace kPlaces[] = {SettlePlace::kShared, SettlePlace::kShared16,
                                   SettlePlace::kGlobal};

class GpuRelaxation : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    gpu_ = findGpu(why);
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU: " << why;
  }
  Solve onGpu(const Effort& effort) const {
    return [=](int n, Elements graph) {
      const DeviceMatrix matrix(*gpu_, n, graph.dtype());
      upload(*gpu_, matrix.data(), graph, matrix.size());
      const bool solved = solveFilteredOnGpu(n, matrix.data(), effort).has_value();
      download(*gpu_, graph, matrix.data(), matrix.size());
      return solved;
    };
  }

  const Device* gpu_ = nullptr;
};

/// Sizes around 32, a warp, and 128, a group of marks. Of 700 vertices the list of 640 can
/// overflow.
TEST_F(GpuRelaxation, SolvesShapesMadeToFoolIt) {
  const Solve mustSolve = [this](int n, Elements graph) {
    const bool solved = onGpu(kWhateverItTakes)(n, graph);
    EXPECT_TRUE(solved) << "n = " << n << " " << nameOf(graph.dtype());
    return solved;
  };
  for (const std::uint32_t seed : {1u, kFresh})
    expectShapesSolved(seed, {16, 17, 31, 32, 33, 65, 127, 128, 129}, mustSolve);
  expectShapesSolved(kFresh, {257, 700}, onGpu(kWhateverItTakes));
}

TEST_F(GpuRelaxation, GivesUpWithoutDamage) {
  for (const SettlePlace place : kPlaces)
    for (const double steps : {0.0, 0.5, 1.0})
      expectShapesSolved(kFresh, {200}, onGpu({16, 1e9, steps, place}));
}

/// Small, because `make gpu-sanitize` runs it under racecheck.
TEST_F(GpuRelaxation, SettlesInEveryPlace) {
  for (const SettlePlace place : kPlaces)
    expectShapesSolved(kFresh, {40}, onGpu({16, 1e9, 1e9, place}));
}

TEST_F(GpuRelaxation, SettlesWhereDistancesOfManyVerticesAre) {
  for (const SettlePlace place : {SettlePlace::kShared16, SettlePlace::kGlobal})
    expectShapesSolved(kFresh, {16, 33, 128, 129, 257, 700}, onGpu({16, 1e9, 1e9, place}));
}

/// The distances, which are the same in every place.
template <class T>
std::vector<T> foundInEveryPlace(int n, const std::vector<T>& graph,
                                 const std::function<Solve(const Effort&)>& onGpu) {
  std::vector<T> first;
  for (const SettlePlace place : kPlaces) {
    std::vector<T> found = graph;
    EXPECT_TRUE(onGpu({16, 1e9, 1e9, place})(n, found.data()));
    if (first.empty()) first = found;
    EXPECT_TRUE(first == found) << "place " << static_cast<int>(place);
  }
  return first;
}

/// With more sources than run at the same time, of which later ones use rows of earlier ones.
/// Of 64 bits, the distances take 16 bits, 32 and more.
TEST_F(GpuRelaxation, FindsTheSameInEveryPlace) {
  const auto solver = [this](const Effort& effort) { return onGpu(effort); };
  for (const char* family : {"course", "uniform"}) {
    SCOPED_TRACE(std::string(family) + " seed " + std::to_string(kFresh));
    const int n = 3000;
    const std::vector<int> graph = generated(family, n, kFresh);
    const std::vector<int> found = foundInEveryPlace(n, graph, solver);
    const auto isScaled = [&](auto factor) {
      using T = decltype(factor);
      SCOPED_TRACE(std::string(nameOf(kDtype<T>)) + " times " + std::to_string(factor));
      EXPECT_TRUE(scaled(found, factor) == foundInEveryPlace(n, scaled(graph, factor), solver));
    };
    isScaled(1.0f);  // sums of whole numbers this small are exact
    isScaled(1.0);
    isScaled(0x1p-1060);  // subnormal
    for (const std::int64_t factor : {std::int64_t{1}, std::int64_t{1000}, kLargestScale})
      isScaled(factor);
    foundInEveryPlace(n, scaled(graph, 1.0f / 3), solver);
    foundInEveryPlace(n, scaled(graph, 1.0 / 3), solver);
  }
}

/// Of weights that vary over the whole range, sums of three are above what the type holds.
TEST_F(GpuRelaxation, SolvesWeightsOfEverySize) {
  for (const int n : {16, 33, 65, 128, 130, 300})
    for (const SettlePlace place : {SettlePlace::kShared, SettlePlace::kGlobal})
      expectEverySizeSolved(n, onGpu({16, 1e9, 1e9, place}));
}

TEST_F(GpuRelaxation, SolvesRandomGraphsAndGivesUpWhereNothingIsLong) {
  const auto solves = [&](const char* shape) {
    for (const Shape& each : kShapes) {
      if (each.name != std::string(shape)) continue;
      Rng rng(kFresh);
      const int n = kGpuEffort.vertices;
      std::vector<int> graph = graphOf(each, n, rng);
      return onGpu(kGpuEffort)(n, graph.data());
    }
    throw std::logic_error(shape);
  };
  EXPECT_TRUE(solves("outlyingRow"));
  for (const char* shape : {"allEqual", "allZero", "metric", "noEdges", "mostInfinite"})
    EXPECT_FALSE(solves(shape)) << shape;
}

/// At n = 4000 the GPU cannot solve all sources at the same time. Later ones use rows of earlier
/// ones.
TEST_F(GpuRelaxation, BeginsWithRowsThatAreSolved) {
  for (const char* family : {"course", "uniform", "zero", "sparse", "binary", "permuted-ring"}) {
    Spec spec;
    spec.family = familyIndex(family);
    spec.n = 4000;
    spec.seed = kFresh;
    Exercise exercise(*gpu_, spec);
    const Outcome done = exercise.solve(
        {Dtype::kInt32, {Precision::kAuto, true, true, 0, nullptr, Method::kFiltered}});
    EXPECT_EQ(0u, exercise.wrong(done).count) << family << " seed " << kFresh;
    const double most = family == std::string("uniform") ? 0.95 : 9;  // each vertex once otherwise
    EXPECT_LT(done.filtering.passes, most) << family;
  }
}

TEST(Filter, KeepsFewEdgesOfRandomGraphs) {
  const int n = 1000;
  for (const char* family : {"uniform", "course", "necessary"}) {
    std::vector<int> graph = generated(family, n, kFresh);
    const auto done = solveFiltered(n, graph.data());
    ASSERT_TRUE(done) << family << " seed " << kFresh;
    EXPECT_GE(done->filtering.kept, 5) << family;
    EXPECT_LE(done->filtering.kept, 70) << family;
    EXPECT_GE(done->filtering.passes, 3) << family;
  }
}

/// An honest solver must not take longer because some heavy edges are necessary.
TEST(Filter, DoesLittleMoreForNecessaryEdges) {
  const int n = 1000;
  const auto workOn = [&](const char* family) {
    std::vector<int> graph = generated(family, n, kFresh);
    const auto done = solveFiltered(n, graph.data());
    if (!done) throw std::logic_error(family);
    EXPECT_EQ(Tier::kUint16, done->tier) << family << " seed " << kFresh;
    return done->filtering.kept * done->filtering.passes;
  };
  EXPECT_LT(workOn("necessary"), 1.4 * workOn("uniform")) << kFresh;
}

/// 32 bits may be asked for, to measure them: alone, and on several ranks.
TEST(Filter, TakesNo16BitsIf32AreAskedFor) {
  const int n = 500;
  for (const Method method : {Method::kAuto, Method::kFiltered})
    for (const Precision precision : {Precision::kAuto, Precision::k32}) {
      Options options;
      options.method = method;
      options.precision = precision;
      std::vector<int> graph = generated("uniform", n, kFresh), expected = graph;
      apspScalar(n, expected.data());
      const auto done = solveFiltered(n, graph.data(), effortOnCpu(options).value());
      ASSERT_TRUE(done || method == Method::kAuto) << "seed " << kFresh;
      if (!done) continue;  // on this machine it does not pay
      EXPECT_EQ(precision == Precision::k32 ? Tier::kInt32 : Tier::kUint16, done->tier)
          << "seed " << kFresh;
      EXPECT_EQ(expected, graph) << "seed " << kFresh;
    }
}

/// The weights need 64 bits. The distances, which take fewer edges, may not.
TEST(Filter, Of64BitsSaysWhether32HoldAllDistances) {
  const int n = 300;
  const std::vector<int> graph = generated("uniform", n, kFresh);
  std::vector<int> distances = graph;
  apspScalar(n, distances.data());
  for (const std::int64_t factor : {std::int64_t{50000}, std::int64_t{50000000}}) {
    SCOPED_TRACE("times " + std::to_string(factor) + ", seed " + std::to_string(kFresh));
    std::vector<std::int64_t> wide = scaled(graph, factor);
    ASSERT_GT(*std::max_element(wide.begin(), wide.end()), std::int64_t{1} << 31);
    Alone alone(n);
    const auto filtered =
        filter<std::int64_t>(MatrixRows::whole(n, wide.data()), kWhateverItTakes, alone);
    ASSERT_TRUE(filtered);
    EXPECT_EQ(factor == 50000, filtered->fits32);
    const auto done = solveFiltered(n, wide.data(), kWhateverItTakes);
    ASSERT_TRUE(done);
    EXPECT_EQ(Tier::kInt64, done->tier);
    EXPECT_EQ(scaled(distances, factor), wide);
  }
}

/// Every edge of a shortest path is as long as the distance between its ends.
TEST(Filter, KeepsEveryEdgeThatIsADistance) {
  const int n = 300;
  for (const char* family : {"uniform", "course", "grid"}) {
    std::vector<int> graph = generated(family, n, kFresh);
    std::vector<int> distances = graph;
    apspScalar(n, distances.data());
    Alone alone(n);
    const auto filtered = filter<int>(MatrixRows::whole(n, graph.data()), kWhateverItTakes, alone);
    ASSERT_TRUE(filtered) << family;
    for (int u = 0; u < n; ++u) {
      std::vector<bool> kept(n);
      for (const Arc<int>* arc = filtered->kept.begin(u); arc != filtered->kept.end(u); ++arc) {
        kept[arc->head] = true;
        EXPECT_EQ(arc->weight, graph[static_cast<std::size_t>(u) * n + arc->head]);
      }
      for (int v = 0; v < n; ++v) {
        const std::size_t at = static_cast<std::size_t>(u) * n + v;
        const bool needed = u != v && graph[at] < kInf && graph[at] == distances[at];
        EXPECT_TRUE(!needed || kept[v]) << family << " seed " << kFresh << ": " << u << " → " << v;
      }
    }
  }
}

/// Whether --method auto filters such a matrix, which it got as edges.
bool autoFilters(int n, std::vector<int>& graph) {
  Options options;
  options.outlook = Outlook::kGood;
  return solveFiltered(n, graph.data(), effortOnCpu(options).value()).has_value();
}

/// A matrix with random weights: there is an edge (u → v) if isEdge(u, v) says so.
std::vector<int> matrixOf(int n, const std::function<bool(int u, int v)>& isEdge) {
  Rng rng(kFresh);
  std::vector<int> graph(asSize(n) * n, kInf);
  for (int u = 0; u < n; ++u)
    for (int v = 0; v < n; ++v)
      if (u == v || isEdge(u, v)) graph[asSize(u) * n + v] = u == v ? 0 : uniform(rng, 1, 999);
  return graph;
}

/// At most two threads settle the hubs. With 16 threads, that is a large part of the dense solver's
/// time, above all if each vertex of a plane has edges to those near by.
TEST(Filter, PaysWithManyThreadsToo) {
  const Threads many(16);
  const int side = 55, n = side * side;
  const auto square = [](int x) { return x * x; };
  std::vector<int> plane = matrixOf(n, [&](int u, int v) {
    return square(u / side - v / side) + square(u % side - v % side) < 20;
  });
  EXPECT_TRUE(autoFilters(n, plane)) << kFresh;
}

/// What is known of the hubs tells too little where a clique is joined to a long path: they look
/// seldom at vertices, and often at edges. In a ring of cliques, they look at less than others do.
TEST(Filter, PaysWhereHubsTellTooLittle) {
  const Threads two(2);
  const int n = 2000, clique = n / 4, size = 100;
  const auto isStep = [](int u, int v) { return v == u + 1 || u == v + 1; };
  std::vector<int> kite =
      matrixOf(n, [&](int u, int v) { return (u < clique && v < clique) || isStep(u, v); });
  EXPECT_TRUE(autoFilters(n, kite)) << kFresh;
  std::vector<int> ring =
      matrixOf(n, [&](int u, int v) { return u / size == v / size || isStep(u, v); });
  EXPECT_TRUE(autoFilters(n, ring)) << kFresh;
}

TEST(Filter, GivesUpWhereNothingIsLong) {
  for (const char* shape : {"allEqual", "allZero", "metric"}) {
    for (const Shape& each : kShapes) {
      if (each.name != std::string(shape)) continue;
      Rng rng(1);
      std::vector<int> graph = graphOf(each, 400, rng);
      EXPECT_FALSE(solveFiltered(400, graph.data())) << shape;
    }
  }
}

}  // namespace
