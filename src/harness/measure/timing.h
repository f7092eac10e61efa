// How calls are repeated and timed.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "solver/solver.h"

using namespace engine;

/// The most calls that count if each gets a graph of its own and reps is 0: to verify a result
/// takes far longer than a fast call.
inline constexpr int kMostVaried = 50;

struct MeasureOptions {
  int warmup = 1;  ///< calls before the first one that counts
  int reps = 0;    ///< calls that count; 0: at least 5, and more until they have taken 0.2 s
  Options options = {};
  bool vary = false;          ///< no two calls are given the same graph, but one that is as hard
  bool drawn = false;         ///< with vary: the seeds follow from one that was drawn, not given
  bool asked = false;         ///< the user chose warmup or reps
  Crew* crew = nullptr;       ///< the ranks that solve; null: this process alone
  bool predecessors = false;  ///< they are found afterwards
  bool checksPredecessors = false;  ///< and verified
  Summarise summarises = Summarise::kNothing;
  RowVisitor sink = nullptr;                                ///< see Execution
  std::shared_ptr<const EliminationOrder> order = nullptr;  ///< see Execution
  RowWidth stored = RowWidth::kFull;                            ///< see Execution
  std::shared_ptr<const Selection> wanted = nullptr;        ///< the distances to find; null: all
  int atMost = 1000;  ///< the most calls that count if reps is 0
  int ifLong = 3;     ///< so many are enough if reps is 0 and they take 2 s
  /// One warm-up call of so many milliseconds counts, too, where needNoWarmup(); by default none.
  double countsFirstFrom = std::numeric_limits<double>::infinity();
};

struct Timing {
  double median = 0, minimum = 0, maximum = 0;  ///< milliseconds of the timed call alone
  int reps = 0;
  double q1 = 0, q3 = 0;           ///< quartiles, milliseconds
  int outliers = 0;                ///< calls beyond Tukey's fences, see summarise()
  std::vector<double> calls = {};  ///< milliseconds of each call that counts, in their order
  int warmup = 1;                  ///< calls before them
};

/// Whether the first two calls of a solver, of so many milliseconds, are enough, and both count:
/// each takes `least` or more, and they differ by 1 % of the shorter one at most. Then nothing had
/// to warm up.
bool needNoWarmup(double first, double second, double least);

/// Summarises a non-empty list of milliseconds. A quartile between two calls is interpolated
/// linearly. An outlier is more than 1.5 (q3 - q1) below q1 or above q3 (Tukey's fences).
Timing summarise(std::vector<double> milliseconds);

/// Calls call(1), call(2) … as often as is asked for, each of which returns its milliseconds.
Timing measure(const MeasureOptions& measuring, const std::function<double(int number)>& call);

/// What happens around each call of a run, warm-up too, untimed.
struct AroundCall {
  std::function<void(int number)> reset;  ///< makes the run ready for call 1, 2 …
  std::function<void(const Call&)> done;  ///< may look at run.distances()
  int atMost = 1000;                      ///< calls that count: as many as reset() has graphs for
};

/// Times a run: solve() as often as is asked for. Throws Error(kInput) if 16 bits were asked for
/// and cannot be certified, and what the run throws. name: the solver's.
Timing measure(Run& run, const std::string& name, const MeasureOptions& measuring,
               const AroundCall& around);
