"""apsp.csgraph against SciPy itself on random graphs, and against exact numbers beyond SciPy."""
import math
import warnings

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.sparse  # noqa: E402
from scipy.sparse import csgraph as scipys  # noqa: E402

import apsp  # noqa: E402
from apsp import csgraph as ours  # noqa: E402
from support import (both_ways, dense, edges_of, exactly, fresh, oracle,  # noqa: E402
                     tree_is_right, with_negatives)

FUNCTIONS = ["shortest_path", "dijkstra", "floyd_warshall", "johnson", "bellman_ford"]
WITH_INDICES = ["shortest_path", "dijkstra", "johnson", "bellman_ford"]
FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
REAL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "longdouble"]


def same(name, graph, by=None, **how):
    """Our result, after a look that SciPy's is the same. by: another function of SciPy's, because
    its floyd_warshall refuses some formats, and reads zeros of masked arrays in another way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = getattr(scipys, by or name)(graph, **how)
    mine = getattr(ours, name)(graph, **how)
    assert mine.dtype == theirs.dtype and mine.shape == theirs.shape
    np.testing.assert_array_equal(mine, theirs)
    return mine


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("directed", [True, False])
def test_dense_arrays(name, directed, unweighted):
    """Random dense graphs of many sizes and densities: the same numbers."""
    rng = fresh()
    for n in (1, 2, 3, 7, 33, 70):
        graph = dense(rng, n, rng.choice([0.05, 0.3, 1]))
        same(name, graph, directed=directed, unweighted=unweighted)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_sparse_formats(name, form, kind):
    """Every format of scipy.sparse, directed and not, weighted and not."""
    rng = fresh()
    graph = getattr(scipy.sparse, f"{form}_{kind}")(dense(rng, 30, 0.1))
    for directed in (True, False):
        for unweighted in (True, False):
            same(name, graph, "dijkstra", directed=directed, unweighted=unweighted)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_of_other_kinds(name):
    """np.matrix, lists, masked arrays, Fortran order, views with strides, other byte order."""
    rng = fresh()
    graph = dense(rng, 20, 0.3)
    large = np.zeros((60, 60))
    large[::3, ::3] = graph
    masked = np.ma.masked_array(dense(rng, 20, 1), rng.random((20, 20)) < 0.7)
    frozen = graph.copy()
    frozen.flags.writeable = False
    for other in (np.asmatrix(graph), graph.tolist(), np.asfortranarray(graph), large[::3, ::3],
                  graph[::-1, ::-1], graph.T, graph.astype(">f8"), masked, frozen):
        for directed in (True, False):
            same(name, other, "dijkstra", directed=directed)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_masked_array_keeps_its_zeros(name):
    """In a masked array, the mask alone says where there is no edge: so SciPy's dijkstra."""
    graph = np.ma.masked_array([[0., 0, 5], [9, 0, 1], [9, 9, 0]],
                               [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    same(name, graph, "dijkstra")


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", REAL)
def test_types(name, dtype):
    """Each real type, dense and as the data of a sparse array, gives float64 as in SciPy."""
    rng = fresh()
    graph = dense(rng, 24, 0.2, dtype=dtype)
    same(name, graph)
    same(name, graph, directed=False)
    if dtype not in ("float16", "longdouble"):  # scipy.sparse has no float16
        same(name, scipy.sparse.csr_array(graph))
        same(name, scipy.sparse.csr_array(graph), unweighted=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_reals(name):
    """Weights that are no whole numbers: the same to the last bits."""
    rng = fresh()
    graph = rng.random((50, 50)) * (rng.random((50, 50)) < 0.2)
    for source in (graph, scipy.sparse.csr_array(graph)):
        for directed in (True, False):
            mine = getattr(ours, name)(source, directed=directed)
            theirs = getattr(scipys, name)(source, directed=directed)
            np.testing.assert_allclose(mine, theirs, rtol=1e-13)


@pytest.mark.parametrize("name", WITH_INDICES)
@pytest.mark.parametrize("indices", [
    3, -1, np.int64(2), np.uint8(5), [4], [-1, -20, 0], [7, 7, 0, 7], [[1, 2], [3, -4]], (5, 6),
    np.array([[[1], [2]]]), np.array(4), range(20), np.array([9, 8], np.uint16)], ids=str)
def test_indices(name, indices):
    """Indices of every shape: the result has the shape that SciPy's has."""
    rng = fresh()
    for source in (dense(rng, 20, 0.2), scipy.sparse.csr_array(dense(rng, 20, 0.1))):
        mine = same(name, source, indices=indices)
        assert mine.shape == np.shape(indices) + (20,)
        distances, before = getattr(ours, name)(source, indices=indices, return_predecessors=True)
        assert before.shape == distances.shape and before.dtype == np.int32
        np.testing.assert_array_equal(distances, mine)
        edges = edges_of(source.toarray() if scipy.sparse.issparse(source) else source)
        tree_is_right(edges, distances.reshape(-1, 20).tolist(), before.reshape(-1, 20),
                      (np.array(indices).astype(int) % 20).ravel())


@pytest.mark.parametrize("name", WITH_INDICES)
@pytest.mark.parametrize("indices", [20, -21, [0, 20], [[-21]], 2**40, -2**40, 2**32], ids=str)
def test_indices_that_are_no_vertices(name, indices):
    """They are a ValueError, as in SciPy, and no other vertex by overflow."""
    with pytest.raises(ValueError):
        getattr(ours, name)(dense(fresh(), 20), indices=indices)


@pytest.mark.parametrize("name", WITH_INDICES)
def test_no_indices(name):
    """An empty list of indices gives an empty result."""
    graph = dense(fresh(), 9)
    result = getattr(ours, name)(graph, indices=[])
    assert result.shape == (0, 9)
    distances, before = getattr(ours, name)(graph, indices=[], return_predecessors=True)
    assert distances.shape == before.shape == (0, 9)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
def test_predecessors(name, directed, unweighted):
    """Predecessors make shortest paths, and SciPy's reconstruct_path and construct_dist_matrix
    take them."""
    rng = fresh()
    for n in (1, 2, 40):
        graph = dense(rng, n, 0.1)
        distances, before = getattr(ours, name)(graph, directed=directed, unweighted=unweighted,
                                                return_predecessors=True)
        edges = edges_of((graph != 0).astype(float) if unweighted else graph)
        edges = edges if directed else both_ways(edges)
        assert exactly(distances, oracle(n, edges))
        assert before.dtype == np.int32
        tree_is_right(edges, distances.tolist(), before, range(n))
        if not unweighted:
            again = scipys.construct_dist_matrix(graph, before, directed=directed)
            np.testing.assert_array_equal(again, distances)
            tree = ours.reconstruct_path(scipy.sparse.csr_array(graph), before[0],
                                         directed=directed)
            along = scipys.dijkstra(tree, indices=0)
            np.testing.assert_array_equal(along, distances[0])


def test_names_that_are_scipys():
    """All other names of scipy.sparse.csgraph are there, too."""
    for name in scipys.__all__:
        assert getattr(ours, name) is not None
    assert ours.minimum_spanning_tree is scipys.minimum_spanning_tree
    with pytest.raises(AttributeError, match="nothing_like_that"):
        ours.nothing_like_that


@pytest.mark.parametrize("limit", [0, 1, 7, 10.5, 30, np.inf])
@pytest.mark.parametrize("directed", [True, False])
def test_limit(limit, directed):
    """Distances above the limit are infinite; the limit itself is not above it."""
    rng = fresh()
    for source in (dense(rng, 30, 0.2), scipy.sparse.csr_array(dense(rng, 30, 0.1))):
        same("dijkstra", source, limit=limit, directed=directed)
        same("dijkstra", source, limit=limit, directed=directed, indices=[[3, -4]])
        same("dijkstra", source, limit=limit, directed=directed, unweighted=True)
        distances, before = ours.dijkstra(source, limit=limit, directed=directed,
                                          return_predecessors=True)
        edges = edges_of(source.toarray() if scipy.sparse.issparse(source) else source)
        edges = edges if directed else both_ways(edges)
        tree_is_right(edges, distances.tolist(), before, range(30))


def test_limit_below_0():
    with pytest.raises(ValueError, match="limit"):
        ours.dijkstra(dense(fresh(), 5), limit=-1)


@pytest.mark.parametrize("indices", [None, 2, [1, 5, -1], [3, 3], [[1, 2], [3, 4]]], ids=str)
@pytest.mark.parametrize("limit", [np.inf, 15])
@pytest.mark.parametrize("directed", [True, False])
def test_min_only(indices, limit, directed):
    """The least distance from any index, a tree that has it, and the index where it begins."""
    rng = fresh()
    for source in (dense(rng, 25, 0.1), scipy.sparse.csr_array(dense(rng, 25, 0.1))):
        how = dict(indices=indices, min_only=True, limit=limit, directed=directed)
        mine = same("dijkstra", source, **how)
        distances, before, sources = ours.dijkstra(source, return_predecessors=True, **how)
        theirs = scipys.dijkstra(source, return_predecessors=True, **how)
        for one, two in zip((distances, before, sources), theirs):
            assert one.shape == two.shape and one.dtype == two.dtype
        np.testing.assert_array_equal(distances, mine)
        edges = edges_of(source.toarray() if scipy.sparse.issparse(source) else source)
        exact = oracle(25, edges if directed else both_ways(edges))
        starts = range(25) if indices is None else (np.array(indices) % 25).ravel().tolist()
        for vertex in range(25):
            if math.isinf(distances[vertex]):
                assert sources[vertex] == -9999 and before[vertex] == -9999
                continue
            assert sources[vertex] in starts
            assert exact[sources[vertex]][vertex] == distances[vertex]
            if before[vertex] == -9999:
                assert sources[vertex] == vertex
            else:   # the tree is one tree: who is before has the same source
                assert sources[before[vertex]] == sources[vertex]


@pytest.mark.parametrize("how", [{}, {"unweighted": True}, {"directed": False}, {"limit": 2}],
                         ids=str)
def test_min_only_of_a_sparse_array_is_one_search(how, monkeypatch):
    """Zeros that it holds are edges, but each index is the nearest one to itself."""
    graph = scipy.sparse.csr_array(([0.0, 0.0, 2.0, 1.0], ([0, 1, 1, 2], [1, 0, 2, 3])), (5, 5))
    asked = []

    def solve(*args, **kwargs):
        asked.append(kwargs["sources"])
        return apsp.solve(*args, **kwargs)
    monkeypatch.setattr(ours, "solve", solve)
    how = dict(indices=[1, 0, 1], min_only=True, return_predecessors=True, **how)
    for one, two in zip(ours.dijkstra(graph, **how), scipys.dijkstra(graph, **how)):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)
    assert asked == [[5]]
    with pytest.raises(ValueError, match="not square"):
        ours.dijkstra(scipy.sparse.csr_array((2, 3)), indices=[0], min_only=True)


def test_min_only_with_what_it_cannot_do():
    """targets and out are done, or refused: they are not ignored."""
    graph = dense(fresh(), 10)
    expected = scipys.dijkstra(graph, indices=[1, 2], min_only=True)
    out = np.zeros(10)
    for how, mean in ((dict(targets=[3]), expected[[3]]), (dict(out=out), expected)):
        try:
            result = ours.dijkstra(graph, indices=[1, 2], min_only=True, **how)
        except (ValueError, TypeError) as error:
            assert str(list(how)[0]) in str(error)
        else:
            np.testing.assert_array_equal(result, mean)
            assert "out" not in how or (out == expected).all()
    none = ours.dijkstra(graph, indices=[], min_only=True, return_predecessors=True)
    for one, two in zip(none, scipys.dijkstra(graph, indices=[], min_only=True,
                                              return_predecessors=True)):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", ["shortest_path", "floyd_warshall"])
def test_overwrite(name):
    """The distances are in the input, which is what SciPy says that it may do."""
    graph = dense(fresh(), 50)
    expected = scipys.floyd_warshall(graph)
    kept = graph.copy()
    getattr(ours, name)(graph)
    np.testing.assert_array_equal(graph, kept)
    result = getattr(ours, name)(graph, overwrite=True)
    np.testing.assert_array_equal(result, expected)
    assert np.shares_memory(result, graph)
    np.testing.assert_array_equal(graph, expected)


@pytest.mark.parametrize("name", ["shortest_path", "floyd_warshall"])
def test_overwrite_where_it_is_impossible(name):
    """Of other arrays the result is right. A read-only one is an error, as in SciPy."""
    graph = dense(fresh(), 20)
    expected = scipys.floyd_warshall(graph)
    for other in (np.asfortranarray(graph), graph.astype("float32"), graph.astype(int),
                  scipy.sparse.csr_array(graph), graph.tolist()):
        result = getattr(ours, name)(other, overwrite=True)
        np.testing.assert_array_equal(result, expected)
    frozen = graph.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError):
        getattr(ours, name)(frozen, overwrite=True)
    np.testing.assert_array_equal(frozen, graph)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "int64"])
def test_out(name, dtype):
    """The distances are written where `out` is, which is also returned."""
    rng = fresh()
    graph = dense(rng, 20, 0.2)
    plain = getattr(ours, name)(graph, dtype=dtype)
    out = np.full((20, 20), 77, dtype)
    assert getattr(ours, name)(graph, out=out, dtype=dtype) is out
    np.testing.assert_array_equal(out, plain)
    if name != "floyd_warshall":
        out = np.zeros((2, 20), dtype)
        getattr(ours, name)(graph, out=out, indices=[3, 4], dtype=dtype)
        np.testing.assert_array_equal(out, plain[3:5])
        out, _ = getattr(ours, name)(graph, out=out, indices=[5, 6], dtype=dtype,
                                     return_predecessors=True)
        np.testing.assert_array_equal(out, plain[5:7])


@pytest.mark.parametrize("out", [np.zeros((20, 19)), np.zeros(400), np.zeros((20, 20), "float32"),
                                 np.zeros((20, 20), complex), np.zeros((40, 20))[::2],
                                 np.broadcast_to(0.0, (20, 20)), [[0.0] * 20] * 20],
                         ids=["columns", "flat", "float32", "complex", "strides", "frozen", "list"])
def test_out_that_is_wrong(out):
    """A wrong `out` is a ValueError or TypeError that names it, or it is filled as it should."""
    graph = dense(fresh(), 20)
    try:
        result = ours.shortest_path(graph, out=out)
    except (ValueError, TypeError) as error:
        assert "out" in str(error)
    else:
        np.testing.assert_array_equal(out, scipys.shortest_path(graph))
        assert result is out


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int32", "int64", np.int64, np.dtype("int32"), "float32", float])
def test_dtype(name, dtype):
    """The result has that type and is exact. In whole numbers apsp.infinity() is no path."""
    rng = fresh()
    graph = dense(rng, 20, 0.1)
    exact = oracle(20, edges_of(graph))
    for source in (graph, scipy.sparse.csr_array(graph), graph.astype(dtype)):
        result = getattr(ours, name)(source, dtype=dtype)
        assert result.dtype == dtype
        assert exactly(result, exact, apsp.infinity(dtype))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_int64_above_doubles(name):
    """Whole numbers above 2**53 are exact, where SciPy rounds."""
    rng = fresh()
    graph = dense(rng, 20, 0.2, 2**54, 2**55, "int64")
    exact = oracle(20, edges_of(graph))
    for source in (graph, scipy.sparse.csr_array(graph), scipy.sparse.coo_array(graph)):
        assert exactly(getattr(ours, name)(source, dtype="int64"), exact, apsp.infinity("int64"))
        np.testing.assert_allclose(getattr(ours, name)(source), scipys.dijkstra(source), rtol=1e-15)
    undirected = oracle(20, both_ways(edges_of(graph)))
    result = getattr(ours, name)(graph, dtype="int64", directed=False)
    assert exactly(result, undirected, apsp.infinity("int64"))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", [np.array, scipy.sparse.csr_array, np.ma.masked_array])
@pytest.mark.parametrize("weight,dtype", [(1.5, "int32"), (2.0**40, "int32"), (2**40, "int32"),
                                          (2.0**62, "int64"), (2.0**70, "int64"),
                                          (1e300, "float32")])
def test_numbers_that_the_type_does_not_have(weight, dtype, kind, directed):
    """Weights that the asked type cannot hold are an error, not other weights."""
    with pytest.raises((ValueError, OverflowError)):
        ours.shortest_path(kind(np.array([[0, weight], [0, 0]])), dtype=dtype, directed=directed)


@pytest.mark.parametrize("dtype", ["int16", "uint8", "bool", "complex128", "U3", object])
def test_types_that_do_not_compute(dtype):
    with pytest.raises((ValueError, TypeError), match="dtype|type"):
        ours.shortest_path(np.array([[0., 1], [0, 0]]), dtype=dtype)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("targets", [[3], [7, 0, -1, 7], np.array([1, 2], "uint8"), range(5), []],
                         ids=str)
def test_targets(name, targets):
    """Only these columns, in that order."""
    rng = fresh()
    for source in (dense(rng, 20, 0.2), scipy.sparse.csr_array(dense(rng, 20, 0.1))):
        columns = np.asarray(list(targets), int)
        expected = getattr(scipys, name)(source)
        np.testing.assert_array_equal(getattr(ours, name)(source, targets=targets),
                                      expected[:, columns])
        if name != "floyd_warshall":
            result = getattr(ours, name)(source, targets=targets, indices=[5, 6])
            np.testing.assert_array_equal(result, expected[5:7][:, columns])
            result = getattr(ours, name)(source, targets=targets, indices=5)
            np.testing.assert_array_equal(result, expected[5][columns])


def test_targets_that_are_wrong():
    graph = dense(fresh(), 20)
    with pytest.raises(ValueError, match="targets"):
        ours.shortest_path(graph, targets=[20])
    with pytest.raises(ValueError, match="targets"):
        ours.shortest_path(graph, targets=[-21])
    with pytest.raises((ValueError, NotImplementedError), match="targets|predecessors"):
        ours.shortest_path(graph, targets=[1], return_predecessors=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_explicit_zeros(name):
    """A zero that a sparse array holds is an edge of weight 0."""
    graph = scipy.sparse.csr_array(([0., 3, 0], [1, 2, 0], [0, 1, 2, 3]), (3, 3))
    assert getattr(ours, name)(graph).tolist() == [[0, 0, 3], [3, 0, 3], [0, 0, 0]]
    same(name, graph)
    same(name, graph, directed=False)
    for form in ("csc", "coo"):
        same(name, graph.asformat(form), "dijkstra")
    # Zeros fill the blocks of BSR. SciPy takes them for edges before 1.18, and we never do.
    blocks = getattr(ours, name)(graph.asformat("bsr")).tolist()
    assert blocks == [[0, np.inf, np.inf], [np.inf, 0, 3], [np.inf, np.inf, 0]]
    distances, before = getattr(ours, name)(graph, return_predecessors=True)
    tree_is_right([(0, 1, 0), (1, 2, 3), (2, 0, 0)], distances.tolist(), before, range(3))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_many_zeros(name):
    """Circles of weight 0: predecessors must not run in circles."""
    rng = fresh()
    tails, heads = rng.integers(0, 30, (2, 120))
    graph = scipy.sparse.csr_array(scipy.sparse.coo_array(
        (rng.integers(0, 2, 120) * 1.0, (tails, heads)), (30, 30)))
    for directed in (True, False):
        same(name, graph, directed=directed)
        distances, before = getattr(ours, name)(graph, return_predecessors=True, directed=directed)
        coo = graph.tocoo()
        edges = list(zip(coo.coords[0].tolist(), coo.coords[1].tolist(), coo.data.tolist()))
        edges = edges if directed else both_ways(edges)
        tree_is_right(edges, distances.tolist(), before, range(30))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_duplicates(name):
    """Of duplicate entries of CSR the least counts, as in SciPy. Those of COO are added up."""
    graph = scipy.sparse.csr_array(([5., 2, 9, 4, 4], [1, 1, 1, 2, 0], [0, 3, 4, 5]), (3, 3))
    assert getattr(ours, name)(graph)[0, 1] == 2
    for directed in (True, False):
        same(name, graph, directed=directed)
    graph = scipy.sparse.coo_array(([5., 2], ([0, 0], [1, 1])), (2, 2))
    same(name, graph, "dijkstra")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unsorted_csr(name):
    """Columns in any order."""
    rng = fresh()
    graph = scipy.sparse.csr_array(dense(rng, 25, 0.2))
    mixed = graph.copy()
    for u in range(25):
        at = slice(graph.indptr[u], graph.indptr[u + 1])
        order = rng.permutation(at.stop - at.start)
        mixed.indices[at] = graph.indices[at][order]
        mixed.data[at] = graph.data[at][order]
    mixed.has_sorted_indices = False
    same(name, mixed)
    np.testing.assert_array_equal(getattr(ours, name)(mixed), getattr(ours, name)(graph))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_int64_indices(name):
    """Sparse arrays whose indices have 64 bits."""
    graph = scipy.sparse.csr_array(dense(fresh(), 25, 0.2))
    wide = graph.copy()
    wide.indptr, wide.indices = wide.indptr.astype("int64"), wide.indices.astype("int64")
    assert wide.indices.dtype == np.int64
    np.testing.assert_array_equal(getattr(ours, name)(wide), scipys.dijkstra(graph))
    mixed = graph.copy()
    mixed.indptr = mixed.indptr.astype("int64")
    np.testing.assert_array_equal(getattr(ours, name)(mixed), scipys.dijkstra(graph))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("predecessors", [False, True])
def test_no_vertices(name, predecessors):
    """n = 0: empty arrays, dense and sparse. SciPy raises for some of them."""
    for graph in (np.zeros((0, 0)), scipy.sparse.csr_array((0, 0))):
        result = getattr(ours, name)(graph, return_predecessors=predecessors)
        for array in result if predecessors else [result]:
            assert array.shape == (0, 0)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_vertex(name):
    """n = 1: the distance 0, also if there is a loop."""
    for weight in (0., 5.):
        for graph in (np.array([[weight]]), scipy.sparse.csr_array([[weight]])):
            distances, before = getattr(ours, name)(graph, return_predecessors=True)
            assert distances.tolist() == [[0]] and before.tolist() == [[-9999]]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_edges(name):
    for graph in (np.zeros((4, 4)), scipy.sparse.csr_array((4, 4))):
        distances, before = getattr(ours, name)(graph, return_predecessors=True)
        assert exactly(distances, oracle(4, [])) and (before == -9999).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_loops(name):
    """An edge from a vertex to itself changes nothing, if it is not negative."""
    graph = dense(fresh(), 20, 0.2)
    looped = graph.copy()
    np.fill_diagonal(looped, 3)
    expected = oracle(20, edges_of(graph))
    for source in (looped, scipy.sparse.csr_array(looped)):
        assert exactly(getattr(ours, name)(source), expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_negative_weights(name):
    """Weights below 0 without a negative cycle, also in `dijkstra`."""
    rng = fresh()
    for n in (3, 10, 40):
        graph = with_negatives(rng, n, 0.2)
        exact = oracle(n, edges_of(graph))
        for source in (graph, scipy.sparse.csr_array(graph), graph.astype(int)):
            distances, before = getattr(ours, name)(source, return_predecessors=True)
            assert exactly(distances, exact)
            tree_is_right(edges_of(graph), distances.tolist(), before, range(n))
            if name in ("johnson", "bellman_ford", "floyd_warshall"):
                same(name, source)
        assert exactly(getattr(ours, name)(graph, dtype="int32"), exact, apsp.infinity("int32"))
        if name != "floyd_warshall":
            assert exactly(getattr(ours, name)(graph, indices=[2, 0]), [exact[2], exact[0]])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_negative_cycles(name):
    """They are an error, which is SciPy's error, too."""
    graph = np.array([[0., 1, 0], [0, 0, -2], [0.5, 0, 0]])
    for source in (graph, scipy.sparse.csr_array(graph)):
        with pytest.raises(scipys.NegativeCycleError):
            getattr(ours, name)(source)
        with pytest.raises(apsp.NegativeCycleError) as caught:
            getattr(ours, name)(source)
        assert sorted(caught.value.cycle) in ([0, 1, 2], [0, 0, 1, 2])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_negative_edge_both_ways(name):
    """Undirected, each negative edge is a cycle. Unweighted, none is."""
    graph = np.array([[0., -1], [0, 0]])
    for source in (graph, scipy.sparse.csr_array(graph)):
        with pytest.raises(scipys.NegativeCycleError):
            getattr(ours, name)(source, directed=False)
        result = getattr(ours, name)(source, directed=False, unweighted=True)
        assert result.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_negative_loop(name):
    """It is a cycle of one edge. (SciPy's dijkstra and johnson do not end on it.)"""
    graph = np.array([[0., 1], [0, -1]])
    for source in (graph, scipy.sparse.csr_array(graph)):
        with pytest.raises(scipys.NegativeCycleError):
            getattr(ours, name)(source)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_infinity_and_nan_in_dense_arrays(name):
    """Both mean that there is no edge."""
    graph = dense(fresh(), 20, 0.3)
    expected = scipys.dijkstra(graph)
    for nothing in (np.inf, np.nan):
        other = graph.copy()
        other[graph == 0] = nothing
        same(name, other)
        same(name, other, directed=False)
        np.testing.assert_array_equal(getattr(ours, name)(other), expected)
        np.testing.assert_array_equal(getattr(ours, name)(other.astype("float32")), expected)
        other[:10] = np.where(graph[:10] == 0, 0, graph[:10])   # some of each
        np.testing.assert_array_equal(getattr(ours, name)(other), expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_infinity_in_sparse_arrays(name):
    """An edge of infinite weight leads nowhere."""
    graph = scipy.sparse.csr_array(([np.inf, 3.], [1, 2], [0, 1, 2, 2]), (3, 3))
    assert exactly(getattr(ours, name)(graph), oracle(3, [(1, 2, 3)]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_infinity_beside_duplicates(name):
    """An infinite entry elsewhere must not change what duplicates mean: the least counts."""
    graph = scipy.sparse.csr_array(([5., 2, np.inf], [1, 1, 2], [0, 3, 3, 3]), (3, 3))
    assert exactly(getattr(ours, name)(graph), oracle(3, [(0, 1, 2)]))
    kept = graph.data.copy()
    getattr(ours, name)(graph, directed=False)
    np.testing.assert_array_equal(graph.data, kept)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nan_in_sparse_arrays(name):
    """NaN is no weight: an error that names it, or no edge. No NaN comes out."""
    graph = scipy.sparse.csr_array(([np.nan, 3.], [1, 2], [0, 1, 2, 2]), (3, 3))
    try:
        result = getattr(ours, name)(graph)
    except ValueError as error:
        assert "nan" in str(error).lower()
    else:
        assert exactly(result, oracle(3, [(1, 2, 3)]))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("graph", [np.zeros((2, 3)), np.zeros(4), np.zeros((2, 2, 2)), 3.0, None,
                                   "graph", np.zeros((2, 2), complex), np.zeros((2, 2), object),
                                   np.array([["a", "b"], ["c", "d"]]),
                                   scipy.sparse.csr_array((2, 3)),
                                   scipy.sparse.csr_array(np.ones((2, 2), complex))],
                         ids=["2x3", "1-D", "3-D", "number", "None", "str", "complex", "object",
                              "text", "sparse 2x3", "sparse complex"])
def test_what_is_no_graph(name, graph):
    with pytest.raises((ValueError, TypeError)):
        getattr(ours, name)(graph)


@pytest.mark.parametrize("method", ["auto", "FW", "D", "BF", "J"])
def test_method(method):
    same("shortest_path", dense(fresh(), 20), method=method)


def test_method_that_is_none():
    for method in ("dijkstra", "", None, 3):
        with pytest.raises(ValueError, match="method"):
            ours.shortest_path(dense(fresh(), 5), method=method)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature(name):
    """SciPy's parameters in SciPy's order, with SciPy's defaults; ours come after them."""
    import inspect
    mine = list(inspect.signature(getattr(ours, name)).parameters.values())
    positional = [one for one in mine if one.kind is one.POSITIONAL_OR_KEYWORD]
    documented = getattr(scipys, name).__doc__.split("\n")[0]
    if "(" not in documented:
        documented = str(inspect.signature(getattr(scipys, name)))
    given = documented[documented.index("(") + 1:documented.rindex(")")].split(", ")
    assert [one.split("=")[0] for one in given] == [one.name for one in positional]
    for one, theirs in zip(positional, given):
        if "=" in theirs:
            assert repr(one.default).strip("'") == theirs.split("=")[1].strip("'").replace(
                "np.inf", "inf")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_inputs_are_left_alone(name):
    """No function changes the arrays that it gets."""
    graph = dense(fresh(), 20)
    sparse = scipy.sparse.csr_array(graph)
    kept = graph.copy(), sparse.data.copy(), sparse.indices.copy(), sparse.indptr.copy()
    for how in ({}, dict(directed=False), dict(unweighted=True), dict(return_predecessors=True)):
        getattr(ours, name)(graph, **how)
        getattr(ours, name)(sparse, **how)
    for one, two in zip(kept, (graph, sparse.data, sparse.indices, sparse.indptr)):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_result_is_the_callers(name):
    """It is writeable, of rows one after another, and another array at each call."""
    graph = dense(fresh(), 20)
    one, before = getattr(ours, name)(graph, return_predecessors=True)
    assert one.flags.writeable and one.flags.c_contiguous and before.flags.writeable
    expected = one.copy()
    one[:] = 7
    np.testing.assert_array_equal(getattr(ours, name)(graph), expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_larger_graphs(name):
    """Sizes that are no multiple of any tile, sparse and dense."""
    rng = fresh()
    n, more = (131, 267) if name == "bellman_ford" else (301, 700)     # SciPy's takes n·m steps a source
    same(name, dense(rng, n, 0.5))
    tails, heads = rng.integers(0, more, (2, 3 * more))
    graph = scipy.sparse.csr_array(
        (rng.integers(1, 99, 3 * more) * 1.0, (tails, heads)), shape=(more, more))
    same(name, graph, directed=False)
    if name != "floyd_warshall":
        same(name, graph, indices=[0, more - 1, 5])
