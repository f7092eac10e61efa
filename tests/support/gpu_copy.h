// Arrays in the GPU's memory, for tests that cannot include the contract (apsp.h at the top).
#pragma once

#include <cstddef>
#include <memory>

/// Whether there is a GPU.
bool hasGpu();

/// How many GPUs there are.
int countGpus();

/// The number of the GPU that is current in CUDA, and a way to change it; hasGpu() must hold.
int currentGpu();
void makeCurrent(int gpu);

/// Bytes of the current GPU's memory that anyone holds, without what pools keep; hasGpu() must
/// hold.
std::size_t gpuBytesHeld();

/// A copy of so many bytes, a multiple of 4, in the current GPU's memory. hasGpu() must hold.
std::shared_ptr<void> copyToGpu(const void* bytes, std::size_t count);
