#include "device/simd.h"

#include "base/error.h"

namespace engine {

bool hasSimd(const std::string& name) {
#if defined(__x86_64__)
  if (name == "avx512")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  if (name == "avx2") return __builtin_cpu_supports("avx2") != 0;
#endif
  return name == "portable";
}

std::string widestSimd() {
  for (const char* name : {"avx512", "avx2"})
    if (hasSimd(name)) return name;
  return "portable";
}

void refuseSimd(const std::string& name) {
  throw Error(ErrorCode::kUsage, "no such instruction set on this machine: " + name);
}

}  // namespace engine
