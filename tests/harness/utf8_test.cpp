// Text that may hold any bytes, as messages and tables show it.
#include "system/utf8.h"

#include <gtest/gtest.h>

namespace {

TEST(OneLine, KeepsUtf8) {
  for (const std::string text : {"", "plain", "\u00a0\u00fc\u07ff",
                                 "\u0800\u20ac\ud7ff\ue000\uffff", "\U00010000\U0010ffff"})
    EXPECT_EQ(text, oneLine(text));
}

TEST(OneLine, ReplacesControlsAndBytesThatAreNoUtf8) {
  EXPECT_EQ("a?b?c?d?", oneLine("a\nb\x1b"
                                "c\x7f"
                                "d\t"));
  EXPECT_EQ("??", oneLine(std::string("\0\x01", 2)));
  EXPECT_EQ("a?b?c\u00a0", oneLine("a\u0080b\u009fc\u00a0"));
  EXPECT_EQ("a?b?c?d?e", oneLine("a\u202eb\u2066c\u200fd\u2028e"));  // directions, a line break
  EXPECT_EQ("\u0370\u1fff\u2010\u2030\u2070", oneLine("\u0370\u1fff\u2010\u2030\u2070"));
  EXPECT_EQ("a?[31m", oneLine("a\x9b[31m"));  // CSI in 8 bits
  EXPECT_EQ("x??", oneLine("x\xe2\x82"));     // cut off
  EXPECT_EQ("?? ??? ????", oneLine("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80"));
}

TEST(OneLine, ReplacesWhatCouldImitateAnotherName) {
  for (const std::string hidden :
       {"\u00ad", "\u0301", "\u034f", "\u115f", "\u180e", "\u200b", "\u200d", "\u2009", "\u2060",
        "\u20dd", "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\U0001d173", "\U000e0041", "\U000e0100"})
    EXPECT_EQ("a?nn.cu", oneLine("a" + hidden + "nn.cu")) << hidden;
  for (const std::string name : {"Müller", "Žofie", "Σωκράτης", "महेश", "สมชาย", "דוד", "李"})
    EXPECT_EQ(name, oneLine(name)) << "a name in its script";
}

TEST(InQuotes, IsShortAndPrintable) {
  EXPECT_EQ("''", inQuotes(""));
  EXPECT_EQ("'a b'", inQuotes("a b"));
  EXPECT_EQ("'a?b? ?'", inQuotes("a\nb\x1b \xe9"));
  EXPECT_EQ("'" + std::string(40, 'x') + "'", inQuotes(std::string(40, 'x')));
  EXPECT_EQ("'" + std::string(40, 'x') + "...'", inQuotes(std::string(41, 'x')));
  EXPECT_EQ("'é'", inQuotes("é"));
  EXPECT_EQ("'" + std::string(39, 'x') + "...'", inQuotes(std::string(39, 'x') + "é"));
}

TEST(EndsWith, ComparesTheEnd) {
  EXPECT_TRUE(endsWith("g.gz", ".gz") && endsWith(".gz", ".gz") && endsWith("g", ""));
  EXPECT_FALSE(endsWith("gz", ".gz") || endsWith("g.gz ", ".gz") || endsWith("", ".gz"));
}

}  // namespace
