// What long work says of itself: what it is, how much of it is done, and for how long it has gone
// on. Nothing is printed here: whoever wants to show it looks at worksUnderWay().
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancel.h"

namespace engine {

/// What a piece of work is counted in.
enum class Units {
  kParts,  ///< that take about the same time each
  kBytes,  ///< the line tells how many, and how fast, where there is no telling how many in all
  kCalls,  ///< the line says which one; work that begins meanwhile is a part of that call
};

/// A piece of work at one moment.
struct WorkState {
  std::string what;
  Units units = Units::kParts;
  std::uint64_t done = 0, total = 0;  ///< total: 0 is not known
  double elapsed = 0, expected = 0;   ///< seconds; expected: 0 is not known
};

/// A piece of work, for as long as this object lives. What begins during it is told together with
/// it.
class Progress {
 public:
  /// total: units in all; 0: not known. An empty `what` leaves the name to the work around it.
  explicit Progress(std::string what, std::uint64_t total = 0, Units units = Units::kParts);
  /// Work that cannot be looked into and will take about so long; 0: not known.
  explicit Progress(std::chrono::duration<double> expected);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// So many units more are done; from any thread, at the price of one atomic addition.
  void advance(std::uint64_t units = 1) { done_.fetch_add(units, std::memory_order_relaxed); }
  void setTotal(std::uint64_t total) { total_.store(total, std::memory_order_relaxed); }

  WorkState state() const;
  /// The flag that can cancel it (base/cancel.h): which of several solves it belongs to.
  const std::atomic<bool>* owner() const { return owner_; }

 private:
  void begin();

  const std::string what_;
  const Units units_ = Units::kParts;
  std::atomic<std::uint64_t> done_{0}, total_{0};
  const double expected_ = 0;
  const std::atomic<bool>* const owner_ = cancelFlag();
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// All work that is under way.
struct WorksUnderWay {
  std::mutex mutex;                    ///< of all that follows
  std::vector<const Progress*> works;  ///< outermost first
  std::string between = "starting";    ///< what is known while there are none
  void (*whenNone)() = nullptr;        ///< called when the last one ends
  /// The mutex is held.
  std::vector<WorkState> states() const;
};
WorksUnderWay& worksUnderWay();

}  // namespace engine
