#include "io/formats/attributes.h"

#include <algorithm>

namespace {

/// The place after a text in quotes that begins at text[at]; npos if it does not end.
std::size_t afterQuotes(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at)
    if (text[at] == '\\') ++at;
  return at < text.size() ? at + 1 : text.npos;
}

/// The place where a key or a value that begins at text[at] ends: at one of `ends`, outside quotes
/// and brackets; npos if there is none.
std::size_t endOf(std::string_view text, std::size_t at, std::string_view ends) {
  constexpr std::string_view kOpen = "([{", kClose = ")]}", kQuotes = "'\"";
  for (std::size_t depth = 0; at < text.size();) {
    const char c = text[at];
    if (depth == 0 && ends.find(c) != ends.npos) return at;
    if (kClose.find(c) != kClose.npos && depth-- == 0) return text.npos;
    depth += kOpen.find(c) != kOpen.npos;
    at = kQuotes.find(c) != kQuotes.npos ? afterQuotes(text, at) : at + 1;
  }
  return text.npos;
}

/// Without blanks around it, and without quotes.
std::string_view bare(std::string_view text) {
  const auto first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  text = text.substr(0, text.find_last_not_of(" \t") + 1);  // npos + 1 is 0
  const bool quoted =
      text.size() > 1 && (text[0] == '\'' || text[0] == '"') && afterQuotes(text, 0) == text.size();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

bool readAttributes(std::string_view text,
                    const std::function<void(std::string_view, std::string_view)>& take) {
  const auto last = text.find_last_not_of(" \t");
  if (text.empty() || text[0] != '{' || last == 0 || last == text.npos || text[last] != '}')
    return false;
  std::size_t at = std::min(text.find_first_not_of(" \t", 1), last);
  if (at == last) return true;
  while (true) {
    const std::size_t colon = endOf(text, at, ":");
    const std::size_t end = colon < last ? endOf(text, colon + 1, ",}") : text.npos;
    if (end == text.npos || end > last || (text[end] == '}' && end != last)) return false;
    const std::string_view key = bare(text.substr(at, colon - at));
    const std::string_view value = bare(text.substr(colon + 1, end - colon - 1));
    if (key.empty() || value.empty()) return false;
    take(key, value);
    if (end == last) return true;
    at = end + 1;
  }
}
