// The graph type and the files that appear whole or not at all.
#include "base/graph.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <thread>
#include <type_traits>

#include "apsp.h"
#include "base/memory.h"
#include "files.h"
#include "generate/families.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "io/output.h"
#include "seed.h"
#include "types.h"
#include "verify/bellman_ford.h"

namespace {

using Triples = std::vector<std::array<int, 3>>;
using Names = std::set<std::string>;

/// A test of each type of weights.
template <class T>
class GraphOf : public testing::Test {};
TYPED_TEST_SUITE(GraphOf, AllTypes);

Graph dense(Matrix matrix) {
  Graph graph;
  graph.n = matrix.n();
  graph.body = std::move(matrix);
  return graph;
}

void put(const std::string& path, const std::string& text) {
  OutputFile out(path);
  out.write(text.data(), text.size());
  out.commit();
}

TYPED_TEST(GraphOf, FromEdgesSortsKeepsTheLightestAndCounts) {
  using T = TypeParam;
  Dropped dropped;
  const Graph graph = fromEdges<T>(
      4, {{2, 1, 9}, {0, 3, 5}, {1, 1, 4}, {0, 3, 2}, {0, 3, 2}, {1, 1, 4}, {2, 2, 0}, {1, 0, 0}},
      &dropped);
  EXPECT_EQ(4, graph.n);
  EXPECT_FALSE(graph.dense());
  EXPECT_EQ(kDtype<T>, graph.dtype());
  EXPECT_EQ(triples<T>(graph), (std::vector<std::array<T, 3>>{{0, 3, 2}, {1, 0, 0}, {2, 1, 9}}));
  EXPECT_EQ(2u, dropped.duplicates);
  EXPECT_EQ(1u, dropped.otherWeights);
  EXPECT_EQ(3u, dropped.selfLoops);
}

/// Few edges, and edges by tails, are sorted without a radix sort.
TEST(Graph, FromEdgesSortsEdgesByTails) {
  std::mt19937 random(1);
  for (const int degree : {1, 5, 32, 33, 70}) {
    for (const bool ascending : {true, false}) {
      Edges<int> edges;
      std::map<std::pair<int, int>, int> lightest;
      for (int k = 0; k < 40; ++k) {
        const int from = ascending ? k : (k + 20) % 40;
        for (int e = 0; e < degree; ++e) {
          const int to = static_cast<int>(random() % 60), weight = static_cast<int>(random() % 9);
          edges.push_back({from, to, weight});
          if (from == to) continue;
          const auto known = lightest.emplace(std::pair(from, to), weight).first;
          known->second = std::min(known->second, weight);
        }
      }
      Triples expected;
      for (const auto& [pair, weight] : lightest)
        expected.push_back({pair.first, pair.second, weight});
      EXPECT_EQ(expected, triples(fromEdges(60, edges))) << degree;
      edges.resize(std::min<std::size_t>(edges.size(), 20));
      std::shuffle(edges.begin(), edges.end(), random);
      const Triples few = triples(fromEdges(60, edges));
      EXPECT_TRUE(std::is_sorted(few.begin(), few.end())) << degree;
    }
  }
}

TEST(Graph, FromEdgesSortsIdsOfEverySize) {
  std::mt19937 random(1);
  for (int n : {2049, 70000, 5000000, 2147483647}) {
    Edges<int> edges;
    std::map<std::pair<int, int>, int> lightest;
    for (int weight = 3000; weight > 0; --weight) {
      const int from = random() % n, to = weight % 4 ? random() % n : from / 2;
      edges.push_back({from, to, weight});
      if (from != to) lightest[{from, to}] = weight;
    }
    Triples expected;
    for (const auto& [pair, weight] : lightest)
      expected.push_back({pair.first, pair.second, weight});
    EXPECT_EQ(expected, triples(fromEdges(n, edges))) << n;
  }
}

TYPED_TEST(GraphOf, ToMatrixFillsWithInfinityAndAZeroDiagonal) {
  using T = TypeParam;
  constexpr T none = kInfinity<T>;
  EXPECT_EQ(0, toMatrix(fromEdges<T>(0, {})).n());
  const Matrix matrix = toMatrix(fromEdges<T>(3, {{0, 2, 7}, {2, 0, 0}, {1, 1, 5}}));
  EXPECT_EQ((std::vector<T>{0, none, 7, none, 0, none, 0, none, 0}), values<T>(matrix));
}

TYPED_TEST(GraphOf, MatrixIsAlignedAndMovedThrough) {
  using T = TypeParam;
  for (int n : {1, 3, 17, 100}) {
    Graph graph = dense(Matrix(n, kDtype<T>));
    const T* data = graph.matrix().data().template as<T>();
    EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(data) % 64);
    EXPECT_EQ(data + (n - 1) * n, graph.matrix().template row<T>(n - 1));
    EXPECT_EQ(data, toMatrix(std::move(graph)).data().data());
  }
}

/// Counts a list of edges by itself.
template <class T>
GraphStats countsOf(const Edges<T>& edges) {
  std::uint64_t hash = 0;
  T most = 0;
  double leastPositive = kInfinity<double>;
  for (const Edge<T>& e : edges) {
    hash += edgeHash(e.from, e.to, bitsOf(e.weight));
    most = std::max(most, e.weight);
    if (e.weight > 0) leastPositive = std::min(leastPositive, static_cast<double>(e.weight));
  }
  return {edges.size(), hash, most, T(0), leastPositive};
}

TYPED_TEST(GraphOf, EveryOrderAndRepresentationIsTheSame) {
  using T = TypeParam;
  for (int n : {1, 2, 7, 64, 200}) {
    Edges<T> edges = randomEdges<T>(n, 3);
    const GraphStats expected = countsOf(edges);
    const Graph sorted = fromEdges(n, edges);
    std::reverse(edges.begin(), edges.end());
    std::rotate(edges.begin(), edges.begin() + edges.size() / 3, edges.end());
    const Graph mixed = fromEdges(n, edges), matrix = dense(toMatrix(fromEdges(n, edges)));
    for (const GraphStats& t : {graphStats(sorted), graphStats(mixed), graphStats(matrix),
                                graphStats(n, matrix.matrix().data())}) {
      EXPECT_EQ(expected.edges, t.edges);
      EXPECT_EQ(expected.hash, t.hash);
      EXPECT_EQ(expected.maxWeight, t.maxWeight);
      EXPECT_EQ(expected.minWeight, t.minWeight);
      EXPECT_EQ(expected.leastPositive, t.leastPositive);
    }
    EXPECT_TRUE(matrix.dense() && !mixed.dense());
    EXPECT_EQ(triples<T>(sorted), triples<T>(mixed));
    EXPECT_EQ(triples<T>(sorted), triples<T>(matrix));
  }
}

TYPED_TEST(GraphOf, TheLeastWeightAbove0IsFound) {
  using T = TypeParam;
  const Graph list = fromEdges<T>(3, {{0, 1, T(0)}, {1, 2, T(3)}, {2, 0, T(7)}});
  const Graph matrix = dense(toMatrix(fromEdges(3, list.edges<T>())));
  EXPECT_EQ(3, graphStats(list).leastPositive);
  EXPECT_EQ(3, graphStats(matrix).leastPositive);
  EXPECT_EQ(kInfinity<double>, graphStats(fromEdges<T>(3, {{0, 1, T(0)}})).leastPositive);
  GraphStats all;
  all += graphStats(fromEdges<T>(3, {{0, 1, T(9)}}));
  EXPECT_EQ(9, all.leastPositive);
  all += graphStats(list);
  EXPECT_EQ(3, all.leastPositive);
  all += {1, 0, T(1), T(0)};  // of which nobody has found it
  EXPECT_EQ(0, all.leastPositive);
}

TYPED_TEST(GraphOf, ReversesAreAddedToEdgesAndToAMatrix) {
  using T = TypeParam;
  const Edges<T> edges = {{0, 1, 5}, {1, 0, 3}, {1, 2, 0}, {3, 2, 9}, {2, 3, 9}, {4, 0, 7}};
  const std::vector<std::array<T, 3>> expected = {{0, 1, 3}, {0, 4, 7}, {1, 0, 3}, {1, 2, 0},
                                                  {2, 1, 0}, {2, 3, 9}, {3, 2, 9}, {4, 0, 7}};
  Graph list = fromEdges(5, edges), matrix = dense(toMatrix(fromEdges(5, edges)));
  for (Graph* graph : {&list, &matrix}) {
    const Reversed reversed = addReverses(*graph);
    EXPECT_EQ(expected, triples<T>(*graph));
    EXPECT_EQ(2u, reversed.added);
    EXPECT_EQ(1u, reversed.twoWeights);
    const Reversed again = addReverses(*graph);
    EXPECT_EQ(expected, triples<T>(*graph)) << "a graph that is undirected stays as it is";
    EXPECT_EQ(0u, again.added + again.twoWeights);
  }
}

TYPED_TEST(GraphOf, ReversesOfEverySize) {
  using T = TypeParam;
  for (int n : {0, 1, 2, 31, 32, 33, 100}) {
    Graph list = fromEdges(n, randomEdges<T>(n, 4));
    std::vector<std::array<T, 3>> expected;
    const Matrix before = toMatrix(fromEdges(n, list.edges<T>()));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (const T w = std::min(before.row<T>(i)[j], before.row<T>(j)[i]);
            i != j && w < kInfinity<T>)
          expected.push_back({static_cast<T>(i), static_cast<T>(j), w});
    Graph matrix = dense(toMatrix(fromEdges(n, list.edges<T>())));
    const Reversed ofList = addReverses(list), ofMatrix = addReverses(matrix);
    EXPECT_EQ(expected, triples<T>(list)) << n;
    EXPECT_EQ(expected, triples<T>(matrix)) << n;
    EXPECT_EQ(ofList.added, ofMatrix.added) << n;
    EXPECT_EQ(ofList.twoWeights, ofMatrix.twoWeights) << n;
  }
}

TEST(Graph, OneWayIfNoEdgeHasItsReverse) {
  EXPECT_FALSE(isOneWay(fromEdges<int>(2, {}))) << "no edges";
  EXPECT_FALSE(isOneWay(fromEdges<int>(2, {{0, 1, 5}}))) << "one edge says nothing";
  EXPECT_TRUE(isOneWay(fromEdges<int>(3, {{0, 1, 5}, {1, 2, 5}})));
  EXPECT_TRUE(isOneWay(fromEdges<double>(3, {{0, 1, 5}, {2, 1, 5}})));
  EXPECT_FALSE(isOneWay(fromEdges<int>(3, {{0, 1, 5}, {1, 0, 6}, {1, 2, 5}})));
  EXPECT_FALSE(isOneWay(dense(toMatrix(fromEdges<int>(3, {{0, 1, 5}, {1, 2, 5}}))))) << "a matrix";
  for (int n : {50, 5000}) {  // fewer vertices than edges, and more
    Edges<int> edges;
    for (const Edge<int>& e : randomEdges(50, 3))
      if ((e.from + e.to) % 2 == (e.from < e.to)) edges.push_back(e);
    EXPECT_TRUE(isOneWay(fromEdges(n, edges))) << n;
    edges.push_back({edges[7].to, edges[7].from, 1});
    EXPECT_FALSE(isOneWay(fromEdges(n, edges))) << n;
  }
}

TYPED_TEST(GraphOf, IsConvertedToEveryTypeAndBack) {
  using T = TypeParam;
  const Edges<T> edges = {{0, 1, 7}, {1, 2, 1 << 20}, {2, 0, 0}};
  for (const Dtype other : kDtypes) {
    Graph list = fromEdges(4, edges), matrix = dense(toMatrix(fromEdges(4, edges)));
    for (Graph* graph : {&list, &matrix}) {
      const auto before = triples<T>(*graph);
      convert(*graph, other);
      EXPECT_EQ(other, graph->dtype());
      EXPECT_EQ(0x1p20, toDouble(graphStats(*graph).maxWeight));
      EXPECT_EQ(3u, countEdges(*graph)) << "infinity stays infinity";
      convert(*graph, kDtype<T>);
      EXPECT_EQ(before, triples<T>(*graph));
    }
  }
}

TEST(Graph, HoldsWeightsOf64BitsExactly) {
  constexpr std::int64_t kHeavy = kInfinity<std::int64_t> - 1;
  const Edges<std::int64_t> edges = {{0, 1, kHeavy}, {1, 0, kHeavy - 1}, {1, 2, 1 - kHeavy}};
  const Graph list = fromEdges(3, edges), matrix = dense(toMatrix(fromEdges(3, edges)));
  for (const Graph* graph : {&list, &matrix}) {
    const GraphStats stats = graphStats(*graph);
    EXPECT_EQ(3u, stats.edges);
    EXPECT_EQ(Number(kHeavy), stats.maxWeight);
    EXPECT_EQ(Number(1 - kHeavy), stats.minWeight);
    EXPECT_EQ(edges[1].weight, toEdges<std::int64_t>(*graph)[1].weight);
  }
  EXPECT_EQ("4611686018427387902", textOf(kHeavy));
  EXPECT_EQ("inf", textOf(kInfinity<std::int64_t>));
  EXPECT_EQ("0.1", textOf(0.1));
}

TEST(Graph, OfAnotherTypeIsNotTaken) {
  const Graph graph = fromEdges<double>(2, {{0, 1, 0.5}});
  EXPECT_THROW(graph.edges<float>(), std::bad_variant_access);
  const Matrix matrix = toMatrix(fromEdges<double>(2, {{0, 1, 0.5}}));
  EXPECT_THROW(matrix.row<float>(0), std::logic_error);
}

// ---- generated graphs -----------------------------------------------------------------------

TEST(Generate, OptionsThatAFamilyLacksAreNotNamed) {
  Spec spec;
  spec.n = 5;
  spec.seed = 7;
  spec.range = 9;
  spec.family = familyIndex("ring");
  EXPECT_EQ("--n 5 --family ring --range 9", optionsOf(spec));
  spec.family = familyIndex("zero");
  EXPECT_EQ("--n 5 --family zero", optionsOf(spec));
  spec.family = familyIndex("uniform");
  EXPECT_EQ("--n 5 --family uniform --seed 7 --range 9", optionsOf(spec));
  spec.seed = 1;  // as it is without --seed, unless a submission solves the graph
  EXPECT_EQ("--n 5 --family uniform --seed 1 --range 9", optionsOf(spec));
}

/// Calls visit(spec) for graphs of each family, also of those with negative weights.
template <class Visit>
void forEachFamily(Dtype dtype, Visit visit) {
  const std::size_t families = familyTable().size() + negativeFamilyTable().size();
  for (std::size_t family = 0; family < families; ++family) {
    for (const int n : {1, 2, 40}) {
      for (const bool undirected : {false, true}) {
        if (undirected && n < 40) continue;
        Spec spec;
        spec.family = static_cast<int>(family);
        spec.n = n;
        spec.seed = testSeed();
        spec.degree = 3;
        spec.undirected = undirected;
        spec.dtype = dtype;
        if (!undirected || !isNegative(spec)) visit(spec);
      }
    }
  }
}

Graph generatedAs(Dtype dtype, Spec spec) {
  spec.dtype = dtype;
  return generate(spec);
}

TEST(Generate, EachTypeHasTheSameEdges) {
  forEachFamily(Dtype::kInt32, [](const Spec& spec) {
    SCOPED_TRACE(describe(spec));
    const Edges<std::int32_t> small = toEdges<std::int32_t>(generate(spec));
    const Edges<float> floats = toEdges<float>(generatedAs(Dtype::kFloat32, spec));
    const Edges<std::int64_t> wide = toEdges<std::int64_t>(generatedAs(Dtype::kInt64, spec));
    const Edges<double> reals = toEdges<double>(generatedAs(Dtype::kFloat64, spec));
    ASSERT_TRUE(small.size() == floats.size() && small.size() == wide.size() &&
                small.size() == reals.size());
    for (std::size_t e = 0; e < small.size(); ++e) {
      ASSERT_TRUE(small[e].from == reals[e].from && small[e].to == reals[e].to);
      ASSERT_EQ(small[e].weight, wide[e].weight);
      ASSERT_EQ(static_cast<float>(small[e].weight), floats[e].weight);
      if (familyOf(spec).ranged) {
        ASSERT_LE(reals[e].weight, spec.range);
      } else {
        ASSERT_EQ(small[e].weight, reals[e].weight);
      }
    }
  });
}

/// How many weights are no float, and how many no whole number.
std::pair<int, int> realWeights(const char* family) {
  Spec spec;
  spec.family = familyIndex(family);
  spec.n = 60;
  std::pair<int, int> found;
  for (const Edge<double>& e : toEdges<double>(generatedAs(Dtype::kFloat64, spec))) {
    found.first += static_cast<double>(static_cast<float>(e.weight)) != e.weight;
    found.second += std::floor(e.weight) != e.weight;
  }
  return found;
}

TEST(Generate, WeightsThatAreDrawnAreRealInDoubles) {
  for (const char* family : {"course", "uniform", "necessary", "disconnected", "planted"})
    EXPECT_GT(realWeights(family).first, 1000) << family;
  for (const char* family : {"sparse", "grid", "star", "planted-arcs"})
    EXPECT_GT(realWeights(family).first, 60) << family;
  for (const char* family :
       {"ring", "permuted-ring", "chain", "long-path", "metric", "interior", "tail", "borders",
        "binary", "zero", "equal", "limit-path", "near-limit", "descent"})
    EXPECT_EQ(0, realWeights(family).second) << family;
}

/// Cycles of length 0, and others that are hardly longer, must not become negative.
TEST(Generate, PlantedWeightsOfNoTypeMakeANegativeCycle) {
  for (const Dtype dtype : kDtypes) {
    forEachFamily(dtype, [&](Spec spec) {
      if (!isNegative(spec)) return;
      const std::int64_t most = dtype == Dtype::kFloat32   ? 1 << 24
                                : dtype == Dtype::kFloat64 ? std::int64_t{1} << 53
                                                           : largestRange(dtype);
      for (const std::int64_t range : {std::int64_t{1}, std::int64_t{100000}, most}) {
        spec.range = range;
        requireRange(spec);
        requireNegative(spec, true);
        const Graph graph = generate(spec);
        withType(dtype, [&](auto zero) {
          const auto h = BellmanFord<SumOf<decltype(zero)>>(graph).fromAnywhere();
          for (const auto& e : toEdges<decltype(zero)>(graph))
            ASSERT_TRUE(h[e.from] + e.weight >= h[e.to]) << describe(spec) << nameOf(dtype);
        });
      }
    });
  }
}

TEST(Generate, WeightsOf64BitsAreAsLargeAsTheRangeSays) {
  forEachFamily(Dtype::kInt64, [](Spec spec) {
    for (const std::int64_t range :
         {std::int64_t{1} << 31, (std::int64_t{1} << 32) + 1, largestRange(Dtype::kInt64)}) {
      spec.range = range;
      const GraphStats stats = graphStats(generate(spec));
      ASSERT_LE(std::get<std::int64_t>(stats.maxWeight), std::max<std::int64_t>(range, kInf - 1))
          << describe(spec);
      if (!isNegative(spec)) {
        ASSERT_EQ(Number(std::int64_t{0}), stats.minWeight) << describe(spec);
      }
    }
  });
  Spec spec;
  spec.n = 100;
  spec.dtype = Dtype::kInt64;
  spec.range = largestRange(Dtype::kInt64);
  for (const char* family : {"course", "uniform", "triangular", "sparse", "grid", "equal"}) {
    spec.family = familyIndex(family);
    const Number largest = graphStats(generate(spec)).maxWeight;
    EXPECT_GT(toDouble(largest), 0.9 * static_cast<double>(spec.range)) << family;
  }
}

TEST(Generate, BlocksAndImagesAreOfTheSameGraph) {
  for (const Dtype dtype : kDtypes) {
    forEachFamily(dtype, [&](const Spec& spec) {
      SCOPED_TRACE(describe(spec) + " " + nameOf(dtype));
      const auto source = readSource(sourceOf(spec)->image());
      EXPECT_EQ(dtype, source->dtype());
      Graph whole = source->whole();
      EXPECT_EQ(dtype, whole.dtype());
      EXPECT_EQ(graphStats(generate(spec)).hash, graphStats(whole).hash);
      const Matrix matrix = toMatrix(std::move(whole));
      const int row = spec.n / 3, rows = spec.n - row, column = spec.n / 4, columns = spec.n / 2;
      ElementBuffer block(dtype, static_cast<std::size_t>(rows) * columns);
      source->block(row, rows, column, columns, block.data());
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
          ASSERT_EQ(matrix.row(row + i)[column + j],
                    block.data()[static_cast<std::size_t>(i) * columns + j]);
    });
  }
}

TEST(Generate, RangesThatTheTypeDoesNotHoldAreRefused) {
  Spec spec;
  spec.family = familyIndex("uniform");
  spec.range = kInf;
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
    spec.dtype = dtype;
    expectError(ErrorCode::kUsage, "--range", "1073741823 1073741822 i64 f64",
                [&] { requireRange(spec); });
  }
  for (const Dtype dtype : {Dtype::kInt64, Dtype::kFloat64}) {
    spec.dtype = dtype;
    EXPECT_NO_THROW(requireRange(spec));
  }
  spec.family = familyIndex("planted");
  spec.range = (std::int64_t{1} << 53) + 1;
  EXPECT_NO_THROW(requireRange(spec));
  expectError(ErrorCode::kUsage, "--range", "planted float64 9007199254740992 f64",
              [&] { requireNegative(spec, true); });
  spec.dtype = Dtype::kInt64;
  EXPECT_NO_THROW(requireNegative(spec, true));
}

// ---- files ----------------------------------------------------------------------------------

TEST(Memory, BytesOfAMatrixDoNotWrap) {
  EXPECT_EQ(std::size_t{8} * 1000 * 1000, matrixBytes(1000, Dtype::kFloat64));
  EXPECT_EQ(std::size_t{4} << 56, matrixBytes(1 << 28, Dtype::kInt32));
  for (const int n : {1500000000, 1 << 30, std::numeric_limits<int>::max()})
    for (const Dtype dtype : kDtypes) EXPECT_EQ(std::size_t{1} << 60, matrixBytes(n, dtype)) << n;
}

TEST(Memory, TooLargeAMatrixNamesNeededAndFreeBytes) {
  const std::string needed = "16.0 TB";
  requireHostBytes(1, "a byte");
  expectError(ErrorCode::kMemory, "", needed, [] {
    toMatrix(fromEdges<int>(2000000, {{0, 1, 5}}));
  });
  expectError(ErrorCode::kMemory, "", "32.0 TB", [] {
    toMatrix(fromEdges<double>(2000000, {{0, 1, 5}}));
  });
  expectError(ErrorCode::kMemory, "", needed, [&] {
    try {
      Matrix(2000000, Dtype::kInt32);
    } catch (const Error& error) {  // what is free now is about the same
      const std::string text = error.what();
      const double free = static_cast<double>(freeHostBytes());
      const double told = std::atof(text.c_str() + text.find(", ") + 2);
      const double unit = text.find(" MB are free") != std::string::npos ? 1e6 : 1e9;
      EXPECT_TRUE(told * unit > free / 2 && told * unit < free * 2) << text;
      throw;
    }
  });
}

TEST(OutputFile, NothingIsLeftWithoutCommit) {
  const TempDir dir;
  writeBytes(dir / "old", "old");
  for (const char* name : {"new", "old"}) {
    OutputFile out(dir / name);
    EXPECT_EQ(dir / name, out.path());
    out.write("partial", 7);
    EXPECT_FALSE(std::filesystem::exists(dir / "new"));
    EXPECT_EQ("old", readBytes(dir / "old"));
  }
  EXPECT_EQ(dir.names(), Names{"old"});
  EXPECT_EQ("old", readBytes(dir / "old"));
}

TEST(OutputFile, CommitReplacesAtomically) {
  const TempDir dir;
  const std::string path = dir / "a file \xe9.bin";
  writeBytes(path, "before");
  std::ifstream before(path);
  OutputFile other(path);  // must not share its temporary file
  other.write("other", 5);
  put(path, "after");
  EXPECT_EQ("after", readBytes(path));
  EXPECT_EQ("before", std::string(std::istreambuf_iterator<char>(before), {}))
      << "written in place";
  other.commit();
  EXPECT_EQ("other", readBytes(path));
  EXPECT_EQ(dir.names(), Names{"a file \xe9.bin"});
}

TEST(OutputFile, ImpossibleTargetsFailAtConstruction) {
  const TempDir dir;
  const auto expect = [](const std::string& path, const char* reason) {
    expectError(ErrorCode::kOutput, path, reason, [&] { OutputFile out(path); });
  };
  expect(dir / "missing/x", "No such file or directory");
  expect(dir.path, "directory");
  writeBytes(dir / "file", "");
  expect(dir / "file/x", "Not a directory");
  EXPECT_EQ(dir.names(), Names{"file"});
  std::filesystem::permissions(dir.path, std::filesystem::perms(0555));
  unprivileged([&] { expect(dir / "x", "Permission denied"); });
}

/// Whether an action in a process of another user, if we are root, ends without an Error.
bool succeedsAs(uid_t user, const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && (setgid(user) != 0 || setuid(user) != 0)) _exit(99);
    try {
      action();
      _exit(0);
    } catch (const Error& error) {
      _exit(error.code == ErrorCode::kOutput ? 1 : 2);
    }
  }
  int status = 0;
  EXPECT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << status;
  return status == 0;
}

/// As by the kernel, if it protects links. Not all do.
TEST(OutputFile, LinksOfOthersAreNotFollowedInSharedFolders) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to be several users";
  constexpr uid_t kOwner = 65534, kVictim = 65533, kAttacker = 65532;
  const TempDir dir;
  std::filesystem::permissions(dir.path, std::filesystem::perms(0755));
  const std::string mine = dir / "mine", shared = dir / "shared", target = mine + "/file";
  std::filesystem::create_directory(mine);
  std::filesystem::create_directory(shared);
  ASSERT_EQ(0, chown(shared.c_str(), kOwner, kOwner));
  const struct {
    uid_t victim, attacker;
    unsigned mode;  // of the shared folder
    bool follows;
  } rows[] = {
      {kVictim, kAttacker, 01777, false}, {0, kAttacker, 01777, false},
      {kVictim, kAttacker, 0777, false},  {kVictim, kVictim, 01777, true},
      {kVictim, kOwner, 01777, true},     {0, kAttacker, 0755, true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::to_string(row.victim) + " " + std::to_string(row.attacker));
    std::filesystem::permissions(shared, std::filesystem::perms(row.mode));
    ASSERT_EQ(0, chown(mine.c_str(), row.victim, row.victim));
    const std::function<void(const std::string&)> ways[] = {
        [](const std::string& path) { OutputFile(path).finish("replaced"); },
        [](const std::string& path) { appendRows(path, "a\n", "1\n"); },
    };
    for (const auto& write : ways) {
      for (const std::string& name : {shared + "/link", shared + "/chain"}) {
        writeBytes(target, "a\n");
        ASSERT_EQ(0, chown(target.c_str(), row.victim, row.victim));
        std::filesystem::remove(shared + "/link");
        std::filesystem::remove(shared + "/chain");
        std::filesystem::create_symlink(target, shared + "/link");
        std::filesystem::create_symlink("link", shared + "/chain");
        ASSERT_EQ(0, lchown((shared + "/link").c_str(), row.attacker, row.attacker));
        ASSERT_EQ(0, lchown((shared + "/chain").c_str(), row.victim, row.victim));
        EXPECT_EQ(row.follows, succeedsAs(row.victim, [&] { write(name); })) << name;
        EXPECT_EQ(row.follows, readBytes(target) != "a\n") << name;
        EXPECT_TRUE(std::filesystem::is_symlink(name));
      }
    }
  }
}

/// Another user could make a file to which everybody can write, before it is replaced.
TEST(OutputFile, AFileOfAnotherUserDoesNotOpenOursToEverybody) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  const TempDir dir;
  for (const auto& [user, mode] : {std::pair(65534u, 0664u), {0u, 0666u}}) {
    writeBytes(dir / "x", "old");
    ASSERT_EQ(0, chown((dir / "x").c_str(), user, user));
    std::filesystem::permissions(dir / "x", std::filesystem::perms(0666));
    OutputFile(dir / "x").finish("new");
    EXPECT_EQ(mode, static_cast<unsigned>(std::filesystem::status(dir / "x").permissions()));
  }
}

TEST(OutputFile, RoomIsRequiredBeforehand) {
  const TempDir dir;
  {
    const OutputFile out(dir / "x");
    out.requireRoom(4096);
    expectError(ErrorCode::kOutput, dir / "x", "18.4 EB needed free",
                [&] { out.requireRoom(UINT64_MAX); });
  }
  OutputFile("/dev/null").requireRoom(UINT64_MAX);
  EXPECT_EQ(dir.names(), Names{});
}

TEST(OutputFile, FullDiskLeavesNothing) {
  const TempDir dir;
  rlimit unlimited;
  ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &unlimited));
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, unlimited.rlim_max};
  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
  expectError(ErrorCode::kOutput, dir / "x", "File too large",
              [&] { put(dir / "x", std::string(1 << 20, 'x')); });
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(dir.names(), Names{});
}

TEST(OutputFile, DevicesAndPipesAreWrittenDirectly) {
  put("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  expectError(ErrorCode::kOutput, "/dev/full", "No space left", [] { put("/dev/full", "x"); });

  const TempDir dir;
  ASSERT_EQ(0, mkfifo((dir / "pipe").c_str(), 0600));
  const int reader = open((dir / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  put(dir / "pipe", "through");
  char seen[16];
  EXPECT_EQ(7, read(reader, seen, sizeof seen));
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(dir / "pipe"));
}

TEST(AppendRows, AnotherHeaderOrNoFileIsAnError) {
  const TempDir dir;
  for (const char* begins : {"a,c\n1,2\n", "a,bc\n1,2\n", "a", "1,2\n"}) {
    writeBytes(dir / "r.csv", begins);
    const bool older = std::string(begins).rfind("a,", 0) == 0;  // it has a column of ours
    expectError(ErrorCode::kOutput, dir / "r.csv", older ? "older version" : "header",
                [&] { appendRows(dir / "r.csv", "a,b\n", "3,4\n"); });
    EXPECT_EQ(begins, readBytes(dir / "r.csv"));
  }
  for (const std::string& path : {dir / "missing/r.csv", dir.path, std::string("/dev/full")})
    expectError(ErrorCode::kOutput, path, "", [&] { appendRows(path, "a,b\n", "1,2\n"); });
}

TEST(AppendRows, OneHeaderAndNothingLost) {
  const TempDir dir;
  std::vector<std::thread> writers;
  for (int w = 0; w < 8; ++w)
    writers.emplace_back([&] {
      for (int i = 0; i < 25; ++i) appendRows(dir / "r.csv", "a,b\n", "1,2\n3,4\n");
    });
  for (std::thread& writer : writers) writer.join();
  std::string expected = "a,b\n";
  for (int i = 0; i < 200; ++i) expected += "1,2\n3,4\n";
  EXPECT_EQ(expected, readBytes(dir / "r.csv"));
}

}  // namespace
