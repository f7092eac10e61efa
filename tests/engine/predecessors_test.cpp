// Predecessors: from each vertex they lead to the source, and the edges on the way have the
// distance as their sum.
#include "paths/predecessors.h"
#include "generate/families.h"
#include "generate/source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dense/plain_cpu.h"
#include "devices.h"
#include "files.h"
#include "measure/session.h"
#include "negative/negative.h"
#include "negative/potentials.h"
#include "paths/predecessors_gpu.h"
#include "results/predecessor_file.h"
#include "verify/bellman_ford.h"
#include "verify/tree.h"

namespace {

/// n×n words.
struct Words {
  int n;
  std::vector<int> all;
  const int* row(int i) const { return all.data() + static_cast<std::size_t>(i) * n; }
  int& at(int i, int j) { return all[static_cast<std::size_t>(i) * n + j]; }
};

Words wordsOf(const Matrix& matrix) {
  return {matrix.n(), std::vector<int>(matrix.data(), matrix.data() + matrix.size())};
}

Words distancesOf(const Words& weights, Dtype dtype) {
  Words distances = weights;
  apspScalar(weights.n, distances.all.data(), dtype);
  return distances;
}

Words predecessorsOf(const Graph& graph, const Words& distances, bool known) {
  Words result = distances;
  const Predecessors finder(graph, known ? distances.all.data() : nullptr);
  finder.rows(0, graph.n, distances.all.data(), result.all.data());
  return result;
}

/// Walks from each vertex to the source. Shares no code with TreeCheck.
void expectTrees(const Words& weights, const Words& distances, const Words& predecessors,
                 Dtype dtype) {
  const int n = weights.n, none = infinity(dtype);
  const double off = tolerance(n, dtype, 2);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int distance = distances.row(i)[j];
      if (i == j || distance == none) {
        ASSERT_EQ(-9999, predecessors.row(i)[j]) << i << " " << j;
        continue;
      }
      double sum = 0;
      int steps = 0;
      for (int v = j; v != i; ++steps) {
        ASSERT_LT(steps, n) << "a cycle: " << i << " " << j;
        const int before = predecessors.row(i)[v];
        ASSERT_GE(before, 0) << i << " " << j;
        ASSERT_LT(before, n);
        ASSERT_LT(weights.row(before)[v], none) << i << " " << j;
        sum += toDouble(weights.row(before)[v], dtype);
        v = before;
      }
      ASSERT_NEAR(toDouble(distance, dtype), sum, off * (steps + 1) * toDouble(distance, dtype))
          << i << " " << j;
    }
  }
}

TreeFault faultIn(const Graph& graph, const Words& distances, const Words& predecessors) {
  return TreeCheck(graph).rows(0, graph.n, distances.all.data(), predecessors.all.data());
}

void expectRight(const Graph& graph, const Words& weights) {
  const Words distances = distancesOf(weights, graph.dtype);
  for (const bool known : {false, true}) {
    const Words found = predecessorsOf(graph, distances, known);
    expectTrees(weights, distances, found, graph.dtype);
    EXPECT_EQ("", faultIn(graph, distances, found).why);
    if (testing::Test::HasFailure()) return;
  }
}

/// Both as edges and as a matrix.
void expectRight(int n, const std::vector<Edge>& edges, Dtype dtype = Dtype::kInt32) {
  const Graph graph = fromEdges(n, edges, dtype);
  const Words weights = wordsOf(toMatrix(fromEdges(n, edges, dtype)));
  expectRight(graph, weights);
  Graph matrix;
  matrix.n = n;
  matrix.dtype = dtype;
  matrix.body = toMatrix(fromEdges(n, edges, dtype));
  expectRight(matrix, weights);
}

TEST(Predecessors, OfEveryFamily) {
  const std::uint64_t seed = std::random_device{}();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 40}) {
      for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
        Spec spec = specOf(family, n, seed, family % 2 == 1);
        spec.dtype = dtype;
        SCOPED_TRACE(describe(spec) + " " + nameOf(dtype));
        expectRight(generate(spec), wordsOf(toMatrix(generate(spec))));
        if (HasFailure()) return;
      }
    }
  }
}

/// Weights of 0 and 1: most edges of weight 0 are on cycles of length 0.
TEST(Predecessors, DoNotGoInCircles) {
  std::mt19937 random(std::random_device{}());
  for (int turn = 0; turn < 60; ++turn) {
    const int n = 30 + static_cast<int>(random() % 40), most = 1 + turn % 3;
    std::vector<Edge> edges;
    for (int k = 0; k < (1 + turn % 5) * n; ++k)
      edges.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n),
                       static_cast<int>(random() % most)});
    expectRight(n, edges);
    for (Edge& edge : edges) edge.weight = floatWord(edge.weight);
    expectRight(n, edges, Dtype::kFloat32);
    if (HasFailure()) return;
  }
}

/// A ring in which every edge weighs 0 in both directions, against the order of the numbers, too.
TEST(Predecessors, OfRingsAndCliquesOfWeightZero) {
  constexpr int kVertices = 270;  // more than kWorthThreads
  std::vector<Edge> ring, clique;
  for (int v = 0; v < kVertices; ++v) {
    ring.push_back({v, (v + 1) % kVertices, 0});
    ring.push_back({(v + 1) % kVertices, v, v == 7 ? 3 : 0});
    for (int u = 0; u < kVertices && v < 50; ++u)
      if (u != v && u < 50) clique.push_back({u, v, 0});
  }
  expectRight(kVertices, ring);
  expectRight(50, clique);
}

/// Weights that vanish in a float sum: D(k) + w = D(k), and cycles of such edges.
TEST(Predecessors, OfFloatsThatVanish) {
  std::mt19937 random(std::random_device{}());
  for (int turn = 0; turn < 30; ++turn) {
    const int n = 40;
    std::vector<Edge> edges;
    for (int k = 0; k < 4 * n; ++k) {
      const float weight = random() % 3 == 0 ? 1000.0F + static_cast<float>(random() % 1000) / 7
                                             : static_cast<float>(random() % 5) * 1e-6F;
      edges.push_back(
          {static_cast<int>(random() % n), static_cast<int>(random() % n), toWord(weight)});
    }
    expectRight(n, edges, Dtype::kFloat32);
    if (HasFailure()) return;
  }
}

// ---- negative weights ---------------------------------------------------------------------------

/// A random graph with potentials of its vertices in its weights: w = base + p(j) − p(i). Half of
/// the bases are 0, so there are many cycles of length 0 and many ties. most: the heaviest base.
std::vector<Edge> plantedEdges(int n, int arcs, int most, std::mt19937& random) {
  std::vector<int> potential(static_cast<std::size_t>(n));
  for (int& p : potential) p = static_cast<int>(random() % 2000) - 1000;
  std::vector<Edge> edges;
  for (int k = 0; k < arcs; ++k) {
    const int i = static_cast<int>(random() % n), j = static_cast<int>(random() % n);
    const int base = random() % 2 ? 0 : static_cast<int>(random() % most);
    if (i != j) edges.push_back({i, j, base + potential[j] - potential[i]});
  }
  return edges;
}

Graph matrixOf(int n, const std::vector<Edge>& edges) {
  Graph graph;
  graph.n = n;
  graph.body = toMatrix(fromEdges(n, edges));
  return graph;
}

/// The distances of the graph as the plain loop finds them in 64 bits.
Words signedDistances(const Words& weights) {
  const int n = weights.n;
  Words d = weights;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        if (d.at(i, k) == kInf || d.at(k, j) == kInf) continue;
        const std::int64_t through = std::int64_t{d.at(i, k)} + d.at(k, j);
        if (through < d.at(i, j)) d.at(i, j) = static_cast<int>(through);
      }
  return d;
}

TEST(NegativePredecessors, AreTreesOfTheGraphAsItWasGiven) {
  std::mt19937 random(std::random_device{}());
  for (int turn = 0; turn < 300; ++turn) {
    const int n = turn % 10 == 0 ? 1 : 2 + static_cast<int>(random() % 60);
    const std::vector<Edge> edges = plantedEdges(n, (1 + turn % 6) * n, 1 + turn % 4 * 40, random);
    const Words weights = wordsOf(toMatrix(fromEdges(n, edges)));
    const Words distances = signedDistances(weights);
    for (const bool dense : {false, true}) {
      const Graph graph = dense ? matrixOf(n, edges) : fromEdges(n, edges);
      const std::vector<int> potentials = potentialsOf(graph).of;
      for (const bool known : {false, true}) {
        Words found = distances;
        const Predecessors finder(graph, known ? distances.all.data() : nullptr, potentials);
        finder.rows(0, n, distances.all.data(), found.all.data());
        expectTrees(weights, distances, found, Dtype::kInt32);
        EXPECT_EQ("", faultIn(graph, distances, found).why);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(NegativePredecessors, RefuseDistancesOfNoPath) {
  const Graph graph = fromEdges(4, {{0, 1, -2}, {1, 2, 3}, {2, 1, -3}, {3, 0, 1}});
  const std::vector<int> potentials = potentialsOf(graph).of;
  for (const int wrong : {-1, 0, 2, -900}) {
    const std::vector<int> distances = {0, -2, wrong, kInf};
    std::vector<int> found(4);
    expectError(Exit::kMismatch, "no path", "from vertex 0 to vertex 2 has the distance", [&] {
      Predecessors(graph, nullptr, potentials).rows(0, 1, distances.data(), found.data());
    });
  }
}

TEST(Predecessors, RefuseDistancesOfNoPath) {
  const std::vector<Edge> edges = {{0, 1, 2}, {1, 2, 3}, {2, 1, 0}, {1, 3, 0}, {3, 1, 0}};
  const Graph graph = fromEdges(4, edges);
  const Words right = distancesOf(wordsOf(toMatrix(fromEdges(4, edges))), Dtype::kInt32);
  for (const int wrong : {1, 4, 6}) {
    Words distances = right;
    distances.at(0, 2) = wrong;
    expectError(Exit::kMismatch, "no path", "from vertex 0 to vertex 2 has the distance",
                [&] { predecessorsOf(graph, distances, false); });
  }
  Words distances = right;
  distances.at(0, 3) = 1;  // an edge of weight 0 leads there, from 1 at the distance 2
  expectError(Exit::kMismatch, "no path", "from vertex 0 to vertex 3 has the distance 1",
              [&] { predecessorsOf(graph, distances, false); });
}

// ---- the check ----------------------------------------------------------------------------------

/// 0 → 1 → 2 → 3 of length 5, a longer edge 0 → 3, a pair 4 ⇄ 5 of weight 0 behind 3, and 6 alone.
struct Planted : testing::Test {
  const std::vector<Edge> edges = {{0, 1, 2}, {1, 2, 3}, {2, 3, 0}, {0, 3, 9}, {0, 2, 5},
                                   {3, 4, 1}, {4, 5, 0}, {5, 4, 0}, {3, 5, 1}};
  const Graph graph = fromEdges(7, edges);
  const Words distances = distancesOf(wordsOf(toMatrix(fromEdges(7, edges))), Dtype::kInt32);
  Words predecessors = predecessorsOf(graph, distances, false);

  void expectFault(int i, int j, int wrong, const std::string& why) {
    const int before = std::exchange(predecessors.at(i, j), wrong);
    const TreeFault fault = faultIn(graph, distances, predecessors);
    EXPECT_EQ(i, fault.source) << why;
    EXPECT_EQ(j, fault.vertex) << why;
    EXPECT_NE(std::string::npos, fault.text().find(why)) << fault.text();
    predecessors.at(i, j) = before;
  }
};
using TreeChecks = Planted;

TEST_F(TreeChecks, AcceptAnyRightTree) {
  EXPECT_EQ(0u, faultIn(graph, distances, predecessors).count);
  for (const int before : {0, 1}) {  // of length 5 are 0 → 2 and 0 → 1 → 2
    predecessors.at(0, 2) = before;
    EXPECT_EQ(0u, faultIn(graph, distances, predecessors).count);
  }
  predecessors.at(0, 4) = 3;
  predecessors.at(0, 5) = 4;
  EXPECT_EQ(0u, faultIn(graph, distances, predecessors).count);
  predecessors.at(0, 4) = 5;
  predecessors.at(0, 5) = 3;
  EXPECT_EQ(0u, faultIn(graph, distances, predecessors).count);
}

TEST_F(TreeChecks, FindPlantedErrors) {
  expectFault(0, 3, 0, "predecessor 0, whose distance and edge are 0 + 9, not 5");
  expectFault(0, 3, 1, "predecessor 1, but there is no such edge");
  expectFault(0, 3, 7, "predecessor 7, expected another vertex");
  expectFault(0, 3, -1, "predecessor -1, expected another vertex");
  expectFault(0, 3, 3, "predecessor 3, expected another vertex");
  expectFault(0, 3, -9999, "predecessor -9999, expected another vertex");
  expectFault(0, 0, 1, "expected -9999 because this is the source");
  expectFault(0, 6, 3, "expected -9999 because no path leads there");
  expectFault(1, 0, 0, "expected -9999 because no path leads there");
}

TEST_F(TreeChecks, FindCircles) {
  predecessors.at(0, 4) = 5;
  predecessors.at(0, 5) = 4;
  const TreeFault fault = faultIn(graph, distances, predecessors);
  EXPECT_EQ(1u, fault.count);
  EXPECT_EQ(
      "from vertex 0 to vertex 4: predecessor 5, from where predecessors lead in a circle (1 "
      "entry is wrong)",
      fault.text());
}

TEST_F(TreeChecks, OfAMatrixToo) {
  Graph matrix;
  matrix.n = 7;
  matrix.body = toMatrix(fromEdges(7, edges));
  EXPECT_EQ(0u, faultIn(matrix, distances, predecessors).count);
  predecessors.at(0, 3) = 1;
  EXPECT_EQ(1u, faultIn(matrix, distances, predecessors).count);
}

/// 0 → 1 → 2 of lengths 5 and −7; 2 ⇄ 3 of length 0 with weights −4 and 4; an edge 0 → 2 that is
/// longer; 4 alone.
TEST(TreeChecksOfNegativeWeights, TakeTheGraphAsItWasGiven) {
  const std::vector<Edge> edges = {{0, 1, 5}, {1, 2, -7}, {0, 2, -1}, {2, 3, -4}, {3, 2, 4}};
  const std::vector<int> distances = {0, 5, -2, -6, kInf};
  const std::vector<int> right = {-9999, 0, 1, 2, -9999};
  struct {
    int vertex, wrong;
    const char* why;
  } const faults[] = {
      {2, 0, "predecessor 0, whose distance and edge are 0 + -1, not -2"},
      {2, 3, "predecessor 3, from where predecessors lead in a circle"},
      {3, 1, "predecessor 1, but there is no such edge"},
      {1, -9999, "predecessor -9999, expected another vertex"},
      {4, 3, "expected -9999 because no path leads there"},
      {0, 2, "expected -9999 because this is the source"},
  };
  for (const bool dense : {false, true}) {
    const Graph graph = dense ? matrixOf(5, edges) : fromEdges(5, edges);
    const TreeCheck check(graph);
    EXPECT_EQ(0u, check.rows(0, 1, distances.data(), right.data()).count);
    for (const auto& fault : faults) {
      std::vector<int> planted = right;
      planted[static_cast<std::size_t>(fault.vertex)] = fault.wrong;
      const TreeFault found = check.rows(0, 1, distances.data(), planted.data());
      EXPECT_NE(std::string::npos, found.why.find(fault.why)) << found.text();
    }
  }
}

// ---- the file -----------------------------------------------------------------------------------

Words readPredecessors(const std::string& path, int n) {
  const std::string bytes = readBytes(path);
  const std::size_t size = sizeof(int) * static_cast<std::size_t>(n) * n;
  EXPECT_EQ("\x93NUMPY", bytes.substr(0, 6));
  EXPECT_NE(std::string::npos, bytes.find("'<i4'"));
  Words words{n, std::vector<int>(static_cast<std::size_t>(n) * n)};
  if (bytes.size() < size) return words;
  std::memcpy(words.all.data(), bytes.data() + bytes.size() - size, size);
  return words;
}

class PredecessorFiles : public OnDevice {};
ON_EVERY_DEVICE(PredecessorFiles);

/// Solved by the solver apsp, whatever form its result has.
void expectFile(const Device& device, const Spec& spec, const Options& options, bool together) {
  SCOPED_TRACE(describe(spec) + " " + nameOf(spec.dtype) + " " + nameOf(options.method));
  const TempDir dir;
  const ProblemGraph graph(spec);
  const auto run = findSolver("apsp", device.kind()).prepare({graph}, {device, options});
  run->reset();
  run->solve();
  const Distances& distances = run->distances();
  {
    PredecessorFile file(dir / "p.npy", spec.n);
    if (together)
      file.passedOn(graph, distances, true)->rows(0, spec.n, [](int, int, const int*) {});
    else
      file.write(graph, distances, true);
    EXPECT_FALSE(std::filesystem::exists(dir / "p.npy"));
    file.commit();
  }
  expectTrees(wordsOf(toMatrix(generate(spec))), wordsOf(toMatrix(distances)),
              readPredecessors(dir / "p.npy", spec.n), spec.dtype);
}

TEST_P(PredecessorFiles, HaveTreesOfWhatASolverFound) {
  Options sparsely;
  sparsely.method = Method::kSparse;
  for (const char* family : {"course", "grid", "ring", "sparse", "uniform"}) {
    for (const int n : {1, 33, 300}) {
      for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
        Spec spec = specOf(familyIndex(family), n, 5);
        spec.dtype = dtype;
        expectFile(device(), spec, {}, n == 33);
        if (HasFailure()) return;
      }
    }
  }
  if (device().kind() != DeviceKind::kCpu) return;
  // Rows are swept when they are asked for. More threads sweep more rows at the same time.
  const SmallDevice small(matrixBytes(900) - 1);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(2);
  for (const Device* place : {&device(), static_cast<const Device*>(&small)})
    for (const bool together : {false, true})
      expectFile(*place, specOf(familyIndex("grid"), 900, 5), sparsely, together);
  omp_set_num_threads(threads);
}

/// On the GPU there is a kernel for edges of weight 0, and one for long lists of edges.
TEST_P(PredecessorFiles, OfZerosTiesAndMetrics) {
  std::mt19937 random(std::random_device{}());
  for (const int n : {5, 127, 128, 129, 400}) {
    for (const int kind : {0, 1, 2, 3}) {
      SCOPED_TRACE(fmt::format("n = {}, kind {}", n, kind));
      Matrix weights(n);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const int distance = std::abs(i - j), drawn = static_cast<int>(random() % 1000);
          const int choices[] = {distance, drawn < 30 ? drawn % 2 : kInf, drawn % 3,
                                 distance == 1 ? 0 : kInf};
          weights.row(i)[j] = i == j ? 0 : choices[kind];
        }
      }
      const Words before = wordsOf(weights);
      Words distances = distancesOf(before, Dtype::kInt32);
      const DeviceMatrix matrix(device(), n);
      device().upload(matrix.data(), distances.all.data(), distances.all.size());
      Graph graph;
      graph.n = n;
      graph.body = std::move(weights);
      const ProblemGraph problem(std::move(graph));
      const TempDir dir;
      PredecessorFile file(dir / "p.npy", n);
      file.write(problem, WholeDistances(matrix), true);
      file.commit();
      expectTrees(before, distances, readPredecessors(dir / "p.npy", n), Dtype::kInt32);
      if (HasFailure()) return;
    }
  }
}

/// The predecessors that are written where weights may be negative, in one of two ways.
Words writtenPredecessors(const ProblemGraph& graph, const Distances& distances) {
  const int n = graph.n();
  const TempDir dir;
  PredecessorFile file(dir / "p.npy", n, true);
  if (n == 130)
    file.passedOn(graph, distances, true)->rows(0, n, [](int, int, const int*) {});
  else
    file.write(graph, distances, true);
  file.commit();
  return readPredecessors(dir / "p.npy", n);
}

TEST_P(PredecessorFiles, OfNegativeWeights) {
  std::mt19937 random(std::random_device{}());
  Options sparsely;
  sparsely.method = Method::kSparse;
  const Solver solver = withNegativeWeights(findSolver("apsp", device().kind()));
  for (const int n : {1, 5, 128, 130, 300}) {
    for (const int kind : {0, 1, 2, 3}) {  // edges or a matrix, a few or many
      SCOPED_TRACE(fmt::format("n = {}, kind {}", n, kind));
      const std::vector<Edge> edges = plantedEdges(n, (kind < 2 ? 3 : 40) * n, 300, random);
      const ProblemGraph graph(kind % 2 ? matrixOf(n, edges) : fromEdges(n, edges));
      const bool sparse = kind == 0 && device().kind() == DeviceKind::kCpu;
      const auto run = solver.prepare({graph}, {device(), sparse ? sparsely : Options{}});
      run->reset();
      run->solve();
      const Words weights = wordsOf(toMatrix(fromEdges(n, edges)));
      expectTrees(weights, signedDistances(weights), writtenPredecessors(graph, run->distances()),
                  Dtype::kInt32);
      if (HasFailure()) return;
    }
  }
}

/// Real weights with potentials down to −10⁵, where neighbouring floats are 1/128 apart.
TEST_P(PredecessorFiles, OfNegativeReals) {
  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> part(0.1, 1);
  const Solver solver = withNegativeWeights(findSolver("apsp", device().kind()));
  for (const int n : {2, 5, 130, 300}) {
    for (const int kind : {0, 1, 2, 3}) {  // edges or a matrix, a few or many
      SCOPED_TRACE(fmt::format("n = {}, kind {}", n, kind));
      std::vector<double> potential(static_cast<std::size_t>(n));
      for (double& p : potential) p = 1e5 * part(random);
      std::vector<Edge> edges = plantedEdges(n, (kind < 2 ? 3 : 40) * n, 300, random);
      for (Edge& e : edges)
        e.weight = toWord(static_cast<float>(part(random) + potential[e.to] - potential[e.from]));
      Graph given = fromEdges(n, edges, Dtype::kFloat32);
      const Words weights = wordsOf(toMatrix(fromEdges(n, edges, Dtype::kFloat32)));
      const SignedTolerance allowed(given, 3);
      if (kind % 2) given.body = toMatrix(fromEdges(n, edges, Dtype::kFloat32));
      const ProblemGraph graph(std::move(given));
      const auto run = solver.prepare({graph}, {device()});
      run->reset();
      run->solve();
      Words found = writtenPredecessors(graph, run->distances());
      Words distances = wordsOf(toMatrix(run->distances()));
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const double d = toFloat(distances.at(i, j));
          ASSERT_EQ(i == j || std::isinf(d), found.at(i, j) == kNoPredecessor);
          double sum = 0, off = allowed(i, j, d);
          int steps = 0;
          for (int v = j; found.at(i, v) >= 0 && steps <= n; v = found.at(i, v), ++steps) {
            sum += toFloat(weights.row(found.at(i, v))[v]);
            off += 2 * allowed(i, v, toFloat(distances.at(i, v)));
          }
          ASSERT_LT(steps, n);
          if (found.at(i, j) >= 0) {
            ASSERT_NEAR(d, sum, off) << i << " " << j;
          }
        }
      if (HasFailure()) return;
      if (n != 5) continue;
      for (int j = 0; j < n; ++j) {  // every other tail is wrong
        const int right = found.at(0, j);
        for (int k = 0; k < n; ++k) {
          const double sum =
              static_cast<double>(toFloat(distances.at(0, k))) + toFloat(weights.row(k)[j]);
          const bool fits = k != j && std::abs(sum - toFloat(distances.at(0, j))) < 0.05;
          found.at(0, j) = k;
          if (right >= 0 && !fits) {
            EXPECT_LE(1u, faultIn(graph.onHost(), distances, found).count) << j << " " << k;
          }
        }
        found.at(0, j) = right;
      }
    }
  }
}

TEST_P(PredecessorFiles, OfTheGpuAreFoundThere) {
  if (device().kind() != DeviceKind::kGpu) GTEST_SKIP() << "only with a GPU";
  const Spec spec = specOf(familyIndex("course"), 500, 5);
  const ProblemGraph graph(spec);
  Words distances = distancesOf(wordsOf(toMatrix(generate(spec))), Dtype::kInt32);
  const DeviceMatrix matrix(device(), spec.n);
  device().upload(matrix.data(), distances.all.data(), distances.all.size());
  for (const bool negative : {false, true})  // potentials of 0 change nothing
    ASSERT_NE(nullptr, predecessorsOnGpu(graph, matrix, negative).matrix);
  const PredecessorsOnGpu found = predecessorsOnGpu(graph, matrix, false);
  const std::vector<int> once = download(device(), found.matrix->data(), spec.n);
  const PredecessorsOnGpu again = predecessorsOnGpu(graph, matrix, false);
  EXPECT_EQ(once, download(device(), again.matrix->data(), spec.n));  // no choice depends on time
}

TEST(PredecessorFile, IsNotWrittenIfItIsWrong) {
  const TempDir dir;
  const ProblemGraph graph(fromEdges(3, {{0, 1, 2}, {1, 2, 3}}));
  const std::vector<int> wrong = {0, 2, 4, kInf, 0, 3, kInf, kInf, 0};
  expectError(Exit::kMismatch, "no path", "from vertex 0 to vertex 2 has the distance 4", [&] {
    PredecessorFile file(dir / "p.npy", 3);
    file.write(graph, HostDistances(3, Dtype::kInt32, wrong), true);
  });
  EXPECT_TRUE(dir.names().empty());
}

TEST(PredecessorFile, TakesMemoryThatIsKnownBefore) {
  const ProblemGraph dense(specOf(familyIndex("course"), 1000, 1));
  const ProblemGraph sparse(fromEdges(1000, {{0, 1, 2}}));
  EXPECT_GE(predecessorMemory(dense, cpuDevice, 0, false).host, 2 * matrixBytes(1000));
  EXPECT_LT(predecessorMemory(sparse, cpuDevice, 0, false).host, 2 * matrixBytes(1000));
  EXPECT_EQ(0u, predecessorMemory(dense, cpuDevice, 0, false).device);

  const std::vector<Solver> solvers = {findSolver("ref", DeviceKind::kCpu)};
  const SmallDevice device(3 * matrixBytes(1000));
  MeasurePlan plan{0, 1};
  EXPECT_NO_THROW(requireMemory({dense}, device, solvers, {}, plan));
  plan.predecessors = true;
  expectError(Exit::kMemory, "n = 1000", "host memory needed 12.0 MB free",
              [&] { requireMemory({dense}, device, solvers, {}, plan); });
}

}  // namespace
