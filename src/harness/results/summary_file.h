// A summary of distances as text and as a file.
#pragma once

#include <string>

#include "io/output.h"
#include "paths/summary.h"

/// "diameter 60, radius 33, mean distance 21.7 over 9,900 pairs". A table has no diameter, but a
/// largest distance.
std::string summaryText(const Summary& summary);

/// Writes a line for each vertex as CSV, and commits. names: as Graph::names.
void writeSummary(OutputFile& out, const Summary& summary, const std::string& names);
