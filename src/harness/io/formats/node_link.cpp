// json: node-link data of NetworkX, as nx.node_link_data() makes them, in JSON. An object with
// these keys; all others do not matter:
//
//   directed         true or false; if false, each edge stands for both directions
//   nodes            a list of objects with an `id`, which is a text or a whole number
//   links or edges   a list of objects with a `source` and a `target`, which are ids, and perhaps a
//                    `weight`, or what --weight calls it; if no edge has a number, each weighs 1
//
// The vertices count from 0 in the order of the nodes. Graphs are written with the names of the
// vertices as ids, if they have some and these are UTF-8, else with the numbers; and with `edges`,
// which NetworkX reads from version 3.6 on if nothing else is said; versions before it read
// `links`.
// Source: https://networkx.org/documentation/stable/reference/readwrite/json_graph.html
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/formats/announced.h"
#include "io/formats/edge_weights.h"
#include "io/formats/format.h"
#include "io/formats/undirected.h"
#include "io/formats/whole_text.h"
#include "io/text.h"
#include "system/number.h"
#include "system/utf8.h"

namespace {

using Json = nlohmann::json;

/// The characters of a file, which the library takes one by one. One piece of the file is in
/// memory.
class Characters {
 public:
  /// skipLines: as Text takes it. The Input must outlive this object.
  Characters(Input& in, int skipLines) : in_(in) {
    refill();
    if (isUtf16(piece_)) fail("is UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8");
    if (piece_.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) at_ = kByteOrderMark.size();
    for (int i = 0; i < skipLines; ++i) {
      if (atEnd())
        fail(fmt::format("--skip-lines {}: the file has {}", skipLines,
                         counted(static_cast<std::uint64_t>(i), "line")));
      while (!atEnd() && current() != '\n') endToken(), next();
      if (!atEnd()) next();
    }
    start_ = base_ + at_;
  }

  bool atEnd() { return at_ == piece_.size() && !refill(); }
  char current() const { return piece_[at_]; }
  void next() { ++at_; }

  /// The library has understood all characters up to here. It keeps those that follow.
  void endToken() { token_ = base_ + at_; }

  /// Throws Error(kInput), which names the line of the byte, counted from the first one that the
  /// library has got. It is one of the last two.
  [[noreturn]] void failAt(std::size_t byte) const {
    const std::size_t at = std::min(start_ + byte - std::min(base_, start_ + byte), piece_.size());
    const std::string rest = piece_.substr(at, 1);
    failInLine(at, rest.empty() ? "the JSON ends too early"
                                : fmt::format("the JSON is wrong at or before {}, byte {}",
                                              inQuotes(rest), byte));
  }
  /// Throws Error(kInput).
  [[noreturn]] void fail(const std::string& message) const { in_.fail(message); }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16, kLongest = std::size_t{16} << 20;

  [[noreturn]] void failInLine(std::size_t at, const std::string& message) const {
    throw Error(ErrorCode::kInput,
                fmt::format("{}:{}: {}", in_.name(), lines_ + newlines(at), message));
  }

  /// How many lines end in the first bytes of the piece.
  std::size_t newlines(std::size_t bytes) const {
    const auto end = piece_.begin() + static_cast<std::ptrdiff_t>(bytes);
    return asSize(std::count(piece_.begin(), end, '\n'));
  }

  /// Goes to the next piece; false at the end of the file.
  bool refill() {
    const std::size_t kept = std::min<std::size_t>(2, piece_.size()), done = piece_.size() - kept;
    if (base_ + at_ - token_ > kLongest)
      failInLine(at_, fmt::format("a text, a number or a blank of more than {} bytes", kLongest));
    lines_ += newlines(done);
    piece_.erase(0, done);
    base_ += done;
    at_ -= done;
    piece_.resize(kept + kPiece);
    const std::size_t got = in_.read(piece_.data() + kept, kPiece);
    piece_.resize(kept + got);
    if (const std::size_t zero = piece_.find('\0'); zero != piece_.npos)
      failInLine(zero, "a zero byte, which no text has");
    return got > 0;
  }

  Input& in_;
  std::string piece_;
  std::size_t at_ = 0;                 // the next character
  std::size_t base_ = 0, lines_ = 1;   // the place of the piece in the file
  std::size_t start_ = 0, token_ = 0;  // the first character for the library, and of its token
};

/// What the library takes for an iterator over them. The one without characters is the end.
struct Place {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  char operator*() const { return of->current(); }
  Place& operator++() {
    of->next();
    return *this;
  }
  bool operator!=(const Place&) const { return !of->atEnd(); }

  Characters* of = nullptr;
};

/// Makes a graph of what the library finds in the file, value by value. So no more than the graph
/// is in memory.
class Reader : public nlohmann::json_sax<Json> {
 public:
  Reader(Input& in, const ReadOptions& options)
      : text_(in, options.skipLines),
        options_(options),
        type_(readType(options, kTextNumbers)),
        edges_(type_.dtype()),
        given_(options) {}

  FileGraph read() {
    Json::sax_parse(Place{&text_}, Place{}, this);
    for (const auto& [there, key] : {std::pair(directed_.has_value(), "directed"),
                                     {nodesRead_, "nodes"},
                                     {!edgesName_.empty(), "links"}})
      if (!there) text_.fail(fmt::format("the object has no key {}", key));
    reportSize(options_, nodes_.count(), static_cast<std::int64_t>(2 * edgeCount_));
    if (early_.count() > 0) takeEarly();
    if (!*directed_) addReverses();
    const std::string advice = given_.missing() ? given_.advice() : "";
    if (!advice.empty()) text_.fail(fmt::format("{}: {}", edgesName_, advice));
    FileGraph graph = nodes_.graph(std::move(edges_), options_);
    graph.report.unweighted = given_.missing() && !options_.unweighted;
    return graph;
  }

  // What the library calls. Each function returns true, so that it goes on.
  bool null() override { return take(nullptr); }
  bool boolean(bool value) override { return take(value); }
  bool number_integer(std::int64_t value) override { return take(value); }
  bool number_unsigned(std::uint64_t value) override { return take(value); }
  bool number_float(double value, const std::string&) override { return take(value); }
  bool string(std::string& value) override { return take(std::move(value)); }
  bool binary(Json::binary_t&) override { return true; }  // not in texts
  bool start_object(std::size_t) override { return begin(Json::object()); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return begin(Json::array()); }
  bool end_array() override { return end(); }

  bool key(std::string& key) override {
    text_.endToken();
    if (skipped_ == 0) key_.swap(key);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    if (const auto* const wrong = dynamic_cast<const Json::parse_error*>(&error))
      text_.failAt(wrong->byte > 0 ? wrong->byte - 1 : 0);
    text_.fail("the JSON has a number that is too large");  // that no double holds
  }

 private:
  /// Where the next value is: nowhere, in the object, in the list of nodes or edges, or in one of
  /// these.
  enum class Level { kFile, kObject, kList, kItem };

  /// What an object in one of the lists says.
  struct Item {
    std::optional<Json> id, source, target, weight;
  };

  /// Where an edge before the nodes names a vertex for the first time.
  struct Mention {
    std::size_t edge;
    bool target;
  };

  // ---- Values, as the library finds them

  /// Takes a value that is no list and no object.
  template <class Value>
  bool take(Value&& value) {
    text_.endToken();
    if (skipped_ > 0) return true;
    if (level_ == Level::kItem)
      takeAttribute(std::forward<Value>(value));
    else
      takeMember(Json(std::forward<Value>(value)));
    return true;
  }

  /// Takes the beginning of a list or an object. kind: an empty one.
  bool begin(Json kind) {
    text_.endToken();
    if (skipped_ > 0) return ++skipped_, true;
    if (level_ == Level::kFile && kind.is_object()) {
      level_ = Level::kObject;
    } else if (level_ == Level::kObject && kind.is_array() && isList()) {
      beginList();
    } else if (level_ == Level::kList && kind.is_object()) {
      level_ = Level::kItem;
      item_ = {};
    } else {
      level_ == Level::kItem ? takeAttribute(std::move(kind)) : takeMember(kind);
      skipped_ = 1;
    }
    return true;
  }

  bool end() {
    text_.endToken();
    if (skipped_ > 0) return --skipped_, true;
    if (level_ == Level::kItem) endItem();
    if (level_ == Level::kList) inNodes_ ? void(nodesRead_ = true) : void(edgeCount_ = count_);
    level_ = static_cast<Level>(static_cast<int>(level_) - 1);
    return true;
  }

  bool isList() const { return key_ == "nodes" || key_ == "links" || key_ == "edges"; }

  /// Takes a value that is neither a list of objects nor within one.
  void takeMember(const Json& value) {
    if (level_ == Level::kFile)
      text_.fail("expected an object with nodes and links, found another value");
    if (level_ == Level::kList)
      text_.fail(fmt::format("{}: expected an object, found {}", place(), found(value)));
    if (isList())
      text_.fail(fmt::format("{}: expected a list of objects, found {}", key_, found(value)));
    if (key_ != "directed") return;
    if (!value.is_boolean()) text_.fail("directed: expected true or false, found " + found(value));
    directed_ = value.get<bool>();
  }

  void beginList() {
    inNodes_ = key_ == "nodes";
    if (inNodes_ ? nodesRead_ : edgesName_ == key_)
      text_.fail(fmt::format("the object has the key {} twice", key_));
    if (!inNodes_ && !edgesName_.empty())
      text_.fail("the object has both links and edges, expected one of them");
    if (!inNodes_) edgesName_ = key_;
    level_ = Level::kList;
    count_ = 0;
  }

  /// Takes an attribute of a node or an edge.
  template <class Value>
  void takeAttribute(Value&& value) {
    const bool isEdge = !inNodes_;
    if (!isEdge && key_ == "id")
      item_.id = std::forward<Value>(value);
    else if (isEdge && key_ == "source")
      item_.source = std::forward<Value>(value);
    else if (isEdge && key_ == "target")
      item_.target = std::forward<Value>(value);
    else if (isEdge && !options_.unweighted && given_.isWeight(key_))
      item_.weight = std::forward<Value>(value);
    else if (isEdge && !options_.unweighted && key_ != "key")  // it tells parallel edges apart
      given_.takeOther(key_, numberOf(value));
  }

  /// A value as EdgeWeights::takeOther() takes it.
  static std::string_view numberOf(const std::string& text) { return text; }
  template <class Value>
  static std::string_view numberOf(const Value&) {
    return std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool> ? "0" : "";
  }

  // ---- What they mean

  /// A value for a message.
  static std::string found(const Json& json) {
    if (json.is_object()) return "an object";
    if (json.is_array()) return "a list";
    return inQuotes(json.dump(-1, ' ', true, Json::error_handler_t::replace));
  }

  std::string place() const {
    return fmt::format("{}[{}]", inNodes_ ? "nodes" : edgesName_, count_);
  }

  void endItem() {
    inNodes_ ? addNode() : addEdge();
    ++count_;
  }

  /// The name of a node: a text, or a whole number as text.
  std::string nameOf(const std::optional<Json>& id, const char* key) const {
    if (!id) text_.fail(fmt::format("{} has no key {}", place(), key));
    if (id->is_string() && NodeNames::isLine(id->get_ref<const std::string&>()))
      return id->get<std::string>();
    if (id->is_number_unsigned()) return std::to_string(id->get<std::uint64_t>());
    if (id->is_number_integer()) return std::to_string(id->get<std::int64_t>());
    text_.fail(fmt::format("{}.{}: expected a text of one line or a whole number, found {}",
                           place(), key, found(*id)));
  }

  void addNode() {
    const std::string name = nameOf(item_.id, "id");
    if (nodes_.count() == INT_MAX || !nodes_.add(name))
      text_.fail(fmt::format("{}.id: the node {} is there twice", place(), inQuotes(name)));
  }

  /// The number of a node; if the nodes follow, its number among those that edges have named.
  int vertex(const std::optional<Json>& id, const char* end) {
    const std::string name = nameOf(id, end);
    if (!nodesRead_) {
      if (early_.add(name)) append(mentions_, Mention{count_, *end == 't'});
      return early_.find(name);
    }
    const int number = nodes_.find(name);
    if (number < 0) text_.fail(fmt::format("{}.{}: {} is no node", place(), end, inQuotes(name)));
    return number;
  }

  void addEdge() {
    const int from = vertex(item_.source, "source"), to = vertex(item_.target, "target");
    const auto ends = [this] { return std::pair(found(*item_.source), found(*item_.target)); };
    const std::string fault = given_.take(item_.weight.has_value(), count_);
    if (!fault.empty())
      text_.fail(fmt::format("{}: edge {}->{}: {}", place(), ends().first, ends().second, fault));
    const std::optional<Number> weight =
        item_.weight ? readWeight(from, to, type_,
                                  [&](ReadType& type) { return weightOf(*item_.weight, type); })
                     : type_.one();
    if (!weight)
      text_.fail(fmt::format(
          "{}: {}", place(),
          badWeight(ends().first, ends().second, found(*item_.weight), type_.accepted())));
    edges_.add(from, to, *weight);  // none of a text "inf"
  }

  /// The weight of an edge; none if it is no number, or no weight. A number may be written as a
  /// text, because in some files all attributes are texts.
  static std::optional<Number> weightOf(const Json& json, ReadType& type) {
    if (json.is_string()) return parseWeight(json.get_ref<const std::string&>(), type);
    if (!json.is_number()) return std::nullopt;
    const bool beyond = json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX;
    return json.is_number_integer() && !beyond ? type.weight(json.get<std::int64_t>())
                                               : type.weight(json.get<double>());
  }

  /// Gives edges that were before the nodes the numbers of these.
  void takeEarly() {
    std::vector<int> numbers;
    for (int v = 0; v < early_.count(); ++v) {
      const Mention& mention = mentions_[asSize(v)];
      append(numbers, nodes_.find(early_.name(v)));
      if (numbers.back() < 0)
        text_.fail(fmt::format("{}[{}].{}: {} is no node", edgesName_, mention.edge,
                               mention.target ? "target" : "source", inQuotes(early_.name(v))));
    }
    edges_.with([&](auto& edges) {
      for (auto& e : edges) {
        e.from = numbers[asSize(e.from)];
        e.to = numbers[asSize(e.to)];
      }
    });
  }

  /// Each edge of an undirected graph stands for both directions.
  void addReverses() {
    edges_.with([](auto& edges) {
      const std::size_t count = edges.size();
      for (std::size_t k = 0; k < count; ++k) {
        const auto e = edges[k];
        if (e.from != e.to) append(edges, {e.to, e.from, e.weight});
      }
    });
  }

  Characters text_;
  const ReadOptions& options_;
  Level level_ = Level::kFile;
  std::size_t skipped_ = 0;  // lists and objects that do not matter and have not ended
  std::string key_;
  bool inNodes_ = false;   // the list is that of the nodes, else that of the edges
  std::size_t count_ = 0;  // of items of the list before this one
  Item item_;
  std::optional<bool> directed_;
  bool nodesRead_ = false;
  std::string edgesName_;  // links or edges; empty: none has been read
  std::size_t edgeCount_ = 0;
  NodeNames nodes_, early_;
  std::vector<Mention> mentions_;  // of each name in early_
  ReadType type_;
  ReadEdges edges_;
  EdgeWeights given_;
};

FileGraph read(Input& in, const ReadOptions& options) {
  return Reader(in, options).read();
}

/// A number as JSON has it. A real number is never in digits alone: a reader may refuse those that
/// exceed an int32. fmt's # would write 1.e+20, which is no JSON.
template <class T>
std::string numberText(T number) {
  std::string text = fmt::format("{}", number);
  const bool digits = text.find_first_not_of("-0123456789") == text.npos;
  return digits && std::is_floating_point_v<T> ? text + ".0" : text;
}

/// Whether these are names that JSON can hold: UTF-8.
bool keepsNames(const std::string& names) {
  std::size_t at = 0;
  while (at < names.size() && utf8Length(names, at) != 0) at += utf8Length(names, at);
  return at == names.size();
}

/// The names of all vertices as ids: whole numbers, if all are such, else texts. None if the
/// numbers of the vertices are the ids.
std::vector<std::string> namesAsIds(const std::string& names) {
  std::vector<std::string> ids;
  std::istringstream lines(names);
  for (std::string line; std::getline(lines, line);) ids.push_back(line);
  const bool numbers = std::all_of(ids.begin(), ids.end(), [](const std::string& id) {
    return wholeNumber(id, INT64_MIN, INT64_MAX).has_value();
  });
  if (!numbers)
    for (std::string& id : ids) id = Json(id).dump();
  return ids;
}

/// names: a line for each vertex; empty: the numbers are the ids.
void writeNamed(OutputFile& out, const Graph& graph, const std::string& names) {
  const bool directed = !isUndirected(graph);
  const std::vector<std::string> ids = namesAsIds(names);
  const auto id = [&](int v) { return ids.empty() ? std::to_string(v) : ids[asSize(v)]; };
  TextOutput text(out, 3 + asSize(graph.n) + countEdges(graph));
  text.print(
      FMT_COMPILE("{{\"directed\": {}, \"multigraph\": false, \"graph\": {{}}, \"nodes\": ["),
      directed);
  for (int v = 0; v < graph.n; ++v)
    text.print(FMT_COMPILE("{}\n{{\"id\": {}}}"), v == 0 ? "" : ",", id(v));
  text.print(FMT_COMPILE("],\n\"edges\": ["));
  bool first = true;
  forEachEdge(graph, [&](const auto& e) {
    if (!directed && e.from > e.to) return;
    text.print(FMT_COMPILE("{}\n{{\"source\": {}, \"target\": {}, \"weight\": {}}}"),
               std::exchange(first, false) ? "" : ",", id(e.from), id(e.to), numberText(e.weight));
  });
  text.print(FMT_COMPILE("]}}\n"));
  text.flush();
}

void write(OutputFile& out, const Graph& graph) {
  writeNamed(out, graph, "");
}

bool recognises(std::string_view begin) {
  return begin.substr(0, 1) == "{";
}

}  // namespace

constexpr Format kNodeLink = [] {
  Format format;
  format.name = "json";
  format.extensions = {".json"};
  format.text = true;
  format.dtypes = kAllDtypes;
  format.options = {"--weight", "--unweighted"};
  format.recognises = recognises;
  format.read = read;
  format.write = write;
  format.writeNamed = writeNamed;
  format.keepsNames = keepsNames;
  return format;
}();
