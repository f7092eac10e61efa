// A limit on a GPU. The GPU sweeps to all vertices. That takes less time than a CPU needs to search
// for one in a hundred of the distances. The distances are made in bands of sources, and what is
// small goes to the host while the next band is made. So the memory is the answer and a band.
//
// A band is large: each source is a lane of a warp, and the whole hierarchy passes by for it. With
// fewer sources than keep the GPU busy, a band would take as long. It is read where the sweep has
// written it, the sources next to each other, and is not turned.
#include "search/near_gpu.h"

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "base/cancel.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"
#include "solver/gpu_rows.h"
#include "solver/outcome.h"
#include "solver/solver.h"
#include "sparse/elimination_gpu.h"

namespace engine::search {

namespace {

/// Milliseconds to look at a 32-bit distance; and for each byte of the answer, to bring it and to
/// put it into its row.
constexpr double kLookMs = 1.2e-9, kByteMs = 4e-8;
/// Milliseconds that nobody can do without: page-locked memory, launches, and waiting for them.
constexpr double kLeastMs = 2;
constexpr int kLanes = 32;
/// Of the free memory of the GPU, a band takes one such part at the most.
constexpr int kOfFree = 4;

double distancesOf(int n, Dtype dtype) {
  return static_cast<double>(n) * n * static_cast<double>(sizeOf(dtype)) / 4;
}

/// A band's place: (n, stride) in GPU memory, as wide as there is room.
class BandPlace {
 public:
  BandPlace(const Device& gpu, int n, Dtype dtype, const SweepBands& bands) {
    const GpuSize size = presentGpuSize();
    const std::size_t column = asSize(std::max(1, n)) * sizeOf(dtype);
    const std::size_t bytes = std::min(bands.bytes, size.bytes / kOfFree);
    const int most =
        static_cast<int>(std::clamp<std::size_t>(bytes / column, 1, asSize(ceilToLanes(n))));
    int width = most < size.sources ? most : most / size.sources * size.sources;
    if (bands.sources > 0) width = std::min(bands.sources, most);
    for (;; width /= 2) {
      stride_ = asSize(ceilToLanes(width));
      sources_ = std::min(bands.sources > 0 ? width : static_cast<int>(stride_), n);
      try {
        memory_.emplace(gpu, dtype, asSize(n) * stride_, true);  // the next call finds it again
        return;
      } catch (const Error& error) {
        if (error.code != ErrorCode::kMemory || width <= kLanes) throw;
      }
    }
  }

  int sources() const { return sources_; }
  std::size_t stride() const { return stride_; }
  Elements data() const { return memory_->data(); }

 private:
  static int ceilToLanes(int count) { return std::max(1, (count + kLanes - 1) / kLanes) * kLanes; }

  int sources_ = 0;
  std::size_t stride_ = 0;
  std::optional<DeviceElements> memory_;
};

/// Sweeps bands of the sources that are asked for.
void sweepBands(RowSource& source, const SmallAsked& asked, const SparseRows& rows,
                const BandPlace& place, SmallOnGpu& small) {
  const int n = asked.n;
  std::vector<int> wanted = asked.sources;
  std::sort(wanted.begin(), wanted.end());
  Progress progress("searching", asSize(n));
  bool turned = true;  // as sweeps write it
  for (auto next = wanted.begin(); next != wanted.end() && rows.hasRoom();) {
    throwIfCancelled();
    const int first = *next, count = std::min(place.sources(), n - first);
    turned = turned && source.columns(first, count, place.stride(), place.data());
    if (!turned) source.rows(first, count, place.data());
    small.add({first, count, turned ? 1 : asSize(n), turned ? place.stride() : 1, place.data()});
    next = std::lower_bound(next, wanted.end(), first + count);
    progress.advance(asSize(count));
  }
  small.finish();
}

}  // namespace

double bringingMilliseconds(int n, Dtype dtype, double answers) {
  const double looking = kLookMs * distancesOf(n, dtype);
  const double bringing = kByteMs * answers * static_cast<double>(sizeOf(dtype) + sizeof(int));
  return kLeastMs + std::max(looking, bringing);
}

bool sweepNearOnGpu(const Device& gpu, const Graph& graph, const SmallAsked& asked,
                    SparseRows& rows, double most, const SweepBands& bands) {
  try {
    // To map memory takes a while, in which the GPU eliminates.
    auto mapped = std::async(std::launch::async, [&, present = presentGpu()] {
      makePresent(present);
      return std::make_unique<BandPlace>(gpu, asked.n, rows.dtype(), bands);
    });
    const auto small = smallOnGpu(asked, rows, bands.small);
    const auto found = sparse::eliminateOnGpu(graph);
    if (found == nullptr || found->expected > most) return false;
    const auto place = mapped.get();
    // Fewer sources than keep the GPU busy are swept in the same time.
    const double full = std::min(asked.n, presentGpuSize().sources);
    if (found->expected + found->sweep * (std::max(1.0, full / place->sources()) - 1) > most)
      return false;
    const auto core = [&](int size, Elements matrix) { solveOnGpu(gpu, size, matrix, {}); };
    Sweeping done;
    const auto source = found->sweeps(core, 0, done);
    sweepBands(*source, asked, rows, *place, *small);
  } catch (const Error& error) {
    if (error.code != ErrorCode::kMemory) throw;
    return false;
  }
  rows.requireRoom();
  return true;
}

void keepNearOnGpu(const Device& gpu, const Distances& all, const SmallAsked& asked,
                   SparseRows& rows, const SmallSizes& sizes) {
  const auto small = smallOnGpu(asked, rows, sizes);
  const auto n = asSize(asked.n);
  all.rowsOn(gpu, 0, all.rowCount(), [&](int first, int count, ConstElements elements) {
    small->add({first, count, n, 1, elements});
  });
  small->finish();
  rows.requireRoom();
}

}  // namespace engine::search
