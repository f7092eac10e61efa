#include "io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/quantity.h"
#include "io/weights.h"

namespace {

/// Columns that earlier versions wrote under another name.
constexpr struct { const char *before, *now; } kRenamed[] = {{"pct_of_wall", "pct_of_peak"}};

std::string presentName(const std::string& column) {
  for (const auto& name : kRenamed) {
    if (column == name.before) return name.now;
  }
  return column;
}

using Fields = std::vector<std::string>;

/// The fields of each line, the last one without its newline. cutOff: whether the text ends within
/// a quoted field.
struct Lines {
  std::vector<Fields> lines = {Fields(1)};
  bool cutOff = false;
};

Lines split(const std::string& text) {
  Lines out;
  bool& quoted = out.cutOff;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    std::string& field = out.lines.back().back();
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        field += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      out.lines.back().emplace_back();
    } else if (c == '\n') {
      out.lines.emplace_back(1);
    } else if (c != '\r') {
      field += c;
    }
  }
  return out;
}

/// Whether a spreadsheet takes this part of a field for a formula, with or without apostrophes
/// before it. Blanks and quotes before a formula do not protect. A spreadsheet for Chinese or
/// Japanese also knows wide signs.
bool isFormula(std::string_view part) {
  part.remove_prefix(std::min(part.find_first_not_of('\''), part.size()));
  part.remove_prefix(std::min(part.find_first_not_of(" \""), part.size()));
  for (const std::string_view sign : {"=", "+", "-", "@", "＝", "＋", "－", "＠"})
    if (part.size() > sign.size() && part.substr(0, sign.size()) == sign) return true;
  return false;  // a sign alone is none
}

/// The text with change(part) for each of its parts. ; and line breaks end a part.
template <class Change>
std::string changed(const std::string& text, Change change) {
  std::string out;
  for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find_first_of(";\t\r\n", begin);
    const std::string_view part =
        std::string_view(text).substr(begin, end == text.npos ? end : end - begin);
    if (begin > 0) out += text[begin - 1];
    out += change(part);
  }
  return out;
}

/// The text without the apostrophes of csvCell().
std::string withoutGuards(const std::string& text) {
  return changed(text, [](std::string_view part) {
    const bool guarded = part.substr(0, 1) == "'" && isFormula(part);
    return std::string(part.substr(guarded ? 1 : 0));
  });
}

}  // namespace

std::string csvCell(ColumnKind kind, const std::string& text) {
  if (kind == kNumber && isNumber(text)) return text;
  return changed(
      text, [](std::string_view part) { return (isFormula(part) ? "'" : "") + std::string(part); });
}

std::string csvField(const std::string& text, char separator) {
  const char special[] = {separator, '"', '\r', '\n', '\0'};
  return text.find_first_of(special) == std::string::npos ? text : inCsvQuotes(text);
}

std::string inCsvQuotes(const std::string& text) {
  std::string field = text;
  for (std::size_t at = 0; (at = field.find('"', at)) != std::string::npos; at += 2)
    field.insert(at, 1, '"');
  return '"' + field + '"';
}

std::string nameField(const std::string& name, char separator) {
  const bool likeComment = !name.empty() && (name[0] == '#' || name[0] == '%');
  return likeComment ? inCsvQuotes(name) : csvField(name, separator);
}

std::string csvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields)
    line += (&field == &fields[0] ? "" : ",") + csvField(field);
  return line + "\n";
}

std::vector<Row> parseCsv(const std::string& path, const std::string& text) {
  auto [lines, cutOff] = split(text);
  if (cutOff || lines.back() != Fields(1)) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}:{}: the last line is incomplete", path, lines.size()));
  }
  lines.pop_back();
  std::vector<Row> rows;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    if (lines[line].size() != lines[0].size()) {
      throw Error(ErrorCode::kInput,
                  fmt::format("{}:{}: {}, but the header has {}: remove that line", path, line + 1,
                              counted(lines[line].size(), "field"), lines[0].size()));
    }
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < lines[0].size(); ++i)
      row[presentName(lines[0][i])] = withoutGuards(lines[line][i]);
  }
  return rows;
}

std::string renamedHeader(const std::string& header) {
  Fields names = split(header).lines.front();
  for (std::string& name : names) name = presentName(name);
  return csvLine(names);
}
