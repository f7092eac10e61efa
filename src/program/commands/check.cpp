#include "check/check.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "check/witness.h"
#include "cli/groups.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "generate/generate.h"
#include "io/interrupt.h"
#include "negative/negative.h"
#include "system/exit.h"
#include "system/screen.h"

namespace {

struct Arguments {
  KernelFlags kernels = {{"apsp"}, {}};
  std::string device = "auto";
  CheckOptions options;
  bool listFamilies = false;
  OutputFlags output;
};

/// Checks all kernels, and prints each check when it is done. If a signal ends this, what is done
/// is in the JSON file, and of the check that was running a partial report is printed. A file that
/// can be loaded once, but not again, is left out, as if it could not be loaded.
std::vector<Check> checkAll(
    const Arguments& o, const Device& device,
    const std::function<Solver(const std::string&, const SubmissionLimits&)>& load,
    LoadedKernels& loaded, OutputFile* json) {
  std::vector<Check> checks;
  const InterruptReport report([&] {
    if (json != nullptr && !checks.empty()) json->finish(checkJson(checks));
  });
  const auto sayPartial = [&](const Check& partial) { o.output.say(checkText(partial)); };
  for (const std::string& name : o.kernels.names) {
    if (loaded.notLoaded.count(name) != 0) continue;
    CheckOptions options = o.options;
    if (isSubmission(name)) options.seconds = o.kernels.limits.checkSeconds();
    try {
      const auto fresh = [&] { return load(name, o.kernels.limits); };
      const auto filled = [&](unsigned char byte) {
        SubmissionLimits limits = o.kernels.limits;
        limits.fill = byte;
        return load(name, limits);
      };
      Check done = isSubmission(name) ? check(fresh, device, options, sayPartial, filled)
                                      : check(fresh, device, options, sayPartial);
      const auto held = holdInterruptReports();
      o.output.say(checkText(done));
      flushOutput();
      o.output.append(checkCsvHeader(), checkCsvRow(done));
      checks.push_back(std::move(done));
    } catch (const SolveFault& fault) {
      complain(fault);
      loaded.trouble = exitOf(fault.code);
    }
  }
  return checks;
}

/// Throws Error(kUsage) if an output could have the name of a witness.
void requireNoWitness(const std::string& flag, const std::string& path,
                      const CheckOptions& options) {
  namespace fs = std::filesystem;
  if (path.empty() || options.witnessDir.empty()) return;
  const fs::path name = fs::path(path).filename();
  const bool none = name.string().rfind(kNoWitness, 0) == 0;
  if (name.extension() != "." + options.witnessFormat && !none) return;
  std::error_code missing;
  if (fs::equivalent(fs::absolute(path).parent_path(), options.witnessDir, missing) && !missing)
    throw Error(ErrorCode::kUsage,
                fmt::format("{} {}: --witness may write this file: name another file", flag, path));
}

Exit run(Arguments& o) {
  if (o.listFamilies) {
    show(checkFamilies(o.options));
    return Exit::kOk;
  }
  refuseIdleOptions(o.kernels);
  o.kernels.limits = checkingLimits(o.kernels.limits);
  if (o.options.seed == 0) o.options.seed = drawSeed();
  o.output.settle();
  requireNoWitness("--json", o.output.json, o.options);
  requireNoWitness("--csv", o.output.csv, o.options);
  OutputFlags silent = o.output;  // an error in the command line stands alone
  silent.quiet = true;
  const Device& device = chooseDevice(o.device, silent);
  const auto load = [&](const std::string& name, const SubmissionLimits& limits) {
    if (o.device == "auto") compileWithoutGpu(name, limits);
    const Solver solver = chooseSolver(name, device, limits);
    return o.options.negative ? withNegativeWeights(solver) : solver;
  };
  // Throws before any work is done, unless there is something to check.
  LoadedKernels loaded = loadKernels(o.kernels, device.kind(), [&](const std::string& name) {
    return load(name, o.kernels.limits);
  });
  loaded.solvers.clear();  // each check loads its own, and runs alone
  if (!o.options.witnessDir.empty()) makeWitnessFolder(o.options.witnessDir);
  chooseDevice(o.device, o.output);  // says which device it is
  const std::unique_ptr<OutputFile> json = o.output.openJson();
  o.output.append(checkCsvHeader(), "");
  const std::vector<Check> checks = checkAll(o, device, load, loaded, json.get());
  if (json != nullptr) json->finish(checkJson(checks));
  Exit result = loaded.trouble;
  for (const Check& done : checks) {
    if (done.failed() == 0) continue;
    complain(checkSummary(done));
    if (result != Exit::kOutput)
      result = done.witnessError.empty() ? Exit::kMismatch : Exit::kOutput;
  }
  return result;
}
void addChecking(Flags& flags, CheckOptions& options, bool& listFamilies) {
  flags.heading("Checking");
  addContract(flags, options.general, options.negative);
  flags.flag(
      "--quick", [&options] { options.depth = CheckOptions::kQuick; },
      "check fewer sizes, on the CPU up to n = 257: seconds, while all sizes may take minutes");
  flags
      .flag(
          "--full", [&options] { options.depth = CheckOptions::kFull; },
          "check more seeds, and sizes up to n = 2500")
      .excludes = "--quick";
  flags.number("--seed", options.seed, std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max(),
               "draw one of the sizes and its graphs with this seed [a drawn one]");
  flags.flag("--vary", options.vary, "solve another graph of the same size before each one [on]");
  flags
      .flag(
          "--no-vary", [&options] { options.vary = false; }, "solve only the graph itself, twice")
      .excludes = "--vary";
  flags.text("--witness", options.witnessDir, "DIR", "write the smallest graph that fails to DIR");
  flags
      .choice("--to", options.witnessFormat, {"bin", "el", "gr", "mtx", "npy"},
              "format of this graph: bin, el, gr, mtx or npy [bin]")
      .needs = "--witness";
  flags.flag("--families", listFamilies, "print which mistakes each graph family finds, and exit");
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  addKernels(flags, o->kernels, "kernels to check, by name, or .cu, .cpp, .c and .so files [apsp]");
  addDevice(flags, o->device);
  flags
      .flag(
          "--host", [o = o.get()] { o->device = "cpu"; },
          "files solve in host memory; check on the CPU")
      .excludes = "--device";
  addChecking(flags, o->options, o->listFamilies);
  addRecords(flags, o->output);
  addQuiet(flags, o->output.quiet);
  flags.example("apsp check --kernel student.cu --quick",
                "tells whether a file solves every graph right, and which mistake it makes");
  flags.example("apsp check --host --kernel mine.cpp",
                "compiles a file that solves in host memory, and checks it on the CPU");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command checkCommand = {"check", "find out whether kernels solve every graph right",
                                     define};
