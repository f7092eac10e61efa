// A grading: what is asked for, and what it found so far.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/cases.h"
#include "device/device.h"
#include "grade/result.h"
#include "grade/rubric.h"
#include "grade/store.h"
#include "measure/timing.h"
#include "submission/submission.h"

struct GradeOptions {
  std::string folder;
  std::vector<int> sizes;  ///< numbers of vertices, ascending; the last one decides the ranks
  bool full = false;       ///< check thoroughly (CheckOptions::kFull, else kQuick)
  bool general = false, negative = false;  ///< the contract, as in CheckOptions
  MeasureOptions measuring;
  SubmissionLimits limits;
  /// With which all graphs are drawn, to repeat a grade. 0: each submission gets one that is drawn
  /// and noted.
  std::uint64_t seed = 0;
  std::string rubric;          ///< its file; "": none
  std::string csv;             ///< the file of grades; "" or standard output: none is kept
  bool byteOrderMark = false;  ///< its files begin with one
  bool checkOnly = false;      ///< time nothing
  int jobs = 1;                ///< processes that check at once
  /// Hand-ins and solvers of this program to time again, and whether all are that were disturbed.
  std::vector<std::string> again = {};
  std::vector<std::string> only = {};  ///< hand-ins to grade; none: all
  std::string students;                ///< the file of students; "": none
  bool mayBeEmpty = false;             ///< the folder need not have a submission yet
  bool forOne = false;                 ///< it must have exactly one
  bool againDisturbed = false;
  bool withoutPoints = false;  ///< the points in `csv` may be dropped
  bool replace = false;        ///< rows in `csv` of hand-ins that are gone may be dropped
  std::vector<std::string> outputs = {};  ///< other files that are written, no hand-ins
  /// If jobs > 1: the words after this program's name that make a process check all hand-ins of
  /// these options and time none, except --csv and --rubric.
  std::vector<std::string> checkingWords = {};

  /// What to check, but for the seed.
  CheckOptions checkOptions() const;
  const char* depth() const { return full ? "full" : "quick"; }
  int largest() const { return sizes.back(); }
  /// What confines a submission, see Submitted::sandbox; "" of anything else.
  std::string sandboxOf(bool submission) const;
};

/// How long the phases of a grading took, in seconds, added up over all submissions. Earlier runs
/// count, too. So does each of several processes that worked at the same time.
struct Phases {
  std::size_t files = 0;  ///< submissions that were checked
  double building = 0, checking = 0, timing = 0;
  double run = 0;  ///< this run, by the clock
};

/// How much of a grading earlier runs found out: submissions that were checked, and timed.
struct Kept {
  std::size_t checks = 0, times = 0;
};

struct Graded {
  GradeOptions options;
  DeviceKind kind = DeviceKind::kCpu;
  DeviceInfo device;
  std::optional<Rubric> rubric;
  std::shared_ptr<const Roster> roster;  ///< nullptr without
  std::vector<Reference> references;     ///< `ref` first; none before the first submission is timed
  std::vector<Grade> grades;
  std::vector<std::string> notes;  ///< lines about processes that failed
  double runSeconds = 0;           ///< since this run began
  Kept kept = {};

  std::size_t submissions() const;  ///< all but those that are left out
  std::size_t done() const;         ///< submissions of which nothing is left to do
  /// The hand-ins of a student, in the order of their last changes, and those of one time by name.
  /// The last one counts. What is left out is among them only if nothing else is: a report does not
  /// replace a program.
  std::vector<const Grade*> handInsOf(const Student& student) const;
  Phases phases() const;
  /// The command that repeats the calls of which these are the times, on the same graphs in the
  /// same order. kernel: the file of a submission, or a solver of this program.
  std::string commandFor(const std::string& kernel, bool submission, const SizeTimes& times) const;
  /// The command that checks a submission again on the same graphs. file: its path there.
  std::string checkCommand(const Grade& grade, const std::string& file) const;
};
