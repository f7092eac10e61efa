// A device's clocks, and who else uses the device.
#pragma once

#include "device/device.h"

using namespace engine;

/// The clocks at this moment. Processes that this one started are no other users.
Clocks clocksOf(const Device& device);
