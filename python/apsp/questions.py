"""Answers that are smaller than all distances, in less time."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _engine, graphs
from .distances import _options, sparse_of


def within(source: Any, limit: float, *, sources: ArrayLike | None = None,
           targets: ArrayLike | None = None, weight: str = "weight",
           dtype: DTypeLike | None = None, device: str | None = None, threads: int = 0,
           progress=None):
    """The distances up to `limit`, as a sparse array (CSR). The diagonal is not in it.

    The time depends on how many distances there are, not on all pairs. A distance of 0 between two
    vertices is an entry that holds 0. Without SciPy it is a tuple (offsets, columns, distances).
    Parameters: those of `solve`. Each target must be there once.

    Examples
    --------
    >>> graph = apsp.edges(3, [0, 1, 2], [1, 2, 0], [7, 5, 1])
    >>> apsp.within(graph, 6).toarray().tolist()
    [[0, 0, 0], [6, 0, 5], [1, 0, 0]]
    """
    limit = float(limit)
    return _near(source, limit, None, sources, targets, weight, dtype, device, threads, progress)


def nearest(source: Any, k: int, *, limit: float = math.inf, sources: ArrayLike | None = None,
            targets: ArrayLike | None = None, weight: str = "weight",
            dtype: DTypeLike | None = None, device: str | None = None, threads: int = 0,
            progress=None):
    """The k nearest targets of each source, as a sparse array (CSR) of their distances.

    Of targets that are equally far, those that come first are taken. Rows that have fewer have all
    of theirs. Parameters: those of `solve`, and a limit of the distances.

    Examples
    --------
    >>> graph = apsp.edges(3, [0, 1, 2], [1, 2, 0], [7, 5, 1])
    >>> apsp.nearest(graph, 1).toarray().tolist()
    [[0, 7, 0], [0, 0, 5], [1, 0, 0]]
    """
    k = operator.index(k)
    return _near(source, float(limit), k, sources, targets, weight, dtype, device, threads,
                 progress)


def extremes(source: Any, *, weight: str = "weight", dtype: DTypeLike | None = None,
             threads: int = 0, progress=None) -> dict[str, Any]:
    """Diameter, radius, periphery and center, from a few searches.

    The eccentricity of a vertex is the largest distance to a vertex that it reaches. `diameter` is
    the largest, and `periphery` lists the vertices that have it. `radius` is the least of the
    vertices that reach all others, infinite if there are none, and `center` lists these.

    Examples
    --------
    >>> apsp.extremes(apsp.edges(3, [0, 1, 2], [1, 2, 0], [7, 5, 1]))
    {'diameter': 12.0, 'radius': 6.0, 'periphery': [0], 'center': [1]}
    """
    graph, options = _asked(source, weight, dtype, threads, progress)
    found = _engine.extremes(graph.engine, options)
    return dict(zip(("diameter", "radius", "periphery", "center"), found))


def betweenness(source: Any, *, samples: int = 0, seed: int = 0, directed: bool = False,
                normalized: bool = True, weight: str = "weight", dtype: DTypeLike | None = None,
                threads: int = 0, progress=None) -> np.ndarray:
    """On how many shortest paths each vertex is, as NetworkX defines it.

    samples: from so many sources, drawn by `seed`, it is estimated [0: from all].
    directed: if every edge has a reverse of the same weight, pairs still count in both directions.
    normalized: divided by the number of pairs of other vertices.

    Examples
    --------
    >>> apsp.betweenness(apsp.edges(3, [0, 1, 2], [1, 2, 0], [7, 5, 1])).tolist()
    [0.5, 0.5, 0.5]
    """
    graph, options = _asked(source, weight, dtype, threads, progress)
    found = _engine.betweenness(graph.engine, options, operator.index(samples),
                                operator.index(seed), bool(directed or normalized))
    pairs = (graph.n - 1) * (graph.n - 2)
    return found / pairs if normalized and pairs > 0 else found


def edge_betweenness(source: Any, *, samples: int = 0, seed: int = 0, directed: bool = False,
                     normalized: bool = True, weight: str = "weight",
                     dtype: DTypeLike | None = None, threads: int = 0, progress=None):
    """On how many shortest paths each edge is, as NetworkX defines it: a sparse array (CSR).

    found[u, v] is that of the edge from u to v. Parallel edges are one edge. Without SciPy it is a
    tuple (offsets, columns, values).

    samples: from so many sources, drawn by `seed`, it is estimated [0: from all].
    directed: if every edge has a reverse of the same weight, pairs still count in both directions.
    Otherwise each of them counts once, and both directions of an edge have the value of the edge.
    normalized: divided by the number of pairs of vertices.

    Examples
    --------
    >>> graph = apsp.edges(3, [0, 1, 2], [1, 2, 0], [7, 5, 1])
    >>> apsp.edge_betweenness(graph).toarray().tolist()
    [[0.0, 0.5, 0.0], [0.0, 0.0, 0.5], [0.5, 0.0, 0.0]]
    """
    graph, options = _asked(source, weight, dtype, threads, progress)
    found, undirected = _engine.edge_betweenness(graph.engine, options, operator.index(samples),
                                                 operator.index(seed), bool(directed))
    pairs = graph.n * (graph.n - 1) / (2 if undirected else 1)
    return sparse_of(found, (graph.n, graph.n), np.dtype(np.float64),
                     pairs if normalized and pairs > 0 else 1)


class Pairs:
    """A graph that is prepared for the distances and paths of single pairs.

    If it has small separators, as roads have, a distance takes some microseconds.

    paths: it is prepared for paths, too. With small separators, a path takes no search then, but
    some tens of microseconds. Preparing may take more time and memory, and distances take longer.

    `n` is the number of vertices, `dtype` the type of the distances, and `nodes` says what the
    vertices are called, as of `Distances`.

    Examples
    --------
    >>> pairs = apsp.Pairs(apsp.edges(3, [0, 1, 2], [1, 2, 0], [7, 5, 1]), paths=True)
    >>> pairs([0, 2], [2, 1]).tolist()
    [12, 8]
    >>> [path.tolist() for path in pairs.paths([0, 2], [2, 1])]
    [[0, 1, 2], [2, 0, 1]]
    """

    def __init__(self, source: Any, *, paths: bool = False, weight: str = "weight",
                 dtype: DTypeLike | None = None, threads: int = 0, progress=None):
        graph, options = _asked(source, weight, dtype, threads, progress)
        self.n = graph.n
        self.dtype = np.dtype(graph.dtype)
        self.nodes = graph.nodes
        self._engine = _engine.Pairs(graph.engine, options, bool(paths))

    def __call__(self, sources: ArrayLike, targets: ArrayLike) -> np.ndarray:
        """The distance from each source to the target at its place."""
        ends = self._ends(sources, targets)
        out = np.empty(len(ends[0]), self.dtype)
        self._engine.distances(*ends, out)
        return out

    def paths(self, sources: ArrayLike, targets: ArrayLike) -> list[NDArray[np.int32]]:
        """The vertices of a shortest path from each source to the target at its place.

        Both ends are included. An array is empty if there is no path. All are views of one array.
        """
        ends, vertices = self._engine.paths(*self._ends(sources, targets))
        return [vertices[begin:end] for begin, end in zip(ends, ends[1:])]

    def _ends(self, sources, targets):
        return [np.array(graphs.vertices(ends, self.n, what), np.int32)
                for ends, what in ((sources, "sources"), (targets, "targets"))]


def _asked(source, weight, dtype, threads, progress, sources=None, targets=None, device=None):
    graph = graphs.graph(source, weight=weight, dtype=dtype)
    return graph, _options(graph, sources, targets, device, "auto", threads, 0, None, progress)[0]


def _near(source, limit, k, sources, targets, weight, dtype, device, threads, progress):
    graph, options = _asked(source, weight, dtype, threads, progress, sources, targets, device)
    shape = tuple(graph.n if ends is None else np.size(ends) for ends in (sources, targets))
    return sparse_of(_engine.near(graph.engine, options, limit, k), shape, np.dtype(graph.dtype),
                     ascending=k is None)
