#include "cli/completion.h"

#include <fmt/format.h>

#include "commands/commands.h"
#include "system/exit.h"

namespace {

Body define(Flags& flags) {
  flags.example("source <(apsp completion)", "completes apsp's arguments in this shell");
  return [&program = flags.program()] {
    fmt::print("{}", bashCompletion(program));
    return Exit::kOk;
  };
}

}  // namespace

extern const Command completionCommand = {"completion", "print a bash completion", define};
