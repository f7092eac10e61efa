#include "system/sha256.h"

#include <openssl/evp.h>

#include <stdexcept>

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("OpenSSL provides no SHA-256");
  std::string digits;
  for (unsigned at = 0; at < length; ++at) {
    digits += "0123456789abcdef"[digest[at] >> 4];
    digits += "0123456789abcdef"[digest[at] & 0xf];
  }
  return digits;
}
