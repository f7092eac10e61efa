// Records of the same points measured twice, say by two revisions: what got faster, what slower.
//
// The rule. A point's spread is the range from its fastest repetition to its slowest. B is slower
// than A where its fastest took longer than A's slowest, and faster where its slowest took less
// than A's fastest; where the ranges touch, the difference is noise. How large it is, the medians
// tell. The ranges of one and the same program come apart by chance, too: of five repetitions each
// one time in 126, of three one in 10. Fewer are not judged.
#pragma once

#include <string>
#include <vector>

#include "measure/record.h"

/// A file of records and what it is called.
struct Side {
  std::string name;
  std::vector<Row> rows;
};

enum class Change { kFaster, kSlower, kNoise, kTooFew, kWrong, kOnlyA, kOnlyB };

/// One point, as either side has it.
struct Compared {
  const Row *a = nullptr, *b = nullptr;  // null where the side lacks it; owned by the Side
  Change change = Change::kNoise;
  double percent = 0;  ///< how much longer B's median takes than A's; 0 where there are not both
};

/// The points of both sides by device, graph, solver and n. A point is the same on both where graph
/// (its hash), type, solver with its options, and device are; revision, driver and number of
/// repetitions may differ. Of several records of a point the last counts. Throws Error(kInput)
/// naming side and point where a time is no number, or no median between minimum and maximum.
std::vector<Compared> compareRecords(const Side& a, const Side& b);

/// The table of them, in 80 columns, and how many of each there are.
std::string comparisonTable(const std::vector<Compared>& points);

/// Whether B is wrong, or slower than A beyond the noise and by more than so many percent.
bool isRegression(const Compared& point, int percent);
