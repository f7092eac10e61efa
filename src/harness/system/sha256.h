// SHA-256: names of files that must belong to one content only.
#pragma once

#include <string>
#include <string_view>

/// The SHA-256 digest of the bytes as 64 lowercase hexadecimal digits. Throws std::runtime_error if
/// OpenSSL provides no SHA-256.
std::string sha256(std::string_view bytes);
