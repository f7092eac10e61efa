// A rank's rows of the distances, found from their sources by this rank alone: source_rows.cpp.
#pragma once

#include <memory>
#include <optional>

#include "base/graph.h"
#include "base/graph_source.h"
#include "several/piece.h"
#include "solver/problem.h"
#include "solver/solver.h"

namespace engine {

class SourceRows : public Piece {
 public:
  /// Of a graph with n vertices, the band of part `part` of `parts`. sharers: ranks that share the
  /// memory of the device. Throws Error(kGpu) if there is none.
  /// summarises: see Execution.
  SourceRows(int n, int parts, int part, DeviceKind device, int sharers,
             Summarise summarises = Summarise::kNothing, Method method = Method::kSparse);

  /// Prepares to solve a graph that is held as edges. It takes no memory for the distances yet.
  /// Throws Error(kMemory).
  void take(Graph graph);
  /// Takes the memory for the distances, if they are kept. Throws Error(kMemory).
  void reset();
  /// Finds the distances from all sources of the band. It does nothing if the band has no source.
  Call solve();

  Band rows() const override { return rows_; }
  Band columns() const override { return {0, n_}; }
  void get(Band band, Elements elements) const override;
  int depth() const override;
  /// The statistics of the rows, if they can be counted where they are.
  std::optional<GraphStats> counted() const;
  /// The summaries of the rows, if the device that has the rows can find them. nullptr otherwise.
  const Summaries* summaries() const;

 private:
  int n_;
  Band rows_;
  const Device& device_;
  int sharers_;
  Summarise summarises_;
  const Method method_;
  Selection asked_;                      // the sources
  std::unique_ptr<ProblemGraph> graph_;  // what the run refers to
  std::unique_ptr<Run> run_;             // null if there are no sources
};

/// As many sources as a rank has at the most.
Selection mostSources(int n, int parts);

/// A graph as edges. zero: every weight becomes 0. Throws Error(kMemory).
Graph edgesOf(const GraphSource& source, bool zero);

}  // namespace engine
