"""What ./apsp, or $APSP, does when something is wrong: `python3 tests/faults_test.py`.

Every case belongs to a row of docs/faults.md, by that row's text: CASES holds those that are a command line, @of marks
those that take more, and ELSEWHERE names the tests of other files. A row without any is a failure, and so is a case
without its row.
"""
import contextlib, csv, gzip, itertools, json, os, re, resource, shutil, signal, struct, subprocess, tempfile, time, unittest
from pathlib import Path

from harness import (APSP, CPU, DATA, INF, LONG, NO_GPU, ROOT, SOLVE, TINY, TINY_DISTANCES, Case, Suite, bound_by_permissions,
                     dense_bin, edges_bin, has_symbol, limited, matrix, needs_gpu, npy, packers, read_npy, snapshot, table)

EL, GR = (DATA / "tiny.el").read_text(), (DATA / "tiny.gr").read_text()
FAR = "0 1 536870912\n1 2 536870912\n2 3 536870912\n3 0 1\n"  # distances of int32 that are too large
LENGTHS = ('{"directed": true, "nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1, "length": "5", "time": 3, "name": "Main St"},'
           ' {"source": 1, "target": 0, "length": 6}]}')
BIN, GZ, NPY = ((DATA / f"tiny.{name}").read_bytes() for name in ("bin", "gr.gz", "npy"))
MTX = "%%MatrixMarket matrix coordinate"
BIG = 46341  # n·n > 2³¹
UNSOLVED = r"\A((?!\n(apsp|ref) )[^$])*\Z"  # no kernel has run
SANITIZED = has_symbol("__asan_init")  # then it reserves terabytes of addresses
PACKERS = packers()
FULL = limited(resource.RLIMIT_FSIZE, 100)
FEW_ADDRESSES = limited(resource.RLIMIT_AS, 2**31)
FEW_THREADS = limited(resource.RLIMIT_AS, 700 << 20)  # a thread's stack is 8 MiB of it


def bad(name, file, content, *err, options=""):
    """A graph that must be refused, and leave nothing."""
    return Case(name, [file, *f"{options} {CPU} -o d.npy --json j".split()], 3, err=err, files={file: content})


def good(name, file, content, distances, options="", out=()):
    """A graph that must be solved."""
    return Case(name, [file, *f"{options} {CPU} -o d.npy".split()], out=out, left="d.npy", files={file: content},
                distances=distances)


def tiny(name, file, content):
    """The tiny graph, in another way."""
    return good(name, file, content, TINY_DISTANCES)


def unreadable(path):
    path.write_text(EL)
    path.chmod(0)


def locked(path):
    path.mkdir(mode=0o500)


def links(path):
    """A folder with the input d.npy in several spellings, and names of an output that is not there."""
    (path / "sub").mkdir(parents=True)
    (path / "d.npy").write_bytes(NPY)
    (path / "soft.npy").symlink_to("d.npy")
    os.link(path / "d.npy", path / "hard.npy")
    (path / "folder").symlink_to("sub")
    (path / "later.npy").symlink_to("sub/new.npy")


def clashing(name, argv, *err, **more):
    """A command line that is refused, because two of its files are one."""
    return Case(name, argv, 2, err=(*err, "name another file"), files={"g": links}, **more)


SPELLINGS = "g/d.npy", "./g/d.npy", "g/../g/d.npy", "g/soft.npy", "g/hard.npy", "g/folder/../d.npy"
NEW = "g/sub/new.npy", "g/folder/new.npy", "g/later.npy"  # one file that does not exist yet


CASES = {
    "binary file of another size than its header says": [
        bad("bin cut short", "g.bin", BIN[:-1], "127", "128"),
        bad("bin with trailing bytes", "g.bin", BIN + b"\0" * 4, "132", "128"),
        bad("bin with a header only", "g.bin", BIN[:8], r"\b8\b", r"\b128\b"),
        bad("bin with half a header", "g.bin", BIN[:7], r"g\.bin", "7"),
        bad("bin-dense cut short", "g.bin", dense_bin(matrix(4, []))[:-4], "68", "72", options="--format bin-dense"),
        bad("npy cut short", "g.npy", NPY[:-4], "272", "268"),
        bad("npy with trailing bytes", "g.npy", NPY + b"\0", "272", "273"),
        bad("npy with half a header", "g.npy", NPY[:50], r"g\.npy"),
        bad("not npy", "g.npy", BIN, r"g\.npy"),
        bad("absurd E", "g.bin", struct.pack("<2i", 6, 2**31 - 1), r"g\.bin", r"\b8\b"),
        bad("absurd n", "g.bin", struct.pack("<2i", 2**31 - 1, 2**31 - 1), r"g\.bin"),
    ],
    "negative or absurd n or E, more or fewer lines than the header announces": [
        bad("negative n in bin", "g.bin", edges_bin(-6, [(0, 1, 2)]), r"g\.bin", "-6"),
        bad("negative E in bin", "g.bin", struct.pack("<2i", 6, -1), r"g\.bin", "-1"),
        bad("negative n in gr", "g.gr", "p sp -3 1\na 1 2 5\n", r"g\.gr:1", "-3"),
        bad("absurd n in gr", "g.gr", f"p sp {2**32} 1\na 1 2 5\n", r"g\.gr:1", str(2**32)),
        bad("gr without arcs that it counts", "g.gr", "p sp 3 2\na 1 2 5\n", r"\b2\b", r"\b1\b"),
        bad("gr with too many arcs", "g.gr", "p sp 3 1\na 1 2 5\na 2 3 1\n", r"g\.gr:3: more than the 1 arc "),
        bad("gr without a problem line", "g.gr", "a 1 2 5\n", r"g\.gr:1"),
        bad("mtx without entries that it counts", "g.mtx", f"{MTX} integer general\n3 3 2\n1 2 5\n", r"g\.mtx"),
        bad("mtx with too many entries", "g.mtx", f"{MTX} integer general\n3 3 1\n1 2 5\n2 3 1\n", r"g\.mtx:4"),
        bad("mtx of absurd n", "g.mtx", f"{MTX} integer general\n{2**40} {2**40} 1\n1 2 5\n", r"g\.mtx:2"),
        bad("npy of a negative n", "g.npy", NPY.replace(b"(6, 6)", b"(-6,6)"), r"g\.npy"),
    ],
    "vertex of `--sources` or `--targets` that is not in the graph; a list without any; `.bin` for a table": [
        Case("too large", ["g.el", "--sources", "0,6", *CPU.split()], 2, err=(r"--sources: vertex '6'", r"0\.\.5"), files={"g.el": EL}),
        Case("a range that ends beyond", ["g.el", "--targets", "4-6", *CPU.split()], 2, err="--targets: vertex '6'", files={"g.el": EL}),
        Case("a range backwards", ["g.el", "--targets", "4-2", *CPU.split()], 2, err="--targets: '4-2'", files={"g.el": EL}),
        Case("no number", ["g.el", "--sources", "x", *CPU.split()], 2, err="--sources: vertex 'x'", files={"g.el": EL}),
        Case("no such label", ["g.el", "--sources", "Dora", "--labels", *CPU.split()], 2, err="'Dora' is not in the graph",
             files={"g.el": "Bert Anna 3\n"}),
        Case("quotes that do not end", ["g.el", "--sources", '"Bert', "--labels", *CPU.split()], 2, err="a quote is not closed",
             files={"g.el": "Bert Anna 3\n"}),
        Case("in a file", ["g.el", "--sources", "s", *CPU.split()], 2, err="s:2: vertex '9'", files={"g.el": EL, "s": "0\n1 9\n"}),
        Case("no such file", ["g.el", "--sources", "s.txt", *CPU.split()], 2, err="s.txt: there is no such file", files={"g.el": EL}),
        Case("an empty file", ["g.el", "--sources", "s", *CPU.split()], 2, err="s: no vertices", files={"g.el": EL, "s": "# none\n"}),
        Case("a table in .bin", ["g.el", "--sources", "0", "-o", "d.bin", *CPU.split()], 2, err=r"d.bin: tables .* \.npy .*\.csv \.tsv",
             files={"g.el": EL}),
        Case("Bellman's equation without all columns", ["g.el", "--targets", "0", "--verify=bellman", *CPU.split()], 2,
             err="give --verify=dijkstra, or leave --targets out", files={"g.el": EL}),
        Case("several sizes", ["--n", "5,6", "--sources", "0", *CPU.split()], 2, err="--n takes one number"),
        Case("records in a directory", ["g.el", "--sources", "0", "--record", "r", *CPU.split()], 2, err="--sources excludes --record",
             files={"g.el": EL}),
    ],
    "more than 2³¹ entries (n ≥ 46341)": [
        *(Case(f"info of {file}", f"info {file}", out=f"vertices +{BIG:,}\n[^$]*edges +1\n", files={file: content})
          for file, content in {"g.bin": edges_bin(BIG, [(BIG - 1, 0, 7)]), "g.gr": f"p sp {BIG} 1\na {BIG} 1 7\n",
                                "g.mtx": f"{MTX} integer general\n{BIG} {BIG} 1\n{BIG} 1 7\n",
                                "g.el": f"{BIG - 1} 0 7\n"}.items()),
        Case("gen", "gen --n 65536 --family sparse --degree 1 -o g.bin", out="65,536 edges", left="g.bin"),
        *(bad(f"size of a bin-dense of n = {n}", "g.bin", struct.pack("<2i", n, n), rf"\b{8 + 4 * n * n} bytes",
              options="--format bin-dense") for n in (BIG, 65537)),
        bad("size of an npy", "g.npy", npy("<i4", "<i", 0, n=65536), str(128 + 4 * 65536**2)),
        *(Case(f"memory of n = {n}", f"--n {n} --threads 1 {CPU}", 5, err=(rf"\b{8 * n * n / 1e9:.1f} GB", "free"),
               child=FEW_ADDRESSES) for n in (BIG, 65536)),
    ],
    "vertex id out of range, or 0 where ids begin at 1": [
        bad("bin", "g.bin", edges_bin(3, [(0, 3, 1)]), r"\b3\b"),
        bad("negative in bin", "g.bin", edges_bin(3, [(0, -1, 1)]), "-1"),
        bad("0 in gr", "g.gr", "p sp 3 1\na 0 1 5\n", r"g\.gr:2"),
        bad("above n in gr", "g.gr", "c\np sp 3 1\na 1 4 5\n", r"g\.gr:3"),
        bad("0 in mtx", "g.mtx", f"{MTX} integer general\n3 3 1\n0 1 5\n", r"g\.mtx:3"),
        bad("above n in mtx", "g.mtx", f"{MTX} integer general\n3 3 1\n1 4 5\n", r"g\.mtx:3"),
        bad("0 in el with base 1", "g.el", "1 2 5\n0 1 5\n", r"g\.el:2", options="--base 1"),
        bad("above --vertices in el", "g.el", "0 1 5\n0 3 5\n", r"g\.el:2", options="--vertices 3"),
        bad("above int in el", "g.el", "0 4294967296 5\n", r"g\.el:1"),
        bad("negative in el", "g.el", "0 -1 5\n", r"g\.el:1"),
    ],
    "edge list of unclear n: `N M` in the first line, or `# Nodes: N` below the largest id": [
        bad("N M", "g.el", "3 2\n0 1\n1 2\n", r"g\.el:1", "--skip-lines 1 --vertices 3", "--skip-lines 0"),
        bad("unused ids", "g.txt", "# Nodes: 3 Edges: 2\n0 1\n7 2\n", r"g\.txt:1", "--vertices 8"),
        bad("ids from 1", "g.txt", "# Nodes: 3 Edges: 2\n1 2\n3 2\n", r"g\.txt:1", "--base 1"),
        bad("above n of the first line", "g.el", "2\n1 2 5\n", r"g\.el:2", "--base 1", "--vertices"),
        good("N M is a header", "g.el", "3 2\n0 1 5\n1 2 6\n", matrix(3, [(0, 1, 5), (1, 2, 6), (0, 2, 11)]),
             "--skip-lines 1 --vertices 3"),
        good("N M is an edge", "g.el", "3 2\n0 1\n1 2\n", matrix(4, [(0, 1, 1), (1, 2, 1), (0, 2, 2), (3, 2, 1)]),
             "--skip-lines 0"),
        good("N in the first line", "g.el", "3\n0 1 5\n", matrix(3, [(0, 1, 5)])),
        good("N in a comment", "g.el", "# Nodes: 3 Edges: 1\n0 1 5\n", matrix(3, [(0, 1, 5)])),
    ],
    "edge list of words, of large ids, with two separators, or whose first line may be a header": [
        bad("words", "g.el", "0 1 5\nMyriel 0 1\n", r"g\.el:2", "'Myriel': --labels"),
        bad("large ids", "g.el", "0 1 5\n0 4294967297 1\n", r"g\.el:2", "--labels"),
        bad("two separators", "g.csv", "0;1;0,5\n", r"g\.csv:1", "comma, semicolon"),
        bad("commas and blanks", "g.csv", "0 1,5\n", r"g\.csv:1", "'0 1'"),
        bad("header or edge", "g.csv", "from,to\na,b\n", r"g\.csv:1", "--skip-lines 1", "--skip-lines 0", options="--labels"),
        bad("header node_1 or edge", "g.csv", "node_1,node_2\na,b\n", r"g\.csv:1", "--skip-lines 1", options="--labels"),
        bad("header without edges", "g.el", "Napoleon Myriel\n", r"g\.el:1", "--labels"),
        bad("names of columns", "g.csv", "origin,destination\na,b\nb,c\n", r"g\.csv:1: .*--skip-lines 1 .*header, --skip-lines 0 .*edge", options="--labels"),
        bad("words of one line", "g.csv", "Quelle,Ziel\na,b\nb,c\n", r"g\.csv:1: no other line .*--skip-lines 1 .*--skip-lines 0", options="--labels"),
        Case("a header", f"g.csv --labels --skip-lines 1 {CPU}", files={"g.csv": "origin,destination\na,b\nb,c\n"}, out="3 vertices, 2 edges"),
        bad("attributes", "g.edgelist", "0 1 {'color'}\n", r"edgelist:1", "write_weighted_edgelist"),
        good("header", "g.csv", "source,target\n0,1\n", matrix(2, [(0, 1, 1)])),
    ],
    "NaN, −Inf, a fraction among integers, too long a number, stray text": [
        bad("NaN in el", "g.el", "0 1 5\n1 2 nan\n", r"g\.el:2", "nan"),
        bad("-inf in el", "g.el", "0 1 -inf\n", r"g\.el:1", "-inf"),
        bad("fraction in el", "g.el", "0 1 1.5\n", r"g\.el:1", r"1\.5", options="--dtype i32"),
        bad("fraction in gr", "g.gr", "p sp 2 1\na 1 2 1.5\n", r"g\.gr:2", r"1\.5"),
        bad("fraction in mtx", "g.mtx", f"{MTX} real general\n2 2 1\n1 2 1.5\n", r"g\.mtx:3", r"1\.5",
            options="--dtype i32"),
        bad("fraction in integer mtx", "g.mtx", f"{MTX} integer general\n2 2 1\n1 2 1.5\n", r"g\.mtx:3",
            options="--dtype f32"),
        bad("fraction in npy", "g.npy", npy("<f8", "<4d", 0, 1, 2.5, 0), "byte 144", r"1->0.* 2\.5",
            options="--dtype i32"),
        bad("NaN in npy", "g.npy", npy("<f4", "<4f", 0, 0.5, float("nan"), 0), "byte 136", "1->0.* nan"),
        bad("-inf in npy", "g.npy", npy("<f4", "<4f", 0, 0.5, float("-inf"), 0), "byte 136", "1->0.* -inf"),
        *(bad(f"{weight} among reals {options}", "g.el", f"0 1 0.5\n1 2 {weight}\n", r"g\.el:2",
              re.escape(f"'{weight}'"), options=options)
          for weight in ("nan", "-inf", "-1.5", "1e309", "0x1p3", "1.5.2", "1,5") for options in ("", "--dtype f32")),
        bad("1e39 is no float32", "g.el", "0 1 0.5\n1 2 1e39\n", r"g\.el:2", "'1e39'", "--dtype f64", options="--dtype f32"),
        bad("integer too large for int32", "g.el", f"0 1 5\n1 2 {2**32 + 1}\n", r"g\.el:2", "--dtype i64", options="--dtype i32"),
        bad("number too long", "g.el", "0 1 99999999999999999999\n", r"g\.el:1", options="--dtype i64"),
        *(bad(f"number of 2 to the {bits} + 5", "g.gr", f"p sp 2 1\na 1 2 {2**bits + 5}\n", r"g\.gr:2", options=options)
          for bits, options in ((32, "--dtype i32"), (64, ""))),
        bad("stray text", "g.el", "0 1 5\n0 2 5 x\n", r"g\.el:2", "x"),
        bad("stray text in gr", "g.gr", "p sp 2 1\na 1 2 5\nhello\n", r"g\.gr:3"),
        bad("stray text behind an arc of gr", "g.gr", "p sp 2 1\na 1 2 5 x\n", r"g\.gr:2", "x"),
        bad("stray text behind an entry of mtx", "g.mtx", f"{MTX} integer general\n2 2 1\n1 2 5 x\n", r"g\.mtx:3", "x"),
        bad("no number", "g.el", "a b 5\n", r"g\.el:1"),
        bad("one word", "g.el", "0 1\n7\n", r"g\.el:2"),
        bad("name with a newline", "no\nsuch.el", "zz\n", r"such\.el"),
    ],
    "negative cycle, self-loop or undirected edge of negative weight": [
        bad("of edges", "g.el", "0 1 2\n1 2 -5\n2 1 3\n", r"negative cycle 2 -> 1 \(3\) -> 2 \(-5\), sum -2",
            options="--negative"),
        bad("of a matrix", "g.npy", npy("<i4", "<9i", 0, 2, 9, INF, 0, -5, INF, 3, 0), r"cycle 2 -> 1 \(3\) -> 2 \(-5\), sum",
            options="--negative"),
        bad("with labels", "g.el", "a b -2\nb c 1\nc a 0\n", r"cycle b -> c \(1\) -> a \(0\) -> b \(-2\), sum -1",
            options="--negative --labels"),
        bad("of real weights", "g.el", "0 1 2.5\n1 2 -5.25\n2 1 5\n", r"cycle 2 -> 1 \(5\) -> 2 \(-5.25\), sum -0.25: .*correct",
            options="--negative"),
        bad("of rounded weights", "g.npy", npy("<f4", "<9f", 0, .1, INF, INF, 0, .2, -.3, INF, 0),
            r"-> 0 \(-0.3\).*, sum -7.45058e-09: .*rounding the weights to float32", options="--negative"),
        bad("real self-loop", "g.el", "0 1 2.5\n1 1 -0.5\n1 1 -0.75\n", r"cycle 1 -> 1 \(-0.75\)", options="--negative"),
        bad("self-loop", "g.gr", "p sp 2 2\na 1 2 5\na 2 2 -1\n", r"cycle 1 -> 1 \(-1\), sum -1", options="--negative"),
        bad("self-loop in a matrix", "g.npy", npy("<i4", "<4i", 0, 5, 5, -1), r"cycle 1 -> 1 \(-1\)", options="--negative --zero edge"),
        bad("undirected", "g.el", "0 1 4\n1 2 -3\n", r"2 \(-3\)", "undirected edge", options="--negative --undirected"),
        bad("undirected format", "g.graph", "3 2 1\n2 4\n1 4 3 -3\n2 -3\n", "undirected edge", options="--negative"),
        bad("path", "g.el", "0 1 2\n1 2 -5\n2 1 3\n", "negative cycle", options="--negative")._replace(
            argv="path g.el 0 2 --negative".split()),
        good("of sum 0 is no such cycle", "g.el", "0 1 2\n1 2 -5\n2 1 5\n", [[0, 2, -3], [INF, 0, -5], [INF, 5, 0]],
             options="--negative --verify", out="bellman:3"),
        good("of real sum 0 is no such cycle", "g.el", "0 1 0.5\n1 2 -0.25\n2 1 0.25\n",
             [[0.0, 0.5, 0.25], [float("inf"), 0.0, -0.25], [float("inf"), 0.25, 0.0]],
             options="--negative --verify", out="bellman:3"),
        Case("undirected family", "--n 9 --family planted --negative --undirected --device cpu", 2, err="negative cycle"),
    ],
    "shortest distance of minus infinity of its type or less, of int32 −1073741823": [
        bad("path", "g.el", f"0 1 -{INF - 1}\n1 2 -1\n", f"vertex 2 has the length -{INF}", "scale", options="--negative"),
        bad("path in a matrix", "g.npy", npy("<i4", "<9i", 0, 1 - INF, INF, INF, 0, -1, INF, INF, 0), f"length -{INF}",
            options="--negative"),
        good("the least one", "g.el", f"0 1 {2 - INF}\n1 2 -1\n", [[0, 2 - INF, 1 - INF], [INF, 0, -1], [INF, INF, 0]],
             options="--negative"),
    ],
    "weight out of the range, or an oracle other than Bellman's equation, with `--negative`": [
        *(bad(f"{weight} {options}", "g.el", f"0 1 {weight}\n", r"g\.el:1", *err, options=f"--negative {options}")
          for weight, options, err in (
              (f"-{INF}", "--dtype i32", [rf"{1 - INF}\.\.{INF - 1}", "without --dtype i32"]),
              (f"{INF}", "--dtype i32", ["without --dtype i32"]),
              ("-1.5", "--dtype i32", ["whole weight", "'-1.5'", "without --dtype i32"]),
              ("-1e39", "--dtype f32", [r"in -3.4e\+38\.\.3.4e\+38"]), ("-1e309", "", [r"in -1.8e\+308\.\.1.8e\+308"]), ("-inf", "--dtype f32", ["'-inf'"]), ("nan", "", ["'nan'"]))),
        bad("fraction in an integer format", "g.gr", "p sp 2 1\na 1 2 -1.5\n", "whole weight", r"\.mtx", options="--negative"),
        bad("in JSON", "g.json", '{"directed": true, "nodes": [{"id": 0}, {"id": 1}], "edges": '
            f'[{{"source": 0, "target": 1, "weight": -{INF}}}]}}', "without --dtype i32", options="--negative --dtype i32"),
        bad("in JSON, of 64 bits", "g.json", '{"directed": true, "nodes": [{"id": 0}, {"id": 1}], "edges": '
            '[{"source": 0, "target": 1, "weight": 18446744073709551611}]}', "without --dtype i64", options="--negative --dtype i64"),
        bad("in a matrix", "g.npy", npy("<f4", "<4f", 0, 5, float("-inf"), 0), "-inf", options="--negative --zero edge"),
        *(Case(f"{least} among doubles", "info g.npy --negative --json", out=f'"dtype": "{dtype}"',
               files={"g.npy": npy("<f8", "<4d", 0, float(least), float("inf"), 0)})
          for least, dtype in ((-2**53, "i64"), (-2**53 - 2, "f64"))),  # which stands for its neighbours, too
        Case("family that no float32 holds", f"--n 9 --family planted --negative --dtype f32 --range 99999999 {CPU}", 2,
             err="--range 16777216 or less"),
        good("as float32", "g.el", f"0 1 -{2 * INF}\n", [[0.0, -2.0**31], [float("inf"), 0.0]],
             options="--negative --dtype f32 --verify", out="bellman:2"),
        *(Case(f"oracle {oracle}", f"--n 9 --negative --verify={oracle} {CPU}", 2, err="--verify=bellman:ROWS")
          for oracle in ("apsp", "dijkstra")),
    ],
    "negative weight without `--negative`": [
        bad("bin", "g.bin", edges_bin(3, [(0, 1, -5)]), "-5 is negative"),
        bad("bin-dense", "g.bin", dense_bin([[0, 1], [-2, 0]]), "-2", options="--format bin-dense"),
        bad("gr", "g.gr", "p sp 2 1\na 1 2 -5\n", r"g\.gr:2", "1->2.*-5. is negative"),
        bad("mtx", "g.mtx", f"{MTX} integer general\n2 2 1\n1 2 -5\n", r"g\.mtx:3", "1->2.*-5. is negative"),
        bad("npy", "g.npy", npy("<i4", "<4i", 0, 1, -2, 0), "1->0.* -2 is negative"),
        bad("el", "g.el", "0 1 -1\n", r"g\.el:1", "0->1.* '?-1"),
        Case("family", f"--n 9 --family planted {CPU}", 2, err="give --negative"),
        Case("family of gen", "gen --n 9 --family planted -o g.el", 2, err="give --negative"),
        *(bad(f"el {weight} {options}", "g.el", f"0 1 {weight}\n", f"g.el:1: edge 0->1.*'{weight}' is negative",
              r"(?s)\A((?!--dtype f32).)*\Z", options=options)
          for weight in ("-1", "-0.5") for options in ("", "--dtype f32")),
    ],
    "mistyped option, kernel, family or other name": [
        Case("option", "--n 5 --kernl ref", 2, err="did you mean '--kernel'"),
        Case("kernel", "--n 5 --device cpu --kernel aspp", 2, err="did you mean 'apsp'"),
        Case("two as near", "--n 5 --device tpu", 2, err="choose one of auto, gpu, cpu"),
    ],
    "option without effect, for example `--base` with a `.gr` file": [
        Case("of another format", "g.gr --base 1", 2, err="--base has no effect on the format gr, only on el",
             files={"g.gr": "p sp 2 1\na 1 2 5\n"}),
        Case("of another family", "gen --n 5 --degree 3 -o g.gr", 2, err="--degree has no effect on the family course"),
        Case("of another kind of graph", "--n 5 --base 1", 2, err="--base has no effect on a generated graph"),
        Case("of another kernel", "--n 5 --device cpu --no-skip", 2, err="--no-skip has no effect on the kernel apsp"),
    ],
    "`--limit` below 0 or no number, `--nearest` above the number of targets, a target twice, or an option of kernels beside such a question": [
        *(Case(f"a limit of {limit}", f"g.el --limit={limit}", 2, err=(re.escape(f"'{limit}'"), "a number from 0 on"), files={"g.el": EL})
          for limit in ("-1", "nan", "3x")),
        Case("too many", "g.el --nearest 7", 2, err="the nearest 7 of 6 targets are asked for: the number is from 0 to 6", files={"g.el": EL}),
        Case("too many of some targets", "g.el --nearest 3 --targets 1,2", 2, err="the nearest 3 of 2 targets", files={"g.el": EL}),
        Case("a target twice", "g.el --limit 3 --targets 1,2,1", 2, err="targets 0 and 2 are the same vertex, 1", files={"g.el": EL}),
        *(Case(f"beside {option}", f"g.el --limit 3 {option}", 2, err=f"--limit is answered without a kernel, .*: leave out {option.split()[0]}",
               files={"g.el": EL})
          for option in ("--kernel ref", "--verify", "--method sparse", "--reps 3", "--summary s.csv", "--json j", "--record r", "--long -o d.csv",
                         "--negative", "--out-dtype u8 -o d.npz", "--histogram -", "--order o.txt", "--force -o d.csv")),
        *(Case(f"{option} without a file of a kernel", f"g.el --limit 3 {option}", 2, files={"g.el": EL},
               err=f"{re.split('[ =]', option)[0]} has no effect on apsp, only on files after --kernel: leave it out")
          for option in ("--cxxflags=-O1", "--time-limit 5", "--unsandboxed")),
        *(Case(f"{question} in a file of another kind", f"g.el {question} -o {name}", 2, files={"g.el": EL},
               err=re.escape(f"{name}: the answer to {question.split()[0]} is a table: name it .csv"))
          for question, name in (("--farthest", "f.npy"), ("--centrality betweenness", "b.npz"), ("--centrality edge-betweenness", "e.tsv"))),
        Case("a histogram of the farthest", "g.el --farthest --histogram h.csv", 2, files={"g.el": EL},
             err="--farthest is answered without a kernel, .*: leave out --histogram"),
        Case("beside another question", "g.el --limit 3 --farthest", 2, err="leave out other questions", files={"g.el": EL}),
        Case("sources of all", "g.el --farthest --sources 1", 2, err="--farthest is asked of all vertices", files={"g.el": EL}),
        Case("a format of all distances", "g.el --limit 3 -o d.npy", 2, err=r"d\.npy: distances of some pairs are written as .*\.mtx",
             files={"g.el": EL}),
        Case("paths in a matrix", "g.el --nearest 1 --paths -o d.mtx", 2, err=r"d\.mtx: paths are written as \.tsv or \.csv", files={"g.el": EL}),
        Case("paths nowhere", "g.el --nearest 1 --paths", 2, err="--paths is answered in a file: add -o FILE", files={"g.el": EL}),
        Case("centrality nowhere", "g.el --centrality betweenness", 2, err="--centrality is answered in a file", files={"g.el": EL}),
        Case("another centrality", "g.el --centrality between -o b.csv", 2, err="betweenness", files={"g.el": EL}),
        Case("edges beside vertices", "g.el --centrality closeness,edge-betweenness -o b.csv", 2, files={"g.el": EL},
             err="--centrality edge-betweenness has a line for each edge, and the others have one for each vertex: ask for it alone"),
        *(Case(f"{option} of what is exact", f"g.el --centrality harmonic,closeness {option} .5 -o b.csv".replace("samples .5", "samples 5"), 2,
               files={"g.el": EL}, err=f"{option} has no effect on harmonic, only on betweenness and edge-betweenness: leave it out")
          for option in ("--samples", "--error")),
        Case("one of several words", "g.el --centrality closeness,harmnic -o b.csv", 2, files={"g.el": EL},
             err="unknown word 'harmnic': did you mean 'harmonic'"),
        Case("closeness of what is too far", "g.el --centrality closeness,betweenness -o b.csv", 3, files={"g.el": FAR},
             err=r"6 pairs are reachable only over a distance of 1073741823 or more.*the first pair \S+ -> \S+\)"),
        Case("an error of 0", "g.el --centrality betweenness --error 0 -o b.csv", 2, err="'0': expected a number above 0", files={"g.el": EL}),
        Case("pairs beside a stream", "path g.el 0 1 --queries -", 2, err="--queries answers lines of pairs.*: leave out FROM TO",
             files={"g.el": EL}),
    ],
    "real weight of 0 with `--centrality`": [
        Case("an edge of 0", "g.el --centrality betweenness -o b.csv", 3, err="betweenness takes real weights above 0, and the edge from 0 to 1 has 0",
             files={"g.el": "0 1 0\n1 0 .5\n"}),
    ],
    "line of `--queries` that is no pair": [
        Case("a word", "path g.el --queries -", 3, out=r"\Aerror\tline 1: .*\n0\t0\t0\n\Z", stdin=b"x\n0 0\n", files={"g.el": EL},
             err="-: 1 line has no answer, the first is line 1: its answer says why"),
        Case("no such file", "path g.el --queries q", 3, err="q: cannot be read: ", files={"g.el": EL}),
    ],
    "shortest distance of infinity of its type or more, of int32 1073741823 (kInf)": [
        bad("chain too long", "g.el", LONG, str(INF), r"\b3 pairs"),
        bad("and names the first pair", "g.el", LONG, r"the first pair 0 -> 2\)"),
        bad("by the names of the file", "g.el", "Porto Faro 1000000000\nFaro Lagos 1000000000\n", r"1 pair is .*the first pair Porto -> Lagos\)",
            options="--labels"),
        bad("of those that are asked for", "g.el", LONG, r"1 pair is .*the first pair 1 -> 3\)", options="--sources 1,2,3"),
        bad("path of exactly kInf", "g.el", f"0 1 {INF - 1}\n1 2 1\n", str(INF), r"\b1 pair is "),
        bad("path too long beside unreachable pairs", "g.el", LONG + "5 6 1\n", str(INF), r"\b3 pairs"),
        bad("weight kInf", "g.el", f"0 1 {INF}\n", r"g\.el:1", str(INF), options="--dtype i32"),
        bad("chain too long for int64", "g.el", LONG.replace("1" + "0" * 9, "4" + "0" * 18), str(2**62 - 1), r"\b3 pairs are .*i64"),
        good("the same chain as int64", "g.el", LONG, [[(j - i) * 10**9 if j >= i else 2**62 - 1 for j in range(4)] for i in range(4)],
             options="--dtype i64"),
        bad("weight kInf in bin", "g.bin", edges_bin(3, [(0, 1, INF)]), "0->1", str(INF)),
        bad("weight above kInf in bin-dense", "g.bin", dense_bin([[0, 1], [INF + 1, 0]]), str(INF + 1),
            options="--format bin-dense"),
        bad("sum beyond float32", "g.el", "0 1 2e38\n1 2 2e38\n3 4 1\n", r"\b1 pair is .*f32", r"2e.?38", options="--dtype f32"),
        bad("sum beyond float64", "g.el", "0 1 1e308\n1 2 1e308\n3 4 1\n", r"\b1 pair is .*f64", r"1e.?308"),
        good("path of kInf - 1", "g.el", f"0 1 {INF - 2}\n1 2 1\n",
             matrix(3, [(0, 1, INF - 2), (1, 2, 1), (0, 2, INF - 1)])),
        good("a way around", "g.el", "0 1 1000000000\n1 2 1000000000\n0 2 3\n",
             matrix(3, [(0, 1, 10**9), (1, 2, 10**9), (0, 2, 3)])),
        Case("info solves nothing", "info g.el", files={"g.el": LONG}, out="edges +3"),
    ],
    "parallel edges, self-loops": [
        *(good(f"weights {weights}", "g.el", "".join(f"0 1 {w}\n" for w in weights) + "1 1 4\n", matrix(2, [(0, 1, 3)]),
               out=(r"\b2 parallel", r"\b1 self-loop")) for weights in itertools.permutations((3, 5, 9))),
        Case("info", "info g.el", files={"g.el": "0 1 5\n0 1 3\n1 1 4\n0 1 9\n"},
             out=("edges +1\n", r"\b2 parallel", r"\b1 self-loop", "3 to 3")),
    ],
    "n = 0, n = 1": [
        *(good(f"n = {n}, {name}", file, content, [[0]] * n, options)
          for n in (0, 1) for name, file, content, options in (
              ("bin-edges", "g.bin", edges_bin(n, []), ""),
              ("bin-dense", "g.bin", dense_bin(matrix(n, [])), "--format bin-dense"),
              ("gr", "g.gr", f"p sp {n} 0\n", ""),
              ("mtx", "g.mtx", f"{MTX} integer general\n{n} {n} 0\n", ""),
              ("mtx array", "g.mtx", f"%%MatrixMarket matrix array integer general\n{n} {n}\n" + "0\n" * n, ""),
              ("npy", "g.npy", npy("<i4", f"<{n}i", *[0] * n), ""),
              ("el", "g.el", "# none\n", f"--vertices {n}"))),
        *(Case(f"n = {n}, generated", f"--n {n} --kernel ref,apsp --verify --vary {CPU} -o d.npy", left="d.npy",
               distances=[[0]] * n) for n in (0, 1)),
        *(Case(f"n = {n}, renumbered", f"--n {n} --family ring --kernel ref,apsp --verify --vary --device cpu "
               f"--warmup {warmup}", out=r"(?m)^apsp .* ref$") for n, warmup in ((0, 1), (1, 1), (2, 3))),
        good("only a self-loop", "g.el", "0 0 5\n", [[0]]),
    ],
    "n beside a multiple of a tile, or of 4": [
        Case(f"n = {n}", f"--n {n} --family sparse --degree 3 --kernel ref,apsp --verify=dijkstra:{n} {CPU}",
             out=rf"(?m)^apsp .* dijkstra:{n}$") for n in (5, 31, 33, 63, 64, 65, 66, 127, 129, 130, 191, 193, 257)],
    "unreachable pairs": [
        good("two parts", "g.el", "0 1 5\n2 3 7\n", matrix(4, [(0, 1, 5), (2, 3, 7)]), out="10 pairs are unreachable"),
        good("vertices without edges", "g.el", "0 1 4\n", matrix(4, [(0, 1, 4)]), "--vertices 4",
             out="11 pairs are unreachable"),
        good("all of one vertex", "g.el", "0 1 1\n1 0 2\n0 2 3\n2 0 4\n", [[0, 1, 3], [2, 0, 5], [4, 5, 0]],
             out=r"\A((?!unreachable)[^$])*\Z"),
        Case("generated", f"--n 30 --family disconnected --verify=dijkstra:30 {CPU}", out="pairs are unreachable"),
    ],
    "`.mtx` rectangular, complex or skew-symmetric; `.npy` of objects": [
        bad("rectangular mtx", "g.mtx", f"{MTX} integer general\n2 3 1\n1 2 5\n", r"g\.mtx:2"),
        bad("complex mtx", "g.mtx", f"{MTX} complex general\n2 2 1\n1 2 5 1\n", r"g\.mtx:1", "complex"),
        bad("skew-symmetric mtx", "g.mtx", f"{MTX} integer skew-symmetric\n2 2 1\n2 1 5\n", "skew"),
        bad("hermitian mtx", "g.mtx", f"{MTX} complex hermitian\n2 2 1\n2 1 5 1\n", r"g\.mtx:1"),
        bad("npy of objects", "g.npy", NPY.replace(b"'<i4'", b"'|O' "), r"\|O"),
        bad("npy of complex numbers", "g.npy", NPY.replace(b"'<i4'", b"'<c8'"), "<c8"),
        bad("rectangular npy", "g.npy", NPY.replace(b"(6, 6)", b"(4, 9)"), r"\(4, 9\).*\(n, n\)"),
        bad("rectangular bin-dense", "g.bin", struct.pack("<8i", 2, 3, 0, 1, 1, 1, 0, 1), r"g\.bin",
            options="--format bin-dense"),
    ],
    "`.mtx` pattern or symmetric; `.npy` in Fortran order or big-endian": [
        good("pattern", "g.mtx", f"{MTX} pattern general\n2 2 1\n1 2\n", matrix(2, [(0, 1, 1)])),
        good("symmetric", "g.mtx", f"{MTX} integer symmetric\n2 2 1\n2 1 7\n", [[0, 7], [7, 0]]),
        good("symmetric pattern", "g.mtx", f"{MTX} pattern symmetric\n2 2 1\n2 1\n", [[0, 1], [1, 0]]),
        good("symmetric array", "g.mtx", "%%MatrixMarket matrix array integer symmetric\n2 2\n0\n7\n0\n",
             [[0, 7], [7, 0]]),
        good("Fortran order", "g.npy", npy("<i4", "<4i", 0, 3, 8, 0).replace(b"False, ", b"True,  "),
             [[0, 8], [3, 0]]),
        *(good(f"npy {descr}", "g.npy", npy(descr, form, 0, 3, 8, 0), [[0, 3], [8, 0]])
          for descr, form in ((">i4", ">4i"), (">i2", ">4h"), (">i8", ">4q"), (">f4", ">4f"), (">f8", ">4d"))),
    ],
    "edge list in which only some edges have a weight": [
        bad("weight missing", "g.el", "0 1 5\n1 2\n", r"g\.el:2: .*no weight.*line 1 has one"),
        bad("weight too many", "g.csv", "0,1\n1,2\n2,0,1\n", r"g\.csv:3: .*line 1 has none"),
        bad("header", "g.el", "3 9\n0 1 5\n1 2 6\n", r"g\.el:1: .*--skip-lines 1 --vertices 3"),
        good("header skipped", "g.el", "3 9\n0 1 5\n1 2 6\n", [[0, 5, 11], [INF, 0, 6], [INF, INF, 0]], "--skip-lines 1"),
    ],
    "GAP or `.npz` file whose numbers are no graph; GraphML or JSON without what its format wants": [
        bad("GAP of falling offsets", "g.sg", struct.pack("<?2q4q2i", False, 2, 3, 0, 2, 1, 2, 0, 1),
            r"g\.sg: byte 33: offset 2 is 1, expected one in 2\.\.2"),
        bad("GAP of no such vertex", "g.wsg", struct.pack("<?2q3q4i", False, 2, 2, 0, 1, 2, 2, 5, 0, 5), "byte 41.*vertex 2 is outside 0..1"),
        bad("GAP with half of an edge", "g.sg", struct.pack("<?2q4q2i", False, 2, 3, 0, 1, 2, 2, 1, 2), "undirected, but edge 0->1 has no reverse"),
        bad("JSON without directed", "g.json", '{"nodes": [], "links": []}', "the object has no key directed"),
        bad("JSON of no such node", "g.json", '{"directed": true, "nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}',
            r"links\[0\]\.target: .* is no node"),
    ],
    "edge of a METIS file in one line only, or with two weights; directed graph written as METIS": [
        bad("one line only", "g.graph", "3 1\n2\n% hi\n\n1\n", r"g\.graph:2: edge 1-2 .*line 4.*both"),
        bad("two weights", "g.graph", "2 1 1\n2 5\n1 6\n", r"g\.graph:2: edge 1-2 weighs 5 here and 6 in line 3"),
        bad("of another number", "g.graph", "2 2\n2\n1\n", r"g\.graph:3: .*2 entries.*2 edges"),
        Case("directed", "convert g.el g.graph", 2, err=r"g\.graph: .*edge 0->1 has no reverse.*--undirected",
             files={"g.el": "0 1 5\n"}),
        Case("a matrix of two weights", "convert g.npy g.graph", 2, err=r"g\.graph: .*has another weight.*--undirected",
             files={"g.npy": npy("<i4", "<4i", 0, 5, 6, 0)}),
        Case("undirected", "convert g.el g.graph --undirected", left="g.graph", files={"g.el": "0 1 5\n"}),
    ],
    "line of labels that begins with `#` or `%`": [
        bad("after an edge", "g.el", "a b 5\n#c d 6\n", r"g\.el:2: '#c d 6' .*quotes.*blank", options="--labels"),
        bad("before all edges", "g.csv", "%c,d\na,b\n", r"g\.csv:1: '%c,d' .*quotes.*blank", options="--labels"),
        Case("three words are a comment", f"g.el --labels {CPU}", out="2 vertices, 1 edge,",
             files={"g.el": "a b 5\n#c d words\n"}),
    ],
    "header that names the target before the source, a third column that is no weight, or other columns than a line has": [
        bad("another order", "g.csv", "to,from,km\na,b,5\n", r"g\.csv:1: .*'to' and 'from'.*--columns 2,1,3", options="--labels"),
        bad("a time", "g.csv", "from,to,time\n0,1,5\n", r"g\.csv:1: .*'time': give --weight NAME, or --unweighted"),
        bad("another number", "g.csv", "from,to\n0,1,5\n", r"g\.csv:2: expected 2 fields as in the header"),
        good("picked", "g.csv", "to,from,time\n1,0,5\n", matrix(2, [(0, 1, 5)]), "--columns from,to,time"),
    ],
    "text that names its format, under another extension; files of KONECT and LGL as edge lists": [
        good("Matrix Market", "g.txt", f"{MTX} integer symmetric\n2 2 1\n2 1 5\n", [[0, 5], [5, 0]]),
        bad("as an edge list", "g.txt", f"{MTX} integer general\n2 2 1\n1 2 5\n", r"g\.txt: .*--format mtx", options="--format el"),
        bad("KONECT", "g.txt", "% sym weighted\n1 2 5\n", r"g\.txt:1: .*--base 1 --undirected"),
        bad("LGL", "g.txt", "# 0\n1 5\n", r"g\.txt:1: .*LGL"),
    ],
    "file that has the name of a vertex, after `--sources`; a word behind `#` in a list of vertices or pairs": [
        Case("a file and a vertex", f"g.csv --labels {CPU} --sources a", 2, files={"g.csv": "a,b,5\n", "a": "b\n"}, err="--sources a: there is a file and a vertex"),
        Case("in a list", f"g.csv --labels {CPU} --sources s", 3, files={"g.csv": "a,b,5\n", "s": "a #b\n"}, err="s:1: '#b' is no vertex"),
        Case("in pairs", "path g.csv --labels --pairs p", 3, files={"g.csv": "a,b,5\n", "p": "#a,b\n"}, err="p:1: '#a' is no vertex"),
    ],
    "file of another program (GML, Pajek's `.net` and others), UTF-16 text, more than three columns": [
        *(Case(name, f"{name} {CPU}", 2, err=(re.escape(name) + ": ", what), files={name: "x"}) for name, what in (
            *((f"g.{end}", rf"python3 \S*scripts/to_json.py g.{end} \| \S*apsp - --format json reads it")
              for end in ("gml", "net", "gexf", "adjlist")),
            ("out.g", "KONECT.*--format el --base 1"))),
        *(Case(f"spreadsheet {end}", f"g.{end} {CPU}", 2, err=rf"g\.{end}: a spreadsheet is not read: .*save it as CSV",
               files={f"g.{end}": "PK\x03\x04"}) for end in ("xlsx", "xls", "ods")),
        Case("direction", f"g.adjlist {CPU}", 2, err="if it is, give the script --directed", files={"g.adjlist": "x"}),
        Case("Zstandard, which Python does not unpack", "info g.gml.zst", 2, files={"g.gml.zst": "x"},
             err=r"zstd -d g\.gml\.zst && python3 \S*to_json\.py g\.gml \|"),
        Case("name with blanks", ["info", "a b.gml.gz"], 2, err=r"to_json.py 'a b.gml.gz' \|", files={"a b.gml.gz": "x"}),
        bad("UTF-16", "g.el", "0 1 5\n".encode("utf-16"), r"g\.el: .*iconv -f UTF-16 -t UTF-8"),
        Case("UTF-16 on standard input", f"- {CPU}", 3, stdin="0 1 5\n".encode("utf-16"), err="<stdin>: .*iconv"),
        bad("four columns", "g.csv", "0,1,5,7\n", r"g\.csv:1: .*found 4: --columns .*1,2,3.*--format matrix"),
        bad("four names", "g.csv", "id,from,to,km\n1,0,1,7\n", r"g\.csv:1: .*found 4: --columns .*names in a header"),
        good("four columns, three of them picked", "g.csv", "id,from,to,km\n7,0,1,5\n8,1,0,6\n", [[0, 5], [6, 0]],
             "--columns from,to,km"),
    ],
    "−1 in a matrix": [
        *(Case(f"-1 in {name} of {kind}{quiet}", f"{name} {CPU}{quiet}", out=r"\A\Z" if quiet else note,
               files={name: data})
          for quiet in ("", " -q") for note in ('1 entry -1 off the diagonal, read as "no edge": give --negative .*-1\n',)
          for name, kind, data in (("g.npy", "float64", npy("<f8", "<4d", 0, -1, .5, 0)), ("g.npy", "int64", npy("<i8", "<4q", 0, -1, 5, 0)),
                                   ("g.npy", "int8", npy("|i1", "<4b", 0, -1, 5, 0)), ("g.bin", "int32", dense_bin([[0, -1], [5, 0]])))),
        good("--negative", "g.npy", npy("<i8", "<4q", 0, -1, 5, 0), [[0, -1], [5, 0]], "--negative", out=r"\A((?!entry -1)[^$])*\Z"),
    ],
    "table of two or three rows that may be a matrix": [
        bad("of edges", "g.csv", "0,5,2\n5,0,1\n2,1,0\n", r"g\.csv:1: 3 lines of 3 numbers .*--format el .*--format matrix"),
        bad("of pairs", "g.tsv", "0\t5\n5\t0\n", r"g\.tsv:1: 2 lines of 2 numbers .*--format el .*--format matrix"),
        good("as edges", "g.csv", "0,5\n5,0\n", matrix(6, [(0, 5, 1), (5, 0, 1)]), "--format el"),
        good("as a matrix", "g.csv", "0,5,2\n5,0,1\n2,1,0\n", [[0, 3, 2], [3, 0, 1], [2, 1, 0]], "--format matrix"),
    ],
    "GraphML, JSON or attributes of NetworkX without `weight`, but with other numbers; an edge without the one that was named": [
        bad("of JSON", "g.json", LENGTHS, r"g\.json: links: .*no 'weight', but 'length', 'time': give --weight NAME, or --unweighted"),
        bad("of NetworkX", "g.el", "0 1 {'length': 5}\n", r"g\.el:1: .*but 'length': give --weight"),
        bad("missing", "g.json", LENGTHS, r"g\.json: links\[1\]: edge '1'->'0': the edge has no 'time'; numbers are 'length'", options="--weight time"),
        bad("no number", "g.json", LENGTHS, r"links\[0\]: edge '0'->'1': .*Main St", options="--weight name"),
        good("named", "g.json", LENGTHS, [[0, 5], [6, 0]], "--weight length"),
        good("not counted", "g.json", LENGTHS, [[0, 1], [1, 0]], "--unweighted", out=r"\A((?!no weights)[^$])*\Z"),
    ],
    "file without weights": [
        *(Case(name, f"{name} {CPU}", files={name: data}, out=r"\n +no weights: every edge counts 1\n") for name, data in (
            ("g.el", "0 1\n1 0\n"), ("g.graph", "2 1\n2\n1\n"), ("g.npy", npy("|b1", "<4?", False, True, True, False)),
            ("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n"),
            ("g.sg", struct.pack("<?2q3q2i", False, 2, 2, 0, 1, 2, 1, 0)),
            ("g.json", '{"directed": false, "nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]}'))),
        Case("info", "info g.el", files={"g.el": "0 1\n"}, out=r"weights +no weights: every edge counts 1\n"),
        Case("quiet", f"g.el {CPU} -q", files={"g.el": "0 1\n1 0\n"}, out=r"\A\Z"),
    ],
    "map of ids that an earlier run left beside the output, or another file of its name": [
        *(Case(f"{what}{force}", argv + force, left=(name, f"{name}.ids") if force else name, files={f"{name}.ids": "mine"},
               out=() if force else rf"{name}\.ids: this program did not write it, so it stays: .* not those of {name}\n")
          for force in ("", " --force") for what, name, argv in (
              ("solve", "d.npy", f"{{data}}/tiny.el {CPU} -o d.npy"), ("a generated graph", "d.tsv", f"--n 3 {CPU} -o d.tsv"),
              ("predecessors", "p.npy", f"--n 3 {CPU} --predecessors p.npy"), ("gen", "g.el", "gen --n 3 -o g.el"),
              ("convert", "h.el", "convert {data}/tiny.el h.el"))),
        *(Case(f"{what} with labels", argv, 6, files={"g.el": "A B 3\n", f"{name}.ids": "mine"},
               err=rf"{name}\.ids: {name} is not there, so nobody can tell .* move it, or give --force")
          for what, name, argv in (
              ("solve", "d.npy", f"g.el --labels {CPU} -o d.npy"), ("convert", "h.el", "convert g.el h.el --labels"),
              ("predecessors", "p.npy", f"g.el --labels {CPU} --predecessors p.npy"))),
        Case("labels and --force", f"g.el --labels {CPU} -o d.npy --force", files={"g.el": "A B 3\n", "d.npy.ids": "mine"},
             left=("d.npy", "d.npy.ids"), distances=[[0, 3], [INF, 0]]),
        Case("quiet", f"--n 3 {CPU} -o d.tsv -q", left="d.tsv", files={"d.tsv.ids": "mine"}, out=r"\A\Z"),
        Case("not of a run that fails", f"g.el {CPU} -o d.npy", 3, files={"g.el": LONG, "d.npy": "old", "d.npy.ids": "old"}),
        Case("not an input", "convert g.ids g --format el --to el", 2, err="TO g.ids: .* GRAPH", files={"g.ids": EL}),
        Case("a folder is none", "gen --n 3 -o g.el", left="g.el", files={"g.el.ids": Path.mkdir}),
    ],
    "file missing, unreadable or empty; a directory, a device": [
        *(Case(f"missing {name}", f"{name} {CPU} -o d.npy", 3, err=f"{re.escape(name)}.*No such file")
          for name in ("nosuch.el", "./nosuch", "no/such.bin")),
        *(bad(f"empty {file}", file, b"", f"{re.escape(file)}.*empty")
          for file in ("g.bin", "g.gr", "g.npy", "g.mtx", "g.el", "g.el.gz")),
        bad("directory", "g.el", Path.mkdir, r"g\.el.*directory"),
        bad("directory without extension", "./g", Path.mkdir, r"\./g.*directory"),
        bad("device", "g.el", lambda path: path.symlink_to("/dev/null"), r"g\.el.*neither a regular file nor a pipe"),
        bad("unreadable", "g.el", unreadable, r"g\.el.*Permission denied")._replace(child=bound_by_permissions),
    ],
    "graph on standard input, in a FIFO or from `<(command)`": [
        *(Case(f"{name}, {given or 'by its first bytes'}", f"- {given} {CPU} -o d.npy", left="d.npy",
               stdin=(DATA / name).read_bytes(), distances=TINY_DISTANCES)
          for name in TINY for given in ("", f"--format {name.replace('.gz', '').rpartition('.')[2]}")
          if given or name != "tiny.wsg"),  # whose first bytes tell nothing
        *(Case(f"{end}, {name}", f"- {CPU} -o d.npy", left="d.npy", stdin=pack((DATA / name).read_bytes()),
               distances=TINY_DISTANCES) for end, pack in PACKERS.items() for name in ("tiny.gr", "tiny.npy", "tiny.bin")),
        *(Case(f"empty, {given}", f"- {given} {CPU}", 3, err="empty")
          for given in ("", "--format el", "--format bin", "--format npy")),
        Case("bin cut short", f"- --format bin {CPU}", 3, err=("127", "128"), stdin=BIN[:-1]),
    ],
    "standard input or a file without extension is not of the format that its first bytes show": [
        *(Case(f"{name}, {path}", f"{path} {CPU} -o d.npy", 3, err=(what, "--format"), stdin=data, files={"graph": data})
          for name, what, data in (("words", "hello.*el", b"0 1 2\nhello 1 2\n"), ("bin cut short", "127.*bin", BIN[:-1]),
                                   ("npy cut short", "268.*npy", NPY[:-4]), ("gr of labels", "'c'.*gr", b"c d 5\na b 5\n"),
                                   ("two layouts", "bin-edges.*bin-dense", edges_bin(3, [(0, 1, 5), (1, 2, 0), (2, 0, 7)])))
          for path in ("-", "./graph")),
    ],
    "compressed file corrupt, cut short or followed by other bytes": [
        bad("of another checksum", "g.gr.gz", GZ[:-8] + bytes([GZ[-8] ^ 1]) + GZ[-7:], r"g\.gr\.gz.*corrupt"),
        bad("no gzip", "g.gr.gz", b"\x1f\x8bnot gzip", r"g\.gr\.gz.*corrupt"),
        bad("not compressed", "g.gr.gz", GR, r"g\.gr\.gz.*named \.gz"),
        *(bad(f"{name}{end}", f"g.gr{end}", data, rf"g\.gr\{end}: byte \d+: the \w+ data are {what}")
          for end, pack in PACKERS.items() for whole in (pack(GR.encode()),)
          for name, what, data in (
              ("cut short", "truncated", whole[:-9]), ("cut within a byte of its end", "truncated", whole[:-1]),
              ("corrupt", "corrupt", whole[:40] + bytes([whole[40] ^ 255]) + whole[41:]),
              ("followed by text", "corrupt", whole + GR.encode()), ("followed by zeros", "corrupt", whole + bytes(511)),
              ("second member cut short", "truncated", whole + whole[:-5]))),
    ],
    "compressed file of several members": [
        *(tiny(f"cut at {at}, {end}", f"g.el{end}", pack(EL[:at].encode()) + pack(EL[at:].encode()))
          for end, pack in PACKERS.items() for at in (0, 1, 80, len(EL) - 1)),
        *(tiny(f"padding, {end}", f"g.gr{end}", PACKERS[end](GR[:60].encode()) + bytes(8) + PACKERS[end](GR[60:].encode())
               + bytes(4)) for end in (".xz",) if end in PACKERS),
        tiny("three", "g.gr.gz", b"".join(gzip.compress(line.encode()) for line in GR.splitlines(True))),
    ],
    "compressed file whose library the program was built without, or that needs over 130 MiB to be unpacked": [
        bad("zstd", "g.gr.zst", b"\x28\xb5\x2f\xfd\0\xa0\x41\0\0p sp 2 0",
            r"g\.gr\.zst.*: unpack \w+ with zstd -dc --long=31 g\.gr\.zst \| apsp - --format gr"),
        Case("standard input", f"- {CPU}", 3, stdin=b"\x28\xb5\x2f\xfd\0\xa0\x41\0\0p sp 2 0",
             err=r"unpack \w+ with zstd -dc --long=31 \| apsp -"),
    ],
    "CRLF, byte order mark, blank lines, no final newline": [
        *(tiny(f"{what}, {file}", file, change(text)) for file, text in (("g.el", EL), ("g.gr", GR),
                                                                       ("g.mtx", (DATA / "tiny.mtx").read_text()))
          for what, change in (("CRLF", lambda text: text.replace("\n", "\r\n")), ("BOM", lambda text: "\ufeff" + text),
                               ("blank lines", lambda text: text.replace("\n", "\n\n \t\n")),
                               ("no final newline", str.rstrip))),
    ],
    "file name with blanks, or bytes that are not UTF-8": [
        *(tiny(repr(name), "./" + name, EL)
          for name in ("two words.el", "\udcff\udcfe.el", 'q"\\€.el', "tab\t\x01.el", "-dash.el")),
        Case("output", ["gen", "--n", "3", "-o", "\udcff x.bin"], left="\udcff x.bin"),
    ],
    "no GPU, or none visible": [
        Case("asked for", "--n 3 --device gpu -o d.npy --json j", 4, err="no GPU: ", env=NO_GPU),
        Case("asked for in a Slurm job", "--n 3 --device gpu", 4, err=r"no GPU: .*Slurm job asked for none.*--gres",
             env={**NO_GPU, "SLURM_JOB_ID": "7"}),
        Case("by default", "--n 3 --verify", env=NO_GPU,
             out=(r"\A.*No GPU.*CPU.*\n((?!No GPU)[^$])*\Z", "(?m)^apsp .* ref$")),
        Case("to reduce on", "reduce --n 5,6 --sizes 7 --csv c --json j", 4, err="no GPU: ", env=NO_GPU),
        Case("for the ladder", "ladder --sizes 100 --csv c --json j", 4, err="no GPU: ", env=NO_GPU),
        Case("for check", "check --device gpu", 4, err="no GPU: ", env=NO_GPU),
        Case("for grade", "grade . ", 4, err="no GPU: ", env=NO_GPU),
        Case("for grade of sources for both", "grade h --check-only", 4, err="no GPU: .*: use --host", env=NO_GPU,
             files={"h/a.cu": "void apsp(int n, int* graph) {}\n", "h/b.cpp": "void apsp(int n, int* graph) {}\n"}),
        *(Case(f"for grade of a source for the CPU and {other}", "grade h --check-only", 4, err="no GPU: .*: use --host", env=NO_GPU,
               files={"h/a.cpp": "void apsp(int n, int* graph) {}\n", f"h/{other}": b""}) for other in ("b.so", "b.zip")),
    ],
    "file after `--kernel` that is neither source nor `.so`": [
        Case("text", f"--n 3 --kernel x.txt {CPU}", 2,
             err=r"x\.txt: .*\.cu, \.cpp or \.c, .*\.so: g\+\+ -O3 -march=native -fopenmp -shared -fPIC -I \S+ mine\.cpp -o mine\.so\n"),
    ],
    "host memory short": [
        Case("n = 2000000", "--n 2000000 --device cpu -o d.npy --json j", 5, out=UNSOLVED,
             err=(r"\b32\.0 TB", r"\d .*free")),
        Case("n = 2000000 on whatever there is", "--n 2000000", 5, err=(r"\d TB", r"\d .*free")),
        Case("gen", "gen --n 2000000 -o g.bin", 5, err=(r"\d TB", r"\d .*free")),
        Case("an edge list of too many vertices", f"g.el {CPU}", 5, err=(r"\d TB", "free"),
             files={"g.el": "0 1999999 1\n"}),
        Case("ulimit -v", f"--n 20000 --threads 1 {CPU}", 5, err=(r"\b3\.20 GB", "free"),
             child=FEW_ADDRESSES),
    ],
    "fewer threads may be started than there are cores (ulimit, cgroup)": [
        Case("solve", f"--n 70 {CPU} --verify -o d.npy", out=r"(?m)^device .*, [1-9]\d? threads[^$]*^apsp .* ref$",
             left="d.npy", env={"OMP_NUM_THREADS": "128"}, child=FEW_THREADS),
        Case("gen", "gen --n 300 -o g.bin", left="g.bin", env={"OMP_NUM_THREADS": "128"}, child=FEW_THREADS),
        Case("asked for", f"--n 3 {CPU} --threads 128", 5, err=r"128 threads: only \d+ ", child=FEW_THREADS),
    ],
    "full disk": [
        *(Case(f"{option} {name}", f"--n 60 {CPU} {option} {name}", 6, err=f"{name}.*File too large", child=FULL)
          for option, name in (("-o", "d.npy"), ("-o", "d.bin"), ("-o", "d.tsv"), ("--json", "j"), ("--predecessors", "p.npy"))),
        Case("two files", f"--n 60 {CPU} -o d.tsv --predecessors p.npy", 6, err="p.npy.*File too large", child=FULL),
        Case("gen", "gen --n 60 -o g.bin", 6, err="g.bin", child=FULL),
        Case("convert", "convert {data}/demo.bin g.npy", 6, err="g.npy", child=FULL),
        *(Case(f"{option} /dev/full", f"--n 3 {CPU} {option} /dev/full", 6, err="/dev/full.*No space")
          for option in ("--json", "--csv")),
        Case("gen /dev/full", "gen --n 3 -o /dev/full --to bin", 6, err="/dev/full.*No space"),
    ],
    "directory missing or not writable": [
        *(Case(f"{option} in no directory", f"--n 300 {CPU} {option} no/such.npy", 6,
               err=r"no/such\.npy.*No such", out=UNSOLVED) for option in ("-o", "--json", "--csv")),
        Case("a file as directory", f"--n 3 {CPU} -o g/d.npy", 6, err="g/d.npy", files={"g": ""}, out=UNSOLVED),
        Case("gen", "gen --n 3 -o no/such.bin", 6, err="no/such.bin"),
        Case("convert", "convert {data}/tiny.el no/such.bin", 6, err="no/such.bin"),
        Case("--witness in a file", f"check --quick --device cpu --witness g/w", 6, err="--witness g/w: .*irectory",
             files={"g": ""}, out=r"\A\Z"),
        Case("--witness in a locked one", f"check --quick --device cpu --witness locked", 6, out=r"\A\Z",
             err="--witness locked: .*Permission denied", files={"locked": locked}, child=bound_by_permissions),
        Case("--record in a file", f"--n 3 {CPU} --record g/r", 6, err="g/r", files={"g": ""}, out=UNSOLVED),
        Case("onto a directory", f"--n 3 {CPU} -o d.npy", 6, err="d.npy", files={"d.npy": Path.mkdir}, out=UNSOLVED),
        *(Case(f"{option} in a locked one", f"--n 300 {CPU} {option} locked/d.npy", 6, out=UNSOLVED,
               err=r"locked/d\.npy.*Permission denied: write elsewhere, for example to \S*/d\.npy\n", files={"locked": locked},
               child=bound_by_permissions)
          for option in ("-o", "--json", "--csv", "--record")),
        Case("in one that cannot be made", f"--n 300 {CPU} -o locked/no/d.npy", 6, out=UNSOLVED, files={"locked": locked},
             err=r"locked/no/d\.npy.*No such file or directory: write elsewhere, for example to \S*/d\.npy\n",
             child=bound_by_permissions),
        Case("gen in a locked one", "gen --n 3 -o locked/g.bin", 6, err="locked/g.bin.*Permission denied",
             files={"locked": locked}, child=bound_by_permissions),
        Case("a locked file", f"--n 300 {CPU} -o d.npy", 6, err="d.npy.*Permission denied", out=UNSOLVED,
             files={"d.npy": lambda path: path.touch(mode=0o400)}, child=bound_by_permissions),
    ],
    "standard input, output or error closed": [
        *(Case(f"{name}", f"{{data}}/tiny.el {CPU} -o d.npy {options}", left="d.npy", child=lambda fd=fd: os.close(fd),
               distances=TINY_DISTANCES)
          for fd, name, options in ((0, "input", ""), (1, "output, and nothing to print", "--quiet"), (2, "error", ""))),
        Case("output", f"{{data}}/tiny.el {CPU} -o d.npy", 6, err="standard output", child=lambda: os.close(1)),
    ],
    "output that is also an input, or another output": [
        *(clashing(f"-o {name}", f"g/d.npy {CPU} -o {name}", f"-o {re.escape(name)}: .* input GRAPH")
          for name in SPELLINGS),
        *(clashing(option, f"g/d.npy {CPU} {option} g/soft.npy", f"{option} g/soft.npy: .* GRAPH")
          for option in ("--json", "--csv")),
        clashing("standard input", f"- --format npy {CPU} -o g/d.npy", "-o g/d.npy: .* GRAPH",
                 child=lambda: os.dup2(os.open("g/d.npy", os.O_RDONLY), 0)),
        clashing("a submission", f"--n 3 {CPU} --kernel ./g/hard.npy --json g/d.npy", "--json .* --kernel"),
        *(clashing(f"{a} and {b}", f"g/d.npy {CPU} -o {a} --json {b}", "--json .*the output of -o")
          for a, b in itertools.permutations(NEW, 2)),
        clashing("JSON and CSV", f"g/d.npy {CPU} --json j --csv ./j", "--csv ./j: .*the output of --json"),
        *(clashing(f"{a} and {b} on standard output", f"g/d.npy {CPU} {a} - {b} /dev/stdout", "standard output|" + b)
          for a, b in itertools.combinations(("-o", "--json", "--csv"), 2)),
        clashing("convert", "convert g/d.npy g/soft.npy", "TO g/soft.npy: .* GRAPH"),
        clashing("report", "report g/d.npy --csv g/hard.npy", "--csv g/hard.npy: .* DIR"),
        clashing("report --plot", "report g/d.npy --csv g/p.svg --plot g/p", "--plot g/p.svg: .* --csv"),
        clashing("check", "check --device cpu --json c --csv ./c", "--csv ./c: .* --json"),
        clashing("the witness of check", "check --device cpu --witness g/sub --json g/folder/x.bin", "--json .*--witness"),
        Case("several times /dev/null", f"{{data}}/tiny.el {CPU} -o /dev/null --to npy --json /dev/null --csv /dev/null"),
        Case("none of them", f"g/d.npy {CPU} -o d.npy --json g/j --csv g/c", files={"g": links, "d.npy": "old"},
             left=("d.npy", "g/j", "g/c"), distances=TINY_DISTANCES),
    ],
    "output of a run that fails": [
        Case("a failure keeps what was there", f"g.el {CPU} -o d.npy --json j", 3,
             files={"g.el": LONG, "d.npy": "old", "j": "old"}),
        Case("a success replaces it", f"{{data}}/tiny.el {CPU} -o d.npy --json j", 0, left=("d.npy", "j"),
             files={"d.npy": "old", "j": "old"}, distances=TINY_DISTANCES),
        Case("a full disk keeps it", f"--n 60 {CPU} -o d.npy", 6, files={"d.npy": "old"}, child=FULL),
        Case("predecessors, too", f"g.el {CPU} --predecessors p.npy", 3, err="p.npy: not written, left as it was",
             files={"g.el": LONG, "p.npy": "old"}),
        Case("distances beyond kInf say so", f"g.el {CPU} -o d.npy", 3, err="d.npy: not written, left as it was",
             files={"g.el": LONG, "d.npy": "old"}),
    ],
}

# Rows of docs/faults.md → tests of other files: cli_test's, or a suite and a test of tests/*_test.cpp.
ELSEWHERE = {
    "weights of a type that a kernel does not take": ["Session.SaysWhatToDoIfAKernelDoesNotTakeTheType"],
    "several processes started together, of a build without MPI": ["ranks_test.WithoutMpi"],
    "ranks with different builds or arguments": ["ranks_test.Ranks.test_different_arguments_are_refused"],
    "`--grid` that does not fit the number of ranks; a kernel or method that runs on one rank only": [
        "ranks_test.Ranks.test_mistakes_are_one_line_of_rank_0", "Distributed.RefusesAGridOfAnotherSize",
        "Distributed.OtherSolversRunOnOneRank"],
    "more ranks on a machine than GPUs; `--gpus` on a CPU; `--gpus` with an MPI library that lets only one thread of a process "
    "send": ["ranks_test.Ranks.test_gpus_are_not_cpus", "ranks_test.ThreadsOfProcesses.test_mpi_must_let_threads_send", "ranks_test.Gpus.test_more_ranks_than_gpus_are_refused",
        "DistributedOnGpu.TwoRanksNeedTwoGpus"],
    "a matrix that does not fit on its GPUs": [
        "DistributedOnGpu.StreamsWhatDoesNotFit", "DistributedOnGpu.SaysIfThereIsNoRoomToStream",
        "ranks_test.Gpus.test_what_does_not_fit_streams"],
    "kill −9 in a solve with `--checkpoint`": ["ranks_test.Checkpoints.test_killed_at_random_moments_it_goes_on",
        "Checkpoints.OfDifferentRoundsAreEnoughForAnyNumberOfRanks"],
    "checkpoints of another graph, or broken ones": ["Checkpoints.OfAnotherGraphOrCutOffAreRefused",
        "ranks_test.Checkpoints.test_checkpoints_want_ranks_and_one_solve"],
    "a matrix in a file that changes while several ranks solve it": [
        "ranks_test.Ranks.test_a_matrix_that_changes_is_refused", "ReadTogether.NoticesAChange"],
    "a rank that is killed, stopped or cut off": ["ranks_test.LostRanks.test_a_lost_rank_ends_the_job",
        "ranks_test.LostRanks.test_a_lost_process_has_several_ranks"],
    "map of ids that an earlier run left beside the output, or another file of its name": [
        "cli_test.Ids.test_the_map_of_an_earlier_run_is_replaced_and_removed"],
    "unreachable pairs": ["cli_test.Paths.test_unreached_is_what_was_asked_for",
                          "DistancesFormat.WhatIsUnreachedIsWhatWasAskedFor"],
    "distance that does not fit into the elements of `--out-dtype`": [
        "cli_test.Paths.test_small_elements", "cli_test.Paths.test_small_elements_of_searches", "DistancesFormat.NarrowElementsHoldWholeDistances"],
    "file of `--order` that is for another graph, is cut short or is no order": [
        "order_test.Orders.test_another_graph_is_refused", "order_test.Orders.test_what_is_no_order"],
    "`path --distances` with the distances of another graph": [
        "cli_test.Paths.test_distances_of_another_graph_are_refused",
        "Paths.ShortcutsShowThatDistancesAreOfAnotherGraph", "Paths.LookUpStoredDistancesOfOneGraphOnly"],
    "one of several files after `--kernel` cannot be read, compiled or loaded": [
        "cli_test.Submissions.test_what_cannot_be_loaded_does_not_stop_the_others",
        "cli_test.SweepScript.test_a_file_that_cannot_be_loaded_does_not_stop_the_others"],
    "submission on a machine that cannot confine it": ["cli_test.Sandbox.test_there_must_be_one"],
    "submission on a graph that it can know, or that leaves out edges without proof": [
        "cli_test.Submissions.test_each_call_gets_another_graph", "cli_test.Submissions.test_a_graph_that_can_be_known_is_public",
        "cli_test.SweepScript.test_a_drawn_seed_makes_no_other_point", "cli_test.SweepScript.test_a_wrong_point_is_named_with_the_command_that_shows_it",
        "Families.HeavyEdgesOfNecessaryGraphsAreNecessary", "Families.DistancesOfLargeNecessaryGraphsFitIn15Bits",
        "Report.DrawnSeedsAreOneTable", "Report.APublicGraphIsMarked", "ResultStore.AnyDrawnSeedIsThePoint",
        "Compare.AnotherGraphInEachCallHasNoHash", "Filter.DoesLittleMoreForNecessaryEdges"],
    "submission that reaches for other files or processes, the network, or too much memory": [
        "Sandbox.ReachesNoOtherFiles", "Sandbox.ReachesNoOtherProcesses", "Sandbox.HasNoNetworkAndNoSharedState",
        "Sandbox.LeavesRootNoRights", "Submissions.ReachNothingElse", "Submissions.HaveLimitedMemory",
        "Submissions.LeaveNoProcessBehind", "cli_test.Sandbox.test_environment", "Submissions.DoNotRunBetweenTheirCalls",
        "Submissions.MayNotWakeThemselves", "Submissions.AreEndedBeforeOthersAreTimed", "Submissions.CannotHideMemory",
        "Submissions.AreKilledAsSoonAsTheyWakeThemselves", "Submissions.CannotTakeTheKernelsMemory",
        "Submissions.AreCountedUntilTheyAreStopped", "Submissions.MayNotBeHuge",
        "Submissions.CannotSlowOurSession", "Processes.MemoryIsCountedThatIsNotMapped",
        "Processes.AreStoppedWithAllThatTheyStarted", "Processes.EndByThemselvesAlthoughTheyWereStopped",
        "attacks_test.Hinders.test_work_after_a_call_is_told",
        "attacks_test.Hinders.test_no_worker_lives_when_another_solver_is_timed"],
    "submission that holds up this program, or says that the machine failed": [
        "Patience.EndsByTimeInWhichOnlyTheSubmissionComputed", "Hindered.BetweenCallsTooLongIsTooSlow",
        "Hindered.BetweenCallsItCounts", "MemoryOfWorkers.IsNotLookedForWithoutEnd",
        "Submissions.ShareOurPatienceAmongTheirWorkers", "Submissions.MayNotBeLoadedSlowlyAgainAndAgain", "Submissions.ThatFailWhileTheyAreLoadedAreFaults",
        "Submissions.WhoseWorkersCannotStartAreNotToBlame", "Output.IsReadInParts", "attacks_test.Waits",
        "cli_test.Checks.test_a_file_that_is_not_loaded_again_stops_nothing"],
    "negative cycle, self-loop or undirected edge of negative weight": [
        "Negative.CyclesAreFoundIfAndOnlyIfThereAreSome", "NegativeFiles.ASelfLoopOfNegativeWeightIsACycle"],
    "shortest distance of minus infinity of its type or less, of int32 −1073741823": ["NegativeRange.TheLeastAndTheLargestDistanceAreKept"],
    "binary file of another size than its header says": ["BadFiles.EveryCutIsRefused"],
    "negative or absurd n or E, more or fewer lines than the header announces": ["BadFiles.TwoBillionVerticesFailFast"],
    "n beside a multiple of a tile, or of 4": ["cli_test.Results.test_every_size", "Cpu.EqualsTripleLoop"],
    "zeros off the diagonal of a `.npy` or `.mtx` matrix": [
        "cli_test.ZerosAndReverses", "Zeros.OfAMatrixAreEdgesOrNone", "Zeros.AreClearWhereTheMatrixMarksNoEdgeOtherwise",
        "UnclearZeros.AreThoseOfACompleteNpy"],
    "−1 in a matrix": ["MinusOnes.OfAMatrixAreCountedOffTheDiagonal"],
    "table of two or three rows that may be a matrix": ["Tables.OfTwoOrThreeRowsMayBeMatrices"],
    "GraphML, JSON or attributes of NetworkX without `weight`, but with other numbers; an edge without the one that was named": [
        "Weights.AreWhatTheUserNames", "Weights.ThatAreNamedAreOnEveryEdge", "Weights.DoNotCountIfTheUserSaysSo"],
    "file without weights": ["Weights.ThatAFileHasNotAreSaid"],
    "compressed file of several members": [
        "cli_test.Formats.test_files_of_the_real_tools", "Compressions.XzStreamsMayHavePadding",
        "Compressions.ZstdFramesMayBeSkipped"],
    "undirected graph in a list that has each edge once": [
        "cli_test.ZerosAndReverses", "GraphOf.ReversesAreAddedToEdgesAndToAMatrix", "GraphOf.ReversesOfEverySize",
        "Graph.OneWayIfNoEdgeHasItsReverse"],
    "graph on standard input, in a FIFO or from `<(command)`": [
        "RecogniseFormat.OnlyWithoutAnExtension", "ReadGraph.TakesAFifoAndTheEndOfAPipe"],
    "GAP or `.npz` file whose numbers are no graph; GraphML or JSON without what its format wants": ["BadFile.IsRefused"],
    "standard input or a file without extension is not of the format that its first bytes show": [
        "ByFirstBytesRefused.AndTheMessageNamesFormat"],
    "compressed file corrupt, cut short or followed by other bytes": [
        "BadFiles.GzipBombs", "PackedFile.CutCorruptOrFollowedByOtherBytesIsRefused"],
    "compressed file whose library the program was built without, or that needs over 130 MiB to be unpacked": [
        "Compressions.AreReadIfTheirLibrariesAreHere"],
    "file name with blanks, or bytes that are not UTF-8": [
        "cli_test.Formats.test_odd_names", "Record.JsonEscapesQuotesControlsAndBytesThatAreNoUtf8"],
    "no GPU, or none visible": [
        "cli_test.Sweep.test_a_plan_needs_no_gpu", "cli_test.SlurmScript.test_without_a_gpu_it_says_so"],
    "driver too old, no code for this GPU": ["CudaStatus.WhatTheDriverSaysDecides", "CudaStatus.AFailureSaysWhatToDo"],
    "host memory short": ["Memory.TooLargeAMatrixNamesNeededAndFreeBytes"],
    "device memory short, for a kernel that cannot stream": ["CudaStatus.AFailureSaysWhatToDo"],
    "one of several sizes cannot be solved (`--n 100,90000`)": [
        "cli_test.Sizes.test_what_does_not_fit_is_said_before_the_others_are_solved",
        "cli_test.Sizes.test_a_size_that_fails_leaves_the_others",
        "cli_test.Sizes.test_a_wrong_result_names_its_size_and_counts_most"],
    "a kernel fails on the GPU": ["CudaStatus.AFailureSaysWhatToDo",
                                  "cli_test.Submissions.test_faults_do_not_stop_the_others",
                                  "cli_test.SweepScript.test_a_point_that_fails_does_not_stop_the_others"],
    "solver under `check` wrong in a way that no diagnosis names": [
        "cli_test.Checks.test_the_witness_is_shown_in_ascii", "Mutants.GetTheirOwnDiagnosis",
        "cli_test.Checks.test_mistakes_that_only_the_general_contract_shows", "Diagnosis.OfWhatOnlyTheGeneralContractShows",
        "Check.TheWitnessIsTheSmallestOfAllFamilies", "Check.TheOracleSolvesUndirectedGraphs"],
    "full disk": ["cli_test.Records.test_csv_on_a_full_disk", "OutputFile.RoomIsRequiredBeforehand",
                  "OutputFile.FullDiskLeavesNothing"],
    "directory missing or not writable": ["cli_test.Checks.test_without_its_witness_the_report_is_there",
                                          "Check.ThrowsIfTheWitnessCannotBeWritten"],
    "SIGINT, SIGTERM": ["cli_test.SweepScript.test_signals", "cli_test.SweepScript.test_a_second_signal_kills",
                        "cli_test.SlurmScript.test_signals", "cli_test.Submissions.test_interrupted_takes_it_along"],
    "kill −9 in a sweep": ["cli_test.SweepScript.test_killed_at_fifty_moments_nothing_is_lost_or_doubled",
                           "cli_test.Sweep.test_corrupt_points_are_measured_again"],
    "two runs of one point in one directory": ["cli_test.Sweep.test_two_at_once", "cli_test.Sweep.test_held_by_another",
                                               "cli_test.Sweep.test_second_run_skips"],
    "kill −9 in a grading": ["submissions_test.GradeAgain.test_resumes_after_kills",
                             "submissions_test.GradeAgain.test_the_next_grader_removes_the_folders_of_killed_ones",
                             "PrivateFolder.OfAKilledProcessIsRemovedByTheNextOne",
                             "GradeStore.KeepsDocumentsWholeAndIgnoresDamagedOnes"],
    "the grader dies at a hand-in": ["submissions_test.GradeAgain.test_goes_on_after_the_death_of_the_grader"],
    "a hand-in takes too long, or is killed for memory, while others are checked": [
        "submissions_test.GradeAgain.test_what_depends_on_time_is_confirmed_alone",
        "submissions_test.GradeAgain.test_who_is_killed_is_checked_alone"],
    "two graders of one CSV file": ["submissions_test.GradeAgain.test_graders_share_a_file"],
    "`grades.csv.d` that belongs to another user, or to which another user can write": [
        "GradeStore.TakesNothingThatOthersCanWrite", "GradeStore.TakesNothingOfAnotherUser",
        "GradeStore.StaysInItsFolder"],
    "source that includes a file outside its folder, or under a name with a control character": [
        "HandIns.HeadersOfTheCompilerDoNotComeFromARival",
        "Compiler.ReadsNoFileThatANameNames", "Compiler.ReadsWhatWasHashed", "Building.ReadsNoOtherFiles", "Building.KnowsFilesThatOnlySomeCompilationsRead",
        "Building.TakesAllFilesOfItsFolder"],
    "output that is a link of another user, in a folder to which everybody can write": [
        "OutputFile.LinksOfOthersAreNotFollowedInSharedFolders",
        "OutputFile.AFileOfAnotherUserDoesNotOpenOursToEverybody"],
    "hand-in with a link, a pipe or too much in it": ["submissions_test.Grade.test_every_file_has_a_row",
                                                      "HandIns.LinksPipesAndTooMuchAreRefused",
                                                      "HandIns.HeadersThatNameEachOtherAreReadInSeconds"],
    "hand-in whose name or message is a formula, or changes the direction of text": [
        "GradeRows.FormulasControlsAndCommasDoNoHarm", "OneLine.ReplacesControlsAndBytesThatAreNoUtf8",
        "Record.FormulasAreGuardedInCsvAndReadBackAsTheyWere"],
    "name, vertex or message with escape sequences, line breaks, or characters that are invisible or change others": [
        "hostile_test.WaysOut", "hostile_test.Source", "OneLine.ReplacesWhatCouldImitateAnotherName",
        "Screen.NoTextFromOutsideDrivesATerminal", "Record.JsonEscapesWhatATerminalWouldNotShow", "ShellWord.QuotesWhatAShellWouldChange",
        "Complaint.ShowsNoEscapesOfACompiler"],
    "small compressed file that unpacks to a huge one": ["hostile_test.Bombs"],
    "hand-in whose name or message is HTML, or would name its author": [
        f"page_test.Content.test_{name}" for name in ("what_hand_ins_say_is_escaped", "it_loads_nothing", "nobody_is_named",
                                                      "nobody_is_named_by_a_text", "pseudonyms_differ")],
    "page without Python, Jinja or matplotlib": ["page_test.Packages"],
    "rubric that is no JSON, or has a wrong key or value": ["Rubric.ErrorsNameTheFileTheKeyAndWhatIsExpected"],
    "CUDA's Multi-Process Service (MPS) runs, and a submission is to be timed": [
        "Mps.ListensIfAProcessHasTheOtherEnd", "Doubt.UnderMpsNothingIsTimed", "GraderUnderMps.ChecksButDoesNotTime"],
    "GPU throttled or shared": ["Environment.ThrottleReasonsAreNamed", "Environment.OtherUsersAreNoneOfUs",
                                "Record.OfAThrottledOrSharedGpuIsKeptAndFlagged", "Compare.TheTableFitsTheTerminal"],
    "planned point of a sweep that is wrong, or was not measured": [
        "cli_test.SweepScript.test_a_wrong_point_is_named_with_the_command_that_shows_it",
        "cli_test.SweepScript.test_signals", "ResultStore.APlannedPointIsMissingUntilARecordStandsForIt",
        "Report.ACommandShowsAWrongResult"],
    "time disturbed: machine busy, too many threads, calls that differ": [
        "Disturbance.IsALoadThatLeavesTooFewCores", "Disturbance.OfASolverWithOneThreadCountsOneThread",
        "Remarks.StandOnceForAllRowsWithTheFiguresOfTheWorst", "Disturbance.IsMoreThreadsThanCores",
        "Disturbance.IsAMedianFarFromTheMinimum", "Load.BusyTimeIsThatOfTheCoresWeMayUse",
        "Load.IsTheBusyTimeThatIsNotOurs",
        "cli_test.Records.test_other_processes_disturb", "cli_test.Records.test_more_threads_than_cores_disturb",
        "cli_test.Sweep.test_a_kept_point_is_shown_and_again_replaces_it",
        "cli_test.Records.test_who_wants_only_the_answer_gets_one_call"],
    "`--predecessors` of distances that a wrong kernel found": [
        "Predecessors.RefuseDistancesOfNoPath", "PredecessorFile.IsNotWrittenIfItIsWrong", "TreeChecks.FindPlantedErrors",
        "TreeChecks.FindCircles", "TreeChecksOfReals.AllowWhatThePathsEdgesCanHaveRounded"],
    "output of a run that fails": [
        "cli_test.Sweep.test_failed_run_leaves_no_point", "OutputFile.NothingIsLeftWithoutCommit"],
}


def of(fault):
    """Marks a test as one of that row."""
    def mark(test):
        test.fault = fault
        return test
    return mark


@table(*(case._replace(name=f"{fault}: {case.name}") for fault, cases in CASES.items() for case in cases))
class Faults(Suite):
    def check(self, case):
        if SANITIZED and case.child in (FEW_ADDRESSES, FEW_THREADS):
            self.skipTest("AddressSanitizer cannot do with so few addresses")
        super().check(case)

    @of("standard output full")
    def test_standard_output_full(self):
        for argv in (f"--n 3 {CPU}", "--help", "--version", "--list-kernels", "completion", f"info {DATA}/tiny.el"):
            with self.subTest(argv), open("/dev/full", "wb") as full:
                process = self.popen(argv, stdout=full)
                self.assertRegex(process.communicate()[1], rb"\Aapsp: .+\n\Z")
                self.assertEqual(process.returncode, 6)

    @of("closed pipe (`| head`)")
    def test_closed_pipe(self):
        commands = f"--n 3 {CPU}", "--help", "completion", "--list-kernels"
        for argv, restored in itertools.product(commands, (True, False)):
            with self.subTest(argv, SIGPIPE="default" if restored else "ignored"):
                ours, theirs = os.pipe()
                os.close(ours)
                process = self.popen(argv, stdout=theirs, restore_signals=restored)
                os.close(theirs)
                self.assertRegex(process.communicate()[1], rb"\A\Z" if restored else rb"\A(apsp: .*\n)?\Z")
                self.assertIn(process.returncode, (-signal.SIGPIPE, 141) if restored else (141, 6))

    @of("graph on standard input, in a FIFO or from `<(command)`")
    def test_a_fifo_and_process_substitution(self):
        os.mkfifo(self.dir / "g.gr")
        with self.subTest("FIFO"):
            process = self.popen("info g.gr")
            time.sleep(0.2)
            self.assertIsNone(process.poll(), "it waits for a writer")
            (self.dir / "g.gr").write_text(GR)
            self.assertRegex(process.communicate()[0], rb"vertices +6\n")
        for given in ("", "--format gr"):
            with self.subTest(f"<(command) {given}"):
                run = subprocess.run(["bash", "-c", f"'{APSP}' <(gzip -dc '{DATA}/tiny.gr.gz') {given} {CPU} -o d.npy"],
                                     cwd=self.dir, capture_output=True)
                self.assertEqual((run.returncode, run.stderr), (0, b""))
                self.assertEqual(read_npy(self.dir / "d.npy"), TINY_DISTANCES)

    @of("output that is also an input, or another output")
    def test_standard_output_takes_one_result_wherever_it_leads(self):
        process = self.popen(f"{DATA}/tiny.el {CPU} -o - --json -", stdout=subprocess.DEVNULL)
        self.assertRegex(process.communicate()[1], rb"\Aapsp: --json -: .* the output of -o: [^\n]+\n\Z")
        self.assertEqual(process.returncode, 2)

    @of("output of a run that fails")
    def test_a_wrong_result_replaces_nothing(self):
        self.library("wrong.so", "if (n > 1) g[1] = 1;")
        self.library("crash.so", "abort();")
        self.put("d.npy", "old")
        for kernel in ("./wrong.so", "./crash.so"):
            for kernels in (kernel, "apsp," + kernel):
                self.apsp(f"--n 9 --kernel {kernels} --verify {CPU} -o d.npy", 1,
                          err=r"d\.npy: not written, left as it was\n")
            self.apsp(f"--n 9 --kernel {kernel} --verify {CPU} -o -", 1, out=r"\A\Z", err="no distances are written")
            self.apsp(f"{{data}}/tiny.el --kernel {kernel},apsp --verify {CPU} -o e.npy", 1, left="e.npy")
            self.assertEqual(read_npy(self.dir / "e.npy"), TINY_DISTANCES)
            (self.dir / "e.npy").unlink()

    LONG_RUN = "--n 400 --device cpu --kernel ref --reps 1000"

    def interrupted(self, options, how, **env):
        """The exit code of a long run that a signal ends, as a shell has it."""
        process = self.popen(f"{self.LONG_RUN} {options}", env)
        self.wait_until_it_computes(process)
        process.send_signal(how)
        process.communicate()
        return 128 - process.returncode if process.returncode < 0 else process.returncode

    @of("SIGINT, SIGTERM")
    def test_interrupted_leaves_nothing(self):
        for how, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            self.assertEqual(self.interrupted("-o d.npy --json j", how), code)
            self.assertEqual(snapshot(self.dir), {})

    @of("SIGINT, SIGTERM")
    def test_interrupted_sweep_in_a_slurm_job_is_to_be_queued_again(self):
        for how, options, code in ((signal.SIGTERM, "--record rec", 75), (signal.SIGINT, "--record rec", 75),
                                   (signal.SIGTERM, "", 143)):
            with self.subTest(options, signal=how):
                self.assertEqual(self.interrupted(options, how, SLURM_JOB_ID="7"), code)
                self.assertEqual([name for name in snapshot(self.dir) if name.endswith((".csv", ".tmp"))], [])

    def interrupt(self, argv, begun, how=signal.SIGINT):
        """What a run has printed that a signal ends once begun() is true."""
        process = self.popen(argv)
        self.wait_until(begun, process)
        process.send_signal(how)
        shown, said = process.communicate()
        self.assertEqual((process.returncode, said), (-how, b""), shown)
        return shown.decode()

    def endless(self, name, calls, body=SOLVE):
        """A submission that never returns from its calls after so many, and then makes the file `begun`: unsandboxed."""
        self.library(name, f"static int calls = 0; {body} if (++calls > {calls}) "
                           '{ fclose(fopen("begun", "w")); for (;;) pause(); }')
        return (self.dir / "begun").exists

    @of("SIGINT, SIGTERM")
    def test_an_interrupted_solve_reports(self):
        begun = self.endless("endless.so", 3)
        for how, option, left in ((signal.SIGINT, "-o d.npy", []), (signal.SIGTERM, "--record rec", ["rec/necessary-n9"])):
            shown = self.interrupt("--n 9 --device cpu --kernel ref,./endless.so,apsp --unsandboxed --verify --reps 5 --json j --csv c "
                                   + option, begun, how)
            self.assertRegex(shown, r"(?m)^ref .* dijkstra:9.*\n(?: .*\n)*\./endless\.so +i32 .* 2 .* interrupted after 2 timed calls\n(?:  .*\n)*\Z")
            self.assertEqual([record["kernel"] for record in json.loads((self.dir / "j").read_bytes())], ["ref"])
            with open(self.dir / "c", newline="") as file:
                self.assertEqual([row["kernel"] for row in csv.DictReader(file)], ["ref"])
            files = [name for name in snapshot(self.dir) if ".locks" not in name]
            self.assertEqual(sorted(re.sub(r"-ref-.*", "", name) for name in files),
                             ["begun", "c", "endless.so", "j", *left])
            for name in ("begun", "c", "j"):
                (self.dir / name).unlink()

    @of("SIGINT, SIGTERM")
    def test_a_wrong_result_before_an_interrupt_is_told(self):
        begun = self.endless("endless.so", 2, "g[1] = 1;")
        shown = self.interrupt("--n 9 --device cpu --kernel ./endless.so --unsandboxed --verify", begun)
        self.assertRegex(shown, r"\./endless\.so +i32 .* WRONG, interrupted after 1 timed call\n(?:  .*\n)*\Z")

    @of("SIGINT, SIGTERM")
    def test_an_interrupted_check_reports(self):
        begun = self.endless("endless.so", 150)
        shown = self.interrupt("check --quick --host --kernel apsp,./endless.so --unsandboxed --json j --csv c", begun)
        self.assertRegex(shown, r"(?s)All \d+ results are right.*\nkernel \./endless\.so on .*\nring +\.+ +\.\n.*course +-+ +-\n"
                                r".*INTERRUPTED after \d+ of \d+ results; 0 of these are wrong")
        self.assertEqual([check["kernel"] for check in json.loads((self.dir / "j").read_bytes())], ["apsp"])
        self.assertEqual((self.dir / "c").read_text().count("\n"), 2)

    @of("SIGINT, SIGTERM")
    def test_an_interrupted_grade_reports(self):
        (self.dir / "in").mkdir()
        self.library("in/right.so", f"if (n == 9) usleep(1000); {SOLVE}")  # a shorter time may be refused
        self.library("in/slow.so", f"{SOLVE} if (n == 9) for (;;) pause();")  # it can be checked, but not timed
        def begun():
            return any(path.read_text() for path in (self.dir / "c.d/.locks").glob("times-slow-*"))
        shown = self.interrupt("grade in --host --sizes 9 --csv c", begun)
        self.assertRegex(shown, r"(?s)\n   1  right\.so .* pass.*\n   -  slow\.so .*  waiting\n.* not timed yet\n"
                                r".*\nINTERRUPTED: 2 of 2 submissions checked, 1 timed; the ranks")
        self.assertEqual((self.dir / "c").read_text().count("\n"), 3)

    @of("SIGINT, SIGTERM")
    def test_a_signal_to_all_processes_of_a_job_is_no_crash(self):
        self.library("signalled.so", f"{SOLVE} raise(SIGUSR1); raise(SIGINT); raise(SIGTERM);")
        self.apsp("--n 9 --device cpu --kernel ./signalled.so --verify", out=r"(?m)^\./signalled\.so .* ref\b")

    @of("SIGINT, SIGTERM")
    def test_a_report_that_nobody_reads_keeps_nobody(self):
        begun = self.endless("endless.so", 0)
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(theirs, b"x" * 4096)
        os.set_blocking(theirs, True)
        process = self.popen("check --quick --host --kernel ./endless.so --unsandboxed", stdout=theirs)
        self.wait_until(begun)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), -signal.SIGTERM)
        os.close(ours)
        os.close(theirs)


class FullDisk(Suite):
    """On a small disk of its own."""
    BLOCK = 4096
    SIZE = 16 * BLOCK
    MATRIX = "--n 300 --family uniform"  # 90000 entries: more than SIZE bytes in every format

    def setUp(self):
        super().setUp()
        self.disk = self.dir / "disk"
        self.disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.SIZE}", "apsp-test", self.disk],
                                 capture_output=True, text=True)
        if mounted.returncode:
            self.skipTest("needs the right to mount a small disk: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.disk], check=True)

    def fill(self, blocks_left=0):
        self.put("disk/ballast", b"x" * (self.SIZE - blocks_left * self.BLOCK))

    def refused(self, argv, *err, out=UNSOLVED, left=()):
        self.apsp(argv, 6, err=err, out=out, left=left)

    @of("full disk")
    def test_distances_that_do_not_fit_are_refused_before_the_run(self):
        for name, least in (("d.npy", 360), ("d.bin", 360), ("d.tsv", 180)):
            with self.subTest(name):
                self.refused(f"{self.MATRIX} {CPU} -o disk/{name}", rf"disk/{name}: {least} kB.* 65\.5 kB ")

    @of("full disk")
    def test_distances_that_fit(self):
        self.put("tiny.el", EL)
        self.fill(blocks_left=1)
        for name in ("d.npy", "d.bin", "d.tsv"):
            self.apsp(f"tiny.el {CPU} -o disk/{name}", left=f"disk/{name}")
            (self.disk / name).unlink()

    @of("full disk")
    def test_nothing_fits(self):
        self.fill()
        for option in ("-o disk/d.npy", "--json disk/j"):
            with self.subTest(option):
                self.refused(f"{self.MATRIX} {CPU} {option}", option.split()[1])
        for command in ("gen --n 9 -o disk/g.{}", "convert {{data}}/tiny.el disk/g.{}"):
            for extension in ("bin", "gr", "mtx", "npy"):
                with self.subTest(command, extension=extension):
                    self.refused(command.format(extension), "disk/g")
        self.refused(f"{self.MATRIX} {CPU} --csv disk/c", "disk/c.*No space", left="disk/c")  # empty
        self.assertEqual((self.disk / "c").read_bytes(), b"")
        self.apsp(f"--n 3 {CPU} --csv d --json k", left=("d", "k"))
        self.refused("report d --csv disk/r", "disk/r", out=())
        self.refused("check --quick --host --json disk/j", "disk/j", out=r"\A\Z")

    @of("full disk")
    def test_records_of_a_sweep(self):
        self.fill()
        self.refused(f"--n 300 {CPU} --record disk/rec", "disk/rec", left=None)
        self.assertEqual([path.name for path in self.disk.rglob("*.csv")], [])
        self.refused("--n 300 --record disk/rec --plan", "disk/rec", left=None)
        (self.disk / "ballast").unlink()
        self.apsp(f"--n 3 {CPU} --record disk/rec", left=None, out="(?m)^apsp ")

    @of("full disk")
    def test_files_that_outgrow_it(self):
        size = r"\b36\d kB needed, [\d.]+ (kB|bytes) free"
        told = {"bin": size, "npy": size, "gr": "No space", "mtx": "No space"}
        for command in ("gen --n 300 -o disk/g.{}", "convert {{data}}/demo.bin disk/g.{}"):
            for extension in told:
                with self.subTest(command, extension=extension):
                    self.refused(command.format(extension), rf"disk/g\.{extension}", told[extension])
        self.fill(blocks_left=1)
        self.refused(f"--n 3 --kernel {','.join(['apsp'] * 9)} {CPU} --json disk/j", "disk/j.*No space", out=())
        self.apsp(f"--n 3 {CPU} --csv disk/c", left="disk/c")
        rows = ",".join(["apsp"] * 30)
        self.refused(f"--n 3 --kernel {rows} {CPU} --csv disk/c", "disk/c.*No space", out=(), left=None)
        self.assertTrue((self.disk / "c").read_bytes().endswith(b"\n"))


HOG = r"""
#include <cstdio>
int main() {  // holds all of the device's memory but 2 GB, until its input ends
  size_t free = 0, total = 0;
  void* memory;
  if (cudaMemGetInfo(&free, &total) || cudaMalloc(&memory, free - 2000000000)) return 1;
  puts("full");
  fflush(stdout);
  getchar();
}
"""
TRAP = "__global__ void trap() { __trap(); }\nvoid apsp(int, int*) { trap<<<1, 1>>>(); }\n"


@needs_gpu
class GpuFaults(Suite):
    GPU = CPU.replace("cpu", "gpu")

    @of("device memory short, for a kernel that cannot stream")
    def test_more_than_the_device_has(self):
        self.apsp("--n 300000 --device gpu --kernel ref", 5, out=UNSOLVED,
                  err=(r"\b36\d GB of device", r"\d GB free"))
        self.apsp("--n 900000 --device gpu", 5, out=UNSOLVED, err=(r"\b3\.2\d TB of host", r"\d GB free"))

    @of("a kernel fails on the GPU")
    def test_a_submission_that_traps(self):
        self.put("trap.cu", TRAP)
        self.apsp(f"--n 9 --kernel ./trap.cu,ref,apsp --verify {self.GPU} --record rec", 1, left=None,
                  env={"XDG_CACHE_HOME": str(self.dir / "cache")},
                  out=(r"(?m)^\./trap\.cu .* CUDA error$", "(?m)^ref .* dijkstra:9$", "(?m)^apsp .* ref$"),
                  err=r"\./trap\.cu: call 1 \(n = 9\): CUDA error: .*\(cudaError\w+\).*compute-sanitizer")
        self.assertEqual(len(list((self.dir / "rec").glob("*.csv"))), 2)

    @of("no GPU, or none visible")
    def test_hidden(self):
        self.apsp("--n 3 --device gpu", 4, err="no GPU: no GPU visible", env=NO_GPU)
        self.apsp("--n 3 --verify", env=NO_GPU,
                  out=(r"\ANo GPU \(no GPU visible\): solving on the CPU\.\n", "(?m)^apsp .* ref$"))

    @of("more than 2³¹ entries (n ≥ 46341)")
    def test_solved(self):
        self.apsp(f"--n 46400 --family sparse --degree 3 --verify=dijkstra:8 {self.GPU}",
                  out="(?m)^apsp .* dijkstra:8$")

    @of("n beside a multiple of a tile, or of 4")
    def test_sizes(self):
        for n in (31, 33, 63, 65, 127, 129, 130, 255, 257, 511, 513):
            with self.subTest(n=n):
                self.apsp(f"--n {n} --family sparse --degree 3 --kernel ref,apsp --verify=dijkstra:{n} {self.GPU}",
                          out=rf"(?m)^apsp .* dijkstra:{n}$")

    @of("shortest distance of infinity of its type or more, of int32 1073741823 (kInf)")
    def test_chain_too_long(self):
        self.put("g.el", LONG)
        self.apsp(f"g.el {self.GPU} -o d.npy", 3, err=str(INF))


@needs_gpu
class GpuMemory(Suite):
    """Who uses the GPU, and its free memory."""
    GPU = GpuFaults.GPU

    @classmethod
    def setUpClass(cls):
        homes = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
        nvcc = next(filter(None, (shutil.which("nvcc", path=path) for path in
                                  (*(f"{home}/bin" for home in homes), os.environ["PATH"]))), None)
        if nvcc is None:
            raise unittest.SkipTest("needs nvcc")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.hog = Path(folder.name) / "hog"
        subprocess.run([nvcc, "-x", "cu", "-", "-o", cls.hog], input=HOG.encode(), check=True)

    @contextlib.contextmanager
    def memory_held(self):
        """Another process holds the device's memory, all but 2 GB."""
        hog = subprocess.Popen([self.hog], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.assertEqual(hog.stdout.readline(), b"full\n")
            yield
        finally:
            hog.communicate(b"\n")

    def smi(self, query):
        run = subprocess.run(["nvidia-smi", f"--query-{query}", "--format=csv,noheader"], capture_output=True,
                             text=True)
        return run.stdout.split("\n")[:-1] if run.returncode == 0 else None

    def record(self, options="--n 3"):
        record, = self.records(f"{options} {self.GPU}")
        return record

    @of("device memory short, for a kernel that cannot stream")
    def test_another_process_holds_it(self):
        needs = f"--n 24000 --family sparse {self.GPU}"
        with self.memory_held():  # its own context takes some of that
            self.apsp(f"{needs} --kernel c1 -o d.npy --json j", 5, out=UNSOLVED,
                      err=(r"\b2\.\d+ GB of device", r"\d [GM]B free"))
            self.apsp(f"--n 1000 {self.GPU} --verify")
            self.apsp(f"{needs} --method dense --verify=bellman:2", out="bellman:2")  # it streams
        self.apsp(f"{needs} --kernel c1")

    @of("GPU throttled or shared")
    def test_nothing_is_invented(self):
        holds = 0x4 | 0x8 | 0x10 | 0x20 | 0x40 | 0x80  # of NVML's reasons, those that slow a clock down
        active = lambda: self.smi("gpu=clocks_event_reasons.active")
        before, record, after = active(), self.record(), active()
        if not before or not after or any(int(reasons, 16) & holds for reasons in before + after):
            self.skipTest("needs a GPU that nothing slows down, and nvidia-smi to say so")
        self.assertEqual(record["throttle"], "")
        if self.smi("compute-apps=pid") == []:
            self.assertEqual(record["other_users"], 0)

    @of("GPU throttled or shared")
    def test_others_are_told(self):
        with self.memory_held():
            listed = self.smi("compute-apps=pid")
            if not listed:
                self.skipTest("needs nvidia-smi to list the processes of the GPU")
            self.assertGreaterEqual(self.record()["other_users"], 1, f"nvidia-smi lists {listed}")


# ---- every row has its tests -------------------------------------------------------------------------------

def documented():
    """The first cell of each row of the table under "Faults" in docs/faults.md."""
    text = (ROOT / "docs" / "faults.md").read_text().partition("\n## Faults\n")[2]
    rows = re.findall(r"(?m)^\| ((?:\\\||[^|])*?) \|", text)
    return [row.replace("\\|", "|") for row in rows[1:]]


# Files of unittest; the others are GoogleTest's.
OURS = ("attacks_test.", "class_test.", "cli_test.", "hostile_test.", "order_test.", "page_test.", "ranks_test.", "sources_test.",
        "submissions_test.")


def parted(names):
    """Tests of unittest, and the names of GoogleTest's."""
    ours = [name for name in names if name.startswith(OURS)]
    return [test for name in ours for test in unittest.defaultTestLoader.loadTestsFromName(name)], \
        [name for name in names if name not in ours]


def tests_of(fault):
    """Those of a row: tests of unittest, and names of GoogleTest's."""
    suites = Faults, FullDisk, GpuFaults, GpuMemory
    elsewhere, units = parted(ELSEWHERE.get(fault, []))
    here = [Faults(f"test {fault}: {case.name}") for case in CASES.get(fault, ())]
    here += [suite(name) for suite in suites for name in dir(suite)
             if getattr(getattr(suite, name), "fault", "") == fault]
    return here + elsewhere, units


class Table(unittest.TestCase):
    def test_every_row_has_tests_and_every_test_a_row(self):
        faults = documented()
        self.assertEqual(len(faults), len(set(faults)))
        self.assertEqual([fault for fault in faults if not any(tests_of(fault))], [])
        self.assertEqual({*CASES, *ELSEWHERE} - set(faults), set())
        here = {test.id() for suite in (Faults, FullDisk, GpuFaults, GpuMemory)
                for test in unittest.defaultTestLoader.loadTestsFromTestCase(suite)}
        self.assertEqual(here - {test.id() for fault in faults for test in tests_of(fault)[0]}, set())

    def test_those_of_other_files_are_there(self):
        units = "".join(path.read_text() for path in (ROOT / "tests").glob("*/*_test.cpp"))
        for fault in documented():
            tests, names = tests_of(fault)
            self.assertEqual([test.id() for test in tests if "_FailedTest" in test.id()], [])
            for name in names:
                self.assertRegex(units, r"\b(TYPED_)?TEST(_[FP])?\({}, {}\)".format(*name.split(".")))


if __name__ == "__main__":
    unittest.main()
