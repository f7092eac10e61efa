// Suggestions for mistyped words.
#include "system/nearest.h"

#include <gtest/gtest.h>

namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(0u, editDistance("", ""));
  EXPECT_EQ(0u, editDistance("REF", "ref"));
  EXPECT_EQ(3u, editDistance("", "ref"));
  EXPECT_EQ(3u, editDistance("ref", ""));
  EXPECT_EQ(1u, editDistance("kernl", "kernel")) << "a character left out";
  EXPECT_EQ(1u, editDistance("apssp", "apsp")) << "one too many";
  EXPECT_EQ(1u, editDistance("rinh", "ring")) << "another one";
  EXPECT_EQ(1u, editDistance("rign", "ring")) << "two exchanged";
  EXPECT_EQ(3u, editDistance("kitten", "sitting"));
  EXPECT_EQ(1u, editDistance("Koln", "Köln")) << "one character of two bytes";
}

TEST(Nearest, IsOneNameOrNone) {
  EXPECT_EQ("ring", nearest("rign", {"course", "ring", "ring-back"}));
  EXPECT_EQ("ref", nearest("REF", {"ref", "rep"}));
  EXPECT_EQ("", nearest("tpu", {"auto", "gpu", "cpu"})) << "two are as near";
  EXPECT_EQ("gpu", nearest("tpu", {"gpu", "gpu"})) << "the same name twice";
  EXPECT_EQ("", nearest("zzz", {"course", "ring"}));
  EXPECT_EQ("", nearest("", {"a"}));
  EXPECT_EQ("", nearest("x", {"y"})) << "one edit would replace the whole word";
  EXPECT_EQ("dijkstra", nearest("dikstr", {"ref", "dijkstra"})) << "two of six characters";
}

TEST(Nearest, WithoutASuggestionAllNamesAreListed) {
  EXPECT_EQ("did you mean 'ring'?", suggestion("rign", {"course", "ring"}));
  EXPECT_EQ("choose one of course, ring", suggestion("zzz", {"course", "ring"}));
}

}  // namespace
