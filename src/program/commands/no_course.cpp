// A build without the course (-DAPSP_COURSE=OFF): its kernels are the engine's, it runs no files
// that somebody hands in, and it knows no grades.
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "grade/changes.h"
#include "grade/document.h"
#include "grade/rows.h"
#include "grade/supervisor.h"
#include "grade/table.h"
#include "ladder/kernels.h"
#include "submission/compile.h"
#include "submission/sandbox.h"
#include "submission/submission.h"
#include "submission/worker.h"
#include "system/exit.h"

namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw Error(ErrorCode::kUsage, path +
                                     ": this program was built without the course, and runs no "
                                     "files: build it with the course");
}

}  // namespace

bool isSubmission(const std::string& word) {
  return word.find_first_of("./") != std::string::npos;
}

bool runsFiles() {
  return false;
}

Solver chooseSolver(const std::string& word, const Device& device, const SubmissionLimits&) {
  if (isSubmission(word)) refuse(word);
  return findKernel(word, device.kind());
}

Solver notLoaded(const std::string& path, DeviceKind, const Error&) {
  refuse(path);
}

std::vector<std::string> SubmissionLimits::optionsFor(const std::string&) const {
  return {};
}

std::string contentHash(const std::string& path, const std::vector<std::string>&, bool) {
  refuse(path);
}

bool isGrades(const std::string&) {
  return false;
}

bool isGradesDocument(const std::string&) {
  return false;
}

// The rest is never called.

GradeRows readGrades(const std::string& csv) {
  refuse(csv);
}

GradeRows readGradesDocument(const std::string& path) {
  refuse(path);
}

std::string gradeTable(const GradeRows&) {
  return "";
}

std::string changesTable(const GradeRows&, const GradeRows&) {
  return "";
}

std::optional<int> supervise() {
  return std::nullopt;
}

int runWorker(int, char**) {
  return static_cast<int>(Exit::kUsage);
}

int runConfined(int, char**) {
  return static_cast<int>(Exit::kUsage);
}
