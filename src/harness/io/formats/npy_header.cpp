#include "io/formats/npy_header.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace {

/// The text after `'key':` in the header, up to and including `end`.
std::string valueOf(const std::string& header, const char* key, char end,
                    const std::function<void(const std::string&)>& fail) {
  const std::string label = fmt::format("'{}':", key);
  const std::size_t at = header.find(label);
  if (at == std::string::npos) fail(fmt::format("the NumPy header has no '{}'", key));
  const std::size_t begin = header.find_first_not_of(' ', at + label.size());
  if (begin == std::string::npos) fail(fmt::format("the NumPy header ends after '{}'", key));
  const std::size_t stop = header.find(end, begin + 1);
  return header.substr(begin, stop == std::string::npos ? stop : stop + 1 - begin);
}

/// The sides in a shape such as `()`, `(5,)` or `(2, 2)`.
std::optional<std::vector<std::uint64_t>> sidesOf(const std::string& shape) {
  if (shape.size() < 2 || shape.front() != '(' || shape.back() != ')') return {};
  std::vector<std::uint64_t> sides;
  const char *at = shape.data() + 1, *end = shape.data() + shape.size() - 1;
  while (at < end) {
    std::uint64_t side = 0;
    auto [stop, error] = std::from_chars(at, end, side);
    if (error != std::errc()) return {};
    sides.push_back(side);
    if (stop < end && *stop == 'L') ++stop;  // a long integer of Python 2
    if (stop == end) return sides.size() > 1 ? std::optional(sides) : std::nullopt;  // (5) is none
    if (*stop != ',') return {};
    for (at = stop + 1; at < end && *at == ' ';) ++at;
    if (at == end && sides.size() > 1) return {};
  }
  return sides;
}

// A mark is 128 blanks and tabs after the dictionary. Each is a bit, and a tab is 1: first the bits
// of kMarkBegin, then those of the hash, then those of the number, each from the lowest one on.
constexpr std::uint32_t kMarkBegin = 0x61707370;  // "apsp"
constexpr std::size_t kMarkLength = 128;

template <class Number>
void appendBits(std::string& text, Number number) {
  for (std::size_t bit = 0; bit < 8 * sizeof number; ++bit)
    text += (number >> bit & 1) != 0 ? '\t' : ' ';
}

template <class Number>
Number takeBits(std::string_view& text) {
  Number number = 0;
  for (std::size_t bit = 0; bit < 8 * sizeof number; ++bit)
    number |= static_cast<Number>(text[bit] == '\t') << bit;
  text.remove_prefix(8 * sizeof number);
  return number;
}

std::optional<NpyMark> markIn(std::string_view header) {
  header.remove_prefix(std::min(header.size(), header.rfind('}') + 1));
  if (header.size() < kMarkLength || takeBits<std::uint32_t>(header) != kMarkBegin) return {};
  NpyMark mark;
  mark.graph = takeBits<std::uint64_t>(header);
  mark.unreached = static_cast<std::int32_t>(takeBits<std::uint32_t>(header));
  return mark;
}

}  // namespace

std::string_view NpyHeader::type() const {
  const bool good = descr.size() == 5 && descr.front() == '\'' && descr.back() == '\'' &&
                    std::strchr("<>=|", descr[1]) != nullptr;
  return good ? std::string_view(descr).substr(2, 2) : std::string_view();
}

NpyHeader parseNpyHeader(const std::string& text,
                         const std::function<void(const std::string&)>& fail) {
  NpyHeader header;
  std::string quoted = text;  // with one kind of quotes; Python has two
  std::replace(quoted.begin(), quoted.end(), '"', '\'');
  header.descr = valueOf(quoted, "descr", '\'', fail);
  header.order = valueOf(quoted, "fortran_order", 'e', fail);
  header.shapeText = valueOf(quoted, "shape", ')', fail);
  header.shape = sidesOf(header.shapeText);
  header.mark = markIn(text);
  return header;
}

std::string npyType(const NpyHeader& header) {
  const std::string& descr = header.descr;
  const bool closed = descr.size() > 1 && descr.front() == '\'' && descr.back() == '\'';
  return inQuotes(closed ? std::string_view(descr).substr(1, descr.size() - 2) : descr);
}

std::string npyHeader(const char* descr, const std::string& shape,
                      const std::optional<NpyMark>& mark) {
  constexpr std::size_t kAlignment = 64, kPrefix = 10;  // kPrefix: magic, version and length
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  if (mark) {
    appendBits(header, kMarkBegin);
    appendBits(header, mark->graph);
    appendBits(header, static_cast<std::uint32_t>(mark->unreached));
  }
  const std::size_t total = (kPrefix + header.size() + kAlignment) / kAlignment * kAlignment;
  header.resize(total - kPrefix - 1, ' ');
  header += '\n';
  std::string bytes = std::string(kNpyMagic) + '\x01' + '\0';
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  return bytes + header;
}
