// matrix: a square matrix as text, a row in each line, which commas, semicolons, tabs or blanks
// separate as in an edge list. Lines that begin with # or % are comments. Names of the vertices may
// be in a first line, and before each row; the field where both begin may be empty or missing. No
// extension shows the format, because the same files may be edge lists. With --empty inf, an empty
// entry is no edge.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/fields.h"
#include "io/formats/format.h"
#include "io/formats/matrices.h"
#include "io/formats/whole_text.h"
#include "io/text.h"
#include "system/utf8.h"

namespace {

/// The longest line that is read. More entries of this many bytes would make a matrix that memory
/// cannot hold.
std::size_t longestLine() {
  constexpr double kEntryBytes = 64;
  const double entries = std::sqrt(static_cast<double>(freeHostBytes() / sizeof(std::int32_t)));
  return std::max(std::size_t{1} << 20, asSize(kEntryBytes * entries));
}

class Reader {
 public:
  Reader(Input& in, const ReadOptions& options)
      : text_(in, options.skipLines, longestLine()),
        options_(options),
        type_(readType(options, kTextNumbers)),
        entries_(type_.dtype()) {
    text_.takeDecimalComma(options.decimalComma);
  }

  FileGraph read() {
    bool more = next();
    if (more) chooseSeparator();
    if (more) requireNamesOrRow();
    if (more && isHeader()) more = readHeader();
    for (; more; more = next()) readRow();
    if (rows_ != size_) text_.fail(fmt::format("{}, expected {}", found(rows_), size_));
    if (type_.unclear()) text_.fail(unclearEntryText(type_.dtype(), true));
    FileGraph graph = fromEntries(static_cast<int>(size_), entries_, options_.zero, minusOnes_);
    graph.report.names = names_.lines();
    return graph;
  }

 private:
  /// Goes to the next line that is no comment, and not blank unless it is a row of empty entries.
  bool next() {
    while (text_.nextOrBlank())
      if (text_.atEnd() ? isEmptyRow() : text_.first() != '#' && text_.first() != '%') return true;
    return false;
  }

  /// Whether the current line, which is blank, is a row: tabs separate its entries.
  bool isEmptyRow() const {
    const bool tabs = separator_ == '\t' || fields_.empty();  // nothing was split yet
    return options_.emptyIsNoEdge && tabs && text_.wholeLine().find('\t') != std::string_view::npos;
  }

  void chooseSeparator() {
    const std::string_view line = options_.emptyIsNoEdge ? text_.wholeLine() : text_.rest();
    const auto separator = separatorOf(line, {true, !options_.decimalComma});
    if (!separator)
      text_.fail(
          "several of comma, semicolon and tab separate the entries: use one of them, or give "
          "--decimal comma");
    separator_ = *separator;
    split();
  }

  void split() {
    const bool blanks = separator_ == ' ';  // else a tab at the beginning ends an empty field
    if (!splitLine(blanks ? text_.rest() : text_.wholeLine(), separator_, fields_))
      text_.fail("expected a closing quote at the end of a field");
  }

  bool isEntry(std::string text) const {
    if (options_.decimalComma) std::replace(text.begin(), text.end(), ',', '.');
    return isNumber(text);
  }

  /// Whether the first line, in fields_, has names: none of its fields is a number, or the first
  /// one is empty.
  bool isHeader() const {
    const auto isNone = [&](const Field& f) {
      return !f.text.empty() && !isEntry(std::string(f.text));
    };
    return fields_[0].text.empty() || std::all_of(fields_.begin(), fields_.end(), isNone);
  }

  /// Throws if the first line may have names or the entries of a row: it begins with an empty
  /// field, empty fields are entries, too, and the others may be entries.
  void requireNamesOrRow() const {
    const auto maybe = [&](const Field& f) {
      return f.text.empty() || isEntry(std::string(f.text));
    };
    if (options_.emptyIsNoEdge && fields_[0].text.empty() &&
        std::all_of(fields_.begin(), fields_.end(), maybe))
      text_.fail(
          "the line may have names or entries: write a word into its first field if it has names, "
          "0 if it has entries");
  }

  /// Reads the names, and goes to the first row. Returns whether there is one.
  bool readHeader() {
    const std::size_t line = text_.line();
    std::vector<std::string> names(fields_.size());
    for (std::size_t i = 0; i < names.size(); ++i) unquote(fields_[i], names[i]);
    const bool more = next();
    if (!more) text_.fail("no row follows the names");
    split();
    // An empty field is above the names of the rows. So is a name that is no column's.
    const bool corner = names[0].empty() || names.size() == fields_.size();
    const bool rowNames = more && !fields_.empty() && !fields_[0].text.empty() &&
                          !isEntry(std::string(fields_[0].text));
    if (corner && (names[0].empty() || rowNames)) names.erase(names.begin());
    for (const std::string& name : names)
      if (!NodeNames::isLine(name) || !names_.add(name))
        text_.failAt(line, fmt::format("the name {} is there twice, or is empty", inQuotes(name)));
    begin(names.size());
    return more;
  }

  void begin(std::size_t size) {
    constexpr std::size_t kShortestEntry = 2;  // "0,"
    size_ = size;
    begun_ = true;
    if (size_ > INT_MAX) text_.fail("the row is too long");
    reportSize(options_, static_cast<int>(size_));
    entries_.reserve(size_ * size_, text_, kShortestEntry);
  }

  std::string found(std::size_t rows) const {
    return fmt::format("the matrix has {} of {}", counted(rows, "row"),
                       counted(size_, "entry", "entries"));
  }

  void readRow() {
    split();
    if (!begun_) begin(fields_.size());
    const std::size_t named = names_.count() > 0 && fields_.size() == size_ + 1 ? 1 : 0;
    if (fields_.size() - named != size_)
      text_.fail(
          fmt::format("expected {}, found {}", counted(size_, "entry", "entries"), fields_.size()));
    if (rows_ == size_) text_.fail(found(rows_) + ", and this is one more");
    if (named > 0) requireName();
    for (std::size_t j = 0; j < size_; ++j) readEntry(static_cast<int>(j), fields_[j + named]);
    ++rows_;
  }

  /// Throws unless the first field is the name of the row.
  void requireName() const {
    std::string name;
    unquote(fields_[0], name);
    if (names_.find(name) != static_cast<int>(rows_))
      text_.fail(fmt::format("the name {} is not that of column {}", inQuotes(name), rows_ + 1));
  }

  void readEntry(int column, const Field& field) {
    const int row = static_cast<int>(rows_);
    if (field.text.empty() && !options_.emptyIsNoEdge)
      text_.fail(fmt::format(
          "entry {} is empty: for \"no edge\" write inf or -1, or give --empty inf", column + 1));
    text_.enter(field.text.empty() ? "inf" : field.text);
    const std::optional<Number> entry = row == column ? text_.diagonal(type_) : text_.entry(type_);
    if (!entry) text_.failWeight(row, column, 0, type_.accepted());
    if (isInfinite(*entry) && row != column && text_.lastField()[0] == '-') ++minusOnes_;
    text_.endOfLine();
    entries_.add(*entry);
  }

  Text text_;
  const ReadOptions& options_;
  char separator_ = ' ';
  std::vector<Field> fields_;
  NodeNames names_;
  bool begun_ = false;
  std::size_t size_ = 0, rows_ = 0;  // size_: of a row, once it has begun
  ReadType type_;
  ReadEntries entries_;
  std::size_t minusOnes_ = 0;
};

FileGraph read(Input& in, const ReadOptions& options) {
  return Reader(in, options).read();
}

}  // namespace

constexpr Format kTextMatrix = [] {
  Format format;
  format.name = "matrix";
  format.text = true;
  format.dtypes = kAllDtypes;
  format.options = {"--decimal", "--empty"};
  format.read = read;
  return format;
}();
