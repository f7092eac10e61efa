#include "oracle.h"

#include <functional>
#include <limits>
#include <queue>
#include <type_traits>
#include <utility>

#include "base/dtype.h"
#include "base/size.h"

using namespace engine;

namespace {

/// The sum in T, rounded; the infinity of T if T does not hold it.
template <class T, class Sum>
T inTypeOf(Sum sum) {
  if constexpr (std::is_integral_v<T>)
    return sum < kInfinity<T> ? static_cast<T>(sum) : kInfinity<T>;
  return sum <= std::numeric_limits<T>::max() ? static_cast<T>(sum) : kInfinity<T>;
}

}  // namespace

template <class T>
std::vector<T> rightDistances(int n, const std::vector<std::int32_t>& tails,
                              const std::vector<std::int32_t>& heads,
                              const std::vector<T>& weights) {
  using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, long double>;
  constexpr Sum kFar = std::is_integral_v<T> ? std::numeric_limits<Sum>::max()
                                             : std::numeric_limits<Sum>::infinity();
  std::vector<std::vector<std::pair<int, Sum>>> leaving(asSize(n));
  for (std::size_t e = 0; e < tails.size(); ++e)
    leaving[asSize(tails[e])].emplace_back(heads[e], weights[e]);
  std::vector<T> all;
  for (int source = 0; source < n; ++source) {
    std::vector<Sum> distances(asSize(n), kFar);
    using Entry = std::pair<Sum, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    distances[asSize(source)] = 0;
    queue.emplace(0, source);
    while (!queue.empty()) {
      const auto [distance, vertex] = queue.top();
      queue.pop();
      if (distance > distances[asSize(vertex)]) continue;
      for (const auto& [to, weight] : leaving[asSize(vertex)]) {
        if (distance + weight >= distances[asSize(to)]) continue;
        distances[asSize(to)] = distance + weight;
        queue.emplace(distance + weight, to);
      }
    }
    for (const Sum distance : distances) all.push_back(inTypeOf<T>(distance));
  }
  return all;
}

#define INSTANTIATE(T)                                                          \
  template std::vector<T> rightDistances(int, const std::vector<std::int32_t>&, \
                                         const std::vector<std::int32_t>&, const std::vector<T>&)
INSTANTIATE(std::int32_t);
INSTANTIATE(float);
INSTANTIATE(std::int64_t);
INSTANTIATE(double);
