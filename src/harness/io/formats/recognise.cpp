#include "io/formats/recognise.h"

#include <algorithm>

#include "io/compression.h"
#include "system/utf8.h"

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// The first format of this kind that recognises the beginning of the file; nullptr if none does.
const Format* formatOf(std::string_view begin, bool text) {
  for (const Format* format : formatTable())
    if (format->text == text && format->recognises != nullptr && format->recognises(begin))
      return format;
  return nullptr;
}

/// Whether a byte can be in no text of ASCII or UTF-8: a control character other than a blank.
bool isControl(unsigned char byte) {
  return byte < ' ' && kBlanks.find(static_cast<char>(byte)) == std::string_view::npos;
}

/// The text from its first line on that is neither skipped nor blank, without a byte order mark.
std::string_view withoutHead(std::string_view text, int skipLines) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    text.remove_prefix(kByteOrderMark.size());
  for (; skipLines > 0 && !text.empty(); --skipLines)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

/// Whether the file is n = 3 and nine weights, or n = 3 and three edges: both have 44 bytes. It
/// looks beyond the header only if that says so, because a pipe may hold no more yet.
bool isThreeByThree(Input& in, std::string_view header) {
  constexpr std::size_t kSize = 44;
  return header == std::string_view("\3\0\0\0\3\0\0\0", 8) && in.peek(kSize + 1).size() == kSize;
}

}  // namespace

bool lacksExtension(std::string_view path) {
  path = withoutCompression(path);
  const std::size_t name = path.find_last_of('/') + 1;  // npos + 1 is 0
  return path.find('.', name + 1) == std::string_view::npos;
}

const Format* markedFormat(Input& in) {
  constexpr std::string_view kBegin = "%< \t\r\n\xef";  // of a mark, or of what may be before it
  constexpr std::size_t kEnough = 256;
  const std::string_view first = in.peek(1);
  if (first.empty() || kBegin.find(first[0]) == kBegin.npos) return nullptr;
  const Format* format = formatOf(withoutHead(in.peek(kEnough), 0), true);
  return format != nullptr && format->marked ? format : nullptr;
}

const Format& recogniseFormat(Input& in, int skipLines) {
  constexpr std::size_t kHeader = 8;                        // of bin; a pipe may hold no more yet
  constexpr std::size_t kTextBytes = std::size_t{1} << 16;  // as many as the longest line may have
  const std::string_view begin = in.peek(kHeader);
  if (const Format* format = formatOf(begin, false)) return *format;
  if (isUtf16(begin)) return kEdgeList;  // which refuses it, and names iconv
  if (std::any_of(begin.begin(), begin.end(), isControl)) {
    if (isThreeByThree(in, begin))
      in.fail("may be an edge list or a matrix: give --format bin-edges or --format bin-dense");
    return kBin;
  }
  const Format* format = formatOf(withoutHead(in.peek(kTextBytes), skipLines), true);
  return format != nullptr ? *format : kEdgeList;
}
