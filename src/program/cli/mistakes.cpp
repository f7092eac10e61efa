#include "cli/mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "cli/program.h"
#include "system/nearest.h"

void refuse(const Flags& flags, const std::string& message) {
  std::string help = "apsp --help";
  for (const DefinedCommand& command : flags.program().commands())
    if (&command.flags == &flags && !command.name.empty())
      help = fmt::format("apsp {} --help", command.name);
  throw Error(ErrorCode::kUsage, fmt::format("{} ({} tells more)", message, help));
}

namespace {

using Strings = std::vector<std::string>;

std::string withoutDashes(const std::string& word) {
  return word.substr(std::min(word.size(), word.find_first_not_of('-')));
}

/// The names of the flags with two dashes, but without these.
Strings plainNames(const Flags& flags) {
  Strings names;
  for (const Flag& flag : flags.all())
    for (const std::string& name : flag.longNames()) names.push_back(withoutDashes(name));
  return names;
}

bool contains(const Strings& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether this word after a flag that may have a value is one.
bool isValueOf(const Flag& flag, const std::string& word) {
  if (flag.takesNext != nullptr) return flag.takesNext(word);
  return std::any_of(flag.choices.begin(), flag.choices.end(), [&](const std::string& choice) {
    return word == choice || (choice.back() == ':' && word.rfind(choice, 0) == 0);
  });
}

/// Refuses an option that the command does not have: says whose it is, or which one may be meant.
[[noreturn]] void refuseOption(const Flags& flags, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  Strings owners;
  for (const DefinedCommand& command : flags.program().commands()) {
    if (contains(plainNames(command.flags), withoutDashes(name)))
      owners.push_back(command.name.empty() ? "apsp GRAPH" : "apsp " + command.name);
  }
  if (!owners.empty())
    refuse(flags,
           fmt::format("unknown option '{}': it belongs to {}", name, fmt::join(owners, ", ")));
  const std::string meant = nearest(withoutDashes(name), plainNames(flags));
  if (meant.empty()) refuse(flags, fmt::format("unknown option '{}'", name));
  refuse(flags, fmt::format("unknown option '{}': did you mean '--{}'?", name, meant));
}

}  // namespace

void joinValues(const Flags& flags, Strings& words) {
  for (std::size_t at = 0; at + 1 < words.size() && words[at] != "--"; ++at) {
    const std::string next = words[at + 1];
    for (const Flag& flag : flags.all()) {
      if (flag.values != Flag::Values::kOptional || !contains(flag.longNames(), words[at]))
        continue;
      const std::string meant = nearest(next.substr(0, next.find(':')), flag.choices);
      if (isValueOf(flag, next)) {
        words[at] += "=" + next;
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        break;
      }
      const bool isPath = next.find_first_of("/.") != std::string::npos;
      if (!meant.empty() && !isPath && !std::filesystem::exists(next))
        refuse(flags,
               fmt::format("{}: unknown word '{}': did you mean '{}'?", words[at], next, meant));
    }
  }
}

void refuseSingleDashes(const Flags& flags, const Strings& words) {
  const Strings names = plainNames(flags);
  for (const std::string& word : words) {
    if (word == "--") return;
    const std::string name = word.substr(0, word.find('='));
    if (name.size() > 2 && name[0] == '-' && name[1] != '-' && contains(names, name.substr(1)))
      refuse(flags, fmt::format("unknown option '{}': did you mean '-{}'?", name, name));
  }
}

void refuseExtras(const Flags& flags, const Strings& words, const Strings& extras) {
  const std::string& first = words.front();
  const std::string meant = nearest(first, flags.program().subcommandNames());
  if (&flags == &flags.program().main().flags && !meant.empty() && !std::filesystem::exists(first))
    refuse(flags, fmt::format("no subcommand '{}': did you mean '{}'?", first, meant));
  const auto isOption = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto option = std::find_if(extras.begin(), extras.end(), isOption);
  if (option != extras.end()) refuseOption(flags, *option);
  for (const Flag& flag : flags.all())
    if (flag.takesNext != nullptr && contains(words, flag.longName()))
      refuse(flags,
             fmt::format("one word too many: '{}': after {}, only - and a name that ends in .json "
                         "are the file to write; write {}={} for another name",
                         extras.front(), flag.longName(), flag.longName(), flag.value));
  throw Error(ErrorCode::kUsage,
              fmt::format("one word too many: '{}' (a subcommand comes first, and takes no other)",
                          extras.front()));
}
