"""NetworkX's functions that give lengths and paths."""
import networkx as nx
import numpy as np

import apsp

from .mappings import Table, Tree, pairs, trees

PARTS = {"lengths": [Tree.lengths], "paths": [Tree.paths], "both": [Tree.lengths, Tree.paths]}
OF_TARGET = {Tree.lengths: Tree.length_to, Tree.paths: Tree.path_to}
OF_SOURCE = {Tree.lengths: lambda source: 0, Tree.paths: lambda source: [source]}


def find(what, G, source=None, target=None, sources=None, cutoff=None, weight=None, *,
         negative=False, levels=False, strict=False):
    """Lengths, paths or both: of all pairs, from a source, to a target, or of one pair.

    Parameters
    ----------
    what : str
        "lengths", "paths" or "both".
    levels : bool
        Whether the cutoff counts levels of a search, as it does without weights: one that is no
        whole number lets the level above it in.
    strict : bool
        Whether a target that is no node raises NodeNotFound. Otherwise there is no path to it.
    Other parameters are NetworkX's.
    """
    if levels and cutoff is not None:
        cutoff = np.ceil(cutoff)
    parts, with_paths = PARTS[what], what != "lengths"
    if source is None and target is None and sources is None:
        made = trees(G, G.solve(weight, negative=negative), with_paths=with_paths, cutoff=cutoff)
        return pairs(G, made, lambda tree: _one_or_tuple(part(tree) for part in parts))
    reverse = source is None and sources is None
    begin = [target] if reverse else [source] if sources is None else sources
    if not begin:
        raise ValueError("sources must not be empty")
    message = ("Target" if reverse else "Source") + (
        " {} not in G" if levels and what == "paths" else " {} is not in G")
    vertices = [G.vertex(node, message) for node in begin]
    if reverse or target is None:
        tree = _tree(G, vertices, with_paths, weight, negative, cutoff, reverse)
        return _one_or_tuple(part(tree) for part in parts)
    if target in begin:
        return _one_or_tuple(OF_SOURCE[part](target) for part in parts)
    if strict:
        G.vertex(target, "Target {} is not in G")
    tree = _tree(G, vertices, with_paths, weight, negative, cutoff)
    try:
        return _one_or_tuple(OF_TARGET[part](tree, target) for part in parts)
    except KeyError as error:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.") from error


def _one_or_tuple(parts):
    found = tuple(parts)
    return found if len(found) > 1 else found[0]


def _tree(G, sources, with_paths, weight, negative, cutoff=None, reverse=False):
    found = (G.nearest(weight, sources) if len(sources) > 1 else
             G.solve(weight, sources, negative=negative, reverse=reverse))
    before = found.predecessors()[0] if with_paths else None
    return Tree(G, sources, found.rows()[0], before, cutoff, reverse)


def lengths(G, **how):
    return find("lengths", G, **how)


def paths(G, **how):
    return find("paths", G, **how)


def both(G, **how):
    return find("both", G, **how)


def any_method(G, what, source, target, weight, method):
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    negative = weight is not None and method == "bellman-ford"
    strict = weight is None or (what == "paths" and not negative)
    return find(what, G, source, target, weight=weight, negative=negative, strict=strict)


def has_path(G, source, target):
    try:
        find("lengths", G, source, target, strict=True)
    except nx.NetworkXNoPath:
        return False
    return True


def predecessors_and_lengths(G, source, weight, negative):
    tree = _tree(G, [G.vertex(source)], True, weight, negative)
    return {source: None, **tree.predecessors()}, tree.lengths()


def path_table(G, weight, negative):
    found = G.solve(weight, negative=negative)
    return Table(G, trees(G, found, with_paths=True), Tree.paths)


def length_table(G, weight, negative):
    found = G.solve(weight, negative=negative)
    return Table(G, trees(G, found, with_paths=False), Tree.all_lengths)


def predecessor_and_length_tables(G, weight, negative):
    """As NetworkX's, the first table has the nodes that an arc leaves.

    A node that has a loop is its own predecessor there.
    """
    tails, heads, _ = G.arcs(weight)
    found = G.solve(weight, negative=negative)
    made = trees(G, found, with_paths=True, loops=tails[tails == heads].tolist())
    leave = {G.nodes[v]: v for v in np.unique(tails).tolist()}
    return Table(G, made, Tree.predecessors, leave), Table(G, made, Tree.all_lengths)


def matrix(G, nodelist, weight, negative):
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError("nodelist must contain every node in G with no repeats."
                               "If you wanted a subgraph of G use G.subgraph(nodelist)")
    if nodelist is not None and not G.index.keys() >= set(nodelist):
        raise nx.NetworkXError(f"Nodes {set(nodelist) - G.index.keys()} in nodelist is not in G")
    rows = np.asarray(G.solve(weight, negative=negative))
    found = np.where(rows == apsp.infinity(rows.dtype), np.inf, rows)
    if nodelist is None:
        return found
    order = [G.index[node] for node in nodelist]
    return found[np.ix_(order, order)]
