"""apsp.solve, apsp.plan and what Distances can be asked, against an oracle of exact numbers."""
import math
from fractions import Fraction

import numpy as np
import pytest

import apsp
from support import (dense, edges_of, exactly, fresh, oracle, road, tree_is_right, walk,
                     with_negatives)

TYPES = ["int32", "int64", "float32", "float64"]


def random_edges(rng, n, m, dtype="int64", low=0, high=50):
    return (n, rng.integers(0, n, m), rng.integers(0, n, m),
            rng.integers(low, high, m).astype(dtype))


def listed(n, tails, heads, weights):
    return list(zip(tails.tolist(), heads.tolist(), weights.tolist()))


def without_edges(matrix, dtype):
    """A matrix of SciPy's kind as `solve` takes it: infinity instead of 0 off the diagonal."""
    made = matrix.astype(dtype)
    made[matrix == 0] = apsp.infinity(dtype)
    np.fill_diagonal(made, 0)
    return made


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("method", ["auto", "dense", "filtered", "sparse"])
def test_edges(dtype, method):
    """Random edges with parallel ones, loops and zeros, by every method in every type."""
    rng = fresh()
    for n, m in ((1, 3), (2, 1), (17, 40), (60, 150), (40, 0)):
        given = random_edges(rng, n, m, dtype)
        distances = apsp.solve(apsp.edges(*given), method=method)
        assert distances.dtype == dtype and distances.shape == (n, n) and distances.n == n
        assert exactly(distances, oracle(n, listed(*given)), apsp.infinity(dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", ["C", "F", "strides", "reversed", "swapped"])
def test_matrices(dtype, order):
    """A square array in any order of rows and columns; 0 is a weight."""
    rng = fresh()
    n = 35
    graph = without_edges(dense(rng, n, 0.3), dtype)
    graph[3, 4] = 0
    edges = edges_of(graph, none=apsp.infinity(dtype))
    shown = {"C": graph, "F": np.asfortranarray(graph), "reversed": graph[::-1, ::-1][::-1, ::-1],
             "strides": np.repeat(np.repeat(graph, 2, 0), 3, 1)[::2, ::3],
             "swapped": graph.astype(graph.dtype.newbyteorder())}[order]
    np.testing.assert_array_equal(shown, graph)
    assert exactly(apsp.solve(shown), oracle(n, edges), apsp.infinity(dtype))
    assert exactly(apsp.solve(shown.T), np.transpose(oracle(n, edges)).tolist(),
                   apsp.infinity(dtype))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "uint8", "uint16", "uint32", "uint64",
                                   "float16", "longdouble"])
def test_other_real_types(dtype):
    """Any real type is taken, and exact."""
    rng = fresh()
    n, tails, heads, weights = random_edges(rng, 20, 60, dtype, 0, 2 if dtype == "bool" else 50)
    exact = oracle(n, list(zip(tails.tolist(), heads.tolist(), weights.astype(int).tolist())))
    distances = apsp.solve(apsp.edges(n, tails, heads, weights))
    assert exactly(distances, exact, apsp.infinity(distances.dtype))
    matrix = np.ones((n, n), dtype)
    assert np.asarray(apsp.solve(matrix)).tolist() == (1 - np.eye(n)).tolist()


def test_uint64_stays_exact():
    """Whole numbers are exact, or they are an error. They are not rounded."""
    weight = 2**60 + 1
    try:
        distance = apsp.solve(apsp.edges(2, [0], [1], np.array([weight], "uint64")))[0, 1]
    except (ValueError, OverflowError):
        return
    assert distance == weight


def test_int64_is_exact():
    """Sums above 2**53 are exact, and `computed` says what computed."""
    rng = fresh()
    given = random_edges(rng, 30, 90, "int64", 2**54, 2**55)
    distances = apsp.solve(apsp.edges(*given))
    assert exactly(distances, oracle(30, listed(*given)), apsp.infinity("int64"))
    assert distances.computed == np.int64
    small = apsp.solve(apsp.edges(*random_edges(rng, 30, 90)))
    assert small.computed == np.int32 and small.dtype == np.int64


def test_float64_to_the_last_bits():
    """Reals are within some roundings of exact sums."""
    rng = fresh()
    n, tails, heads, _ = random_edges(rng, 30, 90)
    weights = rng.random(90)
    exact = oracle(n, [(u, v, Fraction(w)) for u, v, w in zip(tails.tolist(), heads.tolist(),
                                                               weights.tolist())])
    found = np.asarray(apsp.solve(apsp.edges(n, tails, heads, weights)))
    np.testing.assert_allclose(found, [[float(value) for value in row] for row in exact],
                               rtol=30 * 2.0**-53)


@pytest.mark.parametrize("method", ["auto", "dense", "filtered", "sparse"])
def test_negative_weights(method):
    """Found without being told, if no cycle is negative."""
    rng = fresh()
    graph = with_negatives(rng, 40, 0.1)
    edges = edges_of(graph)
    exact = oracle(40, edges)
    distances = apsp.solve(without_edges(graph, "float64"), method=method)
    assert exactly(distances, exact)
    tree_is_right(edges, np.asarray(distances).tolist(), distances.predecessors(), range(40))


def test_lists():
    distances = apsp.solve([[0, 7], [3, 0]])
    assert np.asarray(distances).tolist() == [[0, 7], [3, 0]]


def test_zero_and_nan_as_no_edge():
    """apsp.matrix() reads a matrix as SciPy does, if it is asked to."""
    rng = fresh()
    graph = dense(rng, 20, 0.2)
    exact = oracle(20, edges_of(graph))
    assert exactly(apsp.solve(apsp.matrix(graph, zero_is_no_edge=True)), exact)
    graph[graph == 0] = np.nan
    assert exactly(apsp.solve(apsp.matrix(graph, nan_is_no_edge=True)), exact)
    with pytest.raises(ValueError, match=r"matrix\[\d+\]\[\d+\] is nan"):
        apsp.solve(apsp.matrix(graph))


@pytest.mark.parametrize("wide", ["int32", "int64"])
def test_csr(wide):
    """offsets and heads, with 32 and 64 bits; without weights every edge counts 1."""
    offsets, heads = np.array([0, 2, 3, 4], wide), np.array([1, 2, 2, 0], wide)
    assert apsp.solve(apsp.csr(offsets, heads, [7, 20, 5, 1]))[0].tolist() == [0, 7, 12]
    assert apsp.solve(apsp.csr(offsets, heads))[0].tolist() == [0, 1, 1]
    assert apsp.solve(apsp.edges(3, [0, 1, 2], [1, 2, 0]))[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_scipy_sparse(form):
    """Every format; explicit zeros are edges."""
    sparse = pytest.importorskip("scipy.sparse")
    rng = fresh()
    graph = dense(rng, 25, 0.15)
    distances = apsp.solve(sparse.csr_array(graph).asformat(form))
    assert exactly(distances, oracle(25, edges_of(graph)))
    held = sparse.csr_array(([0, 3], [1, 2], [0, 1, 2, 2]), (3, 3))
    assert apsp.solve(held)[0].tolist() == [0, 0, 3]


@pytest.mark.parametrize("kind", ["Graph", "DiGraph", "MultiGraph", "MultiDiGraph"])
def test_networkx(kind):
    """Nodes with names, parallel edges, edges without a weight: as NetworkX has it."""
    nx = pytest.importorskip("networkx")
    rng = fresh()
    graph = getattr(nx, kind)()
    graph.add_nodes_from("abcdefghijkl")
    for u, v, weight in rng.integers(0, 12, (40, 3)).tolist():
        graph.add_edge("abcdefghijkl"[u], "abcdefghijkl"[v], weight=weight)
    graph.add_edge("a", "l")
    distances = apsp.solve(graph)
    assert list(distances.nodes) == list(graph)
    expected = dict(nx.all_pairs_dijkstra_path_length(graph))
    none = apsp.infinity(distances.dtype)
    for i, u in enumerate(graph):
        assert distances[i].tolist() == [expected[u].get(v, none) for v in graph]
    named = nx.relabel_nodes(graph, str.upper)
    for *_, data in named.edges(data=True):
        if "weight" in data:
            data["cost"] = data.pop("weight")
    again = apsp.solve(named, weight="cost")
    np.testing.assert_array_equal(np.asarray(again), np.asarray(distances))


def test_pandas():
    """A list of edges; names are numbered in their order. The frame has the names."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": ["x", "y", "z"], "target": ["y", "z", "x"],
                              "weight": [7, 5, 1]})
    distances = apsp.solve(frame)
    assert list(distances.nodes) == ["x", "y", "z"]
    table = distances.frame()
    assert table.loc["x", "z"] == 12 and list(table.columns) == ["x", "y", "z"]
    hops = apsp.solve(frame[["source", "target"]])
    assert hops.frame().loc["x", "z"] == 2
    cost = apsp.solve(frame.rename(columns={"weight": "cost"}), weight="cost")
    assert cost.frame().equals(table)
    some = apsp.solve(frame, sources=[2], targets=[1, 0]).frame()
    assert list(some.index) == ["z"] and list(some.columns) == ["y", "x"]


@pytest.mark.parametrize("dtype", TYPES)
def test_an_element_and_a_row(dtype):
    """Python numbers, also from the end; math.inf if there is no path, whatever the type."""
    distances = apsp.solve(apsp.edges(3, [0, 1], [1, 2], [7, 5], dtype=dtype))
    assert distances[0, 2] == 12 and distances[-3, -1] == 12 and distances[1, 1] == 0
    assert distances[2, 0] == math.inf and isinstance(distances[2, 0], float)
    assert distances[np.int8(0), np.uint64(2)] == 12
    none = apsp.infinity(dtype)
    assert distances[1].tolist() == [none, 0, 5] and distances[-1].dtype == dtype
    assert len(distances) == 3 and [row.tolist() for row in distances][0] == [0, 7, 12]
    for wrong in ((3, 0), (0, 3), (-4, 0), (0, -4), 3, -4, (0, 2**40)):
        with pytest.raises((IndexError, OverflowError)):
            distances[wrong]
    np.testing.assert_array_equal(distances[1:], distances.rows(1))
    np.testing.assert_array_equal(distances[-2:-1], distances.rows(1, 2))
    for wrong in (0.5, (0, 0.5), "a", (0, 0, 0), ()):
        with pytest.raises((TypeError, IndexError)):
            distances[wrong]


def test_rows_and_blocks():
    """Any rows, also none; blocks have every row once."""
    rng = fresh()
    given = random_edges(rng, 50, 200)
    distances = apsp.solve(apsp.edges(*given))
    whole = np.asarray(distances)
    for first, stop in ((0, 50), (0, 1), (49, 50), (13, 31), (7, 7)):
        np.testing.assert_array_equal(distances.rows(first, stop), whole[first:stop])
    np.testing.assert_array_equal(distances.rows(20), whole[20:])
    for elements in (1, 49, 50, 120, 10**6):
        at = 0
        for first, rows in distances.blocks(elements):
            assert first == at
            np.testing.assert_array_equal(rows, whole[first:first + len(rows)])
            at += len(rows)
        assert at == 50
    for first, stop in ((0, 51), (51, 51), (3, 2)):
        with pytest.raises((IndexError, ValueError)):
            distances.rows(first, stop)


def test_rows_are_the_callers():
    """Writing into a row or some rows does not change the distances."""
    distances = apsp.solve(apsp.edges(3, [0, 1], [1, 2], [7, 5]))
    for part in (distances[0], distances.rows(0, 2)):
        if part.flags.writeable:
            part[...] = 99
    assert distances[0, 2] == 12


@pytest.mark.parametrize("dtype", TYPES)
def test_matrix(dtype):
    """In memory of its own or in `out`; read only unless asked otherwise."""
    rng = fresh()
    given = random_edges(rng, 30, 90, dtype)
    distances = apsp.solve(apsp.edges(*given))
    exact = oracle(30, listed(*given))
    none = apsp.infinity(dtype)
    assert exactly(distances.matrix(), exact, none)
    out = np.zeros((30, 30), dtype)
    returned = distances.matrix(out=out)
    assert exactly(out, exact, none) and np.shares_memory(returned, out)
    if np.shares_memory(np.asarray(distances), np.asarray(distances)):
        assert not np.asarray(distances).flags.writeable
    assert np.array(distances).flags.writeable
    assert distances.matrix(writeable=True).flags.writeable
    for wrong in (np.zeros((30, 29), dtype), np.zeros((60, 30), dtype)[::2],
                  np.zeros((30, 30), "int16"), np.zeros(900, dtype)):
        with pytest.raises((ValueError, TypeError)):
            distances.matrix(out=wrong)
    assert np.asarray(distances, dtype="float64").dtype == np.float64


@pytest.mark.parametrize("method", ["auto", "dense", "filtered", "sparse"])
def test_paths(method):
    """A path exists, weighs its distance, and has both ends. Predecessors make such paths."""
    rng = fresh()
    for n, m in ((12, 20), (60, 150)):
        given = random_edges(rng, n, m)
        edges = listed(*given)
        distances = apsp.solve(apsp.edges(*given), method=method)
        exact = oracle(n, edges)
        for u, v in rng.integers(-n, n, (150, 2)).tolist():
            path = distances.path(u, v)
            assert all(type(vertex) is int for vertex in path)
            if exact[u % n][v % n] == math.inf:
                assert path == []
            else:
                assert path[0] == u % n and path[-1] == v % n and len(set(path)) == len(path)
                assert walk(edges, path) == exact[u % n][v % n]
        before = distances.predecessors()
        assert before.dtype == np.int32 and before.shape == (n, n)
        tree_is_right(edges, exact, before, range(n))
        some = distances.predecessors(3, 7)
        tree_is_right(edges, exact[3:7], some, range(3, 7))
    for wrong in ((n, 0), (0, n), (-n - 1, 0)):
        with pytest.raises(IndexError):
            distances.path(*wrong)


@pytest.mark.parametrize("sources,targets", [
    ([5], None), ([3, 3, -1, 0], None), (None, [7]), (None, [1, -1, 1]), ([2, 4], [4, 2, 19]),
    (range(20), range(20)), (np.array([6], "uint8"), np.array([[1, 2]])[0])], ids=str)
@pytest.mark.parametrize("method", ["auto", "dense", "filtered", "sparse"])
def test_sources_and_targets(sources, targets, method):
    """Some rows and columns, in the order that was asked for, also twice the same."""
    rng = fresh()
    given = random_edges(rng, 20, 50)
    exact = np.array(oracle(20, listed(*given)), dtype=object)
    rows = np.arange(20) if sources is None else np.array(list(sources)).astype(int)
    columns = np.arange(20) if targets is None else np.array(list(targets)).astype(int)
    distances = apsp.solve(apsp.edges(*given), sources=sources, targets=targets, method=method)
    expected = exact[rows][:, columns]
    assert distances.shape == expected.shape and distances.n == 20
    none = apsp.infinity("int64")
    assert exactly(distances, expected.tolist(), none)
    assert exactly(distances.rows(), expected.tolist(), none)
    assert distances[0, -1] == expected[0, -1]
    tree_is_right(listed(*given), exact[rows].tolist(), distances.predecessors(), rows % 20)
    path = distances.path(int(rows[0]), 7)  # also if 7 is none of the targets
    assert not path or walk(listed(*given), path) == exact[rows[0], 7]


def naive_summary(matrix, rows, columns):
    """reachable, eccentricity and sum of each row, without the row's own vertex."""
    result = []
    for row, u in zip(matrix, rows):
        reached = [value for value, v in zip(row, columns) if v != u and value != math.inf]
        result.append((len(reached), max(reached, default=0), sum(reached)))
    return [list(column) for column in zip(*result)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("ends", [(None, None), ([3, 1, 9], None), (None, [2, 8]),
                                  ([1, 2], [2, 7])])
def test_summary(dtype, ends):
    """What each row comes to: how many, the largest, the sum."""
    rng = fresh()
    for m in (15, 60):
        given = random_edges(rng, 20, m, dtype)
        rows, columns = (range(20) if end is None else end for end in ends)
        exact = oracle(20, listed(*given))
        part = [[exact[u][v] for v in columns] for u in rows]
        distances = apsp.solve(apsp.edges(*given), sources=ends[0], targets=ends[1])
        summary = distances.summary()
        names = ("reachable", "eccentricity", "sum")
        assert [summary[name].tolist() for name in names] == naive_summary(part, rows, columns)


def test_incoming_and_eccentricity():
    """Columns: how many reach a vertex, and the sum. Eccentricity is infinite if not all are
    reached."""
    rng = fresh()
    for m in (30, 200):
        given = random_edges(rng, 20, m)
        exact = oracle(20, listed(*given))
        distances = apsp.solve(apsp.edges(*given))
        reaching, _, sums = naive_summary(np.transpose(exact).tolist(), range(20), range(20))
        incoming = distances.incoming()
        assert incoming["reaching"].tolist() == reaching and incoming["sum"].tolist() == sums
        assert distances.eccentricity().tolist() == [max(row) for row in exact]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("ends", [(None, None), ([3, 1, 3], None), ([1, 2, 2], [2, 7, 2])])
def test_measures(dtype, ends):
    """Sums of 1/d, their mean, and how often each distance occurs, against plain loops."""
    rng = fresh()
    for m in (30, 300):
        given = random_edges(rng, 20, m, dtype)
        rows, columns = (range(20) if end is None else end for end in ends)
        exact = oracle(20, listed(*given))
        pairs = [(i, j, exact[u][v]) for i, u in enumerate(rows) for j, v in enumerate(columns)
                 if u != v]
        reached = [d for _, _, d in pairs if d != math.inf]
        inverse = [(i, j, 1 / d) for i, j, d in pairs if 0 < d < math.inf]
        distances = apsp.solve(apsp.edges(*given), sources=ends[0], targets=ends[1])
        for place, length in ((0, len(rows)), (1, len(columns))):
            expected = [math.fsum(part[2] for part in inverse if part[place] == k)
                        for k in range(length)]
            np.testing.assert_allclose(distances.harmonic(outgoing=place == 0), expected,
                                       rtol=1e-13)
        efficiency = math.fsum(part for *_, part in inverse) / len(pairs)
        assert distances.efficiency() == pytest.approx(efficiency, rel=1e-13)
        assert distances.mean() == pytest.approx(math.fsum(reached) / max(1, len(reached)))
        complete = len(reached) == len(pairs)
        assert distances.wiener() == (sum(reached) if complete else math.inf)
        least, most, counts = distances.histogram()
        assert counts.sum() == len(reached)
        if np.dtype(dtype).kind == "i":
            assert (least == most).all()
            assert {d: reached.count(d) for d in reached} == dict(
                zip(least.tolist(), counts.tolist()))


def test_sums_beyond_64_bits():
    """Whole distances are added up exactly, whatever their sum."""
    n, weight = 40, 2**60 + 1
    matrix = np.full((n, n), weight, np.int64)
    assert apsp.solve(matrix).wiener() == n * (n - 1) * weight


@pytest.mark.parametrize("kind", ["Graph", "DiGraph"])
def test_measures_are_those_of_networkx(kind):
    """Harmonic centrality, efficiency and the Wiener index."""
    nx = pytest.importorskip("networkx")
    rng = fresh()
    for m in (12, 200):
        graph = getattr(nx, kind)()
        graph.add_nodes_from(range(20))
        for u, v in rng.integers(0, 20, (m, 2)).tolist():
            graph.add_edge(u, v, weight=int(rng.integers(0, 9)))
        distances = apsp.solve(graph)
        np.testing.assert_allclose(
            distances.harmonic(), list(nx.harmonic_centrality(graph, distance="weight").values()),
            rtol=1e-13)
        undirected = 1 + (kind == "Graph")
        assert distances.wiener() == undirected * nx.wiener_index(graph, weight="weight")
        unweighted = getattr(nx, kind)(list(graph.edges))
        unweighted.add_nodes_from(range(20))
        if kind == "Graph":
            hops = apsp.solve(unweighted)
            assert hops.efficiency() == pytest.approx(nx.global_efficiency(unweighted), rel=1e-13)


@pytest.mark.parametrize("kind", ["Graph", "DiGraph"])
def test_closeness(kind):
    """As NetworkX has it, also if the graph is in pieces."""
    nx = pytest.importorskip("networkx")
    rng = fresh()
    for m in (12, 60):
        graph = getattr(nx, kind)()
        graph.add_nodes_from(range(20))
        for u, v in rng.integers(0, 20, (m, 2)).tolist():
            graph.add_edge(u, v, weight=int(rng.integers(1, 20)))
        expected = nx.closeness_centrality(graph, distance="weight")
        np.testing.assert_allclose(apsp.solve(graph).closeness(), list(expected.values()),
                                   rtol=1e-13)
    assert apsp.solve(np.zeros((1, 1))).closeness().tolist() == [0]


@pytest.mark.parametrize("ends", [(None, None), ([3, 1, 9], None), ([1, 2], [2, 7, 1])])
def test_within_and_nearest(ends):
    """Sparse rows of what is near, without the vertex itself; distances of 0 are entries."""
    pytest.importorskip("scipy")
    rng = fresh()
    given = random_edges(rng, 20, 50, high=6)
    exact = oracle(20, listed(*given))
    rows, columns = (list(range(20)) if end is None else end for end in ends)
    distances = apsp.solve(apsp.edges(*given), sources=ends[0], targets=ends[1])

    def entries(sparse):
        assert sparse.format == "csr" and sparse.shape == distances.shape
        return [dict(zip(sparse.indices[a:b].tolist(), sparse.data[a:b].tolist()))
                for a, b in zip(sparse.indptr, sparse.indptr[1:])]

    for limit in (-1, 0, 1, 4.5, 7, math.inf):
        assert entries(distances.within(limit)) == [
            {j: exact[u][v] for j, v in enumerate(columns)
             if u != v and exact[u][v] <= limit and exact[u][v] != math.inf} for u in rows]
    for k in (0, 1, 3, 100):
        expected = []
        for u in rows:
            near = sorted((exact[u][v], j) for j, v in enumerate(columns)
                          if u != v and exact[u][v] != math.inf)
            expected.append({j: value for value, j in near[:k]})
        assert entries(distances.nearest(k)) == expected
    with pytest.raises(ValueError):
        distances.nearest(-1)


def test_narrow_rows():
    """Whole distances in 8 and 16 bits; what does not fit is refused."""
    graph = apsp.edges(4, [0, 1], [1, 2], [200, 54])
    expected = [[0, 200, 254, 255], [255, 0, 54, 255], [255, 255, 0, 255], [255, 255, 255, 0]]
    distances = apsp.solve(graph)
    found = distances.rows(dtype=np.uint8)
    assert found.dtype == np.uint8 and found.tolist() == expected
    out = np.zeros((4, 4), np.uint16)
    assert distances.matrix(out=out) is out
    assert out.tolist() == [[65535 if value == 255 else value for value in row] for row in expected]
    assert distances.rows(1, 2, dtype="uint8").tolist() == expected[1:2]
    far = apsp.solve(apsp.edges(4, [0, 1], [1, 2], [200, 55]))
    with pytest.raises(ValueError, match="between 0 and 254"):
        far.rows(dtype=np.uint8)
    assert far.rows(0, 1, dtype=np.uint16).tolist() == [[0, 200, 255, 65535]]
    with pytest.raises(ValueError, match="dtype is float32: rows are"):
        far.rows(dtype=np.float32)
    with pytest.raises(ValueError, match="no whole numbers"):
        apsp.solve(apsp.edges(2, [0], [1], [0.5])).rows(dtype=np.uint8)


def test_distances_in_few_bytes():
    """They are the same, but lie nowhere as a matrix of their type; what does not fit is refused."""
    n = 300
    line = apsp.edges(n, range(n - 1), range(1, n))
    expected = np.asarray(apsp.solve(line))
    for found in (apsp.solve(line, method="bfs", distance_bytes=2),
                  apsp.plan(line, method="bfs", distance_bytes=2).solve(line)):
        assert found.method == "bfs" and found.dtype == expected.dtype
        assert (np.asarray(found) == expected).all() and found[0, n - 1] == n - 1
        assert apsp._engine.borrowed(found._engine) is None
    with pytest.raises(ValueError, match="between 0 and 254, the first pair 0 -> 255"):
        apsp.solve(line, method="bfs", distance_bytes=1)
    for make in (apsp.solve, apsp.plan):
        for wrong in (-1, 3, 8):
            with pytest.raises(ValueError, match="distance_bytes is not 0, 1 or 2"):
                make(line, distance_bytes=wrong)
        with pytest.raises(ValueError, match="whole weights"):
            make(apsp.edges(2, [0], [1], [0.5]), distance_bytes=1)
        with pytest.raises(TypeError):
            make(line, distance_bytes=1.5)


def test_plan():
    """A plan solves new weights on the same edges, and refuses other graphs."""
    rng = fresh()
    n, tails, heads, _ = road(rng, 12)
    kept = apsp.plan(apsp.edges(n, tails, heads, rng.integers(1, 99, tails.size)))
    for _ in range(3):
        weights = rng.integers(1, 99, tails.size)
        graph = apsp.edges(n, tails, heads, weights)
        np.testing.assert_array_equal(kept.solve(graph), np.asarray(apsp.solve(graph)))
        assert walk(listed(n, tails, heads, weights), kept.solve(graph).path(0, n - 1)) == \
            kept.solve(graph)[0, n - 1]
    other = heads.copy()
    other[0] = n - 1
    weights = np.ones(tails.size, int)
    for wrong in (apsp.edges(n, tails, other, weights), apsp.edges(n + 1, tails, heads, weights),
                  apsp.edges(n, tails[:-1], heads[:-1], weights[:-1])):
        with pytest.raises(ValueError):
            kept.solve(wrong)


def test_order_of_a_plan():
    """A plan takes the order of another one, and refuses what is none."""
    rng = fresh()
    n, tails, heads, weights = road(rng, 12)
    graph = apsp.edges(n, tails, heads, weights)
    order = apsp.plan(graph, method="sparse").order()
    assert sorted(order) == list(range(n))
    other = apsp.edges(n, tails, heads, weights + 3)
    for given in (order, order[::-1], rng.permutation(n).tolist()):
        result = apsp.plan(graph, order=given).solve(other)
        assert result.method == "sparse"
        np.testing.assert_array_equal(result, np.asarray(apsp.solve(other, method="dense")))
    for wrong in (order[1:], [0] * n, [n, *order[1:]], [0.5] * n):
        with pytest.raises(ValueError, match="order"):
            apsp.plan(graph, order=wrong)
    with pytest.raises(ValueError, match="sparse"):
        apsp.plan(graph, method="dense", order=order)
    with pytest.raises(ValueError, match="another method"):
        apsp.plan(graph, method="dense").order()


def test_plan_of_a_table():
    """A plan keeps its sources and targets; a matrix is planned, too; the type stays."""
    rng = fresh()
    n, tails, heads, weights = road(rng, 9)
    graph = apsp.edges(n, tails, heads, weights)
    kept = apsp.plan(graph, sources=[3, 1], targets=[0, 80])
    np.testing.assert_array_equal(kept.solve(graph).rows(),
                                  apsp.solve(graph).matrix()[[3, 1]][:, [0, 80]])
    with pytest.raises(ValueError):
        kept.solve(apsp.edges(n, tails, heads, weights.astype("float64")))
    one, two = rng.random((2, 30, 30))
    kept = apsp.plan(one)
    np.testing.assert_array_equal(kept.solve(two), np.asarray(apsp.solve(two)))


def test_a_graph_is_a_view():
    """Weights may change between two solves of the same graph."""
    weights = np.array([7, 20, 5, 1])
    graph = apsp.csr(np.array([0, 2, 3, 4]), np.array([1, 2, 2, 0]), weights)
    assert apsp.solve(graph)[0, 2] == 12
    weights[2] = 17
    assert apsp.solve(graph)[0, 2] == 20


def test_a_graph_that_becomes_negative():
    """The look for negative weights must not be older than the weights."""
    weights = np.array([7, 20, 5, 1])
    graph = apsp.csr(np.array([0, 2, 3, 4]), np.array([1, 2, 2, 0]), weights)
    assert apsp.solve(graph)[0, 2] == 12
    weights[2] = -3
    assert apsp.solve(graph)[0, 2] == 4


def test_results_outlive_their_inputs():
    """A result and a graph keep what they need."""
    def made():
        rng = np.random.default_rng(5)
        return apsp.edges(*random_edges(rng, 200, 800))
    distances = apsp.solve(made())
    junk = [np.full(800, 7) for _ in range(100)]
    path, matrix = distances.path(0, 9), np.asarray(distances)
    whole = matrix.copy()
    del distances, junk
    junk = [np.full((200, 200), 9) for _ in range(30)]
    np.testing.assert_array_equal(matrix, whole)
    again = apsp.solve(made())
    np.testing.assert_array_equal(again, whole)
    assert again.path(0, 9) == path and len(junk) == 30


@pytest.mark.parametrize("dtype", TYPES)
def test_infinity(dtype):
    """It is what stands for no path, and it is a number of that type."""
    assert apsp.infinity(dtype) == {"int32": 2**30 - 1, "int64": 2**62 - 1}.get(dtype, math.inf)
    none = apsp.infinity(dtype)
    assert apsp.infinity(np.dtype(dtype)) == apsp.infinity(np.dtype(dtype).type) == none
    assert np.asarray(apsp.solve(apsp.edges(2, [], [], [], dtype=dtype)))[0, 1] == none


@pytest.mark.parametrize("asked", TYPES)
def test_asked_types(asked):
    """dtype= is what computes and what comes out. A Graph has its type: another is refused."""
    rng = fresh()
    given = random_edges(rng, 20, 50, "int16")
    distances = apsp.solve(apsp.edges(*given, dtype=asked), dtype=asked)
    assert distances.dtype == asked
    assert exactly(distances, oracle(20, listed(*given)), apsp.infinity(asked))
    for other in set(TYPES) - {asked}:
        with pytest.raises(ValueError, match="float|int"):
            apsp.solve(apsp.edges(*given, dtype=asked), dtype=other)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("asked", TYPES)
def test_infinity_stays_infinity(dtype, asked):
    """What is no edge in an array of one type is no edge if another type computes."""
    rng = fresh()
    graph = without_edges(dense(rng, 20, 0.1), dtype)
    distances = apsp.solve(graph, dtype=asked)
    assert distances.dtype == asked
    exact = oracle(20, edges_of(graph, none=apsp.infinity(dtype)))
    assert exactly(distances, exact, apsp.infinity(asked))


@pytest.mark.parametrize("source", [np.zeros((0, 0)), np.zeros((0, 0), int)])
def test_no_vertices(source):
    """n = 0: everything that can be asked is empty."""
    for distances in (apsp.solve(source), apsp.solve(apsp.edges(0, [], []))):
        assert distances.shape == (0, 0) and np.asarray(distances).shape == (0, 0)
        assert distances.rows().shape == (0, 0) and distances.predecessors().shape == (0, 0)
        assert distances.summary()["sum"].shape == distances.eccentricity().shape == (0,)
        assert distances.incoming()["sum"].shape == distances.closeness().shape == (0,)
        assert distances.within(3).shape == distances.nearest(3).shape == (0, 0)
        assert list(distances) == []


def test_attributes():
    distances = apsp.solve(np.ones((3, 3)), device="cpu")
    assert distances.device == "cpu" and distances.milliseconds >= 0 and distances.ndim == 2
    assert set(distances.times) == {"reading", "planning", "placing", "checking"} and distances.times["reading"] > 0
    assert distances.method in ("dense", "filtered", "sparse", "search")
    assert "3" in repr(distances) and "float64" in repr(distances)
    assert distances.nodes is None
    few = apsp.solve(apsp.edges(*road(np.random.default_rng(1), 60)), sources=[0, 1])
    assert few.method == "search"
    vertices = np.arange(3000)
    ring = apsp.edges(3000, vertices, np.roll(vertices, 1), np.ones(3000, np.int32))
    for method in ("dense", "filtered", "sparse", "bfs"):
        assert apsp.solve(ring, method=method, device="cpu").method == method


def test_threads_and_ranks():
    """How many compute changes no distance. On the CPU: each rank takes a GPU of its own."""
    rng = fresh()
    graph = apsp.edges(*random_edges(rng, 150, 900))
    expected = np.asarray(apsp.solve(graph))
    for how in ({"threads": 1}, {"threads": 3}, {"ranks": 2}, {"ranks": 3, "method": "dense"}):
        np.testing.assert_array_equal(apsp.solve(graph, device="cpu", **how), expected)


def test_progress_is_called():
    """Some times in a second, with a text and a number up to 1."""
    weights = np.random.default_rng(0).random((3500, 3500))
    calls = []
    apsp.solve(weights, method="dense", device="cpu", threads=1,
               progress=lambda *call: calls.append(call))
    assert calls and all(isinstance(text, str) and part <= 1 for text, part in calls)


def test_progress_that_solves():
    """A solve in a callback of a solve: both are right, and none waits for ever."""
    weights = np.random.default_rng(0).random((2500, 2500))
    inner = []
    outer = apsp.solve(weights, method="dense", device="cpu", threads=1,
                       progress=lambda *_: inner.append(apsp.solve(np.ones((300, 300)))[0, 1]))
    assert inner and set(inner) == {1} and outer[5, 5] == 0


def test_an_error_in_progress_ends_the_solve():
    """The very exception comes out, the callback is not called again, and the next solve works."""
    weights = np.random.default_rng(0).random((4000, 4000))
    calls = []

    class Enough(Exception):
        pass

    error = Enough("that's it")

    def stop(text, part):
        calls.append(part)
        raise error
    with pytest.raises(Enough) as caught:
        apsp.solve(weights, method="dense", device="cpu", threads=1, progress=stop)
    assert caught.value is error and len(calls) == 1 and calls[0] < 1
    assert apsp.solve(np.ones((2, 2)))[0, 1] == 1
