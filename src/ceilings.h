// What a device can do at most, as bench/ceilings measured it: the walls that results are compared
// with.
#pragma once

#include <string>

#include "apsp.h"

/// The recipe of bench/ceilings that is the wall of each Tier, in the order of the enum: the plain
/// one that the solver's inner loop is made of.
inline constexpr const char* kWallRecipes[] = {"", "int32/viaddmin", "uint16/viaddmin",
                                               "float32/fadd_vimin3"};

/// The name of a device's folder in results/: "h100" of "NVIDIA H100 80GB HBM3", else the whole
/// name in lower case; "cpu" of every CPU. kind: "gpu" or "cpu".
std::string shortDeviceName(const std::string& kind, const std::string& name);

/// Relaxations per second at the wall of a tier, out of the ceilings.json that Google Benchmark
/// wrote. 0 where the file is missing, broken or of another device than the one of that full name,
/// and in a build without nlohmann-json.
double readWall(const std::string& path, const std::string& deviceName, Tier tier);
