// What long work shows of itself on standard error: what it is, how much of it is done, for how
// long, and about how long it has to go. At a terminal that is one line, rewritten a few times a
// second from when a piece of work has taken over a second until it ends. Elsewhere nothing is
// printed unasked. SIGUSR1 asks for one line anywhere.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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
/// it, in one line. Whoever prints does so while none is alive: the line is gone then.
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

 private:
  void begin();

  const std::string what_;
  const Units units_ = Units::kParts;
  std::atomic<std::uint64_t> done_{0}, total_{0};
  const double expected_ = 0;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// From now on there is a line at a terminal, and one for each SIGUSR1. Without this, work shows
/// nothing.
void showProgress();

/// Erases the line and draws no other one.
void endProgress();

/// Wipes the line out, where there is one. Async-signal-safe.
void eraseProgress();

/// "apsp: reading g.gr: 43 %, 2.1 s so far, about 2.8 s left", in the characters of the locale.
/// Less than 1 % is not said. works: outermost first, at least one. If the line takes more than
/// `width` columns, its name is shortened().
std::string progressLine(const std::vector<WorkState>& works,
                         std::size_t width = std::string::npos);

/// "2.1 s", "45 s", "3 min 20 s", "2 h 5 min".
std::string durationText(double seconds);
