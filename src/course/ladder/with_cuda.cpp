// The reports of the ladder. no_cuda.cpp stands in for this file in a build without CUDA.
#include "ladder/ladder.h"

const std::vector<Report>& reports() {
  static const std::vector<Report> all = {reportA(), reportB(), reportC(), reportD()};
  return all;
}
