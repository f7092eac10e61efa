#include "core/shell.h"

#include <errno.h>  // program_invocation_name, which <cerrno> need not declare

std::string shellWord(const std::string& word) {
  const char* const plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./_=,:@%+-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string programAsTyped() {
  return shellWord(program_invocation_name);  // argv[0]
}
