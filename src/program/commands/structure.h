// What `info --structure` says of a graph.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/structure.h"
#include "io/json.h"
#include "measure/estimate.h"
#include "solver/problem.h"

/// The structure of a graph, and what solving it would take.
struct Structure {
  Components weak, strong;
  Degrees degrees;
  Metric metric;
  std::string method;
  std::vector<Estimate> estimates;
};

/// Throws Error(kMemory).
Structure structureOf(const ProblemGraph& graph);

/// Names and texts of lines, in their order; those that belong to the line above have the name "".
std::vector<std::pair<std::string, std::string>> structureLines(const Structure& structure);

Json structureJson(const Structure& structure);
