// What a device can do at most, as bench/ceilings measured it: the walls that results are compared
// with.
#pragma once

#include <string>

#include "apsp.h"

/// The benchmark of bench/ceilings that is the wall of a tier: of its recipes the plain one.
inline std::string wallRecipe(Tier tier) {
  constexpr const char* kRecipes[] = {"", "int32/viaddmin", "uint16/viaddmin",
                                      "float32/fadd_vimin3"};  // in the order of the enum
  return kRecipes[static_cast<int>(tier)];
}

/// The name of a device's folder in results/: "h100" of "NVIDIA H100 80GB HBM3", else the whole
/// name in lower case; "cpu" of every CPU. kind: "gpu" or "cpu".
std::string shortDeviceName(const std::string& kind, const std::string& name);

/// Relaxations per second at the wall of a tier, out of the ceilings.json that Google Benchmark
/// wrote. 0 where the file is missing, broken or of another device than the one of that full name,
/// and in a build without nlohmann-json.
double readWall(const std::string& path, const std::string& deviceName, Tier tier);
