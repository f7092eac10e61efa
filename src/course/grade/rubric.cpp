#include "grade/rubric.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>

#include "base/quantity.h"
#include "check/cases.h"
#include "generate/generate.h"
#include "system/nearest.h"
#include "system/utf8.h"

namespace {

constexpr char kEach[] = "each";  // the key for all families or sizes without a key of their own

/// A value in the file: where it is, for messages.
struct Place {
  const std::string& file;
  std::string key;  // "speed.1000[2]"

  Place at(const std::string& part) const { return {file, key.empty() ? part : key + "." + part}; }
  Place at(std::size_t index) const { return {file, fmt::format("{}[{}]", key, index)}; }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::kInput,
                oneLine(fmt::format("{}: {}{}", file, key.empty() ? "" : key + ": ", message)));
  }
  [[noreturn]] void expected(const std::string& what, const Json& found) const {
    constexpr std::size_t kLongest = 40;
    std::string text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    fail(fmt::format("expected {}, found {}", what, text));
  }
};

double pointsAt(const Place& place, const Json& json) {
  if (!json.is_number() || json.get<double>() < 0) place.expected("points, a number ≥ 0", json);
  return json;
}

/// The steps of one size.
Rubric::Steps stepsAt(const Place& place, const Json& json) {
  constexpr char kWhat[] = "steps [[speedup, points], ...]";
  if (!json.is_array() || json.empty()) place.expected(kWhat, json);
  Rubric::Steps steps;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Json& step = json[i];
    if (!step.is_array() || step.size() != 2 || !step[0].is_number() || !step[1].is_number())
      place.at(i).expected("[speedup, points], two numbers", step);
    steps.emplace_back(step[0], pointsAt(place.at(i), step[1]));
    if (i > 0 && (steps[i].first <= steps[i - 1].first || steps[i].second < steps[i - 1].second))
      place.at(i).expected("a greater speedup than in the step before, and no fewer points", step);
  }
  return steps;
}

/// {"due": time, "percent_per_day": points, "most_percent": points}
Rubric::Late lateAt(const Place& place, const Json& json) {
  if (!json.is_object()) place.expected("an object with due and percent_per_day", json);
  Rubric::Late late;
  for (const auto& [key, value] : json.items()) {
    const Place at = place.at(key);
    if (key == "due") {
      const auto due = value.is_string() ? secondsSince1970(value) : std::nullopt;
      if (!due) at.expected("a time such as \"2026-01-31T12:00:00Z\"", value);
      late.due = *due;
    } else if (key == "percent_per_day") {
      late.perDay = pointsAt(at, value);
    } else if (key == "most_percent") {
      late.most = std::min(100.0, pointsAt(at, value));
    } else {
      at.fail("unknown key: " + suggestion(key, {"due", "percent_per_day", "most_percent"}));
    }
  }
  if (late.due == 0) place.fail("expected the key due: a time such as \"2026-01-31T12:00:00Z\"");
  return late;
}

/// Fills `out` with a value for each of `names`: that of its own key, or of "each".
template <class Reader, class Out>
void readEach(const Place& place, const Json& json, const std::vector<std::string>& names,
              const std::string& unknown, const Reader& reader, Out& out) {
  if (!json.is_object()) place.expected("an object", json);
  for (const auto& [key, value] : json.items()) {
    if (key != kEach && std::find(names.begin(), names.end(), key) == names.end())
      place.at(key).fail(unknown.empty() ? "no such family: " + suggestion(key, names) : unknown);
    reader(place.at(key), value);  // also checks "each" if nothing uses it
  }
  for (const std::string& name : names) {
    const char* const key = json.contains(name) ? name.c_str() : kEach;
    if (json.contains(key)) out.emplace_back(name, reader(place.at(key), json.at(key)));
  }
}

/// The families that a check of grade solves, in the order of their first graphs.
std::vector<std::string> checkedFamilies(const CheckOptions& options) {
  std::vector<std::string> names;
  for (const CheckCase& each : casesOf(options)) {
    const std::string name = familyOf(each.spec).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw Error(ErrorCode::kInput, path + ": cannot be read");
  return text;
}

Json parse(const std::string& path, const std::string& text) {
  try {
    return parseJson(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw Error(ErrorCode::kInput,
                fmt::format("{}:{}: not JSON here: expected an object with pass, "
                            "families or speed (docs/grading.md)",
                            path, 1 + std::count(text.begin(), end, '\n')));
  }
}

}  // namespace

Rubric readRubric(const std::string& path, const std::vector<int>& sizes,
                  const CheckOptions& check) {
  Rubric rubric;
  rubric.text = read(path);
  const Json json = parse(path, rubric.text);
  const Place top{path, ""};
  if (!json.is_object()) top.expected("an object with pass, families or speed", json);
  std::vector<std::string> numbers;
  for (const int n : sizes) numbers.push_back(std::to_string(n));
  for (const auto& [key, value] : json.items()) {
    const Place place = top.at(key);
    if (key == "title") {
      if (!value.is_string()) place.expected("text", value);
      rubric.title = value;
    } else if (key == "pass") {
      rubric.pass = pointsAt(place, value);
    } else if (key == "families") {
      readEach(place, value, checkedFamilies(check), "", pointsAt, rubric.families);
    } else if (key == "speed") {
      std::vector<std::pair<std::string, Rubric::Steps>> found;
      readEach(place, value, numbers,
               "this size is not timed: add it to --sizes, or remove the key", stepsAt, found);
      for (auto& [n, steps] : found) rubric.speed.emplace_back(std::stoi(n), std::move(steps));
    } else if (key == "late") {
      rubric.late = lateAt(place, value);
    } else {
      place.fail("unknown key: " + suggestion(key, {"title", "pass", "families", "speed", "late"}));
    }
  }
  return rubric;
}

// ---- points -------------------------------------------------------------------------------------

namespace {

double mostOf(const Rubric::Steps& steps) {
  return steps.back().second;
}

std::string times(double speedup) {
  return fmt::format("{:.4g} times as fast as ref", speedup);
}

/// The points for all graphs of a family.
void addFamily(const Grade& grade, PointsLine& line, const std::string& family) {
  const Json none, &check = grade.check ? grade.check->check : none;
  if (!check.is_object() || !check.at("families").contains(family)) {
    line.why = "not checked";
    return;
  }
  const std::string marks = check.at("families").at(family);
  const auto of = [&](char mark) { return std::count(marks.begin(), marks.end(), mark); };
  const auto sizes = static_cast<std::ptrdiff_t>(marks.size()) - of(' ');
  const auto right = of('.'), skipped = of('-');
  const std::string ofSizes = counted(static_cast<std::uint64_t>(sizes), "size");
  if (right == sizes) line.points = line.of;
  line.why =
      right == sizes
          ? (sizes == 1 ? "right at its only size" : fmt::format("right at all {} sizes", sizes))
      : skipped == 0 ? fmt::format("right at {} of {}", right, ofSizes)
                     : fmt::format("right at {} of {}, {} left out", right, ofSizes, skipped);
}

/// The points for the speedup at one size.
void addSpeed(const Grade& grade, PointsLine& line, int n, const Rubric::Steps& steps) {
  line.why = "not timed";
  if (!grade.times) return;
  for (const SizeTimes& each : grade.times->sizes) {
    if (each.n != n) continue;
    line.why = each.doubt.empty() ? times(each.speedup()) : "time refused";
    if (!each.doubt.empty()) return;
    for (const auto& [speedup, points] : steps) {
      if (each.speedup() >= speedup) {
        line.points = points;
      } else {
        line.why += fmt::format(
            "; {} gives {:g}", speedup == 1 ? "as fast as ref" : fmt::format("{:g} times", speedup),
            points);
        return;
      }
    }
  }
}

/// What a hand-in loses because it is late; nothing if it is not, or if nobody knows.
std::optional<PointsLine> lateness(const Rubric& rubric, const Grade& grade, double points) {
  constexpr long long kDay = 24 * 60 * 60;
  if (!rubric.late || grade.student == nullptr || !grade.student->handedIn) return std::nullopt;
  const long long seconds = *grade.student->handedIn - rubric.late->due;
  if (seconds <= 0) return std::nullopt;
  const long long days = (seconds + kDay - 1) / kDay;
  const double percent =
      std::min(rubric.late->most, rubric.late->perDay * static_cast<double>(days));
  return PointsLine{"late", -points * percent / 100, 0,
                    fmt::format("{} late: {:g} % less",
                                counted(static_cast<std::uint64_t>(days), "day"), percent)};
}

}  // namespace

std::vector<PointsLine> linesOf(const Rubric& rubric) {
  std::vector<PointsLine> lines;
  if (rubric.pass > 0) lines.push_back({"pass", 0, rubric.pass, ""});
  for (const auto& [family, points] : rubric.families)
    lines.push_back({"family " + family, 0, points, ""});
  for (const auto& [n, steps] : rubric.speed)
    lines.push_back({fmt::format("speed n={}", n), 0, mostOf(steps), ""});
  return lines;
}

std::vector<PointsLine> pointsOf(const Rubric& rubric, const Grade& grade) {
  std::vector<PointsLine> lines = linesOf(rubric);
  auto line = lines.begin();
  if (rubric.pass > 0) {
    const bool passes = grade.counts();
    line->points = passes ? line->of : 0;
    line++->why = passes ? "every result is right" : grade.verdict();
  }
  for (const auto& family : rubric.families) addFamily(grade, *line++, family.first);
  for (const auto& [n, steps] : rubric.speed) addSpeed(grade, *line++, n, steps);
  if (const auto late = lateness(rubric, grade, total(lines))) lines.push_back(*late);
  return lines;
}

double total(const std::vector<PointsLine>& lines) {
  return std::accumulate(lines.begin(), lines.end(), 0.0,
                         [](double sum, const PointsLine& line) { return sum + line.points; });
}

double most(const std::vector<PointsLine>& lines) {
  return std::accumulate(lines.begin(), lines.end(), 0.0,
                         [](double sum, const PointsLine& line) { return sum + line.of; });
}
