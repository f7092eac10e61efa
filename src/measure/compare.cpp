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
#include "measure/disturbance.h"
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

/// A text about both sides of a result: "A: TEXT, B: TEXT" if they differ.
std::string ofBoth(const Compared& result, std::string (*text)(const Row&)) {
  const std::string a = text(result.a != nullptr ? *result.a : *result.b);
  const std::string b = text(result.b != nullptr ? *result.b : *result.a);
  return a == b ? a : fmt::format("A: {}, B: {}", a, b);
}

/// The heading of a part of the table: what its results have in common.
std::string headOf(const Compared& result) {
  return fitted(fmt::format("{}\n{}, {}\n", ofBoth(result, deviceOf), ofBoth(result, graphsOf),
                            ofBoth(result, solverOf)));
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
  return row != nullptr && !disturbanceOf(*row).empty();
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

using Key = std::vector<std::string>;

/// The fields of a row in the columns of a key. The options of ref are not fields: it has none.
Key fieldsIn(const Row& row, const Key& columns) {
  Key fields;
  for (const std::string& column : columns) {
    const bool option =
        column == "precision" || column == "symmetry" || column == "skip" || column == "method";
    const bool usual = column == "method" && row.at(column).empty();  // an earlier version's
    fields.push_back(option && row.at("kernel") == "ref" ? "" : usual ? "auto" : row.at(column));
  }
  return fields;
}

/// Throws Error(kInput) if two records of a side that have the same key are of different results.
void requireSame(const std::string& side, const Row& one, const Row& other) {
  for (const std::string& column : usualKey()) {
    if (fieldsIn(one, {column}) != fieldsIn(other, {column}))
      throw Error(Exit::kInput,
                  fmt::format("{}: records that --key takes for the same have {} {} and {}: add {} "
                              "to --key, or leave one of them out of the file",
                              side, column, one.at(column), other.at(column), column));
  }
}

}  // namespace

const std::vector<std::string>& usualKey() {
  static const Key key = {"device_name", "units",    "ranks", "hash",   "dtype", "kernel",
                          "precision",   "symmetry", "skip",  "method", "n"};
  return key;
}

std::vector<Compared> compareRecords(const Side& a, const Side& b,
                                     const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    if (!isColumn(column))
      throw Error(Exit::kUsage, fmt::format("--key: no column '{}': usual are {}", column,
                                            fmt::join(usualKey(), ",")));
  }
  std::map<Key, Compared> results;
  std::map<const Row*, Times> times;
  for (const bool first : {true, false}) {
    const Side& side = first ? a : b;
    for (const Row& row : side.rows) {
      times[&row] = timesOf(side.name, row);
      number(side.name, row, "n");
      Compared& result = results[fieldsIn(row, columns)];
      const Row*& place = first ? result.a : result.b;
      if (place != nullptr) requireSame(side.name, *place, row);
      place = &row;
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
    return std::tuple(headOf(result), std::stod(anyOf(result).at("n")));
  };
  std::stable_sort(all.begin(), all.end(), [&](const Compared& left, const Compared& right) {
    return order(left) < order(right);
  });
  return all;
}

std::string differenceText(const Side& a, const Side& b, const std::vector<std::string>& key) {
  Key least = key;  // the columns in which the most similar pair differs
  const Row *one = &a.rows.front(), *other = &b.rows.front();
  for (const Row& left : a.rows) {
    for (const Row& right : b.rows) {
      Key different;
      for (const std::string& column : key)
        if (fieldsIn(left, {column}) != fieldsIn(right, {column})) different.push_back(column);
      if (different.size() >= least.size()) continue;
      least = different;
      one = &left;
      other = &right;
    }
  }
  std::string differences;
  for (const std::string& column : least)
    differences += fmt::format("{}{} ({} and {})", differences.empty() ? "" : ", ", column,
                               one->at(column), other->at(column));
  Key kept;
  for (const std::string& column : key)
    if (std::find(least.begin(), least.end(), column) == least.end()) kept.push_back(column);
  if (kept.empty()) return fmt::format("they differ in {}", differences);
  return fmt::format("they differ in {}: --key {} compares them anyway", differences,
                     fmt::join(kept, ","));
}

std::string comparisonTable(const std::vector<Compared>& results) {
  std::string out, head;
  std::size_t counts[std::size(kWords)] = {};
  bool disturbed = false;
  for (const Compared& result : results) {
    if (const std::string next = headOf(result); next != head) {
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
  return fmt::format("{}\n{}{}\n", out, disturbed ? "*: disturbed\n" : "", summary);
}

bool isRegression(const Compared& result, int percent) {
  if (result.b != nullptr && failed(*result.b)) return true;
  return result.change == Change::kSlower && result.percent > percent;
}
