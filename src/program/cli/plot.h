// The picture of a sweep, which scripts/plot.py draws.
#pragma once

#include <string>

/// Draws records, as CSV text, to `base`.png and `base`.svg. Throws Error(kOutput) with the
/// message of scripts/plot.py if it fails: no Python, no matplotlib, a missing folder.
void drawSweep(const std::string& csv, const std::string& base);
