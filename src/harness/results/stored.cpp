#include "results/stored.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <type_traits>

#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"

namespace {

/// An element as a distance, which is infinity if it is one of those that say so. An element that
/// no distance can be is infinity, too.
template <class Distance, class T>
Distance distanceOf(T element, const StoredDistances& stored, bool positive) {
  const bool none = stored.unreached ? element == static_cast<T>(*stored.unreached)
                                     : element == noPathIn<T>() ||
                                           (positive && element < 0);  // as .bin may have it
  if (none) return kInfinity<Distance>;
  if constexpr (std::is_integral_v<Distance> && std::is_floating_point_v<T>)
    if (!(std::abs(element) < T(0x1p62))) return kInfinity<Distance>;
  return static_cast<Distance>(element);
}

}  // namespace

void roundAsStored(Graph& graph, const std::string& path) {
  if (graph.dtype() == Dtype::kFloat64 && findDistances(path).element == Element::kFloat32)
    convert(graph, Dtype::kFloat32);
}

StoredMatrix::StoredMatrix(const std::string& path, const Graph& graph)
    : path_(path), found_(findDistances(path)) {
  if (found_.n != graph.n)
    throw Error(ErrorCode::kInput,
                fmt::format("{}: distances of {}, but the graph has {}", path,
                            counted(asSize(found_.n), "vertex", "vertices"), graph.n));
  const GraphStats stats = graphStats(graph);
  const std::uint64_t hash = stats.hash;
  positive_ = toDouble(stats.minWeight) >= 0;
  const bool same = found_.graph == hash;  // then whole weights may have real distances
  const Dtype usual = graph.dtype();
  if (found_.graph && !same)
    throw Error(ErrorCode::kInput,
                fmt::format("{}: distances of another graph, or with another --dtype: it has the "
                            "hash {:016x}, and this one {:016x} (info prints it): solve this one "
                            "again, with -o",
                            path, *found_.graph, hash));
  if (!same && found_.element.value_or(elementOf(usual)) != elementOf(usual))
    throw Error(ErrorCode::kInput, fmt::format("{}: {} distances, but the graph has {} weights",
                                               path, nameOf(*found_.element), nameOf(usual)));
  if (!found_.element) {
    if (sizeOf(usual) != sizeof(std::int32_t))
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: distances of 4 bytes, but the graph has {} weights", path,
                              nameOf(usual)));
    found_.element = elementOf(usual);
  }
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw Error(ErrorCode::kInput, path + ": cannot be opened");
}

StoredMatrix::~StoredMatrix() {
  ::close(fd_);
}

template <class Distance>
std::vector<Distance> StoredMatrix::column(int target) const {
  return withElement(*found_.element,
                     [&](auto zero) { return columnOf<Distance, decltype(zero)>(target); });
}
template std::vector<double> StoredMatrix::column(int target) const;
template std::vector<std::int64_t> StoredMatrix::column(int target) const;

template <class Distance, class T>
std::vector<Distance> StoredMatrix::columnOf(int target) const {
  const auto n = static_cast<std::uint64_t>(found_.n);
  std::vector<Distance> distances(found_.n);
  for (int i = 0; i < found_.n; ++i) {
    T element = 0;
    const std::uint64_t at = static_cast<std::uint64_t>(i) * n + static_cast<std::uint64_t>(target);
    const auto byte = static_cast<off_t>(found_.from + at * sizeof element);
    if (::pread(fd_, &element, sizeof element, byte) != sizeof element)
      throw Error(ErrorCode::kInput, fmt::format("{}: row {} cannot be read", path_, i));
    distances[asSize(i)] = distanceOf<Distance>(element, found_, positive_);
  }
  return distances;
}
