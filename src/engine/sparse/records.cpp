// Time counts the arcs, each of which is one reading, and the steps, each of which writes a row.
// A thread has no memory for every vertex, but for every number of a position (descent.h): few
// pages are new to it, and what it looks up is in its cache.
#include "sparse/records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/object_pool.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "base/uninitialised.h"

namespace engine::sparse {

namespace {

using Time = std::uint32_t;
constexpr Time kNever = std::numeric_limits<Time>::max();
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

/// When the row of a position is read next.
struct Use {
  std::uint32_t position;
  Time time;
};

/// Steps from whose records on nothing is kept for the next ones.
constexpr int kStepsOfPart = 2048;
/// Steps for which another thread is worth while.
constexpr int kStepsOfThread = 512;

/// A part of a share. Nothing is kept from part to part, so that threads can write them.
struct Part {
  int begin, end;     ///< places in Descent::positions
  int record;         ///< where its records begin
  std::size_t times;  ///< its arcs and steps
};

/// Writes the records of one part after the other.
template <class T>
class Keeper {
 public:
  /// readBack: of each position, 0 until its row is read from memory. times: of a part, at the
  /// most.
  Keeper(const SweepArcs<T>& down, const std::vector<std::uint32_t>& vertex, const Descent& descent,
         const Places& places, std::vector<char>& readBack, std::size_t times)
      : down_(down),
        vertex_(vertex),
        descent_(descent),
        places_(std::min(places.count, kMostPlaces)),
        size_(places.size),
        readBack_(readBack),
        next_(times),
        use_(asSize(descent.numberCount)),
        place_(asSize(descent.numberCount), kNone) {}

  /// Returns the end of the records. A row is kept only if a step of the part reads it again, so no
  /// place is taken afterwards.
  Record<T>* write(const Part& part, Record<T>* to) {
    findUses(part);
    const Time* next = next_.data();
    for (int s = part.begin; s < part.end; ++s) {
      const std::size_t position = positionOf(s);
      std::uint32_t a = down_.first[position];
      const std::uint32_t end = down_.first[position + 1];
      do {
        *to = {vertex_[position],
               static_cast<std::uint32_t>(position),
               {kInfinity<T>, kInfinity<T>},
               {0, 0},
               0,
               0};
        for (int k = 0; k < 2 && a < end; ++k) read(down_.arcs[a++], *next++, k, *to);
        if (a == end) {
          to->flags |= kLast;
          to->keep = bytes(keep(descent_.numbers[position], *next++));
        }
        ++to;
      } while (a < end);
    }
    return to;
  }

 private:
  static constexpr signed char kNone = -1;

  std::size_t positionOf(int step) const { return asSize(descent_.positions[asSize(step)]); }
  int numberOf(std::uint32_t position) const { return descent_.numbers[position]; }
  std::uint32_t bytes(int place) const { return static_cast<std::uint32_t>(place * size_); }

  /// When each row that an arc reads is read next, and after these, for each step, when the row
  /// that it writes is read first.
  void findUses(const Part& part) {
    std::size_t time = part.times;
    std::fill(use_.begin(), use_.end(), Use{kNobody, kNever});
    for (int s = part.end - 1; s >= part.begin; --s) {
      const auto position = static_cast<std::uint32_t>(positionOf(s));
      next_[--time] = useOf(position).time;
      for (std::uint32_t a = down_.first[position + 1]; a-- > down_.first[position];) {
        Use& use = useOf(down_.arcs[a].head);
        next_[--time] = use.time;
        use.time = static_cast<Time>(time);
      }
    }
  }

  /// The next use of a row. Another row with the same number will not be read any more.
  Use& useOf(std::uint32_t position) {
    Use& use = use_[asSize(numberOf(position))];
    if (use.position != position) use = {position, kNever};
    return use;
  }

  void read(const typename SweepArcs<T>::Arc& arc, Time next, int k, Record<T>& record) {
    record.weight[k] = arc.weight;
    const int number = numberOf(arc.head);
    const int place = place_[asSize(number)];
    if (place == kNone) {
      __atomic_store_n(&readBack_[arc.head], 1, __ATOMIC_RELAXED);
      record.from[k] = vertex_[arc.head];
      record.flags |= kFromMemory << k | static_cast<std::uint32_t>(keep(number, next))
                                             << (kPlaceShift + k * kPlaceBits);
      return;
    }
    record.from[k] = bytes(place);
    until_[place] = next;
    if (next == kNever) giveUp(place);
  }

  /// Finds a place for a row that is read at that time. If all rows that are kept are read before,
  /// it is the place for rows that are not kept.
  int keep(int number, Time use) {
    if (use == kNever || places_ == 0) return places_;
    int place = 0;
    if (taken_ != all()) {
      place = __builtin_ctz(~taken_);
    } else {
      for (int other = 1; other < places_; ++other)
        if (until_[other] > until_[place]) place = other;
      if (until_[place] < use) return places_;
      giveUp(place);
    }
    taken_ |= 1u << place;
    until_[place] = use;
    number_[place] = number;
    place_[asSize(number)] = static_cast<signed char>(place);
    return place;
  }

  void giveUp(int place) {
    taken_ &= ~(1u << place);
    place_[asSize(number_[place])] = kNone;
  }

  std::uint32_t all() const { return places_ == 32 ? ~0u : (1u << places_) - 1; }

  const SweepArcs<T>& down_;
  const std::vector<std::uint32_t>& vertex_;
  const Descent& descent_;
  const int places_, size_;
  std::vector<char>& readBack_;
  Uninitialised<Time> next_;        // of each arc and step of the part
  std::vector<Use> use_;            // of each number
  std::vector<signed char> place_;  // of the row that has the number
  std::uint32_t taken_ = 0;         // bits of the places that hold a row
  Time until_[kMostPlaces];         // when the row in each place is read next
  int number_[kMostPlaces];         // and its number
};

/// Finds out where the records of each share begin, and the end. Behind the parts is an empty one.
template <class T>
std::vector<Part> partsOf(const SweepArcs<T>& down, const Descent& descent,
                          std::vector<int>& shares) {
  std::vector<Part> parts;
  int records = 0;
  for (std::size_t share = 0; share + 1 < descent.shares.size(); ++share) {
    shares.push_back(records);
    const int shareEnd = descent.shares[share + 1];
    for (int begin = descent.shares[share]; begin < shareEnd;) {
      const int end = std::min(begin + kStepsOfPart, shareEnd);
      parts.push_back({begin, end, records, 0});
      for (; begin < end; ++begin) {
        const auto position = asSize(descent.positions[asSize(begin)]);
        const std::uint32_t arcs = down.first[position + 1] - down.first[position];
        records += std::max(1, static_cast<int>(arcs + 1) / 2);
        parts.back().times += arcs + 1;
      }
    }
    records = (records + kReadAhead - 1) / kReadAhead * kReadAhead;
  }
  shares.push_back(records);
  parts.push_back({descent.shares.back(), descent.shares.back(), records, 0});
  return parts;
}

template <class T>
void markReadBack(Record<T>* begin, const Record<T>* end, const std::vector<char>& readBack) {
  for (Record<T>* record = begin; record != end; ++record)
    if ((record->flags & kLast) != 0 && readBack[record->position] != 0) record->flags |= kReadBack;
}

}  // namespace

template <class T>
std::vector<int> writeRecords(const SweepArcs<T>& down, const std::vector<std::uint32_t>& vertex,
                              const Descent& descent, const Places& places,
                              const RoomForRecords<T>& room, int threads) {
  std::vector<int> shares;
  const std::vector<Part> parts = partsOf(down, descent, shares);
  const Record<T> nothing{0, 0, {kInfinity<T>, kInfinity<T>}, {0, 0}, 0, 0};
  Record<T>* const records = room(asSize(shares.back() + kReadAhead));
  std::fill_n(records + shares.back(), kReadAhead, nothing);
  std::vector<char> readBack(vertex.size(), 0);
  std::size_t times = 0;
  for (const Part& part : parts) times = std::max(times, part.times);
  const int count = static_cast<int>(parts.size()) - 1;
  const int worthwhile = 1 + static_cast<int>(descent.positions.size()) / kStepsOfThread;
  threads = std::clamp(threads, 1, worthwhile);
  ObjectPool<Keeper<T>> keepers(threads, [&] {
    return std::make_shared<Keeper<T>>(down, vertex, descent, places, readBack, times);
  });
  const auto begin = [&](int part) { return records + parts[asSize(part)].record; };
  const auto write = [&](int part) {
    auto keeper = keepers.take();
    Record<T>* const end = keeper->write(parts[asSize(part)], begin(part));
    keepers.give(std::move(keeper));
    std::fill(end, begin(part + 1), nothing);
  };
  const auto mark = [&](int part) { markReadBack(begin(part), begin(part + 1), readBack); };
  if (count > 0) runPhases({{count, write}, {count, mark}}, threads);
  return shares;
}

template std::vector<int> writeRecords(const SweepArcs<std::int32_t>&,
                                       const std::vector<std::uint32_t>&, const Descent&,
                                       const Places&, const RoomForRecords<std::int32_t>&, int);
template std::vector<int> writeRecords(const SweepArcs<float>&, const std::vector<std::uint32_t>&,
                                       const Descent&, const Places&, const RoomForRecords<float>&,
                                       int);
template std::vector<int> writeRecords(const SweepArcs<std::int64_t>&,
                                       const std::vector<std::uint32_t>&, const Descent&,
                                       const Places&, const RoomForRecords<std::int64_t>&, int);
template std::vector<int> writeRecords(const SweepArcs<double>&, const std::vector<std::uint32_t>&,
                                       const Descent&, const Places&, const RoomForRecords<double>&,
                                       int);

}  // namespace engine::sparse
