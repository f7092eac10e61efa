// Rows as CSV and as JSON, formatted by one list of columns. A leaf: it includes nothing of ours.
#pragma once

#include <string>
#include <vector>

/// A column: how a T shows in it. In JSON numbers stand bare, an empty one as null, and all else is
/// a string.
template <class T>
struct Column {
  const char* name;
  enum Kind { kText, kNumber } kind;
  std::string (*field)(const T&);
};

/// A field of CSV, quoted where it needs it (RFC 4180).
std::string csvField(const std::string& text);

/// A string of JSON. Bytes that are not UTF-8 become \udcXX, as Python reads them back.
std::string jsonString(const std::string& text);

/// A line of CSV, newline included, from one field a column.
template <class Columns, class Field>
std::string csvLine(const Columns& columns, Field field) {
  std::string line;
  const char* separator = "";
  for (const auto& column : columns) {
    line += separator + csvField(field(column));
    separator = ",";
  }
  return line + "\n";
}

template <class Columns>
std::string csvHeader(const Columns& columns) {
  return csvLine(columns, [](const auto& column) { return std::string(column.name); });
}

template <class Columns, class T>
std::string csvRow(const Columns& columns, const T& row) {
  return csvLine(columns, [&](const auto& column) { return column.field(row); });
}

/// A JSON array of one object a row.
template <class Columns, class T>
std::string toJson(const Columns& columns, const std::vector<T>& rows) {
  std::string out = "[";
  for (const T& row : rows) {
    out += out.size() > 1 ? ",\n {" : "\n {";
    const char* separator = "";
    for (const auto& column : columns) {
      const std::string value = column.field(row);
      out += separator + std::string("\n  ") + jsonString(column.name) + ": ";
      out += column.kind == column.kText ? jsonString(value) : value.empty() ? "null" : value;
      separator = ",";
    }
    out += "\n }";
  }
  return out + "\n]\n";
}
