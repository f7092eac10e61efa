// The program's commands: the main job and the subcommands. The command line selects one of them.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/flags.h"
#include "system/exit.h"

/// What a command does once its flags are read. Returns the exit code or throws Error.
using Body = std::function<Exit()>;

/// A subcommand, or the main job.
struct Command {
  const char* name;  ///< "" for the main job
  const char* what;  ///< one line
  /// Adds the command's flags and returns its body. The options that the flags write to belong to
  /// the body, usually through a shared_ptr.
  Body (*define)(Flags& flags);
};

/// A command with its flags.
struct DefinedCommand {
  std::string name, what;
  Flags flags;
  Body body;
};

class Program {
 public:
  /// Defines all commands. None of them runs yet.
  Program(const Command& main, const std::vector<const Command*>& subcommands);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Reads the command line and runs the command that it selects, or prints the help or the
  /// version. Throws Error(kUsage) with one line, and what the command throws.
  Exit run(int argc, char** argv) const;

  const DefinedCommand& main() const { return commands_.front(); }
  /// The main job, then the subcommands in the order of --help.
  const std::deque<DefinedCommand>& commands() const { return commands_; }
  std::vector<std::string> subcommandNames() const;

 private:
  std::deque<DefinedCommand> commands_;
};

/// Reads argv[first] and what follows into the flags. Returns "", or "--help" or "--version" if the
/// user asks for that text instead. Throws Error(kUsage) with one line.
std::string parse(const Flags& flags, int argc, char** argv, int first = 1);
