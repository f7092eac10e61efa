// Min-plus products of tiles on the CPU: the arithmetic of the blocked solver (blocked_cpu.cpp) and
// of its distributed sibling (several/part_cpu.cpp).
//
// A tile is kTile × kTile weights, row-major and contiguous. Whatever is outside the matrix is
// infinite, which lowers nothing.
#pragma once

#include <string>

#include "base/dtype.h"

namespace engine::tiles {

constexpr int kTile = 64;  // pivots per round; the width, height and row stride of a tile

/// C = min(C, A ⊗ B) within tiles: C is rows×columns, A rows×depth, B depth×columns, all with row
/// stride kTile. Rows and columns are rounded up to multiples of the micro kernel's. C may be A, B
/// or both. It prefetches the tile after C, which need not exist.
template <class T>
using Relax = void (*)(int rows, int columns, int depth, T* c, const T* a, const T* b);

/// The micro kernel for the instruction set `simd`: "avx512", "avx2", "portable", or "" for the
/// widest of this machine. Throws Error(kUsage) if this machine lacks it.
template <class T>
Relax<T> findRelax(const std::string& simd = "");

/// Closes a pivot tile of `extent` vertices: it becomes the distances within its vertices.
template <class T>
void close(Relax<T> relax, int extent, T* d);

}  // namespace engine::tiles
