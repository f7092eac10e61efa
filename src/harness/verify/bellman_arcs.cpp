// A group of rows is checked together, as many as a vector has lanes. First it is transposed: then
// the distances of one vertex are a vector, and an arc costs a load, an addition and a minimum for
// all of them. Entries that do not fit are rare, and are looked at one by one.
#include "verify/bellman_arcs.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "device/simd.h"
#include "verify/bellman_gpu.h"
#include "verify/entering.h"
#include "verify/rows.h"

namespace {

constexpr int kRows = 16;  // that are checked together

/// An entry that does not fit: its vertex and the lane of its row.
struct Doubt {
  int vertex, lane;
};

/// Some rows, transposed: (n, kRows).
template <class T>
struct Group {
  std::vector<T> columns;
  std::vector<Doubt> doubts;
};

/// Components that are looked at before it is asked whether any entry of them differs.
constexpr std::size_t kBlock = 32;

/// Collects the entries that differ from the least that arcs lead to. allowed: a little less than
/// the tolerance, since a doubt is looked at again.
template <class T>
[[gnu::always_inline]] inline void look(const Entering<T>& graph, T none, T allowed,
                                        Group<T>& group) {
  typedef T Vec __attribute__((vector_size(kRows * sizeof(T)), aligned(4), may_alias));
  typedef int Ints __attribute__((vector_size(kRows * sizeof(int))));
  const auto* const rows = reinterpret_cast<const Vec*>(group.columns.data());
  const std::size_t count = graph.first.size() - 1;
  // Calls differs(vertex, lanes) for the vertices of component c.
  const auto visit = [&](std::size_t c, const auto& differs) __attribute__((always_inline)) {
    Vec best = Vec{} + none;
    for (std::size_t a = graph.first[c]; a < graph.first[c + 1]; ++a) {
      const Vec through = rows[graph.arcs[a].from] + graph.arcs[a].weight;
      best = through < best ? through : best;
    }
    for (std::size_t m = graph.members[c]; m < graph.members[c + 1]; ++m) {
      const Vec got = rows[graph.vertices[m]];
      Ints wrong = got != best;
      if constexpr (std::is_same_v<T, float>) {
        const Vec apart = got < best ? best - got : got - best;
        wrong &= ~((apart <= best * allowed) & (best < none));
      }
      differs(graph.vertices[m], wrong);
    }
  };
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(count, begin + kBlock);
    Ints some = {};
    for (std::size_t c = begin; c < end; ++c)
      visit(
          c, [&](int, const Ints& wrong) __attribute__((always_inline)) { some |= wrong; });
    int any = 0;
    for (int lane = 0; lane < kRows; ++lane) any |= some[lane];
    if (any == 0) continue;
    for (std::size_t c = begin; c < end; ++c) {
      visit(
          c, [&](int vertex, const Ints& wrong) __attribute__((always_inline)) {
            for (int lane = 0; lane < kRows; ++lane)
              if (wrong[lane] != 0) group.doubts.push_back({vertex, lane});
          });
    }
  }
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f,avx512bw")]] void lookAvx512(const Entering<T>& graph, T none, T allowed,
                                                    Group<T>& group) {
  look(graph, none, allowed, group);
}
template <class T>
[[gnu::target("avx2")]] void lookAvx2(const Entering<T>& graph, T none, T allowed,
                                      Group<T>& group) {
  look(graph, none, allowed, group);
}
#endif
template <class T>
void lookPortable(const Entering<T>& graph, T none, T allowed, Group<T>& group) {
  look(graph, none, allowed, group);
}

template <class T>
using Look = void (*)(const Entering<T>&, T, T, Group<T>&);

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
      : n_(static_cast<std::size_t>(graph.n)),
        dtype_(graph.dtype),
        allowed_(tolerance(graph.n, graph.dtype, 2)),
        entering_(graph),
        look_(findLook<T>()) {}

  /// Takes `count` rows, (count, n), of these sources.
  void check(const int* sources, int count, const int* words, Mismatch& all) const {
    const int groups = (count + kRows - 1) / kRows;
#pragma omp parallel if (n_ >= kWorthThreads)
    {
      Group<T> group;
      group.columns.resize(n_ * kRows);
#pragma omp for schedule(dynamic)
      for (int g = 0; g < groups; ++g) {
        const int begin = g * kRows;
        const Mismatch some = checkGroup(sources + begin, std::min(kRows, count - begin),
                                         words + static_cast<std::size_t>(begin) * n_, group);
#pragma omp critical
        add(all, some);
      }
    }
  }

 private:
  static int wordOf(T number) {
    int word;
    std::memcpy(&word, &number, sizeof word);
    return word;
  }

  Mismatch checkGroup(const int* sources, int count, const int* words, Group<T>& group) const {
    const bool inRange = transpose(count, words, group.columns.data());
    const T none = numberAt(infinity(dtype_));
    group.doubts.clear();
    look_(entering_, none, static_cast<T>(allowed_ * 0.99), group);
    std::vector<Mismatch> rows(static_cast<std::size_t>(count));
    const auto check = [&](int j, int lane, int expected) {
      const int got = words[static_cast<std::size_t>(lane) * n_ + static_cast<std::size_t>(j)];
      if (!agreeWords(got, expected, dtype_, allowed_))
        note(rows[static_cast<std::size_t>(lane)], {1, sources[lane], j, expected, got});
    };
    for (const Doubt& doubt : group.doubts) {
      if (doubt.lane < count && of(doubt.vertex) != of(sources[doubt.lane]))
        check(doubt.vertex, doubt.lane, expectedOf(group, doubt));
    }
    for (int lane = 0; lane < count; ++lane) {  // nothing enters the sources
      const std::size_t c = of(sources[lane]);
      for (std::size_t m = entering_.members[c]; m < entering_.members[c + 1]; ++m)
        check(entering_.vertices[m], lane, wordOf(T(0)));
    }
    for (int lane = 0; !inRange && lane < count; ++lane)
      checkRange(sources[lane], words, lane, rows);
    Mismatch all;
    for (const Mismatch& row : rows) add(all, row);
    return all;
  }

  static T numberAt(int word) {
    T number;
    std::memcpy(&number, &word, sizeof number);
    return number;
  }

  /// Writes rows as columns. Words that are no distances count as infinity; returns whether there
  /// were none. Rows beyond `count` repeat the last one.
  bool transpose(int count, const int* words, T* to) const {
    const int none = infinity(dtype_);
    const int* rows[kRows];
    for (int lane = 0; lane < kRows; ++lane)
      rows[lane] = words + static_cast<std::size_t>(std::min(lane, count - 1)) * n_;
    bool inRange = true;
    std::size_t v = 0;
    for (; v + 4 <= n_; v += 4) {
      for (int lane = 0; lane < kRows; lane += 4)
        inRange &= transposeFour(rows + lane, v, none, to + v * kRows + lane);
    }
    for (; v < n_; ++v) {
      for (int lane = 0; lane < kRows; ++lane) {
        const int word = rows[lane][v];
        const bool distance = word >= 0 && word <= none;
        inRange &= distance;
        to[v * kRows + static_cast<std::size_t>(lane)] = numberAt(distance ? word : none);
      }
    }
    return inRange;
  }

  /// Four words of four rows, from the column v on.
  [[gnu::always_inline]] static bool transposeFour(const int* const* rows, std::size_t v, int none,
                                                   T* to) {
    typedef int Four __attribute__((vector_size(16)));
    Four row[4], wrong = {};
    for (int k = 0; k < 4; ++k) {
      std::memcpy(&row[k], rows[k] + v, sizeof(Four));
      const Four bad = (row[k] < 0) | (row[k] > none);
      row[k] = bad ? Four{} + none : row[k];
      wrong |= bad;
    }
    for (int k = 0; k < 4; ++k) {
      const Four column = {row[0][k], row[1][k], row[2][k], row[3][k]};
      std::memcpy(to + static_cast<std::size_t>(k) * kRows, &column, sizeof column);
    }
    return (wrong[0] | wrong[1] | wrong[2] | wrong[3]) == 0;
  }

  /// Such words were checked as infinity, which may be right.
  void checkRange(int source, const int* words, int lane, std::vector<Mismatch>& rows) const {
    const int none = infinity(dtype_);
    const int* const row = words + static_cast<std::size_t>(lane) * n_;
    for (std::size_t v = 0; v < n_; ++v) {
      if (row[v] >= 0 && row[v] <= none) continue;
      Mismatch& found = rows[static_cast<std::size_t>(lane)];
      if (found.count == 0) found = {1, source, static_cast<int>(v), none, row[v]};
    }
  }

  std::size_t of(int vertex) const {
    return static_cast<std::size_t>(entering_.component[static_cast<std::size_t>(vertex)]);
  }

  /// What the equation says of an entry.
  int expectedOf(const Group<T>& group, const Doubt& doubt) const {
    const std::size_t c = of(doubt.vertex);
    T best = numberAt(infinity(dtype_));
    for (std::size_t a = entering_.first[c]; a < entering_.first[c + 1]; ++a) {
      const auto& arc = entering_.arcs[a];
      best = std::min<T>(best, group.columns[static_cast<std::size_t>(arc.from) * kRows +
                                             static_cast<std::size_t>(doubt.lane)] +
                                   arc.weight);
    }
    return wordOf(best);
  }

  static void note(Mismatch& row, const Mismatch& entry) {
    const std::uint64_t count = row.count + 1;
    if (row.count == 0 || entry.j < row.j) row = entry;
    row.count = count;
  }

  const std::size_t n_;
  const Dtype dtype_;
  const double allowed_;
  const Entering<T> entering_;
  const Look<T> look_;
};

template <class T>
Mismatch checkRows(const Graph& graph, const Distances& distances, const std::vector<int>& rows) {
  const ArcCheck<T> check(graph);
  Mismatch all;
  Progress checked("Bellman's equation", rows.size());
  std::vector<int> sources(static_cast<std::size_t>(distances.rowCount()));
  for (std::size_t i = 0; i < sources.size(); ++i)
    sources[i] = distances.source(static_cast<int>(i));
  for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && rows[end] == rows[end - 1] + 1;) ++end;
    distances.rows(rows[begin], rows[end - 1] + 1, [&](int first, int count, const int* words) {
      check.check(sources.data() + first, count, words, all);
      checked.advance(static_cast<std::uint64_t>(count));
    });
  }
  return all;
}

}  // namespace

Verdict verifyByArcs(const Graph& graph, const Distances& distances, int rows,
                     const Device& device) {
  const std::vector<int> drawn = drawRows(distances.rowCount(), rows);
  Verdict verdict{
      within(fmt::format("bellman:{}", drawn.size()), tolerance(graph.n, graph.dtype, 2)), {}};
  const std::vector<int> doubtful = doubtfulByArcs(graph, distances, drawn, device);
  if (doubtful.empty()) return verdict;
  verdict.mismatch = graph.dtype == Dtype::kInt32 ? checkRows<int>(graph, distances, doubtful)
                                                  : checkRows<float>(graph, distances, doubtful);
  return verdict;
}

std::size_t arcsBytes(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.n);
  const auto groups = static_cast<std::size_t>(omp_get_max_threads());
  return graph.edges().size() * 3 * sizeof(int) + n * (12 + kRows * groups) * sizeof(int);
}
