#include "measure/submitted.h"

const Submitted& submitted(const Solver& solver) {
  static const Submitted none;
  return solver.submitted ? *solver.submitted : none;
}

const SubmittedCall& submitted(const Call& call) {
  static const SubmittedCall none;
  return call.submitted ? *call.submitted : none;
}

void restOthers(const std::vector<Solver>& solvers, const Solver& timed) {
  for (const Solver& solver : solvers)
    if (submitted(solver).rest && solver.name != timed.name) submitted(solver).rest();
}

const char* nameOf(SolveFault::Kind kind) {
  static const char* const names[] = {
      "crashed",       "CUDA error", "hung",     "exited",           "leaks",
      "out of bounds", "no memory",  "too slow", "does not compile", "cannot be loaded"};
  return names[kind];
}
