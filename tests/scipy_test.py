#!/usr/bin/python3
"""Every graph file that ./apsp accepts has the distances that SciPy finds, and converts without loss. So have random
graphs with negative weights, half of them real, whose predecessors are trees of shortest paths, and SciPy finds a
negative cycle if and only if ./apsp does. APSP_FULL=1 draws 1000 of them.

  tests/scipy_test.py --apsp FILE --files DIRECTORY…    DIRECTORY: files named by their formats' extensions

This script reads the files by itself, with SciPy, NumPy or the few lines below, which share nothing with the program.
The program then converts each file to one of the formats, in turn, and this script reads the result, too. Exit code:
0 all agree, 1 some do not or too few files were accepted, 77 SciPy is missing.
"""
import argparse
import ast
import bz2
import collections
import concurrent.futures
import gzip
import io
import itertools
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

try:
    import numpy as np
    import scipy.io
    from scipy.sparse import csr_matrix, load_npz
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, johnson, shortest_path
except ImportError as error:
    print(f"needs SciPy: {error}", file=sys.stderr)
    sys.exit(77)

NUMBER = np.longdouble     # holds every int64 and every float64 as it is
INF = 2**30 - 1           # kInf of apsp.h
INFINITY = {"int32": INF, "int64": 2**62 - 1}
LARGEST = 300             # vertices, because an edge list of a few bytes may have 2 000 000 000
FEWEST = 10               # files of each format must be accepted, or this test proves nothing
WRITTEN = {"int32": ["bin", "bin-edges", "bin-dense", "gr", "mtx", "npy", "el", "wsg", "json"],
           "int64": ["gr", "mtx", "npy", "el", "json"],
           "float": ["mtx", "npy", "el", "json"]}


class Unreadable(Exception):
    """SciPy or NumPy refuses a file that ./apsp reads, because they are stricter with a banner or a header."""


# ---- files → weights: n×n NUMBERs, infinity for no edge, the lightest of parallel edges --------------------

def number(text):
    """The text of a number, without rounding if it is an integer."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else float(text)


def of_edges(n, edges):
    weights = np.full((n, n), np.inf, NUMBER)
    for u, v, w in edges:  # csr_matrix would add up parallel edges
        weights[u, v] = min(weights[u, v], NUMBER(w))
    return weights


def of_matrix(entries):
    entries = np.array(entries)
    if entries.dtype == bool:
        return np.where(entries, 1, np.inf).astype(NUMBER)
    none = [-1, 2**62 - 1, 2**63 - 1] + [INF] * (entries.itemsize <= 4)
    entries = entries.astype(NUMBER)
    entries[np.isin(entries, np.array(none, NUMBER))] = np.inf
    return entries


def lines(data):
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return [line for line in text.split("\n") if line.strip(" \t\r")]


def read_bin(data, layout="bin"):
    first, second = np.frombuffer(data, "<i4", 2)
    body = np.frombuffer(data, "<i4", offset=8)
    if layout != "bin-dense" and len(body) == 3 * second:
        return of_edges(first, body.reshape(-1, 3).tolist())
    return of_matrix(body.reshape(first, second))


def read_gr(data):
    rows = [line.split() for line in lines(data)]
    n = next(int(row[2]) for row in rows if row[0] == "p")
    return of_edges(n, [(int(u) - 1, int(v) - 1, int(w)) for kind, u, v, w in (r for r in rows if r[0] == "a")])


def separator(line):
    return next((c for c in ",;" if c in line.partition("{")[0]), None)


def fields(line, separator):
    """The fields of a line of an edge list. Of NetworkX's attributes it has the weight only."""
    line, brace, attributes = line.partition("{")
    weight = ast.literal_eval(brace + attributes.rstrip()).get("weight", "") if brace else ""
    return [field for field in (part.strip(' \t"') for part in f"{line}{weight}".split(separator)) if field]


def read_el(data):
    comments = itertools.takewhile(lambda line: line[0] in "#%", lines(data))
    nodes = [re.match(r"(#[ \t]*|%[ \t]+)Nodes:[ \t]+(\d+)([ \t]|$)", comment) for comment in comments]
    given = [int(found[2]) for found in nodes if found]
    rows = [line for line in lines(data) if line[0] not in "#%"]
    if rows and len(fields(rows[0], separator(rows[0]))) == 1:  # a header
        given.append(int(rows.pop(0)))
    rows = [fields(line, separator(rows[0])) for line in rows]
    if rows and all(re.match(r"[A-Za-z_]|[^\0-\x7f]", name) for name in rows[0]):
        rows.pop(0)
    edges = [(int(row[0]), int(row[1]), number(row[2]) if len(row) > 2 else 1) for row in rows]
    return of_edges(given[-1] if given else max((max(u, v) + 1 for u, v, _ in edges), default=0), edges)


def read_mtx(data):
    try:
        matrix = scipy.io.mmread(io.BytesIO("\n".join(lines(data)).encode()))
    except Exception as error:  # there are many kinds
        raise Unreadable(error) from error
    if isinstance(matrix, np.ndarray):
        return of_matrix(matrix)
    return of_edges(matrix.shape[0], zip(matrix.row, matrix.col, matrix.data))


def read_npy(data):
    try:
        return of_matrix(np.load(io.BytesIO(data)))
    except Exception as error:  # there are many kinds
        raise Unreadable(error) from error


def read_metis(data):
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    rows = [line.split() for line in text.split("\n") if not line.lstrip(" \t").startswith("%")]
    rows = list(itertools.dropwhile(lambda row: not row, rows))
    n, head = int(rows[0][0]), rows[0][2:]
    kind = head[0].zfill(3) if head else "000"
    skipped = int(kind[0]) + int(kind[1]) * int(head[1] if len(head) > 1 else 1)
    edges = []
    for u, row in enumerate(rows[1:n + 1]):
        row = [int(number) for number in row[skipped:]]
        pairs = zip(row[::2], row[1::2]) if kind[2] == "1" else ((v, 1) for v in row)
        edges += [(u, v - 1, w) for v, w in pairs]
    return of_edges(n, edges)


def read_gap(data, width=1):
    m, n = np.frombuffer(data, "<i8", 2, offset=1)
    offsets = np.frombuffer(data, "<i8", n + 1, offset=17)
    entries = np.frombuffer(data, "<i4", width * m, offset=17 + 8 * (n + 1)).reshape(m, width)
    froms = np.repeat(np.arange(n), np.diff(offsets))
    weights = entries[:, 1] if width == 2 else np.ones(m)
    return of_edges(n, zip(froms.tolist(), entries[:, 0].tolist(), weights.tolist()))


def read_npz(data):
    try:
        matrix = load_npz(io.BytesIO(data)).tocoo()
    except Exception as error:  # there are many kinds
        raise Unreadable(error) from error
    edges = zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist())
    return of_edges(matrix.shape[0], [edge for edge in edges if edge[2] is not False])


def of_names(nodes, edges):
    """nodes: their ids in order; edges: (source, target, weight, directed)."""
    numbers = {name: number for number, name in enumerate(nodes)}
    both = [(numbers[u], numbers[v], w) for u, v, w, _ in edges]
    return of_edges(len(nodes), both + [(v, u, w) for (u, v, w), (*_, one_way) in zip(both, edges) if not one_way])


def read_json(data):
    root = json.loads(data.decode("utf-8-sig"))
    edges = [(e["source"], e["target"], number(str(e.get("weight", 1))), root["directed"])
             for e in root.get("links", root.get("edges"))]
    return of_names([node["id"] for node in root["nodes"]], edges)


def read_graphml(data):
    root = xml.etree.ElementTree.fromstring(data.strip())
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    keys = {key.get("id"): key.findtext("default") for key in root.iter("key")
            if key.get("attr.name") == "weight" and key.get("for", "all") in ("all", "edge")}
    default = next(filter(None, keys.values()), "1")
    graph = root.find("graph")
    edges = []
    for edge in graph.iter("edge"):
        texts = [data.text for data in edge.iter("data") if data.get("key") in keys]
        directed = edge.get("directed", str(graph.get("edgedefault") == "directed").lower()) == "true"
        edges.append((edge.get("source"), edge.get("target"), number((texts[0] if texts else default).strip()), directed))
    return of_names([node.get("id") for node in graph.iter("node")], edges)


READERS = {"json": read_json, "graphml": read_graphml, "npz": read_npz, "sg": read_gap, "wsg": lambda data: read_gap(data, 2), "bin": read_bin, "gr": read_gr, "graph": read_metis, "metis": read_metis, "mtx": read_mtx, "npy": read_npy, "el": read_el, "txt": read_el,
           "tsv": read_el, "csv": read_el, "wel": read_el, "edges": read_el, "edgelist": read_el}


def unpack_xz(data):
    """The text of all streams. lzma.decompress() ends at the padding between them."""
    text = b""
    while data:
        stream = lzma.LZMADecompressor()
        text += stream.decompress(data)
        data = stream.unused_data.lstrip(b"\0")
    return text


PACKED = {b"\x1f\x8b": gzip.decompress, b"BZ": bz2.decompress, b"\xfd7": unpack_xz}


MARKS = {rb"%+ *matrixmarket\s": "mtx", rb"<": "graphml"}  # at the begin of a text, whatever the name of its file
BINARY = ("bin", "npy", "npz", "sg", "wsg")


def kind_of(path):
    return re.sub(r"\.(gz|bz2|xz)$", "", path.name).rpartition(".")[2]


def contents(path):
    data = path.read_bytes()
    packed = PACKED.get(data[:2]) if path.suffix not in (".bin", ".npy") else None
    return packed(data) if packed else data


def read(path, dtype, fmt=""):
    """The weights, rounded to the type of the program's distances if that is real."""
    kind, data = kind_of(path), contents(path)
    if kind not in BINARY:
        begin = data.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").lower()
        kind = next((name for mark, name in MARKS.items() if re.match(mark, begin)), kind)
    weights = read_bin(data, fmt) if kind == "bin" else READERS[kind](data)
    np.fill_diagonal(weights, 0)
    if dtype.itemsize == 4:
        weights[weights == INF] = np.inf  # in a matrix. 64-bit types have it as a weight: formats.h
    with np.errstate(over="ignore"):
        return weights.astype(dtype).astype(NUMBER) if dtype.kind == "f" else weights


# ---- comparing ---------------------------------------------------------------------------------------------

def distances(weights):
    """SciPy's distances. SciPy reads a 0 in a dense matrix as no edge, but a 0 that a sparse matrix lists as an edge."""
    edges = np.nonzero(np.isfinite(weights) & ~np.eye(len(weights), dtype=bool))
    return shortest_path(csr_matrix((weights[edges].astype(float), edges), shape=weights.shape), method="D") \
        if len(weights) else weights


def exact_distances(weights):
    """Those of integers. Beyond 2**53, where SciPy rounds, Floyd and Warshall's algorithm finds them."""
    found = distances(weights)
    if np.max(found, where=np.isfinite(found), initial=0) < 2**53:
        return found
    found = weights.copy()
    for over in range(len(found)):
        np.minimum(found, found[:, over, None] + found[over], out=found)
    return found


def run(apsp, *arguments):
    return subprocess.run([apsp, *arguments], capture_output=True, text=True, errors="replace",
                          env={**os.environ, "OMP_NUM_THREADS": "1"})


def differences(ours, weights):
    """How many distances of ./apsp differ. Integers must be equal; real numbers may be off by n roundings."""
    if infinity := INFINITY.get(ours.dtype.name):
        expected = exact_distances(weights).astype(NUMBER)
        expected[np.isinf(expected)] = infinity
        return np.count_nonzero(ours.astype(NUMBER) != expected)
    return np.count_nonzero(~np.isclose(ours, distances(weights), rtol=len(weights) * np.finfo(ours.dtype).eps, atol=0))


def check(apsp, path, target, folder):
    """(the fault or '', the format of the file or why it was not compared)"""
    result, converted = Path(folder) / "d.npy", Path(folder) / f"g.{target.partition('-')[0]}"
    info = run(apsp, "info", path)
    if info.returncode == 3:
        return "", "refused"
    if info.returncode == 0 and int(re.search(r"vertices +([\d,]+)", info.stdout)[1].replace(",", "")) > LARGEST:
        return "", "too large"
    solved = run(apsp, path, "--device", "cpu", "--warmup", "0", "--reps", "1", "--quiet", "-o", result)
    if solved.returncode == 3:
        return "", "has too long distances"
    if solved.returncode:
        return f"exit {solved.returncode}: {solved.stderr}", "failed"
    ours = np.load(result)
    try:
        weights = read(path, ours.dtype)
    except Unreadable:
        return "", "not read by SciPy"
    if ours.shape != weights.shape or differences(ours, weights):
        return f"distances {ours.tolist()} of {weights.tolist()}, SciPy: {distances(weights).tolist()}", "failed"

    if target not in WRITTEN["float" if ours.dtype.kind == "f" else ours.dtype.name]:
        target, converted = "npy", Path(folder) / "g.npy"
    written = run(apsp, "convert", path, converted, "--to", target)
    if written.returncode or not np.array_equal(read(converted, ours.dtype, target), weights):
        return f"as {target} it is another graph: {written.stderr}", "failed"
    return "", "".join(path.suffixes)[1:]


# ---- negative weights --------------------------------------------------------------------------------------

NEGATIVE = 1000 if os.environ.get("APSP_FULL") == "1" else 200  # graphs


def random_reals(seed):
    """The same as float32, without cycles of length 0, which rounding would make negative. Half of the potentials are so
    large that the distances are far below the spacing of floats there."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 40))
    weights = random.uniform(0.1, random.choice([1, 1000]), (n, n))
    if seed % 3:
        potentials = random.uniform(0, random.choice([1, 1e5]), n)
        weights += potentials[None, :] - potentials[:, None]
    else:
        weights -= random.uniform(0, 1, (n, n)) * random.choice([0, 1, 5])
    weights[random.random((n, n)) > random.choice([0.05, 0.2, 1])] = np.inf
    np.fill_diagonal(weights, 0)
    return weights.astype("<f4").astype(float)


def bound_of(distances, dtype):
    """How far the distances of ./apsp may be off: docs/negative.md, Limits. Those of SciPy are rounded to float64, too."""
    if dtype.kind == "i":
        return np.zeros_like(distances)
    n, least = len(distances), np.minimum(distances.min(axis=0), 0)
    step = {"float32": 2.0**-24, "float64": 2.0**-52}[dtype.name]
    bound = step * ((n - 1) * (1 + 1e-5) * np.maximum(distances + least[:, None] - least, 0) + abs(distances)) + 1e-12
    return np.where(np.isinf(distances), 0, bound)


def agree(ours, distances, bound):
    none = np.isinf(distances)
    ours = np.where((ours == INF) | np.isinf(ours), np.inf, ours)
    return np.array_equal(np.isinf(ours), none) and np.all(abs(ours[~none] - distances[~none]) <= bound[~none])


def random_weights(seed):
    """Weights, infinity for no edge. Potentials are planted in two graphs of three, so they have no negative cycle."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 40))
    weights = random.integers(0, random.choice([2, 10, 1000]), (n, n)).astype(float)
    if seed % 3:
        potentials = random.integers(-1000, 1000, n)
        weights += potentials[None, :] - potentials[:, None]
    else:
        weights -= random.integers(0, 3, (n, n)) * random.choice([0, 1, 5])
    weights[random.random((n, n)) > random.choice([0.05, 0.2, 1])] = np.inf
    np.fill_diagonal(weights, 0)
    return weights


def wrong_trees(weights, distances, predecessors, bound):
    """Entries that are no tree of shortest paths: other than SciPy's -9999 where there is no predecessor, an edge that
    is missing or does not fit the distances, or a way that does not end at the source."""
    n = len(weights)
    sources, vertices = np.indices((n, n))
    none = np.isinf(distances) | (sources == vertices)
    before = np.where(none | (predecessors < 0) | (predecessors >= n), sources, predecessors)
    with np.errstate(invalid="ignore"):
        rest = np.where(none, 0, distances[sources, before] + weights[before, vertices] - distances)
    wrong = np.where(none, predecessors != -9999, abs(rest) > 3 * (bound + bound[sources, before]))
    end = np.where(none, sources, before)
    for _ in range(n.bit_length()):  # twice as many steps each time
        end = end[sources, end]
    return np.count_nonzero(wrong | (~none & (predecessors < 0)) | (end != sources))


def check_negative(apsp, seed, folder):
    """The fault or ''. It solves an edge list or a matrix, in turn."""
    real, result, trees = seed % 4 > 1, Path(folder) / "d.npy", Path(folder) / "p.npy"
    weights = random_reals(seed) if real else random_weights(seed)
    edges = np.nonzero(np.isfinite(weights) & ~np.eye(len(weights), dtype=bool))
    graph = csr_matrix((weights[edges], edges), shape=weights.shape)
    path = Path(folder) / ("g.npy" if seed % 2 else "g.el")
    if seed % 2:
        np.save(path, weights.astype("<f4") if real else np.where(np.isinf(weights), INF, weights).astype("<i4"))
    else:
        rows = [f"{u} {v} {float(weights[u, v])!r}" if real else f"{u} {v} {weights[u, v]:.0f}" for u, v in zip(*edges)]
        path.write_text("\n".join([f"# Nodes: {len(weights)}", *rows, ""]))
    method = ("auto", "dense", "sparse")[seed // 4 % 3]
    ran = run(apsp, path, "--negative", "--device", "cpu", "--quiet", "-o", result, "--predecessors", trees,
              "--method", method, *(["--verify"] if seed % 5 else []), *(["--zero", "edge"] if seed % 2 else []))
    try:
        distances, tree = johnson(graph, return_predecessors=True)
        expected = [distances, bellman_ford(graph)]
    except NegativeCycleError:
        found = re.search(r"negative cycle.*sum (-\d)", ran.stderr)
        return "" if ran.returncode == 3 and found else f"seed {seed}: a cycle is not found: {ran.stderr}"
    if ran.returncode:
        return f"seed {seed}: exit {ran.returncode}: {ran.stderr}"
    ours = np.load(result)
    bound = bound_of(distances, ours.dtype)
    if not all(agree(ours, d, bound) for d in expected):
        return f"seed {seed} differs"
    some = np.random.default_rng(seed).integers(0, len(weights), (2, 5)).tolist()
    rows, columns = (",".join(map(str, vertices)) for vertices in some)
    table = run(apsp, path, "--negative", "--device", "cpu", "--quiet", "-o", result, "--method", method, "--sources", rows,
                "--targets", columns, "--verify", *(["--zero", "edge"] if seed % 2 else []))
    some = np.ix_(*some)
    if table.returncode or not agree(np.load(result), distances[some], bound[some]):
        return f"seed {seed}: the table differs: {table.stderr}"
    for whose, found in (("SciPy's", tree), ("our", np.load(trees))):  # trees are not unique
        if wrong := wrong_trees(weights, distances, found, bound):
            return f"seed {seed}: {wrong} of {whose} predecessors are wrong"
    return ""


def check_all_negative(apsp):
    def work(seed):
        with tempfile.TemporaryDirectory() as folder:
            return check_negative(apsp, seed, folder)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [fault for fault in pool.map(work, range(NEGATIVE)) if fault]
    print(f"{NEGATIVE - len(wrong)} of {NEGATIVE} graphs with negative weights agree")
    return wrong


def check_results(apsp):
    """What NumPy reads of results, and the two kinds of closeness. Yields faults."""
    weights = np.random.default_rng(3).integers(1, 9, (12, 12)) * np.random.default_rng(4).integers(0, 2, (12, 12))
    weights[5:, :5] = 0  # no edge
    distances = shortest_path(csr_matrix(weights))
    pairs = [(f"v{u}\xe9", f"v{v}\xe9", weights[u, v]) for u, v in zip(*np.nonzero(weights)) if u != v]
    names = list(dict.fromkeys(name for pair in pairs for name in pair[:2]))
    order = [int(name[1:-1]) for name in names]
    expected = distances[np.ix_(order, order)]
    with tempfile.TemporaryDirectory() as folder:
        graph, summary, *files = (Path(folder) / name for name in ("g.el", "s.csv", "d.npy", "d.npz"))
        if "npz" not in run(apsp, "--help").stdout:  # the program was built without its library
            files.pop()
        graph.write_text("".join("{} {} {}\n".format(*pair) for pair in pairs))
        ran = [run(apsp, graph, "--labels", "--device", "cpu", "-q", "-o", file, "--unreached", "inf") for file in files]
        ran.append(run(apsp, graph, "--labels", "--device", "cpu", "-q", "--summary", summary))
        if faults := "".join(each.stderr for each in ran):
            yield faults
            return
        with open(files[0], "rb") as file:
            found = [np.load(files[0]), np.load(files[0], mmap_mode="r"), np.lib.format.read_array(file)]
        for archive in map(np.load, files[1:]):  # without pickle
            found.append(archive["distances"])
            if list(archive["ids"]) != names or archive["unreached"] != np.inf or len(str(archive["graph"])) != 16:
                yield f"the archive has {dict(archive)}"
        yield from (f"{each.dtype} differs" for each in found if not np.array_equal(each, expected))
        lines = [line.split(",") for line in summary.read_text().splitlines()[1:]]
        for i, line in enumerate(lines):  # NetworkX's closeness_centrality() says it so
            to, out = expected[:, i][np.isfinite(expected[:, i])], expected[i][np.isfinite(expected[i])]
            n, r = len(expected) - 1, len(to) - 1
            closeness = [(len(out) - 1) / out.sum() if len(out) > 1 else 0, r / n * r / to.sum() if r else 0]
            harmonic = [(1 / each[each > 0]).sum() for each in (out, to)]
            if not np.allclose([float(x) for x in line[4:]], [*closeness, *harmonic, r / to.sum() if r else 0]):
                yield f"the closeness of {line} differs"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apsp", required=True, help="the program")
    parser.add_argument("--files", nargs="+", type=Path, required=True, metavar="DIRECTORY")
    args = parser.parse_args()
    fewest = ["bin", "gr", "mtx", "npy", "el", "graph", "sg", "wsg", "json"]
    for name in ("npz", "graphml"):
        if name in run(args.apsp, "convert", "--help").stdout:  # the program was built with its library
            for formats in (fewest, *WRITTEN.values()):
                formats.append(name)
        else:
            del READERS[name]
    files = [path for folder in args.files for path in sorted(folder.iterdir()) if kind_of(path) in READERS]
    targets = itertools.cycle(WRITTEN["int32"])

    def work(item):
        with tempfile.TemporaryDirectory() as folder:
            return check(args.apsp, *item, folder)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(work, zip(files, targets)))
    counts = collections.Counter(what for _, what in outcomes)
    print("  ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    wrong = [f"{path}: {fault}" for path, (fault, _) in zip(files, outcomes) if fault]
    wrong += [f"only {counts[name]} files of {name}" for name in fewest if counts[name] < FEWEST]
    wrong += [*check_results(args.apsp), *check_all_negative(args.apsp)]
    for fault in wrong:
        print(fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
