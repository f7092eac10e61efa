#!/usr/bin/env python3
"""What an honest hand-in loses by being graded.

Grades one hand-in, a .so (with --host) or a .cu file, in a sandboxed process of its own, and says
how many seconds it took to build, check and time it. Then it calls the same function in this
process, without sandbox and without copies, on graphs of the same kind, and says by how many
percent the graded time differs. A difference below 0 means that the graded time is shorter.

The plain calls are made before and after the grading, and their median counts. A row for each size
goes to standard output and to --csv. On a busy machine the figures say little: the column
`disturbed` repeats what the grader says of that.

  scripts/grading_cost.py --host build/nocuda/tests/submissions/naive.so
  scripts/grading_cost.py tests/submissions/naive.cu --csv results/h100/grading_cost.csv

Exit: 0 done, 1 the hand-in did not pass, 2 usage, 3 it or a library cannot be loaded.
"""
import argparse
import csv
import ctypes
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from csv_files import stop

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = ("device_name", "hand_in", "build_s", "check_s", "time_s", "n", "plain_ms", "graded_ms", "differs_pct",
           "spread_pct", "cost_ms", "disturbed", "revision", "dirty")


class Host:
    """Host memory: a matrix is an array of ints."""

    def matrix(self, words):
        return (ctypes.c_int * words)()

    def fill(self, matrix, graph):
        ctypes.memmove(matrix, graph, ctypes.sizeof(matrix))

    def wait(self):
        pass


class Gpu:
    """Memory of the GPU, by the CUDA runtime."""

    def __init__(self):
        try:
            self.cuda = ctypes.CDLL("libcudart.so")
        except OSError as error:
            stop(3, f"{error}: put the folder of libcudart.so into LD_LIBRARY_PATH")

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            stop(3, f"{name} fails with code {code}")

    def matrix(self, words):
        memory = ctypes.c_void_p()
        self.call("cudaMalloc", ctypes.byref(memory), ctypes.c_size_t(4 * words))
        return memory

    def fill(self, matrix, graph):
        self.call("cudaMemcpy", matrix, graph, ctypes.c_size_t(ctypes.sizeof(graph)), 1)  # 1: to the device

    def wait(self):
        self.call("cudaDeviceSynchronize")


def function_of(library):
    """apsp of a library, as C++ or as C names it."""
    try:
        loaded = ctypes.CDLL(str(library))
        return loaded["_Z4apspiPi"] if hasattr(loaded, "_Z4apspiPi") else loaded["apsp"]
    except (OSError, AttributeError) as error:
        stop(3, str(error))


def graph_of(n):
    """Weights from 0 to 100000, and 0 on the diagonal."""
    weights = [random.randrange(100001) for _ in range(n * n)]
    weights[:: n + 1] = [0] * n
    return (ctypes.c_int * (n * n))(*weights)


def plain_times(function, device, n, calls):
    """Milliseconds of so many calls, each on a fresh copy of the graph; one more comes before them."""
    graph, matrix, times = graph_of(n), device.matrix(n * n), []
    for _ in range(calls + 1):
        device.fill(matrix, graph)
        device.wait()
        begin = time.perf_counter()
        function(ctypes.c_int(n), matrix)
        device.wait()
        times.append(1000 * (time.perf_counter() - begin))
    return times[1:]


def grade(apsp, hand_in, folder, args):
    """The document of a grading of this hand-in alone."""
    (folder / "hand-ins").mkdir()
    if hand_in.suffix == ".cu":  # with the headers that lie beside it
        own = folder / "hand-ins" / hand_in.stem
        own.mkdir()
        shutil.copy(hand_in, own / "apsp.cu")
        for header in hand_in.parent.glob("*.h"):
            shutil.copy(header, own)
    else:
        shutil.copy(hand_in, folder / "hand-ins")
    command = [apsp, "grade", str(folder / "hand-ins"), "--quiet", "--json", str(folder / "grades.json"), "--sizes",
               ",".join(map(str, args.sizes)), "--reps", str(args.calls), *["--host"] * args.host]
    run = subprocess.run(command, text=True, stderr=subprocess.PIPE)
    if run.returncode != 0:
        stop(run.returncode, run.stderr.strip())
    return json.loads((folder / "grades.json").read_text(encoding="utf-8"))


def build(source, folder):
    """The library of a .cu file, compiled as the grader does."""
    library = folder / "plain.so"
    (folder / "cuda_utils.h").touch()  # the grader supplies this header, which defines one macro
    command = ["nvcc", "-arch=native", "-O3", "-std=c++17", "-Xcompiler", "-fPIC", "-shared", "-D", "CHK_CUDA_ERR(call)=(call)",
               "-I", str(ROOT), "-I", str(folder), "-o", str(library), str(source)]
    if subprocess.run(command).returncode != 0:
        stop(3, f"{source}: does not compile")
    return library


def rows_of(document, hand_in, plain):
    """A row for each size of the one submission. hand_in: its name; plain: milliseconds by size."""
    graded, = (each for each in document["submissions"] if each["verdict"] != "left out")
    if graded["verdict"] != "pass":
        stop(1, f"{hand_in}: {graded['verdict']}: {graded['reason']}")
    seconds = graded["seconds"]
    for times in graded["times"]:
        ms = statistics.median(plain[times["n"]])
        yield dict(zip(COLUMNS, (
            document["device"]["name"], hand_in, *(f"{seconds[what]:.3g}" for what in ("build", "check", "time")),
            times["n"], f"{ms:.6g}", f"{times['median_ms']:.6g}", f"{100 * (times['median_ms'] / ms - 1):.2f}",
            f"{times['spread_pct']:.2f}", f"{times['cost_ms']:.4g}", times["disturbed"],
            document["program"]["revision"], document["program"]["dirty"])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hand_in", type=pathlib.Path, help="a .so or .cu file")
    parser.add_argument("--host", action="store_true", help="it takes host memory")
    parser.add_argument("--sizes", default="1000,1500", type=lambda text: [int(n) for n in text.split(",")],
                        help="numbers of vertices [%(default)s]")
    parser.add_argument("--calls", default=10, type=int, help="calls that count at each size [%(default)s]")
    parser.add_argument("--csv", type=argparse.FileType("w"), help="write the rows to this file, too")
    args = parser.parse_args()
    apsp = os.environ.get("APSP", str(ROOT / "apsp"))
    if not args.hand_in.is_file():
        stop(3, f"{args.hand_in}: no such file")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library = args.hand_in if args.hand_in.suffix == ".so" else build(args.hand_in, folder)
        device = Host() if args.host else Gpu()
        function = function_of(library.resolve())
        plain = {n: plain_times(function, device, n, args.calls) for n in args.sizes}
        document = grade(apsp, args.hand_in, folder, args)
        for n in args.sizes:
            plain[n] += plain_times(function, device, n, args.calls)
        rows = list(rows_of(document, args.hand_in.name, plain))
    for file in filter(None, (sys.stdout, args.csv)):
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
