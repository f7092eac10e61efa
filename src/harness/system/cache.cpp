#include "system/cache.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace fs = std::filesystem;

fs::path cachePath() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  const auto isSet = [](const char* value) { return value != nullptr && value[0] != 0; };
  if (!isSet(cache) && !isSet(home)) return {};
  return (isSet(cache) ? fs::path(cache) : fs::path(home) / ".cache") / "apsp";
}

fs::path cacheFolder() {
  const fs::path folder = cachePath();
  if (folder.empty()) return {};
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? fs::path() : folder;
}
