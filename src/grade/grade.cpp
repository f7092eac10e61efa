#include "grade/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>
#include <sstream>
#include <string_view>
#include <utility>

#include "check/check.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/progress.h"
#include "core/screen.h"
#include "core/utf8.h"
#include "grade/hand_ins.h"
#include "grade/timing.h"
#include "io/csv.h"
#include "io/interrupt.h"
#include "io/output.h"
#include "measure/tables.h"
#include "submission/compile.h"

namespace {

/// The hash of a submission's content. "" if it cannot be read; loading it then says why.
std::string hashOf(const std::string& path) {
  try {
    return contentHash(path);
  } catch (const Error&) {
    return "";
  }
}

std::string textOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// ---- rows of the CSV file -------------------------------------------------------------------

/// A row: a grade at one of its sizes.
struct SizedGrade {
  const GradePlan& plan;
  const DeviceInfo& device;
  const Grade& grade;
  std::size_t at;  ///< index into plan.sizes

  bool timed() const { return !grade.milliseconds.empty(); }
};

std::string number(double value) {
  return fmt::format("{:.9g}", value);
}

std::string depthOf(const GradePlan& plan) {
  return plan.full ? "full" : "quick";
}

const Column<SizedGrade> kColumns[] = {
    {"time", kText, [](const SizedGrade&) { return timestamp(); }},
    {"name", kText, [](const SizedGrade& g) { return oneLine(g.grade.name); }},
    {"hash", kText, [](const SizedGrade& g) { return g.grade.hash; }},
    {"build", kText, [](const SizedGrade& g) { return oneLine(g.grade.build); }},
    {"depth", kText, [](const SizedGrade& g) { return depthOf(g.plan); }},
    {"sizes", kText,
     [](const SizedGrade& g) { return fmt::format("{}", fmt::join(g.plan.sizes, " ")); }},
    {"warmup", kNumber,
     [](const SizedGrade& g) { return std::to_string(g.plan.measuring.warmup); }},
    {"reps", kNumber, [](const SizedGrade& g) { return std::to_string(g.plan.measuring.reps); }},
    {"time_limit_s", kNumber,
     [](const SizedGrade& g) { return number(g.plan.limits.callSeconds); }},
    {"contract", kText, [](const SizedGrade& g) { return oneLine(g.grade.contract); }},
    {"warning", kText, [](const SizedGrade& g) { return oneLine(g.grade.warning); }},
    {"n", kNumber, [](const SizedGrade& g) { return std::to_string(g.plan.sizes[g.at]); }},
    {"median_ms", kNumber,
     [](const SizedGrade& g) { return g.timed() ? number(g.grade.milliseconds[g.at]) : ""; }},
    {"naive_ms", kNumber,
     [](const SizedGrade& g) { return g.timed() ? number(g.grade.naive[g.at]) : ""; }},
    {"verified", kText, [](const SizedGrade& g) { return std::string(g.timed() ? "ref" : ""); }},
    {"device_name", kText, [](const SizedGrade& g) { return g.device.name; }},
    {"revision", kText, [](const SizedGrade&) { return gitRevision(); }},
    {"dirty", kText, [](const SizedGrade&) { return gitDirty(); }},
};

std::string csvRows(const GradePlan& plan, const DeviceInfo& device, const Grade& grade) {
  std::string rows;
  for (std::size_t at = 0; at < plan.sizes.size(); ++at)
    rows += csvRow(kColumns, SizedGrade{plan, device, grade, at});
  return rows;
}

/// The rows of CSV text. A killed run may leave half a line; such lines are skipped.
std::vector<Row> wholeRows(const std::string& path, const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    try {
      rows.push_back(parseCsv(path, csvHeader(kColumns) + line + "\n").at(0));
    } catch (const Error&) {
    }
  }
  return rows;
}

/// The rows that a file of grades holds; none if the rows go to standard output.
std::vector<Row> rowsOf(const std::string& csv) {
  return isStandardOutput(csv) ? std::vector<Row>() : wholeRows(csv, textOf(csv));
}

/// Fills in a grade from the last rows with the same content and plan. Returns false if rows are
/// missing, or if they contradict each other because they come from different runs.
bool recall(const GradePlan& plan, const DeviceInfo& device, const std::vector<Row>& rows,
            Grade& grade) {
  using Names = std::vector<const char*>;
  static const Names kKey = {"name", "hash",         "depth",       "sizes",    "n",    "warmup",
                             "reps", "time_limit_s", "device_name", "revision", "dirty"};
  static const Names kVerdict = {"build", "contract", "warning", "verified"};
  const auto same = [](const Row& a, const Row& b, const Names& columns) {
    return std::all_of(columns.begin(), columns.end(),
                       [&](const char* column) { return a.at(column) == b.at(column); });
  };
  Grade found = grade;
  const Row* one = nullptr;
  for (const Row& wanted : wholeRows(plan.csv, csvRows(plan, device, grade))) {
    const auto row = std::find_if(rows.rbegin(), rows.rend(),
                                  [&](const Row& other) { return same(wanted, other, kKey); });
    if (row == rows.rend()) return false;
    if (one == nullptr) one = &*row;
    if (!same(*one, *row, kVerdict)) return false;
    found.build = row->at("build");
    found.contract = row->at("contract");
    found.warning = row->at("warning");
    if (row->at("verified").empty()) continue;
    found.milliseconds.push_back(std::atof(row->at("median_ms").c_str()));
    found.naive.push_back(std::atof(row->at("naive_ms").c_str()));
  }
  grade = found;
  return true;
}

// ---- checking and timing --------------------------------------------------------------------

const char* const kPass = "pass";

/// A message as one line, without the path with which it begins.
std::string without(const std::string& path, const std::string& message) {
  const std::string prefix = oneLine(path) + ": ", line = oneLine(message);
  return line.rfind(prefix, 0) == 0 ? line.substr(prefix.size()) : line;
}

/// "pass", or in one line what a check found to be wrong.
std::string contractVerdict(const Check& check) {
  const auto cell = std::find_if(check.cells.begin(), check.cells.end(),
                                 [](const CheckCell& c) { return c.failed(); });
  if (cell == check.cells.end()) return kPass;
  if (cell->fault) return without(check.kernel, cell->faultText);
  return fmt::format("{} of {} results are wrong{}{}", check.failed(), check.cells.size(),
                     check.diagnosis.sentence.empty() ? "" : ": ", check.diagnosis.sentence);
}

/// The times of `ref` at each size. Throws Error(kMismatch) if a result of it is wrong.
std::vector<SizeTimes> naiveTimes(SolverTimer& timer, const Device& device) {
  const SolverTimes ref = timer.time(findSolver("ref", device.kind()));
  if (!ref.reason.empty()) throw Error(Exit::kMismatch, ref.reason);
  return ref.sizes;
}

/// What all submissions are timed with.
struct Timer {
  const Device& device;
  SolverTimer timer;
  std::vector<SizeTimes> naive = {};  // of `ref`, when the first submission is timed
};

/// Times a submission that passed the check at every size. If it fails now, it breaks the contract,
/// too.
void timeAll(const Solver& kernel, Timer& with, Warnings& warnings, Grade& grade) {
  if (with.naive.empty()) with.naive = naiveTimes(with.timer, with.device);
  const SolverTimes found = with.timer.time(kernel);
  warnings.add(found.warnings);
  if (!found.reason.empty()) {
    grade.contract = without(kernel.name, found.reason);
    return;
  }
  for (std::size_t at = 0; at < found.sizes.size(); ++at) {
    grade.milliseconds.push_back(found.sizes[at].timing.median);
    grade.naive.push_back(with.naive[at].timing.median);
  }
}

void checkAndTime(const std::string& path, const GradePlan& plan, const Device& device,
                  Timer& timer, Grade& grade) {
  const auto fresh = [&] { return loadSubmission(path, device, plan.limits); };
  fresh();
  grade.build = "yes";
  CheckPlan checks;
  checks.depth = plan.full ? CheckPlan::kFull : CheckPlan::kQuick;
  checks.seconds = plan.limits.checkSeconds();
  const Check checked = check(fresh, device, checks);
  Warnings warnings = checked.warnings();
  grade.contract = contractVerdict(checked);
  if (grade.contract == kPass) timeAll(fresh(), timer, warnings, grade);
  grade.warning = warnings.line();
}

void gradeOne(const std::string& path, const GradePlan& plan, const Device& device, Timer& timer,
              Grade& grade) {
  try {
    checkAndTime(path, plan, device, timer, grade);
  } catch (const Error& error) {
    if (error.code != Exit::kInput) grade.trouble = error.code;
    grade.build = without(path, error.what());
    grade.contract.clear();
  } catch (const std::bad_alloc&) {
    grade.trouble = Exit::kMemory;
    grade.build = "out of host memory";
    grade.contract.clear();
  }
}

/// Sorts by the time at the largest size, those without a rank last, and numbers the ranks.
void rank(std::vector<Grade>& grades) {
  const auto time = [](const Grade& grade) {
    return grade.milliseconds.empty() ? INFINITY : grade.milliseconds.back();
  };
  std::stable_sort(grades.begin(), grades.end(),
                   [&](const Grade& a, const Grade& b) { return time(a) < time(b); });
  int next = 1;
  for (Grade& grade : grades) {
    if (!grade.milliseconds.empty()) grade.rank = next++;
  }
}

/// The last column of the table: why a submission has no rank, or "pass"; and its warning.
std::string verdictOf(const Grade& grade) {
  const std::string verdict = grade.build == "yes" ? grade.contract : grade.build;
  return oneLine(verdict + (grade.warning.empty() ? "" : ", warning: " + grade.warning));
}

Tone toneOf(const Grade& grade) {
  if (grade.rank == 0) return Tone::kWrong;
  return grade.warning.empty() ? Tone::kRight : Tone::kDisturbed;
}

}  // namespace

std::vector<Grade> grade(
    const GradePlan& plan, const Device& device,
    const std::function<void(const std::vector<Grade>& done, std::size_t all)>& interrupted) {
  const std::vector<HandIn> submissions = findHandIns(plan.folder, device);
  const DeviceInfo info = device.info();
  if (!plan.csv.empty()) appendRows(plan.csv, csvHeader(kColumns), "");
  const std::vector<Row> before = rowsOf(plan.csv);
  Timer timer{device, {device, plan.sizes, plan.measuring}};
  std::vector<Grade> grades;
  const InterruptReport report([&] {
    rank(grades);
    if (interrupted) interrupted(grades, submissions.size());
  });
  for (const HandIn& submission : submissions) {
    Grade grade;
    grade.name = submission.name;
    grade.hash = hashOf(submission.path);
    const bool known = recall(plan, info, before, grade);
    if (!known) {
      const Progress grading(
          fmt::format("submission {} of {}", grades.size() + 1, submissions.size()));
      gradeOne(submission.path, plan, device, timer, grade);
    }
    const auto held = holdInterruptReports();
    if (!known && !plan.csv.empty() && grade.trouble == Exit::kOk)
      appendRows(plan.csv, csvHeader(kColumns), csvRows(plan, info, grade));
    grades.push_back(std::move(grade));
  }
  rank(grades);
  return grades;
}

std::string gradeTable(const GradePlan& plan, const std::vector<Grade>& grades) {
  std::vector<std::string> names;
  for (const Grade& grade : grades) names.push_back(oneLine(grade.name));
  const std::size_t width = nameColumns(names, 4);
  std::string out = "rank  " + padded("name", width);
  for (const int n : plan.sizes) out += fmt::format("{:>10}", fmt::format("n={} ms", n));
  out += fmt::format("{:>9}  contract\n", "speedup");
  for (const Grade& grade : grades) {
    const bool timed = grade.rank > 0;
    out += fmt::format("{:>4}  {}", timed ? std::to_string(grade.rank) : "-",
                       nameCell(oneLine(grade.name), width));
    for (std::size_t at = 0; at < plan.sizes.size(); ++at)
      out += fmt::format("{:>10}", timed ? milliseconds(grade.milliseconds[at]) : "-");
    out += fmt::format(
        "{:>9}  {}\n",
        timed ? fmt::format("{:.2f}x", grade.naive.back() / grade.milliseconds.back()) : "-",
        toned(toneOf(grade), verdictOf(grade)));
  }
  return out;
}
