// How a result is verified, and what came of it.
#pragma once

#include <string>

#include "graph.h"
#include "kernels.h"

/// What --verify asks for.
struct VerifyPlan {
  enum class Oracle { kNone, kRef, kDijkstra } oracle = Oracle::kNone;
  int rows = 16;  ///< sources that Dijkstra checks; n or more: all of them
};

/// "ref", "dijkstra" or "dijkstra:ROWS"; "" is no verification. Throws Error(kUsage).
VerifyPlan parseVerify(const std::string& text);

/// What was compared with what, and what came of it.
struct Verdict {
  std::string how;  ///< "ref", "dijkstra:16"; "" = not verified
  Mismatch mismatch;
  bool passed() const { return !how.empty() && mismatch.count == 0; }
  bool failed() const { return mismatch.count != 0; }
};

/// Compares whole rows of the n×n distances (host memory) with Dijkstra's: every row where rows ≥
/// n, else those of `rows` different sources drawn afresh. A true distance of kInf or more is
/// expected as kInf (checkRange() is what refuses it).
Verdict verifyByDijkstra(const Graph& graph, const int* distances, int rows);

/// Throws Error(kInput) where a pair is marked unreachable because its distance reached kInf.
/// `input` and `output` tell of the graph and of the distances that `kernel` made of it.
/// Where (n − 1)·max weight < kInf no distance can; where no pair is unreachable none has.
/// Otherwise the same graph with every weight 0 is solved, in a matrix of its own: what is
/// reachable there and kInf here was too far.
void checkRange(const Kernel& kernel, const DeviceMatrix& graph, const Tally& input,
                const Tally& output);
