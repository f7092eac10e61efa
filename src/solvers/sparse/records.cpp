// Positions in the list of arcs stand for the time: each arc is one reading.
#include "solvers/sparse/records.h"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace sparse {

namespace {

using Time = std::uint32_t;
constexpr Time kNever = std::numeric_limits<Time>::max();
/// Steps from whose records on nothing is kept for the next ones.
constexpr int kStepsOfPart = 4096;
/// With 16, the records of a road map took 5.4 ms instead of 3.0, because each thread touches fresh
/// memory of its own.
constexpr int kMostThreads = 4;

/// Writes the records of one part after the other. next: for each arc; each part has its own.
template <class T>
class Keeper {
 public:
  Keeper(const Descent<T>& descent, int places, int size, std::size_t vertices,
         std::vector<Time>& next, std::vector<char>& readBack)
      : descent_(descent),
        places_(places),
        size_(size),
        next_(next),
        readBack_(readBack),
        use_(vertices, kNever),
        place_(vertices, kNone) {}

  /// Writes the records of the steps from `begin` to before `end`. A row is kept only if one of
  /// them reads it again, so no place is taken afterwards.
  void write(int begin, int end, Record<T>* to) {
    findUses(begin, end);
    for (int s = begin; s < end; ++s) {
      const Step& step = descent_.steps[static_cast<std::size_t>(s)];
      std::uint32_t a = step.begin;
      do {
        *to = {step.vertex, step.rank, {kFar<T>, kFar<T>}, {0, 0}, 0, 0};
        for (int k = 0; k < 2 && a < step.end; ++k) read(a++, k, *to);
        if (a == step.end) {
          to->flags |= kLast;
          to->keep = bytes(keep(step.vertex, use_[step.vertex]));
        }
        ++to;
      } while (a < step.end);
    }
  }

 private:
  static constexpr signed char kNone = -1;

  std::uint32_t bytes(int place) const { return static_cast<std::uint32_t>(place * size_); }

  /// When each row that an arc reads is read next, and each vertex's row for the first time.
  void findUses(int begin, int end) {
    for (int s = begin; s < end; ++s) {
      const Step& step = descent_.steps[static_cast<std::size_t>(s)];
      use_[step.vertex] = kNever;
      for (std::uint32_t a = step.begin; a < step.end; ++a) use_[descent_.arcs[a].head] = kNever;
    }
    for (int s = end - 1; s >= begin; --s) {
      const Step& step = descent_.steps[static_cast<std::size_t>(s)];
      for (std::uint32_t a = step.end; a-- > step.begin;) {
        Time& use = use_[descent_.arcs[a].head];
        next_[a] = use;
        use = a;
      }
    }
  }

  void read(std::uint32_t a, int k, Record<T>& record) {
    const std::uint32_t head = descent_.arcs[a].head;
    record.weight[k] = descent_.arcs[a].weight;
    const int place = place_[head];
    if (place == kNone) {
#pragma omp atomic write
      readBack_[head] = 1;
      record.from[k] = head;
      record.flags |= kFromMemory << k | static_cast<std::uint32_t>(keep(head, next_[a]))
                                             << (kPlaceShift + k * kPlaceBits);
      return;
    }
    record.from[k] = bytes(place);
    until_[place] = next_[a];
    if (next_[a] == kNever) giveUp(place);
  }

  /// Finds a place for a row that is read at that time. If all rows that are kept are read before,
  /// it is the place for rows that are not kept.
  int keep(std::uint32_t vertex, Time use) {
    if (use == kNever || places_ == 0) return places_;
    int place = 0;
    if (taken_ != all()) {
      while ((taken_ >> place & 1) != 0) ++place;
    } else {
      for (int other = 1; other < places_; ++other)
        if (until_[other] > until_[place]) place = other;
      if (until_[place] < use) return places_;
      giveUp(place);
    }
    taken_ |= 1u << place;
    until_[place] = use;
    vertex_[place] = vertex;
    place_[vertex] = static_cast<signed char>(place);
    return place;
  }

  void giveUp(int place) {
    taken_ &= ~(1u << place);
    place_[vertex_[place]] = kNone;
  }

  std::uint32_t all() const {
    return places_ == 32 ? ~0u : (1u << places_) - 1;
  }

  const Descent<T>& descent_;
  const int places_, size_;
  std::vector<Time>& next_;
  std::vector<char>& readBack_;     // of each vertex: whether some step reads its row from memory
  std::vector<Time> use_;           // of each vertex
  std::vector<signed char> place_;  // of each vertex
  std::uint32_t taken_ = 0;         // bits of the places that hold a row
  Time until_[kMostPlaces];         // when the row in each place is read next
  std::uint32_t vertex_[kMostPlaces];  // and whose row that is
};

/// A part of a share. Nothing is kept from part to part, so that threads can write them.
struct Part {
  int begin, end;  ///< steps
  int record;      ///< where its records begin
};

/// Finds out where the records of each share begin, and the end.
template <class T>
std::vector<Part> partsOf(const Descent<T>& descent, std::vector<int>& shares) {
  std::vector<Part> parts;
  int records = 0;
  for (std::size_t share = 0; share + 1 < descent.shares.size(); ++share) {
    shares.push_back(records);
    for (int s = descent.shares[share]; s < descent.shares[share + 1]; ++s) {
      if ((s - descent.shares[share]) % kStepsOfPart == 0) parts.push_back({s, s, records});
      const Step& step = descent.steps[static_cast<std::size_t>(s)];
      records += std::max(1, static_cast<int>(step.end - step.begin + 1) / 2);
      parts.back().end = s + 1;
    }
    records = (records + kReadAhead - 1) / kReadAhead * kReadAhead;
  }
  shares.push_back(records);
  return parts;
}

}  // namespace

template <class T>
Records<T> recordsOf(const Descent<T>& descent, int places, int size, int threads) {
  std::uint32_t most = 0;
  for (const Step& step : descent.steps) most = std::max(most, step.vertex);
  for (const auto& arc : descent.arcs) most = std::max(most, arc.head);
  Records<T> all;
  all.phases = descent.phases;
  const std::vector<Part> parts = partsOf(descent, all.shares);
  const Record<T> nothing{0, 0, {kFar<T>, kFar<T>}, {0, 0}, 0, 0};
  all.records.assign(static_cast<std::size_t>(all.shares.back() + kReadAhead), nothing);
  std::vector<Time> next(descent.arcs.size());
  std::vector<char> readBack(std::size_t{most} + 1, 0);
  threads = std::clamp(static_cast<int>(parts.size()), 1, std::min(threads, kMostThreads));
  std::vector<Keeper<T>> keepers(static_cast<std::size_t>(threads),
                                 Keeper<T>(descent, std::min(places, kMostPlaces), size,
                                           std::size_t{most} + 1, next, readBack));
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
  for (std::size_t p = 0; p < parts.size(); ++p)
    keepers[static_cast<std::size_t>(omp_get_thread_num())].write(
        parts[p].begin, parts[p].end, all.records.data() + parts[p].record);
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::size_t r = 0; r < all.records.size(); ++r)
    if ((all.records[r].flags & kLast) != 0 && readBack[all.records[r].vertex])
      all.records[r].flags |= kReadBack;
  return all;
}

template Records<int> recordsOf(const Descent<int>&, int, int, int);
template Records<float> recordsOf(const Descent<float>&, int, int, int);

}  // namespace sparse
