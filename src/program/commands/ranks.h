// What the commands do about several ranks: processes that mpirun or srun started, or threads of
// these processes or of this one, one for each GPU.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/flags.h"
#include "measure/record.h"
#include "several/crew.h"
#include "system/exit.h"

/// If mpirun or srun started this process, joins those that it started too: they are the crew then,
/// and share the cores of each machine. Returns nothing, or the exit code after an error, which
/// rank 0 has printed: one is that the ranks are not the same program with the same arguments.
std::optional<Exit> joinCrew(int* argc, char*** argv, std::optional<Crew>& crew);

/// Says that a subcommand uses one rank only, if one of these is to run.
void sayIfAlone(const std::vector<std::string>& subcommands, int argc, char** argv, int ranks);

/// What the flags say about ranks.
struct RankFlags {
  int gpus = 1;  ///< ranks that are threads of each process, one a GPU
  std::optional<Grid> grid;
  std::string checkpoint;  ///< a folder; "": no checkpoints
  double minutes = 10;     ///< between two checkpoints
  bool resume = false;
  bool verbose = false;  ///< print what each rank did
};
void addRanks(Flags& flags, RankFlags& o);

/// Calls job(crew). The ranks of the crew are the processes that were started together. With --gpus
/// they are threads, one for each GPU, of each of these processes or of this one alone. Throws
/// Error(kUsage) if these threads cannot send messages to other processes.
Exit runOnRanks(const RankFlags& o, Crew* processes, const std::function<Exit(Crew*)>& job);

/// Whether threads are ranks on CPUs instead of GPUs: the variable APSP_GPUS_ARE_CPUS, for tests.
bool gpusAreCpus();

/// Throws Error(kUsage) if the flags ask for several GPUs, and the device is none.
void requireGpus(const RankFlags& o, const Device& device, const Crew* crew);

/// Gives the crew what the flags ask for. Throws Error(kUsage), also if there is no crew for it.
void useRanks(const RankFlags& o, Crew* crew);

/// The line that describes the ranks, "" if there is one only.
std::string ranksLine(const Crew* crew);

/// A line for each rank that took part in a solve: its times and its messages.
std::string rankLines(const Record& record);
