// Text for people: colours, columns and ASCII.
#include "core/screen.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/quantity.h"

namespace {

TEST(Screen, ColoursAndCharactersAreLeftOutWhereTheyAreNotWanted) {
  const std::string text = "4×4 … " + toned(Tone::kRight, "ref±1e-05");
  EXPECT_EQ("4×4 … \033[32mref±1e-05\033[0m", forScreen(text, true, true));
  EXPECT_EQ("4×4 … ref±1e-05", forScreen(text, false, true));
  EXPECT_EQ("4x4 ... \033[32mref+-1e-05\033[0m", forScreen(text, true, false));
  EXPECT_EQ("0->1 <= 2 - n3", forScreen("0→1 ≤ 2 – n³", false, false));
}

TEST(Screen, AsciiIsAsciiWhateverTheTextHolds) {
  EXPECT_EQ("?.gr ? ?", forScreen("ü.gr \xff 語", false, false));
  EXPECT_EQ("\xff", forScreen("\xff", false, true)) << "a file's name stays as it is";
}

TEST(Screen, EachToneHasItsColour) {
  EXPECT_EQ("\033[32mx\033[0m", toned(Tone::kRight, "x"));
  EXPECT_EQ("\033[31mx\033[0m", toned(Tone::kWrong, "x"));
  EXPECT_EQ("\033[33mx\033[0m", toned(Tone::kDisturbed, "x"));
}

TEST(Screen, OnlyColoursTakeNoColumns) {
  EXPECT_EQ(4u, columnsOf(toned(Tone::kWrong, "a×…b")));
  EXPECT_EQ(3u, columnsOf("\033[m"
                          "abc"));
  EXPECT_EQ(4u, columnsOf("\033[Km")) << "a sequence that is no colour";
}

TEST(Screen, LongNamesLoseTheirMiddle) {
  setenv("LC_ALL", "C", 1);
  EXPECT_EQ("./....cu", shortened("./hand-ins/apsp.cu", 8));
  EXPECT_EQ("..", shortened("abcd", 2));
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ("apsp", shortened("apsp", 4));
  EXPECT_EQ("./ha…p.cu", shortened("./hand-ins/apsp.cu", 9));
  EXPECT_EQ("äö…öü", shortened("äöaaaöü", 5));
  EXPECT_EQ("", shortened("abc", 0));
  for (std::size_t columns = 0; columns < 9; ++columns)
    EXPECT_EQ(columns, columnsOf(shortened("ääääääääää", columns)));
}

TEST(Screen, CellsAlignByColumns) {
  EXPECT_EQ("ä  |", padded("ä", 3) + "|");
  EXPECT_EQ("  ä", paddedLeft("ä", 3));
  EXPECT_EQ("abcd", padded("abcd", 3));
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ("a…cd", nameCell("abbbcd", 4));
  EXPECT_EQ(7u, nameColumns({"ref", "ä"}, 7));
  EXPECT_EQ(9u, nameColumns({"ref", "./äpsp.cu"}, 7));
  EXPECT_EQ(24u, nameColumns({std::string(50, 'x')}, 7));
}

TEST(Quantity, BytesHaveOneForm) {
  EXPECT_EQ("0 bytes", bytesText(0));
  EXPECT_EQ("1 byte", bytesText(1));
  EXPECT_EQ("999 bytes", bytesText(999));
  EXPECT_EQ("1.00 kB", bytesText(1000));
  EXPECT_EQ("23.5 GB", bytesText(23467176100));
  EXPECT_EQ("400 GB", bytesText(400000000000));
}

}  // namespace
