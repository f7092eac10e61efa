// How the caller wants a graph to be solved.
#pragma once

struct CUstream_st;  // a cudaStream_t is a pointer to it

namespace engine {

/// The bits of arithmetic that a caller asks for. k64: 64-bit weights are solved in 64 bits, even
/// if fewer are exact.
enum class Precision { kAuto, k16, k32, k64 };

/// How a solver goes about it. kFiltered: it leaves out the edges that are longer than some walk
/// between their ends, and relaxes along the others. kSparse: it eliminates vertices one by one,
/// and sweeps over the arcs that this gives (docs/sparse.md). kAuto: what is expected to be the
/// fastest. kBfs: if all edges have the same weight, breadth-first searches from many sources at
/// once. kSearch: it searches from each of a few sources; kAuto chooses it, and nobody asks for it.
enum class Method { kAuto, kDense, kFiltered, kSparse, kBfs, kSearch };

/// What filtering is expected to gain, if that is known: much, or nothing. kDoubtful: much or
/// nothing, and it costs little to try.
enum class Outlook { kUnknown, kGood, kDoubtful, kPoor };

/// Whether a method finds the rows of each source by itself, from the edges of the graph. Ranks
/// that are asked for it find some rows each.
constexpr bool solvesBySources(Method method) {
  return method == Method::kSparse || method == Method::kBfs;
}

/// Whether a method takes a graph as edges, if it is held so. kAuto may.
constexpr bool mayTakeEdges(Method method) {
  return method == Method::kAuto || solvesBySources(method);
}

/// Which rows' summaries solve() finds at the same time, if it can. Others are computed when they
/// are asked for. kUnkept: those of rows that would have to be computed again. kAll: this may add a
/// tenth to the time of solve().
enum class Summarise { kNothing, kUnkept, kAll };

/// The elements in which a run keeps whole distances: those of the weights, or smaller ones, of
/// which the largest number is no distance and stands for no path.
enum class RowWidth { kFull, kUint8, kUint16 };

struct Options {
  Precision precision = Precision::kAuto;  ///< k16, k32: of int32
  bool symmetry = true;                    ///< solve only half of a symmetric matrix
  bool skip = true;                        ///< leave out products with tiles that hold no path
  /// Side of the tiles: 64, or 128 (96 for weights of 64 bits), or 0 for the faster one. In 16 bits
  /// it is always 128. If it is given, shortcuts are taken at any n, which the tests need.
  int tile = 0;
  CUstream_st* stream = nullptr;  ///< the stream to solve on; null: the default stream
  Method method = Method::kAuto;  ///< another: even if the dense solver is expected to be faster
  /// What the edges of the graph say. With kAuto, if it is good or doubtful, the solver does not
  /// look at samples first, and tries harder; if it is poor, a GPU does not try to filter.
  Outlook outlook = Outlook::kUnknown;

  /// Whether distances of int32 may be computed in 16 bits.
  bool may16() const { return precision != Precision::k32; }
};

}  // namespace engine
