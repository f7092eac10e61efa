#include "solver/problem.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"
#include "solver/narrowing.h"

namespace engine {

namespace {

Graph zeroed(const Graph& graph) {
  if (!graph.dense()) {
    return withEdges(graph, [&](auto edges) {  // a copy
      for (auto& edge : edges) edge.weight = 0;
      return fromEdges(graph.n, std::move(edges));
    });
  }
  Graph result;
  result.n = graph.n;
  Matrix matrix(graph.n, graph.dtype());
  copyElements(graph.matrix().data(), matrix.size(), matrix.data());
  cpuDevice.zeroWeights(graph.n, matrix.data());
  result.body = std::move(matrix);
  return result;
}

/// Makes rows of the matrix in host memory, a few at a time, and copies them to the device: host
/// memory need not hold all of it.
UploadTimes uploadRows(int size, const Device& device, Elements matrix,
                       const std::function<void(int first, int count, Elements rows)>& make) {
  UploadTimes times;
  const auto n = asSize(size);
  const int band = rowsAtATime(size, matrix.dtype());
  ElementBuffer rows(matrix.dtype(), asSize(std::min(band, size)) * n);
  for (int first = 0; first < size; first += band) {
    const int count = std::min(band, size - first);
    times.make += millisecondsOf([&] { make(first, count, rows.data()); });
    times.copy += millisecondsOf(
        [&] { upload(device, matrix + asSize(first) * n, rows.data(), asSize(count) * n); });
  }
  return times;
}

/// A graph that a source makes is kept in host memory, to be counted, if it takes one part in so
/// many of it.
constexpr std::size_t kWorthKeeping = 4;

}  // namespace

bool fits(std::size_t free, int n, Dtype dtype, std::size_t matrices) {
  return n == 0 || matrices <= free / matrixBytes(n, dtype);
}

ProblemGraph::ProblemGraph(Graph graph) : graph_(std::make_shared<Graph>(std::move(graph))) {}
ProblemGraph::ProblemGraph(std::shared_ptr<const GraphSource> source)
    : source_(std::move(source)) {}

ProblemGraph ProblemGraph::ofUnread(int n, Dtype dtype, bool asEdges) {
  ProblemGraph graph(emptyGraph(n, dtype, !asEdges));
  graph.unread_ = asEdges;
  return graph;
}

bool ProblemGraph::heldAsEdges() const {
  if (unread_) return true;
  if (graph_ != nullptr) return !graph_->dense() && graph_->edgeCount() > 0;
  return source_->asEdges();
}

bool ProblemGraph::hasWeights() const {
  if (unread_) return false;
  return graph_ == nullptr || !graph_->dense() || graph_->matrix().n() == graph_->n;
}

int ProblemGraph::n() const {
  return source_ != nullptr ? source_->n() : graph_->n;
}
Dtype ProblemGraph::dtype() const {
  return source_ != nullptr ? source_->dtype() : graph_->dtype();
}

bool ProblemGraph::seeded() const {
  return source_ != nullptr && source_->ofSeed(0) != nullptr;
}
void ProblemGraph::reseed(std::uint64_t seed) {
  source_ = source_->ofSeed(seed);
  graph_ = zeroed_ = nullptr;
  narrow_.reset();
}

const Graph& ProblemGraph::onHost() const {
  if (graph_ == nullptr) graph_ = std::make_shared<Graph>(source_->whole());
  if (!zero_) return *graph_;
  if (zeroed_ == nullptr) zeroed_ = std::make_shared<Graph>(zeroed(*graph_));
  return *zeroed_;
}

std::shared_ptr<const NarrowGraph> ProblemGraph::narrow() const {
  if (!narrow_) {
    auto found = narrowed(*this);
    narrow_ = found ? std::make_shared<const NarrowGraph>(std::move(*found)) : nullptr;
  }
  return *narrow_;
}

void ProblemGraph::upload(const Device& device, Elements matrix) const {
  const UploadTimes times = write(device, matrix);
  if (!uploaded_) times_ = times;
  uploaded_ = true;
}

/// Whether the source can make the matrix in that memory.
bool ProblemGraph::makeOn(const Device& device, Elements matrix, UploadTimes& times) const {
  if (source_ == nullptr || (graph_ != nullptr && !source_->computed())) return false;
  bool made = false;
  times.make = millisecondsOf([&] { made = device.make(*source_, matrix); });
  return made;
}

UploadTimes ProblemGraph::write(const Device& device, Elements matrix) const {
  UploadTimes times;
  if (kept_ != nullptr && shareMemory(kept_->device(), device)) {
    times.copy =
        millisecondsOf([&] { device.copy(matrix.data(), kept_->data().data(), kept_->bytes()); });
  } else if (makeOn(device, matrix, times)) {  // there is no more to do
  } else if (graph_ == nullptr) {
    times = uploadRows(n(), device, matrix,
                       [&](int first, int count, Elements to) { rows(first, count, to); });
  } else if (device.kind() == DeviceKind::kCpu && !graph_->dense()) {
    times.make = millisecondsOf([&] { writeRows(*graph_, 0, n(), matrix); });
  } else {
    const Progress copying("copying the graph in");
    if (!graph_->dense())
      times = uploadRows(n(), device, matrix, [&](int first, int count, Elements to) {
        writeRows(*graph_, first, count, to);
      });
    if (graph_->dense())
      times.copy = millisecondsOf([&] {
        engine::upload(device, matrix, graph_->matrix().data(), graph_->matrix().size());
      });
  }
  if (zero_) device.zeroWeights(n(), matrix);
  return times;
}

void ProblemGraph::rows(int first, int count, Elements elements) const {
  const auto size = asSize(count) * asSize(n());
  if (graph_ == nullptr) {
    source_->block(first, count, 0, n(), elements);
    if (zero_) zeroWeights(size, elements);
  } else if (onHost().dense()) {
    copyElements(onHost().matrix().row(first), size, elements);
  } else {
    writeRows(onHost(), first, count, elements);
  }
}

void ProblemGraph::share(const std::function<void(const GraphSource&, bool)>& made,
                         const std::function<void(int, int, ConstElements)>& rows) const {
  if (source_ != nullptr) return made(*source_, zero_);
  const Graph& graph = onHost();
  const int band = std::max(1, std::min(rowsAtATime(graph.n, graph.dtype()), graph.n));
  ElementBuffer some;
  if (!graph.dense()) some.resize(graph.dtype(), asSize(band) * asSize(graph.n));
  for (int first = 0; first < graph.n; first += band) {
    const int count = std::min(band, graph.n - first);
    if (!graph.dense()) writeRows(graph, first, count, some.data());
    rows(first, count, graph.dense() ? graph.matrix().row(first) : ConstElements(some.data()));
  }
}

GraphStats ProblemGraph::statisticsOfRows() const {
  const int band = std::min(rowsAtATime(n(), dtype()), n());
  ElementBuffer some(dtype(), asSize(band) * asSize(n()));
  GraphStats all;
  for (int first = 0; first < n(); first += band) {
    const int count = std::min(band, n() - first);
    rows(first, count, some.data());
    all += graphStats(some.data(), first, count, 0, n());
  }
  return all;
}

GraphStats ProblemGraph::statistics(const Device& device) const {
  if (source_ != nullptr && !zero_)
    if (const auto known = source_->statistics()) return *known;
  if (kept_ != nullptr && shareMemory(kept_->device(), device))
    return device.statistics(n(), kept_->data());
  if (graph_ != nullptr || (device.kind() == DeviceKind::kCpu && heldAsEdges()))
    return graphStats(onHost());
  if (!device.hasRoom(matrixBytes(n(), dtype())))
    return hostBytes() < cpuDevice.freeBytes() / kWorthKeeping ? graphStats(onHost())
                                                               : statisticsOfRows();
  const DeviceMatrix matrix(device, n(), dtype());
  upload(device, matrix.data());
  return device.statistics(n(), matrix.data());
}

ProblemGraph ProblemGraph::ofSize(int n) const {
  if (source_ != nullptr)
    if (auto source = source_->ofSize(n)) return ProblemGraph(std::move(source));
  return ofUnread(n, dtype(), heldAsEdges());
}

std::size_t ProblemGraph::hostBytes() const {
  return graph_ != nullptr ? 0 : source_->wholeBytes();
}

void ProblemGraph::keepOn(const Device& device) {
  auto matrix = std::make_shared<DeviceMatrix>(device, n(), dtype());
  upload(device, matrix->data());
  kept_ = std::move(matrix);
}

ProblemGraph ProblemGraph::withZeroWeights() const {
  ProblemGraph other(*this);
  other.zero_ = true;
  other.narrow_.reset();
  return other;
}

}  // namespace engine
