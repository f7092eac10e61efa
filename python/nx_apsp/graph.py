"""A NetworkX graph as arrays of arcs. NetworkX keeps it in its cache until the graph changes."""
import itertools

import networkx as nx
import numpy as np

import apsp

WHOLE = (int, np.integer, np.bool_)
REAL = (float, np.float16, np.float32)
EXACT = 2**53  # whole numbers up to it are doubles


class Graph:
    """The arcs of a NetworkX graph. An edge that has no direction is two arcs.

    Parameters
    ----------
    graph : networkx.Graph
        Also a directed one or a multigraph.
    names : iterable, optional
        The attributes of edges to read now. Others are read when they are asked for.

    Attributes
    ----------
    nx : networkx.Graph
    nodes : list
        The nodes in NetworkX's order. A vertex is the place of a node in it.
    names : array of object
        The nodes again, because arrays take many of them in one step.
    index : dict
        The vertices of the nodes.
    tails, heads : array of int
        The ends of the arcs. Parallel edges are one arc.
    read : dict
        The weights of the arcs by the names of attributes, as far as they have been read.
    """

    __networkx_backend__ = "apsp"

    def __init__(self, graph, names=()):
        self.nx = graph
        self.nodes = list(graph)
        self.names = np.fromiter(self.nodes, object, len(self))
        self.index = {node: vertex for vertex, node in enumerate(self.nodes)}
        self._neighbors = [graph._adj[node] for node in self.nodes]
        degrees = [len(neighbors) for neighbors in self._neighbors]
        self.tails = np.repeat(np.arange(len(self), dtype=np.int32), degrees)
        self.heads = np.fromiter(
            map(self.index.__getitem__, itertools.chain.from_iterable(self._neighbors)), np.int32)
        self.read = {None: None}
        for name in names:
            self.weights(name)

    def is_directed(self):
        return self.nx.is_directed()

    def is_multigraph(self):
        return self.nx.is_multigraph()

    def __len__(self):
        return len(self.nodes)

    def __contains__(self, node):
        return node in self.nx

    def vertex(self, node, message="Node {} is not in G"):
        """The vertex of a node. Raises NodeNotFound."""
        if node not in self.nx:
            raise nx.NodeNotFound(message.format(node))
        return self.index[node]

    def weights(self, name):
        """The weights of the arcs, 1 where the attribute is missing; None: all are 1."""
        if name not in self.read:
            self.read[name] = numbers(weight_list(self._neighbors, self.is_multigraph(), name),
                                      len(self))
        return self.read[name]

    def arcs(self, weight, reverse=False):
        """(tails, heads, weights) of the arcs, or of the reversed graph.

        weight may be a function, which is called once for each arc. It hides those of None.
        """
        reverse = reverse and self.is_directed()
        ends = (self.heads, self.tails) if reverse else (self.tails, self.heads)
        if not callable(weight):
            return *ends, self.weights(weight)
        values = [weight(v, u, data) if reverse else weight(u, v, data)
                  for u, neighbors in zip(self.nodes, self._neighbors)
                  for v, data in neighbors.items()]
        shown = np.array([value is not None for value in values], bool)
        return (*(end[shown] for end in ends),
                numbers([value for value in values if value is not None], len(self)))

    def solve(self, weight=None, sources=None, *, reverse=False, negative=False):
        """The distances from all vertices or from some.

        Parameters
        ----------
        weight : None, str or function
        sources : list of int, optional
        reverse : bool
            Whether arcs are followed backwards.
        negative : bool
            Whether weights below 0 are taken. If the function of NetworkX uses Dijkstra's
            algorithm, its own result with such weights depends on the order of the edges.

        Raises
        ------
        NetworkXUnbounded
            If a cycle of negative weight can be reached.
        NotImplementedError
            If NetworkX has to solve it. The message says why.
        """
        arcs = self.arcs(weight, reverse)
        tails, heads, weights = arcs
        if not negative and weights is not None:
            _check_signs(weights)
        try:
            return self._solved(arcs, sources)
        except apsp.NegativeCycleError as error:
            if sources is None:
                raise nx.NetworkXUnbounded("Negative cycle detected.") from error
        hops = self._solved((tails, heads, None), sources).rows()
        reached = (hops != apsp.infinity(hops.dtype)).any(axis=0)[tails]
        try:
            return self._solved([array[reached] for array in arcs], sources)
        except apsp.NegativeCycleError as error:
            raise nx.NetworkXUnbounded("Negative cycle detected.") from error

    def positive(self, weight):
        """The graph as apsp takes it, if all weights are above 0.

        If a weight is 0 or below, NetworkX's own result depends on the order of the edges.
        """
        tails, heads, weights = self.arcs(weight)
        if weights is not None and weights.size and weights.min() <= 0:
            raise NotImplementedError("a weight is not above 0")
        return apsp.edges(len(self), tails, heads, weights)

    def nearest(self, weight, sources):
        """The distances from the nearest of some sources: one row.

        An additional vertex, the last one, has an arc of weight 0 to each of them.
        """
        tails, heads, weights = self.arcs(weight)
        n, count = len(self), len(sources)
        weights = np.ones(len(tails), np.int64) if weights is None else weights
        _check_signs(weights)
        arcs = (np.append(tails, np.full(count, n, np.int32)),
                np.append(heads, np.array(sources, np.int32)),
                np.append(weights, np.zeros(count, weights.dtype)))
        return self._solved(arcs, [n], n + 1)

    def _solved(self, arcs, sources, n=None):
        return apsp.solve(apsp.edges(len(self) if n is None else n, *arcs), sources=sources)


def _check_signs(weights):
    if weights.size and weights.min() < 0:
        raise NotImplementedError("a weight is below 0 in Dijkstra's algorithm")


def weight_list(neighbors, multigraph, name):
    """The weights as they are in the graph; of parallel edges, the smallest one."""
    if not multigraph:
        return [data.get(name, 1) for row in neighbors for data in row.values()]
    try:
        return [min(data.get(name, 1) for data in parallel.values())
                for row in neighbors for parallel in row.values()]
    except TypeError as error:
        raise NotImplementedError("weights cannot be compared") from error


def numbers(values, n):
    """The weights of a graph of n nodes as int64 or float64.

    Raises NotImplementedError if a number would change, or if distances could be too large.
    """
    kinds = set(map(type, values))
    for kind in kinds:
        if not issubclass(kind, WHOLE + REAL):
            raise NotImplementedError(f"a weight is a {kind.__name__}")
    if not values or all(issubclass(kind, WHOLE) for kind in kinds):
        largest = max((abs(int(value)) for value in values), default=0)
        if largest * n >= apsp.infinity("int64"):
            raise NotImplementedError("distances may not fit into 64 bits")
        return np.array(values, np.int64)
    if any(abs(int(value)) > EXACT for value in values if isinstance(value, WHOLE)):
        raise NotImplementedError("a whole weight beside real ones is above 2**53")
    array = np.array(values, np.float64)
    if not np.isfinite(array).all():
        raise NotImplementedError("a weight is infinite or not a number")
    return array


def convert_from_nx(graph, *, edge_attrs=None, **_):
    """Called by NetworkX. edge_attrs: the weights that a function wants, with their defaults."""
    return Graph(graph, edge_attrs or ())


def convert_to_nx(found, *, name=None):
    """Called by NetworkX: the graph that was converted. All other results are NetworkX's."""
    return found.nx if isinstance(found, Graph) else found
