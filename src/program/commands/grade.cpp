#include "grade/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

#include "base/quantity.h"
#include "cli/groups.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "commands/grade_output.h"
#include "grade/hand_ins.h"
#include "grade/rows.h"
#include "io/interrupt.h"
#include "ladder/ladder.h"
#include "measure/tables.h"
#include "system/environment.h"
#include "system/exit.h"
#include "system/screen.h"

namespace {

struct Arguments {
  bool host = false;
  int watch = 0;  ///< seconds between two looks into the folder; 0: it is looked into once
  GradeOptions options;
  GradeOutputFlags output;
};

/// The sizes that are timed on a CPU by default.
constexpr int kHostSizes[] = {200, 500, 1000};

void settleSizes(GradeOptions& options, bool host) {
  if (options.sizes.empty() && host) options.sizes = {std::begin(kHostSizes), std::end(kHostSizes)};
  if (options.sizes.empty()) options.sizes = {std::begin(kReportSizes), std::end(kReportSizes)};
  std::sort(options.sizes.begin(), options.sizes.end());
  options.sizes.erase(std::unique(options.sizes.begin(), options.sizes.end()), options.sizes.end());
}

/// The words of a process that only checks, see GradeOptions::checkingWords.
std::vector<std::string> checkingWords(const Arguments& o) {
  const GradeOptions& options = o.options;
  std::vector<std::string> words = {"grade",
                                    "--check-only",
                                    "--quiet",
                                    "--sizes",
                                    fmt::format("{}", fmt::join(options.sizes, ",")),
                                    "--time-limit",
                                    fmt::format("{}", options.limits.callSeconds),
                                    "--warmup",
                                    std::to_string(options.measuring.warmup)};
  if (o.host) words.push_back("--host");
  if (options.byteOrderMark) words.push_back("--bom");
  if (options.full) words.push_back("--full");
  if (!options.only.empty())
    words.insert(words.end(), {"--only", fmt::format("{}", fmt::join(options.only, ","))});
  if (!options.students.empty()) words.insert(words.end(), {"--students", options.students});
  words.insert(words.end(), {"--contract", contractOf(options.checkOptions())});
  if (!options.limits.sandboxed) words.push_back("--unsandboxed");
  words.insert(words.end(), {"--cxxflags", options.limits.cxxFlags});
  if (options.seed != 0) words.insert(words.end(), {"--seed", std::to_string(options.seed)});
  if (options.measuring.reps > 0)
    words.insert(words.end(), {"--reps", std::to_string(options.measuring.reps)});
  words.push_back(options.folder);
  return words;
}

/// Says which submissions could not be graded now, and returns the exit code.
Exit verdictOf(const Graded& graded) {
  const auto ungraded = std::find_if(graded.grades.begin(), graded.grades.end(),
                                     [](const Grade& g) { return g.trouble != Exit::kOk; });
  if (ungraded == graded.grades.end()) return Exit::kOk;
  complain(fmt::format("{}: not graded: {}", ungraded->handIn.name, ungraded->troubleText));
  return ungraded->trouble;
}

/// Without the table, one line says which submissions have no rank, or fail where none has.
void complainOfFailed(const Graded& graded) {
  const bool ranks = !graded.options.checkOnly;
  std::vector<std::string> failed;
  for (const Grade& grade : graded.grades)
    if (grade.isSubmission() && (ranks ? grade.rank == 0 : !grade.passes()))
      failed.push_back(grade.handIn.name);
  if (failed.empty()) return;
  const bool one = failed.size() == 1;
  const char* const what =
      ranks ? (one ? "has no rank" : "have no rank") : (one ? "does not pass" : "do not pass");
  complain(fmt::format("{} of {} {}: {}", failed.size(),
                       counted(graded.submissions(), "submission"), what,
                       fmt::join(failed, ", ")));
}

/// Grades what is in the folder now. Reports it unless `known`, the grades that were reported last,
/// are the same.
Exit gradeOnce(Arguments& o, const Device& device, bool quiet, std::string& known) {
  Grader grader(o.options, device);
  if (!o.options.csv.empty() && !slurmJob().empty())
    exitOnInterrupts(static_cast<int>(Exit::kInterrupted));  // tells Slurm to requeue the job
  GradeOutput output(o.output, device, !o.options.rubric.empty());
  const auto say = [&](const std::string& line) { o.output.files.say(fitted(line)); };
  if (known.empty()) say(deviceLines(nameOf(device.kind()), device.info()) + "\n");
  const Graded graded = grader.run([&](const Graded& partial) { output.writeInterrupted(partial); },
                                   [&](const std::string& line) {
                                     say(line);
                                     std::fflush(stdout);  // a log shows it now
                                   });
  if (graded.submissions() > 0) o.options.mayBeEmpty = false;
  if (const std::string now = gradesCsv(graded); std::exchange(known, now) == now)
    return verdictOf(graded);
  output.write(graded);
  if (quiet) complainOfFailed(graded);
  output.writePage(graded);
  return verdictOf(graded);
}

/// Looks into the folder again and again, until the process is interrupted. What prevents grading
/// now, for example a rubric that is being written, is told once, and may be gone at the next look.
/// A hand-in that its author took back loses its grade; a folder that has lost all of them is
/// rather one that cannot be reached.
[[noreturn]] void watch(Arguments& o, const Device& device, bool quiet, std::string& known) {
  o.options.replace = true;
  for (std::string told;;) {
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::seconds(o.watch));
    try {
      gradeOnce(o, device, quiet, known);
      told.clear();
    } catch (const Error& error) {
      if (std::exchange(told, error.what()) != error.what()) complain(error);
    }
  }
}

/// The device that --host asks for. Without a GPU it is the CPU if all hand-ins are sources for it.
/// Then `host` is set, and a line says so. Throws Error(kGpu).
const Device& deviceFor(Arguments& o) {
  std::string why;
  if (!o.host && findGpu(why) == nullptr && isForHost(o.options.folder)) {
    o.host = true;
    o.output.files.sayLater(fmt::format("No GPU ({}): grading on the CPU, as --host does.\n", why));
  }
  return o.host ? cpuDevice : requireGpu("use --host for .cpp, .c and .so files of host memory");
}

Exit run(Arguments& o) {
  OutputFlags& files = o.output.files;
  const bool quiet = files.quiet;  // settle() also sets it if the CSV goes to standard output
  files.settle();
  if (isStandardOutput(o.output.page.html)) files.quiet = true;
  const Device& device = deviceFor(o);
  settleSizes(o.options, o.host);
  o.options.measuring.vary = true;
  o.options.csv = files.csv;
  o.options.students = o.output.students;
  o.options.outputs = o.output.paths();
  o.options.checkingWords = checkingWords(o);
  o.options.forOne = o.output.areForOne();
  o.options.mayBeEmpty = o.watch > 0;
  o.output.page.reloadSeconds = o.watch;
  std::string known;
  const Exit result = gradeOnce(o, device, quiet, known);
  if (o.watch > 0) watch(o, device, quiet, known);
  return result;
}

/// What is timed again.
void addAgain(Flags& flags, Arguments& o) {
  Flag& again = flags.texts("--again", o.options.again, "NAME[,NAME]",
                            "time these hand-ins again, and those with the same content; ref and "
                            "apsp are names, too");
  again.needs = "--csv";
  again.excludes = "--check-only";
  Flag& disturbed = flags.flag("--again-disturbed", o.options.againDisturbed,
                               "time again what was disturbed, also ref and apsp");
  disturbed.needs = "--csv";
  disturbed.excludes = "--check-only";
}

void addGrading(Flags& flags, Arguments& o) {
  flags.heading("Grading");
  flags.flag("--host", o.host,
             "grade .cpp, .c and .so files that solve in host memory, on the CPU");
  flags.flag(
      "--quick", [&o] { o.options.full = false; }, "check fewer sizes; this is the default");
  flags.flag("--full", o.options.full, "check more seeds and sizes").excludes = "--quick";
  addContract(flags, o.options.general, o.options.negative);
  flags.number("--seed", o.options.seed, std::uint64_t{1},
               std::numeric_limits<std::uint64_t>::max(),
               "draw all graphs with this seed, to repeat a grade [another one for each hand-in]");
  flags.number("--jobs", o.options.jobs, 1, 1024,
               "submissions to build and check at once, with --host at most one for every two "
               "cores; they are always timed one by one [1]");
  flags.flag("--check-only", o.options.checkOnly,
             "build and check, but time nothing; the same command without it goes on");
  addAgain(flags, o);
  flags
      .flag(
          "--replace", o.options.replace,
          "let the file of --csv lose the grades of hand-ins that are not in DIR, or that another "
          "folder had under the same names")
      .needs = "--csv";
  Flag& without = flags.flag("--without-points", o.options.withoutPoints,
                             "let the file of --csv lose its points, because no --rubric is given");
  without.needs = "--csv";
  without.excludes = "--rubric";
  flags
      .texts("--only", o.options.only, "NAME[,NAME]",
             "grade these hand-ins only, for example after an appeal; what is known of the others "
             "stays")
      .needs = "--csv";
  addSizes(
      flags, o.options.sizes,
      fmt::format("{}; with --host: {}", fmt::join(kReportSizes, ","), fmt::join(kHostSizes, ",")));
  flags
      .text("--rubric", o.options.rubric, "FILE",
            "give points as this JSON file says: see docs/grading.md")
      .reads = fileIn(o.options.rubric);
  Flag& watch = flags.number(
      "--watch", o.watch, 1, 86400,
      "look into DIR again after so many seconds, and grade what is new, until Ctrl-C; the page of "
      "--html loads itself again");
  watch.needs = "--csv";
  watch.value = "SECONDS";
  flags
      .flag("--bom", o.options.byteOrderMark,
            "begin the files of --csv with a byte order mark, so that Excel reads them as UTF-8")
      .needs = "--csv";
  flags.flag("--similar", o.output.similar,
             "list pairs of hand-ins whose sources resemble each other, by fingerprints of their "
             "tokens; this proves nothing");
  flags.flag("--explain", o.output.explain, "print each submission's points line by line").needs =
      "--rubric";
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  flags
      .text(
          "DIR", o->options.folder, "",
          "folder of submissions: sources, *.so, archives, and folders with an apsp.cu, apsp.cpp, "
          "apsp.c or apsp.so")
      .required = true;
  addGrading(flags, *o);
  addTimeLimit(flags, o->options.limits);
  addMeasuring(flags, o->options.measuring);
  addGradeOutput(flags, o->output);
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
