"""NetworkX's measures of nodes and graphs that are made of all distances."""
import math

import networkx as nx
import numpy as np

import apsp

from .graph import EXACT
from .mappings import TOGETHER


def _summary(G, weight, sources=None, **how):
    """What the rows of the distances come to: arrays of NumPy, whole if the weights are."""
    found = G.solve(weight, sources, **how)
    rows = found.summary()
    reachable, furthest, total = (rows[key] for key in ("reachable", "eccentricity", "sum"))
    if found.dtype.kind == "i":
        if max(np.abs(furthest).max() * len(G), np.abs(total).max()) >= EXACT:
            raise NotImplementedError("a sum of distances may be above 2**53")
        furthest, total = furthest.astype(np.int64), total.astype(np.int64)
    return reachable, furthest, total


def _connected(G):
    """Whether each node reaches all others."""
    return (nx.is_strongly_connected if G.is_directed() else nx.is_connected)(G.nx)


def eccentricity(G, v, weight):
    nodes = list(G.nx.nbunch_iter(v))
    if not nodes:
        return {}
    vertices = None if v is None else [G.index[node] for node in nodes]
    reachable, furthest, _ = _summary(G, weight, vertices)
    if (reachable != len(G) - 1).any():
        raise nx.NetworkXError("Found infinite path length because the " + (
            "digraph is not strongly connected" if G.is_directed() else "graph is not connected"))
    found = dict(zip(nodes, furthest.tolist()))
    return found[v] if v in G else found


def extreme(G, weight, choose, nodes=False):
    """The largest or smallest eccentricity, or the nodes that have it."""
    found = eccentricity(G, None, weight)
    best = choose(found.values())
    return [node for node, distance in found.items() if distance == best] if nodes else best


def centroid(G, weight):
    reachable, _, total = _summary(G, weight)
    if (reachable != len(G) - 1).any():
        raise nx.NetworkXNoPath(f"Input graph {G.nx} is disconnected, so every induced subgraph "
                                "has infinite barycentricity.")
    return [G.nodes[v] for v in np.flatnonzero(total == total.min()).tolist()]


def closeness_centrality(G, u, distance, wf_improved):
    """Of the distances to each node, which lead backwards from it."""
    sources = None if u is None else [G.vertex(u)]
    reachable, _, total = _summary(G, distance, sources, reverse=True)
    found = np.zeros(len(total))
    np.divide(reachable, total, out=found, where=total > 0)
    if wf_improved and len(G) > 1:
        found *= reachable / (len(G) - 1)
    return dict(zip(G.nodes, found.tolist())) if u is None else found[0].item()


def _blocks(found):
    """Yields some rows of distances at a time."""
    for first in range(0, found.shape[0], TOGETHER):
        yield found.rows(first, min(first + TOGETHER, found.shape[0]))


def _inverse(found):
    """Yields blocks of 1 / d. It is 0 for no path and for d = 0."""
    for rows in _blocks(found):
        counts = (rows > 0) & (rows != apsp.infinity(rows.dtype))
        yield np.divide(1.0, rows, out=np.zeros(rows.shape), where=counts)


def harmonic_centrality(G, nbunch, distance, sources):
    """Solved from the nodes, backwards, or from the sources: from the fewer ones."""
    nodes, begins = (sorted({G.index[node] for node in G.nx.nbunch_iter(bunch)})
                     for bunch in (nbunch, sources))
    found = np.zeros(len(nodes))
    if len(nodes) < len(begins):
        if nodes:
            parts = _inverse(G.solve(distance, nodes, reverse=True))
            found = np.concatenate([part[:, begins].sum(axis=1) for part in parts])
    elif begins:
        for part in _inverse(G.solve(distance, begins)):
            found += part[:, nodes].sum(axis=0)
    return dict(zip([G.nodes[v] for v in nodes], found.tolist()))


def betweenness_centrality(G, normalized, weight, seed):
    found = apsp.betweenness(G.positive(weight), normalized=normalized, directed=G.is_directed())
    return dict(zip(G.nodes, found.tolist()))


def edge_betweenness_centrality(G, normalized, weight, seed):
    found = apsp.edge_betweenness(G.positive(weight), normalized=normalized, directed=G.is_directed())
    offsets, columns, values = found if isinstance(found, tuple) else (
        found.indptr, found.indices, found.data)
    tails = np.repeat(G.names, np.diff(offsets))
    of = dict(zip(zip(tails, G.names[columns]), values.tolist()))
    if not G.is_multigraph():
        return {edge: of.get(edge, 0.0) for edge in G.nx.edges()}  # loops are on no path
    shared = {}  # by the shortest of parallel edges
    for u, v, key in G.nx.edges(keys=True):
        lengths = {k: data.get(weight, 1) for k, data in G.nx[u][v].items()}
        shortest = min(lengths.values())
        share = of.get((u, v), 0.0) / list(lengths.values()).count(shortest)
        shared[u, v, key] = share if lengths[key] == shortest else 0.0
    return shared


def harmonic_diameter(G, weight=None):
    total = sum(part.sum().item() for part in _inverse(G.solve(weight)))
    pairs = len(G) * (len(G) - 1)
    return pairs / total if total else math.inf if pairs else math.nan


def global_efficiency(G):
    pairs = len(G) * (len(G) - 1)
    return sum(part.sum().item() for part in _inverse(G.solve())) / pairs if pairs else 0


METHODS = {None: False, "unweighted": False, "dijkstra": False, "bellman-ford": True,
           "floyd-warshall": True, "floyd-warshall-numpy": True}  # whether weights may be below 0


def average_shortest_path_length(G, weight, method):
    if method not in METHODS:
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 1:
        return 0
    if not _connected(G):
        raise nx.NetworkXError(f"Graph is not {'strongly ' * G.is_directed()}connected.")
    weight = None if method == "unweighted" else weight
    _, _, total = _summary(G, weight, negative=METHODS[method])
    return sum(total.tolist()) / (n * (n - 1))


def wiener_index(G, weight):
    if not _connected(G):
        return math.inf
    total = sum(_summary(G, weight)[2].tolist())
    return total if G.is_directed() else total / 2


def hyper_wiener_index(G, weight):
    if not _connected(G):
        return math.inf
    total = 0.0
    for rows in _blocks(G.solve(weight)):
        found = rows[rows != apsp.infinity(rows.dtype)].astype(np.float64)
        total += (found + found * found).sum().item()
    return total / 2
