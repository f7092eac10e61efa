#include "solver/row_download.h"

#include <algorithm>
#include <cstddef>
#include <future>
#include <utility>

#include "base/size.h"

namespace engine {

RowDownload::RowDownload(const Device& device, Dtype dtype, int columns, int piece,
                         const RowVisitor& visit)
    : device_(device), dtype_(dtype), columns_(columns), most_(std::max(1, piece)), visit_(visit) {}

std::size_t RowDownload::sizeOf(int rows) const {
  return asSize(rows) * asSize(columns_);
}

/// The GPU on which this thread computes; −1 if the device is none.
static int presentGpuOf(const Device& device) {
  return device.kind() == DeviceKind::kGpu ? presentGpu() : -1;
}

void RowDownload::add(int first, int count, ConstElements elements) {
  device_.finish();  // another thread, which may have another GPU, will copy them
  for (int row = 0; row < count; row += most_) {
    coming_.first = first + row;
    coming_.count = std::min(most_, count - row);
    coming_.elements.resize(dtype_, sizeOf(coming_.count));
    const auto get = [this, gpu = presentGpuOf(device_), from = elements + sizeOf(row)] {
      if (gpu >= 0) makePresent(gpu);
      download(device_, coming_.elements.data(), from, sizeOf(coming_.count));
    };
    // If no piece is here, there is nothing to do meanwhile, and it comes without a thread.
    const auto either = std::launch::async | std::launch::deferred;
    auto soon = std::async(here_.count > 0 ? either : std::launch::deferred, get);
    finish();
    soon.get();
    std::swap(coming_, here_);
  }
}

void RowDownload::finish() {
  if (here_.count > 0) visit_(here_.first, here_.count, std::as_const(here_.elements).data());
  here_.count = 0;
}

}  // namespace engine
