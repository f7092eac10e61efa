// What the commands do about several ranks, which mpirun or srun started.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/distributed/crew.h"

/// Collective. Throws Error(kUsage) on all ranks if they are not the same program with the same
/// arguments.
void requireEqualPrograms(Ranks& ranks, int argc, char** argv);

/// Says that a subcommand uses one rank only, if one of these is to run.
void sayIfAlone(const std::vector<std::string>& subcommands, int argc, char** argv, int ranks);

/// Gives the crew the grid that --grid asks for. Throws Error(kUsage).
void useGrid(const std::optional<Grid>& grid, Crew* crew);

/// The line that describes the ranks, "" if there is one only.
std::string ranksLine(const Crew* crew);
