// Where and from what this program runs.
#pragma once

#include <string>

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

/// A 64-bit FNV-1a hash as 16 hexadecimal digits, for a short file name in the result store. Two
/// texts may have the same one: to identify a content, use sha256().
std::string textHash(const std::string& text);
