#include "ladder/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/progress.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "io/interrupt.h"
#include "io/json.h"
#include "measure/session.h"
#include "measure/tables.h"
#include "system/environment.h"
#include "system/nearest.h"
#include "system/screen.h"

std::vector<const Report*> chooseReports(const std::vector<std::string>& letters) {
  const std::vector<std::string> known = {"A", "B", "C", "D"};  // also in a build without CUDA
  for (const std::string& letter : letters) {
    if (letter == "E")
      throw Error(ErrorCode::kUsage, "report E is about a sum: apsp reduce measures its steps");
    if (std::count(known.begin(), known.end(), letter) == 0)
      throw Error(ErrorCode::kUsage,
                  fmt::format("no report '{}': {}", letter, suggestion(letter, known)));
  }
  std::vector<const Report*> chosen;
  for (const Report& report : reports())
    if (letters.empty() || std::count(letters.begin(), letters.end(), report.letter) > 0)
      chosen.push_back(&report);
  return chosen;
}

namespace {

/// A row of the ladder before it is measured.
struct Planned {
  const Report* report;  // null for ref, apsp and those beside them
  const Rung* rung;
  Solver solver;
};

std::vector<Planned> plannedSteps(const std::vector<const Report*>& reports, DeviceKind device,
                                  const std::vector<Solver>& beside) {
  std::vector<Planned> steps = {{nullptr, nullptr, findSolver("ref", device)},
                                {nullptr, nullptr, findSolver("apsp", device)}};
  for (const Solver& solver : beside) steps.push_back({nullptr, nullptr, solver});
  for (const Report* report : reports) {
    for (const Rung& rung : report->rungs)
      steps.push_back(
          {report, &rung, inPlace(rung.name, device, rung.what, report->source, rung.solve)});
  }
  return steps;
}

}  // namespace

std::vector<Step> runLadder(const Device& device, const std::vector<const Report*>& reports, int n,
                            MeasureOptions options, const std::vector<Solver>& beside,
                            const std::function<void(const std::vector<Step>&)>& interrupted) {
  const VerifyOptions verify{VerifyOptions::Oracle::kRef};
  const std::vector<Planned> planned = plannedSteps(reports, device.kind(), beside);
  std::vector<Solver> solvers;
  for (const Planned& step : planned) solvers.push_back(step.solver);
  Spec spec;
  spec.n = n;
  const auto isSubmitted = [](const Solver& solver) { return !submitted(solver).version.empty(); };
  if (std::any_of(beside.begin(), beside.end(), isSubmitted)) {  // it can know the course's graph
    options.vary = options.drawn = true;
    options.atMost = kMostVaried;
    spec.family = familyIndex(kTimedFamily);
    spec.seed = drawSeed();
  }
  ProblemGraph graph(spec);
  const SessionMemory memory = requireMemory({graph}, device, solvers, verify, options);
  Session session(graph, device, options, memory);
  const Record base = session.describe(describe(spec), spec.seed);

  std::vector<Step> steps;
  const InterruptReport report([&] {
    if (const auto record = session.soFar())
      steps.push_back({planned[steps.size()].report, planned[steps.size()].rung, *record, {}, {}});
    compareSteps(steps);
    if (interrupted && !steps.empty()) interrupted(steps);
  });
  for (const Planned& step : planned) {
    const Progress running(
        fmt::format("n = {}: step {} of {}", n, steps.size() + 1, planned.size()));
    restOthers(solvers, step.solver);
    Step done = {step.report, step.rung, session.run(step.solver, verify, base), {}, {}};
    const auto held = holdInterruptReports();
    steps.push_back(std::move(done));
  }
  compareSteps(steps);
  return steps;
}

namespace {

/// What a report gives at n; 0 where it gives nothing.
double reported(const ReportTimes& times, int n) {
  const auto* size = std::find(std::begin(kReportSizes), std::end(kReportSizes), n);
  return size == std::end(kReportSizes) ? 0 : times[size - std::begin(kReportSizes)];
}

/// What the rung of that name takes according to its report; 0 where that does not say.
double reported(const Report& report, const std::string& name, int n) {
  for (const Rung& rung : report.rungs)
    if (rung.name == name) return reported(rung.milliseconds, n);
  return 0;
}

/// What the step of that name took; 0 where it is none of these, or its result was wrong.
double measured(const std::vector<Step>& steps, const std::string& name) {
  for (const Step& step : steps) {
    if (step.record.kernel == name && !step.record.verdict.failed())
      return step.record.timing.median;
  }
  return 0;
}

/// Times as speedups; a time of 0 is not known.
Speed speed(double milliseconds, double before, double naive) {
  const double rate = milliseconds > 0 ? 1 / milliseconds : 0;
  return {milliseconds, before * rate, naive * rate};
}

/// The name of the step before; "" of ref and apsp, which have none.
std::string before(const Step& step) {
  if (step.rung == nullptr) return "";
  return step.rung->before == nullptr ? "ref" : step.rung->before;
}

}  // namespace

void compareSteps(std::vector<Step>& steps) {
  const double naive = measured(steps, "ref");
  for (Step& step : steps) {
    const bool wrong = step.record.verdict.failed();
    step.here = speed(step.record.timing.median, wrong ? 0 : measured(steps, before(step)),
                      wrong ? 0 : naive);
    if (step.rung == nullptr) continue;
    const int n = step.record.n;
    const double naiveThere = reported(step.report->naive, n);
    step.there = speed(
        reported(step.rung->milliseconds, n),
        step.rung->before == nullptr ? naiveThere : reported(*step.report, step.rung->before, n),
        naiveThere);
  }
}

// ---- tables ---------------------------------------------------------------------------------

namespace {

constexpr char kLine[] = "{} {:>10}{:>8}{:>8}{:>12}{:>8}{:>8}";

std::string cell(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

}  // namespace

std::string ladderLegend(const std::vector<const Report*>& reports) {
  std::string out;
  for (const Report* report : reports) {
    out += fmt::format("{}: {}; on a {}; {}\n", report->letter, report->title, report->gpu,
                       report->source);
    for (const Rung& rung : report->rungs) out += fmt::format("  {:<8}{}\n", rung.name, rung.what);
  }
  return fitted(out);
}

std::string ladderTables(const std::vector<Step>& steps) {
  std::vector<std::string> names;
  for (const Step& step : steps) names.push_back(step.record.kernel);
  const std::size_t width = widthsOf(names).name;
  std::string out = fmt::format("\nn = {:<{}}{:>16}{:>28}\n", steps.front().record.n, width + 7,
                                "speedup over", "the report: speedup over");
  const Record& first = steps.front().record;
  if (first.measuring.vary)
    out += fitted("graph     " + first.input + "\n") + variedLine(first.measuring, first.seed);
  out += withVerdict(
      fmt::format(kLine, padded("step", width), "ms", "before", "naive", "ms", "before", "naive"),
      "verified");
  const Report* report = nullptr;
  for (const Step& step : steps) {
    if (step.report != report)
      out += fitted(fmt::format(*step.report->title == '\0' ? "{}:\n" : "{}: {}\n",
                                step.report->letter, step.report->title));
    report = step.report;
    out += withVerdict(fmt::format(kLine, nameCell(step.record.kernel, width),
                                   cell(step.here.milliseconds, 3), cell(step.here.overBefore, 2),
                                   cell(step.here.overNaive, 2), cell(step.there.milliseconds, 3),
                                   cell(step.there.overBefore, 2), cell(step.there.overNaive, 2)),
                       verdictText(step.record));
  }
  return out;
}

// ---- CSV and JSON ---------------------------------------------------------------------------

namespace {

std::string number(double value) {
  return value > 0 ? fmt::format("{:.6g}", value) : "";
}

const Column<Step> kColumns[] = {
    {"time", kText, [](const Step&) { return timestamp(); }},
    {"report", kText, [](const Step& s) { return std::string(s.report ? s.report->letter : "-"); }},
    {"rung", kText, [](const Step& s) { return s.record.kernel; }},
    {"what", kText, [](const Step& s) { return std::string(s.rung ? s.rung->what : ""); }},
    {"before", kText, before},
    {"n", kNumber, [](const Step& s) { return std::to_string(s.record.n); }},
    {"median_ms", kNumber, [](const Step& s) { return number(s.record.timing.median); }},
    {"min_ms", kNumber, [](const Step& s) { return number(s.record.timing.minimum); }},
    {"max_ms", kNumber, [](const Step& s) { return number(s.record.timing.maximum); }},
    {"reps", kNumber, [](const Step& s) { return std::to_string(s.record.timing.reps); }},
    {"relax_per_s", kNumber, [](const Step& s) { return number(s.record.relaxationsPerSecond()); }},
    {"speedup_step", kNumber, [](const Step& s) { return number(s.here.overBefore); }},
    {"speedup_naive", kNumber, [](const Step& s) { return number(s.here.overNaive); }},
    {"report_ms", kNumber, [](const Step& s) { return number(s.there.milliseconds); }},
    {"report_speedup_step", kNumber, [](const Step& s) { return number(s.there.overBefore); }},
    {"report_speedup_naive", kNumber, [](const Step& s) { return number(s.there.overNaive); }},
    {"verified", kText, [](const Step& s) { return s.record.verified(); }},
    {"device_name", kText, [](const Step& s) { return s.record.device.name; }},
    {"device_short", kText, [](const Step& s) { return s.record.deviceShort(); }},
    {"revision", kText, [](const Step&) { return gitRevision(); }},
    {"dirty", kText, [](const Step&) { return gitDirty(); }},
    {"input", kText, [](const Step& s) { return s.record.input; }},
    {"graphs", kText, [](const Step& s) { return s.record.graphs(); }},
};

}  // namespace

std::string ladderCsvHeader() {
  return csvHeader(kColumns);
}

std::string ladderCsvRows(const std::vector<Step>& steps) {
  std::string rows;
  for (const Step& step : steps) rows += csvRow(kColumns, step);
  return rows;
}

std::string ladderJson(const std::vector<Step>& steps) {
  return toJson(kColumns, steps);
}
