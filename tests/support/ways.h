// The ways in which the optimised solver can be asked to solve a graph, and the distances of
// another solver, with which the result of any solver is compared.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "ladder/kernels.h"
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

/// The same for numbers of 64 bits, which k64 keeps from being solved in fewer.
inline const Way kWideWays[] = {
    {Dtype::kInt64, {Precision::k64, true, true, 64}},
    {Dtype::kInt64, {Precision::k64, true, true, 96}},
    {Dtype::kInt64, {Precision::k64, true, true, 0, nullptr, Method::kDense}},
    {Dtype::kInt64, {Precision::k64, true, true, 0, nullptr, Method::kFiltered}},
    {Dtype::kFloat64, {Precision::k64, true, true, 64}},
    {Dtype::kFloat64, {Precision::k64, true, true, 96}},
    {Dtype::kFloat64, {Precision::k64, true, true, 0, nullptr, Method::kDense}},
    {Dtype::kFloat64, {Precision::k64, true, true, 0, nullptr, Method::kFiltered}},
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
        graph_(matrixOf(Dtype::kInt32)),
        distances_(matrixOf(Dtype::kInt32)),
        solved_(matrixOf(Dtype::kInt32)) {
    generateOn(device, spec, graph_->data());
    copy(*distances_, *graph_);
    findKernel(oracle, device.kind()).inPlace(device, n_, distances_->data(), {});
  }

  ConstElements graph() const { return graph_->data(); }
  ConstElements distances() const { return distances_->data(); }

  /// Converts the weights and the distances, which are int32 at first. This is right if the type
  /// holds all sums exactly in any order: float32 if the distances are below 2²⁴, or if the family
  /// guarantees it.
  void convertTo(Dtype dtype) {
    solved_.reset();
    for (auto* matrix : {&graph_, &distances_}) {
      withType((*matrix)->dtype(), [&](auto from) {
        withType(dtype,
                 [&](auto to) { *matrix = converted<decltype(from), decltype(to)>(**matrix); });
      });
    }
    solved_ = matrixOf(dtype);
  }

  /// Solves a copy of the graph, converted if need be.
  Outcome solve(const Way& way, const char* kernel = "apsp") {
    if (way.dtype != graph_->dtype()) convertTo(way.dtype);
    copy(*solved_, *graph_);
    return findKernel(kernel, device_.kind())
        .inPlace(device_, n_, solved_->data(), way.options)
        .outcome;
  }

  /// The elements of the last result that are wrong. If the solver refused, the graph must be
  /// unchanged; else the result must be the distances.
  Mismatch wrong(const Outcome& outcome) const {
    const DeviceMatrix& right = outcome.tier == Tier::kNone ? *graph_ : *distances_;
    return device_.compare(n_, solved_->data(), right.data(), 0);
  }

 private:
  std::unique_ptr<DeviceMatrix> matrixOf(Dtype dtype) const {
    return std::make_unique<DeviceMatrix>(device_, n_, dtype);
  }
  void copy(const DeviceMatrix& to, const DeviceMatrix& from) const {
    device_.copy(to.data().data(), from.data().data(), from.bytes());
  }
  template <class From, class To>
  std::unique_ptr<DeviceMatrix> converted(const DeviceMatrix& matrix) const {
    std::vector<From> before(matrix.size());
    download(device_, before.data(), matrix.data(), before.size());
    std::vector<To> after(before.size());
    std::transform(before.begin(), before.end(), after.begin(), convertedTo<To, From>);
    auto there = matrixOf(kDtype<To>);
    upload(device_, there->data(), after.data(), after.size());
    return there;
  }

  const Device& device_;
  int n_;
  std::unique_ptr<DeviceMatrix> graph_, distances_, solved_;
};
