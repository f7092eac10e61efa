// Sources do not depend on each other: a rank that knows the whole graph finds the distances from
// some of them by itself. So every rank gets all edges, eliminates the vertices, and then sweeps
// its own sources only. They are a table, as --sources asks one rank for it, with a row for each
// source of the band and a column for each vertex (sparse/run.cpp). No message is sent
// while ranks solve.
//
// What this gains, and what it does not (Amdahl, "Validity of the single processor approach", AFIPS
// 1967). The sweeps take a time proportional to the number of sources, and are divided by the
// number of ranks P. The order, the elimination, the customised weights, the core and the pruned
// arcs are the same for all sources, and every rank makes them again:
//
//     time(P) = prepare + sweeps / P,        memory of a rank = hierarchy + 4 n² / P bytes
//
// On a grid of n vertices preparing takes about n^1.5 steps and sweeping at least n², so for large
// graphs nearly all of the work is divided. To send the hierarchy instead would save no time: rank
// 0 would need as long to make it, while the others wait.
//
// Rounding. The number of vertices that a rank eliminates depends on its sources and threads.
// Whole weights add up to the same distance in any order. Sums of floats that are rounded may then
// differ in the last bits from those of one rank, as they do if one rank has more threads.
#include "several/source_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sparse/sweep.h"

namespace {

/// A band is made of whole batches of the sweep.
constexpr int kDepth = sparse::kBatch;

Band bandOf(int n, int parts, int part) {
  return verticesOf(shareOf(blocksOf(n, kDepth), parts, part), n, kDepth);
}

Selection sourcesOf(Band band) {
  Selection asked;
  asked.sources.resize(static_cast<std::size_t>(band.count));
  std::iota(asked.sources.begin(), asked.sources.end(), band.first);
  return asked;
}

}  // namespace

SourceRows::SourceRows(int n, int parts, int part, int sharers)
    : n_(n), rows_(bandOf(n, parts, part)), sharers_(sharers), asked_(sourcesOf(rows_)) {}

void SourceRows::take(Graph graph) {
  run_ = nullptr;  // gives its memory back first
  graph_ = std::make_unique<ProblemGraph>(std::move(graph));
  if (rows_.count == 0) return;
  Options options;
  options.method = Method::kSparse;
  run_ = prepareAsked(findSolver("apsp", DeviceKind::kCpu), {*graph_, &asked_},
                      {cpuDevice, options, false, nullptr, sharers_});
}

void SourceRows::reset() {
  if (run_ != nullptr) run_->reset();
}

Call SourceRows::solve() {
  return run_ != nullptr ? run_->solve() : Call();
}

void SourceRows::get(Band band, int* words) const {
  if (band.count == 0) return;
  const int begin = band.first - rows_.first;
  const auto n = static_cast<std::size_t>(n_);
  run_->distances().rows(begin, begin + band.count, [&](int first, int count, const int* found) {
    std::copy_n(found, static_cast<std::size_t>(count) * n,
                words + static_cast<std::size_t>(first - begin) * n);
  });
}

int SourceRows::depth() const {
  return kDepth;
}

Selection mostSources(int n, int parts) {
  const int blocks = blocksOf(blocksOf(n, kDepth), parts);
  return sourcesOf({0, std::min(n, blocks * kDepth)});
}

Graph edgesOf(const GraphSource& source, bool zero) {
  Graph graph = source.whole();
  Graph edges;
  edges.n = graph.n;
  edges.dtype = graph.dtype;
  std::vector<Edge> list =
      graph.dense() ? toEdges(graph) : std::get<std::vector<Edge>>(std::move(graph.body));
  if (zero)
    for (Edge& edge : list) edge.weight = 0;
  edges.body = std::move(list);
  return edges;
}
