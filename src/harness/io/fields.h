// One line of text, split into fields by a separator, which may be quoted as in CSV (RFC 4180).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A field without the blanks around it. A quoted one is without its quotes, and has "" for ".
struct Field {
  std::string_view text;
  bool quoted = false;
};

/// Splits a line and replaces `fields`. The separator is a comma, a semicolon, a tab, or a blank,
/// which stands for any number of blanks and tabs. A third field that begins with { goes to the end
/// of the line, as NetworkX writes attributes. Returns false if a quote is not closed, or if a
/// closed one is not the end of its field.
bool splitLine(std::string_view line, char separator, std::vector<Field>& fields);

/// Which characters may separate fields, beside blanks.
struct Separators {
  bool tabs = true;         ///< else a tab is a blank
  bool commas = true;       ///< else a comma is a decimal one
  bool preferTabs = false;  ///< a tab separates, even if a comma or a semicolon occurs
};

/// What separates the fields of a line: the comma, semicolon or tab that occurs in it outside
/// quotes, else a blank. None if several of them occur.
std::optional<char> separatorOf(std::string_view line, Separators allowed);

/// The text of a field, with " for the "" of a quoted one.
void unquote(const Field& field, std::string& text);

/// The fields of a line that commas separate. None if it is no such line, as splitLine() says.
std::optional<std::vector<std::string>> splitByCommas(std::string_view line);

/// Whether a word can be no number: it begins with a letter, an underscore or a byte beyond ASCII.
bool isWord(std::string_view text);

/// Whether a column of this name holds the vertices where edges begin or end, such as `source`.
bool namesVertex(std::string_view column);

/// Which end of an edge a column of this name holds: where it begins, as `from` and `start_node`,
/// where it ends, or nobody can tell.
enum class End { kUnclear, kFrom, kTo };
End endNamed(std::string_view column);

/// Whether two columns of vertices have names that belong to the other order, such as `to,from` and
/// `node2,node1`.
bool namesReversed(std::string_view first, std::string_view second);

/// Whether a column of this name holds weights.
bool namesWeight(std::string_view column);

/// Whether a column of this name holds numbers that are no weights: a time, a date, the number of
/// an edge, or how many there are.
bool namesOther(std::string_view column);

/// Whether a field stands for a value that is not known, such as NA.
bool namesNothing(std::string_view field);
