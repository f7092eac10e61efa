#include "grade/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/groups.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "core/quantity.h"
#include "ladder/ladder.h"
#include "measure/tables.h"

namespace {

struct Arguments {
  bool host = false;
  GradePlan plan;
  OutputFlags output;
};

void settleSizes(GradePlan& plan, bool host) {
  if (plan.sizes.empty() && host) plan.sizes = {100, 200, 400};
  if (plan.sizes.empty()) plan.sizes = {std::begin(kReportSizes), std::end(kReportSizes)};
  std::sort(plan.sizes.begin(), plan.sizes.end());
}

/// Without the table, one line says which submissions have no rank.
void complainOfFailed(const std::vector<Grade>& grades) {
  std::vector<std::string> failed;
  for (const Grade& grade : grades)
    if (grade.rank == 0) failed.push_back(grade.name);
  if (!failed.empty())
    complain(fmt::format("{} of {} submissions have no rank: {}", failed.size(), grades.size(),
                         fmt::join(failed, ", ")));
}

Exit run(Arguments& o) {
  const bool quiet = o.output.quiet;  // settle() also sets it if the CSV goes to standard output
  o.output.settle();
  const Device& device = o.host ? cpuDevice : requireGpu("use --host for .so files of host memory");
  settleSizes(o.plan, o.host);
  o.plan.measuring.vary = true;
  o.plan.csv = o.output.csv;
  o.output.say(deviceLines(nameOf(device.kind()), device.info()) + "\n");
  const std::vector<Grade> grades = grade(o.plan, device, [&o](const auto& done, std::size_t all) {
    o.output.say(gradeTable(o.plan, done) +
                 fmt::format("\nINTERRUPTED after {} of {}; the ranks are those of "
                             "these only.\n",
                             done.size(), counted(all, "submission")));
  });
  o.output.say(gradeTable(o.plan, grades));
  if (quiet) complainOfFailed(grades);
  const auto ungraded = std::find_if(grades.begin(), grades.end(),
                                     [](const Grade& g) { return g.trouble != Exit::kOk; });
  if (ungraded == grades.end()) return Exit::kOk;
  complain(fmt::format("{}: not graded: {}", ungraded->name, ungraded->build));
  return ungraded->trouble;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  flags.text("DIR", o->plan.folder, "", "folder of submissions: *.cu, *.so and NAME/apsp.cu")
      .required = true;
  flags.flag("--host", o->host, "grade .so files that solve in host memory, on the CPU");
  flags.flag("--full", o->plan.full, "check more thoroughly");
  addSizes(flags, o->plan.sizes,
           fmt::format("{}; with --host: 100,200,400", fmt::join(kReportSizes, ",")));
  addTimeLimit(flags, o->plan.limits);
  addMeasuring(flags, o->plan.measuring);
  flags.heading("Output");
  flags
      .text("--csv", o->output.csv, "FILE",
            "append the results to FILE; submissions that it holds are not run again; - prints "
            "them on standard output")
      .writes = fileIn(o->output.csv);
  addQuiet(flags, o->output.quiet);
  flags.example("apsp grade handed-in --csv grades.csv",
                "checks, times and ranks every submission of a folder");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command gradeCommand = {"grade", "check, time and rank a folder of submissions",
                                     define};
