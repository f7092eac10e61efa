// The CPU solvers, and the oracle that shares no code with any of them.
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

/// The plain triple loop on host memory: one thread, no blocking. The tests' oracle, never
/// optimised.
void apspScalar(int n, int* graph);
void apspScalar(int n, float* graph);

/// The instruction set that apspCpu runs on: "avx512", "avx2" or "portable".
std::string cpuSimd();
