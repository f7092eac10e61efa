// What was recorded of the course reports on an H100, for whom there is no GPU. The program carries
// these files along.
#pragma once

#include <string>
#include <vector>

#include "io/csv.h"

/// The steps of these reports, and a table for each of these sizes, from results/h100/ladder.csv.
/// No letters: all reports. "" if none of the sizes was measured.
std::string recordedLadder(const std::vector<int>& sizes, const std::vector<std::string>& letters);

/// The rows of results/h100/reduce.csv; none if the program was built without the file.
const std::vector<Row>& recordedReduction();

/// The line above recorded rows (1 or more).
std::string recordedOn(const std::vector<Row>& rows);
