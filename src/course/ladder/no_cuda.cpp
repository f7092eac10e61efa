// The ladder in a build without CUDA: it has no steps.
#include "src/course/ladder/ladder.h"
#include "src/course/ladder/reduction.h"

const std::vector<Report>& reports() {
  static const std::vector<Report> none;
  return none;
}

ReductionReport reportE() {
  return {};
}
