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
  std::string csv, plot;
  bool markdown = false;
};

/// The missing points of a sweep, as an error.
[[noreturn]] void refuse(const std::string& source, std::size_t missing, std::size_t planned) {
  throw Error(Exit::kMismatch,
              fmt::format("{}: {} of {} planned points are missing: run the sweep again, or remove "
                          "{}/.plan",
                          source, missing, planned, source));
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
  const std::vector<Row> rows = readResults(o.sources), plan = readPlan(o.sources);
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
  const std::vector<Row> missing = missingResults(plan, rows);
  if (missing.empty()) return Exit::kOk;
  if (!quiet) show((rows.empty() ? "" : "\n") + missingList(missing));
  flushOutput();
  refuse(o.sources[0], missing.size(), plan.size());
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
  addColour(flags);
  flags.example("apsp report sweep/points --csv sweep.csv",
                "prints the times of a sweep and the speedups over ref, and collects its records");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command reportCommand = {"report", "print a table of measured records", define};
