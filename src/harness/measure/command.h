// The command that measures a recorded result again.
#pragma once

#include <string>

#include "io/csv.h"

/// The command, for a shell, that solves the graph of a record with its kernel and options, and
/// verifies the distances.
std::string commandFor(const Row& row);

/// " --method NAME", or "" of the default, which records of earlier versions leave out.
std::string methodOption(const std::string& method);
