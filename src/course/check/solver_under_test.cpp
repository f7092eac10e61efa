#include "check/solver_under_test.h"

#include <utility>

#include "check/oracle.h"
#include "generate/families.h"
#include "generate/source.h"

SolverUnderTest::SolverUnderTest(const std::function<Solver()>& fresh, const Device& device,
                                 double secondsAllowed)
    : fresh_(fresh), device_(device), kernel_(fresh()), secondsAllowed_(secondsAllowed) {}

Call SolverUnderTest::solveBy(const Solver& kernel, const Spec& spec, const DeviceMatrix& work) {
  Call call;
  if (kernel.inPlace) {
    generate(spec, work);
    call = kernel.inPlace(device_, spec.n, work.data(), {});
  } else {
    const ProblemGraph graph(spec);
    const auto run = kernel.prepare({graph}, {device_});
    run->reset();
    call = run->solve();
    copyTo(work, run->distances());
  }
  seconds_ += call.milliseconds / 1000;
  return call;
}

Call SolverUnderTest::solve(const Spec& spec, const DeviceMatrix& work) {
  return solveBy(kernel_, spec, work);
}

bool SolverUnderTest::solvesRightBy(const Solver& kernel, const Spec& spec,
                                    const DeviceMatrix& expected, const DeviceMatrix& work) {
  try {
    solveBy(kernel, spec, work);
    return compare(work, expected).count == 0;
  } catch (const SolveFault&) {
    return false;
  }
}

bool SolverUnderTest::solvesRight(const Spec& spec, const DeviceMatrix& expected,
                                  const DeviceMatrix& work) {
  return solvesRightBy(kernel_, spec, expected, work);
}

bool SolverUnderTest::solvesRightWhenFresh(const Spec& spec, const DeviceMatrix& expected,
                                           const DeviceMatrix& work) {
  try {
    return solvesRightBy(fresh_(), spec, expected, work);
  } catch (const SolveFault&) {  // it is not loaded again
    return false;
  }
}

bool SolverUnderTest::failsAlone(const Spec& spec) {
  const DeviceMatrix wanted(device_, spec.n), work(device_, spec.n);
  upload(expected(spec), wanted);
  return !solvesRight(spec, wanted, work) || !solvesRight(spec, wanted, work);
}

std::optional<Matrix> SolverUnderTest::distances(const Spec& spec) {
  return distancesBy(kernel_, spec);
}

std::vector<Matrix> SolverUnderTest::distancesOf(const Solver& other,
                                                 const std::vector<Spec>& specs) {
  std::vector<Matrix> all;
  for (const Spec& spec : specs) {
    std::optional<Matrix> result = distancesBy(other, spec);
    if (!result) break;
    all.push_back(std::move(*result));
  }
  return all;
}

std::optional<Matrix> SolverUnderTest::distancesBy(const Solver& kernel, const Spec& spec) {
  if (tooSlow()) return std::nullopt;
  const DeviceMatrix work(device_, spec.n);
  try {
    solveBy(kernel, spec, work);
  } catch (const SolveFault&) {
    return std::nullopt;
  }
  Matrix result(spec.n, work.dtype());
  download(device_, result.data(), work.data(), work.size());
  return result;
}

Matrix SolverUnderTest::expected(const Spec& spec) const {
  return oracleDistances(spec, kernel_);
}

void SolverUnderTest::upload(const Matrix& distances, const DeviceMatrix& to) const {
  engine::upload(device_, to.data(), distances.data(), distances.size());
}

void SolverUnderTest::generate(const Spec& spec, const DeviceMatrix& to) const {
  generateOn(device_, spec, to.data());
}

Mismatch SolverUnderTest::compare(const DeviceMatrix& got, const DeviceMatrix& wanted) const {
  return device_.compare(got.n(), got.data(), wanted.data(), 0);
}
