// The C interface (include/apsp/apsp.h) on the seam of solver/solver.h. Errors become statuses
// here, and nowhere else.
#include <apsp/apsp.h>

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/views.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/negative_cycle.h"
#include "base/progress.h"
#include "base/tolerance.h"
#include "negative/negative.h"
#include "negative/potentials.h"
#include "paths/path.h"
#include "paths/predecessors.h"
#include "paths/summary.h"
#include "solver/range.h"
#include "solver/solver.h"

static_assert(APSP_INFINITY == kInf, "the headers differ");

struct apsp_graph {
  std::function<std::shared_ptr<const GraphSource>(bool negative)> view;
};

struct apsp_result {
  apsp_result(std::shared_ptr<const GraphSource> source, Selection wanted)
      : graph(std::move(source)), asked(std::move(wanted)) {}

  Problem problem() const { return {graph, asked.all() ? nullptr : &asked}; }

  std::mutex mutex;  // a run computes rows for one caller at a time
  ProblemGraph graph;
  const Selection asked;
  bool negative = false;
  const Device* device = nullptr;
  std::unique_ptr<Run> run;
  const Distances* distances = nullptr;
  Call call;
  std::optional<Graph> backwards;  // made when the first path is asked for
  std::optional<Predecessors> predecessors;
};

/// The edges of a graph without their weights, sorted by their ends.
using Structure = std::vector<std::pair<int, int>>;

struct apsp_plan {
  apsp_options options;  // without sources and targets
  Selection asked;
  Solver solver;
  Execution where;
  int n;
  Dtype dtype;
  Plan plan;
  std::optional<Structure> structure;  // of a graph that is held as edges
};

namespace {

thread_local std::string lastError;
thread_local std::vector<std::int32_t> lastCycle;

apsp_status statusOf(Exit code) {
  switch (code) {
    case Exit::kUsage:
      return APSP_INVALID;
    case Exit::kInput:
      return APSP_INEXACT;
    case Exit::kMemory:
      return APSP_NO_MEMORY;
    case Exit::kGpu:
      return APSP_DEVICE_FAILED;
    default:
      return APSP_FAILED;
  }
}

/// No GPU that can be used.
struct NoDevice : Error {
  explicit NoDevice(const std::string& why) : Error(Exit::kGpu, "no GPU: " + why) {}
};

/// Does the work. What it throws becomes a status and lastError.
template <class Work>
apsp_status guarded(Work work) noexcept {
  lastError.clear();
  try {
    work();
    return APSP_OK;
  } catch (const NegativeCycle& error) {
    lastError = error.what();
    lastCycle.clear();
    for (const Edge& edge : error.cycle) lastCycle.push_back(edge.from);
    return APSP_NEGATIVE_CYCLE;
  } catch (const NoDevice& error) {
    lastError = error.what();
    return APSP_NO_DEVICE;
  } catch (const Cancelled&) {
    lastError = "cancelled";
    return APSP_CANCELLED;
  } catch (const Error& error) {
    lastError = error.what();
    return statusOf(error.code);
  } catch (const std::bad_alloc&) {
    lastError = "out of host memory";
    return APSP_NO_MEMORY;
  } catch (const std::exception& error) {
    lastError = error.what();
    return APSP_FAILED;
  } catch (...) {
    lastError = "unknown error";
    return APSP_FAILED;
  }
}

void require(bool holds, const char* what) {
  if (!holds) throw InvalidArgument(what);
}

Dtype dtypeOf(apsp_type type) {
  require(type == APSP_INT32 || type == APSP_FLOAT32,
          "type is neither APSP_INT32 nor APSP_FLOAT32");
  return type == APSP_INT32 ? Dtype::kInt32 : Dtype::kFloat32;
}

apsp_type typeOf(Dtype dtype) {
  return dtype == Dtype::kInt32 ? APSP_INT32 : APSP_FLOAT32;
}

/// The caller's options, of whatever version, as those of this one.
apsp_options complete(const apsp_options* given) {
  apsp_options all;
  apsp_options_init(&all, sizeof all);
  if (given == nullptr) return all;
  require(given->size >= sizeof(size_t), "options->size is 0: call apsp_options_init() first");
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t at = sizeof all; at < given->size; ++at)
    require(bytes[at] == 0, "options has a field that this version of the library does not know");
  std::memcpy(&all, given, std::min(given->size, sizeof all));
  all.size = sizeof all;
  require(all.place >= APSP_ANYWHERE && all.place <= APSP_GPU, "options->place is no apsp_place");
  require(all.method >= APSP_AUTO && all.method <= APSP_SPARSE,
          "options->method is no apsp_method");
  require(all.threads >= 0, "options->threads is negative");
  return all;
}

Options optionsOf(const apsp_options& given) {
  static constexpr Method methods[] = {Method::kAuto, Method::kDense, Method::kFiltered,
                                       Method::kSparse};
  Options options;
  options.method = methods[given.method];
  options.stream = static_cast<CUstream_st*>(given.stream);
  return options;
}

const Device& placeOf(apsp_place place) {
  if (place == APSP_CPU) return cpuDevice;
  std::string why;
  if (const Device* const gpu = findGpu(why)) return *gpu;
  if (place == APSP_GPU) throw NoDevice(why);
  return cpuDevice;
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

/// As many threads as the caller wants in this thread's parallel regions, for as long as it lives.
class ThreadCount {
 public:
  explicit ThreadCount(int wanted) : before_(omp_get_max_threads()) {
    if (wanted > 0) omp_set_num_threads(wanted);
  }
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  const int before_;
};

/// Calls the caller's function about ten times a second while the work of this thread goes on.
class Watcher {
 public:
  explicit Watcher(const apsp_options& options)
      : progress_(options.progress), user_(options.progress_user), scope_(flag_) {
    if (progress_ != nullptr) thread_ = std::thread([this] { watch(); });
  }
  ~Watcher() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    end_.notify_one();
    thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, std::chrono::milliseconds(100), [this] { return over_; })) {
      std::string what = "solving";
      double done = -1;
      {
        const std::lock_guard works(worksUnderWay().mutex);
        for (const Progress* const work : worksUnderWay().works) {
          if (work->owner() != &flag_) continue;
          const WorkState state = work->state();
          if (!state.what.empty()) what = state.what;
          if (state.total > 0)
            done =
                std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
        }
      }
      if (progress_(user_, what.c_str(), done) == 0) continue;
      flag_ = true;
      return;
    }
  }

  const apsp_progress progress_;
  void* const user_;
  std::atomic<bool> flag_{false};
  const CancelScope scope_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool over_ = false;
  std::thread thread_;
};

/// Throws Error(kMemory) if it is clear that the solve has no room.
void requireMemory(const Memory& need, const Device& device) {
  const bool gpu = device.kind() == DeviceKind::kGpu;
  const auto check = [](const char* kind, std::size_t bytes, std::size_t free) {
    if (bytes > free)
      throw Error(Exit::kMemory,
                  fmt::format("{} memory: {} bytes are needed, {} are free", kind, bytes, free));
  };
  check(gpu ? "device" : "host", need.device + (gpu ? 0 : need.host), device.freeBytes());
  if (gpu) check("host", need.host, cpuDevice.freeBytes());
}

/// A solve whose distances could have been too large for their type is checked once more.
void requireRange(const Solver& solver, const apsp_result& result, const Execution& where) {
  const Problem problem = result.problem();
  const GraphStats input = result.graph.statistics(*result.device);
  const GraphStats output = reachOf(*result.distances);
  const std::uint64_t unreachable = pairsOf(*result.distances) - output.edges;
  if (unreachable == 0) return;
  checkRange(solver, problem, where, input, output, unreachable,
             static_cast<int>(result.call.outcome.reweighting.least));
}

/// The graph as it will be solved, and what is asked for. Its elements are checked.
std::unique_ptr<apsp_result> unsolved(const apsp_graph& graph, bool negative, const Device& device,
                                      Selection asked) {
  auto result = std::make_unique<apsp_result>(graph.view(negative), std::move(asked));
  result->negative = negative;
  result->device = &device;
  if (result->graph.heldAsEdges()) result->graph.onHost();
  return result;
}

/// A graph with what is asked of it, and who solves it where.
struct Asked {
  std::unique_ptr<apsp_result> result;  // without distances
  Solver solver;
  Execution where;
};

Asked askedOf(const apsp_graph& graph, const apsp_options& o) {
  const bool negative = o.negative != 0;
  const Device& device = placeOf(o.place);
  const int n = graph.view(negative)->n();
  const Solver& plain = findSolver("apsp", device.kind());
  Asked asked{unsolved(graph, negative, device,
                       {verticesOf("sources", o.sources, o.source_count, n),
                        verticesOf("targets", o.targets, o.target_count, n)}),
              negative ? withNegativeWeights(plain) : plain,
              {device, optionsOf(o)}};
  asked.where.keepsPlan = true;  // nobody measures it, so the graph is looked at once
  return asked;
}

void solve(apsp_result& result, const Solver& solver, const Execution& where, const Plan& plan) {
  requireMemory(plan.memory, *result.device);
  result.run = beginAsked(plan, result.problem());
  result.run->reset();
  throwIfCancelled();
  result.call = result.run->solve();
  throwIfCancelled();
  result.distances = &result.run->distances();
  if (result.graph.n() > 1) requireRange(solver, result, where);
}

std::optional<Structure> structureOf(const ProblemGraph& graph) {
  if (!graph.heldAsEdges()) return std::nullopt;
  Structure structure;
  structure.reserve(graph.onHost().edges().size());
  for (const Edge& edge : graph.onHost().edges()) structure.emplace_back(edge.from, edge.to);
  return structure;
}

/// Distances of rows as they go by, for the caller.
void copyRows(const Distances& from, int first, int count, const RowVisitor& take) {
  if (first < 0 || count < 0 || first > from.rowCount() - count)
    throw InvalidArgument(
        fmt::format("{} rows from row {} on: there are {} rows", count, first, from.rowCount()));
  if (count > 0) from.rows(first, first + count, take);
}

/// Whether device memory is asked for where this library can reach it.
const Device& deviceOf(apsp_memory where) {
  require(where == APSP_HOST || where == APSP_DEVICE, "where is no apsp_memory");
  return where == APSP_HOST ? cpuDevice : placeOf(APSP_GPU);
}

void solveHostMatrix(int n, Dtype dtype, int* matrix, const Device& device,
                     const Options& options) {
  const MatrixArray array{n, matrix, n, 1, dtype};
  requireWeights(array);
  viewOf(array, false)->block(0, n, 0, n, matrix);  // 0 on the diagonal, and no -0.0
  const InPlace& solve = findSolver("apsp", device.kind()).inPlace;
  if (device.kind() == DeviceKind::kCpu) {
    solve(device, n, matrix, dtype, options);
    return;
  }
  const DeviceMatrix there(device, n, dtype);
  device.upload(there.data(), matrix, there.size());
  solve(device, n, there.data(), dtype, options);
  device.download(matrix, there.data(), there.size());
}

constexpr char kChanged[] = "the graph has changed since it was solved";

const Distances& allDistances(const apsp_result& result) {
  require(result.asked.all(), "this result has some sources or targets only: solve for all");
  return *result.distances;
}

template <class Arrays>
apsp_status makeGraph(const Arrays& arrays, apsp_graph** graph) {
  *graph = new apsp_graph{[arrays](bool negative) { return viewOf(arrays, negative); }};
  return APSP_OK;
}

template <class Offset>
apsp_status csr(std::int32_t n, const Offset* offsets, const std::int32_t* heads, apsp_type type,
                const void* weights, apsp_graph** graph) noexcept {
  return guarded([&] {
    require(n >= 0, "n is negative");
    require(graph != nullptr, "graph is NULL");
    require(n == 0 || offsets != nullptr, "offsets is NULL");
    require(n == 0 || offsets[n] <= 0 || heads != nullptr, "heads is NULL");
    makeGraph(CsrArrays<Offset>{n, offsets, heads, weights, dtypeOf(type)}, graph);
  });
}

}  // namespace

extern "C" {

#define APSP_TEXT_OF(number) #number
#define APSP_TEXT(number) APSP_TEXT_OF(number)
const char* apsp_version(void) {
  return APSP_TEXT(APSP_VERSION_MAJOR) "." APSP_TEXT(APSP_VERSION_MINOR) "." APSP_TEXT(
      APSP_VERSION_PATCH);
}

const char* apsp_last_error(void) {
  return lastError.c_str();
}

size_t apsp_last_cycle(int32_t* vertices, size_t room) {
  if (vertices != nullptr)
    std::copy_n(lastCycle.begin(), std::min(room, lastCycle.size()), vertices);
  return lastCycle.size();
}

const char* apsp_status_text(apsp_status status) {
  static const char* const texts[] = {
      "no error",       "invalid argument",   "out of memory", "no GPU",        "GPU failed",
      "negative cycle", "distance too large", "cancelled",     "internal error"};
  return status >= APSP_OK && status <= APSP_FAILED ? texts[status] : "no status of this library";
}

apsp_status apsp_gpu(char* name, size_t room) {
  return guarded([&] {
    const std::string found = placeOf(APSP_GPU).info().name;
    if (room == 0) return;
    require(name != nullptr, "name is NULL, and room is not 0");
    name[found.copy(name, room - 1)] = 0;
  });
}

apsp_status apsp_graph_csr32(int32_t n, const int32_t* offsets, const int32_t* heads,
                             apsp_type type, const void* weights, apsp_graph** graph) {
  return csr(n, offsets, heads, type, weights, graph);
}

apsp_status apsp_graph_csr64(int32_t n, const int64_t* offsets, const int32_t* heads,
                             apsp_type type, const void* weights, apsp_graph** graph) {
  return csr(n, offsets, heads, type, weights, graph);
}

apsp_status apsp_graph_edges(int32_t n, size_t edge_count, const int32_t* tails,
                             const int32_t* heads, apsp_type type, const void* weights,
                             apsp_graph** graph) {
  return guarded([&] {
    require(n >= 0, "n is negative");
    require(graph != nullptr, "graph is NULL");
    require(edge_count == 0 || (tails != nullptr && heads != nullptr), "tails or heads is NULL");
    makeGraph(EdgeArrays{n, edge_count, tails, heads, weights, dtypeOf(type)}, graph);
  });
}

apsp_status apsp_graph_matrix(int32_t n, apsp_type type, const void* matrix, ptrdiff_t row_stride,
                              ptrdiff_t column_stride, apsp_graph** graph) {
  return guarded([&] {
    require(n >= 0, "n is negative");
    require(graph != nullptr, "graph is NULL");
    require(n == 0 || matrix != nullptr, "matrix is NULL");
    require(n <= 1 || (row_stride != 0 && column_stride != 0), "a stride is 0");
    makeGraph(MatrixArray{n, static_cast<const std::int32_t*>(matrix), row_stride, column_stride,
                          dtypeOf(type)},
              graph);
  });
}

void apsp_graph_free(apsp_graph* graph) {
  delete graph;
}

void apsp_options_init(apsp_options* options, size_t size) {
  if (options == nullptr || size < sizeof(size_t)) return;
  std::memset(options, 0, size);  // every default is 0
  options->size = size;
}

apsp_status apsp_solve(const apsp_graph* graph, const apsp_options* options, apsp_result** result) {
  return guarded([&] {
    require(graph != nullptr, "graph is NULL");
    require(result != nullptr, "result is NULL");
    const apsp_options o = complete(options);
    const ThreadCount threads(o.threads);
    const Watcher watcher(o);
    Asked asked = askedOf(*graph, o);
    solve(*asked.result, asked.solver, asked.where,
          asked.solver.plan(asked.result->problem(), asked.where));
    *result = asked.result.release();
  });
}

apsp_status apsp_plan_make(const apsp_graph* graph, const apsp_options* options, apsp_plan** plan) {
  return guarded([&] {
    require(graph != nullptr, "graph is NULL");
    require(plan != nullptr, "plan is NULL");
    apsp_options o = complete(options);
    const ThreadCount threads(o.threads);
    const Watcher watcher(o);
    const Asked asked = askedOf(*graph, o);
    const apsp_result& made = *asked.result;
    o.sources = o.targets = nullptr;
    o.source_count = o.target_count = 0;
    *plan = new apsp_plan{o,
                          made.asked,
                          asked.solver,
                          asked.where,
                          made.graph.n(),
                          made.graph.dtype(),
                          asked.solver.plan(made.problem(), asked.where),
                          structureOf(made.graph)};
    throwIfCancelled();
  });
}

apsp_status apsp_plan_solve(const apsp_plan* plan, const apsp_graph* graph, apsp_result** result) {
  return guarded([&] {
    require(plan != nullptr, "plan is NULL");
    require(graph != nullptr, "graph is NULL");
    require(result != nullptr, "result is NULL");
    const ThreadCount threads(plan->options.threads);
    const Watcher watcher(plan->options);
    auto made = unsolved(*graph, plan->options.negative != 0, plan->where.device, plan->asked);
    require(made->graph.n() == plan->n && made->graph.dtype() == plan->dtype,
            "the graph has another number of vertices, or another type, than the plan");
    require(structureOf(made->graph) == plan->structure, "the graph has other edges than the plan");
    solve(*made, plan->solver, plan->where, plan->plan);
    *result = made.release();
  });
}

apsp_status apsp_plan_get_info(const apsp_plan* plan, apsp_plan_info* info) {
  return guarded([&] {
    require(plan != nullptr && info != nullptr, "plan or info is NULL");
    require(info->size >= sizeof(size_t), "info->size is not set");
    static constexpr apsp_method methods[] = {APSP_AUTO, APSP_DENSE, APSP_FILTERED, APSP_SPARSE,
                                              APSP_SEARCH};
    const Memory& memory = plan->plan.memory;
    const bool gpu = plan->where.device.kind() == DeviceKind::kGpu;
    const apsp_plan_info all{
        info->size,
        plan->n,
        plan->asked.rows(plan->n),
        plan->asked.columns(plan->n),
        typeOf(plan->dtype),
        gpu ? APSP_GPU : APSP_CPU,
        methods[static_cast<int>(plan->plan.method)],
        plan->plan.place == Destination::kStreamed ? 0 : 1,
        memory.host + (gpu ? 0 : memory.device),
        gpu ? memory.device : 0,
        plan->plan.expected > 0 ? plan->plan.expected : -1,
    };
    std::memcpy(info, &all, std::min(info->size, sizeof all));
  });
}

void apsp_plan_free(apsp_plan* plan) {
  delete plan;
}

apsp_status apsp_solve_matrix(int32_t n, apsp_type type, void* matrix, apsp_memory where,
                              const apsp_options* options) {
  return guarded([&] {
    require(n >= 0, "n is negative");
    require(n == 0 || matrix != nullptr, "matrix is NULL");
    const apsp_options o = complete(options);
    require(!o.negative && o.sources == nullptr && o.targets == nullptr,
            "apsp_solve_matrix() takes no negative weights, sources or targets: use apsp_solve()");
    const Dtype dtype = dtypeOf(type);
    const ThreadCount threads(o.threads);
    const Watcher watcher(o);
    if (n == 0) return;
    int* const words = static_cast<int*>(matrix);
    if (where == APSP_DEVICE) {
      require(o.place != APSP_CPU, "a matrix in device memory is not solved on a CPU");
      solveOnGpu(deviceOf(where), n, words, dtype, optionsOf(o));
    } else {
      require(where == APSP_HOST, "where is no apsp_memory");
      solveHostMatrix(n, dtype, words, o.place == APSP_GPU ? placeOf(APSP_GPU) : cpuDevice,
                      optionsOf(o));
    }
    throwIfCancelled();
  });
}

apsp_status apsp_result_info(const apsp_result* result, apsp_info* info) {
  return guarded([&] {
    require(result != nullptr && info != nullptr, "result or info is NULL");
    require(info->size >= sizeof(size_t), "info->size is not set");
    static constexpr apsp_method methods[] = {APSP_AUTO, APSP_DENSE, APSP_FILTERED, APSP_SPARSE,
                                              APSP_SEARCH};
    const Distances& found = *result->distances;
    const apsp_info all{
        info->size,
        found.n(),
        found.rowCount(),
        found.columns(),
        typeOf(found.dtype()),
        result->device->kind() == DeviceKind::kCpu ? APSP_CPU : APSP_GPU,
        methods[static_cast<int>(result->call.outcome.method)],
        result->call.milliseconds,
    };
    std::memcpy(info, &all, std::min(info->size, sizeof all));
  });
}

apsp_status apsp_result_rows(apsp_result* result, int32_t first, int32_t count, void* distances) {
  return guarded([&] {
    require(result != nullptr, "result is NULL");
    require(count <= 0 || distances != nullptr, "distances is NULL");
    const std::lock_guard lock(result->mutex);
    const Distances& from = *result->distances;
    const auto width = static_cast<std::size_t>(from.columns());
    copyRows(from, first, count, [&](int begin, int some, const int* words) {
      std::copy_n(words, static_cast<std::size_t>(some) * width,
                  static_cast<int*>(distances) + static_cast<std::size_t>(begin - first) * width);
    });
  });
}

apsp_status apsp_result_matrix(apsp_result* result, void* distances, ptrdiff_t stride,
                               apsp_memory where) {
  return guarded([&] {
    require(result != nullptr && distances != nullptr, "result or distances is NULL");
    const Device& device = deviceOf(where);
    const std::lock_guard lock(result->mutex);
    const Distances& from = *result->distances;
    if (stride < from.columns())
      throw InvalidArgument(
          fmt::format("stride is {}, less than the number of columns, {}", stride, from.columns()));
    const auto width = static_cast<std::size_t>(from.columns());
    int* const to = static_cast<int*>(distances);
    from.rowsOn(device, 0, from.rowCount(), [&](int begin, int some, const int* words) {
      if (stride == from.columns())
        return device.copy(to + begin * stride, words, static_cast<std::size_t>(some) * width);
      for (int i = 0; i < some; ++i)
        device.copy(to + (begin + i) * stride, words + static_cast<std::size_t>(i) * width, width);
    });
    device.synchronise();
  });
}

apsp_status apsp_result_borrow(apsp_result* result, const void** distances, apsp_memory* where) {
  return guarded([&] {
    require(result != nullptr && distances != nullptr && where != nullptr, "an argument is NULL");
    const DeviceMatrix* const whole = result->distances->whole();
    require(whole != nullptr, "the distances are not one matrix in memory: take rows");
    *distances = whole->data();
    *where = whole->device().kind() == DeviceKind::kCpu ? APSP_HOST : APSP_DEVICE;
  });
}

// A path backwards, from `to`, along the edges of the reversed graph: row `from` has the distances
// to `from` there.
apsp_status apsp_result_path(apsp_result* result, int32_t from, int32_t to, int32_t* vertices,
                             size_t room, size_t* count) {
  return guarded([&] {
    require(result != nullptr && count != nullptr, "result or count is NULL");
    require(room == 0 || vertices != nullptr, "vertices is NULL, and room is not 0");
    const std::lock_guard lock(result->mutex);
    const Distances& all = allDistances(*result);
    const int n = all.n();
    if (from < 0 || from >= n || to < 0 || to >= n)
      throw InvalidArgument(fmt::format("from {} to {}: vertices are 0 to {}", from, to, n - 1));
    require(!result->negative || all.dtype() == Dtype::kInt32,
            "paths of a graph with negative floats are not available");
    std::vector<double> distances(static_cast<std::size_t>(n));
    all.rows(from, from + 1, [&](int, int, const int* row) {
      for (int v = 0; v < n; ++v)
        distances[static_cast<std::size_t>(v)] = row[v] == infinity(all.dtype())
                                                     ? std::numeric_limits<double>::infinity()
                                                     : toDouble(row[v], all.dtype());
    });
    std::vector<int> path;
    if (distances[static_cast<std::size_t>(to)] < std::numeric_limits<double>::infinity()) {
      if (!result->backwards) result->backwards = reversed(result->graph.onHost());
      const auto found = followDistances(Leaving(*result->backwards), distances, to, from,
                                         tolerance(n, all.dtype(), 2));
      require(found.has_value(), kChanged);
      path.assign(found->vertices.rbegin(), found->vertices.rend());
    }
    *count = path.size();
    std::copy_n(path.begin(), std::min(room, path.size()), vertices);
  });
}

apsp_status apsp_result_predecessors(apsp_result* result, int32_t first, int32_t count,
                                     int32_t* predecessors) {
  return guarded([&] {
    require(result != nullptr, "result is NULL");
    require(count <= 0 || predecessors != nullptr, "predecessors is NULL");
    const std::lock_guard lock(result->mutex);
    const Distances& all = allDistances(*result);
    require(!result->negative || all.dtype() == Dtype::kInt32,
            "predecessors of a graph with negative floats are not available");
    const auto n = static_cast<std::size_t>(all.n());
    if (!result->predecessors) {
      const Graph& graph = result->graph.onHost();
      result->predecessors.emplace(graph, nullptr,
                                   result->negative ? potentialsOf(graph).of : std::vector<int>());
    }
    try {
      copyRows(all, first, count, [&](int begin, int some, const int* words) {
        result->predecessors->rows(begin, some, words,
                                   predecessors + static_cast<std::size_t>(begin - first) * n);
      });
    } catch (const Error& error) {
      require(error.code != Exit::kMismatch, kChanged);
      throw;
    }
  });
}

apsp_status apsp_result_summaries(apsp_result* result, apsp_summary* summaries) {
  return guarded([&] {
    require(result != nullptr && summaries != nullptr, "result or summaries is NULL");
    const std::lock_guard lock(result->mutex);
    const Summary all = summaryOf(*result->distances);
    std::transform(all.vertices.begin(), all.vertices.end(), summaries,
                   [&](const VertexSummary& each) {
                     return apsp_summary{each.vertex, each.reachable,
                                         toDouble(each.eccentricity, all.dtype), each.sum};
                   });
  });
}

void apsp_result_free(apsp_result* result) {
  delete result;
}

}  // extern "C"
