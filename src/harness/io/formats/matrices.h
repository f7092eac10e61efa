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

#include "base/graph.h"
#include "base/memory.h"
#include "io/formats/format.h"
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
Graph fromMatrix(Matrix matrix, Dtype dtype, const Zeros& zeros);

/// Writes n² weights in row-major order, and lays an edge list out one row at a time.
void writeWeights(OutputFile& out, const Graph& graph);

/// NumPy's name of a type of elements, and the bytes of one.
struct ElementType {
  const char* npy;
  std::size_t bytes;
};
ElementType typeOf(DistancesForm::Element element);

/// Calls take(data, bytes) with the elements of all rows, in row-major order and as the form says.
using TakeBytes = std::function<void(const void* data, std::size_t bytes)>;
void forEachElements(const DistancesForm& form, const ForEachRows& forEachRows,
                     const TakeBytes& take);

/// The same into a file.
void writeValues(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows);

/// Throws Error(kUsage): the number in place of infinity is a distance, too.
[[noreturn]] void failAsDistance(int number);

/// Sets row = toWeight(widened(stored)). Returns false if one of the weights is kBad.
template <class Stored, class ToWeight>
bool convertRow(const std::vector<Stored>& stored, int* row, ToWeight toWeight) {
  int bad = 0;
#pragma omp simd reduction(| : bad)
  for (std::size_t j = 0; j < stored.size(); ++j) {
    row[j] = toWeight(widened(stored[j]));
    bad |= row[j] == kBad;
  }
  return bad == 0;
}

/// How many values are −1, the one at `diagonal` excepted.
template <class Stored>
std::size_t countMinusOnes(const std::vector<Stored>& stored, int diagonal) {
  std::size_t count = 0;
  if constexpr (!std::is_unsigned_v<Stored>) {
#pragma omp simd reduction(+ : count)
    for (std::size_t j = 0; j < stored.size(); ++j) count += widened(stored[j]) == -1;
    count -= widened(stored[static_cast<std::size_t>(diagonal)]) == -1;
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

/// Reads n² stored values. If the file ends before, it throws Error(kInput), and no more memory has
/// been written than for what the file has. It reads and checks one row at a time, because a row
/// stays in the cache in between. zero: see Zeros. negative: −1 is a weight, as all numbers above
/// −kInf are.
template <class Stored>
Graph readValues(Input& in, int n, StorageOrder order, std::optional<Dtype> asked, Zero zero,
                 bool negative) {
  constexpr bool kReal = isReal<Stored>;
  Matrix matrix(n);
  std::vector<Stored> stored(static_cast<std::size_t>(n));
  Zeros zeros(zero);
  std::size_t minusOnes = 0;
  int i = 0;
  ReadType type(
      kReal ? asked : Dtype::kInt32,
      [&] { toFloats(stored.size() * static_cast<std::size_t>(i), matrix.data()); }, negative);
  for (; i < n; ++i) {
    const std::size_t start = in.offset();
    in.readExact(stored.data(), stored.size() * sizeof(Stored));
    if (order.bigEndian)
      for (Stored& value : stored) swapBytes(value);
    int* row = matrix.row(i);
    if ((type.whole() &&
         convertRow(stored, row, [=](auto x) { return denseWeight(x, negative); })) ||
        (type.becomeFloat() && convertRow(stored, row, [=](auto x) {
           return realWeight(denseEntry(x, negative), negative);
         }))) {
      zeros.take(i, n, row, type.dtype());
      if (!negative) minusOnes += countMinusOnes(stored, i);
      continue;
    }
    const int j = static_cast<int>(std::find(row, row + n, kBad) - row);
    const std::string found = fmt::format("{}", widened(stored[j]));
    const Accepted whole = negative ? Accepted::kSignedWhole : Accepted::kIntegers;
    const Accepted accepted = kReal ? type.accepted() : whole;
    in.failAt(start + j * sizeof(Stored),
              order.fortran ? badWeight(j, i, found, accepted) : badWeight(i, j, found, accepted));
  }
  if (order.fortran) transpose(matrix);
  Graph graph = fromMatrix(std::move(matrix), type.dtype(), zeros);
  graph.minusOnes = minusOnes;
  graph.unweighted = std::is_same_v<Stored, Truth>;
  return graph;
}
