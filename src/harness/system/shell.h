// Commands that messages print, to be pasted into a shell.
#pragma once

#include <string>

/// A word as a POSIX shell must read it: in single quotes if it has characters that mean something
/// to a shell. Characters that are not shown (utf8.h) become octal numbers within $'...', which
/// bash, zsh and POSIX of 2024 know.
std::string shellWord(const std::string& word);

/// This program as the user typed it, as a shell word: "./apsp", "../build/apsp", "apsp".
std::string programAsTyped();
