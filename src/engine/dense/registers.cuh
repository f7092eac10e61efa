// A solver for small int32 matrices, whose rounds wait for latencies and not for arithmetic. The
// whole matrix stays in the registers of 128 blocks, which all run at the same time.
//
// How the matrix is spread. A group is 4 rows or 4 columns. Block (r, c), r < 4 and c < 32, owns
// the row groups i ≡ r (mod 4) and the column groups j ≡ c (mod 32), at most 256 rows × 32 columns.
// A thread of the rest holds 4 × 4 weights. So the next pivot vertices are spread over many blocks.
//
// A round takes 32 pivot vertices. Every block gets three raw pieces of memory: the pivot P, its 32
// columns of the row panel R, and its 256 rows of the column panel L. It closes P itself, which
// gives D*, and computes R* = min(R, D* ⊗ R) itself. Then all its weights x become
// min(x, L ⊗ R*). Pivot rows and columns are no special case, because min(P, P ⊗ D*) = D*. The
// blocks repeat work, but no block waits for a result of another within a round: only raw panels
// are published, once a round, and as soon as their weights are final, before the rest of the block
// is updated.
//
// What is published. A panel has one place in a ring of five. A weight has 30 bits. The two upper
// bits of a published word are the tag of its panel: how often its place was used before, mod 4. A
// reader polls the words themselves until all have the tag. This needs no flag and no fence,
// because every word carries its own proof: nothing else is read on the strength of it. For the
// same reason, a store of four words need not be atomic as a whole. At the start, all words have
// the tag 3.
//
// Three roles share a block, each a group of warps:
//
//     rest      16 warps: R*, the panels of the next round, the rest
//     loaders    8 warps: poll R and L, and store them in shared memory
//     closers    8 warps: poll P, close it, and publish the block's weights of the next pivot.
//                These need only 4 columns of R*, so the next P is under way before R* is there
//
// They meet once a round, at barrier A. Before A(q), D*, R and L of round q are in shared memory,
// and the rest has done round q − 1. Arrays that are written before A(q) and read after it are
// there twice. The next writer of the same half comes after A(q + 1), where its readers have been.
//
// Why nobody overwrites what is still read. A block publishes panel q + 1 after A(q), so it has
// seen the whole pivot q. That came from all blocks of 8 block columns, after their A(q − 1). These
// had seen pivot q − 1, from the 8 block columns before, and so on. Each block is among the last
// four eights, so it has passed A(q − 4) at least, and has read all panels up to q − 4. Panel q + 1
// replaces panel q − 4.
//
// Why it always advances. A cooperative launch makes all blocks resident. A wait of round q is for
// panel q, which is published in round q − 1 and waits for nothing of round q.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "apsp.h"
#include "base/size.h"
#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "dense/schedule.cuh"
#include "dense/workspace.h"

namespace engine::registers {

using dense::kBlockColumns, dense::kBlockRows, dense::kOwnColumns, dense::kOwnRows, dense::kPivots;
using dense::kPlaces, dense::Panel;

constexpr int kRest = 512, kLoaders = 256, kClosers = 256;  // threads of a block
constexpr int kAllThreads = kRest + kLoaders + kClosers, kBlocks = kBlockRows * kBlockColumns;
constexpr int kColumnGroups = kOwnColumns / 4;
constexpr int kOwners = kPivots / 4;                // block columns that own a column panel
constexpr int kPanelGroups = kOwners / kBlockRows;  // row groups of a row panel that a block owns
constexpr int kValue = kInf;                        // the bits of a word that are no tag

/// What a block shares. Rows are padded so that neighbouring rows start in different banks.
struct Shared {
  int left[2][kPivots][kOwnRows + 8];                 ///< L, transposed: (pivot, row)
  int raw[2][kPivots][kOwnColumns + 8];               ///< R
  int closed[2][kPivots][kPivots + 4];                ///< D*, transposed
  int nextRow[2][4 * kPanelGroups][kOwnColumns + 8];  ///< the next row panel before this round
  int nextColumn[2][4][kOwnRows + 8];  ///< the next column panel before this round, transposed
  int star[kPivots][kOwnColumns + 8];  ///< R*
  int nextStar[kPivots][4];            ///< R* in the columns of the next pivot
  int pivotRows[2][4][kPivots];        ///< the rows that are closed at present
};

struct Params {
  int n;
  bool vectors;  ///< every row starts at a multiple of 16 bytes
  int* matrix;   ///< (n, n)
  Panel* ring;   ///< (kPlaces), all bits set
};

// ---- the instructions

/// A barrier counts warps, so the lanes of each must have come together.
__device__ inline void syncSome(int barrier, int threads) {
  __syncwarp();
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
/// Barrier A, to which the three roles come from different places of the program.
__device__ inline void meet() {
  syncSome(3, kAllThreads);
}
__device__ inline int loadRelaxed(const int* from) {
  int v;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
  return v;
}
__device__ inline int4 loadRelaxed4(const int* from) {
  int4 v;
  asm volatile("ld.relaxed.gpu.global.v4.s32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from)
               : "memory");
  return v;
}
__device__ inline void storeRelaxed(int* to, int v) {
  asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
}
__device__ inline void storeRelaxed4(int* to, int4 v) {
  asm volatile("st.relaxed.gpu.global.v4.s32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w)
               : "memory");
}

// ---- small parts

__device__ inline int least(int c, int a, int b) {
  return min(a + b, c);
}
__device__ inline int4& four(int* at) {
  return *reinterpret_cast<int4*>(at);
}
__device__ inline int shuffled(int v, int lane) {
  return __shfl_sync(0xffffffffu, v, lane);
}
__device__ inline int exchanged(int v, int mask) {
  return __shfl_xor_sync(0xffffffffu, v, mask);
}
/// Any int as a weight: no input can have the bits of a tag.
__device__ inline int weight(int v) {
  return static_cast<int>(min(static_cast<unsigned>(v), static_cast<unsigned>(kInf)));
}

/// The tag of a panel, in its place.
struct Tag {
  int bits;
  __device__ explicit Tag(int q) : bits(static_cast<int>(unsigned(q / kPlaces % 4) << 30)) {}
  __device__ bool on(int v) const { return ((v ^ bits) & ~kValue) == 0; }
  __device__ bool on(int4 v) const {
    return (((v.x ^ bits) | (v.y ^ bits) | (v.z ^ bits) | (v.w ^ bits)) & ~kValue) == 0;
  }
  __device__ void store(int* to, int4 v) const {
    storeRelaxed4(to, make_int4(v.x | bits, v.y | bits, v.z | bits, v.w | bits));
  }
  __device__ void store(int* to, int v) const { storeRelaxed(to, v | bits); }
};
__device__ inline int4 untagged(int4 v) {
  return make_int4(v.x & kValue, v.y & kValue, v.z & kValue, v.w & kValue);
}

/// x[i][j] = min(x[i][j], a[i] + b[j]).
__device__ inline void multiply(int (&x)[4][4], int4 a, int4 b) {
  const int rows[4] = {a.x, a.y, a.z, a.w}, columns[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) x[i][j] = least(x[i][j], rows[i], columns[j]);
}
__device__ inline void setAll(int (&x)[4][4], int value) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) x[i][j] = value;
}

/// The minimum of the tiles of four neighbouring lanes; lane `part` of them gets row
/// rowOf(part). part: 0 … 3.
__device__ inline int rowOf(int part) {
  return 2 * (part & 1) + (part >> 1);
}
__device__ inline int4 reduceToRow(const int (&x)[4][4], int part) {
  const bool low = part & 1, high = part & 2;
  int y[2][4], z[4];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      y[i][j] = min(low ? x[2 + i][j] : x[i][j], exchanged(low ? x[i][j] : x[2 + i][j], 1));
#pragma unroll
  for (int j = 0; j < 4; ++j)
    z[j] = min(high ? y[1][j] : y[0][j], exchanged(high ? y[0][j] : y[1][j], 2));
  return make_int4(z[0], z[1], z[2], z[3]);
}

/// One row of a 4 × 4 tile of a product of transposed a, (32, lda), and b, (32, ldb). Four
/// neighbouring lanes share the pivots.
__device__ inline int4 tileRow(int* a, int lda, int* b, int ldb, int part) {
  int x[4][4];
  setAll(x, kInf);
#pragma unroll
  for (int k = part; k < kPivots + part; k += 4) multiply(x, four(a + k * lda), four(b + k * ldb));
  return reduceToRow(x, part);
}

/// The same for one weight of the tile, (rowOf(part % 4), rowOf(part / 4)), by 16 neighbouring
/// lanes: fewer steps one after the other.
__device__ inline int tileWeight(int* a, int lda, int* b, int ldb, int part) {
  int x[4][4];
  setAll(x, kInf);
#pragma unroll
  for (int k = part; k < kPivots + part; k += 16) multiply(x, four(a + k * lda), four(b + k * ldb));
  const int4 row = reduceToRow(x, part & 3);
  const bool low = part & 4, high = part & 8;
  const int y0 = min(low ? row.z : row.x, exchanged(low ? row.x : row.z, 4));
  const int y1 = min(low ? row.w : row.y, exchanged(low ? row.y : row.w, 4));
  return min(high ? y1 : y0, exchanged(high ? y0 : y1, 8));
}

constexpr int kLeft = kOwnRows + 8, kRight = kOwnColumns + 8, kClosed = kPivots + 4;  // row lengths

/// What a block knows of round q and of the panel after it.
struct Round {
  int next, half;
  bool more;        ///< there is a panel after this one
  int firstRow;     ///< the block's first row group of it
  int columnGroup;  ///< the block's column group of it,
  int which;        ///< and the group's index in the panel,
  bool columns;     ///< if it has one
  __device__ Round(int q, int panels, int c)
      : next(q + 1),
        half(q & 1),
        more(next < panels),
        firstRow(kPanelGroups * next),
        columnGroup(kOwners * next / kBlockColumns),
        which(c - kOwners * next % kBlockColumns),
        columns(which >= 0 && which < kOwners) {}
};

struct Block {
  const Params& p;
  Shared& s;
  int r, c, panels;

  __device__ Panel& place(int q) const { return p.ring[q % kPlaces]; }

  // ---- the rest: thread t holds row group t / 8 and column group t % 8

  __device__ int* element(int t, int i) const {
    const int row = (t / kColumnGroups * kBlockRows + r) * 4 + i;
    const int column = (t % kColumnGroups * kBlockColumns + c) * 4;
    return row < p.n && column < p.n ? p.matrix + asSize(row) * p.n + column
                                     : nullptr;
  }
  __device__ int columnsLeft(int t) const {
    return p.n - (t % kColumnGroups * kBlockColumns + c) * 4;
  }

  __device__ void load(int t, int (&x)[4][4]) const {
    setAll(x, kInf);
    const int left = columnsLeft(t);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      int* const from = element(t, i);
      if (from == nullptr) continue;
      int4 v = make_int4(kInf, kInf, kInf, kInf);
      if (p.vectors) {
        v = four(from);
      } else {
        v.x = from[0];
        if (left > 1) v.y = from[1];
        if (left > 2) v.z = from[2];
        if (left > 3) v.w = from[3];
      }
      x[i][0] = weight(v.x), x[i][1] = weight(v.y), x[i][2] = weight(v.z), x[i][3] = weight(v.w);
    }
  }

  __device__ void store(int t, const int (&x)[4][4]) const {
    const int left = columnsLeft(t);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      int* const to = element(t, i);
      if (to == nullptr) continue;
      if (p.vectors) {
        four(to) = make_int4(x[i][0], x[i][1], x[i][2], x[i][3]);
        continue;
      }
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (j < left) to[j] = x[i][j];
    }
  }

  /// Panel 0 is published as it is.
  __device__ void publishFirst(int t, const int (&x)[4][4]) const {
    const Tag tag(0);
    Panel& to = place(0);
    const int rowGroup = t / kColumnGroups, columnGroup = t % kColumnGroups;
    const bool columns = c < kOwners && columnGroup == 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int k = 4 * (4 * rowGroup + r) + i;
      const int4 row = make_int4(x[i][0], x[i][1], x[i][2], x[i][3]);
      if (rowGroup < kPanelGroups) tag.store(&to.rows[c][k][4 * columnGroup], row);
      if (rowGroup < kPanelGroups && columns) tag.store(&to.pivot[k][4 * c], row);
      if (columns)
        tag.store(&to.columns[r][4 * c + i][4 * rowGroup],
                  make_int4(x[0][i], x[1][i], x[2][i], x[3][i]));
    }
  }

  /// Shows the weights of the next panels to all threads of the block.
  __device__ void show(int t, const int (&x)[4][4], const Round& round) const {
    const int rowGroup = t / kColumnGroups, columnGroup = t % kColumnGroups;
    const int row = rowGroup - round.firstRow;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (row >= 0 && row < kPanelGroups)
        four(&s.nextRow[round.half][4 * row + i][4 * columnGroup]) =
            make_int4(x[i][0], x[i][1], x[i][2], x[i][3]);
      if (round.columns && columnGroup == round.columnGroup)
        four(&s.nextColumn[round.half][i][4 * rowGroup]) =
            make_int4(x[0][i], x[1][i], x[2][i], x[3][i]);
    }
  }

  /// R* = D* ⊗ R by the first half of the warps, four lanes a tile. R itself takes part
  /// too: the diagonal of D* need not be 0.
  __device__ void multiplyRow(int t, int half) const {
    constexpr int kThreadsNeeded = kPivots * kColumnGroups;
    if (t >= kThreadsNeeded) return;
    const int row = t / 4 / kColumnGroups, column = t / 4 % kColumnGroups, part = t % 4;
    const int4 v =
        tileRow(&s.closed[half][0][4 * row], kClosed, &s.raw[half][0][4 * column], kRight, part);
    const int k = 4 * row + rowOf(part);
    const int4 old = four(&s.raw[half][k][4 * column]);
    four(&s.star[k][4 * column]) =
        make_int4(min(v.x, old.x), min(v.y, old.y), min(v.z, old.z), min(v.w, old.w));
  }

  /// The next row panel by the first half of the warps, 16 lanes a tile; the next column panel by
  /// the others, four lanes a tile.
  __device__ void publishNext(int t, const Round& round) const {
    const Tag tag(round.next);
    Panel& to = place(round.next);
    int(*const left)[kLeft] = s.left[round.half];
    delay();
    if (t < kRest / 2) {
      const int row = t / 16 / kColumnGroups, column = t / 16 % kColumnGroups, part = t % 16;
      const int i = rowOf(part % 4), j = 4 * column + rowOf(part / 4);
      const int v = tileWeight(&left[0][4 * (round.firstRow + row)], kLeft, &s.star[0][4 * column],
                               kRight, part);
      tag.store(&to.rows[c][4 * (4 * row + r) + i][j],
                min(v, s.nextRow[round.half][4 * row + i][j]));
    } else if (round.columns) {
      const int group = (t - kRest / 2) / 4, part = t % 4, k = rowOf(part);
      const int4 v =
          tileRow(&s.star[0][4 * round.columnGroup], kRight, &left[0][4 * group], kLeft, part);
      const int4 old = four(&s.nextColumn[round.half][k][4 * group]);
      tag.store(&to.columns[r][4 * round.which + k][4 * group],
                make_int4(min(v.x, old.x), min(v.y, old.y), min(v.z, old.z), min(v.w, old.w)));
    }
  }

  __device__ void rest(int t) const {
    int x[4][4];
    load(t, x);
    publishFirst(t, x);
    for (int q = 0; q < panels; ++q) {
      const Round round(q, panels, c);
      if (round.more) show(t, x, round);
      meet();  // A: all pieces of round q are there, and round q − 1 is done
      multiplyRow(t, round.half);
      syncSome(1, kRest);  // R* is there
      if (round.more) publishNext(t, round);
      // Vertices of the last panel beyond n have no edges.
      const int count = min(kPivots, (p.n - q * kPivots + 7) / 8 * 8);
      int* left = &s.left[round.half][0][4 * (t / kColumnGroups)];
      int* right = &s.star[0][4 * (t % kColumnGroups)];
#pragma unroll 4
      for (int k = 0; k < count; ++k, left += kLeft, right += kRight)
        multiply(x, four(left), four(right));
    }
    store(t, x);
  }

  // ---- closers: warp w holds rows 4 w … 4 w + 3 of the pivot, a lane one column

  /// Steps 4 w … 4 w + 3 of Floyd–Warshall among the warp's own rows, two of them a turn. m[i][f]
  /// is the weight from row i to pivot f of the turn.
  __device__ static void closeOwn(int (&a)[4], int w) {
#pragma unroll
    for (int e = 0; e < 4; e += 2) {
      int m[4][2];
#pragma unroll
      for (int f = 0; f < 2; ++f)
#pragma unroll
        for (int i = 0; i < 4; ++i) m[i][f] = shuffled(a[i], 4 * w + e + f);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (i == e) continue;
        m[i][1] = least(m[i][1], m[i][0], m[e][1]);
        a[i] = least(a[i], m[i][0], a[e]);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (i != e + 1) a[i] = least(a[i], m[i][1], a[e + 1]);
    }
  }

  /// Closes the pivot: Floyd–Warshall by four rows at a time.
  __device__ void close(int (&a)[4], int w, int lane) const {
#pragma unroll 1
    for (int b = 0; b < kPivots / 4; ++b) {
      int(*const rows)[kPivots] = s.pivotRows[b & 1];
      int m[4][4];
      if (w == b) {
        closeOwn(a, w);
#pragma unroll
        for (int i = 0; i < 4; ++i) rows[i][lane] = a[i];
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
          for (int i = 0; i < 4; ++i) m[e][i] = shuffled(a[i], 4 * b + e);
      }
      syncSome(2, kClosers);  // the rows are there; those of b − 1 have been read
      if (w == b) continue;
#pragma unroll
      for (int e = 0; e < 4; ++e)
#pragma unroll
        for (int i = 0; i < 4; ++i) a[i] = least(a[i], m[e][i], rows[e][lane]);
    }
  }

  /// The block's weights of the next pivot: D* ⊗ R in their columns, then their own update.
  __device__ void publishPivot(int w, int lane, const Round& round) const {
    const int part = lane % 16, item = 2 * w + lane / 16, i = rowOf(part % 4), j = rowOf(part / 4);
    const int column = 4 * round.columnGroup;
    if (item < kPivots / 4) {
      const int v = tileWeight(&s.closed[round.half][0][4 * item], kClosed,
                               &s.raw[round.half][0][column], kRight, part);
      s.nextStar[4 * item + i][j] = min(v, s.raw[round.half][4 * item + i][column + j]);
    }
    syncSome(2, kClosers);  // nextStar is there; it is read before the next A
    delay();
    if (item >= kPanelGroups) return;
    const int v = tileWeight(&s.left[round.half][0][4 * (round.firstRow + item)], kLeft,
                             &s.nextStar[0][0], 4, part);
    Tag(round.next)
        .store(&place(round.next).pivot[4 * (4 * item + r) + i][4 * round.which + j],
               min(v, s.nextRow[round.half][4 * item + i][column + j]));
  }

  __device__ void closers(int t) const {
    const int w = t / 32, lane = t % 32;
    for (int q = 0; q < panels; ++q) {
      const Tag tag(q);
      int a[4];
      bool there;
      do {
        there = true;
#pragma unroll
        for (int i = 0; i < 4; ++i) a[i] = loadRelaxed(&place(q).pivot[4 * w + i][lane]);
#pragma unroll
        for (int i = 0; i < 4; ++i) there &= tag.on(a[i]);
      } while (!there);
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] &= kValue;
      __syncwarp();
      close(a, w, lane);
      four(&s.closed[q & 1][lane][4 * w]) = make_int4(a[0], a[1], a[2], a[3]);
      meet();  // A
      const Round round(q, panels, c);
      if (round.more && round.columns) publishPivot(w, lane, round);
      __syncwarp();
    }
  }

  // ---- loaders: all loads of a thread are in flight together, and again those that came too early

  __device__ void loaders(int t) const {
    constexpr int kFours = kOwnRows / 4, kEach = kPivots * kFours / kLoaders;
    static_assert(kPivots * kColumnGroups == kLoaders, "a loader has one int4 of R");
    for (int q = 0; q < panels; ++q) {
      const Tag tag(q);
      const int* const columns = &place(q).columns[r][0][0] + 4 * t;
      const int* const row = &place(q).rows[c][0][0] + 4 * t;
      while (!tag.on(loadRelaxed4(columns))) {
      }
      int4 v[kEach + 1];
      bool there = false;
#pragma unroll
      for (int x = 0; x <= kEach; ++x) v[x] = make_int4(~tag.bits, ~tag.bits, ~tag.bits, ~tag.bits);
      while (!there) {
        there = true;
#pragma unroll
        for (int x = 0; x <= kEach; ++x)
          if (!tag.on(v[x])) v[x] = loadRelaxed4(x < kEach ? columns + 4 * x * kLoaders : row);
#pragma unroll
        for (int x = 0; x <= kEach; ++x) there &= tag.on(v[x]);
      }
      delay();
#pragma unroll
      for (int x = 0; x < kEach; ++x) {
        const int i = t + x * kLoaders;
        four(&s.left[q & 1][i / kFours][4 * (i % kFours)]) = untagged(v[x]);
      }
      four(&s.raw[q & 1][t / kColumnGroups][4 * (t % kColumnGroups)]) = untagged(v[kEach]);
      meet();  // A
    }
  }
};

__global__ void __launch_bounds__(kAllThreads, 1) solveInRegisters(const Params params) {
#if __CUDA_ARCH__ >= 800  // where solve() launches it
  extern __shared__ int4 memory[];
  const int t = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const Block work{params, *reinterpret_cast<Shared*>(memory), block % kBlockRows,
                   block / kBlockRows, ceilDiv(params.n, kPivots)};
  if (t < kRest)
    work.rest(t);
  else if (t < kRest + kLoaders)
    work.loaders(t - kRest);
  else
    work.closers(t - kRest - kLoaders);
#endif
}

/// Solves a graph, (n, n), in place. Returns false, and has done nothing, if the GPU cannot hold
/// all blocks at once or has no memory for the ring.
inline bool solve(const Gpu& gpu, int n, int* graph, cudaStream_t stream) {
  constexpr int kShared = sizeof(Shared);
  // The kernel has a body from compute capability 8.0 on.
  if (gpu.major < 8 || gpu.shared < kShared || gpu.processors < kBlocks) return false;
  CHECK_CUDA(
      cudaFuncSetAttribute(solveInRegisters, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  int resident = 0;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, solveInRegisters, kAllThreads,
                                                           kShared));
  if (resident == 0) return false;
  const DeviceBuffer ring(kPlaces * sizeof(Panel), stream);
  if (!ring) return false;
  CHECK_CUDA(cudaMemsetAsync(ring.at<void>(0), 0xff, kPlaces * sizeof(Panel), stream));
  const bool vectors = reinterpret_cast<std::uintptr_t>(graph) % sizeof(int4) == 0 && n % 4 == 0;
  Params params{n, vectors, graph, ring.at<Panel>(0)};
  void* arguments[] = {&params};
  const cudaError_t status =
      cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(solveInRegisters), dim3(kBlocks),
                                  dim3(kAllThreads), arguments, kShared, stream);
  if (status == cudaErrorCooperativeLaunchTooLarge) {  // this process may use a part of the GPU
    cudaGetLastError();
    return false;
  }
  CHECK_CUDA(status);
  return true;
}

}  // namespace engine::registers
