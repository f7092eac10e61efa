// What rows of distances in a GPU's memory come to.
#pragma once

#include "base/elements.h"
#include "solver/distances.h"

namespace engine {

/// Appends the summaries of `count` rows, from vertex `first` on, and adds them to those of the
/// columns, of which there are to.columns.size(), from vertex `target` on. rows: (count, columns)
/// in device memory. Throws Error(kMemory), Error(kGpu).
void summariseOnGpu(int target, int first, int count, ConstElements rows, Summaries& to);

}  // namespace engine
