#include "plan/edges_in_place.h"

#include <omp.h>

#include <utility>

#include "base/clock.h"
#include "base/memory.h"
#include "base/size.h"
#include "plan/choice.h"
#include "sparse/rates.h"

namespace engine::plan {

namespace {

/// The graph of a matrix in host memory, as edges.
Graph edgesOf(int n, ConstElements matrix) {
  return withElements(matrix, [&](const auto* all) {
    using T = NumberAt<decltype(all)>;
    Edges<T> edges;
    for (int i = 0; i < n; ++i) {
      const T* const row = all + asSize(i) * asSize(n);
      for (int j = 0; j < n; ++j)
        if (i != j && row[j] < kInfinity<T>) edges.push_back({i, j, row[j]});
    }
    Graph graph;
    graph.n = n;
    graph.body = std::move(edges);
    return graph;
  });
}

/// The same of a matrix in a device's memory.
Graph edgesThere(const Device& device, int n, Elements matrix) {
  if (!onGpu(device)) return edgesOf(n, matrix);
  Matrix host(n, matrix.dtype());
  download(device, host.data(), matrix, host.size());
  return edgesOf(n, host.data());
}

}  // namespace

void onDevice(const Device& device, int n, Elements matrix,
              const std::function<void(Elements)>& work) {
  if (!onGpu(device)) return work(matrix);
  const DeviceMatrix copy(device, n, matrix.dtype());
  upload(device, copy.data(), matrix, copy.size());
  work(copy.data());
  download(device, matrix, copy.data(), copy.size());
}

Outcome solveMatrix(const Device& device, int n, Elements matrix,
                    const sparse::CoreSolver& solveCore) {
  const Dtype dtype = matrix.dtype();
  Outcome outcome;
  outcome.method = Method::kSparse;
  outcome.tier = tierOf(dtype);
  const bool gpu = onGpu(device);
  const Graph graph = edgesThere(device, n, matrix);
  const sparse::Rates rates = sparse::ratesOn(device, dtype);
  const Survey survey = sparse::surveyOf(graph, rates, eliminatesFor(device));
  sparse::Prepared ready(survey, graph, {solveCore, omp_get_max_threads()}, outcome.sweeping);
  outcome.sweeping.sweep = millisecondsOf([&] {
    if (!gpu) return ready.sweep(0, n, matrix);
    ready.onGpu()->all(matrix);
    device.finish();
  });
  return outcome;
}

Outcome solveMatrixByLevels(const Device& device, int n, Elements matrix) {
  const Graph graph = edgesThere(device, n, matrix);
  if (!bfs::commonWeight(graph)) refuseWeights();
  Outcome outcome;
  outcome.method = Method::kBfs;
  outcome.tier = tierOf(matrix.dtype());
  if (onGpu(device)) {
    const auto levels = gpuLevelsOf({device, graph});
    levels->all(matrix);
    device.finish();
    outcome.levelling = levels->done();
  } else {
    const auto levels = levelsOf({device, graph});
    levels->solve(0, n, matrix);
    outcome.levelling = levels->done();
  }
  return outcome;
}

std::size_t solveMatrixBytes(int n, Dtype dtype) {
  // The edges, the pattern of both directions, and a core of all vertices with the solver's tiles.
  return 8 * matrixBytes(n, dtype) + allowedBytes(n, dtype);
}

}  // namespace engine::plan
