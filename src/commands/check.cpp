#include "check/check.h"

#include <fmt/format.h>

#include "cli/groups.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "core/screen.h"

namespace {

struct Arguments {
  KernelFlags kernels = {{"apsp"}, {}};
  std::string device = "auto";
  CheckPlan plan;
  bool listFamilies = false;
  OutputFlags output;
};

Exit run(Arguments& o) {
  if (o.listFamilies) {
    show(checkFamilies(o.plan.general));
    return Exit::kOk;
  }
  refuseIdleOptions(o.kernels);
  o.output.settle();
  const Device& device = chooseDevice(o.device, o.output);
  const auto load = [&](const std::string& name) {
    return chooseSolver(name, device, o.kernels.limits);
  };
  for (const std::string& name : o.kernels.names) load(name);  // throws before any work is done
  const std::unique_ptr<OutputFile> json = o.output.openJson();
  o.output.append(checkCsvHeader(), "");

  std::vector<Check> checks;
  for (const std::string& name : o.kernels.names) {
    CheckPlan plan = o.plan;
    if (isSubmission(name)) plan.seconds = o.kernels.limits.checkSeconds();
    checks.push_back(check([&] { return load(name); }, device, plan));
    o.output.say(checkText(checks.back()));
    flushOutput();
    o.output.append(checkCsvHeader(), checkCsvRow(checks.back()));
  }
  if (json != nullptr) json->finish(checkJson(checks));
  Exit result = Exit::kOk;
  for (const Check& done : checks) {
    if (done.failed() == 0) continue;
    complain(checkSummary(done));
    result = Exit::kMismatch;
  }
  return result;
}

void addChecking(Flags& flags, CheckPlan& plan, bool& listFamilies) {
  flags.heading("Checking");
  flags.choice(
      "--contract", {"course", "general"}, [&plan](std::size_t i) { plan.general = i == 1; },
      "graphs to solve; course has complete graphs with weights from 0 to 100000, general has all "
      "that apsp.h allows [course]");
  flags.flag(
      "--quick", [&plan] { plan.depth = CheckPlan::kQuick; },
      "check fewer sizes, on the CPU up to n = 257");
  flags
      .flag(
          "--full", [&plan] { plan.depth = CheckPlan::kFull; },
          "check more seeds, and sizes up to n = 2500")
      .excludes = "--quick";
  flags.flag("--vary", plan.vary, "solve another graph of the same size before each one [on]");
  flags
      .flag(
          "--no-vary", [&plan] { plan.vary = false; }, "solve only the graph itself, twice")
      .excludes = "--vary";
  flags.text("--witness", plan.witnessDir, "DIR", "write the smallest graph that fails to DIR");
  flags.flag("--families", listFamilies, "print which mistakes each graph family finds, and exit");
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  addKernels(flags, o->kernels, "kernels to check, by name or file [apsp]");
  addDevice(flags, o->device);
  flags
      .flag(
          "--host", [o = o.get()] { o->device = "cpu"; },
          "files solve in host memory; check on the CPU")
      .excludes = "--device";
  addChecking(flags, o->plan, o->listFamilies);
  addRecords(flags, o->output);
  addQuiet(flags, o->output.quiet);
  flags.example("apsp check --kernel student.cu --quick",
                "tells whether a file solves every graph right, and which mistake it makes");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command checkCommand = {"check", "find out whether kernels solve every graph right",
                                     define};
