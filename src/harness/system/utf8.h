// Text that may hold any bytes, such as file names, file contents and the output of submissions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// What a text of UTF-8 may begin with, to say that it is one. Spreadsheets write it, and look for
/// it.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The length of the UTF-8 sequence that begins at text[at]; 0 if none begins there (RFC 3629).
std::size_t utf8Length(const std::string& text, std::size_t at);

/// The code points of the text. A byte that is not UTF-8 becomes U+FFFD.
std::u32string codePoints(const std::string& text);

/// Whether the character of that length at text[at] is shown as it is. Control characters, line
/// breaks among them, invisible and combining ones, those that change the direction of text, and a
/// byte that is no UTF-8 (length 0) are not: they could drive a terminal, or make a name look like
/// another one.
bool isShown(const std::string& text, std::size_t at, std::size_t length);

/// Whether the character of that length at text[at] takes two columns of a terminal: so do those of
/// Chinese, Japanese and Korean, and most emoji.
bool isWide(const std::string& text, std::size_t at, std::size_t length);

/// The text as one line, with a ? for each character that is not shown.
std::string oneLine(const std::string& text);

/// The last line that is not empty, as oneLine(), of at most 160 bytes and whole characters; "" if
/// there is none.
std::string lastLine(const std::string& text);

/// Text from a file for a message: in quotes, as oneLine(), whole characters and at most 40 bytes.
std::string inQuotes(std::string_view text);

/// Whether a file that begins with these bytes is text in UTF-16: it has a byte order mark, and the
/// first character has a zero byte.
bool isUtf16(std::string_view bytes);

/// Whether the text ends with `end`.
bool endsWith(std::string_view text, std::string_view end);
