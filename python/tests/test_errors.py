"""Errors are Python's, and say what is wrong by name and entry."""
import math
import pickle

import numpy as np
import pytest

import apsp
from apsp import csgraph
from support import fresh, oracle

inf, nan = np.inf, np.nan
MATRIX = np.array([[0, 7, 20], [inf, 0, 5], [1, inf, 0]])


def with_entry(value):
    made = MATRIX.copy()
    made[1, 2] = value
    return made


@pytest.mark.parametrize("call,message", [
    (lambda: apsp.solve(with_entry(nan)), r"matrix\[1\]\[2\] is nan"),
    (lambda: apsp.solve(with_entry(-inf)), r"matrix\[1\]\[2\] is -inf"),
    (lambda: apsp.solve(with_entry(-1), negative=False), r"matrix\[1\]\[2\] is -1"),
    (lambda: apsp.solve(np.full((2, 2), 2**31 - 1, "int32")), r"matrix\[0\]\[1\] is 2147483647"),
    (lambda: apsp.solve(apsp.edges(3, [0, 1], [1, 2], [1, nan])), r"weights\[1\] is nan"),
    (lambda: apsp.solve(apsp.edges(3, [0, 1], [1, 2], [1, -inf])), r"weights\[1\] is -inf"),
    (lambda: apsp.solve(apsp.edges(3, [0, 1], [1, 2], [1, -4]), negative=False),
     r"weights\[1\] is -4"),
    (lambda: apsp.solve(apsp.edges(3, [0, 1], [1, 3], [1, 1])), r"heads\[1\] is 3"),
    (lambda: apsp.solve(apsp.edges(3, [0, 1], [-1, 2], [1, 1])), r"heads\[0\] is -1"),
    (lambda: apsp.solve(apsp.edges(3, [0, 5], [1, 2], [1, 1])), r"tails\[1\] is 5"),
    (lambda: apsp.solve(apsp.edges(3, [0, 1], [2**40, 2], [1, 1])), r"heads\[0\]|heads"),
    (lambda: apsp.solve(apsp.csr([0, 1, 2], [1, 7], [1, 1])), r"heads\[1\] is 7"),
    (lambda: apsp.solve(apsp.csr([0, 2, 1, 3], [1, 2, 0], [1, 1, 1])), r"offsets\[2\] is 1"),
    (lambda: apsp.solve(apsp.csr([0, 1, 5], [1, 0], [1, 1])), r"offsets"),
    (lambda: apsp.solve(apsp.csr([1, 1, 2], [1, 0], [1, 1])), r"offsets"),
    (lambda: apsp.solve(apsp.csr([], [], [])), r"offsets"),
    (lambda: apsp.csr([0, 1.5], [0], [1]), r"offsets"),
    (lambda: apsp.edges(3, [0, 1], [1.5, 2], [1, 1]), r"heads"),
    (lambda: apsp.edges(3, [0.5, 1], [1, 2], [1, 1]), r"tails"),
    (lambda: apsp.edges(3, ["a"], [1], [1]), r"tails"),
    (lambda: apsp.edges(3, [0, 1], [1], [1, 1]), r"tails and heads"),
    (lambda: apsp.edges(3, [0, 1], [1, 2], [1]), r"weights"),
    (lambda: apsp.edges(3, [0], [1], [[1]]), r"weights"),
    (lambda: apsp.edges(3, [0], [1], ["a"]), r"weights"),
    (lambda: apsp.edges(3, [0], [1], [1j]), r"weights.*complex"),
    (lambda: apsp.edges(3, [0], [1], [1.5], dtype="int32"), r"1\.5"),
    (lambda: apsp.edges(3, [0], [1], [2**40], dtype="int32"), r"1099511627776"),
    (lambda: apsp.edges(3, [0], [1], [1e300], dtype="float32"), r"1e\+?300"),
    (lambda: apsp.edges(-1, [], []), r"n is"),
    (lambda: apsp.edges(2**31, [], []), r"n is|vertices|2147483648"),
    (lambda: apsp.edges(2**70, [], []), r"n is|vertices|1180591620717411303424"),
    (lambda: apsp.edges(3, [0], [1], [1], nodes="ab"), r"nodes"),
    (lambda: apsp.solve(MATRIX, sources=[3]), r"sources\[0\] is 3"),
    (lambda: apsp.solve(MATRIX, sources=[0, -4]), r"sources\[1\] is -4"),
    (lambda: apsp.solve(MATRIX, targets=[0, 5]), r"targets\[1\] is 5"),
    (lambda: apsp.solve(MATRIX, sources=[2**40]), r"sources\[0\] is 1099511627776"),
    (lambda: apsp.solve(MATRIX, sources=[1.5]), r"sources"),
    (lambda: apsp.solve(MATRIX, targets=["a"]), r"targets"),
    (lambda: apsp.solve(MATRIX, method="fast"), r"method is 'fast'"),
    (lambda: apsp.solve(MATRIX, device="tpu"), r"device is 'tpu'"),
    (lambda: apsp.solve(MATRIX, device="cpu:1"), r"device is 'cpu:1'"),
    (lambda: apsp.solve(MATRIX, device="cuda:-1"), r"device is 'cuda:-1'"),
    (lambda: apsp.solve(MATRIX, threads=-1), r"threads"),
    (lambda: apsp.solve(MATRIX, ranks=-1), r"ranks"),
    (lambda: apsp.solve(MATRIX, dtype="int16"), r"int16"),
    (lambda: apsp.solve(MATRIX, dtype="complex"), r"complex"),
    (lambda: apsp.solve(np.ones((2, 3))), r"\(2, 3\)"),
    (lambda: apsp.solve(np.ones(3)), r"\(3,\)"),
    (lambda: apsp.solve(np.ones((2, 2, 2))), r"\(2, 2, 2\)"),
    (lambda: apsp.solve(np.ones((2, 2), complex)), r"complex128"),
    (lambda: apsp.solve(np.ones((2, 2), object)), r"object"),
    (lambda: apsp.solve(np.array([["a"]])), r"U1"),
    (lambda: apsp.solve(np.zeros((2, 2), "m8[s]")), r"timedelta"),
    (lambda: apsp.infinity("int16"), r"int16"),
    (lambda: apsp.solve(MATRIX, sources=[2]).path(0, 1), r"sources"),
    (lambda: apsp.solve(MATRIX, sources=[2]).closeness(), r"sources"),
    (lambda: csgraph.dijkstra(MATRIX, indices=[3]), r"indices|sources|3"),
    (lambda: csgraph.dijkstra(with_entry(-inf)), r"\[1\]\[2\] is -inf"),
])
def test_value_errors(call, message):
    """A ValueError, whose message names the argument and the entry."""
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("source", ["abc", None, 3, {"a": 1}, object, [[1], [1, 2]]], ids=repr)
def test_what_is_no_graph(source):
    with pytest.raises((TypeError, ValueError)):
        apsp.solve(source)


@pytest.mark.parametrize("call", [
    lambda: apsp.edges("a", [], []), lambda: apsp.edges(1.5, [], []),
    lambda: apsp.solve(MATRIX, threads="two"), lambda: apsp.solve(MATRIX, negative="x"),
    lambda: apsp.solve(MATRIX, progress=5), lambda: apsp.solve(MATRIX, method=3),
    lambda: apsp.solve(MATRIX, sources=0.5)],
    ids=["n str", "n float", "threads", "negative", "progress", "method", "sources"])
def test_arguments_of_wrong_types(call):
    """TypeError or ValueError, in words about the argument and not about the binding."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert "incompatible function arguments" not in str(caught.value)


def test_an_unknown_argument():
    with pytest.raises(TypeError, match="nothing"):
        apsp.solve(MATRIX, nothing=3)


@pytest.mark.parametrize("dtype,weight", [("int32", 2**29), ("int64", 2**61), ("float32", 3e38),
                                          ("float64", 1.7e308)])
def test_overflow(dtype, weight):
    """A distance that the type cannot hold is an error, not infinity. Below it is exact."""
    graph = apsp.edges(3, [0, 1], [1, 2], [weight, weight], dtype=dtype)
    for method in ("auto", "dense", "filtered", "sparse"):
        with pytest.raises(OverflowError, match="weights.* the first pair 0 -> 2"):
            np.asarray(apsp.solve(graph, method=method))
    with pytest.raises(OverflowError):
        apsp.solve(graph, sources=[0]).rows()
    if dtype.startswith("int"):
        most = apsp.infinity(dtype) - 1
        graph = apsp.edges(3, [0, 1], [1, 2], [most - 5, 5], dtype=dtype)
        assert apsp.solve(graph)[0, 2] == most


def test_memory_for_a_dense_solve():
    """n that is hopeless is a MemoryError at once, which says what is needed."""
    with pytest.raises(MemoryError, match=r"\d+ bytes"):
        apsp.solve(apsp.edges(10**6, [0], [1], [1]), method="dense")


def test_no_gpu():
    """A GPU that is not there is a RuntimeError with the reason."""
    if apsp.solve(np.ones((2, 2))).device != "cpu":
        pytest.skip("there is a GPU")
    for call in (lambda: apsp.solve(MATRIX, device="cuda"),
                 lambda: apsp.solve(MATRIX, device="cuda:1"),
                 lambda: apsp.batch(np.zeros((2, 2, 2)), device="cuda:1"),
                 lambda: csgraph.dijkstra(MATRIX, device="cuda"),
                 lambda: apsp.plan(MATRIX, device="cuda")):
        with pytest.raises(RuntimeError, match="no GPU"):
            call()
    assert apsp.solve(MATRIX, device="cpu")[0, 2] == 12


@pytest.mark.parametrize("method", ["auto", "dense", "filtered", "sparse"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_negative_cycle(dtype, method):
    """The error has a cycle of edges that exist, whose weights add up to less than 0."""
    rng = fresh()
    found = 0
    while found < 5:
        n, m = 15, int(rng.integers(20, 60))
        tails, heads = rng.integers(0, n, (2, m))
        keep = tails != heads
        tails, heads = tails[keep], heads[keep]
        weights = rng.integers(-3, 15, tails.size)
        edges = list(zip(tails.tolist(), heads.tolist(), weights.tolist()))
        graph = apsp.edges(n, tails, heads, weights.astype(dtype))
        try:
            exact = oracle(n, edges)
        except ValueError:
            with pytest.raises(apsp.NegativeCycleError) as caught:
                apsp.solve(graph, method=method)
            cycle = caught.value.cycle
            lightest = {}
            for u, v, weight in edges:
                lightest[u, v] = min(weight, lightest.get((u, v), math.inf))
            assert sum(lightest[pair] for pair in zip(cycle, cycle[1:] + cycle[:1])) < 0
            assert len(set(cycle)) == len(cycle) and all(type(u) is int for u in cycle)
            found += 1
        else:
            assert apsp.solve(graph, method=method)[0, 1] == exact[0][1]


def test_negative_cycle_error():
    """It is SciPy's, too; it can be pickled, as pools of processes do; the next solve works."""
    graph = with_entry(-5) - np.array([[0, 0, 0], [0, 0, 0], [5, 0, 0]])
    with pytest.raises(apsp.NegativeCycleError, match="cycle") as caught:
        apsp.solve(graph)
    assert sorted(caught.value.cycle) == [0, 1, 2]
    scipys = pytest.importorskip("scipy.sparse.csgraph")
    assert issubclass(apsp.NegativeCycleError, scipys.NegativeCycleError)
    assert csgraph.NegativeCycleError is apsp.NegativeCycleError or \
        issubclass(apsp.NegativeCycleError, csgraph.NegativeCycleError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.cycle == caught.value.cycle
    assert apsp.solve(MATRIX)[0, 2] == 12


@pytest.mark.parametrize("build", [
    lambda: apsp.edges(2, [0, 1], [1, 1], [1, -1]), lambda: np.array([[0, 1.], [inf, -1]])],
    ids=["edges", "matrix"])
def test_a_negative_loop(build):
    """An edge from a vertex to itself below 0 is a negative cycle. Only of a matrix, whose
    diagonal does not count as the doc string says, it may be none."""
    try:
        distances = apsp.solve(build())
    except apsp.NegativeCycleError as error:
        assert error.cycle == [1]
    else:
        assert isinstance(build(), np.ndarray) and distances[0, 1] == 1
