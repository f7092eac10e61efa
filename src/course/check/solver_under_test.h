// The solver that is checked: it solves graphs of a Spec, and the results are compared.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/graph.h"
#include "device/device.h"
#include "generate/families.h"
#include "measure/submitted.h"
#include "solver/solver.h"

class SolverUnderTest {
 public:
  /// `fresh` gives the solver as newly loaded. secondsAllowed: for all calls together.
  SolverUnderTest(const std::function<Solver()>& fresh, const Device& device,
                  double secondsAllowed);

  const Solver& kernel() const { return kernel_; }
  const Device& device() const { return device_; }

  /// Solves the graph in `work`, which then holds the distances. Throws SolveFault.
  Call solve(const Spec& spec, const DeviceMatrix& work);
  /// Whether the solver finds the expected distances. `work` is overwritten.
  bool solvesRight(const Spec& spec, const DeviceMatrix& expected, const DeviceMatrix& work);
  /// The same, but with the solver newly loaded.
  bool solvesRightWhenFresh(const Spec& spec, const DeviceMatrix& expected,
                            const DeviceMatrix& work);
  /// Whether one of two calls fails, with no other call between them.
  bool failsAlone(const Spec& spec);
  /// The distances that the solver finds, in host memory. Nothing after a fault, or if the solver
  /// is too slow.
  std::optional<Matrix> distances(const Spec& spec);
  /// The distances that another solver for the same device finds, one graph after the other; those
  /// before its first fault.
  std::vector<Matrix> distancesOf(const Solver& other, const std::vector<Spec>& specs);

  /// The right distances in host memory, by oracleDistances().
  Matrix expected(const Spec& spec) const;
  /// Copies distances from host memory to the device.
  void upload(const Matrix& distances, const DeviceMatrix& to) const;
  /// Writes the graph itself into a matrix.
  void generate(const Spec& spec, const DeviceMatrix& to) const;
  /// The elements in which `got` differs from `wanted`.
  Mismatch compare(const DeviceMatrix& got, const DeviceMatrix& wanted) const;

  /// What all calls took.
  double seconds() const { return seconds_; }
  bool tooSlow() const { return seconds_ > secondsAllowed_; }

 private:
  std::optional<Matrix> distancesBy(const Solver& kernel, const Spec& spec);
  Call solveBy(const Solver& kernel, const Spec& spec, const DeviceMatrix& work);
  bool solvesRightBy(const Solver& kernel, const Spec& spec, const DeviceMatrix& expected,
                     const DeviceMatrix& work);

  const std::function<Solver()>& fresh_;
  const Device& device_;
  const Solver kernel_;
  const double secondsAllowed_;
  double seconds_ = 0;
};
