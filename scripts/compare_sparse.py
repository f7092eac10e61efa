#!/usr/bin/python3
"""Times ./apsp on sparse graphs beside other programs, on this machine, and writes a CSV file.

  scripts/compare_sparse.py --csv results/cpu/sparse_peers.csv [--data FOLDER] [--graphs NAME,...]

Tools: apsp on one core and on all, apsp --method dense, SciPy's dijkstra, NetworKit, igraph, and RoutingKit
(customizable contraction hierarchies, one source to pinned targets) by the package routingkit-cch. What is not
installed is named. `pip install scipy networkit igraph routingkit-cch` in a virtual environment installs all.

Every peer works on one core. A tool that takes longer than a moment for all sources is timed on a sample of them, and
`all_ms` is the median of a source times n, plus what preparing took; `extrapolated` says so. Sources are drawn with a
fixed seed. All tools must find the same distances from the first sources of the sample, or this fails. Every solve of
apsp is verified. A tool that has not ended after --patience seconds is left out, and so is the dense solver where it
would take more than --most seconds.
"""
import argparse
import csv
import importlib
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
import scipy.sparse.csgraph

INF = 2**30 - 1  # kInf of apsp.h
GRAPHS = {  # name: arguments of ./apsp gen, or a file of --data
    "rome99": "rome99.gr",
    "luxembourg": "luxembourg.gr.gz",
    "p2p-Gnutella31": "p2p-Gnutella31.txt.gz",
    "grid 200x200": ["--family", "grid", "--n", "40000", "--seed", "1"],
    "random degree 4": ["--family", "sparse", "--n", "20000", "--degree", "4", "--seed", "1"],
}
COLUMNS = ["graph", "n", "edges", "tool", "solved_by", "version", "threads", "sources", "repeats", "prepare_ms", "median_ms", "q1_ms",
           "q3_ms", "all_ms", "extrapolated", "distances_per_s", "verified", "load", "cpu"]


class Graph:
    """A graph file, and its edges as SciPy's matrix."""

    def __init__(self, name, path, matrix):
        self.name, self.path, self.matrix = name, path, matrix
        self.n, self.edges = matrix.shape[0], matrix.nnz

    def arcs(self):
        arcs = self.matrix.tocoo()
        return arcs.row, arcs.col, arcs.data


def as_words(distances):
    """Distances as apsp writes them."""
    distances = np.asarray(distances, dtype=float)
    return np.where(np.isfinite(distances) & (distances < INF), distances, INF).astype(np.int64)


def scipy_rows(graph):
    return lambda source: as_words(scipy.sparse.csgraph.dijkstra(graph.matrix, indices=source))


def networkit_rows(graph):
    import networkit
    networkit.setNumberOfThreads(1)
    made = networkit.Graph(graph.n, weighted=True, directed=True)
    for u, v, w in zip(*(each.tolist() for each in graph.arcs())):
        made.addEdge(u, v, w)

    def row(source):
        run = networkit.distance.Dijkstra(made, source, storePaths=False)
        run.run()
        distances = np.asarray(run.getDistances())
        return as_words(np.where(distances > 1e300, np.inf, distances))
    return row


def igraph_rows(graph):
    import igraph
    u, v, w = graph.arcs()
    made = igraph.Graph(n=graph.n, edges=np.stack([u, v], axis=1), directed=True)
    weights = w.astype(float).tolist()
    return lambda source: as_words(made.distances(source=[int(source)], weights=weights)[0])


def routingkit_rows(graph):
    import routingkit_cch
    u, v, w = (each.tolist() for each in graph.arcs())
    order = routingkit_cch.compute_order_degree(graph.n, u, v)
    metric = routingkit_cch.CCHMetric(routingkit_cch.CCH(order, u, v, False), w)
    query = routingkit_cch.CCHOneToMany(metric, list(range(graph.n)))

    def row(source):
        return query.distances_from(int(source))

    row.convert = lambda found: as_words([np.inf if d is None else d for d in found])
    return row


PEERS = {  # tool: package, rows
    "SciPy dijkstra": ("scipy", scipy_rows),
    "NetworKit Dijkstra": ("networkit", networkit_rows),
    "igraph distances": ("igraph", igraph_rows),
    "RoutingKit CCH by Python": ("routingkit_cch", routingkit_rows),
}


def version_of(package):
    try:
        return importlib.import_module(package).__version__
    except AttributeError:
        return importlib.import_module("importlib.metadata").version(package.replace("_", "-"))


def quartiles(values):
    return [float(q) for q in np.percentile(values, [25, 50, 75])]


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        return next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "?")


def time_peer(rows, graph, sources, expected, seconds, end):
    """Sends (ms of preparing, ms of each source, the first source with wrong distances or None)."""
    begin = time.perf_counter()
    row = rows(graph)
    prepare = (time.perf_counter() - begin) * 1e3
    convert = getattr(row, "convert", lambda found: found)
    row(sources[0])
    times, wrong, until = [], None, time.perf_counter() + seconds
    for i, source in enumerate(sources):
        begin = time.perf_counter()
        found = row(source)
        times.append((time.perf_counter() - begin) * 1e3)
        if i < len(expected) and not np.array_equal(convert(found), expected[i]):
            wrong = source
            break
        if time.perf_counter() > until and i + 1 >= len(expected):
            break
    end.send((prepare, times, wrong))


class Comparison:
    def __init__(self, args):
        self.args, self.rows = args, []

    def run(self, *arguments):
        return subprocess.run([self.args.apsp, *arguments], check=True, stdout=subprocess.DEVNULL)

    def add(self, graph, tool, version, threads, sources, repeats, prepare, times, whole, verified, solved_by=""):
        """times: milliseconds, of all sources if `whole`, else of one source each."""
        q1, median, q3 = quartiles(times)
        every = median if whole else prepare + median * graph.n
        self.rows.append(dict(zip(COLUMNS, [
            graph.name, graph.n, graph.edges, tool, solved_by, version, threads, sources, repeats, f"{prepare:.4g}",
            f"{median:.6g}", f"{q1:.6g}", f"{q3:.6g}", f"{every:.6g}", "no" if whole else "yes",
            f"{graph.n * graph.n / every * 1e3:.4g}", verified, f"{os.getloadavg()[0]:.1f}", cpu_model()])))
        print(f"{graph.name:16} {tool:20} {threads} threads: {every:12.1f} ms"
              f"{'' if whole else f' (from {sources} sources)'}, {verified}", flush=True)
        self.write()

    def apsp(self, graph, method, threads, folder):
        record = os.path.join(folder, "r.json")
        if os.path.exists(record):
            os.remove(record)
        self.run(graph.path, "--device", "cpu", "--method", method, "--threads", str(threads), "--reps",
                 str(self.args.reps), "--verify=" + ("bellman:" + str(graph.n) if graph.n >= 3000 else "ref"),
                 "--json", record, "--quiet")
        with open(record, encoding="utf-8") as file:
            measured = json.load(file)[0]
        self.add(graph, "apsp" if method == "auto" else f"apsp --method {method}", measured["revision"], threads,
                 graph.n, measured["reps"], 0, measured["times_ms"], True, measured["verified"], measured["solved_by"])

    def expected(self, graph, sources, folder):
        """Rows that apsp finds, verified."""
        table = os.path.join(folder, "t.npy")
        self.run(graph.path, "--device", "cpu", "--sources", ",".join(map(str, sources)), "--verify", "-o", table,
                 "--quiet")
        return np.load(table)

    def peer(self, graph, tool, sources, expected):
        package, rows = PEERS[tool]
        try:
            version = version_of(package)
        except ImportError:
            print(f"{graph.name:16} {tool:20} is not installed: pip install {package.replace('_', '-')}")
            return
        ends, end = multiprocessing.Pipe(duplex=False)
        timing = multiprocessing.Process(target=time_peer, args=(rows, graph, sources, expected, self.args.seconds, end))
        timing.start()
        end.close()  # otherwise nobody would notice that the other process has died
        if not ends.poll(self.args.patience):
            timing.kill()
            print(f"{graph.name:16} {tool:20} has not ended after {self.args.patience:g} s: left out", flush=True)
            return
        try:
            prepare, times, wrong = ends.recv()
        except EOFError:
            sys.exit(f"{graph.name}: {tool} failed")
        if wrong is not None:
            sys.exit(f"{graph.name}: {tool}: distances from {wrong} differ from those of apsp")
        self.add(graph, tool, version, 1, len(times), 1, prepare if package == "routingkit_cch" else 0, times, False,
                 f"{len(expected)} rows as apsp")

    def compare(self, graph, folder):
        cores = len(os.sched_getaffinity(0))
        for threads in sorted({1, cores}):
            self.apsp(graph, "auto", threads, folder)
        if graph.n**3 * 2.5e-11 <= self.args.most:
            self.apsp(graph, "dense", 1, folder)
        else:
            print(f"{graph.name:16} apsp --method dense  would take about {graph.n**3 * 2.5e-11:.0f} s: left out")
        sources = random.Random(1).sample(range(graph.n), min(graph.n, self.args.sources))
        expected = self.expected(graph, sources[:8], folder)
        for tool in PEERS:
            self.peer(graph, tool, sources, expected)

    def write(self):
        with open(self.args.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(self.rows)


def graph_of(name, args, folder):
    """The graph of that name; None if its file is not there."""
    source = GRAPHS[name]
    path = os.path.join(folder, "g.gr") if isinstance(source, list) else os.path.join(args.data, source)
    if isinstance(source, list):
        subprocess.run([args.apsp, "gen", *source, "-o", path], check=True, stdout=subprocess.DEVNULL)
    elif not os.path.exists(path):
        print(f"{name:16} {path} is not there: left out")
        return None
    edges = os.path.join(folder, "g.npz")
    subprocess.run([args.apsp, "convert", path, edges], check=True, stdout=subprocess.DEVNULL)
    return Graph(name, path, scipy.sparse.load_npz(edges).tocsr())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", required=True, help="the CSV file to write")
    parser.add_argument("--data", default="../shared/data", help="the folder of the graph files")
    parser.add_argument("--graphs", default=",".join(GRAPHS), help="names, separated by commas")
    parser.add_argument("--sources", type=int, default=200, help="the most sources of a sample")
    parser.add_argument("--seconds", type=float, default=5, help="for a sample, after its first 8 sources")
    parser.add_argument("--reps", type=int, default=5, help="repetitions of apsp; their median counts")
    parser.add_argument("--patience", type=float, default=300, help="seconds that a tool may take for its sample")
    parser.add_argument("--most", type=float, default=60, help="seconds of a dense solve")
    parser.add_argument("--apsp", default="./apsp", help="the built program")
    args = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores")
    comparison = Comparison(args)
    for name in args.graphs.split(","):
        if name not in GRAPHS:
            sys.exit(f"no graph '{name}': expected one of {', '.join(GRAPHS)}")
        with tempfile.TemporaryDirectory() as folder:
            graph = graph_of(name, args, folder)
            if graph is not None:
                comparison.compare(graph, folder)


if __name__ == "__main__":
    main()
