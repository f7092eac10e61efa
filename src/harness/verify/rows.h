// What oracles of single rows have in common.
#pragma once

#include <vector>

#include "device/device.h"

using namespace engine;

/// `count` different numbers below n in ascending order, drawn afresh; all if count ≥ n.
std::vector<int> drawRows(int n, int count);

/// Adds the mismatches of one row to those of others. The first by row remains the one shown.
void add(Mismatch& all, const Mismatch& row);
