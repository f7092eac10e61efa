#!/usr/bin/env python3
"""Measures what --method auto gains and loses: on every family of graphs, beside --method dense.

  scripts/bench_auto.py -o results/h100/auto.csv [--device gpu|cpu] [--sizes N,N,...] [--families NAME,...]

The two methods take turns, --rounds times, because the speed of a machine changes within seconds. A row has the
median over the rounds of each method's median time, who solved the graph with auto, and `ratio`, auto's time in
per cent of the dense solver's. Above 100, auto lost: it looked at the graph and then solved it densely, or was wrong.
16 rows of every result are verified.

The variable APSP names the program if it is not ./apsp. Exit: 0 measured, 2 usage, otherwise the exit code of ./apsp.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from csv_files import disturbed, in_turn, median_ms, write_csv

APSP = os.environ.get("APSP", "./apsp")
METHODS = "auto", "dense"
COLUMNS = ["device_name", "family", "n", "dense_ms", "auto_ms", "solved_by", "ratio", "rounds", "verified", "disturbed",
           "version", "revision", "dirty"]


def run(*arguments):
    done = subprocess.run([APSP, *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def families():
    """The families that need no --negative, as the help lists them."""
    listing = run("gen", "--help").partition("Graph families:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z][\w-]*) ", listing, re.M)


def row(device, family, n, rounds):
    def measure(method):
        record, = json.loads(run("--family", family, "--n", str(n), "--method", method, "--device", device,
                                 "--reps", "5", "--verify=dijkstra", "--json", "-", "--quiet"))
        return record

    records = in_turn(METHODS, rounds, measure)
    time = {method: median_ms(records[method]) for method in METHODS}
    every = [record for method in METHODS for record in records[method]]
    last = records["auto"][-1]
    return {"device_name": last["device_name"], "family": family, "n": n, "dense_ms": f"{time['dense']:.4g}",
            "auto_ms": f"{time['auto']:.4g}", "solved_by": last["solved_by"],
            "ratio": f"{100 * time['auto'] / time['dense']:.1f}", "rounds": rounds, "verified": last["verified"],
            "disturbed": disturbed(every),
            **{name: last[name] for name in ("version", "revision", "dirty")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the CSV file to write")
    parser.add_argument("--device", default="auto", help="gpu or cpu [a GPU if there is one]")
    parser.add_argument("--sizes", default="1000,2500", help="numbers of vertices [%(default)s]")
    parser.add_argument("--families", help="names, separated by commas [all]")
    parser.add_argument("--rounds", type=int, default=5, help="how often each method is measured [%(default)s]")
    args = parser.parse_args()
    rows = []
    for n in map(int, args.sizes.split(",")):
        for family in args.families.split(",") if args.families else families():
            rows.append(row(args.device, family, n, args.rounds))
            print("{family:14} n = {n:6}  dense {dense_ms:>8} ms  auto {auto_ms:>8} ms = {ratio:>5} %  "
                  "{solved_by}  {disturbed}".format(**rows[-1]), flush=True)
            write_csv(args.output, COLUMNS, rows)


if __name__ == "__main__":
    main()
