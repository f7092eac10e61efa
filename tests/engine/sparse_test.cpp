// The sparse solver against the plain triple loop and Dijkstra's algorithm, bit for bit (real
// weights: within the tolerance), on graphs of all kinds; its phases one by one; and wrong results
// that verifying must find.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/clock.h"
#include "base/dtype.h"
#include "base/elements.h"
#include "base/graph.h"
#include "base/tolerance.h"
#include "costs.h"
#include "dense/plain_cpu.h"
#include "device/simd.h"
#include "devices.h"
#include "files.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "measure/session.h"
#include "measure/tables.h"
#include "paths/summary.h"
#include "plan/choice.h"
#include "seed.h"
#include "small_graphs.h"
#include "solver/costs.h"
#include "solver/gpu_rows.h"
#include "solver/options.h"
#include "solver/outcome.h"
#include "solver/solver.h"
#include "sparse/descent.h"
#include "sparse/elimination.h"
#include "sparse/hierarchy.h"
#include "sparse/order.h"
#include "sparse/prepared.h"
#include "sparse/rates.h"
#include "sparse/records.h"
#include "sparse/restrict.h"
#include "sparse/subtrees.h"
#include "threads.h"
#include "verify/bellman_arcs.h"
#include "verify/bellman_gpu.h"
#include "verify/dijkstra.h"
#include "verify/sums.h"
#include "verify/verify.h"

namespace {

using sparse::Elimination;
using sparse::Pattern;
using sparse::Survey;

const std::uint32_t kFresh = testSeed();

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

/// Kinds whose weights are at most 1000.
const std::size_t kLightKinds = 7;

/// Weights of type T that stand for whole numbers below kInf. Those of int64 need 64 bits unless
/// they are 0, and those of float64 all the digits that it has.
template <class T>
T weightFrom(std::int32_t number) {
  if constexpr (std::is_same_v<T, std::int64_t>)
    return number * ((std::int64_t{1} << 32) + 1);
  else if constexpr (std::is_same_v<T, double>)
    return number / 7.0;
  else
    return static_cast<T>(number);
}

/// Edges of a random graph of that kind. An undirected graph has equal weights in both directions,
/// some have only a few vertices that are joined, so there are several components. Parallel edges
/// and self-loops occur.
Edges<std::int32_t> edgesOf(const Kind& kind, int n, Rng& rng) {
  Edges<std::int32_t> edges;
  const int count = n < 2 ? 0 : uniform(rng, 0, kind.most * n);
  const bool local = uniform(rng, 0, 1) == 1;  // ends near each other: small separators
  for (int i = 0; i < count; ++i) {
    const int from = uniform(rng, 0, n - 1);
    const int to = local ? std::min(n - 1, from + uniform(rng, 0, 4)) : uniform(rng, 0, n - 1);
    if (from == to) continue;
    const std::int32_t weight = kind.weight(rng);
    edges.push_back({from, to, weight});
    if (kind.undirected || (local && uniform(rng, 0, 1) == 1)) edges.push_back({to, from, weight});
  }
  return edges;
}

/// The same with weights of another type, made of these.
template <class T, class Weight>
Graph weighted(int n, const Edges<std::int32_t>& edges, const Weight& weight) {
  Edges<T> all;
  all.reserve(edges.size());
  for (const auto& edge : edges) all.push_back({edge.from, edge.to, weight(edge.weight)});
  return fromEdges(n, std::move(all));
}

Graph graphOf(const Kind& kind, int n, Rng& rng, Dtype dtype) {
  const Edges<std::int32_t> edges = edgesOf(kind, n, rng);
  return withType(dtype, [&](auto zero) {
    using T = decltype(zero);
    return weighted<T>(n, edges, weightFrom<T>);
  });
}

template <class T>
std::vector<T> numbersIn(const Matrix& matrix) {
  const T* const begin = matrix.data().as<T>();
  return {begin, begin + matrix.size()};
}

template <class T = std::int32_t>
std::vector<T> solvedByRef(const Graph& graph) {
  std::vector<T> matrix(static_cast<std::size_t>(graph.n) * static_cast<std::size_t>(graph.n));
  writeMatrix(graph.n, graph.edges<T>(), matrix.data());
  apspScalar(graph.n, matrix.data());
  return matrix;
}

/// The distances of all pairs by Dijkstra's algorithm, which adds more exactly.
template <class T = std::int32_t>
std::vector<T> solvedByDijkstra(const Graph& graph) {
  const Dijkstra<SumOf<T>> oracle(graph);
  std::vector<T> all;
  for (int i = 0; i < graph.n; ++i)
    for (const auto distance : oracle.from(i)) all.push_back(nearestTo<T>(distance));
  return all;
}

const sparse::CoreSolver kPlain = [](int n, Elements matrix) { apspScalar(n, matrix); };

/// The survey of a graph with such a core, or one of as many vertices as pays if that is −1.
Survey surveyWithCore(const Graph& graph, int core) {
  Survey survey = sparse::surveyOf(graph.n, graph.ends(), {});
  if (core >= 0)
    survey.elimination =
        sparse::eliminate(survey.pattern, sparse::eliminationOrder(survey.pattern), core);
  return survey;
}

/// Solves with the vertices of such a core left, or as many as pay if that is −1.
template <class T = std::int32_t>
std::vector<T> solvedSparsely(const Graph& graph, int core, const std::string& simd = "",
                              int threads = 2) {
  const Survey survey = surveyWithCore(graph, core);
  Sweeping done;
  sparse::Prepared ready(survey, graph, {kPlain, threads, simd}, done);
  std::vector<T> rows(static_cast<std::size_t>(graph.n) * static_cast<std::size_t>(graph.n), T(-1));
  ready.sweep(0, graph.n, rows.data());
  EXPECT_EQ(survey.elimination.coreSize(), done.coreSize);
  return rows;
}

template <class T>
std::size_t differences(const std::vector<T>& got, const std::vector<T>& expected,
                        const Graph& graph) {
  const double allowed = tolerance(graph.n, graph.dtype(), 2);
  EXPECT_EQ(got.size(), expected.size());
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < got.size(); ++at) wrong += !agree(got[at], expected[at], allowed);
  return wrong;
}

/// Solves a graph with cores of several sizes, and compares the distances with those of the plain
/// loop and of Dijkstra's algorithm.
template <class T>
void expectRight(const Graph& graph, const std::string& what) {
  const std::vector<T> expected = solvedByRef<T>(graph);
  EXPECT_EQ(differences(expected, solvedByDijkstra<T>(graph), graph), 0u) << what;
  for (const int core : {-1, 0, graph.n / 3, graph.n})
    EXPECT_EQ(differences(solvedSparsely<T>(graph, core), expected, graph), 0u)
        << what << ", core " << core;
}

TEST(Sparse, SolvesRandomGraphsOfAllSizes) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds)
    for (const int n : {0, 1, 2, 3, 4, 5, 7, 15, 16, 17, 33, 63, 64, 65, 100, 129, 300})
      for (const Dtype dtype : kDtypes)
        withType(dtype, [&](auto zero) {
          expectRight<decltype(zero)>(
              graphOf(kind, n, rng, dtype),
              fmt::format("{} n={} {} seed {}", kind.name, n, nameOf(dtype), kFresh));
        });
}

/// Whole numbers around 2⁴⁰; doubles of any digits, very large ones, and those that are so small
/// that they have fewer digits.
TEST(Sparse, SolvesNumbersOfAllMagnitudes) {
  Rng rng(kFresh);
  std::uniform_real_distribution<double> any(0, 1000);
  for (std::size_t kind = 0; kind < kLightKinds; ++kind) {
    for (const int n : {2, 17, 64, 100, 200}) {
      const Edges<std::int32_t> edges = edgesOf(kKinds[kind], n, rng);
      const std::string what = fmt::format("{} n={} seed {}", kKinds[kind].name, n, kFresh);
      expectRight<std::int64_t>(
          weighted<std::int64_t>(n, edges,
                                 [](int number) { return (std::int64_t{1} << 40) - 500 + number; }),
          what);
      expectRight<double>(weighted<double>(n, edges, [&](int) { return any(rng); }), what);
      expectRight<double>(weighted<double>(n, edges, [](int number) { return number * 1e300; }),
                          what + " large");
      expectRight<double>(weighted<double>(n, edges, [](int number) { return number * 0x1p-1074; }),
                          what + " subnormal");
      expectRight<double>(
          weighted<double>(n, edges, [](int number) { return number % 2 == 0 ? 1e-310 : 1e300; }),
          what + " small and large");
    }
  }
}

TEST(Sparse, EveryInstructionSetFindsTheSameDistances) {
  Rng rng(kFresh);
  for (const char* simd : {"avx512", "avx2", "portable"}) {
    if (!hasSimd(simd)) continue;
    for (const int n : {3, 17, 64, 100, 131}) {
      for (const Dtype dtype : kDtypes)
        withType(dtype, [&](auto zero) {
          using T = decltype(zero);
          const Graph graph = graphOf(kKinds[6], n, rng, dtype);
          EXPECT_EQ(
              differences(solvedSparsely<T>(graph, n / 4, simd), solvedByRef<T>(graph), graph), 0u)
              << simd << " n=" << n << " " << nameOf(dtype) << " seed " << kFresh;
        });
    }
  }
  EXPECT_THROW(sparse::findSweep<std::int32_t>("none"), Error);
  EXPECT_THROW(sparse::findSweep<double>("none"), Error);
}

// ---- the GPU ------------------------------------------------------------------------------------

/// Records, and where those of each share begin, and the end.
struct Records {
  std::vector<sparse::Record<std::int32_t>> records;
  std::vector<int> shares;
};

/// What descentOf() lays out for a graph with such a core.
struct LaidOut {
  sparse::Swept<std::int32_t> graph;
  std::vector<std::uint32_t> vertex;  // of each position

  LaidOut(const Graph& all, int core) {
    const Survey survey = surveyWithCore(all, core);
    graph.position = survey.elimination.position;
    graph.parent = survey.elimination.parent;
    graph.positions = all.n;
    graph.core = survey.elimination.core;
    auto hierarchy = sparse::build(survey.pattern, survey.elimination, all.edges<std::int32_t>());
    sparse::customise(hierarchy, 1);
    apspScalar(hierarchy.coreSize(), hierarchy.between.data());
    graph.arcs = sparse::prune(hierarchy, 1);
    vertex = sparse::verticesOf(graph);
  }

  sparse::Descent descent(int shares) const {
    return sparse::descentOf(graph, graph.arcs.down, shares);
  }

  Records records(const sparse::Descent& descent, int places, int size, int threads) const {
    Records all;
    const auto room = [&](std::size_t count) {
      all.records.resize(count);
      return all.records.data();
    };
    all.shares = sparse::writeRecords<std::int32_t>(graph.arcs.down, vertex, descent,
                                                    {places, size}, room, threads);
    return all;
  }

  /// The arcs of a position: the vertices of their heads, and their weights.
  std::vector<std::pair<std::uint32_t, int>> arcsOf(int position) const {
    const sparse::SweepArcs<std::int32_t>& down = graph.arcs.down;
    const auto x = static_cast<std::size_t>(position);
    std::vector<std::pair<std::uint32_t, int>> arcs;
    for (std::uint32_t a = down.first[x]; a < down.first[x + 1]; ++a)
      arcs.emplace_back(vertex[down.arcs[a].head], down.arcs[a].weight);
    return arcs;
  }
};

TEST(Descent, EveryStepHasTheRowsOfItsArcs) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds) {
    for (const int n : {1, 2, 50, 700}) {
      const Graph graph = graphOf(kind, n, rng, Dtype::kInt32);
      for (const int core : {0, n / 3}) {
        const LaidOut laid(graph, core);
        const sparse::Swept<std::int32_t>& swept = laid.graph;
        const std::vector<std::uint32_t>& vertex = laid.vertex;
        for (const int shares : {1, 3, 16}) {
          const auto descent = laid.descent(shares);
          const auto places = static_cast<std::size_t>(descent.phases * shares) + 1;
          ASSERT_EQ(places, descent.shares.size());
          ASSERT_EQ(static_cast<std::size_t>(swept.core), descent.positions.size());
          std::vector<int> writer(static_cast<std::size_t>(n), -1);  // the share of each vertex
          for (int x = swept.core; x < n; ++x) writer[vertex[static_cast<std::size_t>(x)]] = -2;
          for (int share = 0; share < descent.phases * shares; ++share) {
            for (int i = descent.shares[static_cast<std::size_t>(share)];
                 i < descent.shares[static_cast<std::size_t>(share) + 1]; ++i) {
              const int position = descent.positions[static_cast<std::size_t>(i)];
              int& own = writer[vertex[static_cast<std::size_t>(position)]];
              EXPECT_EQ(-1, own) << "every vertex has one step";
              own = share;
              for (const auto& [head, weight] : laid.arcsOf(position)) {
                const int from = writer[head];
                EXPECT_TRUE(from == -2 || from == share ||
                            (from >= 0 && from / shares < share / shares))
                    << kind.name << " n=" << n << " shares " << shares << " seed " << kFresh;
              }
            }
          }
        }
      }
    }
  }
}

TEST(Descent, TheVerticesBelowOneAreARangeOfPositions) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds) {
    for (const int n : {1, 2, 50, 200}) {
      const LaidOut laid(graphOf(kind, n, rng, Dtype::kInt32), n / 5);
      const std::vector<int>& parent = laid.graph.parent;
      const int core = laid.graph.core;
      const sparse::Descent descent = laid.descent(3);
      ASSERT_EQ(static_cast<std::size_t>(core), descent.lowest.size());
      for (int y = 0; y < core; ++y) {
        int above = y;  // y and its ancestors, one after the other
        for (int x = y; x < core; ++x) {
          const bool below = descent.lowest[static_cast<std::size_t>(x)] <= y;
          EXPECT_EQ(x == above, below) << kind.name << " n=" << n << " seed " << kFresh;
          if (x == above) above = parent[static_cast<std::size_t>(x)];
        }
      }
    }
  }
}

/// The arcs that a warp follows along the records of a share, step by step, and how many rows it
/// reads from memory.
struct Followed {
  std::vector<std::vector<std::pair<std::uint32_t, int>>> arcs;  // head and weight
  std::vector<std::uint32_t> vertices;
  std::set<std::uint32_t> readBack, marked;  // rows read from memory, and rows marked so
  std::size_t reads = 0;
};

Followed follow(const Records& all, std::size_t share, int places, int size) {
  Followed result;
  std::vector<std::int64_t> held(static_cast<std::size_t>(places) + 1, -1);  // vertices
  const auto place = [&](std::uint32_t bytes) -> std::int64_t& {
    EXPECT_EQ(0u, bytes % static_cast<std::uint32_t>(size));
    return held.at(bytes / static_cast<std::uint32_t>(size));
  };
  result.arcs.emplace_back();
  for (int r = all.shares[share]; r < all.shares[share + 1]; ++r) {
    const sparse::Record<std::int32_t>& record = all.records[static_cast<std::size_t>(r)];
    std::int64_t rows[2];
    for (int k = 0; k < 2; ++k) {
      const bool fromMemory = (record.flags & sparse::kFromMemory << k) != 0;
      if (fromMemory) {
        ++result.reads;
        result.readBack.insert(record.from[k]);
      }
      rows[k] = fromMemory ? record.from[k] : place(record.from[k]);
      if (record.weight[k] == kInf) continue;
      EXPECT_GE(rows[k], 0) << "the place holds a row";
      result.arcs.back().emplace_back(static_cast<std::uint32_t>(rows[k]), record.weight[k]);
    }
    for (int k = 0; k < 2; ++k)
      if ((record.flags & sparse::kFromMemory << k) != 0)
        held.at(record.flags >> (sparse::kPlaceShift + k * sparse::kPlaceBits) &
                sparse::kPlaceMask) = rows[k];
    if ((record.flags & sparse::kLast) == 0) continue;
    place(record.keep) = record.vertex;
    if ((record.flags & sparse::kReadBack) != 0) result.marked.insert(record.vertex);
    result.vertices.push_back(record.vertex);
    result.arcs.emplace_back();
  }
  return result;
}

/// Compares the records with the descent. Returns how many rows are read from memory.
std::size_t readsFromMemory(const LaidOut& laid, const sparse::Descent& descent, int places) {
  constexpr int kSize = 128;
  const auto all = laid.records(descent, places, kSize, 2);
  std::size_t reads = 0;
  std::set<std::uint32_t> readBack, marked, written;
  for (std::size_t share = 0; share + 1 < descent.shares.size(); ++share) {
    EXPECT_EQ(0, (all.shares[share + 1] - all.shares[share]) % sparse::kReadAhead);
    const Followed followed = follow(all, share, places, kSize);
    reads += followed.reads;
    readBack.insert(followed.readBack.begin(), followed.readBack.end());
    marked.insert(followed.marked.begin(), followed.marked.end());
    written.insert(followed.vertices.begin(), followed.vertices.end());
    const int begin = descent.shares[share];
    EXPECT_EQ(static_cast<std::size_t>(descent.shares[share + 1] - begin),
              followed.vertices.size());
    for (std::size_t s = 0; s < followed.vertices.size(); ++s) {
      const int position = descent.positions[static_cast<std::size_t>(begin) + s];
      EXPECT_EQ(laid.vertex[static_cast<std::size_t>(position)], followed.vertices[s]);
      EXPECT_EQ(laid.arcsOf(position), followed.arcs[s]);
    }
  }
  for (const std::uint32_t vertex : written)
    EXPECT_EQ(readBack.count(vertex), marked.count(vertex)) << "vertex " << vertex;
  return reads;
}

TEST(Descent, RecordsFollowTheSameArcsWithAnyNumberOfPlaces) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds) {
    for (const int n : {1, 50, 700}) {
      const LaidOut laid(graphOf(kind, n, rng, Dtype::kInt32), n / 5);
      for (const int shares : {1, 5}) {
        const sparse::Descent descent = laid.descent(shares);
        const std::size_t arcs = laid.graph.arcs.down.arcs.size();
        std::size_t before = arcs + 1;
        for (const int places : {0, 1, 3, 14, sparse::kMostPlaces}) {
          SCOPED_TRACE(fmt::format("{} n={} shares {} places {} seed {}", kind.name, n, shares,
                                   places, kFresh));
          const std::size_t reads = readsFromMemory(laid, descent, places);
          EXPECT_LE(reads, before);
          if (places == 0) {
            EXPECT_EQ(arcs, reads);
          }
          before = reads;
        }
      }
    }
  }
}

/// For some rows, the way down passes these and what they need, each after what it needs itself.
TEST(Descent, PassesOnlyWhatSomeRowsNeed) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds) {
    for (const int n : {1, 2, 50, 700}) {
      const LaidOut laid(graphOf(kind, n, rng, Dtype::kInt32), n / 5);
      const int core = laid.graph.core;
      for (const int wanted : {1, 1 + n / 10, n}) {
        std::vector<int> positions;
        for (int i = 0; i < wanted; ++i) positions.push_back(uniform(rng, 0, n - 1));
        const auto needed = sparse::neededFor(laid.graph, laid.graph.arcs.down, positions);
        ASSERT_EQ(static_cast<std::size_t>(n), needed.size());
        for (const int shares : {1, 3, 16}) {
          SCOPED_TRACE(fmt::format("{} n={} wanted {} shares {} seed {}", kind.name, n, wanted,
                                   shares, kFresh));
          const auto descent = sparse::descentOf(laid.graph, laid.graph.arcs.down, shares, needed);
          ASSERT_EQ(static_cast<std::size_t>(descent.phases * shares) + 1, descent.shares.size());
          EXPECT_EQ(std::count(needed.begin(), needed.begin() + core, 1),
                    static_cast<std::ptrdiff_t>(descent.positions.size()));
          std::vector<int> writer(static_cast<std::size_t>(n), -1);  // the share of each position
          for (int x = core; x < n; ++x) writer[static_cast<std::size_t>(x)] = -2;
          for (std::size_t share = 0; share + 1 < descent.shares.size(); ++share)
            for (int i = descent.shares[share]; i < descent.shares[share + 1]; ++i) {
              const auto x =
                  static_cast<std::size_t>(descent.positions[static_cast<std::size_t>(i)]);
              EXPECT_EQ(-1, writer[x]);
              writer[x] = static_cast<int>(share);
              const auto& down = laid.graph.arcs.down;
              for (std::uint32_t a = down.first[x]; a < down.first[x + 1]; ++a) {
                const int from = writer[down.arcs[a].head];
                EXPECT_EQ(1, needed[down.arcs[a].head]);
                EXPECT_TRUE(from == -2 || from == static_cast<int>(share) ||
                            (from >= 0 && from / shares < static_cast<int>(share) / shares));
              }
            }
          for (const int position : positions)
            EXPECT_NE(-1, writer[static_cast<std::size_t>(position)]);
          readsFromMemory(laid, descent, 3);
        }
      }
    }
  }
}

TEST(Descent, MostRowsOfAGridAreReadFromMemoryOnce) {
  Spec spec;
  spec.family = familyIndex("grid");
  spec.n = 400;
  const LaidOut laid(generate(spec), 0);
  const sparse::Descent descent = laid.descent(1);
  EXPECT_LT(10 * readsFromMemory(laid, descent, sparse::kMostPlaces),
            laid.graph.arcs.down.arcs.size());
}

TEST(Descent, RowsWithTheSameNumberAreReadOneAfterTheOther) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds) {
    const LaidOut laid(graphOf(kind, 700, rng, Dtype::kInt32), 60);
    const sparse::Descent descent = laid.descent(3);
    for (int phase = 0; phase < descent.phases; ++phase) {
      std::vector<std::uint32_t> row(static_cast<std::size_t>(descent.numberCount), ~0u);
      std::set<std::uint32_t> done;
      const auto end =
          static_cast<std::size_t>(descent.shares[3 * static_cast<std::size_t>(phase) + 3]);
      for (auto s = static_cast<std::size_t>(descent.shares[3 * static_cast<std::size_t>(phase)]);
           s < end; ++s) {
        const auto position = static_cast<std::size_t>(descent.positions[s]);
        const sparse::SweepArcs<std::int32_t>& down = laid.graph.arcs.down;
        for (std::uint32_t a = down.first[position]; a < down.first[position + 1]; ++a) {
          const std::uint32_t head = down.arcs[a].head;
          std::uint32_t& last = row.at(static_cast<std::size_t>(descent.numbers[head]));
          if (last != head) done.insert(last);
          EXPECT_TRUE(last == head || done.count(head) == 0) << kind.name << " seed " << kFresh;
          last = head;
        }
      }
    }
  }
}

/// A graph with several parts of shares. Parts end anywhere, and some shares have no arcs.
TEST(Descent, AnyNumberOfThreadsWritesTheSameRecords) {
  Rng rng(kFresh);
  const int n = 30000;
  Edges<std::int32_t> edges;
  for (int v = 1; v < n; ++v) {
    const int near = std::max(0, v - uniform(rng, 1, 20));
    edges.push_back({v, near, uniform(rng, 1, 100)});
    edges.push_back({near, v, uniform(rng, 1, 100)});
  }
  const LaidOut laid(fromEdges(n, std::move(edges)), 0);
  for (const int shares : {1, 3, 16}) {
    const sparse::Descent descent = laid.descent(shares);
    const auto expected = laid.records(descent, 14, 128, 1);
    readsFromMemory(laid, descent, 14);
    for (const int threads : {2, 5}) {
      const auto got = laid.records(descent, 14, 128, threads);
      EXPECT_EQ(expected.shares, got.shares);
      ASSERT_EQ(expected.records.size(), got.records.size());
      EXPECT_EQ(0, std::memcmp(expected.records.data(), got.records.data(),
                               got.records.size() * sizeof(sparse::Record<std::int32_t>)))
          << shares << " shares, " << threads << " threads, seed " << kFresh;
    }
  }
}

class GpuSparse : public OnGpu<> {
 protected:
  /// All distances at once, and in bands of so many rows if that is not 0.
  template <class T>
  std::vector<T> solved(const Graph& graph, int core, int band) const {
    Sweeping done;
    const sparse::Prepared ready(surveyWithCore(graph, core), graph, {kPlain, 2}, done);
    const auto sweeps = ready.onGpu();
    const auto n = static_cast<std::size_t>(graph.n);
    const DeviceElements there(*gpu_, kDtype<T>, std::max<std::size_t>(1, n * n));
    std::vector<T> host(n * n, T(-1));
    upload(*gpu_, there.data(), host.data(), host.size());
    if (band == 0) sweeps->all(there.data());
    for (int first = 0; band > 0 && first < graph.n; first += band)
      sweeps->rows(first, std::min(band, graph.n - first),
                   there.data() + static_cast<std::size_t>(first) * n);
    gpu_->synchronise();
    download(*gpu_, host.data(), there.data(), host.size());
    return host;
  }

  /// Also compares them with those that are expected.
  template <class T>
  void expectRight(const Graph& graph, const std::vector<int>& cores, const std::vector<int>& bands,
                   const std::vector<T>& expected, const std::string& what) const {
    for (const int core : cores)
      for (const int band : bands)
        EXPECT_EQ(differences(solved<T>(graph, core, band), expected, graph), 0u)
            << what << " core " << core << " band " << band << " " << nameOf(kDtype<T>) << " seed "
            << kFresh;
  }
};

TEST_F(GpuSparse, SolvesRandomGraphsOfAllSizes) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds) {
    for (const int n : {1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 127, 129, 200, 300}) {
      for (const Dtype dtype : kDtypes)
        withType(dtype, [&](auto zero) {
          const Graph graph = graphOf(kind, n, rng, dtype);
          expectRight(graph, {-1, 0, n / 3, n}, {0, 1 + n / 3}, solvedByRef<decltype(zero)>(graph),
                      fmt::format("{} n={}", kind.name, n));
        });
    }
  }
}

TEST_F(GpuSparse, CountsAndSumsUpRowsLikeTheCpu) {
  Rng rng(kFresh);
  for (const Dtype dtype : kDtypes) {
    const Graph graph = graphOf(kKinds[2], 300, rng, dtype);
    Sweeping done;
    sparse::Prepared ready(surveyWithCore(graph, 20), graph, {kPlain, 2}, done);
    const auto sweeps = ready.onGpu();
    GpuRows rows(*gpu_, graph.n, dtype);
    rows.make(*sweeps);
    const Matrix matrix = toMatrix(rows);
    const GraphStats expected = graphStats(graph.n, matrix.data()), got = *rows.counted();
    EXPECT_EQ(expected.edges, got.edges) << "seed " << kFresh;
    EXPECT_EQ(expected.hash, got.hash);
    EXPECT_EQ(expected.maxWeight, got.maxWeight);
    const std::vector<int> asked = {0, 1, 2, 150, 298, 299};
    const std::vector<int> doubtful = doubtfulByArcs(graph, rows, asked, *gpu_);
    if (isWhole(dtype)) {  // sums of reals may be rounded differently
      EXPECT_EQ(std::vector<int>{}, doubtful) << "seed " << kFresh;
    }
    EXPECT_LE(doubtful.size(), 2U) << "seed " << kFresh;
    const DeviceMatrix there(cpuDevice, graph.n, dtype);
    upload(cpuDevice, there.data(), matrix.data(), there.size());
    const Summary plain = summaryOf(WholeDistances(there)), onGpu = summaryOf(rows);
    for (std::size_t i = 0; i < plain.vertices.size(); ++i) {
      EXPECT_EQ(plain.vertices[i].eccentricity, onGpu.vertices[i].eccentricity);
      EXPECT_EQ(plain.vertices[i].reachable, onGpu.vertices[i].reachable);
      EXPECT_NEAR(plain.vertices[i].sum, onGpu.vertices[i].sum, 1e-9 * plain.vertices[i].sum);
      const ColumnSummary &in = *plain.vertices[i].incoming, &inGpu = *onGpu.vertices[i].incoming;
      EXPECT_EQ(in.reaching, inGpu.reaching);
      EXPECT_NEAR(in.sum, inGpu.sum, 1e-9 * in.sum);
    }
    EXPECT_EQ(plain.radius(), onGpu.radius());
  }
}

/// Sizes at which the steps are shared out among fewer warps, columns are done in several parts,
/// and groups have targets in common.
TEST_F(GpuSparse, SolvesLargerGraphsLikeTheCpu) {
  struct Size {
    int n, core, band;
  };
  for (const char* family : {"grid", "sparse", "star"}) {
    for (const Size size : {Size{3000, 1500, 700}, Size{9001, 0, 8701}}) {
      if (family == std::string("sparse") && size.core == 0) continue;  // it would fill up
      for (const Dtype dtype : kDtypes) {
        Spec spec = specOf(familyIndex(family), size.n, kFresh);
        spec.degree = 3;
        spec.dtype = dtype;
        const Graph graph = generate(spec);
        withType(dtype, [&](auto zero) {
          expectRight(graph, {-1, size.core}, {0, size.band},
                      solvedSparsely<decltype(zero)>(graph, -1), family);
        });
      }
    }
  }
}

/// Stands for a hierarchy in GPU memory: element j of row i is i · n + j.
class Numbered : public RowSource {
 public:
  explicit Numbered(int n) : n_(n) {}
  void all(Elements out) override { rows(0, n_, out); }
  void rows(int first, int count, Elements out) override {
    withElements(out, [&](auto* begin) {
      std::iota(begin, begin + static_cast<std::size_t>(count) * static_cast<std::size_t>(n_),
                static_cast<NumberAt<decltype(begin)>>(first * n_));
    });
  }

 private:
  int n_;
};

/// Whether these are rows of it, from row `first` on.
bool areNumbered(int n, int first, int count, ConstElements rows) {
  return withElements(rows, [&](const auto* numbers) {
    for (int i = 0; i < count * n; ++i)
      if (numbers[i] != static_cast<NumberAt<decltype(numbers)>>(first * n + i)) return false;
    return true;
  });
}

/// Visits rows that Numbered made, and expects each once and in order. first: the vertex of row 0.
void expectNumbered(const GpuRows& rows, int begin, int end, int first = 0) {
  int next = begin;
  rows.rows(begin, end, [&](int row, int count, ConstElements some) {
    EXPECT_EQ(next, row);
    EXPECT_TRUE(areNumbered(rows.columns(), first + row, count, some)) << nameOf(rows.dtype());
    next = row + count;
  });
  EXPECT_EQ(end, next);
}

TEST(GpuRows, VisitsEveryRowOnceAndInOrder) {
  constexpr int kN = 23;
  Numbered sweeps(kN);
  for (const Dtype dtype : kDtypes) {
    const std::size_t row = kN * sizeOf(dtype);
    for (const std::size_t band : {1, 5, 23}) {
      for (const std::size_t piece : {1, 2, 5, 23}) {
        GpuRows rows(cpuDevice, kN, dtype, {band * row, piece * row});
        rows.make(sweeps);
        SCOPED_TRACE("band " + std::to_string(band) + " piece " + std::to_string(piece));
        for (const auto& [begin, end] : {std::pair{0, kN}, {3, 14}, {22, 23}, {7, 7}})
          expectNumbered(rows, begin, end);
        int visits = 0;
        const auto stop = [&](int, int, ConstElements) {
          if (++visits == 2) throw Error(ErrorCode::kOutput, "full");
        };
        if (std::min(band, piece) < kN) {
          EXPECT_THROW(rows.rows(0, kN, stop), Error);
        }
      }
    }
  }
}

TEST(GpuRows, HoldABandOfSources) {
  constexpr int kN = 23;
  constexpr std::size_t kRow = kN * sizeof(std::int32_t);
  Numbered sweeps(kN);
  const Selection asked = {{9, 10, 11, 12, 13, 14, 15}, {}};
  for (const bool keeps : {false, true}) {
    GpuRows rows(cpuDevice, kN, Dtype::kInt32, {3 * kRow, 2 * kRow}, &asked, keeps);
    rows.place();
    rows.make(sweeps);
    expectNumbered(rows, 1, 7, 9);
  }
  EXPECT_TRUE(asked.isBand());
  EXPECT_TRUE(Selection{}.isBand());
  EXPECT_FALSE((Selection{{3, 5}, {}}.isBand()));
  EXPECT_FALSE((Selection{{3, 4}, {1}}.isBand()));
  EXPECT_TRUE((Selection{{}, {3, 4, 5}}.isColumns()));
  EXPECT_FALSE((Selection{{}, {3, 5}}.isColumns()));
  EXPECT_FALSE((Selection{{1}, {3, 4}}.isColumns()));
}

TEST(GpuRows, HoldATableOfAnyVertices) {
  constexpr int kN = 23, kColumns = 5;
  constexpr std::size_t kRow = kColumns * sizeof(std::int32_t);
  Numbered sweeps(kColumns);
  const Selection asked = {{9, 3, 3, 22, 0, 1, 2}, {22, 7, 7, 0, 1}};
  for (const bool keeps : {false, true}) {
    GpuRows rows(cpuDevice, kN, Dtype::kInt32, {3 * kRow, 2 * kRow}, &asked, keeps);
    rows.place();
    rows.make(sweeps, true);
    expectNumbered(rows, 0, 7);
    expectNumbered(rows, 2, 6);
    EXPECT_EQ(nullptr, rows.summaries());
    EXPECT_FALSE(rows.counted());
  }
}

TEST(GpuRows, KeepSmallElements) {
  constexpr int kN = 23;
  constexpr std::size_t kRow = kN * sizeof(std::int32_t);
  Numbered sweeps(kN);
  const Selection asked = {{9, 10, 11, 12, 13, 14, 15}, {}};
  const BandSizes sizes = {3 * kRow, 2 * kRow};
  GpuRows rows(cpuDevice, kN, Dtype::kInt32, sizes, &asked, true, RowWidth::kUint16);
  rows.place();
  {
    Numbered once(kN);
    rows.make(once);
  }  // rows that are kept are not made again
  expectNumbered(rows, 1, 7, 9);
  // Row 11, the third one, has 11 · 23 = 253, 254 and 255.
  GpuRows smaller(cpuDevice, kN, Dtype::kInt32, sizes, &asked, true, RowWidth::kUint8);
  smaller.place();
  try {
    smaller.make(sweeps);
    FAIL() << "255 was kept in 8 bits";
  } catch (const DoesNotFit& error) {
    EXPECT_EQ(error.source, 11);
    EXPECT_EQ(error.target, 2);
  }
  EXPECT_EQ(GpuRows::bytes(60'000, Dtype::kInt32, 60'000, RowWidth::kUint8),
            GpuRows::bytes(60'000, Dtype::kInt32) + 3'600'000'000U);
}

// ---- tables -------------------------------------------------------------------------------------

/// Some vertices in any order, some of them twice, or none: then all are asked for.
std::vector<int> someVertices(int n, Rng& rng) {
  std::vector<int> some(static_cast<std::size_t>(uniform(rng, 0, 1) * uniform(rng, 1, 40)));
  for (int& vertex : some) vertex = uniform(rng, 0, n - 1);
  return some;
}

/// The rows and columns of a matrix.
template <class T>
std::vector<T> pickedPlainly(const std::vector<T>& matrix, int n, const Selection& asked) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::vector<T> picked;
  std::iota(all.begin(), all.end(), 0);
  for (const int i : asked.sources.empty() ? all : asked.sources)
    for (const int j : asked.targets.empty() ? all : asked.targets)
      picked.push_back(matrix[static_cast<std::size_t>(i * n + j)]);
  return picked;
}

template <class T>
std::vector<T> numbersIn(const Distances& distances) {
  std::vector<T> all;
  distances.rows(0, distances.rowCount(), [&](int, int count, ConstElements rows) {
    const T* const some = rows.as<T>();
    all.insert(all.end(), some, some + std::ptrdiff_t{count} * distances.columns());
  });
  return all;
}

TEST(SparseTable, HoldsTheRowsAndColumnsThatAreAskedFor) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds) {
    for (const int n : {1, 2, 5, 33, 100, 300}) {
      for (const Dtype dtype : kDtypes)
        withType(dtype, [&](auto zero) {
          using T = decltype(zero);
          const Graph graph = graphOf(kind, n, rng, dtype);
          const Selection asked = {someVertices(n, rng), someVertices(n, rng)};
          const std::vector<T> expected = pickedPlainly(solvedByRef<T>(graph), n, asked);
          for (const int core : {0, n / 3, n}) {
            Sweeping done;
            sparse::Prepared ready(surveyWithCore(graph, core), graph, {kPlain, 2}, done);
            ready.restrictTo(asked);
            std::vector<T> got(expected.size(), T(-1));
            ready.sweep(0, asked.rows(n), got.data());
            EXPECT_EQ(differences(got, expected, graph), 0u)
                << kind.name << " n=" << n << " core " << core << " " << nameOf(dtype) << " seed "
                << kFresh;
          }
        });
    }
  }
}

TEST(SparseTable, SweepsOnlyWhatIsAboveItsEnds) {
  const Graph graph = generate(specOf(familyIndex("grid"), 10000, 3));
  const Survey survey = sparse::surveyOf(graph.n, graph.ends(), {});
  for (const auto& [asked, most] : {std::pair{Selection{{}, {17, 18}}, 10000},
                                    {Selection{{4}, {17}}, 1000},
                                    {Selection{{17}, {17}}, 500}}) {
    sparse::Swept<std::int32_t> graphOfAll = LaidOut(graph, -1).graph;
    sparse::restrictTo(asked, graphOfAll);
    const int core = graphOfAll.coreSize();
    EXPECT_EQ(survey.elimination.coreSize(), core);
    EXPECT_LE(graphOfAll.vertices() - core, most);
    EXPECT_LE(graphOfAll.core - graphOfAll.floor, 500);
  }
}

// ---- the order and the elimination --------------------------------------------------------------

/// The neighbours above each vertex when they are eliminated one after the other, by joining sets.
std::vector<std::set<int>> eliminatedPlainly(const Pattern& pattern,
                                             const std::vector<int>& position) {
  const auto n = static_cast<std::size_t>(pattern.vertices());
  std::vector<std::set<int>> above(n);  // by positions
  for (std::size_t v = 0; v < n; ++v) {
    for (int a = pattern.first[v]; a < pattern.first[v + 1]; ++a) {
      const int u =
          position[static_cast<std::size_t>(pattern.neighbours[static_cast<std::size_t>(a)])];
      if (u > position[v]) above[static_cast<std::size_t>(position[v])].insert(u);
    }
  }
  for (std::size_t x = 0; x < n; ++x)
    for (const int u : above[x])
      for (const int v : above[x])
        if (v > u) above[static_cast<std::size_t>(u)].insert(v);
  return above;
}

bool isPermutation(std::vector<int> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<int>(i)) return false;
  return true;
}

TEST(Elimination, CountsTheArcsAsJoiningSetsDoes) {
  Rng rng(kFresh);
  for (const Kind& kind : kKinds) {
    for (const int n : {1, 2, 5, 30, 90}) {
      const Graph graph = graphOf(kind, n, rng, Dtype::kInt32);
      const Pattern pattern = sparse::patternOf(n, graph.ends());
      for (const auto& order :
           {sparse::eliminationOrder(pattern), sparse::minimumDegree(pattern, 8)}) {
        ASSERT_TRUE(isPermutation(order));
        for (const int core : {0, n / 2}) {
          const Elimination plan = sparse::eliminate(pattern, order, core);
          ASSERT_TRUE(isPermutation(plan.position));
          EXPECT_EQ(core, plan.coreSize());
          const auto above = eliminatedPlainly(pattern, plan.position);
          std::uint64_t arcs = 0;
          for (int x = 0; x < plan.core; ++x) {
            const auto at = static_cast<std::size_t>(x);
            EXPECT_EQ(x, plan.position[static_cast<std::size_t>(plan.vertex[at])]);
            EXPECT_EQ(above[at].size(), static_cast<std::size_t>(plan.above[at]))
                << "position " << x;
            EXPECT_EQ(above[at].empty() ? -1 : *above[at].begin(), plan.parent[at]);
            arcs += above[at].size();
          }
          EXPECT_EQ(arcs, plan.arcs) << kind.name << " n=" << n << " seed " << kFresh;
        }
      }
    }
  }
}

TEST(Elimination, ThePositionsBelowTheCoreAreAPostorder) {
  Rng rng(kFresh);
  const Graph graph = graphOf(kKinds[1], 200, rng, Dtype::kInt32);
  const Survey survey = sparse::surveyOf(200, graph.ends(), {});
  const Elimination& plan = survey.elimination;
  std::vector<int> low(static_cast<std::size_t>(plan.core)), size(low.size(), 1);
  std::iota(low.begin(), low.end(), 0);
  for (int x = 0; x < plan.core; ++x) {
    const auto at = static_cast<std::size_t>(x);
    EXPECT_EQ(x - low[at] + 1, size[at]) << "those below a vertex are next to each other";
    if (plan.parent[at] < 0 || plan.parent[at] >= plan.core) continue;
    const auto up = static_cast<std::size_t>(plan.parent[at]);
    EXPECT_GT(up, at);
    low[up] = std::min(low[up], low[at]);
    size[up] += size[at];
  }
}

TEST(Elimination, IsTriedOnlyWhereSeparatorsMayBeSmall) {
  const auto may = [](const char* family, int n, int degree = 0) {
    Spec spec = specOf(familyIndex(family), n, kFresh);
    if (degree > 0) spec.degree = degree;
    return sparse::maySeparate(sparse::patternOf(n, generate(spec).ends()));
  };
  for (const int n : {1000, 10000, 40000}) {
    EXPECT_TRUE(may("grid", n)) << n;
    EXPECT_TRUE(may("star", n)) << n;
    EXPECT_TRUE(may("sparse", n, 1)) << n << " nearly a tree, seed " << kFresh;
    for (const int degree : {3, 4, 16})
      EXPECT_FALSE(may("sparse", n, degree)) << n << " seed " << kFresh;
  }
}

TEST(Elimination, TakesTheVertexWithTheFewestNeighbours) {
  // A path whose ends are joined with two more vertices each: leaves first, the middle last.
  const Graph graph = fromEdges<std::int32_t>(
      7, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {0, 5, 1}, {0, 6, 1}});
  const Pattern pattern = sparse::patternOf(7, graph.ends());
  const std::vector<int> order = sparse::minimumDegree(pattern, 8);
  for (const int core : {0, 3})
    EXPECT_EQ(core == 0 ? 6u : 4u, sparse::eliminate(pattern, order, core).arcs) << "a tree";
  const std::vector<int> bounded = sparse::minimumDegree(pattern, 0);
  EXPECT_EQ((std::vector<int>{0, 1, 2, 3, 4, 5, 6}), bounded) << "nobody has no neighbours";
}

TEST(Elimination, LeavesACoreWhereSeparatorsAreLarge) {
  Spec grid = specOf(familyIndex("grid"), 2500, 3), random = specOf(familyIndex("sparse"), 2500, 3);
  random.degree = 8;
  const Survey small = sparse::surveyOf(2500, generate(grid).ends(), {});
  const Survey large = sparse::surveyOf(2500, generate(random).ends(), {});
  EXPECT_LT(small.elimination.coreSize(), 250);
  EXPECT_GT(large.elimination.coreSize(), 1000);
  EXPECT_LT(large.elimination.arcs, 2500u * 200) << "no fill-in that explodes";
  EXPECT_LT(20 * small.elimination.milliseconds, sparse::denseMilliseconds(2500, {}));
}

// ---- the weights --------------------------------------------------------------------------------

TEST(Customise, GivesTheShortestPathsThroughLowerVertices) {
  Rng rng(kFresh);
  for (const int n : {2, 9, 40}) {
    const Graph graph = graphOf(kKinds[2], n, rng, Dtype::kInt32);
    const Survey survey = sparse::surveyOf(n, graph.ends(), {});
    const Elimination plan =
        sparse::eliminate(survey.pattern, sparse::eliminationOrder(survey.pattern), 0);
    auto all = sparse::build(survey.pattern, plan, graph.edges<std::int32_t>());
    sparse::customise(all, 2);
    for (int x = 0; x < n; ++x) {
      for (std::size_t a = all.begin(x); a < all.end(x); ++a) {
        Edges<std::int32_t> lower;  // the edges among lower vertices and these two
        for (const auto& e : graph.edges<std::int32_t>()) {
          const auto inside = [&](int vertex) {
            const int position = plan.position[static_cast<std::size_t>(vertex)];
            return position <= x || position == all.head[a];
          };
          if (inside(e.from) && inside(e.to)) lower.push_back(e);
        }
        const std::vector<std::int32_t> expected = solvedByRef(fromEdges(n, std::move(lower)));
        const int u = plan.vertex[static_cast<std::size_t>(x)];
        const int v = plan.vertex[static_cast<std::size_t>(all.head[a])];
        EXPECT_EQ(expected[static_cast<std::size_t>(u * n + v)], all.up[a]) << "seed " << kFresh;
        EXPECT_EQ(expected[static_cast<std::size_t>(v * n + u)], all.down[a]) << "seed " << kFresh;
      }
    }
  }
}

TEST(Customise, ThreadsFindTheSameWeights) {
  Spec random = specOf(familyIndex("sparse"), 3000, kFresh);
  random.degree = 4;
  for (const Spec& spec : {specOf(familyIndex("grid"), 6400, kFresh), random}) {
    for (const Dtype dtype : kDtypes) {
      Graph graph = generate(spec);
      convert(graph, dtype);
      const Survey survey = sparse::surveyOf(graph.n, graph.ends(), {});
      const auto sameWith = [&](auto number, int core) {
        using T = decltype(number);
        Elimination plan = survey.elimination;
        if (core >= 0)
          plan = sparse::eliminate(survey.pattern, sparse::eliminationOrder(survey.pattern), core);
        auto one = sparse::build(survey.pattern, plan, graph.edges<T>());
        auto several = sparse::build(survey.pattern, plan, graph.edges<T>());
        EXPECT_LT(4u, sparse::partsOf(several, 3).parts.size()) << describe(spec);
        sparse::customise(one, 1);
        sparse::customise(several, 3);
        EXPECT_EQ(one.up, several.up);
        EXPECT_EQ(one.down, several.down);
        EXPECT_EQ(numbersIn<T>(one.between), numbersIn<T>(several.between));
        const auto left = sparse::prune(one, 1), also = sparse::prune(several, 3);
        EXPECT_EQ(one.up, several.up);
        EXPECT_EQ(one.down, several.down);
        EXPECT_EQ(left.up.first, also.up.first);
        EXPECT_EQ(left.down.first, also.down.first);
      };
      for (const int core : {spec.family == random.family ? 1700 : -1, 900}) {
        if (core == 900 && spec.family == random.family) continue;  // too many arcs
        withType(dtype, [&](auto zero) { sameWith(zero, core); });
      }
    }
  }
}

TEST(Customise, EveryPositionIsInOnePartOrAtTheTop) {
  const Graph graph = generate(specOf(familyIndex("grid"), 6400, kFresh));
  const Survey survey = sparse::surveyOf(graph.n, graph.ends(), {});
  const auto all = sparse::build(survey.pattern, survey.elimination, graph.edges<std::int32_t>());
  for (const int threads : {1, 2, 5}) {
    const sparse::Parts tree = sparse::partsOf(all, threads);
    std::vector<int> part(static_cast<std::size_t>(all.core), 0);
    for (std::size_t i = 0; i < tree.parts.size(); ++i)
      for (int x = tree.parts[i].first; x < tree.parts[i].second; ++x)
        part[static_cast<std::size_t>(x)] += static_cast<int>(i) + 1;
    for (const int x : tree.top) EXPECT_EQ(0, std::exchange(part[static_cast<std::size_t>(x)], -1));
    for (int x = 0; x < all.core; ++x) {
      const int mine = part[static_cast<std::size_t>(x)];
      EXPECT_NE(0, mine);
      for (std::size_t a = all.begin(x); a < all.end(x) && all.head[a] < all.core; ++a) {
        const int above = part[static_cast<std::size_t>(all.head[a])];
        EXPECT_TRUE(above == -1 || above == mine) << x << " -> " << all.head[a];
      }
    }
  }
}

TEST(Customise, PruningKeepsDistancesOnlyAndFewerOfThem) {
  const Graph graph = generate(specOf(familyIndex("grid"), 400, 5));
  const std::vector<std::int32_t> expected = solvedByRef(graph);
  const Survey survey = sparse::surveyOf(400, graph.ends(), {});
  const Elimination plan =
      sparse::eliminate(survey.pattern, sparse::eliminationOrder(survey.pattern), 0);
  auto all = sparse::build(survey.pattern, plan, graph.edges<std::int32_t>());
  sparse::customise(all, 2);
  const sparse::Pruned<std::int32_t> left = sparse::prune(all, 2);
  EXPECT_LT(left.up.arcs.size(), plan.arcs * 3 / 4);
  const auto between = [&](int from, int to) {
    return expected[static_cast<std::size_t>(plan.vertex[static_cast<std::size_t>(from)]) * 400 +
                    static_cast<std::size_t>(plan.vertex[static_cast<std::size_t>(to)])];
  };
  for (int x = 0; x < plan.core; ++x) {
    const auto at = static_cast<std::size_t>(x);
    for (auto a = left.up.first[at]; a < left.up.first[at + 1]; ++a)
      EXPECT_EQ(between(x, static_cast<int>(left.up.arcs[a].head)), left.up.arcs[a].weight);
    for (auto a = left.down.first[at]; a < left.down.first[at + 1]; ++a)
      EXPECT_EQ(between(static_cast<int>(left.down.arcs[a].head), x), left.down.arcs[a].weight);
  }
}

// ---- on the seam --------------------------------------------------------------------------------

Execution with(Method method, const Device& device = cpuDevice, bool renumbers = false) {
  Execution where{device};
  where.options.method = method;
  where.renumbers = renumbers;
  return where;
}

ProblemGraph copyOf(const Graph& graph) {
  return withEdges(graph,
                   [&](const auto& edges) { return ProblemGraph(fromEdges(graph.n, edges)); });
}

struct Solved {
  Matrix distances;
  Outcome outcome;
};

/// Solves with the kernel apsp on the CPU, numbers of 64 bits as they are. first: see Run::reset().
Solved solved(const ProblemGraph& graph, Execution where, int first = 0) {
  if (sizeOf(graph.dtype()) == 8) where.options.precision = Precision::k64;
  const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
  EXPECT_LE(solver.memory({graph}, where).device, where.device.freeBytes());
  const auto run = solver.prepare({graph}, where);
  run->reset(first);
  const Outcome outcome = run->solve().outcome;
  Matrix matrix = toMatrix(run->distances());
  const GraphStats plain = graphStats(matrix.n(), matrix.data());
  EXPECT_EQ(statistics(run->distances()).hash, plain.hash);
  const GraphStats reach = reachOf(run->distances());
  EXPECT_EQ(reach.edges, plain.edges);
  EXPECT_EQ(reach.maxWeight, plain.maxWeight);
  return {std::move(matrix), outcome};
}

/// Elements of a matrix that differ from these.
template <class T>
std::size_t differences(const Matrix& got, const std::vector<T>& expected, const Graph& graph) {
  return differences(numbersIn<T>(got), expected, graph);
}

TEST(SparseRun, SolvesEveryFamily) {
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {0, 1, 2, 37, 150}) {
      for (const Dtype dtype : kDtypes) {
        Spec spec = specOf(family, n, kFresh, n % 2 == 1);
        spec.dtype = dtype;
        const Graph graph = generate(spec);
        Matrix expected = toMatrix(generate(spec));
        apspScalar(n, expected.data());
        const Solved got = solved(ProblemGraph(spec), with(Method::kSparse));
        withType(dtype, [&](auto zero) {
          using T = decltype(zero);
          EXPECT_EQ(differences(got.distances, numbersIn<T>(expected), graph), 0u)
              << describe(spec) << " " << nameOf(dtype);
        });
        EXPECT_EQ(Method::kSparse, got.outcome.method);
        EXPECT_EQ(tierOf(dtype), got.outcome.tier);
      }
    }
  }
}

TEST(SparseRun, StreamsWhereTheMatrixHasNoRoom) {
  const Threads two(2);
  Rng rng(kFresh);
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) {
      using T = decltype(zero);
      const Graph graph = graphOf(kKinds[1], 1500, rng, dtype);
      const std::vector<T> expected = solvedByDijkstra<T>(graph);
      const SmallDevice device(matrixBytes(1500, dtype) - 1);
      const ProblemGraph problem = copyOf(graph);
      for (const Method method : {Method::kAuto, Method::kSparse}) {
        const Solved got = solved(problem, with(method, device));
        EXPECT_TRUE(got.outcome.streamed);
        EXPECT_EQ(differences(got.distances, expected, graph), 0u) << "seed " << kFresh;
      }
      const Solved renumbered = solved(problem, with(Method::kSparse, device, true), 77);
      EXPECT_EQ(differences(renumbered.distances, expected, graph), 0u)
          << "renumbered, seed " << kFresh;
    });
}

/// A graph whose matrix has no room on the device, and its distances. Two threads solve it.
struct StreamedGrid {
  const Threads two{2};
  const Graph graph = generate(specOf(familyIndex("grid"), 900, 1));
  const std::vector<std::int32_t> expected = solvedByRef(graph);
  const SmallDevice device{matrixBytes(900, Dtype::kInt32) - 1};
  const ProblemGraph problem = copyOf(graph);
};

TEST(SparseRun, GivesEachRowToTheSinkOnce) {
  const StreamedGrid grid;
  for (const Summarise summarises : {Summarise::kNothing, Summarise::kUnkept}) {
    Execution where = with(Method::kSparse, grid.device);
    std::vector<std::int32_t> taken;
    double slept = 0;
    where.summarises = summarises;
    where.sink = [&](int first, int count, ConstElements rows) {
      const auto* const numbers = rows.as<std::int32_t>();
      EXPECT_EQ(taken.size(), static_cast<std::size_t>(first) * 900);
      taken.insert(taken.end(), numbers, numbers + std::ptrdiff_t{count} * 900);
      slept += millisecondsOf([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    };
    const auto run = findSolver("apsp", DeviceKind::kCpu).prepare({grid.problem}, where);
    run->reset();
    Call call;
    const double whole = millisecondsOf([&] { call = run->solve(); });
    EXPECT_EQ(grid.expected, taken);
    EXPECT_LE(call.milliseconds, whole - slept) << "what the sink takes does not count";
    EXPECT_LE(call.outcome.sweeping.sweep, whole - slept);
    run->distances().rows(0, 900, [](int, int, ConstElements) {});
    EXPECT_EQ(grid.expected.size(), taken.size()) << "later visits go to their visitor only";
  }
}

TEST(SparseRun, AnswersForAnyRows) {
  const StreamedGrid grid;
  const auto run = findSolver("apsp", DeviceKind::kCpu)
                       .prepare({grid.problem}, with(Method::kSparse, grid.device));
  run->reset();
  run->solve();
  for (const auto& [begin, end] : {std::pair{0, 1}, {899, 900}, {63, 65}, {100, 600}, {5, 5}}) {
    int next = begin;
    run->distances().rows(begin, end, [&](int first, int count, ConstElements rows) {
      const auto* const numbers = rows.as<std::int32_t>();
      EXPECT_EQ(next, first);
      next += count;
      for (int i = 0; i < count * 900; ++i)
        ASSERT_EQ(grid.expected[static_cast<std::size_t>(first * 900 + i)], numbers[i]);
    });
    EXPECT_EQ(end, next);
  }
}

template <class T>
void expectTables(const Graph& graph, Rng& rng) {
  const int n = graph.n;
  const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
  const std::vector<T> all = solvedByRef<T>(graph);
  const ProblemGraph problem = copyOf(graph);
  const SmallDevice small(matrixBytes(n, kDtype<T>) - 1);
  for (const Device* device : {&cpuDevice, static_cast<const Device*>(&small)}) {
    for (const Method method : {Method::kAuto, Method::kSparse, Method::kDense}) {
      if (method == Method::kDense && device != &cpuDevice) continue;
      for (const int first : {0, 77}) {
        const Selection asked = {someVertices(n, rng), someVertices(n, rng)};
        const Problem table = {problem, &asked};
        const auto run = prepareAsked(solver, table, with(method, *device, first > 0));
        run->reset(first);
        run->solve();
        const Distances& found = run->distances();
        EXPECT_EQ(differences(numbersIn<T>(found), pickedPlainly(all, n, asked), graph), 0u)
            << nameOf(method) << " first " << first << " " << nameOf(kDtype<T>) << " seed "
            << kFresh;
        const GraphStats counted = statistics(found);
        std::uint64_t pairs = 0, reachable = 0;
        for (int i = 0; i < found.rowCount(); ++i) {
          for (int j = 0; j < found.columns(); ++j) {
            const int from = found.source(i), to = found.target(j);
            pairs += from != to;
            reachable += from != to && all[static_cast<std::size_t>(from * n + to)] < kInfinity<T>;
          }
        }
        EXPECT_EQ(pairs, pairsOf(found));
        EXPECT_EQ(reachable, counted.edges);
      }
    }
  }
}

TEST(SparseRun, GivesTablesWhateverMethodSolvesThem) {
  const Threads two(2);
  Rng rng(kFresh);
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) {
      expectTables<decltype(zero)>(graphOf(kKinds[1], 700, rng, dtype), rng);
    });
}

TEST(SparseRun, RenumberedGraphsHaveTheSameDistances) {
  Rng rng(kFresh);
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) {
      const Graph graph = graphOf(kKinds[2], 90, rng, dtype);
      const auto expected = solvedByRef<decltype(zero)>(graph);
      const ProblemGraph problem = copyOf(graph);
      for (const Method method : {Method::kAuto, Method::kSparse})
        for (const int first : {0, 1, 44, 89}) {
          const Solved got = solved(problem, with(method, cpuDevice, true), first);
          EXPECT_EQ(differences(got.distances, expected, graph), 0u)
              << nameOf(method) << " first " << first << " seed " << kFresh;
        }
    });
}

/// A graph that is too small to be filtered may take most of the dense solver's time.
TEST(SparseRun, AutoTakesItForASmallPath) {
  const Threads two(2);
  constexpr int n = 300;
  Edges<std::int32_t> path;
  for (int v = 0; v + 1 < n; ++v) {
    path.push_back({v, v + 1, 1 + v % 7});
    path.push_back({v + 1, v, 1 + v % 7});
  }
  const ProblemGraph graph(fromEdges(n, std::move(path)));
  EXPECT_EQ(Method::kSparse, solved(graph, with(Method::kAuto)).outcome.method);
}

/// Edges in both directions between u and v, for all that are joined.
ProblemGraph joined(int n, int weights, const std::function<bool(int u, int v)>& areJoined) {
  Edges<std::int32_t> edges;
  for (int u = 0; u < n; ++u)
    for (int v = 0; v < n; ++v)
      if (u != v && areJoined(std::min(u, v), std::max(u, v)))
        edges.push_back({u, v, 1 + (u + v) * 7919 % weights});
  return ProblemGraph(fromEdges(n, std::move(edges)));
}

/// In these, eliminating takes less time than the numbers of their vertices and edges tell, whether
/// all weights are equal, their distances fit into 16 bits, or neither.
TEST(SparseRun, AutoTakesItForSmallBandsAndTrees) {
  const Threads two(2);
  const AsWithAvx512 costs;
  for (const int weights : {1, 900, 100'000}) {
    const auto band = [](int u, int v) { return v - u <= 5; };
    const auto tree = [](int u, int v) { return u == (v - 1) * 7 / 9; };
    EXPECT_EQ(Method::kSparse,
              solved(joined(300, weights, band), with(Method::kAuto)).outcome.method)
        << "band " << weights;
    EXPECT_EQ(Method::kSparse,
              solved(joined(300, weights, tree), with(Method::kAuto)).outcome.method)
        << "tree " << weights;
  }
  const auto star = [](int u, int) { return u == 0; };
  EXPECT_EQ(Method::kSparse, solved(joined(300, 1, star), with(Method::kAuto)).outcome.method);
}

TEST(SparseRun, AutoSearchesSmallGraphsOfEqualWeights) {
  const Threads two(2);
  const AsWithAvx512 costs;
  const auto cliques = [](int u, int v) { return u == 0 || u / 30 == v / 30; };
  const auto isolated = [](int u, int v) { return u < 30 && v < 30 && (u + v) % 5 == 0; };
  const auto shortcuts = [](int u, int v) { return v - u <= 4 || (v - u) % 149 == 0; };
  EXPECT_EQ(Method::kBfs, solved(joined(300, 1, cliques), with(Method::kAuto)).outcome.method);
  EXPECT_EQ(Method::kBfs, solved(joined(300, 1, isolated), with(Method::kAuto)).outcome.method);
  EXPECT_EQ(Method::kBfs, solved(joined(300, 1, shortcuts), with(Method::kAuto)).outcome.method);
}

/// Grids have many levels, so relaxing would take longer than sweeping.
TEST(SparseRun, AutoSweepsGridsWithManyThreads) {
  const Threads many(16);
  const AsWithAvx512 costs;
  constexpr int side = 39, n = 2 * side * side;
  const auto grids = [](int u, int v) {
    return (v == u + 1 && v % side != 0) ||
           (v == u + side && u / (side * side) == v / (side * side));
  };
  EXPECT_EQ(Method::kSparse, solved(joined(n, 900, grids), with(Method::kAuto)).outcome.method);
}

/// A random graph is relaxed, though a long path leads to it and has many levels.
TEST(SparseRun, AutoRelaxesBehindALongPath) {
  const Threads many(16);
  const AsWithAvx512 costs;
  constexpr int n = 3000;
  Rng rng(1);
  Edges<std::int32_t> edges;
  for (int v = 0; v + 1 < n; ++v) edges.push_back({v, v + 1, 1 + v % 900});
  for (int u = n / 2; u < n; ++u)
    for (int i = 0; i < 8; ++i) edges.push_back({u, uniform(rng, n / 2, n - 1), 1 + u % 900});
  const ProblemGraph graph(fromEdges(n, std::move(edges)));
  EXPECT_EQ(Method::kFiltered, solved(graph, with(Method::kAuto)).outcome.method);
}

TEST(SparsePlan, ExpectsLessOfManyThreadsThanTheirNumber) {
  const auto denseMs = [](int threads) {
    const Threads some(threads);
    return sparse::denseMilliseconds(3200, sparse::ratesOn(cpuDevice, Dtype::kInt32));
  };
  EXPECT_DOUBLE_EQ(denseMs(1) / 2, denseMs(2));
  EXPECT_GT(denseMs(16), 1.4 * denseMs(2) / 8);
  EXPECT_LT(denseMs(16), 1.8 * denseMs(2) / 8);
}

/// A kind of CPU computes as fast with real weights as with whole ones, another at half the speed.
TEST(SparsePlan, ExpectsOfRealWeightsWhatWasMeasured) {
  const AsWithAvx512 costs;
  for (const char* const family : {"grid", "uniform"}) {  // edges, and a matrix
    const auto densely = [&](Dtype dtype) {
      Spec spec = specOf(familyIndex(family), 900, 3);
      spec.dtype = dtype;
      const Solver& one = findSolver("apsp", DeviceKind::kCpu);
      return plan::forecastOf(ProblemGraph(sourceOf(spec)), one, cpuDevice).denseMs;
    };
    cpuCosts().real = 1;
    const double whole = densely(Dtype::kInt32), real = densely(Dtype::kFloat32);
    EXPECT_LT(whole, real);
    cpuCosts().real = 2;
    EXPECT_EQ(whole, densely(Dtype::kInt32));
    EXPECT_EQ(2 * real, densely(Dtype::kFloat32));
  }
}

TEST(SparseRun, AutoTakesItWhereSeparatorsAreSmall) {
  const Threads two(2);
  const auto methodFor = [](Spec spec, Dtype dtype) {
    spec.dtype = dtype;
    return solved(ProblemGraph(spec), with(Method::kAuto)).outcome.method;
  };
  Spec random = specOf(familyIndex("sparse"), 1500, 3);
  random.degree = 24;
  for (const Dtype dtype : kDtypes) {
    for (const char* const family : {"grid", "star"})
      EXPECT_EQ(Method::kSparse, methodFor(specOf(familyIndex(family), 1600, 3), dtype))
          << family << " " << nameOf(dtype);
    for (const Spec& spec : {random, specOf(familyIndex("grid"), 100, 3)})
      EXPECT_NE(Method::kSparse, methodFor(spec, dtype)) << describe(spec) << " " << nameOf(dtype);
  }
}

/// The arcs of a clique that is eliminated take more memory than the matrix. The sparse method is
/// chosen if so much is free beside the matrix.
TEST(SparsePlan, MayTakeMoreMemoryThanTheMatrix) {
  const Threads two(2);
  const AsWithAvx512 costs;
  constexpr int n = 3000;
  const auto barbell = [](int u, int v) { return v < n / 3 || u >= n - n / 3 || v == u + 1; };
  const ProblemGraph graph = joined(n, 1, barbell);
  const Solver& one = findSolver("apsp", DeviceKind::kCpu);
  const auto forecast = plan::forecastOf(graph, one, cpuDevice);
  EXPECT_EQ(plan::Forecast::Choice::kSparse, forecast.choice);
  EXPECT_GT(forecast.sparseBytes, matrixBytes(n, Dtype::kInt32));
  const SmallDevice small(forecast.denseBytes);
  EXPECT_EQ(plan::Forecast::Choice::kNoRoom, plan::forecastOf(graph, one, small).choice);
}

/// What was measured with numbers of 32 bits, and what numbers of 64 bits are expected to take.
TEST(SparsePlan, ExpectsTwiceAsMuchOfNumbersOfTwiceTheSize) {
  const sparse::Rates narrow = sparse::ratesOn(cpuDevice, Dtype::kInt32);
  const Graph graph = generate(specOf(familyIndex("grid"), 900, 3));
  const Survey survey = sparse::surveyOf(graph.n, graph.ends(), narrow);
  for (const Dtype dtype : kDtypes) {
    const double size = sizeOf(dtype) == 8 ? 2 : 1;
    const sparse::Rates rates = sparse::ratesOn(cpuDevice, dtype);
    EXPECT_EQ(size * narrow.write, rates.write) << nameOf(dtype);
    EXPECT_EQ(size * narrow.relax, rates.relax) << nameOf(dtype);
    EXPECT_EQ(size * narrow.product, rates.product) << nameOf(dtype);
    EXPECT_EQ(narrow.triangle, rates.triangle) << nameOf(dtype);
    const auto bytes = static_cast<double>(survey.bytes(4, dtype)) /
                       static_cast<double>(survey.bytes(4, Dtype::kInt32));
    EXPECT_GE(bytes, 0.75 * size) << nameOf(dtype);
    EXPECT_LE(bytes, size) << nameOf(dtype);
  }
}

// The order of elimination takes another time whenever it is found, to the nanosecond.
TEST(SparsePlan, IsNotMadeAgainBySolveIfItIsKept) {
  const Threads two(2);
  const ProblemGraph graph(specOf(familyIndex("grid"), 900, 3));
  auto edges = graph.onHost().edges<std::int32_t>();
  for (auto& edge : edges) edge.weight = 1 + edge.weight * 7 % 31;
  const ProblemGraph other(fromEdges(900, std::move(edges)));
  const Matrix right[] = {byPlainLoop(graph), byPlainLoop(other)};
  const SmallDevice small(matrixBytes(900, Dtype::kInt32) - 1);
  const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
  for (const Device* const device : {&cpuDevice, static_cast<const Device*>(&small)}) {
    for (const bool keeps : {false, true}) {
      Execution where{*device};
      where.keepsPlan = keeps;
      const Plan plan = solver.plan({graph}, where);
      const bool looked = keeps || device == &small;
      EXPECT_EQ(looked ? Method::kSparse : Method::kAuto, plan.method);
      EXPECT_EQ(device == &small ? Destination::kStreamed : Destination::kEither, plan.place);
      EXPECT_EQ(looked, plan.expected > 0);
      double orders[3] = {};
      for (int i = 0; i < 3; ++i) {
        const ProblemGraph& solved = i == 2 ? other : graph;
        const auto run = plan.begin({solved});
        run->reset();
        const Call call = run->solve();
        EXPECT_EQ(Method::kSparse, call.outcome.method);
        orders[i] = call.outcome.sweeping.order;
        const Matrix found = toMatrix(run->distances());
        EXPECT_EQ(numbersIn<std::int32_t>(right[i / 2]), numbersIn<std::int32_t>(found));
      }
      EXPECT_EQ(keeps, orders[0] == orders[1] && orders[1] == orders[2]);
    }
  }
}

// Nobody measures, and one solve follows the plan: what reset() found is solved.
TEST(SparsePlan, OfOneSolveDoesNotLookIfAnyMethodHasRoom) {
  const Threads two(2);
  const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
  Edges<std::int32_t> complete;
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < 200; ++j) complete.push_back({i, j, 1 + (i * 7 + j * 13) % 91});
  const ProblemGraph sparse(specOf(familyIndex("grid"), 900, 3));
  const ProblemGraph dense(fromEdges(200, std::move(complete)));
  for (const ProblemGraph* const solved : {&sparse, &dense}) {
    const ProblemGraph& graph = *solved;
    const SmallDevice small(matrixBytes(graph.n(), Dtype::kInt32) - 1);
    const bool isSparse = solved == &sparse;
    for (const Device* const device : {&cpuDevice, static_cast<const Device*>(&small)}) {
      if (!isSparse && device == &small) continue;
      Execution where{*device};
      where.keepsPlan = where.once = true;
      const Plan plan = solver.plan({graph}, where);
      const bool looked = device == &small;
      EXPECT_EQ(looked ? Method::kSparse : Method::kAuto, plan.method);
      EXPECT_EQ(looked ? Destination::kStreamed : Destination::kEither, plan.place);
      const auto run = plan.begin({graph});
      for (int turn = 0; turn < 2; ++turn) {
        run->reset();
        const Call call = run->solve();
        EXPECT_EQ(isSparse, call.outcome.method == Method::kSparse);
        // solve() looks only where it follows the plan.
        EXPECT_EQ(looked, call.outcome.choosing > 0);
        EXPECT_EQ(looked, call.outcome.chosen == 0);
        EXPECT_EQ(numbersIn<std::int32_t>(byPlainLoop(graph)),
                  numbersIn<std::int32_t>(toMatrix(run->distances())));
      }
    }
  }
}

TEST(SparseRun, WhatDoesNotFitIsRefusedWithBothFigures) {
  const Threads two(2);
  Spec random = specOf(familyIndex("sparse"), 3000, 3);
  random.degree = 30;
  ProblemGraph graph(random);
  const SmallDevice device(std::size_t{12} << 20);
  MeasureOptions plan{0, 1};
  for (const Method method : {Method::kAuto, Method::kSparse}) {
    plan.options.method = method;
    expectError(ErrorCode::kMemory, "n = 3000", "sparse method dense one 72.0 MB 12.6 free", [&] {
      requireMemory({graph}, device, {findSolver("apsp", DeviceKind::kCpu)}, {}, plan);
    });
  }
}

TEST(SparseRun, LargeResultsAreVerifiedByEveryArc) {
  const Threads two(2);
  using Oracle = VerifyOptions::Oracle;
  ProblemGraph graph(specOf(familyIndex("grid"), 1600, 3)),
      large(specOf(familyIndex("grid"), 6400, 3));
  const std::vector<Solver> solvers = {findSolver("apsp", DeviceKind::kCpu)};
  MeasureOptions plan{0, 1};
  const auto oracle = [&](ProblemGraph& problem, const Device& device) {
    return requireMemory({problem}, device, solvers, {Oracle::kRef}, plan).verify;
  };
  EXPECT_EQ(Oracle::kRef, oracle(graph, cpuDevice).oracle);
  EXPECT_EQ(Oracle::kBellman, oracle(large, cpuDevice).oracle);
  const SmallDevice device(std::size_t{9} << 20);
  const SessionMemory memory = requireMemory({graph}, device, solvers, {Oracle::kRef}, plan);
  EXPECT_EQ(1600, memory.verify.rows);
  Session session(graph, device, plan, memory);
  EXPECT_FALSE(memory.keepsGraph);
  const Record record = session.run(solvers[0], memory.verify, session.describe("a grid", {}));
  EXPECT_EQ("bellman:1600", record.verified());
  EXPECT_EQ(Work::kDistances, record.work);
  EXPECT_NE(std::string::npos, notesBelow(record).find("sparse: "));
  EXPECT_NE(std::string::npos, notesBelow(record).find("streamed: "));
  plan.options.method = Method::kDense;
  EXPECT_EQ(Oracle::kRef, oracle(large, cpuDevice).oracle);
}

// ---- many small graphs --------------------------------------------------------------------------

TEST(SparseFuzz, SparseDenseAndDijkstraAgree) {
  const int count = graphsToTry(3000);
  const Threads one(1);  // small graphs would only wait for the others
  Rng rng(kFresh);
  for (int graphs = 0; graphs < count && !testing::Test::HasFailure(); ++graphs) {
    const Kind& kind =
        kKinds[static_cast<std::size_t>(uniform(rng, 0, static_cast<int>(kKinds.size()) - 1))];
    const int n = uniform(rng, 1, uniform(rng, 1, 50)), core = uniform(rng, -1, n);
    const Dtype dtype = kDtypes[uniform(rng, 0, 3)];
    const Graph graph = graphOf(kind, n, rng, dtype);
    const auto which = [&] {
      return fmt::format("{} n={} core {} {}: graph {} of seed {}", kind.name, n, core,
                         nameOf(dtype), graphs, kFresh);
    };
    withType(dtype, [&](auto zero) {
      using T = decltype(zero);
      const std::vector<T> sparsely = solvedSparsely<T>(graph, core, "", 1);
      EXPECT_EQ(0u, differences(sparsely, solvedByRef<T>(graph), graph)) << which();
      EXPECT_EQ(0u, differences(sparsely, solvedByDijkstra<T>(graph), graph)) << which();
      if (graph.n > 1 && uniform(rng, 0, 9) == 0) {
        EXPECT_TRUE(verifyByArcs(graph, HostDistances(n, sparsely), n).passed()) << which();
      }
    });
  }
}

// ---- wrong results ------------------------------------------------------------------------------

/// What the solver finds for `given`, verified as the distances of `asked`.
Verdict verdictOf(const Graph& given, const Graph& asked) {
  const Solved got = solved(copyOf(given), with(Method::kSparse));
  return verifyByArcs(asked, HostDistances(asked.n, got.distances.data()), asked.n);
}

TEST(SparseFaults, AWrongArcIsFound) {
  const Graph graph = generate(specOf(familyIndex("grid"), 225, 9));
  EXPECT_TRUE(verdictOf(graph, graph).passed());
  std::size_t matter = 0;
  for (std::size_t at = 0; at < graph.edgeCount(); at += 50) {
    for (const int by : {-1, 1}) {
      auto edges = graph.edges<std::int32_t>();
      edges[at].weight += by;
      const Graph other = fromEdges(graph.n, std::move(edges));
      if (solvedByRef(other) == solvedByRef(graph)) continue;
      ++matter;
      EXPECT_TRUE(verdictOf(other, graph).failed()) << at;
      EXPECT_TRUE(verdictOf(graph, other).failed()) << at;
    }
  }
  EXPECT_GE(matter, 5u);
}

/// A table of int32 with one wrong entry.
class WrongTable : public Distances {
 public:
  WrongTable(const Distances& right, const Selection& asked, int row, int column)
      : Distances(right.n(), right.dtype(), &asked), right_(right), row_(row), column_(column) {}
  void rows(int begin, int end, const RowVisitor& visit) const override {
    PickedDistances(right_, asked())
        .rows(begin, end, [&](int first, int count, ConstElements rows) {
          const auto* const right = rows.as<std::int32_t>();
          std::vector<std::int32_t> wrong(right, right + std::ptrdiff_t{count} * columns());
          if (row_ >= first && row_ < first + count)
            wrong[static_cast<std::size_t>((row_ - first) * columns() + column_)] += 1;
          visit(first, count, wrong.data());
        });
  }

 private:
  Selection asked() const {
    Selection same;
    for (int i = 0; i < rowCount(); ++i) same.sources.push_back(source(i));
    for (int j = 0; j < columns(); ++j) same.targets.push_back(target(j));
    return same;
  }
  const Distances& right_;
  const int row_, column_;
};

TEST(SparseFaults, AWrongEntryOfATableIsFound) {
  Rng rng(kFresh);
  const Graph graph = generate(specOf(familyIndex("grid"), 400, 1));
  const std::vector<std::int32_t> expected = solvedByRef(graph);
  const HostDistances all(400, expected);
  const Selection rows = {{7, 399, 7, 100}}, table = {{7, 399, 100}, {5, 5, 9, 0}};
  const PickedDistances rightRows(all, rows), right(all, table);
  EXPECT_TRUE(verifyByArcs(graph, rightRows, 4).passed());
  EXPECT_TRUE(verifyByDijkstra(graph, right, 3).passed());
  for (int trial = 0; trial < 20; ++trial) {
    const int row = uniform(rng, 0, 3), column = uniform(rng, 0, 399);
    const Verdict verdict = verifyByArcs(graph, WrongTable(all, rows, row, column), 4);
    EXPECT_TRUE(verdict.failed());
    EXPECT_EQ(rows.sources[static_cast<std::size_t>(row)], verdict.mismatch.i);
  }
  const WrongTable wrong(all, table, 2, 3);
  for (const Mismatch& found :
       {verifyByDijkstra(graph, wrong, 3).mismatch, compare(wrong, right, 0)}) {
    EXPECT_EQ(1u, found.count);
    EXPECT_EQ(100, found.i);
    EXPECT_EQ(0, found.j);
    EXPECT_EQ(toDouble(found.expected) + 1, toDouble(found.got));
  }
}

TEST(SparseFaults, ADroppedVertexIsFound) {
  const Graph graph = generate(specOf(familyIndex("grid"), 225, 9));
  for (const int dropped : {0, 112, 224}) {
    auto edges = graph.edges<std::int32_t>();
    edges.erase(std::remove_if(edges.begin(), edges.end(),
                               [&](const auto& e) { return e.from == dropped || e.to == dropped; }),
                edges.end());
    EXPECT_TRUE(verdictOf(fromEdges(graph.n, std::move(edges)), graph).failed()) << dropped;
  }
}

TEST(SparseFaults, EveryWrongEntryIsFoundAlsoAmongZeroWeights) {
  Rng rng(kFresh);  // 41: one row of each group and one entry of each row are left over
  const auto expectFound = [](const Graph& graph, auto zero) {
    using T = decltype(zero);
    std::vector<T> numbers = solvedByRef<T>(graph);
    const auto verdict = [&] { return verifyByArcs(graph, HostDistances(41, numbers), 41); };
    EXPECT_TRUE(verdict().passed()) << "seed " << kFresh;
    constexpr T none = kInfinity<T>;
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      const T right = numbers[at];
      for (const T wrong : {right - 1, right + 1, T(0), T(7), none, none + 1, T(-1)}) {
        if (wrong == right) continue;
        numbers[at] = wrong;
        const Mismatch found = verdict().mismatch;
        ASSERT_GE(found.count, 1u) << wrong << " for " << right << " seed " << kFresh;
        ASSERT_EQ(static_cast<int>(at / 41), found.i);
      }
      numbers[at] = right;
    }
  };
  for (const std::size_t kind : {2, 3, 4})
    for (const Dtype dtype : {Dtype::kInt32, Dtype::kInt64})
      withType(dtype, [&](auto zero) {
        if constexpr (std::is_integral_v<decltype(zero)>)
          expectFound(graphOf(kKinds[kind], 41, rng, dtype), zero);
      });
}

/// A circle of weight 0 far from the sources could give itself any distance.
TEST(SparseFaults, CirclesOfLengthZeroDoNotSupportThemselves) {
  const Graph graph = fromEdges<std::int32_t>(
      6, {{0, 1, 3}, {1, 2, 9}, {2, 3, 0}, {3, 4, 0}, {4, 2, 0}, {4, 5, 0}, {5, 0, 1}});
  std::vector<std::int32_t> numbers = solvedByRef(graph);
  const auto verdict = [&] { return verifyByArcs(graph, HostDistances(6, numbers), 6); };
  EXPECT_TRUE(verdict().passed());
  for (const int wrong : {2, 11, 13}) {  // 12 is right
    const std::vector<std::int32_t> kept = numbers;
    for (const std::size_t j : {2u, 3u, 4u, 5u}) numbers[j] = wrong;
    EXPECT_TRUE(verdict().failed()) << wrong;
    numbers = kept;
  }
}

/// near: what a number may be multiplied by.
template <class T>
void expectTakenWithinTolerance(T near) {
  Spec spec = specOf(familyIndex("grid"), 100, 3);
  spec.dtype = kDtype<T>;
  const Graph graph = generate(spec);
  std::vector<T> numbers = solvedByRef<T>(graph);
  const auto verdict = [&] { return verifyByArcs(graph, HostDistances(100, numbers), 100); };
  T& entry = numbers[7 * 100 + 55];
  const T right = entry;
  entry = right * near;
  EXPECT_TRUE(verdict().passed());
  EXPECT_EQ(withinOfEdges("bellman:100", kDtype<T>, 2), verdict().how);
  for (const T wrong : {right * T(0.999), right * T(1.001), T(0), -right, kInfinity<T>,
                        std::numeric_limits<T>::quiet_NaN()}) {
    entry = wrong;
    EXPECT_TRUE(verdict().failed()) << wrong;
    EXPECT_EQ(7, verdict().mismatch.i);
  }
}

TEST(SparseFaults, RealsAreTakenWithinTheirTolerance) {
  expectTakenWithinTolerance(1 + 1e-7F);
  expectTakenWithinTolerance(1 + 4e-16);
}

}  // namespace
