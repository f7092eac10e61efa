#include "solvers/sparse/gpu_rows.h"

#include <algorithm>
#include <vector>

namespace sparse {

namespace {

/// Bytes of a band. It is large, because a source is swept by one lane of the GPU.
constexpr std::size_t kBandBytes = std::size_t{4} << 30;
/// Bytes of a piece of a band in host memory.
constexpr std::size_t kPieceBytes = std::size_t{128} << 20;

int rowsIn(std::size_t bytes, int n) {
  const std::size_t row = sizeof(int) * static_cast<std::size_t>(std::max(1, n));
  return static_cast<int>(
      std::clamp<std::size_t>(bytes / row, 1, static_cast<std::size_t>(std::max(1, n))));
}

std::size_t wordsOf(int rows, int n) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(n);
}

}  // namespace

std::size_t GpuRows::bytes(int n) {
  return 2 * sizeof(int) * wordsOf(rowsIn(kBandBytes, n), n);  // and as much to transpose it
}

void GpuRows::sweep(GpuSweeps& graph) {
  graph_ = &graph;
  summaries_.clear();
  const int most = rowsIn(kBandBytes, n());
  const DeviceWords band(gpu_, wordsOf(most, n()));
  for (int first = 0; first < n(); first += most)
    graph_->rows(first, std::min(most, n() - first), band.data());
  gpu_.synchronise();
}

const std::vector<RowSummary>* GpuRows::summaries() const {
  if (!summaries_.empty()) return &summaries_;
  rowsOn(gpu_, 0, n(), [&](int first, int count, const int* words) {
    for (const RowSummary& row : graph_->summaries(first, count, words)) summaries_.push_back(row);
  });
  return &summaries_;
}

std::optional<GraphStats> GpuRows::counted() const {
  GraphStats all;
  for (const RowSummary& row : *summaries())
    all += {static_cast<std::uint64_t>(row.reachable), row.hash, row.largest, 0};
  return all;
}

void GpuRows::rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const {
  if (!shareMemory(device, gpu_)) return rows(begin, end, visit);
  const int most = std::min(rowsIn(kBandBytes, n()), end - begin);
  if (most <= 0) return;
  const DeviceWords band(gpu_, wordsOf(most, n()));
  for (int first = begin; first < end; first += most) {
    const int count = std::min(most, end - first);
    graph_->rows(first, count, band.data());
    visit(first, count, band.data());
  }
}

void GpuRows::rows(int begin, int end, const RowVisitor& visit) const {
  const int some = std::min(rowsIn(kPieceBytes, n()), end - begin);
  if (some <= 0) return;
  std::vector<int> host(wordsOf(some, n()));
  rowsOn(gpu_, begin, end, [&](int first, int count, const int* words) {
    for (int row = 0; row < count; row += some) {
      const int piece = std::min(some, count - row);
      gpu_.download(host.data(), words + wordsOf(row, n()), wordsOf(piece, n()));
      visit(first + row, piece, host.data());
    }
  });
}

}  // namespace sparse
