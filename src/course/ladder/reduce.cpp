#include "ladder/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/error.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/interrupt.h"
#include "io/json.h"
#include "io/output.h"
#include "ladder/recorded.h"
#include "measure/peak.h"
#include "measure/tables.h"
#include "system/environment.h"
#include "system/screen.h"

namespace {

/// What one step did at one n. Speedups are 0 where there is none to tell.
struct StepRecord {
  ReductionStep step{};
  int n = 0;
  Timing timing;
  double bytesPerSecond = 0;      // read
  double copyBytesPerSecond = 0;  // read and written
  double overStep = 0, overBaseline = 0;
  double reportOverStep = 0, reportOverBaseline = 0;
  int wrong = 0;  // calls; the last of them got `got`
  unsigned expected = 0, got = 0;
  std::string deviceName, deviceShort;

  double percentOfCopy() const {
    return copyBytesPerSecond > 0 ? 100 * bytesPerSecond / copyBytesPerSecond : 0;
  }
  std::string verified() const { return wrong == 0 ? "exact" : "WRONG"; }
};

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}
std::string numberOrNone(double value) {
  return value > 0 ? number(value) : "";
}

const Column<StepRecord> kColumns[] = {
    {"time", kText, [](const StepRecord&) { return timestamp(); }},
    {"step", kText, [](const StepRecord& r) { return std::string(r.step.name); }},
    {"what", kText, [](const StepRecord& r) { return std::string(r.step.what); }},
    {"n", kNumber, [](const StepRecord& r) { return std::to_string(r.n); }},
    {"median_ms", kNumber, [](const StepRecord& r) { return number(r.timing.median); }},
    {"min_ms", kNumber, [](const StepRecord& r) { return number(r.timing.minimum); }},
    {"max_ms", kNumber, [](const StepRecord& r) { return number(r.timing.maximum); }},
    {"reps", kNumber, [](const StepRecord& r) { return std::to_string(r.timing.reps); }},
    {"bytes_per_s", kNumber, [](const StepRecord& r) { return number(r.bytesPerSecond); }},
    {"copy_bytes_per_s", kNumber, [](const StepRecord& r) { return number(r.copyBytesPerSecond); }},
    {"pct_of_copy", kNumber, [](const StepRecord& r) { return numberOrNone(r.percentOfCopy()); }},
    {"speedup_step", kNumber, [](const StepRecord& r) { return numberOrNone(r.overStep); }},
    {"speedup_baseline", kNumber, [](const StepRecord& r) { return numberOrNone(r.overBaseline); }},
    {"report_ms", kNumber, [](const StepRecord& r) { return numberOrNone(r.step.reportMs); }},
    {"report_speedup_step", kNumber,
     [](const StepRecord& r) { return numberOrNone(r.reportOverStep); }},
    {"report_speedup_baseline", kNumber,
     [](const StepRecord& r) { return numberOrNone(r.reportOverBaseline); }},
    {"verified", kText, [](const StepRecord& r) { return r.verified(); }},
    {"device_name", kText, [](const StepRecord& r) { return r.deviceName; }},
    {"device_short", kText, [](const StepRecord& r) { return r.deviceShort; }},
    {"revision", kText, [](const StepRecord&) { return gitRevision(); }},
    {"dirty", kText, [](const StepRecord&) { return gitDirty(); }},
};

// ---- measuring ------------------------------------------------------------------------------

/// The values and their copy, a step's scratch, and the result.
std::size_t wordsNeeded(const ReductionReport& report, int n) {
  const auto count = static_cast<unsigned>(n);
  return 2 * std::size_t{count} + report.scratchWords(count) + 1;
}

void requireMemory(const Device& device, const ReductionReport& report,
                   const std::vector<int>& sizes) {
  const int n = *std::max_element(sizes.begin(), sizes.end());
  const std::size_t bytes = wordsNeeded(report, n) * sizeof(unsigned), free = device.freeBytes();
  if (bytes <= free) return;
  throw Error(ErrorCode::kMemory,
              fmt::format("n = {}: {} of {} memory needed, {} free: sum up fewer", n,
                          bytesText(bytes), nameOf(device.kind()), bytesText(free)));
}

unsigned sumOnHost(int n) {
  const Progress summing("adding up on the host");
  unsigned sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += reductionValue(static_cast<std::uint64_t>(i));
  return sum;
}

double perSecond(double bytes, const Timing& timing) {
  return timing.median > 0 ? bytes / (timing.median * 1e-3) : 0;
}

/// Bytes that the device reads and writes per second where it copies these.
double measureCopy(const MeasureOptions& options, const DeviceElements& values) {
  const Device& device = values.device();
  const Progress copying("copying to compare with");
  const DeviceElements to(device, values.dtype(), values.size());
  const Timing timing = measure(options, [&](int) {
    return device.time(
        [&] { device.copy(to.data().data(), values.data().data(), values.bytes()); });
  });
  return perSecond(2.0 * sizeof(unsigned) * static_cast<double>(values.size()), timing);
}

unsigned* asUnsigned(Elements values) {
  return reinterpret_cast<unsigned*>(values.as<int>());
}

/// What a step is measured on, and beside.
struct Input : ReductionInput {
  double copyBytesPerSecond;

  Input(const Device& device, const ReductionReport& report, const MeasureOptions& options, int n)
      : ReductionInput(device, report, n), copyBytesPerSecond(measureCopy(options, values)) {}
};

}  // namespace

ReductionInput::ReductionInput(const Device& device, const ReductionReport& report, int n)
    : values(device, Dtype::kInt32, asSize(n)),
      scratch(device, Dtype::kInt32, report.scratchWords(static_cast<unsigned>(n))),
      result(device, Dtype::kInt32, 1),
      reduction{static_cast<unsigned>(n), asUnsigned(values.data()), asUnsigned(scratch.data()),
                scratch.size(), asUnsigned(result.data())},
      expected(sumOnHost(n)) {
  report.fill(reduction.n, asUnsigned(values.data()));
}

ReductionInput::Sum ReductionInput::sum(const ReductionStep& step) const {
  const Device& device = values.device();
  const int spoiled = static_cast<int>(~expected);  // stays where a step writes nothing
  upload(device, result.data(), &spoiled, 1);
  const double milliseconds = device.time([&] { step.sum(reduction); });
  int word = 0;
  download(device, &word, result.data(), 1);
  return {milliseconds, static_cast<unsigned>(word)};
}

namespace {

StepRecord run(const MeasureOptions& options, const Input& input, const ReductionStep& step) {
  const Device& device = input.values.device();
  const Progress summing(
      fmt::format("sum {} of {}", step.name, counted(input.reduction.n, "value")));
  StepRecord record;
  record.step = step;
  record.n = static_cast<int>(input.reduction.n);
  record.expected = input.expected;
  record.timing = measure(options, [&](int) {
    const auto [milliseconds, got] = input.sum(step);
    if (got != input.expected) {
      ++record.wrong;
      record.got = got;
    }
    return milliseconds;
  });
  record.bytesPerSecond = perSecond(1.0 * sizeof(unsigned) * record.n, record.timing);
  record.copyBytesPerSecond = input.copyBytesPerSecond;
  record.deviceName = device.info().name;
  record.deviceShort = shortDeviceName(nameOf(device.kind()), record.deviceName);
  return record;
}

/// How many times as fast as `from`; 0 where one of the sums is wrong or one of the times missing.
double speedup(const StepRecord& from, const StepRecord& to) {
  if (from.wrong + to.wrong > 0 || to.timing.median <= 0) return 0;
  return from.timing.median / to.timing.median;
}
double reportSpeedup(const ReductionStep& from, const ReductionStep& to) {
  return to.reportMs > 0 ? from.reportMs / to.reportMs : 0;
}

/// records: the steps so far, of one n, the last one without its speedups.
void compare(std::vector<StepRecord>& records) {
  StepRecord& record = records.back();
  const StepRecord& baseline = records.front();
  record.overBaseline = speedup(baseline, record);
  record.reportOverBaseline = reportSpeedup(baseline.step, record.step);
  if (records.size() == 1) return;
  const StepRecord& before = records[records.size() - 2];
  record.overStep = speedup(before, record);
  record.reportOverStep = reportSpeedup(before.step, record.step);
}

// ---- what is printed ------------------------------------------------------------------------

constexpr char kNotes[] =
    "\nSpeedups over the step before and over the first, launches and all; beside them\n"
    "the report's, of an AMD GPU and an n that it does not state. GB/s: what is read,\n"
    "also as a percentage of what a copy of the values reads and writes: a sum only\n"
    "reads, and may be above 100%.\n";

constexpr char kLine[] = "{:<5}{:<20}{:>8}{:>7}{:>7}{:>7}{:>7}{:>7}{:>6} {}\n";

/// sum: of the values, for people; "": none.
std::string tableHead(int n, const std::string& sum, double copyBytesPerSecond) {
  return fmt::format("\nn = {}, {}B;{} a copy moves {}B/s\n\n{:>47}{:>14}\n" + std::string(kLine),
                     withCommas(static_cast<unsigned>(n)), withPrefix(sizeof(unsigned) * 1.0 * n),
                     sum.empty() ? "" : fmt::format(" sum {};", sum),
                     withPrefix(copyBytesPerSecond), "speedup over", "the report's", "step", "what",
                     "ms", "before", "first", "before", "first", "GB/s", "copy", "sum");
}

std::string times(double speedup) {
  return speedup > 0 ? fmt::format("{:.2f}x", speedup) : "-";
}

std::string stepLine(const StepRecord& r) {
  return fmt::format(kLine, r.step.name, r.step.what, milliseconds(r.timing.median),
                     times(r.overStep), times(r.overBaseline), times(r.reportOverStep),
                     times(r.reportOverBaseline), fmt::format("{:.1f}", r.bytesPerSecond * 1e-9),
                     fmt::format("{:.0f}%", r.percentOfCopy()), r.verified());
}

std::string wrongText(const StepRecord& r) {
  return fmt::format("{}: n = {}: expected the sum {}, got {} ({})", r.step.name, r.n, r.expected,
                     r.got, counted(static_cast<std::uint64_t>(r.wrong), "call"));
}

/// Measures the steps at one n, prints each when it is measured, and adds it to `all`.
template <class Say>
void measureSteps(const ReduceOptions& options, const Device& device, const ReductionReport& report,
                  int n, const Say& say, std::vector<StepRecord>& all) {
  const Input input(device, report, options.measuring, n);
  say(tableHead(n, std::to_string(input.expected), input.copyBytesPerSecond));
  std::vector<StepRecord> records;
  for (const ReductionStep& step : report.steps) {
    records.push_back(run(options.measuring, input, step));
    compare(records);
    const auto held = holdInterruptReports();
    say(stepLine(records.back()));
    all.push_back(records.back());
  }
}

/// Measures all sizes. If a signal ends this, write(what is done) is called.
template <class Say, class Write>
std::vector<StepRecord> measureAll(const ReduceOptions& options, const Device& device,
                                   const ReductionReport& report, const Say& say,
                                   const Write& write) {
  std::vector<StepRecord> all;
  const InterruptReport interrupted([&] {
    say("\nINTERRUPTED: these are the steps that were measured.\n");
    if (!all.empty()) write(all);
  });
  for (const int n : options.sizes) measureSteps(options, device, report, n, say, all);
  return all;
}

}  // namespace

void reduce(const ReduceOptions& options, const Device& device, const ReductionReport& report) {
  const bool quiet =
      options.quiet || isStandardOutput(options.json) || isStandardOutput(options.csv);
  const auto say = [quiet](const std::string& text) {
    if (quiet) return;
    show(text);
    std::fflush(stdout);
  };
  requireMemory(device, report, options.sizes);
  std::unique_ptr<OutputFile> json;  // opened before any work is done
  if (!options.json.empty()) json = std::make_unique<OutputFile>(options.json);
  if (!options.csv.empty()) appendRows(options.csv, csvHeader(kColumns), "");
  const auto write = [&](const std::vector<StepRecord>& records) {
    std::string rows;
    for (const StepRecord& record : records) rows += csvRow(kColumns, record);
    if (!options.csv.empty()) appendRows(options.csv, csvHeader(kColumns), rows);
    if (json != nullptr) json->finish(toJson(kColumns, records));
  };

  say(deviceLines(nameOf(device.kind()), device.info()));
  const std::vector<StepRecord> all = measureAll(options, device, report, say, write);
  say(kNotes);
  write(all);
  std::string wrong;
  for (const StepRecord& record : all)
    if (record.wrong > 0) wrong += (wrong.empty() ? "" : "; ") + wrongText(record);
  if (!wrong.empty()) throw Error(ErrorCode::kMismatch, wrong);
}

namespace {

StepRecord recordOf(const Row& row) {
  const auto number = [&](const char* column) { return std::atof(row.at(column).c_str()); };
  StepRecord record;
  record.step = {row.at("step").c_str(), row.at("what").c_str(), nullptr, number("report_ms")};
  record.n = std::atoi(row.at("n").c_str());
  record.timing.median = number("median_ms");
  record.bytesPerSecond = number("bytes_per_s");
  record.copyBytesPerSecond = number("copy_bytes_per_s");
  record.overStep = number("speedup_step");
  record.overBaseline = number("speedup_baseline");
  record.reportOverStep = number("report_speedup_step");
  record.reportOverBaseline = number("report_speedup_baseline");
  record.wrong = row.at("verified") == "exact" ? 0 : 1;
  return record;
}

/// A table for each of these sizes that was recorded; "" if none was.
std::string recordedTables(const std::vector<int>& sizes) {
  std::string out;
  int shown = 0;  // the n of the table so far
  for (const Row& row : recordedReduction()) {
    const StepRecord record = recordOf(row);
    if (std::count(sizes.begin(), sizes.end(), record.n) == 0) continue;
    if (out.empty()) out = recordedOn(recordedReduction());
    if (record.n != shown) out += tableHead(record.n, "", record.copyBytesPerSecond);
    shown = record.n;
    out += stepLine(record);
  }
  return out.empty() ? "" : out + kNotes;
}

}  // namespace

void reduce(const ReduceOptions& options) {
  std::string why;
  const Device* const gpu = findGpu(why);
  if (gpu == nullptr && !options.quiet && options.csv.empty() && options.json.empty())
    show(recordedTables(options.sizes));
  if (gpu == nullptr)
    throw Error(ErrorCode::kGpu, "no GPU: " + why +
                                     ": the kernels need one; "
                                     "src/course/ladder/README.md has the times on an H100");
  reduce(options, *gpu, reportE());
}
