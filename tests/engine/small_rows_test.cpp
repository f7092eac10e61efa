// Rows that are kept in 8 or 16 bits, against conversions one by one.
#include "solver/small_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "apsp.h"
#include "base/dtype.h"
#include "base/size.h"
#include "devices.h"

namespace {

constexpr int kRows = 300, kColumns = 700;  // more than a thread converts at once

/// The shape of a table whose vertices are not the numbers of its rows and columns.
class Shape : public Distances {
 public:
  Shape() : Distances(5000, Dtype::kInt32, &asked_) {
    for (int i = 0; i < kRows; ++i) asked_.sources.push_back(i + 1000);
    for (int j = 0; j < kColumns; ++j) asked_.targets.push_back(2 * j);
  }
  void rows(int, int, const RowVisitor&) const override {}

 private:
  Selection asked_;
};

/// All distances that fit, and infinity, again and again.
template <class T>
std::vector<T> distancesBelow(int limit) {
  std::vector<T> all(asSize(kRows) * kColumns);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto number = static_cast<int>(i * 7 % asSize(limit + 1));
    all[i] = number == limit ? kInfinity<T> : static_cast<T>(number);
  }
  return all;
}

class SmallRowsOn : public OnDevice {
 protected:
  /// Keeps these rows, in two parts, the last one first.
  template <class T>
  void keep(const std::vector<T>& rows, SmallRows& small) const {
    const int half = 101;
    const DeviceElements there(device(), kDtype<T>, rows.size());
    upload(device(), there.data(), ConstElements(rows.data()), rows.size());
    small.keep(Shape(), half, kRows - half, there.data() + asSize(half) * kColumns);
    small.keep(Shape(), 0, half, there.data());
  }

  template <class T>
  std::vector<T> widened(const SmallRows& small, int first, int count) const {
    const DeviceElements there(device(), kDtype<T>, asSize(count) * kColumns);
    small.widen(first, count, there.data());
    std::vector<T> rows(there.size());
    download(device(), Elements(rows.data()), there.data(), rows.size());
    return rows;
  }

  template <class T>
  void expectKept(RowWidth stored, int limit) const {
    const std::vector<T> rows = distancesBelow<T>(limit);
    SmallRows small(device(), kRows, kColumns, stored);
    keep(rows, small);
    EXPECT_EQ(widened<T>(small, 0, kRows), rows);
    const std::vector<T> some(rows.begin() + 17 * kColumns, rows.begin() + 40 * kColumns);
    EXPECT_EQ(widened<T>(small, 17, 23), some);
  }

  /// Of two distances that do not fit, the first one is named.
  template <class T>
  void expectRefused(RowWidth stored, T number, int most) const {
    SmallRows small(device(), kRows, kColumns, stored);
    std::vector<T> rows(asSize(kRows) * kColumns, 3);
    rows[299 * kColumns] = number;
    keep(std::vector<T>(rows.size(), kInfinity<T>), small);
    rows[150 * kColumns + 699] = number;
    try {
      keep(rows, small);
      FAIL() << number << " was kept";
    } catch (const DoesNotFit& error) {
      EXPECT_EQ(error.most, most);
      EXPECT_EQ(error.source, 1150);
      EXPECT_EQ(error.target, 1398);
      EXPECT_EQ(error.code, ErrorCode::kUsage);
      EXPECT_EQ(error.what(), "a distance is not between 0 and " + std::to_string(most) +
                                  ", the first pair 1150 -> 1398: take more bits");
      EXPECT_EQ(doesNotFitText(error, [](int v) { return "v" + std::to_string(v); }),
                "a distance is not between 0 and " + std::to_string(most) +
                    ", the first pair v1150 -> v1398: take more bits");
    }
  }
};

TEST_P(SmallRowsOn, ArePutBackAsTheyWere) {
  expectKept<std::int32_t>(RowWidth::kUint8, 255);
  expectKept<std::int64_t>(RowWidth::kUint8, 255);
  expectKept<std::int32_t>(RowWidth::kUint16, 65535);
  expectKept<std::int64_t>(RowWidth::kUint16, 65535);
}

TEST_P(SmallRowsOn, NameTheFirstPairThatDoesNotFit) {
  for (const std::int32_t number : {255, 256, 65536, kInf - 1, -1})
    expectRefused<std::int32_t>(RowWidth::kUint8, number, 254);
  for (const std::int32_t number : {65535, 65536, kInf - 1, -1})
    expectRefused<std::int32_t>(RowWidth::kUint16, number, 65534);
  expectRefused<std::int64_t>(RowWidth::kUint8, std::int64_t{1} << 40, 254);
  expectRefused<std::int64_t>(RowWidth::kUint16, kInfinity<std::int64_t> - 1, 65534);
}

ON_EVERY_DEVICE(SmallRowsOn);

TEST(SmallRows, TakeAByteOrTwo) {
  EXPECT_EQ(SmallRows::bytes(120'000, 120'000, RowWidth::kUint8), 14'400'000'000U);
  EXPECT_EQ(SmallRows::bytes(120'000, 120'000, RowWidth::kUint16), 28'800'000'000U);
}

}  // namespace
