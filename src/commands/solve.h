// The main job's flags, the graph that it solves, and what it can do instead of solving. The job
// itself is main.cpp.
#pragma once

#include <functional>
#include <string>

#include "cli/groups.h"
#include "cli/program.h"
#include "core/graph.h"
#include "measure/timing.h"

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
};

void addSolveFlags(Flags& flags, SolveFlags& o);

/// Throws Error(kUsage) unless there is one graph to solve. A word that is no file may be meant as
/// a subcommand: say both. A path is left to the reader's own error.
void checkGraph(const GraphFlags& o, const Program& program);

/// Milliseconds that work() takes on the host's clock.
double timed(const std::function<void()>& work);

/// The graph to solve. A file is read into `graph`; a generated graph is made on the device, and in
/// `graph` only if the host needs it too.
struct Source {
  std::string name, seed;  ///< seed: "" for a file
  int n = 0;
  Dtype dtype = Dtype::kInt32;
  Graph graph;
  double loadMs = 0;
};

Source load(const GraphFlags& o);

/// Prints the kernel table.
Exit listKernels();

/// Notes what a sweep is to measure. It needs no GPU, because the node that submits jobs has none.
Exit planSweep(const SolveFlags& o);
