// el: an edge list as text. A line `u v w` is the edge u→v of weight w, which is 1 if it is
// missing in all lines. Vertices from 0, or from 1 with --base 1. Lines that begin with # or % are
// comments. With --labels, `#a b 5` may be an edge, too: then the message asks for quotes. csv and
// tsv are the same for tables.
//
// The first line decides what separates the fields: a comma or a semicolon if one occurs outside
// quotes, else blanks and tabs. With --labels, vertices are words, and a tab separates like a
// comma, as it does with --columns, --weight and --decimal comma. A label needs quotes if it holds
// a blank, except in tables. With --decimal comma a comma separates nothing.
//
// In place of w there may be what NetworkX's write_edgelist writes: `{}`, or a dictionary of
// attributes such as `{'weight': w}` (edge_weights.h).
//
// A first line of two or three words is a header. With --labels it is one only if the first two
// words are names of vertex columns, such as `source target`, and the third is there and is no
// number; if the third is missing, nobody can tell, and the message asks for --skip-lines. So it
// does if the first line of a table is two words that no other line has. --columns picks columns
// by number, or by the names in the first line, which then is a header. --oneway names a column
// that says which directions the edge of a line has (directions.h). Without --columns and --weight,
// the other columns are source, target and weight.
//
// A table of 2 × 2 or 3 × 3 numbers may be a matrix. If its diagonal has one value, as that of a
// matrix has, nobody can tell, and the message asks for --format.
//
// n is the largest id + 1 (the largest id with --base 1), unless the file or the user gives it:
//
//   --vertices N      n is N.
//   `N`               A first line with one number only is n.
//   `# Nodes: N`      A comment before the first edge, as SNAP writes it, is n if the ids are
//                     below it. They often are not, because some ids are unused. Then nobody can
//                     tell which n is meant, and the message asks for --vertices.
//   `N M`             A first line with two numbers is an edge. But if M lines follow and their ids
//                     fit N vertices, it may be a header, and the message asks for --skip-lines.
//
// --vertices wins over the others, and the first line over the comment. With --labels and --compact
// n is the number of vertices that occur. --skip-lines K passes over K lines; then every later line
// that is no comment is an edge.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/compression.h"
#include "io/fields.h"
#include "io/formats/attributes.h"
#include "io/formats/directions.h"
#include "io/formats/edge_list.h"
#include "io/formats/edge_weights.h"
#include "io/formats/foreign.h"
#include "io/formats/format.h"
#include "io/formats/labels.h"
#include "io/formats/read_lists.h"
#include "io/ids.h"
#include "io/text.h"
#include "io/weights.h"
#include "system/number.h"
#include "system/utf8.h"

namespace {

/// A number of vertices that the file gives, and the line that gives it.
struct Given {
  int n;
  std::size_t line;
};

/// Whether a comment, a line that begins with # or %, may be meant as an edge between labels. A
/// comment has a blank after its sign, or is not two words or two words and a number.
bool mayBeEdge(std::string_view line) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view word = line.substr(1, line.find_first_of(" \t,;") - 1);
  if (word.empty() || !(isWord(word) || kDigits.find(word[0]) != kDigits.npos)) return false;
  std::vector<Field> fields;
  const bool split = splitLine(line, separatorOf(line, {}).value_or(' '), fields);
  const bool isKey = word.back() == ':';  // `#Nodes: 5`
  return split && !isKey && (fields.size() == 2 || (fields.size() == 3 && !isWord(fields[2].text)));
}

/// N if the current line is a comment `# Nodes: N`.
std::optional<Given> nodesComment(Text& text) {
  std::string_view field = text.field();
  if (field == "#" || field == "%") field = text.field();
  if (field != "Nodes:" && field != "#Nodes:") return {};
  const std::int64_t nodes = text.number();
  if (nodes < 0) return {};
  if (nodes > INT_MAX) text.fail(fmt::format("{} nodes are more than {}", nodes, INT_MAX));
  return Given{static_cast<int>(nodes), text.line()};
}

/// Whether a file of this name is a table, in which blanks separate nothing if a comma does.
bool isTable(const std::string& name) {
  const std::string_view plain = withoutCompression(name);
  return endsWith(plain, ".csv") || endsWith(plain, ".tsv");
}

/// Whether the format is a table, in which blanks separate nothing if something else does.
enum class Table { kNo, kCsv, kTsv };

class Reader {
 public:
  Reader(Input& in, const ReadOptions& options, Table table)
      : text_(in, options.skipLines),
        options_(options),
        first_(options.base),
        size_(in.size()),
        format_(table),
        table_(table != Table::kNo || isTable(in.name())),
        type_(readType(options, kTextNumbers)),
        edges_(type_.dtype()),
        attributes_(options) {
    text_.takeDecimalComma(options.decimalComma);
  }

  FileGraph read() {
    bool more = readHead();
    last_ = std::int64_t{most_.value_or(INT_MAX)} - 1 + first_;
    int n = most_.value_or(0);
    for (; more; more = nextEdge(), ++lines_) {
      const AnyEdge e = separator_ == 0 ? readNumbers() : readFields();
      text_.endOfLine();
      requireSameColumns();
      if (lines_ < std::size(diagonal_)) noteDiagonal(e);
      add(e);
      n = std::max({n, e.from + 1, e.to + 1});
      least_ = std::min({least_, e.from, e.to});
    }
    requireOneReading();
    if (header_ != 0 && lines_ == 0)
      text_.failAt(header_, "no edge follows this header: --labels if it is an edge");
    if (!most_) {
      if (!options_.labels && !options_.compact) n = withComment(n);
      reportFound(n);
    }
    FileGraph graph = edges_.graph(n, options_, first_);
    if (options_.labels) graph.report.names = labels_.takeLines();
    graph.report.countsFromOne = first_ == 1 && !options_.compact;
    graph.report.idsFromOne =
        least_ == 1 && options_.base == 0 && !options_.labels && !options_.compact;
    graph.report.unweighted = lines_ > 0 && !weighted_ && !options_.unweighted && !picksWeight();
    graph.report.weightName = std::move(weightName_);
    return graph;
  }

 private:
  /// A first line of two numbers.
  struct Pair {
    int n, m;
    std::size_t line;
  };

  /// Adds the edge of the current line in the directions that it has.
  void add(const AnyEdge& e) {
    const Directions ways = oneWay_ ? directions() : Directions{true, false};
    if (ways.forth) addOne(e);
    if (ways.back && !(ways.forth && e.from == e.to)) addOne({e.to, e.from, e.weight});
  }

  void addOne(const AnyEdge& e) {
    edges_.add(e.from, e.to, e.weight);
    if (shown_ && options_.takeShown) options_.takeShown(e, shownText_);
  }

  Directions directions() const {
    const std::optional<Directions> ways = directionsIn(direction_);
    if (!ways)
      text_.fail(
          fmt::format("{} is {}, expected yes, no, -1 or the like: leave the line out if "
                      "nobody may drive there",
                      inQuotes(options_.oneWay), inQuotes(direction_)));
    return *ways;
  }

  bool nextEdge() {
    bool more = text_.next();
    while (more && isComment()) more = text_.next();
    return more;
  }

  /// Whether the current line is a comment. Throws if it may be an edge between labels.
  bool isComment() {
    if (text_.first() != '#' && text_.first() != '%') return false;
    if (options_.skipLines < 0) requireNoMark();
    if (options_.labels && mayBeEdge(text_.rest()))
      text_.fail(
          fmt::format("{} may be an edge or a comment: put the label into quotes if it is "
                      "an edge, else a blank after the {}",
                      inQuotes(text_.rest()), text_.first()));
    return true;
  }

  /// Throws if the comment, the current line, says that the file is of a format whose lines mean
  /// something else: a first line `% sym weighted` of KONECT, or the `# vertex` of igraph's LGL.
  void requireNoMark() {
    const std::string_view line = text_.rest();
    if (!splitLine(line.substr(1), ' ', fields_) || fields_.empty() || fields_.size() > 2) return;
    const std::string_view word = fields_[0].text;
    if (line[0] == '%' && text_.line() == 1) requireKonect(word);
    if (line.substr(0, 2) != "# " || fields_.size() != 1) return;
    vertex_ = text_.line();
    if (wholeNumber(word, 0, INT_MAX)) failLgl();
  }

  void requireKonect(std::string_view kind) const {
    const bool both = kind == "sym", two = kind == "bip";
    const bool given = options_.base == 1 || options_.labels || options_.compact;
    if (!both && !two && kind != "asym") return;
    if (two)
      text_.fail(
          "the file of KONECT has two kinds of vertices, and numbers both from 1: give "
          "--skip-lines 1 if equal numbers are one vertex");
    if (given && (!both || options_.undirected)) return;
    text_.fail(
        fmt::format("the file is one of KONECT: vertices count from 1{}: give --base 1{}, or "
                    "--skip-lines 1 if it is none",
                    both ? ", and edges have both directions" : "", both ? " --undirected" : ""));
  }

  [[noreturn]] void failLgl() const {
    text_.failAt(vertex_,
                 "the line may be a vertex, as in igraph's LGL, whose next lines are its "
                 "neighbours: write another format, or give --skip-lines 0 if it is a comment");
  }

  /// Reads the comments and the header before the first edge. Returns whether there is an edge.
  bool readHead() {
    bool more = text_.next();
    std::string names;  // of the columns, if the last comment has them
    std::size_t line = 0;
    for (; more && isComment(); more = text_.next()) {
      names = text_.rest().substr(1);
      line = text_.line();
      if (const std::optional<Given> given = nodesComment(text_)) comment_ = given;
    }
    if (options_.vertices >= 0) most_ = options_.vertices;
    if (more) chooseSeparator();
    if (more && picks()) more = chooseColumns();
    if (more && options_.skipLines < 0 && header_ == 0) more = readFirstLine();
    if (more && header_ == 0 && !picks()) readComment(names, line);
    if (most_) reportGiven(*most_);
    return more;
  }

  /// Whether columns are picked, or the attribute of an edge that is its weight.
  bool picks() const { return picksWeight() || !options_.oneWay.empty() || !options_.show.empty(); }
  bool picksWeight() const { return !options_.columns.empty() || !options_.weight.empty(); }

  void chooseSeparator() {
    const std::string_view line = text_.rest();
    const bool tabs = options_.labels || options_.decimalComma || picks();
    Separators allowed{tabs, !options_.decimalComma, tabs && format_ == Table::kTsv};
    std::optional<char> separator = separatorOf(line, allowed);
    allowed.commas = format_ == Table::kCsv;  // numbers with a comma may be in quotes
    if (separator == ' ') separator = separatorOf(line, allowed);
    if (!separator)
      text_.fail(
          "several of comma, semicolon and tab separate the fields: use one of them, or "
          "--decimal comma if numbers have commas, and put a label that holds one into quotes");
    const bool numbers = !options_.labels && line.find('"') == line.npos;
    separator_ = *separator == ' ' && numbers ? 0 : *separator;
  }

  /// Finds the columns to read. If they have names, the current line is the header; then it goes on
  /// and returns whether there is an edge. No columns are found if the weight is an attribute.
  bool chooseColumns() {
    split();
    std::vector<std::string> wanted;
    if (!options_.columns.empty()) wanted = splitByCommas(options_.columns).value();
    const bool attribute = fields_.size() == 3 && fields_[2].text.substr(0, 1) == "{";
    if (wanted.empty() && attribute && options_.oneWay.empty() && options_.show.empty())
      return true;
    if (wanted.empty()) wanted = {"1", "2"};
    if (!options_.weight.empty()) wanted.push_back(options_.weight);
    bool named = false;
    const auto place = [&](const std::string& column) {
      const auto number = wholeNumber(column, 1, INT_MAX);
      named = named || !number;
      return number ? asSize(*number) - 1 : columnCalled(column);
    };
    if (!options_.oneWay.empty()) oneWay_ = place(options_.oneWay);
    if (!options_.show.empty()) shown_ = place(options_.show);
    std::vector<std::size_t> found;
    for (const std::string& column : wanted) found.push_back(place(column));
    columns_ = picksWeight() ? std::move(found) : otherColumns();
    if (separator_ == 0) separator_ = ' ';
    if (!named && !picksWeight()) fieldsOfAll_ = fields_.size();
    if (!named) return true;
    setHeader(fields_.size());
    if (options_.columns.empty()) {
      pick();
      takeNames(fields_, text_.line());
    }
    return nextEdge();
  }

  /// All columns of the current line but that of the directions, and a later one that is shown.
  std::vector<std::size_t> otherColumns() const {
    constexpr std::size_t kMost = 3;  // source, target and weight
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (oneWay_ != i && (shown_ != i || others.size() < kMost)) others.push_back(i);
    return others;
  }

  /// The column of this name in the header, which is in fields_.
  std::size_t columnCalled(const std::string& name) const {
    std::size_t place = fields_.size();
    std::string text;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      unquote(fields_[i], text);
      if (text != name) continue;
      if (place != fields_.size()) text_.fail(fmt::format("two columns {}", inQuotes(name)));
      place = i;
    }
    if (place == fields_.size())
      text_.fail(
          fmt::format("no column {} in the header {}: names are as in the header, and "
                      "numbers count from 1",
                      inQuotes(name), inQuotes(text_.rest())));
    return place;
  }

  /// Splits the current line into fields_, those of the columns that were picked.
  void split() {
    if (!splitLine(text_.rest(), separator_ == 0 ? ' ' : separator_, fields_))
      text_.fail("expected a closing quote at the end of a field");
    if (columns_.empty()) return;
    if (header_ != 0 && fields_.size() > named_) failNamed(fields_.size());
    if (fieldsOfAll_ != 0 && fields_.size() != fieldsOfAll_)
      text_.fail(
          fmt::format("expected {} as in the first edge, found {}: give --columns to pick source, "
                      "target and weight",
                      counted(fieldsOfAll_, "field"), fields_.size()));
    pick();
  }

  /// Keeps of fields_ those of the columns that were picked.
  void pick() {
    if (oneWay_) unquote(column(*oneWay_), direction_);
    if (shown_) unquote(column(*shown_), shownText_);
    picked_.clear();
    for (const std::size_t at : columns_) picked_.push_back(column(at));
    fields_.swap(picked_);
  }

  const Field& column(std::size_t at) const {
    if (at >= fields_.size())
      text_.fail(
          fmt::format("expected a column {}, found {}", at + 1, counted(fields_.size(), "column")));
    return fields_[at];
  }

  /// Reads the first line if it is a header or a vertex count. Returns whether there is an edge.
  bool readFirstLine() {
    split();
    if (isHeader()) {
      if (options_.columns.empty()) takeNames(fields_, text_.line());
      setHeader(columns_.empty() ? fields_.size() : asSize(INT_MAX));
      return nextEdge();
    }
    if (fields_.size() == 2) {
      const auto n = wholeNumber(fields_[0].text, 0, INT_MAX);
      const auto m = wholeNumber(fields_[1].text, 0, INT_MAX);
      if (n && m) pair_ = Pair{*n, *m, text_.line()};
    }
    if (fields_.size() != 1 || options_.labels) return true;
    text_.enter(fields_[0].text);
    const Given given{text_.count("a vertex count or an edge"), text_.line()};
    if (!most_) {
      most_ = given.n;
      hint_ = fmt::format(", line {} gives {}: --base {} if ids begin at {}, else give --vertices",
                          given.line,
                          counted(static_cast<std::uint64_t>(given.n), "vertex", "vertices"),
                          1 - options_.base, 1 - options_.base);
    }
    const bool more = nextEdge();
    if (more) chooseSeparator();
    return more;
  }

  /// The current line is the header, and names so many columns.
  void setHeader(std::size_t named) {
    header_ = text_.line();
    named_ = named;
  }

  [[noreturn]] void failNamed(std::size_t found) const {
    text_.fail(
        fmt::format("expected {0} as in the header in line {1}, found {2}: --skip-lines {1} leaves "
                    "the header out",
                    counted(named_, "field"), header_, found));
  }

  /// Throws if the columns are target and source, as far as their names say it. Nobody has picked
  /// columns of vertices.
  void requireOrder(const std::vector<Field>& names, std::size_t line) const {
    if (names.size() < 2 || !namesReversed(names[0].text, names[1].text)) return;
    const char* const third = names.size() == 3 && options_.weight.empty() ? ",3" : "";
    text_.failAt(line,
                 fmt::format("the columns are {} and {}, expected source and target in this order: "
                             "give --columns 2,1{}, or --columns 1,2{} if the first is the source",
                             inQuotes(names[0].text), inQuotes(names[1].text), third, third));
  }

  /// Looks at the names of all columns, of which there are two or three. Throws if they are not in
  /// this order, or if the third is no weight.
  void takeNames(const std::vector<Field>& names, std::size_t line) {
    requireOrder(names, line);
    if (names.size() < 3 || options_.unweighted || !options_.weight.empty()) return;
    unquote(names[2], weightName_);
    if (namesOther(weightName_))
      text_.failAt(line, fmt::format("no column is called 'weight', but the third is {}: give {}, "
                                     "or --unweighted if every edge counts 1",
                                     inQuotes(weightName_),
                                     line == text_.line() ? "--weight NAME" : "--columns 1,2,3"));
    if (namesWeight(weightName_)) weightName_.clear();
  }

  /// Takes the names from a comment before the first edge, the current line, if it has such.
  void readComment(const std::string& comment, std::size_t line) {
    split();
    std::vector<Field> names;
    const bool good = splitLine(comment, separatorOf(comment, {}).value_or(' '), names) &&
                      names.size() == fields_.size() && (names.size() == 2 || names.size() == 3);
    if (good && namesVertex(names[0].text) && namesVertex(names[1].text)) takeNames(names, line);
  }

  /// Whether the first line, in fields_, is a header. Throws if it may be one or an edge, or if its
  /// columns are not source, target and weight.
  bool isHeader() {
    const auto word = [](const Field& field) { return isWord(field.text); };
    const auto vertex = [&](std::size_t i) { return namesVertex(fields_[i].text); };
    if (fields_.size() < 2 || !std::all_of(fields_.begin(), fields_.end(), word)) return false;
    if (fields_.size() > 3) failFields(fields_.size());
    if (columns_.empty() && (namesWeight(fields_[0].text) || namesWeight(fields_[1].text) ||
                             (fields_.size() == 3 && vertex(2))))
      text_.fail("expected the columns source, target and weight in this order, or --columns");
    if (!options_.labels) return true;
    const bool three = fields_.size() == 3;
    if (vertex(0) && vertex(1)) {
      if (!three) failHeaderOrEdge(text_.line(), "the line");
      return true;
    }
    twoWords_ = !three;
    return false;
  }

  [[noreturn]] void failHeaderOrEdge(std::size_t line, const char* what) const {
    text_.failAt(line, fmt::format("{} may be a header or an edge: give --skip-lines {} if it is a "
                                   "header, --skip-lines {} if it is an edge",
                                   what, line, line - 1));
  }

  /// Notes the entry that is on the diagonal if the first lines are a matrix.
  void noteDiagonal(const AnyEdge& e) {
    const double entries[] = {1. * e.from, 1. * e.to, toDouble(e.weight)};
    diagonal_[lines_] = entries[lines_];
  }

  AnyEdge readNumbers() {
    const int from = vertex(), to = vertex();
    const AnyEdge e{from, to, weightOrOne(from, to)};
    if (!text_.atEnd()) failFields(3 + asSize(text_.fieldsLeft()));
    return e;
  }

  AnyEdge readFields() {
    split();
    if (fields_.size() != 2 && fields_.size() != 3) failFields(fields_.size());
    if (vertex_ != 0 && lines_ == 0 && fields_.size() == 2 && isWord(fields_[0].text) &&
        isNumber(fields_[1].text))
      failLgl();
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (fields_[i].text.empty())
        text_.fail(fmt::format("field {} is empty", 1 + (columns_.empty() ? i : columns_[i])));
    const int from = vertex(fields_[0]), to = vertex(fields_[1]);
    text_.enter(fields_.size() == 3 ? fields_[2].text : std::string_view());
    return {from, to, weightOrOne(from, to)};
  }

  /// The next field, an id, as a vertex that counts from 0.
  int vertex() {
    const std::int64_t id = text_.number();
    if (id < first_ || id > last_) failVertex(id);
    return static_cast<int>(id - first_);
  }

  int vertex(const Field& field) {
    const bool blank = !field.quoted && field.text.find_first_of(" \t") != field.text.npos;
    if (blank && !(options_.labels && table_))
      text_.fail(fmt::format("blanks within {}: {}", inQuotes(field.text),
                             options_.labels
                                 ? "put a label with blanks into quotes"
                                 : "separate by commas or by blanks; --decimal comma reads 0,5"));
    if (!options_.labels) return text_.enter(field.text), vertex();
    return labels_.number(field);
  }

  /// The rest of the line as the weight of an edge, or the attributes that hold it; 1 if there is
  /// none.
  Number weightOrOne(int from, int to) {
    if (const std::size_t found = text_.atEnd() ? 2 : 3; header_ != 0 && named_ < 4)
      if (columns_.empty() && found != named_) failNamed(found);
    if (options_.unweighted) {
      const bool attributes = !text_.atEnd() && text_.first() == '{';
      attributes ? text_.enter({}) : static_cast<void>(text_.field());
      return type_.one();
    }
    hasWeight_ = !text_.atEnd() && (text_.first() != '{' || enterAttributes());
    return hasWeight_ ? weight(from, to) : type_.one();
  }

  Number weight(int from, int to) {
    if (!options_.labels) return text_.weight(from, to, first_, type_);
    const std::optional<Number> found =
        readWeight(from, to, type_, [this](ReadType& type) { return text_.weight(type); });
    if (!found) failWeight();
    return *found;
  }

  /// Makes w the rest of the line, which is {'weight': w}, perhaps with more attributes. Returns
  /// false if there is no w.
  bool enterAttributes() {
    const std::string_view rest = text_.rest();
    std::string_view weight;
    const bool good = readAttributes(rest, [&](std::string_view name, std::string_view value) {
      if (attributes_.isWeight(name))
        weight = value;
      else
        attributes_.takeOther(name, value);
    });
    if (!good)
      text_.fail(
          fmt::format("expected {{}} or {{'weight': NUMBER}}, found {}: write the file with "
                      "networkx.write_weighted_edgelist",
                      inQuotes(rest)));
    const std::string fault = attributes_.take(!weight.empty(), text_.line());
    if (!fault.empty() && !options_.weight.empty()) text_.fail(fault);
    text_.enter(weight.empty() ? rest.substr(rest.size()) : weight);
    return !weight.empty();
  }

  /// Throws if this edge has a weight and the first one has none, or the other way round. Either
  /// weights were lost, or the first line is a header.
  void requireSameColumns() {
    if (lines_ == 0) weighted_ = hasWeight_, firstEdge_ = text_.line();
    if (hasWeight_ == weighted_) return;
    if (pair_ && pair_->n > 0 && lines_ == 1)  // no header says that there are no vertices
      text_.failAt(pair_->line,
                   fmt::format("'{} {}' has no weight, but line {} has one: give --skip-lines {}{} "
                               "if it is a header, else a weight",
                               pair_->n, pair_->m, text_.line(), pair_->line, verticesOf(*pair_)));
    text_.fail(
        fmt::format("the edge has {} weight, and the one in line {} has {}: give all edges "
                    "a weight, or none",
                    hasWeight_ ? "a" : "no", firstEdge_, weighted_ ? "one" : "none"));
  }

  [[noreturn]] void failFields(std::size_t found) const {
    const bool blanks = separator_ == ' ' && options_.labels;
    text_.fail(fmt::format(
        "expected 2 or 3 fields: source, target and weight, found {}{}", found,
        blanks ? ": put a label with blanks into quotes"
        : found > 3
            ? ": --columns picks them, by numbers such as 1,2,3 or by the names in a header; "
              "--format matrix reads a matrix"
            : ""));
  }

  [[noreturn]] void failVertex(std::int64_t id) {
    const std::string_view field = text_.lastField();
    const bool digits = field.find_first_not_of("0123456789") == field.npos && !field.empty();
    const bool large = digits && !most_ && (id < 0 || id > last_);
    const char* const hint = large                        ? ": --labels takes ids of any size"
                             : !digits && isNumber(field) ? ": --format matrix reads a matrix"
                             : isWord(field)              ? ": --labels takes words as vertices"
                                                          : "";
    if (id < 0)
      text_.fail(fmt::format("expected a vertex in {}..{}, found {}{}", first_, last_,
                             text_.found(), hint));
    text_.fail(fmt::format("vertex {} is outside {}..{}{}{}", id, first_, last_, hint, hint_));
  }

  [[noreturn]] void failWeight() {
    const std::string_view text = text_.lastField();
    const bool head = lines_ == 0 && options_.skipLines < 0 && header_ == 0;
    const std::string hint =
        namesNothing(text) ? ": leave the line out if there is no edge, or give a weight"
        : !isWord(text)    ? ""
        : head             ? fmt::format(": --skip-lines {} if this line is a header", text_.line())
        : separator_ == ' ' ? ": put a label with blanks into quotes"
                            : "";
    text_.fail(badWeight(inQuotes(fields_[0].text), inQuotes(fields_[1].text), text_.found(),
                         type_.accepted()) +
               hint);
  }

  /// The option that gives n, if the first line is a header.
  std::string verticesOf(const Pair& pair) const {
    const bool counts = options_.labels || options_.compact;
    return counts ? "" : fmt::format(" --vertices {}", pair.n);
  }

  /// Throws if the file may mean something else than these edges.
  void requireOneReading() const {
    if (pair_) requireEdgeFirst();
    if (twoWords_) requireWordsAgain();
    const std::string advice = attributes_.missing() ? attributes_.advice() : "";
    if (!advice.empty()) text_.failAt(firstEdge_, advice);
    const bool asked = options_.base != 0 || options_.vertices >= 0 || options_.labels ||
                       options_.compact || options_.unweighted || !columns_.empty();
    const bool square = lines_ == (weighted_ ? 3 : 2) && diagonal_[0] == diagonal_[1] &&
                        (!weighted_ || diagonal_[0] == diagonal_[2]);
    if (format_ != Table::kNo && square && header_ == 0 && !comment_ && !asked)
      text_.failAt(firstEdge_,
                   fmt::format("{0} lines of {0} numbers may be edges or a matrix: give --format "
                               "el if they are edges, --format matrix if they are a matrix",
                               lines_));
  }

  /// Throws if the first line of a table, two words, may be a header: no other line has them.
  void requireWordsAgain() const {
    constexpr std::size_t kFewest = 3;  // lines, because two edges may well have nothing in common
    const EndsOf edges = edges_.ends();
    if (!table_ || lines_ < kFewest || edges[0].from == edges[0].to) return;
    const auto hasThem = [](Ends e) { return e.from <= 1 || e.to <= 1; };  // vertices 0, 1
    if (std::none_of(++edges.begin(), edges.end(), hasThem))
      failHeaderOrEdge(firstEdge_, "no other line has these two words, so the line");
  }

  /// Throws if the first line, two numbers N and M, may be a header: M lines follow, and their ids
  /// fit N vertices.
  void requireEdgeFirst() const {
    if (lines_ == 1 || lines_ - 1 != asSize(pair_->m)) return;
    const EndsOf edges = edges_.ends();
    for (std::size_t k = 1; k < edges.size() && !options_.labels; ++k)
      if (std::max(edges[k].from, edges[k].to) >= pair_->n) return;
    const std::size_t line = pair_->line;
    text_.failAt(line, fmt::format("'{} {}' may be a header or an edge: give --skip-lines {}{} if "
                                   "it is a header, --skip-lines {} if it is an edge",
                                   pair_->n, pair_->m, line, verticesOf(*pair_), line - 1));
  }

  /// n, of which the ids need `needed`, as the comment `# Nodes: N` gives it.
  int withComment(int needed) const {
    if (!comment_ || comment_->n >= needed) return comment_ ? comment_->n : needed;
    const auto isFirst = [](Ends e) { return e.from == 0 || e.to == 0; };
    const EndsOf edges = edges_.ends();
    const bool fromOne = options_.base == 0 && needed == comment_->n + 1 &&
                         std::none_of(edges.begin(), edges.end(), isFirst);
    text_.failAt(comment_->line,
                 fmt::format("the comment says {}, but the largest id is {}: {}",
                             counted(static_cast<std::uint64_t>(comment_->n), "vertex", "vertices"),
                             std::int64_t{needed} - 1 + options_.base,
                             fromOne ? "give --base 1 if ids begin at 1"
                                     : fmt::format("give --compact to leave out unused ids, or "
                                                   "--vertices {} to keep them",
                                                   needed)));
  }

  void tell(int n, std::int64_t edges) const {
    if (options_.onSize && !options_.compact) options_.onSize(n, type_.dtype(), edges);
  }

  /// How many edges the file can hold, before they are read: a line takes four bytes or more.
  std::int64_t mostEdges() const {
    constexpr std::int64_t kUnknown = ReadOptions::kMatrix - 1;
    const std::int64_t ways = oneWay_ ? 2 : 1;
    return size_ > 0 ? ways * (static_cast<std::int64_t>(size_ / 4) + 1) : kUnknown;
  }

  /// Tells the caller n as the first line or --vertices gives it.
  void reportGiven(int n) const {
    try {
      tell(n, mostEdges());
    } catch (const Error& error) {
      if (error.code != ErrorCode::kMemory || options_.vertices >= 0) throw;
      throw Error(ErrorCode::kMemory, std::string(error.what()) +
                                          "; if most ids have no edge, --compact leaves them out");
    }
  }

  /// Tells n to the caller. If memory is too short for it and most ids are unused, the message
  /// names --compact.
  void reportFound(int n) const {
    try {
      tell(n, static_cast<std::int64_t>(edges_.size()));
    } catch (const Error& error) {
      if (error.code != ErrorCode::kMemory) throw;
      const std::size_t occur = occurringIds(n, edges_.ends()).size();
      if (2 * occur >= asSize(n)) throw;
      throw Error(ErrorCode::kMemory,
                  fmt::format("{}; {} of the {} ids {} an edge: --compact leaves out the others",
                              error.what(), occur, n, occur == 1 ? "has" : "have"));
    }
  }

  Text text_;
  const ReadOptions& options_;
  const int first_;         // the smallest id
  std::int64_t last_ = 0;   // the largest id
  const std::size_t size_;  // of the file in bytes; 0: unknown
  const Table format_;
  const bool table_;
  char separator_ = 0;                // 0: blanks and tabs between numbers only
  std::vector<std::size_t> columns_;  // that were picked, from 0; none: all two or three of them
  std::optional<std::size_t> oneWay_, shown_;  // the columns of --oneway and --show
  std::string direction_, shownText_;          // what is there in the current line
  std::vector<Field> fields_, picked_;
  Labels labels_;
  ReadType type_;
  ReadEdges edges_;
  EdgeWeights attributes_;
  std::size_t lines_ = 0;         // of edges
  int least_ = INT_MAX;           // of their ids, from 0
  bool hasWeight_ = false;        // the current edge
  bool weighted_ = false;         // the first edge has a weight, and so must all
  std::size_t firstEdge_ = 0;     // the line of the first edge
  double diagonal_[3] = {};       // of a matrix, if the first lines are one
  bool twoWords_ = false;         // the first line; with --labels
  std::optional<int> most_;       // n, if it was given, by the user or by the first line
  std::optional<Given> comment_;  // the last `# Nodes: N` before the first edge
  std::optional<Pair> pair_;
  std::size_t vertex_ = 0;       // the line of the last comment of one word, a vertex in LGL
  std::size_t header_ = 0;       // the line of a header; 0: none
  std::size_t named_ = 0;        // how many columns it names
  std::size_t fieldsOfAll_ = 0;  // how many fields each line must have; 0: any number
  std::string weightName_;       // of the third column, if it does not say that it is a weight
  std::string hint_;             // for a vertex that is too large
};

FileGraph read(Input& in, const ReadOptions& options) {
  return Reader(in, options, Table::kNo).read();
}

void write(OutputFile& out, const Graph& graph) {
  const std::size_t edges = countEdges(graph);
  TextOutput text(out, 1 + edges);
  text.print(FMT_COMPILE("# Nodes: {} Edges: {}\n"), graph.n, edges);
  forEachEdge(graph, [&](const auto& e) {
    // # writes 5.0 instead of 5: a reader may refuse digits only that exceed an int32.
    text.print(FMT_COMPILE("{} {} {:#}\n"), e.from, e.to, e.weight);
  });
  text.flush();
}

}  // namespace

FileGraph readCsv(Input& in, const ReadOptions& options) {
  return Reader(in, options, Table::kCsv).read();
}

FileGraph readTsv(Input& in, const ReadOptions& options) {
  return Reader(in, options, Table::kTsv).read();
}

constexpr Format kEdgeList = [] {
  Format format;
  format.name = "el";
  format.extensions = {".el", ".txt", ".edgelist", ".edges"};
  format.onlyRead = {".wel"};
  format.text = true;
  format.dtypes = kAllDtypes;
  format.options = kEdgeListOptions;
  format.read = read;
  format.write = write;
  return format;
}();
