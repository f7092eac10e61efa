// Bellman's equation as an oracle: it passes right distances, and finds every planted error.
#include "verify/bellman.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "devices.h"
#include "solvers/plain_cpu.h"

namespace {

/// A graph, and its distances by the plain loop.
struct Solved {
  ProblemGraph graph;
  std::vector<int> distances;

  explicit Solved(ProblemGraph problem) : graph(std::move(problem)) {
    const auto n = static_cast<std::size_t>(graph.n());
    distances.resize(n * n);
    graph.rows(0, graph.n(), distances.data());
    apspScalar(graph.n(), distances.data(), graph.dtype());
  }

  Verdict verdict() const {
    return verifyByBellman(graph, HostDistances(graph.n(), graph.dtype(), distances), graph.n());
  }
};

TEST(Bellman, PassesRightDistancesOfEveryFamily) {
  const std::uint64_t seed = std::random_device{}();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 65, 130}) {
      for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
        Spec spec = specOf(family, n, seed, family % 2 == 1);
        spec.dtype = dtype;
        const Verdict generated = Solved(ProblemGraph(spec)).verdict();
        EXPECT_TRUE(generated.passed()) << describe(spec) << " " << nameOf(dtype);
        EXPECT_TRUE(Solved(ProblemGraph(generate(spec))).verdict().passed()) << describe(spec);
      }
    }
  }
}

TEST(Bellman, FindsEverySingleWrongEntry) {
  for (const char* family : {"uniform", "sparse", "grid"}) {
    Solved solved{ProblemGraph(specOf(familyIndex(family), 30, 7))};
    for (int& entry : solved.distances) {
      const int right = entry;
      for (const int wrong : {right - 1, right + 1, 0, kInf}) {
        if (wrong == right || wrong < 0 || wrong > kInf) continue;
        entry = wrong;
        const Verdict verdict = solved.verdict();
        const auto at = static_cast<std::size_t>(&entry - solved.distances.data());
        EXPECT_TRUE(verdict.failed())
            << family << ": " << wrong << " for " << right << " at " << at;
        EXPECT_EQ(static_cast<int>(at / 30), verdict.mismatch.i);
      }
      entry = right;
    }
  }
}

TEST(Bellman, NamesWhatItExpected) {
  Solved solved{ProblemGraph(fromEdges(3, {{0, 1, 5}, {1, 2, 4}}))};
  solved.distances[2] = 8;
  const Mismatch found = solved.verdict().mismatch;
  EXPECT_EQ(1u, found.count);
  EXPECT_EQ(0, found.i);
  EXPECT_EQ(2, found.j);
  EXPECT_EQ(9, found.expected);
  EXPECT_EQ(8, found.got);
}

/// 1 and 2 are joined by edges of weight 0, and would support each other's wrong distances.
TEST(Bellman, FindsACircleOfLengthZeroThatSupportsItself) {
  const std::vector<Edge> circle = {{1, 2, 0}, {2, 1, 0}};
  std::vector<Edge> reached = circle;
  reached.push_back({0, 1, 9});
  for (const auto& edges : {circle, reached}) {
    Solved solved{ProblemGraph(fromEdges(4, edges))};
    EXPECT_TRUE(solved.verdict().passed());
    solved.distances[1] = solved.distances[2] = 5;
    const Mismatch found = solved.verdict().mismatch;
    EXPECT_EQ(2u, found.count);
    EXPECT_EQ(1, found.j);
    EXPECT_EQ(edges.size() == 2 ? kInf : 9, found.expected);
  }
}

TEST(Bellman, TakesFloatsWithinTheirTolerance) {
  Spec spec = specOf(familyIndex("uniform"), 60, 3);
  spec.dtype = Dtype::kFloat32;
  Solved solved{ProblemGraph(spec)};
  int& entry = solved.distances[61 * 7 + 5];
  const float right = toFloat(entry);
  entry = toWord(right * (1 + 1e-7f));
  EXPECT_TRUE(solved.verdict().passed());
  for (const float factor : {0.999f, 1.001f}) {
    entry = toWord(right * factor);
    EXPECT_TRUE(solved.verdict().failed()) << factor;
  }
}

TEST(Bellman, ChecksAsManyRowsAsAskedFor) {
  const Solved solved{ProblemGraph(specOf(familyIndex("course"), 40, 1))};
  const HostDistances distances(40, Dtype::kInt32, solved.distances);
  EXPECT_EQ("bellman:7", verifyByBellman(solved.graph, distances, 7).how);
  EXPECT_EQ("bellman:40", verifyByBellman(solved.graph, distances, 100).how);
}

}  // namespace
