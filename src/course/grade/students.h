// Who handed in what: a file of students, as course systems export it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/csv.h"

/// A row of the file of students. A field that the file does not have is "".
struct Student {
  std::string id, name, email;
  std::string first, last;            ///< the parts of the name; a name of one word is `first`
  std::optional<long long> handedIn;  ///< seconds since 1970, UTC
  Row row;                            ///< all fields, by the names of the columns in the file
};

/// A time such as "2026-01-31T12:00:00Z", "2026-01-31 12:00 +0100" or "Saturday, 31 January 2026,
/// 12:00 PM" in seconds since 1970; nothing if it is none. A time without a zone counts as UTC.
std::optional<long long> secondsSince1970(const std::string& time);

/// The name that a file had before Canvas exported it: "apsp.cpp" of "leeann_LATE_7_900_apsp.cpp".
/// Other names stay as they are.
std::string nameBeforeExport(const std::string& name);

/// The students of a CSV file.
class Roster {
 public:
  Roster() = default;
  /// Reads a grading worksheet of Moodle, a gradebook of Canvas, grades of Gradescope, or a file
  /// with some of the columns file, id, name, email, handed_in. Throws Error(kInput) if it cannot
  /// be read, if no column can tell whose a file is, or if a time is none.
  explicit Roster(const std::string& path);

  const std::vector<Student>& all() const { return students_; }
  /// Who handed in a file or folder of that name; nullptr if that is not known. The names are those
  /// that Moodle ("Ann Lee_123_assignsubmission_file_"), Canvas ("leeann_LATE_123_456_apsp.cpp")
  /// and Gradescope ("submission_123") give to exported files, those of the column `file`, an id, a
  /// login name or a name.
  const Student* of(const std::string& handIn) const;

 private:
  void add(const std::string& kind, const std::string& key, std::size_t student);

  std::vector<Student> students_;
  std::map<std::string, std::optional<std::size_t>> byKey_;  // nothing: two students have the key
};
