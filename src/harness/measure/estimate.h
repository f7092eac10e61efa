// What solving a graph would take, in memory and time, before anything is solved.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/choice.h"
#include "solver/problem.h"

using namespace engine;

/// One way to solve a graph.
struct Estimate {
  std::string way;        ///< "sparse, CPU", "dense, 8 H100"
  std::size_t bytes = 0;  ///< of the memory of each device
  double seconds = 0;
  bool least = false;  ///< no less than that, because the peak was taken for the speed
};

/// The method that ./apsp would take on the CPU, and why, in a sentence.
std::string methodText(const ProblemGraph& graph, const plan::Forecast& forecast);

/// The ways: densely and sparsely on this CPU, and densely on 1 to 64 GPUs, whose speed is the peak
/// that `results` (measure/peak.h) holds of an H100. Without such a file, or if no peak was
/// measured in the arithmetic of the type, there are no GPUs.
std::vector<Estimate> estimatesOf(const ProblemGraph& graph, const plan::Forecast& forecast,
                                  const std::string& results);
