// What a call of the library costs beside the solver itself.
//
// On a CPU, in one thread: small graphs, and one source of a larger one, beside a plain Dijkstra.
// What is prepared for large graphs must not be felt there: 5 µs for n = 10, 50 µs for n = 64, and
// one source of n = 1000 within 1.5 times Dijkstra's time.
//
// On a GPU: the same calls of small graphs, 60 µs for n = 64; of graphs whose edges are in its
// memory, where the distances go, too; apsp_solve_matrix() on a matrix in its memory, and what it
// calls. What is in its memory is timed by the host's clock until the device is idle. The matrix of
// a call holds the distances that the call before it left. That changes no time, because the solver
// reads every element in any case.
//
//   make bench && build/cuda/bench/library_bench --benchmark_filter=cpu
#include <apsp/apsp.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/main.h"
#include "generate/source.h"
#include "solver/solver.h"

namespace {

/// Four edges from each vertex, at random.
struct Edges4 {
  int n;
  std::vector<std::int32_t> offsets = {0}, heads, weights;

  explicit Edges4(int vertices) : n(vertices) {
    std::mt19937 random(1);
    for (int u = 0; u < n; ++u) {
      for (int k = 0; k < 4; ++k) {
        heads.push_back(static_cast<int>(random() % static_cast<unsigned>(n)));
        weights.push_back(1 + static_cast<int>(random() % 100));
      }
      offsets.push_back(static_cast<int>(heads.size()));
    }
  }
};

/// Dijkstra's algorithm as it is taught. distances: (n)
void plainDijkstra(const Edges4& edges, int source, std::int32_t* distances) {
  using Walk = std::pair<int, int>;
  std::priority_queue<Walk, std::vector<Walk>, std::greater<>> queue;
  std::fill_n(distances, edges.n, APSP_INFINITY);
  distances[source] = 0;
  queue.emplace(0, source);
  while (!queue.empty()) {
    const auto [length, u] = queue.top();
    queue.pop();
    if (length != distances[u]) continue;
    for (int e = edges.offsets[u]; e < edges.offsets[u + 1]; ++e) {
      const int next = length + edges.weights[e];
      if (next >= distances[edges.heads[e]]) continue;
      distances[edges.heads[e]] = next;
      queue.emplace(next, edges.heads[e]);
    }
  }
}

void require(apsp_status status) {
  if (status != APSP_OK) throw std::runtime_error(apsp_last_error());
}

enum class Way { kSolve, kPlan, kMatrix, kDijkstra };

/// Distances from `sources` vertices, in the caller's memory; sources: n, or 1.
void measureSmall(benchmark::State& state, Way way, apsp_place place) {
  guarded(state, [&] {
    const int n = static_cast<int>(state.range(0)), sources = static_cast<int>(state.range(1));
    const Edges4 edges(n);
    const std::int32_t first = 0;
    apsp_options options;
    apsp_options_init(&options, sizeof options);
    options.place = place;
    options.threads = 1;
    if (sources < n) {
      options.sources = &first;
      options.source_count = 1;
    }
    apsp_graph* graph = nullptr;
    require(apsp_graph_csr32(n, edges.offsets.data(), edges.heads.data(), APSP_INT32,
                             edges.weights.data(), &graph));
    const std::unique_ptr<apsp_graph, decltype(&apsp_graph_free)> graphs(graph, apsp_graph_free);
    apsp_plan* plan = nullptr;
    require(apsp_plan_make(graph, &options, &plan));
    const std::unique_ptr<apsp_plan, decltype(&apsp_plan_free)> plans(plan, apsp_plan_free);
    std::vector<std::int32_t> distances(static_cast<std::size_t>(n) * sources), weights;
    if (way == Way::kMatrix) {
      weights.assign(distances.size(), APSP_INFINITY);
      for (int u = 0; u < n; ++u)
        for (int e = edges.offsets[u]; e < edges.offsets[u + 1]; ++e)
          weights[static_cast<std::size_t>(u) * n + edges.heads[e]] = edges.weights[e];
    }
    for ([[maybe_unused]] auto once : state) {
      if (way == Way::kDijkstra) {
        for (int source = 0; source < sources; ++source)
          plainDijkstra(edges, source, distances.data() + static_cast<std::size_t>(source) * n);
      } else if (way == Way::kMatrix) {
        std::copy(weights.begin(), weights.end(), distances.begin());
        require(apsp_solve_matrix(n, APSP_INT32, distances.data(), APSP_HOST, &options));
      } else {
        apsp_result* result = nullptr;
        require(way == Way::kPlan ? apsp_plan_solve(plan, graph, &result)
                                  : apsp_solve(graph, &options, &result));
        require(apsp_result_rows(result, 0, sources, distances.data()));
        apsp_result_free(result);
      }
      benchmark::DoNotOptimize(distances.data());
    }
  });
}

const Device& theGpu() {
  std::string why;
  const Device* const gpu = findGpu(why);
  if (gpu == nullptr) throw std::runtime_error("no GPU: " + why);
  return *gpu;
}

/// Edges and distances in the GPU's memory. stream: null, or a cudaStream_t.
void measureThere(benchmark::State& state, void* stream) {
  guarded(state, [&] {
    const Device& gpu = theGpu();
    const int n = static_cast<int>(state.range(0));
    const Edges4 edges(n);
    const auto copyOf = [&](const std::vector<std::int32_t>& array) {
      auto copy = std::make_unique<const DeviceElements>(gpu, Dtype::kInt32, array.size());
      upload(gpu, copy->data(), array.data(), array.size());
      return copy;
    };
    const auto offsets = copyOf(edges.offsets), heads = copyOf(edges.heads),
               weights = copyOf(edges.weights);
    const DeviceMatrix distances(gpu, n);
    apsp_options options;
    apsp_options_init(&options, sizeof options);
    options.place = APSP_GPU;
    options.stream = stream;
    apsp_graph* graph = nullptr;
    require(apsp_graph_csr32(n, offsets->data().as<std::int32_t>(),
                             heads->data().as<std::int32_t>(), APSP_INT32, weights->data().data(),
                             &graph));
    const std::unique_ptr<apsp_graph, decltype(&apsp_graph_free)> graphs(graph, apsp_graph_free);
    require(apsp_graph_set_memory(graph, APSP_DEVICE));
    for ([[maybe_unused]] auto once : state) {
      apsp_result* result = nullptr;
      require(apsp_solve(graph, &options, &result));
      const std::unique_ptr<apsp_result, decltype(&apsp_result_free)> results(result,
                                                                              apsp_result_free);
      require(apsp_result_matrix(result, distances.data().data(), n, APSP_DEVICE));
      gpu.synchronise();
    }
  });
}

using Solve = void (*)(const Device& gpu, int n, Elements matrix);

void seam(const Device& gpu, int n, Elements matrix) {
  solveOnGpu(gpu, n, matrix, {});
}

void library(const Device&, int n, Elements matrix) {
  if (apsp_solve_matrix(n, APSP_INT32, matrix.data(), APSP_DEVICE, nullptr) != APSP_OK)
    throw std::runtime_error(apsp_last_error());
}

void measure(benchmark::State& state, Solve solve) {
  guarded(state, [&] {
    const Device& gpu = theGpu();
    Spec spec;
    spec.n = static_cast<int>(state.range(0));
    const DeviceMatrix matrix(gpu, spec.n);
    generateOn(gpu, spec, matrix.data());
    for ([[maybe_unused]] auto once : state) {
      solve(gpu, spec.n, matrix.data());
      gpu.synchronise();
    }
  });
}

void registerAll() {
  for (const auto& [name, way] : {std::pair<const char*, Way>("cpu/solve", Way::kSolve),
                                  {"cpu/plan_solve", Way::kPlan},
                                  {"cpu/solve_matrix", Way::kMatrix},
                                  {"cpu/dijkstra", Way::kDijkstra}}) {
    auto* const row = benchmark::RegisterBenchmark(name, measureSmall, way, APSP_CPU);
    for (const int n : {10, 64, 200, 1000}) row->Args({n, n});
    if (way != Way::kMatrix) row->Args({1000, 1});
    row->Unit(benchmark::kMicrosecond)->UseRealTime();
  }
  for (const auto& [name, way] : {std::pair<const char*, Way>("gpu/solve", Way::kSolve),
                                  {"gpu/plan_solve", Way::kPlan},
                                  {"gpu/solve_matrix", Way::kMatrix}}) {
    auto* const row = benchmark::RegisterBenchmark(name, measureSmall, way, APSP_GPU);
    for (const int n : {10, 64, 200}) row->Args({n, n});
    row->Unit(benchmark::kMicrosecond)->UseRealTime();
  }
  void* const legacy = reinterpret_cast<void*>(1);  // cudaStreamLegacy: the default one, by name
  for (const auto& [name, stream] :
       {std::pair<const char*, void*>("gpu/there", nullptr), {"gpu/there_on_stream", legacy}}) {
    auto* const row = benchmark::RegisterBenchmark(name, measureThere, stream);
    for (const int n : {10, 64, 200, 1000}) row->Arg(n);
    row->Unit(benchmark::kMicrosecond)->UseRealTime();
  }
  for (const auto& [name, solve] :
       {std::pair<const char*, Solve>("engine", seam), {"library", library}})
    benchmark::RegisterBenchmark(name, measure, solve)
        ->Arg(64)
        ->Arg(1000)
        ->Arg(4000)
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime()
        ->Repetitions(5)
        ->ReportAggregatesOnly();
}

}  // namespace

int main(int argc, char** argv) {
  return runBenchmarks(argc, argv, registerAll);
}
