// Sources that resemble each other, by fingerprints of their tokens. This is for the eyes of a
// teacher: short programs that do the same are similar anyway.
//
// S. Schleimer, D. Wilkerson, A. Aiken: Winnowing: local algorithms for document fingerprinting.
// SIGMOD 2003.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grade/archive.h"

using Fingerprints = std::set<std::uint64_t>;

/// The fingerprints of the sources and headers of a hand-in. Comments, blanks, and the names of
/// variables and functions do not matter.
Fingerprints fingerprintsOf(const Files& files);

/// Two hand-ins that share many fingerprints.
struct NearCopies {
  std::size_t a, b;    ///< their places in the list
  std::size_t shared;  ///< fingerprints
  double percent;      ///< of those of the one that has fewer
};

/// The pairs that share most of their fingerprints, the most similar first. What more than half of
/// the hand-ins have, and at least four, does not count: it was probably given to them.
std::vector<NearCopies> nearCopies(const std::vector<Fingerprints>& all);
