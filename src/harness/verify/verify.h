// How a result is verified, and what came of it.
#pragma once

#include <string>
#include <vector>

#include "base/graph.h"
#include "base/tolerance.h"
#include "solver/solver.h"

/// What --verify asks for.
struct VerifyPlan {
  enum class Oracle { kNone, kRef, kApsp, kDijkstra, kBellman } oracle = Oracle::kNone;
  int rows = 16;  ///< rows that Dijkstra's algorithm or Bellman's equation checks; n or more: all
  bool negative = false;  ///< weights may be negative; then the oracle is kNone or kBellman
};

/// The plan for a graph whose weights may be negative. Oracles that solve would share the
/// potentials with what they verify: in their place Bellman's equation checks all rows. Throws
/// Error(kUsage) if an oracle was asked for by a name that takes no negative weights.
VerifyPlan withNegativeWeights(VerifyPlan plan);

/// The oracles by name: ref, apsp, dijkstra and bellman.
std::vector<std::string> oracleNames();

/// "ref", "apsp", "dijkstra", "dijkstra:ROWS", or the same with "bellman"; "" is no verification.
/// Throws Error(kUsage).
VerifyPlan parseVerify(const std::string& text);

/// The name of the solver whose distances are expected from this one; "" if the plan has none, or
/// only this one itself, which is never its own oracle.
std::string solverThatVerifies(const VerifyPlan& plan, const std::string& solver);

/// What was compared with what, and what came of it.
struct Verdict {
  std::string
      how;  ///< "ref", "dijkstra:16", "bellman:16", of floats "ref±1.2e-04"; "" = not verified
  Mismatch mismatch;
  bool passed() const { return !how.empty() && mismatch.count == 0; }
  bool failed() const { return mismatch.count != 0; }
};

/// "ref" or "ref±1.2e-04": the oracle and the tolerance, unless that is 0.
std::string within(const std::string& oracle, double tolerance);

/// Compares whole rows of the distances with Dijkstra's: every row if rows ≥ n, else those of
/// `rows` different sources, drawn anew each time. A true distance of infinity (a word) or more is
/// expected as infinity; checkRange() refuses it.
Verdict verifyByDijkstra(const Graph& graph, const Distances& distances, int rows);

/// Throws Error(kInput) if a pair is marked unreachable only because its distance reached infinity:
/// kInf, or more than a float32 holds.
/// `output` counts what the solver found; its maxWeight is the largest distance below infinity.
///
/// Let W be the larger of 0 and the heaviest weight, and h the absolute value of the least
/// potential (0 if no weight is negative). No distance can be too large in three cases. First:
/// every pair is reachable. Second: (n − 1)·W + h is below infinity, because a shortest path has at
/// most n − 1 edges, and reweighting makes it longer by at most h (negative/shift.h). This
/// is known before anything is solved. Third: the largest distance found, or 0, plus W + h is below
/// infinity. For on a shortest path that is too long, take the first vertex that has no distance.
/// The vertex before it has its true distance, the edge between them adds W at most, and
/// reweighting h.
///
/// (Floats: below half of infinity, whatever their rounding.) Otherwise the solver solves the same
/// graph with every weight 0, in a matrix of its own: a pair that is reachable there and not in
/// `output` is too far. The last of these proofs looks at whole rows, so it does not hold if only
/// some targets are asked for. unreachable: pairs that are marked so. leastPotential: −h.
void checkRange(const Solver& solver, const Problem& problem, const Execution& where,
                const GraphStats& input, const GraphStats& output, std::uint64_t unreachable,
                int leastPotential = 0);
