// The bash completion.
#pragma once

#include <string>

#include "cli/program.h"

/// A bash script that completes the subcommands, their flags, and the words that flags accept.
std::string bashCompletion(const Program& program);
