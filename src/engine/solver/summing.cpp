// A matrix of distances takes longer to read than its sums take to add up. So they are added up
// right after the distances were computed or loaded: in pieces of some rows and columns that fit
// into the L1 cache. Rows of one block are added up together, and the sums of a column are touched
// once for eight of them.
//
// All but int64 are added up as doubles. A sum of int32 is exact below 2^53. A row is added up in
// up to eight lanes, so its sum is exact if it has fewer than 2^24 elements. Sums of int64 are kept
// in two words: low + 2^32 · high.
//
// Of eight reciprocals, one division gives all: 1/(abc…) times the other seven factors (Montgomery
// 1987, "simultaneous inversion"). The product of eight must be a normal double. That is so for
// whole numbers, and for reals between 2^-120 and 2^120. Each factor of a product rounds once, so a
// reciprocal is off by less than 2^-48 of itself.
//
// The distance from a vertex to itself is 0. It is part of the sums, where it changes nothing, and
// is not counted: how many such pairs a row or a column has follows from the shape alone. Only if
// all others are negative, it is the largest of a row, and the row is looked at again.
#include "solver/summing.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/size.h"
#include "base/thread_team.h"
#include "device/simd.h"

namespace engine {

namespace {

constexpr int kGroup = 8;  // rows that are added up together

template <class T>
constexpr bool kWhole = std::is_integral_v<T>;
template <class T>
constexpr bool kTwoWords = std::is_same_v<T, std::int64_t>;

/// The sums of some columns; null where T does not need them.
struct Slices {
  double *sum, *harmonic;
  std::int64_t *low, *high;
  int* missing;

  Slices operator+(int columns) const {
    const auto from = [&](auto* list) { return list == nullptr ? nullptr : list + columns; };
    return {from(sum), from(harmonic), from(low), from(high), from(missing)};
  }
};

/// kLanes numbers of type T.
template <class T, int kLanes>
struct Lanes {
  typedef T Vec __attribute__((vector_size(kLanes * sizeof(T))));
};
template <class T, int kLanes>
using Vec = typename Lanes<T, kLanes>::Vec;

/// The same anywhere in memory. Clang forgets that a vector is not aligned, unless a struct says
/// so.
template <class T, int kLanes>
struct __attribute__((packed, may_alias)) Loose {
  Vec<T, kLanes> all;
};
template <int kLanes, class T>
[[gnu::always_inline]] inline Loose<T, kLanes>& at(T* numbers) {
  return *reinterpret_cast<Loose<T, kLanes>*>(numbers);
}
template <int kLanes, class T>
[[gnu::always_inline]] inline const Loose<T, kLanes>& at(const T* numbers) {
  return *reinterpret_cast<const Loose<T, kLanes>*>(numbers);
}

/// What the elements of some rows are like.
enum class Kind {
  kPlain,    ///< all are above 0 and below infinity, and reals are neither tiny nor huge
  kMasked,   ///< some are infinite or 0, or whole numbers below 0
  kExtreme,  ///< some are tiny or huge reals, or below 0
};

/// Whether the product of kGroup such numbers, and its reciprocal, are normal doubles. least: above
/// 0.
template <class T>
[[gnu::always_inline]] inline bool mayMultiply(T least, T largest) {
  return kWhole<T> ||
         (static_cast<double>(least) >= 0x1p-120 && static_cast<double>(largest) <= 0x1p120);
}

/// The largest and the least number in all lanes.
template <int kLanes, class T>
[[gnu::always_inline]] inline T leastOf(const Vec<T, kLanes>& numbers) {
  T least = numbers[0];
  for (int i = 1; i < kLanes; ++i) least = std::min<T>(least, numbers[i]);
  return least;
}
template <int kLanes, class T>
[[gnu::always_inline]] inline T largestOf(const Vec<T, kLanes>& numbers) {
  T largest = numbers[0];
  for (int i = 1; i < kLanes; ++i) largest = std::max<T>(largest, numbers[i]);
  return largest;
}

/// Finds what is no sum in a row that may have infinite elements and zeros. Returns the least
/// number above 0.
template <int kLanes, class T>
[[gnu::always_inline]] inline T lookAgain(const T* row, int width, RowSums<T>& to) {
  using V = Vec<T, kLanes>;
  V above = V{} + kInfinity<T>, largest = at<kLanes>(to.largest).all;
  auto reached = V{} < V{};  // -1 for each that is
  for (int j = 0; j < width; j += kLanes) {
    const V number = at<kLanes>(row + j).all;
    const auto isReached = number < V{} + kInfinity<T>;
    reached += isReached;
    const V known = isReached ? number : largest;
    largest = known > largest ? known : largest;
    const V positive = number > V{} ? number : above;
    above = positive < above ? positive : above;
  }
  at<kLanes>(to.largest).all = largest;
  to.missing += width;
  for (int i = 0; i < kLanes; ++i) to.missing += static_cast<int>(reached[i]);
  return leastOf<kLanes, T>(above);
}

/// Looks at `some` rows, and finds what is no sum. width: a multiple of kLanes. Returns nothing if
/// all elements are infinite.
template <int kLanes, class T>
[[gnu::always_inline]] inline std::optional<Kind> look(const T* const* rows, int some, int width,
                                                       RowSums<T>* const* to) {
  using V = Vec<T, kLanes>;
  constexpr T kLowest = std::numeric_limits<T>::lowest();
  V leastOfAll = V{} + kInfinity<T>, largestOfAll = V{} + kLowest, largests[kGroup];
  for (int i = 0; i < some; ++i) {
    V least = V{} + kInfinity<T>, largest = V{} + kLowest;
    for (int j = 0; j < width; j += kLanes) {
      const V number = at<kLanes>(rows[i] + j).all;
      least = number < least ? number : least;
      largest = number > largest ? number : largest;
    }
    leastOfAll = least < leastOfAll ? least : leastOfAll;
    largestOfAll = largest > largestOfAll ? largest : largestOfAll;
    largests[i] = largest;
  }
  T least = leastOf<kLanes, T>(leastOfAll), largest = largestOf<kLanes, T>(largestOfAll);
  if (least > 0 && largest < kInfinity<T>) {
    for (int i = 0; i < some; ++i) {
      const V known = at<kLanes>(to[i]->largest).all;
      at<kLanes>(to[i]->largest).all = largests[i] > known ? largests[i] : known;
    }
    if (!mayMultiply(least, largest)) return Kind::kExtreme;
    return some == kGroup ? Kind::kPlain : Kind::kMasked;
  }
  T above = kInfinity<T>;
  int missing = 0;
  for (int i = 0; i < some; ++i) {
    missing -= to[i]->missing;
    above = std::min(above, lookAgain<kLanes>(rows[i], width, *to[i]));
    missing += to[i]->missing;
  }
  if (missing == some * width) return std::nullopt;
  if (kWhole<T>) return Kind::kMasked;
  largest = kLowest;
  for (int i = 0; i < some; ++i)
    largest = std::max(largest, largestOf<kLanes, T>(at<kLanes>(to[i]->largest).all));
  return least >= 0 && mayMultiply(above, largest) ? Kind::kMasked : Kind::kExtreme;
}

/// The reciprocals of kGroup vectors, of which no number is 0.
template <Kind kKind, class D>
[[gnu::always_inline]] inline void invert(const D* divisor, D* reciprocal) {
  if constexpr (kKind == Kind::kExtreme) {
    for (int i = 0; i < kGroup; ++i) reciprocal[i] = 1 / divisor[i];
    return;
  }
  D before[kGroup];  // the products of the first ones
  before[0] = divisor[0];
  for (int i = 1; i < kGroup; ++i) before[i] = before[i - 1] * divisor[i];
  D inverse = 1 / before[kGroup - 1];
  for (int i = kGroup - 1; i > 0; --i) {
    reciprocal[i] = inverse * before[i - 1];
    inverse *= divisor[i];
  }
  reciprocal[0] = inverse;
}

/// Adds kGroup vectors to the numbers from `to` on.
template <int kLanes, class D>
[[gnu::always_inline]] inline void addAll(const D* all, double* to) {
  at<kLanes>(to).all +=
      ((all[0] + all[1]) + (all[2] + all[3])) + ((all[4] + all[5]) + (all[6] + all[7]));
}

/// Adds kGroup rows, of which the first `some` count; the others are infinite. width: a multiple
/// of kLanes.
template <int kLanes, Kind kKind, class T>
[[gnu::always_inline]] inline void addGroup(const T* const* rows, int some, int width,
                                            RowSums<T>* const* to, const Slices& columns) {
  using D = Vec<double, kLanes>;
  using I = Vec<std::int64_t, kLanes>;
  D sums[kGroup], harmonics[kGroup];
  [[maybe_unused]] I lows[kGroup], highs[kGroup];
  for (int i = 0; i < kGroup; ++i) sums[i] = harmonics[i] = D{}, lows[i] = highs[i] = I{};
  for (int j = 0; j < width; j += kLanes) {
    D number[kGroup];
    I reached = {};  // -1 for each that is
    [[maybe_unused]] I allLow = {}, allHigh = {};
    for (int i = 0; i < kGroup; ++i) {
      Vec<T, kLanes> given = at<kLanes>(rows[i] + j).all;
      if constexpr (kTwoWords<T>) {
        if constexpr (kKind != Kind::kPlain) {
          const I isReached = given < I{} + kInfinity<T>;
          reached += isReached;
          given = given & isReached;
        }
        const I low = given & 0xffffffff, high = given >> 32;
        lows[i] += low;
        highs[i] += high;
        allLow += low;
        allHigh += high;
      }
      number[i] = __builtin_convertvector(given, D);
      if constexpr (!kTwoWords<T>) {
        if constexpr (kKind != Kind::kPlain) {
          const auto isReached = number[i] < D{} + static_cast<double>(kInfinity<T>);
          reached += isReached;
          number[i] = isReached ? number[i] : D{};
        }
        sums[i] += number[i];
      }
    }
    if constexpr (kTwoWords<T>) {
      at<kLanes>(columns.low + j).all += allLow;
      at<kLanes>(columns.high + j).all += allHigh;
    } else {
      addAll<kLanes>(number, columns.sum + j);
    }
    if constexpr (kKind != Kind::kPlain)
      at<kLanes>(columns.missing + j).all +=
          some + __builtin_convertvector(reached, Vec<int, kLanes>);
    alignas(sizeof(D)) D divisor[kGroup], reciprocal[kGroup];
    for (int i = 0; i < kGroup; ++i)
      divisor[i] = kKind == Kind::kPlain ? number[i] : number[i] == D{} ? D{} + 1 : number[i];
    invert<kKind>(divisor, reciprocal);
    for (int i = 0; i < kGroup; ++i) {
      if constexpr (kKind != Kind::kPlain) reciprocal[i] = number[i] == D{} ? D{} : reciprocal[i];
      harmonics[i] += reciprocal[i];
    }
    addAll<kLanes>(reciprocal, columns.harmonic + j);
  }
  for (int i = 0; i < some; ++i) {
    at<kLanes>(to[i]->harmonic).all += harmonics[i];
    if constexpr (kTwoWords<T>) {
      at<kLanes>(to[i]->low).all += lows[i];
      at<kLanes>(to[i]->high).all += highs[i];
    } else {
      at<kLanes>(to[i]->sum).all += sums[i];
    }
  }
}

template <int kLanes, class T>
[[gnu::always_inline]] inline void addAnyGroup(const T* const* rows, int some, int width,
                                               RowSums<T>* const* to, const Slices& columns) {
  const std::optional<Kind> kind = look<kLanes>(rows, some, width, to);
  if (!kind) {
    for (int j = 0; j < width; ++j) columns.missing[j] += some;
    return;
  }
  switch (*kind) {
    case Kind::kPlain:
      return addGroup<kLanes, Kind::kPlain>(rows, some, width, to, columns);
    case Kind::kMasked:
      return addGroup<kLanes, Kind::kMasked>(rows, some, width, to, columns);
    case Kind::kExtreme:
      return addGroup<kLanes, Kind::kExtreme>(rows, some, width, to, columns);
  }
}

/// infinite: a row of kMostColumns elements.
template <int kLanes, class T>
[[gnu::always_inline]] inline void addBody(const T* const* rows, int count, int width,
                                           RowSums<T>* to, const Slices& columns,
                                           const T* infinite) {
  const int rest = width % kLanes, most = width - rest;
  for (int first = 0; first < count; first += kGroup) {
    const int some = std::min(kGroup, count - first);
    const T* group[kGroup];
    RowSums<T>* sums[kGroup];
    for (int i = 0; i < kGroup; ++i) {
      group[i] = i < some ? rows[first + i] : infinite;
      sums[i] = to + first + (i < some ? i : 0);
    }
    if (most > 0) addAnyGroup<kLanes>(group, some, most, sums, columns);
    if (rest == 0) continue;
    T ends[kGroup][kLanes];  // of the rows, made longer by infinite elements
    double sum[kLanes] = {}, harmonic[kLanes] = {};
    std::int64_t low[kLanes] = {}, high[kLanes] = {};
    int missing[kLanes] = {};
    for (int i = 0; i < kGroup; ++i) {
      std::copy_n(infinite, kLanes, ends[i]);
      std::copy_n(group[i] + (i < some ? most : 0), rest, ends[i]);
      group[i] = ends[i];
    }
    addAnyGroup<kLanes>(group, some, kLanes, sums, {sum, harmonic, low, high, missing});
    for (int i = 0; i < some; ++i) sums[i]->missing -= kLanes - rest;
    const Slices end = columns + most;
    for (int j = 0; j < rest; ++j) {
      if constexpr (kTwoWords<T>) {
        end.low[j] += low[j];
        end.high[j] += high[j];
      } else {
        end.sum[j] += sum[j];
      }
      end.harmonic[j] += harmonic[j];
      end.missing[j] += missing[j];
    }
  }
}

template <class T>
using Add = void (*)(const T* const* rows, int count, int width, RowSums<T>* to,
                     const Slices& columns, const T* infinite);

/// The kernel with the instructions of one target. GCC inlines the bodies into it. lanes: doubles
/// in a vector.
#define SUMMING_KERNEL(name, target, lanes)                                    \
  template <class T>                                                           \
  target void name(const T* const* rows, int count, int width, RowSums<T>* to, \
                   const Slices& columns, const T* infinite) {                 \
    addBody<lanes>(rows, count, width, to, columns, infinite);                 \
  }

#if defined(__x86_64__)
SUMMING_KERNEL(addByAvx512, [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]], 8)
SUMMING_KERNEL(addByAvx2, [[gnu::target("avx2")]], 4)
#endif
SUMMING_KERNEL(addPortably, , 2)
#undef SUMMING_KERNEL

template <class T>
Add<T> findAdd() {
  static const SimdLevel<Add<T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", addByAvx512<T>},
    {"avx2", addByAvx2<T>},
#endif
    {"portable", addPortably<T>},
  };
  static const Add<T> found = chooseSimd(levels);
  return found;
}

/// Of two words; of a double that holds a whole number exactly, if T is whole; of a real.
template <class T>
Total totalOf(std::int64_t low, std::int64_t high, double sum) {
  if constexpr (kTwoWords<T>)
    return {static_cast<__int128>(high) * (std::int64_t{1} << 32) + low, 0};
  else if constexpr (kWhole<T>)
    return {static_cast<__int128>(sum), 0};
  else
    return {0, sum};
}

/// A row of infinite elements.
template <class T>
const T* infiniteRow() {
  static const std::vector<T> all(kMostColumns, kInfinity<T>);
  return all.data();
}

}  // namespace

template <class T>
RowSums<T>::RowSums() {
  std::fill(std::begin(largest), std::end(largest), std::numeric_limits<T>::lowest());
}

template <class T>
ColumnSums<T>::ColumnSums(int columns)
    : low(kTwoWords<T> ? asSize(columns) : 0),
      high(low.size()),
      sum(kTwoWords<T> ? 0 : asSize(columns)),
      harmonic(asSize(columns)),
      missing(asSize(columns)) {}

template <class T>
void ColumnSums<T>::operator+=(const ColumnSums& other) {
  const auto add = [](auto& to, const auto& from) {
    for (std::size_t j = 0; j < to.size(); ++j) to[j] += from[j];
  };
  add(low, other.low);
  add(high, other.high);
  add(sum, other.sum);
  add(harmonic, other.harmonic);
  add(missing, other.missing);
}

template <class T>
BlockSums<T>::BlockSums(SummingOf<T>& all) : all_(all), columns_(all.shape_.columns()) {}

template <class T>
void BlockSums<T>::add(const T* const* rows, int count, int first, int width) {
  const auto from = [&](auto& list) { return list.empty() ? nullptr : list.data() + first; };
  findAdd<T>()(rows, count, width, rows_,
               {from(columns_.sum), from(columns_.harmonic), from(columns_.low),
                from(columns_.high), from(columns_.missing)},
               infiniteRow<T>());
}

template <class T>
void BlockSums<T>::finish(const int* numbers, int count) {
  for (int i = 0; i < count; ++i) {
    RowSums<T>& row = rows_[i];
    RowSummary& to = all_.rows_[asSize(numbers[i])];
    Total sum;
    for (int lane = 0; lane < kSumLanes; ++lane) {
      const auto of = [&](const auto& list) { return list[kTwoWords<T> ? lane : 0]; };
      sum += totalOf<T>(of(row.low), of(row.high), row.sum[lane]);
      to.harmonic += row.harmonic[lane];
    }
    to.sum = sum.value();
    total_ += sum;
    to.reachable = all_.shape_.columns() - row.missing - all_.columnsOf(numbers[i]);
    to.largest = to.reachable > 0 ? *std::max_element(row.largest, std::end(row.largest)) : T(0);
    row = RowSums<T>();
  }
}

template <class T>
SummingOf<T>::SummingOf(const Distances& shape)
    : shape_(shape),
      columnsOf_(asSize(shape.n())),
      rows_(asSize(shape.rowCount())),
      columns_(shape.columns()) {
  for (int j = 0; j < shape.columns(); ++j) ++columnsOf_[asSize(shape.target(j))];
}

template <class T>
int SummingOf<T>::columnsOf(int row) const {
  return columnsOf_[asSize(shape_.source(row))];
}

template <class T>
int SummingOf<T>::begin(int blocks) {
  return std::exchange(begun_, begun_ + blocks);
}

template <class T>
void SummingOf<T>::take(int number, std::unique_ptr<BlockSums<T>> block) {
  const std::lock_guard lock(mutex_);
  waiting_[number] = std::move(block);
  for (auto next = waiting_.find(taken_); next != waiting_.end(); next = waiting_.find(++taken_)) {
    columns_ += next->second->columns();
    total_ += next->second->total();
    waiting_.erase(next);
  }
}

template <class T>
void SummingOf<T>::addRows(int first, int count, const T* rows, BlockSums<T>& block) {
  constexpr int kPiece = std::min(kMostColumns, 2048 / static_cast<int>(sizeof(T)));
  const int width = shape_.columns();
  for (int begin = 0; begin < count; begin += kGroup) {
    const int some = std::min(kGroup, count - begin);
    const T* at[kGroup];
    int numbers[kGroup];
    for (int piece = 0; piece < width; piece += kPiece) {
      for (int i = 0; i < some; ++i) at[i] = rows + asSize(begin + i) * asSize(width) + piece;
      block.add(at, some, piece, std::min(kPiece, width - piece));
    }
    for (int i = 0; i < some; ++i) numbers[i] = first + begin + i;
    block.finish(numbers, some);
    for (int i = 0; i < some; ++i) {
      RowSummary& row = rows_[asSize(numbers[i])];
      if (row.largest == Number(T(0)) && columnsOf(numbers[i]) > 0 && row.reachable > 0)
        row.largest = largestOf(numbers[i], rows + asSize(begin + i) * asSize(width));
    }
  }
}

template <class T>
T SummingOf<T>::largestOf(int number, const T* row) const {
  const int source = shape_.source(number);
  T largest = std::numeric_limits<T>::lowest();
  for (int j = 0; j < shape_.columns(); ++j)
    if (shape_.target(j) != source && row[j] < kInfinity<T>) largest = std::max(largest, row[j]);
  return largest;
}

template <class T>
void SummingOf<T>::add(int first, int count, ConstElements rows) {
  const T* const all = rows.as<T>();
  const int each = rowsInBlock(count, kGroup), blocks = (count + each - 1) / each;
  const int number = begin(blocks);
  inParts(count, each, [&](int from, int to) {
    auto block = std::make_unique<BlockSums<T>>(*this);
    addRows(first + from, to - from, all + asSize(from) * asSize(shape_.columns()), *block);
    take(number + from / each, std::move(block));
  });
}

template <class T>
Summaries SummingOf<T>::finish() {
  std::vector<int> rowsOf(columnsOf_.size(), 0);
  for (int i = 0; i < shape_.rowCount(); ++i) ++rowsOf[asSize(shape_.source(i))];
  Summaries found{std::move(rows_), std::vector<ColumnSummary>(asSize(shape_.columns())), total_};
  for (std::size_t j = 0; j < found.columns.size(); ++j) {
    const auto of = [&](const auto& list) { return list.empty() ? 0 : list[j]; };
    ColumnSummary& to = found.columns[j];
    to.reaching = shape_.rowCount() - columns_.missing[j] -
                  rowsOf[asSize(shape_.target(static_cast<int>(j)))];
    to.sum = totalOf<T>(of(columns_.low), of(columns_.high), of(columns_.sum)).value();
    to.harmonic = columns_.harmonic[j];
  }
  return found;
}

std::unique_ptr<Summing> summingFor(const Distances& shape) {
  return withType(shape.dtype(), [&](auto zero) -> std::unique_ptr<Summing> {
    return std::make_unique<SummingOf<decltype(zero)>>(shape);
  });
}

int rowsInBlock(int rows, int together) {
  constexpr int kBlocks = 64;
  const int each = (rows + kBlocks - 1) / kBlocks;
  return std::max(1, (each + together - 1) / together) * together;
}

template struct RowSums<std::int32_t>;
template struct ColumnSums<std::int32_t>;
template class BlockSums<std::int32_t>;
template class SummingOf<std::int32_t>;
template struct RowSums<float>;
template struct ColumnSums<float>;
template class BlockSums<float>;
template class SummingOf<float>;
template struct RowSums<std::int64_t>;
template struct ColumnSums<std::int64_t>;
template class BlockSums<std::int64_t>;
template class SummingOf<std::int64_t>;
template struct RowSums<double>;
template struct ColumnSums<double>;
template class BlockSums<double>;
template class SummingOf<double>;

}  // namespace engine
