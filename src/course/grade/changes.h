// Two gradings of the same hand-ins, for example before and after an appeal.
#pragma once

#include <string>

#include "grade/rows.h"

/// A line for each hand-in of A and B: its points, rank and verdict in both, and how much longer
/// its time at the largest size is in B. A hand-in is the same if its name is, or if both know the
/// id of its student. A count of what changed follows, and the names of those whose rank rose or
/// fell, or whose verdict changed.
std::string changesTable(const GradeRows& a, const GradeRows& b);
