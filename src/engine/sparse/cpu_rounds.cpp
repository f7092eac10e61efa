// Elimination in rounds by the threads of a CPU, as on a GPU (rounds.cuh): order, elimination and
// customisation are one thing if the weights are there when a vertex goes.
//
// A round takes all vertices whose degree is the least among their neighbours', and within a limit.
// They are not adjacent, so they go at the same time. Every vertex that stays has a list of its
// neighbours, with the weights of the arcs in both directions. Whoever has a neighbour that goes
// takes over the list of that neighbour. Both ends of an arc find the same weight.
//
// Threads. A round has two phases. In the first one, lists and degrees are only read. Each task
// chooses among its own vertices, and marks the neighbours of those that go; several tasks may mark
// the same one. In the second phase, each task changes the lists of its own vertices. It reads the
// lists of those that go, and these do not change any more. So no lock is needed, and nothing
// depends on which task a vertex belongs to. All that a round counts are sums and minima of whole
// numbers. From these, each task computes for itself which limit the next round has, and whether
// there is one. Therefore the same graph gives the same order with any number of threads.
//
// A vertex whose list grows beyond kMost is *frozen*: it stays in the core, and has no list. The
// lists of its neighbours say all of its arcs, but for those to other frozen vertices. These come
// from the edges, and from the lists of eliminated vertices, when the core's matrix is made. A list
// that was long from the beginning, and gets shorter, is kept: the hub of a star is eliminated in
// the end.
//
// Where to stop. After each round, the time of all that is left is estimated as elimination.cpp
// does. Here the threads share all of it, so the least sum is at the same round for any number of
// them. The rounds go on some time after the least sum, because a later one may be less. The
// vertices that went after it are given back to the core. Their lists are still right: they are
// edges of the core, as long as some path through vertices that went before.
#include "sparse/cpu_rounds.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "base/uninitialised.h"
#include "solver/costs.h"
#include "sparse/round_rules.h"

namespace engine::sparse {

namespace {

/// A list that grows beyond this is given up, and no vertex with more neighbours goes.
constexpr int kMost = 128;
/// The round of a vertex that stays, and the degree of one that is frozen.
constexpr int kStays = std::numeric_limits<int>::max(), kFrozen = kStays;
constexpr int kMostRounds = 8192;
/// Rounds after the best one before none better is expected.
constexpr int kPatience = 16;
/// Arcs in all lists for each vertex and each edge, above which the rest is not worth eliminating.
constexpr double kArcsOfVertex = 64, kArcsOfEdge = 4;
/// Rounds between which the vertices are divided anew. The first ones eliminate the most.
constexpr int kFirstRounds = 3, kRoundsTogether = 48;
/// Vertices of a task, at the least, and tasks of a thread.
constexpr int kVerticesOfATask = 16, kTasksOfAThread = 4;
/// What a triangle takes to join and to prune it, beside what it takes in a known order.
constexpr double kJoins = 3;
/// What rounds take of one thread beside an order and its elimination, and milliseconds of the
/// barriers of all rounds.
constexpr double kOfOrder = 1.4, kBarriersMs = 1;
/// Of the time to prepare, what threads do not share.
constexpr double kAlone = 0.05;
constexpr char kOutOfMemory[] = "out of host memory for the arcs of the hierarchy";

/// A neighbour, and the weights to it and back.
template <class T>
struct Arc {
  int head;
  T out, in;
};

/// Memory for lists, given out piece by piece and freed as a whole.
template <class T>
class Room {
 public:
  Arc<T>* take(std::size_t count) {
    constexpr std::size_t kBlock = 4096;  // arcs
    if (left_ < count) {
      left_ = std::max(kBlock, count);
      blocks_.emplace_back(left_);
      next_ = blocks_.back().data();
    }
    left_ -= count;
    return std::exchange(next_, next_ + count);
  }
  std::size_t bytes() const {
    std::size_t all = 0;
    for (const auto& block : blocks_) all += block.size() * sizeof(Arc<T>);
    return all;
  }

 private:
  std::vector<Uninitialised<Arc<T>>> blocks_;
  Arc<T>* next_ = nullptr;
  std::size_t left_ = 0;
};

/// Finds arcs of one list by their heads. A place that was noted for another list is recognised:
/// the arc there has another head.
template <class T>
class Finder {
 public:
  /// Of a graph with n vertices.
  void begin(int n) { places_.resize(asSize(n), 0); }
  void note(int head, int place) { places_[asSize(head)] = place; }
  /// Where the head is among the first `count` arcs, or −1.
  int find(const Arc<T>* list, int count, int head) const {
    const int place = places_[asSize(head)];
    return place < count && list[place].head == head ? place : -1;
  }

 private:
  std::vector<int> places_;
};

/// What a round counts. All tasks add to it.
struct alignas(64) Tally {
  std::atomic<int> least{kFrozen};      // degree of those that are left
  std::atomic<int> left{0}, frozen{0};  // vertices with a list, and without one from now on
  std::atomic<int> most{0};             // degree of those that went
  std::atomic<std::uint64_t> arcs{0}, triangles{0};  // of those that went; twice the triangles
  std::atomic<std::uint64_t> held{0};                // arcs of those that are left
};

void lowerTo(std::atomic<int>& known, int number) {
  int before = known.load(std::memory_order_relaxed);
  while (number < before && !known.compare_exchange_weak(before, number)) {
  }
}
void raiseTo(std::atomic<int>& known, int number) {
  int before = known.load(std::memory_order_relaxed);
  while (number > before && !known.compare_exchange_weak(before, number)) {
  }
}

/// What all rounds so far say about the next one.
class Course {
 public:
  Course(int n, double edges, const Rates& rates)
      : rates_(&rates),
        n_(n),
        mostHeld_(kArcsOfVertex * n + kArcsOfEdge * edges),
        left_(n),
        bestSeconds_(seconds()) {}

  /// The degrees at the beginning are known.
  void begin(const Tally& tally) { raiseLimit(tally.least); }

  void take(const Tally& tally) {
    const int before = left_;
    left_ = tally.left;
    frozen_ += tally.frozen;
    arcs_ += static_cast<double>(tally.arcs);
    triangles_ += static_cast<double>(tally.triangles) / 2;
    most_ = std::max(most_, tally.most.load());
    ++round_;
    if (const double now = seconds(); now < bestSeconds_) {
      bestSeconds_ = now;
      best_ = round_;
    }
    limit_ = limitAfter(limit_, before - left_ - tally.frozen, before);
    raiseLimit(tally.least);
    ends_ = left_ == 0 || tally.least > kMost || round_ == kMostRounds ||
            round_ - best_ > kPatience || arcs_ + static_cast<double>(tally.held) > mostHeld_;
  }

  int limit() const { return limit_; }
  bool ends() const { return ends_; }
  int round() const { return round_; }
  int best() const { return best_; }  ///< rounds after which the core is to begin
  double bestSeconds() const { return bestSeconds_; }

 private:
  void raiseLimit(int least) {
    limit_ = std::min(std::max(limit_, least == kFrozen ? 0 : limitFor(least, 1)), kMost);
  }

  /// As elimination.cpp estimates them, of one thread.
  double seconds() const {
    const double core = left_ + frozen_, sources = rates_->sources < 0 ? n_ : rates_->sources;
    return triangles_ * kJoins * rates_->triangle + core * core * rates_->coreWord +
           sources * ((arcs_ / 2 + core * most_ / 2) * rates_->relax + n_ * rates_->write) +
           core * core * core * rates_->product;
  }

  const Rates* rates_;
  double n_, mostHeld_;
  int limit_ = 0, left_, frozen_ = 0, most_ = 0, round_ = 0, best_ = 0;
  double arcs_ = 0, triangles_ = 0, bestSeconds_;
  bool ends_ = false;
};

/// n vertices, each with its list.
template <class T>
class RoundsOf : public Rounds {
 public:
  RoundsOf(int n, const Edges<T>& edges, int threads)
      : n_(n),
        threads_(threads),
        edges_(edges),
        weights_(edges.size()),
        list_(asSize(n)),
        degree_(asSize(n)),
        room_(asSize(n)),
        gone_(asSize(n)),
        touched_(asSize(n)),
        alive_(asSize(n)),
        finders_(asSize(threads)),
        tallies_(1) {}

  void run(const Rates& rates);
  bool areOf(const Edges<T>& edges) const;
  Hierarchy<T> hierarchy(const Edges<T>& edges, int threads) const;

 private:
  /// Vertices that a task works on: a part of alive_.
  struct alignas(64) Part {
    int begin = 0, count = 0;
    Room<T> room;
    std::vector<Arc<T>> going;
  };

  static std::size_t at(int v) { return asSize(v); }
  bool isCore(int v) const { return gone_[at(v)] >= rounds; }

  /// A task of a phase, which throws nothing.
  template <class Body>
  Phase phase(int tasks, const Body& body) {
    return {tasks, [this, body](int task) {
              try {
                if (!failed_.load(std::memory_order_relaxed)) body(task);
              } catch (const std::bad_alloc&) {
                failed_.store(true, std::memory_order_relaxed);
              }
            }};
  }
  void runAll(std::vector<Phase> phases) {
    runPhases(std::move(phases), threads_);
    if (failed_) throw Error(ErrorCode::kMemory, kOutOfMemory);
  }

  void makeLists();
  void fillLists(Part& part, const Uninitialised<int>& first, const Uninitialised<int>& back,
                 std::vector<std::atomic<int>>& others);
  void divide();
  Part& takePart(int phase);
  Course after(Course course, int round) const;
  void choose(Part& part, int round, int limit);
  bool isLeast(int v) const;
  void takeOver(Part& part, int round);
  bool join(Part& part, Finder<T>& finder, int u);
  void makePlan();
  std::vector<int> sortByRounds();
  void number(const std::vector<int>& order, const std::vector<int>& parent);
  void fillCore(Hierarchy<T>& all, const Edges<T>& edges, int threads) const;
  void addFrozen(Hierarchy<T>& all, const Edges<T>& edges) const;

  const int n_, threads_;
  const Edges<T>& edges_;  // while run() is at work
  Uninitialised<T> weights_;
  Uninitialised<Arc<T>*> list_;
  Uninitialised<int> degree_, room_, gone_;
  std::vector<std::atomic<int>> touched_;  // the round in which a neighbour went last, and 1
  Uninitialised<int> alive_;               // the vertices that are left
  std::vector<Part> parts_;
  std::vector<std::atomic<int>> taken_;  // of each part, the last phase in which a task took it
  std::vector<Finder<T>> finders_;       // of each thread
  std::vector<Tally> tallies_;  // of the rounds from from_ on
  int from_ = 0;
  std::atomic<bool> failed_{false};
  bool anyFrozen_ = false;
};

template <class T>
void RoundsOf<T>::run(const Rates& rates) {
  makeLists();
  Course course(n_, static_cast<double>(edges_.size()), rates);
  course.begin(tallies_[0]);
  for (int together = kFirstRounds; n_ > 0 && !course.ends();
       together = std::min(2 * together, kRoundsTogether)) {
    divide();
    const int tasks = static_cast<int>(parts_.size()), from = course.round();
    tallies_ = std::vector<Tally>(at(together));
    from_ = from;
    std::vector<Phase> phases;
    for (int round = from; round < from + together; ++round) {
      phases.push_back(phase(tasks, [this, course, round](int) {
        const Course now = after(course, round);
        if (!now.ends()) choose(takePart(2 * round + 1), round, now.limit());
      }));
      phases.push_back(phase(tasks, [this, course, round](int) {
        if (!after(course, round).ends()) takeOver(takePart(2 * round + 2), round);
      }));
    }
    runAll(std::move(phases));
    course = after(course, from + together);
  }
  rounds = course.best();
  makePlan();
  finders_.clear();
  finders_.shrink_to_fit();
  const double arcs = static_cast<double>(elimination.arcs);
  const double preparing = n_ * rates.prepare + arcs * rates.climb;
  elimination.milliseconds = (course.bestSeconds() * rates.rest / rates.threads +
                              preparing * (kAlone + (1 - kAlone) / rates.threads)) *
                             1e3;
  bytes = weights_.size() * sizeof(T) + at(n_) * (sizeof(Arc<T>*) + 5 * sizeof(int));
  for (const Part& part : parts_) bytes += part.room.bytes();
}

/// The course after all rounds before `round`, from that after all before from_.
template <class T>
Course RoundsOf<T>::after(Course course, int round) const {
  for (int r = from_; r < round && !course.ends(); ++r) course.take(tallies_[at(r - from_)]);
  return course;
}

/// A part that no other task of the phase has taken: one that this thread has taken before, if
/// possible, because its lists are in the caches of the core.
template <class T>
typename RoundsOf<T>::Part& RoundsOf<T>::takePart(int phase) {
  const std::size_t parts = parts_.size();
  for (std::size_t i = at(threadOfPhase() * kTasksOfAThread) % parts;; i = (i + 1) % parts)
    if (taken_[i].load(std::memory_order_relaxed) != phase &&
        taken_[i].exchange(phase, std::memory_order_relaxed) != phase)
      return parts_[i];
}

template <class T>
void RoundsOf<T>::makeLists() {
  const int m = static_cast<int>(edges_.size());
  const int tasks = std::max(1, std::min(threads_ * kTasksOfAThread, (n_ + 255) / 256));
  parts_ = std::vector<Part>(at(tasks));
  taken_ = std::vector<std::atomic<int>>(at(tasks));
  Uninitialised<int> first(at(n_) + 1), back(at(m));
  std::vector<std::atomic<int>> others(at(n_));  // edges that lead to each, and have none back
  const auto share = [tasks](int count, int task) {
    return static_cast<int>(std::int64_t{count} * task / tasks);
  };
  const auto findFirst = [&](int task) {
    for (int e = share(m, task); e < share(m, task + 1); ++e) {
      weights_[at(e)] = edges_[at(e)].weight;
      const int from = edges_[at(e)].from;
      for (int v = e == 0 ? -1 : edges_[at(e) - 1].from; v < from; ++v) first[at(v + 1)] = e;
    }
    if (task + 1 < tasks) return;
    for (int v = m == 0 ? -1 : edges_[at(m) - 1].from; v < n_; ++v) first[at(v + 1)] = m;
  };
  const auto findBack = [&](int task) {
    for (int e = share(m, task); e < share(m, task + 1); ++e) {
      const Edge<T>& edge = edges_[at(e)];
      const auto begin = edges_.begin() + first[at(edge.to)];
      const auto end = edges_.begin() + first[at(edge.to + 1)];
      const auto found = std::lower_bound(
          begin, end, edge.from, [](const Edge<T>& other, int to) { return other.to < to; });
      const bool is = found != end && found->to == edge.from;
      back[at(e)] = is ? static_cast<int>(found - edges_.begin()) : -1;
      if (!is) others[at(edge.to)].fetch_add(1, std::memory_order_relaxed);
    }
  };
  const auto makeRoom = [&](int task) {
    Part& part = parts_[at(task)];
    int least = kFrozen;
    for (int v = share(n_, task); v < share(n_, task + 1); ++v) {
      const int degree = first[at(v + 1)] - first[at(v)] + others[at(v)];
      others[at(v)].store(0, std::memory_order_relaxed);
      degree_[at(v)] = degree;
      room_[at(v)] = degree + degree / 2 + 1;
      list_[at(v)] = part.room.take(at(room_[at(v)]));
      gone_[at(v)] = kStays;
      alive_[at(v)] = v;
      least = std::min(least, degree);
    }
    part.begin = share(n_, task);
    part.count = share(n_, task + 1) - part.begin;
    lowerTo(tallies_[0].least, least);
  };
  const auto fill = [&](int task) { fillLists(parts_[at(task)], first, back, others); };
  runAll({phase(tasks, findFirst), phase(tasks, findBack), phase(tasks, makeRoom),
          phase(tasks, fill)});
}

/// The edges from a vertex come first in its list. Those that lead to it alone are behind them, in
/// any order: nothing depends on it.
template <class T>
void RoundsOf<T>::fillLists(Part& part, const Uninitialised<int>& first,
                            const Uninitialised<int>& back, std::vector<std::atomic<int>>& others) {
  for (int v = part.begin; v < part.begin + part.count; ++v) {
    for (int e = first[at(v)]; e < first[at(v + 1)]; ++e) {
      const Edge<T>& edge = edges_[at(e)];
      const bool both = back[at(e)] >= 0;
      list_[at(v)][e - first[at(v)]] = {edge.to, edge.weight,
                                        both ? edges_[at(back[at(e)])].weight : kInfinity<T>};
      if (both) continue;
      const int behind = others[at(edge.to)].fetch_add(1, std::memory_order_relaxed);
      list_[at(edge.to)][first[at(edge.to + 1)] - first[at(edge.to)] + behind] = {v, kInfinity<T>,
                                                                                  edge.weight};
    }
  }
}

/// Gives every part as many vertices. Their order stays.
template <class T>
void RoundsOf<T>::divide() {
  int count = 0;
  for (const Part& part : parts_) {
    std::copy_n(alive_.begin() + part.begin, part.count, alive_.begin() + count);
    count += part.count;
  }
  const int parts = static_cast<int>(parts_.size());
  const int each = std::max(kVerticesOfATask, (count + parts - 1) / parts);
  for (int i = 0; i < parts; ++i) {
    parts_[at(i)].begin = std::min(count, i * each);
    parts_[at(i)].count = std::min(count, (i + 1) * each) - parts_[at(i)].begin;
  }
}

/// Whether no neighbour has a lower degree, or the same and a lower hash.
template <class T>
bool RoundsOf<T>::isLeast(int v) const {
  const int degree = degree_[at(v)];
  const std::uint32_t hash = hashOf(static_cast<std::uint32_t>(v));
  const Arc<T>* const list = list_[at(v)];
  for (int k = 0; k < degree; ++k) {
    const int other = list[k].head, theirs = degree_[at(other)];
    if (theirs < degree) return false;
    if (theirs == degree && hashOf(static_cast<std::uint32_t>(other)) < hash) return false;
  }
  return true;
}

/// Chooses the vertices that go in this round.
template <class T>
void RoundsOf<T>::choose(Part& part, int round, int limit) {
  int* const alive = alive_.data() + part.begin;
  int kept = 0, most = 0;
  std::uint64_t arcs = 0, triangles = 0;
  for (int i = 0; i < part.count; ++i) {
    const int v = alive[i], degree = degree_[at(v)];
    if (degree > limit || !isLeast(v)) {
      alive[kept++] = v;
      continue;
    }
    gone_[at(v)] = round;
    for (int k = 0; k < degree; ++k)
      touched_[at(list_[at(v)][k].head)].store(round + 1, std::memory_order_relaxed);
    most = std::max(most, degree);
    arcs += at(degree);
    triangles += at(degree) * at(degree);
  }
  Tally& tally = tallies_[at(round - from_)];
  if (kept < part.count) {
    raiseTo(tally.most, most);
    tally.arcs.fetch_add(arcs, std::memory_order_relaxed);
    tally.triangles.fetch_add(triangles, std::memory_order_relaxed);
  }
  part.count = kept;
}

/// Joins those that stay with the neighbours of all their neighbours that go.
template <class T>
void RoundsOf<T>::takeOver(Part& part, int round) {
  if (part.count == 0) return;
  Finder<T>& finder = finders_[at(threadOfPhase())];
  finder.begin(n_);
  int* const alive = alive_.data() + part.begin;
  int kept = 0, least = kFrozen;
  std::uint64_t held = 0;
  for (int i = 0; i < part.count; ++i) {
    const int u = alive[i];
    if (touched_[at(u)].load(std::memory_order_relaxed) == round + 1 && !join(part, finder, u))
      continue;
    alive[kept++] = u;
    least = std::min(least, degree_[at(u)]);
    held += at(degree_[at(u)]);
  }
  Tally& tally = tallies_[at(round - from_)];
  lowerTo(tally.least, least);
  tally.left.fetch_add(kept, std::memory_order_relaxed);
  tally.held.fetch_add(held, std::memory_order_relaxed);
  if (kept < part.count) tally.frozen.fetch_add(part.count - kept, std::memory_order_relaxed);
  part.count = kept;
}

/// Returns whether u keeps a list.
template <class T>
bool RoundsOf<T>::join(Part& part, Finder<T>& finder, int u) {
  const int degree = degree_[at(u)];
  Arc<T>* list = list_[at(u)];
  int count = 0;
  part.going.clear();
  for (int k = 0; k < degree; ++k) {
    const Arc<T> arc = list[k];
    if (gone_[at(arc.head)] != kStays) {
      part.going.push_back(arc);
      continue;
    }
    finder.note(arc.head, count);
    list[count++] = arc;
  }
  int room = room_[at(u)];
  for (const Arc<T>& over : part.going) {
    const Arc<T>* const theirs = list_[at(over.head)];
    const int many = degree_[at(over.head)];
    if (count + many > room) {
      room = std::max(count + many, room + room / 2);
      list = std::copy_n(list, count, part.room.take(at(room))) - count;
    }
    for (int k = 0; k < many; ++k) {
      const int head = theirs[k].head;
      const T out = over.out + theirs[k].out, in = theirs[k].in + over.in;
      if (const int known = finder.find(list, count, head); known >= 0) {
        list[known].out = std::min(list[known].out, out);
        list[known].in = std::min(list[known].in, in);
      } else if (head != u) {
        finder.note(head, count);
        list[count++] = {head, std::min(kInfinity<T>, out), std::min(kInfinity<T>, in)};
      }
    }
  }
  if (count > kMost && count > degree) {
    degree_[at(u)] = kFrozen;
    return false;
  }
  list_[at(u)] = list;
  room_[at(u)] = room;
  degree_[at(u)] = count;
  return true;
}

/// Two neighbours of a vertex that has gone are adjacent, so they do not go in the same round. The
/// first of them to go is its parent.
template <class T>
void RoundsOf<T>::makePlan() {
  std::vector<int> parent(at(n_), -1);
  elimination.position.resize(at(n_));
  elimination.vertex.resize(at(n_));
  const auto parentOf = [this](int v) {
    int best = -1;
    for (int k = 0; k < degree_[at(v)]; ++k) {
      const int head = list_[at(v)][k].head;
      const auto isLower = [&] {
        if (isCore(head)) return isCore(best) && head < best;
        return isCore(best) || gone_[at(head)] < gone_[at(best)];
      };
      if (best == -1 || isLower()) best = head;
    }
    return best;
  };
  const int tasks = static_cast<int>(parts_.size());
  const auto findParents = [&](int task) {
    const int end = static_cast<int>(std::int64_t{n_} * (task + 1) / tasks);
    for (int v = static_cast<int>(std::int64_t{n_} * task / tasks); v < end; ++v)
      if (!isCore(v)) parent[at(v)] = parentOf(v);
  };
  runAll({phase(tasks, findParents)});
  number(sortByRounds(), parent);
  elimination.parent.resize(at(elimination.core));
  elimination.above.resize(at(elimination.core));
  const int core = elimination.core;
  const auto tell = [&](int task) {
    const int end = static_cast<int>(std::int64_t{core} * (task + 1) / tasks);
    for (int position = static_cast<int>(std::int64_t{core} * task / tasks); position < end;
         ++position) {
      const int v = elimination.vertex[at(position)], up = parent[at(v)];
      elimination.parent[at(position)] = up == -1 ? -1 : elimination.position[at(up)];
      elimination.above[at(position)] = degree_[at(v)];
    }
  };
  runAll({phase(tasks, tell)});
  for (const int above : elimination.above) elimination.arcs += at(above);
}

/// The vertices that have gone, in the order of their rounds, and of their numbers in each. Gives
/// the others the positions of the core.
template <class T>
std::vector<int> RoundsOf<T>::sortByRounds() {
  const int tasks = static_cast<int>(parts_.size());
  const std::size_t kinds = at(rounds) + 1;  // each round, and the core
  std::vector<int> places(kinds * at(tasks), 0);
  const auto kindOf = [&](int v) { return std::min(gone_[at(v)], rounds); };
  const auto forTask = [&](int task, const auto& visit) {
    const int end = static_cast<int>(std::int64_t{n_} * (task + 1) / tasks);
    int* const mine = places.data() + kinds * at(task);
    for (int v = static_cast<int>(std::int64_t{n_} * task / tasks); v < end; ++v)
      visit(v, mine[kindOf(v)]);
  };
  runAll({phase(tasks, [&](int task) { forTask(task, [](int, int& count) { ++count; }); })});
  int place = 0;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (kind + 1 == kinds) elimination.core = place;
    for (std::size_t task = 0; task < at(tasks); ++task)
      place += std::exchange(places[kind + kinds * task], place);
  }
  std::vector<int> order(at(n_));
  std::atomic<bool> anyFrozen{false};
  const auto sort = [&](int task) {
    forTask(task, [&](int v, int& next) {
      if (isCore(v)) {
        elimination.position[at(v)] = next;
        elimination.vertex[at(next)] = v;
        if (degree_[at(v)] == kFrozen) anyFrozen.store(true, std::memory_order_relaxed);
      }
      order[at(next++)] = v;
    });
  };
  runAll({phase(tasks, sort)});
  anyFrozen_ = anyFrozen;
  order.resize(at(elimination.core));
  return order;
}

/// As postorderPositions(), but by vertices: their places in `order` are not known. parent: of each
/// vertex that has gone.
template <class T>
void RoundsOf<T>::number(const std::vector<int>& order, const std::vector<int>& parent) {
  std::vector<int> size(at(n_), 1), last(at(n_));
  for (const int v : order)
    if (parent[at(v)] != -1) size[at(parent[at(v)])] += size[at(v)];
  int left = elimination.core;
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    const int up = parent[at(*v)];
    int& end = up == -1 || isCore(up) ? left : last[at(up)];
    const int position = end - 1;
    elimination.position[at(*v)] = position;
    elimination.vertex[at(position)] = *v;
    last[at(*v)] = position;
    end -= size[at(*v)];
  }
}

template <class T>
bool RoundsOf<T>::areOf(const Edges<T>& edges) const {
  if (edges.size() != weights_.size()) return false;
  constexpr int kEdgesOfATask = 1 << 14;
  std::atomic<bool> differ{false};
  inParts(static_cast<int>(edges.size()), kEdgesOfATask, [&](int begin, int end) {
    for (int e = begin; e < end; ++e)
      if (edges[at(e)].weight != weights_[at(e)]) return differ.store(true);
  });
  return !differ;
}

template <class T>
Hierarchy<T> RoundsOf<T>::hierarchy(const Edges<T>& edges, int threads) const {
  Hierarchy<T> all;
  all.n = n_;
  all.core = elimination.core;
  all.first.resize(at(elimination.core) + 1);
  for (int v = 0; v < elimination.core; ++v)
    all.first[at(v + 1)] = all.first[at(v)] + at(elimination.above[at(v)]);
  all.head.resize(all.first.back());
  all.up.resize(all.head.size());
  all.down.resize(all.head.size());
  constexpr int kPositionsOfATask = 512;
  const auto fill = [&](int task) {
    const int end = std::min(elimination.core, (task + 1) * kPositionsOfATask);
    for (int position = task * kPositionsOfATask; position < end; ++position) {
      const int v = elimination.vertex[at(position)], degree = degree_[at(v)];
      std::uint64_t sorted[kMost];  // positions, and places in the list
      for (int k = 0; k < degree; ++k)
        sorted[k] = at(elimination.position[at(list_[at(v)][k].head)]) << 32 | at(k);
      std::sort(sorted, sorted + degree);
      for (std::size_t k = 0, a = all.begin(position); a < all.end(position); ++k, ++a) {
        const Arc<T>& arc = list_[at(v)][sorted[k] & 0xffff];
        all.head[a] = static_cast<int>(sorted[k] >> 32);
        all.up[a] = arc.out;
        all.down[a] = arc.in;
      }
    }
  };
  all.between = emptyCore<T>(all.coreSize());
  runPhases({{(elimination.core + kPositionsOfATask - 1) / kPositionsOfATask, fill}}, threads);
  fillCore(all, edges, threads);
  return all;
}

/// An arc between two vertices of the core is in both lists, and each writes its own row. If one of
/// them went first, or one is frozen, it is in the list of the other one alone.
template <class T>
void RoundsOf<T>::fillCore(Hierarchy<T>& all, const Edges<T>& edges, int threads) const {
  constexpr int kRowsOfATask = 16;
  const auto fill = [&](int i) {
    const int v = elimination.vertex[at(elimination.core + i)];
    if (degree_[at(v)] == kFrozen) return;
    T* const row = all.row(elimination.core + i);
    for (int k = 0; k < degree_[at(v)]; ++k) {
      const Arc<T>& arc = list_[at(v)][k];
      const int j = elimination.position[at(arc.head)];
      row[j - elimination.core] = arc.out;
      if (gone_[at(v)] != kStays || degree_[at(arc.head)] == kFrozen) all.row(j)[i] = arc.in;
    }
  };
  const auto rows = [&](int task) {
    const int end = std::min(all.coreSize(), (task + 1) * kRowsOfATask);
    for (int i = task * kRowsOfATask; i < end; ++i) fill(i);
  };
  runPhases({{(all.coreSize() + kRowsOfATask - 1) / kRowsOfATask, rows}}, threads);
  if (anyFrozen_) addFrozen(all, edges);
}

/// What no list says: edges between two frozen vertices, and paths between them through a vertex
/// that has gone.
template <class T>
void RoundsOf<T>::addFrozen(Hierarchy<T>& all, const Edges<T>& edges) const {
  const auto isFrozen = [&](int v) { return degree_[at(v)] == kFrozen; };
  const auto lower = [&](int from, int to, T length) {
    T& known =
        all.row(elimination.position[at(from)])[elimination.position[at(to)] - elimination.core];
    known = std::min(known, length);
  };
  for (const Edge<T>& edge : edges)
    if (isFrozen(edge.from) && isFrozen(edge.to)) lower(edge.from, edge.to, edge.weight);
  std::vector<Arc<T>> some;
  for (int position = 0; position < elimination.core; ++position) {
    const int x = elimination.vertex[at(position)];
    some.clear();
    for (int k = 0; k < degree_[at(x)]; ++k)
      if (isFrozen(list_[at(x)][k].head)) some.push_back(list_[at(x)][k]);
    for (const Arc<T>& from : some)
      for (const Arc<T>& to : some)
        if (from.head != to.head) lower(from.head, to.head, from.in + to.out);
  }
}

}  // namespace

std::shared_ptr<const Rounds> eliminateInRounds(const Graph& graph, const Rates& rates,
                                                int threads) try {
  return withEdges(graph, [&](const auto& edges) -> std::shared_ptr<const Rounds> {
    using T = std::decay_t<decltype(edges[0].weight)>;
    const auto all = std::make_shared<RoundsOf<T>>(graph.n, edges, threads);
    all->run(rates);
    return all;
  });
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::kMemory, kOutOfMemory);
}

double roundsMilliseconds(int n, double edges, const Rates& rates, int threads) {
  const double inOrder = (edges * rates.arc + n * rates.vertex) * 1e3;
  return kBarriersMs + inOrder * kOfOrder / speedOf(threads);
}

template <class T>
bool areOf(const Rounds& rounds, const Edges<T>& edges) {
  const auto* const same = dynamic_cast<const RoundsOf<T>*>(&rounds);
  return same != nullptr && same->areOf(edges);
}

template <class T>
Hierarchy<T> hierarchyOf(const Rounds& rounds, const Edges<T>& edges, int threads) try {
  return dynamic_cast<const RoundsOf<T>&>(rounds).hierarchy(edges, threads);
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::kMemory, kOutOfMemory);
}

template bool areOf(const Rounds&, const Edges<std::int32_t>&);
template bool areOf(const Rounds&, const Edges<float>&);
template bool areOf(const Rounds&, const Edges<std::int64_t>&);
template bool areOf(const Rounds&, const Edges<double>&);
template Hierarchy<std::int32_t> hierarchyOf(const Rounds&, const Edges<std::int32_t>&, int);
template Hierarchy<float> hierarchyOf(const Rounds&, const Edges<float>&, int);
template Hierarchy<std::int64_t> hierarchyOf(const Rounds&, const Edges<std::int64_t>&, int);
template Hierarchy<double> hierarchyOf(const Rounds&, const Edges<double>&, int);

}  // namespace engine::sparse
