#include "results/predecessor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "io/formats/npy_header.h"
#include "negative/potentials.h"
#include "paths/predecessors.h"
#include "paths/predecessors_gpu.h"
#include "verify/tree.h"

namespace {

constexpr const char* kExtension = ".npy";

/// From so many edges for each vertex on, it is worth a matrix of distances in host memory to leave
/// most of them out.
constexpr std::size_t kManyEdges = 32;

bool hasManyEdges(const ProblemGraph& graph) {
  if (graph.unread()) return false;
  return !graph.heldAsEdges() ||
         graph.onHost().edges().size() > kManyEdges * static_cast<std::size_t>(graph.n());
}

/// The header of the file.
std::string headerOf(int n, const std::optional<std::uint64_t>& hash) {
  std::optional<NpyMark> mark;
  if (hash) mark = NpyMark{*hash, kNoPredecessor};
  return npyHeader("<i4", fmt::format("{0}, {0}", n), mark);
}

/// Edges that may have to be looked at, at the most.
std::size_t mostEdges(const ProblemGraph& graph) {
  if (graph.unread()) return 0;
  const auto n = static_cast<std::size_t>(graph.n());
  return graph.heldAsEdges() ? graph.onHost().edges().size() : n * n;
}

}  // namespace

void checkPredecessorsPath(const std::string& path) {
  const std::string end = kExtension;
  if (path.size() > end.size() && path.substr(path.size() - end.size()) == end) return;
  throw Error(Exit::kUsage,
              fmt::format("--predecessors {}: they are written as NumPy's format: give a name "
                          "that ends in {}",
                          path, end));
}

Memory predecessorMemory(const ProblemGraph& graph, const Device& device, std::size_t freeOnDevice,
                         bool negative) {
  const int n = graph.n();
  const std::size_t row = sizeof(int) * static_cast<std::size_t>(n);
  const std::size_t band = row * static_cast<std::size_t>(std::min(n, rowsAtATime(n)));
  const bool gpu = device.kind() == DeviceKind::kGpu;
  const std::size_t there = predecessorBytesOnGpu(n, negative);
  if (gpu && graph.dtype() == Dtype::kInt32 && there <= freeOnDevice) return {there, 0, 2 * band};
  const std::size_t copy = gpu && hasManyEdges(graph) ? matrixBytes(n) : 0;
  const std::size_t potentials = negative ? potentialBytes(n) : 0;
  return {0, 0, Predecessors::bytes(n, mostEdges(graph)) + potentials + copy + band};
}

class PredecessorFile::Check {
 public:
  explicit Check(const Graph& graph) : check_(graph) {}
  void take(int first, int count, const int* distances, const int* predecessors) const {
    const TreeFault fault = check_.rows(first, count, distances, predecessors);
    if (fault.count > 0)
      throw Error(Exit::kMismatch, "predecessors are wrong, and were not written: " + fault.text());
  }

 private:
  const TreeCheck check_;
};

/// See PredecessorFile::passedOn().
class PassedOn : public Distances {
 public:
  PassedOn(PredecessorFile& file, const ProblemGraph& graph, const Distances& from)
      : Distances(from.n(), from.dtype()),
        file_(file),
        from_(from),
        plain_(from.beforeShift().graph != nullptr ? from.beforeShift().distances : nullptr),
        progress_("predecessors", static_cast<std::uint64_t>(from.n())) {
    // A generated graph is made here: that is not the search.
    const Graph& onHost = plain_ != nullptr ? from.beforeShift().graph->onHost() : graph.onHost();
    const Distances& exact = plain_ != nullptr ? *plain_ : from;
    file_.milliseconds_ = millisecondsOf([&] {
      const int* known = nullptr;
      const DeviceMatrix* const whole = exact.whole();
      if (whole != nullptr && whole->device().kind() == DeviceKind::kCpu) {
        known = whole->data();
      } else if (!graph.heldAsEdges() || (whole != nullptr && hasManyEdges(graph))) {
        copy_ = toMatrix(exact);
        known = copy_->data();
      }
      std::vector<int> potentials;
      if (file_.negative_ && plain_ == nullptr) potentials = potentialsOf(onHost).of;
      finder_.emplace(onHost, known, std::move(potentials));
    });
    copy_.reset();
  }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    const auto width = static_cast<std::size_t>(n());
    std::vector<int> band;
    from_.rows(begin, end, [&](int first, int count, const int* words) {
      const int most = rowsAtATime(n());
      for (int done = 0; done < count; done += most) {
        const int some = std::min(most, count - done);
        const int* const known = words + static_cast<std::size_t>(done) * width;
        band.resize(static_cast<std::size_t>(some) * width);
        file_.milliseconds_ +=
            millisecondsOf([&] { find(first + done, some, known, band.data()); });
        file_.take(first + done, some, known, band.data());
        progress_.advance(static_cast<std::uint64_t>(some));
      }
      visit(first, count, words);
    });
  }

 private:
  /// Writes the predecessors of the sources from `first` on. known: their distances.
  void find(int first, int count, const int* known, int* predecessors) const {
    if (plain_ == nullptr) return finder_->rows(first, count, known, predecessors);
    plain_->rows(first, first + count, [&](int begin, int some, const int* words) {
      const auto done = static_cast<std::size_t>(begin - first) * static_cast<std::size_t>(n());
      finder_->rows(begin, some, words, predecessors + done);
    });
  }

  PredecessorFile& file_;
  const Distances& from_;
  const Distances* const plain_;  // what from_ was shifted back from: its trees are the same
  std::optional<Matrix> copy_;    // of the distances
  std::optional<Predecessors> finder_;
  mutable Progress progress_;
};

PredecessorFile::PredecessorFile(const std::string& path, int n, bool negative)
    : file_(path), n_(n), negative_(negative) {
  file_.requireRoom(headerOf(n, 0).size() + matrixBytes(n));
}

PredecessorFile::~PredecessorFile() = default;

/// Writes what comes before the rows.
void PredecessorFile::begin(const ProblemGraph& graph, bool verify) {
  const std::string header = headerOf(n_, hash_);
  file_.announce(header.size() + matrixBytes(n_));
  file_.write(header.data(), header.size());
  if (verify) check_ = std::make_unique<Check>(graph.onHost());
}

void PredecessorFile::take(int first, int count, const int* distances, const int* predecessors) {
  if (check_ != nullptr) check_->take(first, count, distances, predecessors);
  file_.write(predecessors,
              sizeof(int) * static_cast<std::size_t>(count) * static_cast<std::size_t>(n_));
}

bool PredecessorFile::writeFromGpu(const ProblemGraph& graph, const Distances& distances) {
  const DeviceMatrix* const whole = distances.whole();
  if (whole == nullptr) return false;
  const PredecessorsOnGpu found = predecessorsOnGpu(graph, *whole, negative_);
  if (found.matrix == nullptr) return false;
  milliseconds_ = found.milliseconds;
  const WholeDistances predecessors(*found.matrix);
  predecessors.rows(0, n_, [&](int first, int count, const int* words) {
    if (check_ == nullptr) return take(first, count, nullptr, words);
    distances.rows(first, first + count, [&](int begin, int some, const int* known) {
      take(begin, some, known,
           words + static_cast<std::size_t>(begin - first) * static_cast<std::size_t>(n_));
    });
  });
  return true;
}

void PredecessorFile::write(const ProblemGraph& graph, const Distances& distances, bool verify) {
  const DeviceMatrix* const whole = distances.whole();
  if (whole != nullptr && whole->device().kind() == DeviceKind::kGpu) {
    begin(graph, verify);
    if (writeFromGpu(graph, distances)) return;
    const PassedOn rows(*this, graph, distances);
    return rows.rows(0, n_, [](int, int, const int*) {});
  }
  passedOn(graph, distances, verify)->rows(0, n_, [](int, int, const int*) {});
}

std::unique_ptr<Distances> PredecessorFile::passedOn(const ProblemGraph& graph,
                                                     const Distances& distances, bool verify) {
  begin(graph, verify);
  return std::make_unique<PassedOn>(*this, graph, distances);
}
