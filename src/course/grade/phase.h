// A phase of a grading as people see it: one line at a terminal, a few lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/progress.h"
#include "grade/graded.h"

/// Decides when a line says how much of a phase is done: after each tenth of it, and not more often
/// than every 30 seconds.
class Milestones {
 public:
  explicit Milestones(std::uint64_t total) : total_(total) {}

  /// "20 of 200 in 45 s, about 6 min 45 s left", or "" if no line is due. done: submissions of
  /// `total`; seconds: since the phase began.
  std::string line(std::uint64_t done, double seconds);

 private:
  const std::uint64_t total_;
  std::uint64_t said_ = 0;  // tenths
  double saidAt_ = 0;       // seconds
};

class GradingPhase {
 public:
  /// What prints a line; nullptr: nothing is printed.
  using Say = std::function<void(const std::string&)>;

  /// doing: "checking hand-ins", for the line at a terminal. verb: "checked", for the other lines.
  GradingPhase(const std::string& doing, std::string verb, std::uint64_t total, Say say);

  /// So many submissions are done now.
  void reach(std::uint64_t done);
  /// Says "checked 7 of 7 submissions in 12 s", followed by `more`.
  void end(const std::string& more = "");

 private:
  const std::string verb_;
  const std::uint64_t total_;
  const Say say_;
  const bool sparse_;  // standard error is no terminal, which would show a line of its own
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Milestones milestones_;
  std::unique_ptr<Progress> progress_;
  std::uint64_t done_ = 0;
};

/// "7 submissions: building 0.0 s, checking 12 s, timing 4.5 s in all; this run took 17 s".
std::string phasesLine(const Phases& phases);

/// "kept from earlier runs: the checks of 5 of 7 submissions, the times of 3"; "" if nothing was.
std::string keptLine(const Kept& kept, std::size_t submissions);
