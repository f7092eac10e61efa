#include "grade/phase.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/clock.h"
#include "base/quantity.h"
#include "system/progress_line.h"
#include "system/screen.h"

std::string Milestones::line(std::uint64_t done, double seconds) {
  constexpr double kApart = 30;
  if (total_ == 0 || done == 0 || done >= total_) return "";
  const std::uint64_t tenth = 10 * done / total_;
  if (tenth == said_ || seconds - saidAt_ < kApart) return "";
  said_ = tenth;
  saidAt_ = seconds;
  const double left = seconds * static_cast<double>(total_ - done) / static_cast<double>(done);
  return fmt::format("{} of {} in {}, about {} left", done, total_, durationText(seconds),
                     durationText(left));
}

GradingPhase::GradingPhase(const std::string& doing, std::string verb, std::uint64_t total, Say say)
    : verb_(std::move(verb)),
      total_(total),
      say_(std::move(say)),
      sparse_(terminalColumns(STDERR_FILENO) == std::string::npos),
      milestones_(total),
      progress_(std::make_unique<Progress>(doing, total)) {}

void GradingPhase::reach(std::uint64_t done) {
  if (done <= done_) return;
  progress_->advance(done - std::exchange(done_, done));
  if (say_ == nullptr || !sparse_) return;
  const std::string line = milestones_.line(done, secondsSince(began_));
  if (!line.empty()) say_(fmt::format("{} {}\n", verb_, line));
}

void GradingPhase::end(const std::string& more) {
  progress_ = nullptr;  // the line at the terminal is gone before another one is printed
  if (say_ == nullptr) return;
  say_(fmt::format("{} {} of {} in {}{}\n", verb_, done_, counted(total_, "submission"),
                   durationText(secondsSince(began_)), more));
}

std::string phasesLine(const Phases& phases) {
  return fmt::format("{}: building {}, checking {}, timing {} in all; this run took {}\n",
                     counted(phases.files, "submission"), durationText(phases.building),
                     durationText(phases.checking), durationText(phases.timing),
                     durationText(phases.run));
}

std::string keptLine(const Kept& kept, std::size_t submissions) {
  if (kept.checks == 0) return "";
  return fmt::format("kept from earlier runs: the checks of {} of {}, the times of {}\n",
                     kept.checks, counted(submissions, "submission"), kept.times);
}
