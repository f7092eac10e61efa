#include "grade/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "generate/generate.h"
#include "io/output.h"
#include "io/unwritable.h"
#include "measure/result_store.h"
#include "system/environment.h"
#include "system/sha256.h"
#include "system/shell.h"
#include "system/utf8.h"

namespace {

/// Milliseconds with at most 9 digits, as the CSV files have them.
double rounded(double value) {
  return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr);
}

// ---- documents ----------------------------------------------------------------------------------

Json toJson(const Warnings& warnings) {
  Json sizes = Json::object();
  for (const auto& [warning, of] : warnings.sizes()) sizes[jsonString(warning)] = of;
  return {{"tried", warnings.tried()}, {"sizes", sizes}};
}

Warnings warningsOf(const Json& json) {
  Warnings warnings;
  for (const int n : json.at("tried")) warnings.add(n, "");
  for (const auto& [warning, of] : json.at("sizes").items())
    for (const int n : of) warnings.add(n, warning);
  return warnings;
}

Json toJson(const CheckResult& result) {
  return {{"verdict", jsonString(result.verdict)},
          {"reason", jsonString(result.reason)},
          {"pattern", jsonString(result.diagnosis.pattern)},
          {"sentence", jsonString(result.diagnosis.sentence)},
          {"warnings", toJson(result.warnings)},
          {"check", result.check},
          {"witness", result.witness},
          {"build_s", result.buildSeconds},
          {"check_s", result.checkSeconds}};
}

Json toJson(const Built& built) {
  return {{"seconds", built.seconds},
          {"library", jsonString(built.library.path)},
          {"content", built.library.content}};
}

Built builtOf(const Json& json) {
  return {json.at("seconds"), {json.at("library"), json.at("content")}};
}

CheckResult checkOf(const Json& json) {
  return {json.at("verdict"),
          json.at("reason"),
          {json.at("pattern"), json.at("sentence")},
          warningsOf(json.at("warnings")),
          json.at("check"),
          json.at("witness"),
          json.at("build_s"),
          json.at("check_s")};
}

Json toJson(const SolverTimes& result) {
  Json sizes = Json::array();
  for (const SizeTimes& each : result.sizes) sizes.push_back(toJson(each));
  return {{"verdict", jsonString(result.verdict)},
          {"reason", jsonString(result.reason)},
          {"warnings", toJson(result.warnings)},
          {"times", sizes},
          {"seconds", result.seconds}};
}

SolverTimes timesOf(const Json& json) {
  SolverTimes result;
  for (const Json& each : json.at("times")) result.sizes.push_back(sizeTimesOf(each));
  result.verdict = json.at("verdict");
  result.reason = json.at("reason");
  result.warnings = warningsOf(json.at("warnings"));
  result.seconds = json.at("seconds");
  return result;
}

/// The timings of one solver. The first one has the place that it had when it was the only one.
constexpr char kMore[] = "more";

Json toJson(const std::vector<SolverTimes>& timings) {
  Json json = toJson(timings.front());
  json[kMore] = Json::array();
  for (std::size_t i = 1; i < timings.size(); ++i) json[kMore].push_back(toJson(timings[i]));
  return json;
}

std::vector<SolverTimes> timingsOf(const Json& json) {
  std::vector<SolverTimes> timings = {timesOf(json)};
  for (const Json& each : json.value(kMore, Json::array())) timings.push_back(timesOf(each));
  return timings;
}

// ---- files that nobody else can have written ----------------------------------------------------

/// Throws Error(kOutput) if another user can change what is opened.
void requireOwn(const Descriptor& opened, const std::string& path) {
  struct stat status {};
  if (fstat(opened.number, &status) != 0)
    throw Error(ErrorCode::kOutput, fmt::format("{}: {}", path, std::strerror(errno)));
  if (status.st_uid != geteuid())
    throw Error(ErrorCode::kOutput,
                fmt::format("{}: belongs to another user (id {}), who can forge the results in it: "
                            "give another --csv, or grade as that user",
                            path, status.st_uid));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Error(ErrorCode::kOutput,
                fmt::format("{0}: others can write to it and forge results: move it away, or, if "
                            "you trust what it holds: chmod -R go-w {1}",
                            path, shellWord(path)));
}

[[noreturn]] void failToMake(const std::string& folder, int error) {
  // The user has named the file beside it.
  const std::string csv = endsWith(folder, ".d") ? folder.substr(0, folder.size() - 2) : folder;
  throw Error(ErrorCode::kOutput,
              fmt::format("{}: {}{}", folder, std::strerror(error), adviceOnWriting(csv, error)));
}

/// Opens a folder of this user alone. Makes it if it is missing.
int openOwn(int at, const std::string& name) {
  constexpr mode_t kMode = 0755;
  if (mkdirat(at, name.c_str(), kMode) != 0 && errno != EEXIST) failToMake(name, errno);
  const int opened = openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) failToMake(name, errno);
  return opened;
}

/// Makes the folders above a store. Returns where its links lead.
std::string placeOf(const std::string& folder) {
  const std::filesystem::path target = trustedTarget(folder);
  std::error_code error;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), error);
  if (error) failToMake(folder, error.value());
  return target.string();
}

/// Files that are made meanwhile can be written by this user only.
struct WritableByUs {
  const mode_t before = umask(S_IWGRP | S_IWOTH);
  WritableByUs() { umask(before | S_IWGRP | S_IWOTH); }
  ~WritableByUs() { umask(before); }
  WritableByUs(const WritableByUs&) = delete;
  WritableByUs& operator=(const WritableByUs&) = delete;
};

/// The document in a text, made by `of`; nothing if there is none or it is damaged.
template <class Of>
auto parsed(const std::optional<std::string>& text, const Of& of)
    -> std::optional<decltype(of(Json()))> {
  if (!text) return std::nullopt;
  try {
    return of(parseJson(*text));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Json toJson(const SizeTimes& times) {
  const Timing& t = times.timing;
  Json calls = Json::array(), seeds = Json::array();
  for (const double ms : t.calls) calls.push_back(rounded(ms));
  for (const std::uint64_t seed : times.seeds) seeds.push_back(std::to_string(seed));
  return {{"n", times.n},
          {"median_ms", rounded(t.median)},
          {"q1_ms", rounded(t.q1)},
          {"q3_ms", rounded(t.q3)},
          {"min_ms", rounded(t.minimum)},
          {"max_ms", rounded(t.maximum)},
          {"spread_pct", rounded(times.spread())},
          {"outliers", t.outliers},
          {"warmup", t.warmup},
          {"reps", t.reps},
          {"calls_ms", calls},
          {"naive_ms", times.naive > 0 ? Json(rounded(times.naive)) : Json()},
          {"speedup", times.speedup() > 0 ? Json(rounded(times.speedup())) : Json()},
          {"cost_ms", rounded(times.cost)},
          {"events_ms", rounded(times.events)},
          {"seeds", seeds},
          {"disturbed", times.disturbed ? times.causes : ""},
          {"doubt", jsonString(times.doubt)},
          {"verified", times.verified},
          {"family", kTimedFamily},
          {"hash", times.hash}};
}

SizeTimes sizeTimesOf(const Json& json) {
  SizeTimes times;
  times.n = json.at("n");
  Timing& t = times.timing;
  t.median = json.at("median_ms");
  t.q1 = json.at("q1_ms");
  t.q3 = json.at("q3_ms");
  t.minimum = json.at("min_ms");
  t.maximum = json.at("max_ms");
  t.outliers = json.at("outliers");
  t.warmup = json.value("warmup", 1);  // earlier versions did not note it
  t.reps = json.at("reps");
  t.calls = json.at("calls_ms").get<std::vector<double>>();
  times.cost = json.at("cost_ms");
  times.events = json.at("events_ms");
  for (const Json& seed : json.at("seeds"))
    times.seeds.push_back(std::strtoull(seed.get<std::string>().c_str(), nullptr, 10));
  times.causes = json.at("disturbed");
  times.disturbed = !times.causes.empty();
  times.doubt = json.at("doubt");
  times.verified = json.at("verified");
  times.hash = json.value("hash", "");  // earlier versions did not note it
  return times;
}

// ---- the folder ---------------------------------------------------------------------------------

namespace {
constexpr char kLocks[] = "/.locks", kDocument[] = ".json", kFolderFile[] = "hand-ins";
}

std::string documentId(const std::string& name, const std::string& key) {
  constexpr std::size_t kDigits = 24;  // more than a student can find a second content for
  return safeName(name) + "-" + sha256(key).substr(0, kDigits);
}

/// Does some work with files of the folder. They are reached through its descriptor: its path may
/// lead to another folder meanwhile. Messages have its path.
template <class Work>
auto GradeStore::inFolder(const Work& work) const {
  const std::string by = fmt::format("/proc/self/fd/{}", folder_.number);
  try {
    return work(by);
  } catch (const Error& error) {
    std::string text = error.what();
    for (std::size_t at; (at = text.find(by)) != std::string::npos;)
      text.replace(at, by.size(), path_);
    throw Error(error.code, text);
  }
}

GradeStore::GradeStore(const std::string& folder)
    : path_(placeOf(folder)), folder_(openOwn(AT_FDCWD, path_)) {
  requireOwn(folder_, path_);
  inFolder([&](const std::string& by) {
    const std::string locks = by + kLocks;
    requireOwn(Descriptor(openOwn(AT_FDCWD, locks)), locks);
  });
}

/// The content of a file; nothing if it is missing.
std::optional<std::string> GradeStore::read(const std::string& name) const {
  return inFolder([&](const std::string& by) -> std::optional<std::string> {
    const std::string path = by + "/" + name;
    const int opened = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0) return std::nullopt;
    const Descriptor descriptor(opened);
    requireOwn(descriptor, path);
    std::ifstream file(fmt::format("/proc/self/fd/{}", descriptor.number), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  });
}

void GradeStore::write(const std::string& name, const std::string& content) const {
  const WritableByUs mode;
  inFolder([&](const std::string& by) { OutputFile(by + "/" + name).finish(content); });
}

std::optional<Built> GradeStore::findBuilt(const std::string& id) const {
  return parsed(read(id + kDocument), builtOf);
}

std::optional<CheckResult> GradeStore::findCheck(const std::string& id) const {
  return parsed(read(id + kDocument), checkOf);
}

std::optional<SolverTimes> GradeStore::findTimes(const std::string& id) const {
  return parsed(read(id + kDocument), timesOf);
}

std::vector<SolverTimes> GradeStore::findTimings(const std::string& id) const {
  return parsed(read(id + kDocument), timingsOf).value_or(std::vector<SolverTimes>{});
}

void GradeStore::write(const std::string& id, const Built& built) const {
  write(id + kDocument, jsonText(toJson(built)));
}

void GradeStore::write(const std::string& id, const CheckResult& result) const {
  write(id + kDocument, jsonText(toJson(result)));
}

void GradeStore::write(const std::string& id, const SolverTimes& result) const {
  write(id + kDocument, jsonText(toJson(result)));
}

void GradeStore::write(const std::string& id, const std::vector<SolverTimes>& timings) const {
  write(id + kDocument, jsonText(toJson(timings)));
}

void GradeStore::remove(const std::string& id) const {
  const std::string name = id + kDocument;
  if (unlinkat(folder_.number, name.c_str(), 0) != 0 && errno != ENOENT)
    throw Error(ErrorCode::kOutput, fmt::format("{}/{}: {}", path_, name, std::strerror(errno)));
}

std::string GradeStore::handInFolder() const {
  return read(kFolderFile).value_or("");
}

void GradeStore::noteHandInFolder(const std::string& path) const {
  write(kFolderFile, path);
}

FileLock GradeStore::lock(const std::string& id, FileLock::Mode mode) const {
  const WritableByUs unshared;
  return inFolder([&](const std::string& by) {
    FileLock lock(by + kLocks + "/" + id, mode);
    if (mode != FileLock::kShared && lock.holder().empty()) lock.sign();
    return lock;
  });
}

FileLock GradeStore::lock(const Device& device, FileLock::Mode mode) const {
  const std::string& uuid = device.info().uuid;
  return lock(
      fmt::format("device-{}-{}", safeName(hostName()), uuid.empty() ? "cpu" : safeName(uuid)),
      mode);
}
