#include "io/unwritable.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "system/shell.h"

namespace fs = std::filesystem;

namespace {

/// The folders that this program makes in a folder of results. The user has named the folder.
constexpr const char* kOurs[] = {".plan", ".locks"};

/// What the user has named: the file or folder, or the folder above one of ours.
fs::path namedByUser(const fs::path& path) {
  fs::path above;
  for (const fs::path& part : path) {
    if (std::find(std::begin(kOurs), std::end(kOurs), part) != std::end(kOurs)) return above;
    above /= part;
  }
  return path;
}

/// The same name in the folder for temporary files; "" if it lies there already, or if the user
/// does not know the path.
std::string elsewhere(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error), there = folder / path.filename();
  const bool unknown = path.string().rfind("/proc/", 0) == 0;
  return error || unknown || !path.has_filename() || there == path ? "" : there.string();
}

/// Whether this folder, which is missing, can be made: the nearest folder above it that exists is
/// writable.
bool canBeMade(fs::path folder) {
  std::error_code unknown;
  while (!folder.empty() && !fs::exists(folder, unknown)) folder = folder.parent_path();
  return access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

std::string adviceOnWriting(const std::string& path, int error) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code unknown;
  const bool missing = error == ENOENT && !folder.empty() && !fs::exists(folder, unknown);
  if (missing && canBeMade(folder))
    return ": make the folder: mkdir -p " + shellWord(folder.string());
  if (!missing && error != EROFS && error != EACCES && error != EPERM) return "";
  const std::string there = elsewhere(namedByUser(path));
  return there.empty() ? ": write elsewhere"
                       : ": write elsewhere, for example to " + shellWord(there);
}
