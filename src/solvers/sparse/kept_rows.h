// Which rows a warp keeps in shared memory on its way down, and where.
//
// A row of distances is read a few times, most often soon after it was written. A warp has room for
// few rows in shared memory, and waits much longer for all others. Both the order of its steps and
// the rows that they read are known before, so the best choice is known, too: if there is no room,
// the row goes that is read again last (Belady's algorithm).
#pragma once

#include <cstdint>

#include "solvers/sparse/descent.h"

namespace sparse {

/// In a word of keepRows(), bits for a vertex, one that says whether its row is kept when the word
/// is met, and five for a place.
inline constexpr std::uint32_t kKept = 1u << 26, kVertex = kKept - 1;
inline constexpr int kPlaceShift = 27;
/// The place of a row that is not kept. Places are below it.
inline constexpr int kNoPlace = 31;

/// Rewrites the vertices of steps and the heads of arcs as such words. The row of a head is in its
/// place if kKept is set; otherwise it is read from memory and then kept in the place, if there is
/// one. The row of a step is kept there when it is finished. Nothing is kept from share to share.
/// places: at most kNoPlace. Throws Error(kMemory) if a vertex is greater than kVertex.
template <class T>
void keepRows(Descent<T>& descent, int places);

}  // namespace sparse
