#!/usr/bin/env python3
"""Measures what the type of the numbers costs: the same graphs in int32, float32, int64 and float64.

  scripts/bench_types.py -o results/cpu/types.csv [--device gpu|cpu] [--sizes N,N,N] [--graph FILE ...]

Each case is solved in all types in turn, --rounds times, because the speed of a machine changes within seconds. A row
has the median over the rounds of the median times, and `factor`, that time divided by int32's. 64-bit types are
measured twice: as they are solved (--precision auto, which narrows them to 32 bits if that is exact), and in 64 bits
(--precision 64). So is int32 where the solver may take 16 bits: as it is solved, and in 32 bits (--precision 32).
A --graph is solved as it is read; the other graphs are made. 16 rows of every result are verified.

The variable APSP names the program if it is not ./apsp. Exit: 0 measured, 2 usage, otherwise the exit code of ./apsp.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from csv_files import disturbed, in_turn, median_ms, write_csv

APSP = os.environ.get("APSP", "./apsp")
CASES = [["--method", "dense"], [], ["--family", "grid"]]  # a number of vertices for each: --sizes
TYPES = [("i32", "auto"), ("i32", "32"), ("f32", "auto"), ("i64", "auto"), ("i64", "64"), ("f64", "auto"), ("f64", "64")]
COLUMNS = ["device_name", "input", "n", "method", "dtype", "precision", "tier", "median_ms", "factor", "rounds", "verified",
           "disturbed", "version", "revision", "dirty"]


def run(case, device, dtype, precision):
    flags = ["--dtype", dtype] + ["--precision", precision] * (precision != "auto")
    done = subprocess.run([APSP, *case, "--device", device, *flags, "--reps", "3", "--verify=dijkstra", "--json", "-", "--quiet"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    record, = json.loads(done.stdout)
    return record


def rows(case, device, rounds):
    # What may compute in 16 bits, unless 32 are asked for; of a file, it is not known before.
    halves = "dense" in case if device == "gpu" else not {"dense", "grid"} & set(case)
    types = [each for each in TYPES if halves or each != ("i32", "32")]
    found = in_turn(types, rounds, lambda each: run(case, device, *each))
    time = {each: median_ms(records) for each, records in found.items()}
    for (dtype, precision), records in found.items():
        last = records[-1]
        yield {"method": last["solved_by"], "precision": precision, "median_ms": f"{time[dtype, precision]:.4g}",
               "factor": f"{time[dtype, precision] / time['i32', 'auto']:.2f}", "rounds": rounds,
               "input": last["input"].removesuffix(".gz").rpartition("/")[2],
               "disturbed": disturbed(records),
               **{name: last[name] for name in ("device_name", "n", "dtype", "tier", "verified", "version", "revision", "dirty")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the CSV file to write")
    parser.add_argument("--device", default="cpu", help="gpu or cpu [%(default)s]")
    parser.add_argument("--sizes", default="2000,5000,10000", help="vertices: dense, default method, grid [%(default)s]")
    parser.add_argument("--graph", action="append", default=[], metavar="FILE", help="another graph, several times")
    parser.add_argument("--rounds", type=int, default=5, help="how often each type is measured [%(default)s]")
    args = parser.parse_args()
    every = []
    made = [[*case, "--n", n] for case, n in zip(CASES, args.sizes.split(","))]
    for case in [*made, *([graph] for graph in args.graph)]:
        for row in rows(case, args.device, args.rounds):
            every.append(row)
            print("{input:40} {method:9} {dtype} {tier:8} {median_ms:>8} ms  x {factor}  {disturbed}".format(**row), flush=True)
        write_csv(args.output, COLUMNS, every)


if __name__ == "__main__":
    main()
