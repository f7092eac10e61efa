// Numbers of 32 bits as words. Parts of a matrix on several GPUs take int32 and float32 alike as
// words: non-negative floats have the same order as their bits read as ints. Therefore code that
// only compares or moves words need not know their type.
#pragma once

#include "base/dtype.h"
#include "base/elements.h"

/// The word for "no edge" and "unreachable", above all weights: kInf, or the bits of +infinity.
constexpr int infinityWord(Dtype dtype) {
  return dtype == Dtype::kInt32 ? kInf : 0x7f800000;
}

/// Elements of 32 bits as words.
inline int* wordsOf(Elements elements) {
  if (sizeOf(elements.dtype()) != sizeof(int)) refuseType(elements.dtype(), Dtype::kInt32);
  return static_cast<int*>(elements.data());
}
inline const int* wordsOf(ConstElements elements) {
  if (sizeOf(elements.dtype()) != sizeof(int)) refuseType(elements.dtype(), Dtype::kInt32);
  return static_cast<const int*>(elements.data());
}
