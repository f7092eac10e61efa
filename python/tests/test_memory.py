"""Arrays of the right type are not copied, nothing leaks, and results lie where they lie."""
import gc
import sys
import tracemalloc

import numpy as np
import pytest

import apsp
from apsp import csgraph
from support import dense, fresh, in_use, peak_of, resident, road


def allocated(call):
    """By how many bytes at most Python's and NumPy's memory grew during the call."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = call()
        return result, tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_the_measure_sees_a_copy():
    """Otherwise the tests below would show nothing."""
    array = np.ones((2500, 2500))   # malloc takes blocks above 32 MB from the system each time
    assert allocated(array.copy)[1] >= array.nbytes
    assert peak_of(array.copy)[1] >= 0.9 * array.nbytes


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("order", ["C", "F", "frozen"])
def test_no_copy_of_a_matrix(dtype, order):
    """A graph of a contiguous array, also a read-only one, takes no bytes for it. Nor does a
    solve, on the side of Python."""
    array = (np.random.default_rng(1).random((1000, 1000)) * 1000).astype(dtype)
    array = np.asfortranarray(array) if order == "F" else array
    array.flags.writeable = order != "frozen"
    kept = array.copy()
    assert allocated(lambda: apsp.graph(array))[1] < 50_000
    distances, bytes_ = allocated(lambda: apsp.solve(array))
    assert bytes_ < array.nbytes // 4, "the look for negative weights may take some, not all"
    np.testing.assert_array_equal(array, kept)
    assert distances.shape == array.shape


def test_a_view_with_strides_is_read_or_copied_once():
    array = np.random.default_rng(1).random((1500, 1500))[::2, ::2]
    _, bytes_ = allocated(lambda: apsp.solve(array))
    assert bytes_ < 1.5 * array.nbytes


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("wide", ["int32", "int64"])
def test_no_copy_of_csr(dtype, wide):
    """Offsets of 32 and 64 bits; heads of 32 bits; weights of any of the four types."""
    rng = np.random.default_rng(2)
    n, degree = 20_000, 10
    offsets = np.arange(0, n * degree + 1, degree, dtype=wide)
    heads = rng.integers(0, n, n * degree).astype("int32")
    weights = rng.integers(1, 99, n * degree).astype(dtype)
    assert allocated(lambda: apsp.csr(offsets, heads, weights))[1] < 20_000


def test_no_copy_of_edges_and_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(2)
    tails, heads = rng.integers(0, 9999, (2, 200_000), dtype="int32")
    weights = rng.random(200_000)
    assert allocated(lambda: apsp.edges(9999, tails, heads, weights))[1] < 20_000
    made = sparse.csr_array((weights, (tails, heads)), (9999, 9999))
    assert allocated(lambda: apsp.graph(made))[1] < 20_000


def test_a_solve_takes_one_matrix():
    """float64, n = 3000: with the result, which is one matrix, less than two are taken."""
    array = np.random.default_rng(1).random((3000, 3000))
    apsp.solve(array[:100, :100].copy(), device="cpu")
    (distances, seen), taken = peak_of(lambda: allocated(lambda: apsp.solve(array, device="cpu")))
    assert seen < array.nbytes // 4
    assert taken < 1.9 * array.nbytes, f"{taken / array.nbytes:.2f} matrices"
    _, more = peak_of(lambda: np.asarray(distances))
    assert more < array.nbytes // 10


def test_csgraph_takes_no_other_copy():
    """dijkstra of dense float64, n = 2500: the result, and at most one matrix beside it."""
    array = dense(np.random.default_rng(1), 2500, 1)
    csgraph.dijkstra(array[:100, :100])
    _, taken = peak_of(lambda: csgraph.dijkstra(array))
    assert taken < 2.5 * array.nbytes, f"{taken / array.nbytes:.2f} matrices"
    out = np.zeros_like(array)
    _, seen = allocated(lambda: csgraph.dijkstra(array, out=out))
    assert seen < array.nbytes // 4


def test_asarray_shares_memory():
    """The matrix is where it is: two arrays of it are the same memory, also by DLPack."""
    distances = apsp.solve(np.random.default_rng(1).random((300, 300)), device="cpu")
    assert distances.computed == distances.dtype
    one, two = np.asarray(distances), np.asarray(distances)
    assert np.shares_memory(one, two) and not one.flags.writeable
    assert np.shares_memory(one, distances.matrix())
    assert np.shares_memory(one, distances.matrix(writeable=True))
    assert not np.shares_memory(one, np.array(distances))
    assert np.shares_memory(one, np.array(distances, copy=False))
    with pytest.raises(ValueError):
        np.array(distances, dtype="float32", copy=False)
    distances.matrix(writeable=True)[0, 1] = 77
    assert one[0, 1] == 77 and distances[0, 1] == 77


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_dlpack(dtype):
    """There and back; what NumPy reads from it has the right numbers, and outlives the
    distances."""
    weights = (np.random.default_rng(1).random((200, 200)) * 1e3).astype(dtype)
    distances = apsp.solve(weights, device="cpu")
    assert distances.__dlpack_device__() == (1, 0)
    array = np.from_dlpack(distances)
    assert array.dtype == dtype
    np.testing.assert_array_equal(array, np.asarray(distances))
    again = apsp.solve(array)     # what came by DLPack goes in
    np.testing.assert_allclose(again, array, rtol=1e-5)     # sums are rounded again
    kept = array.copy()
    del distances, again
    gc.collect()
    junk = [np.full((200, 200), 9, dtype) for _ in range(20)]
    np.testing.assert_array_equal(array, kept)
    assert len(junk) == 20


def test_dlpack_does_not_copy():
    """What lies in host memory is read where it lies, if NumPy reads DLPack's later version."""
    distances = apsp.solve(np.random.default_rng(1).random((200, 200)), device="cpu")
    assert distances.computed == distances.dtype
    assert allocated(distances.__dlpack_device__)[1] < 10_000
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        assert np.shares_memory(np.from_dlpack(distances), np.asarray(distances))
    copy = np.from_dlpack(distances, copy=True)
    assert not np.shares_memory(copy, np.asarray(distances))


def test_dlpack_without_a_copy():
    """If a copy is forbidden, distances that lie in another type are refused."""
    whole = np.random.default_rng(1).integers(1, 9, (200, 200)).astype(float)
    for weights in whole, whole + 1 / 3:
        distances = apsp.solve(weights, device="cpu")
        if distances.computed != distances.dtype:
            with pytest.raises(BufferError, match="allow a copy"):
                distances.__dlpack__(copy=False)
            np.testing.assert_array_equal(np.from_dlpack(distances), np.asarray(distances))
        elif np.lib.NumpyVersion(np.__version__) >= "2.1.0":
            assert np.shares_memory(np.from_dlpack(distances, copy=False), np.asarray(distances))


class OnlyDlpack:
    """An array of another library, in host memory."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_in():
    """An object that has only DLPack is a matrix, too, or a column of a list of edges."""
    array = np.random.default_rng(1).random((50, 50))
    np.testing.assert_array_equal(apsp.solve(OnlyDlpack(array)), np.asarray(apsp.solve(array)))
    columns = [np.array(column) for column in ([0, 1, 2], [1, 2, 0], [7, 5, 3])]
    listed = apsp.edges(3, *map(OnlyDlpack, columns))
    np.testing.assert_array_equal(apsp.solve(listed), apsp.solve(apsp.edges(3, *columns)))
    rows = apsp.csr(*map(OnlyDlpack, [np.arange(4), *columns[1:]]))
    np.testing.assert_array_equal(apsp.solve(rows), apsp.solve(listed))


def leaks(call, times):
    """By how many bytes the memory in use grows at each call, after a first part of them."""
    for _ in range(max(3, times // 5)):
        call()
    gc.collect()
    before = in_use()
    for _ in range(times):
        call()
    gc.collect()
    return (in_use() - before) / times


def test_the_measure_sees_a_leak():
    """Otherwise the tests below would show nothing."""
    kept = []
    assert leaks(lambda: kept.append(bytes(2000)), 100) >= 2000
    assert leaks(lambda: kept.append(np.empty(1000)), 100) >= 8000
    assert leaks(lambda: kept.append(object()), 1000) >= 40


# A few calls are made always, and many in the long run, which sees less than two bytes a call.
CALLS = pytest.mark.parametrize("times,most", [
    (500, 40), pytest.param(10_000, 2, marks=pytest.mark.soak)], ids=["500", "10000"])


@CALLS
def test_no_leak(times, most):
    """Calls that use everything leave nothing, and references of inputs return."""
    rng = fresh()
    array = rng.random((12, 12))
    n, tails, heads, weights = road(rng, 4)
    names = list("abcdefghijklmnop")
    inputs = (array, tails, heads, weights, names)
    before = [sys.getrefcount(one) for one in inputs]

    def use():
        distances = apsp.solve(array, device="cpu")
        np.asarray(distances), distances[0], distances[0, 1], distances.path(0, 3)
        distances.predecessors(), distances.summary(), np.from_dlpack(distances)
        graph = apsp.edges(n, tails, heads, weights, nodes=names)
        apsp.solve(graph, sources=[0, 1], targets=[2], progress=lambda *_: None).rows()
        csgraph.dijkstra(array, return_predecessors=True)
    assert leaks(use, times) < most
    gc.collect()
    assert [sys.getrefcount(one) for one in inputs] == before


@CALLS
def test_no_leak_of_errors(times, most):
    """Calls that fail leave nothing behind."""
    array = np.ones((12, 12))
    array[3, 4] = np.nan
    cycle = np.array([[0, -1.0], [-1, 0]])
    before = sys.getrefcount(array), sys.getrefcount(cycle)

    def use():
        for wrong, error in ((array, ValueError), (cycle, apsp.NegativeCycleError)):
            with pytest.raises(error):
                apsp.solve(wrong)
        with pytest.raises(ValueError):
            apsp.solve(cycle, sources=[5])
    assert leaks(use, times) < most
    gc.collect()
    assert (sys.getrefcount(array), sys.getrefcount(cycle)) == before


@pytest.mark.soak
def test_no_leak_of_ten_thousand_calls():
    """Of each kind of call: neither what malloc gives away grows, nor what the system does."""
    rng = fresh()
    array, (n, tails, heads, weights) = rng.random((12, 12)), road(rng, 4)
    graph, many = apsp.edges(n, tails, heads, weights), rng.random((10, 8, 8))
    kept, pairs = apsp.plan(graph), apsp.Pairs(graph, paths=True)

    calls = {
        "solve": lambda: apsp.solve(array)[0, 1],
        "sources": lambda: apsp.solve(graph, sources=[0, 3]).rows(),
        "plan": lambda: kept.solve(graph).path(0, 15),
        "new plan": lambda: apsp.plan(graph),
        "batch": lambda: apsp.batch(many),
        "within": lambda: apsp.within(graph, 100),
        "nearest": lambda: apsp.nearest(graph, 2),
        "extremes": lambda: apsp.extremes(graph),
        "betweenness": lambda: apsp.betweenness(graph),
        "pairs": lambda: pairs([0, 2], [2, 1]),
        "paths of pairs": lambda: pairs.paths([0, 2], [2, 1]),
        "csgraph": lambda: csgraph.floyd_warshall(array),
    }
    for name, call in calls.items():
        for _ in range(500):
            call()
        before = resident()
        assert leaks(call, 10_000) < 2, name
        assert resident() - before < 16 * 2**20, f"{name}: a page a call is 40 MB"


def test_no_leak_of_large_results():
    """Results of some megabytes are freed when nobody uses them."""
    array = np.random.default_rng(1).random((600, 600))
    kept = apsp.plan(array)

    def use():
        np.asarray(apsp.solve(array)), kept.solve(array).predecessors()
        csgraph.floyd_warshall(array)
    assert leaks(use, 20) < 50_000   # of a result of 2.9 MB
