// How a result is verified, and what came of it.
#pragma once

#include <string>
#include <vector>

#include "base/graph.h"
#include "base/tolerance.h"
#include "solver/range.h"
#include "solver/solver.h"

using namespace engine;

/// What --verify asks for.
struct VerifyOptions {
  enum class Oracle { kNone, kRef, kApsp, kDijkstra, kBellman } oracle = Oracle::kNone;
  int rows = 16;  ///< rows that Dijkstra's algorithm or Bellman's equation checks; n or more: all
  bool negative = false;  ///< weights may be negative; then the oracle is kNone or kBellman
};

/// The options for a graph whose weights may be negative. Oracles that solve would share the
/// potentials with what they verify: in their place Bellman's equation checks all rows. Throws
/// Error(kUsage) if an oracle was asked for by a name that takes no negative weights.
VerifyOptions withNegativeWeights(VerifyOptions options);

/// The oracles by name: ref, apsp, dijkstra and bellman.
std::vector<std::string> oracleNames();

/// "ref", "apsp", "dijkstra", "dijkstra:ROWS", or the same with "bellman"; "" is no verification.
/// Throws Error(kUsage).
VerifyOptions parseVerify(const std::string& text);

/// The name of the solver whose distances are expected from this one; "" if none does, or
/// only this one itself, which is never its own oracle.
std::string solverThatVerifies(const VerifyOptions& options, const std::string& solver);

/// What was compared with what, and what came of it.
struct Verdict {
  std::string
      how;  ///< "ref", "dijkstra:16", "bellman:16", of reals "ref±1.2e-07/edge"; "" = not verified
  Mismatch mismatch;
  bool passed() const { return !how.empty() && mismatch.count == 0; }
  bool failed() const { return mismatch.count != 0; }
};

/// "ref" or "ref±1.2e-04": the oracle and the tolerance, unless that is 0.
std::string within(const std::string& oracle, double tolerance);
/// "ref" or, of reals, "ref±1.2e-07/edge": what each edge of a path adds to the tolerance. solvers:
/// as errorOfEdge() takes it.
std::string withinOfEdges(const std::string& oracle, Dtype dtype, int solvers);

/// Compares whole rows of the distances with Dijkstra's: every row if rows ≥ n, else those of
/// `rows` different sources, drawn anew each time. A true distance that reaches infinity is
/// expected as infinity; checkRange() refuses it. Reals may be too large by what the edges of the
/// path explain that Dijkstra's algorithm found, and too small by what a path of that length does.
Verdict verifyByDijkstra(const Graph& graph, const Distances& distances, int rows);
