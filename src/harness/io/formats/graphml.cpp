// graphml: GraphML, a format of XML. A `graph` has nodes with ids, which may be any text, and edges
// with a source and a target. They are directed as the graph says in `edgedefault`, or the edge
// itself. The weight is the data of a key for edges whose attr.name is weight, or what --weight
// says. It is a number, whatever the attr.type. If no edge has data that are numbers, each
// weighs 1. The vertices count from 0 in the order of the nodes. igraph numbers the ids n0, n1 …
// and gives each node its name as data: of the key for nodes whose attr.name is name. Other keys do
// not matter. Hyperedges, ports and graphs within nodes are refused. Graphs are written with the
// names of the vertices as ids, if they have some and XML can hold them all, else with the numbers.
// Source: http://graphml.graphdrawing.org/specification.html
#ifdef HAVE_pugixml
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/size.h"
#include "io/formats/edge_weights.h"
#include "io/formats/format.h"
#include "io/formats/undirected.h"
#include "io/formats/whole_text.h"
#include "io/text.h"
#include "system/utf8.h"

namespace {

class Reader {
 public:
  Reader(Input& in, const ReadOptions& options)
      : text_(in, options.skipLines, kTimes),
        options_(options),
        type_(readType(options, kTextNumbers)),
        edges_(type_.dtype()),
        given_(options) {}

  FileGraph read() {
    const pugi::xml_parse_result parsed =
        document_.load_buffer(text_.text().data(), text_.text().size(),
                              pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
    if (!parsed)
      text_.failAt(asSize(parsed.offset),
                   std::string("the XML is wrong here: ") + parsed.description());
    requireNoText(document_);
    const pugi::xml_node root = document_.document_element();
    for (const pugi::xml_node other : document_.children())
      if (other.type() == pugi::node_element && other != root)
        fail(other, "expected the end of the file, found " + tag(other));
    if (name(root) != "graphml") fail(root, "expected <graphml>, found " + tag(root));
    const pugi::xml_node graph = graphOf(root);
    const bool directed = isDirected(graph);
    readNodes(graph);
    reportSize(options_, nodes_.count());
    for (const pugi::xml_node edge : graph.children("edge")) readEdge(edge, directed);
    requireWeights(graph);
    const bool unshown = numbered_ && anyName_ && !nodes_.show(std::move(shown_));
    FileGraph read = nodes_.graph(std::move(edges_), options_);
    read.report.unweighted = given_.missing() && !options_.unweighted;
    read.report.namesUnshown = unshown;
    return read;
  }

 private:
  /// What a key of edges says.
  struct Key {
    const char* name;
    pugi::xml_node byDefault;
  };

  static constexpr std::size_t kTimes = 20;  // "<a/>" takes 64 bytes in the library's tree

  static constexpr std::string_view kBlanks = " \t\r\n";

  static std::string_view name(const pugi::xml_node& node) { return node.name(); }
  static std::string tag(const pugi::xml_node& node) {
    return inQuotes(fmt::format("<{}>", node.name()));
  }

  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& message) const {
    const std::ptrdiff_t at = node.offset_debug();
    text_.failAt(at < 0 ? 0 : asSize(at), message);
  }

  /// The attribute, which must be there.
  std::string attribute(const pugi::xml_node& node, const char* key) const {
    pugi::xml_attribute found;
    for (const pugi::xml_attribute each : node.attributes()) {
      if (std::string_view(each.name()) != key) continue;
      if (found) fail(node, fmt::format("{} has two attributes {}", tag(node), key));
      found = each;
    }
    if (!found) fail(node, fmt::format("{} has no attribute {}", tag(node), key));
    return found.value();
  }

  /// Throws if there is text right below the node, where only elements belong.
  void requireNoText(const pugi::xml_node& node) const {
    for (const pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_pcdata && child.type() != pugi::node_cdata) continue;
      const std::string_view text = child.value();
      const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
      text_.failAt(asSize(std::max<std::ptrdiff_t>(0, child.offset_debug())) + first,
                   "expected an element, found " + inQuotes(text.substr(first)));
    }
  }

  /// The only graph below the root. Reads the keys before it.
  pugi::xml_node graphOf(const pugi::xml_node& root) {
    requireNoText(root);
    pugi::xml_node graph;
    for (const pugi::xml_node child : root.children()) {
      if (child.type() != pugi::node_element) continue;
      if (name(child) == "key") readKey(child);
      if (name(child) == "graph") {
        if (graph) fail(child, "the file has several graphs, expected one");
        graph = child;
      }
    }
    if (!graph) fail(root, "the file has no <graph>");
    return graph;
  }

  void readKey(const pugi::xml_node& key) {
    const std::string_view domain = key.attribute("for").as_string("all");
    const char* const id = key.attribute("id").value();
    const char* const name = key.attribute("attr.name").as_string(id);
    if ((domain == "node" || domain == "all") && std::string_view(name) == "name") nameKey_ = id;
    if (domain != "edge" && domain != "all")
      strangers_.emplace(id, name);
    else if (given_.isWeight(name))
      weights_.emplace(attribute(key, "id"), Key{name, key.child("default")});
    else
      others_.emplace(id, Key{name, key.child("default")});
  }

  /// Throws if no edge has a weight, but other attributes are numbers.
  void requireWeights(const pugi::xml_node& graph) {
    if (!given_.missing()) return;
    for (const auto& [id, key] : others_)
      if (key.byDefault) given_.takeOther(key.name, trimmed(key.byDefault.text().get()));
    const std::string advice = given_.advice();
    if (!advice.empty()) fail(graph.child("edge"), advice);
  }

  bool isDirected(const pugi::xml_node& graph) const {
    const std::string kind = attribute(graph, "edgedefault");
    if (kind != "directed" && kind != "undirected")
      fail(graph,
           fmt::format("edgedefault is {}, expected directed or undirected", inQuotes(kind)));
    return kind == "directed";
  }

  /// Throws if a part of the graph is something that this program does not know.
  void requirePlain(const pugi::xml_node& node) const {
    requireNoText(node);
    for (const pugi::xml_node child : node.children()) {
      const std::string_view kind = name(child);
      if (kind == "hyperedge" || kind == "port" || kind == "graph")
        fail(child,
             fmt::format("{}: hyperedges, ports and nested graphs are not read", tag(child)));
    }
  }

  void readNodes(const pugi::xml_node& graph) {
    requirePlain(graph);
    for (const pugi::xml_node child : graph.children()) {
      const std::string_view kind = name(child);
      if (child.type() != pugi::node_element || kind == "edge" || kind == "data" || kind == "desc")
        continue;
      if (kind != "node") fail(child, "expected <node> or <edge>, found " + tag(child));
      requirePlain(child);
      const std::string id = attribute(child, "id");
      if (!NodeNames::isLine(id))
        fail(child, "the id of a node is empty or has a line break: " + inQuotes(id));
      numbered_ = numbered_ && id == fmt::format("n{}", nodes_.count());
      if (nodes_.count() == INT_MAX || !nodes_.add(id))
        fail(child, fmt::format("the node {} is there twice", inQuotes(id)));
      if (numbered_ && !nameKey_.empty()) readName(child);
    }
  }

  /// Takes the name that igraph gives a node; "" if it has none.
  void readName(const pugi::xml_node& node) {
    const pugi::xml_node data = node.find_child_by_attribute("data", "key", nameKey_.c_str());
    shown_.emplace_back(data.text().get());
    anyName_ = anyName_ || !shown_.back().empty();
  }

  int vertex(const pugi::xml_node& edge, const char* end) const {
    const std::string id = attribute(edge, end);
    const int found = nodes_.find(id);
    if (found < 0) fail(edge, fmt::format("the {} {} is no node", end, inQuotes(id)));
    return found;
  }

  void readEdge(const pugi::xml_node& edge, bool directed) {
    requirePlain(edge);
    if (edge.attribute("sourceport") || edge.attribute("targetport"))
      fail(edge, "hyperedges, ports and nested graphs are not read");
    if (const pugi::xml_attribute own = edge.attribute("directed")) {
      const std::string_view value = own.value();
      if (value != "true" && value != "false")
        fail(edge, fmt::format("directed is {}, expected true or false", inQuotes(value)));
      directed = value == "true";
    }
    const int from = vertex(edge, "source"), to = vertex(edge, "target");
    const Number weight = weightOf(edge, from, to);
    edges_.add(from, to, weight);
    if (!directed && from != to) edges_.add(to, from, weight);
  }

  static std::string trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return std::string(text.substr(0, text.find_last_not_of(kBlanks) + 1));  // npos + 1 is 0
  }

  /// Takes data of an edge that are not of a key of weights. Throws if they are called like one:
  /// the key is declared for something else, or not at all.
  void takeOther(const pugi::xml_node& data, const char* id) {
    const auto other = others_.find(id);
    const auto stranger = strangers_.find(id);
    const std::string name = other != others_.end()         ? other->second.name
                             : stranger != strangers_.end() ? stranger->second
                                                            : id;
    if (other == others_.end() && given_.isWeight(name))
      fail(data, fmt::format("an edge has {}, but the key {} is not declared for edges: write "
                             "<key id={} for=\"edge\" attr.name={} attr.type=\"double\"/>, or give "
                             "--unweighted if every edge counts 1",
                             inQuotes(name), inQuotes(id), inQuotes(id), inQuotes(name)));
    given_.takeOther(name, trimmed(data.text().get()));
  }

  /// The text of the weight among the data of an edge, or the default of the key.
  std::optional<std::string> weightAmong(const pugi::xml_node& edge) {
    std::optional<std::string> text;
    for (const pugi::xml_node data : edge.children("data")) {
      const char* const id = data.attribute("key").value();
      if (weights_.count(id) == 0) {
        takeOther(data, id);
        continue;
      }
      if (text) fail(edge, "the edge has several weights");
      text = trimmed(data.text().get());
    }
    for (const auto& [id, key] : weights_)
      if (!text && key.byDefault) text = trimmed(key.byDefault.text().get());
    return text;
  }

  /// The weight of an edge; 1 if no edge has one.
  Number weightOf(const pugi::xml_node& edge, int from, int to) {
    std::optional<std::string> text;
    if (!options_.unweighted) text = weightAmong(edge);
    const std::string fault = given_.take(text.has_value(), asSize(edge.offset_debug()));
    if (!fault.empty())
      fail(edge, fmt::format("edge {}->{}: {}{}", inQuotes(edge.attribute("source").value()),
                             inQuotes(edge.attribute("target").value()), fault,
                             options_.weight.empty()
                                 ? fmt::format(" (line {})", text_.lineOf(given_.other()))
                                 : ""));
    if (!text) return type_.one();
    const std::string& number = *text;
    const std::optional<Number> weight =
        readWeight(from, to, type_, [&](ReadType& type) { return parseWeight(number, type); });
    if (!weight)
      fail(edge, badWeight(inQuotes(edge.attribute("source").value()),
                           inQuotes(edge.attribute("target").value()), inQuotes(number),
                           type_.accepted()));
    return *weight;
  }

  const WholeText text_;
  const ReadOptions& options_;
  pugi::xml_document document_;
  std::map<std::string, Key> weights_, others_;   // the keys of weights, and of other attributes
  std::map<std::string, std::string> strangers_;  // names of keys that are not for edges
  NodeNames nodes_;
  std::string nameKey_;             // the key of igraph's names
  std::vector<std::string> shown_;  // these names
  bool numbered_ = true, anyName_ = false;
  ReadType type_;
  ReadEdges edges_;
  EdgeWeights given_;
};

FileGraph read(Input& in, const ReadOptions& options) {
  return Reader(in, options).read();
}

/// The attr.type of weights. Readers take a double for real numbers of both types.
const char* typeName(Dtype dtype) {
  return dtype == Dtype::kInt32 ? "int" : isWhole(dtype) ? "long" : "double";
}

/// Whether these are names that XML 1.0 can hold: UTF-8 without control characters, U+FFFE
/// and U+FFFF.
bool keepsNames(const std::string& names) {
  for (std::size_t at = 0, length = 0; at < names.size(); at += length) {
    const auto c = static_cast<unsigned char>(names[at]);
    length = utf8Length(names, at);
    const std::string_view sign = std::string_view(names).substr(at, length);
    if (length == 0 || (c < ' ' && c != '\t' && c != '\n')) return false;
    if (sign == "\xEF\xBF\xBE" || sign == "\xEF\xBF\xBF") return false;
  }
  return true;
}

/// A text as an attribute has it.
std::string escaped(std::string_view text) {
  constexpr struct {
    char sign;
    const char* entity;
  } kEntities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\t', "&#9;"}};
  std::string out;
  for (const char c : text) {
    const auto* const found = std::find_if(std::begin(kEntities), std::end(kEntities),
                                           [=](const auto& each) { return each.sign == c; });
    found == std::end(kEntities) ? out += c : out += found->entity;
  }
  return out;
}

/// The names of all vertices as ids; none if the numbers are the ids.
std::vector<std::string> namesAsIds(const std::string& names) {
  std::vector<std::string> ids;
  std::istringstream lines(names);
  for (std::string line; std::getline(lines, line);) ids.push_back(escaped(line));
  return ids;
}

/// names: a line for each vertex; empty: the numbers are the ids.
void writeNamed(OutputFile& out, const Graph& graph, const std::string& names) {
  const bool directed = !isUndirected(graph);
  const std::vector<std::string> ids = namesAsIds(names);
  const auto id = [&](int v) { return ids.empty() ? std::to_string(v) : ids[asSize(v)]; };
  TextOutput text(out, 2 + asSize(graph.n) + countEdges(graph));
  text.print(FMT_COMPILE("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                         "<key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"{}\"/>\n"
                         "<graph edgedefault=\"{}\">\n"),
             typeName(graph.dtype()), directed ? "directed" : "undirected");
  for (int v = 0; v < graph.n; ++v) text.print(FMT_COMPILE("<node id=\"{}\"/>\n"), id(v));
  forEachEdge(graph, [&](const auto& e) {
    if (!directed && e.from > e.to) return;
    text.print(
        FMT_COMPILE("<edge source=\"{}\" target=\"{}\"><data key=\"w\">{:#}</data></edge>\n"),
        id(e.from), id(e.to), e.weight);
  });
  text.print(FMT_COMPILE("</graph>\n</graphml>\n"));
  text.flush();
}

void write(OutputFile& out, const Graph& graph) {
  writeNamed(out, graph, "");
}

bool recognises(std::string_view begin) {
  return begin.substr(0, 5) == "<?xml" || begin.substr(0, 8) == "<graphml";
}

}  // namespace

constexpr Format kGraphml = [] {
  Format format;
  format.name = "graphml";
  format.extensions = {".graphml"};
  format.text = true;
  format.dtypes = kAllDtypes;
  format.options = {"--weight", "--unweighted"};
  format.recognises = recognises;
  format.marked = true;
  format.read = read;
  format.write = write;
  format.writeNamed = writeNamed;
  format.keepsNames = keepsNames;
  return format;
}();
#endif
