// The GPU in a build without CUDA: there is none.
#include "device/device.h"

namespace engine {

const Device* findGpu(std::string& why) {
  why = "built without CUDA";
  return nullptr;
}

bool gpuHasStarted() {
  return false;
}

int gpuCount() {
  return 0;
}

int presentGpu() {
  return -1;
}

int gpuOfMemory(const void*) {
  return -1;
}

bool makePresent(int) {
  return false;
}

}  // namespace engine
