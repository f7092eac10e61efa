// The peak of a device: how many relaxations per second it can do at most, and how many bytes per
// second it can move, as bench/ceilings measured it. Results are given as a percentage of it.
#pragma once

#include <string>

#include "device/device.h"
#include "solver/outcome.h"

using namespace engine;

/// The benchmark in bench/ceilings that measures the peak of a tier.
inline std::string peakBenchmark(Tier tier) {
  constexpr const char* kNames[] = {"",  // in the order of the enum
                                    "int32/viaddmin",
                                    "uint16/viaddmin",
                                    "float32/fadd_vimin3",
                                    "int64/iadd_dsetp",
                                    "float64/dadd_dsetp"};
  return kNames[static_cast<int>(tier)];
}

/// The name of a device's folder in results/. kind: "gpu" or "cpu". A GPU has the name of its
/// model, "h100" for "NVIDIA H100 80GB HBM3", or its whole name in lower case if no model is found.
/// Every CPU has "cpu".
std::string shortDeviceName(const std::string& kind, const std::string& name);

/// The folder with the results of each device, which need not exist: `given` (a flag) if it is not
/// empty, else the environment variable APSP_RESULTS, else results/ beside this program, else
/// PREFIX/share/apsp/results if this program is in PREFIX/bin. The current directory has no
/// influence.
std::string resultsFolder(const std::string& given);

/// The file in a folder of results that holds the peaks of a device: results/h100/ceilings.json.
std::string peakFile(const std::string& results, const std::string& shortDeviceName);

/// Relaxations per second at the peak of a tier, from a file that Google Benchmark wrote. If the
/// benchmark was repeated, the fastest repetition counts. 0 if the file is missing or broken, or if
/// it was measured on a device with another name. On a CPU, a SIMD register holds half as many
/// numbers of 64 bits as of 32: their peak is half of that of 32 bits, unless it was measured.
double readPeak(const std::string& path, const std::string& deviceName, Tier tier,
                DeviceKind kind = DeviceKind::kGpu);

/// Bytes per second that the memory of a device moves in a copy, from the same file. 0 as there.
double readBandwidth(const std::string& path, const std::string& deviceName);
