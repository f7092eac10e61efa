#include "solver/gpu_rows.h"

#include <algorithm>
#include <memory>

#include "base/size.h"
#include "solver/row_download.h"
#include "solver/summarise_gpu.h"

namespace engine {

namespace {

/// rows: those that there are.
int rowsIn(std::size_t bytes, int rows, int columns, Dtype dtype) {
  const std::size_t row = sizeOf(dtype) * asSize(std::max(1, columns));
  return static_cast<int>(std::clamp<std::size_t>(bytes / row, 1, asSize(std::max(1, rows))));
}

std::size_t elementsOf(int rows, int columns) {
  return asSize(rows) * asSize(columns);
}

}  // namespace

std::size_t GpuRows::bytes(int columns, Dtype dtype, int kept, RowWidth stored) {
  const int rows = std::max(kept, columns);
  const std::size_t band =
      sizeOf(dtype) * elementsOf(rowsIn(BandSizes{}.band, rows, columns, dtype), columns);
  const bool inPlace = kept > 0 && stored == RowWidth::kFull;
  // And as much to transpose it.
  return sizeOf(stored, dtype) * elementsOf(kept, columns) + (inPlace ? band : 2 * band);
}

std::size_t GpuRows::hostBytes(int columns, Dtype dtype) {
  return 2 * sizeOf(dtype) *
         elementsOf(rowsIn(BandSizes{}.piece, columns, columns, dtype), columns);
}

void GpuRows::place() {
  if (!keeps_ || kept_ || small_) return;
  if (stored_ == RowWidth::kFull)
    kept_.emplace(gpu_, dtype(), elementsOf(rowCount(), columns()));
  else
    small_.emplace(gpu_, rowCount(), columns(), stored_);
}

void GpuRows::make(RowSource& from, bool summarises) {
  place();
  source_ = &from;
  summaries_ = {};
  if (summarises && !keeps_ && sumsUp_) {
    summaries();
    return;
  }
  // Rows that are kept are made where they lie.
  const int most = kept_ ? rowCount() : rowsIn(sizes_.band, rowCount(), columns(), dtype());
  const DeviceElements band(gpu_, dtype(), kept_ ? 0 : elementsOf(most, columns()));
  for (int first = 0; first < rowCount(); first += most) {
    const int count = std::min(most, rowCount() - first);
    const Elements rows = kept_ ? kept(first) : band.data();
    source_->rows(numberOf(first), count, rows);
    if (small_) small_->keep(*this, first, count, rows);
  }
  gpu_.finish();
}

const Summaries* GpuRows::summaries() const {
  if (!sumsUp_) return nullptr;
  if (!summaries_.rows.empty()) return &summaries_;
  const std::unique_ptr<Summing> sums = summingOnGpu(*this, true);
  rowsOn(gpu_, 0, rowCount(),
         [&](int first, int count, ConstElements elements) { sums->add(first, count, elements); });
  summaries_ = sums->finish();
  return &summaries_;
}

std::optional<GraphStats> GpuRows::counted() const {
  if (!sumsUp_) return std::nullopt;
  const Number zero = zeroOf(dtype());
  GraphStats all{0, 0, zero, zero};
  for (const RowSummary& row : summaries()->rows)
    all += {static_cast<std::uint64_t>(row.reachable), row.hash, row.largest, zero};
  return all;
}

void GpuRows::rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const {
  if (!shareMemory(device, gpu_)) return rows(begin, end, visit);
  if (kept_) return visit(begin, end - begin, kept(begin));
  const int most = std::min(rowsIn(sizes_.band, rowCount(), columns(), dtype()), end - begin);
  if (most <= 0) return;
  const DeviceElements band(gpu_, dtype(), elementsOf(most, columns()));
  for (int first = begin; first < end; first += most) {
    const int count = std::min(most, end - first);
    if (small_)
      small_->widen(first, count, band.data());
    else
      source_->rows(numberOf(first), count, band.data());
    visit(first, count, band.data());
  }
}

void GpuRows::rows(int begin, int end, const RowVisitor& visit) const {
  const int some = std::min(rowsIn(sizes_.piece, rowCount(), columns(), dtype()), end - begin);
  if (some <= 0) return;
  RowDownload pieces(gpu_, dtype(), columns(), some, visit);
  rowsOn(gpu_, begin, end,
         [&](int first, int count, ConstElements elements) { pieces.add(first, count, elements); });
  pieces.finish();
}

}  // namespace engine
