// What grading found out about one hand-in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "check/result.h"
#include "grade/hand_ins.h"
#include "grade/near_copies.h"
#include "grade/students.h"
#include "grade/timing.h"
#include "io/json.h"
#include "submission/compile.h"
#include "system/exit.h"

inline constexpr char kPass[] = "pass";

/// That a submission was built.
struct Built {
  double seconds = 0;
  Library library;  ///< which may be gone meanwhile
};

/// What building and checking a submission found.
struct CheckResult {
  std::string verdict;  ///< kPass, "wrong", a fault, "does not compile", "cannot be loaded"
  std::string reason;   ///< one line; "" of kPass
  Diagnosis diagnosis;  ///< of wrong results
  Warnings warnings;    ///< of all calls
  Json check, witness;  ///< as grades.json has them (document.h), null without; no `command`
  double buildSeconds = 0, checkSeconds = 0;
  bool dependsOnOthers = false;  ///< others may have taken its time or memory; not in the store
};

/// The points of one line of a rubric.
struct PointsLine {
  std::string line;  ///< "pass", "family ring", "speed n=1000"
  double points = 0, of = 0;
  std::string why;
};

struct Grade {
  HandIn handIn;
  std::string digest;         ///< digestOf() its content; "" if it was not read
  std::string identity = "";  ///< identityOf() its content; "" if it was not read
  std::string file = "";      ///< submissionFile() of its content; "" if it was not read
  std::string refused;        ///< why it cannot be read; "" if it can
  std::optional<CheckResult> check;
  std::optional<SolverTimes> times;  ///< only if the check passed
  std::string holder;                ///< the process that checks or times it now; "" if none does
  Exit trouble = Exit::kOk;          ///< our own error that prevented grading it now
  std::string troubleText;
  int rank = 0;                                   ///< from 1 among those that count; 0: none
  std::optional<std::vector<PointsLine>> points;  ///< none without a rubric, or if not graded
  const Student* student = nullptr;               ///< who handed it in; nullptr: not known
  std::filesystem::file_time_type changed = {};   ///< when the file or folder was changed last
  bool asked = true;                              ///< it is to be graded now
  std::vector<std::string> sameAs = {};           ///< names of hand-ins with the same content
  Fingerprints fingerprints = {};                 ///< of its sources

  bool isSubmission() const { return handIn.leftOut.empty(); }
  bool passes() const { return check && check->verdict == kPass; }
  /// Whether nothing is left to do: it is left out, failed or has its times.
  bool done() const;
  /// One of the verdicts that document.h lists, and one line that says why; "" of "pass".
  std::string verdict() const;
  std::string reason() const;
  /// Warnings::line() of all calls.
  std::string warning() const;
  /// "n = 200 (spread), n = 400 (load)", the times that were disturbed; "" if none was.
  std::string disturbed() const;
  /// Whether both have the same content.
  bool isTwinOf(const Grade& other) const {
    return this != &other && !identity.empty() && identity == other.identity;
  }
  /// Whether its times count: everything is right, and no time is refused.
  bool counts() const { return verdict() == kPass; }
};

/// Numbers the grades that count by their time at the largest size, and sorts: those with a rank,
/// other submissions by name, and what is left out. Who has a rank shares it with those after it
/// whose quartiles overlap with those of all others that share it: their times do not tell which is
/// faster.
void rank(std::vector<Grade>& grades);
