// The ladder in a build without CUDA, or without the course: it has no steps.
#include "ladder/ladder.h"
#include "ladder/reduction.h"

const std::vector<Report>& reports() {
  static const std::vector<Report> none;
  return none;
}

ReductionReport reportE() {
  return {};
}
