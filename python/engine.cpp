// apsp._engine: the C interface of libapsp (include/apsp/apsp.h) for Python. What users call is
// written in Python, in python/apsp; this module only moves arrays, releases the GIL, looks for
// signals, and turns statuses into exceptions.
#include <apsp/apsp.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "worker.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using HostVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyArray = nb::ndarray<nb::ro>;
using HostOut = nb::ndarray<nb::c_contig, nb::device::cpu>;

/// Up to so many vertices and edges a solve takes less time than waking another thread.
constexpr std::int32_t kFewVertices = 128;
constexpr std::size_t kFewEdges = 20000;

[[noreturn]] void raise(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

/// Raises what a status stands for in Python. message: of the thread that got the status.
[[noreturn]] void raise(apsp_status status, const std::string& message,
                        const std::vector<std::int32_t>& cycle) {
  switch (status) {
    case APSP_INVALID:
    case APSP_UNSUPPORTED:
      raise(PyExc_ValueError, message);
    case APSP_NO_MEMORY:
      raise(PyExc_MemoryError, message);
    case APSP_INEXACT:
      raise(PyExc_OverflowError, message);
    case APSP_NEGATIVE_CYCLE: {
      nb::module_::import_("apsp._errors").attr("raise_negative_cycle")(message, cycle);
      throw nb::python_error();
    }
    default:
      raise(PyExc_RuntimeError, message);
  }
}

/// The status of a call, with what the thread that made it knows of an error.
struct Outcome {
  apsp_status status = APSP_OK;
  std::string message;
  std::vector<std::int32_t> cycle;

  template <class Call>
  void of(const Call& call) {
    status = call();
    if (status == APSP_OK) return;
    message = apsp_last_error();
    if (message.empty()) message = apsp_status_text(status);  // the status is the call's own
    cycle.resize(apsp_last_cycle(nullptr, 0));
    apsp_last_cycle(cycle.data(), cycle.size());
  }
  void check() const {
    if (status != APSP_OK) raise(status, message, cycle);
  }
};

/// Makes a call on this thread, with the GIL.
template <class Call>
void atOnce(const Call& call) {
  Outcome outcome;
  outcome.of(call);
  outcome.check();
}

/// What the thread that waits and the one that solves tell each other.
class Watch {
 public:
  /// progress: None, or what is called with (text, part).
  explicit Watch(nb::object progress) : progress_(std::move(progress)) {}

  /// The callback of the library.
  static int tick(void* user, const char* what, double done) {
    Watch& watch = *static_cast<Watch*>(user);
    const std::lock_guard lock(watch.mutex_);
    watch.what_ = what;
    watch.done_ = done;
    return watch.stop_ ? 1 : 0;
  }

  /// With the GIL held, on the thread that waits.
  void look() {
    if (stop_) return;
    bool failed = PyErr_CheckSignals() != 0;
    if (!failed && !progress_.is_none()) {
      std::unique_lock lock(mutex_);
      const std::string what = what_;
      const double done = done_;
      lock.unlock();
      if (!what.empty()) {
        PyObject* const answer = PyObject_CallFunction(progress_.ptr(), "sd", what.c_str(), done);
        failed = answer == nullptr;
        Py_XDECREF(answer);
      }
    }
    if (!failed) return;
    error_.emplace();  // takes the exception that is set
    stop_ = true;
  }

  /// Whether the work is to end.
  bool stopped() const { return stop_; }

  /// Raises what a signal handler or `progress` has raised.
  void rethrow() {
    if (error_) throw std::move(*error_);
  }

 private:
  const nb::object progress_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::string what_;
  double done_ = -1;
  std::optional<nb::python_error> error_;
};

/// Makes a call on the worker's thread. It may be long, or use several threads.
template <class Call>
void elsewhere(Watch& watch, const Call& call) {
  Outcome outcome;
  Worker::run([&] { outcome.of(call); }, [&] { watch.look(); });
  watch.rethrow();
  outcome.check();
}

template <class Call>
void elsewhere(const Call& call) {
  Watch watch{nb::none()};
  elsewhere(watch, call);
}

apsp_type typeOf(nb::dlpack::dtype dtype) {
  if (dtype == nb::dtype<std::int32_t>()) return APSP_INT32;
  if (dtype == nb::dtype<std::int64_t>()) return APSP_INT64;
  if (dtype == nb::dtype<float>()) return APSP_FLOAT32;
  if (dtype == nb::dtype<double>()) return APSP_FLOAT64;
  throw nb::type_error("weights are int32, int64, float32 or float64");
}

template <class Array>
bool onGpu(const Array& array) {
  const int kind = array.device_type();
  return kind == nb::device::cuda::value || kind == nb::device::cuda_managed::value;
}

const char* nameOf(apsp_type type) {
  static constexpr const char* names[] = {"", "int32", "float32", "int64", "float64"};
  return names[type];
}
const char* nameOf(apsp_method method) {
  static constexpr const char* names[] = {"auto", "dense", "filtered", "sparse", "search", "bfs"};
  return names[method];
}

/// Keeps arrays alive as long as the graph that is a view of them.
struct Graph {
  std::shared_ptr<apsp_graph> handle;
  std::int32_t n;
  std::size_t edges;
  std::vector<nb::object> arrays;
  int gpu = 0;  // where the arrays are, as in apsp_options

  bool small() const { return n <= kFewVertices && edges <= kFewEdges; }
};

template <class Make>
Graph graphOf(std::int32_t n, std::size_t edges, std::vector<nb::object> arrays, const Make& make) {
  apsp_graph* made = nullptr;
  atOnce([&] { return make(&made); });
  return {{made, apsp_graph_free}, n, edges, std::move(arrays)};
}

/// The type and the elements of weights, which may be None.
std::pair<apsp_type, const void*> weightsOf(const std::optional<AnyArray>& weights,
                                            std::size_t edges, apsp_type type) {
  if (!weights) return {type, nullptr};
  if (weights->ndim() != 1 || weights->shape(0) != edges || (edges > 1 && weights->stride(0) != 1))
    throw nb::value_error("weights is not one number for each edge, one after the other");
  return {typeOf(weights->dtype()), weights->data()};
}

template <class Offset>
Graph csr(const HostVector<Offset>& offsets, const HostVector<std::int32_t>& heads,
          const std::optional<AnyArray>& weights, int type) {
  if (offsets.shape(0) == 0)
    throw nb::value_error("offsets has one entry more than there are vertices");
  const auto n = static_cast<std::int32_t>(offsets.shape(0) - 1);
  const std::size_t edges = heads.shape(0);
  if (static_cast<std::size_t>(offsets.data()[n]) != edges)
    throw nb::value_error("the last of the offsets is not the number of edges");
  const auto [of, values] = weightsOf(weights, edges, static_cast<apsp_type>(type));
  return graphOf(n, edges, {nb::cast(offsets), nb::cast(heads), nb::cast(weights)},
                 [&, of = of, values = values](apsp_graph** made) {
                   if constexpr (sizeof(Offset) == 4)
                     return apsp_graph_csr32(n, offsets.data(), heads.data(), of, values, made);
                   else
                     return apsp_graph_csr64(n, offsets.data(), heads.data(), of, values, made);
                 });
}

Graph edges(std::int32_t n, const HostVector<std::int32_t>& tails,
            const HostVector<std::int32_t>& heads, const std::optional<AnyArray>& weights,
            int type) {
  const std::size_t count = tails.shape(0);
  if (heads.shape(0) != count) throw nb::value_error("tails and heads differ in length");
  const auto [of, values] = weightsOf(weights, count, static_cast<apsp_type>(type));
  return graphOf(n, count, {nb::cast(tails), nb::cast(heads), nb::cast(weights)},
                 [&, of = of, values = values](apsp_graph** made) {
                   return apsp_graph_edges(n, count, tails.data(), heads.data(), of, values, made);
                 });
}

Graph matrix(const AnyArray& weights, int noEdge) {
  if (weights.ndim() != 2 || weights.shape(0) != weights.shape(1))
    throw nb::value_error("the matrix is not square");
  const auto n = static_cast<std::int32_t>(weights.shape(0));
  Graph graph = graphOf(n, weights.size(), {nb::cast(weights)}, [&](apsp_graph** made) {
    return apsp_graph_matrix(n, typeOf(weights.dtype()), weights.data(), weights.stride(0),
                             weights.stride(1), made);
  });
  atOnce([&] { return apsp_graph_set_no_edge(graph.handle.get(), noEdge); });
  if (onGpu(weights)) {
    atOnce([&] { return apsp_graph_set_memory(graph.handle.get(), APSP_DEVICE); });
    graph.gpu = static_cast<int>(weights.device_id()) + 1;
  }
  return graph;
}

/// What can be asked for. It keeps the arrays that the library's options point to.
struct Options {
  apsp_options all;
  std::vector<std::int32_t> sources, targets, order;
  nb::object progress = nb::none();

  /// gpu: as in apsp_options.
  Options(int place, int gpu, int method, int threads, int ranks, bool negative,
          std::optional<std::vector<std::int32_t>> from,
          std::optional<std::vector<std::int32_t>> to, nb::object watcher)
      : sources(from.value_or(std::vector<std::int32_t>{})),
        targets(to.value_or(std::vector<std::int32_t>{})),
        progress(std::move(watcher)) {
    apsp_options_init(&all, sizeof all);
    all.place = static_cast<apsp_place>(place);
    all.gpu = gpu;
    all.method = static_cast<apsp_method>(method);
    all.threads = threads;
    all.ranks = ranks;
    all.negative = negative ? 1 : 0;
    if (from) all.sources = sources.data(), all.source_count = sources.size();
    if (to) all.targets = targets.data(), all.target_count = targets.size();
  }
  /// numbers: as many as the graph has vertices.
  void setOrder(std::vector<std::int32_t> numbers) {
    order = std::move(numbers);
    all.order = order.data();
  }
  void setDistanceBytes(int bytes) { all.distance_bytes = bytes; }
  /// For a graph, which is solved on the GPU where its arrays are, unless another place is asked for.
  apsp_options of(const Graph& graph) const {
    apsp_options its = all;
    if (its.gpu == 0 && its.place != APSP_CPU && its.ranks <= 1) its.gpu = graph.gpu;
    return its;
  }
};

struct Result {
  std::shared_ptr<apsp_result> handle;
  std::vector<nb::object> arrays;  // of the graph, which paths look at again
  bool small;
  apsp_info info;

  Result(apsp_result* made, const Graph& graph)
      : handle(made, apsp_result_free), arrays(graph.arrays), small(graph.small()), info{} {
    info.size = sizeof info;
    atOnce([&] { return apsp_result_info(made, &info); });
  }
  template <class Call>
  void call(const Call& made) const {
    small ? atOnce(made) : elsewhere(made);
  }
};

Result solve(const Graph& graph, const Options& options) {
  apsp_result* made = nullptr;
  apsp_options all = options.of(graph);
  if (graph.small() && all.place != APSP_GPU && options.progress.is_none()) {
    if (all.threads == 0) all.threads = 1;
    atOnce([&] { return apsp_solve(graph.handle.get(), &all, &made); });
  } else {
    Watch watch(options.progress);
    all.progress = Watch::tick;
    all.progress_user = &watch;
    elsewhere(watch, [&] { return apsp_solve(graph.handle.get(), &all, &made); });
  }
  return {made, graph};
}

/// A plan keeps its callback, but every solve has a watch of its own.
struct Relay {
  std::mutex turn;  // one solve at a time
  std::atomic<Watch*> current{nullptr};
  std::atomic<std::thread::id> owner{};

  static int tick(void* user, const char* what, double done) {
    Watch* const watch = static_cast<Relay*>(user)->current;
    return watch == nullptr ? 0 : Watch::tick(watch, what, done);
  }
};

/// A NumPy array that owns the numbers.
template <class T>
nb::object arrayOf(std::vector<T> numbers) {
  auto* const kept = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// Distances of some pairs, until they are copied.
struct Near {
  explicit Near(apsp_near* made) : handle(made, apsp_near_free) {
    atOnce([&] { return apsp_near_size(made, &rows, &entries); });
  }
  std::shared_ptr<apsp_near> handle;
  std::int32_t rows = 0;
  std::size_t entries = 0;
};

/// Makes a call with the options, as solve() does.
template <class Call>
void ask(const Graph& graph, const Options& options, const Call& call) {
  apsp_options all = options.all;
  if (graph.small() && all.place != APSP_GPU && options.progress.is_none()) {
    if (all.threads == 0) all.threads = 1;
    return atOnce([&] { return call(graph.handle.get(), &all); });
  }
  Watch watch(options.progress);
  all.progress = Watch::tick;
  all.progress_user = &watch;
  elsewhere(watch, [&] { return call(graph.handle.get(), &all); });
}

/// k: None for all up to the limit.
Near near(const Graph& graph, const Options& options, double limit, std::optional<std::int32_t> k) {
  apsp_near* made = nullptr;
  ask(graph, options, [&](const apsp_graph* of, const apsp_options* with) {
    return k ? apsp_find_nearest(of, *k, limit, with, &made)
             : apsp_find_within(of, limit, with, &made);
  });
  return Near(made);
}

/// The same of a result.
Near nearIn(const Result& result, double limit, std::optional<std::int32_t> k) {
  apsp_near* made = nullptr;
  result.call([&] {
    return k ? apsp_result_nearest(result.handle.get(), *k, limit, &made)
             : apsp_result_within(result.handle.get(), limit, &made);
  });
  return Near(made);
}

using HostVectorOut = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// offsets: (rows + 1) of int64; columns: (entries) of int32; distances: (entries) of their type.
void copyNear(const Near& near, const HostVectorOut& offsets, const HostVectorOut& columns,
              const HostVectorOut& distances) {
  if (offsets.shape(0) != static_cast<std::size_t>(near.rows) + 1 ||
      columns.shape(0) != near.entries || distances.shape(0) != near.entries ||
      offsets.dtype() != nb::dtype<std::int64_t>() || columns.dtype() != nb::dtype<std::int32_t>())
    throw nb::value_error("offsets, columns or distances have another shape or type");
  elsewhere([&] {
    return apsp_near_copy(near.handle.get(), static_cast<std::int64_t*>(offsets.data()),
                          static_cast<std::int32_t*>(columns.data()), distances.data());
  });
}

/// diameter, radius, periphery, center.
nb::tuple extremes(const Graph& graph, const Options& options) {
  apsp_extremes found{};
  found.size = sizeof found;
  std::vector<std::int32_t> periphery(static_cast<std::size_t>(graph.n) + 1), center(periphery);
  ask(graph, options, [&](const apsp_graph* of, const apsp_options* with) {
    return apsp_find_extremes(of, with, &found, periphery.data(), center.data());
  });
  periphery.resize(static_cast<std::size_t>(found.periphery_count));
  center.resize(static_cast<std::size_t>(found.center_count));
  return nb::make_tuple(found.diameter, found.radius, periphery, center);
}

nb::object betweenness(const Graph& graph, const Options& options, std::int32_t samples,
                       std::uint64_t seed, bool directed) {
  std::vector<double> vertices(static_cast<std::size_t>(graph.n) + 1);
  ask(graph, options, [&](const apsp_graph* of, const apsp_options* with) {
    return apsp_betweenness(of, samples, seed, directed ? 1 : 0, with, vertices.data());
  });
  vertices.pop_back();
  return arrayOf(std::move(vertices));
}

/// The values of edges, which are doubles, and whether each pair counted once.
nb::tuple edgeBetweenness(const Graph& graph, const Options& options, std::int32_t samples,
                          std::uint64_t seed, bool directed) {
  apsp_near* made = nullptr;
  int undirected = 0;
  ask(graph, options, [&](const apsp_graph* of, const apsp_options* with) {
    return apsp_edge_betweenness(of, samples, seed, directed ? 1 : 0, with, &made, &undirected);
  });
  return nb::make_tuple(Near(made), undirected != 0);
}

struct Pairs {
  Pairs(const Graph& graph, const Options& options, bool paths) {
    apsp_pairs* made = nullptr;
    ask(graph, options, [&](const apsp_graph* of, const apsp_options* with) {
      return paths ? apsp_pairs_make_for_paths(of, with, &made) : apsp_pairs_make(of, with, &made);
    });
    handle = {made, apsp_pairs_free};
  }
  /// distances: of the graph's type.
  void distances(const HostVector<std::int32_t>& from, const HostVector<std::int32_t>& to,
                 const HostVectorOut& out) const {
    if (from.shape(0) != to.shape(0) || from.shape(0) != out.shape(0))
      throw nb::value_error("sources and targets differ in length");
    elsewhere([&] {
      return apsp_pairs_distances(handle.get(), from.shape(0), from.data(), to.data(), out.data());
    });
  }
  /// Where each path begins, and at last where they end, and the vertices of all paths.
  nb::tuple paths(const HostVector<std::int32_t>& from, const HostVector<std::int32_t>& to) const {
    if (from.shape(0) != to.shape(0)) throw nb::value_error("sources and targets differ in length");
    std::vector<std::size_t> ends = {0};
    std::vector<std::int32_t> vertices;
    Watch watch{nb::none()};
    elsewhere(watch, [&] {
      try {
        while (ends.size() <= from.shape(0)) {
          if (watch.stopped()) return APSP_CANCELLED;
          const std::size_t i = ends.size() - 1, begin = ends.back();
          std::size_t count = 0;
          const apsp_status status =
              apsp_pairs_path(handle.get(), from.data()[i], to.data()[i], vertices.data() + begin,
                              vertices.size() - begin, &count);
          if (status != APSP_OK) return status;
          if (begin + count <= vertices.size())
            ends.push_back(begin + count);
          else
            vertices.resize(2 * (begin + count));  // and this pair comes once more
        }
        vertices.resize(ends.back());
        return APSP_OK;
      } catch (const std::bad_alloc&) {
        return APSP_NO_MEMORY;
      }
    });
    return nb::make_tuple(ends, arrayOf(std::move(vertices)));
  }
  std::shared_ptr<apsp_pairs> handle;
};

struct Plan {
  Plan(const Graph& graph, const Options& options)
      : relay(std::make_shared<Relay>()), progress(options.progress) {
    apsp_options all = options.of(graph);
    all.progress = Relay::tick;
    all.progress_user = relay.get();
    apsp_plan* made = nullptr;
    watched([&] { return apsp_plan_make(graph.handle.get(), &all, &made); });
    handle = {made, apsp_plan_free};
  }

  Result solve(const Graph& graph) const {
    apsp_result* made = nullptr;
    watched([&] { return apsp_plan_solve(handle.get(), graph.handle.get(), &made); });
    return {made, graph};
  }

  nb::object order() const {
    apsp_plan_info info{};
    info.size = sizeof info;
    atOnce([&] { return apsp_plan_get_info(handle.get(), &info); });
    std::vector<std::int32_t> vertices(static_cast<std::size_t>(info.n));
    atOnce([&] { return apsp_plan_order(handle.get(), vertices.data()); });
    return arrayOf(std::move(vertices));
  }

  template <class Call>
  void watched(const Call& call) const {
    if (relay->owner == std::this_thread::get_id())
      raise(PyExc_RuntimeError, "this plan is solving: its progress function may not use it");
    std::unique_lock turn(relay->turn, std::defer_lock);
    {
      const nb::gil_scoped_release others;
      turn.lock();
    }
    Watch watch(progress);
    relay->current = &watch;
    relay->owner = std::this_thread::get_id();
    const struct Forget {
      Relay& relay;
      ~Forget() {
        relay.current = nullptr;
        relay.owner = std::thread::id();
      }
    } forget{*relay};
    elsewhere(watch, call);
  }

  std::shared_ptr<Relay> relay;
  nb::object progress;
  std::shared_ptr<apsp_plan> handle;
};

void requireShape(const HostOut& out, std::size_t rows, std::size_t columns, nb::dlpack::dtype type,
                  const char* what) {
  if (out.ndim() != 2 || out.shape(0) != rows || out.shape(1) != columns || out.dtype() != type)
    throw nb::value_error(what);
}

nb::dlpack::dtype dtypeOf(apsp_type type) {
  switch (type) {
    case APSP_INT32:
      return nb::dtype<std::int32_t>();
    case APSP_INT64:
      return nb::dtype<std::int64_t>();
    case APSP_FLOAT32:
      return nb::dtype<float>();
    default:
      return nb::dtype<double>();
  }
}

void rows(const Result& result, std::int32_t first, std::int32_t count, const HostOut& out) {
  requireShape(out, static_cast<std::size_t>(count), static_cast<std::size_t>(result.info.columns),
               dtypeOf(result.info.type), "out is not (rows, columns) of the distances' type");
  result.call([&] { return apsp_result_rows(result.handle.get(), first, count, out.data()); });
}

/// The same in elements of 8 or 16 bits without a sign.
void narrowRows(const Result& result, std::int32_t first, std::int32_t count, const HostOut& out) {
  const bool byte = out.dtype() == nb::dtype<std::uint8_t>();
  requireShape(out, static_cast<std::size_t>(count), static_cast<std::size_t>(result.info.columns),
               byte ? nb::dtype<std::uint8_t>() : nb::dtype<std::uint16_t>(),
               "out is not (rows, columns) of uint8 or uint16");
  result.call([&] {
    return apsp_result_narrow(result.handle.get(), first, count, byte ? 1 : 2, out.data());
  });
}

void predecessors(const Result& result, std::int32_t first, std::int32_t count,
                  const HostOut& out) {
  requireShape(out, static_cast<std::size_t>(count), static_cast<std::size_t>(result.info.n),
               nb::dtype<std::int32_t>(), "out is not (rows, n) of int32");
  result.call([&] {
    return apsp_result_predecessors(result.handle.get(), first, count,
                                    static_cast<std::int32_t*>(out.data()));
  });
}

/// Where the matrix of distances lies: (address, on the GPU), or None if it lies nowhere as a
/// whole.
std::optional<std::pair<const void*, bool>> lies(const Result& result) {
  const void* at = nullptr;
  apsp_memory where = APSP_HOST;
  if (apsp_result_borrow(result.handle.get(), &at, &where) != APSP_OK) return std::nullopt;
  return std::pair{at, where == APSP_DEVICE};
}

/// The number of the GPU, counted from 0, in whose memory the whole matrix lies, or None.
std::optional<int> gpuOfMatrix(const Result& result) {
  const auto found = lies(result);
  return found && found->second ? std::optional(result.info.gpu - 1) : std::nullopt;
}

/// The matrix where it lies, as NumPy's array or, on a GPU, as a capsule of DLPack. None if it
/// lies nowhere as a whole. self: the Result, which owns it, and gives other distances afterwards
/// if somebody writes into the array.
nb::object borrowed(nb::handle self, bool writeable) {
  const auto& result = nb::cast<const Result&>(self);
  const auto found = lies(result);
  if (!found) return nb::none();
  const auto [at, gpu] = *found;
  const auto n = static_cast<std::size_t>(result.info.n);
  const std::size_t shape[] = {n, n};
  const nb::dlpack::dtype type = dtypeOf(result.info.type);
  if (gpu)
    return nb::cast(nb::ndarray<>(const_cast<void*>(at), 2, shape, self, nullptr, type,
                                  nb::device::cuda::value, result.info.gpu - 1));
  if (writeable)
    return nb::cast(nb::ndarray<nb::numpy>(const_cast<void*>(at), 2, shape, self, nullptr, type));
  return nb::cast(nb::ndarray<nb::numpy, nb::ro>(at, 2, shape, self, nullptr, type));
}

std::vector<std::int32_t> path(const Result& result, std::int32_t from, std::int32_t to) {
  std::vector<std::int32_t> vertices(static_cast<std::size_t>(result.info.n));
  std::size_t count = 0;
  result.call([&] {
    return apsp_result_path(result.handle.get(), from, to, vertices.data(), vertices.size(),
                            &count);
  });
  vertices.resize(count);
  return vertices;
}

template <class T, class Entry, class Get>
nb::object column(const std::vector<Entry>& entries, const Get& get) {
  std::vector<T> numbers;
  numbers.reserve(entries.size());
  for (const Entry& entry : entries) numbers.push_back(get(entry));
  return arrayOf(std::move(numbers));
}

nb::tuple summaries(const Result& result) {
  std::vector<apsp_summary> all(static_cast<std::size_t>(result.info.rows));
  all.reserve(1);  // data() is not null then
  result.call([&] { return apsp_result_summaries(result.handle.get(), all.data()); });
  return nb::make_tuple(
      column<std::int32_t>(all, [](const apsp_summary& s) { return s.reachable; }),
      column<double>(all, [](const apsp_summary& s) { return s.eccentricity; }),
      column<double>(all, [](const apsp_summary& s) { return s.sum; }));
}

nb::tuple incoming(const Result& result) {
  std::vector<apsp_incoming> all(static_cast<std::size_t>(result.info.n));
  all.reserve(1);
  result.call([&] { return apsp_result_incoming(result.handle.get(), all.data()); });
  return nb::make_tuple(
      column<std::int32_t>(all, [](const apsp_incoming& s) { return s.reaching; }),
      column<double>(all, [](const apsp_incoming& s) { return s.sum; }));
}

/// The sums of 1/d: of rows, and of columns.
nb::tuple harmonic(const Result& result) {
  const auto of = [&](std::int32_t length, auto write) {
    std::vector<double> sums(static_cast<std::size_t>(length));
    sums.reserve(1);
    result.call([&] { return write(sums.data()); });
    return arrayOf(std::move(sums));
  };
  apsp_result* const handle = result.handle.get();
  return nb::make_tuple(
      of(result.info.rows, [&](double* to) { return apsp_result_harmonic(handle, to, nullptr); }),
      of(result.info.columns,
         [&](double* to) { return apsp_result_harmonic(handle, nullptr, to); }));
}

/// pairs, reachable, sum, its two words, mean and efficiency.
nb::tuple measures(const Result& result) {
  apsp_measures found = {};
  found.size = sizeof found;
  result.call([&] { return apsp_result_measures(result.handle.get(), &found); });
  return nb::make_tuple(found.pairs, found.reachable, found.sum, found.sum_high, found.sum_low,
                        found.mean, found.efficiency);
}

/// Where bins begin and end, and how many pairs each has.
nb::tuple histogram(const Result& result) {
  std::vector<apsp_bin> all(APSP_MOST_BINS);
  std::size_t count = 0;
  result.call([&] { return apsp_result_histogram(result.handle.get(), all.data(), &count); });
  all.resize(count);
  return nb::make_tuple(column<double>(all, [](const apsp_bin& bin) { return bin.from; }),
                        column<double>(all, [](const apsp_bin& bin) { return bin.to; }),
                        column<std::int64_t>(all, [](const apsp_bin& bin) {
                          return static_cast<std::int64_t>(bin.pairs);
                        }));
}

/// Solves (count, n, n) matrices where they are, in host memory or on the GPU.
void batch(const nb::ndarray<nb::c_contig>& matrices, int place, int number, int threads) {
  if (matrices.ndim() != 3 || matrices.shape(1) != matrices.shape(2))
    throw nb::value_error("matrices is not (count, n, n)");
  const std::size_t count = matrices.shape(0);
  const auto n = static_cast<std::int32_t>(matrices.shape(1));
  if (count == 0 || n == 0) return;
  const bool gpu = onGpu(matrices);
  apsp_options options;
  apsp_options_init(&options, sizeof options);
  options.place = static_cast<apsp_place>(place);
  options.gpu = number;
  if (gpu && number == 0 && options.place != APSP_CPU)
    options.gpu = static_cast<int>(matrices.device_id()) + 1;
  options.threads = threads;
  const auto call = [&] {
    return apsp_solve_batch(count, n, typeOf(matrices.dtype()), matrices.data(),
                            gpu ? APSP_DEVICE : APSP_HOST, &options);
  };
  if (matrices.size() <= kFewEdges && !gpu) {
    options.threads = 1;
    return atOnce(call);
  }
  Watch watch{nb::none()};
  options.progress = Watch::tick;
  options.progress_user = &watch;
  elsewhere(watch, call);
}

/// The name of the GPU, or why none is used.
std::pair<bool, std::string> gpu() {
  char name[256];
  const bool there = apsp_gpu(name, sizeof name) == APSP_OK;
  return {there, there ? name : apsp_last_error()};
}

}  // namespace

NB_MODULE(_engine, module) {
  nb::set_leak_warnings(false);  // arrays of results may live until the interpreter has ended
  module.attr("version") = apsp_version();
  module.attr("infinity32") = APSP_INFINITY;
  module.attr("infinity64") = APSP_INFINITY64;
  module.attr("zero_is_no_edge") = static_cast<int>(APSP_NO_EDGE_ZERO);
  module.attr("nan_is_no_edge") = static_cast<int>(APSP_NO_EDGE_NAN);
  module.def("gpu", gpu);

  nb::class_<Graph>(module, "Graph").def_ro("n", &Graph::n).def_ro("edges", &Graph::edges);
  module.def("csr", csr<std::int32_t>, "offsets"_a.noconvert(), "heads"_a.noconvert(),
             "weights"_a.none().noconvert(), "type"_a);
  module.def("csr", csr<std::int64_t>, "offsets"_a.noconvert(), "heads"_a.noconvert(),
             "weights"_a.none().noconvert(), "type"_a);
  module.def("edges", edges, "n"_a, "tails"_a.noconvert(), "heads"_a.noconvert(),
             "weights"_a.none().noconvert(), "type"_a);
  module.def("matrix", matrix, "weights"_a.noconvert(), "no_edge"_a);

  nb::class_<Options>(module, "Options")
      .def(nb::init<int, int, int, int, int, bool, std::optional<std::vector<std::int32_t>>,
                    std::optional<std::vector<std::int32_t>>, nb::object>(),
           "place"_a, "gpu"_a, "method"_a, "threads"_a, "ranks"_a, "negative"_a, "sources"_a.none(),
           "targets"_a.none(), "progress"_a.none())
      .def("set_order", &Options::setOrder, "vertices"_a)
      .def("set_distance_bytes", &Options::setDistanceBytes, "bytes"_a);
  nb::class_<Result>(module, "Result")
      .def_prop_ro("n", [](const Result& r) { return r.info.n; })
      .def_prop_ro("shape",
                   [](const Result& r) { return nb::make_tuple(r.info.rows, r.info.columns); })
      .def_prop_ro("dtype", [](const Result& r) { return nameOf(r.info.type); })
      .def_prop_ro("computed", [](const Result& r) { return nameOf(r.info.computed); })
      .def_prop_ro("method", [](const Result& r) { return nameOf(r.info.method); })
      .def_prop_ro("on_gpu", [](const Result& r) { return r.info.place == APSP_GPU; })
      .def_prop_ro("milliseconds", [](const Result& r) { return r.info.milliseconds; })
      .def_prop_ro("times",
                   [](const Result& r) {
                     nb::dict times;
                     times["reading"] = r.info.reading;
                     times["planning"] = r.info.planning;
                     times["placing"] = r.info.placing;
                     times["checking"] = r.info.checking;
                     return times;
                   })
      .def("rows", rows, "first"_a, "count"_a, "out"_a.noconvert())
      .def("narrow_rows", narrowRows, "first"_a, "count"_a, "out"_a.noconvert())
      .def("predecessors", predecessors, "first"_a, "count"_a, "out"_a.noconvert())
      .def("path", path, "source"_a, "target"_a)
      .def("summaries", summaries)
      .def("incoming", incoming)
      .def("harmonic", harmonic)
      .def("measures", measures)
      .def("histogram", histogram)
      .def("near", nearIn, "limit"_a, "k"_a.none());
  nb::class_<Near>(module, "Near")
      .def_ro("rows", &Near::rows)
      .def_ro("entries", &Near::entries)
      .def("copy", copyNear, "offsets"_a.noconvert(), "columns"_a.noconvert(),
           "distances"_a.noconvert());
  nb::class_<Pairs>(module, "Pairs")
      .def(nb::init<const Graph&, const Options&, bool>(), "graph"_a, "options"_a, "paths"_a)
      .def("distances", &Pairs::distances, "sources"_a.noconvert(), "targets"_a.noconvert(),
           "out"_a.noconvert())
      .def("paths", &Pairs::paths, "sources"_a.noconvert(), "targets"_a.noconvert());
  module.def("near", near, "graph"_a, "options"_a, "limit"_a, "k"_a.none());
  module.def("extremes", extremes, "graph"_a, "options"_a);
  module.def("betweenness", betweenness, "graph"_a, "options"_a, "samples"_a, "seed"_a,
             "directed"_a);
  module.def("edge_betweenness", edgeBetweenness, "graph"_a, "options"_a, "samples"_a, "seed"_a,
             "directed"_a);
  module.def("gpu_of_matrix", gpuOfMatrix, "result"_a);
  module.def("borrowed", borrowed, "result"_a, "writeable"_a = false);
  nb::class_<Plan>(module, "Plan")
      .def(nb::init<const Graph&, const Options&>(), "graph"_a, "options"_a)
      .def("order", &Plan::order)
      .def("solve", &Plan::solve, "graph"_a);
  module.def("batch", batch, "matrices"_a.noconvert(), "place"_a, "gpu"_a, "threads"_a);
  module.def("solve", solve, "graph"_a, "options"_a);
}
