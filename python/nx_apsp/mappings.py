"""Rows of arrays as the dicts that NetworkX returns, and tables of them that are made when read."""
import functools
import math
from collections.abc import MutableMapping

import numpy as np

import apsp

TOGETHER = 64  # rows of arrays that are read together
KEPT = 32  # rows of a table that are kept as dicts


class Tree:
    """Shortest paths from one source, or from the nearest of several.

    Parameters
    ----------
    graph : Graph
    sources : list of int
    row : array
        The distance to each vertex. Several sources have an additional one, which is left out.
    before : array, optional
        The vertex before each one, needed for paths.
    cutoff : number, optional
        Vertices that are farther are not reached.
    backwards : bool
        Whether the paths lead to the source.
    sort : bool
        Whether the nearest nodes come first. In tables they do not, because it takes long.
    """

    def __init__(self, graph, sources, row, before=None, cutoff=None, backwards=False, sort=True):
        self.nodes, self.names, self.index = graph.nodes, graph.names, graph.index
        self.sources, self.before = set(sources), before
        self.backwards, self.sort = backwards, sort
        self.none = apsp.infinity(row.dtype)
        self.row = row[:len(graph)]
        if cutoff is not None:
            self.row = np.where(self.row > cutoff, self.none, self.row)
            self.row[sources] = 0

    def reached(self, sort):
        """The vertices that are reached."""
        found = np.flatnonzero(self.row != self.none)
        return found[np.argsort(self.row[found], kind="stable")] if sort else found

    def lengths(self):
        """{node: its distance} of the nodes that are reached."""
        reached = self.reached(self.sort)
        if len(reached) == len(self.nodes) and not self.sort:
            return dict(zip(self.nodes, self.row.tolist()))
        return dict(zip(self.names[reached].tolist(), self.row[reached].tolist()))

    def all_lengths(self):
        """{node: its distance} of all nodes, infinite if there is no path."""
        found = self.row
        if self.none != math.inf and (found == self.none).any():
            found = found.astype(object)
            found[self.row == self.none] = math.inf
        return dict(zip(self.nodes, found.tolist()))

    def length_to(self, node):
        """The distance to a node. Raises KeyError if there is no path."""
        return self.row[self._reached(node)].item()

    def path_to(self, node):
        """The nodes of a path. Raises KeyError if there is none."""
        path = [self._reached(node)]
        while path[-1] not in self.sources:
            path.append(self.before[path[-1]].item())
        return [self.nodes[v] for v in reversed(path)]

    def paths(self):
        """{node: the nodes of the path to it} of the nodes that are reached."""
        reached = self.reached(sort=True)
        names, before = self.names.tolist(), self.before.tolist()
        found = {source: [names[source]] for source in self.sources}
        for vertex, last in zip(reached.tolist(), self.before[reached].tolist()):
            if last in found and vertex not in self.sources:
                found[vertex] = found[last] + [names[vertex]]
            elif vertex not in found:  # it is before another one that is as near or nearer
                chain = [vertex]
                while before[chain[-1]] not in found:
                    chain.append(before[chain[-1]])
                for vertex in reversed(chain):
                    found[vertex] = found[before[vertex]] + [names[vertex]]
        paths = (path[::-1] for path in found.values()) if self.backwards else found.values()
        return dict(zip(self.names[list(found)].tolist(), paths))

    def predecessors(self):
        """{node: the node before it} of the nodes that have one."""
        reached = np.flatnonzero(self.before[:len(self.nodes)] >= 0)
        before = self.before[reached]
        return dict(zip(self.names[reached].tolist(), self.names[before].tolist()))

    def _reached(self, node):
        vertex = self.index[node]
        if self.row[vertex] == self.none:
            raise KeyError(node)
        return vertex


def trees(graph, distances, *, with_paths, cutoff=None, loops=()):
    """A function: made(first, stop) gives the trees of these vertices. The last ones are kept.

    with_paths: whether the predecessors are read. loops: vertices that are their own predecessor.
    """
    @functools.lru_cache(maxsize=2)
    def made(first, stop):
        befores = [None] * (stop - first)
        if with_paths:
            befores = distances.predecessors(first, stop)
            for vertex in set(loops).intersection(range(first, stop)):
                befores[vertex - first, vertex] = vertex
        found = zip(range(first, stop), distances.rows(first, stop), befores)
        return [Tree(graph, [vertex], row, before, cutoff, sort=False)
                for vertex, row, before in found]
    return made


def pairs(graph, made, row):
    """Yields each node with row(its tree). None of them is kept."""
    for first in range(0, len(graph), TOGETHER):
        stop = min(first + TOGETHER, len(graph))
        yield from zip(graph.nodes[first:stop], map(row, made(first, stop)))


class Table(MutableMapping, dict):
    """{node: a dict} that cannot be changed. Each dict is made when it is read.

    It is a dict, too, because pandas and json ask for one. As a dict it has the nodes only.

    Parameters
    ----------
    graph : Graph
    made : function
        What `trees` gives.
    row : function
        row(tree) makes the dict of a node.
    index : dict, optional
        The vertices of the nodes that the table has [all].
    """

    def __init__(self, graph, made, row, index=None):
        self._index = graph.index if index is None else index
        dict.update(self, dict.fromkeys(self._index))

        @functools.lru_cache(maxsize=KEPT)
        def made_row(vertex):
            first = vertex - vertex % TOGETHER
            return row(made(first, min(first + TOGETHER, len(graph)))[vertex - first])
        self._row = made_row

    def __getitem__(self, node):
        return self._row(self._index[node])

    def __iter__(self):
        return iter(self._index)

    def __len__(self):
        return len(self._index)

    def __contains__(self, node):
        return node in self._index

    def __ne__(self, other):  # otherwise it is that of dict
        return not self == other

    def __setitem__(self, node, row):
        raise TypeError("this table is made when it is read: change dict(table)")

    def __delitem__(self, node):
        self[node] = None

    __ior__ = None

    def __repr__(self):
        return f"<{len(self)} dicts, made when they are read>"

    def __reduce__(self):
        return dict, (dict(self),)
