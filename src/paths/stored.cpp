#include "paths/stored.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <limits>

#include "core/error.h"
#include "io/formats/formats.h"

StoredMatrix::StoredMatrix(const std::string& path, const Graph& graph)
    : path_(path), n_(graph.n), dtype_(graph.dtype) {
  const StoredDistances found = findDistances(path);
  from_ = found.from;
  if (found.n != n_)
    throw Error(Exit::kInput, fmt::format("{}: distances of {} vertices, but the graph has {}",
                                          path, found.n, n_));
  if (found.dtype.value_or(dtype_) != dtype_)
    throw Error(Exit::kInput, fmt::format("{}: {} distances, but the graph has {} weights", path,
                                          nameOf(*found.dtype), nameOf(dtype_)));
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw Error(Exit::kInput, path + ": cannot be opened");
}

StoredMatrix::~StoredMatrix() {
  ::close(fd_);
}

std::vector<double> StoredMatrix::column(int target) const {
  std::vector<double> distances(static_cast<std::size_t>(n_));
  for (int i = 0; i < n_; ++i) {
    int word = 0;
    const auto at = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(n_) +
                    static_cast<std::uint64_t>(target);
    if (::pread(fd_, &word, sizeof word, static_cast<off_t>(from_ + at * sizeof word)) !=
        sizeof word)
      throw Error(Exit::kInput, fmt::format("{}: row {} cannot be read", path_, i));
    distances[static_cast<std::size_t>(i)] =
        word == infinity(dtype_) ? std::numeric_limits<double>::infinity() : toDouble(word, dtype_);
  }
  return distances;
}
