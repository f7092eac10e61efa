// Headers that many files include. Instrumented builds precompile them: see the Makefile.
// No include guard: compilers warn of `#pragma once` in a file that is compiled itself.

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
