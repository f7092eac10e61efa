// The way down as a list of records, which say everything that a warp would otherwise find out:
// which rows it reads, and which of them it has in shared memory.
//
// A row of distances is read a few times, most often soon after it was written. A warp has room for
// few rows in shared memory, and waits much longer for all others. Both the order of its steps and
// the rows that they read are known before, so the best choice is known, too: if there is no room,
// the row goes that is read again last (Belady's algorithm).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sparse/descent.h"

namespace engine::sparse {

/// Two arcs of a step. A step with more arcs has several records, one after the other. An arc that
/// is missing has an infinite weight and reads place 0, which always holds distances. A GPU copies
/// it by 16 bytes: with weights of 64 bits, 8 of its 48 bytes say nothing.
template <class T>
struct alignas(16) Record {
  std::uint32_t vertex, position;  ///< whose row it is
  T weight[2];
  std::uint32_t from[2];  ///< the place of the row that is read, in bytes, or its vertex
  std::uint32_t keep;     ///< the place for the finished row, in bytes
  std::uint32_t flags;
};

/// Of a record: it is the last of its step.
inline constexpr std::uint32_t kLast = 1;
/// Of the last record of a step: some step reads its row from memory.
inline constexpr std::uint32_t kReadBack = 8;
/// For arc k, shifted by k: its row is in memory. Then the place that takes it is in the flags,
/// too.
inline constexpr std::uint32_t kFromMemory = 2;
inline constexpr int kPlaceShift = 8, kPlaceBits = 12;  ///< of arc k: kPlaceShift + k · kPlaceBits
inline constexpr std::uint32_t kPlaceMask = (1u << kPlaceBits) - 1;
/// Places, at the most. One more takes the rows that are not kept.
inline constexpr int kMostPlaces = 32;
/// Records are read in blocks of so many, one block ahead. Each share is filled up to whole blocks
/// with records of no step, and one such block follows the last share.
inline constexpr int kReadAhead = 16;

/// Memory for so many records.
template <class T>
using RoomForRecords = std::function<Record<T>*(std::size_t count)>;

/// The places for rows that a warp has in shared memory, and the bytes of each.
struct Places {
  int count, size;
};

/// Writes the records of a descent along the arcs `down`, and returns where those of each share
/// begin, and the end. vertex: as verticesOf() tells. room: is called once, before any record is
/// written. threads: at most. No row is kept from one share to the next, nor from one part of a
/// share (2048 steps) to the next.
template <class T>
std::vector<int> writeRecords(const SweepArcs<T>& down, const std::vector<std::uint32_t>& vertex,
                              const Descent& descent, const Places& places,
                              const RoomForRecords<T>& room, int threads);

}  // namespace engine::sparse
