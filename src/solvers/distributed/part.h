// A rank's part of the matrix, and the arithmetic on it. The order of the steps, and the messages
// between them, are in rounds.cpp; this is what differs between a CPU and a GPU.
//
// Blocks are numbered in the whole matrix: D(i,j) is the block of row block i and column block j.
// "Here" means that the block is in this part.
#pragma once

#include <cstddef>
#include <memory>

#include "core/dtype.h"
#include "solvers/distributed/grid.h"

/// Words to be sent to other ranks, or to be received from one.
struct Message {
  void* data;
  std::size_t bytes;
};

/// Which blocks an update takes.
enum class Which {
  kNext,  ///< those of the next round's panels: its row block and its column block
  kRest,  ///< all others
};

class Part {
 public:
  virtual ~Part() = default;

  /// The rows and columns of the matrix that are here.
  virtual Band rows() const = 0;
  virtual Band columns() const = 0;
  /// Sets rows, of which there are `band`, all of them here. words: (band.count, columns().count).
  virtual void put(Band band, const int* words) = 0;
  /// The reverse.
  virtual void get(Band band, int* words) const = 0;

  // A round has three messages. The panels of two rounds in succession have their own memory.

  /// D(k,k), which is here, becomes its closure D*. The message `pivot` holds it then.
  virtual void close(int k) = 0;
  virtual Message pivot(int k) = 0;  ///< D*, one block
  /// D(k,j) = D* ⊗ D(k,j) for the blocks j here. The message `rowPanel` holds them then. It needs
  /// the message `pivot`.
  virtual void makeRowPanel(int k) = 0;
  virtual Message rowPanel(int k) = 0;  ///< D(k,j) for all column blocks j here
  /// The message `columnPanel` becomes a copy of the blocks D(i,k) here.
  virtual void makeColumnPanel(int k) = 0;
  virtual Message columnPanel(int k) = 0;  ///< D(i,k) for all row blocks i here

  /// D(i,j) = min(D(i,j), D(i,k) ⊗ D(k,j)) for blocks here with i ≠ k. It needs both panels.
  virtual void update(int k, Which which) = 0;
};

/// A part in host memory, computed by all threads. Throws Error(kMemory).
std::unique_ptr<Part> partOnCpu(int n, Dtype dtype, Grid grid, int rank);

/// The pivots of a round on the CPU.
int depthOnCpu();

/// Bytes of partOnCpu().
std::size_t bytesOnCpu(int n, Grid grid, int rank);
