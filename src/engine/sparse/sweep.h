// The sweep: distances from many sources at once, up the hierarchy and down again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "filtered/settle_cpu.h"
#include "solver/summing.h"
#include "solver/transpose.h"
#include "sparse/hierarchy.h"

namespace engine::sparse {

/// Sources that are swept together. The distances of a vertex from all of them are two vectors, or
/// four of 64-bit numbers.
inline constexpr int kBatch = kTransposed;

/// The kernels of one instruction set. rows: (n, kBatch), the distances of each position, aligned
/// to kVectorBytes. reached: of each position, whether its row holds anything yet.
template <class T>
struct SweepKernels {
  /// Relaxes the arcs up from the positions that are reached, from `from` to before `to`.
  void (*up)(const SweepArcs<T>& arcs, int from, int to, T* rows, std::uint8_t* reached);
  /// Finishes the rows of the positions from `floor` to before `core`, the highest first.
  void (*down)(const SweepArcs<T>& arcs, int floor, int core, T* rows, const std::uint8_t* reached);
  /// least[i] = min(least[i], by + row[i]) over i < count.
  void (*join)(int count, T by, const T* row, T* least);
  /// Makes columns of the rows (solver/transpose.h).
  Transpose<T> transpose;
};

/// Those for the instruction set "avx512", "avx2", "portable", or "" for the widest of this
/// machine. Throws Error(kUsage) if this machine lacks it.
template <class T>
SweepKernels<T> findSweep(const std::string& simd = "");

/// What all sweeps of a graph read.
template <class T>
struct Swept {
  Pruned<T> arcs;
  Matrix between;                   ///< the distances of the core,
  const T* betweenOnGpu = nullptr;  ///< or where they are if they are in GPU memory
  std::vector<int> position;        ///< of the vertex of each column of the result
  std::vector<int> source;          ///< the position of the vertex of each row
  int positions = 0;                ///< how many there are
  int core = 0;                     ///< the first position of the core
  int floor = 0;                    ///< no column is below this position
  bool table = false;               ///< the rows and columns are those of a table
  std::vector<int> parent;          ///< of each position below core: see Elimination
  int gates = 1;  ///< vertices of the core that arcs up lead to from any vertex, at the most

  int vertices() const { return positions; }
  int coreSize() const { return vertices() - core; }
};

/// Memory for one batch at a time.
template <class T>
class Sweeper {
 public:
  /// Keeps a reference. Throws Error(kMemory).
  Sweeper(const Swept<T>& graph, const SweepKernels<T>& kernels);

  /// Writes the distances from the vertices of these positions, kBatch at the most: those of source
  /// c, by columns, to out[c]; nothing if out is null. Adds these rows to `sums`, unless it is
  /// null.
  void sweep(const int* sources, int count, T* const* out, BlockSums<T>* sums);

  /// Bytes that one takes.
  static std::size_t bytes(int n, int coreSize);

 private:
  void crossCore(int count);

  const Swept<T>& graph_;
  const SweepKernels<T> kernels_;
  DistanceRows<T> rows_;
  DistanceRows<T> across_;  // distances to the core from some sources
  std::vector<std::uint8_t> reached_;
};

}  // namespace engine::sparse
