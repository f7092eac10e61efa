#include "cli/man.h"

#include <fmt/format.h>

#include "commands/commands.h"
#include "system/exit.h"

namespace {

Body define(Flags& flags) {
  flags.example("apsp man | man -l -", "shows the manual page");
  return [&program = flags.program()] {
    fmt::print("{}", manPage(program));
    return Exit::kOk;
  };
}

}  // namespace

extern const Command manCommand = {"man", "print the manual page", define};
