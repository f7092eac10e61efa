#include "commands/ranks.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal.h"
#include "core/environment.h"
#include "core/error.h"

void requireEqualPrograms(Ranks& ranks, int argc, char** argv) {
  std::string mine = gitRevision() + gitDirty();
  for (int i = 1; i < argc; ++i) mine += fmt::format("\n{}", argv[i]);
  std::string first = textHash(mine);  // 16 digits
  ranks.broadcast(first.data(), first.size(), 0);
  const bool equal = first == textHash(mine);
  const std::string trouble =
      firstTrouble(ranks, equal ? "" : "another program or other arguments than those of rank 0");
  if (!trouble.empty())
    throw Error(Exit::kUsage, trouble + ": start all ranks with one command and one build");
}

void sayIfAlone(const std::vector<std::string>& subcommands, int argc, char** argv, int ranks) {
  if (argc < 2 || ranks == 1) return;
  const std::string command = argv[1];
  if (std::find(subcommands.begin(), subcommands.end(), command) == subcommands.end()) return;
  complain(fmt::format("{} runs on one rank; the other {} wait", command, ranks - 1));
}

void useGrid(const std::optional<Grid>& grid, Crew* crew) {
  if (!grid) return;
  if (crew == nullptr)
    throw Error(Exit::kUsage, fmt::format("--grid {} needs {} ranks: mpirun -n {} ./apsp ...",
                                          gridText(*grid), grid->ranks(), grid->ranks()));
  crew->useGrid(*grid);
}

std::string ranksLine(const Crew* crew) {
  if (crew == nullptr || crew->ranks().size() == 1) return "";
  return fmt::format("ranks     {}, the matrix is divided into {} x {} parts\n",
                     crew->ranks().size(), crew->grid().rows, crew->grid().columns);
}
