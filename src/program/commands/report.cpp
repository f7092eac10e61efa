#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quantity.h"
#include "cli/groups.h"
#include "cli/page.h"
#include "cli/plot.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "grade/rows.h"
#include "grade/table.h"
#include "io/input.h"
#include "io/json.h"
#include "io/output.h"
#include "measure/record.h"
#include "measure/result_store.h"
#include "measure/tables.h"
#include "system/exit.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

struct Arguments {
  std::vector<std::string> sources;
  std::string csv, plot, since;
  bool markdown = false;
  PageFlags page;
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
  // "1 of 4 planned points is"
  const auto some = [&](std::size_t count) {
    return fmt::format("{} of {} {}", count, counted(plan.size(), "planned point"),
                       count == 1 ? "is" : "are");
  };
  std::string text = source;
  if (!wrong.empty()) text += fmt::format(": {} wrong", some(wrong.size()));
  if (!missing.empty())
    text += fmt::format(": {} missing: run the sweep again, or remove {}/.plan",
                        some(missing.size()), source);
  throw Error(ErrorCode::kMismatch, text);
}

/// The whole text of a file.
std::string textOf(const std::string& path) {
  return Input(path).readAll();
}

/// A document for a page: the rows under one name or two. Their fields stay texts.
std::string pageDocument(const std::vector<std::pair<const char*, std::vector<Row>>>& parts) {
  Json document = {{"schema", 1}};
  for (const auto& [name, rows] : parts) {
    Json array = Json::array();
    for (const Row& row : rows) {
      Json object = Json::object();
      for (const auto& [column, field] : row) object[column] = jsonString(field);
      array.push_back(object);
    }
    document[name] = array;
  }
  return jsonText(document);
}

/// Makes a page of the file that `grade --json` wrote.
Exit reportDocument(const Arguments& o) {
  const std::string& source = o.sources[0];
  if (o.sources.size() > 1 || o.page.html.empty() || o.markdown || !o.csv.empty() ||
      !o.plot.empty())
    throw Error(ErrorCode::kUsage, source +
                                       ": a JSON file of grades only becomes a page: give it alone "
                                       "and with --html FILE");
  const std::string document = textOf(source);
  Page(o.page).write(document, source);
  return Exit::kOk;
}

/// Prints the ranking of each file of grades.
Exit reportGrades(const Arguments& o) {
  if (o.markdown || !o.csv.empty() || !o.plot.empty())
    throw Error(ErrorCode::kUsage,
                o.sources[0] +
                    ": a file of grades is only printed: leave --markdown, --csv and "
                    "--plot out");
  if (!o.page.html.empty() && o.sources.size() > 1)
    throw Error(ErrorCode::kUsage,
                o.sources[1] + ": --html makes a page of one file of grades only");
  const Page page(o.page);
  for (const std::string& source : o.sources) {
    const GradeRows rows = readGrades(source);
    if (!isStandardOutput(o.page.html)) show(gradeTable(rows));
    page.write(pageDocument({{"grades", rows.grades}, {"sizes", rows.sizes}}));
  }
  flushOutput();
  return Exit::kOk;
}

Exit run(const Arguments& o) {
  const auto isDocument = [](const std::string& source) { return endsWith(source, ".json"); };
  if (std::any_of(o.sources.begin(), o.sources.end(), isDocument)) return reportDocument(o);
  if (std::any_of(o.sources.begin(), o.sources.end(), isGrades)) return reportGrades(o);
  const std::vector<Row> rows = readResults(o.sources), plan = plannedSince(o.since, o.sources);
  if (rows.empty() && plan.empty())
    throw Error(ErrorCode::kInput, fmt::format("{}: no records here", o.sources[0]));
  const Page page(o.page);
  std::string csv = csvHeader();
  for (const Row& row : rows) csv += csvRow(row);
  if (!o.csv.empty()) OutputFile(o.csv).finish(tableFor(o.csv, csv));
  const bool quiet = isStandardOutput(o.csv) || isStandardOutput(o.page.html);
  if (!quiet) show(sweepTables(rows, o.markdown));
  const std::string disturbed = quiet || o.markdown ? "" : disturbedList(rows);
  if (!disturbed.empty()) show("\n" + disturbed);
  flushOutput();
  if (!o.plot.empty() && !rows.empty()) drawSweep(csv, o.plot);
  if (!rows.empty()) page.write(pageDocument({{"records", rows}}));
  requireAll(o.sources[0], plan, rows, quiet);
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  Flag& sources =
      flags.arguments("DIR", o->sources,
                      "directories written by --record, CSV files of records, or files of grades; "
                      "a JSON file of grades becomes a page by --html");
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
  addPage(flags, o->page, "the records or grades");
  addColour(flags);
  flags.example("apsp report sweep/points --csv sweep.csv",
                "prints the times of a sweep and the speedups over ref, and collects its records");
  flags.example("apsp report grades.json --html grades.html --anonymous",
                "makes a page of grades without names");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command reportCommand = {"report", "print a table of measured records", define};
