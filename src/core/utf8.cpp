#include "core/utf8.h"

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

namespace {

/// The code point of the UTF-8 sequence of that length at text[at].
unsigned codePoint(const std::string& text, std::size_t at, std::size_t length) {
  constexpr unsigned kLeadBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  unsigned point = static_cast<unsigned char>(text[at]) & kLeadBits[length];
  for (std::size_t i = 1; i < length; ++i)
    point = point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3f);
  return point;
}

/// Control characters, line separators, and characters that change the direction of the text around
/// them: a name with those can look like another one.
bool isControl(unsigned point) {
  return point < ' ' || (point >= 0x7f && point < 0xa0) || point == 0x61c || point == 0x200e ||
         point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

std::u32string codePoints(const std::string& text) {
  constexpr char32_t kReplacement = 0xfffd;
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8Length(text, at);
    points += length == 0 ? kReplacement : static_cast<char32_t>(codePoint(text, at, length));
    at += length == 0 ? 1 : length;
  }
  return points;
}

std::string oneLine(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8Length(text, at);
    if (length == 0 || isControl(codePoint(text, at, length)))
      out += '?';
    else
      out.append(text, at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string lastLine(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \r\n");
  if (last == std::string::npos) return "";
  const std::size_t begin = text.find_last_of('\n', last) + 1;  // npos + 1 is 0
  constexpr std::size_t kLongest = 160;
  const std::string line = oneLine(text.substr(begin, last + 1 - begin));
  std::size_t end = 0;
  while (end < line.size() && end + utf8Length(line, end) <= kLongest) end += utf8Length(line, end);
  return line.substr(0, end);
}

std::string inQuotes(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return "'" + shown + (text.size() > kLongest ? "...'" : "'");
}

bool isUtf16(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  const std::string_view mark = bytes.substr(0, 2);
  return (mark == "\xff\xfe" && bytes[2] != 0 && bytes[3] == 0) ||
         (mark == "\xfe\xff" && bytes[2] == 0 && bytes[3] != 0);
}

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}
