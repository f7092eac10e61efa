// Places in the list of arcs stand for the time: each arc is one reading.
#include "solvers/sparse/kept_rows.h"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.h"

namespace sparse {

namespace {

using Time = std::uint32_t;
constexpr Time kNever = std::numeric_limits<Time>::max();
/// Arcs from which on threads gain more than they take to start.
constexpr std::size_t kWorthThreads = 30000;

std::uint32_t word(std::uint32_t vertex, int place, bool kept) {
  return vertex | (kept ? kKept : 0) | static_cast<std::uint32_t>(place) << kPlaceShift;
}

/// Marks the steps of one share after the other. next: for each arc; each share has its own.
template <class T>
class Keeper {
 public:
  Keeper(Descent<T>& descent, int places, std::size_t vertices, std::vector<Time>& next)
      : descent_(descent),
        places_(places),
        next_(next),
        use_(vertices, kNever),
        place_(vertices, kNoPlace) {}

  void mark(int begin, int end) {
    findUses(begin, end);
    for (int s = begin; s < end; ++s) {
      Step& step = descent_.steps[static_cast<std::size_t>(s)];
      for (std::uint32_t a = step.begin; a < step.end; ++a) descent_.arcs[a].head = read(a);
      step.vertex = word(step.vertex, keep(step.vertex, use_[step.vertex]), false);
    }
  }

 private:
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

  std::uint32_t read(std::uint32_t a) {
    const std::uint32_t head = descent_.arcs[a].head;
    const int place = place_[head];
    if (place == kNoPlace) return word(head, keep(head, next_[a]), false);
    until_[place] = next_[a];
    if (next_[a] == kNever) giveUp(place);
    return word(head, place, true);
  }

  /// Finds a place for a row that is read at that time. Returns kNoPlace if all rows that are kept
  /// are read before.
  int keep(std::uint32_t vertex, Time use) {
    if (use == kNever || places_ == 0) return kNoPlace;
    int place = 0;
    if (taken_ != all()) {
      while ((taken_ >> place & 1) != 0) ++place;
    } else {
      for (int other = 1; other < places_; ++other)
        if (until_[other] > until_[place]) place = other;
      if (until_[place] < use) return kNoPlace;
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
    place_[vertex_[place]] = kNoPlace;
  }

  std::uint32_t all() const { return (1u << places_) - 1; }

  Descent<T>& descent_;
  const int places_;
  std::vector<Time>& next_;
  std::vector<Time> use_;           // of each vertex
  std::vector<signed char> place_;  // of each vertex, or kNoPlace
  std::uint32_t taken_ = 0;         // bits of the places that hold a row
  Time until_[kNoPlace];            // when the row in each place is read next
  std::uint32_t vertex_[kNoPlace];  // and whose row that is
};

}  // namespace

template <class T>
void keepRows(Descent<T>& descent, int places) {
  std::uint32_t most = 0;
  for (const Step& step : descent.steps) most = std::max(most, step.vertex);
  for (const auto& arc : descent.arcs) most = std::max(most, arc.head);
  if (most > kVertex)
    throw Error(Exit::kMemory, "too many vertices to sweep on a GPU: take --device cpu");
  const std::size_t arcs = descent.arcs.size(), vertices = std::size_t{most} + 1;
  std::vector<Time> next(arcs);
  const int shares = static_cast<int>(descent.shares.size()) - 1;
  const int threads = arcs < kWorthThreads ? 1 : omp_get_max_threads();
  std::vector<Keeper<T>> keepers(static_cast<std::size_t>(threads),
                                 Keeper<T>(descent, std::min(places, kNoPlace), vertices, next));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int share = 0; share < shares; ++share) {
    const auto s = static_cast<std::size_t>(share);
    keepers[static_cast<std::size_t>(omp_get_thread_num())].mark(descent.shares[s],
                                                                 descent.shares[s + 1]);
  }
}

template void keepRows(Descent<int>&, int);
template void keepRows(Descent<float>&, int);

}  // namespace sparse
