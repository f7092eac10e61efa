#include "measure/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>

#include "base/error.h"
#include "base/size.h"
#include "measure/disturbance.h"
#include "measure/rank_test.h"
#include "measure/tables.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

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
  return kWords[asSize(change)];
}

/// A text as a finite number ≥ 0, or nothing.
std::optional<double> numberIn(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0)
    return std::nullopt;
  return value;
}

/// A field as a finite number ≥ 0. Throws Error(kInput) if it is none.
double number(const std::string& side, const Row& row, const char* column, std::string_view text) {
  if (const auto value = numberIn(text)) return *value;
  throw Error(ErrorCode::kInput,
              fmt::format("{}: {}, kernel {}: {}: expected a number, found '{}'", side,
                          row.at("input"), row.at("kernel"), column, text));
}
double number(const std::string& side, const Row& row, const char* column) {
  return number(side, row, column, row.at(column));
}

/// The times of the calls, none of them in a row of an earlier version.
std::vector<double> callsOf(const std::string& side, const Row& row) {
  constexpr char kColumn[] = "times_ms";
  std::vector<double> calls;
  std::istringstream list(row.at(kColumn));
  for (std::string word; list >> word;) calls.push_back(number(side, row, kColumn, word));
  return calls;
}

Timing timesOf(const std::string& side, const Row& row) {
  const auto field = [&](const char* column) { return number(side, row, column); };
  const auto late = [&](const char* column) { return row.at(column).empty() ? 0 : field(column); };
  constexpr double kMostReps = 1e6;
  Timing times = {field("median_ms"), field("min_ms"),
                  field("max_ms"),    static_cast<int>(std::min(field("reps"), kMostReps)),
                  late("q1_ms"),      late("q3_ms")};
  times.calls = callsOf(side, row);
  if (times.minimum <= times.median && times.median <= times.maximum) return times;
  throw Error(ErrorCode::kInput,
              fmt::format("{}: {}, kernel {}: expected min_ms ≤ median_ms ≤ max_ms, found {}, {}, "
                          "{}",
                          side, row.at("input"), row.at("kernel"), row.at("min_ms"),
                          row.at("median_ms"), row.at("max_ms")));
}

/// Compares two timings by their calls, or by the least certain calls that fit their summaries.
RankTest test(const Timing& a, const Timing& b) {
  const auto calls = [](const Timing& t, bool longest) {
    return !t.calls.empty() ? t.calls : longest ? longestCalls(t) : shortestCalls(t);
  };
  const RankTest slower = rankTest(calls(a, true), calls(b, false));
  if (slower.shift > 0) return slower;
  const RankTest faster = rankTest(calls(a, false), calls(b, true));
  return faster.shift < 0 ? faster : RankTest{};
}

constexpr int kFewestReps = 3;

/// Fills in what follows from the times of both sides.
void judge(Compared& result, const Timing& a, const Timing& b) {
  if (a.median > 0) result.percent = 100 * (b.median / a.median - 1);
  result.change = Change::kWrong;
  if (failed(*result.a) || failed(*result.b)) return;
  result.change = Change::kTooFew;
  if (std::min(a.reps, b.reps) < kFewestReps) return;
  const RankTest found = test(a, b);
  // All calls of one side took longer, and still there are too few to decide.
  if (found.p > kLevel && found.extreme) return;
  result.p = found.p;
  const double difference = b.median - a.median;
  const bool counts = found.p <= kLevel && std::abs(difference) * 100 >= kLeastPercent * a.median;
  result.change = counts && found.shift > 0 && difference > 0   ? Change::kSlower
                  : counts && found.shift < 0 && difference < 0 ? Change::kFaster
                                                                : Change::kNoise;
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
  return fitted(fmt::format("{}\n{}, {}\n", oneLine(ofBoth(result, deviceOf)),
                            oneLine(ofBoth(result, graphsOf)), oneLine(ofBoth(result, solverOf))));
}

constexpr char kLine[] = "{:>7} {:>11} {:>7} {:>11} {:>7} {:>9} {:>7} {}\n";

bool isDisturbed(const Row* row) {
  return row != nullptr && !disturbanceOf(*row).empty();
}

/// The median, with an asterisk if it was disturbed, and the distance of the quartiles in percent
/// of it.
struct Fields {
  std::string median = "- ", spread = "-";
};

Fields fieldsOf(const Row* row) {
  if (row == nullptr) return {};
  const auto in = [&](const char* column) { return numberIn(row->at(column)).value_or(0); };
  const double median = in("median_ms"), q1 = in("q1_ms"), q3 = in("q3_ms");
  return {milliseconds(median) + (isDisturbed(row) ? "*" : " "),
          median > 0 && q1 > 0 ? fmt::format("{:.1f}%", 100 * (q3 - q1) / median) : "-"};
}

std::string probability(double p) {
  return p < 0.0001 ? "<0.0001" : p < 0.01 ? fmt::format("{:.4f}", p) : fmt::format("{:.2f}", p);
}

std::string lineOf(const Compared& result) {
  const Fields a = fieldsOf(result.a), b = fieldsOf(result.b);
  const bool both = result.a != nullptr && result.b != nullptr;
  const bool judged = both && result.change != Change::kWrong && result.change != Change::kTooFew;
  const bool disturbed = isDisturbed(result.a) || isDisturbed(result.b);
  const std::string verdict = wordsOf(result.change).verdict + std::string(disturbed ? "*" : "");
  return fmt::format(kLine, anyOf(result).at("n"), a.median, a.spread, b.median, b.spread,
                     both ? fmt::format("{:+.1f}%", result.percent) : "-",
                     judged ? probability(result.p) : "-",
                     result.change == Change::kWrong ? toned(Tone::kWrong, verdict)
                     : disturbed                     ? toned(Tone::kDisturbed, verdict)
                                                     : verdict);
}

using Key = std::vector<std::string>;

/// The fields of a row in the columns of a key. The options of ref are not fields: it has none.
Key fieldsIn(const Row& row, const Key& columns) {
  Key fields;
  for (const std::string& column : columns) {
    const bool option = column == "precision" || column == "symmetry" || column == "skip" ||
                        column == "method" || column == "order";
    if (column == "hash" && isVaried(row)) {  // any call's graph is as good
      fields.push_back(graphsOf(row));
      continue;
    }
    const bool usual = column == "method" && row.at(column).empty();  // an earlier version's
    fields.push_back(option && row.at("kernel") == "ref" ? "" : usual ? "auto" : row.at(column));
  }
  return fields;
}

/// Throws Error(kInput) if two records of a side that have the same key are of different results.
void requireSame(const std::string& side, const Row& one, const Row& other) {
  for (const std::string& column : usualKey()) {
    if (fieldsIn(one, {column}) != fieldsIn(other, {column}))
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: records that --key takes for the same have {} {} and {}: add {} "
                              "to --key, or leave one of them out of the file",
                              side, column, one.at(column), other.at(column), column));
  }
}

}  // namespace

const std::vector<std::string>& usualKey() {
  static const Key key = {"device_name", "units",    "ranks", "hash",   "dtype", "kernel",
                          "precision",   "symmetry", "skip",  "method", "order", "n"};
  return key;
}

std::vector<Compared> compareRecords(const Side& a, const Side& b,
                                     const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    if (!isColumn(column))
      throw Error(ErrorCode::kUsage, fmt::format("--key: no column '{}': usual are {}", column,
                                                 fmt::join(usualKey(), ",")));
  }
  std::map<Key, Compared> results;
  std::map<const Row*, Timing> times;
  for (const bool first : {true, false}) {
    const Side& side = first ? a : b;
    for (const Row& row : side.rows) {
      times[&row] = timesOf(side.name, row);
      number(side.name, row, "n");
      Compared& result = results[fieldsIn(row, columns)];
      const Row*& place = first ? result.a : result.b;
      if (place != nullptr) requireSame(side.name, *place, row);
      if (place == nullptr || place->at("time") <= row.at("time")) place = &row;
    }
  }

  std::vector<Compared> all;
  for (auto& [key, result] : results) {
    if (result.a == nullptr || result.b == nullptr) {
      result.change = result.a == nullptr ? Change::kOnlyB : Change::kOnlyA;
    } else {
      judge(result, times[result.a], times[result.b]);
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
             fmt::format(kLine, "n", "A ms ", "spread", "B ms ", "spread", "change", "p", "");
    }
    out += lineOf(result);
    ++counts[asSize(result.change)];
    disturbed = disturbed || isDisturbed(result.a) || isDisturbed(result.b);
  }
  std::string summary;
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    if (counts[i] > 0)
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", counts[i], kWords[i].counted);
  }
  const bool tooFew = counts[asSize(Change::kTooFew)] > 0;
  return fmt::format("{}\n{}{}{}\n", out,
                     disturbed ? "*: disturbed, never fails --fail-slower; measure it again\n" : "",
                     tooFew ? "too few calls to decide: measure both with --reps 5 or more\n" : "",
                     summary);
}

bool isRegression(const Compared& result, int percent) {
  if (result.b != nullptr && failed(*result.b)) return true;
  const bool disturbed = isDisturbed(result.a) || isDisturbed(result.b);
  return result.change == Change::kSlower && result.percent > percent && !disturbed;
}
