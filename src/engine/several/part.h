// A rank's part of the matrix, and the arithmetic on it. The order of the steps, and the messages
// between them, are in rounds.cpp; this is what differs between a CPU and a GPU.
//
// Blocks are numbered in the whole matrix: D(i,j) is the block of row block i and column block j.
// "Here" means that the block is in this part.
//
// A step may return before its work is done, as on a GPU. It then begins by itself when the steps
// that it needs are done. All messages are in the memory where the part is.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/dtype.h"
#include "base/elements.h"
#include "base/graph_source.h"
#include "ranks/grid.h"
#include "ranks/ranks.h"
#include "ranks/times.h"
#include "several/piece.h"
#include "solver/options.h"
#include "solver/outcome.h"

namespace engine {

/// Bytes to be sent to other ranks, or to be received from one.
struct Message {
  void* data;
  std::size_t bytes;
};

/// A direction in the grid of ranks: along its row or its column.
enum class Along { kRow, kColumn };

/// The ranks of this rank's row and column of the grid.
struct GridRanks {
  GridRanks(Ranks& all, Grid shape);
  Ranks& along(Along direction) const { return direction == Along::kRow ? *row : *column; }
  Grid grid;
  std::unique_ptr<Ranks> row, column;
};

/// Bounds of distances through one vertex s, by the edges of a part: (rows().count) and
/// (columns().count).
struct Bounds {
  std::vector<int> to;    ///< d(i,s) ≤ to
  std::vector<int> from;  ///< d(s,j) ≤ from
};

/// Looks at the graph in a part before it is solved. Columns and bounds are of int32 weights,
/// because only these may be solved in 16 bits.
class Surveyor {
 public:
  virtual ~Surveyor() = default;
  /// Whether 16 bits are faster than 32.
  virtual bool prefers16Bits() const = 0;
  /// Whether some pair of its rows and columns has no edge.
  virtual bool missesEdges() const = 0;
  /// w(i,s) for its rows i; column s is here.
  virtual std::vector<int> column(int s) const = 0;
  /// to: the least of w(i,k) + leave[k] over its columns k. from: the least of arrive[k] + w(k,j)
  /// over its rows k. leave: (columns().count), the weights w(k,s). arrive: (rows().count), the
  /// weights w(s,k).
  virtual Bounds bound(const int* leave, const int* arrive) const = 0;
};

/// Which blocks an update takes.
enum class Which {
  kNext,  ///< those of the next round's panels: its row block and its column block
  kRest,  ///< all others
};

class Part : public Piece {
 public:
  /// Sets the rows of a band, in the columns of this part. All of these rows must be here.
  /// elements: (band.count, columns().count), of the type of the matrix.
  virtual void put(Band band, ConstElements elements) = 0;
  /// Sets the part of a graph, if that can be done without host memory; zero: with every weight
  /// below infinity 0. Returns whether it did, which is the same on all ranks.
  virtual bool make(const GraphSource&, bool /*zero*/) { return false; }

  /// The pivots of a round: a block.
  int depth() const override = 0;

  /// What a part can do to save work; null: nothing.
  virtual const Surveyor* surveyor() const { return nullptr; }
  /// The only arithmetic of a part that has no surveyor.
  virtual Tier onlyTier() const { return Tier::kNone; }

  /// Collective: solves without rounds, by the filtered method, if the part can do that, the
  /// options allow it, and it is expected to pay. Returns what was done; nothing if the attempt was
  /// in vain: the graph then has the same distances as before. Of an attempt in vain, a part on a
  /// CPU tells all times, and a part on a GPU only the bytes.
  virtual std::optional<Outcome> filter(const Options&, GridRanks&, RankTimes&) {
    return std::nullopt;
  }

  /// Before the first round: chooses the arithmetic. Returns false if there is no memory for it.
  virtual bool begin(Tier, bool /*skip*/) { return true; }
  /// At the beginning of round k, when its messages were waited for.
  virtual void beginRound(int /*k*/) {}
  /// After the last round: waits for all work. Returns false if some distance is too far for the
  /// arithmetic. A part whose work is not done when a step returns corrects the times.
  virtual bool finish(RankTimes&) { return true; }
  /// take: the part becomes the distances that were found. Otherwise it becomes the graph again; a
  /// part that streams cannot do so, and holds nothing of use then.
  virtual void end(bool /*take*/) {}

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

  /// Collective: starts to send a message of `root` to the ranks in that direction of the grid.
  virtual std::unique_ptr<Transfer> startBroadcast(GridRanks& ranks, Along direction,
                                                   Message message, int root) {
    return ranks.along(direction).startBroadcast(message.data, message.bytes, root);
  }
};

/// A part in host memory, computed by all threads. Throws Error(kMemory).
std::unique_ptr<Part> partOnCpu(int n, Dtype dtype, Grid grid, int rank);

/// Bytes of partOnCpu().
std::size_t bytesOnCpu(int n, Dtype dtype, Grid grid, int rank);

}  // namespace engine
