// How much host memory there is to take.
#pragma once

#include <cstddef>

/// Bytes of host memory that may still be taken (MemAvailable, less what the cgroup or ulimit
/// forbids).
std::size_t freeHostBytes();

/// Throws Error(kMemory) naming `what`, the bytes needed and those free, unless `bytes` are free
/// here.
void requireHostBytes(std::size_t bytes, const char* what);
