// Small matrices as text: a graph, its distances, and what a solver found.
#pragma once

#include <string>

#include "base/graph.h"

using namespace engine;

/// The three n×n matrices with the numbers of their rows and columns, side by side or one below the
/// other, in at most 80 columns of ASCII. A * marks the wrong entries of `got`. Of large matrices,
/// only some rows and columns with wrong entries are shown.
std::string matricesText(const Matrix& input, const Matrix& expected, const Matrix& got);
