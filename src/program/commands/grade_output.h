// What `apsp grade` prints, and the files that it writes when it has graded.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/groups.h"
#include "cli/page.h"
#include "device/device.h"
#include "grade/graded.h"
#include "io/output.h"

/// The number of files for course systems: --moodle, --canvas, --gradescope-csv, --gradescope.
inline constexpr std::size_t kExportCount = 4;

struct GradeOutputFlags {
  bool explain = false, similar = false;
  std::string students;                           ///< file that is read; "": none
  std::string feedback;                           ///< folder; "": none
  std::array<std::string, kExportCount> exports;  ///< files; "": none
  OutputFlags files;
  PageFlags page;

  /// What is written beside the files of --csv; "" stands for none.
  std::vector<std::string> paths() const;
  /// Whether a file is asked for that tells of one hand-in.
  bool areForOne() const;
};

/// The flags under the heading "Output".
void addGradeOutput(Flags& flags, GradeOutputFlags& output);

/// nullptr: none.
using ExportFiles = std::array<std::unique_ptr<OutputFile>, kExportCount>;

/// The output of one grading.
class GradeOutput {
 public:
  /// Opens all files, so make it before any long work. hasRubric: there are points. Throws
  /// Error(kOutput), Error(kUsage).
  GradeOutput(const GradeOutputFlags& flags, const Device& device, bool hasRubric);

  /// What is found, but for the page: that of a complete grading only.
  void write(const Graded& graded);
  /// The same when a signal has ended the grading.
  void writeInterrupted(const Graded& graded);
  void writePage(const Graded& graded) const;

 private:
  const GradeOutputFlags& o_;
  const Device& device_;
  const ExportFiles exports_;
  const std::unique_ptr<OutputFile> json_;  // nullptr: none
  const Page page_;
};
