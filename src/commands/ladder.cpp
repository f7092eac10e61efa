#include "measure/ladder.h"

#include <fmt/format.h>

#include <iterator>

#include "cli/groups.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "measure/tables.h"

namespace {

struct Arguments {
  std::vector<int> sizes = {std::begin(kReportSizes), std::end(kReportSizes)};
  std::vector<std::string> reports;
  KernelFlags kernels;
  MeasurePlan measuring;
  OutputFlags output;
};

Exit run(Arguments& o) {
  refuseIdleOptions(o.kernels);
  o.output.settle();
  const Device& gpu = requireGpu("the ladder's kernels need one");
  const std::vector<const Report*> reports = chooseReports(o.reports);
  std::vector<Solver> others;
  for (const std::string& name : o.kernels.names)
    others.push_back(chooseSolver(name, gpu, o.kernels.limits));
  const std::unique_ptr<OutputFile> json = o.output.openJson();
  o.output.append(ladderCsvHeader(), "");
  o.output.say(deviceLines(nameOf(gpu.kind()), gpu.info()) + "\n" + ladderLegend(reports));

  std::vector<Step> all;
  for (const int n : o.sizes) {
    const std::vector<Step> steps = runLadder(gpu, reports, n, o.measuring, others);
    o.output.say(ladderTables(steps));
    flushOutput();
    o.output.append(ladderCsvHeader(), ladderCsvRows(steps));
    all.insert(all.end(), steps.begin(), steps.end());
  }
  if (json != nullptr) json->finish(ladderJson(all));
  Exit result = Exit::kOk;
  for (const Step& step : all) {
    if (complainIfWrong(step.record)) result = Exit::kMismatch;
  }
  return result;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  addSizes(flags, o->sizes, fmt::format("{}", fmt::join(kReportSizes, ",")));
  flags.texts("--report", o->reports, "A[,B]", "letters of the course reports to measure [all]");
  addKernels(flags, o->kernels, "more kernels to measure, by name or file");
  addMeasuring(flags, o->measuring);
  addRecords(flags, o->output);
  addQuiet(flags, o->output.quiet);
  flags.example("apsp ladder --report A --sizes 2500",
                "measures the steps of report A at n = 2500");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command ladderCommand = {"ladder", "measure every step of the course reports (GPU)",
                                      define};
