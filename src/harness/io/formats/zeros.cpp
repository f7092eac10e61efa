#include "io/formats/zeros.h"

#include <algorithm>

void Zeros::take(int i, int n, int* line, Dtype dtype) {
  const int none = infinity(dtype);
  std::size_t zeros = 0, infinities = 0;
#pragma omp simd reduction(+ : zeros, infinities)
  for (int j = 0; j < n; ++j) {
    zeros += line[j] == 0;
    infinities += line[j] == none;
  }
  zeros_ += zeros - (line[i] == 0);
  infinities_ += infinities - (line[i] == none);
  if (meaning_ == Zero::kNoEdge) std::replace(line, line + n, 0, none);
}
