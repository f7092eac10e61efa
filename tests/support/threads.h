// Sets the number of OpenMP threads for a part of a test.
#pragma once

#include <omp.h>

/// OpenMP has so many threads as long as this lives.
class Threads {
 public:
  explicit Threads(int count) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  const int before_ = omp_get_max_threads();
};
