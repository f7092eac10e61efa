// A group of rows is checked together, as many as a vector has lanes. First it is transposed: then
// the distances of one vertex are a vector, and an arc costs a load, an addition and a minimum for
// all of them. Entries that do not fit are rare, and are looked at one by one.
#include "verify/bellman_arcs.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/size.h"
#include "device/simd.h"
#include "verify/bellman_gpu.h"
#include "verify/entering.h"
#include "verify/rows.h"

namespace {

template <class T>
constexpr int kRows = 64 / sizeof(T);  // that are checked together

/// An entry that does not fit: its vertex and the lane of its row.
struct Doubt {
  int vertex, lane;
};

/// Some rows, transposed: (n, kRows<T>).
template <class T>
struct Group {
  std::vector<T> columns;
  std::vector<Doubt> doubts;
};

/// What vectors of T are compared to: −1 or 0 in each lane.
template <class T>
using Lane = std::conditional_t<sizeof(T) == sizeof(std::int32_t), std::int32_t, std::int64_t>;

/// Whether a number is one that a distance may be. NaN is none.
template <class T>
bool isDistance(T number) {
  return number >= 0 && number <= kInfinity<T>;
}

/// Components that are looked at before it is asked whether any entry of them differs.
constexpr std::size_t kBlock = 32;

/// A little less than a tolerance, since a doubt is looked at again: the lesser of `most` and
/// `slope` times the distance. Whole numbers ignore both.
template <class T>
struct Doubtless {
  T most, slope;
  explicit Doubtless(const Tolerance& allowed)
      : most(static_cast<T>(allowed.most() * 0.99)), slope(static_cast<T>(slopeOf(allowed))) {}

  /// A subnormal slope might be rounded up: 0 leaves all to the second look. Whole numbers have
  /// none.
  static double slopeOf(const Tolerance& allowed) {
    const bool used =
        std::is_floating_point_v<T> && allowed.slope() > std::numeric_limits<T>::min();
    return used ? std::min<double>(allowed.slope() * 0.99, std::numeric_limits<T>::max()) : 0;
  }
};

/// Collects the entries that differ from the least that arcs lead to.
template <class T>
[[gnu::always_inline]] inline void look(const Entering<T>& graph, const Doubtless<T>& allowed,
                                        Group<T>& group) {
  typedef T Vec __attribute__((vector_size(kRows<T> * sizeof(T)), aligned(sizeof(T)), may_alias));
  typedef Lane<T> Lanes __attribute__((vector_size(kRows<T> * sizeof(T))));
  const auto* const rows = reinterpret_cast<const Vec*>(group.columns.data());
  const std::size_t count = graph.first.size() - 1;
  // Calls differs(vertex, lanes) for the vertices of component c.
  const auto visit = [&](std::size_t c, const auto& differs) __attribute__((always_inline)) {
    Vec best = Vec{} + kInfinity<T>;
    for (std::size_t a = graph.first[c]; a < graph.first[c + 1]; ++a) {
      const Vec through = rows[graph.arcs[a].from] + graph.arcs[a].weight;
      best = through < best ? through : best;
    }
    for (std::size_t m = graph.members[c]; m < graph.members[c + 1]; ++m) {
      const Vec got = rows[graph.vertices[m]];
      Lanes wrong = got != best;
      if constexpr (std::is_floating_point_v<T>) {
        const Vec apart = got < best ? best - got : got - best;
        Vec part = best * allowed.slope;
        part = part < allowed.most ? part : Vec{} + allowed.most;  // also if it is NaN
        wrong &= ~((apart <= best * part) & (best < kInfinity<T>));
      }
      differs(graph.vertices[m], wrong);
    }
  };
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(count, begin + kBlock);
    Lanes some = {};
    for (std::size_t c = begin; c < end; ++c)
      visit(
          c, [&](int, const Lanes& wrong) __attribute__((always_inline)) { some |= wrong; });
    Lane<T> any = 0;
    for (int lane = 0; lane < kRows<T>; ++lane) any |= some[lane];
    if (any == 0) continue;
    for (std::size_t c = begin; c < end; ++c) {
      visit(
          c, [&](int vertex, const Lanes& wrong) __attribute__((always_inline)) {
            for (int lane = 0; lane < kRows<T>; ++lane)
              if (wrong[lane] != 0) group.doubts.push_back({vertex, lane});
          });
    }
  }
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f,avx512bw")]] void lookAvx512(const Entering<T>& graph,
                                                    const Doubtless<T>& allowed, Group<T>& group) {
  look(graph, allowed, group);
}
template <class T>
[[gnu::target("avx2")]] void lookAvx2(const Entering<T>& graph, const Doubtless<T>& allowed,
                                      Group<T>& group) {
  look(graph, allowed, group);
}
#endif
template <class T>
void lookPortable(const Entering<T>& graph, const Doubtless<T>& allowed, Group<T>& group) {
  look(graph, allowed, group);
}

template <class T>
using Look = void (*)(const Entering<T>&, const Doubtless<T>&, Group<T>&);

template <class T>
Look<T> findLook() {
  const SimdLevel<Look<T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", lookAvx512<T>},
    {"avx2", lookAvx2<T>},
#endif
    {"portable", lookPortable<T>},
  };
  return chooseSimd(levels);
}

template <class T>
class ArcCheck {
 public:
  explicit ArcCheck(const Graph& graph)
      : n_(asSize(graph.n)),
        allowed_(graph.n, kDtype<T>, 2, isWhole(kDtype<T>) ? 0 : graphStats(graph).leastPositive),
        entering_(graph),
        look_(findLook<T>()) {}

  /// Takes `count` rows, (count, n), of these sources.
  void check(const int* sources, int count, const T* distances, Mismatch& all) const {
    const int groups = (count + kRows<T> - 1) / kRows<T>;
#pragma omp parallel if (n_ >= kWorthThreads)
    {
      Group<T> group;
      group.columns.resize(n_ * kRows<T>);
#pragma omp for schedule(dynamic)
      for (int g = 0; g < groups; ++g) {
        const int begin = g * kRows<T>;
        const Mismatch some = checkGroup(sources + begin, std::min(kRows<T>, count - begin),
                                         distances + asSize(begin) * n_, group);
#pragma omp critical
        add(all, some);
      }
    }
  }

 private:
  Mismatch checkGroup(const int* sources, int count, const T* distances, Group<T>& group) const {
    const bool inRange = transpose(count, distances, group.columns.data());
    group.doubts.clear();
    look_(entering_, Doubtless<T>(allowed_), group);
    std::vector<Mismatch> rows(asSize(count));
    const auto check = [&](int j, int lane, T expected) {
      const T got = distances[asSize(lane) * n_ + asSize(j)];
      if (!agree(got, expected, allowed_))
        note(rows[asSize(lane)], {1, sources[lane], j, expected, got});
    };
    for (const Doubt& doubt : group.doubts) {
      if (doubt.lane < count && of(doubt.vertex) != of(sources[doubt.lane]))
        check(doubt.vertex, doubt.lane, expectedOf(group, doubt));
    }
    for (int lane = 0; lane < count; ++lane) {  // nothing enters the sources
      const std::size_t c = of(sources[lane]);
      for (std::size_t m = entering_.members[c]; m < entering_.members[c + 1]; ++m)
        check(entering_.vertices[m], lane, T(0));
    }
    for (int lane = 0; !inRange && lane < count; ++lane)
      checkRange(sources[lane], distances, lane, rows);
    Mismatch all;
    for (const Mismatch& row : rows) add(all, row);
    return all;
  }

  /// Writes rows as columns. Numbers that are no distances count as infinity; returns whether there
  /// were none. Rows beyond `count` repeat the last one.
  bool transpose(int count, const T* distances, T* to) const {
    const T* rows[kRows<T>];
    for (int lane = 0; lane < kRows<T>; ++lane)
      rows[lane] = distances + asSize(std::min(lane, count - 1)) * n_;
    bool inRange = true;
    std::size_t v = 0;
    for (; v + 4 <= n_; v += 4) {
      for (int lane = 0; lane < kRows<T>; lane += 4)
        inRange &= transposeFour(rows + lane, v, to + v * kRows<T> + lane);
    }
    for (; v < n_; ++v) {
      for (int lane = 0; lane < kRows<T>; ++lane) {
        const T number = rows[lane][v];
        inRange &= isDistance(number);
        to[v * kRows<T> + asSize(lane)] = isDistance(number) ? number : kInfinity<T>;
      }
    }
    return inRange;
  }

  /// Four numbers of four rows, from the column v on.
  [[gnu::always_inline]] static bool transposeFour(const T* const* rows, std::size_t v, T* to) {
    typedef T Four __attribute__((vector_size(4 * sizeof(T))));
    typedef Lane<T> Lanes __attribute__((vector_size(4 * sizeof(T))));
    Four row[4];
    Lanes right = ~Lanes{};
    for (int k = 0; k < 4; ++k) {
      std::memcpy(&row[k], rows[k] + v, sizeof(Four));
      const Lanes good = (row[k] >= 0) & (row[k] <= kInfinity<T>);
      row[k] = good ? row[k] : Four{} + kInfinity<T>;
      right &= good;
    }
    for (int k = 0; k < 4; ++k) {
      const Four column = {row[0][k], row[1][k], row[2][k], row[3][k]};
      std::memcpy(to + asSize(k) * kRows<T>, &column, sizeof column);
    }
    return (right[0] & right[1] & right[2] & right[3]) != 0;
  }

  /// Such numbers were checked as infinity, which may be right.
  void checkRange(int source, const T* distances, int lane, std::vector<Mismatch>& rows) const {
    const T* const row = distances + asSize(lane) * n_;
    for (std::size_t v = 0; v < n_; ++v) {
      if (isDistance(row[v])) continue;
      Mismatch& found = rows[asSize(lane)];
      if (found.count == 0) found = {1, source, static_cast<int>(v), kInfinity<T>, row[v]};
    }
  }

  std::size_t of(int vertex) const {
    return asSize(entering_.component[asSize(vertex)]);
  }

  /// What the equation says of an entry.
  T expectedOf(const Group<T>& group, const Doubt& doubt) const {
    const std::size_t c = of(doubt.vertex);
    T best = kInfinity<T>;
    for (std::size_t a = entering_.first[c]; a < entering_.first[c + 1]; ++a) {
      const auto& arc = entering_.arcs[a];
      best = std::min<T>(
          best, group.columns[asSize(arc.from) * kRows<T> + asSize(doubt.lane)] + arc.weight);
    }
    return best;
  }

  static void note(Mismatch& row, const Mismatch& entry) {
    const std::uint64_t count = row.count + 1;
    if (row.count == 0 || entry.j < row.j) row = entry;
    row.count = count;
  }

  const std::size_t n_;
  const Tolerance allowed_;
  const Entering<T> entering_;
  const Look<T> look_;
};

template <class T>
Mismatch checkRows(const Graph& graph, const Distances& distances, const std::vector<int>& rows) {
  const ArcCheck<T> check(graph);
  Mismatch all;
  Progress checked("Bellman's equation", rows.size());
  std::vector<int> sources(asSize(distances.rowCount()));
  for (std::size_t i = 0; i < sources.size(); ++i)
    sources[i] = distances.source(static_cast<int>(i));
  for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && rows[end] == rows[end - 1] + 1;) ++end;
    distances.rows(rows[begin], rows[end - 1] + 1, [&](int first, int count, ConstElements found) {
      check.check(sources.data() + first, count, found.as<T>(), all);
      checked.advance(static_cast<std::uint64_t>(count));
    });
  }
  return all;
}

}  // namespace

Verdict verifyByArcs(const Graph& graph, const Distances& distances, int rows,
                     const Device& device) {
  const std::vector<int> drawn = drawRows(distances.rowCount(), rows);
  Verdict verdict{withinOfEdges(fmt::format("bellman:{}", drawn.size()), graph.dtype(), 2), {}};
  const std::vector<int> doubtful = doubtfulByArcs(graph, distances, drawn, device);
  if (doubtful.empty()) return verdict;
  verdict.mismatch = withType(graph.dtype(), [&](auto zero) {
    return checkRows<decltype(zero)>(graph, distances, doubtful);
  });
  return verdict;
}

std::size_t arcsBytes(const Graph& graph) {
  const auto n = asSize(graph.n);
  const auto groups = asSize(omp_get_max_threads());
  return withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::size_t ofEdge = sizeof(typename Entering<T>::Arc) + sizeof(int);
    return graph.edgeCount() * ofEdge + n * (12 * sizeof(int) + kRows<T> * sizeof(T) * groups);
  });
}
