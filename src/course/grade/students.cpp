#include "grade/students.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <regex>

#include "base/error.h"
#include "grade/archive.h"
#include "submission/compile.h"
#include "system/utf8.h"

namespace {

/// The name of a file that Canvas exported: whose, and the name that it had.
constexpr char kOfCanvas[] = R"([^_]+(?:_LATE)?_(\d+)_\d+_(.*))";

// ---- the columns ------------------------------------------------------------------------------

/// What a column holds, and its names in the files of course systems, in small letters.
struct Meaning {
  const char* what;
  std::vector<const char*> names;
};

const std::vector<Meaning>& meanings() {
  static const std::vector<Meaning> all = {
      {"file", {"file", "file name", "filename", "hand-in"}},
      {"submission", {"submission id"}},
      {"id", {"id", "sid", "student id", "identifier", "id number"}},
      {"login", {"sis login id", "login", "username", "user name", "sis user id"}},
      {"name", {"name", "student", "full name", "student name"}},
      {"first", {"first name", "given name"}},
      {"last", {"last name", "surname", "family name"}},
      {"email", {"email", "email address", "e-mail"}},
      {"handed_in", {"handed_in", "handed in", "submission time", "last modified (submission)"}},
  };
  return all;
}

std::string inSmallLetters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n"),
                    last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// The field of a row with that meaning; "" without.
std::string fieldOf(const Row& row, const char* what) {
  for (const Meaning& meaning : meanings()) {
    if (std::string(meaning.what) != what) continue;
    for (const char* name : meaning.names)
      for (const auto& [column, field] : row)
        if (inSmallLetters(trimmed(column)) == name && !trimmed(field).empty())
          return trimmed(field);
  }
  return "";
}

/// Moodle calls a student "Participant 123" in its column Identifier.
std::string withoutWord(const std::string& id) {
  constexpr std::string_view kWord = "Participant ";
  return id.rfind(kWord, 0) == 0 ? id.substr(kWord.size()) : id;
}

/// Fills in the whole name, or its parts, from the others: "Lee, Ann" and "Ann Lee" have the last
/// name Lee.
void completeName(Student& student) {
  if (student.name.empty()) student.name = trimmed(student.first + " " + student.last);
  if (!student.first.empty() || !student.last.empty()) return;
  const std::string& name = student.name;
  const std::size_t comma = name.find(','), blank = name.rfind(' ');
  if (comma != std::string::npos) {
    student.last = trimmed(name.substr(0, comma));
    student.first = trimmed(name.substr(comma + 1));
  } else if (blank != std::string::npos) {
    student.first = trimmed(name.substr(0, blank));
    student.last = name.substr(blank + 1);
  } else {
    student.first = name;
  }
}

/// The row that Canvas puts below the header.
bool isPointsPossible(const Row& row) {
  return fieldOf(row, "name") == "Points Possible";
}

std::string textOfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw Error(ErrorCode::kInput, path + ": cannot be read");
  if (text.rfind(kByteOrderMark, 0) == 0) text.erase(0, kByteOrderMark.size());
  return text.empty() || text.back() == '\n' ? text : text + "\n";
}

/// The name of a hand-in without what tells its kind.
std::string stemOf(const std::string& handIn) {
  std::vector<std::string> ends = {".so"};
  for (const Language& language : languages()) ends.emplace_back(language.extension);
  ends.push_back(archiveEnd(handIn));  // "" of what is no archive
  const auto own = std::find_if(ends.begin(), ends.end(),
                                [&](const std::string& end) { return endsWith(handIn, end); });
  return handIn.substr(0, handIn.size() - own->size());
}

}  // namespace

std::optional<long long> secondsSince1970(const std::string& time) {
  std::tm parts{};
  int year = 0, month = 0, seconds = 0, used = 0;
  const int found =
      std::sscanf(time.c_str(), "%4d-%2d-%2d%*[ T]%2d:%2d%n:%2d%n", &year, &month, &parts.tm_mday,
                  &parts.tm_hour, &parts.tm_min, &used, &seconds, &used);
  if (found >= 5) {
    parts.tm_year = year - 1900;
    parts.tm_mon = month - 1;
    parts.tm_sec = seconds;
    std::smatch zone;
    const std::string rest = trimmed(time.substr(static_cast<std::size_t>(used)));
    if (!std::regex_match(rest, zone, std::regex(R"((?:\.\d+)? ?(?:|Z|UTC|([+-])(\d\d):?(\d\d)))")))
      return std::nullopt;
    const long long shift =
        zone[1].matched ? 60 * (60 * std::stoi(zone[2]) + std::stoi(zone[3])) : 0;
    return timegm(&parts) + (zone[1] == "-" ? shift : -shift);
  }
  for (const char* form : {"%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%d %B %Y, %H:%M"}) {
    parts = {};
    const char* const end = strptime(time.c_str(), form, &parts);
    if (end != nullptr && *end == '\0') return timegm(&parts);
  }
  return std::nullopt;
}

Roster::Roster(const std::string& path) {
  for (Row& row : parseCsv(path, textOfFile(path))) {
    if (isPointsPossible(row)) continue;
    Student student;
    student.id = withoutWord(fieldOf(row, "id"));
    student.name = fieldOf(row, "name");
    student.first = fieldOf(row, "first");
    student.last = fieldOf(row, "last");
    completeName(student);
    student.email = fieldOf(row, "email");
    if (const std::string time = fieldOf(row, "handed_in"); !time.empty() && time != "-") {
      student.handedIn = secondsSince1970(time);
      if (!student.handedIn)
        throw Error(
            ErrorCode::kInput,
            fmt::format("{}: {}: no time here: expected one like 2026-01-31T12:00:00Z, found "
                        "{}",
                        path, oneLine(student.name), inQuotes(time)));
    }
    const std::size_t at = students_.size();
    const std::string file = fieldOf(row, "file");
    add("file", file, at);
    add("file", stemOf(file), at);
    add("submission", fieldOf(row, "submission"), at);
    add("id", student.id, at);
    add("login", fieldOf(row, "login"), at);
    add("login", student.email.substr(0, student.email.find('@')), at);
    add("name", student.name, at);
    student.row = std::move(row);
    students_.push_back(std::move(student));
  }
  if (byKey_.empty())
    throw Error(ErrorCode::kInput,
                path +
                    ": no student here: expected a header with file, id, name or email, or a "
                    "file that Moodle, Canvas or Gradescope exported");
}

void Roster::add(const std::string& kind, const std::string& key, std::size_t student) {
  if (key.empty()) return;
  const auto [at, isNew] = byKey_.try_emplace(kind + "|" + inSmallLetters(key), student);
  if (!isNew && at->second != student) at->second = std::nullopt;
}

std::string nameBeforeExport(const std::string& name) {
  std::smatch found;
  return std::regex_match(name, found, std::regex(kOfCanvas)) ? found[2].str() : name;
}

const Student* Roster::of(const std::string& handIn) const {
  const std::string stem = stemOf(handIn);
  std::vector<std::pair<const char*, std::string>> keys = {{"file", handIn}, {"file", stem}};
  std::smatch found;
  if (std::regex_match(handIn, found, std::regex(R"((.*)_(\d+)_assignsubmission_.*)"))) {
    keys.insert(keys.end(), {{"id", found[2]}, {"name", found[1]}});
  } else if (std::regex_match(handIn, found, std::regex(R"(submission_(\d+))"))) {
    keys.emplace_back("submission", found[1]);
  } else if (std::regex_match(handIn, found, std::regex(kOfCanvas))) {
    keys.emplace_back("id", found[1]);
  } else {
    for (const char* kind : {"id", "login", "name"}) keys.emplace_back(kind, stem);
  }
  for (const auto& [kind, key] : keys) {
    const auto at = byKey_.find(std::string(kind) + "|" + inSmallLetters(key));
    if (at != byKey_.end() && at->second) return &students_[*at->second];
  }
  return nullptr;
}
