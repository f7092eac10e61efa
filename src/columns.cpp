#include "columns.h"

#include <fmt/format.h>

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

namespace {

/// The length of the UTF-8 sequence at text[at], or 0 where there is none (RFC 3629).
std::size_t utf8Length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned lead = byte(at), second = byte(at + 1);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool outside = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
  return overlong || outside ? 0 : length;
}

}  // namespace

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
