// Whether distances fit into their type.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "solver/options.h"
#include "solver/solver.h"

namespace engine {

/// Some distances that their type does not hold. what() names the first such pair by its numbers.
struct TooFar : RangeError {
  std::string facts;   ///< what() before the pair
  int source, target;  ///< of the pair: vertices

  TooFar(const std::string& told, int from, int to);
};

/// what() of the error, with vertices as nameOf() calls them.
std::string tooFarText(const TooFar& error, const std::function<std::string(int vertex)>& nameOf);

/// What to do about distances that a type does not hold, for messages: "take i64 weights, or ".
const char* widerThan(Dtype dtype);
/// What distances must be below, for messages: 1073741823, for example.
std::string limitText(Dtype dtype);

/// Whether a shortest path with edges of that weight can be so long. n: vertices; depth: see h
/// below.
bool mayReachInfinity(int n, Dtype dtype, double heaviest, double depth = 0);

/// Whether a solved matrix proves by its row 0 and its column 0 that no distance is too large for
/// its type. That takes little time: 2n distances are read, not n². Let R be the largest distance
/// from vertex 0, and C the largest distance to it. If none of them is missing, every vertex
/// reaches every other over vertex 0, and no distance is above R + C. Reweighting adds h at most
/// (see below). distances: n×n, in the memory of such a device. depth: h. Waits for the work on the
/// stream.
bool fitThroughFirst(DeviceKind where, int n, ConstElements distances, double depth = 0,
                     CUstream_st* stream = nullptr);

/// Throws TooFar if a pair is marked unreachable only because its distance reached infinity: that
/// of its type, or more than a real number of it holds. Of these pairs it names the one whose row
/// comes first, and in that row the one whose column does. `found` is what the solver found.
/// `output` counts it; its maxWeight is the largest distance below infinity.
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
                const GraphStats& input, const Distances& found, const GraphStats& output,
                std::uint64_t unreachable, double leastPotential = 0);

/// Throws RangeError if a pair of a solved matrix in a GPU's memory is marked unreachable only
/// because its distance reached infinity. The weights were not negative. distances: n×n. Waits for
/// the work on the stream. Throws Error(kMemory), Error(kGpu).
///
/// The weights are gone, and what was found is enough. Let D be the largest distance below
/// infinity. Take a shortest path that is too long, and the first vertex on it that has no
/// distance. The vertex before it has its true distance. The edge between them is a shortest path,
/// too, so its weight is a distance that was found. Therefore nothing is too far if D + D is below
/// infinity. Otherwise take all pairs that have a distance. Every edge is among them, and each of
/// them is reachable. So all reachable pairs are among them if no two of them, one after the other,
/// lead to a pair that is not.
void requireRangeOnGpu(int n, ConstElements distances, CUstream_st* stream);

}  // namespace engine
