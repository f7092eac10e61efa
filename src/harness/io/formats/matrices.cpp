#include "io/formats/matrices.h"

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/memory.h"

Graph fromMatrix(Matrix matrix, Dtype dtype, const Zeros& zeros) {
  Graph graph;
  graph.n = matrix.n();
  graph.dtype = dtype;
  graph.zeros = zeros.count();
  graph.zero = zeros.meaning();
  for (int i = 0; i < graph.n; ++i) {
    int& entry = matrix.row(i)[i];
    graph.selfLoops += entry != 0 && entry != infinity(dtype);
    if (entry < 0 && (!graph.negativeLoop || isLess(entry, graph.negativeLoop->weight, dtype)))
      graph.negativeLoop = Edge{i, i, entry};
    entry = 0;
  }
  graph.body = std::move(matrix);
  return graph;
}

void writeWeights(OutputFile& out, const Graph& graph) {
  if (graph.dense()) return out.write(graph.matrix().data(), graph.matrix().size() * sizeof(int));
  requireHostBytes(sizeof(int) * static_cast<std::size_t>(graph.n), "a row of the matrix");
  std::vector<int> row(static_cast<std::size_t>(graph.n));
  auto e = graph.edges().begin();
  for (int i = 0; i < graph.n; ++i) {
    std::fill(row.begin(), row.end(), infinity(graph.dtype));
    row[i] = 0;
    for (; e != graph.edges().end() && e->from == i; ++e) row[e->to] = e->weight;
    out.write(row.data(), row.size() * sizeof(int));
  }
}

ElementType typeOf(DistancesForm::Element element) {
  constexpr ElementType kTypes[] = {
      {"<i4", sizeof(int)}, {"<f4", sizeof(float)}, {"<f8", sizeof(double)}};
  return kTypes[static_cast<int>(element)];
}

void failAsDistance(int number) {
  throw Error(Exit::kUsage, fmt::format("--unreached {0}: {0} is also the distance of a pair: give "
                                        "a number that is none, or inf",
                                        number));
}

namespace {

/// Writes elements of a type, with `unreached` for infinity.
template <class From, class Stored>
void convertElements(const DistancesForm& form, const ForEachRows& forEachRows, Stored unreached,
                     const TakeBytes& take) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 18;  // they stay in the cache
  const int none = infinity(form.dtype);
  std::vector<Stored> stored;
  forEachRows([&](int count, const int* words) {
    const std::size_t size =
        static_cast<std::size_t>(count) * static_cast<std::size_t>(form.shape.columns);
    for (std::size_t done = 0; done < size; done += kAtOnce) {
      stored.resize(std::min(kAtOnce, size - done));
      int same = 0;  // distances that would look like none
#pragma omp simd reduction(| : same)
      for (std::size_t i = 0; i < stored.size(); ++i) {
        const int word = words[done + i];
        From number;
        std::memcpy(&number, &word, sizeof number);
        stored[i] = word == none ? unreached : static_cast<Stored>(number);
        same |= word != none && stored[i] == unreached;
      }
      if (same != 0) failAsDistance(static_cast<int>(unreached));
      take(stored.data(), stored.size() * sizeof(Stored));
    }
  });
}

}  // namespace

void forEachElements(const DistancesForm& form, const ForEachRows& forEachRows,
                     const TakeBytes& take) {
  const double number = form.unreached.value_or(HUGE_VAL);
  if (!form.unreached || (form.dtype == Dtype::kFloat32 && std::isinf(number))) {
    const std::size_t rowBytes = sizeof(int) * static_cast<std::size_t>(form.shape.columns);
    return forEachRows([&](int count, const int* words) {
      take(words, static_cast<std::size_t>(count) * rowBytes);
    });
  }
  if (form.dtype == Dtype::kFloat32)
    return convertElements<float>(form, forEachRows, static_cast<float>(number), take);
  switch (form.element()) {
    case DistancesForm::Element::kInt32:
      return convertElements<int>(form, forEachRows, static_cast<int>(number), take);
    case DistancesForm::Element::kFloat32:
      return convertElements<int>(form, forEachRows, static_cast<float>(number), take);
    case DistancesForm::Element::kFloat64:
      return convertElements<int>(form, forEachRows, number, take);
  }
}

void writeValues(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows) {
  forEachElements(form, forEachRows,
                  [&](const void* data, std::size_t bytes) { out.write(data, bytes); });
}
