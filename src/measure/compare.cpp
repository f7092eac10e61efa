#include "measure/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "core/error.h"
#include "measure/tables.h"

namespace {

constexpr double kFewestReps = 3;

/// In the order of Change: in the table, and in the line of counts.
struct Words {
  const char *verdict, *counted;
};
constexpr Words kWords[] = {{"faster", "faster"},      {"slower", "slower"},
                            {"noise", "within noise"}, {"too few", "of too few repetitions"},
                            {"WRONG", "wrong"},        {"only A", "only in A"},
                            {"only B", "only in B"}};

Words wordsOf(Change change) {
  return kWords[static_cast<std::size_t>(change)];
}

/// The times of a point, in milliseconds.
struct Times {
  double median, minimum, maximum, reps;
};

/// A field that is to be a finite number ≥ 0.
double number(const std::string& side, const Row& row, const char* column) {
  const std::string& text = row.at(column);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value) &&
      value >= 0)
    return value;
  throw Error(Exit::kInput, fmt::format("{}: {}, kernel {}: {}: expected a number, found '{}'",
                                        side, row.at("input"), row.at("kernel"), column, text));
}

Times timesOf(const std::string& side, const Row& row) {
  const auto field = [&](const char* column) { return number(side, row, column); };
  const Times times = {field("median_ms"), field("min_ms"), field("max_ms"), field("reps")};
  if (times.minimum <= times.median && times.median <= times.maximum) return times;
  throw Error(Exit::kInput,
              fmt::format("{}: {}, kernel {}: expected min_ms ≤ median_ms ≤ max_ms, found {}, {}, "
                          "{}",
                          side, row.at("input"), row.at("kernel"), row.at("min_ms"),
                          row.at("median_ms"), row.at("max_ms")));
}

Change judge(const Row& a, const Times& timesA, const Row& b, const Times& timesB) {
  if (failed(a) || failed(b)) return Change::kWrong;
  if (std::min(timesA.reps, timesB.reps) < kFewestReps) return Change::kTooFew;
  if (timesB.minimum > timesA.maximum) return Change::kSlower;
  return timesB.maximum < timesA.minimum ? Change::kFaster : Change::kNoise;
}

const Row& anyOf(const Compared& point) {
  return point.a != nullptr ? *point.a : *point.b;
}

/// What the points under one head of the table share.
std::string headOf(const Row& row) {
  return fmt::format("{}\n{}, {}\n", deviceOf(row), graphsOf(row), solverOf(row));
}

constexpr char kLine[] = "{:>7} {:>8} {:>18} {:>8} {:>18} {:>7} {}\n";

struct Fields {
  std::string median = "-", range = "-";
};

Fields fieldsOf(const Row* row) {
  if (row == nullptr) return {};
  const auto ms = [&](const char* column) { return milliseconds(std::stod(row->at(column))); };
  return {ms("median_ms"), ms("min_ms") + ".." + ms("max_ms")};
}

bool isDisturbed(const Row* row) {
  return row != nullptr && (!row->at("throttle").empty() || row->at("other_users") != "0");
}

std::string lineOf(const Compared& point) {
  const Fields a = fieldsOf(point.a), b = fieldsOf(point.b);
  const bool both = point.a != nullptr && point.b != nullptr;
  const bool disturbed = isDisturbed(point.a) || isDisturbed(point.b);
  return fmt::format(kLine, anyOf(point).at("n"), a.median, a.range, b.median, b.range,
                     both ? fmt::format("{:+.1f}%", point.percent) : "-",
                     fmt::format("{}{}", wordsOf(point.change).verdict, disturbed ? "*" : ""));
}

}  // namespace

std::vector<Compared> compareRecords(const Side& a, const Side& b) {
  using Key = std::tuple<std::string, double, std::string, std::string, std::string, double>;
  std::map<Key, Compared> points;
  std::map<const Row*, Times> times;
  for (const bool first : {true, false}) {
    const Side& side = first ? a : b;
    for (const Row& row : side.rows) {
      times[&row] = timesOf(side.name, row);
      const Key key = {row.at("device_name"), number(side.name, row, "units"),
                       row.at("hash"),        row.at("dtype"),
                       solverOf(row),         number(side.name, row, "n")};
      (first ? points[key].a : points[key].b) = &row;
    }
  }

  std::vector<Compared> all;
  for (auto& [key, point] : points) {
    if (point.a == nullptr || point.b == nullptr) {
      point.change = point.a == nullptr ? Change::kOnlyB : Change::kOnlyA;
    } else {
      const Times &before = times[point.a], &after = times[point.b];
      point.change = judge(*point.a, before, *point.b, after);
      if (before.median > 0) point.percent = 100 * (after.median / before.median - 1);
    }
    all.push_back(point);
  }
  const auto order = [](const Compared& point) {
    const Row& row = anyOf(point);
    return std::tuple(headOf(row), std::stod(row.at("n")));
  };
  std::stable_sort(all.begin(), all.end(), [&](const Compared& left, const Compared& right) {
    return order(left) < order(right);
  });
  return all;
}

std::string comparisonTable(const std::vector<Compared>& points) {
  std::string out, head;
  std::size_t counts[std::size(kWords)] = {};
  bool disturbed = false;
  for (const Compared& point : points) {
    if (const std::string its = headOf(anyOf(point)); its != head) {
      head = its;
      out += fmt::format("{}{}", out.empty() ? "" : "\n", head) +
             fmt::format(kLine, "n", "A ms", "min..max", "B ms", "min..max", "change", "");
    }
    out += lineOf(point);
    ++counts[static_cast<std::size_t>(point.change)];
    disturbed = disturbed || isDisturbed(point.a) || isDisturbed(point.b);
  }
  std::string summary;
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    if (counts[i] > 0)
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", counts[i], kWords[i].counted);
  }
  return fmt::format("{}\n{}{}\n", out, disturbed ? "*: throttled or shared GPU\n" : "", summary);
}

bool isRegression(const Compared& point, int percent) {
  if (point.b != nullptr && failed(*point.b)) return true;
  return point.change == Change::kSlower && point.percent > percent;
}
