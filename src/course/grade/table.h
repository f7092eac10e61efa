// Grades as text for people.
#pragma once

#include <string>

#include "grade/rows.h"

/// The ranking, with the reason below each submission that has no rank, and the medians at each
/// size if there are several. The ranking is at most 80 columns wide. Verdicts are green, yellow
/// if something was disturbed or warned of, or red.
std::string gradeTable(const GradeRows& rows);

/// For each hand-in with points their lines: points, the most, and why.
std::string pointsTable(const Graded& graded);
