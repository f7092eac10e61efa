#include "paths/histogram.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <type_traits>

#include "base/size.h"
#include "base/thread_team.h"

namespace engine {

namespace {

/// Which bin a distance belongs to: `bins` of them begin at `least`, and are `width` wide.
template <class T>
struct Scale {
  T least, width;
  int bins;

  int operator()(T distance) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<int>(width == 1 ? distance - least : (distance - least) / width);
    int bin = std::min(bins - 1, static_cast<int>((distance - least) / width));
    while (bin > 0 && distance < begin(bin)) --bin;  // a quotient is rounded
    while (bin + 1 < bins && distance >= begin(bin + 1)) ++bin;
    return bin;
  }
  T begin(int bin) const { return static_cast<T>(least + static_cast<T>(bin) * width); }
};

template <class T>
Scale<T> scaleOf(T least, T largest) {
  const T range = largest - least;
  if (range == 0) return {least, 1, 1};
  if constexpr (std::is_integral_v<T>) {
    const bool few = range < kHistogramValues;
    const T width = few ? 1 : range / kHistogramBins + 1;
    return {least, width, static_cast<int>(range / width) + 1};
  } else {
    return {least, range / kHistogramBins, kHistogramBins};
  }
}

template <class T>
Histogram histogramOfType(const Distances& distances, T least, T largest) {
  const Scale<T> scale = scaleOf(least, largest);
  const int columns = distances.columns();
  std::vector<std::uint64_t> counts(asSize(scale.bins), 0);
  Histogram all;
  std::mutex mutex;
  distances.rows(0, distances.rowCount(), [&](int first, int count, ConstElements rows) {
    const T* const block = rows.as<T>();
    inParts(count, 16 * rowsInPart(columns), [&](int begin, int end) {
      std::vector<std::uint64_t> mine(counts.size(), 0);
      std::uint64_t unreachable = 0;
      for (int i = begin; i < end; ++i) {
        const T* const row = block + asSize(i) * asSize(columns);
        const int source = distances.source(first + i);
        for (int j = 0; j < columns; ++j) {
          if (distances.target(j) == source) continue;
          if (row[j] < kInfinity<T>)
            ++mine[asSize(scale(row[j]))];
          else
            ++unreachable;
        }
      }
      const std::lock_guard lock(mutex);
      for (std::size_t bin = 0; bin < mine.size(); ++bin) counts[bin] += mine[bin];
      all.unreachable += unreachable;
    });
  });
  const bool single = std::is_integral_v<T> && scale.width == 1;
  for (int bin = 0; bin < scale.bins; ++bin) {
    if (single && counts[asSize(bin)] == 0) continue;
    const bool last = bin + 1 == scale.bins;
    const T end =
        std::is_integral_v<T> ? scale.begin(bin) + (scale.width - 1) : scale.begin(bin + 1);
    all.bins.push_back({scale.begin(bin), last ? largest : end, counts[asSize(bin)]});
  }
  return all;
}

}  // namespace

Histogram histogramOf(const Distances& distances) {
  const GraphStats reach = reachOf(distances);
  return withType(distances.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return histogramOfType<T>(distances, std::min(T(0), std::get<T>(reach.minWeight)),
                              std::get<T>(reach.maxWeight));
  });
}

}  // namespace engine
