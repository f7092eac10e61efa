// What a Device does beside solving: moving, generating, counting and comparing matrices. The
// comparison is the verifier's eye, so faults are planted that it must find.
#include "devices.h"

#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/size.h"
#include "generate/families.h"
#include "generate/source.h"
#include "seed.h"

namespace {

using Devices = OnDevice;
ON_EVERY_DEVICE(Devices);

/// Calls test(a 0 of the type) for every type.
template <class Test>
void forEachType(const Test& test) {
  for (const Dtype dtype : kDtypes) {
    SCOPED_TRACE(nameOf(dtype));
    withType(dtype, test);
  }
}

/// Those elements, n×n of them, in a matrix on the device.
template <class T>
struct Uploaded : DeviceMatrix {
  Uploaded(const Device& device, int n, const std::vector<T>& elements)
      : DeviceMatrix(device, n, kDtype<T>) {
    upload(device, data(), elements);
  }
};

TEST_P(Devices, UploadCopyAndDownloadKeepEveryElement) {
  forEachType([&](auto zero) {
    using T = decltype(zero);
    for (const int n : {1, 3, 1000, 2300}) {  // 2300² ints are more than both staging buffers hold
      std::vector<T> host(asSize(n) * asSize(n));
      std::iota(host.begin(), host.end(), T(-5));
      const Uploaded<T> a(device(), n, host);
      const DeviceMatrix b(device(), n, kDtype<T>);
      EXPECT_EQ(host.size() * sizeof(T), b.bytes());
      device().copy(b.data().data(), a.data().data(), a.bytes());
      EXPECT_EQ(host, download<T>(device(), b.data(), n)) << "n = " << n;
    }
  });
}

TEST_P(Devices, MovesASmallPartOfALargeMatrix) {
  const DeviceElements all(device(), Dtype::kInt64, 1000);
  std::vector<std::int64_t> host(1000);
  std::iota(host.begin(), host.end(), std::int64_t{1} << 40);
  upload(device(), all.data(), host.data(), host.size());
  std::vector<std::int64_t> part(3);
  download(device(), part.data(), all.data() + 500, part.size());
  EXPECT_EQ((std::vector<std::int64_t>{host[500], host[501], host[502]}), part);
  EXPECT_THROW(upload(device(), all.data(), std::vector<double>(3)), std::logic_error);
}

TEST_P(Devices, GeneratesTheSameBytesAsTheHost) {
  const std::uint64_t seed = testSeed();
  const std::size_t families = familyTable().size() + negativeFamilyTable().size();
  for (int family = 0; family < static_cast<int>(families); ++family) {
    for (const int n : {1, 2, 3, 33, 100, 257}) {
      for (const Dtype dtype : kDtypes) {
        Spec spec = specOf(family, n, seed);
        spec.undirected = !isNegative(spec) && (n + static_cast<int>(dtype)) % 2 == 0;
        spec.dtype = dtype;
        DeviceMatrix there(device(), n, spec.dtype);
        generateOn(device(), spec, there.data());
        const Matrix host = toMatrix(generate(spec));
        withElements(host.data(), [&](const auto* elements) {
          using T = NumberAt<decltype(elements)>;
          EXPECT_EQ(std::vector<T>(elements, elements + host.size()),
                    download<T>(device(), there.data(), n))
              << describe(spec) << ", " << nameOf(spec.dtype);
        });
      }
    }
  }
}

TEST_P(Devices, StatisticsMatchTheGraphs) {
  for (const char* family : {"course", "sparse", "disconnected"}) {
    for (const int n : {1, 2, 65, 1700}) {
      for (const Dtype dtype : kDtypes) {
        Spec spec = specOf(familyIndex(family), n, 3);
        spec.dtype = dtype;
        DeviceMatrix there(device(), n, dtype);
        generateOn(device(), spec, there.data());
        const GraphStats expected = graphStats(generate(spec)),
                         got = device().statistics(n, there.data());
        EXPECT_EQ(expected.edges, got.edges) << describe(spec);
        EXPECT_EQ(expected.hash, got.hash) << describe(spec);
        EXPECT_EQ(expected.maxWeight, got.maxWeight) << describe(spec);
        EXPECT_EQ(expected.minWeight, got.minWeight) << describe(spec);
        EXPECT_EQ(dtype, dtypeOf(got.maxWeight));
      }
    }
  }
}

TEST_P(Devices, StatisticsFindTheHeaviestAndTheLightestWeight) {
  forEachType([&](auto zero) {
    using T = decltype(zero);
    constexpr int n = 700;
    const T x = kInfinity<T>;
    std::vector<T> host(asSize(n) * asSize(n), x);
    for (int i = 0; i < n; ++i) host[asSize(i) * n + asSize(i)] = 0;
    const Uploaded<T> empty(device(), n, host);
    EXPECT_EQ(0u, device().statistics(n, empty.data()).edges);
    EXPECT_EQ(Number(T(0)), device().statistics(n, empty.data()).maxWeight);

    T heavy = x - 1, light = 1 - x;
    if constexpr (std::is_floating_point_v<T>)
      heavy = std::numeric_limits<T>::max(), light = std::numeric_limits<T>::lowest();
    host[1] = T(-3), host[2] = T(5), host[300001] = heavy, host[400002] = light,
    host[489998] = T(7);
    const Uploaded<T> there(device(), n, host);
    const GraphStats got = device().statistics(n, there.data()),
                     expected = graphStats(n, host.data());
    EXPECT_EQ(5u, got.edges);
    EXPECT_EQ(expected.hash, got.hash);
    EXPECT_EQ(Number(heavy), got.maxWeight);
    EXPECT_EQ(Number(light), got.minWeight);
    EXPECT_EQ(5.0, got.leastPositive);
    EXPECT_EQ(5.0, expected.leastPositive);
  });
}

TEST_P(Devices, ComparisonFindsPlantedFaults) {
  const std::vector<std::pair<int, std::vector<std::size_t>>> plants = {{1, {0}},
                                                                        {2, {3}},
                                                                        {100, {0}},
                                                                        {100, {9999}},
                                                                        {100, {77, 78, 5000}},
                                                                        {1700, {2889999}},
                                                                        {1700, {1500000, 2800000}}};
  forEachType([&](auto zero) {
    using T = decltype(zero);
    for (const auto& [n, places] : plants) {
      const std::vector<T> right(asSize(n) * asSize(n), T(7));
      const Uploaded<T> expected(device(), n, right), same(device(), n, right);
      EXPECT_EQ(0u, device().compare(n, same.data(), expected.data(), 0).count);

      std::vector<T> wrong = right;
      for (const std::size_t at : places) wrong[at] = kInfinity<T>;
      const Uploaded<T> got(device(), n, wrong);
      const Mismatch mismatch = device().compare(n, got.data(), expected.data(), 0);
      const int first = static_cast<int>(places[0]);
      EXPECT_EQ(places.size(), mismatch.count);
      EXPECT_EQ(first / n, mismatch.i);
      EXPECT_EQ(first % n, mismatch.j);
      EXPECT_EQ(Number(T(7)), mismatch.expected);
      EXPECT_EQ(Number(kInfinity<T>), mismatch.got);
    }
  });
}

TEST_P(Devices, ComparisonAllowsADistanceWhatItsLengthExplains) {
  constexpr int n = 1000;
  forEachType([&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      const T off = 8 * std::numeric_limits<T>::epsilon();
      std::vector<T> right(asSize(n) * n, T(1)), other = right;
      right[123456] = T(16), other[123456] += T(15) + 16 * off;  // of 16 edges, so it may be
      other[654321] += off;                                      // of one edge
      const Uploaded<T> expected(device(), n, right), got(device(), n, other);
      const auto found = [&](const Tolerance& allowed) {
        return device().compare(n, got.data(), expected.data(), allowed);
      };
      EXPECT_EQ(0u, found(tolerance(n, kDtype<T>, 2)).count);
      const Mismatch mismatch = found(Tolerance(n, kDtype<T>, 2, 1));
      EXPECT_EQ(1u, mismatch.count);
      EXPECT_EQ(654321, mismatch.i * n + mismatch.j);
    }
  });
}

TEST_P(Devices, WholeNumbersOf64BitsAreComparedInFull) {
  const std::int64_t far = std::int64_t{1} << 61;
  const Uploaded<std::int64_t> a(device(), 1, {far}), b(device(), 1, {far + 1});
  EXPECT_EQ(1u, device().compare(1, a.data(), b.data(), 0.5).count);
  EXPECT_THROW(device().compare(1, a.data(), DeviceMatrix(device(), 1).data(), 0),
               std::logic_error);
}

/// T: float or double. tiny: a subnormal number.
template <class T>
void expectRealsCompared(const Device& device, T least, T tiny) {
  constexpr T kMost = std::numeric_limits<T>::max(), kNan = std::numeric_limits<T>::quiet_NaN(),
              kFar = kInfinity<T>;
  const struct {
    T got, expected;
    bool agree;
  } rows[] = {
      {1, 1, true},         {T(1.125), 1, true},  {T(0.875), 1, true},
      {T(1.126), 1, false}, {T(0.874), 1, false}, {0, 1, false},
      {0, 0, true},         {least, 0, false},    {-1, 1, false},
      {kFar, 1, false},     {1, kFar, false},     {kMost, kFar, false},
      {kFar, kMost, false}, {kFar, kFar, true},   {-kFar, kFar, false},
      {kNan, 1, false},     {1, kNan, false},     {kNan, kNan, false},
      {-kNan, 0, false},    {kNan, kFar, false},  {tiny, T(1.05) * tiny, true},
  };
  for (const auto& [got, expected, right] : rows) {
    std::vector<T> a(25, T(3)), b = a;
    a[13] = got, b[13] = expected;
    const Uploaded<T> there(device, 5, a), other(device, 5, b);
    const Mismatch m = device.compare(5, there.data(), other.data(), 0.125);
    ASSERT_EQ(right ? 0u : 1u, m.count) << got << " for " << expected;
    if (right) continue;
    EXPECT_EQ(13, m.i * 5 + m.j);
    EXPECT_EQ(bitsOf(got), bitsOf(std::get<T>(m.got)));
    EXPECT_EQ(bitsOf(expected), bitsOf(std::get<T>(m.expected)));
  }
}

TEST_P(Devices, RealsAreComparedWithinTheToleranceAndInfinityAndNanExactly) {
  expectRealsCompared<float>(device(), 1e-45f, 1e-40f);
  expectRealsCompared<double>(device(), 5e-324, 1e-310);
}

TEST_P(Devices, ZeroWeightsKeepsWhatIsNoEdge) {
  forEachType([&](auto zero) {
    using T = decltype(zero);
    const T x = kInfinity<T>;
    const T heavy = std::is_integral_v<T> ? x - 1 : std::numeric_limits<T>::max();
    const Uploaded<T> there(device(), 3, {0, 5, x, heavy, 0, x, T(-1), 2, 0});
    device().zeroWeights(3, there.data());
    EXPECT_EQ((std::vector<T>{0, 0, x, 0, 0, x, 0, 0, 0}), download<T>(device(), there.data(), 3));
  });
}

TEST_P(Devices, RenumberingCountsFromAnotherVertex) {
  forEachType([&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> host = {0, 1, 2,  //
                                 3, 4, 5,  //
                                 6, 7, 8};
    const Uploaded<T> from(device(), 3, host);
    const DeviceMatrix to(device(), 3, kDtype<T>);
    const auto renumbered = [&](int by) {
      device().renumber(3, to.data(), from.data(), by);
      return download<T>(device(), to.data(), 3);
    };
    EXPECT_EQ(host, renumbered(0));
    EXPECT_EQ((std::vector<T>{4, 5, 3, 7, 8, 6, 1, 2, 0}), renumbered(1));
    EXPECT_EQ((std::vector<T>{8, 6, 7, 2, 0, 1, 5, 3, 4}), renumbered(2));
  });
}

TEST_P(Devices, TellsWhatItIsAndWhatIsFree) {
  EXPECT_FALSE(device().info().name.empty());
  EXPECT_GT(device().info().units, 0);
  EXPECT_GT(device().freeBytes(), 0u);
}

TEST_P(Devices, TooLargeAMatrixIsAnErrorNamingBytes) {
  try {
    DeviceMatrix(device(), 2000000);
    FAIL() << "16 TB were allocated";
  } catch (const Error& error) {
    EXPECT_EQ(ErrorCode::kMemory, error.code);
    EXPECT_NE(std::string::npos, std::string(error.what()).find("16.0 TB")) << error.what();
  }
  try {
    DeviceMatrix(device(), 2000000, Dtype::kFloat64);
    FAIL() << "32 TB were allocated";
  } catch (const Error& error) {
    EXPECT_NE(std::string::npos, std::string(error.what()).find("32.0 TB")) << error.what();
  }
}

}  // namespace
