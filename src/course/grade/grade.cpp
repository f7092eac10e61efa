#include "grade/grade.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/size.h"
#include "generate/generate.h"
#include "grade/examine.h"
#include "grade/feedback.h"
#include "grade/phase.h"
#include "grade/rows.h"
#include "grade/supervisor.h"
#include "io/interrupt.h"
#include "io/output.h"
#include "measure/clocks.h"
#include "measure/doubt.h"
#include "submission/sandbox.h"
#include "system/environment.h"
#include "system/exit.h"
#include "system/nearest.h"
#include "system/process.h"
#include "system/shell.h"
#include "system/utf8.h"

namespace {

/// The solvers of this program that are timed beside the submissions, `ref` first.
constexpr const char* kReferences[] = {"ref", "apsp"};

/// Whether the grades are kept in a file.
bool isKept(const GradeOptions& options) {
  return !options.csv.empty() && !isStandardOutput(options.csv);
}

/// What determines every result: the device and this program.
std::string keyOf(const DeviceInfo& device) {
  return fmt::format("{}|{}|{}|{}", device.name, gitRevision(), gitDirty(), buildDescription());
}

bool isIn(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The names after a flag whose list was split at each comma, with the commas that belong to a
/// name.
std::vector<std::string> joinedTo(const std::vector<std::string>& known,
                                  const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < given.size();) {
    std::string joined = given[at], name = joined;
    std::size_t end = at + 1;
    for (std::size_t next = end; next < given.size(); ++next) {
      joined += "," + given[next];
      if (!isIn(known, joined)) continue;
      name = joined;
      end = next + 1;
    }
    names.push_back(name);
    at = end;
  }
  return names;
}

/// Returns the names after this flag. Throws Error(kUsage) if one is neither a hand-in nor among
/// `others`.
std::vector<std::string> knownNames(const char* flag, const std::vector<std::string>& given,
                                    const std::vector<Grade>& grades,
                                    std::vector<std::string> others) {
  for (const Grade& grade : grades) others.push_back(grade.handIn.name);
  std::vector<std::string> names = joinedTo(others, given);
  for (const std::string& name : names)
    if (!isIn(others, name))
      throw Error(ErrorCode::kUsage, oneLine(fmt::format("{}: no hand-in '{}': {}", flag, name,
                                                         suggestion(name, others))));
  return names;
}

/// Notes whose hand-in it is, when it was changed, and whether it is to be graded.
void identify(Grade& grade, const Graded& graded) {
  std::error_code unknown;
  grade.changed = std::filesystem::last_write_time(grade.handIn.path, unknown);
  if (graded.roster != nullptr) grade.student = graded.roster->of(grade.handIn.name);
  grade.asked = graded.options.only.empty() || isIn(graded.options.only, grade.handIn.name);
}

/// Says of whom there are several hand-ins, and which of them counts.
std::vector<std::string> severalOfOne(const Graded& graded) {
  std::vector<std::string> lines;
  if (graded.roster == nullptr) return lines;
  for (const Student& student : graded.roster->all()) {
    const std::vector<const Grade*> grades = graded.handInsOf(student);
    if (grades.size() < 2) continue;
    std::string names;
    for (const Grade* grade : grades) names += (names.empty() ? "" : ", ") + grade->handIn.name;
    lines.push_back(
        oneLine(fmt::format("{} hand-ins of {}: {}: the last one counts, which was "
                            "changed last",
                            grades.size(), student.name, names)));
  }
  return lines;
}

Graded begin(const GradeOptions& options, const Device& device) {
  Graded graded;
  graded.options = options;
  graded.kind = device.kind();
  graded.device = device.info();
  if (!options.rubric.empty())
    graded.rubric = readRubric(options.rubric, options.sizes, options.checkOptions());
  std::vector<std::string> outputs = options.outputs;
  if (isKept(options))
    outputs.insert(outputs.end(), {options.csv, sizesFile(options.csv), options.csv + ".d"});
  for (HandIn& handIn : findHandIns(options.folder, device.kind(), outputs)) {
    Grade& grade = graded.grades.emplace_back();
    grade.handIn = std::move(handIn);
  }
  if (graded.submissions() == 0 && !options.mayBeEmpty) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: no submission here: no source, .so, archive or folder with {}",
                            options.folder,
                            fmt::join(submissionNames(device.kind() == DeviceKind::kGpu), ", ")));
  }
  if (options.forOne) onlyHandIn(graded);
  graded.options.again = knownNames("--again", options.again, graded.grades,
                                    {std::begin(kReferences), std::end(kReferences)});
  graded.options.only = knownNames("--only", options.only, graded.grades, {});
  if (!options.students.empty()) graded.roster = std::make_shared<Roster>(options.students);
  for (Grade& grade : graded.grades) identify(grade, graded);
  if (isKept(options)) {
    requireOurs(options.csv);
    requireNothingLost(graded);
  }
  return graded;
}

}  // namespace

CheckOptions GradeOptions::checkOptions() const {
  CheckOptions check;
  check.depth = full ? CheckOptions::kFull : CheckOptions::kQuick;
  check.general = general;
  check.negative = negative;
  check.seconds = limits.checkSeconds();
  return check;
}

std::string GradeOptions::sandboxOf(bool submission) const {
  return submission ? sandboxName(limits.sandboxed) : "";
}

std::size_t Graded::submissions() const {
  return asSize(std::count_if(grades.begin(), grades.end(),
                              [](const Grade& grade) { return grade.isSubmission(); }));
}

std::size_t Graded::done() const {
  return asSize(std::count_if(grades.begin(), grades.end(),
                              [](const Grade& g) { return g.isSubmission() && g.done(); }));
}

std::vector<const Grade*> Graded::handInsOf(const Student& student) const {
  std::vector<const Grade*> found, leftOut;
  for (const Grade& grade : grades)
    if (grade.student == &student) (grade.isSubmission() ? found : leftOut).push_back(&grade);
  if (found.empty()) found = std::move(leftOut);
  std::sort(found.begin(), found.end(), [](const Grade* a, const Grade* b) {
    return std::tie(a->changed, a->handIn.name) < std::tie(b->changed, b->handIn.name);
  });
  return found;
}

Phases Graded::phases() const {
  Phases all;
  all.run = runSeconds;
  for (const Grade& grade : grades) {
    if (!grade.check) continue;
    ++all.files;
    all.building += grade.check->buildSeconds;
    all.checking += grade.check->checkSeconds;
    if (grade.times) all.timing += grade.times->seconds;
  }
  return all;
}

std::string Graded::commandFor(const std::string& kernel, bool submission,
                               const SizeTimes& times) const {
  std::string flags;
  if (submission && !options.limits.sandboxed) flags += " --unsandboxed";
  if (submission && options.limits.callSeconds != SubmissionLimits().callSeconds)
    flags += fmt::format(" --time-limit {}", options.limits.callSeconds);
  if (submission && options.limits.cxxFlags != kCxxFlags)
    flags += " --cxxflags " + shellWord(options.limits.cxxFlags);
  return fmt::format(
      "{} --family {} --n {} --seed {} --vary --warmup {} --reps {} --device {}{} --kernel {} "
      "--verify apsp",
      programAsTyped(), kTimedFamily, times.n, fmt::join(times.seeds, " "), times.timing.warmup,
      times.timing.reps, nameOf(kind), flags, shellWord(kernel));
}

std::string Graded::checkCommand(const Grade& grade, const std::string& file) const {
  std::string flags = kind == DeviceKind::kCpu ? " --host" : "";
  if (grade.check && grade.check->check.contains("seed"))
    flags += " --seed " + grade.check->check.at("seed").get<std::string>();
  if (options.limits.cxxFlags != kCxxFlags)
    flags += " --cxxflags " + shellWord(options.limits.cxxFlags);
  const std::string contract = contractOf(options.checkOptions());
  if (contract != kContracts[0]) flags += " --contract " + contract;
  return fmt::format("{} check --{}{} --kernel {}", programAsTyped(), options.depth(), flags,
                     shellWord(file));
}

/// What a grader does, on `found_`. Reports of an interrupt read that, therefore it changes only
/// while they are held.
class Grader::Work {
 public:
  Work(const GradeOptions& options, const Device& device)
      : device_(device),
        found_(begin(options, device)),
        store_(csv() + ".d"),
        timer_(device, options.sizes, options.measuring, options.seed) {}

  Graded run(const std::function<void(const Graded&)>& interrupted, const GradingPhase::Say& say);

 private:
  // ---- documents
  /// The file beside which the store lies.
  std::string csv() const {
    return isKept(found_.options) ? found_.options.csv : (private_.path() / "grades.csv").string();
  }
  CheckOptions checkOptions() const;
  std::string planKey() const;
  std::string checkKey(const Grade& grade) const;
  std::string timesKey(const std::string& key) const;
  std::string identityId(const char* what, const Grade& grade) const;
  std::string buildId(const Grade& grade) const;
  std::string checkId(const Grade& grade) const;
  std::string timesId(const Grade& grade) const;
  std::string referenceId(const char* name) const;
  bool refresh(Grade& grade);
  void refreshAll();
  void publish();

  // ---- grading
  template <class Is>
  std::vector<Grade*> those(const Is& is);
  bool hasTwin(const Grade& grade) const;
  Files read(Grade& grade);
  bool check(Grade& grade);
  bool time(Grade& grade);
  bool hold(Grade& grade, const FileLock& claim);
  template <class Is>
  const Grade* twinOf(const Grade& grade, const Is& is);
  std::optional<Library> libraryOf(const Grade& grade);
  template <class F>
  void attempt(Grade& grade, const char* doing, const F& work);
  template <class Wanted>
  void timeReferences(const Wanted& wanted);
  void forget();
  void noteKept();
  void requireSameFolder() const;
  void timeReferencesAfterClass();
  void checkAll();
  void timeAll();
  int checkers() const;
  void checkInProcesses();
  void await(std::vector<std::unique_ptr<Process>>& processes, const std::function<bool()>& done);
  std::unique_ptr<Process> startProcess() const;
  Graded ranked() const;

  const Device& device_;
  PrivateFolder private_;
  Graded found_;
  const GradeStore store_;
  SolverTimer timer_;
  GradingPhase::Say say_;
  bool timed_ = false;  ///< a submission was timed in this run
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// ---- documents ----------------------------------------------------------------------------------

CheckOptions Grader::Work::checkOptions() const {
  CheckOptions options = found_.options.checkOptions();
  options.seed = found_.options.seed != 0 ? found_.options.seed : drawSeed();
  return options;
}

/// All that determines the result of a check but the hand-in.
std::string Grader::Work::planKey() const {
  const GradeOptions& options = found_.options;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}", options.depth(), contractOf(options.checkOptions()),
                     options.seed, options.limits.callSeconds, options.sandboxOf(true),
                     options.limits.cxxFlags, keyOf(found_.device));
}

std::string Grader::Work::checkKey(const Grade& grade) const {
  return fmt::format("{}|{}|{}", grade.handIn.name, grade.digest, planKey());
}

std::string Grader::Work::identityId(const char* what, const Grade& grade) const {
  return documentId(what, timesKey(grade.identity + "|" + planKey()));
}

std::string Grader::Work::timesKey(const std::string& key) const {
  const GradeOptions& options = found_.options;
  return fmt::format("{}|{}|{}|{}|{}", key, fmt::join(options.sizes, " "), options.measuring.warmup,
                     options.measuring.reps, options.measuring.asked);
}

std::string Grader::Work::buildId(const Grade& grade) const {
  return documentId("build-" + grade.handIn.name, checkKey(grade));
}

std::string Grader::Work::checkId(const Grade& grade) const {
  return documentId("check-" + grade.handIn.name, checkKey(grade));
}

std::string Grader::Work::timesId(const Grade& grade) const {
  return documentId("times-" + grade.handIn.name, timesKey(checkKey(grade)));
}

std::string Grader::Work::referenceId(const char* name) const {
  return documentId(std::string("solver-") + name,
                    timesKey(fmt::format("{}|{}", name, keyOf(found_.device))));
}

/// Takes over what is in the store. Returns whether that is more than was known.
bool Grader::Work::refresh(Grade& grade) {
  if (grade.done() || grade.digest.empty()) return false;
  std::optional<CheckResult> check;
  if (!grade.check) check = store_.findCheck(checkId(grade));
  std::optional<SolverTimes> times;
  if (grade.passes() || (check && check->verdict == kPass))
    times = store_.findTimes(timesId(grade));
  if (!check && !times) return false;
  const auto held = holdInterruptReports();
  if (check) grade.check = std::move(check);
  if (times) grade.times = std::move(times);
  grade.holder.clear();
  return true;
}

void Grader::Work::refreshAll() {
  std::vector<Reference> references;
  for (const char* name : kReferences)
    if (const auto timings = store_.findTimings(referenceId(name)); !timings.empty())
      references.push_back({name, countingTimes(timings)});
    else
      break;  // speedups refer to the first one
  for (Grade& grade : found_.grades) refresh(grade);
  const auto held = holdInterruptReports();
  found_.references = std::move(references);
}

/// The grades with everything that follows from all of them: bases, points, ranks.
Graded Grader::Work::ranked() const {
  Graded graded = found_;
  graded.runSeconds = secondsSince(began_);
  const auto compare = [&](std::vector<SizeTimes>& sizes) {
    for (std::size_t at = 0; at < sizes.size(); ++at)
      sizes[at].naive = graded.references.front().times.at(at).timing.median;
  };
  if (!graded.references.empty()) {
    for (Reference& each : graded.references) compare(each.times);
    for (Grade& grade : graded.grades)
      if (grade.times) compare(grade.times->sizes);
  }
  const std::vector<std::string> several = severalOfOne(graded);
  graded.notes.insert(graded.notes.end(), several.begin(), several.end());
  for (Grade& grade : graded.grades)
    for (const Grade& other : found_.grades)
      if (other.isTwinOf(grade) && other.handIn.name != grade.handIn.name)
        grade.sameAs.push_back(other.handIn.name);
  rank(graded.grades);
  for (Grade& grade : graded.grades) {
    if (graded.rubric && grade.isSubmission() && grade.done())
      grade.points = pointsOf(*graded.rubric, grade);
  }
  return graded;
}

/// Replaces the CSV files. Another grader may do so, too: who comes later has read more.
void Grader::Work::publish() {
  if (!isKept(found_.options)) return;
  const FileLock table = store_.lock("table", FileLock::kAlone);
  refreshAll();
  const Graded graded = ranked();
  const std::string mark(found_.options.byteOrderMark ? kByteOrderMark : "");
  OutputFile(csv()).finish(mark + gradesCsv(graded));
  OutputFile(sizesFile(csv())).finish(mark + sizesCsv(graded));
}

// ---- grading ------------------------------------------------------------------------------------

namespace {

bool isSource(const Grade& grade) {
  return grade.isSubmission() && (grade.handIn.packed || languageOf(grade.handIn.path) != nullptr);
}

bool waitsForCheck(const Grade& grade) {
  return grade.asked && grade.isSubmission() && !grade.check && !grade.done() &&
         grade.trouble == Exit::kOk;
}

bool waitsForTime(const Grade& grade) {
  return grade.asked && grade.passes() && !grade.times && grade.trouble == Exit::kOk;
}

/// How many of these still wait.
template <class Waits>
std::size_t left(const std::vector<Grade*>& grades, const Waits& waits) {
  return asSize(std::count_if(grades.begin(), grades.end(),
                              [&](const Grade* grade) { return waits(*grade); }));
}

/// ": 5 are right" of those that are checked.
std::string rightAmong(const std::vector<Grade*>& grades) {
  const std::size_t right = left(grades, [](const Grade& grade) { return grade.passes(); });
  return fmt::format(": {} {} right", right, right == 1 ? "is" : "are");
}

// Which timings of a solver of this program call for another one.

bool isMissing(const char*, const std::vector<SolverTimes>& timings) {
  return timings.empty();
}
bool endsAClass(const char*, const std::vector<SolverTimes>& timings) {
  return timings.size() < 2 || anyDisturbed(countingTimes(timings));
}

}  // namespace

/// Whether a hand-in with the same content is checked.
bool Grader::Work::hasTwin(const Grade& grade) const {
  return std::any_of(found_.grades.begin(), found_.grades.end(),
                     [&](const Grade& other) { return other.isTwinOf(grade) && other.check; });
}

template <class Is>
std::vector<Grade*> Grader::Work::those(const Is& is) {
  std::vector<Grade*> found;
  for (Grade& grade : found_.grades)
    if (is(grade)) found.push_back(&grade);
  return found;
}

/// Reads a hand-in. Its content may have changed since it was read before.
Files Grader::Work::read(Grade& grade) {
  Files files;
  std::string digest, identity, file, refused;
  try {
    files = readHandIn(grade.handIn);
    digest = digestOf(files, grade.handIn.hasFolder());
    identity = identityOf(files);
    file = submissionFile(grade.handIn, files);
  } catch (const Error& error) {
    refused = oneLine(error.what());
    const std::string prefix = oneLine(grade.handIn.path) + ": ";
    if (refused.rfind(prefix, 0) == 0) refused.erase(0, prefix.size());
  }
  if (identity == grade.identity && refused == grade.refused) return files;
  const auto held = holdInterruptReports();
  grade.digest = digest;
  grade.identity = identity;
  grade.file = file;
  grade.refused = refused;
  grade.fingerprints = fingerprintsOf(files);
  grade.check.reset();
  grade.times.reset();
  return files;
}

/// Notes who holds a claim; returns whether this process does.
bool Grader::Work::hold(Grade& grade, const FileLock& claim) {
  const auto held = holdInterruptReports();
  grade.holder = claim.holder();
  return claim.holder().empty();
}

/// Does some work on a hand-in, and notes our own error that prevents it. doing: as for AtWork.
template <class F>
void Grader::Work::attempt(Grade& grade, const char* doing, const F& work) {
  const auto fail = [&](Exit code, const std::string& text) {
    const auto held = holdInterruptReports();
    grade.trouble = code;
    grade.troubleText = oneLine(text);
  };
  if (const std::string death = deathAt(grade.handIn.name); !death.empty())
    return fail(Exit::kMismatch, death);
  try {
    const AtWork working(doing, grade.handIn.name);
    work();
  } catch (const Error& error) {
    fail(exitOf(error.code), error.what());
  } catch (const std::bad_alloc&) {
    fail(Exit::kMemory, "out of host memory");
  }
}

/// A hand-in with the same content for which is(…) holds; nullptr if there is none. What others
/// found out meanwhile counts, too.
template <class Is>
const Grade* Grader::Work::twinOf(const Grade& grade, const Is& is) {
  for (Grade& other : found_.grades) {
    if (!other.isTwinOf(grade)) continue;
    refresh(other);
    if (is(other)) return &other;
  }
  return nullptr;
}

/// Checks a hand-in unless that is done or another process does it. The same content gets the same
/// result: otherwise a submission that is right by chance would gain by being handed in twice.
/// Returns whether it is checked now and was not before.
bool Grader::Work::check(Grade& grade) {
  if (!grade.isSubmission() || grade.check || grade.trouble != Exit::kOk) return false;
  const Files files = read(grade);
  if (!grade.refused.empty()) return false;
  const std::string id = checkId(grade);
  const FileLock claim = store_.lock(id, FileLock::kTry);
  if (refresh(grade) || !hold(grade, claim)) return grade.check.has_value();
  const FileLock same = store_.lock(identityId("same-check", grade), FileLock::kTry);
  if (!hold(grade, same)) return false;
  attempt(grade, "checking", [&] {
    if (const Grade* const twin = twinOf(grade, [](const Grade& each) { return each.check; })) {
      CheckResult result = *twin->check;
      result.buildSeconds = result.checkSeconds = 0;
      result.reason = renamed(result.reason, twin->handIn, grade.handIn);
      if (!result.check.is_null())
        for (Json& failure : result.check.at("failures"))
          failure.at("text") = renamed(failure.at("text"), twin->handIn, grade.handIn);
      store_.write(id, result);
      refresh(grade);
      return;
    }
    const auto copy = copyOf(grade.handIn, files, private_.path());
    const auto built = [&](const Built& what) {
      if (isSource(grade)) store_.write(buildId(grade), what);
    };
    const auto examined = [&](FileLock::Mode mode) {
      const FileLock use = store_.lock(device_, mode);
      return examine({grade.handIn, *copy}, device_, checkOptions(), found_.options.limits, built);
    };
    CheckResult result = examined(FileLock::kShared);
    // Others may have taken its time or memory. What it does alone counts.
    if (result.dependsOnOthers) result = examined(FileLock::kAlone);
    store_.write(id, result);
    refresh(grade);
  });
  publish();
  return grade.check.has_value();
}

/// Times `ref` and the others once more if wanted(name, timings) says so, which may drop their
/// earlier timings. All graders that share the store use the result.
template <class Wanted>
void Grader::Work::timeReferences(const Wanted& wanted) {
  for (const char* name : kReferences) {
    const std::string id = referenceId(name);
    // The order of these two locks is the same everywhere, therefore no two graders wait for each
    // other.
    const FileLock claim = store_.lock(id, FileLock::kAlone);
    std::vector<SolverTimes> timings = store_.findTimings(id);
    if (!wanted(name, timings)) continue;
    const FileLock use = store_.lock(device_, FileLock::kAlone);
    timings.push_back(timer_.time(findSolver(name, device_.kind())));
    if (!timings.back().reason.empty()) throw Error(ErrorCode::kMismatch, timings.back().reason);
    store_.write(id, timings);
  }
  refreshAll();
}

/// Another folder may have files with the same names. Throws Error(kUsage) if the grades of the
/// file would be replaced by those of other contents from another folder, and the options do not
/// say so. The same contents may lie elsewhere, for example on another machine.
void Grader::Work::requireSameFolder() const {
  if (!isKept(found_.options)) return;
  const std::string here = std::filesystem::weakly_canonical(found_.options.folder).string();
  const std::string before = store_.handInFolder();
  if (before == here) return;
  if (!before.empty() && !found_.options.replace && hasOtherContents(found_))
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: has grades of other files with the same names, those in {}: give "
                            "another --csv, or --replace to replace them by those of {}",
                            csv(), oneLine(before), found_.options.folder));
  store_.noteHandInFolder(here);
}

/// Drops the times that are to be measured again, also those of hand-ins with the same content, but
/// for what another process works on. `ref` and the others keep theirs until the new ones are
/// known.
void Grader::Work::forget() {
  const GradeOptions& options = found_.options;
  if (options.again.empty() && !options.againDisturbed) return;
  const auto isMeant = [&](const Grade& grade) {
    return isIn(options.again, grade.handIn.name) ||
           (options.againDisturbed && !grade.disturbed().empty());
  };
  const std::vector<Grade*> meant = those(isMeant);
  const auto isToGo = [&](const Grade& grade) {
    const auto isSame = [&](const Grade* other) {
      return other == &grade || other->isTwinOf(grade);
    };
    return grade.times && std::any_of(meant.begin(), meant.end(), isSame);
  };
  for (Grade* grade : those(isToGo)) {
    const std::string id = timesId(*grade);
    const FileLock claim = store_.lock(id, FileLock::kTry);
    if (!claim.holder().empty()) continue;
    store_.remove(id);
    const auto held = holdInterruptReports();
    grade->times.reset();
  }
  timeReferences([&](const char* name, std::vector<SolverTimes>& timings) {
    if (isIn(options.again, name)) timings.clear();
    return isIn(options.again, name) ||
           (options.againDisturbed && anyDisturbed(countingTimes(timings)));
  });
}

/// Times `ref` and the others once more if a submission was timed in this run. That they cannot be
/// timed then takes no grade away.
void Grader::Work::timeReferencesAfterClass() {
  if (!timed_) return;
  try {
    timeReferences(endsAClass);
  } catch (const Error& error) {
    const auto held = holdInterruptReports();
    found_.notes.push_back(
        oneLine(fmt::format("timing ref and apsp after the class: {}", error.what())));
  }
}

/// The library that was built for the check of this hand-in, or of one with the same content;
/// nothing if there is none any more.
std::optional<Library> Grader::Work::libraryOf(const Grade& grade) {
  std::optional<Library> library;
  const auto find = [&](const Grade& each) {
    if (const auto built = store_.findBuilt(buildId(each))) library = keptLibrary(built->library);
    return library.has_value();
  };
  if (isSource(grade) && !find(grade)) twinOf(grade, find);
  return library;
}

/// Times a hand-in that passed the check, likewise.
bool Grader::Work::time(Grade& grade) {
  if (!grade.passes() || grade.times || grade.trouble != Exit::kOk) return false;
  const Files files = read(grade);
  if (!grade.passes()) return false;  // it changed
  const std::string id = timesId(grade);
  const FileLock claim = store_.lock(id, FileLock::kTry);
  if (refresh(grade) || !hold(grade, claim)) return grade.times.has_value();
  const FileLock same = store_.lock(identityId("same-times", grade), FileLock::kTry);
  if (!hold(grade, same)) return false;
  attempt(grade, "timing", [&] {
    const auto isTimed = [](const Grade& each) {
      return each.counts() || (each.times && !each.times->verdict.empty());
    };
    if (const Grade* const twin = twinOf(grade, isTimed)) {
      SolverTimes times = *twin->times;
      times.seconds = 0;
      times.reason = renamed(times.reason, twin->handIn, grade.handIn);
      store_.write(id, times);
      refresh(grade);
      return;
    }
    if (const std::string why = obstacleTo(clocksOf(device_)); !why.empty())
      throw Error(ErrorCode::kGpu, why);
    if (found_.references.size() < std::size(kReferences)) timeReferences(isMissing);
    const FileLock use = store_.lock(device_, FileLock::kAlone);
    timed_ = true;
    const auto copy = copyOf(grade.handIn, files, private_.path());
    store_.write(id, timeOf({grade.handIn, *copy}, libraryOf(grade), device_, found_.options.limits,
                            timer_));
    refresh(grade);
  });
  publish();
  return grade.times.has_value();
}

void Grader::Work::checkAll() {
  const std::vector<Grade*> waiting = those(waitsForCheck);
  if (waiting.empty()) return;
  const bool builds = std::any_of(waiting.begin(), waiting.end(),
                                  [](const Grade* grade) { return isSource(*grade); });
  GradingPhase checking("checking hand-ins", builds ? "built and checked" : "checked",
                        waiting.size(), say_);
  for (Grade* grade : waiting) {
    check(*grade);
    checking.reach(waiting.size() - left(waiting, waitsForCheck));
  }
  checking.end(rightAmong(waiting));
}

void Grader::Work::timeAll() {
  const std::vector<Grade*> waiting = those(waitsForTime);
  if (waiting.empty()) return;
  if (say_ != nullptr)
    say_(fmt::format("timing {} at n = {}\n", counted(waiting.size(), "submission"),
                     fmt::join(found_.options.sizes, ", ")));
  GradingPhase timing("timing submissions", "timed", waiting.size(), say_);
  for (Grade* grade : waiting) {
    time(*grade);
    timing.reach(waiting.size() - left(waiting, waitsForTime));
  }
  timing.end();
}

// ---- several processes --------------------------------------------------------------------------

/// How many processes check at once. On the CPU each gets two cores: if the threads of a submission
/// took turns on one, a race between them would show less often.
int Grader::Work::checkers() const {
  const int jobs = found_.options.jobs;
  return device_.kind() == DeviceKind::kCpu ? std::clamp(omp_get_max_threads() / 2, 1, jobs) : jobs;
}

/// A process that checks what nobody has checked yet. Its temporary files lie in our folder, and
/// the processes share the cores.
std::unique_ptr<Process> Grader::Work::startProcess() const {
  const GradeOptions& options = found_.options;
  std::vector<std::string> argv = {
      "/usr/bin/env", "TMPDIR=" + private_.path().string(),
      fmt::format("OMP_NUM_THREADS={}", std::max(1, omp_get_max_threads() / checkers())),
      std::filesystem::read_symlink("/proc/self/exe").string()};
  argv.insert(argv.end(), options.checkingWords.begin(), options.checkingWords.end());
  argv.insert(argv.end(), {"--csv", csv()});
  if (options.replace) argv.push_back("--replace");
  if (found_.rubric) {
    const std::string rubric = (private_.path() / "rubric.json").string();  // it may be a pipe
    OutputFile(rubric).finish(found_.rubric->text);
    argv.insert(argv.end(), {"--rubric", rubric});
  }
  return std::make_unique<Process>(argv);
}

/// Waits for these processes until `done` or all have ended. Processes that fail for the same
/// reason say it once.
void Grader::Work::await(std::vector<std::unique_ptr<Process>>& processes,
                         const std::function<bool()>& done) {
  constexpr double kPollSeconds = 0.2;
  std::set<std::string> failures(found_.notes.begin(), found_.notes.end());
  while (!processes.empty()) {
    if (processes.back()->await(kPollSeconds)) {
      const int status = processes.back()->stop(1);
      const std::string said = processes.back()->takeOutput();
      processes.pop_back();
      if (status != 0 && !said.empty())
        failures.insert("a checking process failed: " + lastLine(said));
    }
    for (Grade& grade : found_.grades) refresh(grade);
    for (Grade& grade : found_.grades)
      if (waitsForCheck(grade) && hasTwin(grade)) check(grade);
    if (done()) break;
  }
  done();  // the last process may have ended before this was called
  const auto held = holdInterruptReports();
  found_.notes.assign(failures.begin(), failures.end());
}

void Grader::Work::checkInProcesses() {
  const std::vector<Grade*> waiting = those(waitsForCheck);
  if (waiting.empty()) return;
  std::vector<std::unique_ptr<Process>> processes;
  const int count = checkers();
  if (count < found_.options.jobs && say_ != nullptr)
    say_(fmt::format("--jobs {}: {} at once, because each check takes two cores ({} here)\n",
                     found_.options.jobs, count, omp_get_max_threads()));
  for (int i = 0; i < count; ++i) processes.push_back(startProcess());
  const std::string at =
      " in " + counted(static_cast<std::uint64_t>(count), "process", "processes");
  std::vector<Grade*> unbuilt;
  std::copy_if(waiting.begin(), waiting.end(), std::back_inserter(unbuilt),
               [](const Grade* grade) { return isSource(*grade); });
  const auto waitsForBuild = [&](const Grade& grade) {
    return waitsForCheck(grade) && !store_.findBuilt(buildId(grade));
  };
  if (!unbuilt.empty()) {
    GradingPhase building("building and checking hand-ins" + at, "built", unbuilt.size(), say_);
    await(processes, [&] {
      const std::size_t unknown = left(unbuilt, waitsForBuild);
      building.reach(unbuilt.size() - unknown);
      return unknown == 0;
    });
    building.end();
  }
  GradingPhase checking("checking hand-ins" + at, "checked", waiting.size(), say_);
  await(processes, [&] {
    checking.reach(waiting.size() - left(waiting, waitsForCheck));
    return false;
  });
  checking.end(rightAmong(waiting));
}

/// Notes how much an earlier run found out.
void Grader::Work::noteKept() {
  const auto held = holdInterruptReports();
  for (const Grade& grade : found_.grades) {
    if (grade.check) ++found_.kept.checks;
    if (grade.times) ++found_.kept.times;
  }
}

Graded Grader::Work::run(const std::function<void(const Graded&)>& interrupted,
                         const GradingPhase::Say& say) {
  say_ = say;
  const InterruptReport report([&] {
    if (interrupted) interrupted(ranked());
    private_.remove();
  });
  {
    Progress reading("reading hand-ins", found_.grades.size());
    for (Grade& grade : found_.grades) {
      if (grade.isSubmission()) read(grade);
      reading.advance();
    }
  }
  requireSameFolder();
  refreshAll();
  forget();
  noteKept();
  publish();
  // After a death one at a time: too many at once may have been the cause.
  if (found_.options.jobs > 1 && !hasDied()) checkInProcesses();
  // What another process held at first may be free after some time, for example if it was killed.
  for (std::size_t done = 0, before = ~done; done != before;) {
    before = done;
    checkAll();
    if (!found_.options.checkOnly) timeAll();
    done = found_.done();
    const bool held = std::any_of(found_.grades.begin(), found_.grades.end(),
                                  [](const Grade& grade) { return !grade.holder.empty(); });
    if (!held) break;
  }
  if (!found_.options.checkOnly) {
    const auto isTimed = [](const Grade& grade) { return grade.times.has_value(); };
    if (!those(isTimed).empty()) timeReferences(isMissing);  // a damaged document
    timeReferencesAfterClass();
  }
  refreshAll();
  publish();
  return ranked();
}

Grader::Grader(const GradeOptions& options, const Device& device)
    : work_(std::make_unique<Work>(options, device)) {}

Grader::~Grader() = default;

Graded Grader::run(const std::function<void(const Graded&)>& interrupted,
                   const std::function<void(const std::string&)>& say) {
  return work_->run(interrupted, say);
}
