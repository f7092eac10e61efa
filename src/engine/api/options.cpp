#include "api/options.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <string>

#include "api/status.h"
#include "base/progress.h"
#include "base/size.h"

namespace engine {

Dtype dtypeOf(apsp_type type) {
  for (const Dtype dtype : kDtypes)
    if (typeOf(dtype) == type) return dtype;
  throw InvalidArgument("type is no apsp_type");
}

apsp_type typeOf(Dtype dtype) {
  static constexpr apsp_type types[] = {APSP_INT32, APSP_FLOAT32, APSP_INT64, APSP_FLOAT64};
  return types[static_cast<int>(dtype)];
}

apsp_type typeOf(Tier tier) {
  static constexpr apsp_type types[] = {APSP_INT32,   APSP_INT32, APSP_INT32,
                                        APSP_FLOAT32, APSP_INT64, APSP_FLOAT64};
  return types[static_cast<int>(tier)];
}

constexpr int kMostRanks = 64;
constexpr std::chrono::milliseconds kBetweenCalls(20);  // of the callback of progress

apsp_options complete(const apsp_options* given, bool takesStream, bool keepsDistances) {
  apsp_options all;
  apsp_options_init(&all, sizeof all);
  if (given == nullptr) return all;
  if (given->size < sizeof(size_t))
    throw InvalidArgument(
        fmt::format("options->size is {}: call apsp_options_init() first", given->size));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t at = sizeof all; at < given->size; ++at)
    require(bytes[at] == 0, "options has a field that this version of the library does not know");
  std::memcpy(&all, given, std::min(given->size, sizeof all));
  all.size = sizeof all;
  require(all.place >= APSP_ANYWHERE && all.place <= APSP_GPU, "options->place is no apsp_place");
  require((all.method >= APSP_AUTO && all.method <= APSP_SPARSE) || all.method == APSP_BFS,
          "options->method is no apsp_method");
  require(all.threads >= 0, "options->threads is negative");
  requireSupport(takesStream || all.stream == nullptr,
                 "options->stream is for apsp_solve(), plans, and matrices in device memory");
  require(all.distance_bytes >= 0 && all.distance_bytes <= 2,
          "options->distance_bytes is not 0, 1 or 2");
  requireSupport(keepsDistances || all.distance_bytes == 0,
                 "options->distance_bytes is for apsp_solve() and apsp_plan_make()");
  require(all.negative == 0 || all.negative == 1, "options->negative is not 0 or 1");
  require(all.ranks >= 0 && all.ranks <= kMostRanks, "options->ranks is not between 0 and 64");
  require(all.gpu >= 0, "options->gpu is negative");
  requireSupport(all.gpu == 0 || all.place != APSP_CPU,
                 "options->gpu asks for a GPU, and options->place for the CPU");
  requireSupport(all.gpu == 0 || all.ranks <= 1,
                 "several ranks take the first GPUs: leave options->gpu or options->ranks");
  if (all.gpu > 0) all.place = APSP_GPU;
  return all;
}

Options optionsOf(const apsp_options& given) {
  static constexpr Method methods[] = {Method::kAuto,   Method::kDense,  Method::kFiltered,
                                       Method::kSparse, Method::kSearch, Method::kBfs};
  Options options;
  options.method = methods[given.method];
  options.stream = static_cast<CUstream_st*>(given.stream);
  return options;
}

RowWidth storedBy(const apsp_options& given, Dtype dtype) {
  if (given.distance_bytes == 0) return RowWidth::kFull;
  requireSupport(
      isWhole(dtype) && !given.negative && given.ranks <= 1,
      "options.distance_bytes is for whole weights, none below 0, and one rank: leave it "
      "0, or leave options.negative or options.ranks");
  return given.distance_bytes == 1 ? RowWidth::kUint8 : RowWidth::kUint16;
}

const Device& deviceAt(apsp_place place) {
  if (place == APSP_CPU) return cpuDevice;
  std::string why;
  if (const Device* const gpu = findGpu(why)) return *gpu;
  if (place == APSP_GPU) throw NoDevice(why);
  return cpuDevice;
}

const Device& deviceOf(apsp_memory where) {
  require(where == APSP_HOST || where == APSP_DEVICE, "where is no apsp_memory");
  return where == APSP_HOST ? cpuDevice : deviceAt(APSP_GPU);
}

OnGpu::OnGpu(int gpu) {
  if (gpu == 0) return;
  const int number = gpu - 1, before = presentGpu();
  if (before == number) return;
  if (!makePresent(number)) {
    std::string why;
    if (findGpu(why) == nullptr) throw NoDevice(why);
    throw NoDevice(fmt::format("there is none with the number {}", number));
  }
  before_ = before;
}

OnGpu::~OnGpu() {
  if (before_ >= 0) makePresent(before_);
}

apsp_method methodOf(Method method) {
  static constexpr apsp_method methods[] = {APSP_AUTO,   APSP_DENSE, APSP_FILTERED,
                                            APSP_SPARSE, APSP_BFS,   APSP_SEARCH};
  return methods[static_cast<int>(method)];
}

std::vector<int> verticesOf(const char* name, const std::int32_t* given, std::size_t count, int n) {
  require(given != nullptr || count == 0, "sources or targets is NULL, and their number is not 0");
  if (given == nullptr) return {};
  if (count == 0)
    throw InvalidArgument(
        fmt::format("{0} is given: set options.{1}_count", name, std::string(name).substr(0, 6)));
  require(count <= std::numeric_limits<int>::max(), "too many sources or targets");
  for (std::size_t i = 0; i < count; ++i)
    if (given[i] < 0 || given[i] >= n)
      throw InvalidArgument(
          fmt::format("{}[{}] is {}: vertices are 0 to {}", name, i, given[i], n - 1));
  return {given, given + count};
}

void requireVertices(int n, std::int32_t from, std::int32_t to) {
  if (from < 0 || from >= n || to < 0 || to >= n)
    throw InvalidArgument(fmt::format("from {} to {}: vertices are 0 to {}", from, to, n - 1));
}

std::shared_ptr<const EliminationOrder> orderOf(const std::int32_t* given, int n) {
  std::vector<char> seen(asSize(n));
  for (int i = 0; i < n; ++i) {
    const std::int32_t vertex = given[i];
    if (vertex < 0 || vertex >= n || seen[asSize(vertex)] != 0)
      throw InvalidArgument(fmt::format(
          "order[{}] is {}: an order has each vertex from 0 to {} once", i, vertex, n - 1));
    seen[asSize(vertex)] = 1;
  }
  return std::make_shared<const EliminationOrder>(given, given + n);
}

namespace {

std::atomic<bool> forked{false};

void noteFork() {
  forked = true;
  omp_set_num_threads(1);
}

}  // namespace

ThreadCount::ThreadCount(int wanted) : before_(omp_get_max_threads()) {
  static const bool noted = pthread_atfork(nullptr, nullptr, noteFork) == 0;
  constexpr int kFew = 64;  // of these it is not asked, by a call of the system, how many cores are
  if (wanted > 0 && !(noted && forked))
    omp_set_num_threads(wanted <= kFew ? wanted
                                       : std::min(wanted, std::max(kFew, 4 * omp_get_num_procs())));
}

void requireHere(const void* array, const char* name) {
  const int gpu = gpuOfMemory(array);
  if (gpu >= 0 && gpu != presentGpu())
    throw InvalidArgument(fmt::format(
        "{} is in the memory of GPU {}, and GPU {} is to solve it: make the former current in "
        "CUDA, or give options.gpu where there are options",
        name, gpu, presentGpu()));
}

void requireStride(const char* name, std::ptrdiff_t stride, int rows, Dtype dtype) {
  const auto most = std::numeric_limits<std::ptrdiff_t>::max() / 4 /
                    static_cast<std::ptrdiff_t>(sizeOf(dtype)) / std::max(1, rows);
  if (stride > most || stride < -most)
    throw InvalidArgument(fmt::format("{} is {}: no memory is so large", name, stride));
}

Watcher::Watcher(const apsp_options& options)
    : progress_(options.progress), user_(options.progress_user) {
  if (progress_ == nullptr) return;
  *flag_ = progress_(user_, "solving", -1) != 0;
  throwIfCancelled();
  thread_ = std::thread([this] { watch(); });
}

Watcher::~Watcher() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  end_.notify_one();
  thread_.join();
}

void Watcher::watch() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kBetweenCalls, [this] { return over_; })) {
    std::string what = "solving";
    double done = -1;
    {
      const std::lock_guard works(worksUnderWay().mutex);
      for (const Progress* const work : worksUnderWay().works) {
        if (work->owner() != flag_.get()) continue;
        const WorkState state = work->state();
        if (!state.what.empty()) what = state.what;
        if (state.total > 0)
          done = std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
      }
    }
    if (progress_(user_, what.c_str(), done) == 0) continue;
    *flag_ = true;
    return;
  }
}

}  // namespace engine

using namespace engine;

extern "C" {

void apsp_options_init(apsp_options* options, size_t size) {
  if (options == nullptr || size < sizeof(size_t)) return;
  std::memset(options, 0, size);  // every default is 0
  options->size = size;
}

apsp_status apsp_gpu(char* name, size_t room) {
  return guarded([&] {
    const std::string found = deviceAt(APSP_GPU).info().name;
    if (room == 0) return;
    require(name != nullptr, "name is NULL, and room is not 0");
    name[found.copy(name, room - 1)] = 0;
  });
}

}  // extern "C"
