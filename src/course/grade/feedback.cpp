#include "grade/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/quantity.h"
#include "io/json.h"
#include "io/output.h"
#include "io/unwritable.h"
#include "system/environment.h"
#include "system/shell.h"
#include "system/utf8.h"

namespace fs = std::filesystem;

namespace {

/// "  what      text" of a text that is not empty.
std::string lineAbout(const char* what, const std::string& text) {
  return text.empty() ? "" : fmt::format("{:<11}{}\n", what, text);
}

/// The author's own file: the place where it lies with the teacher says nothing to a student.
std::string ownFile(const Grade& grade) {
  const std::string name = fs::path(grade.handIn.path).filename().string();
  if (grade.handIn.packed) return "./" + grade.file;
  return "./" + (grade.student == nullptr ? name : nameBeforeExport(name));
}

/// A command of the teacher as the author gives it.
std::string ownCommand(const std::string& command) {
  const std::string program = programAsTyped();
  return (command.rfind(program, 0) == 0 ? "./apsp" + command.substr(program.size()) : command);
}

/// A text in which the author's own file stands for the path with the teacher.
std::string withOwnFile(std::string text, const Grade& grade) {
  const std::string path = oneLine(grade.handIn.path), own = ownFile(grade);
  for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos; at += own.size())
    text.replace(at, path.size(), own);
  return text;
}

std::string pointsText(const Grade& grade) {
  if (!grade.points) return "";
  std::string text = fmt::format("\n{:g} of {:g} {}\n", total(*grade.points), most(*grade.points),
                                 most(*grade.points) == 1 ? "point" : "points");
  for (const PointsLine& line : *grade.points)
    text += fmt::format("{:>8} of {:<5} {:<21} {}\n", fmt::format("{:g}", line.points),
                        fmt::format("{:g}", line.of), line.line, line.why);
  return text;
}

std::string timesText(const Graded& graded, const Grade& grade) {
  if (!grade.times || grade.times->sizes.empty()) return "";
  std::string text = "\nTimes\n", commands;
  for (const SizeTimes& each : grade.times->sizes) {
    text += fmt::format(
        "  n = {}: {} ms{}{}{}\n", each.n, milliseconds(each.timing.median),
        each.naive > 0 ? fmt::format(", {:.2f} times as fast as ref", each.speedup()) : "",
        each.disturbed ? ", disturbed (" + each.causes + ")" : "",
        each.doubt.empty() ? "" : ", refused: " + each.doubt);
    commands += "  " + ownCommand(graded.commandFor(ownFile(grade), true, each)) + "\n";
  }
  return text + "On the same graphs again:\n" + commands;
}

std::string witnessOf(const Graded& graded, const Grade& grade) {
  if (!grade.check || grade.check->witness.is_null()) return "";
  const Json& witness = grade.check->witness;
  return fmt::format(
      "\nThe smallest graph that fails: {}\n  {} {} --device {} --kernel {} --verify\n\n{}",
      witness.at("graph").get<std::string>(), "./apsp", witness.at("options").get<std::string>(),
      nameOf(graded.kind), shellWord(ownFile(grade)), witness.at("matrices").get<std::string>());
}

std::string failuresOf(const Grade& grade) {
  if (!grade.check || !grade.check->check.is_object()) return "";
  std::string text;
  for (const Json& failure : grade.check->check.at("failures"))
    text += fmt::format("  {}: {}\n", failure.at("graph").get<std::string>(),
                        withOwnFile(failure.at("text").get<std::string>(), grade));
  return text.empty() ? "" : "\nThe first graph of each family that fails\n" + text;
}

}  // namespace

std::string feedbackOf(const Graded& graded, const Grade& grade) {
  const std::string diagnosis = grade.check ? grade.check->diagnosis.sentence : "";
  std::string text = graded.rubric ? graded.rubric->title + "\n\n" : "";
  text += lineAbout("file", oneLine(grade.handIn.name)) + lineAbout("SHA-256", grade.digest) +
          lineAbout("verdict", grade.verdict()) +
          lineAbout("because", oneLine(withOwnFile(grade.reason(), grade))) +
          lineAbout("diagnosis", diagnosis) +
          lineAbout("warning", oneLine(withOwnFile(grade.warning(), grade))) + pointsText(grade) +
          timesText(graded, grade) + failuresOf(grade) + witnessOf(graded, grade);
  if (grade.isSubmission())
    text += "\nWhat checks the file again:\n  " +
            ownCommand(graded.checkCommand(grade, ownFile(grade))) + "\n";
  return text;
}

void makeFeedbackFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(ErrorCode::kOutput, fmt::format("{}: {}{}", folder, error.message(),
                                                adviceOnWriting(folder, error.value())));
}

void writeFeedback(const Graded& graded, const std::string& folder) {
  for (const Grade& grade : graded.grades)
    OutputFile((fs::path(folder) / (grade.handIn.name + ".txt")).string())
        .finish(feedbackOf(graded, grade));
}

// ---- files for course systems ---------------------------------------------------------------

namespace {

/// The points that count for a student, and why.
struct Mark {
  std::string points, comment;  // points: "" if there are none yet
};

Mark markOf(const Grade* grade) {
  if (grade == nullptr) return {"0", "no hand-in"};
  const std::string verdict = grade->verdict();
  const std::string why = grade->reason().empty() ? "" : ": " + oneLine(grade->reason());
  if (grade->points) {
    std::string comment = verdict + withOwnFile(why, *grade);
    for (const PointsLine& line : *grade->points)
      comment += fmt::format("; {} {:g}/{:g}", line.line, line.points, line.of);
    return {fmt::format("{:g}", total(*grade->points)), comment};
  }
  const bool none = verdict == "left out" || verdict == "refused";
  return {none ? "0" : "", verdict + withOwnFile(why, *grade)};
}

/// The hand-in of a student that counts; nullptr without.
const Grade* handInOf(const Graded& graded, const Student& student) {
  const std::vector<const Grade*> all = graded.handInsOf(student);
  return all.empty() ? nullptr : all.back();
}

/// The most points of the rubric.
std::string mostPoints(const Graded& graded) {
  return fmt::format("{:g}", most(linesOf(*graded.rubric)));
}

/// The field of a row in one of these columns; "" without.
std::string fieldIn(const Row& row, std::initializer_list<const char*> columns) {
  for (const char* column : columns)
    if (const auto at = row.find(column); at != row.end()) return at->second;
  return "";
}

std::string tableLine(const std::vector<std::string>& fields) {
  std::vector<std::string> cells;
  for (const std::string& field : fields) cells.push_back(csvCell(kNumber, field));
  return csvLine(cells);
}

}  // namespace

std::string moodleCsv(const Graded& graded) {
  std::string text = csvLine(
      {"Identifier", "Full name", "Email address", "Grade", "Maximum Grade", "Feedback comments"});
  for (const Student& student : graded.roster->all()) {
    const Mark mark = markOf(handInOf(graded, student));
    const std::string identifier = fieldIn(student.row, {"Identifier"});
    text += tableLine({identifier.empty() ? student.id : identifier, student.name, student.email,
                       mark.points, mostPoints(graded), mark.comment});
  }
  return text;
}

std::string canvasCsv(const Graded& graded) {
  const std::vector<std::string> kept = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
  std::string title = graded.rubric->title;
  for (const auto& [column, field] : graded.roster->all().front().row)
    if (!title.empty() && column.rfind(title + " (", 0) == 0) title = column;
  std::vector<std::string> header = kept;
  header.push_back(title.empty() ? "apsp" : title);
  std::string text =
      csvLine(header) + csvLine({"    Points Possible", "", "", "", "", mostPoints(graded)});
  for (const Student& student : graded.roster->all()) {
    std::vector<std::string> fields = {student.name, student.id};
    for (std::size_t at = 2; at < kept.size(); ++at)
      fields.push_back(fieldIn(student.row, {kept[at].c_str()}));
    fields.push_back(markOf(handInOf(graded, student)).points);
    text += tableLine(fields);
  }
  return text;
}

std::string gradescopeCsv(const Graded& graded) {
  std::string text = csvLine({"First Name", "Last Name", "SID", "Email", "Sections", "Total Score",
                              "Max Points", "Status", "Submission ID", "Comments"});
  for (const Student& student : graded.roster->all()) {
    const Grade* const handIn = handInOf(graded, student);
    const Mark mark = markOf(handIn);
    const char* const status = handIn == nullptr     ? "Missing"
                               : mark.points.empty() ? "Ungraded"
                                                     : "Graded";
    text +=
        tableLine({student.first, student.last, student.id, student.email,
                   fieldIn(student.row, {"Sections", "Section"}), mark.points, mostPoints(graded),
                   status, fieldIn(student.row, {"Submission ID"}), mark.comment});
  }
  return text;
}

const Grade& onlyHandIn(const Graded& graded) {
  const Grade* found = nullptr;
  for (const Grade& grade : graded.grades) {
    if (!grade.isSubmission()) continue;
    if (found != nullptr)
      throw Error(
          ErrorCode::kInput,
          oneLine(fmt::format("{}: --gradescope is for one hand-in: found {} and {}",
                              graded.options.folder, found->handIn.name, grade.handIn.name)));
    found = &grade;
  }
  if (found == nullptr)
    throw Error(ErrorCode::kInput,
                oneLine(graded.options.folder) + ": --gradescope is for one hand-in: found none");
  return *found;
}

std::string gradescopeJson(const Graded& graded) {
  const Grade& grade = onlyHandIn(graded);
  Json tests = Json::array();
  if (grade.points)
    for (const PointsLine& line : *grade.points)
      tests.push_back({{"name", line.line},
                       {"score", line.points},
                       {"max_score", line.of},
                       {"status", line.points >= line.of ? "passed" : "failed"},
                       {"output", jsonString(line.why)}});
  return jsonText({{"score", grade.points ? total(*grade.points) : 0},
                   {"max_score", most(linesOf(*graded.rubric))},
                   {"output", jsonString(feedbackOf(graded, grade))},
                   {"tests", tests}});
}
