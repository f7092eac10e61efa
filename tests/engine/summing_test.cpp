// Sums of rows and columns: those of matrices, and those that are added up while rows are solved.
// The oracle adds them up one by one, in numbers that hold all sums exactly, or in long doubles.
#include "solver/summing.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "devices.h"
#include "generate/generate.h"
#include "seed.h"
#include "solver/solver.h"
#include "solver/summarise_gpu.h"
#include "sparse/relaxation.h"
#include "threads.h"

namespace {

const std::uint32_t kFresh = testSeed();

/// A table of distances in host memory, of which some rows are given at a time.
template <class T>
class TableOf : public Distances {
 public:
  TableOf(int n, const Selection* asked, const std::vector<T>& elements, int together)
      : Distances(n, kDtype<T>, asked), elements_(elements), together_(together) {}
  void rows(int begin, int end, const RowVisitor& visit) const override {
    for (int first = begin; first < end; first += together_)
      visit(first, std::min(together_, end - first),
            ConstElements(elements_.data()) + asSize(first) * asSize(columns()));
  }

 private:
  const std::vector<T>& elements_;
  const int together_;
};

template <class T>
using Exact = std::conditional_t<std::is_integral_v<T>, __int128, long double>;

/// What a row or a column comes to.
template <class T>
struct Plain {
  int count = 0;
  T largest = 0;
  Exact<T> sum = 0;
  long double harmonic = 0, sizes = 0;  // sizes: the sums of the absolute values

  void add(T distance) {
    if (distance == kInfinity<T>) return;
    largest = count++ == 0 ? distance : std::max(largest, distance);
    sum += static_cast<Exact<T>>(distance);
    sizes += std::abs(static_cast<long double>(distance));
    if (distance != 0) harmonic += 1 / static_cast<long double>(distance);
  }
  void expectSum(double got, const std::string& where) const {
    if (std::is_integral_v<T>)
      EXPECT_EQ(static_cast<double>(sum), got) << where;
    else
      EXPECT_NEAR(static_cast<double>(sum), got, static_cast<double>(1e-13L * sizes)) << where;
  }
};

/// Of 1/d the largest relative error; reciprocals below 0 may cancel others.
constexpr double kHarmonicError = 1e-12;

template <class T>
void expectSums(const Distances& shape, const std::vector<T>& elements, const Summaries& got,
                const std::string& where) {
  const int rows = shape.rowCount(), columns = shape.columns();
  std::vector<Plain<T>> ofRows(asSize(rows)), ofColumns(asSize(columns));
  long double magnitude = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      if (shape.source(i) == shape.target(j)) continue;
      const T distance = elements[asSize(i) * asSize(columns) + asSize(j)];
      ofRows[asSize(i)].add(distance);
      ofColumns[asSize(j)].add(distance);
      if (distance != 0 && distance != kInfinity<T>)
        magnitude = std::max(magnitude, 1 / std::abs(static_cast<long double>(distance)));
    }
  ASSERT_EQ(ofRows.size(), got.rows.size());
  ASSERT_EQ(ofColumns.size(), got.columns.size());
  const auto expectHarmonic = [&](long double expected, double sum) {
    const auto most = static_cast<double>(std::max(std::abs(expected), magnitude));
    EXPECT_NEAR(static_cast<double>(expected), sum, kHarmonicError * most) << where;
  };
  Exact<T> total = 0;
  long double sizes = 0;
  for (std::size_t i = 0; i < ofRows.size(); ++i) {
    EXPECT_EQ(ofRows[i].count, got.rows[i].reachable) << where << ", row " << i;
    EXPECT_EQ(Number(ofRows[i].largest), got.rows[i].largest) << where << ", row " << i;
    ofRows[i].expectSum(got.rows[i].sum, where);
    expectHarmonic(ofRows[i].harmonic, got.rows[i].harmonic);
    total += ofRows[i].sum;
    sizes += ofRows[i].sizes;
  }
  for (std::size_t j = 0; j < ofColumns.size(); ++j) {
    EXPECT_EQ(ofColumns[j].count, got.columns[j].reaching) << where << ", column " << j;
    ofColumns[j].expectSum(got.columns[j].sum, where);
    expectHarmonic(ofColumns[j].harmonic, got.columns[j].harmonic);
  }
  if constexpr (std::is_integral_v<T>)
    EXPECT_TRUE(total == got.total.whole && got.total.real == 0) << where;
  else
    EXPECT_NEAR(static_cast<double>(total), got.total.value(), static_cast<double>(1e-13L * sizes));
}

/// What the distances of a case are like.
enum class Like { kPlain, kFew, kZeros, kNegative, kLarge, kAll };

template <class T>
T distanceLike(Like like, std::mt19937_64& random) {
  const auto small = static_cast<T>(random() % 100000 + 1);
  const auto rare = [&](std::uint64_t in) { return random() % in == 0; };
  const bool all = like == Like::kAll;
  if ((like == Like::kFew && !rare(5)) || (all && rare(50))) return kInfinity<T>;
  if ((like == Like::kZeros || all) && rare(9)) return 0;
  if ((like == Like::kNegative || all) && rare(2)) return -small;
  if (like != Like::kLarge && !(all && rare(3))) return small;
  constexpr int kMost = sizeof(T) == 8 ? 400 : 120;  // the product of eight doubles overflows
  if constexpr (std::is_integral_v<T>)
    return kInfinity<T> - 1 - static_cast<T>(random() % 1000);
  else
    return static_cast<T>(std::ldexp(1 + static_cast<double>(random() % 1000) / 1000,
                                     static_cast<int>(random() % (2 * kMost)) - kMost));
}

template <class T>
std::vector<T> elementsLike(Like like, const Distances& shape, std::mt19937_64& random) {
  std::vector<T> elements;
  for (int i = 0; i < shape.rowCount(); ++i) {
    const bool alone = like == Like::kFew && i % 3 == 0;
    for (int j = 0; j < shape.columns(); ++j)
      elements.push_back(shape.source(i) == shape.target(j) ? T(0)
                         : alone                            ? kInfinity<T>
                                                            : distanceLike<T>(like, random));
  }
  return elements;
}

/// Some vertices of n, some of them twice.
std::vector<int> someOf(int n, int count, std::mt19937_64& random) {
  std::vector<int> vertices;
  for (int i = 0; i < count; ++i)
    vertices.push_back(i % 4 == 3 ? vertices.front() : static_cast<int>(random() % asSize(n)));
  return vertices;
}

TEST(Summing, AddsUpWhatPlainLoopsAddUp) {
  std::mt19937_64 random(kFresh);
  for (const Dtype dtype : kDtypes)
    for (const Like like :
         {Like::kPlain, Like::kFew, Like::kZeros, Like::kNegative, Like::kLarge, Like::kAll})
      for (const int n : {1, 2, 3, 9, 40, 131, 600})
        for (const bool table : {false, true})
          withType(dtype, [&](auto zero) {
            using T = decltype(zero);
            const Selection asked = {someOf(n, 21, random), someOf(n, 70, random)};
            std::vector<T> elements;
            const TableOf<T> distances(n, table ? &asked : nullptr, elements, n % 2 == 0 ? 7 : n);
            elements = elementsLike<T>(like, distances, random);
            expectSums(distances, elements, summariesOf(distances),
                       std::string(nameOf(dtype)) + " like " +
                           std::to_string(static_cast<int>(like)) + ", n " + std::to_string(n) +
                           (table ? ", table" : "") + ", seed " + std::to_string(kFresh));
          });
}

/// Consecutive vertices.
std::vector<int> follow(int first, int count) {
  std::vector<int> vertices(asSize(count));
  std::iota(vertices.begin(), vertices.end(), first);
  return vertices;
}

class GpuSumming : public OnGpu<> {};

/// All rows at once, whole rows and whole columns, some at a time. The hashes are those of the
/// elements in host memory.
TEST_F(GpuSumming, AddsUpWhatPlainLoopsAddUp) {
  std::mt19937_64 random(kFresh);
  const int kFirst = 3;
  for (const Dtype dtype : kDtypes)
    for (const Like like :
         {Like::kPlain, Like::kFew, Like::kZeros, Like::kNegative, Like::kLarge, Like::kAll})
      for (const int n : {1, 2, 9, 131, 700, 2500})
        for (const char* const shape : {"all", "rows", "columns"})
          withType(dtype, [&](auto zero) {
            using T = decltype(zero);
            if (n <= kFirst && shape != std::string("all")) return;
            Selection asked;
            if (shape == std::string("rows")) asked.sources = follow(kFirst, n / 2);
            if (shape == std::string("columns")) asked.targets = follow(kFirst, n / 2);
            std::vector<T> elements;
            const TableOf<T> distances(n, asked.all() ? nullptr : &asked, elements, n);
            elements = elementsLike<T>(like, distances, random);
            const std::string where =
                std::string(nameOf(dtype)) + " like " + std::to_string(static_cast<int>(like)) +
                ", n " + std::to_string(n) + ", " + shape + ", seed " + std::to_string(kFresh);
            const int rows = distances.rowCount(), together = asked.all() ? rows : rows / 3 + 1;
            const DeviceElements there(*gpu_, dtype, elements.size());
            upload(*gpu_, there.data(), elements);
            const std::unique_ptr<Summing> sums = summingOnGpu(distances, true);
            for (int first = 0; first < rows; first += together)
              sums->add(first, std::min(together, rows - first),
                        there.data() + asSize(first) * asSize(distances.columns()));
            const Summaries found = sums->finish();
            expectSums(distances, elements, found, where);
            std::uint64_t hash = 0;
            for (const RowSummary& row : found.rows) hash += row.hash;
            EXPECT_EQ(graphStats(ConstElements(elements.data()), distances.source(0), rows,
                                 distances.target(0), distances.columns())
                          .hash,
                      hash)
                << where;
          });
}

/// A matrix in a GPU's memory is added up there.
TEST_F(GpuSumming, OfAMatrixItIsFound) {
  std::mt19937_64 random(kFresh);
  const int n = 300;
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) {
      using T = decltype(zero);
      const DeviceMatrix matrix(*gpu_, n, dtype);
      const WholeDistances whole(matrix);
      const std::vector<T> elements = elementsLike<T>(Like::kAll, whole, random);
      upload(*gpu_, matrix.data(), elements);
      ASSERT_TRUE(whole.sums().has_value());
      expectSums(whole, elements, summariesOf(whole), nameOf(dtype));
    });
}

TEST(Summing, GivesTheSameSumsWithAnyNumberOfThreads) {
  std::mt19937_64 random(kFresh);
  const int n = 700;
  std::vector<float> elements;
  const TableOf<float> distances(n, nullptr, elements, n);
  elements = elementsLike<float>(Like::kPlain, distances, random);
  const Summaries once = summariesOf(distances);
  const Threads two(2);
  for (int i = 0; i < 20; ++i) {
    const Summaries again = summariesOf(distances);
    for (std::size_t j = 0; j < asSize(n); ++j) {
      EXPECT_EQ(once.columns[j].sum, again.columns[j].sum);
      EXPECT_EQ(once.columns[j].harmonic, again.columns[j].harmonic);
      EXPECT_EQ(once.rows[j].sum, again.rows[j].sum);
    }
  }
}

/// Solves with summaries, and compares them with those of the rows that the run has then.
template <class T>
void expectRunSums(const Problem& problem, Execution where, bool sinks, const std::string& what) {
  where.summarises = Summarise::kAll;
  int taken = 0;
  if (sinks) where.sink = [&](int, int count, ConstElements) { taken += count; };
  const auto run = prepareAsked(findSolver("apsp", DeviceKind::kCpu), problem, where);
  run->reset();
  run->solve();
  const Distances& found = run->distances();
  const Summaries* const known = found.summaries();
  ASSERT_NE(nullptr, known) << what;
  const Summaries sums = *known;
  std::vector<T> elements;
  found.rows(0, found.rowCount(), [&](int, int count, ConstElements rows) {
    const T* const numbers = rows.as<T>();
    elements.insert(elements.end(), numbers, numbers + asSize(count) * asSize(found.columns()));
  });
  expectSums(found, elements, sums, what);
  const GraphStats all = statistics(found), reach = reachOf(found);
  EXPECT_EQ(all.edges, reach.edges) << what;
  EXPECT_EQ(textOf(all.maxWeight), textOf(reach.maxWeight)) << what;
}

TEST(Summing, AddsUpRowsWhileTheyAreSolved) {
  const Threads two(2);
  std::mt19937_64 random(kFresh);
  const int n = 1500;
  for (const Dtype dtype : kDtypes)
    for (const char* const family : {"grid", "star"})
      for (const bool table : {false, true})
        for (const bool room : {false, true})
          for (const bool sinks : {false, true}) {
            Spec spec = specOf(familyIndex(family), n, 1);
            spec.dtype = dtype;
            const ProblemGraph graph(generate(spec));
            const Selection asked = {someOf(n, n, random), someOf(n, n - 7, random)};
            const SmallDevice small(matrixBytes(n, dtype) - 1);
            Execution where{room ? static_cast<const Device&>(cpuDevice) : small};
            where.options.method = Method::kSparse;
            if (isWide(dtype) && !sinks) where.options.precision = Precision::k64;
            withType(dtype, [&](auto zero) {
              expectRunSums<decltype(zero)>(
                  {graph, table ? &asked : nullptr}, where, sinks,
                  std::string(nameOf(dtype)) + " " + family + (table ? ", table" : "") +
                      (room ? ", kept" : ", streamed") + (sinks ? ", with a sink" : ""));
            });
          }
}

/// Searches write the rows of a table, which are kept or not, and others add them up.
TEST(Summing, AddsUpRowsThatSearchesFind) {
  const Threads two(2);
  std::mt19937_64 random(kFresh);
  const int n = 1000, sources = 400;
  const SmallDevice small(std::size_t{3} << 19);
  for (const Dtype dtype : kDtypes)
    for (const bool sinks : {false, true}) {
      Spec spec = specOf(familyIndex("sparse"), n, 1);
      spec.dtype = dtype;
      spec.degree = 8;
      const ProblemGraph graph(generate(spec));
      const Selection asked = {someOf(n, sources, random), someOf(n, n - 7, random)};
      const Execution where{small};
      const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
      const Plan plan = solver.plan({graph, &asked}, where);
      EXPECT_EQ(Method::kSearch, plan.method);
      EXPECT_EQ(Destination::kStreamed, plan.place);
      withType(dtype, [&](auto zero) {
        expectRunSums<decltype(zero)>({graph, &asked}, where, sinks,
                                      std::string(nameOf(dtype)) + (sinks ? ", with a sink" : ""));
      });
    }
}

/// Relaxes along all edges with sums, from some sources to some targets.
template <class T>
void expectRelaxedSums(const Graph& graph, const Selection& asked, const std::string& what) {
  std::vector<T> elements(asked.sources.size() * asked.targets.size());
  const TableOf<T> shape(graph.n, &asked, elements, graph.n);
  const std::unique_ptr<Summing> sums = summingFor(shape);
  sparse::EdgeRelaxation relaxation(graph, asked.sources, asked.targets);
  ASSERT_TRUE(relaxation.solve(elements.data(), sums.get()));
  expectSums(shape, elements, sums->finish(), what);
}

/// The weights decide how many bits its sums are found in: some blocks take 16, others 32.
TEST(Summing, AddsUpRowsWhileEdgesAreRelaxed) {
  const Threads two(2);
  std::mt19937_64 random(kFresh);
  for (const Dtype dtype : kDtypes)
    for (const std::int64_t range : {20, 9000, 1000000}) {
      Spec spec = specOf(familyIndex("sparse"), 700, 1);
      spec.dtype = dtype;
      spec.range = range;
      const Graph graph = generate(spec);
      withType(dtype, [&](auto zero) {
        expectRelaxedSums<decltype(zero)>(
            graph, {someOf(700, 333, random), someOf(700, 601, random)},
            std::string(nameOf(dtype)) + ", range " + std::to_string(range));
      });
    }
}

}  // namespace
