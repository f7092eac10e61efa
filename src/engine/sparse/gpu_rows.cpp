#include "sparse/gpu_rows.h"

#include <algorithm>

#include "solver/row_download.h"

namespace sparse {

namespace {

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
  return 2 * sizeof(int) * wordsOf(rowsIn(BandSizes{}.band, n), n);  // and as much to transpose it
}

std::size_t GpuRows::hostBytes(int n) {
  return 2 * sizeof(int) * wordsOf(rowsIn(BandSizes{}.piece, n), n);
}

void GpuRows::sweep(GpuSweeps& graph) {
  graph_ = &graph;
  summaries_ = {};
  const int most = rowsIn(sizes_.band, n());
  const DeviceWords band(gpu_, wordsOf(most, n()));
  for (int first = 0; first < n(); first += most)
    graph_->rows(first, std::min(most, n() - first), band.data());
  gpu_.synchronise();
}

const Summaries* GpuRows::summaries() const {
  if (!summaries_.rows.empty()) return &summaries_;
  summaries_.columns.resize(static_cast<std::size_t>(n()));
  rowsOn(gpu_, 0, n(), [&](int first, int count, const int* words) {
    graph_->summarise(first, count, words, summaries_);
  });
  return &summaries_;
}

std::optional<GraphStats> GpuRows::counted() const {
  GraphStats all;
  for (const RowSummary& row : summaries()->rows)
    all += {static_cast<std::uint64_t>(row.reachable), row.hash, row.largest, 0};
  return all;
}

void GpuRows::rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const {
  if (!shareMemory(device, gpu_)) return rows(begin, end, visit);
  const int most = std::min(rowsIn(sizes_.band, n()), end - begin);
  if (most <= 0) return;
  const DeviceWords band(gpu_, wordsOf(most, n()));
  for (int first = begin; first < end; first += most) {
    const int count = std::min(most, end - first);
    graph_->rows(first, count, band.data());
    visit(first, count, band.data());
  }
}

void GpuRows::rows(int begin, int end, const RowVisitor& visit) const {
  const int some = std::min(rowsIn(sizes_.piece, n()), end - begin);
  if (some <= 0) return;
  RowDownload pieces(gpu_, n(), some, visit);
  rowsOn(gpu_, begin, end,
         [&](int first, int count, const int* words) { pieces.add(first, count, words); });
  pieces.finish();
}

}  // namespace sparse
