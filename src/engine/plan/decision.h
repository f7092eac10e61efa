// Where the distances of a graph of edges go, and what memory that takes.
#pragma once

#include <memory>
#include <optional>

#include "plan/choice.h"

namespace engine::plan {

/// What is decided of a graph that is held as edges.
struct Decision {
  Destination place;
  Memory memory;
  bool keeps = false;  ///< rows have room, so that they need not be found again
  std::shared_ptr<const Survey> survey = nullptr;  ///< if it was made
  Method method = Method::kAuto;                   ///< kAuto: as a matrix, or solve() decides
  bool byGpu = false;      ///< a GPU finds the rows of a table, unless it has no room
  bool looked = false;     ///< bestWay() found the method
  bool maySearch = false;  ///< bestWay() may choose searches
  double expected = 0;     ///< milliseconds; 0: not known
  Outlook outlook = Outlook::kUnknown;
  RowWidth stored = RowWidth::kFull;  ///< rows that are kept
};

/// Whether the sparse method, or breadth-first searches, are asked for.
bool asksForSparse(const Execution& where);
bool asksForLevels(const Execution& where);

/// graph: held as edges. Nothing: `one`, which works in place, is to solve it as a matrix. Throws
/// Error(kMemory).
std::optional<Decision> placed(const Problem& problem, const Execution& where, const Solver& one);

/// How many of `rows` rows are found together if they are not kept: whole batches, at most two for
/// each thread.
int bandRows(int rows, int columns, Dtype dtype);

std::size_t tableBytes(int rows, int columns, Dtype dtype);

}  // namespace engine::plan
