// What is wrong with a kernel that fails a check, where the pattern is known.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "check/check.h"

/// The sides of tiles that kernels are known to use; 39 and 78 fill the shared memory of some.
inline constexpr int kTileSides[] = {16, 24, 32, 39, 48, 64, 78, 96, 128, 192, 256};

/// A check that failed, and the means to try more.
struct Evidence {
  const Check& check;
  std::function<std::optional<Matrix>(const Spec&)> solve;  ///< by the kernel; nothing: a fault
  std::function<Matrix(const Spec&)> oracle;
};

Diagnosis diagnose(const Evidence& evidence);
