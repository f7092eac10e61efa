// The main job's flags, the graph that it solves, and what it can do instead of solving. The job
// itself is main.cpp.
#pragma once

#include <functional>
#include <string>

#include "cli/groups.h"
#include "cli/program.h"
#include "measure/timing.h"
#include "solvers/problem.h"

struct SolveFlags {
  GraphFlags graph;
  KernelFlags kernels = {{"apsp"}, {}};
  std::string device = "auto";
  std::string verify;  ///< as parseVerify() takes it
  MeasurePlan measuring;
  std::string distances;  ///< the file to write them to; "": none
  OutputFlags output;
  std::string record;  ///< the directory of a result store; "": none
  bool planned = false, listKernels = false;
  bool again = false;       ///< measure what `record` holds already, too
  bool onlyAnswer = false;  ///< set by settleMeasuring()
};

void addSolveFlags(Flags& flags, SolveFlags& o);

/// Throws Error(kUsage) unless there is one graph to solve. A word that is no file may be meant as
/// a subcommand: say both. A path is left to the reader's own error.
void checkGraph(const SolveFlags& o, const Program& program);

/// Whoever only asks for the file of distances wants an answer and no benchmark: the graph is then
/// solved once. --reps, --warmup, --vary, --csv, --json or several kernels ask for a benchmark.
/// To be called once before solving.
void settleMeasuring(SolveFlags& o);

/// Milliseconds that work() takes on the host's clock.
double timed(const std::function<void()>& work);

/// The graph to solve, and what it is called.
struct Source {
  std::string name, seed;  ///< seed: "" of a file
  ProblemGraph graph;
  double readMs = 0;  ///< of a file
};

/// Reads the file. A generated graph is made later, where it is needed.
Source load(const GraphFlags& o);

/// Prints the table of solvers.
Exit listKernels();

/// Notes what a sweep is to measure. It needs no GPU, because the node that submits jobs has none.
Exit planSweep(const SolveFlags& o);
