#include <fmt/format.h>

#include <algorithm>

#include "cli/groups.h"
#include "cli/plot.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "core/screen.h"
#include "grade/rows.h"
#include "grade/table.h"
#include "io/output.h"
#include "measure/record.h"
#include "measure/result_store.h"
#include "measure/tables.h"

namespace {

struct Arguments {
  std::vector<std::string> sources;
  std::string csv, plot, since;
  bool markdown = false;
};

/// The points of the sources' plans that were planned at that time or later; "": all.
std::vector<Row> plannedSince(const std::string& time, const std::vector<std::string>& sources) {
  std::vector<Row> plan = readPlan(sources);
  const auto earlier = [&](const Row& row) { return row.at("time") < time; };
  plan.erase(std::remove_if(plan.begin(), plan.end(), earlier), plan.end());
  return plan;
}

/// Prints which points of a plan are wrong or missing. Throws Error(kMismatch) if there are any.
void requireAll(const std::string& source, const std::vector<Row>& plan,
                const std::vector<Row>& rows, bool quiet) {
  const std::vector<Row> missing = missingResults(plan, rows), wrong = wrongResults(plan, rows);
  if (!quiet && !wrong.empty()) show("\n" + wrongList(wrong));
  if (!quiet && !missing.empty()) show((rows.empty() ? "" : "\n") + missingList(missing));
  flushOutput();
  if (missing.empty() && wrong.empty()) return;
  const std::string ofThem = fmt::format("of {} planned points are", plan.size());
  std::string text = source;
  if (!wrong.empty()) text += fmt::format(": {} {} wrong", wrong.size(), ofThem);
  if (!missing.empty())
    text += fmt::format(": {} {} missing: run the sweep again, or remove {}/.plan", missing.size(),
                        ofThem, source);
  throw Error(Exit::kMismatch, text);
}

/// Prints the ranking of each file of grades.
Exit reportGrades(const Arguments& o) {
  if (o.markdown || !o.csv.empty() || !o.plot.empty())
    throw Error(Exit::kUsage, o.sources[0] +
                                  ": a file of grades is only printed: leave --markdown, --csv and "
                                  "--plot out");
  for (const std::string& source : o.sources) show(gradeTable(readGrades(source)));
  flushOutput();
  return Exit::kOk;
}

Exit run(const Arguments& o) {
  if (std::any_of(o.sources.begin(), o.sources.end(), isGrades)) return reportGrades(o);
  const std::vector<Row> rows = readResults(o.sources), plan = plannedSince(o.since, o.sources);
  if (rows.empty() && plan.empty())
    throw Error(Exit::kInput, fmt::format("{}: no records here", o.sources[0]));
  std::string csv = csvHeader();
  for (const Row& row : rows) csv += csvRow(row);
  if (!o.csv.empty()) OutputFile(o.csv).finish(csv);
  const bool quiet = isStandardOutput(o.csv);
  if (!quiet) show(sweepTables(rows, o.markdown));
  const std::string disturbed = quiet || o.markdown ? "" : disturbedList(rows);
  if (!disturbed.empty()) show("\n" + disturbed);
  flushOutput();
  if (!o.plot.empty() && !rows.empty()) drawSweep(csv, o.plot);
  requireAll(o.sources[0], plan, rows, quiet);
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  Flag& sources =
      flags.arguments("DIR", o->sources,
                      "directories written by --record, CSV files of records, or files of grades");
  sources.required = true;
  sources.reads = [o = o.get()] { return o->sources; };
  flags.flag("--markdown", o->markdown, "print the table as Markdown");
  flags.text("--csv", o->csv, "FILE", "write all records to one CSV file; - is standard output")
      .writes = fileIn(o->csv);
  flags.text("--plot", o->plot, "BASE", "draw BASE.png and BASE.svg with matplotlib").writes =
      [o = o.get()] {
        using Paths = std::vector<std::string>;
        return o->plot.empty() ? Paths() : Paths{o->plot + ".png", o->plot + ".svg"};
      };
  flags.text("--planned-since", o->since, "TIME",
             "leave out of the plan what was planned before TIME, for example "
             "2026-01-31T12:00:00Z");
  addColour(flags);
  flags.example("apsp report sweep/points --csv sweep.csv",
                "prints the times of a sweep and the speedups over ref, and collects its records");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command reportCommand = {"report", "print a table of measured records", define};
