// Device memory of the GPU that two processes see.
#pragma once

#include <cstddef>
#include <memory>

#include "device/shared.h"

namespace engine {

/// Device::share() and Device::openShared() of the GPU.
std::unique_ptr<SharedWords> shareOnGpu(std::size_t count);
std::unique_ptr<SharedWords> openSharedOnGpu(int descriptor, std::size_t count);

}  // namespace engine
