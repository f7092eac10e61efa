// The contract that every solver obeys.
//
// graph is an n×n row-major matrix: graph[i*n+j] is the weight of edge i→j (0 ≤ weight < kInf),
// kInf where there is none, 0 on the diagonal. On return graph[i*n+j] is the distance i→j, kInf
// where j cannot be reached from i. Of floats, kInf is +infinity, and −0.0 and NaN are not allowed.
// Indices into the matrix are std::size_t: n*n overflows an int above 46340.
#pragma once

/// "No edge" and "unreachable". kInf + kInf still fits in an int, so a relaxation never overflows.
inline constexpr int kInf = (1 << 30) - 1;

/// The optimised solver (apsp.cu), solve() with the default options. graph: device memory, n×n,
/// solved in place on the default stream. Returns when the work is launched, perhaps before it is
/// done.
void apsp(int n, int* graph);

/// The naive solver, one launch per k (apsp_ref.cu): same contract, never optimised.
void apspRef(int n, int* graph);
void apspRef(int n, float* graph);

/// The arithmetic that a caller asks for …
enum class Precision { kAuto, k16, k32 };
/// … and the one that was used. kNone: 16 bits were asked for and cannot be certified to be exact;
/// the graph is as it was.
enum class Tier { kNone, kInt32, kUint16, kFloat32 };

struct CUstream_st;  // cudaStream_t points to one

struct Options {
  Precision precision = Precision::kAuto;  ///< floats: ignored
  bool symmetry = true;                    ///< solve half of the matrix where it is symmetric
  bool skip = true;                        ///< leave out products with tiles that hold no path
  int tile = 0;  ///< side of the tiles: 64, 128 (16 bits: always), 0: the faster one; where it is
                 ///< given, shortcuts are taken at any n, for tests
  CUstream_st* stream = nullptr;
};

struct Outcome {
  Tier tier = Tier::kInt32;
  bool symmetric = false;  ///< the matrix was, and half of it was solved
  bool skipped = false;    ///< products may have been left out: the time tells nothing of the wall
};

/// The full call (apsp.cu): the same contract, with options in and what was done out.
Outcome solve(int n, int* graph, const Options& options);
Outcome solve(int n, float* graph, const Options& options);
