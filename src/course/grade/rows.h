// The CSV files of grades: a row for each hand-in, and beside it a row for each size.
#pragma once

#include <string>
#include <vector>

#include "grade/graded.h"
#include "io/csv.h"

/// The file of the sizes: "grades.sizes.csv" for "grades.csv".
std::string sizesFile(const std::string& csv);

/// Both files with their headers. Text from hand-ins has no control characters, and begins with an
/// apostrophe where a spreadsheet would take it for a formula.
std::string gradesCsv(const Graded& graded);
std::string sizesCsv(const Graded& graded);

/// Throws Error(kOutput) if one of the two files exists with another header: they are replaced.
void requireOurs(const std::string& csv);

/// Throws Error(kUsage) if writing these grades to the file would drop points, or hand-ins that are
/// not in the folder any more, and the options do not say so.
void requireNothingLost(const Graded& graded);

/// Whether the file of these grades has a submission with the same name and another digest.
bool hasOtherContents(const Graded& graded);

/// Whether a file begins with the header of a file of grades, or of one of an earlier version.
bool isGrades(const std::string& path);

/// The rows of both files of grades.
struct GradeRows {
  std::vector<Row> grades, sizes;
};
GradeRows rowsOf(const Graded& graded);

/// Reads a file of grades and the file of sizes beside it; no rows of sizes if that is missing.
/// Throws Error(kInput) if one is damaged, or if an earlier version wrote it.
GradeRows readGrades(const std::string& csv);
