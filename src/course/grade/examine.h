// Builds and checks one submission, or times it, on a private copy.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "check/cases.h"
#include "device/device.h"
#include "grade/result.h"
#include "submission/submission.h"

/// A submission that is ready to run: the hand-in, and the private copy of its file.
struct Copied {
  const HandIn& handIn;
  std::filesystem::path copy;
};

/// Builds and checks it. built(…) is called between the two. If it cannot be built, the result says
/// why. Throws Error if this program cannot check it now: no nvcc, no memory.
CheckResult examine(const Copied& submission, const Device& device, const CheckOptions& options,
                    SubmissionLimits limits, const std::function<void(const Built&)>& built);

/// A message about one hand-in, as one about another hand-in with the same content.
std::string renamed(const std::string& line, const HandIn& from, const HandIn& to);

/// Times it. library: the one that was checked; nothing: it is built again. Throws Error like
/// examine().
SolverTimes timeOf(const Copied& submission, const std::optional<Library>& library,
                   const Device& device, const SubmissionLimits& limits, SolverTimer& timer);
