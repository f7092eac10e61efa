#include "several/rounds.h"

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/progress.h"

namespace engine {

namespace {

class Rounds {
 public:
  Rounds(Part& part, int blocks, GridRanks& ranks) : part_(part), blocks_(blocks), ranks_(ranks) {}

  RankTimes solve(int first, const std::function<void(int)>& after) {
    std::optional<Progress> rounds;  // of the first rank, because ranks may be threads
    if (ranks_.row->rank() == 0 && ranks_.column->rank() == 0)
      rounds.emplace("", static_cast<std::uint64_t>(blocks_));
    if (rounds) rounds->advance(static_cast<std::uint64_t>(first));
    if (first < blocks_) start(first);
    for (int k = first; k < blocks_; ++k) {
      wait();
      part_.beginRound(k);
      if (k + 1 < blocks_) {
        compute([&] { part_.update(k, Which::kNext); });
        start(k + 1);
      }
      compute([&] { part_.update(k, Which::kRest); });
      if (rounds) rounds->advance();
      if (after) after(k + 1);
    }
    return times_;
  }

 private:
  /// Makes the panels of a round where they are, and starts to send them.
  void start(int k) {
    const Grid grid = ranks_.grid;
    const int row = ownerOf(blocks_, grid.rows, k), column = ownerOf(blocks_, grid.columns, k);
    const bool inRow = ranks_.column->rank() == row, inColumn = ranks_.row->rank() == column;
    if (inRow && inColumn) compute([&] { part_.close(k); });
    if (inRow) {
      send(Along::kRow, part_.pivot(k), column);
      wait();
      compute([&] { part_.makeRowPanel(k); });
    }
    if (inColumn) compute([&] { part_.makeColumnPanel(k); });
    send(Along::kColumn, part_.rowPanel(k), row);
    send(Along::kRow, part_.columnPanel(k), column);
  }

  void send(Along direction, Message message, int root) {
    if (ranks_.along(direction).size() == 1 || message.bytes == 0) return;
    transfers_.push_back(part_.startBroadcast(ranks_, direction, message, root));
    times_.bytes += message.bytes;
  }

  void wait() {
    times_.wait += millisecondsOf([&] {
      for (const auto& transfer : transfers_) transfer->wait();
    });
    transfers_.clear();
  }

  template <class Work>
  void compute(Work work) {
    times_.compute += millisecondsOf(work);
  }

  Part& part_;
  int blocks_;
  GridRanks& ranks_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  // not waited for yet, in their order
  RankTimes times_;
};

}  // namespace

GridRanks::GridRanks(Ranks& all, Grid shape)
    : grid(shape),
      row(all.split(shape.rowOf(all.rank()))),
      column(all.split(shape.columnOf(all.rank()))) {}

RankTimes solveRounds(Part& part, int n, GridRanks& ranks, int first,
                      const std::function<void(int)>& after) {
  return Rounds(part, blocksOf(n, part.depth()), ranks).solve(first, after);
}

}  // namespace engine
