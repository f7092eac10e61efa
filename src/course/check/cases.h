// The graphs of a check: which families, sizes, seeds and weights, and in which order.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "generate/families.h"

/// The sides of tiles that solvers are known to use. 39 and 78 fill the shared memory of some GPUs.
inline constexpr int kTileSides[] = {16, 24, 32, 39, 48, 64, 78, 96, 128, 192, 256};

/// What to check, and how thoroughly.
struct CheckOptions {
  enum Depth { kQuick, kNormal, kFull } depth = kNormal;
  bool general = false;   ///< all graphs that apsp.h allows; else those of the course: complete,
                          ///< with weights of 0…100000
  bool negative = false;  ///< instead, the families with negative weights
  bool vary = true;       ///< before each graph, solve another one of the same size, the decoy
  int most = 2500;        ///< the largest n
  /// One of the sizes is drawn with this seed, and so are the graphs of that size: a solver cannot
  /// know them before. 0: none is drawn, and all checks solve the same graphs.
  std::uint64_t seed = 0;
  double seconds = INFINITY;  ///< that all calls together may take; the rest is then left out
  std::string witnessDir;     ///< where to write the smallest graph that fails; "": do not
  std::string witnessFormat = "bin";  ///< its format, a name for writeGraph()
};

/// The contracts, "course", "general", "negative".
inline constexpr const char* kContracts[] = {"course", "general", "negative"};
/// The name of the contract that is asked for.
inline const char* contractOf(const CheckOptions& options) {
  return kContracts[options.negative ? 2 : options.general ? 1 : 0];
}

/// One graph of a check.
struct CheckCase {
  Spec spec;
  bool again = false;  ///< a small graph directly after a large one
  bool decoy = false;  ///< solved before each of the other graphs of its size
};

/// The graphs that are solved, in their order. Each decoy is there once; it is
/// solved when the first graph of its size is.
std::vector<CheckCase> casesOf(const CheckOptions& options);

/// The size that the seed draws; 0 without a seed.
int drawnSize(const CheckOptions& options);

/// A graph of n vertices that differs from all others of a check.
Spec decoyOf(int n);

/// A line for each family of the contract: its name, and the mistakes that it catches.
std::string checkFamilies(const CheckOptions& options);
