// libFuzzer's side: one program for all targets, which fuzzes the one that it is called as. Called
// by another name it lists them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/memory.h"
#include "targets.h"

namespace {
const Target* target = nullptr;
}

// What the machine has is read from a dozen files of /proc, which would take most of the time; what
// a reader takes is bounded by targets.cpp.
void requireHostBytes(std::size_t, const char*) {}

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  const std::string path = **argv, name = path.substr(path.rfind('/') + 1);
  for (const Target& each : fuzzTargets())
    if (name == each.name) target = &each;
  if (target != nullptr) return 0;
  for (const Target& each : fuzzTargets()) std::puts(each.name);
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
