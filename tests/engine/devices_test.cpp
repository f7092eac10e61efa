// What a Device does beside solving: moving, generating, counting and comparing matrices. The
// comparison is the verifier's eye, so faults are planted that it must find.
#include "devices.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "apsp.h"
#include "base/error.h"
#include "generate/families.h"
#include "generate/source.h"

namespace {

using Devices = OnDevice;
ON_EVERY_DEVICE(Devices);

TEST_P(Devices, UploadCopyAndDownloadKeepEveryElement) {
  for (const int n : {1, 3, 1000, 2300}) {  // 2300² ints are more than both staging buffers hold
    std::vector<int> host(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    std::iota(host.begin(), host.end(), -5);
    DeviceMatrix a(device(), n), b(device(), n);
    device().upload(a.data(), host.data(), host.size());
    device().copy(b.data(), a.data(), host.size());
    EXPECT_EQ(host, download(device(), b.data(), n)) << "n = " << n;
  }
}

TEST_P(Devices, GeneratesTheSameBytesAsTheHost) {
  const std::uint64_t seed = std::random_device{}();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 33, 100, 257}) {
      for (const bool undirected : {false, true}) {
        Spec spec = specOf(family, n, seed, undirected);
        if (n % 3 == 0) spec.dtype = Dtype::kFloat32;
        DeviceMatrix there(device(), n);
        generateOn(device(), spec, there.data());
        const Matrix host = toMatrix(generate(spec));
        EXPECT_EQ(std::vector<int>(host.data(), host.data() + host.size()),
                  download(device(), there.data(), n))
            << describe(spec);
      }
    }
  }
}

TEST_P(Devices, StatisticsMatchTheGraphs) {
  for (const char* family : {"course", "sparse", "disconnected"}) {
    for (const int n : {1, 2, 65, 1700}) {
      Spec spec = specOf(familyIndex(family), n, 3);
      if (n % 2 == 0) spec.dtype = Dtype::kFloat32;
      DeviceMatrix there(device(), n);
      generateOn(device(), spec, there.data());
      const GraphStats expected = graphStats(generate(spec)),
                       got = device().statistics(n, there.data(), spec.dtype);
      EXPECT_EQ(expected.edges, got.edges) << describe(spec);
      EXPECT_EQ(expected.hash, got.hash) << describe(spec);
      EXPECT_EQ(expected.maxWeight, got.maxWeight) << describe(spec);
    }
  }
}

TEST_P(Devices, ComparisonFindsPlantedFaults) {
  const std::vector<std::pair<int, std::vector<std::size_t>>> plants = {{1, {0}},
                                                                        {2, {3}},
                                                                        {100, {0}},
                                                                        {100, {9999}},
                                                                        {100, {77, 78, 5000}},
                                                                        {1700, {2889999}},
                                                                        {1700, {1500000, 2800000}}};
  for (const auto& [n, places] : plants) {
    const std::vector<int> right(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 7);
    DeviceMatrix expected(device(), n), got(device(), n);
    device().upload(expected.data(), right.data(), right.size());
    device().copy(got.data(), expected.data(), right.size());
    EXPECT_EQ(0u, device().compare(n, got.data(), expected.data(), Dtype::kInt32, 0).count);

    std::vector<int> wrong = right;
    for (const std::size_t at : places) wrong[at] = kInf;
    device().upload(got.data(), wrong.data(), wrong.size());
    const Mismatch mismatch = device().compare(n, got.data(), expected.data(), Dtype::kInt32, 0);
    const int first = static_cast<int>(places[0]);
    EXPECT_EQ(places.size(), mismatch.count);
    EXPECT_EQ(first / n, mismatch.i);
    EXPECT_EQ(first % n, mismatch.j);
    EXPECT_EQ(7, mismatch.expected);
    EXPECT_EQ(kInf, mismatch.got);
  }
}

TEST_P(Devices, FloatsAreComparedWithinTheToleranceAndInfinityAndNanExactly) {
  constexpr float kMost = std::numeric_limits<float>::max(), kNan = NAN;
  struct {
    float got, expected;
    bool agree;
  } const rows[] = {
      {1, 1, true},
      {1.125f, 1, true},
      {0.875f, 1, true},
      {1.126f, 1, false},
      {0.874f, 1, false},
      {0, 1, false},
      {0, 0, true},
      {1e-45f, 0, false},
      {-1, 1, false},
      {HUGE_VALF, 1, false},
      {1, HUGE_VALF, false},
      {kMost, HUGE_VALF, false},
      {HUGE_VALF, kMost, false},
      {HUGE_VALF, HUGE_VALF, true},
      {-HUGE_VALF, HUGE_VALF, false},
      {kNan, 1, false},
      {1, kNan, false},
      {kNan, kNan, false},
      {-kNan, 0, false},
      {kNan, HUGE_VALF, false},
      {1e-40f, 1.05e-40f, true},
  };
  for (const auto& [got, expected, right] : rows) {
    std::vector<int> a(25, toWord(3)), b = a;
    a[13] = toWord(got), b[13] = toWord(expected);
    DeviceMatrix there(device(), 5), other(device(), 5);
    device().upload(there.data(), a.data(), a.size());
    device().upload(other.data(), b.data(), b.size());
    const Mismatch m = device().compare(5, there.data(), other.data(), Dtype::kFloat32, 0.125);
    ASSERT_EQ(right ? 0u : 1u, m.count) << got << " for " << expected;
    if (right) continue;
    EXPECT_EQ(13, m.i * 5 + m.j);
    EXPECT_EQ(toWord(got), m.got);
    EXPECT_EQ(toWord(expected), m.expected);
  }
}

TEST_P(Devices, ZeroWeightsKeepsWhatIsNoEdge) {
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
    const int x = infinity(dtype), heavy = x - 1;
    const std::vector<int> host = {0, 5, x, heavy, 0, x, 1, 2, 0};
    DeviceMatrix there(device(), 3);
    device().upload(there.data(), host.data(), host.size());
    device().zeroWeights(3, there.data(), dtype);
    EXPECT_EQ((std::vector<int>{0, 0, x, 0, 0, x, 0, 0, 0}), download(device(), there.data(), 3));
  }
}

TEST_P(Devices, RenumberingCountsFromAnotherVertex) {
  const std::vector<int> host = {0, 1, 2,  //
                                 3, 4, 5,  //
                                 6, 7, 8};
  DeviceMatrix from(device(), 3), to(device(), 3);
  device().upload(from.data(), host.data(), host.size());
  const auto renumbered = [&](int by) {
    device().renumber(3, to.data(), from.data(), by);
    return download(device(), to.data(), 3);
  };
  EXPECT_EQ(host, renumbered(0));
  EXPECT_EQ((std::vector<int>{4, 5, 3, 7, 8, 6, 1, 2, 0}), renumbered(1));
  EXPECT_EQ((std::vector<int>{8, 6, 7, 2, 0, 1, 5, 3, 4}), renumbered(2));
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
    EXPECT_EQ(Exit::kMemory, error.code);
    EXPECT_NE(std::string::npos, std::string(error.what()).find("16.0 TB")) << error.what();
  }
}

}  // namespace
