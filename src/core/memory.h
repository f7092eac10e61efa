// How much host memory this process may still take.
#pragma once

#include <cstddef>

/// The bytes of host memory that this process may still take: the least of the system's
/// MemAvailable, what its control groups leave, and what `ulimit -v` leaves.
std::size_t freeHostBytes();

/// Throws Error(kMemory) unless `bytes` are free. The message is "`what` needs N bytes of host
/// memory, M are free".
void requireHostBytes(std::size_t bytes, const char* what);
