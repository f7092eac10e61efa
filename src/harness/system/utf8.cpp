#include "system/utf8.h"

#include <algorithm>
#include <iterator>

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

struct Range {
  unsigned first, last;  // code points
};

/// Whether a code point lies in one of these, which are sorted.
template <std::size_t count>
bool isIn(const Range (&ranges)[count], unsigned point) {
  const auto* const range =
      std::lower_bound(std::begin(ranges), std::end(ranges), point,
                       [](const Range& each, unsigned wanted) { return each.last < wanted; });
  return range != std::end(ranges) && point >= range->first;
}

/// Code points that nobody sees as they are: control characters, blanks without a width, marks that
/// stand on the letter before them, and characters that change the direction or the look of the
/// text around them. A name with those can look like another one. The vowel signs of scripts that
/// cannot do without them, such as Devanagari and Thai, are none.
constexpr Range kHidden[] = {
    {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},       {0x300, 0x36f},     {0x483, 0x489},
    {0x61c, 0x61c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x2000, 0x200f}, {0x2028, 0x202e},   {0x205f, 0x206f},   {0x20d0, 0x20ff},
    {0x2800, 0x2800}, {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfe20, 0xfe2f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

/// What Unicode calls wide or full-width, in whole blocks.
constexpr Range kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                           {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                           {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
                           {0xffe0, 0xffe6},   {0x16fe0, 0x1b2ff}, {0x1f300, 0x1f64f},
                           {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

/// The text up to the last whole character that ends within so many bytes.
std::string cutAt(const std::string& text, std::size_t bytes) {
  std::size_t end = 0;
  for (std::size_t next = 0; next <= bytes; next += utf8Length(text, next)) {
    end = next;
    if (next == text.size()) break;
  }
  return text.substr(0, end);
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

bool isShown(const std::string& text, std::size_t at, std::size_t length) {
  return length > 0 && !isIn(kHidden, codePoint(text, at, length));
}

bool isWide(const std::string& text, std::size_t at, std::size_t length) {
  return length > 0 && isIn(kWide, codePoint(text, at, length));
}

std::string oneLine(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8Length(text, at);
    if (isShown(text, at, length))
      out.append(text, at, length);
    else
      out += '?';
    at += std::max<std::size_t>(1, length);
  }
  return out;
}

std::string lastLine(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \r\n");
  if (last == std::string::npos) return "";
  const std::size_t begin = text.find_last_of('\n', last) + 1;  // npos + 1 is 0
  constexpr std::size_t kLongest = 160;
  return cutAt(oneLine(text.substr(begin, last + 1 - begin)), kLongest);
}

std::string inQuotes(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const std::string shown = oneLine(std::string(text.substr(0, 4 * kLongest)));
  const std::string cut = cutAt(shown, kLongest);
  return "'" + cut + (cut.size() < shown.size() || text.size() > 4 * kLongest ? "...'" : "'");
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
