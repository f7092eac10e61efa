#include "paths/trees.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "negative/potentials.h"
#include "negative/reached.h"
#include "paths/predecessors.h"

namespace engine {

namespace {

/// From so many edges for each vertex on, a copy of all distances is worth its memory.
constexpr std::size_t kManyEdges = 32;

}  // namespace

bool hasManyEdges(const ProblemGraph& graph) {
  if (graph.unread()) return false;
  return !graph.heldAsEdges() || graph.onHost().edgeCount() > kManyEdges * asSize(graph.n());
}

Trees::Trees(const ProblemGraph& graph, const Distances& distances, bool negative)
    : distances_(distances),
      plain_(distances.beforeShift().graph != nullptr ? distances.beforeShift().distances
                                                      : nullptr) {
  const bool shifted = plain_ != nullptr;
  const ProblemGraph& held = shifted ? *distances.beforeShift().graph : graph;
  const Graph& onHost = held.onHost();
  const Distances& exact = shifted ? *plain_ : distances;
  ConstElements known;
  std::optional<Matrix> copy;
  const DeviceMatrix* const whole = exact.whole();
  if (whole != nullptr && whole->device().kind() == DeviceKind::kCpu) {
    known = whole->data();
  } else if (!distances.isTable() &&
             (!graph.heldAsEdges() || (whole != nullptr && hasManyEdges(graph)))) {
    copy = toMatrix(exact);
    known = copy->data();
  }
  if (!negative || !isWhole(onHost.dtype())) {
    finder_ = std::make_unique<const Predecessors>(onHost, known);
    return;
  }
  finder_ = withEdgesFor(distances.asked(), onHost, [&](const Graph& some) {
    return std::make_unique<const Predecessors>(some, known, potentialsOf(some).of);
  });
}

Trees::~Trees() = default;

void Trees::rows(int first, int count, ConstElements known, int* predecessors) const {
  const auto grow = [&](int begin, int some, ConstElements distances, int* trees) {
    bySources(distances_, begin, some, [&](int source, int rows, std::size_t done) {
      finder_->rows(source, rows, distances + done, trees + done);
    });
  };
  if (plain_ == nullptr) return grow(first, count, known, predecessors);
  plain_->rows(first, first + count, [&](int begin, int some, ConstElements distances) {
    grow(begin, some, distances, predecessors + asSize(begin - first) * asSize(distances_.n()));
  });
}

}  // namespace engine
