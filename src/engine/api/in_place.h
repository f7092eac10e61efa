// Matrices of the caller that are solved where they are.
#pragma once

#include "base/elements.h"
#include "device/device.h"
#include "solver/options.h"

namespace engine {

/// Replaces the weights of an n×n matrix in host memory by its distances, on that device. Throws
/// InvalidArgument, and has done nothing, if an element is no weight.
void solveHostMatrix(int n, Elements matrix, const Device& device, const Options& options);

}  // namespace engine
