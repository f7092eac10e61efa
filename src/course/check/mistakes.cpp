#include "check/mistakes.h"

#include <algorithm>
#include <cstring>

#include "base/size.h"

namespace {

/// The first row and column of a tile.
struct Corner {
  int i, j;
};

int below(int side, int n, int first) {
  return std::min(side, n - first);
}

// ---- a tile ---------------------------------------------------------------------------------

/// C = min(C, A ⊗ B) for tiles of at most side×side, in place. ⊗ is the min-plus product,
/// (A ⊗ B)[i][j] = min over k of A[i][k] + B[k][j], computed with one k after the other.
struct Product {
  int side;
  int steps = side;                ///< the values of k; side − 1: the last one is missing
  bool firstTransposed = false;    ///< A[k][i] instead of A[i][k]; the tiles must be whole
  bool secondTransposed = false;   ///< B[j][k] instead of B[k][j]; the tiles must be whole
  const Matrix* source = nullptr;  ///< where A and B are; nullptr: in the matrix of C

  void operator()(Matrix& d, Corner c, Corner a, Corner b) const {
    const Matrix& from = source != nullptr ? *source : d;
    const int n = d.n(), stride = secondTransposed ? n : 1;
    for (int k = 0; k < below(steps, n, a.j); ++k) {
      const int* const second =
          secondTransposed ? from.row<int>(b.i) + b.j + k : from.row<int>(b.i + k) + b.j;
      for (int i = 0; i < below(side, n, c.i); ++i) {
        const int first =
            firstTransposed ? from.row<int>(a.i + k)[a.j + i] : from.row<int>(a.i + i)[a.j + k];
        int* const row = d.row<int>(c.i + i) + c.j;
        for (int j = 0; j < below(side, n, c.j); ++j)
          row[j] = std::min(row[j], first + second[j * stride]);
      }
    }
  }
};

/// The order of three loops, from the outermost one: 0 is i, 1 is j, 2 is k.
using Order = const int[3];
constexpr Order kIjk = {0, 1, 2}, kIkj = {0, 2, 1}, kJik = {1, 0, 2}, kJki = {1, 2, 0};

/// Calls visit(i, j, k) for all 0 ≤ i < counts[0], 0 ≤ j < counts[1], 0 ≤ k < counts[2].
template <class Visit>
void nest(const Order& order, const int (&counts)[3], Visit visit) {
  int at[3];
  for (at[order[0]] = 0; at[order[0]] < counts[order[0]]; ++at[order[0]]) {
    for (at[order[1]] = 0; at[order[1]] < counts[order[1]]; ++at[order[1]]) {
      for (at[order[2]] = 0; at[order[2]] < counts[order[2]]; ++at[order[2]])
        visit(at[0], at[1], at[2]);
    }
  }
}

/// The same as Product, with the loops in another order.
struct OrderedProduct {
  int side;
  const Order& order;

  void operator()(Matrix& d, Corner c, Corner a, Corner b) const {
    const int n = d.n();
    const int counts[] = {below(side, n, c.i), below(side, n, c.j), below(side, n, a.j)};
    nest(order, counts, [&](int i, int j, int k) {
      int& entry = d.row<int>(c.i + i)[c.j + j];
      entry = std::min(entry, d.row<int>(a.i + i)[a.j + k] + d.row<int>(b.i + k)[b.j + j]);
    });
  }
};

// ---- a round of the blocked algorithm -------------------------------------------------------

template <class Multiply>
void closePivot(Matrix& d, int p, Multiply multiply) {
  multiply(d, {p, p}, {p, p}, {p, p});
}

template <class Multiply>
void updatePanels(Matrix& d, int side, int p, Multiply multiply) {
  for (int t = 0; t < d.n(); t += side) {
    if (t == p) continue;
    multiply(d, {p, t}, {p, p}, {p, t});
    multiply(d, {t, p}, {t, p}, {p, p});
  }
}

template <class Multiply>
void updateRest(Matrix& d, int side, int p, Multiply multiply) {
  for (int t = 0; t < d.n(); t += side) {
    for (int s = 0; s < d.n(); s += side) {
      if (t != p && s != p) multiply(d, {t, s}, {t, p}, {p, s});
    }
  }
}

/// The graph after round(d, p) for each tile; p is the first vertex of the pivot tile.
template <class Round>
Matrix afterRounds(const Matrix& graph, int side, Round round) {
  Matrix d = copyOf(graph);
  for (int p = 0; p < d.n(); p += side) round(d, p);
  return d;
}

/// Blocked Floyd–Warshall with a product for each of the three steps of a round.
template <class Pivot, class Panels, class Rest>
Matrix inTiles(const Matrix& graph, int side, Pivot pivot, Panels panels, Rest rest) {
  return afterRounds(graph, side, [&](Matrix& d, int p) {
    closePivot(d, p, pivot);
    updatePanels(d, side, p, panels);
    updateRest(d, side, p, rest);
  });
}

// ---- mistakes without tiles -----------------------------------------------------------------

Matrix transposed(const Matrix& graph, int) {
  const int n = graph.n();
  Matrix d = copyOf(graph);
  closePivot(d, 0, Product{n});
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) std::swap(d.row<int>(i)[j], d.row<int>(j)[i]);
  }
  return d;
}

Matrix withoutLastPivot(const Matrix& graph, int) {
  Matrix d = copyOf(graph);
  closePivot(d, 0, Product{graph.n(), graph.n() - 1});
  return d;
}

/// The loop over i is the outermost one, and each i works on a copy of its row.
Matrix rowByRow(const Matrix& graph, int) {
  const int n = graph.n();
  Matrix d = copyOf(graph);
  for (int i = 0; i < n; ++i) {
    const std::vector<int> row(d.row<int>(i), d.row<int>(i) + n);
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j)
        d.row<int>(i)[j] = std::min(d.row<int>(i)[j], row[asSize(k)] + d.row<int>(k)[j]);
    }
  }
  return d;
}

/// The matrix is taken for symmetric: one half is copied to the other before anything is done.
template <bool upper>
Matrix mirrored(const Matrix& graph, int) {
  Matrix d = copyOf(graph);
  for (int i = 0; i < d.n(); ++i) {
    for (int j = 0; j < i; ++j)
      (upper ? d.row<int>(i)[j] : d.row<int>(j)[i]) = (upper ? d.row<int>(j)[i] : d.row<int>(i)[j]);
  }
  closePivot(d, 0, Product{d.n()});
  return d;
}

/// The entries of one half are computed, and written to both. always: otherwise only shorter ones
/// are written.
template <bool upper, bool always>
Matrix halfComputed(const Matrix& graph, int) {
  const int n = graph.n();
  Matrix d = copyOf(graph);
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      for (int j = upper ? i + 1 : 0; j < (upper ? n : i); ++j) {
        int& entry = d.row<int>(i)[j];
        const int sum = d.row<int>(i)[k] + d.row<int>(k)[j];
        if (always || sum < entry) d.row<int>(j)[i] = entry = std::min(entry, sum);
      }
    }
  }
  return d;
}

// ---- mistakes in tiles ----------------------------------------------------------------------

/// The loop over the rounds, or without tiles that over k, is not the outermost one.
template <const Order& order>
Matrix inOrder(const Matrix& graph, int side) {
  Matrix d = copyOf(graph);
  const int tiles = (d.n() + side - 1) / side;
  nest(order, {tiles, tiles, tiles}, [&](int i, int j, int k) {
    const Corner c = {i * side, j * side}, a = {i * side, k * side}, b = {k * side, j * side};
    Product{side}(d, c, a, b);
  });
  return d;
}

/// The loop over k is not the outermost one in the pivot tile. everywhere: nor in the other tiles.
template <const Order& order, bool everywhere>
Matrix inOrderWithinTiles(const Matrix& graph, int side) {
  const OrderedProduct wrong{side, order};
  if (everywhere) return inTiles(graph, side, wrong, wrong, wrong);
  return inTiles(graph, side, wrong, Product{side}, Product{side});
}

/// Instead of the closure of the pivot tile it computes min(D, D ⊗ D), the paths of at most two
/// edges. Panels are updated in place or from a copy; the results differ because the pivot tile is
/// not closed.
template <bool inPlace>
Matrix withSquaredPivots(const Matrix& graph, int side) {
  return afterRounds(graph, side, [&](Matrix& d, int p) {
    const Matrix before = copyOf(d);
    Product fromCopy{side};
    fromCopy.source = &before;
    closePivot(d, p, fromCopy);
    const Matrix squared = copyOf(d);
    fromCopy.source = inPlace ? nullptr : &squared;
    updatePanels(d, side, p, fromCopy);
    updateRest(d, side, p, Product{side});
  });
}

/// The panels are updated from the pivot tile before that is closed. restLast: the rest comes after
/// the pivot tile, otherwise before it.
template <bool inPlace, bool restLast>
Matrix panelsFirst(const Matrix& graph, int side) {
  return afterRounds(graph, side, [&](Matrix& d, int p) {
    const Matrix before = copyOf(d);
    Product panels{side};
    if (!inPlace) panels.source = &before;
    updatePanels(d, side, p, panels);
    if (!restLast) updateRest(d, side, p, Product{side});
    closePivot(d, p, Product{side});
    if (restLast) updateRest(d, side, p, Product{side});
  });
}

/// The last k of a tile is missing in some of the three steps of a round.
template <bool inPivot, bool inPanels, bool inRest>
Matrix withoutLastOfTile(const Matrix& graph, int side) {
  const auto upTo = [&](bool missing) { return Product{side, side - missing}; };
  return inTiles(graph, side, upTo(inPivot), upTo(inPanels), upTo(inRest));
}

/// The indices of one factor are exchanged within its tile. everywhere: in all three steps of a
/// round, otherwise in the last one only.
template <bool first, bool everywhere>
Matrix withTransposedFactor(const Matrix& graph, int side) {
  const Product right{side}, wrong{side, side, first, !first};
  return everywhere ? inTiles(graph, side, wrong, wrong, wrong)
                    : inTiles(graph, side, right, right, wrong);
}

}  // namespace

const std::vector<Mistake>& knownMistakes() {
  constexpr auto kEverywhere = Mistake::kEverywhere, kTile = Mistake::kTile;
  constexpr auto kBeyond = Mistake::kBeyond;
  static const std::vector<Mistake> mistakes = {
      {"transposed", kEverywhere, true, transposed},
      {"symmetric", kEverywhere, true, mirrored<true>},
      {"symmetric", kEverywhere, true, mirrored<false>},
      {"symmetric", kEverywhere, true, halfComputed<true, true>},
      {"symmetric", kEverywhere, true, halfComputed<true, false>},
      {"symmetric", kEverywhere, true, halfComputed<false, true>},
      {"symmetric", kEverywhere, true, halfComputed<false, false>},
      {"last-k", kEverywhere, true, withoutLastPivot},
      {"last-k", kTile, false, withoutLastOfTile<true, true, true>},
      {"last-k", kTile, false, withoutLastOfTile<true, false, false>},
      {"last-k", kBeyond, false, withoutLastOfTile<false, true, true>},
      {"last-k", kBeyond, false, withoutLastOfTile<false, true, false>},
      {"last-k", kBeyond, false, withoutLastOfTile<false, false, true>},
      {"k-innermost", kEverywhere, true, inOrder<kIjk>},
      {"k-innermost", kEverywhere, true, inOrder<kIkj>},
      {"k-innermost", kEverywhere, true, inOrder<kJik>},
      {"k-innermost", kEverywhere, true, inOrder<kJki>},
      {"k-innermost", kEverywhere, true, rowByRow},
      {"k-innermost", kTile, true, inOrderWithinTiles<kIjk, false>},
      {"k-innermost", kTile, true, inOrderWithinTiles<kIkj, false>},
      {"k-innermost", kTile, true, inOrderWithinTiles<kJik, false>},
      {"k-innermost", kTile, true, inOrderWithinTiles<kJki, false>},
      {"k-innermost", kTile, true, inOrderWithinTiles<kIjk, true>},
      {"k-innermost", kTile, true, inOrderWithinTiles<kIkj, true>},
      {"k-innermost", kTile, true, inOrderWithinTiles<kJik, true>},
      {"k-innermost", kTile, true, inOrderWithinTiles<kJki, true>},
      {"k-innermost", kBeyond, true, inOrder<kIjk>},
      {"k-innermost", kBeyond, true, inOrder<kIkj>},
      {"k-innermost", kBeyond, true, inOrder<kJik>},
      {"k-innermost", kBeyond, true, inOrder<kJki>},
      {"panels", kBeyond, true, panelsFirst<false, false>},
      {"panels", kBeyond, true, panelsFirst<false, true>},
      {"panels", kBeyond, true, panelsFirst<true, false>},
      {"panels", kBeyond, true, panelsFirst<true, true>},
      {"squared", kTile, true, withSquaredPivots<false>},
      {"squared", kTile, true, withSquaredPivots<true>},
      {"index", kBeyond, false, withTransposedFactor<false, false>},
      {"index", kBeyond, false, withTransposedFactor<true, false>},
      {"index", kTile, false, withTransposedFactor<false, true>},
      {"index", kTile, false, withTransposedFactor<true, true>},
  };
  return mistakes;
}

Matrix copyOf(const Matrix& from) {
  Matrix to(from.n(), from.dtype());
  copyElements(from.data(), from.size(), to.data());
  return to;
}

bool same(const Matrix& a, const Matrix& b) {
  return std::memcmp(a.data().data(), b.data().data(), a.size() * sizeOf(a.dtype())) == 0;
}
