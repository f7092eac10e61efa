// The contract that every solver obeys.
//
// graph is an n×n row-major int32 matrix: graph[i*n+j] is the weight of edge i→j (0 ≤ weight <
// kInf), kInf where there is none, 0 on the diagonal. On return graph[i*n+j] is the distance i→j,
// kInf where j cannot be reached from i. Indices into the matrix are std::size_t: n*n overflows an
// int above 46340.
#pragma once

/// "No edge" and "unreachable". kInf + kInf still fits in an int, so a relaxation never overflows.
inline constexpr int kInf = (1 << 30) - 1;

/// The optimised solver (apsp.cu). graph: device memory, n×n, solved in place on the default
/// stream. Returns when the work is launched, perhaps before it is done.
void apsp(int n, int* graph);

/// The naive solver, one launch per k (apsp_ref.cu): same contract, never optimised.
void apspRef(int n, int* graph);
