#include "cli/man.h"

#include <fmt/format.h>

#include <cstdint>

#include "cli/help.h"
#include "system/environment.h"
#include "system/utf8.h"

namespace {

/// The code point of the UTF-8 sequence of that length at text[at].
std::uint32_t codePoint(const std::string& text, std::size_t at, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (length == 1) return byte(at);
  std::uint32_t point = byte(at) & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) point = point << 6 | (byte(at + i) & 0x3fu);
  return point;
}

/// Text as roff reads it: \- for a minus sign, \[uXXXX] for what is not ASCII, and nothing at the
/// beginning that roff would take for a command.
std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t at = 0, length = 1; at < text.size(); at += length) {
    length = utf8Length(text, at);
    const char c = text[at];
    if (length > 1)
      out += fmt::format("\\[u{:04X}]", codePoint(text, at, length));
    else if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

/// The argument of a macro.
std::string roffQuoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : roff(text)) out += c == '"' ? "\\(dq" : std::string(1, c);
  return out + "\"";
}

std::string section(const std::string& title) {
  return ".SH " + roffQuoted(title) + "\n";
}

/// A term in bold, and its description indented below it.
std::string item(const std::string& term, const std::string& what) {
  return fmt::format(".TP\n.B {}\n{}\n", roffQuoted(term), roff(what));
}

std::string items(const HelpTable& table) {
  std::string out;
  for (const auto& [name, what] : table.rows) out += item(name, what);
  return out;
}

std::string usage(const DefinedCommand& command) {
  std::string out = ".nf\n";
  for (const std::string& line : usageLines(command)) out += ".B " + roffQuoted(line) + "\n";
  return out + ".fi\n";
}

/// The flags under those headings that are not "Options", each as `macro` HEADING.
std::string flagsOf(const Flags& flags, const char* macro) {
  std::string out;
  for (const std::string& heading : headingsOf(flags)) {
    if (macro != nullptr) out += fmt::format("{} {}\n", macro, roffQuoted(heading));
    for (const Flag& flag : flags.all()) {
      const bool shown = macro != nullptr || flag.names != "-h,--help";  // said once, above
      if (flag.heading == heading && shown) out += item(flagTitle(flag), flagText(flag));
    }
  }
  return out;
}

std::string examplesOf(const Flags& flags) {
  std::string out;
  for (const Example& example : flags.examples()) out += item(example.line, example.what);
  return out;
}

HelpTable environment() {
  return {
      "Environment",
      {{"CUDA_VISIBLE_DEVICES", "the GPUs that the program may use; empty hides all of them"},
       {"CUDA_HOME", "the CUDA toolkit whose nvcc compiles .cu files given to --kernel"},
       {"OMP_NUM_THREADS", "the number of CPU threads without --threads"},
       {"NO_COLOR", "if it is set and not empty, the output has no colours; --color overrides it"},
       {"LC_ALL, LC_CTYPE, LANG",
        "the first that is set names the locale; unless it has UTF-8, all text is ASCII"},
       {"TERM", "if it is dumb, no progress line is drawn, and nothing is coloured"},
       {"XDG_CACHE_HOME", "the folder of caches; ~/.cache if it is not set"}}};
}

HelpTable files() {
  return {"Files", {{"~/.cache/apsp/", "compiled .cu files, kept to be used again"}}};
}

}  // namespace

std::string manPage(const Program& program) {
  const DefinedCommand& main = program.main();
  const std::string version = "apsp " + programVersion();
  std::string out =
      fmt::format(".TH APSP 1 \"\" {} {}\n", roffQuoted(version), roffQuoted("User Commands"));
  out += section("NAME") + "apsp \\- " + roff("solve, time and verify all-pairs shortest paths") +
         "\n";
  out += section("SYNOPSIS") + usage(main);
  out += section("DESCRIPTION") + roff(main.what) + "\n";
  out += section("OPTIONS") + flagsOf(main.flags, ".SS");
  out += section("SUBCOMMANDS");
  for (const DefinedCommand& command : program.commands()) {
    if (command.name.empty()) continue;
    out += fmt::format(".SS {}\n{}.PP\n{}\n", roffQuoted("apsp " + command.name), usage(command),
                       roff(sentence(command.what)));
    out += flagsOf(command.flags, nullptr);
  }
  for (const HelpTable& table : main.flags.tables()) out += section(table.heading) + items(table);
  out += section("EXIT STATUS") + items(exitCodes());
  out += section("ENVIRONMENT") + items(environment());
  out += section("FILES") + items(files());
  out += section("EXAMPLES");
  for (const DefinedCommand& command : program.commands()) out += examplesOf(command.flags);
  return out;
}
