#!/usr/bin/python3
"""Times SciPy's floyd_warshall and ./apsp's CPU solver on a graph of each family, on this machine.

Both solve the same matrix. This fails if their distances differ. It writes both medians and their
ratio to a CSV file, one row for each family. The times are those of solving, without reading and
writing.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
from scipy.sparse.csgraph import floyd_warshall

INF = 2**30 - 1  # kInf of apsp.h


TINY = 2.0**-20


def scipy_graph(weights):
    """The weights as SciPy takes them: floats, with infinity for no edge. SciPy reads a 0 off the
    diagonal as no edge, too. Therefore an edge of weight 0 becomes TINY. Fewer than 2**19 of them on
    a path add up to less than 1/2, a double holds the sum exactly, and rounding down gives the
    distance."""
    graph = weights.astype(float)
    graph[weights == INF] = np.inf
    graph[weights == 0] = TINY
    np.fill_diagonal(graph, 0)
    return graph


def time_scipy(weights, runs):
    """(median seconds, distances as int32)"""
    graph = scipy_graph(weights)
    seconds = []
    for _ in range(runs):
        copy = graph.copy()
        start = time.perf_counter()
        distances = floyd_warshall(copy, overwrite=True)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), np.minimum(np.floor(distances), INF).astype(np.int32)


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        return next(
            (line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "?")


def compare(family, args):
    """The row of one family."""
    graph_args = ["--family", family, "--n", str(args.n), "--seed", "1"]
    with tempfile.TemporaryDirectory() as folder:
        graph, distances, record = (os.path.join(folder, f) for f in ("g.npy", "d.npy", "r.json"))
        subprocess.run([args.apsp, "gen", *graph_args, "-o", graph], check=True)
        subprocess.run([args.apsp, *graph_args, "--device", "cpu", "--json", record,
                        "-o", distances], check=True, stdout=subprocess.DEVNULL)
        weights, ours = np.load(graph), np.load(distances)
        with open(record, encoding="utf-8") as file:
            apsp_s = json.load(file)[0]["median_ms"] / 1000

    scipy_s, theirs = time_scipy(weights, args.runs)
    if not np.array_equal(ours, theirs):
        sys.exit(f"{family}: {np.count_nonzero(ours != theirs)} distances differ from SciPy's")
    print(f"{family}, n = {args.n}: SciPy {scipy_s:.3f} s, apsp {apsp_s:.4f} s, "
          f"{scipy_s / apsp_s:.1f} times faster")
    return {
        "family": family,
        "n": args.n,
        "scipy_version": scipy.__version__,
        "scipy_s": f"{scipy_s:.4f}",
        "apsp_s": f"{apsp_s:.6f}",
        "speedup": f"{scipy_s / apsp_s:.1f}",
        "cpu": cpu_model(),
        "threads": os.environ.get("OMP_NUM_THREADS", len(os.sched_getaffinity(0))),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--families", default="course,uniform")
    parser.add_argument("--runs", type=int, default=3, help="repetitions with SciPy; their median counts")
    parser.add_argument("--apsp", default="./apsp", help="the built program")
    parser.add_argument("--csv", required=True, help="the CSV file to write")
    args = parser.parse_args()
    rows = [compare(family, args) for family in args.families.split(",")]
    with open(args.csv, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
