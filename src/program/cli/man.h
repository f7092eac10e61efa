// The manual page.
#pragma once

#include <string>

#include "cli/program.h"

/// The page apsp(1) in the macros of man(7), ASCII only. It covers every subcommand and flag, the
/// exit codes, the environment and the files.
std::string manPage(const Program& program);
