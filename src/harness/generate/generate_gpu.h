// Generated graphs in GPU memory: whole, or a block of the matrix.
#pragma once

#include "generate/families.h"

namespace engine {
struct MatrixBlock;  // device/matrix_block.h
}

/// Writes the block of the matrix of a spec, on the default stream. Throws Error(kGpu).
void generateOnGpu(const Spec& spec, const MatrixBlock& block);
