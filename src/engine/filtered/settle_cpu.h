// Relaxation to the fixed point on the CPU, for many targets at once.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "base/size.h"
#include "filtered/arcs.h"

namespace engine {

/// Bytes of a line of the kernel: a vector register of AVX-512. The distances of a vertex fill one
/// or several of them.
inline constexpr int kVectorBytes = 64;

/// Infinity among distances of type T. kFar + kFar does not wrap.
template <class T>
inline constexpr T kFar = kInfinity<T>;
template <>
inline constexpr std::uint16_t kFar<std::uint16_t> = 0x7fff;

/// The type of the weights of a graph whose distances are computed as T: int32 of 16 bits.
template <class T>
using WeightOf = std::conditional_t<std::is_same_v<T, std::uint16_t>, std::int32_t, T>;

/// The distance as a number of another type, which holds it.
template <class To, class T>
To widened(T distance) {
  return distance == kFar<T> ? kInfinity<To> : static_cast<To>(distance);
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
/// Rows of distances, aligned to kVectorBytes.
template <class T>
using DistanceRows = std::unique_ptr<T[], FreeMemory>;

/// Memory for `count` distances, whole vectors of them. Throws Error(kMemory).
template <class T>
DistanceRows<T> makeRows(std::size_t count) {
  DistanceRows<T> rows(static_cast<T*>(std::aligned_alloc(kVectorBytes, count * sizeof(T))));
  if (!rows) throw Error(ErrorCode::kMemory, "out of host memory for rows of distances");
  return rows;
}

/// The vertices whose arcs must be looked at, with a mark for each.
class Agenda {
 public:
  explicit Agenda(int n) : marks_((asSize(n) + kWord - 1) / kWord * kWord) {}

  [[gnu::always_inline]] void add(std::uint32_t vertex) { marks_[vertex] = 1; }

  /// Calls look(vertex) for each marked vertex in ascending order. look() may add vertices: those
  /// behind the present one are looked at in the same sweep, the others in the next one.
  /// Returns whether there was any.
  template <class Look>
  [[gnu::always_inline]] bool sweep(const Look& look) {
    bool any = false;
    for (std::size_t at = 0; at < marks_.size(); at += kWord) {
      std::uint64_t word;
      std::memcpy(&word, &marks_[at], kWord);
      if (word == 0) continue;
      any = true;
      for (std::size_t i = at; i < at + kWord; ++i) {
        if (marks_[i] == 0) continue;
        marks_[i] = 0;
        look(static_cast<std::uint32_t>(i));
      }
    }
    return any;
  }

 private:
  static constexpr std::size_t kWord = 8;  // marks that are looked at together
  std::vector<std::uint8_t> marks_;
};

/// What one settle() did.
struct Settled {
  std::uint64_t looks = 0;  ///< vertices whose arcs were looked at, a vertex several times
  std::uint64_t arcs = 0;   ///< arcs that were looked at
  bool gaveUp = false;      ///< more steps than allowed; the distances are only bounds then
};

/// Lowers distances until d[u][t] ≤ w(u,v) + d[v][t] for all arcs (u → v) and all columns t.
///
/// d: (n, vectors · kVectorBytes / sizeof(T)), aligned to kVectorBytes. Each element is kFar or the
/// length of a walk from u to the target of its column. back: the arcs reversed. agenda: at least
/// every u with an arc to a v whose distances are finite. most: steps allowed, which are arcs
/// looked at and words of the agenda. Weights must fit into a T.
template <class T, int kVectors>
using Settle = Settled (*)(const Arcs<WeightOf<T>>& arcs, const Arcs<WeightOf<T>>& back, T* d,
                           Agenda& agenda, std::uint64_t most);

/// Distances of a row of join(): one vector of 32-bit numbers, or two of 64-bit ones.
inline constexpr int kLanes = kVectorBytes / 4;
/// Vertices that join() takes at once.
inline constexpr int kJoined = 8;

/// Vectors of such a row.
template <class T>
inline constexpr int kRowVectors = kLanes* static_cast<int>(sizeof(T)) / kVectorBytes;

/// The other kernels of one instruction set. T: of the weights.
template <class T>
struct Kernels {
  /// Writes the indices of the weights up to `most`, in their order; returns how many there are.
  int (*select)(const T* weights, int count, T most, std::uint32_t* indices);
  /// least[c][l] = min(least[c][l], weights[i · step + c · stride] + rows[i][l]) over i < count.
  /// rows: (count, kLanes); least: (kJoined, kLanes), aligned to kVectorBytes like rows.
  void (*join)(const T* weights, std::size_t step, std::size_t stride, int count, const T* rows,
               T* least);
};

/// Those of the instruction set, as findSettle() takes it.
template <class T>
Kernels<T> findKernels(const std::string& simd);

/// settle() for the instruction set "avx512", "avx2", "portable", or "" for this machine's widest.
/// There is one for uint16_t and every type of weights with 4 vectors, and for these with
/// kRowVectors<T>. Throws Error(kUsage).
template <class T, int kVectors>
Settle<T, kVectors> findSettle(const std::string& simd);

}  // namespace engine
