#include "api/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/negative_cycle.h"
#include "base/size.h"
#include "base/thread_team.h"

namespace engine {

namespace {

/// The numbers that are weights, in words.
template <class T>
std::string rangeOf(bool negative) {
  if constexpr (std::is_integral_v<T>)
    return fmt::format("{} to {}", negative ? 1 - kInfinity<T> : 0, kInfinity<T> - 1);
  return negative ? "finite numbers" : "0 or more, and finite";
}

/// What the views have in common: nobody else can make them.
template <class Source>
class View : public Source {
 public:
  View(int n, Dtype dtype, bool negative) : negative_(negative), n_(n), dtype_(dtype) {}
  int n() const override { return n_; }
  Dtype dtype() const override { return dtype_; }
  SourceImage image() const override { return imageInProcess(*this); }
  bool computed() const override { return false; }

 protected:
  const bool negative_;

 private:
  const int n_;
  const Dtype dtype_;
};

template <class T>
class MatrixView : public View<GraphSource> {
 public:
  MatrixView(const MatrixArray& array, bool negative)
      : View(array.n, kDtype<T>, negative),
        elements_(array.elements.as<T>()),
        rowStride_(array.rowStride),
        columnStride_(array.columnStride),
        noEdge_(array.noEdge) {}

  bool asEdges() const override { return false; }
  std::size_t wholeBytes() const override { return matrixBytes(n(), kDtype<T>); }
  Graph whole() const override { return matrixOf(*this); }
  /// Throws InvalidArgument if some element is no weight.
  void check() const {
    std::atomic<bool> good{true};
    inParts(n(), rowsInPart(n()), [&](int begin, int end) {
      for (int i = begin; i < end; ++i)
        if (!isGood(i)) good = false;
    });
    if (!good) refuseIn(0, n(), 0, n());
  }
  void block(int row, int rows, int column, int columns, Elements to) const override {
    T* const block = to.as<T>();
    std::atomic<bool> good{true};
    inParts(rows, rowsInPart(columns), [&](int begin, int end) {
      for (int i = begin; i < end; ++i)
        if (!copyRow(row + i, column, columns, block + asSize(i) * asSize(columns))) good = false;
    });
    if (!good) refuseIn(row, rows, column, columns);
  }

 private:
  T at(int i, int j) const {
    return orNoEdge(elements_[i * rowStride_ + j * columnStride_], noEdge_);
  }

  /// As wide as T, so that a vector holds as many.
  using Flags = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

  /// Whether all elements of a row are weights.
  bool isGood(int i) const {
    if (columnStride_ == 1) {  // at once; the diagonal may hold anything
      const T least = leastWeight<T>(negative_), none = kInfinity<T>;
      const T* const from = elements_ + i * rowStride_;
      const int noEdge = noEdge_, columns = n();
      Flags wrong = 0;
#pragma omp simd reduction(| : wrong)
      for (int j = 0; j < columns; ++j) {
        const T number = orNoEdge(from[j], noEdge);
        wrong |= (number >= least ? 0 : 1) | (number <= none ? 0 : 1);
      }
      if (wrong == 0) return true;
    }
    for (int j = 0; j < n(); ++j)
      if (j != i && !isWeight(at(i, j), negative_, true)) return false;
    return true;
  }

  /// Returns false if some element is no weight.
  bool copyRow(int i, int column, int columns, T* to) const {
    const T least = leastWeight<T>(negative_), none = kInfinity<T>;
    const T* const from = elements_ + i * rowStride_ + column * columnStride_;
    const int noEdge = noEdge_;
    bool good = true;
    if (columnStride_ == 1) {
      Flags wrong = 0;
#pragma omp simd reduction(| : wrong)
      for (int j = 0; j < columns; ++j) {
        const T number = orNoEdge(from[j], noEdge);
        wrong |= (number >= least ? 0 : 1) | (number <= none ? 0 : 1);
        to[j] = number + T{0};  // -0.0 becomes 0.0
      }
      good = wrong == 0;
    }
    if (columnStride_ != 1 || !good) {  // with care: the diagonal may hold anything
      good = true;
      for (int j = 0; j < columns; ++j) {
        const T number = orNoEdge(from[j * columnStride_], noEdge);
        const bool fits = isWeight(number, negative_, true);
        good = good && (fits || column + j == i);
        to[j] = fits ? number + T{0} : T{0};
      }
    }
    if (i >= column && i < column + columns) to[i - column] = 0;
    return good;
  }

  /// Names the first element of these rows that is no weight.
  [[noreturn]] void refuseIn(int row, int rows, int column, int columns) const {
    for (int i = row; i < row + rows; ++i)
      for (int j = column; j < column + columns; ++j)
        if (j != i && !isWeight(at(i, j), negative_, true))
          refuseElement(i, j, at(i, j), negative_);
    throw InvalidArgument("the matrix changes while it is read");
  }

  const T* const elements_;
  const std::ptrdiff_t rowStride_, columnStride_;
  const int noEdge_;
};

/// Edges. What derives of it calls take() for each of them in gather().
template <class T>
class EdgesView : public View<EdgeSource> {
 public:
  EdgesView(int n, ConstElements weights, bool negative)
      : View(n, kDtype<T>, negative), weights_(weights.as<T>()) {}
  bool asEdges() const override { return true; }
  std::size_t wholeBytes() const override { return count() * 2 * sizeof(Edge<T>); }
  Graph whole() const override { return fromEdges(n(), given()); }
  std::vector<Ends> ends() const override {
    std::vector<Ends> all;
    all.reserve(count());
    for (const Edge<T>& edge : given()) all.push_back({edge.from, edge.to});
    return all;
  }
  void block(int row, int rows, int column, int columns, Elements to) const override {
    const Graph graph = whole();
    std::vector<T> all(asSize(rows) * asSize(n()));
    writeRows(graph, row, rows, all.data());
    for (int i = 0; i < rows; ++i)
      std::copy_n(all.data() + asSize(i) * asSize(n()) + column, columns,
                  to.as<T>() + asSize(i) * asSize(columns));
  }

 protected:
  virtual std::size_t count() const = 0;
  virtual void gather(Edges<T>& edges) const = 0;

  /// Takes the edges from number `first` to before `last`, which leave one vertex. What it needs is
  /// in variables of its own, because it writes what might be members.
  void take(int tail, std::int64_t first, std::int64_t last, const std::int32_t* heads,
            Edges<T>& edges) const {
    const T* const weights = weights_;
    const T least = leastWeight<T>(negative_);
    const auto vertices = static_cast<std::uint32_t>(n());
    for (std::int64_t e = first; e < last; ++e) {
      const std::int32_t head = heads[e];
      T weight = 1;
      if (weights != nullptr) std::memcpy(&weight, weights + e, sizeof weight);
      const bool fits = weight >= least && weight < kInfinity<T>;
      const bool isCycle = weight < 0 && head == tail;
      if (static_cast<std::uint32_t>(head) >= vertices || !fits || isCycle)
        refuse({tail, head, weight}, e);
      edges.push_back({tail, head, weight + T{0}});  // -0.0 becomes 0.0
    }
  }

 private:
  /// Apart, because the loops over all edges are faster without the texts.
  [[noreturn, gnu::noinline]] void refuse(const Edge<T>& edge, std::int64_t number) const {
    if (edge.to < 0 || edge.to >= n())
      throw InvalidArgument(fmt::format("heads[{}] is {}: vertices are 0 to {}, because n is {}",
                                        number, edge.to, n() - 1, n()));
    if (!isWeight(edge.weight, negative_, false))
      refuseWeight(fmt::format("weights[{}]", number), edge.weight, negative_);
    throw NegativeCycle({{edge.from, edge.to, edge.weight}});
  }

  Edges<T> given() const {
    requireHostBytes(wholeBytes(), "the graph's edges");
    Edges<T> edges;
    edges.reserve(count());
    gather(edges);
    return edges;
  }

  const T* const weights_;  // null: all are 1
};

template <class T, class Offset>
class CsrView : public EdgesView<T> {
 public:
  CsrView(const CsrArrays<Offset>& arrays, bool negative)
      : EdgesView<T>(arrays.n, arrays.weights, negative), arrays_(arrays) {}

 private:
  std::size_t count() const override {
    return arrays_.n == 0 ? 0 : asSize(std::max<Offset>(0, arrays_.offsets[arrays_.n]));
  }
  void gather(Edges<T>& edges) const override {
    const int n = arrays_.n;
    if (n == 0) return;
    if (arrays_.heads == nullptr && arrays_.offsets[n] > 0) throw InvalidArgument("heads is NULL");
    if (arrays_.offsets[0] != 0)
      throw InvalidArgument(fmt::format("offsets[0] is {}, not 0", arrays_.offsets[0]));
    for (int u = 0; u < n; ++u) {
      const Offset begin = arrays_.offsets[u], end = arrays_.offsets[u + 1];
      if (end < begin)
        throw InvalidArgument(
            fmt::format("offsets[{}] is {}, less than the one before, {}", u + 1, end, begin));
      if (end > arrays_.offsets[n])
        throw InvalidArgument(fmt::format("offsets[{}] is {}, more than the last one, {}", u + 1,
                                          end, arrays_.offsets[n]));
      this->take(u, begin, end, arrays_.heads, edges);
    }
  }

  const CsrArrays<Offset> arrays_;
};

template <class T>
class ListView : public EdgesView<T> {
 public:
  ListView(const EdgeArrays& arrays, bool negative)
      : EdgesView<T>(arrays.n, arrays.weights, negative), arrays_(arrays) {}

 private:
  std::size_t count() const override { return arrays_.count; }
  void gather(Edges<T>& edges) const override {
    for (std::size_t e = 0; e < arrays_.count; ++e) {
      const std::int32_t tail = arrays_.tails[e];
      if (tail < 0 || tail >= arrays_.n)
        throw InvalidArgument(fmt::format("tails[{}] is {}: vertices are 0 to {}, because n is {}",
                                          e, tail, arrays_.n - 1, arrays_.n));
      const auto number = static_cast<std::int64_t>(e);
      this->take(tail, number, number + 1, arrays_.heads, edges);
    }
  }

  const EdgeArrays arrays_;
};

template <class Offset>
std::shared_ptr<const GraphSource> csrOf(const CsrArrays<Offset>& arrays, bool negative) {
  return withType(arrays.weights.dtype(), [&](auto zero) -> std::shared_ptr<const GraphSource> {
    return std::make_shared<CsrView<decltype(zero), Offset>>(arrays, negative);
  });
}

}  // namespace

void refuseWeight(const std::string& where, const Number& number, bool negative) {
  std::visit(
      [&](auto value) {
        using T = decltype(value);
        const bool below = value < 0 && (std::is_floating_point_v<T> || value > -kInfinity<T>);
        throw InvalidArgument(
            fmt::format("{} is {}: weights are {}{}", where, value, rangeOf<T>(negative),
                        !negative && below ? "; below 0 with options.negative = 1" : ""));
      },
      number);
  throw std::logic_error("no number");
}

Graph matrixOf(const GraphSource& source) {
  Graph graph = emptyGraph(source.n(), source.dtype(), true);
  Matrix matrix(source.n(), source.dtype());
  const int band = std::max(1, rowsAtATime(graph.n, source.dtype()));
  for (int row = 0; row < graph.n; row += band)
    source.block(row, std::min(band, graph.n - row), 0, graph.n, matrix.row(row));
  graph.body = std::move(matrix);
  return graph;
}

void refuseElement(int i, int j, const Number& number, bool negative) {
  refuseWeight(fmt::format("matrix[{}][{}]", i, j), number, negative);
}

void requireWeights(const MatrixArray& array) {
  withType(array.elements.dtype(),
           [&](auto zero) { MatrixView<decltype(zero)>(array, false).check(); });
}

std::shared_ptr<const GraphSource> viewOf(const CsrArrays<std::int32_t>& arrays, bool negative) {
  return csrOf(arrays, negative);
}
std::shared_ptr<const GraphSource> viewOf(const CsrArrays<std::int64_t>& arrays, bool negative) {
  return csrOf(arrays, negative);
}
std::shared_ptr<const GraphSource> viewOf(const EdgeArrays& arrays, bool negative) {
  return withType(arrays.weights.dtype(), [&](auto zero) -> std::shared_ptr<const GraphSource> {
    return std::make_shared<ListView<decltype(zero)>>(arrays, negative);
  });
}
std::shared_ptr<const GraphSource> viewOf(const MatrixArray& array, bool negative) {
  return withType(array.elements.dtype(), [&](auto zero) -> std::shared_ptr<const GraphSource> {
    return std::make_shared<MatrixView<decltype(zero)>>(array, negative);
  });
}

}  // namespace engine
