#include "system/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string_view>

#include "base/size.h"
#include "system/utf8.h"

using namespace engine;

namespace {

/// What every colour of this process begins with until it is shown: an escape character and digits
/// that no text from outside can know. Therefore such a text cannot have colours.
const std::string& colourMark() {
  static const std::string mark = [] {
    std::random_device random;
    return fmt::format("\033{:08x}{:08x}[", random(), random());
  }();
  return mark;
}

/// The length of the colour that begins at text[at]; 0 if none begins there.
std::size_t colourLength(const std::string& text, std::size_t at) {
  const std::string& mark = colourMark();
  if (text.compare(at, mark.size(), mark) != 0) return 0;
  return text.find('m', at + mark.size()) + 1 - at;
}

/// The length of the character at text[at]; 1 for a byte that is no UTF-8.
std::size_t characterLength(const std::string& text, std::size_t at) {
  return std::max<std::size_t>(1, utf8Length(text, at));
}

struct Replacement {
  std::string_view character, ascii;
};
constexpr Replacement kReplacements[] = {
    {"×", "x"},  {"…", "..."}, {"–", "-"}, {"—", "-"},  {"−", "-"},  {"≤", "<="}, {"≥", ">="},
    {"±", "+-"}, {"→", "->"},  {"µ", "u"}, {"μ", "u"},  {"²", "2"},  {"³", "3"},  {"⁰", "0"},
    {"·", "*"},  {"’", "'"},   {"‘", "'"}, {"“", "\""}, {"”", "\""}, {"✓", "ok"}, {"∞", "inf"}};

std::string_view inAscii(std::string_view character) {
  for (const Replacement& each : kReplacements)
    if (each.character == character) return each.ascii;
  return "?";
}

/// Whether the user's locale has UTF-8. It is read from the environment, because a locale that is
/// not installed still says what the terminal shows.
bool localeHasUtf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;  // POSIX: the locale is C
}

/// The columns that the character at text[at] takes.
std::size_t columnsAt(const std::string& text, std::size_t at) {
  return isWide(text, at, utf8Length(text, at)) && localeHasUtf8() ? 2 : 1;
}

Colours chosen = Colours::kAuto;

/// Of https://no-color.org: any value but the empty one counts.
bool wantsColours() {
  if (chosen != Colours::kAuto) return chosen == Colours::kAlways;
  const char* const refused = std::getenv("NO_COLOR");
  const char* const kind = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == '\0') &&
         (kind == nullptr || kind != std::string_view("dumb"));
}

}  // namespace

std::string toned(Tone tone, const std::string& text) {
  constexpr int kCodes[] = {32, 31, 33};  // in the order of Tone
  return fmt::format("{0}{1}m{2}{0}0m", colourMark(), kCodes[static_cast<int>(tone)], text);
}

std::size_t columnsOf(const std::string& text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t colour = colourLength(text, at);
    columns += colour > 0 ? 0 : columnsAt(text, at);
    at += colour > 0 ? colour : characterLength(text, at);
  }
  return columns;
}

std::string shortened(const std::string& whole, std::size_t columns) {
  const std::string text = oneLine(whole);
  const std::size_t all = columnsOf(text);
  if (all <= columns) return text;
  const std::string gap = inLocale("…");
  if (columns < columnsOf(gap)) return std::string(columns, '.');
  const std::size_t kept = columns - columnsOf(gap), slash = text.rfind('/');
  const std::size_t file = slash == std::string::npos ? all : columnsOf(text.substr(slash));
  const std::size_t tail = file <= kept ? file : kept - kept / 2, head = kept - tail;
  std::string begin, end;
  bool cut = false;
  for (std::size_t at = 0, column = 0; at < text.size();) {
    const std::size_t length = characterLength(text, at), next = column + columnsAt(text, at);
    cut = cut || next > head;
    if (!cut || column >= all - tail) (cut ? end : begin).append(text, at, length);
    column = next;
    at += length;
  }
  return begin + gap + end;
}

std::function<std::string(int)> shortNames(const std::string& names) {
  constexpr std::size_t kLongest = 40;  // columns of a terminal
  std::vector<std::string> lines;
  std::istringstream in(names);
  for (std::string line; std::getline(in, line);)
    lines.push_back(shortened(oneLine(line), kLongest));
  return [lines = std::move(lines)](int vertex) {
    return lines.empty() ? std::to_string(vertex) : lines[asSize(vertex)];
  };
}

std::string padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns - std::min(columns, columnsOf(text)), ' ');
}

std::string paddedLeft(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, columnsOf(text)), ' ') + text;
}

std::string nameCell(const std::string& name, std::size_t columns) {
  const std::string file = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  const bool folders = columnsOf(inLocale("…") + "/" + file) <= columns;
  const bool whole = columnsOf(name) <= columns;
  return padded(shortened(whole || folders ? name : file, columns), columns);
}

std::size_t nameColumns(const std::vector<std::string>& names, std::size_t least,
                        std::size_t most) {
  std::size_t columns = least;
  for (const std::string& name : names) columns = std::max(columns, columnsOf(name));
  return std::min(columns, most);
}

std::size_t terminalColumns(int descriptor) {
  constexpr std::size_t kUsual = 80;
  if (isatty(descriptor) == 0) return std::string::npos;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? kUsual : size.ws_col;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (columnsOf(line) + 1 + columnsOf(word) <= columns)
      line += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

std::string fitted(const std::string& text) {
  const std::size_t columns = terminalColumns(STDOUT_FILENO);
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (columnsOf(line) <= columns) {
      out += line + "\n";
      continue;
    }
    const std::size_t indent = line.find_first_not_of(' ') + 2;  // of the lines after the first one
    std::string part(indent - 2, ' ');
    for (const std::string& words : wrapped(line, columns - std::min(columns, indent))) {
      out += part + words + "\n";
      part = std::string(indent, ' ');
    }
  }
  return out;
}

void setColours(Colours colours) {
  chosen = colours;
}

std::string forScreen(const std::string& text, bool colours, bool utf8) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t colour = colourLength(text, at); colour > 0) {
      const std::size_t mark = colourMark().size();
      if (colours) out += "\033[" + text.substr(at + mark, colour - mark);
      at += colour;
      continue;
    }
    const std::size_t length = utf8Length(text, at);
    const std::string_view part =
        std::string_view(text).substr(at, std::max<std::size_t>(1, length));
    if (part == "\t")
      out += ' ';
    else if (part == "\n" || (isShown(text, at, length) && (utf8 || length == 1)))
      out += part;
    else if (part != "\r" || text.compare(at, 2, "\r\n") != 0)
      out += inAscii(part);
    at += part.size();
  }
  return out;
}

void show(const std::string& text) {
  fmt::print("{}", forScreen(text, wantsColours(), localeHasUtf8()));
}

std::string inLocale(const std::string& text) {
  return forScreen(text, false, localeHasUtf8());
}

void showError(const std::string& text) {
  std::fputs(inLocale(text).c_str(), stderr);
}

void complain(const std::string& message) {
  showError(fmt::format("apsp: {}\n", oneLine(message)));
}
