// Distances of a vertex from some sources, written as rows of the result.
#pragma once

#include <cstddef>
#include <string>

#include "solver/summing.h"

namespace engine {

/// Sources whose distances lie side by side.
inline constexpr int kTransposed = 32;
static_assert(kTransposed <= kSummedRows);

/// Writes rows as columns: out[c][i] = rows[place[i]][c] over i < count, c < columns; nothing if
/// out is null. Adds the same to the columns of `sums` from `first` on, unless it is null. rows:
/// (any, kTransposed), aligned to 64 bytes. columns ≤ kTransposed. It writes past the caches: each
/// line of the result is written once, and not read before.
template <class T>
using Transpose = void (*)(const int* place, int count, const T* rows, int columns, T* const* out,
                           BlockSums<T>* sums, int first);

/// That of the instruction set "avx512", "avx2", "portable", or "" for the widest of this machine.
/// T: one of the types of weights. Throws Error(kUsage) if this machine lacks it.
template <class T>
Transpose<T> findTranspose(const std::string& simd = "");

/// Writes a number `count` times, past the caches.
template <class T>
void fillRow(T number, std::size_t count, T* row);

}  // namespace engine
