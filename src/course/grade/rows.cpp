#include "grade/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/quantity.h"
#include "generate/generate.h"
#include "system/environment.h"
#include "system/utf8.h"

namespace {

std::string number(double value) {
  return fmt::format("{:.9g}", value);
}

std::string numberOrNone(double value) {
  return value > 0 ? number(value) : "";
}

/// A row of the file of grades.
struct GradeRow {
  const Graded& of;
  const Grade& grade;

  /// The time at the size that decides the rank; nullptr without.
  const SizeTimes* deciding() const {
    return grade.rank > 0 ? &grade.times->sizes.back() : nullptr;
  }
};

std::string pointsField(const GradeRow& r) {
  return r.grade.points ? number(total(*r.grade.points)) : "";
}

std::string linesField(const GradeRow& r) {
  std::string text;
  if (!r.grade.points) return text;
  for (const PointsLine& line : *r.grade.points)
    text +=
        fmt::format("{}{} {:g}/{:g}", text.empty() ? "" : "; ", line.line, line.points, line.of);
  return text;
}

template <class Of>
std::string ofDeciding(const GradeRow& r, const Of& of) {
  const SizeTimes* const times = r.deciding();
  return times == nullptr ? "" : number(of(*times));
}

const Column<GradeRow> kGradeColumns[] = {
    {"rank", kNumber,
     [](const GradeRow& r) { return r.grade.rank > 0 ? std::to_string(r.grade.rank) : ""; }},
    {"name", kText, [](const GradeRow& r) { return oneLine(r.grade.handIn.name); }},
    {"points", kNumber, pointsField},
    {"speedup", kNumber,
     [](const GradeRow& r) {
       return ofDeciding(r, [](const SizeTimes& t) { return t.speedup(); });
     }},
    {"verdict", kText, [](const GradeRow& r) { return r.grade.verdict(); }},
    {"reason", kText, [](const GradeRow& r) { return oneLine(r.grade.reason()); }},
    {"diagnosis", kText,
     [](const GradeRow& r) { return r.grade.check ? r.grade.check->diagnosis.sentence : ""; }},
    {"warning", kText, [](const GradeRow& r) { return oneLine(r.grade.warning()); }},
    {"disturbed", kText, [](const GradeRow& r) { return r.grade.disturbed(); }},
    {"n", kNumber, [](const GradeRow& r) { return std::to_string(r.of.options.largest()); }},
    {"median_ms", kNumber,
     [](const GradeRow& r) {
       return ofDeciding(r, [](const SizeTimes& t) { return t.timing.median; });
     }},
    {"spread_pct", kNumber,
     [](const GradeRow& r) {
       return ofDeciding(r, [](const SizeTimes& t) { return t.spread(); });
     }},
    {"points_lines", kText, linesField},
    {"digest", kText, [](const GradeRow& r) { return r.grade.digest; }},
    {"depth", kText, [](const GradeRow& r) { return std::string(r.of.options.depth()); }},
    {"sizes", kText,
     [](const GradeRow& r) { return fmt::format("{}", fmt::join(r.of.options.sizes, " ")); }},
    {"warmup", kNumber,
     [](const GradeRow& r) { return std::to_string(r.of.options.measuring.warmup); }},
    {"reps", kNumber,
     [](const GradeRow& r) { return std::to_string(r.of.options.measuring.reps); }},
    {"time_limit_s", kNumber,
     [](const GradeRow& r) { return number(r.of.options.limits.callSeconds); }},
    {"sandbox", kText,
     [](const GradeRow& r) { return r.of.options.sandboxOf(r.grade.isSubmission()); }},
    {"device_name", kText, [](const GradeRow& r) { return r.of.device.name; }},
    {"revision", kText, [](const GradeRow&) { return gitRevision(); }},
    {"dirty", kText, [](const GradeRow&) { return gitDirty(); }},
    {"contract", kText,
     [](const GradeRow& r) { return std::string(contractOf(r.of.options.checkOptions())); }},
    {"student_id", kText,
     [](const GradeRow& r) { return r.grade.student == nullptr ? "" : r.grade.student->id; }},
    {"student", kText,
     [](const GradeRow& r) { return r.grade.student == nullptr ? "" : r.grade.student->name; }},
    {"same_as", kText,
     [](const GradeRow& r) { return oneLine(fmt::format("{}", fmt::join(r.grade.sameAs, ", "))); }},
};

/// A row of the file of sizes: of a submission, or of a solver of this program.
struct SizeRow {
  const Graded& of;
  std::string name, digest, kernel;  ///< kernel: the file of a hand-in, or the name of a solver
  const SizeTimes& times;
};

const Column<SizeRow> kSizeColumns[] = {
    {"name", kText, [](const SizeRow& r) { return oneLine(r.name); }},
    {"digest", kText, [](const SizeRow& r) { return r.digest; }},
    {"n", kNumber, [](const SizeRow& r) { return std::to_string(r.times.n); }},
    {"median_ms", kNumber, [](const SizeRow& r) { return number(r.times.timing.median); }},
    {"q1_ms", kNumber, [](const SizeRow& r) { return number(r.times.timing.q1); }},
    {"q3_ms", kNumber, [](const SizeRow& r) { return number(r.times.timing.q3); }},
    {"min_ms", kNumber, [](const SizeRow& r) { return number(r.times.timing.minimum); }},
    {"max_ms", kNumber, [](const SizeRow& r) { return number(r.times.timing.maximum); }},
    {"spread_pct", kNumber, [](const SizeRow& r) { return number(r.times.spread()); }},
    {"outliers", kNumber, [](const SizeRow& r) { return std::to_string(r.times.timing.outliers); }},
    {"warmup", kNumber, [](const SizeRow& r) { return std::to_string(r.times.timing.warmup); }},
    {"reps", kNumber, [](const SizeRow& r) { return std::to_string(r.times.timing.reps); }},
    {"naive_ms", kNumber, [](const SizeRow& r) { return numberOrNone(r.times.naive); }},
    {"speedup", kNumber, [](const SizeRow& r) { return numberOrNone(r.times.speedup()); }},
    {"cost_ms", kNumber, [](const SizeRow& r) { return number(r.times.cost); }},
    {"events_ms", kNumber, [](const SizeRow& r) { return number(r.times.events); }},
    {"seeds", kText,
     [](const SizeRow& r) { return fmt::format("{}", fmt::join(r.times.seeds, " ")); }},
    {"verified", kText, [](const SizeRow& r) { return r.times.verified; }},
    {"disturbed", kText, [](const SizeRow& r) { return r.times.causes; }},
    {"doubt", kText, [](const SizeRow& r) { return oneLine(r.times.doubt); }},
    {"sandbox", kText, [](const SizeRow& r) { return r.of.options.sandboxOf(!r.digest.empty()); }},
    {"device_name", kText, [](const SizeRow& r) { return r.of.device.name; }},
    {"revision", kText, [](const SizeRow&) { return gitRevision(); }},
    {"dirty", kText, [](const SizeRow&) { return gitDirty(); }},
    {"family", kText, [](const SizeRow&) { return std::string(kTimedFamily); }},
    {"hash", kText, [](const SizeRow& r) { return r.times.hash; }},
    {"command", kText,
     [](const SizeRow& r) { return r.of.commandFor(r.kernel, !r.digest.empty(), r.times); }},
};

/// The columns that earlier versions did not write, at the ends of the files of sizes and grades.
const std::vector<const char*> kAddedLater[] = {{"family", "hash", "command"},
                                                {"contract", "student_id", "student", "same_as"}};

/// The text of a file without its byte order mark.
std::string textOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return text.rfind(kByteOrderMark, 0) == 0 ? text.substr(kByteOrderMark.size()) : text;
}

std::string headerOf(const std::string& text) {
  return text.substr(0, text.find('\n') + 1);
}

/// The beginning of the header that earlier versions wrote: a row for each size in one file.
constexpr char kEarlier[] = "time,name,hash,build,depth,";

/// Whether a file has this header, or the one that earlier versions wrote.
bool isHeader(const std::string& found, const std::string& header) {
  const auto lacks = [&](const std::vector<const char*>& columns) {
    const std::string added = fmt::format(",{}\n", fmt::join(columns, ","));
    return endsWith(header, added) &&
           found == header.substr(0, header.size() - added.size()) + "\n";
  };
  return found == header || std::any_of(std::begin(kAddedLater), std::end(kAddedLater), lacks);
}

/// The rows of one of the files. Throws Error(kInput) unless it has that header.
std::vector<Row> readRows(const std::string& path, const std::string& header) {
  const std::string text = textOf(path), found = headerOf(text);
  if (found.rfind(kEarlier, 0) == 0)
    throw Error(ErrorCode::kInput, path + ": grades of an earlier version: grade the folder again");
  if (!isHeader(found, header))
    throw Error(ErrorCode::kInput, path + ": its header is not that of a file of grades");
  std::vector<Row> rows = parseCsv(path, text);
  for (Row& row : rows)
    if (found != header)
      for (const auto& columns : kAddedLater)
        for (const char* column : columns) row.emplace(column, "");
  return rows;
}

}  // namespace

std::string sizesFile(const std::string& csv) {
  return (endsWith(csv, ".csv") ? csv.substr(0, csv.size() - 4) : csv) + ".sizes.csv";
}

std::string gradesCsv(const Graded& graded) {
  std::string text = csvHeader(kGradeColumns);
  for (const Grade& grade : graded.grades) text += csvRow(kGradeColumns, GradeRow{graded, grade});
  return text;
}

std::string sizesCsv(const Graded& graded) {
  std::string text = csvHeader(kSizeColumns);
  const auto add = [&](const std::string& name, const std::string& digest,
                       const std::string& kernel, const std::vector<SizeTimes>& sizes) {
    for (const SizeTimes& each : sizes)
      text += csvRow(kSizeColumns, SizeRow{graded, name, digest, kernel, each});
  };
  for (const Reference& reference : graded.references)
    add(reference.name, "", reference.name, reference.times);
  for (const Grade& grade : graded.grades)
    if (grade.times) add(grade.handIn.name, grade.digest, grade.handIn.path, grade.times->sizes);
  return text;
}

void requireOurs(const std::string& csv) {
  const auto require = [](const std::string& path, const std::string& header) {
    std::error_code missing;
    if (!std::filesystem::is_regular_file(path, missing)) return;
    const std::string found = headerOf(textOf(path));
    if (!found.empty() && !isHeader(found, header))
      throw Error(ErrorCode::kOutput, path +
                                          ": begins with another header, of an earlier version or "
                                          "another program: move the file away");
  };
  require(csv, csvHeader(kGradeColumns));
  require(sizesFile(csv), csvHeader(kSizeColumns));
}

namespace {

/// The rows of the file that these grades will replace; none if there is no file.
std::vector<Row> earlierRows(const Graded& graded) {
  const std::string& csv = graded.options.csv;
  std::error_code missing;
  if (!std::filesystem::is_regular_file(csv, missing)) return {};  // a pipe holds no grades
  if (headerOf(textOf(csv)).empty()) return {};
  return readRows(csv, csvHeader(kGradeColumns));
}

/// The grade that a row is about; nullptr if there is none.
const Grade* gradeOf(const Row& row, const Graded& graded) {
  const auto at = std::find_if(graded.grades.begin(), graded.grades.end(), [&](const Grade& grade) {
    return oneLine(grade.handIn.name) == row.at("name");
  });
  return at == graded.grades.end() ? nullptr : &*at;
}

}  // namespace

bool hasOtherContents(const Graded& graded) {
  const std::vector<Row> rows = earlierRows(graded);
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    const Grade* const grade = gradeOf(row, graded);
    return grade != nullptr && !row.at("digest").empty() && row.at("digest") != grade->digest;
  });
}

void requireNothingLost(const Graded& graded) {
  const GradeOptions& options = graded.options;
  std::size_t withPoints = 0;
  std::vector<std::string> gone;
  for (const Row& row : earlierRows(graded)) {
    if (!row.at("points").empty()) ++withPoints;
    if (gradeOf(row, graded) == nullptr && row.at("verdict") != "left out")
      gone.push_back(row.at("name"));
  }
  if (withPoints > 0 && options.rubric.empty() && !options.withoutPoints)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: has the points of {}, and no rubric is given now: give --rubric "
                            "FILE, or --without-points to drop them",
                            options.csv, counted(withPoints, "submission")));
  constexpr std::size_t kShown = 3;
  if (gone.empty() || options.replace) return;
  const std::size_t shown = std::min(gone.size(), kShown);
  throw Error(
      ErrorCode::kUsage,
      fmt::format("{}: has grades of {} that {} not in {} ({}{}): give another --csv, or --replace "
                  "to drop them",
                  options.csv, counted(gone.size(), "submission"), gone.size() == 1 ? "is" : "are",
                  options.folder,
                  fmt::join(gone.begin(), gone.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                  gone.size() > shown ? ", …" : ""));
}

bool isGrades(const std::string& path) {
  std::error_code missing;
  if (!std::filesystem::is_regular_file(path, missing)) return false;
  const std::string header = headerOf(textOf(path));
  return isHeader(header, csvHeader(kGradeColumns)) || header.rfind(kEarlier, 0) == 0;
}

GradeRows rowsOf(const Graded& graded) {
  return {parseCsv("grades", gradesCsv(graded)), parseCsv("sizes", sizesCsv(graded))};
}

GradeRows readGrades(const std::string& csv) {
  GradeRows rows{readRows(csv, csvHeader(kGradeColumns)), {}};
  const std::string sizes = sizesFile(csv);
  std::error_code missing;
  if (std::filesystem::exists(sizes, missing))
    rows.sizes = readRows(sizes, csvHeader(kSizeColumns));
  return rows;
}
