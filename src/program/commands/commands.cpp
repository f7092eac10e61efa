#include "commands/commands.h"

// A row is the name of the Command that a file exports, in the order of --help.
// clang-format off
#ifdef APSP_COURSE
#define OF_THE_COURSE(row) row(ladderCommand) row(reduceCommand) row(checkCommand) row(gradeCommand)
#else
#define OF_THE_COURSE(row)
#endif
#define SUBCOMMANDS(row) \
  row(genCommand) \
  row(infoCommand) \
  row(convertCommand) \
  row(pathCommand) \
  row(reportCommand) \
  row(compareCommand) \
  OF_THE_COURSE(row) \
  row(calibrateCommand) \
  row(completionCommand) \
  row(manCommand)
// clang-format on

#define DECLARE(command) extern const Command command;
SUBCOMMANDS(DECLARE)

std::vector<const Command*> subcommands() {
#define ADDRESS(command) &command,
  return {SUBCOMMANDS(ADDRESS)};
}
