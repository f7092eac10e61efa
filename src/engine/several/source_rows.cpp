// Sources do not depend on each other: a rank that knows the whole graph finds the distances from
// some of them by itself. So every rank gets all edges, eliminates the vertices, and then sweeps
// its own sources only. They are a table, as --sources asks one rank for it, with a row for each
// source of the band and a column for each vertex (plan/edge_run.cpp). No message is sent
// while ranks solve.
//
// On GPUs, each prepares and sweeps on its own GPU, where its distances stay if they have room
// (solver/gpu_rows.h). To prepare takes less time there than to send the hierarchy from one GPU to
// the others. A lane of a GPU goes down the hierarchy for a target, and writes a column. So ranks
// that sweep on GPUs find a band of columns each. For a band of rows, a rank would find the rows of
// their ancestors, too: of half of a road network by numbers, 1.1 to 1.5 times its own rows, and
// every target would climb on every rank. To make columns of the reversed graph, and to transpose
// them, takes about as long as to sweep all of it once more. It takes less than to stream a band of
// columns, whose targets would climb again for every few thousand rows. So ranks whose columns have
// no room find bands of rows.
//
// What this gains, and what it does not (Amdahl, "Validity of the single processor approach", AFIPS
// 1967). The sweeps take a time proportional to the number of sources, and are divided by the
// number of ranks P. The order, the elimination, the customised weights, the core and the pruned
// arcs are the same for all sources, and every rank makes them again:
//
//     time(P) = prepare + sweeps / P,        memory of a rank = hierarchy + n² / P distances
//
// On a grid of n vertices preparing takes about n^1.5 steps and sweeping at least n², so for large
// graphs nearly all of the work is divided. To send the hierarchy instead would save no time: rank
// 0 would need as long to make it, while the others wait.
//
// Rounding. The number of vertices that a rank eliminates depends on its sources and threads.
// Whole weights add up to the same distance in any order. Sums of reals that are rounded may then
// differ in the last bits from those of one rank, as they do if one rank has more threads.
#include "several/source_rows.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/size.h"
#include "several/part_gpu.h"
#include "sparse/sweep.h"

namespace engine {

namespace {

/// A band is made of whole batches of the sweep.
constexpr int kDepth = sparse::kBatch;

Band bandOf(int n, int parts, int part) {
  return verticesOf(shareOf(blocksOf(n, kDepth), parts, part), n, kDepth);
}

const Device& deviceOf(DeviceKind kind) {
  std::string why;
  const Device* const device = findDevice(kind, why);
  if (device == nullptr) throw Error(ErrorCode::kGpu, why);
  return *device;
}

Selection askedOf(Band band, bool byColumns) {
  Selection asked;
  std::vector<int>& vertices = byColumns ? asked.targets : asked.sources;
  vertices.resize(asSize(band.count));
  std::iota(vertices.begin(), vertices.end(), band.first);
  return asked;
}

}  // namespace

bool findsColumns(int n, Dtype dtype, int parts, DeviceKind device, Method method) {
  constexpr double kMost = 0.9;  // of the memory; the rest is for sweeping
  if (device != DeviceKind::kGpu || method != Method::kSparse) return false;
  const std::size_t band = sizeOf(dtype) * asSize(mostInBand(n, parts)) * asSize(n);
  return static_cast<double>(band) <= kMost * static_cast<double>(roomOnGpu());
}

SourceRows::SourceRows(const BandToFind& wanted)
    : wanted_(wanted),
      band_(bandOf(wanted.n, wanted.parts, wanted.part)),
      device_(deviceOf(wanted.device)),
      asked_(askedOf(band_, wanted.byColumns)) {}

void SourceRows::take(Graph graph) {
  run_ = nullptr;  // gives its memory back first
  graph_ = std::make_unique<ProblemGraph>(std::move(graph));
  if (band_.count == 0) return;
  Options options;
  options.method = wanted_.method;
  run_ =
      prepareAsked(findSolver("apsp", device_.kind()), {*graph_, &asked_},
                   {device_, options, false, nullptr, wanted_.sharers, false, wanted_.summarises});
}

void SourceRows::reset() {
  if (run_ != nullptr) run_->reset();
}

Call SourceRows::solve() {
  if (run_ != nullptr) return run_->solve();
  Call nothing;
  nothing.outcome.tier = tierOf(graph_->dtype());
  return nothing;
}

void SourceRows::get(Band band, Elements elements) const {
  if (band.count == 0) return;
  const int begin = band.first - rows().first;
  const auto width = asSize(columns().count);
  run_->distances().rows(begin, begin + band.count, [&](int first, int count, ConstElements found) {
    copyElements(found, asSize(count) * width, elements + asSize(first - begin) * width);
  });
}

std::optional<GraphStats> SourceRows::counted() const {
  return run_ != nullptr ? run_->distances().counted() : std::nullopt;
}

const Summaries* SourceRows::summaries() const {
  return run_ != nullptr ? run_->distances().summaries() : nullptr;
}

int SourceRows::depth() const {
  return kDepth;
}

int mostInBand(int n, int parts) {
  return std::min(n, blocksOf(blocksOf(n, kDepth), parts) * kDepth);
}

Selection largestBand(int n, int parts, bool byColumns) {
  return askedOf({0, mostInBand(n, parts)}, byColumns);
}

Graph edgesOf(const GraphSource& source, bool zero) {
  Graph graph = source.whole();
  Graph edges;
  edges.n = graph.n;
  withType(graph.dtype(), [&](auto number) {
    using T = decltype(number);
    Edges<T> list = graph.dense() ? toEdges<T>(graph) : std::move(graph.edges<T>());
    if (zero)
      for (Edge<T>& edge : list) edge.weight = 0;
    edges.body = std::move(list);
  });
  return edges;
}

}  // namespace engine
