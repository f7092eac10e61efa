// Bellman and Ford's relaxation, label correcting, with a vector of targets.
//
// d[u][t] is the length of the shortest walk from u to target t that is known so far. Looking at
// the vertex u means d[u][t] = min(d[u][t], w(u,v) + d[v][t]) over its arcs (u → v), for all
// targets of the block at once. If that lowers any of them, every vertex with an arc to u must be
// looked at (again). When none is left, all Bellman equations hold, and no distance can be too
// large: follow a shortest path from its end. None is ever too small, because each is the length of
// a walk. Therefore the result does not depend on the order of the looks.
//
// A block's rows are kLines lines of 64 bytes: 128 targets of 16 bits, or 32 of 64 bits. Their
// accumulators stay in registers while the arcs of u go by. An arc then costs a load, an addition
// and a minimum for each vector, and nothing is scattered. The block, n rows, should fit into the
// L2 cache, where the rows of the heads are found in no order.
//
// Wide blocks look at a vertex more often than each of their targets needs, because it takes one of
// them that falls. Narrow blocks pay for every look: a mispredicted branch at the end of each list,
// and the reversed arcs that it adds to the agenda.
#include "filtered/settle_cpu.h"

#include "base/error.h"
#include "base/size.h"
#include "device/simd.h"

namespace engine {

namespace {

/// The body of every settle(). The compiler chooses the instructions by the target of the function
/// that this is inlined into (GCC's vector extension). kBytes: of a vector register of the target;
/// GCC would move wider vectors through memory, and compare their elements one by one.
template <int kBytes, class T, int kLines>
[[gnu::always_inline]] inline Settled settleBody(const Arcs<WeightOf<T>>& arcs,
                                                 const Arcs<WeightOf<T>>& back, T* d,
                                                 Agenda& agenda, std::uint64_t most) {
  typedef T Vec __attribute__((vector_size(kBytes), may_alias));
  using Word = std::conditional_t<(kBytes > 0), std::uint64_t, T>;  // GCC wants a dependent type
  typedef Word Bits __attribute__((vector_size(kBytes), may_alias));
  constexpr int kVectors = kLines * kVectorBytes / kBytes;
  Vec* const rows = reinterpret_cast<Vec*>(d);
  Settled done;
  const auto look = [&](std::uint32_t u) __attribute__((always_inline)) {
    Vec* const row = rows + asSize(u) * kVectors;
    Vec least[kVectors];
    for (int i = 0; i < kVectors; ++i) least[i] = row[i];
    const auto* const begin = arcs.begin(static_cast<int>(u));
    const auto* const end = arcs.end(static_cast<int>(u));
    for (const auto* arc = begin; arc != end; ++arc) {
      const Vec* const head = rows + asSize(arc->head) * kVectors;
      const T weight = static_cast<T>(arc->weight);
      for (int i = 0; i < kVectors; ++i) {
        const Vec sum = head[i] + weight;
        least[i] = sum < least[i] ? sum : least[i];
      }
    }
    ++done.looks;
    done.arcs += static_cast<std::uint64_t>(end - begin);
    Bits changes = {};
    for (int i = 0; i < kVectors; ++i) changes |= (Bits)least[i] ^ (Bits)row[i];
    Word any = 0;
    for (std::size_t i = 0; i < kBytes / sizeof any; ++i) any |= changes[i];
    if (any == 0) return;
    for (int i = 0; i < kVectors; ++i) row[i] = least[i];
    const auto* const last = back.end(static_cast<int>(u));
    for (const auto* arc = back.begin(static_cast<int>(u)); arc != last; ++arc)
      agenda.add(arc->head);
  };
  const auto n = static_cast<std::uint64_t>(arcs.vertices());
  for (std::uint64_t steps = 0; agenda.sweep(look); steps += n / 8) {
    if (done.arcs + steps <= most) continue;
    done.gaveUp = true;
    break;
  }
  return done;
}

template <class T>
[[gnu::always_inline]] inline int selectBody(const T* weights, int count, T most,
                                             std::uint32_t* indices) {
  constexpr int kChunk = 32;  // of most chunks, few comparisons tell that nothing is light
  int found = 0;
  const auto take = [&](int i) {
    indices[found] = static_cast<std::uint32_t>(i);  // stays only if the weight is light
    found += weights[i] <= most;
  };
  int i = 0;
  for (; i + kChunk <= count; i += kChunk) {
    int any = 0;
    for (int k = 0; k < kChunk; ++k) any |= weights[i + k] <= most;
    if (any != 0)
      for (int k = 0; k < kChunk; ++k) take(i + k);
  }
  for (; i < count; ++i) take(i);
  return found;
}

/// kAtOnce: vectors of a row whose sums stay in registers.
template <int kBytes, int kAtOnce, class T>
[[gnu::always_inline]] inline void joinBody(const T* weights, std::size_t step, std::size_t stride,
                                            int count, const T* rows, T* least) {
  typedef T Vec __attribute__((vector_size(kBytes), may_alias));
  constexpr int kInRow = kRowVectors<T> * kVectorBytes / kBytes;
  static_assert(kInRow % kAtOnce == 0);
  for (int first = 0; first < kInRow; first += kAtOnce) {
    Vec* const out = reinterpret_cast<Vec*>(least) + first;
    const Vec* const others = reinterpret_cast<const Vec*>(rows) + first;
    Vec sums[kJoined][kAtOnce];
    for (int c = 0; c < kJoined; ++c)
      for (int v = 0; v < kAtOnce; ++v) sums[c][v] = out[c * kInRow + v];
    for (int i = 0; i < count; ++i) {
      const Vec* const other = others + i * kInRow;
      for (int c = 0; c < kJoined; ++c) {
        const T weight = weights[i * step + c * stride];
        for (int v = 0; v < kAtOnce; ++v) {
          const Vec sum = other[v] + weight;
          sums[c][v] = sum < sums[c][v] ? sum : sums[c][v];
        }
      }
    }
    for (int c = 0; c < kJoined; ++c)
      for (int v = 0; v < kAtOnce; ++v) out[c * kInRow + v] = sums[c][v];
  }
}

#if defined(__x86_64__)
template <class T, int kLines>
[[gnu::target("avx512f,avx512bw")]] Settled settleAvx512(const Arcs<WeightOf<T>>& arcs,
                                                         const Arcs<WeightOf<T>>& back, T* d,
                                                         Agenda& agenda, std::uint64_t most) {
  return settleBody<64, T, kLines>(arcs, back, d, agenda, most);
}
template <class T, int kLines>
[[gnu::target("avx2")]] Settled settleAvx2(const Arcs<WeightOf<T>>& arcs,
                                           const Arcs<WeightOf<T>>& back, T* d, Agenda& agenda,
                                           std::uint64_t most) {
  return settleBody<32, T, kLines>(arcs, back, d, agenda, most);
}
template <class T>
[[gnu::target("avx512f,avx512bw")]] int selectAvx512(const T* weights, int count, T most,
                                                     std::uint32_t* indices) {
  return selectBody(weights, count, most, indices);
}
template <class T>
[[gnu::target("avx2")]] int selectAvx2(const T* weights, int count, T most,
                                       std::uint32_t* indices) {
  return selectBody(weights, count, most, indices);
}
template <class T>
[[gnu::target("avx512f,avx512bw")]] void joinAvx512(const T* weights, std::size_t step,
                                                    std::size_t stride, int count, const T* rows,
                                                    T* least) {
  joinBody<64, kRowVectors<T>>(weights, step, stride, count, rows, least);
}
template <class T>
[[gnu::target("avx2")]] void joinAvx2(const T* weights, std::size_t step, std::size_t stride,
                                      int count, const T* rows, T* least) {
  joinBody<32, 1>(weights, step, stride, count, rows, least);
}
#endif
template <class T>
int selectPortable(const T* weights, int count, T most, std::uint32_t* indices) {
  return selectBody(weights, count, most, indices);
}
template <class T>
void joinPortable(const T* weights, std::size_t step, std::size_t stride, int count, const T* rows,
                  T* least) {
  joinBody<16, 1>(weights, step, stride, count, rows, least);
}
template <class T, int kLines>
Settled settlePortable(const Arcs<WeightOf<T>>& arcs, const Arcs<WeightOf<T>>& back, T* d,
                       Agenda& agenda, std::uint64_t most) {
  return settleBody<16, T, kLines>(arcs, back, d, agenda, most);
}

}  // namespace

template <class T, int kLines>
Settle<T, kLines> findSettle(const std::string& simd) {
  const SimdLevel<Settle<T, kLines>> levels[] = {
#if defined(__x86_64__)
    {"avx512", settleAvx512<T, kLines>},
    {"avx2", settleAvx2<T, kLines>},
#endif
    {"portable", settlePortable<T, kLines>},
  };
  return chooseSimd(levels, simd);
}

template <class T>
Kernels<T> findKernels(const std::string& simd) {
  const SimdLevel<Kernels<T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", {selectAvx512<T>, joinAvx512<T>}},
    {"avx2", {selectAvx2<T>, joinAvx2<T>}},
#endif
    {"portable", {selectPortable<T>, joinPortable<T>}},
  };
  return chooseSimd(levels, simd);
}

template Settle<std::uint16_t, 4> findSettle<std::uint16_t, 4>(const std::string&);
template Settle<std::int32_t, 4> findSettle<std::int32_t, 4>(const std::string&);
template Settle<float, 4> findSettle<float, 4>(const std::string&);
template Settle<std::int64_t, 4> findSettle<std::int64_t, 4>(const std::string&);
template Settle<double, 4> findSettle<double, 4>(const std::string&);
template Settle<std::int32_t, 1> findSettle<std::int32_t, 1>(const std::string&);
template Settle<float, 1> findSettle<float, 1>(const std::string&);
template Settle<std::int64_t, 2> findSettle<std::int64_t, 2>(const std::string&);
template Settle<double, 2> findSettle<double, 2>(const std::string&);
template Kernels<std::int32_t> findKernels<std::int32_t>(const std::string&);
template Kernels<float> findKernels<float>(const std::string&);
template Kernels<std::int64_t> findKernels<std::int64_t>(const std::string&);
template Kernels<double> findKernels<double>(const std::string&);

}  // namespace engine
