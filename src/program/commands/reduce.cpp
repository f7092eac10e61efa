#include "ladder/reduce.h"

#include <climits>

#include "cli/groups.h"
#include "commands/commands.h"
#include "system/exit.h"

namespace {

struct Arguments {
  std::vector<int> sizes = {1 << 28};
  MeasureOptions measuring;
  OutputFlags output;
};

Exit run(const Arguments& o) {
  reduce({o.sizes, o.measuring, o.output.csv, o.output.json, o.output.quiet});
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  flags.numbers("--n,--sizes", o->sizes, 1, INT_MAX,
                "numbers of values to add up; START:STOP:STEP is a range of them [268435456]");
  addMeasuring(flags, o->measuring);
  addRecords(flags, o->output);
  addQuiet(flags, o->output.quiet);
  flags.example("apsp reduce --n 1000000", "times every step of report E on a million values");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command reduceCommand = {"reduce", "time the parallel sums of course report E (GPU)",
                                      define};
