// What the steps of the sparse solver take on a device.
#pragma once

#include "device/device.h"
#include "solver/selection.h"
#include "sparse/elimination.h"

namespace engine::sparse {

/// The rates of a device for numbers of that type. On a GPU, the CPU prepares, and the GPU solves
/// the core and sweeps. asked: see Problem.
Rates ratesOn(const Device& device, Dtype dtype, const Selection* asked = nullptr);

/// Seconds of a relaxation of the dense solver on a GPU.
double gpuProduct(Dtype dtype);

}  // namespace engine::sparse
