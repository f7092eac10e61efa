#include "system/environment.h"

#include <apsp/apsp.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "revision.h"  // made by cmake/revision.cmake: kRevision, kDirty, kCuda

std::string programVersion() {
  return apsp_version();
}
std::string gitRevision() {
  return kRevision;
}
std::string gitDirty() {
  return kDirty;
}

std::string buildDescription() {
  return fmt::format("(revision {}{}; {})", *kRevision ? kRevision : "unknown",
                     *kDirty ? ", modified" : "", kCuda);
}

std::string hostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string slurmJob() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  const std::string array = variable("SLURM_ARRAY_JOB_ID");
  return array.empty() ? variable("SLURM_JOB_ID") : array + "_" + variable("SLURM_ARRAY_TASK_ID");
}

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}
