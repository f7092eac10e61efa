#include "measure/session.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "core/progress.h"
#include "measure/peak.h"
#include "submission/submission.h"

Workbench::Workbench(const Device& device, int n, Dtype dtype, Restore place,
                     std::function<const Graph&()> onHost, bool keepsGraph)
    : device_(device),
      place_(std::move(place)),
      onHost_(std::move(onHost)),
      work_(device, n, dtype) {
  if (keepsGraph) graph_ = std::make_unique<DeviceMatrix>(device, n, dtype);
  place_(graph_ != nullptr ? *graph_ : work_);
}

Record Workbench::describe(const std::string& input, const std::string& seed,
                           const MeasurePlan& plan) const {
  Record record;
  record.input = input;
  record.seed = seed;
  record.n = work_.n();
  record.dtype = work_.dtype();
  const DeviceMatrix& graph = graph_ != nullptr ? *graph_ : work_;
  record.graph = device_.tally(record.n, graph.data(), record.dtype);
  record.plan = plan;
  record.deviceKind = device_.kind;
  record.device = device_.info();
  return record;
}

void Workbench::restore(const DeviceMatrix& to) const {
  if (graph_ == nullptr) return place_(to);
  device_.copy(to.data(), graph_->data(), graph_->size());
}

Verdict Workbench::verifyRows(int rows) {
  Matrix distances(work_.n());
  const Progress verifying("verifying");
  device_.download(distances.data(), work_.data(), distances.size());
  return verifyByDijkstra(onHost_(), distances.data(), rows);
}

namespace {

/// Nothing tells how far a GPU is within a call: its progress is that of the calls before (see
/// expectedSeconds()). So that the first one, too, has something to go by where it may take long,
/// this solves a graph of an eighth of the vertices beforehand, which is 1/512 of the work; twice,
/// as the first call also loads the code. Not so a submission, which may do what it likes by the
/// number of its call, and not where no warm-up keeps what is loaded out of the times.
void rehearse(const Kernel& kernel, int n, Dtype dtype, const MeasurePlan& plan) {
  constexpr int kFrom = 8192, kPart = 8, kCalls = 2;
  constexpr std::size_t kMatrices = 4;  // this one, and what the solver wants for itself
  const Device& device = *kernel.device;
  if (&device == &cpuDevice || kernel.call || plan.warmup == 0 || n < kFrom) return;
  Spec spec;
  spec.n = (n + kPart - 1) / kPart;
  spec.dtype = dtype;
  if (expectedSeconds(kernel, n, dtype) > 0 || !fits(device.freeBytes(), spec.n, kMatrices)) return;
  const Progress trying(fmt::format("trying n = {}", spec.n));
  const DeviceMatrix graph(device, spec.n, dtype);
  for (int call = 0; call < kCalls; ++call) {
    device.generate(spec, graph.data());
    timeCall(kernel, spec.n, graph.data(), dtype, plan.options);
  }
}

}  // namespace

const DeviceMatrix& Workbench::refDistances() {
  if (expected_ == nullptr) {
    expected_ = std::make_unique<DeviceMatrix>(device_, work_.n(), work_.dtype());
    restore(*expected_);
    const Progress solving("solving with ref to compare");
    const Kernel& ref = findKernel("ref", device_);
    rehearse(ref, work_.n(), work_.dtype(), MeasurePlan());
    timeCall(ref, work_.n(), expected_->data(), work_.dtype());
  }
  return *expected_;
}

Record Workbench::run(const Kernel& kernel, const VerifyPlan& verify, Record record) {
  record.kernel = kernel.name;
  record.version = kernel.version;
  const Progress running("kernel " + kernel.name);
  try {
    return runToEnd(kernel, verify, record);
  } catch (const SubmissionFault& fault) {
    record.fault = nameOf(fault.kind);
    record.faultText = fault.what();
    return record;
  }
}

void Workbench::timeCalls(const Kernel& kernel, const DeviceMatrix* expected, Record& record) {
  const int n = record.n;
  const double allowed = tolerance(n, record.dtype, 2);
  const bool varies = record.plan.vary && n > 1;
  if (varies && renumbered_ == nullptr)
    renumbered_ = std::make_unique<DeviceMatrix>(device_, n, record.dtype);
  const DeviceMatrix& solved = varies ? *renumbered_ : work_;
  int by = 0;  // the vertex that this call has first
  const Restore prepare = [&](const DeviceMatrix& to) {
    restore(work_);
    if (!varies) return;
    by = (by + 1) % n;
    device_.renumber(n, to.data(), work_.data(), by);
  };
  rehearse(kernel, n, record.dtype, record.plan);
  record.timing = measure(kernel, prepare, solved, record.plan, [&](int, const Call& call) {
    if (varies) device_.renumber(n, work_.data(), solved.data(), (n - by) % n);
    record.outcome = call.outcome;
    record.printed += call.printed.size();
    if (!call.warning.empty()) record.warning = call.warning;
    if (expected == nullptr || record.verdict.failed()) return;
    record.verdict.mismatch =
        device_.compare(n, work_.data(), expected->data(), record.dtype, allowed);
  });
}

Record Workbench::runToEnd(const Kernel& kernel, const VerifyPlan& verify, Record record) {
  using Oracle = VerifyPlan::Oracle;
  const bool byRef = verify.oracle == Oracle::kRef && record.kernel != "ref";
  const DeviceMatrix* expected = byRef ? &refDistances() : nullptr;
  if (byRef) record.verdict.how = within("ref", tolerance(record.n, record.dtype, 2));

  record.before = device_.clocks();
  timeCalls(kernel, expected, record);
  record.after = device_.clocks();
  record.wall = readWall("results/" + record.deviceShort() + "/ceilings.json", record.device.name,
                         record.outcome.tier);
  // ref has just been solved: the kernels after it need not solve it again.
  if (verify.oracle == Oracle::kRef && !byRef && expected_ == nullptr) {
    expected_ = std::make_unique<DeviceMatrix>(device_, work_.n(), work_.dtype());
    device_.copy(expected_->data(), work_.data(), work_.size());
  }

  const Tally output = device_.tally(record.n, work_.data(), record.dtype);
  const auto n = static_cast<std::uint64_t>(record.n);
  record.unreachable = n * n - n - output.edges;
  if (verify.oracle != Oracle::kNone && !byRef) record.verdict = verifyRows(verify.rows);
  if (!record.verdict.failed()) {
    const Restore restored = [&](const DeviceMatrix& to) { restore(to); };
    checkRange(kernel, restored, record.n, record.dtype, record.graph, output);
  }
  return record;
}

bool fits(std::size_t free, int n, std::size_t matrices) {
  return n == 0 || matrices <= free / matrixBytes(n);
}

void requireMatrices(const char* kind, std::size_t free, int n, std::size_t matrices) {
  if (fits(free, n, matrices)) return;
  const double bytes = static_cast<double>(matrices) * static_cast<double>(matrixBytes(n));
  throw Error(Exit::kMemory,
              fmt::format("n = {}: {:.0f} bytes of {} memory needed for {} {}, {} bytes free: "
                          "solve a smaller graph, or verify and write less",
                          n, bytes, kind, matrices, matrices == 1 ? "matrix" : "matrices", free));
}
