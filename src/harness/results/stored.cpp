#include "results/stored.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <limits>
#include <type_traits>

#include "base/error.h"

namespace {

using Element = DistancesForm::Element;

const char* nameOf(Element element) {
  constexpr const char* kNames[] = {"i32", "f32", "f64"};
  return kNames[static_cast<int>(element)];
}

}  // namespace

StoredMatrix::StoredMatrix(const std::string& path, const Graph& graph)
    : path_(path), dtype_(graph.dtype), found_(findDistances(path)) {
  if (found_.n != graph.n)
    throw Error(Exit::kInput, fmt::format("{}: distances of {} vertices, but the graph has {}",
                                          path, found_.n, graph.n));
  const GraphStats stats = graphStats(graph);
  const std::uint64_t hash = stats.hash;
  positive_ = stats.minWeight >= 0;
  const bool same = found_.graph == hash;  // then whole weights may have real distances
  const Element usual = dtype_ == Dtype::kInt32 ? Element::kInt32 : Element::kFloat32;
  if (found_.graph && !same)
    throw Error(Exit::kInput,
                fmt::format("{}: distances of another graph, or with another --dtype: it has the "
                            "hash {:016x}, and this one {:016x} (info prints it): solve this one "
                            "again, with -o",
                            path, *found_.graph, hash));
  if (!same && found_.element.value_or(usual) != usual)
    throw Error(Exit::kInput, fmt::format("{}: {} distances, but the graph has {} weights", path,
                                          nameOf(*found_.element), nameOf(dtype_)));
  if (!found_.element) found_.element = usual;
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw Error(Exit::kInput, path + ": cannot be opened");
}

StoredMatrix::~StoredMatrix() {
  ::close(fd_);
}

std::vector<double> StoredMatrix::column(int target) const {
  switch (*found_.element) {
    case Element::kInt32:
      return columnOf<int>(target);
    case Element::kFloat32:
      return columnOf<float>(target);
    case Element::kFloat64:
      return columnOf<double>(target);
  }
  return {};
}

template <class Stored>
std::vector<double> StoredMatrix::columnOf(int target) const {
  const auto n = static_cast<std::uint64_t>(found_.n);
  std::vector<double> distances(found_.n);
  for (int i = 0; i < found_.n; ++i) {
    Stored element = 0;
    const std::uint64_t at = static_cast<std::uint64_t>(i) * n + static_cast<std::uint64_t>(target);
    const auto byte = static_cast<off_t>(found_.from + at * sizeof element);
    if (::pread(fd_, &element, sizeof element, byte) != sizeof element)
      throw Error(Exit::kInput, fmt::format("{}: row {} cannot be read", path_, i));
    const auto distance = static_cast<double>(element);
    const bool usual = std::is_same_v<Stored, int> && element == kInf;
    const bool none = found_.unreached
                          ? element == static_cast<Stored>(*found_.unreached)
                          : usual || (positive_ && element < 0);  // as .bin may have it
    distances[static_cast<std::size_t>(i)] =
        none ? std::numeric_limits<double>::infinity() : distance;
  }
  return distances;
}
