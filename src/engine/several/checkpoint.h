// Checkpoints of a solve on several ranks. They need no coordination: each rank saves its part when
// it likes, and a later run with any number of ranks goes on from what it finds.
//
// Why this is right. After round p, an entry D(i,j) is the length of some walk from i to j, and no
// longer than any path whose inner vertices are in the first p + 1 blocks. Entries only fall, and
// stay lengths of walks. Therefore an entry of a later round will do for an earlier one, and parts
// that were saved after different rounds satisfy together what holds after the earliest. An entry
// of 32767 from a solve in 16 bits is no such length. It does no harm, because it is known that all
// distances are shorter.
#pragma once

#include <cstdint>
#include <string>

#include "several/part.h"

namespace engine {

/// What a saved part belongs to.
struct SavedGraph {
  int n = 0;
  Dtype dtype = Dtype::kInt32;
  std::uint64_t hash = 0;  ///< as GraphStats has it
};

/// Writes a part into a file of the folder, whole or not at all. pivots: vertices whose rounds are
/// done. Throws Error(kOutput).
void savePart(const std::string& folder, const SavedGraph& graph, const Part& part, int pivots);

/// Replaces what a part holds by what the folder's files have of it. Returns how many pivots are
/// done in all of it: 0 if some of it is in no file. Throws Error(kInput) if a file is broken or
/// belongs to another graph.
int loadPart(const std::string& folder, const SavedGraph& graph, Part& part);

/// Removes the saved parts of a folder.
void removeParts(const std::string& folder);

}  // namespace engine
