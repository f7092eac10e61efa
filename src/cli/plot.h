// A sweep's picture, drawn by scripts/plot.py.
#pragma once

#include <string>

/// Draws records, as CSV text, to `base`.png and `base`.svg. Throws Error(kOutput) with what
/// scripts/plot.py says where it fails: no Python, no matplotlib, a folder that is not there.
void drawSweep(const std::string& csv, const std::string& base);
