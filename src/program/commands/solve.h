// The main job's flags, the graph that it solves, and what it can do instead of solving. The job
// itself is main.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/groups.h"
#include "cli/program.h"
#include "commands/questions.h"
#include "commands/ranks.h"
#include "measure/record.h"
#include "measure/session.h"
#include "measure/timing.h"
#include "solver/problem.h"
#include "solver/solver.h"
#include "system/exit.h"
#include "verify/verify.h"

struct SolveFlags {
  GraphFlags graph;
  KernelFlags kernels = {{"apsp"}, {}};
  std::string device = "auto";
  std::string verify;  ///< as parseVerify() takes it
  MeasureOptions measuring;
  QuestionFlags questions;       ///< what to answer instead of solving
  std::string sources, targets;  ///< as readVertices() takes them; "": all vertices
  std::string order;             ///< the file that keeps the order of elimination; "": none
  std::string distances;         ///< the file to write them to; "": none
  std::string summary;           ///< the file for what they say of each vertex; "": none
  std::string histogram;         ///< the file for how often which distance occurs; "": none
  std::string predecessors;      ///< the file for shortest-path trees; "": none
  std::string distancesFormat;   ///< a name from distancesFormats(); "": by the file's extension
  std::optional<double> unreached = {};  ///< as DistancesForm has it
  Narrow narrow = Narrow::kNo;           ///< of how many bits the elements in the file are
  bool pairs = false;                    ///< write a line for each pair
  bool force = false;                    ///< replace files of ids, whoever wrote them
  OutputFlags output;
  std::string record;  ///< the directory of a result store; "": none
  RankFlags ranks;
  bool planned = false, listKernels = false;
  bool again = false;       ///< measure what `record` holds already, too
  bool onlyAnswer = false;  ///< set by settleMeasuring()
  bool portable = false;    ///< options without effect on this machine are notes, no errors
};

void addSolveFlags(Flags& flags, SolveFlags& o);

/// Throws Error(kUsage) unless there is a graph to solve, one graph if its distances are written. A
/// word that is no file may be meant as a subcommand: say both. A path is left to the reader's own
/// error.
void checkGraph(const SolveFlags& o, const Program& program);

/// An option has no effect, and this says on what it has one. Throws Error(kUsage) or, with
/// --portable, prints it as a note.
void refuseOrNote(const SolveFlags& o, const std::string& idle);

/// The options that differ from their defaults and have no effect on any of these solvers with
/// weights of that type, each with what it has an effect on.
std::vector<std::string> idleOptions(const std::vector<Solver>& solvers, const Options& options,
                                     Dtype dtype);

/// With --portable on a machine without a GPU, leaves out --gpus and what needs it, with notes.
/// processes: several were started together, so that only --gpus has no effect.
void settlePortable(SolveFlags& o, bool processes);

/// The distances that --sources and --targets ask for; null without them. names: as
/// ReadReport::names. Throws Error(kUsage), Error(kInput).
std::shared_ptr<const Selection> wantedOf(const SolveFlags& o, int n, const std::string& names);

/// The solvers that --kernel names, for negative weights if these are accepted. `ref` comes first,
/// because the speedups of the others refer to it. Throws as loadKernels() does.
LoadedKernels solversOf(const SolveFlags& o, const Device& device);

/// Solves by the order of elimination that --order keeps, of the graph that was loaded. Throws
/// Error(kUsage) if it is held as a matrix, and as keptOrder() does.
void useOrder(SolveFlags& o, const ProblemGraph& graph);

/// What --verify asks for. Throws Error(kUsage).
VerifyOptions verifyOptionsOf(const SolveFlags& o);

/// Whoever only asks for the file of distances wants an answer and no benchmark: the graph is then
/// solved once. --reps, --warmup, --vary, --csv, --json or several kernels ask for a benchmark.
/// A benchmark of submissions varies generated graphs, unless the user chose one by --seed.
/// To be called once before solving.
void settleMeasuring(SolveFlags& o);

/// The graph to solve, and what it is called.
struct Source {
  std::string name;
  std::optional<std::uint64_t> seed;  ///< nothing of a file
  ProblemGraph graph;
  double readMs = 0;                         ///< of a file
  ReadReport report = {};                    ///< of a file
  std::optional<SessionMemory> memory = {};  ///< what was decided about it, if anything was

  bool generated() const { return seed.has_value(); }
  /// What reading or generating it took. A graph that is not kept is made at the first upload.
  HostTimes hostTimes() const;
};

/// Reads the file, or describes a generated graph of each size. Such a graph is made later, where
/// it is needed. drawn: their seed is one that nobody can predict. readers: ranks that each read a
/// part of a matrix in a file when they solve it, and only check it now; null: this process reads.
std::vector<Source> load(const GraphFlags& o, bool drawn, Crew* readers = nullptr);

/// Removes the graphs for which requireMemory() throws Error(kMemory), and says which. Returns
/// kMemory if there were any, else kOk. Throws the first of these errors if no graph is left.
Exit leaveOutTooLarge(std::vector<Source>& graphs,
                      const std::function<void(Source&)>& requireMemory);

/// Calls solve(). If it throws Error(kInput) or Error(kMemory) for one of several sizes, prints the
/// error and returns its code, because the other sizes may still be solved. Returns kOk otherwise.
Exit solveOneOf(const GraphFlags& o, int n, const std::function<void()>& solve);

/// The lines that describe generated graphs of several sizes.
std::string sweepLines(const GraphFlags& o, const std::vector<Source>& sources);

/// Prints the table of solvers.
Exit listKernels();

/// Notes what a sweep is to measure. It needs no GPU, because the node that submits jobs has none.
Exit planSweep(const SolveFlags& o);
