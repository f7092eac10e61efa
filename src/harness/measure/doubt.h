// Whether the time of a submission can be believed. The clock is ours
// (src/course/submission/channel.h), so a submission cannot forge it; but some times tell nothing.
#pragma once

#include <string>

#include "measure/record.h"

/// Why the time of a submission does not count, in one line; "" if it does. It must be finite, and
/// longer than any solver takes to read and write the matrix. On a GPU no other process may
/// compute meanwhile.
std::string doubtOf(const Record& record);

/// Why nothing is to be timed on a device now, in one line; "" if nothing is in the way. Under MPS
/// others can compute on the GPU at the same time, and nobody would know.
std::string obstacleTo(const Clocks& now);

/// Says that the submission's own process measured a much shorter or longer time than ours, in
/// every call; "" if not. The time still counts, because it is ours. On a busy machine the two
/// differ by themselves, and so may those of some calls: then nothing is said.
std::string disputeOf(const Record& record);
