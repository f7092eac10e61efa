#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "system/exit.h"
#include "system/screen.h"

namespace {

constexpr std::size_t kWidth = 80, kColumn = 27;

/// A name on the left and its description, wrapped, on the right.
std::string row(const std::string& name, const std::string& what) {
  std::string out = "  " + name;
  bool fresh = columnsOf(name) + 4 > kColumn;
  if (fresh) out += '\n';
  for (const std::string& line : wrapped(inLocale(what), kWidth - kColumn)) {
    out += std::string(fresh ? kColumn : kColumn - 2 - columnsOf(name), ' ') + line + '\n';
    fresh = true;
  }
  return out;
}

std::string tableText(const HelpTable& table) {
  std::string out = fmt::format("\n{}:\n", table.heading);
  for (const auto& [name, what] : table.rows) out += row(name, what);
  return out;
}

std::string paragraph(const std::string& text) {
  return fmt::format("{}\n", fmt::join(wrapped(inLocale(text), kWidth), "\n"));
}

std::string flagsText(const Flags& flags) {
  std::string out;
  for (const std::string& heading : headingsOf(flags)) {
    out += fmt::format("\n{}:\n", heading);
    for (const Flag& flag : flags.all()) {
      if (flag.heading == heading) out += row(flagTitle(flag), flagText(flag));
    }
  }
  return out;
}

}  // namespace

std::string sentence(std::string text) {
  if (text.empty()) return text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.back() == '.' ? text : text + ".";
}

std::string flagTitle(const Flag& flag) {
  if (flag.values == Flag::Values::kOptional) return flag.mainNames() + " [" + flag.value + "]";
  return flag.mainNames() + (flag.value.empty() ? "" : " " + flag.value);
}

std::string flagText(const Flag& flag) {
  const std::vector<std::string> names = flag.longNames();
  if (names.size() < 2) return flag.what;
  return fmt::format("{} (also {})", flag.what, fmt::join(names.begin() + 1, names.end(), ", "));
}

std::vector<std::string> headingsOf(const Flags& flags) {
  std::vector<std::string> headings = {"Arguments", "Options"};
  for (const Flag& flag : flags.all()) {
    if (std::find(headings.begin(), headings.end(), flag.heading) == headings.end())
      headings.push_back(flag.heading);
  }
  const auto empty = [&](const std::string& heading) {
    return std::none_of(flags.all().begin(), flags.all().end(),
                        [&](const Flag& flag) { return flag.heading == heading; });
  };
  headings.erase(std::remove_if(headings.begin(), headings.end(), empty), headings.end());
  return headings;
}

std::vector<std::string> usageLines(const DefinedCommand& command) {
  if (command.name.empty())
    return {"apsp [OPTIONS] GRAPH", "apsp [OPTIONS] --n N", "apsp SUBCOMMAND [OPTIONS] ..."};
  std::string line = "apsp " + command.name + " [OPTIONS]";
  for (const bool positional : {false, true}) {
    for (const Flag& flag : command.flags.all()) {
      if (flag.positional() != positional || !(flag.required || positional)) continue;
      const bool many = flag.values == Flag::Values::kMany;
      const std::string text = fmt::format("{}{}{}", flag.names.substr(0, flag.names.find(',')),
                                           flag.value.empty() ? "" : " ", flag.value);
      line += fmt::format(flag.required ? " {}{}" : " [{}]{}", text, many ? "..." : "");
    }
  }
  return {line};
}

HelpTable exitCodes() {
  return {
      "Exit codes",
      {{"0", "success"},
       {"1", "a result is wrong or missing, or slower than allowed"},
       {"2", "the command line is wrong"},
       {"3", "an input file is wrong, or a graph has a negative cycle or cannot be solved exactly"},
       {"4", "the GPU is missing, is not supported or failed"},
       {"5", "host or device memory is too small"},
       {"6", "output could not be written"},
       {"7", "of several ranks, one was lost"},
       {"75", "interrupted by a signal in a Slurm job; the same command continues the work"}}};
}

std::string helpText(const Program& program, const DefinedCommand& command) {
  const bool main = command.name.empty();
  std::string out = paragraph(sentence(command.what)) + "\n";
  const char* label = "Usage:";
  for (const std::string& line : usageLines(command)) {
    out += fmt::format("{:<6} {}\n", label, line);
    label = "";
  }
  if (!command.flags.examples().empty()) out += "\nExamples:\n";
  for (const Example& example : command.flags.examples())
    out += fmt::format("  {}\n      {}\n", example.line,
                       fmt::join(wrapped(inLocale(example.what), kWidth - 6), "\n      "));
  if (main) {
    HelpTable subcommands = {"Subcommands (apsp SUBCOMMAND --help tells more)", {}};
    for (const DefinedCommand& each : program.commands()) {
      if (!each.name.empty()) subcommands.rows.emplace_back(each.name, each.what);
    }
    out += tableText(subcommands);
  }
  out += flagsText(command.flags);
  for (const HelpTable& table : command.flags.tables()) out += tableText(table);
  if (main) out += tableText(exitCodes());
  return out;
}
