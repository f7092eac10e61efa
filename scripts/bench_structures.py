#!/usr/bin/python3
"""Measures how good a choice --method auto makes: on fifty structures, beside each method.

  scripts/bench_structures.py -o results/cpu/structures.csv [--device gpu|cpu] [--sizes N,N] [--weights int,real,equal]

`size` is the number of vertices that was asked for; some structures have a few less. A row has the shortest time of
each method over the rounds, and `factor`, auto's time divided by that of the best method. A method that takes more than
--limit seconds is left out; so is the dense one where n³ says so. All rounds of auto are verified from 16 sources. The
graphs are those of scripts/structures.py, which needs NumPy and SciPy.

The variable APSP names the program if it is not ./apsp. Exit: 0 measured, 1 a distance was wrong, 2 usage.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from csv_files import write_csv
from structures import STRUCTURES, graph

APSP = os.environ.get("APSP", "./apsp")
METHODS = "dense", "filtered", "sparse", "bfs"
COLUMNS = ["device_name", "structure", "weights", "size", "n", "edges", *(f"{method}_ms" for method in METHODS), "auto_ms", "solved_by",
           "expected_ms", "best", "factor", "verified", "version", "revision", "dirty"]


def write(path, name, size, weights):
    from scipy.sparse import save_npz
    matrix = graph(name, size, weights)
    save_npz(path, matrix, compressed=False)
    return name, path, matrix.shape[0], matrix.nnz


def written(folder, names, size, weights):
    """Writes the graphs by all cores, before anything is measured: (name, path, vertices, edges) of each."""
    with concurrent.futures.ProcessPoolExecutor() as pool:
        tasks = [pool.submit(write, Path(folder) / f"{at}.npz", name, size, weights) for at, name in enumerate(names)]
        return [task.result() for task in tasks]


def measured(path, n, device, method, limit, verify):
    """The record of one run; None if it takes too long or fails."""
    options = [*(["--reps", "25"] if n < 1000 else []), *(["--verify=dijkstra"] if verify else [])]
    try:
        done = subprocess.run([APSP, path, "--device", device, "--method", method, "--json", "-", "--quiet", *options],
                              stdout=subprocess.PIPE, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode == 1:
        sys.exit(f"bench_structures.py: {path}: a distance is wrong")
    return json.loads(done.stdout)[0] if done.returncode == 0 else None


def row(path, args, name, weights, size, n, edges):
    times, auto = {}, None
    for _ in range(args.rounds):
        for method in ("auto", *METHODS):
            if method in times and times[method] is None or method == "dense" and n ** 3 > args.dense_limit:
                continue
            if method == "bfs" and weights != "equal":
                times[method] = None
                continue
            record = measured(path, n, args.device, method, args.limit, method == "auto")
            if method == "auto":
                auto = record or auto
            if record and (method in ("auto", record["solved_by"])):
                times[method] = min(record["min_ms"], times.get(method) or record["min_ms"])
            else:
                times[method] = None
    found = {method: times[method] for method in METHODS if times.get(method)}
    if auto is None or not found:
        return None
    best = min(found, key=found.get)
    return {"device_name": auto["device_name"], "structure": name, "weights": weights, "size": size, "n": n, "edges": edges,
            **{f"{method}_ms": f"{time:.4g}" for method, time in found.items()}, "auto_ms": f"{times['auto']:.4g}",
            "solved_by": auto["solved_by"], "expected_ms": auto["expected_ms"] or "", "best": best,
            "factor": f"{times['auto'] / found[best]:.2f}", "verified": auto["verified"],
            **{column: auto[column] for column in ("version", "revision", "dirty")}}


def summary(rows):
    factors = [float(each["factor"]) for each in rows]
    good = sum(factor <= 1.25 for factor in factors)
    return f"{good} of {len(factors)} within 1.25, the worst {max(factors):.2f}" if factors else "nothing was measured"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the CSV file to write")
    parser.add_argument("--device", default="auto", help="gpu or cpu [a GPU if there is one]")
    parser.add_argument("--sizes", default="300,3000", help="numbers of vertices [%(default)s]")
    parser.add_argument("--weights", default="int,real,equal", help="[%(default)s]")
    parser.add_argument("--structures", help="names, separated by commas [all]")
    parser.add_argument("--rounds", type=int, default=2, help="how often each method is measured [%(default)s]")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a run may take [%(default)s]")
    parser.add_argument("--dense-limit", type=float, default=1e12, help="the largest n³ of the dense method [%(default)s]")
    args = parser.parse_args()
    rows, names = [], args.structures.split(",") if args.structures else STRUCTURES
    if unknown := [name for name in names if name not in STRUCTURES]:
        parser.error(f"no structure {unknown[0]!r}: take some of " + ", ".join(STRUCTURES))
    for size, weights in itertools.product(map(int, args.sizes.split(",")), args.weights.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            for name, path, n, edges in written(folder, names, size, weights):
                one = row(path, args, name, weights, size, n, edges)
                path.unlink()
                if one is None:
                    continue
                rows.append(one)
                print("{structure:26} {weights:5} n = {n:6}  auto {auto_ms:>8} ms ({solved_by:8}) best {best:8} x {factor}"
                      .format(**one), flush=True)
                write_csv(args.output, COLUMNS, rows)
    print(summary(rows))


if __name__ == "__main__":
    main()
