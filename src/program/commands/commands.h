// The subcommands. Each is one file of this folder, which holds its flags and its body and exports
// one Command. To add one, write such a file and add its row to the list in commands.cpp.
#pragma once

#include <vector>

#include "cli/program.h"

/// The subcommands in the order of --help.
std::vector<const Command*> subcommands();
