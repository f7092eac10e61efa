// The program for libFuzzer. It fuzzes the target that has the name by which it was called. Called
// by any other name it lists the targets, each with the extensions of its files.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/memory.h"
#include "targets.h"

using namespace engine;

namespace {
const Target* target = nullptr;
}

namespace engine {

// These replace the functions of src/engine/base/memory.cpp, which read a dozen files of /proc: that
// would take most of the time. targets.cpp bounds the memory that a reader takes.
std::size_t freeHostBytes() {
  return ~std::size_t{0} / 2;
}
void requireHostBytes(std::size_t, const char*) {}

}  // namespace engine

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  const std::string path = **argv, name = path.substr(path.rfind('/') + 1);
  for (const Target& each : fuzzTargets())
    if (name == each.name) target = &each;
  if (target != nullptr) return 0;
  for (const Target& each : fuzzTargets()) {
    std::string line = each.name;
    for (const std::string& extension : each.extensions) line += " " + extension;
    std::puts(line.c_str());
  }
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
