// The flags and arguments of one command. This list is the only definition of them: the parser
// (program.cpp), --help, the bash completion and the manual page are all made from it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

class Program;

/// One flag, or an argument that is known by its position.
struct Flag {
  enum class Values {
    kNone,
    kOptional,  ///< --verify, --verify=VALUE, or --verify and one of the choices
    kOne,
    kComma,  ///< one or more, separated by commas
    kMany,   ///< one or more arguments, until the next flag
  };
  std::string names;  ///< "-o,--output" or "--n,--sizes", or "GRAPH" for an argument
  Values values = Values::kOne;
  std::string value;  ///< the name of its value in the help: "FILE"
  std::string what;   ///< its description, without line breaks
  /// Stores the values. Returns "", or what is wrong with them.
  std::function<std::string(const std::vector<std::string>&)> take = nullptr;
  /// The words that it accepts; empty: any word. kOptional: a word that ends in : stands for all
  /// that begin with it.
  std::vector<std::string> choices = {};
  std::string implied = "";  ///< kOptional: the value of the flag alone
  /// kOptional: whether the next word is its value. Without it, the choices are.
  std::function<bool(const std::string&)> takesNext = nullptr;
  std::string heading = "";  ///< above it in the help
  bool required = false;
  std::string needs = "", excludes = "";  ///< names of other flags
  /// The files that its value names and that the command reads or writes; null: none.
  std::function<std::vector<std::string>()> reads = nullptr, writes = nullptr;

  bool positional() const { return names[0] != '-'; }
  /// Its names that begin with two dashes, at least one unless it is an argument.
  std::vector<std::string> longNames() const;
  std::string longName() const { return longNames().front(); }
  /// Its names until the first long one. The long names after it are aliases.
  std::string mainNames() const;
};

/// For Flag::reads and Flag::writes: the file whose path is in `target` once the flags are read.
inline std::function<std::vector<std::string>()> fileIn(const std::string& target) {
  return [&target] { return std::vector<std::string>{target}; };
}

/// A table of names below the flags in the help.
struct HelpTable {
  std::string heading;
  std::vector<std::pair<std::string, std::string>> rows;  ///< name and description
};

struct Example {
  std::string line, what;  ///< a command, and what it does
};

/// What one command accepts. The references given to these functions must live until the command
/// has run. `names` and `what` are as in Flag. Each returns the new flag, to be adjusted further.
class Flags {
 public:
  explicit Flags(const Program& program) : program_(&program) {}

  /// The heading in the help above the flags that are added from here on.
  void heading(const std::string& text) { heading_ = text; }

  Flag& add(Flag flag);
  Flag& flag(const std::string& names, bool& target, const std::string& what);
  Flag& flag(const std::string& names, const std::function<void()>& given, const std::string& what);
  /// A flag that may be followed by =VALUE, or by a blank and one of its choices; without it the
  /// target becomes `implied`.
  Flag& optional(const std::string& names, std::string& target, const std::string& implied,
                 const std::string& value, const std::string& what);
  Flag& text(const std::string& names, std::string& target, const std::string& value,
             const std::string& what);
  /// One or more texts, separated by commas.
  Flag& texts(const std::string& names, std::vector<std::string>& target, const std::string& value,
              const std::string& what);
  /// One or more arguments.
  Flag& arguments(const std::string& name, std::vector<std::string>& target,
                  const std::string& what);
  /// A whole number from low to high.
  Flag& number(const std::string& names, int& target, int low, int high, const std::string& what);
  Flag& number(const std::string& names, const std::function<void(int)>& store, int low, int high,
               const std::string& what);
  Flag& number(const std::string& names, std::uint64_t& target, std::uint64_t low,
               std::uint64_t high, const std::string& what);
  Flag& number(const std::string& names, std::int64_t& target, std::int64_t low, std::int64_t high,
               const std::string& what);
  /// Whole numbers from low to high, separated by commas or spaces. START:STOP:STEP stands for
  /// START, START + STEP and so on, as long as they are not larger than STOP. A number that is
  /// there twice counts once.
  Flag& numbers(const std::string& names, std::vector<int>& target, int low, int high,
                const std::string& what);
  /// One of these words; chosen(i) is called with its index.
  Flag& choice(const std::string& names, const std::vector<std::string>& words,
               const std::function<void(std::size_t)>& chosen, const std::string& what);
  Flag& choice(const std::string& names, std::string& target, const std::vector<std::string>& words,
               const std::string& what);

  void table(HelpTable table) { tables_.push_back(std::move(table)); }
  void example(const std::string& line, const std::string& what) {
    examples_.push_back({line, what});
  }

  const std::deque<Flag>& all() const { return all_; }
  std::deque<Flag>& all() { return all_; }
  const std::vector<HelpTable>& tables() const { return tables_; }
  const std::vector<Example>& examples() const { return examples_; }
  /// The program that these flags belong to. Its list of commands is complete once a command runs.
  const Program& program() const { return *program_; }

  int threads = 0;  ///< CPU threads to start before the command runs; 0: one for each core

 private:
  const Program* program_;
  std::string heading_ = "Options";
  std::deque<Flag> all_;  // a deque, because references to its elements stay valid
  std::vector<HelpTable> tables_;
  std::vector<Example> examples_;
};
