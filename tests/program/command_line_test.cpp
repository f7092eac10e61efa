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
#include "cli/terminal.h"
#include "commands/commands.h"
#include "commands/solve.h"
#include "submission/compile.h"

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
    EXPECT_EQ(ErrorCode::kUsage, e.code);
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
  EXPECT_TRUE(o->graph.generated() && !o->graph.several());
  EXPECT_EQ(std::vector<int>{5}, o->graph.sizes);
  EXPECT_EQ(7u, o->graph.spec.seed);
  EXPECT_EQ(3, o->kernels.limits.callSeconds);
  EXPECT_TRUE(o->graph.spec.dtype == Dtype::kFloat32 && o->graph.read.dtype == Dtype::kFloat32);
  const Options& options = o->measuring.options;
  EXPECT_TRUE(options.precision == Precision::k16 && options.symmetry && !options.skip);
  EXPECT_FALSE(solving("g.el")->graph.read.dtype.has_value()) << "auto goes by the weights";
}

TEST(CommandLine, EveryTypeCanBeAskedFor) {
  for (const Dtype dtype : kDtypes) {
    const auto o = solving(std::string("--n 5 --dtype ") + nameOf(dtype));
    EXPECT_EQ(dtype, o->graph.spec.dtype);
    EXPECT_EQ(dtype, o->graph.read.dtype);
  }
  const auto usual = solving("--n 5 --dtype auto");
  EXPECT_EQ(Dtype::kInt32, usual->graph.spec.dtype);
  EXPECT_FALSE(usual->graph.read.dtype.has_value());
  EXPECT_EQ(std::int64_t{1} << 60,
            solving("--n 5 --dtype i64 --range 1152921504606846976")->graph.spec.range);
  EXPECT_NE("", refused("--range 4611686018427387903")) << "the infinity of int64";
}

TEST(CommandLine, OptionsHaveNoEffectOnSomeTypes) {
  const std::vector<Solver> ref = {findSolver("ref", DeviceKind::kCpu)},
                            both = {ref[0], findSolver("apsp", DeviceKind::kCpu)};
  Options options;
  for (const Dtype dtype : kDtypes) EXPECT_TRUE(idleOptions(both, options, dtype).empty());
  options.precision = Precision::k64;
  for (const Dtype dtype : {Dtype::kInt64, Dtype::kFloat64}) {
    EXPECT_TRUE(idleOptions(both, options, dtype).empty());
    EXPECT_EQ((Strings{"--precision 64 has no effect on the kernel ref (cpu), only on apsp"}),
              idleOptions(ref, options, dtype));
  }
  EXPECT_EQ((Strings{"--precision 64 has no effect on f32 weights, only on i64 and f64"}),
            idleOptions(both, options, Dtype::kFloat32));
  options.precision = Precision::k32;
  EXPECT_TRUE(idleOptions(both, options, Dtype::kInt32).empty());
  EXPECT_EQ((Strings{"--precision 32 has no effect on the kernel ref (cpu), only on apsp"}),
            idleOptions(ref, options, Dtype::kInt32));
  options.precision = Precision::k16;
  EXPECT_EQ(
      (Strings{
          "--precision 16 has no effect on the kernel ref (cpu), apsp (cpu), only on apsp (gpu)"}),
      idleOptions(both, options, Dtype::kInt32));
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
  EXPECT_EQ((Sizes{7, 10, 15, 3}), *parsed<Sizes>(add, "--n 7,10:15:5 3"));
}

TEST(CommandLine, RangesHoldBothEnds) {
  using Sizes = std::vector<int>;
  const auto sizes = [](const std::string& list) { return solving("--n " + list)->graph.sizes; };
  EXPECT_EQ((Sizes{10, 20, 30}), sizes("10:30:10"));
  EXPECT_EQ((Sizes{10, 20, 30}), sizes("10:39:10")) << "40 is larger than the end";
  EXPECT_EQ((Sizes{107, 100, 150}), sizes("107,100:150:50")) << "in the order given";
  EXPECT_EQ((Sizes{150, 100, 65}), sizes("150,100:150:50,65,65")) << "each once";
  EXPECT_EQ(Sizes{5}, sizes("5:5:2147483647"));
  EXPECT_EQ((Sizes{0, 2147483647}), sizes("0:2147483647:2147483647"));
  EXPECT_EQ(100000u, sizes("1:100000:1").size());
}

TEST(CommandLine, RefusedRanges) {
  const auto wrong = [](const std::string& list) {
    const std::string text = refused("--n " + list), start = "--n,--sizes: ";
    EXPECT_EQ(start, text.substr(0, start.size())) << list;
    return text.substr(0, text.find(" (apsp --help")).substr(start.size());
  };
  const std::string number = "expected a whole number from ", most = "2147483647";
  EXPECT_EQ("the range '1000:10:5' ends before it begins", wrong("1000:10:5"));
  EXPECT_EQ(number + "1 to " + most + ", found '0' in the range '0:10:0'", wrong("0:10:0"));
  EXPECT_EQ(number + "0 to " + most + ", found '-1' in the range '3:-1:1'", wrong("3:-1:1"));
  EXPECT_EQ(number + "0 to " + most + ", found '2147483648' in the range '1:2147483648:1'",
            wrong("1:2147483648:1"));
  EXPECT_EQ(number + "0 to " + most + ", found '' in '5,'", wrong("5,"));
  EXPECT_EQ(number + "0 to " + most +
                ", found '1e3'; several are written 100,200 or as a range 100:500:100",
            wrong("1e3"));
  for (const char* const list : {"10:20", "10:20:5:1", "5,10:20"})
    EXPECT_NE(std::string::npos, wrong(list).find("is not a range: write START:STOP:STEP")) << list;
  for (const char* const list : {"1:100001:1", "0:2147483647:1", "5,1:100000:1", "1:100000:1,5"})
    EXPECT_EQ(0u, wrong(list).find("more than 100000 numbers with '")) << list;
}

TEST(CommandLine, AliasesMeanTheSame) {
  EXPECT_EQ((std::vector<int>{5, 6}), solving("--sizes 5,6")->graph.sizes);
  EXPECT_EQ((Strings{"ref", "x.cu"}), solving("--kernels ref,x.cu --n 5")->kernels.names);
  EXPECT_EQ(9u, solving("--sizes=5 --seed 9")->graph.spec.seed) << "--seed needs either of them";
  for (const DefinedCommand& command : program().commands()) {
    for (const Flag& flag : command.flags.all()) {
      Strings names = flag.longNames();
      std::sort(names.begin(), names.end());
      for (const Strings& pair : {Strings{"--kernel", "--kernels"}, Strings{"--n", "--sizes"}}) {
        const bool either =
            std::find_first_of(names.begin(), names.end(), pair.begin(), pair.end()) != names.end();
        if (either) {
          EXPECT_EQ(pair, names) << command.name;
        }
      }
    }
  }
}

TEST(CommandLine, TheHelpShowsOneSpellingAndMentionsTheOther) {
  Flag flag{"-k,--kernel,--kernels", Flag::Values::kOne, "NAME", "what to run"};
  EXPECT_EQ("-k,--kernel NAME", flagTitle(flag));
  EXPECT_EQ("what to run (also --kernels)", flagText(flag));
  flag.names = "-k,--kernel";
  EXPECT_EQ("what to run", flagText(flag));
  flag.names = "GRAPH";
  EXPECT_EQ("GRAPH NAME", flagTitle(flag));
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

TEST(Complaint, ShowsNoEscapesOfACompiler) {
  testing::internal::CaptureStderr();
  const std::string attack = "#error \033[2J\u202e";
  complain(BuildError("a\n" + attack, "a.cu(1): " + attack + "\n\tcaret\r\n"));
  EXPECT_EQ("a.cu(1): #error ?[2J?\n caret\napsp: a?#error ?[2J?\n",
            testing::internal::GetCapturedStderr());
}

}  // namespace
