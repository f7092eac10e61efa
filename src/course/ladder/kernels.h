// All that --kernel names: the solvers of the engine and the steps of the ladder.
#pragma once

#include <string_view>
#include <vector>

#include "solver/solver.h"

using namespace engine;

/// Those of the GPU first.
const std::vector<Solver>& kernelTable();

/// The one of that name on that kind of device. Throws Error(kUsage), which names the choices.
const Solver& findKernel(std::string_view name, DeviceKind device);
