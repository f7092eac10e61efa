"""SciPy's functions for shortest paths: the same calls, on this library.

In a script that uses `scipy.sparse.csgraph`, replace the import by `from apsp import csgraph`.
Names that are not here are SciPy's.

What is different: Every function takes negative weights, and raises `NegativeCycleError` where
there is no shortest path. Of several shortest paths, predecessors may follow another one. No
function keeps to the algorithm that it is named after. An infinite negative weight is an error.
"""
from __future__ import annotations

import math

import numpy as np

from . import graphs
from .distances import NO_PREDECESSOR, solve
from .questions import within

SHARED = """

    Parameters
    ----------
    csgraph : array, or sparse array or matrix, (N, N)
        The weight of the edge from i to j is csgraph[i, j]. In a dense array, 0, infinity and NaN
        mean that there is no edge. In a sparse one, explicit zeros are edges of weight 0, and
        infinity and NaN mean that there is no edge.
    directed : bool
        If it is False, every edge leads both ways.
    return_predecessors : bool
        Whether to return predecessors, too.
    unweighted : bool
        If it is True, every edge counts 1.{indices}{more}
    targets : sequence of int, optional
        Only the columns of these vertices. Not with predecessors.
    dtype : optional
        The type to compute in and to return [float64]. Whole numbers are exact in int32 and
        int64; `apsp.infinity(dtype)` stands for "no path" there.
    device : {{None, "cpu", "cuda", "cuda:1", ...}}
        Where to solve [on the GPU if there is one].
    out : array, optional
        Where to write the distances.

    Returns
    -------
    dist_matrix : array
        dist_matrix[i, j] is the distance from i to j, infinite if there is no path.
    predecessors : array of int32, if return_predecessors is True
        predecessors[i, j] is the vertex before j on a shortest path from i, or -9999.

    Raises
    ------
    apsp.NegativeCycleError
        If a cycle's weights add up to less than 0. It is also SciPy's NegativeCycleError.
"""
INDICES = """
    indices : int or array of int, optional
        Only the rows of these vertices."""


def _documented(first, indices=True, more=""):
    def document(function):
        function.__doc__ = first + SHARED.format(indices=INDICES if indices else "", more=more)
        return function
    return document


@_documented("Distances between the vertices of a graph.", more="""
    method : {"auto", "FW", "D", "BF", "J"}
        It chooses nothing here: the fastest method is taken. As in SciPy, "FW" takes no indices.
    overwrite : bool
        If csgraph is a dense C-contiguous array of float64, write the distances into it.""")
def shortest_path(csgraph, method="auto", directed=True, return_predecessors=False,
                  unweighted=False, overwrite=False, indices=None, *, targets=None, dtype=None,
                  device=None, out=None):
    if method not in ("auto", "FW", "D", "BF", "J"):
        raise ValueError(f"unrecognized method '{method}'")
    if method == "FW" and indices is not None:
        raise ValueError("Cannot specify indices with method == 'FW'.")
    return _solve(csgraph, directed, return_predecessors, unweighted, indices, targets, dtype,
                  device, _output(csgraph, overwrite, out))


@_documented("Distances, as SciPy's `dijkstra` gives them.", more="""
    limit : float
        Distances above it are infinite.
    min_only : bool
        If it is True, dist_matrix[j] is the least distance from any of the indices to j. Then
        return_predecessors also returns the array `sources`: the index that j is nearest to.""")
def dijkstra(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False,
             limit=np.inf, min_only=False, *, targets=None, dtype=None, device=None, out=None):
    if not limit >= 0:
        raise ValueError("limit must be >= 0")
    if min_only:
        if targets is not None or out is not None:
            raise ValueError("targets and out do not go with min_only")
        return _from_nearest(csgraph, directed, return_predecessors, unweighted, indices, limit,
                             dtype, device)
    return _solve(csgraph, directed, return_predecessors, unweighted, indices, targets, dtype,
                  device, out, limit)


@_documented("Distances between all vertices, as SciPy's `floyd_warshall` gives them.",
             indices=False, more="""
    overwrite : bool
        If csgraph is a dense C-contiguous array of float64, write the distances into it.""")
def floyd_warshall(csgraph, directed=True, return_predecessors=False, unweighted=False,
                   overwrite=False, *, targets=None, dtype=None, device=None, out=None):
    return _solve(csgraph, directed, return_predecessors, unweighted, None, targets, dtype, device,
                  _output(csgraph, overwrite, out))


@_documented("Distances, as SciPy's `johnson` gives them.")
def johnson(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False, *,
            targets=None, dtype=None, device=None, out=None):
    return _solve(csgraph, directed, return_predecessors, unweighted, indices, targets, dtype,
                  device, out)


@_documented("Distances, as SciPy's `bellman_ford` gives them.")
def bellman_ford(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False,
                 *, targets=None, dtype=None, device=None, out=None):
    return _solve(csgraph, directed, return_predecessors, unweighted, indices, targets, dtype,
                  device, out)


def _graph(csgraph, directed, unweighted, dtype):
    """The graph that SciPy's functions mean by an array."""
    dtype = np.dtype(np.float64 if dtype is None else dtype)
    listed = _sparse(csgraph, unweighted)
    if listed is not None:
        return graphs.from_sparse(listed, dtype=dtype, unweighted=unweighted,
                                  both_ways=not directed)
    if graphs.on_gpu(csgraph):
        if unweighted or not directed:
            raise ValueError("a matrix on a GPU is directed and has weights: change it there")
        return graphs.matrix(csgraph, zero_is_no_edge=True, nan_is_no_edge=True)
    if not np.ma.isMaskedArray(csgraph):
        csgraph = np.asarray(csgraph)
        graphs.type_for(csgraph.dtype)  # refuses what are no numbers
        if directed and not unweighted:
            if csgraph.ndim == 2:
                diagonal = csgraph.diagonal()
                if (diagonal < 0).any():
                    _refuse_loops(diagonal, np.isinf(diagonal))
            return graphs.matrix(csgraph, dtype=dtype, zero_is_no_edge=True, nan_is_no_edge=True)
    # What is left is rare, and takes copies.
    graphs.require_square(csgraph)
    none = np.ma.getmaskarray(csgraph) | np.isnan(csgraph) | np.isinf(csgraph)
    weights = np.ma.getdata(csgraph)
    if not np.ma.isMaskedArray(csgraph):
        none |= csgraph == 0
    if not unweighted:
        _refuse_loops(weights.diagonal(), none.diagonal())
    weights = graphs.convert(np.where(none, 0, 1 if unweighted else weights), dtype)
    weights = np.where(none, graphs.infinity(dtype), weights).astype(dtype, copy=False)
    return graphs.matrix(weights if directed else np.minimum(weights, weights.T))


def _sparse(csgraph, unweighted):
    """A sparse array without what SciPy does not take for edges; None if it is not sparse."""
    if hasattr(csgraph, "to_scipy_sparse"):  # of the package sparse
        csgraph = csgraph.to_scipy_sparse()
    if not graphs.is_sparse(csgraph):
        return None
    if csgraph.format == "bsr":  # its blocks are filled with zeros
        csgraph = csgraph.tocsr()
        csgraph.eliminate_zeros()
    return csgraph if unweighted else _finite(csgraph)


def _finite(csgraph):
    """A sparse array without the entries that are infinite or NaN: they lead nowhere."""
    csgraph = csgraph.tocsr()
    if csgraph.data.dtype.kind != "f":
        return csgraph
    kept = (csgraph.data < np.inf)  # of NaN, too, this is False
    if kept.all():
        return csgraph
    offsets = np.concatenate(([0], np.cumsum(kept)))[csgraph.indptr]
    return type(csgraph)((csgraph.data[kept], csgraph.indices[kept], offsets), shape=csgraph.shape)


def _refuse_loops(weights, none):
    """SciPy's Floyd-Warshall sees that an edge from a vertex to itself may be a negative cycle."""
    loops = np.flatnonzero(~none & (weights < 0))
    if loops.size:
        from ._errors import raise_negative_cycle
        raise_negative_cycle(f"the edge from vertex {loops[0]} to itself is a negative cycle",
                             [int(loops[0])])


def _indices(indices, n):
    """The vertices that are asked for, and the shape that they have; None: all."""
    if indices is None:
        return None, (n,)
    found = np.asarray(indices)
    return graphs.vertices(found.ravel(), n, "indices") if found.size else [], found.shape


def _output(csgraph, overwrite, out):
    if (overwrite and out is None and isinstance(csgraph, np.ndarray)
            and csgraph.dtype == np.float64 and csgraph.flags.c_contiguous):
        return csgraph
    return out


def _solve(csgraph, directed, trees, unweighted, indices, targets, dtype, device, out,
           limit=np.inf):
    if trees and targets is not None:
        raise ValueError("predecessors have a column for each vertex: leave out targets")
    graph = _graph(csgraph, directed, unweighted, dtype)
    sources, shape = _indices(indices, graph.n)
    columns = graph.n if targets is None else np.size(targets)
    if sources == [] or columns == 0:
        empty = np.empty(shape + (columns,), graph.dtype)
        return (empty, np.empty(shape + (graph.n,), np.int32)) if trees else empty
    on_host = device in (None, "cpu") and not graphs.on_gpu(csgraph)
    if limit < np.inf and not trees and targets is None and on_host and not graph.negative:
        return _up_to(graph, sources, limit, shape + (columns,), out)
    found = solve(graph, sources=sources, targets=targets, device=device)
    before = found.predecessors() if trees else None
    rows = None if out is None else _as_rows(out, shape + (columns,))
    distances = found.matrix(rows, writeable=True)
    if limit < np.inf:
        far = distances > limit
        distances[far] = graphs.infinity(distances.dtype)
        if trees:
            before[far] = NO_PREDECESSOR
    distances = out if out is not None else distances.reshape(shape + distances.shape[1:])
    return (distances, before.reshape(shape + (graph.n,))) if trees else distances


def _up_to(graph, sources, limit, shape, out):
    """The distances up to a limit, which are searched for; all others are infinite."""
    rows = np.empty((math.prod(shape[:-1]), graph.n), graph.dtype)
    if out is not None:
        rows = _as_rows(out, shape)
    rows[:] = graphs.infinity(graph.dtype)
    near = within(graph, limit, sources=sources)
    offsets, columns, distances = (near if isinstance(near, tuple)  # without SciPy
                                   else (near.indptr, near.indices, near.data))
    rows[np.repeat(np.arange(len(rows)), np.diff(offsets)), columns] = distances
    rows[np.arange(len(rows)), np.arange(graph.n) if sources is None else sources] = 0
    return out if out is not None else rows.reshape(shape)


def _as_rows(out, shape):
    """What is written into, as a matrix: a view of it."""
    if not isinstance(out, np.ndarray) or out.shape != shape or not out.flags.c_contiguous:
        raise ValueError(f"out is no C-contiguous array of the shape {shape}")
    return out.reshape(-1, shape[-1])


def _from_nearest(csgraph, directed, trees, unweighted, indices, limit, dtype, device):
    """What `dijkstra` returns with min_only: from the nearest of the indices to each vertex."""
    listed = _sparse(csgraph, unweighted)
    if listed is None:
        graph = _graph(csgraph, directed, unweighted, dtype)
        n, dtype = graph.n, graph.dtype
    else:
        graphs.require_square(listed)
        n, dtype = listed.shape[0], np.dtype(np.float64 if dtype is None else dtype)
    sources, _ = _indices(indices, n)
    if sources == []:
        least = np.full(n, graphs.infinity(dtype), dtype)
        nothing = np.full(n, NO_PREDECESSOR, np.int32)
        return (least, nothing, nothing.copy()) if trees else least
    if listed is None:
        least, before, begins = _from_each(graph, sources, trees, device)
    else:
        least, before, begins = _from_root(listed, directed, trees, unweighted, sources, dtype,
                                           device)
    far = least > limit
    least[far] = graphs.infinity(least.dtype)
    if not trees:
        return least
    before[far] = begins[far] = NO_PREDECESSOR
    return least, before, begins


def _from_root(listed, directed, trees, unweighted, sources, dtype, device):
    """The least distances, the vertices before, and where paths begin, by one search.

    It is from one more vertex, which has an edge of weight 0 to each of the sources.
    """
    found, root = listed.tocoo(), listed.shape[0]
    tails, heads = found.row, found.col
    weights = np.ones(found.nnz, dtype) if unweighted else found.data
    if not directed:
        tails, heads = np.concatenate((tails, heads)), np.concatenate((heads, tails))
        weights = np.concatenate((weights, weights))
    vertices = np.arange(root, dtype=np.int32)
    sources = vertices if sources is None else np.unique(np.array(sources, np.int32))
    graph = graphs.edges(root + 1, np.append(tails, np.full(len(sources), root, tails.dtype)),
                         np.append(heads, sources),
                         np.append(weights, np.zeros(len(sources), weights.dtype)), dtype=dtype)
    found = solve(graph, sources=[root], device=device)
    least = found.rows(0, 1)[0, :root].copy()
    if not trees:
        return least, None, None
    before = found.predecessors(0, 1)[0, :root].copy()
    before[sources[least[sources] == 0]] = root  # the path to itself, not one of weight 0
    none = before == NO_PREDECESSOR
    # Each vertex looks twice as far back in each round.
    begins = np.where(none | (before == root), vertices, before)
    while not np.array_equal(further := begins[begins], begins):
        begins = further
    before[before == root] = begins[none] = NO_PREDECESSOR
    return least, before, begins


def _from_each(graph, sources, trees, device):
    """The same of a matrix, by looking at the rows of all sources."""
    found = solve(graph, sources=sources, device=device)
    sources = np.arange(graph.n, dtype=np.int32) if sources is None else np.array(sources, np.int32)
    least = np.full(graph.n, graphs.infinity(found.dtype), found.dtype)
    row = np.full(graph.n, -1)
    for first, rows in found.blocks():
        best = rows.argmin(axis=0)
        there = np.take_along_axis(rows, best[None, :], axis=0)[0]
        nearer = there < least  # of equal ones, the first of the indices
        least[nearer] = there[nearer]
        row[nearer] = first + best[nearer]
    if not trees:
        return least, None, None
    # The vertex before v is nearest to the same source, because of equal ones it is the first.
    before = np.full(graph.n, NO_PREDECESSOR, np.int32)
    for at in np.unique(row[row >= 0]):
        mine = row == at
        before[mine] = found.predecessors(at, at + 1)[0, mine]
    return least, before, np.where(row >= 0, sources[row], NO_PREDECESSOR).astype(np.int32)


def __getattr__(name):
    if name == "NegativeCycleError":
        from ._errors import negative_cycle_error
        return negative_cycle_error()
    if not name.startswith("__"):
        from scipy.sparse import csgraph
        return getattr(csgraph, name)
    raise AttributeError(f"module 'apsp.csgraph' has no attribute {name!r}")
