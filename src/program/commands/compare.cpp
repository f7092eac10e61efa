#include "measure/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <optional>

#include "cli/groups.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "grade/changes.h"
#include "grade/document.h"
#include "grade/rows.h"
#include "measure/result_store.h"
#include "system/exit.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

struct Arguments {
  std::string before, after;
  std::vector<std::string> key = usualKey();
  int failSlower = -1;  ///< percent; −1: not asked for
};

/// The records of a CSV file or folder. Throws Error(kInput) if there are none.
Side sideOf(const std::string& path) {
  Side side = {path, readResults({path})};
  if (side.rows.empty()) throw Error(ErrorCode::kInput, path + ": no records here");
  return side;
}

/// What a file of grades holds, the CSV or the JSON file of `apsp grade`; none if it is no such
/// file.
std::optional<GradeRows> gradesIn(const std::string& path) {
  if (isGrades(path)) return readGrades(path);
  if (isGradesDocument(path)) return readGradesDocument(path);
  return std::nullopt;
}

/// Compares two files of grades, of which one may be none.
Exit compareGrades(const Arguments& o, const std::optional<GradeRows>& a,
                   const std::optional<GradeRows>& b) {
  if (!a || !b)
    throw Error(ErrorCode::kInput,
                fmt::format("{}: no file of grades, but the other one is: give two of a kind",
                            a ? o.after : o.before));
  show(
      fmt::format("A: {}\nB: {}\n\n{}", oneLine(o.before), oneLine(o.after), changesTable(*a, *b)));
  flushOutput();
  return Exit::kOk;
}

Exit run(const Arguments& o) {
  const std::optional<GradeRows> before = gradesIn(o.before), after = gradesIn(o.after);
  if (before || after) return compareGrades(o, before, after);
  const Side a = sideOf(o.before), b = sideOf(o.after);
  const std::vector<Compared> points = compareRecords(a, b, o.key);
  show(
      fmt::format("A: {}\nB: {}\n\n{}", oneLine(a.name), oneLine(b.name), comparisonTable(points)));
  flushOutput();
  const auto inBoth = [](const Compared& p) { return p.a != nullptr && p.b != nullptr; };
  if (std::none_of(points.begin(), points.end(), inBoth))
    throw Error(ErrorCode::kInput, fmt::format("{} and {} have no point in common: {}", a.name,
                                               b.name, differenceText(a, b, o.key)));
  const auto regressions = std::count_if(points.begin(), points.end(), [&](const Compared& p) {
    return isRegression(p, o.failSlower);
  });
  if (o.failSlower < 0 || regressions == 0) return Exit::kOk;
  throw Error(ErrorCode::kMismatch,
              fmt::format("{}: points that are wrong, or undisturbed and slower than in {} beyond "
                          "the noise and by more than {} %: {}",
                          b.name, a.name, o.failSlower, regressions));
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  flags
      .text("A", o->before, "",
            "CSV file of records, directory written by --record, or grades as CSV or JSON")
      .required = true;
  flags.text("B", o->after, "", "the same, to be compared with A").required = true;
  flags.texts("--key", o->key, "COLUMN[,COLUMN]",
              fmt::format("columns that are equal in records of the same point [{}]",
                          fmt::join(usualKey(), ", ")));
  flags
      .number(
          "--fail-slower", o->failSlower, 0, 1000000,
          "exit with 1 if a point of B is wrong, or slower than in A by the rank test (two-sided "
          "level 1 %) and by more than PCT percent of the medians; a disturbed point does not "
          "count as slower")
      .value = "PCT";
  addColour(flags);
  flags.example("apsp compare before.csv after.csv --fail-slower 5",
                "fails if anything got more than 5 % slower");
  flags.example("apsp compare one.csv two.csv --key kernel,hash,n,device_name",
                "compares other numbers of threads");
  flags.example("apsp compare grades.csv appeal.csv",
                "shows whose points, ranks and verdicts another grading changed");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command compareCommand = {"compare", "compare two sets of records of the same points",
                                       define};
