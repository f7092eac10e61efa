// A search has a bit in three words of each vertex: `seen`, if it has reached the vertex; `now`, if
// it did so at the last level; `next`, if it does at this one. For a step, every vertex with bits
// in `now` hands them to the heads of its arcs (push), or every vertex collects those of the tails
// of its arcs (pull). Bits that a vertex has seen are taken away, and what is left is new there:
//
//   next[v] = (now[u₁] | now[u₂] | …) & ~seen[v]
//
// With 512 searches a word is one vector, and an arc costs one instruction for all of them. A
// vertex that all searches have seen is full, and is passed over from then on. Push looks at the
// arcs that leave active vertices, pull at those that enter vertices that are not full; a step goes
// the way that has fewer (Beamer, Asanović, Patterson, "Direction-optimizing breadth-first search",
// SC 2012).
//
// Between steps, `next` is 0, and `now` is 0 but of active vertices.
#include "bfs/frontier.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/size.h"
#include "device/simd.h"

namespace engine::bfs {

namespace {

enum Mark : std::uint8_t { kClear, kTouched, kFull };

/// Of all vertices, a part that is put in order by a look at all.
constexpr std::size_t kMany = 16;

/// The words of a vertex.
template <int kWords>
struct WordsOf {
  typedef std::uint64_t Type __attribute__((vector_size(8 * kWords), may_alias));
};

/// Eight bytes of 255 or 0 for eight bits.
struct Spread {
  std::uint64_t mask[256] = {};
  constexpr Spread() {
    for (int bits = 0; bits < 256; ++bits)
      for (int i = 0; i < 8; ++i)
        if ((bits >> i & 1) != 0) mask[bits] |= std::uint64_t{255} << (8 * i);
  }
};
constexpr Spread kSpread;

/// How bits are spread to bytes.
enum class Spreading {
  kTable,    ///< eight at a time, by kSpread: any CPU
  kShuffle,  ///< 32 at a time, by a shuffle of bytes: AVX2
  kShifts,   ///< 64 at a time, by a shift of each number of a vector by its own count: AVX-512
};

typedef std::uint8_t HalfBytes __attribute__((vector_size(32), may_alias));

/// Of the four bytes from `kAt` on, which both lanes of 16 have: the first two in the first lane and
/// the others in the second one, each eight times.
template <int kAt>
[[gnu::always_inline]] inline void eightOfEach(const HalfBytes& all, HalfBytes& to) {
  constexpr int a = kAt, b = kAt + 1, c = kAt + 18, d = kAt + 19;
#if defined(__clang__)
  to = __builtin_shufflevector(all, all, a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b,  //
                               c, c, c, c, c, c, c, c, d, d, d, d, d, d, d, d);
#else
  to = __builtin_shuffle(all, HalfBytes{a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b,  //
                                        c, c, c, c, c, c, c, c, d, d, d, d, d, d, d, d});
#endif
}

/// Writes `level` for each search whose bit is set. to: (64) levels, one for each bit.
template <Spreading kSpreading, class Level>
[[gnu::always_inline]] inline void setLevels(std::uint64_t bits, Level level, Level* to) {
  if constexpr (sizeof(Level) > 1) {
    for (; bits != 0; bits &= bits - 1) to[__builtin_ctzll(bits)] = level;
  } else if constexpr (kSpreading == Spreading::kShifts) {
    typedef std::uint8_t Bytes __attribute__((vector_size(64), may_alias));
    typedef std::uint64_t Eight __attribute__((vector_size(64), may_alias));
    const Eight eachBits = Eight{} + 0x8040201008040201u;
    Eight spread = (Eight{} + bits) >> Eight{0, 8, 16, 24, 32, 40, 48, 56} & 255;
    for (int by = 8; by < 64; by *= 2) spread |= spread << by;
    spread &= eachBits;
    Bytes* const row = reinterpret_cast<Bytes*>(to);
    *row = (Bytes)spread == (Bytes)eachBits ? Bytes{} + level : *row;
  } else if constexpr (kSpreading == Spreading::kShuffle) {
    typedef std::uint64_t Four __attribute__((vector_size(32), may_alias));
    const HalfBytes eachBits = (HalfBytes)(Four{} + 0x8040201008040201u);
    const HalfBytes all = (HalfBytes)(Four{} + bits);  // both lanes have all bits
    HalfBytes* const row = reinterpret_cast<HalfBytes*>(to);
    HalfBytes spread[2];
    eightOfEach<0>(all, spread[0]);
    eightOfEach<4>(all, spread[1]);
    for (int half = 0; half < 2; ++half)
      row[half] = (spread[half] & eachBits) == eachBits ? HalfBytes{} + level : row[half];
  } else {
    for (; bits != 0; bits >>= 8, to += 8) {
      if ((bits & 255) == 0) continue;
      const std::uint64_t mask = kSpread.mask[bits & 255];
      std::uint64_t old;
      std::memcpy(&old, to, 8);
      old = (old & ~mask) | (level * 0x0101010101010101u & mask);
      std::memcpy(to, &old, 8);
    }
  }
}

template <Spreading kSpreading, class Level, int kWords>
[[gnu::always_inline]] inline Explored exploreBody(const Shape& shape, const int* roots, int count,
                                                   Frontier<kWords>& frontier, Level* levels,
                                                   std::uint64_t most) {
  using Words = typename WordsOf<kWords>::Type;
  constexpr std::size_t kSearches = 64 * kWords;
  const auto vertices = asSize(shape.interior());
  Words* const seen = reinterpret_cast<Words*>(frontier.seen.get());
  Words* now = reinterpret_cast<Words*>(frontier.now.get());
  Words* next = reinterpret_cast<Words*>(frontier.next.get());
  std::uint8_t* const marks = frontier.marks.data();
  std::uint32_t* const active = frontier.active.data();
  std::uint32_t* const touched = frontier.touched.data();
  std::fill_n(frontier.seen.get(), vertices * kWords, 0);
  std::fill_n(marks, vertices, kClear);
  std::fill_n(levels, vertices * kSearches, kUnseen<Level>);

  Words all = {};
  for (std::size_t s = 0; s < asSize(count); ++s) all[s / 64] |= std::uint64_t{1} << (s % 64);
  const auto isEmpty = [](const Words& words) __attribute__((always_inline)) {
    std::uint64_t any = 0;
    for (int i = 0; i < kWords; ++i) any |= words[i];
    return any == 0;
  };

  Explored done;
  std::size_t actives = 0;
  std::uint64_t pushes = 0, pulls = shape.in.arcs();  // arcs that a step would look at
  // The searches `words` reach v at a level.
  const auto reach = [&](std::uint32_t v, const Words& words, Level level)
      __attribute__((always_inline)) {
    Level* const to = levels + v * kSearches;
    int searches = 0;
    for (int i = 0; i < kWords; ++i) {
      if (words[i] == 0) continue;
      setLevels<kSpreading>(words[i], level, to + 64 * i);
      searches += __builtin_popcountll(words[i]);
    }
    seen[v] |= words;
    if (isEmpty(all & ~seen[v])) {
      marks[v] = kFull;
      pulls -= shape.in.degree(v);
    }
    active[actives++] = v;
    pushes += shape.out.degree(v);
    done.passed += std::uint64_t{shape.passed[v]} * static_cast<std::uint64_t>(searches);
  };

  for (std::size_t s = 0; s < asSize(count); ++s)
    now[roots[s]][s / 64] |= std::uint64_t{1} << (s % 64);
  for (std::size_t s = 0; s < asSize(count); ++s)
    reach(static_cast<std::uint32_t>(roots[s]), now[roots[s]], 0);

  const auto push = [&](Level level) __attribute__((always_inline)) {
    std::size_t touches = 0;
    for (std::size_t i = 0; i < actives; ++i) {
      const Words words = now[active[i]];
      const auto* const end = shape.out.end(active[i]);
      for (const auto* head = shape.out.begin(active[i]); head != end; ++head) {
        __builtin_prefetch(next + head[kAhead], 1);
        if (marks[*head] == kFull) continue;
        next[*head] |= words;
        touched[touches] = *head;
        touches += marks[*head] == kClear;
        marks[*head] = kTouched;
      }
    }
    for (std::size_t i = 0; i < actives; ++i) now[active[i]] = Words{};
    done.arcs += pushes;
    done.visits += actives + touches;
    actives = pushes = 0;
    if (touches > vertices / kMany) {  // in their order, memory is read faster
      touches = 0;
      for (std::size_t v = 0; v < vertices; ++v) {
        touched[touches] = static_cast<std::uint32_t>(v);
        touches += marks[v] == kTouched;
      }
    }
    for (std::size_t i = 0; i < touches; ++i) {
      const std::uint32_t v = touched[i];
      marks[v] = kClear;
      next[v] &= ~seen[v];
      if (!isEmpty(next[v])) reach(v, next[v], level);
    }
  };
  const auto pull = [&](Level level) __attribute__((always_inline)) {
    constexpr int kLook = 8;  // arcs before it looks whether one vertex is full
    std::size_t olds = actives;
    std::copy_n(active, actives, touched);
    done.visits += vertices;
    actives = pushes = 0;
    for (std::uint32_t v = 0; v < vertices; ++v) {
      if (marks[v] == kFull) continue;
      Words words = {};
      const auto* tail = shape.in.begin(v);
      const auto* const end = shape.in.end(v);
      done.arcs += static_cast<std::uint64_t>(end - tail);
      while (tail != end) {
        const auto* const stop = end - tail > kLook ? tail + kLook : end;
        for (; tail != stop; ++tail) {
          __builtin_prefetch(now + tail[kAhead]);
          words |= now[*tail];
        }
        if (isEmpty(all & ~(seen[v] | words))) break;
      }
      done.arcs -= static_cast<std::uint64_t>(end - tail);
      words &= ~seen[v];
      if (isEmpty(words)) continue;
      next[v] = words;
      reach(v, words, level);
    }
    for (std::size_t i = 0; i < olds; ++i) now[touched[i]] = Words{};
  };

  while (actives > 0) {
    // Two steps more must be below kUnseen: to a vertex that hangs, and from one.
    done.tooDeep = done.levels + 3 >= static_cast<std::int64_t>(kUnseen<Level>);
    done.gaveUp = done.looks() > most;
    if (done.tooDeep || done.gaveUp) break;
    const Level level = static_cast<Level>(done.levels + 1);
    if (pulls < pushes)
      pull(level);
    else
      push(level);
    std::swap(now, next);
    if (actives > 0) ++done.levels;
  }
  for (std::size_t i = 0; i < actives; ++i) now[active[i]] = Words{};
  return done;
}

/// The loop with the instructions of one target. GCC inlines the body into it.
#define BFS_KERNELS(name, target, spreading)                                        \
  struct name {                                                                     \
    template <class Level, int kWords>                                              \
    target static Explored explore(const Shape& shape, const int* roots, int count, \
                                   Frontier<kWords>& frontier, Level* levels,       \
                                   std::uint64_t most) {                            \
      return exploreBody<spreading>(shape, roots, count, frontier, levels, most);   \
    }                                                                               \
  };

#if defined(__x86_64__)
BFS_KERNELS(Avx512, [[gnu::target("avx512f,avx512bw")]], Spreading::kShifts)
BFS_KERNELS(Avx2, [[gnu::target("avx2,popcnt")]], Spreading::kShuffle)
#endif
BFS_KERNELS(Portable, , Spreading::kTable)
#undef BFS_KERNELS

}  // namespace

/// At least so many words that fill whole vectors.
static std::size_t wholeVectors(std::size_t words) {
  constexpr std::size_t kEach = kVectorBytes / sizeof(std::uint64_t);
  return (words + kEach - 1) / kEach * kEach;
}

template <int kWords>
Frontier<kWords>::Frontier(int vertices)
    : seen(makeRows<std::uint64_t>(wholeVectors(asSize(vertices) * kWords))),
      now(makeRows<std::uint64_t>(wholeVectors(asSize(vertices) * kWords))),
      next(makeRows<std::uint64_t>(wholeVectors(asSize(vertices) * kWords))),
      marks(asSize(vertices)),
      active(asSize(vertices) + 1),
      touched(asSize(vertices) + 1) {
  for (auto* const words : {&now, &next}) std::fill_n(words->get(), asSize(vertices) * kWords, 0);
}

template <int kWords>
std::size_t Frontier<kWords>::bytes(int vertices) {
  return asSize(vertices) * (3 * kWords * sizeof(std::uint64_t) + 1 + 2 * sizeof(std::uint32_t));
}

template <class Level, int kWords>
Explore<Level, kWords> findExplore(const std::string& simd) {
  const SimdLevel<Explore<Level, kWords>> levels[] = {
#if defined(__x86_64__)
    {"avx512", Avx512::explore<Level, kWords>},
    {"avx2", Avx2::explore<Level, kWords>},
#endif
    {"portable", Portable::explore<Level, kWords>},
  };
  return chooseSimd(levels, simd);
}

#define FOR_LEVEL(Level)                                                \
  template Explore<Level, 1> findExplore<Level, 1>(const std::string&); \
  template Explore<Level, 8> findExplore<Level, 8>(const std::string&);
FOR_LEVEL(std::uint8_t)
FOR_LEVEL(std::uint16_t)
FOR_LEVEL(std::uint32_t)
#undef FOR_LEVEL
template class Frontier<1>;
template class Frontier<8>;

}  // namespace engine::bfs
