// The hand-ins: the files and folders that a folder of submissions holds.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"

struct HandIn {
  std::string name, path;
};

/// The submissions in a folder, sorted by name: every *.so and, on a GPU, *.cu and NAME/apsp.cu.
/// Throws Error(kInput) if the folder cannot be read or holds none.
std::vector<HandIn> findHandIns(const std::string& folder, const Device& device);
