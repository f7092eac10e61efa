// What rows of distances in a GPU's memory come to.
#pragma once

#include <memory>

#include "solver/summing.h"

namespace engine {

/// As summingFor(), of rows in a GPU's memory: their vertices follow one another, and so do those
/// of the columns. Also finds the hashes. It and its calls throw Error(kMemory), Error(kGpu).
std::unique_ptr<Summing> summingOnGpu(const Distances& shape);

}  // namespace engine
