#include "api/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/negative_cycle.h"

namespace {

[[noreturn]] void refuse(const std::string& where, std::int32_t word, Dtype dtype, bool negative) {
  const bool whole = dtype == Dtype::kInt32;
  const std::string range = whole      ? fmt::format("{} to {}", negative ? 1 - kInf : 0, kInf - 1)
                            : negative ? "finite numbers"
                                       : "0 or more, and finite";
  const bool below = whole ? word < 0 && word > -kInf : toFloat(word) < 0;
  throw InvalidArgument(
      fmt::format("{} is {}: weights are {}{}", where,
                  whole ? std::to_string(word) : fmt::format("{}", toFloat(word)), range,
                  !negative && below ? "; below 0 with options.negative = 1" : ""));
}

/// What the views have in common: nobody else can make them.
class View : public GraphSource {
 public:
  View(int n, Dtype dtype, bool negative) : negative_(negative), n_(n), dtype_(dtype) {}
  int n() const override { return n_; }
  Dtype dtype() const override { return dtype_; }
  SourceImage image() const override { return {}; }
  bool computed() const override { return false; }

 protected:
  const bool negative_;

 private:
  const int n_;
  const Dtype dtype_;
};

class MatrixView : public View {
 public:
  MatrixView(const MatrixArray& array, bool negative)
      : View(array.n, array.dtype, negative), array_(array) {}

  bool asEdges() const override { return false; }
  std::size_t wholeBytes() const override { return matrixBytes(n()); }
  Graph whole() const override {
    Graph graph;
    graph.n = n();
    graph.dtype = dtype();
    Matrix matrix(n());
    block(0, n(), 0, n(), matrix.data());
    graph.body = std::move(matrix);
    return graph;
  }
  /// Throws InvalidArgument if some element is no weight.
  void check() const {
    int first = n();
#pragma omp parallel for reduction(min : first) if (n() >= kWorthThreads)
    for (int i = 0; i < n(); ++i)
      if (!isGood(i)) first = std::min(first, i);
    if (first < n()) refuseIn(first, 0, n());
  }
  void block(int row, int rows, int column, int columns, int* words) const override {
    int first = rows;  // the first row with a wrong element
#pragma omp parallel for reduction(min : first) if (rows >= kWorthThreads)
    for (int i = 0; i < rows; ++i)
      if (!copyRow(row + i, column, columns,
                   words + static_cast<std::size_t>(i) * static_cast<std::size_t>(columns)))
        first = std::min(first, i);
    if (first < rows) refuseIn(row + first, column, columns);
  }

 private:
  std::int32_t at(int i, int j) const {
    return array_.words[i * array_.rowStride + j * array_.columnStride];
  }

  /// Whether all elements of a row are weights.
  bool isGood(int i) const {
    for (int j = 0; j < n(); ++j)
      if (j != i && !weightOf(at(i, j), dtype(), negative_, true)) return false;
    return true;
  }

  /// Returns false if some element is no weight.
  bool copyRow(int i, int column, int columns, int* words) const {
    const int least = dtype() == Dtype::kInt32 ? (negative_ ? 1 - kInf : 0) : 0;
    const int none = infinity(dtype());
    const std::int32_t* const from =
        array_.words + i * array_.rowStride + column * array_.columnStride;
    bool good = true;
    if (array_.columnStride == 1) {
#pragma omp simd reduction(& : good)
      for (int j = 0; j < columns; ++j) {
        const int word = from[j];
        good &= (word >= least) & (word <= none);
        words[j] = word;
      }
    }
    if (array_.columnStride != 1 || !good) {  // with care: −0.0 and negative floats are no errors
      good = true;
      for (int j = 0; j < columns; ++j) {
        const auto word = weightOf(from[j * array_.columnStride], dtype(), negative_, true);
        good = good && (word.has_value() || column + j == i);  // the diagonal may hold anything
        words[j] = word.value_or(0);
      }
    }
    if (i >= column && i < column + columns) words[i - column] = 0;
    return good;
  }

  [[noreturn]] void refuseIn(int i, int column, int columns) const {
    for (int j = column; j < column + columns; ++j)
      if (j != i && !weightOf(at(i, j), dtype(), negative_, true))
        refuse(fmt::format("matrix[{}][{}]", i, j), at(i, j), dtype(), negative_);
    throw InvalidArgument("the matrix changes while it is read");
  }

  const MatrixArray array_;
};

/// Edges, given as visit(take) which calls take(tail, head, word, number) for each.
class EdgesView : public View {
 public:
  using View::View;
  bool asEdges() const override { return true; }
  std::size_t wholeBytes() const override { return count() * 2 * sizeof(Edge); }
  Graph whole() const override {
    requireHostBytes(wholeBytes(), "the graph's edges");
    std::vector<Edge> edges;
    edges.reserve(count());
    gather(edges);
    return fromEdges(n(), std::move(edges), dtype());
  }
  void block(int row, int rows, int column, int columns, int* words) const override {
    const Graph graph = whole();
    std::vector<int> all(static_cast<std::size_t>(rows) * static_cast<std::size_t>(n()));
    writeRows(graph, row, rows, all.data());
    for (int i = 0; i < rows; ++i)
      std::copy_n(all.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(n()) + column,
                  columns, words + static_cast<std::size_t>(i) * static_cast<std::size_t>(columns));
  }

 protected:
  virtual std::size_t count() const = 0;
  virtual void gather(std::vector<Edge>& edges) const = 0;

  void take(std::int64_t number, int tail, std::int32_t head, const void* weights,
            std::vector<Edge>& edges) const {
    if (head < 0 || head >= n())
      throw InvalidArgument(fmt::format("heads[{}] is {}: vertices are 0 to {}, because n is {}",
                                        number, head, n() - 1, n()));
    std::int32_t word = dtype() == Dtype::kInt32 ? 1 : floatWord(1);
    if (weights != nullptr) std::memcpy(&word, static_cast<const char*>(weights) + 4 * number, 4);
    const auto weight = weightOf(word, dtype(), negative_, false);
    if (!weight) refuse(fmt::format("weights[{}]", number), word, dtype(), negative_);
    const bool below = dtype() == Dtype::kInt32 ? *weight < 0 : toFloat(*weight) < 0;
    if (below && tail == head) throw NegativeCycle({{tail, head, *weight}}, dtype());
    edges.push_back({tail, head, *weight});
  }
};

template <class Offset>
class CsrView : public EdgesView {
 public:
  CsrView(const CsrArrays<Offset>& arrays, bool negative)
      : EdgesView(arrays.n, arrays.dtype, negative), arrays_(arrays) {}

 private:
  std::size_t count() const override {
    return n() == 0 ? 0 : static_cast<std::size_t>(std::max<Offset>(0, arrays_.offsets[n()]));
  }
  void gather(std::vector<Edge>& edges) const override {
    if (arrays_.offsets[0] != 0)
      throw InvalidArgument(fmt::format("offsets[0] is {}, not 0", arrays_.offsets[0]));
    for (int u = 0; u < n(); ++u) {
      const Offset begin = arrays_.offsets[u], end = arrays_.offsets[u + 1];
      if (end < begin)
        throw InvalidArgument(
            fmt::format("offsets[{}] is {}, less than the one before, {}", u + 1, end, begin));
      if (end > arrays_.offsets[n()])
        throw InvalidArgument(fmt::format("offsets[{}] is {}, more than the last one, {}", u + 1,
                                          end, arrays_.offsets[n()]));
      for (Offset e = begin; e < end; ++e) take(e, u, arrays_.heads[e], arrays_.weights, edges);
    }
  }

  const CsrArrays<Offset> arrays_;
};

class ListView : public EdgesView {
 public:
  ListView(const EdgeArrays& arrays, bool negative)
      : EdgesView(arrays.n, arrays.dtype, negative), arrays_(arrays) {}

 private:
  std::size_t count() const override { return arrays_.count; }
  void gather(std::vector<Edge>& edges) const override {
    for (std::size_t e = 0; e < arrays_.count; ++e) {
      const std::int32_t tail = arrays_.tails[e];
      if (tail < 0 || tail >= n())
        throw InvalidArgument(fmt::format("tails[{}] is {}: vertices are 0 to {}, because n is {}",
                                          e, tail, n() - 1, n()));
      take(static_cast<std::int64_t>(e), tail, arrays_.heads[e], arrays_.weights, edges);
    }
  }

  const EdgeArrays arrays_;
};

}  // namespace

std::optional<int> weightOf(std::int32_t word, Dtype dtype, bool negative, bool noEdge) {
  if (dtype == Dtype::kInt32) {
    if (word == kInf) return noEdge ? std::optional<int>(kInf) : std::nullopt;
    if (word > kInf || word < (negative ? 1 - kInf : 0)) return std::nullopt;
    return word;
  }
  const float value = toFloat(word);
  if (std::isnan(value) || (value < 0 && (!negative || std::isinf(value)))) return std::nullopt;
  if (std::isinf(value)) return noEdge ? std::optional<int>(infinity(dtype)) : std::nullopt;
  return value == 0 ? 0 : word;  // -0.0 becomes 0.0
}

void requireWeights(const MatrixArray& array) {
  MatrixView(array, false).check();
}

std::shared_ptr<const GraphSource> viewOf(const CsrArrays<std::int32_t>& arrays, bool negative) {
  return std::make_shared<CsrView<std::int32_t>>(arrays, negative);
}
std::shared_ptr<const GraphSource> viewOf(const CsrArrays<std::int64_t>& arrays, bool negative) {
  return std::make_shared<CsrView<std::int64_t>>(arrays, negative);
}
std::shared_ptr<const GraphSource> viewOf(const EdgeArrays& arrays, bool negative) {
  return std::make_shared<ListView>(arrays, negative);
}
std::shared_ptr<const GraphSource> viewOf(const MatrixArray& array, bool negative) {
  return std::make_shared<MatrixView>(array, negative);
}
