// What long work shows of itself on standard error: what it is, how much of it is done, for how
// long, and about how long it has to go. At a terminal that is one line, rewritten a few times a
// second from when a piece of work has taken over a second until it ends. Elsewhere nothing is
// printed unasked. SIGUSR1 asks for one line anywhere. Whoever prints does so while no work is
// under way: the line is gone then.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/progress.h"

using namespace engine;

/// From now on there is a line at a terminal, and one for each SIGUSR1. Without this, work shows
/// nothing.
void showProgress();

/// Erases the line and draws no other one.
void endProgress();

/// Wipes the line out, where there is one. Async-signal-safe.
void eraseProgress();

/// "apsp: reading g.gr: 43 %, 2.1 s so far, about 2.8 s left", in the characters of the locale.
/// Less than 1 % is not said. works: outermost first, at least one. If the line takes more than
/// `width` columns, its name is shortened().
std::string progressLine(const std::vector<WorkState>& works,
                         std::size_t width = std::string::npos);

/// "2.1 s", "45 s", "3 min 20 s", "2 h 5 min".
std::string durationText(double seconds);
