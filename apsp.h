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

/// The optimised solver (apsp.cu): solve() with the default options. graph: (n, n) in device
/// memory. It is solved in place on the default stream. The call may return before the work is
/// done.
void apsp(int n, int* graph);

/// The naive solver (apsp_ref.cu): the same contract, with one launch for each k. Never optimised.
void apspRef(int n, int* graph);
void apspRef(int n, float* graph);

/// The arithmetic that a caller asks for.
enum class Precision { kAuto, k16, k32 };
/// The arithmetic that was used. kNone: 16 bits were asked for but cannot be proved exact for this
/// graph, which is unchanged.
enum class Tier { kNone, kInt32, kUint16, kFloat32 };

/// How a solver goes about it. kFiltered: it leaves out the edges that are longer than some walk
/// between their ends, and relaxes along the others. kSparse: it eliminates vertices one by one,
/// and sweeps over the arcs that this gives (docs/sparse.md). kAuto: what is expected to be the
/// fastest.
enum class Method { kAuto, kDense, kFiltered, kSparse };

struct CUstream_st;  // a cudaStream_t is a pointer to it

struct Options {
  Precision precision = Precision::kAuto;  ///< ignored for floats
  bool symmetry = true;                    ///< solve only half of a symmetric matrix
  bool skip = true;                        ///< leave out products with tiles that hold no path
  /// Side of the tiles: 64 or 128, or 0 for the faster one. In 16 bits it is always 128. If it is
  /// given, shortcuts are taken at any n, which the tests need.
  int tile = 0;
  CUstream_st* stream = nullptr;  ///< the stream to solve on; null: the default stream
  Method method = Method::kAuto;  ///< another: even if the dense solver is expected to be faster
  /// The graph is known to have few edges. kAuto filters then, even if it may not leave out any.
  bool fewEdges = false;
};

/// What the filtered solver did. Times are milliseconds.
struct Filtering {
  double kept = 0;    ///< edges that were kept, a vertex
  double passes = 0;  ///< looks at the edges of a vertex for a block of distances, on the average
  double survey = 0, filter = 0, relax = 0;
};

/// What the sparse solver did. Times are milliseconds.
struct Sweeping {
  double arcs = 0;        ///< that lead down the hierarchy, a vertex
  int core = 0;           ///< vertices that were not eliminated
  bool streamed = false;  ///< there was no room for the matrix: rows were swept and discarded
  double expected = 0, dense = 0;  ///< that this and the dense solver were expected to take
  double order = 0, eliminate = 0, customise = 0, solveCore = 0, prune = 0, sweep = 0;
};

/// What was done for negative weights, before and after solving.
struct Reweighting {
  int passes = 0;           ///< over the graph that lowered a potential; 0: no weight is negative
  double least = 0;         ///< the least potential
  double milliseconds = 0;  ///< potentials and shifts, a part of the call's time
};

struct Outcome {
  Tier tier = Tier::kInt32;
  bool symmetric = false;  ///< the matrix was symmetric, and only half of it was solved
  bool skipped = false;    ///< products may have been left out: n³ over the time is no throughput
  Method method = Method::kDense;  ///< any but kAuto
  Filtering filtering = {};        ///< if the method is kFiltered
  Sweeping sweeping = {};          ///< if the method is kSparse
  Reweighting reweighting = {};
};

/// The optimised solver with options (apsp.cu): the same contract. It returns what was done. Throws
/// Error: kUsage for another tile side, kMemory if GPU memory is short, kGpu if CUDA fails.
Outcome solve(int n, int* graph, const Options& options);
Outcome solve(int n, float* graph, const Options& options);
