// SHA-256 against the examples that NIST publishes for FIPS 180-4.
#include "system/sha256.h"

#include <gtest/gtest.h>

namespace {

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", sha256(""));
  EXPECT_EQ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", sha256("abc"));
  EXPECT_EQ("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"));
  EXPECT_EQ("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            sha256(std::string(1000000, 'a')));
}

TEST(Sha256, TakesBytesOfAnyValue) {
  EXPECT_NE(sha256(std::string_view("a\0b", 3)), sha256(std::string_view("a\0c", 3)));
  EXPECT_EQ("a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89", sha256("\xff"));
}

}  // namespace
