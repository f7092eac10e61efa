#include "measure/clocks.h"

#include <algorithm>

#include "system/process.h"

Clocks clocksOf(const Device& device) {
  Clocks clocks = device.clocks();
  clocks.otherUsers = std::max(clocks.otherUsers - Process::running(), 0);
  return clocks;
}
