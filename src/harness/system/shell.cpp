#include "system/shell.h"

#include <errno.h>  // program_invocation_name, which <cerrno> need not declare
#include <fmt/format.h>

#include <algorithm>

#include "system/utf8.h"

std::string shellWord(const std::string& word) {
  const char* const plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./_=,:@%+-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  const bool shown = oneLine(word) == word;
  std::string out = shown ? "'" : "$'";
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t length = utf8Length(word, at);
    const std::string part = word.substr(at, std::max<std::size_t>(1, length));
    if (!isShown(word, at, length))
      for (const char byte : part) out += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
    else if (part == "'")
      out += shown ? "'\\''" : "\\'";
    else
      out += part == "\\" && !shown ? "\\\\" : part;
    at += part.size();
  }
  return out + "'";
}

std::string programAsTyped() {
  return shellWord(program_invocation_name);  // argv[0]
}
