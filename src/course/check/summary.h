// A check as text, CSV and JSON.
#pragma once

#include <string>
#include <vector>

#include "check/result.h"

/// The table of families and sizes, of a partial check what it came to, warnings, the diagnosis,
/// the witness, and the failure of each family at its smallest n. At most 80 columns wide. Names
/// and messages may be wider if standard output is no terminal, and the witness's command always.
std::string checkText(const Check& check);

/// For a file in place of the witness: why there is none, and the smallest graph that failed, which
/// there must be.
std::string noWitnessText(const Check& check);

/// What failed, and why the witness could not be written, in one line.
std::string checkSummary(const Check& check);

/// The CSV header, and a line for a check.
std::string checkCsvHeader();
std::string checkCsvRow(const Check& check);

/// All checks with all their cells as JSON.
std::string checkJson(const std::vector<Check>& checks);
