// Ranks that are threads of this process.
#pragma once

#include <functional>

#include "ranks/ranks.h"

/// Calls body() on `count` threads at once, each with its own rank, and returns when all have
/// returned. If one throws or abandons the others, their next call of their ranks throws, too; this
/// then throws what came first.
void runOnThreads(int count, const std::function<void(Ranks&)>& body);

/// This thread as the only rank.
std::unique_ptr<Ranks> onlyRank();
