// Grades as text for people.
#pragma once

#include <string>

#include "grade/rows.h"

/// The ranking, with the reason below each submission that has no rank, and the medians at each
/// size if there are several. The ranking is at most 80 columns wide. Verdicts are green, yellow
/// if something was disturbed or warned of, or red.
std::string gradeTable(const GradeRows& rows);

/// The pairs of hand-ins whose sources resemble each other, and have not the same content; "" if
/// there are none.
std::string nearCopiesTable(const Graded& graded);

/// For each hand-in with points their lines: points, the most, and why.
std::string pointsTable(const Graded& graded);
