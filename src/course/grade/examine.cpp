#include "grade/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/quantity.h"
#include "base/size.h"
#include "check/check.h"
#include "generate/generate.h"
#include "negative/negative.h"
#include "submission/compile.h"
#include "system/utf8.h"

namespace {

/// A message as one line in which the hand-in's own path stands for the copy's. The path at its
/// beginning is left out.
std::string aboutHandIn(const Copied& submission, const std::string& message) {
  const std::string copy = submission.copy.string(), path = oneLine(submission.handIn.path);
  std::string line = oneLine(message);
  for (std::size_t at = 0; (at = line.find(copy, at)) != std::string::npos; at += path.size())
    line.replace(at, copy.size(), path);
  const std::string folder = submission.copy.parent_path().string() + "/";
  for (std::size_t at = 0; (at = line.find(folder, at)) != std::string::npos;)
    line.erase(at, folder.size());
  for (const std::string& prefix : {"kernel " + path + ": ", path + ": "})
    if (line.rfind(prefix, 0) == 0) return line.substr(prefix.size());
  return line;
}

/// The solver, with the hand-in's own path as its name.
Solver load(const Copied& submission, const Library& library, const Device& device,
            const SubmissionLimits& limits) {
  Solver solver = loadSubmission(submission.copy.string(), library, device, limits);
  solver.name = submission.handIn.path;
  return solver;
}

/// The result of a submission that cannot be built or loaded.
CheckResult notBuilt(const Copied& submission, const char* verdict, const std::string& message) {
  std::string reason = aboutHandIn(submission, message);
  for (const std::string& prefix : {std::string("loading: "), std::string(verdict) + ": ",
                                    oneLine(submission.handIn.path) + ": "})
    if (reason.rfind(prefix, 0) == 0) reason.erase(0, prefix.size());
  return {verdict, reason, {}, {}, {}, {}};
}

// ---- the check as JSON --------------------------------------------------------------------------

/// The mark of a cell, as document.h lists them.
char markOf(const CheckCell& cell) {
  if (cell.fault) return '!';
  if (cell.unsteady != 0) return '~';
  if (cell.mismatch.count != 0) return 'x';
  return cell.skipped ? '-' : '.';
}

std::string sizeOf(const CheckCell& cell) {
  return fmt::format("{}{}", cell.spec.n, cell.again ? " again" : "");
}

/// The sizes of all cells: those after a larger graph come last.
std::vector<std::string> sizesOf(const Check& check) {
  std::vector<std::pair<bool, int>> found;
  for (const CheckCell& cell : check.cells) found.emplace_back(cell.again, cell.spec.n);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<std::string> sizes;
  for (const auto& [again, n] : found)
    sizes.push_back(fmt::format("{}{}", n, again ? " again" : ""));
  return sizes;
}

/// The worse of two marks. Several graphs may share a family and a size.
char worse(char a, char b) {
  constexpr std::string_view kFromBest = " .-x~!";
  return kFromBest.find(a) > kFromBest.find(b) ? a : b;
}

Json failureOf(const Copied& submission, const CheckCell& cell) {
  const Mismatch& m = cell.mismatch;
  const std::string text = cell.fault ? aboutHandIn(submission, cell.faultText)
                           : m.count != 0
                               ? fmt::format("{}; first ({}, {}): expected {}, got {}",
                                             counted(m.count, "entry differs", "entries differ"),
                                             m.i, m.j, textOf(m.expected), textOf(m.got))
                               : "two runs differ in " + counted(cell.unsteady, "entry", "entries");
  return {{"graph", describe(cell.spec)},
          {"again", cell.again},
          {"result", cell.fault     ? "fault"
                     : m.count != 0 ? "wrong"
                                    : "unsteady"},
          {"text", jsonString(text)}};
}

Json checkJson(const Copied& submission, const Check& check) {
  const std::vector<std::string> sizes = sizesOf(check);
  Json families = Json::object(), failures = Json::array();
  std::string failed;  // the last family in `failures`
  for (const CheckCell& cell : check.cells) {
    const std::string name = familyOf(cell.spec).name;
    std::string marks = families.value(name, std::string(sizes.size(), ' '));
    char& mark = marks[asSize(std::find(sizes.begin(), sizes.end(), sizeOf(cell)) - sizes.begin())];
    mark = worse(mark, markOf(cell));
    families[name] = marks;
    if (cell.failed() && std::exchange(failed, name) != name)
      failures.push_back(failureOf(submission, cell));
  }
  return {{"graphs", check.cells.size()},
          {"failed", check.failed()},
          {"seconds", check.seconds},
          {"sizes", sizes},
          {"seed", std::to_string(check.options.seed)},
          {"families", families},
          {"failures", failures}};
}

Json witnessJson(const Check& check) {
  if (!check.witness) return {};
  const Spec& spec = *check.witness;
  return {{"graph", describe(spec)},
          {"family", familyOf(spec).name},
          {"n", spec.n},
          {"seed", std::to_string(spec.seed)},
          {"range", spec.range},
          {"options", optionsOf(spec)},
          {"matrices", check.matrices}};
}

/// Why a check failed, in one line.
std::string reasonOf(const Copied& submission, const Check& check, const CheckCell& first) {
  if (first.fault) return aboutHandIn(submission, first.faultText);
  return fmt::format("{} of {} results {} wrong: {}", check.failed(), check.cells.size(),
                     check.failed() == 1 ? "is" : "are", check.diagnosis.sentence);
}

/// Whether other submissions may be to blame: they took the time, the memory or the threads. If the
/// kernel has no more memory, it kills any process; without a thread, OpenMP ends its own.
bool dependsOnOthers(const CheckCell& failed) {
  for (const SolveFault::Kind kind : {SolveFault::kHang, SolveFault::kSlow, SolveFault::kNoMemory,
                                      SolveFault::kCrash, SolveFault::kExit})
    if (failed.fault == kind) return true;
  return false;
}

CheckResult resultOf(const Copied& submission, const Check& check) {
  CheckResult result{kPass,
                     "",
                     check.diagnosis,
                     check.warnings(),
                     checkJson(submission, check),
                     witnessJson(check)};
  const auto cell = std::find_if(check.cells.begin(), check.cells.end(),
                                 [](const CheckCell& each) { return each.failed(); });
  if (cell == check.cells.end()) return result;
  result.verdict = cell->fault ? nameOf(*cell->fault) : "wrong";
  result.dependsOnOthers = dependsOnOthers(*cell);
  result.reason = reasonOf(submission, check, *cell);
  return result;
}

/// Whether an error says something of the submission, and not only that this program could not
/// grade it now.
bool isTheirs(const Error& error) {
  return error.code == ErrorCode::kInput || dynamic_cast<const SolveFault*>(&error) != nullptr;
}

/// The result of building and checking it, but for the seconds.
CheckResult builtAndChecked(const Copied& submission, const Device& device,
                            const CheckOptions& options, const SubmissionLimits& limits,
                            const std::function<void(const Library&)>& built) {
  try {
    const Library library = libraryOf(submission.copy.string(), device, limits);
    built(library);
    const auto loaded = [&](const Library& from, const SubmissionLimits& given) {
      const Solver solver = load(submission, from, device, given);
      return options.negative ? withNegativeWeights(solver) : solver;
    };
    const auto fresh = [&] { return loaded(library, limits); };
    std::optional<Library> filling;  // on a GPU it is another one, which is never timed
    const auto filled = [&](unsigned char byte) {
      SubmissionLimits withByte = limits;
      withByte.fill = byte;
      if (!filling && device.kind() == DeviceKind::kCpu) filling = library;
      if (!filling) filling = libraryOf(submission.copy.string(), device, withByte);
      return loaded(*filling, withByte);
    };
    return resultOf(submission, check(fresh, device, options, nullptr, filled));
  } catch (const BuildError& error) {
    return notBuilt(submission, "does not compile", error.what());
  } catch (const Error& error) {
    if (!isTheirs(error)) throw Error(error.code, aboutHandIn(submission, error.what()));
    return notBuilt(submission, "cannot be loaded", error.what());
  }
}

}  // namespace

std::string renamed(const std::string& line, const HandIn& from, const HandIn& to) {
  const std::filesystem::path before = from.path, after = to.path;
  // The compiler names files without their folder.
  const std::string path = oneLine(before.string()), name = oneLine(before.filename().string());
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    if (line.compare(at, path.size(), path) == 0) {
      out += oneLine(after.string());
      at += path.size();
    } else if (before.has_extension() && line.compare(at, name.size(), name) == 0) {
      out += oneLine(after.filename().string());
      at += name.size();
    } else {
      out += line[at++];
    }
  }
  return out;
}

CheckResult examine(const Copied& submission, const Device& device, const CheckOptions& options,
                    SubmissionLimits limits, const std::function<void(const Built&)>& built) {
  limits = checkingLimits(limits);
  limits.alone = false;  // other graders may check on this device
  const auto begin = std::chrono::steady_clock::now();
  double buildSeconds = -1;
  const auto note = [&](const Library& library) {
    buildSeconds = secondsSince(begin);
    built({buildSeconds, library});
  };
  CheckResult result = builtAndChecked(submission, device, options, limits, note);
  const double seconds = secondsSince(begin);
  result.buildSeconds = buildSeconds < 0 ? seconds : buildSeconds;  // < 0: it cannot be built
  result.checkSeconds = seconds - result.buildSeconds;
  // The compiler, or loading, may have been stopped at its limit.
  constexpr double kLeastLimit = 60;
  if (result.check.is_null() && seconds >= kLeastLimit) result.dependsOnOthers = true;
  return result;
}

SolverTimes timeOf(const Copied& submission, const std::optional<Library>& library,
                   const Device& device, const SubmissionLimits& limits, SolverTimer& timer) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    const Library built = library ? *library : libraryOf(submission.copy.string(), device, limits);
    SolverTimes times = timer.time(load(submission, built, device, limits));
    times.reason = aboutHandIn(submission, times.reason);
    times.seconds = secondsSince(begin);
    return times;
  } catch (const Error& error) {
    if (!isTheirs(error)) throw Error(error.code, aboutHandIn(submission, error.what()));
    SolverTimes times;
    times.verdict = "cannot be loaded";
    times.reason = aboutHandIn(submission, error.what());
    times.seconds = secondsSince(begin);
    return times;
  }
}
