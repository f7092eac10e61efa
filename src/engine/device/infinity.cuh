// Infinity as kernels write it.
#pragma once

#include <type_traits>

#include "base/dtype.h"

namespace engine {

template <class T>
__device__ T infinityOnGpu() {
  if constexpr (std::is_same_v<T, float>)
    return __int_as_float(0x7f800000);
  else
    return kInfinity<T>;
}

}  // namespace engine
