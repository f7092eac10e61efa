// The user's folder of things that can be made again.
#pragma once

#include <filesystem>

/// $XDG_CACHE_HOME/apsp or ~/.cache/apsp, which need not exist; empty if neither variable is set.
std::filesystem::path cachePath();
/// The same folder, which is made if it is missing; empty if that fails.
std::filesystem::path cacheFolder();
