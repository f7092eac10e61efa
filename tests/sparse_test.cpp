// The sparse solver against the plain triple loop and Dijkstra's algorithm, bit for bit (real
// weights: within the tolerance), on graphs of all kinds; its phases one by one; and wrong results
// that verifying must find.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apsp.h"
#include "core/dtype.h"
#include "core/graph.h"
#include "device/simd.h"
#include "generate/generate.h"
#include "solvers/plain_cpu.h"
#include "solvers/solver.h"
#include "solvers/sparse/elimination.h"
#include "solvers/sparse/hierarchy.h"
#include "solvers/sparse/order.h"
#include "solvers/sparse/prepared.h"
#include "verify/verify.h"

namespace {

using sparse::Elimination;
using sparse::Pattern;
using sparse::Survey;

const std::uint32_t kFresh = std::random_device{}();

using Rng = std::mt19937;
int uniform(Rng& rng, int low, int high) {
  return std::uniform_int_distribution(low, high)(rng);
}

/// Kinds of random graphs: which edges, and which weights.
struct Kind {
  const char* name;
  int most;  // edges a vertex
  bool undirected;
  std::function<int(Rng&)> weight;
};

const std::vector<Kind> kKinds = {
    {"few", 1, false, [](Rng& rng) { return uniform(rng, 1, 100); }},
    {"tree-like", 2, true, [](Rng& rng) { return uniform(rng, 1, 100); }},
    {"some", 3, false, [](Rng& rng) { return uniform(rng, 0, 9); }},
    {"zeros", 3, false, [](Rng& rng) { return uniform(rng, 0, 1); }},
    {"all zero", 2, true, [](Rng&) { return 0; }},
    {"ties", 4, true, [](Rng&) { return 5; }},
    {"many", 12, false, [](Rng& rng) { return uniform(rng, 1, 1000); }},
    {"near infinity", 3, false, [](Rng& rng) { return kInf - uniform(rng, 1, 3); }},
    {"large sums", 3, true, [](Rng& rng) { return kInf / 4 - uniform(rng, 0, 2); }},
};

/// An undirected graph has equal weights in both directions, some have only a few vertices that
/// are joined, so there are several components. Parallel edges and self-loops occur.
Graph graphOf(const Kind& kind, int n, Rng& rng, Dtype dtype) {
  std::vector<Edge> edges;
  const int count = n < 2 ? 0 : uniform(rng, 0, kind.most * n);
  const bool local = uniform(rng, 0, 1) == 1;  // ends near each other: small separators
  for (int i = 0; i < count; ++i) {
    const int from = uniform(rng, 0, n - 1);
    const int to = local ? std::min(n - 1, from + uniform(rng, 0, 4)) : uniform(rng, 0, n - 1);
    if (from == to) continue;
    const int weight = kind.weight(rng);
    edges.push_back({from, to, weight});
    if (kind.undirected || (local && uniform(rng, 0, 1) == 1)) edges.push_back({to, from, weight});
  }
  if (dtype == Dtype::kFloat32) toFloats(edges);
  return fromEdges(n, std::move(edges), dtype);
}

std::vector<int> solvedByRef(const Graph& graph) {
  std::vector<int> matrix(static_cast<std::size_t>(graph.n) * static_cast<std::size_t>(graph.n));
  writeMatrix(graph.n, graph.edges(), matrix.data(), graph.dtype);
  apspScalar(graph.n, matrix.data(), graph.dtype);
  return matrix;
}

const sparse::CoreSolver kPlain = [](int n, int* matrix, Dtype dtype) {
  apspScalar(n, matrix, dtype);
};

/// Solves with the vertices of such a core left, or as many as pay if that is −1.
std::vector<int> solvedSparsely(const Graph& graph, int core, const std::string& simd = "") {
  Survey survey = sparse::surveyOf(graph.n, graph.edges(), {});
  if (core >= 0)
    survey.plan = sparse::eliminate(survey.pattern, sparse::eliminationOrder(survey.pattern), core);
  Sweeping done;
  sparse::Prepared ready(survey, graph.edges(), graph.dtype, {kPlain, 2, simd}, done);
  std::vector<int> rows(static_cast<std::size_t>(graph.n) * static_cast<std::size_t>(graph.n), -1);
  ready.sweep(0, graph.n, rows.data());
  EXPECT_EQ(survey.plan.coreSize(), done.core);
  return rows;
}

std::size_t differences(const std::vector<int>& got, const std::vector<int>& expected,
                        const Graph& graph) {
  const double allowed = tolerance(graph.n, graph.dtype, 2);
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < got.size(); ++at)
    wrong += !agreeWords(got[at], expected[at], graph.dtype, allowed);
  return wrong;
}

TEST(Sparse, SolvesRandomGraphsOfAllSizes) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds) {
    for (const int n : {0, 1, 2, 3, 4, 5, 7, 15, 16, 17, 33, 63, 64, 65, 100, 129, 300}) {
      for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
        const Graph graph = graphOf(kind, n, rng, dtype);
        const std::vector<int> expected = solvedByRef(graph);
        for (const int core : {-1, 0, n / 3, n}) {
          const std::vector<int> got = solvedSparsely(graph, core);
          EXPECT_EQ(differences(got, expected, graph), 0u)
              << kind.name << " n=" << n << " core " << core << " " << nameOf(dtype) << " seed "
              << kFresh;
        }
      }
    }
  }
}

}  // namespace
