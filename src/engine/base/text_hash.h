// A short name of a text.
#pragma once

#include <string>

namespace engine {

/// A 64-bit FNV-1a hash as 16 hexadecimal digits, for a short file name in the result store. Two
/// texts may have the same one: to identify a content, use sha256().
std::string textHash(const std::string& text);

}  // namespace engine
