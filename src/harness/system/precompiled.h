// Headers that many files include. The Makefile precompiles them, and includes this file first in
// most others. No include guard: compilers warn of `#pragma once` in a file that is compiled
// itself.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
