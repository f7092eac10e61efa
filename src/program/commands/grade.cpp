#include "grade/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>

#include "base/quantity.h"
#include "cli/groups.h"
#include "cli/page.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "grade/document.h"
#include "grade/phase.h"
#include "grade/rows.h"
#include "grade/table.h"
#include "io/interrupt.h"
#include "ladder/ladder.h"
#include "measure/tables.h"
#include "system/environment.h"
#include "system/screen.h"

namespace {

struct Arguments {
  bool host = false, explain = false;
  GradePlan plan;
  OutputFlags output;
  PageFlags page;
};

void settleSizes(GradePlan& plan, bool host) {
  if (plan.sizes.empty() && host) plan.sizes = {100, 200, 400};
  if (plan.sizes.empty()) plan.sizes = {std::begin(kReportSizes), std::end(kReportSizes)};
  std::sort(plan.sizes.begin(), plan.sizes.end());
  plan.sizes.erase(std::unique(plan.sizes.begin(), plan.sizes.end()), plan.sizes.end());
}

/// The words of a process that only checks, see GradePlan::checkingWords.
std::vector<std::string> checkingWords(const Arguments& o) {
  const GradePlan& plan = o.plan;
  std::vector<std::string> words = {"grade",
                                    "--check-only",
                                    "--quiet",
                                    "--sizes",
                                    fmt::format("{}", fmt::join(plan.sizes, ",")),
                                    "--time-limit",
                                    fmt::format("{}", plan.limits.callSeconds),
                                    "--warmup",
                                    std::to_string(plan.measuring.warmup)};
  if (o.host) words.push_back("--host");
  if (plan.full) words.push_back("--full");
  if (!plan.limits.sandboxed) words.push_back("--unsandboxed");
  if (plan.seed != 0) words.insert(words.end(), {"--seed", std::to_string(plan.seed)});
  if (plan.measuring.reps > 0)
    words.insert(words.end(), {"--reps", std::to_string(plan.measuring.reps)});
  words.push_back(plan.folder);
  return words;
}

/// What is printed at the end, or when a signal ends the grading.
void report(const Arguments& o, const Device& device, OutputFile* json, const Graded& graded) {
  o.output.say("\n" + phasesLine(graded.phases()) + "\n" + gradeTable(rowsOf(graded)));
  if (o.explain) o.output.say(pointsTable(graded));
  for (const std::string& note : graded.notes) complain("warning: " + note);
  if (isStandardOutput(o.output.csv)) appendRows("-", "", gradesCsv(graded));
  if (json != nullptr) json->finish(gradesDocument(graded, device.clocks()));
}

void reportInterrupted(const Arguments& o, const Device& device, OutputFile* json,
                       const Graded& graded) {
  const auto count = [&](bool (*is)(const Grade&)) {
    return std::count_if(graded.grades.begin(), graded.grades.end(), is);
  };
  const auto checked = count([](const Grade& g) { return g.check.has_value(); });
  if (checked == 0) return o.output.say("INTERRUPTED before the first submission was checked.\n");
  report(o, device, json, graded);
  o.output.say(fmt::format(
      "\nINTERRUPTED: {} of {} submissions checked, {} timed; the ranks are those of these only.\n",
      checked, graded.submissions(), count([](const Grade& g) { return g.times.has_value(); })));
}

/// Says which submissions could not be graded now, and returns the exit code.
Exit verdictOf(const Graded& graded) {
  const auto ungraded = std::find_if(graded.grades.begin(), graded.grades.end(),
                                     [](const Grade& g) { return g.trouble != Exit::kOk; });
  if (ungraded == graded.grades.end()) return Exit::kOk;
  complain(fmt::format("{}: not graded: {}", ungraded->handIn.name, ungraded->troubleText));
  return ungraded->trouble;
}

/// Without the table, one line says which submissions have no rank.
void complainOfFailed(const Graded& graded) {
  std::vector<std::string> failed;
  for (const Grade& grade : graded.grades)
    if (grade.isSubmission() && grade.rank == 0) failed.push_back(grade.handIn.name);
  if (!failed.empty())
    complain(fmt::format("{} of {} {} no rank: {}", failed.size(),
                         counted(graded.submissions(), "submission"),
                         failed.size() == 1 ? "has" : "have", fmt::join(failed, ", ")));
}

Exit run(Arguments& o) {
  const bool quiet = o.output.quiet;  // settle() also sets it if the CSV goes to standard output
  o.output.settle();
  if (isStandardOutput(o.page.html)) o.output.quiet = true;
  const Device& device = o.host ? cpuDevice : requireGpu("use --host for .so files of host memory");
  settleSizes(o.plan, o.host);
  o.plan.measuring.vary = true;
  o.plan.csv = o.output.csv;
  o.plan.outputs = {o.output.json, o.page.html};
  o.plan.checkingWords = checkingWords(o);
  Grader grader(o.plan, device);
  if (!o.plan.csv.empty() && !slurmJob().empty())
    exitOnInterrupts(static_cast<int>(Exit::kInterrupted));  // tells Slurm to requeue the job
  const std::unique_ptr<OutputFile> json = o.output.openJson();
  const Page page(o.page);
  o.output.say(deviceLines(nameOf(device.kind()), device.info()) + "\n");
  const Graded graded =
      grader.run([&](const Graded& partial) { reportInterrupted(o, device, json.get(), partial); },
                 [&](const std::string& line) {
                   o.output.say(line);
                   std::fflush(stdout);  // a log shows it now
                 });
  report(o, device, json.get(), graded);
  if (quiet) complainOfFailed(graded);
  page.write(gradesDocument(graded, device.clocks()));
  return verdictOf(graded);
}

void addGrading(Flags& flags, Arguments& o) {
  flags.heading("Grading");
  flags.flag("--host", o.host, "grade .so files that solve in host memory, on the CPU");
  flags.flag(
      "--quick", [&o] { o.plan.full = false; }, "check fewer sizes; this is the default");
  flags.flag("--full", o.plan.full, "check more seeds and sizes").excludes = "--quick";
  flags.number("--seed", o.plan.seed, std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max(),
               "draw all graphs with this seed, to repeat a grade [another one for each hand-in]");
  flags.number("--jobs", o.plan.jobs, 1, 1024,
               "submissions to build and check at once, with --host at most one for every two "
               "cores; they are always timed one by one [1]");
  flags.flag("--check-only", o.plan.checkOnly,
             "build and check, but time nothing; the same command without it goes on");
  Flag& again = flags.texts("--again", o.plan.again, "NAME[,NAME]",
                            "time these hand-ins again, and those with the same content; ref and "
                            "apsp are names, too");
  again.needs = "--csv";
  again.excludes = "--check-only";
  Flag& disturbed = flags.flag("--again-disturbed", o.plan.againDisturbed,
                               "time again what was disturbed, also ref and apsp");
  disturbed.needs = "--csv";
  disturbed.excludes = "--check-only";
  flags
      .flag(
          "--replace", o.plan.replace,
          "let the file of --csv lose the grades of hand-ins that are not in DIR, or that another "
          "folder had under the same names")
      .needs = "--csv";
  Flag& without = flags.flag("--without-points", o.plan.withoutPoints,
                             "let the file of --csv lose its points, because no --rubric is given");
  without.needs = "--csv";
  without.excludes = "--rubric";
  addSizes(flags, o.plan.sizes,
           fmt::format("{}; with --host: 100,200,400", fmt::join(kReportSizes, ",")));
  flags
      .text("--rubric", o.plan.rubric, "FILE",
            "give points as this JSON file says: see docs/grading.md")
      .reads = fileIn(o.plan.rubric);
  flags.flag("--explain", o.explain, "print each submission's points line by line").needs =
      "--rubric";
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  flags
      .text("DIR", o->plan.folder, "",
            "folder of submissions: *.cu, *.so, NAME/apsp.cu and NAME/apsp.so")
      .required = true;
  addGrading(flags, *o);
  addTimeLimit(flags, o->plan.limits);
  addMeasuring(flags, o->plan.measuring);
  flags.heading("Output");
  flags
      .text("--csv", o->output.csv, "FILE",
            "write a row for each hand-in to FILE, and beside it the times (.sizes.csv) and all "
            "results (.d); what is graded already is not run again; - prints the rows on standard "
            "output")
      .writes = [o = o.get()] {
    using Files = std::vector<std::string>;
    const std::string& csv = o->output.csv;
    return csv.empty() || isStandardOutput(csv) ? Files{csv} : Files{csv, sizesFile(csv)};
  };
  flags
      .text("--json", o->output.json, "FILE",
            "write everything about the grades as JSON; - is standard output")
      .writes = fileIn(o->output.json);
  addPage(flags, o->page, "the grades");
  addQuiet(flags, o->output.quiet);
  flags.example("apsp grade handed-in --csv grades.csv",
                "checks, times and ranks every submission of a folder");
  flags.example("apsp grade handed-in --csv grades.csv --jobs 16 --rubric rubric.json --explain",
                "checks 16 submissions at once, and gives points");
  flags.example("apsp grade handed-in --html grades.html --anonymous",
                "makes a page to publish, without names");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command gradeCommand = {"grade", "check, time and rank a folder of submissions",
                                     define};
