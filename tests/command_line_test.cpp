// What the command line becomes. What it is refused for, cli_test.py has.
#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

using Strings = std::vector<std::string>;

CommandLine parsed(const std::string& text) {
  Strings words = {"apsp"};
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return parseCommandLine(static_cast<int>(words.size()), argv.data());
}

TEST(CommandLine, KernelsAreApspUnlessNamedAndNoneBesideTheLadder) {
  EXPECT_EQ((Strings{"apsp"}), parsed("--n 5").kernels);
  EXPECT_EQ((Strings{"apsp"}), parsed("check").kernels);
  EXPECT_EQ(Strings(), parsed("ladder").kernels);
  EXPECT_EQ((Strings{"ref", "./x.cu"}), parsed("ladder --kernel ref,./x.cu").kernels);
}

TEST(CommandLine, WordsBecomeValues) {
  const CommandLine o = parsed("--n 5 --dtype f32 --precision 16 --no-skip --seed 7");
  EXPECT_EQ("", o.subcommand);
  EXPECT_EQ(5, o.spec.n);
  EXPECT_EQ(7u, o.spec.seed);
  EXPECT_TRUE(o.spec.dtype == Dtype::kFloat32 && o.read.dtype == Dtype::kFloat32);
  const Options& options = o.measuring.options;
  EXPECT_TRUE(options.precision == Precision::k16 && options.symmetry && !options.skip);
  EXPECT_FALSE(parsed("g.el").read.dtype.has_value()) << "auto goes by the weights";
}

TEST(CommandLine, CheckAndGradeShareTheirDepth) {
  EXPECT_EQ(CheckPlan::kNormal, parsed("check").check.depth);
  EXPECT_EQ(CheckPlan::kQuick, parsed("check --quick --no-vary").check.depth);
  EXPECT_EQ(CheckPlan::kFull, parsed("grade . --full").check.depth);
  EXPECT_TRUE(parsed("check --contract general").check.general);
  EXPECT_TRUE(parsed("check").check.vary);
  EXPECT_FALSE(parsed("check --no-vary").check.vary);
}

TEST(CommandLine, SizesAreTheSubcommandsUnlessNamed) {
  EXPECT_EQ(std::vector<int>(), parsed("ladder").sizes);
  EXPECT_EQ((std::vector<int>{100, 33, 7}), parsed("reduce --n 100,33 --n 7").sizes);
}

TEST(CommandLine, HelpAndCompletionAreTexts) {
  EXPECT_NE(std::string::npos, parsed("--help").text.find("Usage: apsp"));
  EXPECT_NE(std::string::npos, parsed("gen --help").text.find("--degree"));
  EXPECT_NE(std::string::npos, parsed("completion").text.find("complete -o"));
  EXPECT_EQ("", parsed("info g.el").text);
}

}  // namespace
