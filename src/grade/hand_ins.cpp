#include "grade/hand_ins.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/error.h"

std::vector<HandIn> findHandIns(const std::string& folder, const Device& device) {
  namespace fs = std::filesystem;
  const bool buildsSource = device.kind() == DeviceKind::kGpu;
  std::vector<HandIn> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path &path = entry.path(), nested = path / "apsp.cu";
    const std::string name = path.filename().string();
    std::error_code unknown;
    if (entry.is_directory(unknown)) {
      if (buildsSource && fs::exists(nested, unknown)) found.push_back({name, nested.string()});
    } else if (path.extension() == ".so" || (buildsSource && path.extension() == ".cu")) {
      found.push_back({name, path.string()});
    }
  }
  if (error) throw Error(Exit::kInput, fmt::format("{}: {}", folder, error.message()));
  if (found.empty()) {
    throw Error(Exit::kInput, fmt::format("{}: no submission here: none of {}", folder,
                                          buildsSource ? "*.cu, *.so, */apsp.cu" : "*.so"));
  }
  std::sort(found.begin(), found.end(),
            [](const HandIn& a, const HandIn& b) { return a.name < b.name; });
  return found;
}
