#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace {

// bash splits --flag=value into three words, unless the user told it not to.
constexpr char kScript[] = R"(# bash completion of apsp: source <(./apsp completion)
_apsp() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local words files=yes assigned= list= prefix= found
  if [[ $word == = ]]; then
    assigned=yes word=
  elif [[ $before == = ]]; then
    assigned=yes before=${{COMP_WORDS[COMP_CWORD-2]}}
  elif [[ $word == --*=* ]]; then
    assigned=yes before=${{word%%=*}} prefix=${{word%%=*}}= word=${{word#*=}}
  fi
  case ${{COMP_WORDS[1]}} in
{commands}    *) words="{main}" ;;
  esac
  [ "$COMP_CWORD" = 1 ] && words+="{subcommands}"
  case $before in
{values}  esac
  [[ $list && $word == *,* ]] && prefix+=${{word%,*}}, word=${{word##*,}}
  COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$word"))
  [[ $files ]] && mapfile -t found < <(compgen -P "$prefix" -f -- "$word")
  COMPREPLY+=("${{found[@]}}")
}}
complete -o filenames -F _apsp apsp ./apsp
)";

std::string longNames(const Flags& flags) {
  std::string list;
  for (const Flag& flag : flags.all()) {
    for (const std::string& name : flag.longNames()) list += " " + name;
  }
  return list;
}

/// The shell's code for the word after a flag: which words fit, and whether files do. "" for a flag
/// without a value.
std::string valueCode(const Flag& flag) {
  using Values = Flag::Values;
  const std::string words = fmt::format("words=\"{}\"", fmt::join(flag.choices, " "));
  if (flag.values == Values::kNone || flag.positional()) return "";
  if (flag.values == Values::kOptional)
    return "[[ $assigned ]] && files= words=; words+=\" " + words.substr(7);
  if (flag.values == Values::kComma) return words + " list=yes";
  if (!flag.choices.empty()) return words + " files=";
  return flag.value[0] == 'N' ? "return" : "words=";  // a number, or a file
}

}  // namespace

std::string bashCompletion(const Program& program) {
  std::string cases, subcommands, values;
  std::map<std::string, std::string> codes;  // by the flag's names; the same in every command
  for (const DefinedCommand& command : program.commands()) {
    for (const Flag& flag : command.flags.all()) {
      std::string names = flag.names;
      std::replace(names.begin(), names.end(), ',', '|');
      if (const std::string code = valueCode(flag); !code.empty()) codes[names] = code;
    }
    if (command.name.empty()) continue;
    subcommands += " " + command.name;
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, longNames(command.flags));
  }
  for (const auto& [names, code] : codes) values += fmt::format("    {}) {} ;;\n", names, code);
  return fmt::format(kScript, fmt::arg("commands", cases), fmt::arg("values", values),
                     fmt::arg("main", longNames(program.main().flags)),
                     fmt::arg("subcommands", subcommands));
}
