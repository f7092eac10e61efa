// The ways that are looked at on a CPU and on a GPU, one after the other, which of them is taken,
// and whether it has room.
#pragma once

#include <memory>
#include <optional>

#include "plan/choice.h"
#include "plan/looks.h"

namespace engine::plan {

/// The way that is expected to be the fastest. first.outlook, first.toBeat and first.levels become
/// what was found on the way.
Way wayOnCpu(const Wanted& wanted, First& first);
Way wayOnGpu(const Wanted& wanted, First& first);

/// How ranks find the rows of a band each, if that is expected to be clearly faster than
/// first.toBeat. band: see bandWayIfFaster().
std::optional<BandWay> bandOnCpu(const Wanted& wanted, First& first, const Problem& band);
/// The same on GPUs. Searches by levels must take less than one GPU alone would take by other
/// methods, which is more than ranks take together.
std::optional<BandWay> bandOnGpu(const Wanted& wanted, First& first);

/// Whether the hierarchy has room: where the dense solver has, or on a CPU beside the matrix.
bool hasRoom(const Wanted& wanted, const Survey& survey);

}  // namespace engine::plan
