"""Graphs from what Python programs have: NumPy, SciPy, pandas, NetworkX, and arrays on a GPU.

Everything becomes a `Graph`, which is a view of arrays. An array of the right type and order is
not copied.
"""
from __future__ import annotations

import importlib
import math
import operator
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _engine

TYPES = {np.dtype(t): code for code, t in enumerate(("i4", "f4", "i8", "f8"), 1)}
CUDA = (2, 13)  # DLPack's numbers for memory of a GPU


class Graph:
    """A graph, as a view of arrays. `csr`, `edges`, `matrix` and `graph` make it.

    Attributes
    ----------
    n : int
        Vertices. They are the numbers from 0 to n - 1.
    dtype : numpy.dtype
        Of the weights: int32, int64, float32 or float64. Distances have the same.
    nodes : sequence or None
        What the vertices are called, in the order of their numbers; None: as their numbers.
    """

    def __init__(self, engine, dtype, weights=None, nodes=None):
        self.engine = engine
        self.n = engine.n
        self.dtype = np.dtype(dtype)
        if nodes is not None and len(nodes) != self.n:
            raise ValueError(f"nodes has {len(nodes)} names for {self.n} vertices")
        self.nodes = nodes
        self._weights = weights  # in host memory, or None

    @property
    def negative(self):
        """Whether some weight is below 0. Weights on a GPU are not looked at."""
        weights = self._weights
        return weights is not None and weights.size > 0 and bool(weights.min() < 0)

    def __repr__(self):
        return f"<apsp graph of {self.n} vertices, {self.dtype}>"


def infinity(dtype: DTypeLike) -> float:
    """What stands for "no edge" and "no path" in arrays of that type.

    Examples
    --------
    >>> apsp.infinity("float64"), apsp.infinity("int32")
    (inf, 1073741823)
    """
    kind = asked_type(dtype, np.int32)
    if kind.kind == "f":
        return math.inf
    return _engine.infinity32 if kind.itemsize == 4 else _engine.infinity64


def type_for(dtype):
    """The type to compute in with weights of that type: int32, int64, float32 or float64.

    Numbers are exact in it, if they fit. Only those of more than 64 bits are rounded.
    """
    given = np.dtype(dtype)
    if given in TYPES:
        return given.newbyteorder("=")
    if given.kind in "biu":  # whether a large uint64 fits is seen when it is converted
        return np.dtype("i4" if np.can_cast(given, "i4", "safe") else "i8")
    if given.kind == "f":
        return np.dtype("f4" if given.itemsize < 4 else "f8")
    raise ValueError(f"weights are real numbers, not {given}")


def asked_type(dtype, weights):
    """The type that is asked for; None: the one for weights of that type."""
    kind = type_for(weights)
    if dtype is None:
        return kind
    asked = np.dtype(dtype).newbyteorder("=")
    if asked not in TYPES:
        raise ValueError(f"dtype is {asked}: it is int32, int64, float32 or float64")
    return asked


def convert(array, dtype, whole_infinity=False):
    """The array in that type, itself if it has it.

    Numbers are rounded to real types, but must stay the same in whole ones. Infinity becomes
    `infinity(dtype)`, also that of whole types if `whole_infinity` is True. Raises ValueError, with the first number that does not fit.
    """
    array = np.asarray(array)
    if array.dtype == dtype and array.dtype.isnative:
        return array
    with np.errstate(over="ignore", invalid="ignore"):
        made = array.astype(dtype)
    if array.dtype.kind == "f":
        none = array == math.inf
    elif whole_infinity and array.dtype.newbyteorder("=") in TYPES:
        none = array == infinity(array.dtype)
    else:
        none = np.zeros(array.shape, bool)
    if dtype.kind == "i":
        fits = (made == array) & ((made < 0) == (array < 0)) & (made < infinity(dtype)) | none
    else:
        fits = ~np.isinf(made) | (np.isinf(array) if array.dtype.kind == "f" else none)
    made[none] = infinity(dtype)
    if not fits.all():
        at = np.unravel_index(np.flatnonzero(~fits)[0], array.shape)
        raise ValueError(f"weight{list(map(int, at))} is {array[at]}: that is no {dtype}")
    return made


def csr(offsets: ArrayLike, heads: ArrayLike, weights: ArrayLike | None = None, *,
        dtype: DTypeLike | None = None, nodes: Sequence | None = None) -> Graph:
    """A graph whose edges are sorted by the vertex that they leave.

    Of vertex u they are the edges e with offsets[u] <= e < offsets[u + 1]. Edge e leads to
    heads[e] and weighs weights[e].

    Parameters
    ----------
    offsets : (n + 1) integers, ascending from 0
    heads : (edges) integers
    weights : (edges) numbers, optional
        If they are left out, every edge counts 1.
    dtype : optional
        The type to compute in: int32, int64, float32 or float64. Otherwise that of the weights.
    nodes : sequence, optional
        What the vertices are called.
    """
    offsets = _on_host(offsets)
    if offsets.dtype not in (np.int32, np.int64) or not offsets.dtype.isnative:
        if offsets.dtype.kind not in "iu":
            raise ValueError(f"offsets are whole numbers, not {offsets.dtype}")
        offsets = offsets.astype(np.int64)
    heads = _vertices(heads, "heads")
    weights, kind = _weights(weights, dtype)
    made = _engine.csr(np.ascontiguousarray(offsets), heads, weights, TYPES[kind])
    return Graph(made, kind, weights, nodes)


def edges(n: int, tails: ArrayLike, heads: ArrayLike, weights: ArrayLike | None = None, *,
          dtype: DTypeLike | None = None, nodes: Sequence | None = None) -> Graph:
    """A graph of directed edges in any order. Of parallel edges the lightest counts.

    Parameters
    ----------
    n : int
        Vertices.
    tails, heads : (edges) integers
        The ends of each edge.
    weights, dtype, nodes
        As in `csr`.
    """
    n = operator.index(n)
    if not 0 <= n < 2**31:
        raise ValueError(f"n is {n}: it is 0 or more, and below 2147483648")
    weights, kind = _weights(weights, dtype)
    made = _engine.edges(n, _vertices(tails, "tails"), _vertices(heads, "heads"), weights,
                         TYPES[kind])
    return Graph(made, kind, weights, nodes)


def matrix(weights: Any, *, dtype: DTypeLike | None = None, nodes: Sequence | None = None,
           zero_is_no_edge: bool = False, nan_is_no_edge: bool = False) -> Graph:
    """A graph as a square matrix: row i, column j has the weight of the edge from i to j.

    Where there is no edge, it has the `infinity` of its own type. The diagonal does not count.

    Parameters
    ----------
    weights : (n, n) numbers
        In any order of rows and columns. Also an array in a GPU's memory.
    zero_is_no_edge, nan_is_no_edge : bool
        Whether 0 or NaN stands for "no edge", too.
    """
    marks = ((_engine.zero_is_no_edge if zero_is_no_edge else 0)
             + (_engine.nan_is_no_edge if nan_is_no_edge else 0))
    if on_gpu(weights):
        array = _as_dlpack(weights)
        kind = np.dtype(str(weights.dtype).split(".")[-1])
        if dtype is not None and np.dtype(dtype) != kind:
            raise ValueError(f"the matrix on the GPU is {kind}: convert it to {np.dtype(dtype)}")
        if kind not in TYPES:
            raise ValueError(f"the matrix on the GPU is {kind}: convert it to int32, int64, "
                             "float32 or float64")
        return Graph(_engine.matrix(array, marks), kind, None, nodes)
    array = _on_host(weights)
    if array.ndim == 0:
        raise ValueError(f"a graph cannot be made of a {type(weights).__name__}")
    require_square(array)
    kind = asked_type(dtype, array.dtype)
    array = convert(array, kind, whole_infinity=not zero_is_no_edge)
    return Graph(_engine.matrix(array, marks), kind, array, nodes)


def graph(source: Any, *, weight: str = "weight", dtype: DTypeLike | None = None) -> Graph:
    """A graph from whatever holds one.

    Parameters
    ----------
    source
        A `Graph`; a square NumPy array, or one of CuPy, PyTorch or JAX (as `matrix` takes it); a
        SciPy sparse array or matrix of any format; a NetworkX graph; a pandas DataFrame of edges,
        whose columns are source, target and the weight.
    weight : str
        The name of the weight in a NetworkX graph or a DataFrame. Edges without it count 1.
    dtype : optional
        The type to compute in. Otherwise that of the weights.
    """
    if isinstance(source, Graph):
        if dtype is not None and np.dtype(dtype) != source.dtype:
            raise ValueError(f"the graph is {source.dtype}: give dtype where it is made")
        return source
    if is_sparse(source):
        return from_sparse(source, dtype=dtype)
    if _is_of(source, "networkx", "Graph"):
        return _from_networkx(source, weight, dtype)
    if _is_of(source, "pandas", "DataFrame"):
        return _from_frame(source, weight, dtype)
    return matrix(source, dtype=dtype)


def from_sparse(source, *, dtype=None, unweighted=False, both_ways=False):
    """A graph from a SciPy sparse array or matrix. Zeros that it holds are edges of weight 0.

    unweighted: every edge counts 1. both_ways: every edge leads back, too.
    """
    require_square(source)
    if both_ways:
        found = source.tocoo()
        ends = found.row, found.col
        weights = None if unweighted else np.concatenate((found.data, found.data))
        return edges(source.shape[0], np.concatenate(ends), np.concatenate(ends[::-1]), weights,
                     dtype=dtype)
    found = source.tocsr()
    return csr(found.indptr, found.indices, None if unweighted else found.data, dtype=dtype)


def require_square(array):
    """Raises ValueError if the array or sparse array is no square matrix."""
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"a matrix of shape {array.shape} is not square")


def is_sparse(source):
    """Whether that is a SciPy sparse array or matrix."""
    return hasattr(source, "tocsr") and hasattr(source, "tocoo")


def on_gpu(source):
    """Whether that is an array in a GPU's memory."""
    if isinstance(source, np.ndarray):
        return False
    if hasattr(source, "__dlpack_device__"):
        return source.__dlpack_device__()[0] in CUDA
    return hasattr(source, "__cuda_array_interface__")


def vertices(numbers, n, what):
    """Numbers of vertices as a list. Negative ones count from the end, as in Python."""
    found = np.atleast_1d(np.asarray(numbers))
    if found.size == 0:
        raise ValueError(f"{what} is empty: leave it out for all vertices")
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ValueError(f"{what} are whole numbers, one after the other, not {found.dtype} of the "
                         f"shape {found.shape}")
    wrong = (found < -n) | (found >= n)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"{what}[{at}] is {found[at]}: vertices are 0 to {n - 1}")
    return np.where(found < 0, found + n, found).tolist()


def _vertices(numbers, what):
    """Ends of edges as the engine takes them: 32 bits, one after the other."""
    found = _on_host(numbers)
    if found.dtype != np.int32 and found.size:
        if found.dtype.kind not in "iu":
            raise ValueError(f"{what} are whole numbers, not {found.dtype}")
        wrong = np.flatnonzero((found > 2**31 - 1) | (found < 0))
        if wrong.size:
            raise ValueError(f"{what}[{wrong[0]}] is {found.flat[wrong[0]]}: vertices are 0 or "
                             "more, and below 2147483648")
    return np.ascontiguousarray(found, np.int32)


def _weights(weights, dtype):
    """The weights as the engine takes them, and their type."""
    if weights is None:
        return None, asked_type(dtype, np.int32)
    found = _on_host(weights)
    kind = asked_type(dtype, found.dtype)
    return np.ascontiguousarray(convert(found, kind)), kind


def _on_host(array):
    """The array as NumPy's. A tensor in host memory is not copied."""
    if not isinstance(array, np.ndarray) and hasattr(array, "__dlpack__"):
        if on_gpu(array):
            raise ValueError("edges on a GPU: copy them to the host first")
        return np.from_dlpack(array)
    return np.asarray(array)


def _as_dlpack(array):
    """An array on a GPU with DLPack. CuPy gives it to those that have only CUDA's interface."""
    return array if hasattr(array, "__dlpack__") else importlib.import_module("cupy").asarray(array)


def _is_of(source, module, name):
    """Whether it is of a class of a module, which is not imported for that."""
    found = sys.modules.get(module)
    return found is not None and isinstance(source, getattr(found, name))


def _from_networkx(source, weight, dtype):
    nodes = list(source)
    number = {node: at for at, node in enumerate(nodes)}
    ends = [(number[u], number[v]) for u, v in source.edges()]
    weights = [found for *_, found in source.edges(data=weight, default=1)]
    tails, heads = np.array(ends, dtype=np.int32).reshape(-1, 2).T
    weights = np.asarray(weights) if weights else np.zeros(0, np.int64)
    if not source.is_directed():
        tails, heads = np.concatenate((tails, heads)), np.concatenate((heads, tails))
        weights = np.concatenate((weights, weights))
    return edges(len(nodes), tails, heads, weights, dtype=dtype, nodes=nodes)


def _from_frame(frame, weight, dtype):
    pandas = sys.modules["pandas"]
    if frame.shape[1] < 2 or (weight != "weight" and weight not in frame.columns):
        raise ValueError(f"a frame of edges has the columns source, target and {weight}, not "
                         f"{', '.join(map(str, frame.columns))}")
    named = {"source", "target"} <= set(frame.columns)
    ends = frame[["source", "target"]] if named else frame.iloc[:, :2]
    numbers, nodes = pandas.factorize(pandas.concat([ends.iloc[:, 0], ends.iloc[:, 1]]))
    if weight in frame.columns:
        weights = frame[weight].to_numpy()
    else:
        weights = None if named or frame.shape[1] < 3 else frame.iloc[:, 2].to_numpy()
    count = len(frame)
    return edges(len(nodes), numbers[:count], numbers[count:], weights, dtype=dtype,
                 nodes=nodes.tolist())
