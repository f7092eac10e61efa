#include "solvers/problem.h"

#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "core/error.h"
#include "core/progress.h"
#include "generate/generate.h"

namespace {

Graph zeroed(const Graph& graph) {
  if (!graph.dense()) {
    std::vector<Edge> edges = graph.edges();
    for (Edge& edge : edges) edge.weight = 0;
    return fromEdges(graph.n, std::move(edges), graph.dtype);
  }
  Graph result;
  result.n = graph.n;
  result.dtype = graph.dtype;
  Matrix matrix(graph.n);
  std::copy_n(graph.matrix().data(), matrix.size(), matrix.data());
  cpuDevice.zeroWeights(graph.n, matrix.data(), graph.dtype);
  result.body = std::move(matrix);
  return result;
}

/// Makes rows of the matrix in host memory, a few at a time, and copies them to the device: host
/// memory need not hold all of it.
UploadTimes uploadRows(int size, const Device& device, int* matrix,
                       const std::function<void(int first, int count, int* rows)>& make) {
  UploadTimes times;
  const auto n = static_cast<std::size_t>(size);
  const int band = rowsAtATime(size);
  std::vector<int> rows(static_cast<std::size_t>(std::min(band, size)) * n);
  for (int first = 0; first < size; first += band) {
    const int count = std::min(band, size - first);
    times.make += millisecondsOf([&] { make(first, count, rows.data()); });
    times.copy += millisecondsOf([&] {
      device.upload(matrix + static_cast<std::size_t>(first) * n, rows.data(),
                    static_cast<std::size_t>(count) * n);
    });
  }
  return times;
}

/// Bytes of a generated graph in host memory.
std::size_t generatedBytes(const Spec& spec) {
  std::size_t bytes = matrixBytes(spec.n);
  withFamily(spec, [&](auto family) {
    using Family = decltype(family);
    if constexpr (!Family::dense)
      bytes = static_cast<std::size_t>(spec.n) * Family::arcs(spec) * 2 * sizeof(Edge);
  });
  return bytes;
}

/// Reads all of it into host memory.
Graph readWhole(const StoredGraph& stored) {
  Matrix matrix(stored.matrix.n);
  openMatrix(stored)->read(0, matrix.n(), 0, matrix.n(), matrix.data());
  Graph graph;
  graph.n = stored.facts.n;
  graph.dtype = stored.facts.dtype;
  graph.body = std::move(matrix);
  return graph;
}

/// A generated graph is kept in host memory, to be counted, if it takes one part in so many of it.
constexpr std::size_t kWorthKeeping = 4;

}  // namespace

std::unique_ptr<MatrixFile> openMatrix(const StoredGraph& stored) {
  auto file = std::make_unique<MatrixFile>(stored.path, stored.matrix);
  if (*file) return file;
  throw Error(Exit::kInput, stored.path +
                                ": the file was changed or removed after it was checked: "
                                "leave it as it is until the end, and start again");
}

bool fits(std::size_t free, int n, std::size_t matrices) {
  return n == 0 || matrices <= free / matrixBytes(n);
}

ProblemGraph::ProblemGraph(Graph graph) : graph_(std::make_shared<Graph>(std::move(graph))) {}
ProblemGraph::ProblemGraph(const Spec& spec) : spec_(spec) {}
ProblemGraph::ProblemGraph(StoredGraph stored)
    : stored_(std::make_shared<StoredGraph>(std::move(stored))) {}

ProblemGraph ProblemGraph::ofUnread(int n, Dtype dtype) {
  Graph unread;
  unread.n = n;
  unread.dtype = dtype;
  ProblemGraph graph(std::move(unread));
  graph.unread_ = true;
  return graph;
}

bool ProblemGraph::heldAsEdges() const {
  if (unread_) return true;
  if (stored_ != nullptr) return false;
  if (graph_ != nullptr) return !graph_->dense() && !graph_->edges().empty();
  bool edges = false;
  withFamily(*spec_, [&](auto family) { edges = !decltype(family)::dense; });
  return edges;
}

int ProblemGraph::n() const {
  return spec_ ? spec_->n : facts().n;
}
Dtype ProblemGraph::dtype() const {
  return spec_ ? spec_->dtype : facts().dtype;
}

bool ProblemGraph::seeded() const {
  return spec_ && familyOf(*spec_).seeded;
}
void ProblemGraph::reseed(std::uint64_t seed) {
  spec_->seed = seed;
  graph_ = zeroed_ = nullptr;
}

const Graph& ProblemGraph::onHost() const {
  if (graph_ == nullptr)
    graph_ = std::make_shared<Graph>(stored_ != nullptr ? readWhole(*stored_) : generate(*spec_));
  if (!zero_) return *graph_;
  if (zeroed_ == nullptr) zeroed_ = std::make_shared<Graph>(zeroed(*graph_));
  return *zeroed_;
}

const Graph& ProblemGraph::facts() const {
  if (stored_ != nullptr) return stored_->facts;
  return graph_ != nullptr ? *graph_ : onHost();  // weights of 0 change none of it
}

void ProblemGraph::upload(const Device& device, int* matrix) const {
  const UploadTimes times = write(device, matrix);
  if (!uploaded_) times_ = times;
  uploaded_ = true;
}

UploadTimes ProblemGraph::write(const Device& device, int* matrix) const {
  UploadTimes times;
  const std::size_t size = matrixBytes(n()) / sizeof(int);
  if (kept_ != nullptr && shareMemory(kept_->device(), device)) {
    times.copy = millisecondsOf([&] { device.copy(matrix, kept_->data(), size); });
  } else if (spec_) {
    times.make = millisecondsOf([&] { device.generate(*spec_, matrix); });
  } else if (graph_ == nullptr) {
    times = uploadRows(n(), device, matrix,
                       [&](int first, int count, int* to) { rows(first, count, to); });
  } else if (device.kind() == DeviceKind::kCpu && !graph_->dense()) {
    times.make = millisecondsOf([&] { writeRows(*graph_, 0, n(), matrix); });
  } else {
    const Progress copying("copying the graph in");
    if (!graph_->dense())
      times = uploadRows(n(), device, matrix, [&](int first, int count, int* to) {
        writeRows(*graph_, first, count, to);
      });
    if (graph_->dense())
      times.copy = millisecondsOf([&] { device.upload(matrix, graph_->matrix().data(), size); });
  }
  if (zero_) device.zeroWeights(n(), matrix, dtype());
  return times;
}

void ProblemGraph::rows(int first, int count, int* elements) const {
  const auto size = static_cast<std::size_t>(count) * static_cast<std::size_t>(n());
  if (spec_ && graph_ == nullptr) {
    generateBlock(*spec_, first, count, 0, n(), elements);
    if (zero_) zeroWeights(size, elements, dtype());
  } else if (stored_ != nullptr && graph_ == nullptr) {
    openMatrix(*stored_)->read(first, count, 0, n(), elements);
    if (zero_) zeroWeights(size, elements, dtype());
  } else if (onHost().dense()) {
    std::copy_n(onHost().matrix().row(first), size, elements);
  } else {
    writeRows(onHost(), first, count, elements);
  }
}

void ProblemGraph::share(const std::function<void(const Spec&, bool)>& generated,
                         const std::function<void(const StoredGraph&, bool)>& stored,
                         const std::function<void(int, int, const int*)>& rows) const {
  if (spec_) return generated(*spec_, zero_);
  if (stored_ != nullptr) return stored(*stored_, zero_);
  const Graph& graph = onHost();
  const int band = std::max(1, std::min(rowsAtATime(graph.n), graph.n));
  std::vector<int> words;
  if (!graph.dense())
    words.resize(static_cast<std::size_t>(band) * static_cast<std::size_t>(graph.n));
  for (int first = 0; first < graph.n; first += band) {
    const int count = std::min(band, graph.n - first);
    if (!graph.dense()) writeRows(graph, first, count, words.data());
    rows(first, count, graph.dense() ? graph.matrix().row(first) : words.data());
  }
}

void ProblemGraph::shareEdges(const std::function<void(const Spec&, bool)>& generated,
                              const std::function<void(const std::vector<Edge>&)>& edges) const {
  if (spec_) return generated(*spec_, zero_);
  if (onHost().dense()) return edges(toEdges(onHost()));
  edges(onHost().edges());
}

GraphStats ProblemGraph::statisticsOfRows() const {
  const int band = std::min(rowsAtATime(n()), n());
  std::vector<int> words(static_cast<std::size_t>(band) * static_cast<std::size_t>(n()));
  GraphStats all;
  for (int first = 0; first < n(); first += band) {
    const int count = std::min(band, n() - first);
    rows(first, count, words.data());
    all += graphStats(words.data(), dtype(), first, count, 0, n());
  }
  return all;
}

GraphStats ProblemGraph::statistics(const Device& device) const {
  if (stored_ != nullptr && !zero_) return stored_->stats;
  if (kept_ != nullptr && shareMemory(kept_->device(), device))
    return device.statistics(n(), kept_->data(), dtype());
  if (graph_ != nullptr || (device.kind() == DeviceKind::kCpu && heldAsEdges()))
    return graphStats(onHost());
  if (!fits(device.freeBytes(), n(), 1))
    return hostBytes() < cpuDevice.freeBytes() / kWorthKeeping ? graphStats(onHost())
                                                               : statisticsOfRows();
  const DeviceMatrix matrix(device, n(), dtype());
  upload(device, matrix.data());
  return device.statistics(n(), matrix.data(), dtype());
}

ProblemGraph ProblemGraph::ofSize(int n) const {
  if (spec_) {
    Spec spec = *spec_;
    spec.n = n;
    return ProblemGraph(spec);
  }
  Graph unread;
  unread.n = n;
  unread.dtype = dtype();
  return ProblemGraph(std::move(unread));
}

std::size_t ProblemGraph::hostBytes() const {
  if (graph_ != nullptr) return 0;
  return spec_ ? generatedBytes(*spec_) : matrixBytes(n());
}

void ProblemGraph::keepOn(const Device& device) {
  auto matrix = std::make_shared<DeviceMatrix>(device, n(), dtype());
  upload(device, matrix->data());
  kept_ = std::move(matrix);
}

ProblemGraph ProblemGraph::withZeroWeights() const {
  ProblemGraph other(*this);
  other.zero_ = true;
  return other;
}
