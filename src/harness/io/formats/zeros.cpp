#include "io/formats/zeros.h"

#include <algorithm>

template <class T>
void Zeros::take(int i, int n, T* line) {
  constexpr T none = kInfinity<T>;
  std::size_t zeros = 0, infinities = 0;
#pragma omp simd reduction(+ : zeros, infinities)
  for (int j = 0; j < n; ++j) {
    zeros += line[j] == 0;
    infinities += line[j] == none;
  }
  zeros_ += zeros - (line[i] == 0);
  infinities_ += infinities - (line[i] == none);
  if (meaning_ == Zero::kNoEdge) std::replace(line, line + n, T(0), none);
}
template void Zeros::take(int, int, std::int32_t*);
template void Zeros::take(int, int, float*);
template void Zeros::take(int, int, std::int64_t*);
template void Zeros::take(int, int, double*);
