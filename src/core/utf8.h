// Text from elsewhere: file names and what submissions print may hold any bytes.
// A leaf: it includes nothing of ours, and everything may include it.
#pragma once

#include <cstddef>
#include <string>

/// The length of the UTF-8 sequence at text[at], or 0 where there is none (RFC 3629).
std::size_t utf8Length(const std::string& text, std::size_t at);

/// The text with a ? for each control character and each byte that is not UTF-8: one line, and
/// nothing a terminal obeys.
std::string oneLine(const std::string& text);
