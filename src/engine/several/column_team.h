// Ranks of a grid of one column that filter together: each has whole rows.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/size.h"
#include "filtered/filter_team.h"
#include "ranks/ranks.h"

namespace engine {

/// Ranks whose messages are in host memory.
class ColumnTeam : public FilterTeam {
 public:
  /// rows: of each rank.
  ColumnTeam(Ranks& ranks, std::vector<Band> rows) : ranks_(ranks), rows_(std::move(rows)) {}
  int rank() const override { return ranks_.rank(); }
  const std::vector<Band>& rows() const override { return rows_; }
  int onThisHost() const override { return ranks_.onThisHost(); }
  void broadcast(void* data, std::size_t bytes, int root, CUstream_st*) override {
    wait_ += millisecondsOf([&] { ranks_.broadcast(data, bytes, root); });
    count(bytes);
  }
  std::vector<double> all(double mine) override {
    std::vector<double> values(rows_.size(), mine);
    std::vector<std::unique_ptr<Transfer>> transfers;
    wait_ += millisecondsOf([&] {
      for (int rank = 0; rank < ranks_.size(); ++rank)
        transfers.push_back(ranks_.startBroadcast(&values[asSize(rank)], sizeof mine, rank));
      for (const auto& transfer : transfers) transfer->wait();
    });
    count(values.size() * sizeof mine);
    return values;
  }

  /// Milliseconds in which the messages in host memory were waited for.
  double wait() const { return wait_; }
  /// Of all messages so far.
  std::size_t bytes() const { return bytes_; }

 protected:
  void count(std::size_t bytes) { bytes_ += bytes; }

 private:
  Ranks& ranks_;
  const std::vector<Band> rows_;
  double wait_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace engine
