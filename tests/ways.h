// The ways in which the optimised solver can be asked to solve a graph, and the naive solver's
// distances to hold each result against, its own or another kernel's.
#pragma once

#include <string>

#include "device/device.h"
#include "generate/generate.h"
#include "solvers/solver.h"

struct Way {
  Dtype dtype;
  Options options;
};

/// Every arithmetic on every side of the tiles that it knows, shortcuts allowed.
inline const Way kWays[] = {
    {Dtype::kInt32, {Precision::k32, true, true, 64}},
    {Dtype::kInt32, {Precision::k32, true, true, 128}},
    {Dtype::kInt32, {Precision::k16, true, true, 128}},
    {Dtype::kInt32, {Precision::kAuto, true, true, 0}},
    {Dtype::kFloat32, {Precision::kAuto, true, true, 64}},
    {Dtype::kFloat32, {Precision::kAuto, true, true, 128}},
    {Dtype::kFloat32, {Precision::kAuto, true, true, 0}},
};

/// "i32, precision 32, tile 64, no symmetry, no skip"
inline std::string describe(const Way& way) {
  return std::string(nameOf(way.dtype)) + ", precision " + nameOf(way.options.precision) +
         ", tile " + std::to_string(way.options.tile) +
         (way.options.symmetry ? "" : ", no symmetry") + (way.options.skip ? "" : ", no skip");
}

/// A graph of whole weights in a device's memory, its distances as `ref` finds them, and room to
/// solve it.
class Exercise {
 public:
  Exercise(const Device& device, const Spec& spec)
      : device_(device),
        n_(spec.n),
        graph_(device, n_),
        distances_(device, n_),
        solved_(device, n_) {
    device.generate(spec, graph_.data());
    device.copy(distances_.data(), graph_.data(), graph_.size());
    findSolver("ref", device.kind()).inPlace(device, n_, distances_.data(), Dtype::kInt32, {});
  }

  const int* graph() const { return graph_.data(); }
  const int* distances() const { return distances_.data(); }

  /// From now on the weights and the distances are these as floats: ways of int32 come before.
  /// Right where floats hold the sums, in whatever order they are added up: the distances are below
  /// 2²⁴, or the family sees to it.
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

  /// The words in which what was solved last is not as it must be: the distances or, where the
  /// solver refused, the graph.
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
