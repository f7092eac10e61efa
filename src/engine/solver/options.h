// How the caller wants a graph to be solved.
#pragma once

/// The arithmetic that a caller asks for.
enum class Precision { kAuto, k16, k32 };

/// How a solver goes about it. kFiltered: it leaves out the edges that are longer than some walk
/// between their ends, and relaxes along the others. kSparse: it eliminates vertices one by one,
/// and sweeps over the arcs that this gives (docs/sparse.md). kAuto: what is expected to be the
/// fastest. kSearch: it searches from each of a few sources; kAuto chooses it, and nobody asks for
/// it.
enum class Method { kAuto, kDense, kFiltered, kSparse, kSearch };

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
