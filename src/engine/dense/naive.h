// The naive solver for weights of 64 bits.
#pragma once

#include <cstdint>

/// The contract of apspRef() in apsp.h. In int64 matrices kInfinity<std::int64_t> takes the place
/// of kInf (base/dtype.h). graph: (n, n) in device memory.
void apspRef(int n, std::int64_t* graph);
void apspRef(int n, double* graph);
