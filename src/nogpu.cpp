// What src/gpu.cu and ladder/ offer, in a build without CUDA. The Makefile links one of the two.
#include "kernels.h"
#include "ladder/ladder.h"
#include "ladder/reduction.h"

const Device* findGpu(std::string& why) {
  why = "built without CUDA";
  return nullptr;
}

const std::vector<Kernel>& gpuKernels() {
  static const std::vector<Kernel> none;
  return none;
}

const std::vector<Report>& reports() {
  static const std::vector<Report> none;
  return none;
}

ReductionReport reportE() {
  return {};
}
