// What the command line becomes. What it is refused for, cli_test.py has.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/completion.h"
#include "cli/help.h"
#include "cli/program.h"
#include "commands/commands.h"
#include "commands/solve.h"

namespace {

using Strings = std::vector<std::string>;

/// The words of a command line, as main() gets them.
class Words {
 public:
  explicit Words(const std::string& text) : words_{"apsp"} {
    std::istringstream stream(text);
    for (std::string word; stream >> word;) words_.push_back(word);
    for (std::string& word : words_) argv_.push_back(word.data());
    argv_.push_back(nullptr);
  }
  int argc() const { return static_cast<int>(words_.size()); }
  char** argv() { return argv_.data(); }

 private:
  Strings words_;
  std::vector<char*> argv_;
};

Body nothing(Flags&) {
  return [] { return Exit::kOk; };
}
constexpr Command kNothing = {"", "does nothing", nothing};

const Program& program() {
  static const Program all(kNothing, subcommands());
  return all;
}

/// The options of T that `add` makes of a command line.
template <class T, class Add>
std::unique_ptr<T> parsed(Add add, const std::string& text) {
  auto options = std::make_unique<T>();
  Flags flags(program());
  add(flags, *options);
  Words words(text);
  EXPECT_EQ("", parse(flags, words.argc(), words.argv()));
  return options;
}

auto solving(const std::string& text) {
  return parsed<SolveFlags>(addSolveFlags, text);
}

std::string refused(const std::string& text) {
  try {
    solving(text);
  } catch (const Error& e) {
    EXPECT_EQ(Exit::kUsage, e.code);
    return e.what();
  }
  return "";
}

TEST(CommandLine, KernelsAreApspUnlessNamed) {
  EXPECT_EQ((Strings{"apsp"}), solving("--n 5")->kernels.names);
  EXPECT_EQ((Strings{"ref", "./x.cu"}), solving("--kernel ref,./x.cu")->kernels.names);
  EXPECT_EQ("g.el", solving("--kernel ref g.el")->graph.file);
  EXPECT_EQ((Strings{"ref", "x.cu", "a"}), solving("--kernel ref,x.cu --kernel a")->kernels.names);
}

TEST(CommandLine, WordsBecomeValues) {
  const auto o = solving("--n 5 --dtype f32 --precision 16 --no-skip --seed 7 --time-limit 3");
  EXPECT_TRUE(o->graph.generated);
  EXPECT_EQ(5, o->graph.spec.n);
  EXPECT_EQ(7u, o->graph.spec.seed);
  EXPECT_EQ(3, o->kernels.limits.callSeconds);
  EXPECT_TRUE(o->graph.spec.dtype == Dtype::kFloat32 && o->graph.read.dtype == Dtype::kFloat32);
  const Options& options = o->measuring.options;
  EXPECT_TRUE(options.precision == Precision::k16 && options.symmetry && !options.skip);
  EXPECT_FALSE(solving("g.el")->graph.read.dtype.has_value()) << "auto goes by the weights";
}

TEST(CommandLine, FlagsThatMayHaveAValue) {
  EXPECT_EQ("", solving("g.el")->verify);
  EXPECT_EQ("ref", solving("--verify g.el")->verify);
  EXPECT_EQ("g.el", solving("--verify g.el")->graph.file) << "not the value of --verify";
  EXPECT_EQ("dijkstra:4", solving("g.el --verify=dijkstra:4")->verify);
  for (const char* const text : {"g.el --verify dijkstra:4", "--verify dijkstra:4 g.el"}) {
    EXPECT_EQ("dijkstra:4", solving(text)->verify) << text;
    EXPECT_EQ("g.el", solving(text)->graph.file) << text;
  }
  EXPECT_EQ("ref", solving("--verify ref")->verify);
  EXPECT_EQ("", solving("--verify ref")->graph.file) << "an oracle's name wins";
  EXPECT_EQ("ref", solving("--verify ./dijkstra")->verify);
  EXPECT_EQ("dijkstra", solving("--verify -- dijkstra")->graph.file);
}

TEST(CommandLine, NumbersAreSeparatedByCommasOrSpaces) {
  const auto add = [](Flags& flags, std::vector<int>& sizes) { addSizes(flags, sizes, "all"); };
  using Sizes = std::vector<int>;
  EXPECT_EQ(Sizes(), *parsed<Sizes>(add, ""));
  EXPECT_EQ((Sizes{100, 33, 7}), *parsed<Sizes>(add, "--sizes 100,33 --sizes 7"));
  EXPECT_EQ((Sizes{100, 33}), *parsed<Sizes>(add, "--sizes 100 33"));
}

TEST(CommandLine, RefusalsNameTheFlag) {
  EXPECT_EQ("--reps: expected a whole number from 1 to 1000000, found '0' (apsp --help tells more)",
            refused("--reps 0"));
  EXPECT_EQ("--device: unknown word 'tpu': choose one of auto, gpu, cpu (apsp --help tells more)",
            refused("--device tpu"));
  EXPECT_EQ("unknown option '--bogus' (apsp --help tells more)", refused("--bogus"));
  EXPECT_EQ("unknown option '--kernle': did you mean '--kernel'? (apsp --help tells more)",
            refused("--kernle=ref"));
  EXPECT_NE("", refused("--record d -o d.npy")) << "one excludes the other";
}

TEST(CommandLine, EveryFlagIsInTheHelpAndTheCompletion) {
  const std::string completion = bashCompletion(program());
  EXPECT_EQ(subcommands().size() + 1, program().commands().size());
  for (const DefinedCommand& command : program().commands()) {
    const std::string help = helpText(program(), command);
    for (const Flag& flag : command.flags.all()) {
      EXPECT_NE(std::string::npos, help.find("\n  " + flagTitle(flag))) << command.name;
      for (const std::string& name : flag.longNames())
        EXPECT_NE(std::string::npos, completion.find(" " + name)) << command.name;
    }
  }
}

TEST(CommandLine, NoFlagIsDefinedTwice) {
  for (const DefinedCommand& command : program().commands()) {
    Strings names;
    for (const Flag& flag : command.flags.all()) names.push_back(flag.names);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names.end(), std::adjacent_find(names.begin(), names.end())) << command.name;
  }
}

}  // namespace
