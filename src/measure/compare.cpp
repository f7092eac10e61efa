#include "measure/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "core/error.h"
#include "core/screen.h"
#include "measure/tables.h"

namespace {

constexpr double kFewestReps = 3;

/// The words for a Change: in the table, and in the line of counts.
struct Words {
  const char *verdict, *counted;
};
// in the order of Change
constexpr Words kWords[] = {{"faster", "faster"},      {"slower", "slower"},
                            {"noise", "within noise"}, {"too few", "with too few repetitions"},
                            {"WRONG", "wrong"},        {"only A", "only in A"},
                            {"only B", "only in B"}};

Words wordsOf(Change change) {
  return kWords[static_cast<std::size_t>(change)];
}

/// The times of a result in milliseconds, and how many repetitions there were.
struct Times {
  double median, minimum, maximum, reps;
};

/// A field as a finite number ≥ 0. Throws Error(kInput) if it is none.
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

const Row& anyOf(const Compared& result) {
  return result.a != nullptr ? *result.a : *result.b;
}

/// The heading of a part of the table: what its results have in common.
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

std::string lineOf(const Compared& result) {
  const Fields a = fieldsOf(result.a), b = fieldsOf(result.b);
  const bool both = result.a != nullptr && result.b != nullptr;
  const bool disturbed = isDisturbed(result.a) || isDisturbed(result.b);
  const std::string verdict = wordsOf(result.change).verdict + std::string(disturbed ? "*" : "");
  return fmt::format(kLine, anyOf(result).at("n"), a.median, a.range, b.median, b.range,
                     both ? fmt::format("{:+.1f}%", result.percent) : "-",
                     result.change == Change::kWrong ? toned(Tone::kWrong, verdict)
                     : disturbed                     ? toned(Tone::kDisturbed, verdict)
                                                     : verdict);
}

}  // namespace

std::vector<Compared> compareRecords(const Side& a, const Side& b) {
  using Key = std::tuple<std::string, double, std::string, std::string, std::string, double>;
  std::map<Key, Compared> results;
  std::map<const Row*, Times> times;
  for (const bool first : {true, false}) {
    const Side& side = first ? a : b;
    for (const Row& row : side.rows) {
      times[&row] = timesOf(side.name, row);
      const Key key = {row.at("device_name"), number(side.name, row, "units"),
                       row.at("hash"),        row.at("dtype"),
                       solverOf(row),         number(side.name, row, "n")};
      (first ? results[key].a : results[key].b) = &row;
    }
  }

  std::vector<Compared> all;
  for (auto& [key, result] : results) {
    if (result.a == nullptr || result.b == nullptr) {
      result.change = result.a == nullptr ? Change::kOnlyB : Change::kOnlyA;
    } else {
      const Times &before = times[result.a], &after = times[result.b];
      result.change = judge(*result.a, before, *result.b, after);
      if (before.median > 0) result.percent = 100 * (after.median / before.median - 1);
    }
    all.push_back(result);
  }
  const auto order = [](const Compared& result) {
    const Row& row = anyOf(result);
    return std::tuple(headOf(row), std::stod(row.at("n")));
  };
  std::stable_sort(all.begin(), all.end(), [&](const Compared& left, const Compared& right) {
    return order(left) < order(right);
  });
  return all;
}

std::string comparisonTable(const std::vector<Compared>& results) {
  std::string out, head;
  std::size_t counts[std::size(kWords)] = {};
  bool disturbed = false;
  for (const Compared& result : results) {
    if (const std::string next = headOf(anyOf(result)); next != head) {
      head = next;
      out += fmt::format("{}{}", out.empty() ? "" : "\n", head) +
             fmt::format(kLine, "n", "A ms", "min..max", "B ms", "min..max", "change", "");
    }
    out += lineOf(result);
    ++counts[static_cast<std::size_t>(result.change)];
    disturbed = disturbed || isDisturbed(result.a) || isDisturbed(result.b);
  }
  std::string summary;
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    if (counts[i] > 0)
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", counts[i], kWords[i].counted);
  }
  return fmt::format("{}\n{}{}\n", out, disturbed ? "*: throttled or shared GPU\n" : "", summary);
}

bool isRegression(const Compared& result, int percent) {
  if (result.b != nullptr && failed(*result.b)) return true;
  return result.change == Change::kSlower && result.percent > percent;
}
