// Many small graphs in one call of the C interface, against a triple loop in wider numbers, with
// every type of weights and every instruction set; wrong elements, wrong arguments, cancelling.
#include <apsp/apsp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "base/cancel.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "batch/batch_cpu.h"
#include "device/device.h"
#include "device/simd.h"
#include "devices.h"
#include "seed.h"
#include "small_graphs.h"
#include "types.h"

namespace {

/// Printed by every failure.
const std::uint32_t kSeed = testSeed();

/// A number with digits after the point, if the type has them.
template <class T>
T some(Rng& rng, int most) {
  if constexpr (std::is_floating_point_v<T>) return std::uniform_real_distribution<T>(0, most)(rng);
  return static_cast<T>(uniform(rng, 0, most));
}

/// The largest weights, two of which add up to infinity or more.
template <class T>
T large(Rng& rng) {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::max() / static_cast<T>(uniform(rng, 1, 3));
  return kInfinity<T> / static_cast<T>(uniform(rng, 1, 2)) - static_cast<T>(uniform(rng, 1, 3));
}

template <class T>
struct Family {
  const char* name;
  std::function<T(int n, int from, int to, Rng&)> weight;
};

template <class T>
std::vector<Family<T>> families() {
  const T none = kInfinity<T>;
  return {
      {"dense", [](int, int, int, Rng& rng) { return some<T>(rng, 100000); }},
      {"sparse", [none](int n, int, int,
                        Rng& rng) { return uniform(rng, 0, n) < 3 ? some<T>(rng, 1000) : none; }},
      {"disconnected",
       [none](int n, int i, int j, Rng& rng) {
         return (i < n / 2) == (j < n / 2) ? some<T>(rng, 1000) : none;
       }},
      {"noEdges", [none](int, int, int, Rng&) { return none; }},
      {"zeros", [](int, int, int, Rng&) { return T{0}; }},
      {"ties", [](int, int, int, Rng& rng) { return static_cast<T>(uniform(rng, 0, 2)); }},
      {"largest", [](int, int, int, Rng& rng) { return large<T>(rng); }},
      // One path through every vertex, upwards or downwards.
      {"chain", [none](int, int i, int j, Rng&) { return j == i + 1 ? T{1} : none; }},
      {"chainBack", [none](int, int i, int j, Rng&) { return i == j + 1 ? T{1} : none; }},
      {"ring", [](int n, int i, int j, Rng&) { return T(j == (i + 1) % n ? 1 : 100000); }},
  };
}

/// A batch: one matrix after the other, whose families come in turn. The diagonal holds what counts
/// as 0: anything.
template <class T>
std::vector<T> makeBatch(std::size_t count, int n, Rng& rng) {
  static const std::vector<Family<T>> all = families<T>();
  const std::size_t first = rng() % all.size();
  std::vector<T> batch;
  batch.reserve(count * static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (std::size_t number = 0; number < count; ++number)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        batch.push_back(i == j ? static_cast<T>(uniform(rng, -1, 1))
                               : all[(first + number) % all.size()].weight(n, i, j, rng));
  return batch;
}

/// Distances by the plain triple loop, in numbers that hold every sum of T exactly, or nearly so.
template <class T>
std::vector<T> byTripleLoop(int n, const T* weights) {
  using Real = std::conditional_t<sizeof(T) == 4, double, long double>;
  using Wide = std::conditional_t<std::is_floating_point_v<T>, Real, __int128>;
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<Wide> d(weights, weights + size);
  const auto at = [&](int i, int j) -> Wide& { return d[static_cast<std::size_t>(i * n + j)]; };
  for (int i = 0; i < n; ++i) at(i, i) = 0;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      const Wide first = at(i, k);
      if (first > std::numeric_limits<Wide>::max()) continue;  // infinity, with which x87 is slow
      for (int j = 0; j < n; ++j) at(i, j) = std::min(at(i, j), first + at(k, j));
    }
  std::vector<T> distances;
  for (const Wide distance : d)
    distances.push_back(distance > static_cast<Wide>(std::numeric_limits<T>::max())
                            ? kInfinity<T>
                            : static_cast<T>(distance));
  return distances;
}

/// Fails with the first entry that differs. A real sum near the largest number may be rounded to
/// infinity or not.
template <class T>
void expectRight(int n, const std::vector<T>& before, const std::vector<T>& after) {
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const T most = std::is_floating_point_v<T> ? std::numeric_limits<T>::max() * T(0.999) : T{0};
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t first = 0; first < before.size(); first += size) {
    const std::vector<T> right = byTripleLoop(n, before.data() + first);
    for (std::size_t at = 0; at < size; ++at) {
      const T got = after[first + at];
      if (agree(got, right[at], tolerance(n, kDtype<T>, 2))) continue;
      if (std::is_floating_point_v<T> && got > most && right[at] > most) continue;
      FAIL() << "matrix " << first / size << " of " << before.size() / size << ", n = " << n
             << ", element " << at << ": " << got << ", not " << right[at] << "; seed " << kSeed;
    }
  }
}

apsp_options optionsAt(apsp_place place) {
  apsp_options options;
  apsp_options_init(&options, sizeof options);
  options.place = place;
  return options;
}

template <class T>
constexpr apsp_type kType = std::is_floating_point_v<T>
                                ? (sizeof(T) == 4 ? APSP_FLOAT32 : APSP_FLOAT64)
                                : (sizeof(T) == 4 ? APSP_INT32 : APSP_INT64);

template <class T>
apsp_status solveBatch(std::size_t count, int n, std::vector<T>& matrices,
                       const apsp_options& options) {
  return apsp_solve_batch(count, n, kType<T>, matrices.data(), APSP_HOST, &options);
}

template <class T>
class Batch : public testing::Test {};
TYPED_TEST_SUITE(Batch, AllTypes);

template <class T>
void expectSolved(std::size_t count, int n, const apsp_options& options) {
  Rng rng(kSeed + static_cast<std::uint32_t>(n));
  const std::vector<T> before = makeBatch<T>(count, n, rng);
  std::vector<T> after = before;
  ASSERT_EQ(APSP_OK, solveBatch(count, n, after, options)) << apsp_last_error();
  expectRight(n, before, after);
}

TYPED_TEST(Batch, EverySizeIsSolved) {
  for (int n = 1; n <= 130; ++n)
    if (takesSize(n)) expectSolved<TypeParam>(n < 70 ? 10 : 3, n, optionsAt(APSP_CPU));
}

TYPED_TEST(Batch, EveryNumberOfGraphsIsSolved) {
  int turn = 0;
  for (const std::size_t count : {0, 1, 2, 1000})
    for (const int n : {1, 2, 7, 16, 33})
      for (const int threads : {0, 1, 3}) {
        if (count == 1000 && !takes(++turn + n, 3)) continue;
        apsp_options options = optionsAt(APSP_ANYWHERE);
        options.threads = threads;
        expectSolved<TypeParam>(count, n, options);
      }
}

/// Of whole numbers and of reals whose sums are exact, all solvers find the same bits.
TYPED_TEST(Batch, GivesTheBitsOfTheOtherSolver) {
  Rng rng(kSeed);
  for (const int n : {1, 5, 32, 100, 128}) {
    std::vector<TypeParam> together;
    for (int at = 0; at < 2 * n * n; ++at)
      together.push_back(at % (n * n) % (n + 1) == 0 ? TypeParam{0}
                                                     : static_cast<TypeParam>(uniform(rng, 0, 9)));
    std::vector<TypeParam> alone = together;
    ASSERT_EQ(APSP_OK, solveBatch(2, n, together, optionsAt(APSP_CPU)));
    const apsp_options options = optionsAt(APSP_CPU);
    for (int number = 0; number < 2; ++number)
      ASSERT_EQ(APSP_OK, apsp_solve_matrix(n, kType<TypeParam>, alone.data() + number * n * n,
                                           APSP_HOST, &options));
    EXPECT_EQ(alone, together) << "n = " << n << ", seed " << kSeed;
  }
}

TYPED_TEST(Batch, NothingAroundIsWritten) {
  constexpr std::size_t kGuard = 1024;
  const auto mark = static_cast<TypeParam>(-12345);
  for (const int n : {1, 3, 9, 17, 33, 128, 129}) {
    const std::size_t size = 3 * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<TypeParam> memory(size + 2 * kGuard, mark);
    std::fill_n(memory.begin() + kGuard, size, TypeParam{1});
    const apsp_options options = optionsAt(APSP_CPU);
    ASSERT_EQ(APSP_OK, apsp_solve_batch(3, n, kType<TypeParam>, memory.data() + kGuard, APSP_HOST,
                                        &options));
    EXPECT_EQ(kGuard, std::count(memory.begin(), memory.begin() + kGuard, mark)) << "n = " << n;
    EXPECT_EQ(kGuard, std::count(memory.end() - kGuard, memory.end(), mark)) << "n = " << n;
  }
}

/// The first wrong element of all is named, and no matrix is changed.
TYPED_TEST(Batch, AWrongElementIsNamed) {
  using T = TypeParam;
  Rng rng(kSeed);
  std::vector<T> wrong = {T{-1}};
  if constexpr (std::is_floating_point_v<T>) {
    wrong.push_back(std::numeric_limits<T>::quiet_NaN());
    wrong.push_back(-std::numeric_limits<T>::infinity());
  } else {
    wrong.push_back(kInfinity<T> + 1);
    wrong.push_back(std::numeric_limits<T>::min());
  }
  for (const int n : {2, 8, 31, 130})
    for (const T number : wrong) {
      constexpr int kCount = 40;
      std::vector<T> matrices = makeBatch<T>(kCount, n, rng);
      const int m = uniform(rng, 0, kCount - 2), i = uniform(rng, 0, n - 1);
      const int j = (i + uniform(rng, 1, n - 1)) % n;
      for (const int where : {m, kCount - 1})
        matrices[static_cast<std::size_t>((where * n + i) * n + j)] = number;
      std::vector<T> after = matrices;
      EXPECT_EQ(APSP_INVALID, solveBatch(kCount, n, after, optionsAt(APSP_CPU)));
      const std::string place = "matrices[" + std::to_string(m) + "][" + std::to_string(i) + "][" +
                                std::to_string(j) + "] is ";
      EXPECT_EQ(0u, std::string(apsp_last_error()).find(place)) << apsp_last_error();
      for (std::size_t at = 0; at < after.size(); ++at)
        ASSERT_EQ(bitsOf(matrices[at]), bitsOf(after[at])) << "seed " << kSeed;
    }
}

TEST(BatchOfInt32, AWrongElementIsNamedWithItsValue) {
  std::vector<std::int32_t> matrices = {0, 1, 1, 0, 0, 1, -7, 0};
  EXPECT_EQ(APSP_INVALID, solveBatch(2, 2, matrices, optionsAt(APSP_CPU)));
  EXPECT_STREQ(
      "matrices[1][1][0] is -7: weights are 0 to 1073741822; below 0 with options.negative = 1",
      apsp_last_error());
}

/// A zero that has a sign counts as 0: no path ends with it.
TEST(BatchOfReals, MinusZeroIsZero) {
  std::vector<float> matrices = {0, -0.0f, -0.0f, 0};
  EXPECT_EQ(APSP_OK, solveBatch(1, 2, matrices, optionsAt(APSP_CPU)));
  for (const float distance : matrices) EXPECT_EQ(0u, bitsOf(distance));
}

TEST(BatchErrors, NameWhatIsWrong) {
  std::vector<std::int32_t> matrices(8);
  const auto call = [&](std::size_t count, int n, int type, void* data, int where,
                        const std::function<void(apsp_options&)>& change) {
    apsp_options options = optionsAt(APSP_CPU);
    change(options);
    return apsp_solve_batch(count, n, static_cast<apsp_type>(type), data,
                            static_cast<apsp_memory>(where), &options);
  };
  const auto nothing = [](apsp_options&) {};
  const std::int32_t vertex = 0;
  const struct {
    std::size_t count;
    int n, type;
    void* data;
    int where;
    std::function<void(apsp_options&)> change;
    const char* message;
    apsp_status status = APSP_INVALID;
  } cases[] = {
      {2, 0, APSP_INT32, matrices.data(), APSP_HOST, nothing, "n is below 1"},
      {2, 2, APSP_INT32, nullptr, APSP_HOST, nothing, "matrices is NULL"},
      {2, 2, 9, matrices.data(), APSP_HOST, nothing, "type is no apsp_type"},
      {2, 2, APSP_INT32, matrices.data(), 7, nothing, "where is no apsp_memory"},
      {SIZE_MAX / 8, 2, APSP_INT32, matrices.data(), APSP_HOST, nothing, "count is too large"},
      {2, INT32_MAX, APSP_INT64, matrices.data(), APSP_HOST, nothing, "count is too large"},
      {2, 2, APSP_INT32, matrices.data(), APSP_DEVICE, nothing, "device memory are not solved on",
       APSP_UNSUPPORTED},
      {2, 2, APSP_INT32, matrices.data(), APSP_HOST, [](auto& o) { o.negative = 1; }, "negative",
       APSP_UNSUPPORTED},
      {2, 2, APSP_INT32, matrices.data(), APSP_HOST, [](auto& o) { o.ranks = 2; }, "ranks",
       APSP_UNSUPPORTED},
      {2, 2, APSP_INT32, matrices.data(), APSP_HOST, [](auto& o) { o.method = APSP_SPARSE; },
       "takes no method", APSP_UNSUPPORTED},
      {2, 2, APSP_INT32, matrices.data(), APSP_HOST, [&](auto& o) { o.sources = &vertex; },
       "sources", APSP_UNSUPPORTED},
      {2, 2, APSP_INT32, matrices.data(), APSP_HOST, [](auto& o) { o.threads = -1; }, "threads"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(one.status, call(one.count, one.n, one.type, one.data, one.where, one.change));
    EXPECT_NE(std::string::npos, std::string(apsp_last_error()).find(one.message))
        << apsp_last_error();
  }
  EXPECT_EQ(APSP_OK, apsp_solve_batch(0, 5, APSP_INT32, nullptr, APSP_HOST, nullptr));
  EXPECT_EQ(APSP_OK, apsp_solve_batch(2, 2, APSP_INT32, matrices.data(), APSP_HOST, nullptr));
}

TEST(BatchCancel, TheLoopsLeaveTheRestOut) {
  const std::atomic<bool> flag{true};
  const CancelScope scope(flag);
  std::vector<std::int32_t> matrices(100 * 16 * 16, 1);
  const std::vector<std::int32_t> before = matrices;
  EXPECT_THROW(batch::solveOnCpu(100, 16, matrices.data()), Cancelled);
  EXPECT_EQ(before, matrices);
}

/// The callback is called after a tenth of a second; so long must a batch take.
TEST(BatchCancel, TheCallbackEndsIt) {
  constexpr int kVertices = 600, kCount = 60;
  std::vector<double> matrices(std::size_t{kCount} * kVertices * kVertices, 1.0);
  apsp_options options = optionsAt(APSP_CPU);
  options.threads = 1;
  options.progress = [](void*, const char*, double) { return 1; };
  EXPECT_EQ(APSP_CANCELLED, solveBatch(kCount, kVertices, matrices, options));
}

class BatchSimd : public testing::TestWithParam<const char*> {};

template <class T>
void expectSolvedWith(const std::string& simd) {
  Rng rng(kSeed);
  for (int n = 1; n <= batch::kMostVertices; n += n < 40 ? 1 : 11) {
    const std::vector<T> before = makeBatch<T>(10, n, rng);
    std::vector<T> after = before;
    batch::solveOnCpu(10, n, after.data(), simd);
    expectRight(n, before, after);
  }
}

TEST_P(BatchSimd, Solves) {
  if (!hasSimd(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) { expectSolvedWith<decltype(zero)>(GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Levels, BatchSimd, testing::Values("avx512", "avx2", "portable"),
                         [](const auto& level) { return std::string(level.param); });

TEST(BatchUnknownSimd, IsAUsageError) {
  std::int32_t zero = 0;
  EXPECT_THROW(batch::solveOnCpu(1, 1, &zero, "mmx"), Error);
}

template <class T>
class BatchOnGpu : public OnGpu<> {};
TYPED_TEST_SUITE(BatchOnGpu, AllTypes);

TYPED_TEST(BatchOnGpu, EverySizeIsSolvedThroughIt) {
  for (int n = 1; n <= 130; ++n) expectSolved<TypeParam>(10, n, optionsAt(APSP_GPU));
  for (const std::size_t count : {0, 1, 2, 1000})
    expectSolved<TypeParam>(count, 33, optionsAt(APSP_GPU));
}

TYPED_TEST(BatchOnGpu, ManyAreSolvedInItsMemory) {
  Rng rng(kSeed);
  for (const int n : {1, 4, 8, 9, 16, 31, 32, 33, 64, 65, 100, 128, 130}) {
    const std::size_t count = n <= 32 ? 2000 : 200;
    const std::vector<TypeParam> before = makeBatch<TypeParam>(count, n, rng);
    std::vector<TypeParam> after = before;
    const DeviceElements there(*this->gpu_, kDtype<TypeParam>, before.size());
    upload(*this->gpu_, there.data(), before.data(), before.size());
    const apsp_options options = optionsAt(APSP_ANYWHERE);
    ASSERT_EQ(APSP_OK, apsp_solve_batch(count, n, kType<TypeParam>, there.data().data(),
                                        APSP_DEVICE, &options))
        << apsp_last_error();
    this->gpu_->synchronise();
    download(*this->gpu_, after.data(), there.data(), after.size());
    if (n > batch::kMostVertices) continue;  // its diagonal must be 0: apsp_solve_matrix()
    expectRight(n, before, after);
  }
}

TEST(BatchWithoutGpu, SaysSo) {
  std::string why;
  if (findGpu(why) != nullptr) GTEST_SKIP() << "there is a GPU";
  std::vector<std::int32_t> matrices(8);
  EXPECT_EQ(APSP_NO_DEVICE, solveBatch(2, 2, matrices, optionsAt(APSP_GPU)));
  EXPECT_EQ(APSP_NO_DEVICE,
            apsp_solve_batch(2, 2, APSP_INT32, matrices.data(), APSP_DEVICE, nullptr));
}

}  // namespace
