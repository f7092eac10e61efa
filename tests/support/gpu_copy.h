// Arrays in the GPU's memory, for tests that cannot include the contract (apsp.h at the top).
#pragma once

#include <cstddef>
#include <memory>

/// Whether there is a GPU.
bool hasGpu();

/// A copy of so many bytes, a multiple of 4, in the GPU's memory. hasGpu() must hold.
std::shared_ptr<void> copyToGpu(const void* bytes, std::size_t count);
