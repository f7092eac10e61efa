#include "grade/changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/quantity.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

/// A hand-in in two gradings; nullptr where it is not.
struct Change {
  const Row *a = nullptr, *b = nullptr;
  const std::string& name() const { return (a != nullptr ? a : b)->at("name"); }
};

bool isSame(const Row& a, const Row& b) {
  const std::string& id = a.at("student_id");
  return a.at("name") == b.at("name") || (!id.empty() && id == b.at("student_id"));
}

/// "7" if a field is the same on both sides, "5 > 7" if it is not; "-" stands for none.
std::string ofBothSides(const Change& change, const char* column) {
  const auto in = [&](const Row* row) {
    return row == nullptr || row->at(column).empty() ? std::string("-") : row->at(column);
  };
  const std::string a = in(change.a), b = in(change.b);
  return a == b ? a : a + " > " + b;
}

bool differs(const Change& change, const char* column) {
  return change.a != nullptr && change.b != nullptr && change.a->at(column) != change.b->at(column);
}

int rankOf(const Row* row) {
  return row == nullptr ? 0 : std::atoi(row->at("rank").c_str());
}

/// Whether the rank became better: a smaller number, or one at all. Whoever is only in B did not
/// rise.
bool rose(const Change& change) {
  const int a = rankOf(change.a), b = rankOf(change.b);
  return change.a != nullptr && change.b != nullptr && b > 0 && (a == 0 || b < a);
}
bool fell(const Change& change) {
  return rose({change.b, change.a});
}
bool hasOtherVerdict(const Change& change) {
  return differs(change, "verdict");
}

/// "rose      ann (3 > 1), bob (- > 2)", in lines of 80 columns: those for which is(change) holds,
/// with a column of both sides. "" if there are none.
std::string listOf(const char* what, const std::vector<Change>& all, bool (*is)(const Change&),
                   const char* column) {
  constexpr std::size_t kWidth = 80, kIndent = 10;
  std::vector<std::string> shown;
  for (const Change& each : all)
    if (is(each))
      shown.push_back(fmt::format("{} ({})", oneLine(each.name()), ofBothSides(each, column)));
  if (shown.empty()) return "";
  const std::string text = fmt::format("{}", fmt::join(shown, ", "));
  return fmt::format("{:<{}}{}\n", what, kIndent,
                     fmt::join(wrapped(text, kWidth - kIndent), "\n" + std::string(kIndent, ' ')));
}

/// How much longer B's time is, if both are at the same n.
std::string slowerBy(const Change& change) {
  if (change.a == nullptr || change.b == nullptr || differs(change, "n")) return "-";
  const double a = std::atof(change.a->at("median_ms").c_str()),
               b = std::atof(change.b->at("median_ms").c_str());
  return a > 0 && b > 0 ? fmt::format("{:+.1f}%", 100 * (b / a - 1)) : "-";
}

std::vector<Change> changesOf(const GradeRows& a, const GradeRows& b) {
  std::vector<Change> all;
  for (const Row& row : a.grades) {
    const auto other = std::find_if(b.grades.begin(), b.grades.end(),
                                    [&](const Row& each) { return isSame(row, each); });
    all.push_back({&row, other == b.grades.end() ? nullptr : &*other});
  }
  for (const Row& row : b.grades)
    if (std::none_of(all.begin(), all.end(), [&](const Change& each) { return each.b == &row; }))
      all.push_back({nullptr, &row});
  return all;
}

}  // namespace

std::string changesTable(const GradeRows& a, const GradeRows& b) {
  constexpr std::size_t kLongestName = 19;
  const std::vector<Change> all = changesOf(a, b);
  std::vector<std::string> names;
  for (const Change& each : all) names.push_back(each.name());
  const std::size_t width = nameColumns(names, 4, kLongestName);
  const auto line = [&](const std::string& name, const std::string& points, const std::string& rank,
                        const std::string& time, const std::string& verdict) {
    return fmt::format("{}{:>13}{:>11}{:>9}  {}\n", name, points, rank, time, verdict);
  };
  std::string out = line(padded("name", width), "points", "rank", "time", "verdict");
  std::size_t onlyA = 0, onlyB = 0, points = 0, verdicts = 0;
  for (const Change& each : all) {
    out += line(nameCell(each.name(), width), ofBothSides(each, "points"),
                ofBothSides(each, "rank"), slowerBy(each), ofBothSides(each, "verdict"));
    onlyA += each.b == nullptr ? 1 : 0;
    onlyB += each.a == nullptr ? 1 : 0;
    points += differs(each, "points") ? 1 : 0;
    verdicts += differs(each, "verdict") ? 1 : 0;
  }
  return out +
         fitted(fmt::format("\n{}: {} with other points, {} with another verdict, {} only in A, {} "
                            "only in B\n",
                            counted(all.size(), "hand-in"), points, verdicts, onlyA, onlyB)) +
         listOf("rose", all, rose, "rank") + listOf("fell", all, fell, "rank") +
         listOf("verdict", all, hasOtherVerdict, "verdict");
}
