// The GPU in a build without CUDA: there is none.
#include "device/device.h"

const Device* findGpu(std::string& why) {
  why = "built without CUDA";
  return nullptr;
}
