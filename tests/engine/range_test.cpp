// Whether row 0 and column 0 prove that no distance is too large, and what a GPU counts of a matrix
// without its hash. Both against plain loops over the elements.
#include "solver/range.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "devices.h"
#include "seed.h"
#include "solver/distances.h"

namespace {

const std::uint32_t kFresh = testSeed();

using Range = OnDevice;
ON_EVERY_DEVICE(Range);

/// fitThroughFirst() of n×n elements.
template <class T>
bool fit(const Device& device, int n, const std::vector<T>& elements, double depth = 0) {
  const DeviceMatrix matrix(device, n, kDtype<T>);
  upload(device, matrix.data(), elements);
  return fitThroughFirst(device.kind(), n, matrix.data(), depth);
}

/// n×n elements: `from` in row 0, `to` in column 0, and elsewhere ones that say nothing.
template <class T>
std::vector<T> crossOf(int n, T from, T to) {
  std::vector<T> all(asSize(n) * asSize(n), kInfinity<T>);
  for (int i = n - 1; i >= 0; --i) {
    all[asSize(i)] = from;
    all[asSize(i) * asSize(n)] = to;
  }
  all[0] = 0;
  return all;
}

/// half + half is below what distances must be below, and half + over is not.
template <class T>
void expectProof(const Device& device, T half, T over) {
  for (const int n : {2, 3, 31, 700}) {
    const std::string what = std::string(nameOf(kDtype<T>)) + ", n " + std::to_string(n);
    const std::vector<T> all = crossOf(n, half, half);
    EXPECT_TRUE(fit(device, n, all)) << what;
    EXPECT_TRUE(fit(device, n, crossOf(n, T(-5), T(half + half)))) << what << ": below 0";
    EXPECT_TRUE(fit(device, n, crossOf(n, T(half + half), T(0)))) << what;
    EXPECT_FALSE(fit(device, n, all, static_cast<double>(half) / 2)) << what << ": with potentials";
    for (const int other : {1, n / 2, n - 1})
      for (const T bad : {over, kInfinity<T>})
        for (const std::size_t step : {std::size_t{1}, asSize(n)}) {
          std::vector<T> one = all;
          one[asSize(other) * step] = bad;
          EXPECT_FALSE(fit(device, n, one)) << what << ", element " << other << " of step " << step;
        }
  }
}

TEST_P(Range, IsProvedByTheFirstRowAndColumn) {
  expectProof<std::int32_t>(device(), kInfinity<std::int32_t> / 2, kInfinity<std::int32_t> / 2 + 1);
  constexpr std::int64_t kHalf = std::int64_t{1} << 61;
  expectProof<std::int64_t>(device(), kHalf - kHalf / 1024, kHalf + kHalf / 512);
  expectProof<float>(device(), 8e37f, 9.2e37f);
  expectProof<double>(device(), 4e307, 5.1e307);
}

/// Elements of which some are missing or below 0, and 0 on the diagonal.
template <class T>
std::vector<T> someMissing(int n, std::mt19937_64& random) {
  std::vector<T> all(asSize(n) * asSize(n));
  for (T& element : all) {
    const auto kind = random() % 8;
    const T number = static_cast<T>(random() % 1000000) * 500;
    element = kind == 0 ? kInfinity<T> : kind == 1 ? -number : number;
  }
  for (int i = 0; i < n; ++i) all[asSize(i) * asSize(n + 1)] = 0;
  return all;
}

/// What a plain loop counts beside the diagonal.
template <class T>
GraphStats counted(int n, const std::vector<T>& all) {
  GraphStats found;
  T most = 0, least = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const T element = all[asSize(i) * asSize(n) + asSize(j)];
      if (i == j || element >= kInfinity<T>) continue;
      ++found.edges;
      most = std::max(most, element);
      least = std::min(least, element);
    }
  found.maxWeight = most;
  found.minWeight = least;
  return found;
}

TEST_P(Range, OfAllDistancesIsWhatAPlainLoopCounts) {
  std::mt19937_64 random(kFresh);
  for (const Dtype dtype : kDtypes)
    for (const int n : {1, 2, 33, 255, 1030, 3000})
      withType(dtype, [&](auto zero) {
        using T = decltype(zero);
        const std::string what = std::string(nameOf(dtype)) + ", n " + std::to_string(n) +
                                 ", seed " + std::to_string(kFresh);
        const DeviceMatrix matrix(device(), n, dtype);
        std::vector<T> all = someMissing<T>(n, random);
        for (const bool wrong : {false, true}) {
          // A solver that is wrong may write to the diagonal, which is never counted.
          if (wrong) all[asSize(n / 2) * asSize(n + 1)] = T(600000000);
          upload(device(), matrix.data(), all);
          const GraphStats expected = counted(n, all), found = reachOf(WholeDistances(matrix));
          EXPECT_EQ(expected.edges, found.edges) << what;
          EXPECT_EQ(expected.maxWeight, found.maxWeight) << what;
          EXPECT_EQ(expected.minWeight, found.minWeight) << what;
        }
      });
}

}  // namespace
