// A summary of distances as text and as a file.
#pragma once

#include <string>

#include "io/output.h"
#include "paths/histogram.h"
#include "paths/summary.h"

/// "diameter 60, radius 33, mean distance 21.7 over 9,900 pairs". A table has no diameter, but a
/// largest distance.
std::string summaryText(const Summary& summary);

/// "global efficiency 0.0589, Wiener index 215,000"; of a table "efficiency 0.0589, sum of
/// distances 215,000".
std::string measuresText(const Summary& summary);

/// Writes a line for each vertex as CSV, and commits. names: as ReadReport::names.
void writeSummary(OutputFile& out, const Summary& summary, const std::string& names);

/// Writes a line for each bin as CSV, a last one for the pairs without a path if there are any, and
/// commits.
void writeHistogram(OutputFile& out, const Histogram& histogram);
