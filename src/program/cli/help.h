// The text of --help.
#pragma once

#include <string>
#include <vector>

#include "cli/program.h"

/// The help of one command, 80 columns wide.
std::string helpText(const Program& program, const DefinedCommand& command);

/// The lines after "Usage:", without the indent; more than one for the main job.
std::vector<std::string> usageLines(const DefinedCommand& command);

/// "--kernel NAME[,FILE]": a flag as the help names it.
std::string flagTitle(const Flag& flag);

/// The description of a flag with its aliases: "kernels to run (also --kernels)".
std::string flagText(const Flag& flag);

/// The text with a capital letter and a full stop.
std::string sentence(std::string text);

/// The headings of a command's flags, each once: arguments and "Options" first, the others in the
/// order in which the command adds them.
std::vector<std::string> headingsOf(const Flags& flags);

/// Every exit code and what it means, as the help and the manual page list them.
HelpTable exitCodes();
