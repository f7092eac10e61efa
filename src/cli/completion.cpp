#include "cli/completion.h"

#include <fmt/format.h>

#include <map>

namespace {

std::string longNames(const Flags& flags) {
  std::string list;
  for (const Flag& flag : flags.all()) {
    for (const std::string& name : flag.longNames()) list += " " + name;
  }
  return list;
}

}  // namespace

std::string bashCompletion(const Program& program) {
  std::string cases, subcommands, values;
  std::map<std::string, std::vector<std::string>> choices;  // the same in every command
  for (const DefinedCommand& command : program.commands()) {
    for (const Flag& flag : command.flags.all()) {
      for (const std::string& name : flag.longNames()) {
        if (!flag.choices.empty()) choices[name] = flag.choices;
      }
    }
    if (command.name.empty()) continue;
    subcommands += " " + command.name;
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, longNames(command.flags));
  }
  for (const auto& [flag, words] : choices) {
    values += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                          flag, fmt::join(words, " "));
  }
  return fmt::format(
      "# bash completion of apsp: source <(./apsp completion)\n"
      "_apsp() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words\n"
      "  case $before in\n{}  esac\n"
      "  case ${{COMP_WORDS[1]}} in\n{}    *) words=\"{}\" ;;\n  esac\n"
      "  [ \"$COMP_CWORD\" = 1 ] && words+=\"{}\"\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _apsp apsp ./apsp\n",
      values, cases, longNames(program.main().flags), subcommands);
}
