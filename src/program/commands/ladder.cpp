#include "ladder/measure.h"
#include "ladder/recorded.h"

#include <fmt/format.h>

#include <iterator>

#include "cli/groups.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "io/interrupt.h"
#include "measure/tables.h"
#include "system/exit.h"

namespace {

struct Arguments {
  std::vector<int> sizes = {std::begin(kReportSizes), std::end(kReportSizes)};
  std::vector<std::string> reports;
  KernelFlags kernels;
  MeasureOptions measuring;
  OutputFlags output;
};

/// Measures all sizes, and prints the tables of each size when it is done. If a signal ends this,
/// what is done is in the JSON file, and the tables of the size that was measured are printed as
/// far as they are known.
std::vector<Step> measureAll(const Arguments& o, const Device& gpu,
                             const std::vector<const Report*>& reports,
                             const std::vector<Solver>& others, OutputFile* json) {
  std::vector<Step> all;
  const InterruptReport report([&] {
    if (json != nullptr && !all.empty()) json->finish(ladderJson(all));
  });
  const auto sayPartial = [&](const std::vector<Step>& steps) {
    o.output.say(ladderTables(steps));
  };
  for (const int n : o.sizes) {
    const std::vector<Step> steps = runLadder(gpu, reports, n, o.measuring, others, sayPartial);
    const auto held = holdInterruptReports();
    o.output.say(ladderTables(steps));
    flushOutput();
    o.output.append(ladderCsvHeader(), ladderCsvRows(steps));
    all.insert(all.end(), steps.begin(), steps.end());
  }
  return all;
}

Exit run(Arguments& o) {
  refuseIdleOptions(o.kernels);
  o.output.settle();
  const std::vector<const Report*> reports = chooseReports(o.reports);
  std::string why;
  if (findGpu(why) == nullptr && o.output.json.empty() && o.output.csv.empty())
    o.output.say(recordedLadder(o.sizes, o.reports));
  const Device& gpu = requireGpu(
      "the ladder's kernels need one; src/course/ladder/README.md has the times on an H100");
  LoadedKernels others;
  if (!o.kernels.names.empty())
    others = loadKernels(o.kernels, gpu.kind(), [&](const std::string& name) {
      return chooseSolver(name, gpu, o.kernels.limits);
    });
  const std::unique_ptr<OutputFile> json = o.output.openJson();
  o.output.append(ladderCsvHeader(), "");
  o.output.say(deviceLines(nameOf(gpu.kind()), gpu.info()) + "\n" + ladderLegend(reports));

  const std::vector<Step> all = measureAll(o, gpu, reports, others.solvers, json.get());
  if (json != nullptr) json->finish(ladderJson(all));
  Exit result = others.trouble;
  for (const Step& step : all) {
    const bool told = others.notLoaded.count(step.record.kernel) != 0;
    if (!told && complainIfWrong(step.record)) result = Exit::kMismatch;
  }
  return result;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  addSizes(flags, o->sizes, fmt::format("{}", fmt::join(kReportSizes, ",")));
  flags.texts(
      "--report", o->reports, "A[,B]",
      "the course reports to measure: A, several tiles per block; B, tiles in shared memory; "
      "C, entries in registers; D, batches of tiles [all]. The fifth, E, is apsp reduce");
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
