#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "base/threads.h"
#include "cli/help.h"
#include "cli/mistakes.h"
#include "io/distinct.h"
#include "system/environment.h"
#include "system/exit.h"
#include "system/screen.h"

namespace {

constexpr char kVersionNames[] = "-V,--version";

/// Adds one flag to CLI11's parser. `text` holds the value of a flag that may have one.
CLI::Option* addTo(CLI::App& parser, const Flag& flag, std::string& text) {
  const auto take = [&flag](const std::vector<std::string>& values) {
    if (const std::string wrong = flag.take(values); !wrong.empty())
      throw CLI::ValidationError(flag.names, wrong);
  };
  const auto takeOne = [take](const std::string& value) { take({value}); };
  switch (flag.values) {
    case Flag::Values::kNone:
      return parser.add_flag_function(flag.names, [take](std::int64_t count) {
        if (count > 0) take({});
      });
    case Flag::Values::kOptional:
      return parser.add_flag(fmt::format("{}{{{}}}", flag.names, flag.implied), text);
    case Flag::Values::kOne:
      return parser.add_option_function<std::string>(flag.names, takeOne)
          ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    case Flag::Values::kComma:
      return parser.add_option_function<std::vector<std::string>>(flag.names, take)
          ->delimiter(',')
          ->allow_extra_args(false);
    case Flag::Values::kMany:
      break;
  }
  std::string name = flag.names;
  std::replace(name.begin(), name.end(), ' ', '-');  // newer versions of CLI11 refuse spaces
  return parser.add_option_function<std::vector<std::string>>(name, take);
}

/// CLI11's parser for the flags. texts: the values of the flags that may have one, in their order.
void addAll(CLI::App& parser, const Flags& flags, std::deque<std::string>& texts) {
  for (const Flag& flag : flags.all()) {
    if (flag.take == nullptr) continue;  // --help and --version, which CLI11 has already
    addTo(parser, flag, texts.emplace_back())->required(flag.required);
  }
  for (const Flag& flag : flags.all()) {
    if (!flag.needs.empty()) parser.get_option(flag.longName())->needs(flag.needs);
    if (!flag.excludes.empty()) parser.get_option(flag.longName())->excludes(flag.excludes);
  }
}

/// Throws Error(kUsage) if the command would write to a file that it reads, or twice to one file.
void requireDistinctFiles(const Flags& flags) {
  std::vector<NamedFile> inputs, outputs;
  const auto add = [](std::vector<NamedFile>& files, const Flag& flag, const auto& paths) {
    if (paths == nullptr) return;
    for (const std::string& path : paths())
      if (!path.empty()) files.push_back({flag.names.substr(0, flag.names.find(',')), path});
  };
  for (const Flag& flag : flags.all()) {
    add(inputs, flag, flag.reads);
    add(outputs, flag, flag.writes);
  }
  requireDistinct(inputs, outputs);
}

}  // namespace

std::string parse(const Flags& flags, int argc, char** argv, int first) {
  using Strings = std::vector<std::string>;
  Strings words(argv + std::min(first, argc), argv + argc);
  refuseSingleDashes(flags, words);
  joinValues(flags, words);
  CLI::App parser;
  std::deque<std::string> texts;
  parser.set_help_flag("-h,--help");
  const auto isVersion = [](const Flag& flag) { return flag.names == kVersionNames; };
  if (std::any_of(flags.all().begin(), flags.all().end(), isVersion))
    parser.set_version_flag(kVersionNames, "");
  addAll(parser, flags, texts);
  try {
    parser.parse(Strings(words.rbegin(), words.rend()));  // CLI11 takes them from the end
  } catch (const CLI::CallForHelp&) {
    return "--help";
  } catch (const CLI::CallForVersion&) {
    return "--version";
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string said = e.what(), name = said.substr(0, said.find(':'));
    const CLI::Option* const option = parser.get_option_no_throw(name);
    const bool twice = option != nullptr && option->count() > 1;
    refuse(flags,
           fmt::format("{}: {}", name, twice ? "given more than once" : "its value is missing"));
  } catch (const CLI::ParseError& e) {
    const Strings extras = parser.remaining(true);
    if (!extras.empty()) refuseExtras(flags, words, extras);
    refuse(flags, e.what());
  }
  auto text = texts.begin();
  for (const Flag& flag : flags.all()) {
    if (flag.take == nullptr) continue;
    if (!text->empty()) flag.take({*text});
    ++text;
  }
  return "";
}

Program::Program(const Command& main, const std::vector<const Command*>& subcommands) {
  const auto define = [&](const Command& command) {
    DefinedCommand& defined =
        commands_.emplace_back(DefinedCommand{command.name, command.what, Flags(*this), nullptr});
    defined.flags.add({"-h,--help", Flag::Values::kNone, "", "print this help and exit"});
    if (defined.name.empty())
      defined.flags.add({kVersionNames, Flag::Values::kNone, "", "print the version and exit"});
    defined.body = command.define(defined.flags);
  };
  define(main);
  for (const Command* command : subcommands) define(*command);
}

std::vector<std::string> Program::subcommandNames() const {
  std::vector<std::string> names;
  for (const DefinedCommand& command : commands_) {
    if (!command.name.empty()) names.push_back(command.name);
  }
  return names;
}

Exit Program::run(int argc, char** argv) const {
  const auto isHelp = [](const std::string& word) { return word == "--help" || word == "-h"; };
  // A subcommand comes first, or after --help. Anywhere else its name is an ordinary word.
  const bool helpFirst = argc > 2 && isHelp(argv[1]);
  const int at = helpFirst ? 2 : 1;
  const auto named = [&](const DefinedCommand& command) {
    return at < argc && !command.name.empty() && command.name == argv[at];
  };
  const auto subcommand = std::find_if(commands_.begin(), commands_.end(), named);
  const bool found = subcommand != commands_.end();
  const DefinedCommand& command = found ? *subcommand : main();
  const std::string text =
      found && helpFirst ? "--help" : parse(command.flags, argc, argv, found ? 2 : 1);
  if (text == "--help") {
    show(helpText(*this, command));
  } else if (text == "--version") {
    show(fmt::format("{} {}\n", programVersion(), buildDescription()));
  } else {
    requireDistinctFiles(command.flags);
    startThreads(command.flags.threads);
    return command.body();
  }
  return Exit::kOk;
}
