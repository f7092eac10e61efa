// Many graphs of one size in one call.
#include <apsp/apsp.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "api/in_place.h"
#include "api/options.h"
#include "api/status.h"
#include "base/cancel.h"
#include "base/graph.h"
#include "base/progress.h"
#include "base/size.h"
#include "batch/batch_cpu.h"
#include "batch/batch_gpu.h"
#include "solver/solver.h"

namespace engine {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 28;  // that go through the GPU at a time

/// Matrices of the caller, one after the other.
struct Batch {
  std::size_t count;
  int n;
  Elements matrices;

  std::size_t size() const { return asSize(n) * asSize(n); }  // of a matrix
  Elements matrix(std::size_t number) const { return matrices + number * size(); }
};

/// Throws InvalidArgument unless all elements are weights.
void requireWeights(const Batch& all) {
  const std::size_t at = batch::firstWrong(all.count, all.n, all.matrices);
  throwIfCancelled();
  if (at == all.count * all.size()) return;
  const std::size_t element = at % all.size(), n = asSize(all.n);
  refuseWeight(fmt::format("matrices[{}][{}][{}]", at / all.size(), element / n, element % n),
               all.matrices[at], false);
}

/// Calls solve(matrix) for one after the other.
template <class Solve>
void oneByOne(const Batch& all, const Solve& solve) {
  Progress graphs("", all.count);
  for (std::size_t number = 0; number < all.count; ++number, graphs.advance()) {
    throwIfCancelled();
    solve(all.matrix(number));
  }
}

/// Small graphs in host memory, a piece of the batch after the other.
void solveThroughGpu(const Batch& all, const Device& gpu) {
  const std::size_t bytes = all.size() * sizeOf(all.matrices.dtype());
  const std::size_t most = std::min(all.count, kPieceBytes / bytes);
  const DeviceElements there(gpu, all.matrices.dtype(), most * all.size());
  Progress graphs("", all.count);
  for (std::size_t first = 0; first < all.count; first += most) {
    throwIfCancelled();
    const std::size_t number = std::min(most, all.count - first);
    upload(gpu, there.data(), all.matrix(first), number * all.size());
    batch::solveOnGpu(number, all.n, there.data(), nullptr);
    download(gpu, all.matrix(first), there.data(), number * all.size());
    graphs.advance(number);
  }
}

void solveInHostMemory(const Batch& all, const Device& device, const Options& options) {
  requireWeights(all);
  if (all.n > batch::kMostVertices)
    oneByOne(all, [&](Elements matrix) { solveHostMatrix(all.n, matrix, device, options); });
  else if (device.kind() == DeviceKind::kGpu)
    solveThroughGpu(all, device);
  else
    batch::solveOnCpu(all.count, all.n, all.matrices);
}

/// Without a stream of the caller, other streams may still be writing the matrices, or read them
/// next.
void solveInDeviceMemory(const Batch& all, const Device& gpu, const Options& options) {
  const auto wait = [&] {
    if (options.stream == nullptr) gpu.synchronise();
  };
  wait();
  if (all.n <= batch::kMostVertices) {
    batch::solveOnGpu(all.count, all.n, all.matrices, options.stream);
  } else {
    try {
      oneByOne(all, [&](Elements matrix) { solveOnGpu(gpu, all.n, matrix, options); });
    } catch (...) {  // the caller may free the matrices
      try {
        wait();
      } catch (const Error&) {  // the first failure is told
      }
      throw;
    }
  }
  wait();
}

/// Throws InvalidArgument if there are more matrices than addresses.
void requireAddresses(std::size_t count, int n, Dtype dtype) {
  const std::size_t most = PTRDIFF_MAX / sizeOf(dtype) / asSize(n) / asSize(n);
  require(count <= most, "count is too large: so many matrices have no room in any memory");
}

}  // namespace

}  // namespace engine

using namespace engine;

extern "C" {

apsp_status apsp_solve_batch(size_t count, int32_t n, apsp_type type, void* matrices,
                             apsp_memory where, const apsp_options* options) {
  return guarded([&] {
    require(n >= 1, "n is below 1");
    require(count == 0 || matrices != nullptr, "matrices is NULL");
    require(where == APSP_HOST || where == APSP_DEVICE, "where is no apsp_memory");
    const apsp_options o = complete(options, where == APSP_DEVICE);
    requireSupport(
        o.method == APSP_AUTO && !o.negative && o.sources == nullptr && o.targets == nullptr &&
            o.ranks <= 1,
        "apsp_solve_batch() takes no method, negative weights, sources, targets or ranks: use "
        "apsp_solve()");
    const Batch batch{count, n, {dtypeOf(type), matrices}};
    requireAddresses(count, n, batch.matrices.dtype());
    const OnGpu there(o.gpu);
    const ThreadCount threads(o.threads);
    const Watcher watcher(o);
    if (where == APSP_DEVICE) {
      requireSupport(o.place != APSP_CPU, "matrices in device memory are not solved on a CPU");
      const Device& gpu = deviceOf(where);
      if (count > 0) requireHere(matrices, "matrices");
      if (count > 0) solveInDeviceMemory(batch, gpu, optionsOf(o));
    } else {
      const Device& device = o.place == APSP_GPU ? deviceAt(APSP_GPU) : cpuDevice;
      if (count > 0) solveInHostMemory(batch, device, optionsOf(o));
    }
    throwIfCancelled();
  });
}

}  // extern "C"
