// The plain triple loop on the CPU. The tests compare every other solver with it: it shares no code
// with them and is never optimised.
#pragma once

#include "base/elements.h"

namespace engine {

/// Solves n×n weights in place in host memory, as apsp.h says, on one thread.
void apspScalar(int n, Elements graph);

}  // namespace engine
