// Records as CSV and JSON: one list of columns formats a kind of record everywhere.
#pragma once

#include <string>
#include <vector>

/// In JSON numbers stand bare, an empty one as null, and all else is a string.
enum ColumnKind { kText, kNumber };

/// A column: how a record shows in it.
template <class Record>
struct Column {
  const char* name;
  ColumnKind kind;
  std::string (*field)(const Record&);
};

/// One line of CSV, newline included; fields quoted where they need it (RFC 4180).
std::string csvLine(const std::vector<std::string>& fields);

/// A JSON string, quotes included. Bytes that are not UTF-8 become \udcXX, as Python reads them
/// back.
std::string jsonString(const std::string& text);

/// A line of CSV from one field a column.
template <class Columns, class FieldOf>
std::string csvLine(const Columns& columns, FieldOf fieldOf) {
  std::vector<std::string> fields;
  for (const auto& column : columns) fields.push_back(fieldOf(column));
  return csvLine(fields);
}

/// The CSV header: the columns' names.
template <class Columns>
std::string csvHeader(const Columns& columns) {
  return csvLine(columns, [](const auto& column) { return std::string(column.name); });
}

template <class Columns, class Record>
std::string csvRow(const Columns& columns, const Record& record) {
  return csvLine(columns, [&](const auto& column) { return column.field(record); });
}

/// A JSON array of one object a record.
template <class Columns, class Record>
std::string toJson(const Columns& columns, const std::vector<Record>& records) {
  std::string out = "[";
  for (const Record& record : records) {
    out += out.size() > 1 ? ",\n {" : "\n {";
    const char* separator = "";
    for (const auto& column : columns) {
      const std::string value = column.field(record);
      out += std::string(separator) + "\n  \"" + column.name + "\": " +
             (column.kind == kText ? jsonString(value)
              : value.empty()      ? "null"
                                   : value);
      separator = ",";
    }
    out += "\n }";
  }
  return out + "\n]\n";
}
