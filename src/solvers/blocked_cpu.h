// The optimised CPU solver.
#pragma once

#include <string>

/// The optimised CPU solver: apsp.h's contract on host memory, with OpenMP's current number of
/// threads. Blocked in three phases, SIMD chosen once at run time. Throws Error(kMemory).
void apspCpu(int n, int* graph);
void apspCpu(int n, float* graph);

/// apspCpu on a given instruction set, "" for the widest there is: for the tests. Throws
/// Error(kUsage) where this machine has no such set, Error(kMemory).
void apspCpuWith(const std::string& simd, int n, int* graph);
void apspCpuWith(const std::string& simd, int n, float* graph);
