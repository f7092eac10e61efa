#!/usr/bin/python3
"""SciPy's own tests of its shortest paths, run against ./apsp.

  tests/csgraph_test.py --apsp FILE

SciPy installs its tests with the package. This program runs those of scipy.sparse.csgraph's shortest paths by pytest,
but with other functions in the place of shortest_path, dijkstra, bellman_ford and johnson: these write the graph to a
file, run ./apsp on it, and read the distances and the predecessors from the files that it wrote. OUT_OF_SCOPE lists
the tests that are left out, with the reason. Each other test must call ./apsp and pass. Exit code: 0 so it is, 1 it is
not, 77 SciPy, its tests or pytest are missing.
"""
import argparse
import fnmatch
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = "scipy.sparse.csgraph.tests.test_shortest_path"
try:
    import numpy as np
    import pytest
    import scipy.sparse
    from scipy.io import mmwrite
    from scipy.sparse import csgraph
    import scipy.sparse.csgraph.tests.test_shortest_path  # noqa: F401
except ImportError as error:
    print(f"needs SciPy with its tests, and pytest: {error}", file=sys.stderr)
    sys.exit(77)

INF = 2**30 - 1  # kInf of apsp.h
FEWEST = 20      # tests that must pass, or this proves nothing
NEGATIVE = "--negative"  # the option that accepts negative weights, in a program that has it
NEEDS_NEGATIVE = f"its graph has negative weights, and this program has no {NEGATIVE}"
# Tests by name, with * for any text, and why they are left out.
OUT_OF_SCOPE = {
    "test_yen*": "the k shortest paths between two vertices are another problem",
}
WITH_NEGATIVE_WEIGHTS = ["test_negative_cycles", "test_negative_weights*", "test_sparse_matrices"]
METHODS = {"FW": "dense", "D": "sparse", "BF": "filtered"}  # what SciPy's methods are for us; the others are auto
EDGES_IN_A_LIST = 10_000  # of a larger graph the file is a matrix, which is written sooner


class Apsp:
    """./apsp as functions with the parameters of SciPy's."""

    def __init__(self, program):
        self.program, self.calls = program, 0
        self.negative = NEGATIVE in subprocess.run([program, "--help"], capture_output=True, text=True).stdout

    def functions(self):
        def with_method(method):
            def function(graph, directed=True, indices=None, return_predecessors=False, unweighted=False, **others):
                return self.shortest_path(graph, method, directed, return_predecessors, unweighted, indices=indices,
                                          **others)
            return function
        return {"shortest_path": self.shortest_path, "dijkstra": with_method("D"), "bellman_ford": with_method("BF"),
                "johnson": with_method("J")}

    def shortest_path(self, graph, method="auto", directed=True, return_predecessors=False, unweighted=False,
                      overwrite=False, indices=None, limit=np.inf, min_only=False):
        if method == "FW" and indices is not None:
            raise ValueError("SciPy refuses indices with the method FW")
        edges = as_edges(graph, unweighted)
        if min_only:
            sources = np.arange(edges.shape[0]) if indices is None else np.unique(indices)
            return self.from_the_nearest(edges, method, directed, sources, return_predecessors)
        distances, predecessors = self.solve(edges, method, directed)
        predecessors[distances > limit] = -9999
        distances[distances > limit] = np.inf
        if indices is not None:
            distances, predecessors = distances[indices], predecessors[indices]
        return (distances, predecessors) if return_predecessors else distances

    def from_the_nearest(self, edges, method, directed, sources, return_predecessors):
        """min_only: a new vertex has an edge of weight 0 to each of the sources. Paths from it are what is asked for."""
        n = edges.shape[0]
        if not directed:
            edges = undirected(edges)
        all_edges = scipy.sparse.coo_matrix(
            (np.append(edges.data, np.zeros(len(sources))),
             (np.append(edges.row, np.full(len(sources), n)), np.append(edges.col, sources))), shape=(n + 1, n + 1))
        distances, predecessors = self.solve(all_edges, method, True)
        distances, predecessors = distances[n, :n], predecessors[n, :n]
        nearest = np.full(n, -9999, dtype=np.int32)
        for vertex in np.nonzero(np.isfinite(distances))[0]:
            source = vertex
            while predecessors[source] != n:
                source = predecessors[source]
            nearest[vertex] = source
        predecessors[predecessors == n] = -9999
        return (distances, predecessors, nearest) if return_predecessors else distances

    def solve(self, edges, method, directed):
        """All distances and predecessors, by one call of the program, which verifies both."""
        self.calls += 1
        with tempfile.TemporaryDirectory() as folder:
            files = {name: Path(folder) / name for name in ("g.mtx", "g.npy", "d.npy", "p.npy")}
            if edges.nnz <= EDGES_IN_A_LIST:
                name, options = "g.mtx", []
                mmwrite(str(files[name]), edges, field="real", precision=17)
            else:
                name, options = "g.npy", ["--zero", "edge"]
                weights = np.full(edges.shape, np.inf)
                np.minimum.at(weights, (edges.row, edges.col), edges.data)
                np.save(files[name], weights)
            # Elimination is for graphs that are held as edges.
            wanted = METHODS.get(method, "auto")
            options += ["--method", "auto" if name == "g.npy" and wanted == "sparse" else wanted]
            options += [] if directed else ["--undirected"]
            negative = self.negative and edges.nnz > 0 and edges.data.min() < 0
            options += ["--predecessors", files["p.npy"], *([NEGATIVE] if negative else [])]
            run = subprocess.run([self.program, files[name], *options, "--device", "cpu", "--quiet", "--verify",
                                  "-o", files["d.npy"]], capture_output=True, text=True)
            if run.returncode == 3 and "negative cycle" in run.stderr:
                raise csgraph.NegativeCycleError(run.stderr)
            if run.returncode:
                raise RuntimeError(f"exit {run.returncode}: {run.stderr}")
            found = np.load(files["d.npy"])
            distances = np.where(found == INF, np.inf, found) if found.dtype.kind == "i" else found
            return distances.astype(float), np.load(files["p.npy"])


def as_edges(graph, unweighted):
    """As SciPy reads a graph: what a sparse matrix lists is an edge; in an array 0, NaN and infinity are none."""
    if not scipy.sparse.issparse(graph):
        masked = np.ma.isMaskedArray(graph)
        graph = csgraph.csgraph_from_masked(graph) if masked else csgraph.csgraph_from_dense(np.asarray(graph, dtype=float))
    edges = scipy.sparse.csr_matrix(graph, dtype=float, copy=True).tocoo()
    if unweighted:
        edges.data[:] = 1
    return edges


def undirected(edges):
    return scipy.sparse.coo_matrix((np.append(edges.data, edges.data), (np.append(edges.row, edges.col),
                                                                      np.append(edges.col, edges.row))), edges.shape)


class Judge:
    """The plugin for pytest: puts the functions in their places, and leaves out what is out of scope."""

    def __init__(self, apsp):
        self.apsp, self.passed, self.silent, self.left_out = apsp, [], [], {}

    def pytest_collection_modifyitems(self, items):
        reasons = dict(OUT_OF_SCOPE)
        if not self.apsp.negative:
            reasons.update(dict.fromkeys(WITH_NEGATIVE_WEIGHTS, NEEDS_NEGATIVE))
        for item in items:
            for name, function in self.apsp.functions().items():
                setattr(item.module, name, function)
            for pattern, reason in reasons.items():
                if fnmatch.fnmatch(item.name, pattern):
                    self.left_out[item.name] = reason
                    item.add_marker(pytest.mark.skip(reason=reason))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        before = self.apsp.calls
        outcome = yield
        if outcome.excinfo is None:
            (self.passed if self.apsp.calls > before else self.silent).append(item.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--apsp", required=True, help="the program", type=lambda path: str(Path(path).resolve()))
    apsp = Apsp(parser.parse_args().apsp)
    judge = Judge(apsp)
    with tempfile.TemporaryDirectory() as folder:  # no settings of a folder above apply
        code = pytest.main(["--pyargs", TESTS, "-q", "-c", "/dev/null", "--rootdir", folder, "-p", "no:cacheprovider",
                            "-W", "ignore"], plugins=[judge])
    print(f"{len(judge.passed)} tests of SciPy {scipy.__version__} passed with {apsp.calls} calls of the program")
    for name, reason in judge.left_out.items():
        print(f"left out: {name}: {reason}")
    wrong = [f"pytest ends with {int(code)}"] if code else []
    wrong += [f"{name} did not call the program" for name in judge.silent]
    if len(judge.passed) < FEWEST:
        wrong.append(f"only {len(judge.passed)} tests passed, expected {FEWEST}")
    for fault in wrong:
        print(fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
