#include "gpu_copy.h"

#include <string>

#include "device/device.h"

using namespace engine;

bool hasGpu() {
  std::string why;
  return findGpu(why) != nullptr;
}

int currentGpu() {
  return presentGpu();
}

void makeCurrent(int gpu) {
  makePresent(gpu);
}

int countGpus() {
  return gpuCount();
}

std::size_t gpuBytesHeld() {
  std::string why;
  return findGpu(why)->heldBytes();
}

std::shared_ptr<void> copyToGpu(const void* bytes, std::size_t count) {
  std::string why;
  const Device* const gpu = findGpu(why);
  const auto words = std::make_shared<DeviceElements>(*gpu, Dtype::kInt32, count / sizeof(int));
  gpu->upload(words->data().data(), bytes, count);
  return {words, words->data().data()};
}
