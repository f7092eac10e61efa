// Runs a solver on all graphs of a check.
#pragma once

#include <functional>
#include <map>

#include "check/result.h"
#include "check/solver_under_test.h"

class CheckRunner {
 public:
  /// Fills in the cells of `check`, which say what to solve; check.kernel and check.options are
  /// set. done(cell): is called for each cell after it was solved, and again if it changes later.
  CheckRunner(SolverUnderTest& solver, Check& check,
              std::function<void(const CheckCell& cell)> done);
  void run();

 private:
  /// Memory for one cell.
  struct Matrices {
    DeviceMatrix expected, first, second;
  };

  void runCell(CheckCell& cell);
  void solveTwice(CheckCell& cell, const Matrices& matrices);
  void explain(CheckCell& cell, const Matrices& matrices);
  void runDecoy(int n, const Matrices& matrices);
  void uploadDecoy(int n, const DeviceMatrix& to);
  void tryFresh(CheckCell& cell, const DeviceMatrix& expected, const DeviceMatrix& work);
  void call(CheckCell& cell, const DeviceMatrix& work);
  void recordFault(CheckCell& cell, const SolveFault& fault);
  void recordSlowness(CheckCell& cell);
  bool failedOften() const;

  struct Decoy {
    CheckCell* cell = nullptr;
    Matrix distances;  // empty until they are needed
  };

  SolverUnderTest& solver_;
  Check& check_;
  std::map<int, Decoy> decoys_;  // n → decoy
  std::map<SolveFault::Kind, int> faults_;
  const std::function<void(const CheckCell&)> done_;
  int freshLeft_ = 4;  // loading takes time, so only a few cells are tried with a fresh solver
};
