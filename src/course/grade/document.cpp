#include "grade/document.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/error.h"
#include "system/environment.h"
#include "system/shell.h"
#include "system/utf8.h"

namespace {

Json textOrNull(const std::string& value) {
  return value.empty() ? Json() : jsonString(value);
}

Json programJson() {
  return {{"version", programVersion()},
          {"revision", gitRevision()},
          {"dirty", gitDirty()},
          {"build", buildDescription()}};
}

Json deviceJson(const Graded& graded) {
  const DeviceInfo& device = graded.device;
  return {{"kind", nameOf(graded.kind)},   {"name", jsonString(device.name)},
          {"uuid", device.uuid},           {"driver", device.driver},
          {"runtime", device.runtime},     {"units", device.units},
          {"host", jsonString(hostName())}};
}

Json clocksJson(const Clocks& clocks) {
  return {{"core_mhz", clocks.coreMHz},
          {"memory_mhz", clocks.memoryMHz},
          {"throttle", clocks.throttle},
          {"other_users", clocks.otherUsers}};
}

Json planJson(const GradeOptions& options) {
  return {{"folder", jsonString(options.folder)},
          {"depth", options.depth()},
          {"contract", contractOf(options.checkOptions())},
          {"sizes", options.sizes},
          {"warmup", options.measuring.warmup},
          {"reps", options.measuring.reps},
          {"time_limit_s", options.limits.callSeconds}};
}

Json phasesJson(const Phases& phases) {
  return {{"files", phases.files},
          {"building_s", phases.building},
          {"checking_s", phases.checking},
          {"timing_s", phases.timing},
          {"run_s", phases.run}};
}

Json secondsJson(const Grade& grade) {
  return {{"build", grade.check ? Json(grade.check->buildSeconds) : Json()},
          {"check", grade.check ? Json(grade.check->checkSeconds) : Json()},
          {"time", grade.times ? Json(grade.times->seconds) : Json()}};
}

Json rubricJson(const std::optional<Rubric>& rubric) {
  if (!rubric) return {};
  Json lines = Json::array();
  for (const PointsLine& line : linesOf(*rubric))
    lines.push_back({{"line", line.line}, {"points", line.of}});
  return {
      {"title", jsonString(rubric->title)}, {"points", most(linesOf(*rubric))}, {"lines", lines}};
}

/// kernel, submission: whose times they are, see Graded::commandFor().
Json timesJson(const Graded& graded, const std::string& kernel, bool submission,
               const std::vector<SizeTimes>& sizes) {
  Json times = Json::array();
  for (const SizeTimes& each : sizes) {
    times.push_back(toJson(each));
    times.back()["command"] = jsonString(graded.commandFor(kernel, submission, each));
  }
  return times;
}

Json diagnosisJson(const Grade& grade) {
  if (!grade.check || grade.check->diagnosis.pattern.empty()) return {};
  const Diagnosis& diagnosis = grade.check->diagnosis;
  return {{"pattern", diagnosis.pattern}, {"sentence", jsonString(diagnosis.sentence)}};
}

/// The witness, with the command that solves it with this hand-in.
Json witnessJson(const Graded& graded, const Grade& grade) {
  if (!grade.check || grade.check->witness.is_null()) return {};
  Json witness = grade.check->witness;
  witness["command"] = jsonString(fmt::format(
      "{} {} --device {} --kernel {} --verify", programAsTyped(),
      witness.at("options").get<std::string>(), nameOf(graded.kind), shellWord(grade.handIn.path)));
  witness.erase("options");
  return witness;
}

std::string commandOf(const Graded& graded, const Grade& grade) {
  return grade.isSubmission() ? graded.checkCommand(grade, grade.handIn.path) : "";
}

Json pointsJson(const Grade& grade) {
  Json lines = Json::array();
  if (!grade.points) return lines;
  for (const PointsLine& line : *grade.points)
    lines.push_back(
        {{"line", line.line}, {"points", line.points}, {"of", line.of}, {"why", line.why}});
  return lines;
}

Json submissionJson(const Graded& graded, const Grade& grade) {
  const bool ranked = grade.rank > 0;
  const Student* const student = grade.student;
  return {{"name", jsonString(oneLine(grade.handIn.name))},
          {"student_id", student == nullptr ? Json() : textOrNull(student->id)},
          {"file", jsonString(grade.handIn.path)},
          {"digest", grade.digest},
          {"rank", ranked ? Json(grade.rank) : Json()},
          {"points", grade.points ? Json(total(*grade.points)) : Json()},
          {"lines", pointsJson(grade)},
          {"verdict", grade.verdict()},
          {"reason", jsonString(grade.reason())},
          {"sandbox", graded.options.sandboxOf(grade.isSubmission())},
          {"diagnosis", diagnosisJson(grade)},
          {"warning", jsonString(grade.warning())},
          {"speedup", ranked ? Json(grade.times->sizes.back().speedup()) : Json()},
          {"check", grade.check ? grade.check->check : Json()},
          {"witness", witnessJson(graded, grade)},
          {"seconds", secondsJson(grade)},
          {"times", grade.times ? timesJson(graded, grade.handIn.path, true, grade.times->sizes)
                                : Json::array()},
          {"command", textOrNull(commandOf(graded, grade))}};
}

}  // namespace

std::string gradesDocument(const Graded& graded, const Clocks& clocks) {
  Json references = Json::array(), submissions = Json::array();
  for (const Reference& each : graded.references)
    references.push_back(
        {{"name", each.name}, {"times", timesJson(graded, each.name, false, each.times)}});
  for (const Grade& grade : graded.grades) submissions.push_back(submissionJson(graded, grade));
  return jsonText({{"schema", 1},
                   {"written", timestamp()},
                   {"program", programJson()},
                   {"device", deviceJson(graded)},
                   {"clocks", clocksJson(clocks)},
                   {"plan", planJson(graded.options)},
                   {"phases", phasesJson(graded.phases())},
                   {"marks",
                    {{".", "right"},
                     {"x", "wrong"},
                     {"~", "unsteady"},
                     {"!", "fault"},
                     {"-", "skipped"},
                     {" ", "no such graph"}}},
                   {"rubric", rubricJson(graded.rubric)},
                   {"references", references},
                   {"submissions", submissions}});
}

bool isGradesDocument(const std::string& path) {
  constexpr std::string_view kBegin = "{\n \"schema\": 1,\n \"written\": ";
  std::error_code missing;
  if (!std::filesystem::is_regular_file(path, missing)) return false;  // a pipe is read only once
  std::ifstream file(path, std::ios::binary);
  std::string begin(kBegin.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kBegin;
}

namespace {

/// A number as the files of grades have it; "" of null.
std::string numberOf(const Json& value) {
  return value.is_number() ? fmt::format("{:.9g}", value.get<double>()) : "";
}

/// A text, "" if it is null, or if an earlier version did not write it.
std::string textAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? "" : found->get<std::string>();
}

Row rowOf(const Json& submission, int largest) {
  const Json& times = submission.at("times");
  const bool ranked = submission.at("rank").is_number() && !times.empty();
  return {{"name", submission.at("name")},
          {"points", numberOf(submission.at("points"))},
          {"rank", numberOf(submission.at("rank"))},
          {"verdict", submission.at("verdict")},
          {"n", std::to_string(largest)},
          {"median_ms", ranked ? numberOf(times.back().at("median_ms")) : ""},
          {"student_id", textAt(submission, "student_id")}};
}

}  // namespace

GradeRows readGradesDocument(const std::string& path) try {
  std::ifstream file(path, std::ios::binary);
  const Json document = parseJson({std::istreambuf_iterator<char>(file), {}});
  GradeRows rows;
  const Json& sizes = document.at("plan").at("sizes");
  const int largest = sizes.empty() ? 0 : sizes.back().get<int>();
  for (const Json& submission : document.at("submissions"))
    rows.grades.push_back(rowOf(submission, largest));
  return rows;
} catch (const Json::exception& error) {
  throw Error(ErrorCode::kInput,
              fmt::format("{}: is no whole document of grades: {}", path, error.what()));
}
