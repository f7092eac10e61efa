// What a column of the table of edges says of the edges of paths: `apsp path --show road`.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "base/memory.h"
#include "results/names.h"

/// The texts of a column. Of parallel edges, the first of the lightest counts.
class ShownColumn {
 public:
  /// name: the column's name, "" if no column is shown. undirected: a path may follow an edge of
  /// the table from its head to its tail.
  ShownColumn(std::string name, bool undirected)
      : name_(std::move(name)), undirected_(undirected) {}

  /// Takes an edge of the table. Throws Error(kMemory).
  void take(const AnyEdge& edge, const std::string& text);

  /// From now on vertex v is the one that take() called names(v) − base, for all v of count.
  void renumber(const Names& names, int count, int base);

  const std::string& name() const { return name_; }
  bool any() const { return !name_.empty(); }
  /// The text of an edge of the graph.
  std::string operator()(int from, int to) const;

 private:
  struct Shown {
    double weight;
    std::string text;
  };
  const Shown* find(int from, int to) const;

  std::string name_;
  bool undirected_;
  std::unordered_map<std::uint64_t, Shown> shown_;
  std::vector<int> before_;  // the numbers of the vertices in shown_; empty: their own
  GrowingMemory memory_{"the column that --show names"};
};
