// Host memory that two processes see.
#pragma once

#include <cstddef>
#include <memory>

#include "device/shared.h"

namespace engine {

/// Device::share() and Device::openShared() of the CPU.
std::unique_ptr<SharedWords> shareOnHost(std::size_t count);
std::unique_ptr<SharedWords> openSharedOnHost(int descriptor, std::size_t count);

}  // namespace engine
