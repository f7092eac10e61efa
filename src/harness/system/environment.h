// Where and from what this program runs.
#pragma once

#include <string>

#include "base/text_hash.h"

/// Version of this program, "1.0.0".
std::string programVersion();

/// The git revision it was built from, "" outside a repository; and the hash of what differed from
/// it then,
/// "" where nothing did.
std::string gitRevision();
std::string gitDirty();

/// "(revision abc1234; CUDA 13.0, sm_90)" or "(…; without CUDA)".
std::string buildDescription();

std::string hostName();

/// "123_4" for task 4 of the array job 123, "123" for a plain job, "" outside Slurm.
std::string slurmJob();

/// Now, as 2026-01-31T12:34:56Z.
std::string timestamp();
