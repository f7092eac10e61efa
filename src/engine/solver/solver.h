// The seam between the harness and the solvers.
//
// The harness describes a problem and where to solve it. A solver's row says what it can do and
// what memory it takes, before anything is done, and prepares a run. The harness resets the run,
// calls solve(), which alone is timed, and looks at rows of distances. It never owns the matrix, so
// a solver may hold it whole, in parts, or not at all.
//
//   Problem ─┐
//            ├─ Solver::plan() → Plan ── memory: bytes needed
//   Execution┘                       └── begin() → Run ── reset(), solve() → Call
//                                                     └── distances()      → Distances
//                                                     (solver/distances.h)
//
// Everything that depends on the graph's structure or weights is part of solve() and of its time.
// Only placing the input in memory is not. Whoever solves without measuring sets
// Execution::keepsPlan: then solve() does not look again for what the plan has found. If the plan
// is for one solve, Execution::once keeps what looking has made, too.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "device/device.h"
#include "ranks/grid.h"
#include "ranks/times.h"
#include "solver/distances.h"
#include "solver/options.h"
#include "solver/outcome.h"
#include "solver/plan.h"
#include "solver/problem.h"

namespace engine {

class Crew;  // several/crew.h

// Facts about a submitted solver and its calls. The engine passes them on, and does not look.
struct Submitted;
struct SubmittedCall;

/// Where a problem is solved, and how.
struct Execution {
  const Device& device;
  Options options = {};
  bool renumbers = false;  ///< Run::reset() will be asked to renumber the vertices
  Crew* crew = nullptr;    ///< the ranks that solve together; null: this process alone
  int sharers = 1;         ///< processes of this machine that take as much memory as this one
  /// The plan looks at the graph, and solve() follows it. Otherwise solve() looks by itself,
  /// because this is a part of the time that is measured.
  bool keepsPlan = false;
  Summarise summarises = Summarise::kNothing;
  /// Takes the rows that solve() cannot keep, in their order, if the method can give them. The
  /// sink's own time is no part of the time of solve().
  RowVisitor sink = nullptr;
  /// With Method::kSparse, of a graph that is held as edges: solve() need not look for an order.
  /// Null: it does.
  std::shared_ptr<const EliminationOrder> order = nullptr;
  /// With a sink and a kept plan, on a CPU: the sink alone takes the rows, even where there is room
  /// to keep them. This holds for methods that find a few rows at a time.
  bool streams = false;
  /// Of whole weights: breadth-first searches keep distances so if Method::kBfs is asked for, or if
  /// there is no room for them as they are. solve() throws DoesNotFit (solver/small_rows.h) if one
  /// is too large. Other methods and ranks keep them as they are, and so does the solver of a graph
  /// that is held as a matrix.
  RowWidth stored = RowWidth::kFull;
  /// With a kept plan: one run follows it, and solves once. If the plan can say where the distances
  /// go without a look at the graph, it does not look. Then Run::reset() looks, and solve() goes on
  /// from what reset() found.
  bool once = false;
};

/// Whether the ranks of a crew solve together, or save what they have.
bool isShared(const Execution& where);

/// How ranks shared a solve.
struct Sharing {
  int ranks = 1;
  int idle = 0;  ///< ranks that did nothing, because one is faster
  Grid grid = {};
  std::vector<RankTimes> each = {};  ///< what they did, by rank; empty if there is one only
};

/// What one call did and how long it took.
struct Call {
  double milliseconds = 0;  ///< of the solving alone
  Outcome outcome = {};
  Sharing sharing = {};
  std::shared_ptr<const SubmittedCall> submitted = nullptr;  ///< see Solver::submitted
};

/// One problem, prepared for one solver.
class Run {
 public:
  virtual ~Run() = default;
  /// Makes ready for solve(), untimed. The vertices are numbered from `first` on, modulo n: another
  /// graph for the solver, as hard as the first. `first` is 0 unless Execution::renumbers.
  virtual void reset(int first = 0) = 0;
  /// Solves, and takes the time of that alone. Throws Error.
  virtual Call solve() = 0;
  /// What the last solve() found, in the problem's own numbering: all distances, or a table of
  /// those that the problem asks for. Valid until reset().
  virtual const Distances& distances() = 0;
};

/// What a solver may be asked for.
struct Capabilities {
  /// The types of weights that it takes.
  std::vector<Dtype> dtypes = {Dtype::kInt32};
  bool narrows = false;      ///< it solves 64-bit weights in int32 if that is exact (narrowing.h)
  bool renumbers = true;     ///< see Run::reset()
  bool options = false;      ///< it obeys Options but for the method
  bool precision32 = false;  ///< it obeys Precision::k32
  bool methods = false;      ///< it obeys Options::method
  bool ranks = false;        ///< it solves on several ranks
  bool threads = true;       ///< on the CPU, it computes with as many threads as --threads says
};

/// What a solver's work is counted in, for tables.
enum class Work {
  kRelaxations,  ///< n³ of them, however it goes about it
  kDistances,    ///< n² of them: it does less than n³ relaxations
};

/// Solves an n×n matrix in the device's memory in place, and takes the time.
using InPlace = std::function<Call(const Device&, int n, Elements matrix, const Options& options)>;

/// A row of the table of solvers.
struct Solver {
  std::string name;  ///< as --kernel and the records name it; unique on its kind of device
  DeviceKind device = DeviceKind::kCpu;
  std::string what;
  std::string source;  ///< the file that holds it
  Capabilities can = {};
  Work work = Work::kRelaxations;
  /// Decides how a problem is solved. Throws Error(kMemory) if that has no room, Error(kUsage) if
  /// the options exclude each other.
  std::function<Plan(const Problem&, const Execution&)> plan;
  InPlace inPlace = nullptr;  ///< the function behind an in-place solver, else empty
  /// Facts about a solver that is no part of this program; null: it is one.
  std::shared_ptr<const Submitted> submitted = nullptr;

  /// The memory that the plan names; and a run that follows the plan, for whoever needs no other.
  Memory memory(const Problem& problem, const Execution& where) const {
    return plan(problem, where).memory;
  }
  std::unique_ptr<Run> prepare(const Problem& problem, const Execution& where) const {
    return plan(problem, where).begin(problem);
  }
};

/// Bytes that an in-place solver allocates itself, beside the matrix.
using OwnMemory = std::function<Memory(int n, Dtype dtype, const Options& options)>;

/// Prepares a run whose distances are those that the problem asks for, and no others. They are
/// picked out of the result of a solver that finds all.
std::unique_ptr<Run> beginAsked(const Plan& plan, const Problem& problem);
inline std::unique_ptr<Run> prepareAsked(const Solver& solver, const Problem& problem,
                                         const Execution& where) {
  return beginAsked(solver.plan(problem, where), problem);
}

/// A row with these texts, and nothing else filled in.
Solver namedRow(std::string name, DeviceKind device, std::string what, std::string source);

/// A row whose solver is a function of the course's signature, on memory of such a device. It takes
/// int32 weights only.
Solver inPlace(std::string name, DeviceKind device, std::string what, std::string source,
               void (*solve)(int n, int* graph));

/// The same of a function that takes weights of these types.
Solver inPlace(std::string name, DeviceKind device, std::string what, std::string source,
               std::vector<Dtype> dtypes, void (*solve)(int n, Elements matrix),
               OwnMemory own = nullptr);

/// A row, filled in but for `plan`, whose solver works on an n×n matrix in place
/// and takes the time itself.
Solver inPlace(Solver row, InPlace solve, OwnMemory own);

/// The same of a solver that only says what it did: the time is taken around it.
using Telling = std::function<Outcome(int n, Elements matrix, const Options& options)>;
Solver inPlace(Solver row, Telling solve, OwnMemory own);

/// Whether the solver computes in that type.
bool takes(const Solver& solver, Dtype dtype);
/// Throws Unsupported if it does not.
void requireDtype(const Solver& solver, Dtype dtype);

/// Throws Unsupported if there are several ranks and the solver runs on one only.
void requireRanks(const Solver& solver, const Crew* crew);

/// What the command line and the records call a Precision, a Tier and a Method, in the order of the
/// enums.
inline constexpr const char* kPrecisionNames[] = {"auto", "16", "32", "64"};
inline constexpr const char* kTierNames[] = {"none",    "int32", "uint16",
                                             "float32", "int64", "float64"};
inline std::string nameOf(Precision p) {
  return kPrecisionNames[static_cast<int>(p)];
}
inline constexpr const char* kMethodNames[] = {"auto",   "dense", "filtered",
                                               "sparse", "bfs",   "search"};
inline constexpr int kMethodsToAskFor = 5;  ///< the first ones
inline std::string nameOf(Method m) {
  return kMethodNames[static_cast<int>(m)];
}
inline std::string nameOf(Tier t) {
  return kTierNames[static_cast<int>(t)];
}

/// The optimised and the naive solvers of this build, those of the GPU first (table.cpp).
const std::vector<Solver>& solverTable();

/// The solver of that name on that kind of device. Throws Error(kGpu) if there is none.
const Solver& findSolver(std::string_view name, DeviceKind device);

/// Solves n×n weights in place in a GPU's memory, on options.stream. It may return before the work
/// is done. Throws Error(kMemory), Error(kGpu).
Outcome solveOnGpu(const Device& gpu, int n, Elements matrix, const Options& options);

/// The rows that run on the GPU: with_cuda.cpp has them, no_cuda.cpp has none.
std::vector<Solver> gpuSolvers();

}  // namespace engine
