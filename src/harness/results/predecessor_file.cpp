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
#include "base/size.h"
#include "io/formats/npy_header.h"
#include "negative/potentials.h"
#include "paths/predecessors.h"
#include "paths/predecessors_gpu.h"
#include "paths/trees.h"
#include "verify/tree.h"

namespace {

constexpr const char* kExtension = ".npy";

/// The header of the file.
std::string headerOf(int rows, int n, const std::optional<std::uint64_t>& hash) {
  std::optional<NpyMark> mark;
  if (hash) mark = NpyMark{*hash, kNoPredecessor};
  return npyHeader("<i4", fmt::format("{}, {}", rows, n), mark);
}

/// Elements of the rows that are looked at together.
std::size_t bandElements(int n, Dtype dtype) {
  return asSize(std::min(n, rowsAtATime(n, dtype))) * asSize(n);
}

/// Edges that may have to be looked at, at the most.
std::size_t mostEdges(const ProblemGraph& graph) {
  if (graph.unread()) return 0;
  const auto n = asSize(graph.n());
  return graph.heldAsEdges() ? graph.onHost().edgeCount() : n * n;
}

}  // namespace

void checkPredecessorsPath(const std::string& path) {
  const std::string end = kExtension;
  if (path.size() > end.size() && path.substr(path.size() - end.size()) == end) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("--predecessors {}: they are written as NumPy's format: give a name "
                          "that ends in {}",
                          path, end));
}

Memory predecessorMemory(const ProblemGraph& graph, const Device& device, std::size_t freeOnDevice,
                         bool negative) {
  const int n = graph.n();
  const Dtype dtype = graph.dtype();
  const std::size_t band = bandElements(n, dtype) * sizeof(int);
  const bool gpu = device.kind() == DeviceKind::kGpu;
  const std::size_t there = predecessorBytesOnGpu(n, negative);
  if (gpu && dtype == Dtype::kInt32 && there <= freeOnDevice) return {there, 0, 2 * band};
  const std::size_t copy = gpu && hasManyEdges(graph) ? matrixBytes(n, dtype) : 0;
  const std::size_t potentials = negative ? potentialBytes(n, dtype) : 0;
  return {0, 0, Predecessors::bytes(n, mostEdges(graph), dtype) + potentials + copy + band};
}

class PredecessorFile::Check {
 public:
  Check(const Graph& graph, const Selection* asked) : check_(graph, asked) {}
  /// The rows of a table from `first` on. distances, predecessors: (count, n).
  void take(const Distances& table, int first, int count, ConstElements distances,
            const int* predecessors) const {
    TreeFault fault;
    bySources(table, first, count, [&](int source, int some, std::size_t done) {
      add(fault, check_.rows(source, some, distances + done, predecessors + done));
    });
    if (fault.count > 0)
      throw Error(ErrorCode::kMismatch,
                  "predecessors are wrong, and were not written: " + fault.text());
  }

 private:
  const TreeCheck check_;
};

/// See PredecessorFile::passedOn().
class PassedOn : public Distances {
 public:
  PassedOn(PredecessorFile& file, const ProblemGraph& graph, const Distances& from)
      : Distances(from.n(), from.dtype(), from.asked()),
        file_(file),
        from_(from),
        progress_("predecessors", static_cast<std::uint64_t>(from.rowCount())) {
    // A generated graph is made here: that is not the search.
    const ProblemGraph* const shifted = from.beforeShift().graph;
    (shifted != nullptr ? *shifted : graph).onHost();
    file_.milliseconds_ = millisecondsOf([&] { trees_.emplace(graph, from, file_.negative_); });
  }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    const auto width = asSize(n());
    std::vector<int> band;
    from_.rows(begin, end, [&](int first, int count, ConstElements rows) {
      const int most = rowsAtATime(n(), dtype());
      for (int done = 0; done < count; done += most) {
        const int some = std::min(most, count - done);
        const ConstElements known = rows + asSize(done) * width;
        band.resize(asSize(some) * width);
        file_.milliseconds_ +=
            millisecondsOf([&] { trees_->rows(first + done, some, known, band.data()); });
        file_.take(*this, first + done, some, known, band.data());
        progress_.advance(static_cast<std::uint64_t>(some));
      }
      visit(first, count, rows);
    });
  }

 private:
  PredecessorFile& file_;
  const Distances& from_;
  std::optional<Trees> trees_;
  mutable Progress progress_;
};

PredecessorFile::PredecessorFile(const std::string& path, int n, bool negative,
                                 std::optional<int> rows)
    : file_(path), rows_(rows.value_or(n)), n_(n), negative_(negative) {
  file_.requireRoom(headerOf(rows_, n_, 0).size() + bytes());
}

PredecessorFile::~PredecessorFile() = default;

/// Writes what comes before the rows.
void PredecessorFile::begin(const ProblemGraph& graph, const Distances& distances, bool verify) {
  const std::string header = headerOf(rows_, n_, hash_);
  file_.announce(header.size() + bytes());
  file_.write(header.data(), header.size());
  if (verify) check_ = std::make_unique<Check>(graph.onHost(), distances.asked());
}

void PredecessorFile::take(const Distances& table, int first, int count, ConstElements distances,
                           const int* predecessors) {
  if (check_ != nullptr) check_->take(table, first, count, distances, predecessors);
  file_.write(predecessors, sizeof(int) * asSize(count) * asSize(n_));
}

bool PredecessorFile::writeFromGpu(const ProblemGraph& graph, const Distances& distances) {
  const DeviceMatrix* const whole = distances.whole();
  if (whole == nullptr) return false;
  const PredecessorsOnGpu found = predecessorsOnGpu(graph, *whole, negative_);
  if (found.matrix == nullptr) return false;
  milliseconds_ = found.milliseconds;
  const WholeDistances predecessors(*found.matrix);
  predecessors.rows(0, n_, [&](int first, int count, ConstElements elements) {
    const int* const trees = elements.as<std::int32_t>();
    if (check_ == nullptr) return take(distances, first, count, {}, trees);
    distances.rows(first, first + count, [&](int begin, int some, ConstElements known) {
      take(distances, begin, some, known, trees + asSize(begin - first) * asSize(n_));
    });
  });
  return true;
}

void PredecessorFile::write(const ProblemGraph& graph, const Distances& distances, bool verify) {
  const DeviceMatrix* const whole = distances.whole();
  if (whole != nullptr && whole->device().kind() == DeviceKind::kGpu) {
    begin(graph, distances, verify);
    if (writeFromGpu(graph, distances)) return;
    const PassedOn rows(*this, graph, distances);
    return rows.rows(0, rows_, [](int, int, ConstElements) {});
  }
  passedOn(graph, distances, verify)->rows(0, rows_, [](int, int, ConstElements) {});
}

std::unique_ptr<Distances> PredecessorFile::passedOn(const ProblemGraph& graph,
                                                     const Distances& distances, bool verify) {
  begin(graph, distances, verify);
  return std::make_unique<PassedOn>(*this, graph, distances);
}
