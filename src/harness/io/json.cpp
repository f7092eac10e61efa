#include "io/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "system/utf8.h"

namespace {

// nlohmann-json refuses a string that is not UTF-8. A byte that is not UTF-8 is therefore held as
// this character and two hexadecimal digits until the text is written, and the character itself as
// two of it. It is the last code point of Unicode, U+10FFFF, which no text should contain.
const std::string kEscape = "\xf4\x8f\xbf\xbf";

std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8Length(text, at);
    if (length == 0) {
      out += fmt::format("{}{:02x}", kEscape, static_cast<unsigned char>(text[at++]));
      continue;
    }
    if (text.compare(at, length, kEscape) == 0) out += kEscape;
    out.append(text, at, length);
    at += length;
  }
  return out;
}

std::string unescaped(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t found; (found = text.find(kEscape, at)) != std::string::npos;) {
    out.append(text, at, found - at);
    at = found + kEscape.size();
    if (text.compare(at, kEscape.size(), kEscape) == 0) {
      out += kEscape;
      at += kEscape.size();
    } else {
      out += "\\udc";  // the two digits follow
    }
  }
  return out.append(text, at);
}

/// The text with characters that are not shown (utf8.h) as JSON escapes them, because it may go to
/// a terminal. The line breaks between values stay.
std::string hiddenEscaped(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(1, utf8Length(text, at));
    const std::string part = text.substr(at, length);
    const bool shown = part == "\n" || isShown(text, at, length);
    const std::string escape = shown ? "" : Json(part).dump(-1, ' ', true);  // in quotes
    out += shown ? part : escape.substr(1, escape.size() - 2);
    at += length;
  }
  return out;
}

/// Appends the text of a value at this level of indentation. An array of plain values takes one
/// line.
void append(std::string& out, const Json& value, std::size_t level) {
  const auto isPlain = [](const Json& each) { return !each.is_structured(); };
  if (value.empty() || isPlain(value) ||
      (value.is_array() && std::all_of(value.begin(), value.end(), isPlain))) {
    out += value.dump();
    return;
  }
  out += value.is_array() ? "[" : "{";
  const char* separator = "\n";
  for (const auto& [key, each] : value.items()) {
    out += separator + std::string(level + 1, ' ');
    if (value.is_object()) out += Json(key).dump() + ": ";
    append(out, each, level + 1);
    separator = ",\n";
  }
  out += "\n" + std::string(level, ' ') + (value.is_array() ? "]" : "}");
}

}  // namespace

Json parseJson(const std::string& text) {
  return Json::parse(text);
}

Json jsonValue(ColumnKind kind, const std::string& field) {
  if (kind == kText) return escaped(field);
  Json number = Json::parse(field, nullptr, false);
  return number.is_number() ? number : Json();
}

std::string jsonText(const Json& value) {
  std::string text;
  append(text, value, 0);
  return hiddenEscaped(unescaped(text)) + "\n";
}
