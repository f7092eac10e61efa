#include "ladder/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "ladder/measure.h"
#include "recorded_files.h"  // made of the files: kLadder, kReduce
#include "system/screen.h"

namespace {

/// Built without the folder, there is no text.
std::vector<Row> rowsOf(const char* file, const char* text) {
  return *text == '\0' ? std::vector<Row>() : parseCsv(file, text);
}

const std::vector<Row>& recordedRows() {
  static const auto rows = rowsOf("results/h100/ladder.csv", kLadder);
  return rows;
}

/// The reports of the file, of which it has the letters and the steps.
const std::map<std::string, Report>& recordedReports() {
  static const std::map<std::string, Report> reports = [] {
    std::map<std::string, Report> found;
    for (const Row& row : recordedRows()) {
      const std::string& letter = row.at("report");
      if (letter == "-") continue;
      Report& report =
          found.try_emplace(letter, Report{letter.c_str(), "", "", "", {}, {}}).first->second;
      const auto is = [&](const Rung& rung) { return rung.name == row.at("rung"); };
      if (std::none_of(report.rungs.begin(), report.rungs.end(), is))
        report.rungs.push_back(
            {row.at("rung").c_str(), row.at("what").c_str(), nullptr, nullptr, {}});
    }
    return found;
  }();
  return reports;
}

Step stepOf(const Row& row) {
  const auto number = [&](const char* column) { return std::atof(row.at(column).c_str()); };
  Step step;
  step.record.kernel = row.at("rung");
  step.record.n = std::atoi(row.at("n").c_str());
  step.record.verdict.how = row.at("verified");
  step.here = {number("median_ms"), number("speedup_step"), number("speedup_naive")};
  step.there = {number("report_ms"), number("report_speedup_step"), number("report_speedup_naive")};
  const auto report = recordedReports().find(row.at("report"));
  if (report != recordedReports().end()) step.report = &report->second;
  return step;
}

}  // namespace

std::string recordedLadder(const std::vector<int>& sizes, const std::vector<std::string>& letters) {
  const auto isAsked = [&](const std::string& letter) {
    return letters.empty() || std::count(letters.begin(), letters.end(), letter) > 0;
  };
  std::map<int, std::vector<Step>> steps;  // by n
  for (const Row& row : recordedRows()) {
    const int n = std::atoi(row.at("n").c_str());
    const std::string& letter = row.at("report");  // "-": ref and apsp, beside all reports
    if (std::count(sizes.begin(), sizes.end(), n) > 0 && (letter == "-" || isAsked(letter)))
      steps[n].push_back(stepOf(row));
  }
  if (steps.empty()) return "";
  std::string out = recordedOn(recordedRows());
  for (const auto& [letter, report] : recordedReports())
    if (isAsked(letter))
      for (const Rung& rung : report.rungs) out += fmt::format("  {:<8}{}\n", rung.name, rung.what);
  for (const auto& [n, ofSize] : steps) out += ladderTables(ofSize);
  return out;
}

const std::vector<Row>& recordedReduction() {
  static const auto rows = rowsOf("results/h100/reduce.csv", kReduce);
  return rows;
}

std::string recordedOn(const std::vector<Row>& rows) {
  return fitted(fmt::format("Recorded on an {}, not here:\n", rows.front().at("device_name")));
}
