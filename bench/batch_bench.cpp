// Many small graphs in one call, beside a plain triple loop on one core: graphs and relaxations a
// second. A call solves what the one before it left, distances: the solvers do the same work on
// them. On the GPU, if there is one, the batch stays in its memory.
//
//   make bench && build/cuda/bench/batch_bench
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/size.h"
#include "batch/batch_cpu.h"
#include "batch/batch_gpu.h"
#include "bench/main.h"
#include "dense/plain_cpu.h"
#include "device/device.h"

using namespace engine;

namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;  // of a batch; more than caches hold

template <class T>
std::vector<T> randomBatch(std::size_t count, int n) {
  std::mt19937 random(1);
  const std::size_t size = asSize(n) * asSize(n);
  std::vector<T> batch(count * size);
  for (std::size_t at = 0; at < batch.size(); ++at)
    batch[at] = static_cast<T>(at % size % asSize(n + 1) == 0 ? 0 : random() % 1000 + 1);
  return batch;
}

void plain(std::size_t count, int n, Elements batch) {
  for (std::size_t number = 0; number < count; ++number)
    apspScalar(n, batch + number * asSize(n) * asSize(n));
}
void onCpu(std::size_t count, int n, Elements batch) {
  batch::solveOnCpu(count, n, batch);
}
void onGpu(std::size_t count, int n, Elements batch) {
  batch::solveOnGpu(count, n, batch, nullptr);
}

using Solve = void (*)(std::size_t count, int n, Elements batch);

template <class T>
void measure(benchmark::State& state, Solve solve, const Device* device) {
  guarded(state, [&] {
    const int n = static_cast<int>(state.range(0));
    const std::size_t size = asSize(n) * asSize(n), count = kBytes / sizeof(T) / size;
    const std::vector<T> batch = randomBatch<T>(count, n);
    const DeviceElements there(*device, kDtype<T>, batch.size());
    upload(*device, there.data(), batch.data(), batch.size());
    for ([[maybe_unused]] auto once : state) {
      solve(count, n, there.data());
      device->synchronise();
    }
    const auto graphs = static_cast<double>(count) * static_cast<double>(state.iterations());
    state.counters["graphs"] = {graphs, benchmark::Counter::kIsRate};
    state.counters["relaxations"] = {graphs * static_cast<double>(size) * n,
                                     benchmark::Counter::kIsRate};
  });
}

template <class T>
void registerType() {
  const struct {
    const char* name;
    Solve solve;
    DeviceKind kind;
  } rows[] = {{"plain", plain, DeviceKind::kCpu},
              {"cpu", onCpu, DeviceKind::kCpu},
              {"gpu", onGpu, DeviceKind::kGpu}};
  std::string why;
  for (const auto& row : rows) {
    const Device* const device = findDevice(row.kind, why);
    if (device == nullptr) continue;
    const std::string name = row.name + std::string("/") + nameOf(kDtype<T>);
    auto* const registered =
        benchmark::RegisterBenchmark(name.c_str(), measure<T>, row.solve, device);
    for (const int n : {8, 16, 32, 64, 128}) registered->Arg(n);
    registered->Unit(benchmark::kMillisecond)->UseRealTime();
  }
}

void registerAll() {
  registerType<std::int32_t>();
  registerType<float>();
  registerType<std::int64_t>();
  registerType<double>();
}

}  // namespace

int main(int argc, char** argv) {
  return runBenchmarks(argc, argv, registerAll);
}
