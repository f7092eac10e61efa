// One list of implementations for each loop, one for each instruction set, and one choice among
// them: the widest that this machine's CPU has.
#pragma once

#include <cstddef>
#include <string>

namespace engine {

/// Whether the CPU has the instruction set "avx512", "avx2" or "portable", which every CPU has.
bool hasSimd(const std::string& name);

/// The widest one that it has.
std::string widestSimd();

/// A loop as it is compiled for one instruction set. Kernel: a pointer to it, or a struct of such
/// pointers.
template <class Kernel>
struct SimdLevel {
  const char* name;
  Kernel kernel;
};

/// Throws Error(kUsage) that names the instruction set.
[[noreturn]] void refuseSimd(const std::string& name);

/// Of a loop's implementations, that of the instruction set `wanted`, or of the widest one if it is
/// "". Throws Error(kUsage) if the list or the CPU has none of that name.
template <class Kernel, std::size_t kCount>
Kernel chooseSimd(const SimdLevel<Kernel> (&levels)[kCount], const std::string& wanted = "") {
  const std::string name = wanted.empty() ? widestSimd() : wanted;
  for (const SimdLevel<Kernel>& level : levels)
    if (name == level.name && hasSimd(name)) return level.kernel;
  refuseSimd(name);
}

}  // namespace engine
