#include "commands/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/quantity.h"
#include "base/threads.h"
#include "cli/terminal.h"
#include "generate/source.h"
#include "ranks/mpi.h"
#include "ranks/threads.h"
#include "system/environment.h"
#include "system/exit.h"
#include "system/number.h"

namespace {

/// Collective. Throws Error(kUsage) on all ranks.
void requireEqualPrograms(Ranks& ranks, int argc, char** argv) {
  std::string mine = gitRevision() + gitDirty();
  for (int i = 1; i < argc; ++i) mine += fmt::format("\n{}", argv[i]);
  std::string first = textHash(mine);  // 16 digits
  ranks.broadcast(first.data(), first.size(), 0);
  const bool equal = first == textHash(mine);
  const std::string trouble =
      firstTrouble(ranks, equal ? "" : "another program or other arguments than those of rank 0");
  if (!trouble.empty())
    throw Error(ErrorCode::kUsage, trouble + ": start all ranks with one command and one build");
}

}  // namespace

std::optional<Exit> joinCrew(int* argc, char*** argv, std::optional<Crew>& crew) {
  try {
    joinRanks(argc, argv, [](const std::string& line) { complain(line); });
    Ranks* const ranks = allRanks();
    if (ranks == nullptr) return std::nullopt;
    requireEqualPrograms(*ranks, *argc, *argv);
    shareCores(ranks->onThisHost());
    crew.emplace(*ranks, readSource);
    return std::nullopt;
  } catch (const Error& e) {
    if (allRanks() == nullptr || allRanks()->rank() == 0) complain(e.what());
    leaveRanks();
    return exitOf(e.code);
  }
}

void sayIfAlone(const std::vector<std::string>& subcommands, int argc, char** argv, int ranks) {
  if (argc < 2 || ranks == 1) return;
  const std::string command = argv[1];
  if (std::find(subcommands.begin(), subcommands.end(), command) == subcommands.end()) return;
  complain(fmt::format(
      "{} runs on one rank; {}", command,
      counted(static_cast<std::uint64_t>(ranks - 1), "other rank waits", "other ranks wait")));
}

namespace {

constexpr int kMostRanks = 10000;
constexpr int kMostGpus = 64;  // of one machine

/// "" if the text is a grid, "2x3", else what is wrong with it.
std::string readGrid(const std::string& text, std::optional<Grid>& grid) {
  const std::size_t x = std::min(text.find('x'), text.size());
  const auto rows = wholeNumber(std::string_view(text).substr(0, x), 1, kMostRanks);
  const auto columns =
      wholeNumber(std::string_view(text).substr(std::min(x + 1, text.size())), 1, kMostRanks);
  if (!rows || !columns) return fmt::format("'{}': expected PxQ, for example 2x3", text);
  grid = Grid{*rows, *columns};
  return "";
}

/// "" if the text is a number of minutes, else what is wrong with it.
std::string readMinutes(const std::string& text, double& minutes) {
  char* end = nullptr;
  minutes = std::strtod(text.c_str(), &end);
  const bool good = end != text.c_str() && *end == 0 && minutes >= 0 && std::isfinite(minutes);
  return good ? "" : fmt::format("'{}': expected a number of minutes, 0 or more", text);
}

}  // namespace

void addRanks(Flags& flags, RankFlags& o) {
  flags.heading("Several ranks: GPUs, or processes that mpirun starts");
  flags.number("--gpus", o.gpus, 1, kMostGpus, "how many GPUs each process solves on [1]");
  flags.add({"--grid", Flag::Values::kOne, "PxQ",
             "divide the matrix over P x Q ranks [all in one column; from 17 on nearly a square]",
             [&o](const std::vector<std::string>& words) { return readGrid(words[0], o.grid); }});
  flags.flag("--verbose", o.verbose, "print what each rank did in the last call");
  flags.text("--checkpoint", o.checkpoint, "DIR",
             "save what is solved so far in DIR from time to time; solve once");
  flags
      .add({"--every", Flag::Values::kOne, "MINUTES", "how often to save it [10]",
            [&o](const std::vector<std::string>& words) {
              return readMinutes(words[0], o.minutes);
            }})
      .needs = "--checkpoint";
  flags
      .flag("--resume", o.resume,
            "go on from what is saved in DIR, also with another number of ranks")
      .needs = "--checkpoint";
}

Exit runOnRanks(const RankFlags& o, Crew* processes, const std::function<Exit(Crew*)>& job) {
  if (o.gpus == 1) return job(processes);
  Exit code = Exit::kOk;
  const auto lead = [&](Crew& crew) { code = job(&crew); };
  if (processes != nullptr)
    processes->onThreads(o.gpus, lead);
  else
    runOnThreads(o.gpus, [&](Ranks& ranks) { runCrew(ranks, lead, readSource); });
  return code;
}

std::string rankLines(const Record& record) {
  std::string lines;
  int rank = 0;
  for (const RankTimes& times : record.sharing.each)
    lines +=
        fmt::format("  rank {:<3} computed {} ms, waited {} ms, {} of messages\n", rank++,
                    milliseconds(times.compute), milliseconds(times.wait), bytesText(times.bytes));
  return lines;
}

bool gpusAreCpus() {
  return std::getenv("APSP_GPUS_ARE_CPUS") != nullptr;
}

void requireGpus(const RankFlags& o, const Device& device, const Crew* crew) {
  if (o.gpus > 1 && device.kind() == DeviceKind::kCpu && !gpusAreCpus())
    throw Error(ErrorCode::kUsage,
                fmt::format("--gpus {} needs GPUs: leave it out, or start ranks by mpirun -n {}",
                            o.gpus, crew->ranks().size()));
}

void useRanks(const RankFlags& o, Crew* crew) {
  if (crew == nullptr && o.grid)
    throw Error(ErrorCode::kUsage,
                fmt::format("--grid {} needs {} ranks: mpirun -n {} ./apsp ...", gridText(*o.grid),
                            o.grid->ranks(), o.grid->ranks()));
  if (crew == nullptr && o.verbose)
    throw Error(ErrorCode::kUsage,
                "--verbose is about several ranks: leave it out, or add --gpus N");
  if (crew == nullptr && !o.checkpoint.empty())
    throw Error(ErrorCode::kUsage,
                "--checkpoint works under mpirun, or with --gpus: mpirun -n 1 ./apsp ...");
  constexpr double kSeconds = 60;
  if (o.grid) crew->useGrid(*o.grid);
  if (!o.checkpoint.empty()) crew->save(o.checkpoint, kSeconds * o.minutes, o.resume);
}

std::string ranksLine(const Crew* crew) {
  if (crew == nullptr || crew->ranks().size() == 1) return "";
  const int ranks = crew->ranks().size(), each = crew->ranks().inThisProcess();
  const bool mixed = each > 1 && each < ranks;
  return fmt::format("ranks     {}{}, the matrix is divided into {} x {} parts\n", ranks,
                     mixed ? fmt::format(", {} in each of {} processes", each, ranks / each) : "",
                     crew->grid().rows, crew->grid().columns);
}
