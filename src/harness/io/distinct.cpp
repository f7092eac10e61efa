#include "io/distinct.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "io/output.h"

namespace {

/// A file as the system knows it.
struct Identity {
  bool standardOutput = false;
  bool exists = false, device = false;
  dev_t disk = 0;
  ino_t number = 0;  // of the folder if the file does not exist
  std::string name;  // in that folder; "" if the file exists
};

/// standard: the descriptor that `path` stands for, or -1.
Identity identify(const std::string& path, int standard) {
  Identity found;
  struct stat status {};
  found.standardOutput = standard == STDOUT_FILENO;
  found.exists = (standard >= 0 ? ::fstat(standard, &status) : ::stat(path.c_str(), &status)) == 0;
  if (!found.exists && standard < 0) {
    const std::filesystem::path target = resolvedLinks(path);
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    if (::stat(folder.c_str(), &status) != 0) return found;  // opening the file will fail
    found.name = target.filename().string();
  }
  found.device = found.exists && S_ISCHR(status.st_mode);
  found.disk = status.st_dev;
  found.number = status.st_ino;
  return found;
}

Identity identifyInput(const NamedFile& file) {
  return identify(file.path, file.path == "-" ? STDIN_FILENO : -1);
}

Identity identifyOutput(const NamedFile& file) {
  return identify(file.path, isStandardOutput(file.path) ? STDOUT_FILENO : -1);
}

bool same(const Identity& a, const Identity& b) {
  if (a.standardOutput && b.standardOutput) return true;
  if (a.exists != b.exists || a.device || b.device) return false;
  if (!a.exists && (a.name.empty() || b.name.empty())) return false;
  return a.disk == b.disk && a.number == b.number && a.name == b.name;
}

}  // namespace

void requireDistinct(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (std::size_t at = 0; at < outputs.size(); ++at) {
    const NamedFile& output = outputs[at];
    const Identity written = identifyOutput(output);
    const auto refuse = [&](const std::string& why) {
      throw Error(ErrorCode::kUsage, fmt::format("{} {}: this is also {}: name another file",
                                                 output.flag, output.path, why));
    };
    for (const NamedFile& input : inputs)
      if (same(written, identifyInput(input)))
        refuse(fmt::format("the input {}, which would be lost", input.flag));

    for (std::size_t before = 0; before < at; ++before)
      if (same(written, identifyOutput(outputs[before])))
        refuse("the output of " + outputs[before].flag);
  }
}
