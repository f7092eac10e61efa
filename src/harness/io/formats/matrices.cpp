#include "io/formats/matrices.h"

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

FileGraph fromMatrix(Matrix matrix, const Zeros& zeros) {
  FileGraph graph;
  graph.n = matrix.n();
  graph.report.zeros = zeros.count();
  graph.report.zero = zeros.meaning();
  withType(matrix.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T lightest = 0;
    for (int i = 0; i < graph.n; ++i) {
      T& entry = matrix.row<T>(i)[i];
      graph.report.dropped.selfLoops += entry != 0 && entry != kInfinity<T>;
      if (entry < lightest) graph.report.dropped.negativeLoop = AnyEdge{i, i, lightest = entry};
      entry = 0;
    }
  });
  graph.body = std::move(matrix);
  return graph;
}

namespace {

/// Writes an edge list as n² weights.
template <class T>
void writeEdgesAsMatrix(OutputFile& out, int n, const Edges<T>& edges) {
  requireHostBytes(sizeof(T) * asSize(n), "a row of the matrix");
  std::vector<T> row(asSize(n));
  auto e = edges.begin();
  for (int i = 0; i < n; ++i) {
    std::fill(row.begin(), row.end(), kInfinity<T>);
    row[i] = 0;
    for (; e != edges.end() && e->from == i; ++e) row[e->to] = e->weight;
    out.write(row.data(), row.size() * sizeof(T));
  }
}

}  // namespace

void writeWeights(OutputFile& out, const Graph& graph) {
  if (graph.dense())
    return out.write(graph.matrix().data().data(), matrixBytes(graph.n, graph.dtype()));
  withEdges(graph, [&](const auto& edges) { writeEdgesAsMatrix(out, graph.n, edges); });
}

const char* npyName(Element element) {
  constexpr const char* kNames[] = {"<i4", "<f4", "<i8", "<f8", "|u1", "<u2"};
  return kNames[static_cast<int>(element)];
}

void failAsDistance(std::int64_t number) {
  throw Error(ErrorCode::kUsage,
              fmt::format("--unreached {0}: {0} is also the distance of a pair: give "
                          "a number that is none, or inf",
                          number));
}

namespace {

[[noreturn]] void failAsInexact() {
  throw Error(ErrorCode::kUsage,
              "--unreached inf: elements beside infinity are float64, which cannot hold all whole "
              "distances above 2^53 in size: give a number");
}

/// A distance is above `most`, or below 0.
[[noreturn]] void failAsTooWide(Element element, std::int64_t most) {
  throw Error(
      ErrorCode::kUsage,
      fmt::format("--out-dtype {}: a distance is not between 0 and {}: take {}", nameOf(element),
                  most, element == Element::kUint8 ? "u16, or least" : "least"));
}

/// Writes elements of a type, with `unreached` for infinity.
template <class From, class Stored>
void convertElements(const DistancesForm& form, const ForEachRows& forEachRows, Stored unreached,
                     const TakeBytes& take) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 18;  // they stay in the cache
  std::vector<Stored> stored;
  std::int64_t most = 0;  // that a narrow element holds beside what stands for no path
  if constexpr (!kIsNumber<Stored>) most = noPathIn<Stored>() - (form.unreached ? 0 : 1);
  forEachRows([&](int count, ConstElements rows) {
    const From* const numbers = rows.as<From>();
    const std::size_t size = asSize(count) * asSize(form.shape.columns);
    for (std::size_t done = 0; done < size; done += kAtOnce) {
      stored.resize(std::min(kAtOnce, size - done));
      int same = 0, inexact = 0, wide = 0;  // distances that would look like none, or be others
#pragma omp simd reduction(| : same, inexact, wide)
      for (std::size_t i = 0; i < stored.size(); ++i) {
        const From number = numbers[done + i];
        const bool none = number == kInfinity<From>;
        stored[i] = none ? unreached : static_cast<Stored>(number);
        same |= !none && stored[i] == unreached;
        if constexpr (std::is_same_v<From, std::int64_t> && std::is_same_v<Stored, double>)
          inexact |= !none && static_cast<std::int64_t>(none ? 0 : stored[i]) != number;
        if constexpr (!kIsNumber<Stored>) wide |= !none && (number < 0 || number > most);
      }
      if (wide != 0) failAsTooWide(form.element(), most);
      if (same != 0) failAsDistance(static_cast<std::int64_t>(unreached));
      if (inexact != 0) failAsInexact();
      take(stored.data(), stored.size() * sizeof(Stored));
    }
  });
}

}  // namespace

void forEachElements(const DistancesForm& form, const ForEachRows& forEachRows,
                     const TakeBytes& take) {
  const auto asked = form.number();
  const double number = asked ? static_cast<double>(*asked) : HUGE_VAL;
  if (form.element() == elementOf(form.dtype) && !asked) {
    const std::size_t rowBytes = sizeOf(form.dtype) * asSize(form.shape.columns);
    return forEachRows(
        [&](int count, ConstElements rows) { take(rows.data(), asSize(count) * rowBytes); });
  }
  withType(form.dtype, [&](auto from) {
    withElement(form.element(), [&](auto stored) {
      using From = decltype(from);
      using Stored = decltype(stored);
      // Other pairs are not what element() says.
      if constexpr (std::is_same_v<From, Stored> ||
                    (std::is_integral_v<From> &&
                     (std::is_floating_point_v<Stored> || !kIsNumber<Stored>)))
        convertElements<From>(form, forEachRows, static_cast<Stored>(number), take);
    });
  });
}

void writeValues(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows) {
  forEachElements(form, forEachRows,
                  [&](const void* data, std::size_t bytes) { out.write(data, bytes); });
}

Matrix retyped(Matrix matrix, int rows, Dtype dtype) {
  const int n = matrix.n();
  const std::size_t count = asSize(rows) * asSize(n);
  const bool inPlace = sizeOf(dtype) == sizeOf(matrix.dtype());
  Matrix other = inPlace ? Matrix() : Matrix(n, dtype);
  withElements(matrix.data(), [&](const auto* from) {
    withType(dtype, [&](auto zero) {
      using To = decltype(zero);
      char* const to = static_cast<char*>((inPlace ? matrix : other).data().data());
#pragma omp parallel for
      for (std::size_t i = 0; i < count; ++i) {
        const To weight = convertedTo<To>(from[i]);
        std::memcpy(to + i * sizeof(To), &weight, sizeof(To));
      }
    });
  });
  if (!inPlace) return other;
  matrix.reinterpret(dtype);
  return matrix;
}

FileGraph fromEntries(int n, const ReadEntries& entries, Zero zero, std::size_t minusOnes) {
  Zeros zeros(zero);
  FileGraph graph = entries.with([&](const auto& list) {
    using T = typename std::decay_t<decltype(list)>::value_type;
    Matrix matrix(n, kDtype<T>);  // as large as the entries that were read
    if (n > 0) std::copy(list.begin(), list.end(), matrix.row<T>(0));
    for (int i = 0; i < n; ++i) zeros.take(i, n, matrix.row<T>(i));
    return fromMatrix(std::move(matrix), zeros);
  });
  graph.report.minusOnes = minusOnes;
  return graph;
}
