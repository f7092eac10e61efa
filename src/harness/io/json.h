// Records as JSON, by the columns that also make their CSV.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/csv.h"

#if NLOHMANN_JSON_VERSION_MAJOR == 3 && NLOHMANN_JSON_VERSION_MINOR < 9
#error "nlohmann-json 3.9 or newer is needed: earlier versions sort the keys of an object"
#endif

/// A JSON value that keeps its keys in the order in which they were added.
using Json = nlohmann::ordered_json;

/// The value that a JSON text says. Throws Json::parse_error.
Json parseJson(const std::string& text);

/// A field as a JSON value. A number that is empty or not finite becomes null.
Json jsonValue(ColumnKind kind, const std::string& field);
inline Json jsonString(const std::string& text) {
  return jsonValue(kText, text);
}

/// The text of a JSON value, indented by one space a level and with a final newline. An array of
/// numbers takes one line. A byte that is
/// not UTF-8 becomes \udcXX, from which Python's "surrogateescape" makes the byte again.
std::string jsonText(const Json& value);

/// A JSON object with a key for each column.
template <class Columns, class Record>
Json jsonObject(const Columns& columns, const Record& record) {
  Json object = Json::object();
  for (const auto& column : columns)
    object[column.name] = jsonValue(column.kind, column.field(record));
  return object;
}

/// A JSON array with an object for each record.
template <class Columns, class Record>
Json jsonArray(const Columns& columns, const std::vector<Record>& records) {
  Json array = Json::array();
  for (const Record& record : records) array.push_back(jsonObject(columns, record));
  return array;
}

/// The text of that array.
template <class Columns, class Record>
std::string toJson(const Columns& columns, const std::vector<Record>& records) {
  return jsonText(jsonArray(columns, records));
}
