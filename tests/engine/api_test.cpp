// The C interface: every function, against Dijkstra's algorithm; wrong arguments; callers in
// several threads.
#include <gtest/gtest.h>
#include <apsp/apsp.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "oracle.h"

namespace {

struct Arrays {
  std::int32_t n = 0;
  std::vector<std::int32_t> tails, heads, weights;
};

/// Edges at random, some parallel, some loops.
Arrays randomArrays(int n, int edges, std::uint32_t seed, int range = 1000) {
  std::mt19937 random(seed);
  Arrays arrays{n, {}, {}, {}};
  for (int e = 0; e < edges && n > 0; ++e) {
    arrays.tails.push_back(static_cast<int>(random() % static_cast<std::uint32_t>(n)));
    arrays.heads.push_back(static_cast<int>(random() % static_cast<std::uint32_t>(n)));
    arrays.weights.push_back(static_cast<int>(random() % static_cast<std::uint32_t>(range)));
  }
  return arrays;
}

constexpr std::int32_t kInf = APSP_INFINITY;

std::vector<std::int32_t> right(const Arrays& arrays) {
  return rightDistances(arrays.n, arrays.tails, arrays.heads, arrays.weights);
}

/// The matrix of the weights, with one element more because it may have none.
std::vector<std::int32_t> matrixOf(const Arrays& arrays) {
  const auto n = static_cast<std::size_t>(arrays.n);
  std::vector<std::int32_t> matrix(n * n + 1, kInf);
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] = 0;
  for (std::size_t e = 0; e < arrays.tails.size(); ++e) {
    const auto from = static_cast<std::size_t>(arrays.tails[e]);
    std::int32_t& weight = matrix[from * n + static_cast<std::size_t>(arrays.heads[e])];
    weight = std::min(weight, arrays.weights[e]);
  }
  return matrix;
}

apsp::Options onCpu(apsp_method method = APSP_AUTO) {
  apsp::Options options;
  options.place = APSP_CPU;
  options.method = method;
  return options;
}

void expectRight(const Arrays& arrays, const apsp::Result& result, const std::string& what) {
  ASSERT_EQ(right(arrays), result.matrix<std::int32_t>()) << what;
}

apsp::Graph viewOfEdges(const Arrays& arrays) {
  return apsp::Graph::edges(arrays.n, arrays.tails, arrays.heads, arrays.weights);
}

/// The same edges by their tails.
template <class Offset>
struct Csr {
  std::vector<Offset> offsets;
  std::vector<std::int32_t> heads, weights;
};
template <class Offset>
Csr<Offset> csrOf(const Arrays& arrays) {
  Csr<Offset> csr;
  csr.offsets.push_back(0);
  for (int u = 0; u < arrays.n; ++u) {
    for (std::size_t e = arrays.tails.size(); e-- > 0;) {  // not sorted by head
      if (arrays.tails[e] != u) continue;
      csr.heads.push_back(arrays.heads[e]);
      csr.weights.push_back(arrays.weights[e]);
    }
    csr.offsets.push_back(static_cast<Offset>(csr.heads.size()));
  }
  return csr;
}

apsp_status statusOf(const std::function<void()>& call, std::string* what = nullptr) {
  try {
    call();
    return APSP_OK;
  } catch (const apsp::Error& error) {
    if (what != nullptr) *what = error.what();
    return error.status;
  }
}

}  // namespace

TEST(Api, EveryViewAndMethodGivesTheSameDistances) {
  for (const int n : {0, 1, 2, 5, 64, 65, 130, 300}) {
    const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(n) + 1);
    const auto csr32 = csrOf<std::int32_t>(arrays);
    const auto csr64 = csrOf<std::int64_t>(arrays);
    const auto matrix = matrixOf(arrays);
    auto transposed = matrix;
    const auto size = static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        transposed[j * size + i] = i == j ? -7 : matrix[i * size + j];
    for (const apsp_method method : {APSP_AUTO, APSP_DENSE, APSP_FILTERED, APSP_SPARSE}) {
      const apsp::Options options = onCpu(method);
      const std::string what = "n = " + std::to_string(n) + ", method " + std::to_string(method);
      expectRight(arrays, viewOfEdges(arrays).solve(options), what + ", edges");
      expectRight(arrays,
                  apsp::Graph::csr(csr32.offsets, csr32.heads, csr32.weights).solve(options),
                  what + ", csr32");
      expectRight(arrays,
                  apsp::Graph::csr(csr64.offsets, csr64.heads, csr64.weights).solve(options),
                  what + ", csr64");
      expectRight(arrays, apsp::Graph::matrix(n, matrix.data()).solve(options), what + ", matrix");
      expectRight(arrays, apsp::Graph::matrix(n, transposed.data(), 1, n).solve(options),
                  what + ", strides");
      auto inPlace = matrix;
      apsp::solveMatrix(n, inPlace.data(), APSP_HOST, options);
      inPlace.pop_back();
      ASSERT_EQ(right(arrays), inPlace) << what;
    }
  }
}

TEST(Api, FloatsAreSolvedAndNullWeightsCountOne) {
  const std::vector<std::int32_t> offsets = {0, 2, 3, 3}, heads = {1, 2, 2};
  const std::vector<float> weights = {0.5f, 4, -0.0f};
  const apsp::Result result = apsp::Graph::csr(offsets, heads, weights).solve(onCpu());
  EXPECT_EQ((std::vector<float>{0, 0.5f, 0.5f}), result.rows<float>(0, 1));
  EXPECT_TRUE(std::isinf(result.rows<float>(2, 1)[0]));
  EXPECT_EQ(APSP_INVALID, statusOf([&] { result.rows<std::int32_t>(0, 1); }));
  apsp_graph* unweighted = nullptr;
  ASSERT_EQ(APSP_OK,
            apsp_graph_csr32(3, offsets.data(), heads.data(), APSP_INT32, nullptr, &unweighted));
  EXPECT_EQ((std::vector<int>{0, 1, 1}),
            apsp::Graph(unweighted).solve(onCpu()).rows<std::int32_t>(0, 1));
}

TEST(Api, PathsPredecessorsAndSummariesFit) {
  const Arrays arrays = randomArrays(120, 400, 7);
  const apsp::Result result = viewOfEdges(arrays).solve(onCpu());
  const auto matrix = matrixOf(arrays), distances = right(arrays);
  EXPECT_EQ(distances, result.matrix<std::int32_t>());
  const auto weight = [&](int from, int to) {
    return matrix[static_cast<std::size_t>(from * arrays.n + to)];
  };
  const auto summaries = result.summaries();
  for (int i = 0; i < arrays.n; ++i) {
    const auto row = result.rows<int>(i, 1);
    const auto before = result.predecessors(i, 1);
    int reachable = 0, largest = 0;
    double sum = 0;
    for (int j = 0; j < arrays.n; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const auto path = result.path(i, j);
      if (row[at] == kInf) {
        EXPECT_TRUE(path.empty());
        EXPECT_EQ(-9999, before[at]);
        continue;
      }
      ASSERT_FALSE(path.empty());
      EXPECT_EQ(i, path.front());
      EXPECT_EQ(j, path.back());
      int length = 0;
      for (std::size_t k = 1; k < path.size(); ++k) length += weight(path[k - 1], path[k]);
      EXPECT_EQ(row[at], length);
      if (i == j) continue;
      EXPECT_EQ(row[at], row[static_cast<std::size_t>(before[at])] + weight(before[at], j));
      ++reachable;
      sum += row[at];
      largest = std::max(largest, row[at]);
    }
    const apsp_summary& summary = summaries[static_cast<std::size_t>(i)];
    EXPECT_EQ(i, summary.vertex);
    EXPECT_EQ(reachable, summary.reachable);
    EXPECT_EQ(sum, summary.sum);
    EXPECT_EQ(largest, summary.eccentricity);
  }
}

TEST(Api, APlanServesNewWeights) {
  Arrays arrays = randomArrays(300, 700, 5);
  apsp::Graph graph = viewOfEdges(arrays);
  for (const apsp_method method : {APSP_AUTO, APSP_DENSE, APSP_FILTERED, APSP_SPARSE}) {
    const apsp::Plan plan(graph, onCpu(method));
    const apsp_plan_info info = plan.info();
    EXPECT_EQ(300, info.n);
    EXPECT_EQ(300, info.rows);
    EXPECT_EQ(300, info.columns);
    EXPECT_EQ(APSP_INT32, info.type);
    EXPECT_EQ(APSP_CPU, info.place);
    EXPECT_EQ(1, info.keeps);
    EXPECT_GT(info.host_bytes, 300u * 300 * 4);
    EXPECT_EQ(0u, info.device_bytes);
    EXPECT_TRUE(method == APSP_AUTO || method == info.method);
    for (int round = 0; round < 3; ++round) {
      for (std::int32_t& weight : arrays.weights) weight = (weight * 31 + round) % 999;
      expectRight(arrays, plan.solve(graph), "method " + std::to_string(method));
    }
  }
}

TEST(Api, APlanWithNegativeWeightsSourcesAndTargets) {
  const std::vector<std::int32_t> tails = {0, 1, 2, 3}, heads = {1, 2, 3, 4};
  std::vector<std::int32_t> weights = {5, -3, 7, 1}, sources = {0, 3}, targets = {4, 1};
  apsp::Options options = onCpu();
  options.negative = 1;
  options.sources = sources.data();
  options.source_count = sources.size();
  options.targets = targets.data();
  options.target_count = targets.size();
  const apsp::Graph graph = apsp::Graph::edges(5, tails, heads, weights);
  const apsp::Plan plan(graph, options);
  sources.assign(2, 77);  // they were copied
  EXPECT_EQ(2, plan.info().rows);
  EXPECT_EQ((std::vector<std::int32_t>{10, 5, 1, kInf}), plan.solve(graph).matrix<std::int32_t>());
  weights[1] = -9;
  EXPECT_EQ((std::vector<std::int32_t>{4, 5, 1, kInf}), plan.solve(graph).matrix<std::int32_t>());
}

TEST(Api, APlanOfAnotherGraphIsRefused) {
  const Arrays arrays = randomArrays(50, 120, 5);
  const apsp::Graph graph = viewOfEdges(arrays);
  const apsp::Plan plan(graph, onCpu());
  const auto refused = [&](const apsp::Graph& other, const char* why) {
    std::string what;
    EXPECT_EQ(APSP_INVALID, statusOf([&] { plan.solve(other); }, &what));
    EXPECT_NE(std::string::npos, what.find(why)) << what;
  };
  Arrays other = arrays;
  other.n = 51;
  refused(viewOfEdges(other), "another number of vertices");
  refused(apsp::Graph::edges(50, arrays.tails, arrays.heads, std::vector<float>(120, 1)),
          "another type");
  other = arrays;
  other.heads[7] = (other.heads[7] + 1) % 50;
  refused(viewOfEdges(other), "other edges");
  const auto matrix = matrixOf(arrays);
  refused(apsp::Graph::matrix(50, matrix.data()), "other edges");
}

TEST(Api, SomeSourcesAndTargetsAreATable) {
  const Arrays arrays = randomArrays(90, 300, 3);
  const std::vector<std::int32_t> sources = {5, 0, 5}, targets = {7, 89};
  apsp::Options options = onCpu();
  options.sources = sources.data();
  options.source_count = sources.size();
  options.targets = targets.data();
  options.target_count = targets.size();
  const apsp::Result result = viewOfEdges(arrays).solve(options);
  EXPECT_EQ(3, result.info().rows);
  EXPECT_EQ(2, result.info().columns);
  EXPECT_EQ(90, result.info().n);
  const auto found = result.matrix<std::int32_t>(), all = right(arrays);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_EQ(all[static_cast<std::size_t>(sources[i] * 90 + targets[j])], found[2 * i + j]);
  EXPECT_EQ(APSP_INVALID, statusOf([&] { result.path(0, 1); }));
}

TEST(Api, TheMatrixIsCopiedWithAStrideAndLent) {
  const Arrays arrays = randomArrays(70, 900, 4);
  const apsp::Result result = viewOfEdges(arrays).solve(onCpu(APSP_DENSE));
  std::vector<std::int32_t> wide(70 * 80, -1);
  result.copyTo(wide.data(), 80);
  const void* lent = nullptr;
  apsp_memory where = APSP_DEVICE;
  ASSERT_EQ(APSP_OK, apsp_result_borrow(result.get(), &lent, &where));
  EXPECT_EQ(APSP_HOST, where);
  for (int i = 0; i < 70; ++i) {
    EXPECT_EQ(0, std::memcmp(&wide[static_cast<std::size_t>(80 * i)],
                             static_cast<const int*>(lent) + 70 * i, 280));
    EXPECT_EQ(-1, wide[static_cast<std::size_t>(80 * i + 79)]);
  }
  EXPECT_EQ(APSP_INVALID, statusOf([&] { result.copyTo(wide.data(), 69); }));
}

TEST(Api, NegativeWeightsAndTheirCycles) {
  const std::vector<std::int32_t> tails = {0, 1, 2}, heads = {1, 2, 0}, weights = {5, -3, -1};
  apsp::Options options = onCpu();
  std::string what;
  EXPECT_EQ(APSP_INVALID,
            statusOf([&] { apsp::Graph::edges(3, tails, heads, weights).solve(options); }, &what));
  EXPECT_EQ("weights[1] is -3: weights are 0 to 1073741822; below 0 with options.negative = 1",
            what);
  options.negative = 1;
  const apsp::Result result = apsp::Graph::edges(3, tails, heads, weights).solve(options);
  EXPECT_EQ((std::vector<int>{0, 5, 2}), result.rows<std::int32_t>(0, 1));
  EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2}), result.path(0, 2));
  EXPECT_EQ((std::vector<std::int32_t>{-9999, 0, 1}), result.predecessors(0, 1));
  try {
    apsp::Graph::edges(3, tails, heads, std::vector<std::int32_t>{1, -3, -1}).solve(options);
    FAIL() << "no cycle was found";
  } catch (const apsp::NegativeCycle& error) {
    EXPECT_EQ(3u, error.cycle.size());
    EXPECT_NE(nullptr, std::strstr(error.what(), "negative cycle")) << error.what();
  }
}

TEST(Api, DistancesThatTheTypeCannotHoldAreRefused) {
  const std::vector<std::int32_t> tails = {0, 1}, heads = {1, 2}, weights = {kInf - 1, 1};
  EXPECT_EQ(APSP_INEXACT,
            statusOf([&] { apsp::Graph::edges(3, tails, heads, weights).solve(onCpu()); }));
  const std::vector<std::int32_t> fits = {kInf - 2, 1};
  EXPECT_EQ(kInf - 1,
            apsp::Graph::edges(3, tails, heads, fits).solve(onCpu()).rows<std::int32_t>(0, 1)[2]);
}

TEST(Api, WrongArgumentsAreNamed) {
  const std::vector<std::int32_t> one = {0}, two = {2};
  const auto solve = [](const apsp::Graph& graph, apsp::Options options = onCpu()) {
    graph.solve(options);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  const std::int32_t matrix[] = {9, 1, -1, 9};
  const std::int32_t down[] = {0, 2, 1};
  const struct {
    std::function<void()> call;
    const char* says;
  } rows[] = {
      {[&] { solve(apsp::Graph::edges(2, one, two, one)); }, "heads[0] is 2: vertices are 0 to 1"},
      {[&] { solve(apsp::Graph::edges(2, two, one, one)); }, "tails[0] is 2: vertices are 0 to 1"},
      {[&] { solve(apsp::Graph::edges(2, one, one, std::vector<std::int32_t>{kInf})); },
       "weights[0] is 1073741823"},
      {[&] { solve(apsp::Graph::edges(2, one, one, std::vector<float>{nan})); },
       "weights[0] is nan"},
      {[&] { solve(apsp::Graph::edges(2, one, one, std::vector<float>{infinite})); },
       "weights[0] is inf"},
      {[&] { solve(apsp::Graph::matrix(2, matrix)); }, "matrix[1][0] is -1"},
      {[&] { solve(apsp::Graph::csr(2, down, one.data(), one.data())); }, "offsets[1] is 2"},
      {[&] { apsp::Graph::edges(-1, one, one, one); }, "n is negative"},
      {[&] { apsp::check(apsp_graph_csr32(2, nullptr, one.data(), APSP_INT32, nullptr, nullptr)); },
       "graph is NULL"},
      {[&] { apsp::check(apsp_solve(nullptr, nullptr, nullptr)); }, "graph is NULL"},
      {[&] {
         apsp::check(apsp_solve_matrix(2, static_cast<apsp_type>(9), nullptr, APSP_HOST, nullptr));
       },
       "matrix is NULL"},
      {[&] {
         apsp::Options options = onCpu();
         options.method = static_cast<apsp_method>(4);
         solve(apsp::Graph::edges(2, one, one, one), options);
       },
       "options->method"},
      {[&] {
         apsp::Options options = onCpu();
         options.sources = two.data();
         options.source_count = 1;
         solve(apsp::Graph::edges(2, one, one, one), options);
       },
       "sources[0] is 2"},
      {[&] { apsp::Graph::edges(2, one, one, one).solve(onCpu()).rows<std::int32_t>(1, 2); },
       "2 rows from row 1 on: there are 2 rows"},
      {[&] { apsp::Graph::edges(2, one, one, one).solve(onCpu()).path(0, 2); },
       "from 0 to 2: vertices are 0 to 1"},
      {[&] { apsp::Graph::edges(2, one, one, one).solve(onCpu()).rows<float>(0, 1); },
       "the distances are int32_t"},
      {[&] {
         solve(apsp::Graph::csr(std::vector<std::int32_t>{0, 1, 1}, two, std::vector<float>{}));
       },
       "offsets ends with 1, but there are 1 heads and 0 weights"},
      {[&] {
         apsp::Options options = onCpu();
         options.targets = one.data();
         solve(apsp::Graph::edges(2, one, one, one), options);
       },
       "targets is given: set options.target_count"},
  };
  for (const auto& row : rows) {
    std::string what;
    EXPECT_EQ(APSP_INVALID, statusOf(row.call, &what)) << row.says;
    EXPECT_NE(std::string::npos, what.find(row.says)) << what;
  }
  apsp_options later[2];
  std::memset(later, 0, sizeof later);
  later[0].size = sizeof later;
  const Arrays arrays = randomArrays(3, 3, 1);
  const apsp::Graph graph = viewOfEdges(arrays);
  apsp_result* result = nullptr;
  EXPECT_EQ(APSP_OK, apsp_solve(graph.get(), later, &result)) << apsp_last_error();
  apsp_result_free(result);
  later[1].threads = 1;
  EXPECT_EQ(APSP_INVALID, apsp_solve(graph.get(), later, &result));
}

TEST(Api, AMatrixWithAWrongElementStaysAsItIs) {
  std::vector<std::int32_t> whole = {7, 1, -1, 7};
  std::vector<float> real = {7, 1, std::numeric_limits<float>::quiet_NaN(), 7};
  std::string what;
  EXPECT_EQ(APSP_INVALID,
            statusOf([&] { apsp::solveMatrix(2, whole.data(), APSP_HOST, onCpu()); }, &what));
  EXPECT_EQ("matrix[1][0] is -1: weights are 0 to 1073741822; below 0 with options.negative = 1",
            what);
  EXPECT_EQ((std::vector<std::int32_t>{7, 1, -1, 7}), whole);
  EXPECT_EQ(APSP_INVALID,
            statusOf([&] { apsp::solveMatrix(2, real.data(), APSP_HOST, onCpu()); }, &what));
  EXPECT_EQ("matrix[1][0] is nan: weights are 0 or more, and finite", what);
  EXPECT_EQ(7, real[0]);
}

TEST(Api, ANegativeEdgeFromAVertexToItselfIsACycle) {
  const std::vector<std::int32_t> tails = {0, 1}, heads = {1, 1}, weights = {5, -2};
  apsp::Options options = onCpu();
  options.negative = 1;
  try {
    apsp::Graph::edges(2, tails, heads, weights).solve(options);
    ADD_FAILURE();
  } catch (const apsp::NegativeCycle& error) {
    EXPECT_EQ(std::vector<std::int32_t>{1}, error.cycle);
  }
}

TEST(Api, EdgesWithoutWeightsCountOne) {
  const std::vector<std::int32_t> edgesTo = {1, 2};
  const std::vector<std::int64_t> offsets = {0, 1, 2, 2};
  const apsp::Graph graph = apsp::Graph::csr(offsets, edgesTo);
  const std::vector<std::int32_t> sources = {0}, targets = {2, 1};
  apsp::Options options = onCpu();
  options.setSources(sources).setTargets(targets);
  EXPECT_EQ((std::vector<std::int32_t>{2, 1}), graph.solve(options).matrix<std::int32_t>());
}

TEST(Api, WithoutAGpuItSaysSo) {
  char name[4] = "???";
  const apsp_status status = apsp_gpu(name, sizeof name);
  if (status == APSP_OK) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(APSP_NO_DEVICE, status);
  EXPECT_EQ(0, std::strncmp("no GPU: ", apsp_last_error(), 8));
  apsp::Options options;
  options.place = APSP_GPU;
  const Arrays arrays = randomArrays(3, 3, 1);
  EXPECT_EQ(APSP_NO_DEVICE, statusOf([&] { viewOfEdges(arrays).solve(options); }));
}

TEST(Api, ASolveIsCancelled) {
  const Arrays arrays = randomArrays(3000, 300000, 5);
  for (const apsp_method method : {APSP_DENSE, APSP_FILTERED, APSP_SPARSE}) {
    apsp::Options options = onCpu(method);
    std::atomic<int> calls{0};
    options.progress_user = &calls;
    options.progress = [](void* user, const char*, double) {
      return ++*static_cast<std::atomic<int>*>(user) > 0 ? 1 : 0;
    };
    const auto begin = std::chrono::steady_clock::now();
    const apsp_status status = statusOf([&] { viewOfEdges(arrays).solve(options); });
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (status == APSP_OK) continue;  // it took less than a tenth of a second
    EXPECT_EQ(APSP_CANCELLED, status);
    EXPECT_EQ(1, calls);
    EXPECT_LT(seconds, 5);
  }
  EXPECT_EQ(APSP_OK, statusOf([&] {
              viewOfEdges(randomArrays(300, 3000, 1)).solve(onCpu());
            }));  // as if nothing were
}

TEST(Api, ThreadsSolveTheSameGraphAtTheSameTime) {
  const Arrays arrays = randomArrays(200, 1000, 6);
  const apsp::Graph graph = viewOfEdges(arrays);
  const auto expected = graph.solve(onCpu()).matrix<int>();
  const apsp::Result shared = graph.solve(onCpu());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 5; ++k) {
        const auto method = static_cast<apsp_method>((t + k) % 4);
        if (graph.solve(onCpu(method)).matrix<int>() != expected ||
            shared.matrix<int>() != expected)
          ++wrong;
        if (apsp_solve(nullptr, nullptr, nullptr) != APSP_INVALID ||
            apsp_last_error() != std::string("graph is NULL"))
          ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0, wrong);
}
