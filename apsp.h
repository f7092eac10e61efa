// The contract that every solver obeys.
//
// graph is an n×n row-major matrix. graph[i*n+j] is the weight of edge i→j (0 ≤ weight < kInf), or
// kInf if there is no such edge. The diagonal is 0. On return, graph[i*n+j] is the distance from i
// to j, or kInf if no path leads from i to j. In float matrices, +infinity takes the place of kInf,
// and −0.0 and NaN are not allowed. Indices into the matrix are std::size_t, because n*n overflows
// an int if n > 46340.
#pragma once

/// "No edge" and "unreachable". kInf + kInf still fits in an int, so a relaxation never overflows.
inline constexpr int kInf = (1 << 30) - 1;

/// The optimised solver (apsp.cu). graph: (n, n) in device memory. It is solved in place on the
/// default stream. The call may return before the work is done.
void apsp(int n, int* graph);

/// The naive solver (apsp_ref.cu): the same contract, with one launch for each k. Never optimised.
void apspRef(int n, int* graph);
void apspRef(int n, float* graph);
