#!/usr/bin/env python3
"""Times the Python package beside SciPy, NetworkX, igraph, networkit and scikit-learn, in one process.

  scripts/compare_python.py --data FOLDER -o results/cpu/python.csv [--patience SECONDS]

FOLDER has rome99.gr, luxembourg.gr.gz and p2p-Gnutella31.txt.gz. Each row is one call of somebody
else's and ours for the same answer, which is compared. Times are medians of some runs. Where
another program would take too long, it solves from some vertices only, and the time is
multiplied: the column `sampled` has how many. Needs the packages that it compares with; those that are
missing are left out, as it says.
"""
import argparse
import csv
import gzip
import importlib.metadata
import itertools
import pathlib
import platform
import statistics
import sys
import time

import numpy as np
import scipy
import scipy.sparse
from scipy.sparse import csgraph

import apsp
from apsp import _engine

RUNS = 5  # of a call
patience = 20.0  # seconds of a call's runs after which there is no further one


def median(call):
    """(seconds, the call's result)"""
    seconds = []
    while len(seconds) < RUNS and sum(seconds) < patience:
        start = time.perf_counter()
        found = call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), found


def read_gr(path):
    """The arcs of a DIMACS file as a CSR array of float64, the lightest of parallel ones."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="ascii")
    with opened as file:
        arcs = np.array([line.split()[1:] for line in file if line.startswith("a")], np.int64)
    return lightest(arcs[:, 0] - 1, arcs[:, 1] - 1, arcs[:, 2])


def read_snap(path):
    """The edges of a SNAP file, each of weight 1."""
    with gzip.open(path, "rt") as file:
        edges = np.array([line.split() for line in file if not line.startswith("#")], np.int64)
    return lightest(edges[:, 0], edges[:, 1], np.ones(len(edges), np.int64))


def lightest(tails, heads, weights):
    order = np.lexsort((weights, heads, tails))
    tails, heads, weights = tails[order], heads[order], weights[order]
    first = np.r_[True, (np.diff(tails) != 0) | (np.diff(heads) != 0)] & (tails != heads)
    n = int(max(tails.max(), heads.max())) + 1
    return scipy.sparse.csr_array((weights[first].astype(float), (tails[first], heads[first])),
                                  shape=(n, n))


class Others:
    """The calls of the other packages: each gives the distances from some vertices."""
    networkx_call, weighted = "single_source_dijkstra_path_length", True

    def __init__(self, graph):
        self.graph = graph
        self.made = {}  # what a package has made of the graph, which is not timed

    def scipy(self, sources):
        return csgraph.dijkstra(self.graph, indices=sources, unweighted=not self.weighted)

    def networkx(self, sources):
        nx = importlib.import_module("networkx")
        if "nx" not in self.made:
            self.made["nx"] = nx.from_scipy_sparse_array(self.graph, create_using=nx.DiGraph)
        rows = np.full((len(sources), self.graph.shape[0]), np.inf)
        for row, source in zip(rows, sources):
            found = getattr(nx, self.networkx_call)(self.made["nx"], source, backend="networkx")
            row[list(found)] = list(found.values())
        return rows

    def igraph(self, sources):
        if "igraph" not in self.made:
            igraph, coo = importlib.import_module("igraph"), self.graph.tocoo()
            self.made["igraph"] = igraph.Graph(self.graph.shape[0], list(zip(coo.row, coo.col)), True)
            self.made["weights"] = coo.data.tolist()
        weights = self.made["weights"] if self.weighted else None
        return np.array(self.made["igraph"].distances(sources, weights=weights))

    def networkit(self, sources):
        nk = importlib.import_module("networkit")
        if "nk" not in self.made:
            coo = self.graph.tocoo()
            made = nk.Graph(self.graph.shape[0], weighted=self.weighted, directed=True)
            for edge in zip(coo.row, coo.col, coo.data):
                made.addEdge(*edge)
            self.made["nk"] = made
        found = nk.distance.SPSP(self.made["nk"], sources)
        found.run()
        rows = np.array(found.getDistances())
        return np.where(rows == np.finfo(float).max, np.inf, rows)


def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        print(f"{name} is not installed, and left out", file=sys.stderr)
        return None


def row(graph, n, edges, call, other, sampled, other_s, call_s, solve_ms, device):
    print(f"{graph}, {call}: {other} {other_s:.4g} s, apsp {call_s:.4g} s, {other_s / call_s:.0f}x",
          flush=True)
    return {"graph": graph, "n": n, "edges": edges, "call": call,
            "other": f"{other} {version(other)}", "sampled": sampled, "other_s": f"{other_s:.6g}",
            "apsp_s": f"{call_s:.6g}", "solve_s": f"{solve_ms / 1000:.6g}",
            "factor": f"{other_s / call_s:.1f}", "device": device, "python": platform.python_version()}


def all_pairs(name, graph, samples, whole, others=("scipy", "networkx", "igraph", "networkit")):
    """whole: whether there is room for all distances. Otherwise ours are the eccentricities."""
    n = graph.shape[0]
    if whole:
        call, mine = "shortest_path(g)", lambda: apsp.shortest_path(graph)
    else:
        call, mine = "solve(g).eccentricity()", lambda: apsp.solve(graph).eccentricity()
    seconds, found = median(mine)
    best = apsp.solve(graph)
    calls = Others(graph)
    for other in others:
        if version(other) is None:
            continue
        sources = np.linspace(0, n - 1, min(n, samples[other])).astype(int).tolist()
        getattr(calls, other)(sources[:1])
        other_s, theirs = median(lambda: getattr(calls, other)(sources))
        ours = found[sources] if whole else apsp.solve(graph, sources=sources).rows()
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
        yield row(name, n, graph.nnz, call, other, "" if len(sources) == n else len(sources),
                  other_s * n / len(sources), seconds, best.milliseconds, best.device)


def complete(n):
    """A random complete graph, by the Floyd-Warshall algorithm of SciPy."""
    weights = np.random.default_rng(1).integers(1, 100_000, (n, n)).astype(float)
    np.fill_diagonal(weights, 0)
    seconds, ours = median(lambda: apsp.floyd_warshall(weights))
    best = apsp.solve(weights)
    other_s, theirs = median(lambda: csgraph.floyd_warshall(weights))
    np.testing.assert_array_equal(ours, theirs)
    yield row(f"complete {n}", n, n * (n - 1), "floyd_warshall(w)", "scipy", "", other_s, seconds,
              best.milliseconds, best.device)


def small(n, calls=1000):
    """What a call costs: there is next to nothing to solve. Many calls are timed together."""
    weights = np.random.default_rng(1).integers(1, 100, (n, n)).astype(float)
    np.fill_diagonal(weights, 0)

    def of_one(solve):
        def call():
            for _ in range(calls):
                found = solve(weights)
            return found
        seconds, found = median(call)
        return seconds / calls, found
    seconds, ours = of_one(apsp.floyd_warshall)
    other_s, theirs = of_one(csgraph.floyd_warshall)
    np.testing.assert_array_equal(ours, theirs)
    best = apsp.solve(weights)
    yield row(f"complete {n}", n, n * (n - 1), "floyd_warshall(w)", "scipy", "", other_s, seconds,
              best.milliseconds, best.device)


def networkx_backend(n):
    """NetworkX's call, by NetworkX and by our backend: some numbers are read, or all become dicts."""
    nx = importlib.import_module("networkx")
    graph = nx.gnm_random_graph(n, 4 * n, seed=1, directed=True)
    nx.config.warnings_to_ignore.add("cache")  # the graph is not changed between the calls
    for *_, data in graph.edges(data=True):
        data["weight"] = hash(data.__repr__()) % 7 + 1
    def call(backend, nodes):
        if nodes is None:
            return nx.all_pairs_dijkstra_path_length(graph, backend=backend)
        return ((v, nx.single_source_dijkstra_path_length(graph, v, backend=backend)) for v in nodes)

    nodes = range(0, n, max(1, n // 100))
    best = apsp.solve(graph)
    for text, read in ((", the largest of each", lambda found: max(found.values())), (", all as dicts", dict)):
        seconds, ours = median(lambda: {v: read(found) for v, found in call("apsp", None)})
        other_s, theirs = median(lambda: {v: read(found) for v, found in call("networkx", nodes)})
        assert all(ours[v] == found for v, found in theirs.items())
        yield row(f"random degree 4, n = {n}", n, graph.size(), "all_pairs_dijkstra_path_length(G)" + text,
                  "networkx", len(nodes), other_s * n / len(nodes), seconds, best.milliseconds, best.device)


def isomap(n):
    """The shortest paths of scikit-learn's Isomap: of the ten nearest neighbours of points on a roll."""
    if version("scikit-learn") is None:
        return
    from sklearn.datasets import make_swiss_roll
    from sklearn.neighbors import kneighbors_graph
    points, _ = make_swiss_roll(n, random_state=1)
    graph = kneighbors_graph(points, 10, mode="distance")
    seconds, ours = median(lambda: apsp.shortest_path(graph, directed=False))
    other_s, theirs = median(lambda: csgraph.shortest_path(graph, method="auto", directed=False))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    best = apsp.solve(apsp.graphs.from_sparse(graph, both_ways=True))
    yield row(f"Isomap's, n = {n}", n, graph.nnz, "shortest_path(g, directed=False)", "scikit-learn", "",
              other_s, seconds, best.milliseconds, best.device)


def batch(count, n):
    """Many small graphs: SciPy one by one. They are solved on a GPU if there is one."""
    there, name = _engine.gpu()
    device = "cuda" if there else "cpu"
    weights = np.random.default_rng(1).integers(1, 100, (count, n, n)).astype(np.int32)
    seconds, ours = median(lambda: apsp.batch(weights, device=device))
    some = range(0, count, max(1, count // 1000))
    other_s, theirs = median(lambda: [csgraph.floyd_warshall(weights[i]) for i in some])
    assert all((ours[i] == found).all() for i, found in zip(some, theirs))
    yield row(f"{count} complete, n = {n}", n, n * (n - 1), "batch(w)", "scipy", len(some),
              other_s * count / len(some), seconds, seconds * 1000, name if there else device)


def compare(description, rows_of):
    """What such a script does: reads the command line, and writes the rows of rows_of(the folder of graphs)."""
    global patience
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True)
    parser.add_argument("--patience", type=float, default=patience, metavar="SECONDS",
                        help="after so many seconds a call is not timed again")
    args = parser.parse_args()
    patience = args.patience
    rows = iter(rows_of(args.data))
    first = next(rows)
    with open(args.out, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, first, lineterminator="\n")
        table.writeheader()
        for one in itertools.chain([first], rows):
            table.writerow(one)
            file.flush()    # what has been measured is kept, whatever comes


def all_rows(data):
    few = {"scipy": 100, "networkx": 10, "igraph": 50, "networkit": 50}
    rome, luxembourg = (read_gr(data / name) for name in ("rome99.gr", "luxembourg.gr.gz"))
    gnutella = read_snap(data / "p2p-Gnutella31.txt.gz")
    groups = [
        all_pairs("Rome", rome, {"scipy": 10**9, "networkx": 200, "igraph": 10**9, "networkit": 10**9}, True),
        all_pairs("Luxembourg", luxembourg, few, False),
        all_pairs("Gnutella", gnutella, few, False),
        small(10), complete(2000), complete(5000), networkx_backend(5000), isomap(2000), isomap(5000),
        batch(10_000, 32), batch(100_000, 16),
    ]
    return itertools.chain.from_iterable(groups)


if __name__ == "__main__":
    compare(__doc__, all_rows)
