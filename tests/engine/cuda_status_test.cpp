// What the driver answers, fed in by tables: most of it no machine of ours says.
#include "device/cuda_status.h"

#include "files.h"

namespace {

const CudaStatus kSuccess{"cudaSuccess", "no error"};
const CudaMachine kMachine{13000, 12090, 1};

TEST(CudaStatus, WhatTheDriverSaysDecides) {
  const struct {
    CudaMachine machine;
    CudaStatus counted;
    const char* why;
  } none[] = {
      {{0, 13000, 0}, {"cudaErrorInsufficientDriver", "too old"}, "no NVIDIA driver"},
      {{0, 13000, 0}, {"cudaErrorNoDevice", "none"}, "no NVIDIA driver"},
      {{13000, 13000, 0}, {"cudaErrorNoDevice", "none"}, "no GPU visible"},
      {{13000, 13000, 0}, kSuccess, "no GPU visible"},
      {{13000, 13000, 0, true},
       {"cudaErrorInitializationError", "initialization error"},
       "the GPU serves no process that was forked after its parent had used it"},
      {{13000, 13000, 1, true}, kSuccess, ""},
      {{13000, 13000, 2}, kSuccess, ""},
      {{13010, 12090, 1}, kSuccess, ""},  // a newer driver serves older programs
  };
  for (const auto& row : none) EXPECT_EQ(row.why, whyNoGpu(row.machine, row.counted));

  const struct {
    CudaMachine machine;
    CudaStatus counted;
    const char* words;
  } refused[] = {
      {{11040, 13000, 0}, {"cudaErrorInsufficientDriver", "too old"}, "11.4 13.0 update older"},
      {{12020, 12090, 0}, {"cudaErrorInsufficientDriver", "too old"}, "12.2 12.9 update older"},
      {kMachine, {"cudaErrorSystemDriverMismatch", "mismatch"}, "mismatch restart"},
      {kMachine, {"cudaErrorSystemNotReady", "not ready"}, "not ready nvidia-fabricmanager"},
      {kMachine, {"cudaErrorUnknown", "unknown error"}, "unknown error (cudaErrorUnknown)"},
      {kMachine, {"cudaErrorInitializationError", "not initialized"}, "not initialized forked"},
  };
  for (const auto& row : refused)
    expectError(ErrorCode::kGpu, "", row.words, [&] { whyNoGpu(row.machine, row.counted); });

  requireKernels(kMachine, "Test GPU", 90, kSuccess);
  for (const char* name : {"cudaErrorNoKernelImageForDevice", "cudaErrorInvalidDeviceFunction"})
    expectError(ErrorCode::kGpu, "Test GPU", "sm_61 12.9 13.0 ARCHS=61", [&] {
      requireKernels(kMachine, "Test GPU", 61, {name, "no image"});
    });
  expectError(ErrorCode::kGpu, "", "12.4 13.0 update older", [] {
    requireKernels({12040, 13000, 1}, "Test GPU", 120, {"cudaErrorUnsupportedPtxVersion", "PTX"});
  });
  expectError(ErrorCode::kGpu, "Test GPU", "busy (cudaErrorDevicesUnavailable) nvidia-smi", [] {
    requireKernels(kMachine, "Test GPU", 90, {"cudaErrorDevicesUnavailable", "busy"});
  });
}

TEST(CudaStatus, AFailureSaysWhatToDo) {
  const struct {
    const char* name;
    ErrorCode code;
    const char* words;
  } rows[] = {
      {"cudaErrorMemoryAllocation", ErrorCode::kMemory, "smaller"},
      {"cudaErrorCompatNotSupportedOnDevice", ErrorCode::kGpu, "cuda-compat"},
      {"cudaErrorSystemDriverMismatch", ErrorCode::kGpu, "restart"},
      {"cudaErrorDevicesUnavailable", ErrorCode::kGpu, "nvidia-smi another"},
      {"cudaErrorLaunchTimeout", ErrorCode::kGpu, "display"},
      {"cudaErrorLaunchFailure", ErrorCode::kGpu, "compute-sanitizer next"},
      {"cudaErrorIllegalAddress", ErrorCode::kGpu, "compute-sanitizer next"},
      {"cudaErrorHardwareStackError", ErrorCode::kGpu, "compute-sanitizer next"},
      {"cudaErrorECCUncorrectable", ErrorCode::kGpu, "48 reset another"},
      {"cudaErrorNotSupported", ErrorCode::kGpu, ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string named = std::string("its words (") + row.name + ") " + row.words;
    const Error error = cudaFailure("gpu.cu:7: launch()", {row.name, "its words"});
    expectError(row.code, "gpu.cu:7: launch()", named, [&] { throw error; });
    const std::string message = error.what();
    EXPECT_EQ(std::strlen("gpu.cu:7: launch()"), message.rfind(": ")) << message;
  }
}

}  // namespace
