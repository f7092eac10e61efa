// The C interface: every function, against Dijkstra's algorithm; wrong arguments; callers in
// several threads.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <apsp/apsp.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "busy_stream.h"
#include "gpu_copy.h"
#include "oracle.h"

namespace {

template <class T>
struct ArraysOf {
  std::int32_t n = 0;
  std::vector<std::int32_t> tails, heads;
  std::vector<T> weights;
};
using Arrays = ArraysOf<std::int32_t>;

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

/// The same edges, whose weights are `unit` times these.
template <class T>
ArraysOf<T> inUnits(const Arrays& arrays, T unit) {
  ArraysOf<T> other{arrays.n, arrays.tails, arrays.heads, {}};
  for (const std::int32_t weight : arrays.weights)
    other.weights.push_back(static_cast<T>(weight) * unit);
  return other;
}

constexpr std::int32_t kInf = APSP_INFINITY;
constexpr std::int64_t kInf64 = APSP_INFINITY64;

/// "No edge" and "no path".
template <class T>
constexpr T none() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
  return sizeof(T) == 4 ? static_cast<T>(kInf) : static_cast<T>(kInf64);
}

template <class T>
std::vector<T> right(const ArraysOf<T>& arrays) {
  return rightDistances(arrays.n, arrays.tails, arrays.heads, arrays.weights);
}

/// The matrix of the weights, with one element more because it may have none.
template <class T>
std::vector<T> matrixOf(const ArraysOf<T>& arrays) {
  const auto n = static_cast<std::size_t>(arrays.n);
  std::vector<T> matrix(n * n + 1, none<T>());
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] = 0;
  for (std::size_t e = 0; e < arrays.tails.size(); ++e) {
    const auto from = static_cast<std::size_t>(arrays.tails[e]);
    T& weight = matrix[from * n + static_cast<std::size_t>(arrays.heads[e])];
    weight = std::min(weight, arrays.weights[e]);
  }
  return matrix;
}

libapsp::Options onCpu(apsp_method method = APSP_AUTO) {
  libapsp::Options options;
  options.place = APSP_CPU;
  options.method = method;
  return options;
}

/// Whole distances are the same. Real ones may be off by the bound of docs/numbers.md, with one
/// rounding more: that of the expected ones. (n, n) elements.
template <class T>
void expectSame(const std::vector<T>& expected, const std::vector<T>& found,
                const std::string& what) {
  if constexpr (std::is_integral_v<T>) {
    ASSERT_EQ(expected, found) << what;
  } else {
    ASSERT_EQ(expected.size(), found.size()) << what;
    const double n = std::sqrt(static_cast<double>(found.size()));
    const double error = (n - 1) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    const double off = error / (1 - error);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (expected[i] == found[i]) continue;
      ASSERT_NEAR(expected[i], found[i], off * expected[i]) << what << ", element " << i;
    }
  }
}

template <class T>
void expectRight(const ArraysOf<T>& arrays, const libapsp::Result& result,
                 const std::string& what) {
  expectSame(right(arrays), result.matrix<T>(), what);
}

/// Of vectors that may be temporary, for as long as the full expression.
template <class T>
libapsp::Graph edgesOf(int n, const std::vector<std::int32_t>& tails,
                       const std::vector<std::int32_t>& heads, const std::vector<T>& weights) {
  return libapsp::Graph::edges(n, tails, heads, weights);
}

template <class T>
libapsp::Graph viewOfEdges(const ArraysOf<T>& arrays) {
  return libapsp::Graph::edges(arrays.n, arrays.tails, arrays.heads, arrays.weights);
}

/// The same edges by their tails.
template <class Offset, class T>
struct Csr {
  std::vector<Offset> offsets;
  std::vector<std::int32_t> heads;
  std::vector<T> weights;
};
template <class Offset, class T>
Csr<Offset, T> csrOf(const ArraysOf<T>& arrays) {
  Csr<Offset, T> csr;
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

/// Solves every view of the same edges, and a matrix in its place.
template <class T>
void expectRightOfAllViews(const ArraysOf<T>& arrays, const libapsp::Options& options,
                           const std::string& what) {
  const int n = arrays.n;
  const auto csr32 = csrOf<std::int32_t>(arrays);
  const auto csr64 = csrOf<std::int64_t>(arrays);
  const auto matrix = matrixOf(arrays);
  auto transposed = matrix;
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      transposed[j * size + i] = i == j ? -7 : matrix[i * size + j];
  expectRight(arrays, viewOfEdges(arrays).solve(options), what + ", edges");
  expectRight(arrays, libapsp::Graph::csr(csr32.offsets, csr32.heads, csr32.weights).solve(options),
              what + ", csr32");
  expectRight(arrays, libapsp::Graph::csr(csr64.offsets, csr64.heads, csr64.weights).solve(options),
              what + ", csr64");
  expectRight(arrays, libapsp::Graph::matrix(n, matrix.data()).solve(options), what + ", matrix");
  expectRight(arrays, libapsp::Graph::matrix(n, transposed.data(), 1, n).solve(options),
              what + ", strides");
  auto inPlace = matrix;
  libapsp::solveMatrix(n, inPlace.data(), APSP_HOST, options);
  inPlace.pop_back();
  expectSame(right(arrays), inPlace, what + ", in place");
}

constexpr apsp_method kMethods[] = {APSP_AUTO, APSP_DENSE, APSP_FILTERED, APSP_SPARSE};

/// A weight that int32 does not hold.
constexpr std::int64_t kWide = (std::int64_t{1} << 40) + 15;

apsp_status statusOf(const std::function<void()>& call, std::string* what = nullptr) {
  try {
    call();
    return APSP_OK;
  } catch (const libapsp::Error& error) {
    if (what != nullptr) *what = error.what();
    return error.status;
  }
}

}  // namespace

TEST(Api, EveryViewAndMethodGivesTheSameDistances) {
  for (const int n : {0, 1, 2, 5, 64, 65, 130, 300}) {
    const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(n) + 1);
    for (const apsp_method method : kMethods)
      expectRightOfAllViews(arrays, onCpu(method),
                            "n = " + std::to_string(n) + ", method " + std::to_string(method));
  }
}

/// Small whole numbers, which int32 holds, and others.
TEST(Api, EveryTypeIsSolvedFromEveryView) {
  for (const int n : {0, 1, 2, 5, 65, 130}) {
    const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(n) + 1);
    for (const apsp_method method : kMethods) {
      const libapsp::Options options = onCpu(method);
      const std::string what =
          "n = " + std::to_string(n) + ", method " + std::to_string(method) + ", ";
      expectRightOfAllViews(inUnits(arrays, 0.5F), options, what + "float");
      expectRightOfAllViews(inUnits(arrays, 0.1F), options, what + "float, rounded");
      expectRightOfAllViews(inUnits(arrays, std::int64_t{1}), options, what + "int64");
      expectRightOfAllViews(inUnits(arrays, kWide), options, what + "int64, wide");
      expectRightOfAllViews(inUnits(arrays, 0.5), options, what + "double");
      expectRightOfAllViews(inUnits(arrays, 0.1), options, what + "double, rounded");
      expectRightOfAllViews(inUnits(arrays, 1e300), options, what + "double, large");
      if (HasFatalFailure()) return;
    }
  }
}

namespace {

/// The same edges, with weights that have no common unit in which int32 holds them.
template <class T>
ArraysOf<T> wideArrays(const Arrays& arrays, T unit) {
  ArraysOf<T> wide = inUnits(arrays, unit);
  for (std::size_t e = 0; e < wide.weights.size(); ++e)
    wide.weights[e] += static_cast<T>(e) / static_cast<T>(std::is_integral_v<T> ? 1 : 7);
  return wide;
}

apsp_type computedBy(const libapsp::Graph& graph, const libapsp::Options& options = onCpu()) {
  return graph.solve(options).info().computed;
}

}  // namespace

TEST(Api, TellsWhichTypeComputed) {
  const Arrays arrays = randomArrays(100, 400, 9);
  EXPECT_EQ(APSP_INT32, computedBy(viewOfEdges(arrays)));
  EXPECT_EQ(APSP_FLOAT32, computedBy(viewOfEdges(inUnits(arrays, 0.5F))));
  EXPECT_EQ(APSP_INT32, computedBy(viewOfEdges(inUnits(arrays, std::int64_t{7}))));
  EXPECT_EQ(APSP_INT32, computedBy(viewOfEdges(inUnits(arrays, 0.25))));
  EXPECT_EQ(APSP_INT64, computedBy(viewOfEdges(wideArrays(arrays, kWide))));
  EXPECT_EQ(APSP_FLOAT64, computedBy(viewOfEdges(wideArrays(arrays, 0.1))));
  for (const apsp_method method : kMethods) {
    const libapsp::Result result =
        viewOfEdges(inUnits(arrays, std::int64_t{7})).solve(onCpu(method));
    EXPECT_EQ(APSP_INT64, result.info().type);
    const void* lent = nullptr;
    apsp_memory where = APSP_HOST;
    EXPECT_EQ(APSP_INT32, result.info().computed);
    EXPECT_EQ(APSP_UNSUPPORTED, apsp_result_borrow(result.get(), &lent, &where));
  }
}

/// Distances near 2^62 are exact, and one that reaches it is refused.
TEST(Api, Int64NearItsInfinity) {
  constexpr std::int64_t half = std::int64_t{1} << 61;
  for (const std::int64_t second : {half - 2, half - 1, half, kInf64 - 1}) {
    const ArraysOf<std::int64_t> chain{3, {0, 1}, {1, 2}, {half, second}};
    const auto csr32 = csrOf<std::int32_t>(chain);
    const auto csr64 = csrOf<std::int64_t>(chain);
    const auto matrix = matrixOf(chain);
    std::vector<std::int64_t> transposed = matrix;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) transposed[3 * j + i] = matrix[3 * i + j];
    const libapsp::Graph views[] = {viewOfEdges(chain),
                                    libapsp::Graph::csr(csr32.offsets, csr32.heads, csr32.weights),
                                    libapsp::Graph::csr(csr64.offsets, csr64.heads, csr64.weights),
                                    libapsp::Graph::matrix(3, matrix.data()),
                                    libapsp::Graph::matrix(3, transposed.data(), 1, 3)};
    for (const libapsp::Graph& graph : views)
      for (const apsp_method method : kMethods) {
        if (second > half - 2) {
          EXPECT_EQ(APSP_INEXACT, statusOf([&] { graph.solve(onCpu(method)); }))
              << second << ", method " << method;
          continue;
        }
        const libapsp::Result result = graph.solve(onCpu(method));
        EXPECT_EQ((std::vector<std::int64_t>{0, half, kInf64 - 1}), result.rows<std::int64_t>(0, 1))
            << "method " << method;
        EXPECT_EQ(kInf64, result.distance<std::int64_t>(2, 0));
        EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2}), result.path(0, 2));
        EXPECT_EQ((std::vector<std::int32_t>{-9999, 0, 1}), result.predecessors(0, 1));
        EXPECT_EQ(0x1p62, result.summaries()[0].eccentricity);
      }
  }
}

TEST(Api, DoublesAreAddedAsDoubles) {
  const std::vector<std::int32_t> tails = {0, 1, 2}, heads = {1, 2, 3};
  const auto solved = [&](double a, double b, double c) {
    return edgesOf(4, tails, heads, std::vector<double>{a, b, c}).solve(onCpu());
  };
  EXPECT_EQ((std::vector<double>{0, 0.1, 0.1 + 0.1, 0.1 + 0.1 + 0.1}),
            solved(0.1, 0.1, 0.1).rows<double>(0, 1));
  EXPECT_EQ((std::vector<double>{0, 1e300, 2e300, 2e300}),
            solved(1e300, 1e300, 1).rows<double>(0, 1));
  EXPECT_EQ((std::vector<double>{0, 5e-324, 1e-323, 1}),
            solved(5e-324, 5e-324, 1).rows<double>(0, 1));
  EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2, 3}), solved(1e300, 1e300, 1).path(0, 3));
  EXPECT_EQ(APSP_INEXACT, statusOf([&] { solved(1e308, 1e308, 1); }));
}

/// An int64 that a double does not hold decides which way is the shortest.
TEST(Api, PathsOfInt64AreExact) {
  constexpr std::int64_t large = std::int64_t{1} << 60;
  const ArraysOf<std::int64_t> arrays{
      4, {0, 1, 0, 2, 0}, {1, 3, 2, 3, 3}, {large, large + 1, large - 1, large + 1, 2 * large + 1}};
  for (const apsp_method method : kMethods) {
    const libapsp::Result result = viewOfEdges(arrays).solve(onCpu(method));
    EXPECT_EQ(2 * large, result.distance<std::int64_t>(0, 3)) << "method " << method;
    EXPECT_EQ((std::vector<std::int32_t>{0, 2, 3}), result.path(0, 3));
    EXPECT_EQ((std::vector<std::int32_t>{-9999, 0, 0, 2}), result.predecessors(0, 1));
  }
}

TEST(Api, FloatsAreSolvedAndNullWeightsCountOne) {
  const std::vector<std::int32_t> offsets = {0, 2, 3, 3}, heads = {1, 2, 2};
  const std::vector<float> weights = {0.5f, 4, -0.0f};
  const libapsp::Result result = libapsp::Graph::csr(offsets, heads, weights).solve(onCpu());
  EXPECT_EQ((std::vector<float>{0, 0.5f, 0.5f}), result.rows<float>(0, 1));
  EXPECT_TRUE(std::isinf(result.rows<float>(2, 1)[0]));
  EXPECT_EQ(APSP_INVALID, statusOf([&] { result.rows<std::int32_t>(0, 1); }));
  apsp_graph* unweighted = nullptr;
  ASSERT_EQ(APSP_OK,
            apsp_graph_csr32(3, offsets.data(), heads.data(), APSP_INT32, nullptr, &unweighted));
  EXPECT_EQ((std::vector<int>{0, 1, 1}),
            libapsp::Graph(unweighted).solve(onCpu()).rows<std::int32_t>(0, 1));
}

namespace {

template <class T>
void expectThatAllFits(const ArraysOf<T>& arrays) {
  const libapsp::Result result = viewOfEdges(arrays).solve(onCpu());
  const auto matrix = matrixOf(arrays);
  expectRight(arrays, result, "");
  const double off =
      std::is_integral_v<T> ? 0 : 1000 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const auto near = [&](T a, T b) {
    return a == b || std::abs(static_cast<double>(a - b)) <= off * static_cast<double>(a);
  };
  const auto weight = [&](int from, int to) {
    return matrix[static_cast<std::size_t>(from * arrays.n + to)];
  };
  const auto summaries = result.summaries();
  const auto incoming = result.incoming();
  const auto outgoing = result.outHarmonic(), arrivals = result.inHarmonic();
  const auto all = result.matrix<T>();
  std::map<T, std::uint64_t> occurs;
  double total = 0, inverse = 0;
  std::uint64_t paths = 0;
  for (int i = 0; i < arrays.n; ++i) {
    const auto row = result.rows<T>(i, 1);
    const auto before = result.predecessors(i, 1);
    int reachable = 0;
    T largest = 0;
    double sum = 0, harmonic = 0;
    for (int j = 0; j < arrays.n; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const auto path = result.path(i, j);
      if (row[at] == none<T>()) {
        EXPECT_TRUE(path.empty());
        EXPECT_EQ(-9999, before[at]);
        continue;
      }
      ASSERT_FALSE(path.empty());
      EXPECT_EQ(i, path.front());
      EXPECT_EQ(j, path.back());
      T length = 0;
      for (std::size_t k = 1; k < path.size(); ++k) length += weight(path[k - 1], path[k]);
      EXPECT_TRUE(near(row[at], length)) << row[at] << " " << length;
      if (i == j) continue;
      EXPECT_TRUE(near(row[at], row[static_cast<std::size_t>(before[at])] + weight(before[at], j)));
      ++reachable;
      sum += static_cast<double>(row[at]);
      if (row[at] != 0) harmonic += 1 / static_cast<double>(row[at]);
      ++occurs[row[at]];
      largest = std::max(largest, row[at]);
    }
    const apsp_incoming& column = incoming[static_cast<std::size_t>(i)];
    EXPECT_EQ(i, column.vertex);
    int reaching = 0;
    double arriving = 0, ofArrivals = 0;
    for (int j = 0; j < arrays.n; ++j) {
      const T distance = all[static_cast<std::size_t>(j * arrays.n + i)];
      if (j == i || distance == none<T>()) continue;
      ++reaching;
      arriving += static_cast<double>(distance);
      if (distance != 0) ofArrivals += 1 / static_cast<double>(distance);
    }
    EXPECT_NEAR(harmonic, outgoing[static_cast<std::size_t>(i)], 1e-12 * harmonic);
    EXPECT_NEAR(ofArrivals, arrivals[static_cast<std::size_t>(i)], 1e-12 * ofArrivals);
    total += sum;
    inverse += harmonic;
    paths += static_cast<std::uint64_t>(reachable);
    EXPECT_EQ(reaching, column.reaching);
    EXPECT_NEAR(arriving, column.sum, sizeof(T) == 4 && off == 0 ? 0 : 1e-6 * arriving);
    const apsp_summary& summary = summaries[static_cast<std::size_t>(i)];
    EXPECT_EQ(i, summary.vertex);
    EXPECT_EQ(reachable, summary.reachable);
    EXPECT_NEAR(sum, summary.sum, sizeof(T) == 4 && off == 0 ? 0 : 1e-6 * sum);
    EXPECT_EQ(static_cast<double>(largest), summary.eccentricity);
  }
  const apsp_measures measures = result.measures();
  const auto n = static_cast<std::uint64_t>(arrays.n);
  EXPECT_EQ(n * (n - 1), measures.pairs);
  EXPECT_EQ(paths, measures.reachable);
  EXPECT_NEAR(total, measures.sum, 1e-6 * total);
  EXPECT_EQ(std::is_integral_v<T> ? measures.sum : 0,
            std::ldexp(static_cast<double>(measures.sum_high), 64) +
                static_cast<double>(measures.sum_low));
  EXPECT_EQ(measures.sum / static_cast<double>(std::max<std::uint64_t>(paths, 1)), measures.mean);
  EXPECT_NEAR(inverse, measures.efficiency * static_cast<double>(n * (n - 1)), 1e-12 * inverse);
  std::uint64_t counted = 0;
  for (const apsp_bin& bin : result.histogram()) {
    std::uint64_t inside = 0;
    for (const auto& [distance, pairs] : occurs) {
      const auto d = static_cast<double>(distance);
      const bool last = d == bin.to && (std::is_integral_v<T> || d == measures.largest);
      if (d >= bin.from && (d < bin.to || last)) inside += pairs;
    }
    counted += bin.pairs;
    EXPECT_EQ(inside, bin.pairs);
  }
  EXPECT_EQ(paths, counted);
}

}  // namespace

TEST(Api, PathsPredecessorsAndSummariesFit) {
  const Arrays arrays = randomArrays(120, 400, 7);
  expectThatAllFits(arrays);
  expectThatAllFits(inUnits(arrays, 0.1F));
  expectThatAllFits(inUnits(arrays, std::int64_t{3}));
  expectThatAllFits(wideArrays(arrays, kWide));
  expectThatAllFits(inUnits(arrays, 0.25));
  expectThatAllFits(wideArrays(arrays, 0.1));
  expectThatAllFits(inUnits(arrays, 1e300));
}

TEST(Api, NarrowRows) {
  const std::vector<std::int32_t> tails = {0, 1, 2}, heads = {1, 2, 3};
  const auto solved = [&](auto second, auto third) {
    const std::vector<decltype(second)> weights = {1, second, third};
    return libapsp::Graph::edges(5, tails, heads, weights).solve(onCpu());
  };
  const auto refused = [](const auto& call, const char* why, apsp_status status = APSP_INVALID) {
    std::string what;
    EXPECT_EQ(status, statusOf(call, &what));
    EXPECT_NE(std::string::npos, what.find(why)) << what;
  };
  const libapsp::Result low = solved(3, 250), high = solved(3, 251),
                        long64 = solved(std::int64_t{3}, std::int64_t{65530});
  using Bytes = std::vector<std::uint8_t>;
  using Shorts = std::vector<std::uint16_t>;
  EXPECT_EQ((Bytes{0, 1, 4, 254, 255, 255, 0, 3, 253, 255}), low.narrowRows<std::uint8_t>(0, 2));
  EXPECT_EQ((Bytes{255, 255, 255, 255, 0}), low.narrowRows<std::uint8_t>(4, 1));
  EXPECT_EQ((Bytes{}), low.narrowRows<std::uint8_t>(4, 0));
  EXPECT_EQ((Shorts{0, 1, 4, 255, 65535}), high.narrowRows<std::uint16_t>(0, 1));
  EXPECT_EQ((Shorts{0, 1, 4, 65534, 65535}), long64.narrowRows<std::uint16_t>(0, 1));
  EXPECT_EQ((Bytes{255, 0, 3, 254, 255}), high.narrowRows<std::uint8_t>(1, 1));
  refused([&] { high.narrowRows<std::uint8_t>(0, 1); }, "between 0 and 254");
  refused([&] { solved(3, 65531).narrowRows<std::uint16_t>(0, 1); }, "between 0 and 65534");
  refused([&] { solved(3.f, 1.f).narrowRows<std::uint16_t>(0, 1); }, "no whole numbers",
          APSP_UNSUPPORTED);
  refused([&] { low.narrowRows<std::uint8_t>(4, 2); }, "there are 5 rows");
  std::int32_t words[5];
  EXPECT_EQ(APSP_INVALID, apsp_result_narrow(low.get(), 0, 1, 4, words));
}

TEST(Api, DistancesAreKeptInFewBytes) {
  constexpr int n = 300;
  std::vector<std::int32_t> tails, heads;
  for (int v = 1; v < n; ++v) {
    tails.push_back(v - 1);
    heads.push_back(v);
  }
  const std::vector<std::int32_t> weights(tails.size(), 2);
  const libapsp::Graph graph = libapsp::Graph::edges(n, tails, heads, weights);
  libapsp::Options options = onCpu();
  options.method = APSP_BFS;
  options.distance_bytes = 2;
  const libapsp::Plan plan(graph, options);
  EXPECT_EQ(1, plan.info().keeps);
  for (const libapsp::Result& result : {graph.solve(options), plan.solve(graph)}) {
    EXPECT_EQ(APSP_BFS, result.info().method);
    EXPECT_EQ(APSP_INT32, result.info().type);
    const std::vector<std::int32_t> rows = result.rows<std::int32_t>(0, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        ASSERT_EQ(j < i ? APSP_INFINITY : 2 * (j - i), rows[static_cast<std::size_t>(i * n + j)]);
    EXPECT_EQ(598, result.summaries().front().eccentricity);
    EXPECT_EQ(298U, result.path(1, 298).size());
    const void* there = nullptr;
    apsp_memory where = APSP_HOST;
    EXPECT_EQ(APSP_UNSUPPORTED, apsp_result_borrow(result.get(), &there, &where));
  }
  const auto refused = [&](apsp_status status, const char* why, const auto& call) {
    std::string what;
    EXPECT_EQ(status, statusOf(call, &what));
    EXPECT_NE(std::string::npos, what.find(why)) << what;
  };
  options.distance_bytes = 1;
  refused(APSP_INVALID, "not between 0 and 254, the first pair 0 -> 128",
          [&] { graph.solve(options); });
  for (const int bytes : {-1, 3, 4}) {
    options.distance_bytes = bytes;
    refused(APSP_INVALID, "not 0, 1 or 2", [&] { graph.solve(options); });
  }
  options.distance_bytes = 2;
  options.negative = 1;
  refused(APSP_UNSUPPORTED, "for whole weights", [&] { graph.solve(options); });
  options.negative = 0;
  options.ranks = 2;
  refused(APSP_UNSUPPORTED, "one rank", [&] { graph.solve(options); });
  options.ranks = 0;
  const std::vector<float> reals(tails.size(), 2);
  const libapsp::Graph real = libapsp::Graph::edges(n, tails, heads, reals);
  refused(APSP_UNSUPPORTED, "for whole weights", [&] { real.solve(options); });
  options.method = APSP_AUTO;
  refused(APSP_UNSUPPORTED, "apsp_solve() and apsp_plan_make()",
          [&] { plan.solve(graph, options); });
}

/// A look at the edges takes longer than a tile of the dense solver.
TEST(Api, AFewVerticesAreSolvedAsAMatrix) {
  for (const int n : {2, 10, 64, 65}) {
    Arrays path{n, {}, {}, {}};
    for (int v = 0; v + 1 < n; ++v) {
      path.tails.push_back(v);
      path.heads.push_back(v + 1);
      path.weights.push_back(7);
    }
    const libapsp::Graph graph = viewOfEdges(path);
    libapsp::Options two = onCpu();
    two.threads = 2;  // more would solve larger matrices faster, too
    const libapsp::Result solved = graph.solve(two),
                          planned = libapsp::Plan(graph, two).solve(graph);
    EXPECT_EQ(n <= 64, solved.info().method == APSP_DENSE) << n;
    EXPECT_EQ(n <= 64, planned.info().method == APSP_DENSE) << n;
    expectRight(path, solved, "a path");
    expectRight(path, planned, "a path");
    EXPECT_EQ(APSP_SPARSE, graph.solve(onCpu(APSP_SPARSE)).info().method);
  }
}

TEST(Api, APlanServesNewWeights) {
  Arrays arrays = randomArrays(300, 700, 5);
  libapsp::Graph graph = viewOfEdges(arrays);
  for (const apsp_method method : {APSP_AUTO, APSP_DENSE, APSP_FILTERED, APSP_SPARSE}) {
    const libapsp::Plan plan(graph, onCpu(method));
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

/// Where the time of a call went. What is left is checking the options, and making the objects.
TEST(Api, TellsWhereTheTimeWent) {
  const Arrays arrays = randomArrays(2000, 5000, 3, 1'000'000);
  const libapsp::Graph graph = viewOfEdges(arrays);
  const auto timed = [](const std::function<libapsp::Result()>& solve) {
    const auto begin = std::chrono::steady_clock::now();
    const libapsp::Result result = solve();
    const double all =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const apsp_info info = result.info();
    for (const double part : {info.reading, info.milliseconds, info.placing, info.checking})
      EXPECT_GT(part, 0);
    EXPECT_LE(info.reading + info.planning + info.placing + info.milliseconds + info.checking, all);
    return info.planning;
  };
  const libapsp::Plan plan(graph, onCpu());
  EXPECT_GT(timed([&] { return graph.solve(onCpu()); }), 0);
  EXPECT_EQ(0, timed([&] { return plan.solve(graph); }));
  // The time of choosing counts once, whether the plan, reset() or solve() chooses.
  libapsp::Options options = onCpu();
  for (options.method = APSP_AUTO; options.method <= APSP_SPARSE;
       options.method = static_cast<apsp_method>(options.method + 1))
    timed([&] { return graph.solve(options); });
  options.method = APSP_AUTO;
  options.negative = 1;
  timed([&] { return graph.solve(options); });
  options.negative = 0;
  const std::vector<std::int32_t> sources = {7, 1, 1999};
  for (const std::size_t count : {sources.size(), std::size_t{1}}) {
    options.sources = sources.data();
    options.source_count = count;
    timed([&] { return graph.solve(options); });
  }
}

/// Each solve of a plan may have its own threads and its own progress.
TEST(Api, APlanIsSolvedWithOtherOptions) {
  const Arrays arrays = randomArrays(300, 700, 5);
  const libapsp::Graph graph = viewOfEdges(arrays);
  const auto count = [](void* user, const char*, double) { return ++*static_cast<int*>(user), 0; };
  int planned = 0, solved = 0;
  libapsp::Options options = onCpu(), one;
  options.progress = one.progress = count;
  options.progress_user = &planned;
  one.progress_user = &solved;
  one.threads = 1;
  const libapsp::Plan plan(graph, options);
  const int made = planned;
  EXPECT_GE(made, 1);
  expectRight(arrays, plan.solve(graph, one), "with options");
  EXPECT_GE(solved, 1);  // at the start of every solve
  EXPECT_EQ(made, planned);
  expectRight(arrays, plan.solve(graph, libapsp::Options()), "without progress");
  EXPECT_EQ(made, planned);
  expectRight(arrays, plan.solve(graph), "as planned");
  EXPECT_GT(planned, made);
  const int before = planned;
  expectRight(arrays, plan.solveWeights(arrays.weights), "weights alone, as planned");
  EXPECT_GT(planned, before);
  one.progress = [](void*, const char*, double) { return 1; };
  EXPECT_EQ(APSP_CANCELLED, statusOf([&] { plan.solve(graph, one); }));
  EXPECT_EQ(APSP_UNSUPPORTED, statusOf([&] { plan.solve(graph, onCpu()); }));
  one.threads = -1;
  EXPECT_EQ(APSP_INVALID, statusOf([&] { plan.solve(graph, one); }));
}

TEST(Api, AMatrixThatChangedIsSeenWhereRowsAreFoundAgain) {
  constexpr std::int32_t kNone = APSP_INFINITY;
  std::vector<std::int32_t> matrix = {0, 1, kNone, kNone, 0, 1, kNone, kNone, 0};
  const std::vector<std::int32_t> sources = {0}, targets = {2};
  libapsp::Options options = onCpu();
  options.setSources(sources);
  options.setTargets(targets);
  for (const bool changes : {false, true}) {
    const libapsp::Result result = libapsp::Graph::matrix(3, matrix.data()).solve(options);
    if (changes) matrix[1] = kNone, matrix[2] = 1;
    const auto path = [&] { EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2}), result.path(0, 2)); };
    EXPECT_EQ(changes ? APSP_INVALID : APSP_OK, statusOf(path));
  }
}

/// Weights alone, in the caller's order, where edges are parallel, loops, or in no order.
template <class T>
void expectThatWeightsServe(ArraysOf<T> arrays) {
  const auto csr = csrOf<std::int32_t>(arrays);
  ArraysOf<T> sorted = arrays;
  sorted.tails.clear();
  for (int u = 0; u < arrays.n; ++u)
    sorted.tails.insert(sorted.tails.end(),
                        static_cast<std::size_t>(csr.offsets[static_cast<std::size_t>(u) + 1] -
                                                 csr.offsets[static_cast<std::size_t>(u)]),
                        u);
  sorted.heads = csr.heads;
  sorted.weights = csr.weights;
  for (const apsp_method method : kMethods)
    for (const bool list : {false, true}) {
      ArraysOf<T>& given = list ? arrays : sorted;
      const libapsp::Plan plan(
          list ? viewOfEdges(arrays) : libapsp::Graph::csr(csr.offsets, csr.heads, csr.weights),
          onCpu(method));
      for (int round = 0; round < 2; ++round) {
        std::rotate(given.weights.begin(), given.weights.begin() + 7, given.weights.end());
        expectRight(given, plan.solveWeights(given.weights),
                    "method " + std::to_string(method) + (list ? ", list" : ", csr"));
      }
    }
}

TEST(Api, APlanServesWeightsAlone) {
  const Arrays arrays = randomArrays(90, 400, 5);
  expectThatWeightsServe(arrays);
  expectThatWeightsServe(inUnits(arrays, 0.1F));
  expectThatWeightsServe(inUnits(arrays, std::int64_t{1}));
  expectThatWeightsServe(wideArrays(arrays, 0.1));
  const std::vector<std::int32_t> offsets = {0, 2, 3, 3}, heads = {1, 2, 2}, weights = {1, 5, 1};
  const libapsp::Plan plan(libapsp::Graph::csr(offsets, heads, weights), onCpu());
  const auto solved = [&](const std::vector<std::int32_t>& with) {
    return plan.solveWeights(with).rows<std::int32_t>(0, 1);
  };
  EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2}), solved({1, 5, 1}));
  EXPECT_EQ((std::vector<std::int32_t>{0, 9, 5}), solved({9, 5, 1}));
}

TEST(Api, WrongWeightsAloneAreRefused) {
  const std::vector<std::int32_t> tails = {0, 1, 1}, heads = {1, 1, 2}, weights = {1, 5, 1};
  libapsp::Options negative = onCpu();
  negative.negative = 1;
  const libapsp::Graph graph = libapsp::Graph::edges(3, tails, heads, weights);
  const libapsp::Plan plan(graph, onCpu()), below(graph, negative);
  const auto refused = [](const auto& call, const char* why, apsp_status status = APSP_INVALID) {
    std::string what;
    EXPECT_EQ(status, statusOf(call, &what)) << why;
    EXPECT_NE(std::string::npos, what.find(why)) << what;
  };
  const auto solve = [](const libapsp::Plan& with, const auto& numbers) {
    with.solveWeights(numbers);
  };
  using Weights = std::vector<std::int32_t>;
  refused([&] { solve(plan, Weights{1, 2}); }, "count is not the number of edges");
  refused([&] { solve(plan, Weights{1, 2, -3}); }, "weights[2] is -3");
  refused([&] { solve(plan, Weights{1, kInf, 3}); }, "weights[1] is 1073741823");
  refused([&] { solve(plan, std::vector<float>{1, 2, 3}); }, "were planned are int32_t");
  refused([&] { solve(below, Weights{1, -1, 1}); }, "negative cycle", APSP_NEGATIVE_CYCLE);
  EXPECT_EQ(-4, below.solveWeights(Weights{-1, 1, -3}).distance<std::int32_t>(0, 2));
  const Weights matrix(9, 7);
  const libapsp::Plan ofMatrix(libapsp::Graph::matrix(3, matrix.data()), onCpu());
  refused([&] { solve(ofMatrix, matrix); }, "the plan is of a matrix", APSP_UNSUPPORTED);
}

/// The weights that are planned fit into int32, those that are solved need not.
TEST(Api, APlanServesWiderWeights) {
  const Arrays arrays = randomArrays(200, 700, 5);
  ArraysOf<std::int64_t> wide = inUnits(arrays, std::int64_t{1});
  const libapsp::Graph graph = viewOfEdges(wide);
  const auto set = [&](const ArraysOf<std::int64_t>& to) {
    std::copy(to.weights.begin(), to.weights.end(), wide.weights.begin());
  };
  for (const apsp_method method : kMethods) {
    set(inUnits(arrays, std::int64_t{1}));
    const libapsp::Plan plan(graph, onCpu(method));
    EXPECT_EQ(APSP_INT64, plan.info().type);
    expectRight(wide, plan.solve(graph), "narrow, method " + std::to_string(method));
    set(wideArrays(arrays, kWide));
    const libapsp::Result result = plan.solve(graph);
    EXPECT_EQ(APSP_INT64, result.info().computed);
    expectRight(wide, result, "wide, method " + std::to_string(method));
    set(inUnits(arrays, std::int64_t{5}));
    expectRight(wide, plan.solve(graph), "narrow again, method " + std::to_string(method));
  }
}

TEST(Api, APlanWithNegativeWeightsSourcesAndTargets) {
  const std::vector<std::int32_t> tails = {0, 1, 2, 3}, heads = {1, 2, 3, 4};
  std::vector<std::int32_t> weights = {5, -3, 7, 1}, sources = {0, 3}, targets = {4, 1};
  libapsp::Options options = onCpu();
  options.negative = 1;
  options.sources = sources.data();
  options.source_count = sources.size();
  options.targets = targets.data();
  options.target_count = targets.size();
  const libapsp::Graph graph = libapsp::Graph::edges(5, tails, heads, weights);
  const libapsp::Plan plan(graph, options);
  sources.assign(2, 77);  // they were copied
  EXPECT_EQ(2, plan.info().rows);
  EXPECT_EQ((std::vector<std::int32_t>{10, 5, 1, kInf}), plan.solve(graph).matrix<std::int32_t>());
  weights[1] = -9;
  EXPECT_EQ((std::vector<std::int32_t>{4, 5, 1, kInf}), plan.solve(graph).matrix<std::int32_t>());
}

/// Solves the graph in the order of a plan, and in three shuffled orders.
template <class T>
void expectThatOrdersServe(const ArraysOf<T>& arrays) {
  const libapsp::Graph graph = viewOfEdges(arrays);
  std::vector<std::int32_t> order = libapsp::Plan(graph, onCpu(APSP_SPARSE)).order();
  std::mt19937 random(5);
  for (int round = 0; round < 4; ++round) {
    std::vector<std::int32_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::int32_t v = 0; v < arrays.n; ++v) ASSERT_EQ(v, sorted[static_cast<std::size_t>(v)]);
    libapsp::Options options = onCpu(round % 2 == 0 ? APSP_AUTO : APSP_SPARSE);
    options.order = order.data();
    const libapsp::Plan plan(graph, options);
    EXPECT_EQ(APSP_SPARSE, plan.info().method);
    expectRight(arrays, plan.solve(graph), "a plan");
    const libapsp::Result result = graph.solve(options);
    EXPECT_EQ(APSP_SPARSE, result.info().method);
    expectRight(arrays, result, "a solve");
    std::shuffle(order.begin(), order.end(), random);
  }
}

TEST(Api, AnOrderServesOtherSolves) {
  const Arrays arrays = randomArrays(120, 300, 5);
  expectThatOrdersServe(arrays);
  expectThatOrdersServe(inUnits(arrays, 0.25));
  expectThatOrdersServe(wideArrays(arrays, kWide));
}

/// A GPU eliminates without an order that is known in advance. A plan tells one that serves, too.
TEST(Api, APlanOfTheGpuTellsAnOrder) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  const Arrays arrays = randomArrays(600, 700, 5);
  const libapsp::Graph graph = viewOfEdges(arrays);
  for (const apsp_method method : {APSP_AUTO, APSP_SPARSE}) {
    libapsp::Options options;
    options.place = APSP_GPU;
    options.method = method;
    const libapsp::Plan plan(graph, options);
    if (plan.info().method != APSP_SPARSE) continue;
    const std::vector<std::int32_t> order = plan.order();
    options.order = order.data();
    expectRight(arrays, graph.solve(options), "a solve on the GPU");
  }
}

TEST(Api, AnOrderThatIsNoneIsRefused) {
  const Arrays arrays = randomArrays(50, 120, 5);
  const libapsp::Graph graph = viewOfEdges(arrays);
  std::vector<std::int32_t> order = libapsp::Plan(graph, onCpu(APSP_SPARSE)).order();
  libapsp::Options options = onCpu();
  options.order = order.data();
  const auto refused = [&](const char* why, apsp_status status = APSP_UNSUPPORTED) {
    std::string what;
    EXPECT_EQ(status, statusOf([&] { graph.solve(options); }, &what));
    EXPECT_NE(std::string::npos, what.find(why)) << what;
  };
  for (const std::int32_t wrong : {-1, 50, order[1]}) {
    const std::int32_t right = std::exchange(order[7], wrong);
    refused("order[7]", APSP_INVALID);
    order[7] = right;
  }
  options.method = APSP_DENSE;
  refused("the sparse method");
  options.method = APSP_AUTO;
  options.ranks = 2;
  refused("one rank");
  options.ranks = 0;
  const std::vector<std::int32_t> matrix(50 * 50, 7);
  EXPECT_EQ(APSP_UNSUPPORTED,
            statusOf([&] { libapsp::Graph::matrix(50, matrix.data()).solve(options); }));
  EXPECT_EQ(APSP_UNSUPPORTED, statusOf([&] { libapsp::Plan(graph, onCpu(APSP_DENSE)).order(); }));
}

TEST(Api, APlanOfAnotherGraphIsRefused) {
  const Arrays arrays = randomArrays(50, 120, 5);
  const libapsp::Graph graph = viewOfEdges(arrays);
  const libapsp::Plan plan(graph, onCpu());
  const auto refused = [&](const libapsp::Graph& other, const char* why) {
    std::string what;
    EXPECT_EQ(APSP_INVALID, statusOf([&] { plan.solve(other); }, &what));
    EXPECT_NE(std::string::npos, what.find(why)) << what;
  };
  Arrays other = arrays;
  other.n = 51;
  refused(viewOfEdges(other), "another number of vertices");
  refused(edgesOf(50, arrays.tails, arrays.heads, std::vector<float>(120, 1)), "another type");
  other = arrays;
  other.heads[7] = (other.heads[7] + 1) % 50;
  refused(viewOfEdges(other), "other edges");
  const auto matrix = matrixOf(arrays);
  refused(libapsp::Graph::matrix(50, matrix.data()), "other edges");
}

TEST(Api, SomeSourcesAndTargetsAreATable) {
  const Arrays arrays = randomArrays(90, 300, 3);
  const std::vector<std::int32_t> sources = {5, 0, 5}, targets = {7, 89};
  libapsp::Options options = onCpu();
  options.sources = sources.data();
  options.source_count = sources.size();
  options.targets = targets.data();
  options.target_count = targets.size();
  const libapsp::Result result = viewOfEdges(arrays).solve(options);
  EXPECT_EQ(3, result.info().rows);
  EXPECT_EQ(2, result.info().columns);
  EXPECT_EQ(90, result.info().n);
  const auto found = result.matrix<std::int32_t>(), all = right(arrays);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_EQ(all[static_cast<std::size_t>(sources[i] * 90 + targets[j])], found[2 * i + j]);
  EXPECT_EQ(APSP_UNSUPPORTED, statusOf([&] { result.incoming(); }));
}

TEST(Api, TheMatrixIsCopiedWithAStrideAndLent) {
  const Arrays arrays = randomArrays(70, 900, 4);
  const libapsp::Result result = viewOfEdges(arrays).solve(onCpu(APSP_DENSE));
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
  libapsp::Options options = onCpu();
  std::string what;
  EXPECT_EQ(
      APSP_INVALID,
      statusOf([&] { libapsp::Graph::edges(3, tails, heads, weights).solve(options); }, &what));
  EXPECT_EQ("weights[1] is -3: weights are 0 to 1073741822; below 0 with options.negative = 1",
            what);
  options.negative = 1;
  const libapsp::Result result = libapsp::Graph::edges(3, tails, heads, weights).solve(options);
  EXPECT_EQ((std::vector<int>{0, 5, 2}), result.rows<std::int32_t>(0, 1));
  EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2}), result.path(0, 2));
  EXPECT_EQ((std::vector<std::int32_t>{-9999, 0, 1}), result.predecessors(0, 1));
  try {
    edgesOf(3, tails, heads, std::vector<std::int32_t>{1, -3, -1}).solve(options);
    FAIL() << "no cycle was found";
  } catch (const libapsp::NegativeCycle& error) {
    EXPECT_EQ(3u, error.cycle.size());
    EXPECT_NE(nullptr, std::strstr(error.what(), "negative cycle")) << error.what();
  }
}

TEST(Api, NegativeWeightsOf64Bits) {
  const std::vector<std::int32_t> tails = {0, 1, 2}, heads = {1, 2, 0};
  constexpr std::int64_t large = std::int64_t{1} << 58;
  const std::vector<std::int64_t> whole = {5 * large, -3 * large, -large - 1};
  libapsp::Options options = onCpu();
  std::string what;
  EXPECT_EQ(APSP_INVALID,
            statusOf([&] { libapsp::Graph::edges(3, tails, heads, whole).solve(options); }, &what));
  EXPECT_EQ(
      "weights[1] is -864691128455135232: weights are 0 to 4611686018427387902; below 0 with "
      "options.negative = 1",
      what);
  options.negative = 1;
  for (const apsp_method method : kMethods) {
    options.method = method;
    const libapsp::Result result = libapsp::Graph::edges(3, tails, heads, whole).solve(options);
    EXPECT_EQ((std::vector<std::int64_t>{0, 5 * large, 2 * large}),
              result.rows<std::int64_t>(0, 1));
    EXPECT_EQ(-large - 1, result.distance<std::int64_t>(2, 0));
    EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2}), result.path(0, 2));
    EXPECT_EQ((std::vector<std::int32_t>{-9999, 0, 1}), result.predecessors(0, 1));
    const std::vector<double> real = {0.5, -0.1, -0.2};
    const libapsp::Result rounded = libapsp::Graph::edges(3, tails, heads, real).solve(options);
    EXPECT_NEAR(0.4, rounded.distance<double>(0, 2), 1e-15);
    EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2}), rounded.path(0, 2));
    EXPECT_EQ((std::vector<std::int32_t>{-9999, 0, 1}), rounded.predecessors(0, 1));
  }
  EXPECT_EQ(APSP_NEGATIVE_CYCLE, statusOf([&] {
              edgesOf(3, tails, heads, std::vector<std::int64_t>{large, -large, -1}).solve(options);
            }));
  EXPECT_EQ(APSP_NEGATIVE_CYCLE, statusOf([&] {
              edgesOf(3, tails, heads, std::vector<double>{0.3, -0.1, -0.3}).solve(options);
            }));
}

/// The edge from 0 to 2 is longer by less than the tolerance of so many vertices.
TEST(Api, PathsOfRealsAreShortest) {
  const std::vector<std::int32_t> tails = {0, 1, 0}, heads = {1, 2, 2};
  const std::vector<float> weights = {1000.5F, 0, 1000.75F};
  const libapsp::Result result = libapsp::Graph::edges(3000, tails, heads, weights).solve(onCpu());
  EXPECT_EQ(1, result.predecessors(0, 1)[2]);
  EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2}), result.path(0, 2));
}

/// From some sources, also twice from one: as from all of them.
TEST(Api, PredecessorsFromSomeSources) {
  const Arrays arrays = randomArrays(70, 300, 9);
  const auto graph = viewOfEdges(arrays);
  const libapsp::Result all = graph.solve(onCpu());
  const std::vector<std::int32_t> sources = {5, 69, 5, 0};
  libapsp::Options options = onCpu();
  options.setSources(sources);
  const libapsp::Result some = graph.solve(options);
  const auto trees = some.predecessors(0, 4), rows = some.matrix<std::int32_t>();
  const auto matrix = matrixOf(arrays);
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (std::size_t j = 0; j < 70; ++j) {
      const std::int32_t before = trees[i * 70 + j], distance = rows[i * 70 + j];
      ASSERT_EQ(distance, all.distance<std::int32_t>(sources[i], static_cast<int>(j)));
      const bool none =
          static_cast<std::int32_t>(j) == sources[i] || distance == libapsp::kInfinity;
      ASSERT_EQ(none, before == -9999);
      if (none) continue;
      const auto tail = static_cast<std::size_t>(before);
      ASSERT_EQ(distance, rows[i * 70 + tail] + matrix[tail * 70 + j]);
    }
  options.setTargets(sources);
  EXPECT_EQ(trees, graph.solve(options).predecessors(0, 4));
}

namespace {

/// Paths of a table lead along edges, and are as long as its distances say.
template <class T>
void expectPathsOfATable(const ArraysOf<T>& arrays, const libapsp::Graph& graph,
                         libapsp::Options options) {
  const std::vector<std::int32_t> sources = {5, 69, 5, 0}, targets = {7, 5, 68};
  const auto matrix = matrixOf(arrays);
  const auto n = static_cast<std::size_t>(arrays.n);
  for (const bool all : {true, false}) {
    options.setSources(sources);
    if (!all) options.setTargets(targets);
    const libapsp::Result table = graph.solve(options);
    const auto distances = table.matrix<T>();
    const auto trees = table.predecessors(1, 3);
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (std::size_t j = 0; j < (all ? n : targets.size()); ++j) {
        const std::int32_t to = all ? static_cast<std::int32_t>(j) : targets[j];
        const T distance = distances[i * (all ? n : targets.size()) + j];
        const auto path = table.path(sources[i], to);
        ASSERT_EQ(distance == none<T>(), path.empty()) << sources[i] << " to " << to;
        if (path.empty()) continue;
        ASSERT_EQ(sources[i], path.front());
        ASSERT_EQ(to, path.back());
        T length = 0;
        for (std::size_t k = 1; k < path.size(); ++k)
          length +=
              matrix[static_cast<std::size_t>(path[k - 1]) * n + static_cast<std::size_t>(path[k])];
        ASSERT_NEAR(static_cast<double>(distance), static_cast<double>(length),
                    std::is_integral_v<T> ? 0 : 1e-3 * std::abs(static_cast<double>(distance)));
        if (i == 0 || to == sources[i]) continue;
        ASSERT_NE(-9999, trees[(i - 1) * n + static_cast<std::size_t>(to)]);
      }
    std::string what;
    EXPECT_EQ(APSP_INVALID, statusOf([&] { table.path(1, 5); }, &what));
    EXPECT_EQ("from is 1: it is none of the sources", what);
    EXPECT_EQ(APSP_INVALID, statusOf([&] { table.predecessors(1, 4); }, &what));
    EXPECT_EQ("4 rows from row 1 on: there are 4 rows", what);
  }
}

}  // namespace

TEST(Api, PathsFromSomeSourcesToSomeTargets) {
  const Arrays arrays = randomArrays(70, 150, 9);
  const auto real = inUnits(arrays, 0.1F);
  const auto matrix = matrixOf(arrays);
  libapsp::Options negative = onCpu();
  negative.negative = 1;
  expectPathsOfATable(arrays, viewOfEdges(arrays), onCpu());
  expectPathsOfATable(arrays, libapsp::Graph::matrix(70, matrix.data()), onCpu());
  expectPathsOfATable(real, viewOfEdges(real), onCpu());
  expectPathsOfATable(real, viewOfEdges(real), negative);
  auto below = arrays;  // each vertex has a height, so there is no negative cycle
  for (std::size_t e = 0; e < below.weights.size(); ++e)
    below.weights[e] += 9 * (below.heads[e] % 7 - below.tails[e] % 7);
  expectPathsOfATable(below, viewOfEdges(below), negative);
  libapsp::Options ranks = onCpu();
  ranks.ranks = 2;
  expectPathsOfATable(arrays, viewOfEdges(arrays), ranks);
}

/// Of targets that are as near, the first counts; the source itself is none.
TEST(Api, TheNearestAndTheFarthestTargetAreNamed) {
  const Arrays arrays = randomArrays(70, 90, 9, 20);
  const std::vector<std::int32_t> sources = {5, 69, 5, 0}, targets = {68, 5, 7, 68, 1, 2};
  const libapsp::Result all = viewOfEdges(arrays).solve(onCpu());
  libapsp::Options options = onCpu();
  options.setSources(sources).setTargets(targets);
  const libapsp::Result some = viewOfEdges(arrays).solve(options);
  const auto expectEnds = [&](const libapsp::Result& result, const auto& from, const auto& to) {
    const auto nearest = result.nearestEnds(), farthest = result.farthestEnds();
    const auto summaries = result.summaries();
    ASSERT_EQ(from.size(), nearest.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      int near = -1, far = -1;
      const auto distance = [&](int vertex) { return all.distance<std::int32_t>(from[i], vertex); };
      for (const int vertex : to) {
        if (vertex == from[i] || distance(vertex) == kInf) continue;
        if (near < 0 || distance(vertex) < distance(near)) near = vertex;
        if (far < 0 || distance(vertex) > distance(far)) far = vertex;
      }
      EXPECT_EQ(near, nearest[i]);
      EXPECT_EQ(far, farthest[i]);
      EXPECT_EQ(far < 0 ? 0 : distance(far), summaries[i].eccentricity);
    }
  };
  std::vector<std::int32_t> every(70);
  std::iota(every.begin(), every.end(), 0);
  expectEnds(all, every, every);
  expectEnds(some, sources, targets);
}

/// A matrix as SciPy and others write it: 0 or NaN where there is no edge.
template <class T>
void expectNoEdge(T none, int numbers) {
  for (const int columnStride : {1, 2}) {
    std::vector<T> matrix(18, T{7});
    const std::vector<T> weights = {3, 4, none, none, 5, 2, 1, none, none};
    for (std::size_t at = 0; at < 9; ++at)
      matrix[at * static_cast<std::size_t>(columnStride)] = weights[at];
    libapsp::Graph graph = libapsp::Graph::matrix(3, matrix.data(), 3 * columnStride, columnStride);
    const libapsp::Result result = graph.setNoEdge(numbers).solve(onCpu());
    EXPECT_EQ((std::vector<T>{0, 4, 6, 3, 0, 2, 1, 5, 0}), result.matrix<T>());
  }
}

TEST(Api, ZerosAndNansMayBeNoEdge) {
  expectNoEdge<std::int32_t>(0, APSP_NO_EDGE_ZERO);
  expectNoEdge<std::int64_t>(0, APSP_NO_EDGE_ZERO | APSP_NO_EDGE_NAN);
  expectNoEdge<float>(-0.0f, APSP_NO_EDGE_ZERO);
  expectNoEdge<float>(std::numeric_limits<float>::quiet_NaN(), APSP_NO_EDGE_NAN);
  expectNoEdge<double>(0, APSP_NO_EDGE_ZERO | APSP_NO_EDGE_NAN);
  expectNoEdge<double>(std::numeric_limits<double>::quiet_NaN(), APSP_NO_EDGE_NAN);
  const std::vector<double> zero = {0, 0, 1, 0};
  libapsp::Graph graph = libapsp::Graph::matrix(2, zero.data());
  EXPECT_EQ((std::vector<double>{0, 0, 1, 0}), graph.solve(onCpu()).matrix<double>());
  EXPECT_EQ(APSP_INVALID, statusOf([&] { graph.setNoEdge(4); }));
}

TEST(Api, DistancesThatTheTypeCannotHoldAreRefused) {
  const std::vector<std::int32_t> tails = {0, 1}, heads = {1, 2}, weights = {kInf - 1, 1};
  EXPECT_EQ(APSP_INEXACT,
            statusOf([&] { libapsp::Graph::edges(3, tails, heads, weights).solve(onCpu()); }));
  const std::vector<std::int32_t> fits = {kInf - 2, 1};
  EXPECT_EQ(
      kInf - 1,
      libapsp::Graph::edges(3, tails, heads, fits).solve(onCpu()).rows<std::int32_t>(0, 1)[2]);
}

TEST(Api, WrongArgumentsAreNamed) {
  const std::vector<std::int32_t> one = {0}, two = {2};
  const auto solve = [](const libapsp::Graph& graph, libapsp::Options options = onCpu()) {
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
      {[&] { solve(libapsp::Graph::edges(2, one, two, one)); },
       "heads[0] is 2: vertices are 0 to 1"},
      {[&] { solve(libapsp::Graph::edges(2, two, one, one)); },
       "tails[0] is 2: vertices are 0 to 1"},
      {[&] { solve(edgesOf(2, one, one, std::vector<std::int32_t>{kInf})); },
       "weights[0] is 1073741823"},
      {[&] { solve(edgesOf(2, one, one, std::vector<float>{nan})); }, "weights[0] is nan"},
      {[&] { solve(edgesOf(2, one, one, std::vector<float>{infinite})); }, "weights[0] is inf"},
      {[&] { solve(edgesOf(2, one, one, std::vector<double>{infinite})); }, "weights[0] is inf"},
      {[&] { solve(edgesOf(2, one, one, std::vector<double>{-0.5})); },
       "weights[0] is -0.5: weights are 0 or more, and finite; below 0 with options.negative = 1"},
      {[&] { solve(edgesOf(2, one, one, std::vector<std::int64_t>{kInf64})); },
       "weights[0] is 4611686018427387903: weights are 0 to 4611686018427387902"},
      {[&] {
         libapsp::check(apsp_graph_edges(2, 1, one.data(), one.data(), static_cast<apsp_type>(5),
                                         one.data(), nullptr));
       },
       "graph is NULL"},
      {[&] {
         apsp_graph* graph = nullptr;
         libapsp::check(apsp_graph_edges(2, 1, one.data(), one.data(), static_cast<apsp_type>(5),
                                         one.data(), &graph));
       },
       "type is no apsp_type"},
      {[&] { solve(libapsp::Graph::matrix(2, matrix)); }, "matrix[1][0] is -1"},
      {[&] { solve(libapsp::Graph::csr(2, down, one.data(), one.data())); }, "offsets[1] is 2"},
      {[&] { libapsp::Graph::edges(-1, one, one, one); }, "n is negative"},
      {[&] {
         libapsp::check(apsp_graph_csr32(2, nullptr, one.data(), APSP_INT32, nullptr, nullptr));
       },
       "graph is NULL"},
      {[&] { libapsp::check(apsp_solve(nullptr, nullptr, nullptr)); }, "graph is NULL"},
      {[&] {
         libapsp::check(
             apsp_solve_matrix(2, static_cast<apsp_type>(9), nullptr, APSP_HOST, nullptr));
       },
       "matrix is NULL"},
      {[&] {
         libapsp::Options options = onCpu();
         options.negative = 2;
         solve(libapsp::Graph::edges(2, one, one, one), options);
       },
       "options->negative is not 0 or 1"},
      {[&] {
         apsp_graph* graph = nullptr;
         libapsp::check(apsp_graph_matrix(2, APSP_INT32, matrix, PTRDIFF_MAX, 1, &graph));
       },
       "row_stride is 9223372036854775807: no memory is so large"},
      {[&] {
         apsp_graph* graph = nullptr;
         apsp_result* result = nullptr;
         std::int32_t distances[4];
         libapsp::check(
             apsp_graph_edges(2, 1, one.data(), one.data(), APSP_INT32, one.data(), &graph));
         const libapsp::Options options = onCpu();
         libapsp::check(apsp_solve(graph, &options, &result));
         const apsp_status status = apsp_result_matrix(result, distances, PTRDIFF_MAX, APSP_HOST);
         apsp_result_free(result);
         apsp_graph_free(graph);
         libapsp::check(status);
       },
       "stride is 9223372036854775807: no memory is so large"},
      {[&] {
         libapsp::Options options = onCpu();
         options.method = static_cast<apsp_method>(4);
         solve(libapsp::Graph::edges(2, one, one, one), options);
       },
       "options->method"},
      {[&] {
         libapsp::Options options = onCpu();
         options.sources = two.data();
         options.source_count = 1;
         solve(libapsp::Graph::edges(2, one, one, one), options);
       },
       "sources[0] is 2"},
      {[&] { libapsp::Graph::edges(2, one, one, one).solve(onCpu()).rows<std::int32_t>(1, 2); },
       "2 rows from row 1 on: there are 2 rows"},
      {[&] { libapsp::Graph::edges(2, one, one, one).solve(onCpu()).path(0, 2); },
       "from 0 to 2: vertices are 0 to 1"},
      {[&] { libapsp::Graph::edges(2, one, one, one).solve(onCpu()).rows<float>(0, 1); },
       "the distances are int32_t"},
      {[&] { edgesOf(2, one, one, std::vector<double>{1}).solve(onCpu()).rows<float>(0, 1); },
       "the distances are double"},
      {[&] {
         const std::vector<std::int32_t> offsets = {0, 1, 1};
         const std::vector<float> none;
         solve(libapsp::Graph::csr(offsets, two, none));
       },
       "offsets ends with 1, but there are 1 heads and 0 weights"},
      {[&] {
         libapsp::Options options = onCpu();
         options.targets = one.data();
         solve(libapsp::Graph::edges(2, one, one, one), options);
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
  const libapsp::Graph graph = viewOfEdges(arrays);
  apsp_result* result = nullptr;
  EXPECT_EQ(APSP_OK, apsp_solve(graph.get(), later, &result)) << apsp_last_error();
  apsp_result_free(result);
  later[1].threads = 1;
  EXPECT_EQ(APSP_INVALID, apsp_solve(graph.get(), later, &result));
}

/// Arguments that are right, but not together or not here.
TEST(Api, WhatIsNotAvailableIsNoWrongArgument) {
  const std::vector<std::int32_t> tails = {0, 1}, heads = {1, 0}, weights = {1, 2};
  const libapsp::Graph graph = libapsp::Graph::edges(2, tails, heads, weights);
  std::int32_t numbers[] = {0, 1, 1, 0};
  const auto inPlace = [&](const libapsp::Options& options) {
    libapsp::check(apsp_solve_matrix(2, APSP_INT32, numbers, APSP_HOST, &options));
  };
  libapsp::Options stream, negative, searches = onCpu(APSP_BFS);
  stream.stream = &stream;
  negative.negative = 1;
  const struct {
    std::function<void()> call;
    const char* says;
  } rows[] = {
      {[&] { libapsp::nearest<std::int32_t>(graph, 1, stream); }, "options->stream is for apsp_"},
      {[&] { inPlace(stream); }, "matrices in device memory"},
      {[&] { inPlace(negative); }, "apsp_solve_matrix() takes no negative weights"},
      {[&] { graph.solve(searches); }, "need edges of equal weight"},
      {[&] { libapsp::nearest<std::int32_t>(graph, 1, negative); },
       "this takes no negative weights"},
  };
  for (const auto& row : rows) {
    std::string what;
    EXPECT_EQ(APSP_UNSUPPORTED, statusOf(row.call, &what)) << row.says;
    EXPECT_NE(std::string::npos, what.find(row.says)) << what;
  }
  EXPECT_STREQ("not available", apsp_status_text(APSP_UNSUPPORTED));
}

/// Weights that are right can be too large together, also for betweenness.
TEST(Api, WhatATypeDoesNotHoldIsNoWrongArgument) {
  const std::vector<std::int32_t> tails = {0, 1}, heads = {1, 2};
  const std::vector<std::int64_t> weights = {0, std::int64_t{1} << 60};
  const libapsp::Graph graph = libapsp::Graph::edges(3, tails, heads, weights);
  std::string what;
  EXPECT_EQ(APSP_INEXACT, statusOf([&] { libapsp::edgeBetweenness(graph); }, &what));
  EXPECT_NE(std::string::npos, what.find("scale the weights down")) << what;
}

namespace {

using HandleCall = std::function<apsp_status(void*)>;

/// Calls that take a handle of each kind, whatever it points to.
std::vector<std::pair<std::string, HandleCall>> callsOfHandles(const apsp_graph* graph) {
  const auto solving = [](const std::function<apsp_status(apsp_result**)>& solve) {
    apsp_result* result = nullptr;
    const apsp_status status = solve(&result);
    apsp_result_free(result);
    return status;
  };
  return {
      {"graph",
       [=](void* to) {
         return solving(
             [&](auto** made) { return apsp_solve(static_cast<apsp_graph*>(to), nullptr, made); });
       }},
      {"graph", [](void* to) { return apsp_graph_set_no_edge(static_cast<apsp_graph*>(to), 0); }},
      {"result",
       [](void* to) { return apsp_result_rows(static_cast<apsp_result*>(to), 0, 0, nullptr); }},
      {"plan",
       [=](void* to) {
         return solving([&](auto** made) {
           return apsp_plan_solve(static_cast<apsp_plan*>(to), graph, made);
         });
       }},
      {"near",
       [](void* to) {
         std::int32_t rows = 0;
         std::size_t entries = 0;
         return apsp_near_size(static_cast<apsp_near*>(to), &rows, &entries);
       }},
      {"pairs",
       [](void* to) {
         return apsp_pairs_distances(static_cast<apsp_pairs*>(to), 0, nullptr, nullptr, nullptr);
       }},
      {"pairs",
       [](void* to) {
         std::size_t count = 0;
         return apsp_pairs_path(static_cast<apsp_pairs*>(to), 0, 0, nullptr, 0, &count);
       }},
  };
}

}  // namespace

TEST(Api, AHandleOfAnotherKindIsRefused) {
  const Arrays arrays = randomArrays(9, 20, 1);
  const libapsp::Graph graph = viewOfEdges(arrays);
  const libapsp::Result result = graph.solve(onCpu());
  for (const auto& [kind, call] : callsOfHandles(graph.get())) {
    void* const other =
        kind == "graph" ? static_cast<void*>(result.get()) : static_cast<void*>(graph.get());
    EXPECT_EQ(APSP_INVALID, call(other)) << kind;
    EXPECT_EQ(kind + " is none of this library, or was freed", apsp_last_error());
    EXPECT_EQ(APSP_INVALID, call(nullptr)) << kind;
    EXPECT_EQ(kind + " is NULL", apsp_last_error());
  }
  apsp_result_free(reinterpret_cast<apsp_result*>(graph.get()));  // nothing happens
  expectRight(arrays, graph.solve(onCpu()), "after all that");
}

/// It is memory that nobody has: sanitizers end the program, and they are right.
TEST(Api, AHandleThatWasFreedIsRefused) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer looks";
#endif
  const Arrays arrays = randomArrays(9, 20, 1);
  const libapsp::Graph graph = viewOfEdges(arrays);
  const libapsp::Options options = onCpu();
  apsp_graph* freed = nullptr;
  apsp_result* result = nullptr;
  apsp_plan* plan = nullptr;
  apsp_near* near = nullptr;
  apsp_pairs* pairs = nullptr;
  ASSERT_EQ(APSP_OK, apsp_graph_edges(2, 0, nullptr, nullptr, APSP_INT32, nullptr, &freed));
  ASSERT_EQ(APSP_OK, apsp_solve(graph.get(), &options, &result));
  ASSERT_EQ(APSP_OK, apsp_plan_make(graph.get(), &options, &plan));
  ASSERT_EQ(APSP_OK, apsp_find_nearest(graph.get(), 1, 9, &options, &near));
  ASSERT_EQ(APSP_OK, apsp_pairs_make(graph.get(), &options, &pairs));
  const std::map<std::string, void*> handles = {
      {"graph", freed}, {"result", result}, {"plan", plan}, {"near", near}, {"pairs", pairs}};
  const auto calls = callsOfHandles(graph.get());
  for (const auto& [kind, call] : calls) EXPECT_EQ(APSP_OK, call(handles.at(kind))) << kind;
  for (int times = 0; times < 2; ++times) {
    apsp_graph_free(freed);
    apsp_result_free(result);
    apsp_plan_free(plan);
    apsp_near_free(near);
    apsp_pairs_free(pairs);
    for (const auto& [kind, call] : calls) EXPECT_EQ(APSP_INVALID, call(handles.at(kind))) << kind;
  }
}

/// It does not look long at vertices that have no edges.
TEST(Api, MoreVerticesThanFitAreRefused) {
  const std::vector<std::int32_t> tails = {INT_MAX - 1}, heads = {7}, source = {0};
  if (sysconf(_SC_PHYS_PAGES) > 12L * INT_MAX / sysconf(_SC_PAGESIZE))
    GTEST_SKIP() << "so many may fit";
  const auto refused = [&](const auto& weights) {
    const libapsp::Graph graph = libapsp::Graph::edges(INT_MAX, tails, heads, weights);
    for (const apsp_method method : {APSP_AUTO, APSP_DENSE, APSP_FILTERED, APSP_SPARSE, APSP_BFS}) {
      libapsp::Options options = onCpu(method);
      EXPECT_EQ(APSP_NO_MEMORY, statusOf([&] { graph.solve(options); })) << method;
      EXPECT_EQ(APSP_NO_MEMORY, statusOf([&] { libapsp::Plan(graph, options); })) << method;
      options.setSources(source);
      EXPECT_EQ(APSP_NO_MEMORY, statusOf([&] { graph.solve(options); })) << method;
    }
  };
  refused(std::vector<std::int32_t>{1});
  refused(std::vector<double>{1.5});
}

TEST(Api, AMatrixWithAWrongElementStaysAsItIs) {
  std::vector<std::int32_t> whole = {7, 1, -1, 7};
  std::vector<float> real = {7, 1, std::numeric_limits<float>::quiet_NaN(), 7};
  std::string what;
  EXPECT_EQ(APSP_INVALID,
            statusOf([&] { libapsp::solveMatrix(2, whole.data(), APSP_HOST, onCpu()); }, &what));
  EXPECT_EQ("matrix[1][0] is -1: weights are 0 to 1073741822; below 0 with options.negative = 1",
            what);
  EXPECT_EQ((std::vector<std::int32_t>{7, 1, -1, 7}), whole);
  EXPECT_EQ(APSP_INVALID,
            statusOf([&] { libapsp::solveMatrix(2, real.data(), APSP_HOST, onCpu()); }, &what));
  EXPECT_EQ("matrix[1][0] is nan: weights are 0 or more, and finite", what);
  EXPECT_EQ(7, real[0]);
}

TEST(Api, ANegativeEdgeFromAVertexToItselfIsACycle) {
  const std::vector<std::int32_t> tails = {0, 1}, heads = {1, 1}, weights = {5, -2};
  libapsp::Options options = onCpu();
  options.negative = 1;
  try {
    libapsp::Graph::edges(2, tails, heads, weights).solve(options);
    ADD_FAILURE();
  } catch (const libapsp::NegativeCycle& error) {
    EXPECT_EQ(std::vector<std::int32_t>{1}, error.cycle);
  }
}

TEST(Api, EdgesWithoutWeightsCountOne) {
  const std::vector<std::int32_t> edgesTo = {1, 2};
  const std::vector<std::int64_t> offsets = {0, 1, 2, 2};
  const libapsp::Graph graph = libapsp::Graph::csr(offsets, edgesTo);
  const std::vector<std::int32_t> sources = {0}, targets = {2, 1};
  libapsp::Options options = onCpu();
  options.setSources(sources).setTargets(targets);
  EXPECT_EQ((std::vector<std::int32_t>{2, 1}), graph.solve(options).matrix<std::int32_t>());
}

// A grid of them has one column, or with 17 several.
TEST(Api, RanksSolveTogether) {
  for (const int ranks : {2, 3, 17})
    for (const int n : {0, 1, 5, 130, 300}) {
      const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(n + ranks));
      const auto matrix = matrixOf(arrays);
      for (const apsp_method method : {APSP_AUTO, APSP_DENSE}) {
        libapsp::Options options = onCpu(method);
        options.ranks = ranks;
        const std::string what = std::to_string(ranks) + " ranks, n = " + std::to_string(n);
        const libapsp::Result result = viewOfEdges(arrays).solve(options);
        expectRight(arrays, result, what);
        EXPECT_EQ(ranks, result.info().ranks);
        expectRight(arrays, libapsp::Graph::matrix(n, matrix.data()).solve(options),
                    what + ", matrix");
      }
    }
}

TEST(Api, RanksSolveEveryType) {
  for (const int n : {1, 130, 200}) {
    const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(n));
    libapsp::Options options = onCpu();
    options.ranks = 3;
    const auto expectAll = [&](const auto& typed, const std::string& what) {
      const auto matrix = matrixOf(typed);
      expectRight(typed, viewOfEdges(typed).solve(options), what + ", edges");
      expectRight(typed, libapsp::Graph::matrix(n, matrix.data()).solve(options),
                  what + ", matrix");
    };
    expectAll(inUnits(arrays, 0.1F), "float");
    expectAll(inUnits(arrays, std::int64_t{1}), "int64");
    expectAll(wideArrays(arrays, kWide), "int64, wide");
    expectAll(inUnits(arrays, 0.5), "double");
    expectAll(wideArrays(arrays, 0.1), "double, rounded");
  }
}

TEST(Api, RanksGiveAllThatAResultHas) {
  const Arrays arrays = randomArrays(200, 900, 8);
  libapsp::Options options = onCpu();
  const libapsp::Result one = viewOfEdges(arrays).solve(options);
  options.ranks = 3;
  const libapsp::Result three = viewOfEdges(arrays).solve(options);
  EXPECT_EQ(one.path(3, 7), three.path(3, 7));
  EXPECT_EQ(one.distance<int>(3, 7), three.distance<int>(3, 7));
  EXPECT_EQ(one.predecessors(0, 200), three.predecessors(0, 200));
  EXPECT_EQ(one.summaries()[9].sum, three.summaries()[9].sum);
  std::vector<int> copy(200 * 200);
  three.copyTo(copy.data(), 200);
  EXPECT_EQ(one.matrix<int>(), copy);
  EXPECT_EQ(APSP_INVALID, statusOf([&] { three.rows<int>(199, 2); }));
  EXPECT_EQ(one.rows<int>(199, 1), three.rows<int>(199, 1));  // an error ended nothing
}

TEST(Api, RanksWithNegativeWeightsACycleAndATable) {
  libapsp::Options options = onCpu();
  options.negative = 1;
  options.ranks = 2;
  const std::vector<std::int32_t> tails = {0, 1, 2}, heads = {1, 2, 0}, weights = {5, -3, 1};
  EXPECT_EQ(2, libapsp::Graph::edges(3, tails, heads, weights).solve(options).distance<int>(0, 2));
  const std::vector<std::int32_t> cycle = {5, -3, -9}, sources = {2, 0};
  EXPECT_EQ(APSP_NEGATIVE_CYCLE,
            statusOf([&] { libapsp::Graph::edges(3, tails, heads, cycle).solve(options); }));
  options.setSources(sources);
  EXPECT_EQ((std::vector<std::int32_t>{1, 6, 0, 0, 5, 2}),
            libapsp::Graph::edges(3, tails, heads, weights).solve(options).matrix<std::int32_t>());
}

TEST(Api, RanksAreCancelledAndRefused) {
  const Arrays arrays = randomArrays(3000, 300000, 5);
  libapsp::Options options = onCpu(APSP_DENSE);
  options.ranks = 2;
  options.progress = [](void*, const char*, double) { return 1; };
  EXPECT_EQ(APSP_CANCELLED, statusOf([&] { viewOfEdges(arrays).solve(options); }));
  EXPECT_EQ(APSP_UNSUPPORTED, statusOf([&] { libapsp::Plan(viewOfEdges(arrays), options); }));
  options.ranks = 65;
  EXPECT_EQ(APSP_INVALID, statusOf([&] { viewOfEdges(arrays).solve(options); }));
}

namespace {

/// A copy of an array in the GPU's memory.
template <class T>
class OnGpu {
 public:
  explicit OnGpu(const std::vector<T>& array)
      : copy_(copyToGpu(array.data(), array.size() * sizeof(T))) {}
  T* data() const { return static_cast<T*>(copy_.get()); }

 private:
  std::shared_ptr<void> copy_;
};

template <class T>
void expectRightInDeviceMemory(const ArraysOf<T>& arrays, apsp_place place,
                               const std::string& what) {
  const int n = arrays.n;
  const auto csr = csrOf<std::int64_t>(arrays);
  const auto matrix = matrixOf(arrays);
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> transposed(2 * size * size, -7);  // every other element
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      if (i != j) transposed[2 * (j * size + i)] = matrix[i * size + j];
  const OnGpu<std::int32_t> tails(arrays.tails), heads(arrays.heads), csrHeads(csr.heads);
  const OnGpu<T> weights(arrays.weights), csrWeights(csr.weights), there(matrix),
      strided(transposed);
  const OnGpu<std::int64_t> offsets(csr.offsets);
  libapsp::Options options;
  options.place = place;
  apsp_graph* list = nullptr;
  ASSERT_EQ(APSP_OK, apsp_graph_edges(n, arrays.tails.size(), tails.data(), heads.data(),
                                      libapsp::typeOf<T>(), weights.data(), &list));
  expectRight(arrays, libapsp::Graph(list).setMemory(APSP_DEVICE).solve(options), what);
  expectRight(arrays,
              libapsp::Graph::csr(n, offsets.data(), csrHeads.data(), csrWeights.data())
                  .setMemory(APSP_DEVICE)
                  .solve(options),
              what + ", csr");
  expectRight(arrays, libapsp::Graph::matrix(n, there.data()).setMemory(APSP_DEVICE).solve(options),
              what + ", matrix");
  expectRight(arrays,
              libapsp::Graph::matrix(n, strided.data(), 2, std::ptrdiff_t{2} * n)
                  .setMemory(APSP_DEVICE)
                  .solve(options),
              what + ", strides");
}

}  // namespace

namespace {

/// Solves on the GPU with that number, and asks all that results and plans have.
template <class T>
void expectRightOnGpu(const ArraysOf<T>& arrays, int gpu) {
  const std::string what = "GPU " + std::to_string(gpu);
  const int current = currentGpu(), n = arrays.n;
  const auto matrix = matrixOf(arrays);
  makeCurrent(gpu);
  const OnGpu<T> there(matrix), solved(matrix), filled(matrix);
  makeCurrent(current);
  libapsp::Options options;
  options.gpu = gpu + 1;
  for (const apsp_method method : {APSP_AUTO, APSP_DENSE, APSP_FILTERED, APSP_SPARSE}) {
    options.method = method;
    const libapsp::Result result = viewOfEdges(arrays).solve(options);
    EXPECT_EQ(APSP_GPU, result.info().place) << what;
    EXPECT_EQ(gpu + 1, result.info().gpu) << what;
    expectRight(arrays, result, what);
    EXPECT_EQ(APSP_OK, apsp_result_matrix(result.get(), filled.data(), n, APSP_DEVICE));
    EXPECT_EQ(current, currentGpu()) << what;
  }
  options.method = APSP_AUTO;
  expectRight(arrays, libapsp::Graph::matrix(n, there.data()).setMemory(APSP_DEVICE).solve(options),
              what + ", a matrix there");
  expectRight(arrays, libapsp::Plan(viewOfEdges(arrays), options).solve(viewOfEdges(arrays)),
              what + ", a plan");
  EXPECT_EQ(APSP_OK,
            apsp_solve_matrix(n, libapsp::typeOf<T>(), solved.data(), APSP_DEVICE, &options));
  EXPECT_EQ(current, currentGpu()) << what;
  options.gpu = 0;  // the distances that were written there are those of a graph of their own
  options.place = APSP_CPU;
  const auto distances = viewOfEdges(arrays).solve(options).template matrix<T>();
  makeCurrent(gpu);
  for (const OnGpu<T>* const each : {&solved, &filled})
    EXPECT_EQ(distances, libapsp::Graph::matrix(n, each->data())
                             .setMemory(APSP_DEVICE)
                             .solve(options)
                             .template matrix<T>())
        << what;
  makeCurrent(current);
}

}  // namespace

TEST(Api, ArraysInDeviceMemory) {
  if (!hasGpu()) {
    libapsp::Graph graph = viewOfEdges(randomArrays(3, 3, 1));
    EXPECT_EQ(APSP_NO_DEVICE, statusOf([&] { graph.setMemory(APSP_DEVICE); }));
    GTEST_SKIP() << "no GPU";
  }
  for (const int n : {1, 2, 5, 130, 300, 1000})
    for (const apsp_place place : {APSP_CPU, APSP_GPU}) {
      const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(n) + 1);
      const std::string what = "n = " + std::to_string(n);
      expectRightInDeviceMemory(arrays, place, what);
      expectRightInDeviceMemory(inUnits(arrays, 0.5F), place, what + ", float");
      expectRightInDeviceMemory(inUnits(arrays, std::int64_t{1}), place, what + ", int64");
      expectRightInDeviceMemory(inUnits(arrays, 0.5), place, what + ", double");
      const apsp_place anywhere = place == APSP_GPU ? APSP_ANYWHERE : place;
      expectRightInDeviceMemory(wideArrays(arrays, kWide), anywhere, what + ", int64, wide");
      expectRightInDeviceMemory(wideArrays(arrays, 0.1), anywhere, what + ", double, rounded");
    }
}

/// With options.gpu, another GPU than the current one solves, which is current again afterwards.
TEST(Api, AGpuByItsNumber) {
  const Arrays arrays = randomArrays(300, 1200, 5);
  libapsp::Options options;
  EXPECT_EQ(0, options.gpu);
  options.gpu = countGpus() + 1;
  std::string said, why = "no GPU: there is none with the number " + std::to_string(countGpus());
  const auto solve = [&] { viewOfEdges(arrays).solve(options); };
  EXPECT_EQ(APSP_NO_DEVICE, statusOf(solve, &said));
  if (countGpus() == 0) {  // it says why there is none
    libapsp::Options any;
    any.place = APSP_GPU;
    EXPECT_EQ(APSP_NO_DEVICE, statusOf([&] { viewOfEdges(arrays).solve(any); }, &why));
  }
  EXPECT_EQ(why, said);
  options.gpu = -1;
  EXPECT_EQ(APSP_INVALID, statusOf(solve));
  options.gpu = 1;
  options.ranks = 2;
  EXPECT_EQ(APSP_UNSUPPORTED, statusOf(solve));
  options.ranks = 0;
  options.place = APSP_CPU;
  EXPECT_EQ(APSP_UNSUPPORTED, statusOf(solve));
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  const int gpus = std::min(2, countGpus());
  for (int current = 0; current < gpus; ++current)
    for (int gpu = 0; gpu < gpus; ++gpu) {
      makeCurrent(current);
      expectRightOnGpu(arrays, gpu);
      expectRightOnGpu(inUnits(arrays, 0.5F), gpu);
      expectRightOnGpu(inUnits(randomArrays(2000, 8000, 6), std::int64_t{1}), gpu);
      EXPECT_EQ(current, currentGpu());
    }
  makeCurrent(0);
}

TEST(Api, MemoryOfAnotherGpuIsRefused) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  if (countGpus() < 2) GTEST_SKIP() << "needs two GPUs";
  makeCurrent(1);
  const OnGpu<std::int32_t> there(std::vector<std::int32_t>{0, 1, 2, 0});
  makeCurrent(0);
  std::string said;
  const auto refused = [&](const std::function<void()>& solve) {
    EXPECT_EQ(APSP_INVALID, statusOf(solve, &said));
    EXPECT_NE(std::string::npos, said.find("in the memory of GPU 1, and GPU 0")) << said;
  };
  refused([&] { libapsp::solveMatrix(2, there.data(), APSP_DEVICE); });
  refused([&] { libapsp::Graph::matrix(2, there.data()).setMemory(APSP_DEVICE).solve(); });
  apsp_graph* list = nullptr;
  ASSERT_EQ(APSP_OK, apsp_graph_edges(3, 2, there.data(), there.data() + 1, APSP_INT32,
                                      there.data() + 2, &list));
  refused(
      [graph = std::make_shared<libapsp::Graph>(list)] { graph->setMemory(APSP_DEVICE).solve(); });
}

/// Weights that int32 does not hold are solved in their own type.
TEST(Api, WideWeightsOnTheGpu) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  const Arrays arrays = randomArrays(300, 1200, 3);
  const auto whole = wideArrays(arrays, kWide);
  const auto real = wideArrays(arrays, 0.1);
  expectRight(whole, viewOfEdges(whole).solve(), "int64");
  expectRight(real, viewOfEdges(real).solve(), "double");
  expectRight(whole, libapsp::Plan(viewOfEdges(whole)).solve(viewOfEdges(whole)), "a plan");
  const ArraysOf<std::int64_t> narrow = inUnits(arrays, std::int64_t{1});
  expectRight(whole, libapsp::Plan(viewOfEdges(narrow)).solve(viewOfEdges(whole)), "a narrow plan");
  libapsp::Options options;
  options.place = APSP_GPU;
  expectRight(whole, viewOfEdges(whole).solve(options), "int64 on the GPU");
  expectRight(real, viewOfEdges(real).solve(options), "double on the GPU");
}

TEST(Api, AWrongElementInDeviceMemoryIsNamed) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  std::vector<std::int32_t> matrix(100 * 100, 7);
  matrix[100 * 41 + 41] = -5;  // on the diagonal
  matrix[100 * 41 + 42] = -6;
  matrix[100 * 77 + 1] = -7;
  const OnGpu<std::int32_t> there(matrix);
  for (const apsp_place place : {APSP_CPU, APSP_GPU}) {
    libapsp::Options options;
    options.place = place;
    std::string said;
    EXPECT_EQ(APSP_INVALID,
              statusOf(
                  [&] {
                    libapsp::Graph::matrix(100, there.data()).setMemory(APSP_DEVICE).solve(options);
                  },
                  &said));
    EXPECT_EQ(0u, said.find("matrix[41][42] is -6")) << said;
  }
  std::vector<float> floats(9, -0.0f);
  floats[1] = std::numeric_limits<float>::infinity();
  floats[5] = 2.5f;
  const OnGpu<float> real(floats);
  EXPECT_EQ((std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 0}),
            libapsp::Graph::matrix(3, real.data()).setMemory(APSP_DEVICE).solve().matrix<float>());
  floats[2] = std::numeric_limits<float>::quiet_NaN();
  const OnGpu<float> wrong(floats);
  EXPECT_EQ(APSP_INVALID, statusOf([&] {
              libapsp::Graph::matrix(3, wrong.data()).setMemory(APSP_DEVICE).solve();
            }));
}

TEST(Api, WithoutAGpuItSaysSo) {
  char name[4] = "???";
  const apsp_status status = apsp_gpu(name, sizeof name);
  if (status == APSP_OK) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(APSP_NO_DEVICE, status);
  EXPECT_EQ(0, std::strncmp("no GPU: ", apsp_last_error(), 8));
  libapsp::Options options;
  options.place = APSP_GPU;
  const Arrays arrays = randomArrays(3, 3, 1);
  const libapsp::Graph graph = viewOfEdges(arrays);
  EXPECT_EQ(APSP_NO_DEVICE, statusOf([&] { graph.solve(options); }));
  options = onCpu();
  const libapsp::Plan plan(graph, options);
  options.stream = &options;
  EXPECT_EQ(APSP_NO_DEVICE, statusOf([&] { graph.solve(options); }));
  options.place = APSP_ANYWHERE;
  EXPECT_EQ(APSP_NO_DEVICE, statusOf([&] { plan.solve(graph, options); }));
}

/// An edge of that weight, and one that follows it.
template <class T>
std::vector<T> matrixOfAPath(int n, T first, T second) {
  std::vector<T> matrix(static_cast<std::size_t>(n) * n, none<T>());
  for (int i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i) * n + i] = 0;
  matrix[1] = first;
  matrix[static_cast<std::size_t>(n) + 2] = second;
  return matrix;
}

template <class T>
void expectLeftAsItWas(T first, T second) {
  for (const int n : {3, 70, 300})
    for (const apsp_method method : {APSP_AUTO, APSP_DENSE, APSP_FILTERED}) {
      const std::vector<T> weights = matrixOfAPath<T>(n, first, second);
      std::vector<T> matrix = weights;
      const libapsp::Options options = onCpu(method);
      EXPECT_EQ(APSP_INEXACT,
                apsp_solve_matrix(n, libapsp::typeOf<T>(), matrix.data(), APSP_HOST, &options))
          << n << " " << method;
      EXPECT_EQ(weights, matrix);
      matrix = matrixOfAPath<T>(n, first, T{0});
      EXPECT_EQ(APSP_OK,
                apsp_solve_matrix(n, libapsp::typeOf<T>(), matrix.data(), APSP_HOST, &options))
          << n << " " << method;
      EXPECT_EQ(first, matrix[2]);
    }
}

TEST(Api, AMatrixWithADistanceThatIsTooLargeIsLeftAsItWas) {
  expectLeftAsItWas<std::int32_t>(APSP_INFINITY - 1, 1);
  expectLeftAsItWas<std::int64_t>(APSP_INFINITY64 - 1, 1);
  expectLeftAsItWas<float>(3e38f, 3e38f);
  expectLeftAsItWas<double>(1.7e308, 1e308);
}

/// A solve of a matrix in the GPU's memory.
template <class T>
apsp_status solveThere(int n, const OnGpu<T>& matrix, apsp_method method = APSP_AUTO) {
  libapsp::Options options;
  options.method = method;
  return apsp_solve_matrix(n, libapsp::typeOf<T>(), matrix.data(), APSP_DEVICE, &options);
}

template <class T>
void expectInexactThere(T first, T second) {
  for (const int n : {3, 70, 300, 2500})
    for (const apsp_method method : {APSP_AUTO, APSP_DENSE, APSP_FILTERED, APSP_SPARSE}) {
      const OnGpu<T> tooFar(matrixOfAPath<T>(n, first, second));
      EXPECT_EQ(APSP_INEXACT, solveThere(n, tooFar, method)) << n << " " << method;
      const std::string said = apsp_last_error();
      EXPECT_EQ(0u, said.find("0 -> 2 is reachable only over a distance of ")) << said;
      const OnGpu<T> near(matrixOfAPath<T>(n, first, T{0}));
      EXPECT_EQ(APSP_OK, solveThere(n, near, method)) << n << " " << method << apsp_last_error();
      EXPECT_EQ(first, libapsp::Graph::matrix(n, near.data())
                           .setMemory(APSP_DEVICE)
                           .solve(onCpu())
                           .template rows<T>(0, 1)[2]);
    }
}

TEST(Api, ADistanceThatIsTooLargeInDeviceMemoryIsAnError) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  expectInexactThere<std::int32_t>(APSP_INFINITY - 1, 1);
  expectInexactThere<std::int64_t>(APSP_INFINITY64 - 1, 1);
  expectInexactThere<float>(3e38f, 3e38f);
  expectInexactThere<double>(1.7e308, 1e308);
  int refused = 0, solved = 0;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const int n = 20 + static_cast<int>(seed) * 7;  // with and without words that are full
    const std::vector<std::int32_t> matrix =
        matrixOf(randomArrays(n, n * static_cast<int>(1 + seed % 3), seed, APSP_INFINITY / 6));
    std::vector<std::int32_t> here = matrix;
    const libapsp::Options options = onCpu();
    const apsp_status right = apsp_solve_matrix(n, APSP_INT32, here.data(), APSP_HOST, &options);
    const OnGpu<std::int32_t> there(matrix);
    EXPECT_EQ(right, solveThere(n, there)) << seed << " " << apsp_last_error();
    ++(right == APSP_OK ? solved : refused);
  }
  EXPECT_GT(refused, 5);
  EXPECT_GT(solved, 5);
}

template <class T>
void expectRightOnGpuOfAFew(const ArraysOf<T>& arrays, const std::string& what) {
  libapsp::Options options;
  options.place = APSP_GPU;
  const libapsp::Graph graph = viewOfEdges(arrays);
  const libapsp::Plan plan(graph, options);
  for (int times = 0; times < 3; ++times) {
    const libapsp::Result result = graph.solve(options), planned = plan.solve(graph);
    expectRight(arrays, result, what);
    expectRight(arrays, planned, what + ", a plan");
    EXPECT_TRUE(arrays.n > 64 || result.info().method == APSP_DENSE) << what;
    const void* distances = nullptr;
    apsp_memory where = APSP_HOST;
    const bool lent = apsp_result_borrow(result.get(), &distances, &where) == APSP_OK;
    EXPECT_EQ(lent ? APSP_DEVICE : APSP_HOST, where) << what;
  }
  options.method = APSP_DENSE;
  expectRight(arrays, graph.solve(options), what + ", dense");
  options.negative = 1;
  expectRight(arrays, graph.solve(options), what + ", negative");
}

/// Up to 64 vertices, one launch solves them.
TEST(Api, AFewVerticesOnTheGpu) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  for (const int n : {2, 9, 33, 63, 64, 65}) {
    const Arrays arrays = randomArrays(n, 3 * n, static_cast<std::uint32_t>(n) + 1);
    const std::string what = "n = " + std::to_string(n);
    expectRightOnGpuOfAFew(arrays, what);
    expectRightOnGpuOfAFew(inUnits(arrays, 0.5F), what + ", float");
    expectRightOnGpuOfAFew(inUnits(arrays, std::int64_t{1}), what + ", int64");
    expectRightOnGpuOfAFew(wideArrays(arrays, kWide), what + ", int64, wide");
    expectRightOnGpuOfAFew(wideArrays(arrays, 0.1), what + ", double, rounded");
  }
}

/// Distances of a few vertices are in host memory until somebody asks for them in the GPU's.
TEST(Api, AFewVerticesInBothMemories) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  const BusyStream stream(false);
  for (const int n : {1, 2, 33, 64}) {
    const Arrays arrays = randomArrays(n, 3 * n, static_cast<std::uint32_t>(n) + 1);
    const std::string what = "n = " + std::to_string(n);
    libapsp::Options options;
    options.place = APSP_GPU;
    const libapsp::Result result = viewOfEdges(arrays).solve(options);
    const std::vector<std::int32_t> found = result.matrix<std::int32_t>();
    EXPECT_EQ(right(arrays), found) << what;
    const void* lent = nullptr;
    apsp_memory where = APSP_HOST;
    ASSERT_EQ(APSP_OK, apsp_result_borrow(result.get(), &lent, &where)) << what;
    EXPECT_EQ(APSP_DEVICE, where) << what;
    std::vector<std::int32_t> there(found.size());
    stream.read(there.data(), lent, there.size() * sizeof there[0]);
    EXPECT_EQ(found, there) << what;
    expectRight(arrays, result, what + ", lent");
    const void* again = nullptr;
    ASSERT_EQ(APSP_OK, apsp_result_borrow(result.get(), &again, &where)) << what;
    EXPECT_EQ(lent, again) << what;
  }
}

/// A thread has its own memory through which the GPU gets a few vertices.
TEST(Api, ThreadsSolveAFewVerticesOnTheGpu) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([number] {
      libapsp::Options options;
      options.place = APSP_GPU;
      for (int times = 0; times < 50; ++times) {
        const int n = 2 + (31 * number + 7 * times) % 63;
        const Arrays arrays = randomArrays(n, 3 * n, static_cast<std::uint32_t>(times) + 1);
        expectRight(arrays, viewOfEdges(arrays).solve(options),
                    "n = " + std::to_string(n) + ", thread " + std::to_string(number));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

/// Weights that the caller's stream has still to write, in the GPU's memory.
TEST(Api, AGraphOnAStream) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  for (const bool blocking : {false, true})
    for (const int n : {3, 64, 300}) {
      const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(n) + 1);
      const auto csr = csrOf<std::int64_t>(arrays);
      const auto matrix = matrixOf(arrays);
      const OnGpu<std::int64_t> offsets(csr.offsets);
      const OnGpu<std::int32_t> heads(csr.heads);
      const BusyStream busy(blocking);
      libapsp::Options options;
      options.stream = busy.stream();
      const std::string what = "n = " + std::to_string(n);
      // What was there before remains: to free it would wait for the stream.
      const auto later = [&](const std::vector<std::int32_t>& array) {
        return busy.copyLater(array.data(), array.size() * sizeof array[0]);
      };
      const auto graphOf = [&](const std::shared_ptr<void>& weights) {
        libapsp::Graph graph = libapsp::Graph::csr(n, offsets.data(), heads.data(),
                                                   static_cast<std::int32_t*>(weights.get()));
        graph.setMemory(APSP_DEVICE);
        return graph;
      };
      const std::shared_ptr<void> first = later(csr.weights);
      expectRight(arrays, graphOf(first).solve(options), what);
      const libapsp::Plan plan(graphOf(first));
      const std::shared_ptr<void> second = later(csr.weights);
      expectRight(arrays, plan.solve(graphOf(second), options), what + ", a plan");
      const std::shared_ptr<void> there = later(matrix);
      expectRight(arrays,
                  libapsp::Graph::matrix(n, static_cast<std::int32_t*>(there.get()))
                      .setMemory(APSP_DEVICE)
                      .solve(options),
                  what + ", a matrix");
    }
}

/// The memory of the distances is written by work that the caller's stream has still to do. They
/// come after it, with a column to the right that stays as it is.
template <class T>
void expectInOrder(const ArraysOf<T>& arrays, const libapsp::Options& options,
                   const BusyStream& busy, const std::string& what) {
  const auto n = static_cast<std::size_t>(arrays.n), stride = n + 1;
  const libapsp::Result result = viewOfEdges(arrays).solve(options);
  std::vector<T> found(n * stride, -7), expected = found;
  const std::vector<T> distances = right(arrays);
  for (std::size_t i = 0; i < n; ++i)
    std::copy_n(distances.begin() + static_cast<std::ptrdiff_t>(i * n), n,
                expected.begin() + static_cast<std::ptrdiff_t>(i * stride));
  const std::size_t bytes = found.size() * sizeof found[0];
  const std::shared_ptr<void> there = busy.copyLater(found.data(), bytes);
  result.copyTo(static_cast<T*>(there.get()), static_cast<std::ptrdiff_t>(stride), APSP_DEVICE);
  busy.read(found.data(), there.get(), bytes);
  expectSame(expected, found, what);
}

TEST(Api, DistancesOnAStream) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  for (const bool blocking : {false, true})
    for (const int n : {3, 64, 300, 2000})
      for (const apsp_place place : {APSP_CPU, APSP_GPU}) {
        const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(n) + 1);
        const BusyStream busy(blocking);
        libapsp::Options options;
        options.place = place;
        options.stream = busy.stream();
        const std::string what = "n = " + std::to_string(n) + ", place " + std::to_string(place);
        expectInOrder(arrays, options, busy, what);
        expectInOrder(wideArrays(arrays, kWide), options, busy, what + ", wide");
        expectInOrder(inUnits(arrays, std::int64_t{1}), options, busy, what + ", int64");
      }
}

/// The matrix is written by work that the caller's stream has still to do.
TEST(Api, StreamsOfBothKinds) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  for (const bool blocking : {false, true})
    for (const int n : {3, 64, 300, 2000})
      for (const apsp_method method : kMethods) {
        const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(n) + 1);
        std::vector<std::int32_t> matrix = matrixOf(arrays);
        const std::size_t bytes = matrix.size() * sizeof matrix[0];
        const BusyStream busy(blocking);
        const std::shared_ptr<void> there = busy.copyLater(matrix.data(), bytes);
        libapsp::Options options;
        options.method = method;
        options.stream = busy.stream();
        libapsp::solveMatrix(n, static_cast<std::int32_t*>(there.get()), APSP_DEVICE, options);
        busy.read(matrix.data(), there.get(), bytes);
        matrix.pop_back();
        EXPECT_EQ(right(arrays), matrix) << n << " " << method << " " << blocking;
      }
}

/// Each has a stream and a matrix of its own.
TEST(Api, ThreadsSolveOnStreamsOfTheirOwn) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([number] {
      for (const int n : {40, 300, 1800}) {
        const Arrays arrays = randomArrays(n, 4 * n, static_cast<std::uint32_t>(10 * n + number));
        std::vector<std::int32_t> matrix = matrixOf(arrays);
        const std::size_t bytes = matrix.size() * sizeof matrix[0];
        const BusyStream busy(number % 2 == 0);
        const std::shared_ptr<void> there = busy.copyLater(matrix.data(), bytes);
        libapsp::Options options;
        options.stream = busy.stream();
        libapsp::solveMatrix(n, static_cast<std::int32_t*>(there.get()), APSP_DEVICE, options);
        busy.read(matrix.data(), there.get(), bytes);
        matrix.pop_back();
        EXPECT_EQ(right(arrays), matrix) << n << ", thread " << number;
        expectRight(arrays, viewOfEdges(arrays).solve(), "edges, thread " + std::to_string(number));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Api, MemoryOfTheGpuIsGivenBack) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  const Arrays few = randomArrays(50, 200, 1), many = randomArrays(3000, 12'000, 2);
  const auto matrix = matrixOf(many);
  const OnGpu<std::int32_t> there(matrix);
  libapsp::Options options;
  options.place = APSP_GPU;
  const auto solveAll = [&] {
    for (const apsp_method method : kMethods) {
      options.method = method;
      viewOfEdges(few).solve(options);
      viewOfEdges(many).solve(options).matrix<std::int32_t>();
      libapsp::Graph::matrix(many.n, there.data()).setMemory(APSP_DEVICE).solve(options);
    }
  };
  solveAll();
  const std::size_t before = gpuBytesHeld();
  std::size_t least = ~std::size_t{0};  // what others hold may go again, what is lost does not
  for (int times = 0; times < 8; ++times) {
    solveAll();  // the matrices of four times: 1 GB
    least = times < 4 ? least : std::min(least, gpuBytesHeld());
  }
  EXPECT_LT(least, before + (std::size_t{200} << 20));
}

/// Whether it is cancelled in time or not, the next solve is right.
TEST(Api, ASolveOnTheGpuIsCancelled) {
  if (!hasGpu()) GTEST_SKIP() << "no GPU";
  const Arrays arrays = randomArrays(3000, 12'000, 3);
  for (const apsp_method method : kMethods) {
    libapsp::Options options;
    options.place = APSP_GPU;
    options.method = method;
    int left = 0;  // calls of the callback before it cancels
    options.progress_user = &left;
    options.progress = [](void* user, const char*, double) {
      return (*static_cast<int*>(user))-- == 0 ? 1 : 0;
    };
    EXPECT_EQ(APSP_CANCELLED, statusOf([&] { viewOfEdges(arrays).solve(options); })) << method;
    left = 1;
    const apsp_status status = statusOf([&] { viewOfEdges(arrays).solve(options); });
    EXPECT_TRUE(status == APSP_CANCELLED || status == APSP_OK) << status;
    options.progress = nullptr;
    expectRight(arrays, viewOfEdges(arrays).solve(options), "after a cancelled solve");
  }
}

TEST(Api, MoreThreadsThanCanBeMadeAreNotAskedFor) {
  for (const int threads : {40'000, 100'000, INT_MAX}) {
    libapsp::Options options = onCpu();
    options.threads = threads;
    EXPECT_EQ(APSP_OK, statusOf([&] { viewOfEdges(randomArrays(300, 3000, 1)).solve(options); }));
  }
}

namespace {

/// Streets of a town, both ways, of random lengths: the sparse method takes a large core of it.
template <class T>
ArraysOf<T> townOf(int side) {
  ArraysOf<T> town{side * side, {}, {}, {}};
  std::mt19937 random(1);
  const auto street = [&](int a, int b) {
    const T length = static_cast<T>(random() % 100000) / T(7.3);
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      town.tails.push_back(from);
      town.heads.push_back(to);
      town.weights.push_back(length);
    }
  };
  for (int i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) street(i, i + 1);
    if (i + side < side * side) street(i, i + side);
  }
  return town;
}

template <class T>
void expectSameBitsOfAnyThreads(int side) {
  const ArraysOf<T> town = townOf<T>(side);
  const libapsp::Graph graph = viewOfEdges(town);
  const std::vector<std::int32_t> sources = {7, 0, side * side - 1, 99};
  const double bound = 2.0 * (town.n - 1) * std::numeric_limits<T>::epsilon() / 2;
  const auto exact = graph.solve(onCpu(APSP_DENSE)).template matrix<T>();
  for (const bool all : {true, false})
    for (const apsp_method method : kMethods) {
      std::vector<T> first;
      for (const int threads : {1, 2, 3, 16}) {
        libapsp::Options options = onCpu(method);
        options.threads = threads;
        if (!all) options.setSources(sources);
        const auto found = graph.solve(options).template matrix<T>();
        if (first.empty()) first = found;
        const auto n = static_cast<std::size_t>(town.n);
        for (std::size_t i = 0; i < found.size(); ++i) {
          const std::size_t row = all ? i / n : static_cast<std::size_t>(sources[i / n]);
          const double distance = exact[row * n + i % n];
          ASSERT_NEAR(distance, found[i], bound * distance) << method << " " << threads;
        }
        if (method == APSP_AUTO) continue;
        ASSERT_EQ(first, found) << "method " << method << ", " << threads << " threads";
      }
    }
}

}  // namespace

TEST(Api, ThreadsDoNotChangeBitsOfRealDistances) {
  expectSameBitsOfAnyThreads<float>(25);
  expectSameBitsOfAnyThreads<double>(25);
}

/// Servers solve, and then fork their workers. OpenMP of GNU waits there for threads that only the
/// parent has.
TEST(Api, AProcessThatWasForkedSolvesToo) {
  const Arrays arrays = randomArrays(300, 3000, 1);
  const libapsp::Graph graph = viewOfEdges(arrays);
  for (const apsp_method method : {APSP_DENSE, APSP_FILTERED, APSP_SPARSE}) {
    libapsp::Options options = onCpu(method);
    options.threads = 2;
    const auto solved = [&] { return graph.solve(options).rows<std::int32_t>(0, 300); };
    const std::vector<std::int32_t> before = solved();
    const pid_t child = fork();
    if (child == 0) _exit(solved() == before ? 0 : 1);
    int status = -1;
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status) << method;
    EXPECT_EQ(before, solved());
  }
}

TEST(Api, ASolveIsCancelled) {
  const Arrays arrays = randomArrays(3000, 300000, 5), few = randomArrays(2, 1, 5);
  for (const apsp_method method : {APSP_DENSE, APSP_FILTERED, APSP_SPARSE}) {
    libapsp::Options options = onCpu(method);
    std::atomic<int> calls{0};
    options.progress_user = &calls;
    options.progress = [](void* user, const char*, double) {  // it goes on at the first call
      return ++*static_cast<std::atomic<int>*>(user) > 1 ? 1 : 0;
    };
    const apsp_status status = statusOf([&] { viewOfEdges(arrays).solve(options); });
    if (status == APSP_OK) continue;  // there was no time for a second call
    EXPECT_EQ(APSP_CANCELLED, status);
    EXPECT_EQ(2, calls);
  }
  // Of short solves, the first call decides: so a loop of them can be ended.
  libapsp::Options never = onCpu();
  never.progress = [](void*, const char*, double) { return 1; };
  EXPECT_EQ(APSP_CANCELLED, statusOf([&] { viewOfEdges(few).solve(never); }));
  EXPECT_EQ(APSP_CANCELLED, statusOf([&] { libapsp::Plan(viewOfEdges(few), never); }));
  std::vector<float> matrix = {0, 2, 1, 0};
  EXPECT_EQ(APSP_CANCELLED, apsp_solve_matrix(2, APSP_FLOAT32, matrix.data(), APSP_HOST, &never));
  EXPECT_EQ(APSP_OK, statusOf([&] {
              viewOfEdges(randomArrays(300, 3000, 1)).solve(onCpu());
            }));  // as if nothing were
}

template <class... Arrays>
using CsrOf = decltype(libapsp::Graph::csr(std::declval<Arrays>()...));
template <class... Arrays>
using EdgesOf = decltype(libapsp::Graph::edges(3, std::declval<Arrays>()...));
template <class Vector>
using SourcesOf = decltype(std::declval<libapsp::Options&>().setSources(std::declval<Vector>()));

template <template <class...> class Call, class Enabled, class... Arrays>
struct Compiles : std::false_type {};
template <template <class...> class Call, class... Arrays>
struct Compiles<Call, std::void_t<Call<Arrays...>>, Arrays...> : std::true_type {};

TEST(Api, ViewsOfTemporariesDoNotCompile) {
  using Temporary = std::vector<std::int32_t>;
  using Kept = const Temporary&;
  EXPECT_TRUE((Compiles<CsrOf, void, Kept, Kept, Kept>::value));
  EXPECT_TRUE((Compiles<CsrOf, void, Temporary&, Kept>::value));
  EXPECT_FALSE((Compiles<CsrOf, void, Temporary, Kept, Kept>::value));
  EXPECT_FALSE((Compiles<CsrOf, void, Kept, Kept, Temporary>::value));
  EXPECT_FALSE((Compiles<CsrOf, void, Kept, Temporary>::value));
  EXPECT_TRUE((Compiles<EdgesOf, void, Kept, Kept, Temporary&>::value));
  EXPECT_FALSE((Compiles<EdgesOf, void, Kept, Kept, Temporary>::value));
  EXPECT_TRUE((Compiles<SourcesOf, void, Kept>::value));
  EXPECT_FALSE((Compiles<SourcesOf, void, Temporary>::value));
}

/// Whatever the vector held before.
TEST(Api, NoSourcesOrTargetsAreAnError) {
  std::vector<std::int32_t> none, used = {1};
  used.clear();
  for (const auto* const empty : {&none, &used}) {
    libapsp::Options options;
    EXPECT_EQ(APSP_INVALID, statusOf([&] { options.setSources(*empty); }));
    EXPECT_EQ(APSP_INVALID, statusOf([&] { options.setTargets(*empty); }));
  }
}

TEST(Api, ThreadsSolveTheSameGraphAtTheSameTime) {
  const Arrays arrays = randomArrays(200, 1000, 6);
  const libapsp::Graph graph = viewOfEdges(arrays);
  const auto expected = graph.solve(onCpu()).matrix<int>();
  const libapsp::Result shared = graph.solve(onCpu());
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

TEST(Api, ABatchIsSolvedInPlace) {
  std::vector<double> matrices = {0, 2, 9, 0, 0, .5, 3, 0};
  libapsp::solveBatch(2, 2, matrices.data(), APSP_HOST, onCpu());
  EXPECT_EQ((std::vector<double>{0, 2, 9, 0, 0, .5, 3, 0}), matrices);
  std::vector<std::int32_t> chain = {0, 1, 9, 9, 0, 1, 9, 9, 0};
  libapsp::solveBatch(1, 3, chain.data());
  EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2, 9, 0, 1, 9, 9, 0}), chain);
  std::string what;
  EXPECT_EQ(APSP_INVALID, statusOf([&] { libapsp::solveBatch<float>(1, 0, nullptr); }, &what));
  EXPECT_EQ("n is below 1", what);
}

/// The rows are so many that threads copy some of them each.
TEST(Api, SmallAnswersOfManyRowsAreCopied) {
  const int n = 4000, limit = 40;
  std::vector<std::int32_t> tails, heads, weights(n, 1);
  for (int v = 0; v < n; ++v) {  // a ring
    tails.push_back(v);
    heads.push_back((v + 1) % n);
  }
  const auto near =
      libapsp::within<int>(libapsp::Graph::edges(n, tails, heads, weights), limit, onCpu());
  for (int v = 0; v < n; ++v) {
    ASSERT_EQ(std::int64_t{v} * limit, near.offsets[static_cast<std::size_t>(v)]);
    std::vector<std::pair<int, int>> right, found;
    for (int d = 1; d <= limit; ++d) {
      const auto e = static_cast<std::size_t>(v * limit + d - 1);
      right.emplace_back((v + d) % n, d);
      found.emplace_back(near.columns[e], near.distances[e]);
    }
    std::sort(right.begin(), right.end());
    ASSERT_EQ(right, found) << v;
  }
  EXPECT_EQ(std::int64_t{n} * limit, near.offsets.back());
}

TEST(Api, SmallAnswersAreThoseOfAllDistances) {
  const Arrays a = randomArrays(60, 200, 17, 30);
  std::vector<std::int32_t> weights = a.weights;
  for (std::int32_t& weight : weights) weight += 1;  // betweenness takes none of 0
  const libapsp::Graph graph = libapsp::Graph::edges(a.n, a.tails, a.heads, weights);
  const std::vector<int> all = graph.solve(onCpu()).matrix<int>();
  const auto at = [&](int i, int j) { return all[static_cast<std::size_t>(i * a.n + j)]; };

  const auto near = libapsp::within<int>(graph, 25, onCpu());
  const auto few = libapsp::nearest<int>(graph, 3, onCpu());
  for (int i = 0; i < a.n; ++i) {
    std::vector<std::pair<int, int>> right;
    for (int j = 0; j < a.n; ++j)
      if (j != i && at(i, j) < kInf) right.emplace_back(at(i, j), j);
    std::vector<int> columns, nearest;
    for (const auto& [distance, j] : right)
      if (distance <= 25) columns.push_back(j);
    std::sort(right.begin(), right.end());
    right.resize(std::min<std::size_t>(3, right.size()));
    for (const auto& pair : right) nearest.push_back(pair.second);
    const auto row = [&](const auto& rows) {
      const auto from = static_cast<std::size_t>(i);
      return std::vector<int>(rows.columns.begin() + rows.offsets[from],
                              rows.columns.begin() + rows.offsets[from + 1]);
    };
    ASSERT_EQ(columns, row(near));
    ASSERT_EQ(nearest, row(few));
    for (auto e = near.offsets[static_cast<std::size_t>(i)];
         e < near.offsets[static_cast<std::size_t>(i) + 1]; ++e)
      ASSERT_EQ(at(i, near.columns[static_cast<std::size_t>(e)]),
                near.distances[static_cast<std::size_t>(e)]);
  }

  int diameter = 0;
  for (const int distance : all)
    if (distance < kInf) diameter = std::max(diameter, distance);
  const libapsp::Extremes found = libapsp::extremes(graph, onCpu());
  EXPECT_EQ(diameter, found.diameter);
  EXPECT_EQ(diameter, at(found.from, found.to));
  std::vector<std::int32_t> periphery, center;
  for (int i = 0; i < a.n; ++i) {
    int far = 0;
    bool reachesAll = true;
    for (int j = 0; j < a.n; ++j) {
      if (at(i, j) < kInf) far = std::max(far, at(i, j));
      reachesAll = reachesAll && at(i, j) < kInf;
    }
    if (far == diameter) periphery.push_back(i);
    if (reachesAll && far == found.radius) center.push_back(i);
  }
  EXPECT_EQ(periphery, found.periphery);
  EXPECT_EQ(center, found.center);

  const libapsp::Pairs pairs(graph, onCpu());
  for (int i = 0; i < a.n; i += 7)
    for (int j = 0; j < a.n; ++j) ASSERT_EQ(at(i, j), pairs.distance<int>(i, j));

  std::vector<double> between(60);
  ASSERT_EQ(APSP_OK, apsp_betweenness(graph.get(), 0, 0, 0, nullptr, between.data()));
  EXPECT_GT(*std::max_element(between.begin(), between.end()), 0);
  EXPECT_EQ(60, graph.n());
  EXPECT_EQ(between, libapsp::betweenness(graph));
}

namespace {

/// Streets in both directions between the places of a square, each with a weight from 1 to `most`,
/// and two places without streets.
Arrays squareOfStreets(int side, int most, std::uint32_t seed) {
  std::mt19937 random(seed);
  Arrays arrays{side * side + 2, {}, {}, {}};
  const auto add = [&](int from, int to) {
    arrays.tails.push_back(from);
    arrays.heads.push_back(to);
    arrays.weights.push_back(static_cast<int>(random() % static_cast<std::uint32_t>(most)) + 1);
  };
  for (int v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) add(v, v + 1), add(v + 1, v);
    if (v / side + 1 < side) add(v, v + side), add(v + side, v);
  }
  return arrays;
}

/// Of many pairs, also of a vertex and itself: each path leads along edges, and is as long as the
/// distance. Sums of weights are exact in T.
template <class T>
void expectPaths(const ArraysOf<T>& arrays, const libapsp::Pairs& pairs) {
  const std::vector<T> distances = right(arrays), weights = matrixOf(arrays);
  const auto at = [&](const std::vector<T>& matrix, int i, int j) {
    return matrix[static_cast<std::size_t>(i) * static_cast<std::size_t>(arrays.n) +
                  static_cast<std::size_t>(j)];
  };
  for (int from = 0; from < arrays.n; from += 1 + arrays.n / 30)
    for (int to = 0; to < arrays.n; to += 1 + arrays.n / 60) {
      const std::vector<std::int32_t> path = pairs.path(from, to);
      const T distance = at(distances, from, to);
      ASSERT_EQ(distance == none<T>(), path.empty()) << from << " to " << to;
      if (path.empty()) continue;
      ASSERT_EQ(from, path.front());
      ASSERT_EQ(to, path.back());
      ASSERT_EQ(path.size(), std::set<int>(path.begin(), path.end()).size()) << "a vertex twice";
      T length = 0;
      for (std::size_t k = 1; k < path.size(); ++k) {
        const T weight = at(weights, path[k - 1], path[k]);
        ASSERT_NE(none<T>(), weight) << "no edge from " << path[k - 1] << " to " << path[k];
        length += weight;
      }
      ASSERT_EQ(distance, length) << from << " to " << to;
      ASSERT_EQ(distance, pairs.distance<T>(from, to));
    }
}

template <class T>
void expectPathsOf(const ArraysOf<T>& arrays) {
  const libapsp::Graph graph = viewOfEdges(arrays);
  expectPaths(arrays, libapsp::Pairs(graph, onCpu()));
  expectPaths(arrays, libapsp::Pairs::forPaths(graph, onCpu()));
}

}  // namespace

TEST(Api, PathsOfPairsAreShortest) {
  for (const Arrays& arrays :
       {squareOfStreets(20, 100, 1), squareOfStreets(20, 1, 2), randomArrays(300, 900, 3),
        randomArrays(60, 100, 4), randomArrays(1, 2, 5)}) {
    expectPathsOf(arrays);
    expectPathsOf(inUnits(arrays, 1.F));
    expectPathsOf(inUnits(arrays, 0.5));
    expectPathsOf(inUnits(arrays, kWide));
    const auto matrix = matrixOf(arrays);
    expectPaths(arrays,
                libapsp::Pairs::forPaths(libapsp::Graph::matrix(arrays.n, matrix.data()), onCpu()));
  }
}

/// Of many paths that are as short, a climb of the hierarchy finds others than a search.
TEST(Api, PairsArePreparedForPaths) {
  const Arrays streets = squareOfStreets(20, 1, 6);
  const libapsp::Graph graph = viewOfEdges(streets);
  const libapsp::Pairs searched(graph, onCpu()), climbed = libapsp::Pairs::forPaths(graph, onCpu());
  int same = 0;
  for (int to = 0; to < 400; ++to) same += searched.path(0, to) == climbed.path(0, to) ? 1 : 0;
  EXPECT_LT(same, 400);
}

TEST(Api, APathOfAPairFitsItsRoom) {
  constexpr int n = 1000;  // more than the C++ interface has room for at first
  std::vector<std::int32_t> tails(n - 1), heads(n - 1);
  std::iota(tails.begin(), tails.end(), 0);
  std::iota(heads.begin(), heads.end(), 1);
  const std::vector<std::int32_t> weights(n - 1, 1 << 29);
  const libapsp::Graph graph = libapsp::Graph::edges(n, tails, heads, weights);
  const libapsp::Pairs pairs = libapsp::Pairs::forPaths(graph, onCpu());
  for (const int length : {0, 1, 2, 254, 255, 256, 257, n - 1}) {
    std::vector<std::int32_t> right(static_cast<std::size_t>(length) + 1);
    std::iota(right.begin(), right.end(), n - 1 - length);
    EXPECT_EQ(right, pairs.path(n - 1 - length, n - 1));
  }
  EXPECT_EQ(APSP_INEXACT, statusOf([&] { pairs.distance<std::int32_t>(0, 2); })) << "but a path";

  std::vector<std::int32_t> some = {-7, -7, -7};
  std::size_t count = 0;
  EXPECT_EQ(APSP_OK, apsp_pairs_path(pairs.get(), 3, 9, some.data(), 2, &count));
  EXPECT_EQ(7U, count);
  EXPECT_EQ((std::vector<std::int32_t>{3, 4, -7}), some);
  EXPECT_EQ(APSP_OK, apsp_pairs_path(pairs.get(), 3, 4, some.data(), 3, &count));
  EXPECT_EQ(2U, count);
  EXPECT_EQ((std::vector<std::int32_t>{3, 4, -7}), some);
  EXPECT_EQ(APSP_OK, apsp_pairs_path(pairs.get(), 9, 3, some.data(), 3, &count));
  EXPECT_EQ(0U, count);
  EXPECT_EQ((std::vector<std::int32_t>{3, 4, -7}), some);
  EXPECT_EQ(APSP_OK, apsp_pairs_path(pairs.get(), 5, 5, nullptr, 0, &count));
  EXPECT_EQ(1U, count);
}

TEST(Api, PathsOfPairsRefuseWhatIsNoQuestion) {
  const Arrays arrays = randomArrays(9, 30, 18);
  const libapsp::Graph graph = viewOfEdges(arrays);
  const libapsp::Pairs pairs = libapsp::Pairs::forPaths(graph, onCpu());
  std::vector<std::int32_t> vertices = {-7, -7};
  std::size_t count = 77;
  const auto refused = [&](apsp_status status, const char* why) {
    EXPECT_EQ(APSP_INVALID, status) << why;
    EXPECT_STREQ(why, apsp_last_error());
    EXPECT_EQ((std::vector<std::int32_t>{-7, -7}), vertices);
    EXPECT_EQ(77U, count);
  };
  const auto path = [&](int from, int to) {
    return apsp_pairs_path(pairs.get(), from, to, vertices.data(), 2, &count);
  };
  refused(path(0, 9), "from 0 to 9: vertices are 0 to 8");
  refused(path(9, 0), "from 9 to 0: vertices are 0 to 8");
  refused(path(-1, 0), "from -1 to 0: vertices are 0 to 8");
  refused(path(0, -1), "from 0 to -1: vertices are 0 to 8");
  refused(apsp_pairs_path(pairs.get(), 0, 1, vertices.data(), 2, nullptr), "count is NULL");
  refused(apsp_pairs_path(pairs.get(), 0, 1, nullptr, 2, &count),
          "vertices is NULL, and room is not 0");
  refused(apsp_pairs_make_for_paths(graph.get(), nullptr, nullptr), "pairs is NULL");

  apsp_pairs* made = nullptr;
  EXPECT_EQ(APSP_INVALID, apsp_pairs_make_for_paths(nullptr, nullptr, &made));
  EXPECT_STREQ("graph is NULL", apsp_last_error());
  libapsp::Options options = onCpu();
  options.size = 0;
  EXPECT_EQ(APSP_INVALID, apsp_pairs_make_for_paths(graph.get(), &options, &made));
  options = onCpu();
  options.negative = 1;
  EXPECT_EQ(APSP_UNSUPPORTED, apsp_pairs_make_for_paths(graph.get(), &options, &made));
  options = onCpu();
  options.progress = [](void*, const char*, double) { return 1; };
  EXPECT_EQ(APSP_CANCELLED, apsp_pairs_make_for_paths(graph.get(), &options, &made));
  EXPECT_EQ(nullptr, made);

  const std::vector<std::int32_t> tails = {0, 1}, heads = {1, 2};
  const std::vector<float> far = {3e38F, 3e38F};
  const libapsp::Graph large = libapsp::Graph::edges(3, tails, heads, far);
  const libapsp::Pairs ofLarge = libapsp::Pairs::forPaths(large, onCpu());
  EXPECT_EQ(2U, ofLarge.path(0, 1).size());
  EXPECT_EQ(APSP_INEXACT, apsp_pairs_path(ofLarge.get(), 0, 2, vertices.data(), 2, &count));
  EXPECT_EQ(77U, count);
}

/// One that is cancelled late, when all is prepared, leaves nothing behind either.
TEST(Api, PreparingForPairsIsCancelled) {
  const Arrays streets = squareOfStreets(60, 100, 7);
  const libapsp::Graph graph = viewOfEdges(streets);
  for (const auto make : {apsp_pairs_make, apsp_pairs_make_for_paths})
    for (int calls = 1; calls <= 3; ++calls) {
      libapsp::Options options = onCpu();
      std::atomic<int> left{calls};
      options.progress_user = &left;
      options.progress = [](void* user, const char*, double) {
        return --*static_cast<std::atomic<int>*>(user) <= 0 ? 1 : 0;
      };
      apsp_pairs* pairs = nullptr;
      const apsp_status status = make(graph.get(), &options, &pairs);
      EXPECT_TRUE(status == APSP_CANCELLED || (status == APSP_OK && calls > 1)) << status;
      EXPECT_EQ(status == APSP_OK, pairs != nullptr) << calls;
      apsp_pairs_free(pairs);
    }
}

TEST(Api, TheNearestUpToALimitAreThoseWithin) {
  const Arrays a = randomArrays(60, 200, 21, 30);
  const libapsp::Graph graph = libapsp::Graph::edges(a.n, a.tails, a.heads, a.weights);
  const auto within = libapsp::within<int>(graph, 12.5, onCpu());
  const auto some = libapsp::nearest<int>(graph, 60, 12.5, onCpu());
  const auto all = libapsp::nearest<int>(graph, 60, onCpu());
  const auto pairsOf = [](const auto& rows) {
    std::set<std::tuple<std::size_t, int, int>> pairs;  // of a row, its columns and distances
    for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i)
      for (auto at = static_cast<std::size_t>(rows.offsets[i]);
           at < static_cast<std::size_t>(rows.offsets[i + 1]); ++at)
        pairs.emplace(i, rows.columns[at], rows.distances[at]);
    return pairs;
  };
  EXPECT_EQ(pairsOf(within), pairsOf(some));
  EXPECT_LT(some.columns.size(), all.columns.size());
  for (const int distance : some.distances) EXPECT_LE(distance, 12);
}

TEST(Api, SamplesOfBetweennessKeepAnError) {
  const Arrays a = randomArrays(60, 200, 22, 30);
  std::vector<std::int32_t> weights = a.weights;
  for (std::int32_t& weight : weights) weight += 1;
  const libapsp::Graph graph = libapsp::Graph::edges(a.n, a.tails, a.heads, weights);
  EXPECT_EQ(15, libapsp::betweennessSamples(graph, 0.5));  // ln(20 * 60) / (2 * (0.5 * 59 / 60)²)
  EXPECT_EQ(60, libapsp::betweennessSamples(graph, 0.01));
  const std::size_t edges = libapsp::edgeBetweenness(graph).edges.columns.size();
  const double off = 0.5 * 59 / 60;
  const double most = std::log(20.0 * static_cast<double>(edges)) / (2 * off * off);
  EXPECT_EQ(static_cast<int>(std::ceil(most)), libapsp::betweennessSamples(graph, 0.5, true));

  const std::vector<double> right = libapsp::betweenness(graph);
  EXPECT_EQ(right, libapsp::betweenness(graph, false, 60, 7));
  const std::vector<double> about =
      libapsp::betweenness(graph, false, libapsp::betweennessSamples(graph, 0.3), 7);
  EXPECT_NE(right, about);
  const double all = std::accumulate(right.begin(), right.end(), 0.0);
  EXPECT_NEAR(all, std::accumulate(about.begin(), about.end(), 0.0), 0.2 * all);

  std::string what;
  for (const double error : {0.0, -1.0, std::nan("")}) {
    EXPECT_EQ(APSP_INVALID, statusOf([&] { libapsp::betweennessSamples(graph, error); }, &what));
    EXPECT_EQ("error is no number above 0", what);
  }
  EXPECT_EQ(APSP_INVALID, apsp_betweenness_samples(graph.get(), 1, 0, nullptr));
  EXPECT_STREQ("samples is NULL", apsp_last_error());
  EXPECT_EQ(APSP_INVALID, apsp_graph_size(graph.get(), nullptr));
  EXPECT_STREQ("n is NULL", apsp_last_error());
}

TEST(Api, PathsThroughVerticesLeadAlongEdges) {
  const Arrays a = randomArrays(60, 200, 19, 30);
  std::vector<std::int32_t> weights = a.weights;
  for (std::int32_t& weight : weights) weight = weight % 4 + 1;  // many paths are as short
  const libapsp::Graph graph = libapsp::Graph::edges(a.n, a.tails, a.heads, weights);
  std::vector<double> between(60);
  ASSERT_EQ(APSP_OK, apsp_betweenness(graph.get(), 0, 0, 0, nullptr, between.data()));
  const libapsp::EdgeBetweenness found = libapsp::edgeBetweenness(graph);
  EXPECT_FALSE(found.undirected);
  ASSERT_EQ(61U, found.edges.offsets.size());

  // Whatever begins in a vertex or leads through it leaves it, and so does what ends there.
  std::vector<double> leaving(60), entering(60);
  for (int u = 0; u < 60; ++u)
    for (auto e = found.edges.offsets[static_cast<std::size_t>(u)];
         e < found.edges.offsets[static_cast<std::size_t>(u) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      leaving[static_cast<std::size_t>(u)] += found.edges.distances[at];
      entering[static_cast<std::size_t>(found.edges.columns[at])] += found.edges.distances[at];
    }
  const std::vector<int> all = graph.solve(onCpu()).matrix<int>();
  for (int v = 0; v < 60; ++v) {
    double begin = 0, end = 0;
    for (int other = 0; other < 60; ++other) {
      begin += other != v && all[static_cast<std::size_t>(v * 60 + other)] < kInf;
      end += other != v && all[static_cast<std::size_t>(other * 60 + v)] < kInf;
    }
    EXPECT_NEAR(between[static_cast<std::size_t>(v)] + begin, leaving[static_cast<std::size_t>(v)],
                1e-9);
    EXPECT_NEAR(between[static_cast<std::size_t>(v)] + end, entering[static_cast<std::size_t>(v)],
                1e-9);
  }
}

TEST(Api, BetweennessOfEdgesIsASparseMatrix) {
  // 0 - 1 - 2, where 1 also has a loop, and 1 - 2 is there twice, heavier.
  const std::vector<std::int32_t> tails = {1, 0, 2, 1, 1, 1, 2}, heads = {0, 1, 1, 2, 1, 2, 1};
  const std::vector<float> weights = {2, 2, 3, 3, 1, 9, 9};
  const libapsp::Graph graph = libapsp::Graph::edges(3, tails, heads, weights);
  for (const bool directed : {false, true}) {
    const libapsp::EdgeBetweenness found = libapsp::edgeBetweenness(graph, directed);
    EXPECT_EQ(!directed, found.undirected);
    EXPECT_EQ((std::vector<std::int64_t>{0, 1, 3, 4}), found.edges.offsets);
    EXPECT_EQ((std::vector<std::int32_t>{1, 0, 2, 1}), found.edges.columns);
    EXPECT_EQ((std::vector<double>{2, 2, 2, 2}), found.edges.distances);
  }
}

TEST(Api, BetweennessRefusesWhatIsNoQuestion) {
  const std::vector<std::int32_t> tails = {0, 1}, heads = {1, 2};
  const std::vector<double> weights = {1, 0};
  const libapsp::Graph graph = libapsp::Graph::edges(3, tails, heads, weights);
  std::string what;
  EXPECT_EQ(APSP_INVALID, statusOf([&] { libapsp::edgeBetweenness(graph); }, &what));
  EXPECT_EQ(0U, what.find("betweenness takes real weights above 0, and the edge from 1 to 2"));
  EXPECT_EQ(APSP_INVALID, statusOf([&] { libapsp::edgeBetweenness(graph, false, -1); }, &what));
  EXPECT_EQ("samples is negative: it is 0 for all vertices", what);
  libapsp::Options some;
  const std::vector<std::int32_t> sources = {1};
  some.setSources(sources);
  EXPECT_EQ(APSP_UNSUPPORTED,
            statusOf([&] { libapsp::edgeBetweenness(graph, false, 0, 0, some); }, &what));
  EXPECT_EQ("betweenness is that of all vertices: leave sources and targets", what);
  EXPECT_EQ(APSP_INVALID, apsp_edge_betweenness(graph.get(), 0, 0, 0, nullptr, nullptr, nullptr));
  EXPECT_STREQ("edges is NULL", apsp_last_error());
  EXPECT_EQ(APSP_INVALID, apsp_betweenness(graph.get(), 0, 0, 0, nullptr, nullptr));
  EXPECT_STREQ("vertices is NULL", apsp_last_error());
}

TEST(Api, SmallAnswersRefuseWhatIsNoQuestion) {
  const Arrays a = randomArrays(9, 30, 18);
  const libapsp::Graph graph = libapsp::Graph::edges(a.n, a.tails, a.heads, a.weights);
  std::string what;
  EXPECT_EQ(APSP_INVALID, statusOf([&] { libapsp::within<int>(graph, -1); }, &what));
  EXPECT_EQ("the limit of distances is -1: it is a number from 0 on", what);
  EXPECT_EQ(APSP_INVALID, statusOf([&] { libapsp::nearest<int>(graph, 10); }, &what));
  EXPECT_EQ("the nearest 10 of 9 targets are asked for: the number is from 0 to 9", what);
  libapsp::Options negative;
  negative.negative = 1;
  EXPECT_EQ(APSP_UNSUPPORTED, statusOf([&] { libapsp::extremes(graph, negative); }, &what));
  EXPECT_EQ("this takes no negative weights: leave options.negative, or solve", what);
  const libapsp::Pairs pairs(graph);
  EXPECT_EQ(APSP_INVALID, statusOf([&] { pairs.distance<int>(0, 9); }, &what));
  EXPECT_EQ("pair 0 is from 0 to 9: vertices are 0 to 8", what);
}
