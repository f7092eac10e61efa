// What the user may have meant: the words of a command line that no flag takes as they are.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"

/// Throws Error(kUsage): the message, and the command that prints the help about these flags.
[[noreturn]] void refuse(const Flags& flags, const std::string& message);

/// Makes one word, "--verify=dijkstra", of a flag that may have a value and the value after it. Any
/// other word after the flag is an argument. Throws Error(kUsage) if such a word is no file and
/// looks like a mistyped value.
void joinValues(const Flags& flags, std::vector<std::string>& words);

/// Throws Error(kUsage) if a word is -quiet, which would mean -q -u -i -e -t, where --quiet exists.
void refuseSingleDashes(const Flags& flags, const std::vector<std::string>& words);

/// Throws Error(kUsage) about the words that the parser has left over: which subcommand or option
/// was meant, or which command the option belongs to.
[[noreturn]] void refuseExtras(const Flags& flags, const std::vector<std::string>& words,
                               const std::vector<std::string>& extras);
