// A rank's rows of the distances, found from their sources by this rank alone, or its columns,
// found for their targets: source_rows.cpp.
#pragma once

#include <memory>
#include <optional>

#include "base/graph.h"
#include "base/graph_source.h"
#include "several/piece.h"
#include "solver/problem.h"
#include "solver/solver.h"

namespace engine {

/// Whether ranks find columns each, and not rows: if they sweep on GPUs, and these columns have
/// room there. Otherwise the distances stream, and a rank that streams finds rows. Throws
/// Error(kGpu).
bool findsColumns(int n, Dtype dtype, int parts, DeviceKind device, Method method);

/// The band of part `part` of `parts` of a graph with n vertices, and how its rank finds it.
struct BandToFind {
  int n, parts, part;
  DeviceKind device;
  int sharers;  ///< ranks that share the memory of the device
  Method method = Method::kSparse;
  bool byColumns = false;                      ///< as of findsColumns(), for all parts
  Summarise summarises = Summarise::kNothing;  ///< see Execution
};

class SourceRows : public Piece {
 public:
  /// Throws Error(kGpu) if there is no such device.
  explicit SourceRows(const BandToFind& wanted);

  /// Prepares to solve a graph that is held as edges. It takes no memory for the distances yet.
  /// Throws Error(kMemory).
  void take(Graph graph);
  /// Takes the memory for the distances, if they are kept. Throws Error(kMemory).
  void reset();
  /// Finds the distances of the band. It does nothing if the band has no vertex.
  Call solve();

  Band rows() const override { return wanted_.byColumns ? whole() : band_; }
  Band columns() const override { return wanted_.byColumns ? band_ : whole(); }
  void get(Band band, Elements elements) const override;
  int depth() const override;
  /// The statistics of the rows, if they can be counted where they are.
  std::optional<GraphStats> counted() const;
  /// The summaries of the rows, if the device that has the rows can find them. nullptr otherwise.
  const Summaries* summaries() const;

 private:
  /// All vertices; nothing if the band is empty.
  Band whole() const { return {0, band_.count > 0 ? wanted_.n : 0}; }

  const BandToFind wanted_;
  const Band band_;
  const Device& device_;
  Selection asked_;                      // the sources, or the targets
  std::unique_ptr<ProblemGraph> graph_;  // what the run refers to
  std::unique_ptr<Run> run_;             // null if the band is empty
};

/// As many vertices as the band of a rank has at the most.
int mostInBand(int n, int parts);
/// What that rank finds.
Selection largestBand(int n, int parts, bool byColumns);

/// A graph as edges. zero: every weight becomes 0. Throws Error(kMemory).
Graph edgesOf(const GraphSource& source, bool zero);

}  // namespace engine
