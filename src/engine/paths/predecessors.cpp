// Let D be the distances from a source s. An edge (k, j) is tight if D(k) + w(k, j) = D(j). It is
// the last edge of a shortest path to j, and every shortest path consists of tight edges. So each
// vertex may have the tail of any tight edge as its predecessor, if only these choices form no
// cycle.
//
// Weights above 0. Then D(k) < D(j). Along predecessors the distances fall, so there is no cycle.
//
// Weight 0. Two vertices may be tight for each other. Therefore a vertex takes the tail of a tight
// edge above 0 if it has one. This is the first pass. Of the vertices that are left, those take k
// to which an edge of weight 0 leads from a vertex k at the same distance that has its predecessor
// already, or is s; and so on, as in a breadth-first search. Along predecessors either the distance
// falls, or it stays and the vertex had its predecessor earlier. So there is no cycle. None is
// left: on a shortest path to j take the last edge above 0, or s if there is none. The vertex
// behind it has a predecessor by the first pass or is s, and from there edges of weight 0 lead to
// j.
//
// Negative weights. With potentials h, the weights w' = w + h(k) − h(j) are not negative, and of
// the distances D' = D + h(s) − h(j) the same edges are tight (negative/shift.h). A tree
// for w' and D' is therefore one for w and D. All of the above is done with w' and D'; a cycle of
// length 0 consists of edges with w' = 0. Every distance D' is below infinity (solver/range.h), so
// an edge whose w' reaches infinity is never tight.
//
// Real numbers. A stored distance is a rounded sum in the order of some solver, so D(k) + w is near
// D(j) only, and D(k) may be D(j) or more although w is above 0. An edge fits exactly if the
// rounded sum D(k) + w is not above D(j). The first pass takes, of all edges to j, one that fits
// exactly, or else the one with the least sum, if D(k) < D(j). Along these the distances fall. If
// the least sum is that of an edge with D(k) ≥ D(j), because its weight is 0 or vanishes in the
// sum, j is left. The row is then finished in another way: a vertex is reached if its predecessors
// lead to s, and each vertex that is not takes the tail of an edge that fits exactly and whose tail
// is reached, as in a breadth-first search. If none does, rounding has let vertices support each
// other in a circle, and an edge may be off by the rounding of one addition, then of two, four, …,
// and at last by the tolerance of --verify. Every step adds one vertex to a tree, so there is no
// cycle. None is left, because every edge of a true shortest path fits within the tolerance
// (base/tolerance.h), and s is reached.
//
// Speed. Only an edge (k, j) that is itself a shortest path, w(k, j) = D(k, j), is tight from any
// source. If all distances are there, the others are left out beforehand. Sixteen rows are looked
// at together. They are transposed first: then the distances of one vertex are a vector, and an
// edge costs a load, an addition and a comparison for all of them.
#include "paths/predecessors.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/tolerance.h"
#include "device/simd.h"
#include "negative/shift.h"

namespace engine {

namespace {

constexpr int kRows = 16;  // that are looked at together

std::size_t at(int vertex) {
  return asSize(vertex);
}

/// Turns a square of 4×4 elements. to, from: its first one; the strides are those of its rows.
template <class T>
[[gnu::always_inline]] inline void transposeFour(const T* from, std::size_t fromStride, T* to,
                                                 std::size_t toStride) {
  typedef T Four __attribute__((vector_size(4 * sizeof(T))));
  Four row[4];
  for (std::size_t r = 0; r < 4; ++r) std::memcpy(&row[r], from + r * fromStride, sizeof(Four));
  for (std::size_t c = 0; c < 4; ++c) {
    const Four column = {row[0][c], row[1][c], row[2][c], row[3][c]};
    std::memcpy(to + c * toStride, &column, sizeof column);
  }
}

/// to[c][r] = from[r][c]. from: (rows, columns), to: (columns, rows), with these strides.
template <class T>
void transpose(int rows, int columns, const T* from, std::size_t fromStride, T* to,
               std::size_t toStride) {
  for (int r = 0; r < rows; r += 4) {
    for (int c = 0; c < columns; c += 4) {
      const T* const square = from + at(r) * fromStride + at(c);
      T* const transposed = to + at(c) * toStride + at(r);
      if (r + 4 <= rows && c + 4 <= columns) {
        transposeFour(square, fromStride, transposed, toStride);
        continue;
      }
      for (int y = 0; y < std::min(4, rows - r); ++y)
        for (int x = 0; x < std::min(4, columns - c); ++x)
          transposed[at(x) * toStride + at(y)] = square[at(y) * fromStride + at(x)];
    }
  }
}

/// An edge to the vertex in whose list it stands. weight: after reweighting.
template <class T>
struct Arc {
  int from;
  T weight;
};

/// The rows that a look is for.
struct Lanes {
  int source, count;  ///< of the first one, and how many there are, at most kRows
};

/// The predecessors that the first pass finds for sixteen sources. columns: (n, kRows), distances.
/// found: (n, kRows). Of several edges that fit exactly it takes the one from the source, else the
/// first.
template <class T>
[[gnu::always_inline]] inline void look(int n, const std::size_t* first, const Arc<T>* arcs,
                                        Lanes lanes, const T* columns, double allowed, int* found) {
  using Whole = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;  // of a comparison
  typedef T Vec __attribute__((vector_size(kRows * sizeof(T)), aligned(sizeof(T)), may_alias));
  typedef Whole Mask __attribute__((vector_size(kRows * sizeof(T)), aligned(sizeof(T)), may_alias));
  typedef int Ints __attribute__((vector_size(kRows * sizeof(int)), aligned(4), may_alias));
  constexpr bool exact = std::is_integral_v<T>;
  constexpr std::size_t kBetween = 16;  // arcs, before it is asked whether all rows have one
  const auto* const rows = reinterpret_cast<const Vec*>(columns);
  const T none = kInfinity<T>;
  const T nothing = -1;
  for (int j = 0; j < n; ++j) {
    const Vec here = rows[j];
    const Mask reached = here < none;
    Vec wanted = reached ? here : Vec{} + nothing;  // nothing where an edge that fits is found
    Mask best = Mask{} + kNoPredecessor;
    Vec least = Vec{} + none;  // of the sums, if the edge begins nearer to the source
    Vec other = Vec{} + none;  // of those of other edges, which are not taken here
    const Arc<T>*const begin = arcs + first[j], *const end = arcs + first[j + 1];
    const Arc<T>* direct = std::lower_bound(
        begin, end, lanes.source, [](const Arc<T>& arc, int source) { return arc.from < source; });
    for (; direct < end && direct->from < lanes.source + lanes.count; ++direct) {
      const int lane = direct->from - lanes.source;
      if (direct->weight != wanted[lane]) continue;
      best[lane] = direct->from;
      least[lane] = wanted[lane];
      wanted[lane] = nothing;
    }
    for (const Arc<T>* arc = begin; arc < end;) {
      int any = 0;
      for (int lane = 0; lane < kRows; ++lane) any |= static_cast<int>(wanted[lane] >= 0);
      if (any == 0) break;
      const Arc<T>* const stop = arc + std::min<std::ptrdiff_t>(kBetween, end - arc);
      for (; arc < stop; ++arc) {
        const Vec from = rows[arc->from];
        const Vec sum = from + arc->weight;
        if constexpr (exact) {
          const Mask fits = sum == wanted;
          best = fits ? Mask{} + arc->from : best;
          wanted = fits ? Vec{} + nothing : wanted;
        } else {
          const Mask nearer = from < here;
          const Mask better = nearer & (sum < least);
          best = better ? Mask{} + arc->from : best;
          least = better ? sum : least;
          other = nearer | (other < sum) ? other : sum;
          wanted = least <= here ? Vec{} + nothing : wanted;
        }
      }
    }
    if constexpr (!exact) {
      const T slack = static_cast<T>(allowed);
      const Mask fits = (least <= other) & (least <= here + here * slack);
      best = reached & fits ? best : Mask{} + kNoPredecessor;
    }
    *reinterpret_cast<Ints*>(found + at(j) * kRows) = __builtin_convertvector(best, Ints);
  }
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f,avx512bw")]] void lookAvx512(int n, const std::size_t* first,
                                                    const Arc<T>* arcs, Lanes lanes,
                                                    const T* columns, double allowed, int* found) {
  look(n, first, arcs, lanes, columns, allowed, found);
}
template <class T>
[[gnu::target("avx2")]] void lookAvx2(int n, const std::size_t* first, const Arc<T>* arcs,
                                      Lanes lanes, const T* columns, double allowed, int* found) {
  look(n, first, arcs, lanes, columns, allowed, found);
}
#endif
template <class T>
void lookPortable(int n, const std::size_t* first, const Arc<T>* arcs, Lanes lanes,
                  const T* columns, double allowed, int* found) {
  look(n, first, arcs, lanes, columns, allowed, found);
}

template <class T>
auto findLook() {
  const SimdLevel<decltype(&lookPortable<T>)> levels[] = {
#if defined(__x86_64__)
    {"avx512", lookAvx512<T>},
    {"avx2", lookAvx2<T>},
#endif
    {"portable", lookPortable<T>},
  };
  return chooseSimd(levels);
}

/// Edges of weight 0, as pairs of their ends.
using Zeros = std::vector<std::pair<int, int>>;

/// Sixteen rows that are looked at together, transposed, and room for one tree.
template <class T>
struct Group {
  std::vector<T> columns;  // (n, kRows)
  std::vector<int> found;  // (n, kRows)
  std::vector<int> queue, left;
  std::vector<char> reached;
  std::vector<std::pair<int, int>> ways;  // edges between vertices that are left
};

}  // namespace

/// What Predecessors does, whatever the type of the weights is.
class Predecessors::Finder {
 public:
  virtual ~Finder() = default;
  virtual void rows(int first, int count, ConstElements distances, int* predecessors) const = 0;
};

template <class T>
class Predecessors::FinderOf : public Finder {
 public:
  FinderOf(const Graph& graph, const T* distances, const std::vector<std::int64_t>& potentials)
      : n_(graph.n),
        allowed_(tolerance(graph.n, kDtype<T>, 2)),
        potentials_(potentials.begin(), potentials.end()),
        first_(at(graph.n) + 1, 0) {
    graph.dense() ? takeMatrix(graph, distances) : takeEdges(graph, distances);
  }
  void rows(int first, int count, ConstElements distances, int* predecessors) const override;

 private:
  static constexpr bool kWhole = std::is_integral_v<T>;

  void takeEdges(const Graph& graph, const T* distances);
  void takeMatrix(const Graph& graph, const T* distances);
  void takeRow(const T* weights, const T* known, int k, std::size_t* next, Zeros* zeros);
  void takeZeros(Zeros zeros);
  bool mayBeLast(T weight, T distance) const { return agree(distance, weight, allowed_); }
  T weightOf(int from, int to, T weight) const;
  T shiftOf(int vertex) const;
  void reweight(int source, int count, std::vector<T>& columns) const;

  bool someRows(int first, int count, const T* distances, int* predecessors) const;
  bool oneGroup(int source, int count, const T* distances, int* predecessors,
                Group<T>& group) const;
  bool passOnAlongZeros(int source, const T* distances, int* predecessors, Group<T>& group) const;
  bool growFromSource(int source, const T* distances, int* predecessors, Group<T>& group) const;
  bool takeReached(int j, double off, const T* distances, int* predecessors, Group<T>& group) const;
  void passOnExactly(const T* distances, int* predecessors, Group<T>& group) const;

  const int n_;
  const double allowed_;            // how far real distances may be off, relative to themselves
  std::vector<T> potentials_;       // (n), which fit into T; empty if no weight is negative
  std::vector<std::size_t> first_;  // (n + 1): where each head's arcs begin
  std::vector<Arc<T>> arcs_;        // of whole weights without those of weight 0
  std::vector<std::size_t> zerosFirst_;     // (n + 1), empty if there are none
  std::vector<int> zeroHeads_, zeroTails_;  // of the arcs of weight 0; each tail once
};

Predecessors::Predecessors(const Graph& graph, ConstElements distances,
                           const std::vector<std::int64_t>& potentials) {
  withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    finder_ = std::make_unique<const FinderOf<T>>(graph, distances ? distances.as<T>() : nullptr,
                                                  potentials);
  });
}

Predecessors::~Predecessors() = default;

void Predecessors::rows(int first, int count, ConstElements distances, int* predecessors) const {
  finder_->rows(first, count, distances, predecessors);
}

std::size_t Predecessors::bytes(int n, std::size_t edges, Dtype dtype) {
  const auto threads = asSize(omp_get_max_threads());
  const std::size_t arc = 2 * sizeOf(dtype);  // sizeof(Arc<T>)
  const std::size_t group = kRows * (sizeOf(dtype) + sizeof(int)) + 16;
  return edges * arc + at(n) * (32 + threads * group);
}

/// The weight of an edge after reweighting.
template <class T>
T Predecessors::FinderOf<T>::weightOf(int from, int to, T weight) const {
  if constexpr (kWhole)
    if (!potentials_.empty()) return reweighted(weight, potentials_[at(from)], potentials_[at(to)]);
  return weight;
}

/// What reweighting takes from every distance to that vertex.
template <class T>
T Predecessors::FinderOf<T>::shiftOf(int vertex) const {
  return potentials_.empty() ? 0 : potentials_[at(vertex)];
}

/// Makes D' of the distances from `count` sources. columns: (n, kRows).
template <class T>
void Predecessors::FinderOf<T>::reweight(int source, int count, std::vector<T>& columns) const {
  if (potentials_.empty()) return;
  for (int v = 0; v < n_; ++v) {
    T* const row = columns.data() + at(v) * kRows;
    for (int lane = 0; lane < count; ++lane) row[lane] = weightOf(source + lane, v, row[lane]);
  }
}

template <class T>
void Predecessors::FinderOf<T>::takeEdges(const Graph& graph, const T* distances) {
  Zeros zeros;
  const auto take = [&](const auto& visit) {
    for (const Edge<T>& e : graph.edges<T>()) {
      if (distances != nullptr && !mayBeLast(e.weight, distances[at(e.from) * at(n_) + at(e.to)]))
        continue;
      visit(e);
    }
  };
  const auto isZero = [&](const Edge<T>& e) {
    return kWhole && weightOf(e.from, e.to, e.weight) == 0;
  };
  take([&](const Edge<T>& e) {
    if (isZero(e))
      zeros.emplace_back(e.from, e.to);
    else
      ++first_[at(e.to) + 1];
  });
  for (std::size_t j = 0; j < at(n_); ++j) first_[j + 1] += first_[j];
  arcs_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  take([&](const Edge<T>& e) {
    if (!isZero(e)) arcs_[next[at(e.to)]++] = {e.from, weightOf(e.from, e.to, e.weight)};
  });
  takeZeros(std::move(zeros));
}

template <class T>
void Predecessors::FinderOf<T>::takeMatrix(const Graph& graph, const T* distances) {
  // Each band of rows counts its edges by head first, so that it knows where to store them.
  const int bands = std::clamp(n_ / kWorthThreads, 1, omp_get_max_threads());
  const auto begins = [&](int band) { return static_cast<int>(std::int64_t{n_} * band / bands); };
  std::vector<std::vector<std::size_t>> next(at(bands), std::vector<std::size_t>(at(n_), 0));
  std::vector<Zeros> zeros(at(bands));
  const auto all = [&](bool store) {
#pragma omp parallel for schedule(static, 1) num_threads(bands)
    for (int band = 0; band < bands; ++band)
      for (int k = begins(band); k < begins(band + 1); ++k)
        takeRow(graph.matrix().row<T>(k),
                distances == nullptr ? nullptr : distances + at(k) * at(n_), k,
                next[at(band)].data(), store ? nullptr : &zeros[at(band)]);
  };
  all(false);
  for (int j = 0; j < n_; ++j) {
    first_[at(j) + 1] = first_[at(j)];
    for (std::vector<std::size_t>& band : next) {
      const std::size_t count = std::exchange(band[at(j)], first_[at(j) + 1]);
      first_[at(j) + 1] += count;
    }
  }
  requireHostBytes(first_.back() * sizeof(Arc<T>), "the search for predecessors");
  arcs_.resize(first_.back());
  all(true);
  std::size_t count = 0;
  for (const Zeros& band : zeros) count += band.size();
  requireHostBytes(count * sizeof(zeros[0][0]) * 2, "the search for predecessors");
  for (int band = 1; band < bands; ++band)
    zeros[0].insert(zeros[0].end(), zeros[at(band)].begin(), zeros[at(band)].end());
  takeZeros(std::move(zeros[0]));
}

/// Takes the edges of a matrix that leave vertex k. weights, known: (n), known: the distances or
/// null. next: (n). With `zeros`, counts those to each head in `next`, and collects those of weight
/// 0; without it, stores them from next[head] on.
template <class T>
void Predecessors::FinderOf<T>::takeRow(const T* weights, const T* known, int k, std::size_t* next,
                                        Zeros* zeros) {
  constexpr int kSome = 16;
  for (int begin = 0; begin < n_; begin += kSome) {
    const int end = std::min(n_, begin + kSome);
    if (known != nullptr && kWhole) {
      int some = 0;
      for (int j = begin; j < end; ++j) some |= static_cast<int>(weights[j] == known[j]);
      if (some == 0) continue;  // most of the matrix, if edges are left out
    }
    for (int j = begin; j < end; ++j) {
      if (weights[j] >= kInfinity<T> || j == k) continue;
      if (known != nullptr && !mayBeLast(weights[j], known[j])) continue;
      const T weight = weightOf(k, j, weights[j]);
      const bool zero = kWhole && weight == 0;
      if (zero && zeros != nullptr) zeros->emplace_back(k, j);
      if (zero) continue;
      if (zeros == nullptr) arcs_[next[j]] = {k, weight};
      ++next[j];
    }
  }
}

/// zeros: the edges of weight 0.
template <class T>
void Predecessors::FinderOf<T>::takeZeros(Zeros zeros) {
  if (zeros.empty()) return;
  std::sort(zeros.begin(), zeros.end());
  zerosFirst_.assign(at(n_) + 1, 0);
  for (const auto& [from, to] : zeros) {
    if (zerosFirst_[at(from) + 1]++ == 0) zeroTails_.push_back(from);
    zeroHeads_.push_back(to);
  }
  for (std::size_t v = 0; v < at(n_); ++v) zerosFirst_[v + 1] += zerosFirst_[v];
}

template <class T>
void Predecessors::FinderOf<T>::rows(int first, int count, ConstElements elements,
                                     int* predecessors) const {
  const T* const distances = elements.as<T>();
  if (someRows(first, count, distances, predecessors)) return;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < n_; ++j) {
      const std::size_t entry = at(i) * at(n_) + at(j);
      if (j == first + i || distances[entry] >= kInfinity<T> ||
          predecessors[entry] != kNoPredecessor)
        continue;
      throw Error(ErrorCode::kMismatch,
                  fmt::format("no path from vertex {} to vertex {} has the distance {} that was "
                              "found: verify the distances",
                              first + i, j, textOf(distances[entry])));
    }
  }
}

/// Returns whether every vertex at a distance below infinity has a predecessor.
template <class T>
bool Predecessors::FinderOf<T>::someRows(int first, int count, const T* distances,
                                         int* predecessors) const {
  const int groups = (count + kRows - 1) / kRows;
  std::atomic<bool> all{true};
#pragma omp parallel if (n_ >= kWorthThreads)
  {
    Group<T> group;
    group.columns.resize(at(n_) * kRows);
    group.found.resize(at(n_) * kRows);
#pragma omp for schedule(dynamic)
    for (int g = 0; g < groups; ++g) {
      const int begin = g * kRows;
      const std::size_t entry = at(begin) * at(n_);
      if (!oneGroup(first + begin, std::min(kRows, count - begin), distances + entry,
                    predecessors + entry, group))
        all = false;
    }
  }
  return all;
}

template <class T>
bool Predecessors::FinderOf<T>::oneGroup(int source, int count, const T* distances,
                                         int* predecessors, Group<T>& group) const {
  static const auto lookHere = findLook<T>();
  if (count < kRows) std::fill(group.columns.begin(), group.columns.end(), kInfinity<T>);
  transpose(count, n_, distances, at(n_), group.columns.data(), kRows);
  reweight(source, count, group.columns);
  lookHere(n_, first_.data(), arcs_.data(), {source, count}, group.columns.data(), allowed_,
           group.found.data());
  transpose(n_, count, group.found.data(), kRows, predecessors, at(n_));
  bool all = true;
  for (int lane = 0; lane < count; ++lane) {
    int* const row = predecessors + at(lane) * at(n_);
    const T* const known = distances + at(lane) * at(n_);
    int lacking = 0;
    for (int v = 0; v < n_; ++v)
      lacking +=
          static_cast<int>(row[v] == kNoPredecessor) & static_cast<int>(known[v] < kInfinity<T>);
    row[source + lane] = kNoPredecessor;
    if (lacking <= 1) continue;  // the source alone
    all &= kWhole ? passOnAlongZeros(source + lane, known, row, group)
                  : growFromSource(source + lane, known, row, group);
  }
  return all;
}

/// Finishes a row of whole distances. Returns whether no vertex is left.
template <class T>
bool Predecessors::FinderOf<T>::passOnAlongZeros(int source, const T* distances, int* predecessors,
                                                 Group<T>& group) const {
  std::vector<int>& queue = group.queue;
  queue.clear();
  if (!zeroTails_.empty()) queue.push_back(source);  // its own edges come first
  for (const int tail : zeroTails_)
    if (tail != source && predecessors[tail] != kNoPredecessor) queue.push_back(tail);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int k = queue[next];
    for (std::size_t a = zerosFirst_[at(k)]; a < zerosFirst_[at(k) + 1]; ++a) {
      const int j = zeroHeads_[a];
      if (predecessors[j] != kNoPredecessor || j == source || distances[j] >= kInfinity<T> ||
          distances[j] - shiftOf(j) != distances[k] - shiftOf(k))
        continue;
      predecessors[j] = k;
      queue.push_back(j);
    }
  }
  for (int j = 0; j < n_; ++j)
    if (predecessors[j] == kNoPredecessor && j != source && distances[j] < kInfinity<T>)
      return false;
  return true;
}

/// Finishes a row of real distances. Returns whether no vertex is left.
template <class T>
bool Predecessors::FinderOf<T>::growFromSource(int source, const T* distances, int* predecessors,
                                               Group<T>& group) const {
  std::vector<int>& order = group.queue;  // nearest first: a predecessor by pass one comes earlier
  order.resize(at(n_));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return distances[a] < distances[b]; });
  std::vector<char>& reached = group.reached;
  reached.assign(at(n_), 0);
  reached[at(source)] = 1;
  std::vector<int>& left = group.left;
  left.clear();
  for (const int j : order) {
    if (distances[j] >= kInfinity<T> || j == source) continue;
    const int before = predecessors[j];
    reached[at(j)] = before != kNoPredecessor && reached[at(before)] != 0 ? 1 : 0;
    if (reached[at(j)] == 0) left.push_back(j);
  }
  std::size_t size = left.size() + 1;
  while (!left.empty() && left.size() < size) {
    size = left.size();
    passOnExactly(distances, predecessors, group);
    for (double off = roundingOf(kDtype<T>); left.size() == size && off < 2 * allowed_; off *= 2)
      left.erase(std::remove_if(left.begin(), left.end(),
                                [&](int j) {
                                  return takeReached(j, std::min(off, allowed_), distances,
                                                     predecessors, group);
                                }),
                 left.end());
  }
  for (const int j : left) predecessors[j] = kNoPredecessor;
  return left.empty();
}

/// Lets a vertex that is left be reached: by the predecessor that it has, or by the edge with the
/// least sum, which may be above its distance by `off`. Returns whether it is.
template <class T>
bool Predecessors::FinderOf<T>::takeReached(int j, double off, const T* distances,
                                            int* predecessors, Group<T>& group) const {
  std::vector<char>& reached = group.reached;
  int& before = predecessors[j];
  if (before == kNoPredecessor || reached[at(before)] == 0) {
    T least = kInfinity<T>;
    int choice = kNoPredecessor;
    for (std::size_t a = first_[at(j)]; a < first_[at(j) + 1]; ++a) {
      const Arc<T>& arc = arcs_[a];
      const T sum = distances[arc.from] + arc.weight;
      if (reached[at(arc.from)] == 0 || !(sum < least)) continue;
      least = sum;
      choice = arc.from;
    }
    if (!(least <= distances[j] * (1 + off))) return false;
    before = choice;
  }
  reached[at(j)] = 1;
  return true;
}

/// Reaches all vertices that edges lead to which fit exactly.
template <class T>
void Predecessors::FinderOf<T>::passOnExactly(const T* distances, int* predecessors,
                                              Group<T>& group) const {
  std::vector<int>&queue = group.queue, &left = group.left;
  std::vector<char>& reached = group.reached;
  std::vector<std::pair<int, int>>& ways = group.ways;
  queue.clear();
  ways.clear();
  for (const int j : left) {
    if (takeReached(j, 0, distances, predecessors, group)) {
      queue.push_back(j);
      continue;
    }
    for (std::size_t a = first_[at(j)]; a < first_[at(j) + 1]; ++a) {
      const Arc<T>& arc = arcs_[a];
      if (arc.from == predecessors[j] || distances[arc.from] + arc.weight <= distances[j])
        ways.emplace_back(arc.from, j);
    }
  }
  std::sort(ways.begin(), ways.end());
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int k = queue[next];
    auto way = std::lower_bound(ways.begin(), ways.end(), std::pair(k, 0));
    for (; way != ways.end() && way->first == k; ++way) {
      const int j = way->second;
      if (reached[at(j)] != 0) continue;
      predecessors[j] = k;
      reached[at(j)] = 1;
      queue.push_back(j);
    }
  }
  left.erase(std::remove_if(left.begin(), left.end(), [&](int j) { return reached[at(j)] != 0; }),
             left.end());
}

}  // namespace engine
