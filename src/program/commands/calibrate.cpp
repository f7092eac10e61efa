#include <fmt/format.h>

#include "base/quantity.h"
#include "cli/groups.h"
#include "commands/commands.h"
#include "device/device.h"
#include "measure/calibration.h"
#include "system/exit.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

Exit run(const OutputFlags& output) {
  const DeviceInfo cpu = cpuDevice.info();
  const Costs costs = measureCosts();
  output.say(
      fmt::format("{}, {}: time of each method, divided by what is expected\n"
                  "dense     {:.2f}\nreal      {:.2f}\nsparse    {:.2f}\nrelaxing  {:.2f}\n"
                  "search    {:.2f}\nlevels    {:.2f}\n",
                  cpu.name, counted(static_cast<std::uint64_t>(cpu.units), "thread"), costs.dense,
                  costs.real, costs.sparse, costs.relaxing, costs.search, costs.levels));
  output.say("kept in " + oneLine(keepCosts(costs)) + "\n");
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto output = std::make_shared<OutputFlags>();
  flags.heading("Output");
  addQuiet(flags, output->quiet);
  flags.example("apsp calibrate", "measures what --method auto compares, once for this machine");
  return [output] { return run(*output); };
}

}  // namespace

extern const Command calibrateCommand = {
    "calibrate", "measure what the methods cost on this machine's CPU", define};
