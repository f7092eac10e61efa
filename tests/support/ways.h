// The ways in which the optimised solver can be asked to solve a graph, and the distances of
// another solver, with which the result of any solver is compared.
#pragma once

#include <string>

#include "device/device.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "solver/solver.h"

struct Way {
  Dtype dtype;
  Options options;
};

/// Every arithmetic with every side of the tiles that it has, and the filtered solver. Shortcuts
/// are allowed.
inline const Way kWays[] = {
    {Dtype::kInt32, {Precision::k32, true, true, 64}},
    {Dtype::kInt32, {Precision::k32, true, true, 128}},
    {Dtype::kInt32, {Precision::k16, true, true, 128}},
    {Dtype::kInt32, {Precision::kAuto, true, true, 0, nullptr, Method::kDense}},
    {Dtype::kInt32, {}},
    {Dtype::kInt32, {Precision::kAuto, true, true, 0, nullptr, Method::kFiltered}},
    {Dtype::kFloat32, {Precision::kAuto, true, true, 64}},
    {Dtype::kFloat32, {Precision::kAuto, true, true, 128}},
    {Dtype::kFloat32, {Precision::kAuto, true, true, 0, nullptr, Method::kDense}},
    {Dtype::kFloat32, {Precision::kAuto, true, true, 0, nullptr, Method::kFiltered}},
};

/// "i32, precision 32, tile 64, method auto, no symmetry, no skip"
inline std::string describe(const Way& way) {
  return std::string(nameOf(way.dtype)) + ", precision " + nameOf(way.options.precision) +
         ", tile " + std::to_string(way.options.tile) + ", method " + nameOf(way.options.method) +
         (way.options.symmetry ? "" : ", no symmetry") + (way.options.skip ? "" : ", no skip");
}

/// A graph with integer weights in device memory, its distances from the solver `oracle`, and a
/// matrix to solve it in.
class Exercise {
 public:
  Exercise(const Device& device, const Spec& spec, const char* oracle = "ref")
      : device_(device),
        n_(spec.n),
        graph_(device, n_),
        distances_(device, n_),
        solved_(device, n_) {
    generateOn(device, spec, graph_.data());
    device.copy(distances_.data(), graph_.data(), graph_.size());
    findSolver(oracle, device.kind()).inPlace(device, n_, distances_.data(), Dtype::kInt32, {});
  }

  const int* graph() const { return graph_.data(); }
  const int* distances() const { return distances_.data(); }

  /// Converts the weights and the distances to floats. Ways of int32 must come before. This is
  /// right if floats hold all sums exactly in any order: if the distances are below 2²⁴, or if the
  /// family guarantees it.
  void makeFloats() {
    dtype_ = Dtype::kFloat32;
    std::vector<int> host(graph_.size());
    for (DeviceMatrix* matrix : {&graph_, &distances_}) {
      device_.download(host.data(), matrix->data(), host.size());
      toFloats(host.size(), host.data());
      device_.upload(matrix->data(), host.data(), host.size());
    }
  }

  /// Solves a copy of the graph.
  Outcome solve(const Way& way, const char* kernel = "apsp") {
    if (way.dtype != dtype_) makeFloats();
    device_.copy(solved_.data(), graph_.data(), graph_.size());
    return findSolver(kernel, device_.kind())
        .inPlace(device_, n_, solved_.data(), dtype_, way.options)
        .outcome;
  }

  /// The elements of the last result that are wrong. If the solver refused, the graph must be
  /// unchanged; else the result must be the distances.
  Mismatch wrong(const Outcome& outcome) const {
    const DeviceMatrix& right = outcome.tier == Tier::kNone ? graph_ : distances_;
    return device_.compare(n_, solved_.data(), right.data(), Dtype::kInt32, 0);
  }

 private:
  const Device& device_;
  int n_;
  Dtype dtype_ = Dtype::kInt32;
  DeviceMatrix graph_, distances_, solved_;
};
