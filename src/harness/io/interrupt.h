// What happens if a signal ends this process: what was found so far is reported, and no temporary
// file is left.
#pragma once

#include <functional>
#include <mutex>

/// From now on SIGINT, SIGTERM, SIGHUP, SIGPIPE and exit() remove the temporary files of this
/// process before they end it.
void removeTemporariesOnSignals();

/// From now on SIGINT and SIGTERM end this process with the exit code `code`, if
/// removeTemporariesOnSignals() was called.
void exitOnInterrupts(int code);

/// A report of what was found so far. While this object lives, the first SIGINT or SIGTERM calls
/// `report` in a thread of its own, flushes standard output, and then ends this process. Of several
/// objects the newest reports first. The process does not wait for what is being computed. It ends
/// without the report if the report takes longer than 10 seconds, or at a second signal.
class InterruptReport {
 public:
  explicit InterruptReport(std::function<void()> report);
  ~InterruptReport();
  InterruptReport(const InterruptReport&) = delete;
  InterruptReport& operator=(const InterruptReport&) = delete;

 private:
  std::function<void()> report_;
};

/// Keeps reports from running until the lock is released. Hold it while data changes that a report
/// reads, and while something is printed or written that a report must not repeat, but never during
/// long work.
std::unique_lock<std::mutex> holdInterruptReports();
