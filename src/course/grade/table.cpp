#include "grade/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/quantity.h"
#include "measure/submitted.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

constexpr std::size_t kWidth = 80, kLongestName = 19;
constexpr char kIndent[] = "      ";  // of the lines below a row

double numberIn(const Row& row, const char* column) {
  return std::atof(row.at(column).c_str());
}

/// The text in lines of kWidth columns, indented, broken at blanks. first: what the first line
/// begins with.
std::string wrapped(const std::string& text, const std::string& first = kIndent) {
  std::string out, line = first;
  bool empty = true;  // the line has no word yet
  const auto end = [&] {
    if (!empty) out += line + "\n";
    line = kIndent;
    empty = true;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, blank - at);
    if (columnsOf(line) + 1 + columnsOf(word) > kWidth) end();
    line += (empty ? "" : " ") + word;
    empty = false;
    at = blank + 1;
  }
  end();
  return out;
}

std::string verdictOf(const Row& row) {
  const bool ranked = !row.at("rank").empty(), disturbed = !row.at("disturbed").empty();
  const Tone tone = !ranked                                   ? Tone::kWrong
                    : disturbed || !row.at("warning").empty() ? Tone::kDisturbed
                                                              : Tone::kRight;
  const std::string& verdict = row.at("verdict");
  if (verdict == "left out" || verdict == "waiting") return verdict;
  return toned(tone, verdict + (ranked && disturbed ? ", disturbed" : "")) +
         (row.at("sandbox") == kUnsandboxed ? ", " + toned(Tone::kDisturbed, kUnsandboxed) : "");
}

/// The lines below a row.
std::string notesOf(const Row& row) {
  std::string notes = wrapped(row.at("reason"));
  if (!row.at("warning").empty()) notes += wrapped("warning: " + row.at("warning"));
  if (!row.at("student").empty())
    notes += wrapped(row.at("student") +
                     (row.at("student_id").empty() ? "" : ", id " + row.at("student_id")));
  if (!row.at("same_as").empty()) notes += wrapped("same content as " + row.at("same_as"));
  if (!row.at("disturbed").empty()) notes += wrapped("disturbed at " + row.at("disturbed"));
  return notes;
}

std::vector<std::string> namesIn(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.at("name"));
  return names;
}

std::string ranking(const std::vector<Row>& rows) {
  const std::size_t width = nameColumns(namesIn(rows), 4, kLongestName);
  const bool points = std::any_of(rows.begin(), rows.end(),
                                  [](const Row& row) { return !row.at("points").empty(); });
  const auto line = [&](const std::string& rank, const std::string& name, const std::string& ms,
                        const std::string& spread, const std::string& speedup,
                        const std::string& point, const std::string& verdict) {
    return fmt::format("{:>4}  {}{:>12}{:>8}{:>9}", rank, name, ms, spread, speedup) +
           (points ? fmt::format("{:>8}", point) : "") + "  " + verdict + "\n";
  };
  const std::string largest = rows.empty() ? "" : fmt::format("n={} ms", rows[0].at("n"));
  std::string out =
      line("rank", padded("name", width), largest, "spread", "speedup", "points", "verdict");
  for (const Row& row : rows) {
    const bool ranked = !row.at("rank").empty();
    const auto cell = [&](const char* column, const auto& text) {
      return ranked ? text(numberIn(row, column)) : "-";
    };
    out += line(ranked ? row.at("rank") : "-", nameCell(row.at("name"), width),
                cell("median_ms", milliseconds),
                cell("spread_pct", [](double pct) { return fmt::format("{:.1f}%", pct); }),
                cell("speedup", [](double times) { return fmt::format("{:.2f}x", times); }),
                row.at("points").empty() ? "-" : row.at("points"), verdictOf(row)) +
           notesOf(row);
  }
  return out;
}

/// A line for each solver with its median at each size; those that are disturbed have an asterisk.
std::string medians(const std::vector<Row>& rows) {
  std::vector<int> sizes;
  std::vector<std::pair<std::string, std::map<int, std::string>>> lines;
  for (const Row& row : rows) {
    const int n = std::atoi(row.at("n").c_str());
    if (std::find(sizes.begin(), sizes.end(), n) == sizes.end()) sizes.push_back(n);
    const std::string key = row.at("name") + "\n" + row.at("digest");
    if (lines.empty() || lines.back().first != key) lines.push_back({key, {}});
    lines.back().second[n] = milliseconds(numberIn(row, "median_ms")) +
                             (row.at("doubt").empty() ? "" : "?") +
                             (row.at("disturbed").empty() ? " " : "*");
  }
  if (sizes.size() < 2) return "";
  std::sort(sizes.begin(), sizes.end());
  const std::size_t width = nameColumns(namesIn(rows), 9, kLongestName);
  std::string out = "\n" + padded("median ms", width);
  for (const int n : sizes) out += fmt::format("{:>10} ", fmt::format("n={}", n));
  for (const auto& [key, times] : lines) {
    out += "\n" + nameCell(key.substr(0, key.find('\n')), width);
    for (const int n : sizes)
      out += fmt::format("{:>11}", times.count(n) != 0 ? times.at(n) : "- ");
  }
  return out + "\n";
}

/// The cost of the protocol at each size, if there is one.
std::string costs(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    if (row.at("name") == "ref" && row.at("digest").empty() && numberIn(row, "cost_ms") > 0)
      text += fmt::format("{} {} ms at n = {}", text.empty() ? "" : ",",
                          milliseconds(numberIn(row, "cost_ms")), row.at("n"));
  }
  return text.empty() ? "" : wrapped("subtracted from each time, the cost of timing:" + text);
}

/// Says which times of solvers of this program were disturbed, if any were.
std::string disturbedReferences(const std::vector<Row>& rows) {
  std::string text;
  bool decides = false;  // `ref` gives the speedups
  for (const Row& row : rows) {
    if (!row.at("digest").empty() || row.at("disturbed").empty()) continue;
    text += fmt::format("{}{} at n = {} ({})", text.empty() ? "" : ", ", row.at("name"),
                        row.at("n"), row.at("disturbed"));
    decides = decides || row.at("name") == "ref";
  }
  if (text.empty()) return "";
  return wrapped(fmt::format("{}{}; the same command with --csv FILE and --again-disturbed "
                             "measures again",
                             text, decides ? "; speedups and points depend on ref" : ""),
                 "  disturbed: ");
}

}  // namespace

std::string gradeTable(const GradeRows& rows) {
  return disturbedReferences(rows.sizes) + ranking(rows.grades) + medians(rows.sizes) +
         costs(rows.sizes);
}

std::string pointsTable(const Graded& graded) {
  std::string out;
  for (const Grade& grade : graded.grades) {
    if (!grade.points) continue;
    out += fmt::format("\n{}: {:g} of {:g} {}\n", oneLine(grade.handIn.name), total(*grade.points),
                       most(*grade.points), most(*grade.points) == 1 ? "point" : "points");
    for (const PointsLine& line : *grade.points)
      out += fmt::format("{:>8} of {:<5} {:<21} {}\n", fmt::format("{:g}", line.points),
                         fmt::format("{:g}", line.of), line.line, line.why);
  }
  return out;
}

std::string nearCopiesTable(const Graded& graded) {
  std::vector<Fingerprints> all;
  for (const Grade& grade : graded.grades) all.push_back(grade.fingerprints);
  std::string out;
  for (const NearCopies& each : nearCopies(all)) {
    const Grade &a = graded.grades[each.a], &b = graded.grades[each.b];
    if (a.isTwinOf(b)) continue;
    out += fmt::format("{:>4.0f} %  {}: {} and {}\n", each.percent,
                       counted(each.shared, "fingerprint"), oneLine(a.handIn.name),
                       oneLine(b.handIn.name));
  }
  return out.empty()
             ? ""
             : "\nSources that resemble each other. Read them: this proves nothing.\n" + out;
}
