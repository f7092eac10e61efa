#!/usr/bin/env python3
"""Prints a graph file of another program as node-link JSON, which apsp reads. Vertices without edges and names are kept.

  scripts/to_json.py g.gml | ./apsp - --format json -o d.npy

  .gml       GML, also that of igraph
  .net       Pajek's format, with and without names
  .gexf      GEXF
  .adjlist   adjacency lists of NetworkX, with one line for each vertex or with one for each neighbour

Files may be compressed with gzip, bzip2 or xz. It needs nothing but Python.

Exit: 0 printed, 2 usage, 3 bad input.
"""
import argparse
import ast
import bz2
import gzip
import html
import json
import lzma
import math
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from csv_files import stop

COMPRESSIONS = {b"\x1f\x8b": gzip, b"BZ": bz2, b"\xfd7": lzma}


class Wrong(Exception):
    """What is wrong in the file."""


class Graph:
    """Vertices by their keys in the file, and edges {source, target, attributes}. An arc leads one way."""

    def __init__(self, directed=False):
        self.directed = directed
        self.nodes = {}  # key → name, or None
        self.edges, self.arcs = [], []

    def add(self, u, v, attributes, arc=None):
        for key in (u, v):
            if key not in self.nodes:
                raise Wrong(f"the vertex {key} of an edge is not in the list of vertices")
        values = {name: number_of(value) for name, value in attributes.items()}
        if values.get("weight") in (math.inf, "inf", "Infinity"):
            return  # no edge
        arc = self.directed if arc is None else arc
        (self.arcs if arc else self.edges).append((u, v, values))

    def fill_weights(self):
        """Edges without a weight weigh 1, as the format says, if others have one."""
        every = [edge[2] for edge in (*self.edges, *self.arcs)]
        if any("weight" in each for each in every):
            for each in every:
                each.setdefault("weight", 1)

    def json(self, path):
        names = [str(key) if name is None else str(name) for key, name in self.nodes.items()]
        if len({*names}) < len(names) or not all(name and name.splitlines() == [name] for name in names):
            print(f"to_json.py: {path}: some names of vertices are empty, have a line break, or are there twice: "
                  "the vertices have their ids", file=sys.stderr)
            names = [str(key) for key in self.nodes]
        name_of = dict(zip(self.nodes, names))
        edges = self.arcs + self.edges
        if self.arcs:  # in a directed graph, an edge is two arcs
            edges += [(v, u, attributes) for u, v, attributes in self.edges if u != v]
        return {"directed": self.directed or bool(self.arcs), "nodes": [{"id": name} for name in names],
                "links": [{**attributes, "source": name_of[u], "target": name_of[v]} for u, v, attributes in edges]}


def number_of(value):
    """A text that is a number becomes one, unless JSON has no such number."""
    if not isinstance(value, str):
        return value
    try:
        return int(value) if re.fullmatch(r"[+-]?\d+", value) else finite(float(value))
    except ValueError:
        return value


def finite(number):
    if not math.isfinite(number):
        raise ValueError
    return number


# ---- GML ---------------------------------------------------------------------------------------------------

def gml_list(tokens):
    """[(key, value)] up to the bracket that closes the list; a value is a number, a text or such a list."""
    items = []
    for key in tokens:
        if key == "]":
            return items
        value = next(tokens, None)
        if value is None or value == "]" or not re.match(r"[A-Za-z_]", key):
            raise Wrong(f"expected a key and a value, found {key!r}")
        if value == "[":
            value = gml_list(tokens)
        elif value[0] == '"':
            value = html.unescape(value[1:-1])
        items.append((key, value))
    return items


def read_gml(text, _):
    text = "\n".join("" if line.lstrip().startswith("#") else line for line in text.splitlines())
    tokens = re.findall(r'"[^"]*"|[\[\]]|[^\s\[\]"]+', text)
    if tokens.count("[") != tokens.count("]"):
        raise Wrong("the brackets [ and ] do not belong together")
    whole = dict(gml_list(iter(tokens)))
    if "graph" not in whole:
        raise Wrong("there is no graph [")
    items = whole["graph"]
    graph = Graph(dict(items).get("directed", "0") == "1")
    nodes = [dict(value) for key, value in items if key == "node"]
    for which in ("label", "name"):  # NetworkX and Gephi write labels, igraph names
        if nodes and all(isinstance(node.get(which), str) for node in nodes):
            break
    else:
        which = None
    for node in nodes:
        if node.get("id") is None or node["id"] in graph.nodes:
            raise Wrong(f"a vertex has no id, or the id of another one: {node.get('id')}")
        graph.nodes[node["id"]] = node.get(which)
    for edge in (dict(value) for key, value in items if key == "edge"):
        graph.add(edge.pop("source", None), edge.pop("target", None),
                  {key: value for key, value in edge.items() if isinstance(value, str)})
    return graph


# ---- Pajek -------------------------------------------------------------------------------------------------

def pajek_edge(graph, fields, arc):
    if len(fields) < 2:
        raise Wrong(f"expected two vertices, found {' '.join(fields)!r}")
    weighted = len(fields) > 2 and isinstance(number_of(fields[2]), (int, float))  # else another attribute
    graph.add(fields[0], fields[1], {"weight": fields[2]} if weighted else {}, arc)


def pajek_vertex(line):
    """The number of a vertex and its name, or None. igraph writes a backslash before a quote in a name."""
    for quoted in (r'(?:[^"\\]|\\.)*', r'[^"]*'):  # in names of others, a backslash is one
        found = re.fullmatch(rf'(\d+)(?:\s+(?:"({quoted})"(?:\s.*)?|([^\s"]\S*).*))?', line)
        if found:
            name = found[2] if found[2] is None else html.unescape(re.sub(r'\\(["\\])', r"\1", found[2]))
            return found[1], found[3] if name is None else name
    raise Wrong(f"expected a vertex and its name, found {line!r}")


def read_pajek(text, _):
    graph, section, seen = Graph(), "", set()
    for line in text.splitlines():
        line = line.strip()
        if not line or line[0] == "%":
            continue
        if line[0] == "*":
            section, rest = re.match(r"\*\w*", line.lower())[0], line.split()[1:]
            if section == "*vertices":
                if graph.nodes or not rest or not rest[0].isdigit():
                    raise Wrong(f"expected one line *Vertices N, found {line!r}")
                graph.nodes = {str(number + 1): None for number in range(int(rest[0]))}
            elif section == "*matrix":
                raise Wrong("a matrix: save it as arcs or edges")
            continue
        fields = line.split()
        if section == "*vertices":
            vertex, name = pajek_vertex(line)
            if vertex not in graph.nodes or vertex in seen:
                raise Wrong(f"expected a line for each vertex, found {line!r}")
            seen.add(vertex)
            graph.nodes[vertex] = name
        elif section in ("*arcs", "*edges"):
            pajek_edge(graph, fields, section == "*arcs")
        elif section in ("*arcslist", "*edgeslist"):
            for to in fields[1:]:
                pajek_edge(graph, [fields[0], to], section == "*arcslist")
    graph.fill_weights()
    return graph


# ---- GEXF --------------------------------------------------------------------------------------------------

def read_gexf(text, _):
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise Wrong(f"the XML is wrong: {error}") from None

    def children(element, name):
        return (each for each in element.iter() if each.tag.rpartition("}")[2] == name)

    whole = next(children(root, "graph"), None)
    if whole is None:
        raise Wrong("there is no <graph>")
    usual = whole.get("defaultedgetype", "undirected")
    graph = Graph(usual == "directed")
    titles = {each.get("id"): each.get("title") for attributes in children(whole, "attributes")
              if attributes.get("class") == "edge" for each in children(attributes, "attribute")}
    for node in children(whole, "node"):
        if node.get("id") is None or node.get("id") in graph.nodes:
            raise Wrong(f"a node has no id, or the id of another one: {node.get('id')}")
        graph.nodes[node.get("id")] = node.get("label")
    if not all(graph.nodes.values()):
        graph.nodes = dict.fromkeys(graph.nodes)
    for edge in children(whole, "edge"):
        values = {titles.get(each.get("for")): each.get("value") for each in children(edge, "attvalue")}
        for idle in (None, "networkx_key"):  # the latter tells parallel edges apart, as `key` in JSON
            values.pop(idle, None)
        if edge.get("weight") is not None:
            values["weight"] = edge.get("weight")
        graph.add(edge.get("source"), edge.get("target"), values, edge.get("type", usual) == "directed")
    graph.fill_weights()
    return graph


# ---- adjacency lists ---------------------------------------------------------------------------------------

def read_adjlist(text, args):
    """A vertex and its neighbours in each line; or a vertex and a number, and so many lines with a neighbour and its data.
    Nothing tells whether the graph is directed, but an undirected one has each edge once."""
    lines = [line.split("#")[0].strip() if "{" not in line else line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line[0] != "#"]
    graph, links = Graph(), []

    by_neighbour = any(line.endswith("}") for line in lines)

    def fields(line):  # the name of a vertex may have blanks if a number follows
        return [field.strip() for field in (line.rsplit(args.delimiter, 1) if by_neighbour else line.split(args.delimiter))]

    if by_neighbour:
        rest = iter(lines)
        for line in rest:
            name, *count = fields(line)
            if len(count) != 1 or not count[0].isdigit():
                raise Wrong(f"expected a vertex and the number of its neighbours, found {line!r}")
            graph.nodes[name] = None
            for _ in range(int(count[0])):
                found = re.fullmatch(r"(.*?)(\{.*\})", next(rest, ""))
                if not found:
                    raise Wrong(f"the neighbours of {name} are not complete")
                to = found[1].strip().rstrip(args.delimiter).strip()
                links.append((name, to, ast.literal_eval(found[2])))
    else:
        for name, *others in map(fields, lines):
            graph.nodes[name] = None
            links += [(name, to, {}) for to in others]
    for _, to, _ in links:
        graph.nodes.setdefault(to)
    pairs = {(u, v) for u, v, _ in links}
    graph.directed = args.directed or any(u != v and (v, u) in pairs for u, v in pairs)
    if pairs and not graph.directed:
        print(f"to_json.py: {args.file}: read as undirected, because no edge is there twice: give --directed if it is "
              "directed", file=sys.stderr)
    for u, v, attributes in links:
        graph.add(u, v, attributes)
    return graph


READERS = {".gml": read_gml, ".net": read_pajek, ".gexf": read_gexf, ".adjlist": read_adjlist}


def text_of(path):
    data = path.read_bytes()
    for mark, module in COMPRESSIONS.items():
        if data.startswith(mark):
            data = module.decompress(data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # old files of Pajek and GML


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--directed", action="store_true", help="of an adjacency list: the graph is directed")
    parser.add_argument("--delimiter", help="of an adjacency list: what separates its fields [blanks]")
    args = parser.parse_args()
    kinds = [suffix for suffix in args.file.suffixes if suffix in READERS]
    if not kinds:
        stop(2, f"{args.file}: unknown extension, expected one of {' '.join(READERS)}")
    try:
        graph = READERS[kinds[-1]](text_of(args.file), args).json(args.file)
    except (OSError, EOFError, lzma.LZMAError, ValueError, SyntaxError, RecursionError, MemoryError, Wrong) as error:
        stop(3, f"{args.file}: {getattr(error, 'strerror', None) or error}")
    json.dump(graph, sys.stdout, default=str)
    print()


if __name__ == "__main__":
    main()
