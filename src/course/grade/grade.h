// `apsp grade`: checks, times and ranks the submissions of a folder.
#pragma once

#include <functional>
#include <memory>

#include "grade/graded.h"

/// One grading of a folder, which other processes may share. First everything is checked, then what
/// passed is timed, one submission at a time with no check on the same device.
class Grader {
 public:
  /// Finds the hand-ins and reads the rubric. Throws Error(kInput) if there is no submission or the
  /// rubric is wrong, Error(kOutput) if the CSV file cannot be written or is not ours. Keeps a
  /// reference to the device.
  Grader(const GradeOptions& options, const Device& device);
  ~Grader();

  /// Grades what is not graded yet, and returns all hand-ins, ranked. A submission that this
  /// program cannot grade now (no nvcc, no memory) has a `trouble`; the next run tries it again.
  /// The CSV files are replaced whenever something is found out.
  ///
  /// interrupted(what is found so far): is called if SIGINT or SIGTERM ends it (io/interrupt.h).
  /// say(line): is called when a phase begins or ends, and sometimes in between (phase.h).
  Graded run(const std::function<void(const Graded&)>& interrupted = nullptr,
             const std::function<void(const std::string&)>& say = nullptr);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};
