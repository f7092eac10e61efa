// What the driver's management library (NVML) tells of a GPU. It is loaded at run time, because a
// program linked to it would not start on a machine without a driver.
#pragma once

#include <string>

#include "device/device.h"

namespace engine {

/// The driver's release, "580.159.04"; "" without NVML.
std::string nvmlDriverRelease();

/// Clocks, throttle reasons and other users of the GPU with that UUID ("GPU-…"), and whether MPS
/// runs; zeros without NVML.
Clocks nvmlClocks(const std::string& uuid);

/// The names of those bits of NVML's clock event reasons that hold a clock down, "" for none.
std::string throttleReasons(unsigned long long bits);

}  // namespace engine
