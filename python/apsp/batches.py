"""Many small graphs in one call."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import _engine, graphs
from .distances import place_of


def batch(weights: Any, *, sizes: Sequence[int] | None = None, dtype: DTypeLike | None = None,
          device: str | None = None, threads: int = 0, overwrite: bool = False) -> Any:
    """Finds all distances of many small graphs.

    Parameters
    ----------
    weights : array (count, n, n), or a list of matrices, or a sparse array
        A graph each: row i, column j has the weight of the edge from i to j, and
        `infinity(dtype)` where there is no edge. Weights are 0 or more. A list may have matrices
        of different sizes, dense or sparse. A sparse array has all graphs one after the other
        along its diagonal, as graph libraries batch them; explicit zeros are edges.
    sizes : sequence of int
        How many vertices each of the graphs in a sparse array has.
    dtype : optional
        int32, int64, float32 or float64 [that of the weights].
    device : {None, "cpu", "cuda", "cuda:1", ...}
        Where to solve arrays in host memory [on the CPU]. Arrays on a GPU are solved there.
    threads : int
        On a CPU [0: as many as OpenMP chooses].
    overwrite : bool
        Whether an array (count, n, n) may be overwritten by its distances. One on a GPU must.

    Returns
    -------
    array (count, n, n), or a list of arrays (n, n)

    Examples
    --------
    >>> inf = np.inf
    >>> apsp.batch(np.array([[[0, 7.0], [inf, 0]], [[0, 1.0], [2, 0]]])).tolist()
    [[[0.0, 7.0], [inf, 0.0]], [[0.0, 1.0], [2.0, 0.0]]]
    """
    place = place_of(device)
    if graphs.is_sparse(weights) or isinstance(weights, (list, tuple)):
        return _of_sizes(weights, sizes, dtype, place, threads)
    if graphs.on_gpu(weights):
        if not overwrite:
            raise ValueError("a batch on a GPU is solved in place: copy it, and say overwrite=True")
        _engine.batch(weights, *place, threads)
        return weights
    given = np.asarray(weights)
    if given.ndim != 3 or given.shape[1] != given.shape[2]:
        raise ValueError(f"weights have the shape {given.shape}, not (count, n, n)")
    kind = graphs.asked_type(dtype, given.dtype)
    solved = np.ascontiguousarray(graphs.convert(given, kind))
    if solved is given and not overwrite:
        solved = given.copy()
    _engine.batch(solved, *place, threads)
    return solved


def _of_sizes(weights, sizes, dtype, place, threads):
    """A list of the distances of graphs of different sizes.

    Graphs of nearly the same size are solved together, padded with vertices without edges.
    """
    matrices = list(_blocks(weights, sizes)) if graphs.is_sparse(weights) else list(weights)
    if not matrices:
        return []
    kind = graphs.asked_type(dtype, np.result_type(*{_array(m).dtype for m in matrices}))
    found = [None] * len(matrices)
    groups = {}
    for at, matrix in enumerate(matrices):
        size = np.shape(matrix)
        if len(size) != 2 or size[0] != size[1]:
            raise ValueError(f"matrix {at} has the shape {size}: it is not square")
        groups.setdefault(-(-size[0] // 8) * 8, []).append(at)
    for n, members in groups.items():
        padded = np.full((len(members), n, n), graphs.infinity(kind), kind)
        for room, at in zip(padded, members):
            _write(matrices[at], room, kind)
        _engine.batch(padded, *place, threads)
        for solved, at in zip(padded, members):
            size = np.shape(matrices[at])[0]
            found[at] = solved[:size, :size]
    return found


def _array(matrix):
    return matrix if hasattr(matrix, "dtype") else np.asarray(matrix)


def _write(matrix, room, kind):
    """Writes the weights into a padded matrix."""
    if graphs.is_sparse(matrix):
        coo = matrix.tocoo()
        np.minimum.at(room, (coo.row, coo.col), graphs.convert(coo.data, kind))
    else:
        size = np.shape(matrix)[0]
        room[:size, :size] = graphs.convert(_array(matrix), kind)


def _blocks(weights, sizes):
    """The graphs along the diagonal of a sparse array."""
    if sizes is None or sum(sizes) != weights.shape[0]:
        raise ValueError(f"sizes must add up to the {weights.shape[0]} rows of the sparse array")
    rows = weights.tocsr()
    begin = 0
    for size in sizes:
        block = rows[begin:begin + size]
        inside = block[:, begin:begin + size]
        if inside.nnz != block.nnz:
            raise ValueError(f"an edge leads out of the graph that begins at row {begin}")
        yield inside
        begin += size
