// All-pairs shortest paths on the CPU: blocked Floyd–Warshall in three phases a round, nearly all
// of it in one min-plus micro kernel whose accumulators stay in registers.
//
// The plain triple loop reads and writes the whole matrix once per pivot. That is two loads and a
// store for every relaxation (one addition, one minimum). The blocked algorithm takes kTile pivots
// a round (Venkataraman, Sahni and Mukhopadhyaya, "A blocked all-pairs shortest-paths algorithm",
// ACM JEA 8, 2003). In the round of the pivot block p:
//
//   1. the pivot tile d[p][p] is closed: D* holds the shortest walks within the pivot block;
//   2. row panel    d[p][j] = min(d[p][j], D* ⊗ d[p][j]),
//      column panel d[i][p] = min(d[i][p], d[i][p] ⊗ D*);
//   3. the rest     d[i][j] = min(d[i][j], d[i][p] ⊗ d[p][j]).
//
// Every d[·][·] is a tile, and (A ⊗ B)[i][j] = min over k of A[i][k] + B[k][j] is the min-plus
// product. Phase 3 is all but O(1/tiles) of the work. Like a matrix product it can keep a block of
// C in registers while k runs. This is the register blocking of Goto and van de Geijn ("Anatomy of
// high-performance matrix multiplication", ACM TOMS 34, 2008), with (min, +) in place of (+, ×).
//
// In place. Phases 1 and 2 read tiles while they write them. This is safe because an element only
// falls, and always to the length of some walk i→j. Therefore a newer value in place of an old one
// makes the result no larger, and never smaller than the distance. For the same reason a relaxation
// too many (of padding, or of a row twice) does no harm. A missing relaxation is wrong. So is a
// pivot tile that is squared instead of closed.
//
// Layout. The matrix is copied into contiguous kTile×kTile tiles, one column of tiles after the
// other. It is padded with infinity to whole tiles, so no loop has a remainder. A sum with a padded
// element is at least infinity and therefore lowers nothing; the sum of two infinities fits the
// type. While phase 3 walks down a column of tiles, one tile of B (16 KiB) stays in L1 and the
// column panel (256 n bytes) in L2. C and A are two sequential streams, with 64 relaxations for
// each element of C. Tiles of 64-bit numbers take twice the bytes. The micro kernel then walks down
// half of B's columns at a time, which are 16 KiB again.
//
// Threads. The phases of all rounds form one list for base/thread_team.h; a task is one tile.
//
// Peak. A vector of relaxations takes one addition and one minimum, because no instruction does
// both. On Intel since Skylake-X a 512-bit minimum issues on port 0 only, and the addition goes to
// port 5: one vector, or 16 relaxations, per cycle. With 256 bits three ports share the two
// operations: 12 relaxations per cycle. The loads, broadcasts and the loop fit into the other
// slots. Of 64-bit numbers, a vector holds half as many; and 256 bits have no minimum of int64, so
// a comparison and a blend take its place.
#include "dense/blocked_cpu.h"

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/graph.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "dense/min_plus_cpu.h"

namespace engine {

namespace {

using tiles::close;
using tiles::findRelax;
using tiles::kTile;
using tiles::Relax;

/// The matrix as padded tiles: see "Layout" above.
template <class T>
class Tiles {
 public:
  explicit Tiles(int n) : n_(n), count_((n + kTile - 1) / kTile) {
    // One tile more, because the prefetch runs past the last one.
    const std::size_t bytes = (asSize(count_) * count_ + 1) * kTile * kTile * sizeof(T);
    requireHostBytes(bytes, "the CPU solver's tiles");
    data_.reset(static_cast<T*>(std::aligned_alloc(kTile, bytes)));
    if (!data_) throw Error(ErrorCode::kMemory, "out of host memory for the CPU solver's tiles");
  }

  int count() const { return count_; }
  /// Rows (or columns) of tile row (or column) i that are not padding.
  int extent(int i) const { return std::min(kTile, n_ - i * kTile); }
  T* tile(int i, int j) const { return data_.get() + (asSize(j) * count_ + i) * kTile * kTile; }

  /// Copies tile row i from the matrix.
  void load(int i, const T* graph) {
    for (int j = 0; j < count_; ++j) {
      T* const to = tile(i, j);
      std::fill_n(to, kTile * kTile, kInfinity<T>);
      for (int r = 0; r < extent(i); ++r) {
        std::copy_n(graph + offset(i, j, r), extent(j), to + r * kTile);
      }
    }
  }

  /// Copies tile row i to the matrix.
  void store(int i, T* graph) const {
    for (int j = 0; j < count_; ++j) {
      for (int r = 0; r < extent(i); ++r) {
        std::copy_n(tile(i, j) + r * kTile, extent(j), graph + offset(i, j, r));
      }
    }
  }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };

  /// Where row r of tile (i, j) begins in the row-major matrix.
  std::size_t offset(int i, int j, int r) const {
    return (asSize(i) * kTile + r) * n_ + asSize(j) * kTile;
  }

  int n_, count_;
  std::unique_ptr<T[], Free> data_;
};

template <class T>
void solve(Relax<T> relax, int n, T* graph) {
  Tiles<T> d(n);
  const int count = d.count();
  Progress rounds("", static_cast<std::uint64_t>(count));
  std::vector<Phase> phases;
  phases.push_back({count, [&](int i) { d.load(i, graph); }});
  phases.push_back({1, [&](int) { close(relax, d.extent(0), d.tile(0, 0)); }});
  for (int p = 0; p < count; ++p) {
    phases.push_back({2 * (count - 1), [&, p](int task) {  // both panels
                        const int i = (p + 1 + task / 2) % count, depth = d.extent(p);
                        const T* const pivot = d.tile(p, p);
                        if (task == 0 && p > 0) rounds.advance();  // the round before is complete
                        if (task % 2 == 0) {
                          relax(depth, d.extent(i), depth, d.tile(p, i), pivot, d.tile(p, i));
                        } else {
                          relax(d.extent(i), depth, depth, d.tile(i, p), d.tile(i, p), pivot);
                        }
                      }});
    // Task 0 is the next pivot tile. No other task of this round reads it. Therefore it is closed
    // at once, while the other threads do the rest.
    phases.push_back({(count - 1) * (count - 1), [&, p](int task) {
                        const int i = (p + 1 + task % (count - 1)) % count;
                        const int j = (p + 1 + task / (count - 1)) % count;
                        relax(d.extent(i), d.extent(j), d.extent(p), d.tile(i, j), d.tile(i, p),
                              d.tile(p, j));
                        if (task == 0) close(relax, d.extent(i), d.tile(i, i));
                      }});
  }
  phases.push_back({count, [&](int i) { d.store(i, graph); }});
  runPhases(std::move(phases), count > 1 ? omp_get_max_threads() : 1);
}

}  // namespace

void apspCpu(int n, Elements graph) {
  apspCpuWith("", n, graph);
}

void apspCpuWith(const std::string& simd, int n, Elements graph) {
  withElements(graph, [&](auto* numbers) {
    const Relax<NumberAt<decltype(numbers)>> relax = findRelax<NumberAt<decltype(numbers)>>(simd);
    if (n > 1) solve(relax, n, numbers);
  });
}

}  // namespace engine
