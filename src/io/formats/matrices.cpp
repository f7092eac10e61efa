#include "io/formats/matrices.h"

#include "core/memory.h"

Graph fromMatrix(Matrix matrix, Dtype dtype, const Zeros& zeros) {
  Graph graph;
  graph.n = matrix.n();
  graph.dtype = dtype;
  graph.zeros = zeros.count();
  graph.zero = zeros.meaning();
  for (int i = 0; i < graph.n; ++i) {
    int& entry = matrix.row(i)[i];
    graph.selfLoops += entry != 0 && entry != infinity(dtype);
    if (entry < 0 && (!graph.negativeLoop || isLess(entry, graph.negativeLoop->weight, dtype)))
      graph.negativeLoop = Edge{i, i, entry};
    entry = 0;
  }
  graph.body = std::move(matrix);
  return graph;
}

void transpose(Matrix& matrix) {
  constexpr int kTile = 32;  // a tile and its mirror image stay in the L1 cache
  const int n = matrix.n();
#pragma omp parallel for schedule(dynamic)
  for (int top = 0; top < n; top += kTile)
    for (int left = 0; left <= top; left += kTile)
      for (int i = top; i < std::min(top + kTile, n); ++i)
        for (int j = left; j < std::min(left + kTile, i); ++j)
          std::swap(matrix.row(i)[j], matrix.row(j)[i]);
}

std::size_t countEdges(const Graph& graph) {
  if (!graph.dense()) return graph.edges().size();
  const int* matrix = graph.matrix().data();
  const std::size_t size = graph.matrix().size();
  const int none = infinity(graph.dtype);
  std::size_t count = 0;
#pragma omp parallel for simd reduction(+ : count)
  for (std::size_t i = 0; i < size; ++i) count += matrix[i] < none;
  return count - static_cast<std::size_t>(graph.n);  // the diagonal
}

void writeWeights(OutputFile& out, const Graph& graph) {
  if (graph.dense()) return out.write(graph.matrix().data(), graph.matrix().size() * sizeof(int));
  requireHostBytes(sizeof(int) * static_cast<std::size_t>(graph.n), "a row of the matrix");
  std::vector<int> row(static_cast<std::size_t>(graph.n));
  auto e = graph.edges().begin();
  for (int i = 0; i < graph.n; ++i) {
    std::fill(row.begin(), row.end(), infinity(graph.dtype));
    row[i] = 0;
    for (; e != graph.edges().end() && e->from == i; ++e) row[e->to] = e->weight;
    out.write(row.data(), row.size() * sizeof(int));
  }
}

void writeValues(OutputFile& out, TableShape shape, const ForEachRows& forEachRows) {
  const std::size_t rowBytes = sizeof(int) * static_cast<std::size_t>(shape.columns);
  forEachRows([&](int count, const int* values) {
    out.write(values, static_cast<std::size_t>(count) * rowBytes);
  });
}
