// Negative weights: potentials, and what they do to a matrix on a device (Johnson's reweighting).
//
// The potential h(v) is the length of the shortest path that ends at v, from whatever vertex; the
// path of no edge counts, so h(v) ≤ 0. For every edge h(v) ≤ h(u) + w(u,v), or there would be a
// shorter path. Therefore the reweighted edge w'(u,v) = w(u,v) + h(u) − h(v) is not negative. On a
// path from u to v the potentials between its ends cancel: all paths from u to v become longer by
// the same h(u) − h(v). So the shortest ones stay the shortest, and d(u,v) = d'(u,v) − h(u) + h(v).
//
// Bellman and Ford's passes find h: it begins as 0, and a pass over all edges lowers h(v) to
// h(u) + w(u,v) where that is less. A pass takes only the edges that leave a vertex whose potential
// the pass before has lowered. If there is no negative cycle, n passes suffice.
//
// Negative cycles. Who lowers h(v) notes u as the parent of v, and only if the potential really
// falls. Then h(v) ≥ h(parent) + w holds at all times, because potentials never rise. Suppose that
// parents form a cycle, and let x be the vertex of it that was lowered last. The vertex after x on
// the cycle was lowered by the value that h(x) had before, so for this edge the inequality is
// strict. Summed over the cycle: 0 > its length. The other way round, if parents form no cycle,
// they form trees whose roots have h = 0, and h(v) is at least the length of the path from the root
// of v. That path has at most n − 1 edges. But after n − 1 passes h(v) is at most the length of
// every path of n − 1 edges. So if pass n still lowers a potential, parents form a cycle.
//
// Where there is no edge, h(u) + infinity ≥ 0 lowers nothing.
//
// Range. Weights and h lie in −infinity < x ≤ infinity and −infinity < h ≤ 0. Then w + h(u) and
// d' − h(u) fit in the type, and so do w' and d, because w' ≥ 0 and d ≥ h(v). An edge with
// w' ≥ infinity becomes "no edge", and a distance d ≥ infinity "unreachable": checkRange()
// (solver/range.h) then finds a pair that is reachable and has no distance. A potential
// ≤ −infinity is a distance that the type does not hold; it is found before anything is solved.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/dtype.h"
#include "base/elements.h"
#include "device/device.h"

namespace engine {

/// An n×n matrix of whole numbers on a device, with weights above −infinity, and the potentials of
/// its vertices.
class Shift {
 public:
  virtual ~Shift() = default;
  /// Makes up to so many further passes, less once one has lowered nothing. Returns how many
  /// lowered a potential; fewer than `passes`: the potentials are right.
  virtual int relax(int passes) = 0;
  /// The potentials (n); a potential of −infinity stands for that or less.
  virtual std::vector<std::int64_t> potentials() const = 0;
  /// Of each vertex, who lowered it last; −1: nobody (n).
  virtual std::vector<int> parents() const = 0;
  /// Makes w' of the weights. The potentials must be right.
  virtual void reweight() = 0;
  /// Makes d' of distances d, another n×n matrix of the same type on the device. The potentials
  /// must be right.
  virtual void reweightDistances(Elements distances) = 0;
  /// Makes d of the distances d'.
  virtual void shiftBack() = 0;
};

/// Whether shiftOn() takes matrices of that type there.
constexpr bool shiftsOn(DeviceKind device, Dtype dtype) {
  return dtype == Dtype::kInt32 || (dtype == Dtype::kInt64 && device == DeviceKind::kCpu);
}
/// The shift of a matrix of whole numbers on that device. It keeps the pointer.
std::unique_ptr<Shift> shiftOn(const Device& device, int n, Elements matrix);
/// The same on a GPU: shift_gpu.cu; no_cuda.cpp has none.
std::unique_ptr<Shift> shiftOnGpu(const Device& gpu, int n, Elements matrix);

/// Bytes of the device's memory that a Shift takes.
std::size_t shiftBytes(int n, Dtype dtype);

/// One whole number of the matrix with potentials h(u) and h(v), in both directions. Potential: T,
/// or a wider type. constexpr, because device code calls them, too.
template <class T, class Potential, class = std::enable_if_t<std::is_integral_v<T>>>
constexpr T reweighted(T weight, Potential from, Potential to) {
  if (weight >= kInfinity<T>) return kInfinity<T>;
  const auto shifted = weight + from - to;
  return shifted < kInfinity<T> ? static_cast<T>(shifted) : kInfinity<T>;
}
template <class T, class Potential, class = std::enable_if_t<std::is_integral_v<T>>>
constexpr T shiftedBack(T distance, Potential from, Potential to) {
  return reweighted(distance, -from, -to);
}

}  // namespace engine
