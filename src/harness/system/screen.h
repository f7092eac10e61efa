// Text for people, on standard output and standard error: its colours, its columns, and the
// characters that the user's locale has. All text that is shown passes through forScreen(): nothing
// else in this program may print. Files, CSV and JSON do not pass through here.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// What a colour says about a result.
enum class Tone { kRight, kWrong, kDisturbed };  // green, red, yellow

/// The text in the colour of that tone. show() removes the colour where none is wanted, therefore
/// tables always colour their verdicts. A table that is not shown must not: files have no colours.
std::string toned(Tone tone, const std::string& text);

/// The number of columns that the text takes: two for a wide character if the locale has UTF-8,
/// else a ? is shown for it; one for any other character. Colours take none.
std::size_t columnsOf(const std::string& text);

/// The text as one line, in at most so many columns. What is left out of a longer text is replaced
/// by "…", or by "..." if the locale has no UTF-8. It is the end of the folders if the text has a
/// path: the name of the file and what follows it are kept if they fit. Otherwise it is the middle.
/// The text must not have colours.
std::string shortened(const std::string& whole, std::size_t columns);

/// What vertices are called in a message: by a line each of `names`, as ReadReport::names has them,
/// shortened; by their numbers if there are none.
std::function<std::string(int vertex)> shortNames(const std::string& names);

/// The text with blanks after it, or before it, until it takes so many columns. A longer text stays
/// as it is.
std::string padded(const std::string& text, std::size_t columns);
std::string paddedLeft(const std::string& text, std::size_t columns);

/// A name in a column of a table, as one line: shortened or padded to exactly so many columns. If
/// the path of a file does not fit, its name alone is taken.
std::string nameCell(const std::string& name, std::size_t columns);

/// How wide a table's column of names is: as wide as the longest name, but at least `least` and at
/// most `most` columns. Use nameCell() for the names, and padded() for the heading.
std::size_t nameColumns(const std::vector<std::string>& names, std::size_t least,
                        std::size_t most = 24);

/// The width of the terminal behind a file descriptor, 80 if it does not tell; npos if it is no
/// terminal.
std::size_t terminalColumns(int descriptor);

/// The words of the text in lines of at most so many columns. A longer word gets a line of its own.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);

/// The text with each line that is wider than the terminal on standard output wrapped. The text
/// stays as it is if standard output is no terminal.
std::string fitted(const std::string& text);

/// Whether show() prints colours. kAuto: if standard output is a terminal that can show them, and
/// the environment has no NO_COLOR. It is kAuto at the start.
enum class Colours { kAuto, kAlways, kNever };
void setColours(Colours colours);

/// The text as a screen takes it: without colours unless `colours`, and in ASCII unless `utf8`.
/// In ASCII, × becomes x, … becomes ..., and a character without a replacement becomes ?. So does
/// each character that isShown() refuses, except line breaks; a tab becomes a blank. No colours but
/// those of toned() are left.
std::string forScreen(const std::string& text, bool colours, bool utf8);

/// Prints a text on standard output, or on standard error, as it suits the terminal and the locale.
/// Throws what fmt::print() throws if standard output fails. A failure of standard error is
/// ignored, because nobody could be told.
void show(const std::string& text);
void showError(const std::string& text);

/// Prints the message as one line on standard error, after "apsp: ".
void complain(const std::string& message);

/// The text in the characters of the locale and without colours, as showError() prints it. For code
/// that must print by itself, or needs to know how wide the text becomes.
std::string inLocale(const std::string& text);
