// json: node-link data of NetworkX, as nx.node_link_data() makes them, in JSON. An object with
// these keys; all others do not matter:
//
//   directed         true or false; if false, each edge stands for both directions
//   nodes            a list of objects with an `id`, which is a text or a whole number
//   links or edges   a list of objects with a `source` and a `target`, which are ids, and perhaps a
//                    `weight`, or what --weight calls it; if no edge has a number, each weighs 1
//
// The vertices count from 0 in the order of the nodes. Graphs are written with the numbers of the
// vertices as ids, and with `edges`, which NetworkX reads from version 3.6 on if nothing else is
// said; versions before it read `links`.
// Source: https://networkx.org/documentation/stable/reference/readwrite/json_graph.html
#include <fmt/compile.h>
#include <fmt/format.h>

#include <climits>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "io/formats/announced.h"
#include "io/formats/edge_weights.h"
#include "io/formats/format.h"
#include "io/formats/matrices.h"
#include "io/formats/undirected.h"
#include "io/formats/whole_text.h"
#include "io/text.h"

namespace {

using Json = nlohmann::json;

class Reader {
 public:
  Reader(Input& in, const ReadOptions& options)
      : text_(in, options.skipLines, kTimes),
        options_(options),
        type_(
            options.dtype, [this] { toFloats(edges_); }, options.negative),
        given_(options) {}

  Graph read() {
    const Json root = parse();
    if (!root.is_object())
      text_.fail("expected an object with nodes and links, found another value");
    const Json& directed = member(root, "directed", "the object");
    if (!directed.is_boolean())
      text_.fail("directed: expected true or false, found " + found(directed));
    const bool newName = root.contains("edges");
    if (newName && root.contains("links"))
      text_.fail("the object has both links and edges, expected one of them");
    edgesName_ = newName ? "edges" : "links";
    readNodes(list(root, "nodes"));
    const Json& edges = list(root, edgesName_);
    reportSize(options_, nodes_.count(), static_cast<std::int64_t>(2 * edges.size()));
    for (std::size_t i = 0; i < edges.size(); ++i) readEdge(edges[i], i, directed.get<bool>());
    const std::string advice = given_.missing() ? given_.advice() : "";
    if (!advice.empty()) text_.fail(fmt::format("{}: {}", edgesName_, advice));
    Graph graph = nodes_.graph(std::move(edges_), type_.dtype(), options_);
    graph.unweighted = given_.missing() && !options_.unweighted;
    return graph;
  }

 private:
  static constexpr std::size_t kTimes = 40;  // "0," takes 16 bytes in a list that grows to twice

  Json parse() const {
    const std::string_view text = text_.text();
    try {
      return Json::parse(text.begin(), text.end());
    } catch (const Json::parse_error& error) {
      const std::size_t at = error.byte > 0 ? error.byte - 1 : 0;
      const std::string_view rest = text.substr(std::min(at, text.size()), 1);
      text_.failAt(at, rest.empty() ? "the JSON ends too early"
                                    : fmt::format("the JSON is wrong at or before {}, byte {}",
                                                  inQuotes(rest), at));
    } catch (const Json::exception&) {  // a number that no double holds
      text_.fail("the JSON has a number that is too large");
    }
  }

  /// A value for a message.
  static std::string found(const Json& json) {
    if (json.is_object()) return "an object";
    if (json.is_array()) return "a list";
    return inQuotes(json.dump(-1, ' ', true, Json::error_handler_t::replace));
  }

  /// The value of a key. where: what the object is.
  const Json& member(const Json& object, const char* key, const std::string& where) const {
    const auto place = object.find(key);
    if (place == object.end()) text_.fail(fmt::format("{} has no key {}", where, key));
    return *place;
  }

  const Json& list(const Json& root, const char* key) const {
    const Json& all = member(root, key, "the object");
    if (!all.is_array())
      text_.fail(fmt::format("{}: expected a list of objects, found {}", key, found(all)));
    return all;
  }

  std::string placeOf(const char* name, std::size_t i) const {
    return fmt::format("{}[{}]", name, i);
  }

  /// The name of a node: a text, or a whole number as text.
  std::string nameOf(const Json& id, const std::string& place) const {
    if (id.is_string() && NodeNames::isLine(id.get_ref<const std::string&>()))
      return id.get<std::string>();
    if (id.is_number_unsigned()) return std::to_string(id.get<std::uint64_t>());
    if (id.is_number_integer()) return std::to_string(id.get<std::int64_t>());
    text_.fail(fmt::format("{}: expected a text of one line or a whole number, found {}", place,
                           found(id)));
  }

  void readNodes(const Json& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::string place = placeOf("nodes", i);
      if (!nodes[i].is_object())
        text_.fail(fmt::format("{}: expected an object, found {}", place, found(nodes[i])));
      const std::string name = nameOf(member(nodes[i], "id", place), place + ".id");
      if (nodes_.count() == INT_MAX || !nodes_.add(name))
        text_.fail(fmt::format("{}.id: the node {} is there twice", place, inQuotes(name)));
    }
  }

  int vertex(const Json& edge, const char* end, const std::string& place) const {
    const std::string name = nameOf(member(edge, end, place), fmt::format("{}.{}", place, end));
    const int number = nodes_.find(name);
    if (number < 0) text_.fail(fmt::format("{}.{}: {} is no node", place, end, inQuotes(name)));
    return number;
  }

  void readEdge(const Json& edge, std::size_t i, bool directed) {
    const std::string place = placeOf(edgesName_, i);
    if (!edge.is_object())
      text_.fail(fmt::format("{}: expected an object, found {}", place, found(edge)));
    Edge e{vertex(edge, "source", place), vertex(edge, "target", place), 0};
    const Json* const weight = options_.unweighted ? nullptr : weightAmong(edge);
    const std::string fault = given_.take(weight != nullptr, i);
    if (!fault.empty())
      text_.fail(fmt::format("{}: edge {}->{}: {}", place, found(edge.at("source")),
                             found(edge.at("target")), fault));
    e.weight = weight != nullptr ? weightOf(*weight) : type_.weight(1);
    if (e.weight == kBad)
      text_.fail(fmt::format("{}: {}", place,
                             badWeight(found(edge.at("source")), found(edge.at("target")),
                                       found(*weight), type_.accepted())));
    if (e.weight == infinity(type_.dtype())) return;  // "inf" as a text
    append(edges_, e);
    if (!directed && e.from != e.to) append(edges_, {e.to, e.from, e.weight});
  }

  /// The attribute that is the weight; nullptr if there is none. `key` tells parallel edges apart.
  const Json* weightAmong(const Json& edge) {
    const Json* weight = nullptr;
    for (const auto& [name, value] : edge.items()) {
      if (given_.isWeight(name))
        weight = &value;
      else if (name != "source" && name != "target" && name != "key")
        given_.takeOther(name, value.is_number()   ? "0"
                               : value.is_string() ? value.get_ref<const std::string&>()
                                                   : "");
    }
    return weight;
  }

  /// kBad if it is no weight. A text may hold a number, as a file in which all attributes are texts
  /// has it. A whole number that an int32 cannot hold is one only if floats are
  /// asked for, as in a text.
  int weightOf(const Json& json) {
    if (json.is_string()) return parseWeight(json.get_ref<const std::string&>(), type_);
    if (!json.is_number()) return kBad;
    const double number = json.get<double>();
    const bool overflow = json.is_number_integer() && std::abs(number) >= kInf && !type_.asked();
    return overflow ? kBad : type_.weight(number);
  }

  const WholeText text_;
  const ReadOptions& options_;
  const char* edgesName_ = "";
  NodeNames nodes_;
  std::vector<Edge> edges_;
  ReadType type_;
  EdgeWeights given_;
};

Graph read(Input& in, const ReadOptions& options) {
  return Reader(in, options).read();
}

/// A number as JSON has it. A real number is never in digits alone: a reader may refuse those that
/// exceed an int32. fmt's # would write 1.e+20, which is no JSON.
template <class Number>
std::string numberText(Number number) {
  std::string text = fmt::format("{}", number);
  const bool digits = text.find_first_not_of("0123456789") == text.npos;
  return digits && std::is_floating_point_v<Number> ? text + ".0" : text;
}

void write(OutputFile& out, const Graph& graph) {
  const bool directed = !isUndirected(graph);
  TextOutput text(out, 3 + static_cast<std::size_t>(graph.n) + countEdges(graph));
  text.print(
      FMT_COMPILE("{{\"directed\": {}, \"multigraph\": false, \"graph\": {{}}, \"nodes\": ["),
      directed);
  for (int v = 0; v < graph.n; ++v)
    text.print(FMT_COMPILE("{}\n{{\"id\": {}}}"), v == 0 ? "" : ",", v);
  text.print(FMT_COMPILE("],\n\"edges\": ["));
  bool first = true;
  forEachEdge(graph, [&](const Edge& e) {
    if (!directed && e.from > e.to) return;
    withNumber(e.weight, graph.dtype, [&](auto weight) {
      text.print(FMT_COMPILE("{}\n{{\"source\": {}, \"target\": {}, \"weight\": {}}}"),
                 std::exchange(first, false) ? "" : ",", e.from, e.to, numberText(weight));
    });
  });
  text.print(FMT_COMPILE("]}}\n"));
  text.flush();
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
  format.reals = true;
  format.options = {"--weight", "--unweighted"};
  format.recognises = recognises;
  format.read = read;
  format.write = write;
  return format;
}();
