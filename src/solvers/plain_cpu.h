// The plain triple loop on the CPU: the oracle of the tests. It shares no code with any other
// solver, and it is never optimised.
#pragma once

/// apsp.h's contract on host memory: one thread, no blocking.
void apspScalar(int n, int* graph);
void apspScalar(int n, float* graph);
