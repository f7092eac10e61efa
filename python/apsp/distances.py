"""Solving, and what a solve gives: distances that are no matrix yet."""
from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _engine, graphs

PLACES = {None: 0, "auto": 0, "cpu": 1, "cuda": 2, "gpu": 2}
METHODS = {"auto": 0, "dense": 1, "filtered": 2, "sparse": 3, "bfs": 5}
NO_PREDECESSOR = -9999  # SciPy's
ON_HOST = 1, 0  # DLPack's device of host memory
BLOCK = 1 << 22  # elements of the rows that are looked at together
TREES_OF_CORE = 32  # rows of predecessors that a core finds at a time


def solve(source: Any, *, sources: ArrayLike | None = None, targets: ArrayLike | None = None,
          weight: str = "weight", dtype: DTypeLike | None = None, device: str | None = None,
          method: str = "auto", threads: int = 0, ranks: int = 0, negative: bool | None = None,
          distance_bytes: int = 0,
          progress: Callable[[str, float], object] | bool | None = None) -> Distances:
    """Finds the distances between all vertices of a graph, or between some of them.

    Parameters
    ----------
    source
        Whatever `graph` takes: an array, a sparse matrix, a NetworkX graph, a DataFrame, …
    sources, targets : int or sequence of int, optional
        The vertices of the rows and of the columns [all]. A few sources take less time.
    weight : str
        The name of the weight in a NetworkX graph or a DataFrame.
    dtype : optional
        The type to compute in: int32, int64, float32 or float64 [that of the weights]. Whole
        numbers are exact.
    device : {None, "cpu", "cuda", "cuda:1", ...}
        Where to solve [on the GPU if there is one].
    method : {"auto", "dense", "filtered", "sparse", "bfs"}
        How to solve ["auto": what is expected to be the fastest].
    threads : int
        On a CPU [0: as many as OpenMP chooses].
    ranks : int
        How many GPUs solve together; on a CPU, parts of the matrix [0: one].
    negative : bool, optional
        Whether weights may be below 0 [it looks; on a GPU it does not, and False is meant].
    distance_bytes : {0, 1, 2}
        1 or 2: no distance is above 254 or 65534. Breadth-first searches then keep the distances in
        so many bytes each, with `method="bfs"` or if they have no room otherwise; what they give is
        the same. ValueError if a distance is larger. For whole weights from 0 on, and one rank [0:
        as many as a weight has].
    progress : callable or True, optional
        Called as progress(text, part) some tens of times a second. part: from 0 to 1, or below 0
        if it is not known. True shows it on the terminal.

    Returns
    -------
    Distances

    Raises
    ------
    ValueError
        If a weight or a vertex is wrong. The message names it.
    MemoryError
        If there is too little memory. The message says how much is needed.
    OverflowError
        If a distance does not fit into the type.
    apsp.NegativeCycleError
        If there are no shortest paths. The attribute `cycle` has the cycle.

    Examples
    --------
    >>> graph = apsp.edges(3, [0, 1, 2], [1, 2, 0], [7, 5, 1])
    >>> apsp.solve(graph)[0].tolist()
    [0, 7, 12]
    >>> apsp.solve(graph, sources=[2], targets=[0, 1]).rows().tolist()
    [[1, 8]]
    """
    graph = graphs.graph(source, weight=weight, dtype=dtype)
    options, asked = _options(graph, sources, targets, device, method, threads, ranks, negative,
                              progress)
    options.set_distance_bytes(operator.index(distance_bytes))
    return Distances(_engine.solve(graph.engine, options), graph, *asked)


def plan(source: Any, *, sources: ArrayLike | None = None, targets: ArrayLike | None = None,
         weight: str = "weight", dtype: DTypeLike | None = None, device: str | None = None,
         method: str = "auto", threads: int = 0, negative: bool | None = None,
         distance_bytes: int = 0, order: ArrayLike | None = None,
         progress: Callable[[str, float], object] | bool | None = None) -> Plan:
    """Decides how to solve graphs with these edges, whatever their weights are.

    The expensive part of this, for a sparse graph, is the order in which it is taken apart. It
    depends on the edges alone and is kept. Parameters: those of `solve`, and

    order : sequence of int, optional
        All vertices, in the order in which the sparse method takes the graph apart: `order()` of
        an earlier plan for the same edges, which may come from a file [it is found].

    Examples
    --------
    >>> offsets, heads = [0, 1, 2, 3], [1, 2, 0]
    >>> morning = apsp.csr(offsets, heads, [7, 5, 1])
    >>> kept = apsp.plan(morning)
    >>> evening = apsp.csr(offsets, heads, [2, 2, 2])
    >>> int(kept.solve(morning)[0, 2]), int(kept.solve(evening)[0, 2])
    (12, 4)
    """
    graph = graphs.graph(source, weight=weight, dtype=dtype)
    options, asked = _options(graph, sources, targets, device, method, threads, 0, negative,
                              progress)
    options.set_distance_bytes(operator.index(distance_bytes))
    if order is not None:
        numbers = graphs.vertices(order, graph.n, "order")
        if len(numbers) != graph.n:
            raise ValueError(f"order has {len(numbers)} vertices: there are {graph.n}")
        options.set_order(numbers)
    return Plan(_engine.Plan(graph.engine, options), weight, graph.dtype, asked)


class Plan:
    """How graphs with the same edges are solved. `plan` makes it."""

    def __init__(self, engine, weight, dtype, asked):
        self._engine = engine
        self._weight = weight
        self._dtype = dtype
        self._asked = asked

    def order(self) -> NDArray[np.int32]:
        """All vertices, in the order in which the sparse method takes the graph apart.

        ValueError if the plan is for another method: `method="sparse"` asks for this one.
        """
        return self._engine.order()

    def solve(self, source: Any) -> Distances:
        """The distances of a graph that has the edges of the one that was planned."""
        graph = graphs.graph(source, weight=self._weight, dtype=self._dtype)
        return Distances(self._engine.solve(graph.engine), graph, *self._asked)


class Distances:
    """The distances of a solve, which `solve` returns. They become a matrix when one is asked for.

    `distances[i, j]` is a number, `distances[i]` a row, and `numpy.asarray(distances)` the
    matrix. Rows and columns are counted from 0: if there are sources or targets, i and j are
    places in these lists. The matrix is not copied, and read only, if it lies in host memory and
    `computed` is its type; otherwise it is a new array. On a GPU,
    `torch.from_dlpack(distances)` and `cupy.from_dlpack(distances)` are the matrix where it lies, if
    `computed` is its type; otherwise it is a new array in host memory.

    Attributes
    ----------
    n : int
        Vertices of the graph.
    shape : (int, int)
        Rows and columns: n, or as many as there are sources and targets.
    dtype : numpy.dtype
        Of the distances.
    computed : numpy.dtype
        The type that computed. It is int32 if weights of 64 bits could be computed in 32.
    device : str
        "cpu", or the name of the GPU.
    method : str
        "dense", "filtered", "sparse" or "search".
    milliseconds : float
        What the solver took, without reading the graph and looking whether other types can
        compute it.
    times : dict
        The milliseconds of the rest: reading the arrays, planning (choosing the method, with what
        that has made already), placing the distances in memory, and checking whether they fit into
        their type.
    nodes : sequence or None
        What the vertices are called.
    """

    def __init__(self, engine, graph, sources=None, targets=None):
        self._engine = engine
        self._sources = sources
        self._targets = targets
        self.nodes = graph.nodes
        self.n = engine.n
        self.shape = engine.shape
        self.dtype = np.dtype(engine.dtype)

    computed = property(lambda self: np.dtype(self._engine.computed))
    method = property(lambda self: self._engine.method)
    milliseconds = property(lambda self: self._engine.milliseconds)
    times = property(lambda self: self._engine.times)
    device = property(lambda self: _engine.gpu()[1] if self._engine.on_gpu else "cpu")
    ndim = 2

    def __repr__(self):
        return (f"<apsp distances {self.shape[0]} x {self.shape[1]}, {self.dtype}, {self.method} "
                f"on {self.device}, {self.milliseconds:.3g} ms>")

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        """distances[i, j]: a number, infinite if there is no path. distances[i]: a row."""
        if isinstance(key, tuple):
            if len(key) != 2 or not all(hasattr(k, "__index__") for k in key):
                raise IndexError("distances take [i, j], [i] and [first:stop]: for all else take "
                                 "numpy.asarray(distances)")
            row, column = (_index(k, size) for k, size in zip(key, self.shape))
            found = self.rows(row, row + 1)[0, column]
            return math.inf if found == graphs.infinity(self.dtype) else found.item()
        if isinstance(key, slice):
            first, stop, step = key.indices(self.shape[0])
            if step == 1:
                return self.rows(first, max(first, stop))
        if not hasattr(key, "__index__"):
            raise IndexError("distances take [i, j], [i] and [first:stop]: for all else take "
                             "numpy.asarray(distances)")
        row = _index(key, self.shape[0])
        return self.rows(row, row + 1)[0]

    def rows(self, first: int = 0, stop: int | None = None,
             dtype: DTypeLike | None = None) -> np.ndarray:
        """The rows from `first` to before `stop` [all], (stop - first, columns).

        dtype: uint8 or uint16 for whole distances in less memory [that of the distances]. 255 or
        65535 stands for no path; ValueError if a distance is not below that.
        """
        count = _count(first, stop, self.shape[0])
        out = np.empty((count, self.shape[1]), self.dtype if dtype is None else dtype)
        return self._write(self._rows_as(out.dtype, "dtype"), first, out)

    def _rows_as(self, dtype, what):
        """The engine's function that writes rows in elements of that type. what: who asks."""
        if dtype in (np.uint8, np.uint16):
            return self._engine.narrow_rows
        if dtype != self.dtype:
            raise ValueError(f"{what} is {dtype}: rows are {self.dtype}, uint8 or uint16")
        return self._engine.rows

    def blocks(self, elements: int = BLOCK) -> Iterator[tuple[int, np.ndarray]]:
        """Yields (first row, some rows), until all rows have come."""
        step = max(1, elements // max(1, self.shape[1]))
        for first in range(0, self.shape[0], step):
            yield first, self.rows(first, min(first + step, self.shape[0]))

    def matrix(self, out: np.ndarray | None = None, writeable: bool = False) -> np.ndarray:
        """The matrix, in host memory: (rows, columns).

        If the solver has left it there, it is not copied, and read only unless `writeable` is
        True. Whoever writes into it changes these distances.

        out: where to write it instead, a contiguous array of that shape, and of that type, uint8 or
        uint16, as `rows` has them.
        """
        if out is not None:
            if not isinstance(out, np.ndarray) or not out.flags.writeable:
                raise ValueError("out is no array that can be written")
            if out.shape != self.shape:
                raise ValueError(f"out has the shape {out.shape}, not {self.shape}")
            return self._write(self._rows_as(out.dtype, "out"), 0, out)
        lies = None if self._engine.on_gpu else _engine.borrowed(self._engine, writeable)
        return self.rows() if lies is None else lies

    def __array__(self, dtype=None, copy=None):
        found = self.matrix()
        if dtype is not None and np.dtype(dtype) != found.dtype:
            if copy is False:
                raise ValueError(f"the distances are {found.dtype}: another type takes a copy")
            return found.astype(dtype)
        return found.copy() if copy else found

    def __dlpack__(self, **how):
        here = self.__dlpack_device__()
        how.pop("stream", None)  # the solve has waited for the GPU
        if here != ON_HOST and how.get("dl_device") in (None, here):
            if how.get("copy"):
                raise BufferError("the distances are on a GPU: copy the array that from_dlpack() gives")
            return _engine.borrowed(self._engine)
        lies = _engine.borrowed(self._engine) if here == ON_HOST else None
        if lies is None:
            if how.get("copy") is False:
                raise BufferError("the distances lie elsewhere, or in another type: allow a copy")
            return self.rows().__dlpack__(**how)
        try:
            return lies.__dlpack__(**how)
        except BufferError:  # before DLPack 1.0, nothing is read only
            if how.get("copy") is False:
                raise
            return lies.copy().__dlpack__(**how)

    def __dlpack_device__(self):
        gpu = _engine.gpu_of_matrix(self._engine)
        return ON_HOST if gpu is None else (2, gpu)

    def predecessors(self, first: int = 0, stop: int | None = None) -> np.ndarray:
        """The vertex before each one on a shortest path, as SciPy has it: (stop - first, n).

        It is -9999 where there is none. If the distances are to some targets only, those to all
        vertices are found again.
        """
        count = _count(first, stop, self.shape[0])
        return self._write(self._engine.predecessors, first, np.empty((count, self.n), np.int32),
                           TREES_OF_CORE * (os.cpu_count() or 1))

    def path(self, source: int, target: int) -> list[int]:
        """The vertices of a shortest path, both ends included; [] if there is no path.

        source, target: vertices, also if the distances are from some sources or to some targets only.
        """
        source, target = _index(source, self.n), _index(target, self.n)
        if self._sources is not None and source not in self._sources:
            raise ValueError(f"vertex {source} is none of the sources")
        return self._engine.path(source, target)

    def summary(self) -> dict[str, np.ndarray]:
        """What each row comes to, without the vertex itself: a dict of arrays.

        `reachable`: how many vertices it reaches. `eccentricity`: the largest of these distances,
        0 if there is none. `sum`: of these distances.
        """
        return dict(zip(("reachable", "eccentricity", "sum"), self._engine.summaries()))

    def incoming(self) -> dict[str, np.ndarray]:
        """What each column comes to: a dict of the arrays `reaching` and `sum`."""
        return dict(zip(("reaching", "sum"), self._engine.incoming()))

    def eccentricity(self) -> np.ndarray:
        """The largest distance from each vertex. Infinite if it does not reach all vertices."""
        found = self.summary()
        reached = found["reachable"] == self.shape[1] - self._own()
        return np.where(reached, found["eccentricity"], math.inf)

    def closeness(self) -> np.ndarray:
        """As NetworkX defines it: of incoming distances, scaled as Wasserman and Faust do."""
        found = self.incoming()
        with np.errstate(divide="ignore", invalid="ignore"):
            of_its_own = found["reaching"] / found["sum"]
            scaled = of_its_own * (found["reaching"] / (self.n - 1))
        return np.where(found["sum"] > 0, scaled, 0.0)

    def harmonic(self, outgoing: bool = False) -> np.ndarray:
        """The sum of 1/d over the distances to each column's vertex, as NetworkX defines it.

        With `outgoing`, over the distances from each row's vertex. Distances of 0 are left out.
        """
        return self._engine.harmonic()[0 if outgoing else 1]

    def efficiency(self) -> float:
        """The mean of 1/d over all pairs of different vertices, as NetworkX's global_efficiency.

        A pair without a path, or with a distance of 0, counts as 0.
        """
        return self._engine.measures()[-1]

    def mean(self) -> float:
        """The mean distance of the pairs of different vertices that have a path."""
        return self._engine.measures()[-2]

    def wiener(self) -> int | float:
        """The sum of the distances from each vertex to each other one; exact if they are whole.

        It is infinite if some pair has no path. NetworkX's wiener_index of an undirected graph is
        half of it.
        """
        pairs, reachable, total, high, low, *_ = self._engine.measures()
        if reachable < pairs:
            return math.inf
        return (high << 64) + low if self.dtype.kind == "i" else total

    def histogram(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How many pairs of different vertices have which distance: arrays (from, to, pairs).

        If all distances are whole and below 10000, there is an entry for each one that occurs, and
        `from` is `to`. Otherwise there are 1000 bins of the same width. Both ends of whole numbers
        are in the bin; of real ones, `to` is in the last bin only. Pairs without a path are left
        out.
        """
        return self._engine.histogram()

    def within(self, limit: float):
        """The distances up to `limit`, as a sparse array (CSR). The diagonal is not in it.

        A distance of 0 between two vertices is an entry that holds 0. Without SciPy it is a tuple
        (offsets, columns, distances).
        """
        limit = float(limit)
        if math.isnan(limit):
            raise ValueError("limit is no number")
        return sparse_of(self._engine.near(limit, None), self.shape, self.dtype)

    def nearest(self, k: int):
        """The k least distances of each row, as a sparse array (CSR). The diagonal is not in it.

        Rows that have fewer have all of theirs. Of equal distances, those to the vertices with
        the least numbers are taken.
        """
        k = operator.index(k)
        if k < 0:
            raise ValueError(f"k is {k}: it is 0 or more")
        return sparse_of(self._engine.near(math.inf, min(k, self.shape[1])), self.shape,
                         self.dtype, ascending=False)

    def frame(self):
        """The matrix as a pandas DataFrame, with the names of the vertices."""
        import pandas
        names = self.nodes if self.nodes is not None else range(self.n)
        rows, columns = (names if asked is None else [names[v] for v in asked]
                         for asked in (self._sources, self._targets))
        return pandas.DataFrame(self.matrix(), index=rows, columns=columns)

    @staticmethod
    def _write(rows, first, out, most=math.inf):
        """Lets the engine write rows from `first` on, at most `most` rows at a time: Ctrl-C comes
        in between."""
        step = max(1, min(most, BLOCK // max(1, out.shape[1])))
        for begin in range(0, len(out), step):
            some = out[begin:begin + step]
            rows(first + begin, len(some), some)
        return out

    def _own(self):
        """How many of the columns are the row's own vertex: (rows), or a number for all."""
        if self._targets is None:
            return 1
        sources = np.arange(self.n) if self._sources is None else np.asarray(self._sources)
        return np.isin(sources, self._targets).astype(int)


def sparse_of(near, shape, dtype, divisor=1, ascending=True):
    """Distances of some pairs as CSR with ascending columns or, without SciPy, as a tuple.

    divisor: of real numbers, what they are divided by.
    ascending: whether the engine's columns ascend, as all but those of the nearest do.
    """
    offsets = np.empty(near.rows + 1, np.int64)
    columns = np.empty(near.entries, np.int32)
    distances = np.empty(near.entries, dtype)
    near.copy(offsets, columns, distances)
    if not ascending:
        row = np.repeat(np.arange(near.rows), np.diff(offsets))
        order = np.lexsort((columns, row))
        columns, distances = columns[order], distances[order]
    if divisor != 1:
        distances /= divisor
    if near.entries <= np.iinfo(np.int32).max:
        offsets = offsets.astype(np.int32)  # else SciPy would make the columns int64, too
    try:
        from scipy.sparse import csr_array
    except ImportError:
        return offsets, columns, distances
    return csr_array((distances, columns, offsets), shape=shape)


def show_config() -> None:
    """Prints the version, the library's GPU, or why it uses none."""
    there, text = _engine.gpu()
    print(f"apsp {_engine.version}")
    print(f"GPU: {text}" if there else text)


def _options(graph, sources, targets, device, method, threads, ranks, negative, progress):
    """The engine's options, and the lists of sources and targets."""
    asked = tuple(None if numbers is None else graphs.vertices(numbers, graph.n, what)
                  for numbers, what in ((sources, "sources"), (targets, "targets")))
    place, gpu = place_of(device)
    if method not in METHODS:
        raise ValueError(f"method is {method!r}: it is one of {', '.join(METHODS)}")
    if negative is None:
        negative = graph.negative
    elif not isinstance(negative, (bool, np.bool_)):
        raise TypeError("negative is True, False or None")
    if progress not in (None, True, False) and not callable(progress):
        raise TypeError("progress is no function")
    return _engine.Options(place, gpu, METHODS[method],
                           operator.index(threads), operator.index(ranks), bool(negative),
                           *asked, {True: _shown, False: None}.get(progress, progress)), asked


def place_of(device):
    """The engine's number for a device, and 1 + that of the GPU; 0: the current one."""
    name, colon, number = device.partition(":") if isinstance(device, str) else (device, "", "")
    if name not in PLACES or (colon and (PLACES[name] != 2 or not re.fullmatch("[0-9]{1,4}", number))):
        raise ValueError(f'device is {device!r}: it is None, "cpu", "cuda" or, for example, "cuda:1"')
    return PLACES[name], int(number) + 1 if colon else 0


def _shown(what, part):
    """Shows progress in one line of the terminal."""
    text = f"{what} {part:.0%}" if part >= 0 else what
    print(f"\r{text:<40}", end="", flush=True)


def _index(key, size):
    """A number of a row or column. Negative ones count from the end."""
    number = operator.index(key)
    if not -size <= number < size:
        raise IndexError(f"{number}: there are {size}")
    return number % size if size else number


def _count(first, stop, rows):
    stop = rows if stop is None else stop
    if not 0 <= first <= stop <= rows:
        raise IndexError(f"rows {first} to {stop}: there are {rows}")
    return stop - first
