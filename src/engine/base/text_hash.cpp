#include "base/text_hash.h"

#include <fmt/format.h>

#include <cstdint>

namespace engine {

std::string textHash(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace engine
