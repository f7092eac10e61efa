// Numbers as words. Parts of a matrix on several GPUs take whole and real numbers alike as words of
// 32 bits, two for a number of 64: non-negative reals have the same order as their bits read as
// whole numbers. Therefore code that only compares or moves words need not know their type.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/elements.h"

namespace engine {

/// The bits of "no edge" and "unreachable", above those of all weights.
inline std::int64_t infinityBits(Dtype dtype) {
  return withType(dtype, [](auto zero) {
    return static_cast<std::int64_t>(bitsOf(kInfinity<decltype(zero)>));
  });
}

/// Calls f with a 0 of the whole numbers whose bits a type has: int32 or int64.
template <class F>
decltype(auto) withBits(Dtype dtype, F&& f) {
  return isWide(dtype) ? f(std::int64_t{}) : f(std::int32_t{});
}

/// Elements of a type, or of another one of so many bits, as words of 32 bits.
inline int* wordsOf(Elements elements, Dtype dtype) {
  if (sizeOf(elements.dtype()) != sizeOf(dtype)) refuseType(elements.dtype(), dtype);
  return static_cast<int*>(elements.data());
}
inline const int* wordsOf(ConstElements elements, Dtype dtype) {
  if (sizeOf(elements.dtype()) != sizeOf(dtype)) refuseType(elements.dtype(), dtype);
  return static_cast<const int*>(elements.data());
}

}  // namespace engine
