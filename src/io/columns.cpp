#include "io/columns.h"

#include <fmt/format.h>

#include "core/utf8.h"

std::string csvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    std::string value = field;
    if (value.find_first_of(",\"\r\n") != std::string::npos) {
      for (std::size_t at = 0; (at = value.find('"', at)) != std::string::npos; at += 2)
        value.insert(at, 1, '"');
      value = '"' + value + '"';
    }
    line += (&field == &fields[0] ? "" : ",") + value;
  }
  return line + "\n";
}

std::string jsonString(const std::string& text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    const std::size_t length = utf8Length(text, at);
    if (length == 0) {
      out += fmt::format("\\udc{:02x}", c);
    } else if (c < 0x20) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out.append(text, at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return out + '"';
}
