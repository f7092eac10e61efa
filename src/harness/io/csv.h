// CSV (RFC 4180), written and read. A list of columns says how a kind of record is written.
//
// There are two kinds of files. Records, checks and grades are tables for people, who open them in
// a spreadsheet: csvLine(columns, ...) and csvRow() write them, and guard each field (csvCell()).
// Distances are data, whose ids stay as they are: csvField() and csvLine(fields) only quote.
#pragma once

#include <map>
#include <string>
#include <vector>

/// In JSON a number is written without quotes, an empty one as null. Text is a JSON string.
enum ColumnKind { kText, kNumber };

/// A column: its name, and the text of a record's field in it.
template <class Record>
struct Column {
  const char* name;
  ColumnKind kind;
  std::string (*field)(const Record&);
};

/// A field of a table that a spreadsheet may read. It takes a text that begins with = + - or @ for
/// a formula, which could run a program (OWASP: CSV injection). So does one that takes a ; for the
/// end of a field. Therefore an apostrophe goes before such a part of the text. A number in a
/// column of numbers stays as it is. parseCsv() takes the apostrophes away.
std::string csvCell(ColumnKind kind, const std::string& text);

/// A text as a field of CSV: in quotes if it needs them.
std::string csvField(const std::string& text, char separator = ',');
/// A text as a field of CSV, in quotes.
std::string inCsvQuotes(const std::string& text);

/// A name in a file of data: as csvField(), and in quotes if it begins like a comment.
std::string nameField(const std::string& name, char separator);

/// One line of CSV, newline included. Fields are quoted if they need it.
std::string csvLine(const std::vector<std::string>& fields);

/// One line of a table with the cell fieldOf(column) for each column.
template <class Columns, class FieldOf>
std::string csvLine(const Columns& columns, FieldOf fieldOf) {
  std::vector<std::string> fields;
  for (const auto& column : columns) fields.push_back(csvCell(column.kind, fieldOf(column)));
  return csvLine(fields);
}

/// The header: the line with the columns' names.
template <class Columns>
std::string csvHeader(const Columns& columns) {
  return csvLine(columns, [](const auto& column) { return std::string(column.name); });
}

/// The line of one record.
template <class Columns, class Record>
std::string csvRow(const Columns& columns, const Record& record) {
  return csvLine(columns, [&](const auto& column) { return column.field(record); });
}

/// A row that was read: column name → field.
using Row = std::map<std::string, std::string>;

/// The rows of CSV text with a header, with the texts as they were before csvCell(). A column that
/// was renamed since the text was written has its present name. Throws Error(kInput) naming `path`
/// and the line.
std::vector<Row> parseCsv(const std::string& path, const std::string& text);

/// A header line, newline included, with the present names of the columns.
std::string renamedHeader(const std::string& header);
