// Commands that messages print.
#include "system/shell.h"

#include <gtest/gtest.h>

namespace {

TEST(ShellWord, QuotesWhatAShellWouldChange) {
  for (const std::string plain : {"./apsp", "../b/x-1.so", "a_b:c@d%e+f,g=h"})
    EXPECT_EQ(plain, shellWord(plain));
  EXPECT_EQ("''", shellWord(""));
  EXPECT_EQ("'a b'", shellWord("a b"));
  EXPECT_EQ("'it'\\''s'", shellWord("it's"));
  for (const std::string word : {"$HOME", "~", "a;b", "*", "ü"})
    EXPECT_EQ("'" + word + "'", shellWord(word));
  EXPECT_EQ("$'a\\012b\\033[2J'", shellWord("a\nb\033[2J")) << "what a terminal would not show";
  EXPECT_EQ("$'\\'\\\\ü\\342\\200\\256\\377'", shellWord("'\\ü\u202e\xff"));
}

TEST(ProgramAsTyped, IsThisProgram) {
  EXPECT_NE(std::string::npos, programAsTyped().find("run"));
}

}  // namespace
