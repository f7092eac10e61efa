#include "commands/grade_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/quantity.h"
#include "cli/terminal.h"
#include "grade/document.h"
#include "grade/feedback.h"
#include "grade/phase.h"
#include "grade/rows.h"
#include "grade/table.h"
#include "measure/clocks.h"
#include "system/screen.h"

namespace {

/// A file for a course system, and what it is made of.
struct Export {
  const char *flag, *what;
  std::string (*text)(const Graded&);
  bool needsStudents, forOne;  ///< forOne: it tells of one hand-in
};
constexpr Export kExports[] = {
    {"--moodle", "write a grading worksheet that Moodle imports, with points and comments",
     moodleCsv, true, false},
    {"--canvas", "write a gradebook that Canvas imports", canvasCsv, true, false},
    {"--gradescope-csv", "write grades in the columns that Gradescope exports, with comments",
     gradescopeCsv, true, false},
    {"--gradescope", "write the results.json of Gradescope's autograder, of one hand-in",
     gradescopeJson, false, true},
};

static_assert(std::size(kExports) == kExportCount);

/// Opens the files for course systems, and makes the folder of feedback.
ExportFiles openExports(const GradeOutputFlags& flags, bool hasRubric) {
  ExportFiles opened;
  for (std::size_t at = 0; at < kExportCount; ++at) {
    if (flags.exports[at].empty()) continue;
    if (!hasRubric)
      throw Error(ErrorCode::kUsage, std::string(kExports[at].flag) +
                                         ": there are no points without --rubric FILE: give both");
    opened[at] = std::make_unique<OutputFile>(flags.exports[at]);
  }
  if (!flags.feedback.empty()) makeFeedbackFolder(flags.feedback);
  return opened;
}

}  // namespace

std::vector<std::string> GradeOutputFlags::paths() const {
  std::vector<std::string> all = {files.json, page.html, feedback};
  all.insert(all.end(), exports.begin(), exports.end());
  return all;
}

bool GradeOutputFlags::areForOne() const {
  for (std::size_t at = 0; at < kExportCount; ++at)
    if (kExports[at].forOne && !exports[at].empty()) return true;
  return false;
}

void addGradeOutput(Flags& flags, GradeOutputFlags& output) {
  flags.heading("Output");
  flags
      .text("--csv", output.files.csv, "FILE",
            "write a row for each hand-in to FILE, and beside it the times (.sizes.csv) and all "
            "results (.d); what is graded already is not run again; - prints the rows on standard "
            "output")
      .writes = [&output] {
    using Paths = std::vector<std::string>;
    const std::string& csv = output.files.csv;
    return csv.empty() || isStandardOutput(csv) ? Paths{csv} : Paths{csv, sizesFile(csv)};
  };
  flags
      .text("--json", output.files.json, "FILE",
            "write everything about the grades as JSON; - is standard output")
      .writes = fileIn(output.files.json);
  addPage(flags, output.page, "the grades");
  flags
      .text("--students", output.students, "FILE",
            "tell whose each hand-in is by this CSV file: one that Moodle, Canvas or Gradescope "
            "exports, or one with columns file, id, name, email and handed_in")
      .reads = fileIn(output.students);
  flags.text("--feedback", output.feedback, "DIR",
             "write what each author is told to DIR/NAME.txt, with nothing of the others");
  for (std::size_t at = 0; at < kExportCount; ++at) {
    Flag& flag = flags.text(kExports[at].flag, output.exports[at], "FILE", kExports[at].what);
    flag.writes = fileIn(output.exports[at]);
    flag.needs = kExports[at].needsStudents ? "--students" : "--rubric";
  }
  addQuiet(flags, output.files.quiet);
}

GradeOutput::GradeOutput(const GradeOutputFlags& flags, const Device& device, bool hasRubric)
    : o_(flags),
      device_(device),
      exports_(openExports(flags, hasRubric)),
      json_(flags.files.openJson()),
      page_(flags.page) {}

void GradeOutput::write(const Graded& graded) {
  o_.files.say("\n" + fitted(phasesLine(graded.phases())) +
               keptLine(graded.kept, graded.submissions()) + "\n" + gradeTable(rowsOf(graded)));
  if (o_.explain) o_.files.say(fitted(pointsTable(graded)));
  if (o_.similar) o_.files.say(nearCopiesTable(graded));
  if (!o_.feedback.empty()) writeFeedback(graded, o_.feedback);
  for (std::size_t at = 0; at < kExportCount; ++at)
    if (exports_[at] != nullptr) exports_[at]->finish(kExports[at].text(graded));
  for (const std::string& note : graded.notes) complain("warning: " + note);
  if (isStandardOutput(o_.files.csv)) appendRows("-", "", gradesCsv(graded));
  if (json_ != nullptr) json_->finish(gradesDocument(graded, clocksOf(device_)));
}

void GradeOutput::writeInterrupted(const Graded& graded) {
  const auto count = [&](bool (*is)(const Grade&)) {
    return std::count_if(graded.grades.begin(), graded.grades.end(), is);
  };
  const auto checked = count([](const Grade& g) { return g.check.has_value(); });
  if (checked == 0) return o_.files.say("INTERRUPTED before the first submission was checked.\n");
  write(graded);
  o_.files.say(
      fmt::format("\nINTERRUPTED: {} of {} checked, {} timed; the ranks are those of these only.\n",
                  checked, counted(graded.submissions(), "submission"),
                  count([](const Grade& g) { return g.times.has_value(); })));
}

void GradeOutput::writePage(const Graded& graded) const {
  page_.write(gradesDocument(graded, clocksOf(device_)));
}
