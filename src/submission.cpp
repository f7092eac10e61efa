// Stands in for the submissions of another branch until it is merged.
#include "submission.h"

bool isSubmission(const std::string& word) {
  return word.find_first_of("/.") != std::string::npos;
}

Kernel loadSubmission(const std::string& path, const Device&, const SubmissionLimits&) {
  throw Error(Exit::kUsage, path + ": this build runs no submissions");
}
