// Matrices in files: n×n stored values become a graph, and a graph or distances become values.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/graph.h"
#include "base/memory.h"
#include "base/size.h"
#include "io/formats/format.h"
#include "io/formats/read_lists.h"
#include "io/formats/stored.h"
#include "io/formats/zeros.h"
#include "io/input.h"
#include "io/output.h"
#include "io/weights.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "binary files are little-endian, and are read and written as they are in memory");

/// How the values of a matrix lie in a file.
struct StorageOrder {
  bool bigEndian = false, fortran = false;  ///< fortran: column after column
};

/// The matrix as a graph: the diagonal becomes 0. Entries on it other than 0 and infinity are
/// self-loops. `zeros` has taken all lines of the matrix.
FileGraph fromMatrix(Matrix matrix, const Zeros& zeros);

/// Writes n² weights in row-major order, and lays an edge list out one row at a time.
void writeWeights(OutputFile& out, const Graph& graph);

/// NumPy's name of a type: "<i4".
const char* npyName(Element element);
inline const char* npyName(Dtype dtype) {
  return npyName(elementOf(dtype));
}

/// Calls take(data, bytes) with the elements of all rows, in row-major order and as the form says.
using TakeBytes = std::function<void(const void* data, std::size_t bytes)>;
void forEachElements(const DistancesForm& form, const ForEachRows& forEachRows,
                     const TakeBytes& take);

/// The same into a file.
void writeValues(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows);

/// Throws Error(kUsage): the number in place of infinity is a distance, too.
[[noreturn]] void failAsDistance(std::int64_t number);

// ---- Stored values as weights ------------------------------------------------------------------

/// What a type of stored values may become.
template <class Stored>
constexpr NumberKind kindOf() {
  if (isReal<Stored>) return sizeof(Stored) == sizeof(double) ? kDoubles : kFloats;
  const bool wide = sizeof(Stored) == 8 || std::is_same_v<Stored, std::uint32_t>;
  return wide ? kWholeNumbers : kShortNumbers;
}

/// The type that weights get if one of them is no weight of this type, and none is asked for.
inline std::optional<Dtype> nextType(Dtype dtype, const NumberKind& kind) {
  if (dtype == Dtype::kInt32 && kind.wide) return Dtype::kInt64;
  return isWhole(dtype) ? kind.reals : std::nullopt;
}

/// How entries of a dense matrix become weights, see formats.h.
struct EntryRule {
  bool negative = false;      ///< −1 is a weight, as all numbers above −infinity are
  bool shortInfinity = true;  ///< kInf is infinity in every type
  bool asked = false;         ///< the user asks for the type: doubles above 2⁵³ may become whole
};
template <class Stored>
EntryRule ruleOf(std::optional<Dtype> asked, bool negative) {
  const bool is64 = asked && sizeOf(*asked) == 8;
  return {negative, !(is64 && sizeof(Stored) == 8), asked.has_value()};
}

/// An entry of a dense matrix in a file as a weight or infinity of T, which is whole; kBad if it is
/// neither. Entry: int, int64 or double.
template <class T, class Entry>
T wholeEntry(Entry entry, const EntryRule& rule) {
  const bool minusOne = entry == -1 && !rule.negative;
  const bool isShort = entry == kInf && (rule.shortInfinity || sizeof(T) == sizeof(int));
  if constexpr (std::is_floating_point_v<Entry>) {
    if (minusOne || isShort) return kInfinity<T>;
    return wholeWeight<T>(entry, rule.negative, rule.asked ? 0x1p62 : kExactDoubles);
  } else {
    const T least = rule.negative ? 1 - kInfinity<T> : T(0);
    bool none = minusOne || isShort;
    if constexpr (sizeof(Entry) == 8) none |= isLongInfinity(entry);
    const bool weight = (entry >= least) & (entry < kInfinity<T>);
    return none ? kInfinity<T> : weight ? static_cast<T>(entry) : kBad<T>;
  }
}

/// The same for any T.
template <class T, class Entry>
T denseWeight(Entry entry, const EntryRule& rule) {
  if constexpr (std::is_same_v<T, std::int32_t> ||
                (std::is_integral_v<T> && std::is_floating_point_v<Entry>)) {
    return wholeEntry<T>(entry, rule);
  } else if constexpr (std::is_integral_v<Entry>) {
    const Entry whole = wholeEntry<Entry>(entry, rule);
    return isBad(whole) ? kBad<T> : convertedTo<T>(whole);
  } else {
    const bool none = (entry == -1 && !rule.negative) || (entry == kInf && rule.shortInfinity);
    return none ? kInfinity<T> : realWeight<T>(entry, rule.negative);
  }
}

/// What stands on the diagonal does not count: NaN and a mark for "no edge" become 0, and a weight
/// becomes 1, so that it does not decide the type. What is an error stays.
template <class Stored>
void settleDiagonal(Stored& value, const EntryRule& rule) {
  if constexpr (!std::is_same_v<Stored, Truth>) {
    const auto entry = widened(value);
    if (entry < 0 && (entry != -1 || rule.negative)) return;
    bool loop = entry > 0 && entry != kInf;
    if constexpr (isReal<Stored>)
      loop = loop && entry != HUGE_VAL;
    else
      loop = loop && !isLongInfinity(entry);
    if constexpr (std::is_same_v<Stored, Half>)
      value.bits = loop ? 0x3c00 : 0;  // 1 or 0
    else
      value = loop ? 1 : 0;
  }
}

/// Of a file of distances: makes the number that stands for "no path" infinity.
template <class Stored>
void dropUnreached(std::vector<Stored>& stored, int number) {
  if constexpr (kIsNumber<Stored>)
    std::replace(stored.begin(), stored.end(), static_cast<Stored>(number), kInfinity<Stored>);
}

/// Makes weights of a row of stored values. Returns false if one of them is none.
template <class Stored, class T>
bool convertRow(const std::vector<Stored>& stored, T* row, const EntryRule& rule) {
  int bad = 0;
#pragma omp simd reduction(| : bad)
  for (std::size_t j = 0; j < stored.size(); ++j) {
    row[j] = denseWeight<T>(widened(stored[j]), rule);
    bad |= isBad(row[j]);
  }
  return bad == 0;
}

/// The narrowest type that can take over from `dtype`, because it holds these values, too. If there
/// is none: the widest one that was tried.
template <class Stored>
std::pair<Dtype, bool> typeFor(const std::vector<Stored>& stored, Dtype dtype,
                               const EntryRule& rule) {
  bool fits = false;
  for (auto next = nextType(dtype, kindOf<Stored>()); next && !fits && !rule.asked;
       next = nextType(*next, kindOf<Stored>())) {
    dtype = *next;
    withType(dtype, [&](auto zero) {
      std::vector<decltype(zero)> row(stored.size());
      fits = convertRow(stored, row.data(), rule);
    });
  }
  return {dtype, fits};
}

/// A row of stored values that are no weights of a type: the first one that is none, and the end of
/// the message about it. i: the row, or the column of a Fortran matrix. column: of the first value.
template <class Stored>
std::pair<std::size_t, std::string> badEntry(const std::vector<Stored>& stored, Dtype dtype,
                                             const EntryRule& rule, std::optional<Dtype> asked,
                                             int i, int column, bool fortran = false) {
  return withType(dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto bad = std::find_if(stored.begin(), stored.end(), [&](const Stored& value) {
      return isBad(denseWeight<T>(widened(value), rule));
    });
    const std::size_t at = asSize(bad - stored.begin());
    const int j = column + static_cast<int>(at);
    std::string found;
    if constexpr (std::is_same_v<Stored, std::uint64_t>)
      found = fmt::format("{}", *bad);
    else
      found = fmt::format("{}", widened(*bad));
    const Accepted accepted{kindOf<Stored>(), asked, rule.negative};
    return std::pair(at,
                     fortran ? badWeight(j, i, found, accepted) : badWeight(i, j, found, accepted));
  });
}

/// What the special numbers among stored values are, see formats.h.
struct Marks {
  bool isShort = false, isLong = false;  ///< kInf is there; an infinity of int64 is there

  template <class Stored>
  void take(const std::vector<Stored>& stored) {
    if constexpr (sizeof(Stored) == 8) {
      int shorts = 0, longs = 0;
#pragma omp simd reduction(| : shorts, longs)
      for (std::size_t j = 0; j < stored.size(); ++j) {
        const auto entry = widened(stored[j]);
        shorts |= entry == kInf;
        if constexpr (!isReal<Stored>) longs |= isLongInfinity(entry);
      }
      isShort |= shorts != 0;
      isLong |= longs != 0;
    }
  }
  /// Whether nobody can tell what kInf means, if the weights became such ones.
  bool unclear(Dtype dtype) const {
    return isShort && (isLong || dtype != Dtype::kInt32);
  }
};

/// How many values are −1, the one at `diagonal` excepted.
template <class Stored>
std::size_t countMinusOnes(const std::vector<Stored>& stored, int diagonal) {
  std::size_t count = 0;
  if constexpr (!std::is_unsigned_v<Stored>) {
#pragma omp simd reduction(+ : count)
    for (std::size_t j = 0; j < stored.size(); ++j) count += widened(stored[j]) == -1;
    count -= widened(stored[asSize(diagonal)]) == -1;
  }
  return count;
}

/// Reads so many items as they are in the file. If the size of the file is not known, a header may
/// announce more than there are; then memory is taken as they come. what: of the message.
template <class T>
std::vector<T> readItems(Input& in, std::size_t count, const char* what) {
  constexpr std::size_t kFirst = std::size_t{1} << 16;
  std::vector<T> items;
  while (items.size() < count) {
    const std::size_t had = items.size(), some = std::max(kFirst, 2 * had);
    const std::size_t size = in.size() > 0 ? count : std::min(count, some);
    requireHostBytes(size * sizeof(T), what);
    items.resize(size);
    in.readExact(items.data() + had, (size - had) * sizeof(T));
  }
  return items;
}

/// The matrix with the first `rows` rows as weights of another type.
Matrix retyped(Matrix matrix, int rows, Dtype dtype);

/// Reads n² stored values. If the file ends before, it throws Error(kInput), and no more memory has
/// been written than for what the file has. It reads and checks one row at a time, because a row
/// stays in the cache in between. zero: see Zeros. negative: −1 is a weight, as all numbers above
/// −infinity are. unreached: as dropUnreached(); 0: there is no such number.
template <class Stored>
FileGraph readValues(Input& in, int n, StorageOrder order, std::optional<Dtype> asked, Zero zero,
                     bool negative, int unreached) {
  const EntryRule rule = ruleOf<Stored>(asked, negative);
  Matrix matrix(n, asked.value_or(Dtype::kInt32));
  std::vector<Stored> stored(asSize(n));
  Zeros zeros(zero);
  Marks marks;
  std::size_t minusOnes = 0;
  for (int i = 0; i < n; ++i) {
    const std::size_t start = in.offset();
    in.readExact(stored.data(), stored.size() * sizeof(Stored));
    if (order.bigEndian)
      for (Stored& value : stored) swapBytes(value);
    settleDiagonal(stored[asSize(i)], rule);
    if (unreached != 0) dropUnreached(stored, unreached);
    const auto takeRow = [&](auto* row) {
      if (!convertRow(stored, row, rule)) return false;
      zeros.take(i, n, row);
      return true;
    };
    if (!withElements(matrix.row(i), takeRow)) {
      const auto [dtype, fits] = typeFor(stored, matrix.dtype(), rule);
      if (!fits) {
        const auto [at, message] = badEntry(stored, dtype, rule, asked, i, 0, order.fortran);
        in.failAt(start + at * sizeof(Stored), message);
      }
      matrix = retyped(std::move(matrix), i, dtype);
      withElements(matrix.row(i), takeRow);
    }
    if (!asked) marks.take(stored);
    if (!negative) minusOnes += countMinusOnes(stored, i);
  }
  if (marks.unclear(matrix.dtype())) in.fail(unclearEntryText(matrix.dtype(), isReal<Stored>));
  if (order.fortran) transpose(matrix);
  FileGraph graph = fromMatrix(std::move(matrix), zeros);
  graph.report.minusOnes = minusOnes;
  graph.report.unweighted = std::is_same_v<Stored, Truth>;
  return graph;
}

/// The matrix whose entries, row after row, were read as text.
FileGraph fromEntries(int n, const ReadEntries& entries, Zero zero, std::size_t minusOnes);
