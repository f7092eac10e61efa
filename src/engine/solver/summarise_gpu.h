// What rows of distances in a GPU's memory come to.
#pragma once

#include <memory>

#include "solver/summing.h"

namespace engine {

/// As summingFor(), of rows in a GPU's memory: their vertices follow one another, and so do those
/// of the columns. hashes: whether they are found, too; else they are 0. It and its calls throw
/// Error(kMemory), Error(kGpu).
std::unique_ptr<Summing> summingOnGpu(const Distances& shape, bool hashes);

}  // namespace engine
