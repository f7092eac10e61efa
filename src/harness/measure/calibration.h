// What the methods cost on this machine's CPU: measured once, and kept in the user's cache.
#pragma once

#include <string>

#include "solver/costs.h"

using namespace engine;

/// Times one problem for each method beside what is expected of it. It takes about a second, and
/// leaves cpuCosts() as if nothing were known.
Costs measureCosts();

/// Writes the factors to the user's cache. Later runs on this CPU with the same number of threads
/// read them there. Returns the file's path. Throws Error(kOutput).
std::string keepCosts(const Costs& costs);

/// Sets cpuCosts() to what was kept. Does nothing if there is none, or if it cannot be read.
void useKeptCosts();
