#!/usr/bin/env python3
"""Times breadth-first searches beside SciPy, NetworkX, igraph and networkit, in one process.

  scripts/compare_unweighted.py --data FOLDER -o results/cpu/unweighted.csv

FOLDER has p2p-Gnutella31.txt.gz. Our time is that of the solve, the median of some. Others are timed
from some vertices, as the column `sampled` says, and their time is multiplied. Their distances are
compared with ours. The column `method` says which method `auto` took; the times of the others of ours
stand beside it. Needs what compare_python.py needs.
"""
import importlib
import platform
import statistics

import numpy as np
import scipy.sparse

import apsp
from compare_python import Others, compare, lightest, median, read_snap, version

METHODS = "bfs", "filtered", "sparse"
RUNS, LONGEST = 5, 30.0  # runs of a method; seconds that one may be expected to take


class Unweighted(Others):
    """The same calls, which count edges."""
    networkx_call, weighted = "single_source_shortest_path_length", False


def drawn(n, degree):
    random = np.random.default_rng(1)
    tails, heads = random.integers(0, n, (2, n * degree))
    return lightest(tails, heads, np.ones(n * degree, np.int64))


def grid(side):
    places = np.arange(side * side).reshape(side, side)
    tails = np.r_[places[:, :-1].ravel(), places[:-1].ravel()]
    heads = np.r_[places[:, 1:].ravel(), places[1:].ravel()]
    return lightest(np.r_[tails, heads], np.r_[heads, tails], np.ones(2 * len(tails), np.int64))


def small_world(n):
    nx = importlib.import_module("networkx")
    edges = np.array(nx.watts_strogatz_graph(n, 10, 0.1, seed=1).edges())
    return lightest(np.r_[edges[:, 0], edges[:, 1]], np.r_[edges[:, 1], edges[:, 0]],
                    np.ones(2 * len(edges), np.int64))


def solved(graph, method):
    """(milliseconds of the solve, the result)"""
    times, result = [], None
    while len(times) < RUNS and sum(times) < LONGEST * 1000:
        del result
        result = apsp.solve(graph, method=method)
        times.append(result.milliseconds)
    return statistics.median(times), result


def rows(name, graph, samples):
    graph = scipy.sparse.csr_array((graph.data.astype(np.int32), graph.indices, graph.indptr), graph.shape)
    n = graph.shape[0]
    ours = {}
    for method in METHODS:
        try:
            if method != "sparse" or graph.nnz < 4 * n:
                ours[method] = solved(graph, method)[0]
        except MemoryError as error:
            print(f"{name}: {method} is left out: {error}", flush=True)
    auto_ms, result = solved(graph, "auto")
    sources = np.linspace(0, n - 1, samples).astype(int).tolist()
    found = np.stack([result[source] for source in sources])
    mine = np.where(found == apsp.infinity(found.dtype), np.inf, found)
    calls = Unweighted(graph)
    for other in ("scipy", "networkx", "igraph", "networkit"):
        if version(other) is None:
            continue
        getattr(calls, other)(sources[:1])
        seconds, theirs = median(lambda: getattr(calls, other)(sources))
        np.testing.assert_array_equal(theirs, mine)
        print(f"{name}: {other} about {seconds * n / samples:.4g} s, apsp {auto_ms / 1000:.4g} s", flush=True)
        yield {"graph": name, "n": n, "edges": graph.nnz, "other": f"{other} {version(other)}", "sampled": samples,
               "other_s": f"{seconds * n / samples:.6g}", "apsp_s": f"{auto_ms / 1000:.6g}", "method": result.method,
               **{f"{method}_s": f"{ours[method] / 1000:.6g}" if method in ours else "" for method in METHODS},
               "factor": f"{seconds * n / samples / auto_ms * 1000:.1f}", "python": platform.python_version()}


def all_rows(data):
    graphs = {"p2p-Gnutella31": read_snap(data / "p2p-Gnutella31.txt.gz"), "random degree 8": drawn(20_000, 8),
              "small world": small_world(10_000), "grid 100 x 100": grid(100)}
    for name, graph in graphs.items():
        yield from rows(name, graph, 50)


if __name__ == "__main__":
    compare(__doc__, all_rows)
