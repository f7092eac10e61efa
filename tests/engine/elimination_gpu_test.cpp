// What a GPU eliminates in rounds, against the plain triple loop, bit for bit (real weights: within
// the tolerance): random graphs of all kinds, hubs that are frozen, and many small graphs at once.
#include "sparse/elimination_gpu.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/graph.h"
#include "base/size.h"
#include "base/tolerance.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "seed.h"
#include "small_graphs.h"
#include "solver/problem.h"
#include "solver/solver.h"
#include "sparse/prepared.h"
#include "sparse/rates.h"
#include "verify/verify.h"

namespace {

const std::uint32_t kFresh = testSeed();

class GpuElimination : public OnGpu<> {
 protected:
  std::shared_ptr<sparse::GpuElimination> eliminated(const Graph& graph) const {
    auto found = sparse::eliminateOnGpu(graph);
    EXPECT_NE(found, nullptr);
    return found;
  }

  /// What makes rows. Vertex i of these is vertex (i − by) mod n of the graph.
  std::unique_ptr<RowSource> sweepsOf(const Graph& graph, int by,
                                      const Selection* table = nullptr) const {
    const auto core = [this](int n, Elements matrix) {
      withElements(matrix, [&](auto* there) {
        std::vector<NumberAt<decltype(there)>> host(asSize(n) * asSize(n));
        download(*gpu_, host.data(), matrix, host.size());
        apspScalar(n, host.data());
        upload(*gpu_, matrix, host.data(), host.size());
      });
    };
    Sweeping done;
    return eliminated(graph)->sweeps(core, by, done, table);
  }

  /// All distances, in bands of so many rows if that is not 0.
  template <class T>
  std::vector<T> solved(const Graph& graph, int band = 0, int by = 0) const {
    const auto sweeps = sweepsOf(graph, by);
    const auto n = asSize(graph.n);
    const DeviceElements there(*gpu_, kDtype<T>, std::max<std::size_t>(1, n * n));
    std::vector<T> host(n * n, T(-1));
    upload(*gpu_, there.data(), host.data(), host.size());
    if (band == 0) sweeps->all(there.data());
    for (int first = 0; band > 0 && first < graph.n; first += band)
      sweeps->rows(first, std::min(band, graph.n - first), there.data() + asSize(first) * n);
    gpu_->synchronise();
    download(*gpu_, host.data(), there.data(), host.size());
    return host;
  }

  /// With weights of all types, at once and in bands, with and without other numbers.
  void expectRight(int n, const IntEdges& edges, const std::string& what) const {
    for (const Dtype dtype : kDtypes)
      withType(dtype, [&](auto zero) {
        using T = decltype(zero);
        const Graph graph = as<T>(n, edges);
        const std::vector<T> expected = byPlainLoopOf<T>(graph);
        const double allowed = tolerance(n, dtype, 2);
        for (const int band : {0, 1 + n / 3, n - n / 8})
          for (const int by : {0, n / 2}) {
            const std::vector<T> got = solved<T>(graph, band, by);
            std::size_t wrong = 0;
            for (int i = 0; i < n; ++i)
              for (int j = 0; j < n; ++j) {
                const std::size_t there = asSize((i + by) % n) * asSize(n) + asSize((j + by) % n);
                wrong += !agree(got[there], expected[asSize(i) * asSize(n) + asSize(j)], allowed);
              }
            EXPECT_EQ(wrong, 0U) << what << " n=" << n << " " << nameOf(dtype) << " band " << band
                                 << " by " << by << " seed " << kFresh;
          }
      });
  }

  /// A table, in parts of so many rows if that is not 0.
  template <class T>
  std::vector<T> tableOf(const Graph& graph, const Selection& asked, int part, int by) const {
    const auto sweeps = sweepsOf(graph, by, &asked);
    const int rows = asked.rows(graph.n);
    const auto columns = asSize(asked.columns(graph.n));
    const DeviceElements there(*gpu_, kDtype<T>, asSize(rows) * columns);
    std::vector<T> host(asSize(rows) * columns, T(-1));
    upload(*gpu_, there.data(), host.data(), host.size());
    if (part == 0) sweeps->all(there.data());
    for (int first = 0; part > 0 && first < rows; first += part)
      sweeps->rows(first, std::min(part, rows - first), there.data() + asSize(first) * columns);
    gpu_->synchronise();
    download(*gpu_, host.data(), there.data(), host.size());
    return host;
  }

  /// With weights of all types.
  void expectTable(int n, const IntEdges& edges, const Selection& asked, int part, int by) const {
    for (const Dtype dtype : kDtypes)
      withType(dtype, [&](auto zero) {
        using T = decltype(zero);
        const Graph graph = as<T>(n, edges);
        const std::vector<T> all = byPlainLoopOf<T>(graph);
        const std::vector<T> got = tableOf<T>(graph, asked, part, by);
        const auto before = [&](int vertex) { return asSize((vertex + n - by) % n); };
        std::size_t wrong = 0, at = 0;
        for (int i = 0; i < asked.rows(n); ++i)
          for (int j = 0; j < asked.columns(n); ++j, ++at)
            wrong +=
                !agree(got[at], all[before(asked.source(i)) * asSize(n) + before(asked.target(j))],
                       tolerance(n, dtype, 2));
        EXPECT_EQ(wrong, 0U) << "n=" << n << " " << asked.sources.size() << " x "
                             << asked.targets.size() << " " << nameOf(dtype) << " part " << part
                             << " by " << by << " seed " << kFresh;
      });
  }
};

IntEdges randomEdges(Rng& rng, int n, int most, bool local) {
  IntEdges edges;
  for (int i = n > 1 ? uniform(rng, n / 2, most * n) : 0; i > 0; --i) {
    const int from = uniform(rng, 0, n - 1);
    const int to = local ? std::min(n - 1, from + uniform(rng, 0, 4)) : uniform(rng, 0, n - 1);
    join(edges, from, to, uniform(rng, 0, 1000));
  }
  return edges;
}

/// Some vertices several times, and none: all of them.
std::vector<int> someVertices(Rng& rng, int n) {
  const int counts[] = {0, 1, 2, 7, 8, 9, 31, 33, 64, 130};
  std::vector<int> some(asSize(counts[uniform(rng, 0, static_cast<int>(std::size(counts)) - 1)]));
  const int beyond = uniform(rng, 0, 1) == 0 ? n - 1 : std::min(n - 1, 40);
  for (int& vertex : some) vertex = uniform(rng, 0, beyond);
  return some;
}

TEST_F(GpuElimination, MakesTablesOfAnyVertices) {
  Rng rng(kFresh);
  for (const int n : {1, 2, 5, 33, 64, 129, 300, 700})
    for (int time = 0; time < 6; ++time) {
      const IntEdges edges = randomEdges(rng, n, 2, time % 2 == 0);
      const Selection asked{someVertices(rng, n), someVertices(rng, n)};
      if (!asked.all()) expectTable(n, edges, asked, time / 2 * 5, time % 3 == 0 ? n / 2 : 0);
    }
}

/// A run finds a table on the GPU, with a matrix beside it and without.
TEST_F(GpuElimination, RunsGiveTables) {
  Rng rng(kFresh);
  Spec spec = specOf(familyIndex("grid"), 900, kFresh);
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) {
      using T = decltype(zero);
      spec.dtype = dtype;
      const ProblemGraph graph(generate(spec));
      const std::vector<T> all = byPlainLoopOf<T>(graph.onHost());
      for (const Method method : {Method::kAuto, Method::kSparse})
        for (int time = 0; time < 4; ++time) {
          const Selection asked{someVertices(rng, spec.n), someVertices(rng, spec.n)};
          if (asked.all()) continue;
          Options options;
          options.method = method;
          const auto run =
              prepareAsked(findSolver("apsp", DeviceKind::kGpu), {graph, &asked}, {*gpu_, options});
          run->reset();
          const Call call = run->solve();
          if (method == Method::kSparse) {
            EXPECT_EQ(method, call.outcome.method);
          }
          std::size_t wrong = 0, seen = 0;
          run->distances().rows(
              0, asked.rows(spec.n), [&](int first, int count, ConstElements rows) {
                for (int i = first; i < first + count; ++i)
                  for (int j = 0; j < asked.columns(spec.n); ++j, ++seen)
                    wrong += !agree(
                        rows.as<T>()[(i - first) * asked.columns(spec.n) + j],
                        all[asSize(asked.source(i)) * asSize(spec.n) + asSize(asked.target(j))],
                        tolerance(spec.n, dtype, 2));
              });
          EXPECT_EQ(wrong, 0U) << nameOf(dtype) << " " << nameOf(method) << " seed " << kFresh;
          EXPECT_EQ(seen, asSize(asked.rows(spec.n)) * asSize(asked.columns(spec.n)));
        }
    });
}

/// A grid: in place, with many rows beside the wanted ones and few, and transposed; and columns.
/// Bands begin and end anywhere in sectors, and a lane has one, two or four targets.
TEST_F(GpuElimination, MakesBandsInEitherWay) {
  for (const int side : {24, 73, 93}) {
    Rng rng(kFresh);
    const int n = side * side;
    IntEdges edges;
    for (int v = 0; v < n; ++v) {
      if (v % side + 1 < side) join(edges, v, v + 1, uniform(rng, 1, 1000));
      if (v + side < n) join(edges, v, v + side, uniform(rng, 1, 1000));
    }
    for (const Dtype dtype : kDtypes)
      withType(dtype, [&](auto zero) {
        using T = decltype(zero);
        if (side == 93 && !isWhole(dtype)) return;  // these take long
        const Graph graph = as<T>(n, edges);
        const std::vector<T> expected = solved<T>(graph);
        const double allowed = tolerance(n, dtype, 2);
        for (const int band : {n, n / 2 + 1, n / 3, n / 5 + 3, n / 40}) {
          const std::vector<T> got = solved<T>(graph, band);
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < got.size(); ++i)
            wrong += !agree(got[i], expected[i], allowed);
          EXPECT_EQ(wrong, 0U) << "n=" << n << " band " << band << " " << nameOf(dtype) << " seed "
                               << kFresh;
        }
        Selection columns;
        for (int v = 5; v < n - 4; ++v) columns.targets.push_back(v);
        const std::vector<T> got = tableOf<T>(graph, columns, 0, 0);
        std::size_t wrong = 0, at = 0;
        for (std::size_t i = 0; i < asSize(n); ++i)
          for (const int v : columns.targets)
            wrong += !agree(got[at++], expected[i * asSize(n) + asSize(v)], allowed);
        EXPECT_EQ(wrong, 0U) << "n=" << n << " columns " << nameOf(dtype) << " seed " << kFresh;
      });
  }
}

TEST_F(GpuElimination, SolvesRandomGraphsOfAllSizes) {
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
    for (const int n : {1, 2, 3, 5, 31, 32, 33, 64, 65, 129, 300}) {
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

/// A vertex with more than 128 neighbours is frozen. Paths between two of them are in no list.
TEST_F(GpuElimination, HubsAreFrozen) {
  Rng rng(kFresh);
  for (const int leaves : {126, 127, 128, 129, 130, 257}) {
    for (const int hubs : {1, 2, 3}) {
      for (const bool adjacent : {false, true}) {
        IntEdges edges;
        for (int leaf = 0; leaf < leaves; ++leaf)
          for (int hub = 0; hub < hubs; ++hub) join(edges, hub, hubs + leaf, uniform(rng, 1, 1000));
        for (int hub = 1; adjacent && hub < hubs; ++hub)
          edges.push_back({hub - 1, hub, uniform(rng, 1, 1000)});
        expectRight(hubs + leaves, edges, fmt::format("{} hubs", hubs));
      }
    }
  }
}

/// Around the length of a list, and where lists grow until vertices are frozen.
TEST_F(GpuElimination, ListsAreFilledToTheEnd) {
  Rng rng(kFresh);
  for (const int clique : {33, 65, 127, 128, 129, 130, 140}) {
    IntEdges edges;
    for (int i = 0; i < clique; ++i)
      for (int j = 0; j < clique; ++j)
        if (i != j) edges.push_back({i, j, uniform(rng, 1, 1000)});
    join(edges, clique - 1, clique, 1);  // and a tail
    join(edges, clique, clique + 1, 1);
    expectRight(clique + 2, edges, "clique");
  }
  for (const int degree : {3, 8, 20}) {
    IntEdges edges;
    const int n = 600;
    for (int i = 0; i < degree * n / 2; ++i)
      join(edges, uniform(rng, 0, n - 1), uniform(rng, 0, n - 1), uniform(rng, 0, 1000));
    expectRight(n, edges, fmt::format("degree {}", degree));
  }
}

/// Small graphs beside each other are one graph whose components are solved together. In the long
/// run, they are a million.
TEST_F(GpuElimination, SolvesManySmallGraphs) {
  constexpr int kGraphs = 120;
  const int times = (graphsToTry(10 * kGraphs) + kGraphs - 1) / kGraphs;
  Rng rng(kFresh);
  for (int time = 0; time < times; ++time) {
    IntEdges edges;
    std::vector<int> begin = {0};
    for (int graph = 0; graph < kGraphs; ++graph) {
      const int size = uniform(rng, 1, 24), first = begin.back();
      const int most = uniform(rng, 0, 3) == 0 ? 0 : uniform(rng, 1, 1 << uniform(rng, 0, 16));
      for (int i = uniform(rng, 0, 5 * size); i > 0; --i) {
        const int from = first + uniform(rng, 0, size - 1), to = first + uniform(rng, 0, size - 1);
        edges.push_back({from, to, uniform(rng, 0, most)});
        if (uniform(rng, 0, 1) == 0) edges.push_back({to, from, uniform(rng, 0, most)});
      }
      begin.push_back(first + size);
    }
    const int n = begin.back();
    const Graph graph = as<std::int32_t>(n, edges);
    const std::vector<std::int32_t> got = solved<std::int32_t>(graph);
    std::size_t wrong = 0, reached = 0;
    auto next = graph.edges<std::int32_t>().begin();  // of edges in order of `from`
    for (int g = 0; g < kGraphs; ++g) {
      const int first = begin[asSize(g)], size = begin[asSize(g) + 1] - first;
      IntEdges own;
      for (; next != graph.edges<std::int32_t>().end() && next->from < first + size; ++next)
        own.push_back({next->from - first, next->to - first, next->weight});
      const auto expected = byPlainLoopOf<std::int32_t>(as<std::int32_t>(size, own));
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
          const std::int32_t distance = expected[asSize(i * size + j)];
          wrong += got[asSize(first + i) * asSize(n) + asSize(first + j)] != distance;
          reached += distance < kInf;
        }
    }
    const auto found = std::count_if(got.begin(), got.end(), [](auto d) { return d < kInf; });
    EXPECT_EQ(wrong, 0U) << "seed " << kFresh << ", time " << time;
    EXPECT_EQ(asSize(found), reached) << "seed " << kFresh << ", time " << time;
  }
}

/// No race decides anything, and sums of reals depend on nothing else.
TEST_F(GpuElimination, FindsTheSameEachTime) {
  Spec spec = specOf(familyIndex("grid"), 2500, kFresh);
  spec.dtype = Dtype::kFloat32;
  Rng rng(kFresh);
  IntEdges edges;
  constexpr int kSide = 14;
  for (int i = 0; i < kSide * kSide * kSide; ++i)  // in space, lists fill what there is most
    for (const int step : {1, kSide, kSide * kSide})
      if (i / step % kSide + 1 < kSide) edges.push_back({i, i + step, uniform(rng, 1, 1'000'000)});
  for (const Graph& graph : {generate(spec), as<float>(kSide * kSide * kSide, edges)}) {
    const std::vector<float> first = solved<float>(graph);
    const auto one = eliminated(graph);
    EXPECT_LT(one->coreSize, graph.n / 2);
    EXPECT_GT(one->rounds, 5);
    for (int time = 0; time < 5; ++time) {
      const auto other = eliminated(graph);
      EXPECT_EQ(one->coreSize, other->coreSize);
      EXPECT_EQ(one->rounds, other->rounds);
      EXPECT_EQ(one->arcs, other->arcs);
      EXPECT_EQ(first, solved<float>(graph)) << "n=" << graph.n << " seed " << kFresh;
    }
  }
}

/// A path is eliminated in few rounds, and to the end.
TEST_F(GpuElimination, PathsAndStarsTakeFewRounds) {
  IntEdges path, star;
  for (int i = 1; i < 4000; ++i) {
    join(path, i - 1, i, i);
    join(star, 0, i, i);
  }
  EXPECT_LE(eliminated(as<std::int32_t>(4000, path))->rounds, 60);
  EXPECT_LE(eliminated(as<std::int32_t>(4000, path))->coreSize, 200);
  EXPECT_EQ(eliminated(as<std::int32_t>(4000, star))->rounds, 1);
  EXPECT_EQ(eliminated(as<std::int32_t>(4000, star))->coreSize, 1);
}

}  // namespace
