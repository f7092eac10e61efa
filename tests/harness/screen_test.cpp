// Text for people: colours, columns and ASCII.
#include "system/screen.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/quantity.h"
#include "ladder/measure.h"
#include "measure/tables.h"

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
}

TEST(Screen, EachToneHasItsColour) {
  const auto shown = [](Tone tone) { return forScreen(toned(tone, "x"), true, true); };
  EXPECT_EQ("\033[32mx\033[0m", shown(Tone::kRight));
  EXPECT_EQ("\033[31mx\033[0m", shown(Tone::kWrong));
  EXPECT_EQ("\033[33mx\033[0m", shown(Tone::kDisturbed));
}

TEST(Screen, NoTextFromOutsideDrivesATerminal) {
  for (const bool colours : {false, true}) {
    EXPECT_EQ("a?[32mb?[2J? ?", forScreen("a\033[32mb\033[2J\x9b \xff", colours, true));
    EXPECT_EQ("a?b?c?d?e?f", forScreen("a\u202eb\u200bc\u0301d\U000e0061e\u009bf", colours, true));
    EXPECT_EQ("two\nlines a?b", forScreen("two\r\nlines\ta\rb", colours, true));
  }
  EXPECT_EQ("a?[32mb?c", nameCell("a\033[32mb\nc", 9));
}

TEST(Screen, OnlyColoursTakeNoColumns) {
  EXPECT_EQ(4u, columnsOf(toned(Tone::kWrong, "a×…b")));
  EXPECT_EQ(5u, columnsOf("\033[32m")) << "a sequence that is no colour of this program";
}

TEST(Screen, WideCharactersTakeTwoColumns) {
  setenv("LC_ALL", "C.UTF-8", 1);
  for (const auto& [text, columns] :
       std::vector<std::pair<std::string, std::size_t>>{{"王小明.cpp", 10},
                                                        {"한글", 4},
                                                        {"ひらがな", 8},
                                                        {"Ａ", 2},
                                                        {"ｱ", 1},
                                                        {"😀", 2},
                                                        {"é—", 2}})
    EXPECT_EQ(columns, columnsOf(text)) << text;
  EXPECT_EQ("王小明.cpp  |", nameCell("王小明.cpp", 12) + "|");
  EXPECT_EQ("  王", paddedLeft("王", 4));
  EXPECT_EQ("王小….cpp", shortened("王小明李四.cpp", 9));
  EXPECT_EQ("王….cpp |", nameCell("王小明李四.cpp", 8) + "|") << "half of a character is no part";
  EXPECT_EQ("a…", shortened("aa王小明", 3));
  setenv("LC_ALL", "C", 1);
  EXPECT_EQ(7u, columnsOf("王小明.cpp")) << "it is shown as ???.cpp";
}

TEST(Screen, LongNamesLoseTheirMiddle) {
  setenv("LC_ALL", "C", 1);
  EXPECT_EQ("./....cu", shortened("./hand-ins/apsp.cu", 8));
  EXPECT_EQ("./h.../apsp.cu", shortened("./hand-ins/apsp.cu", 14));
  EXPECT_EQ("..", shortened("abcd", 2));
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ("apsp", shortened("apsp", 4));
  EXPECT_EQ("…/apsp.cu", shortened("./hand-ins/apsp.cu", 9));
  EXPECT_EQ("./han…/apsp.cu", shortened("./hand-ins/apsp.cu", 14)) << "the file's name stays whole";
  EXPECT_EQ("apsp: checking /d…/mine.so: ring n=96",
            shortened("apsp: checking /data/of/long/roads/mine.so: ring n=96", 37));
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
  EXPECT_EQ("mu….cu", nameCell("./hand-ins/mueller.cu", 6)) << "the file's name alone";
  EXPECT_EQ("…/a.cu  ", padded(nameCell("./hand-ins/a.cu", 6), 8));
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

TEST(Screen, WordsAreWrapped) {
  EXPECT_EQ((std::vector<std::string>{"one two", "three", "seventeen"}),
            wrapped(" one two  three seventeen", 8));
  EXPECT_EQ(std::string::npos, terminalColumns(-1)) << "no terminal";
}

/// A terminal of so many columns as standard output, for as long as this object lives.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) : before_(dup(STDOUT_FILENO)) {
    winsize size{};
    size.ws_col = columns;
    EXPECT_EQ(0, openpty(&ours_, &theirs_, nullptr, nullptr, &size));
    std::fflush(stdout);
    dup2(theirs_, STDOUT_FILENO);
  }
  ~Terminal() {
    dup2(before_, STDOUT_FILENO);
    for (const int file : {before_, ours_, theirs_}) close(file);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

 private:
  int before_, ours_ = -1, theirs_ = -1;
};

TEST(Screen, LinesFitTheTerminal) {
  const std::string text = "  one two three\n\nfour\n";
  EXPECT_EQ(text, fitted(text)) << "standard output is no terminal";
  std::string narrow, wide, row;
  {
    const Terminal terminal(10);
    narrow = fitted(text);
    row = withVerdict("a row", "verdict");
  }
  {
    const Terminal terminal(15);
    wide = fitted(text) + withVerdict("a row", "verdict");
  }
  EXPECT_EQ("  one\n    two\n    three\n\nfour\n", narrow);
  EXPECT_EQ(text + "a row verdict\n", wide);
  EXPECT_EQ("a row\n   verdict\n", row);
}

TEST(Screen, TablesOfLongNamesFitTheTerminal) {
  const std::string path = "./a/long/folder/of/hand-ins/mine.so";
  Record r;
  r.input = "course n=10000 seed=1 range=100000";
  r.n = 10000;
  r.kernel = path;
  r.device.name = "Test GPU";
  r.timing = summarise({99999, 99999.5, 199999, 199999, 199999});
  r.verdict.how = "dijkstra:16";
  std::string csv = csvHeader();
  for (const char* name : {"ref", "a/b.so", "c/d.so", "e/f.so"}) {
    Record other = r;
    other.kernel = name;
    csv += csvRow(other);
  }
  std::string text;
  {
    const Terminal terminal(80);
    const Widths widths = widthsOf({path, "ref"}, {5, 10000});
    text = resultHead(widths) + resultRow(r, 1e9, widths);
    text += sweepTables(parseCsv("t", csv + csvRow(r)), false) + disturbedList(parseCsv("t", csv));
    Step step = {nullptr, nullptr, r, {99999, 1000, 1000}, {99999, 1000, 1000}};
    text += ladderTables({step});
  }
  EXPECT_NE(std::string::npos, text.find("/mine.so "));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_GE(80u, columnsOf(line)) << line;
}

}  // namespace
